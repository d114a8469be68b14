/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Raw bytes of the event are not trusted: what does not fit is counted and left out.
 */
#include "session/python_frames.h"

#include <stdlib.h>

#include "base/mem.h"

#define IMAGES_MAX 65536u
#define CODE_BYTES 64u /* of an entry, with its place in the index */

void python_frames_fini(struct python_frames *p)
{
	if (p->has_strings)
		strtab_fini(&p->strings);
	vec_fini(&p->images);
	vec_fini(&p->codes);
	vec_fini(&p->numbers);
	hindex_fini(&p->image_index);
	hindex_fini(&p->code_index);
	free(p->slots);
}

static uint32_t find_code(const struct python_frames *p, uint32_t number)
{
	return HINDEX_FIND(&p->code_index, hash_u64(number), id, p->numbers.v[id] == number);
}

const struct python_code *python_frames_code(const struct python_frames *p, uint32_t number)
{
	uint32_t i = find_code(p, number);

	return i == HINDEX_NONE ? NULL : &p->codes.v[i];
}

static uint32_t intern(struct python_frames *p, const char *text, size_t size)
{
	char *copy = mem_strndup(text, size);
	uint32_t id = strtab_intern(&p->strings, copy);

	free(copy);
	return id;
}

static uint32_t find_image(const struct python_frames *p, uint32_t number)
{
	return HINDEX_FIND(&p->image_index, hash_u64(number), id, p->images.v[id].image == number);
}

static bool take_image(struct python_frames *p, const struct sample *s)
{
	struct python_sample_image image;
	uint32_t known;

	if (s->raw_size < sizeof(image) || p->images.nr >= IMAGES_MAX)
		return false;
	memcpy(&image, s->raw, sizeof(image));
	known = find_image(p, image.image);
	if (known != HINDEX_NONE) {
		p->images.v[known] = image;
		return true;
	}
	hindex_add(&p->image_index, hash_u64(image.image), p->images.nr);
	vec_push(&p->images, image);
	return true;
}

static bool take_code(struct python_frames *p, const struct sample *s, struct budget *memory)
{
	struct python_sample_code c;
	struct python_code code;
	const char *text = (const char *)s->raw + sizeof(c);
	uint32_t known;

	if (s->raw_size < sizeof(c))
		return false;
	memcpy(&c, s->raw, sizeof(c));
	if (s->raw_size - sizeof(c) < (size_t)c.file_size + c.name_size)
		return false;
	if (memory && !budget_take(memory, CODE_BYTES + c.file_size + c.name_size))
		return true;
	if (!p->has_strings)
		strtab_init(&p->strings);
	p->has_strings = true;
	code.file = intern(p, text, c.file_size);
	code.name = intern(p, text + c.file_size, c.name_size);
	code.first_line = c.first_line;
	known = find_code(p, c.code);
	if (known != HINDEX_NONE) {
		p->codes.v[known] = code;
		return true;
	}
	hindex_add(&p->code_index, hash_u64(c.code), p->codes.nr);
	vec_push(&p->codes, code);
	vec_push(&p->numbers, c.code);
	return true;
}

static bool take_stack(struct python_frames *p, const struct sample *s)
{
	struct python_sample_stack head;
	struct python_stack *st;
	uint32_t image;

	if (s->raw_size < sizeof(head))
		return false;
	memcpy(&head, s->raw, sizeof(head));
	if (!head.nr_frames || head.nr_frames > PYTHON_MAX_FRAMES ||
	    s->raw_size - sizeof(head) < head.nr_frames * sizeof(struct python_sample_frame))
		return false;
	if (!p->slots)
		p->slots = mem_zalloc(PYTHON_SLOTS * sizeof(*p->slots));
	st = &p->slots[s->tid % PYTHON_SLOTS];
	st->time_ns = s->time_ns + 1;
	st->tid = s->tid;
	image = find_image(p, head.image);
	st->image = image == HINDEX_NONE ? (struct python_sample_image){ 0 } : p->images.v[image];
	st->flags = head.flags;
	st->nr_frames = head.nr_frames;
	memcpy(st->frames, (const uint8_t *)s->raw + sizeof(head), head.nr_frames * sizeof(*st->frames));
	p->nr_stacks++;
	return true;
}

void python_frames_take(struct python_frames *p, const struct sample *s, struct budget *memory)
{
	uint32_t kind = 0;
	bool is_good = false;

	if (s->raw_size >= sizeof(kind))
		memcpy(&kind, s->raw, sizeof(kind));
	if (kind == PYTHON_SAMPLE_IMAGE)
		is_good = take_image(p, s);
	else if (kind == PYTHON_SAMPLE_CODE)
		is_good = take_code(p, s, memory);
	else if (kind == PYTHON_SAMPLE_STACK)
		is_good = take_stack(p, s);
	p->nr_malformed += !is_good;
}
