/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames of compared recordings that are the same under other names become one. The paths are numbers of spots: each frame and
 * each spot is looked at once, and the paths are rewritten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/flame.h"

/* The frame that has a place of this name first, whatever file it is in. */
static uint32_t first_of_name(struct flame *f, struct hindex *names, uint32_t frame)
{
	const struct flame_frame *fr = &f->frames.v[frame];
	uint64_t h = hash_pair(fr->name, (uint64_t)fr->kind << 8 | fr->marks);
	struct hindex_iter it = hindex_find(names, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (f->frames.v[id].name == fr->name && f->frames.v[id].kind == fr->kind && f->frames.v[id].marks == fr->marks)
			return id;
	hindex_add(names, h, frame);
	return frame;
}

/* "[app-new]" stands for all places of that file without a name. */
static uint32_t rename_unresolved(struct flame *f, const struct flame_frame *fr, const char *module, const char *same)
{
	const char *name = strtab_get(&f->strings, fr->name);
	size_t len = strlen(module);
	char *text;
	uint32_t frame;

	if (strlen(name) != len + 2 || memcmp(name + 1, module, len))
		return flame_intern_frame(f, name, strtab_len(&f->strings, fr->name), same, fr->kind, fr->marks);
	text = mem_printf("[%s]", same);
	frame = flame_intern_frame(f, text, strlen(text), same, fr->kind, fr->marks);
	free(text);
	return frame;
}

static uint32_t same_frame(struct flame *f, const struct match *m, uint32_t frame)
{
	struct flame_frame fr = f->frames.v[frame];
	const char *name = strtab_get(&f->strings, fr.name), *module = strtab_get(&f->strings, fr.module), *same;

	if (fr.kind == FLAME_GROUP) {
		same = match_comm(m, name);
		return same == name ? frame : flame_intern_frame(f, same, strlen(same), module, fr.kind, fr.marks);
	}
	same = match_file(m, module);
	if (same == module)
		return frame;
	if (fr.marks & FLAME_UNRESOLVED)
		return rename_unresolved(f, &fr, module, same);
	return flame_intern_frame(f, name, strtab_len(&f->strings, fr.name), same, fr.kind, fr.marks);
}

/* Puts the paths through spots of these frames instead. */
static void rewrite_paths(struct flame *f, const uint32_t *same_frame_of)
{
	uint32_t nr = f->spots.nr, *same = mem_alloc((nr + 1ul) * sizeof(*same));

	for (uint32_t i = 0; i < nr; i++) {
		struct flame_spot s = f->spots.v[i];

		same[i] = same_frame_of[s.frame] == s.frame ? i :
			  flame_intern_spot(f, same_frame_of[s.frame], strtab_get(&f->strings, s.file), s.line);
	}
	for (uint32_t i = 0; i < f->steps.nr; i++)
		f->steps.v[i] = same[f->steps.v[i]];
	free(same);
}

void flame_match(struct flame *f, const struct match *m)
{
	uint32_t nr = f->frames.nr, *same;
	struct hindex names = { 0 };

	if (!m->pairs.nr && m->by != MATCH_NAME)
		return;
	same = mem_alloc((nr + 1ul) * sizeof(*same));
	for (uint32_t i = 0; i < nr; i++) {
		const struct flame_frame *fr = &f->frames.v[i];

		if (m->by != MATCH_NAME)
			same[i] = same_frame(f, m, i);
		else
			same[i] = fr->kind == FLAME_ROOT || fr->kind == FLAME_GROUP || fr->kind == FLAME_CUT || fr->marks & FLAME_UNRESOLVED ?
					  i : first_of_name(f, &names, i);
	}
	rewrite_paths(f, same);
	hindex_fini(&names);
	free(same);
}
