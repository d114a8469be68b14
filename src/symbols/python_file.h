/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What an ELF file says of the CPython interpreter in it: the version, where its state is, and which code runs Python frames. Of the file
 * alone; no process is looked at.
 */
#ifndef ASSAY_SYMBOLS_PYTHON_FILE_H
#define ASSAY_SYMBOLS_PYTHON_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct python_range {
	uint64_t start, end; /* addresses as linked; equal: none */
};

/* From 3.13 on the interpreter has offsets of its fields in front of its state. All are in bytes. */
struct python_debug_offsets {
	uint64_t interpreters_head;
	uint64_t current_frame, thread_id;
	uint64_t previous, executable, instr_ptr, owner;
	uint64_t filename, qualname, linetable, firstlineno, bytecode;
};

struct python_file {
	uint32_t version;	     /* 0x030b00: 3.11.0; the patch level is 0 where it is not known */
	uint64_t runtime;	     /* of _PyRuntime, as linked */
	struct python_range eval[2]; /* of _PyEval_EvalFrameDefault, and what the compiler split from it */
	bool has_offsets;
	struct python_debug_offsets offsets;
	uint64_t load_bias_of; /* a file offset that is mapped, and its address as linked */
	uint64_t load_bias_vaddr;
};

/* `path`: to open; `name`: what the file is called, which may tell the version up to 3.10. -ENOENT: there is no interpreter in it;
 * -ENOTSUP: one that is not known (version is set), or with free threads. */
int python_file_read(struct python_file *f, const char *path, const char *name);

/* The version in a name like "libpython3.10.so.1.0" or "python3.9"; 0: there is none. */
uint32_t python_version_of_name(const char *name);

#endif
