/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct script_frames: the frames of a text of `perf script`, from lines to a builder's locations. A line is taken apart once, however
 * often it comes: most lines of such a text are known already.
 *
 * A line may be followed by its place in the source, and functions that were inlined stand in front of the one they are in: so a frame is
 * kept open until the next line says what it was. It knows nothing of samples but where one begins.
 */
#ifndef ASSAY_IMPORT_SCRIPT_FRAMES_H
#define ASSAY_IMPORT_SCRIPT_FRAMES_H

#include "import/builder.h"
#include "import/script_span.h"

#define SCRIPT_NO_FRAME UINT32_MAX

struct known_frame {
	const char *text;
	uint32_t len;
	uint32_t symbol, dso;
	uint64_t addr, off;
	bool is_inlined, is_kernel, is_user; /* neither: no module tells */
	uint32_t location[2][2];	     /* by is_kernel and is_caller, without lines; SCRIPT_NO_FRAME: not made yet */
};

struct open_frame {
	uint32_t frame; /* SCRIPT_NO_FRAME: none is open */
	uint32_t file, line;
	uint64_t addr; /* in its file, by the line behind it; or IMPORT_UNKNOWN */
	bool is_inlined;
	bool has_source; /* the line behind it was that */
	bool is_raw;	 /* its address is one of memory */
};

struct script_frames {
	struct import_builder *b;
	VEC(struct known_frame) known;
	struct hindex index;
	uint32_t plain_dso; /* of user functions whose module was not printed */
	/* of the sample at hand */
	VEC(uint32_t) locations;
	struct open_frame open;
	VEC(struct open_frame) inlined; /* in the function that comes next */
	bool in_user; /* the chain has come to user space */
	int last_mode; /* of the location before; -1: it is the first */
};

void script_frames_init(struct script_frames *x, struct import_builder *b);
void script_frames_fini(struct script_frames *x);

void script_frames_begin(struct script_frames *x);
/* The number of a frame's text, which is taken apart where it is new. SCRIPT_NO_FRAME: it is none. */
uint32_t script_frames_intern(struct script_frames *x, const char *s, size_t len);
/* is_raw: its address is one of memory, as in the first line of a sample. */
void script_frames_add(struct script_frames *x, uint32_t frame, bool is_raw);
/* The place in the source of the frame that is open; false where there is none. */
bool script_frames_place(struct script_frames *x, const char *s, size_t len);
/* Where the first line's own address turns out to be that of data: takes it back. */
bool script_frames_take_raw(struct script_frames *x, uint64_t *addr);
/* The sample's stack. */
uint32_t script_frames_end(struct script_frames *x);

#endif
