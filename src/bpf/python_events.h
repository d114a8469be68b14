/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the recorder tells python.bpf.c of an interpreter, and what comes out of its ring buffer. Included by BPF and by C.
 */
#ifndef ASSAY_BPF_PYTHON_EVENTS_H
#define ASSAY_BPF_PYTHON_EVENTS_H

#define PYTHON_FRAMES 128	/* of a stack at most */
#define PYTHON_FRAME_BYTES 96	/* of an interpreter frame, from its first field that counts to its last, at most */
#define PYTHON_BLOCK_BYTES 4096 /* of memory with frames or code objects, read at once; a page */
#define PYTHON_CODE_BYTES 96	/* the same of a code object */
#define PYTHON_TEXT_BYTES 256	/* of a name or a path at most: of a longer one its end */
#define PYTHON_LINES_BYTES 4096 /* of a table of lines at most: of a longer one its beginning; a power of two */

/* A program that a process executes, with all that it forks: no two have their code and stack at the same addresses. */
struct python_program {
	unsigned long long start_code, start_stack;
};

enum python_state {
	PYTHON_UNKNOWN, /* is to be looked at */
	PYTHON_FOUND,
};

/* How the interpreter calls itself for a frame. */
enum python_entry {
	PYTHON_ENTRY_EACH,    /* up to 3.10: for each */
	PYTHON_ENTRY_FLAGGED, /* 3.11: where the frame says so */
	PYTHON_ENTRY_SHIM,    /* from 3.12 on: below a frame of its own */
};

/* Offsets in bytes. Of frames and code objects, relative to what is read of them. */
struct python_layout {
	unsigned short runtime_current; /* of the thread state that holds the lock; 0: there is none */
	unsigned short runtime_key;	/* of the number of the thread-specific value */
	unsigned short runtime_main;	/* of the address of the first interpreter */
	unsigned short thread_interp;	/* in a thread state: the address of its interpreter */
	unsigned short thread_id;	/* in a thread state: the thread's pthread_t */
	unsigned short thread_frame;	/* the innermost frame, or what it is reached through */
	unsigned short cframe_frame;
	unsigned char has_cframe, entry;
	unsigned short frame_base, frame_bytes;
	unsigned short frame_block;					     /* bytes in front of a frame that are worth reading with it */
	unsigned short frame_code, frame_previous, frame_instr, frame_owner; /* frame_owner: is_entry, where these are flagged */
	unsigned char instr_is_pointer, instr_unit;
	unsigned short code_base, code_bytes;
	unsigned short code_line, code_file, code_name, code_lines;
	unsigned short code_bytecode; /* from the beginning of the code object; 0: instructions are counted from 0 */
	unsigned short text_ascii, text_wide;
	unsigned char checks_name; /* code objects have no number of their own: the name counts, too */
	unsigned char lines_kind;  /* enum python_lines_kind */
};

struct python_image {
	unsigned int state, image;
	unsigned long long runtime;	 /* address of _PyRuntime */
	unsigned long long next_look_ns; /* PYTHON_UNKNOWN: not before */
	unsigned int nr_looks, reserved;
	struct python_layout layout;
};

enum python_event_kind { PYTHON_EVENT_LOOK = 1, PYTHON_EVENT_CODE = 2, PYTHON_EVENT_STACK = 3 };

/* A program runs that is not known. */
struct python_event_look {
	unsigned int kind, pid;
	struct python_program program;
};

struct python_text {
	unsigned int length;	 /* characters */
	unsigned int nr_bytes;	 /* that follow, from the end of it */
	unsigned char char_size; /* 1, 2, 4 */
	unsigned char is_ascii;
	unsigned char reserved[6];
	unsigned char bytes[PYTHON_TEXT_BYTES];
};

struct python_event_code {
	unsigned int kind, image;
	unsigned long long code;
	unsigned int stamp, first_line;
	struct python_text file, name;
	unsigned int lines_kind; /* PYTHON_LINES_NONE: they could not be read */
	unsigned int lines_are_cut;
	unsigned int nr_lines; /* bytes that follow */
	unsigned char lines[PYTHON_LINES_BYTES];
};

#define PYTHON_EVENT_ENTRY (1ull << 63)

struct python_event_frame {
	unsigned long long code; /* address, with PYTHON_EVENT_ENTRY */
	unsigned int stamp;	 /* a sum of the code object: the address may be another's later */
	unsigned int instr;	 /* bytes from the beginning of its instructions */
};

enum python_event_flags { PYTHON_EVENT_CUT = 1, PYTHON_EVENT_SUB = 2 };

struct python_event_stack {
	unsigned int kind, image;
	unsigned int pid, tid;
	unsigned long long time_ns; /* of the sample */
	unsigned int cpu, flags;
	unsigned int nr_frames, reserved;
	struct python_event_frame frames[PYTHON_FRAMES];
};

#endif
