/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a recording says of Python (abi/python_sample.h): interpreters, code objects, and the stack that belongs to the sample at hand. A Python
 * frame stands in call chains as a word that is no address (python_word()).
 */
#ifndef ASSAY_SESSION_PYTHON_FRAMES_H
#define ASSAY_SESSION_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/python_sample.h"
#include "abi/sample.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"

#define PYTHON_MAX_FRAMES 512
#define PYTHON_SLOTS 64 /* stacks that wait for their sample: it follows at once */

/* No architecture has user addresses there. */
#define PYTHON_WORD_TOP UINT64_C(0x50)

static inline bool python_is_word(uint64_t word)
{
	return word >> 56 == PYTHON_WORD_TOP;
}
static inline uint64_t python_word(const struct python_sample_frame *f)
{
	return PYTHON_WORD_TOP << 56 | (uint64_t)(f->line & 0xffffff) << 32 | (f->code & ~PYTHON_FRAME_ENTRY);
}
static inline uint32_t python_word_code(uint64_t word)
{
	return (uint32_t)word;
}
static inline uint32_t python_word_line(uint64_t word)
{
	return (uint32_t)(word >> 32) & 0xffffff;
}

struct python_code {
	uint32_t file, name; /* strings; 0: not known */
	uint32_t first_line;
};

struct python_stack {
	uint64_t time_ns; /* of its sample; 0: there is none */
	uint32_t tid;
	struct python_sample_image image; /* all zero: not known */
	uint32_t flags;
	uint32_t nr_frames;
	struct python_sample_frame frames[PYTHON_MAX_FRAMES];
};

/* A zeroed struct is empty. */
struct python_frames {
	struct strtab strings;
	bool has_strings;
	VEC(struct python_sample_image) images;
	struct hindex image_index;     /* by number */
	VEC(struct python_code) codes; /* by place in `code_index` */
	VEC(uint32_t) numbers;	       /* of these */
	struct hindex code_index;
	struct python_stack *slots; /* by tid */
	uint64_t nr_stacks, nr_malformed;
};

void python_frames_fini(struct python_frames *p);
/* Takes a sample of the event. What it says is taken from `memory` (NULL: nothing limits it). */
void python_frames_take(struct python_frames *p, const struct sample *s, struct budget *memory);
/* The stack that belongs to a sample of another event, until the next one is taken; NULL: there is none. */
static inline const struct python_stack *python_frames_of(const struct python_frames *p, uint32_t tid, uint64_t time_ns)
{
	const struct python_stack *st = p->slots ? &p->slots[tid % PYTHON_SLOTS] : NULL;

	return st && st->time_ns == time_ns && st->tid == tid && time_ns ? st : NULL;
}
/* NULL: the recording does not say. */
const struct python_code *python_frames_code(const struct python_frames *p, uint32_t number);
static inline const char *python_frames_str(const struct python_frames *p, uint32_t id)
{
	return id ? strtab_get(&p->strings, id) : "";
}

#endif
