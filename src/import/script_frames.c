/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which module an address is in tells whether it is the kernel's; where none was printed its height does, as long as the chain has not come
 * to user space.
 */
#include "import/script.h"

void script_frames_init(struct script_frames *x, struct import_builder *b)
{
	*x = (struct script_frames){ .b = b, .open.frame = SCRIPT_NO_FRAME };
}

void script_frames_fini(struct script_frames *x)
{
	vec_fini(&x->known);
	vec_fini(&x->locations);
	vec_fini(&x->inlined);
	hindex_fini(&x->index);
}

static void place_frame(struct script_frames *x, struct known_frame *k, const struct script_frame *f)
{
	struct import_builder *b = x->b;

	k->symbol = import_string(b, f->symbol.s, f->symbol.len);
	k->addr = f->addr;
	k->off = f->off;
	k->is_inlined = f->is_inlined;
	if (f->dso.len) {
		k->dso = import_dso(b, f->dso.s, f->dso.len);
		k->is_kernel = import_is_kernel_kind(b->dsos.v[k->dso].kind) || import_is_bpf(import_str(b, b->dsos.v[k->dso].path));
		k->is_user = !k->is_kernel;
	} else if (!f->has_dso && k->symbol && !f->is_inlined) {
		/* A name needs a module to be found in. */
		k->is_kernel = import_is_high(f->addr);
		k->is_user = !k->is_kernel;
		if (!x->plain_dso)
			x->plain_dso = import_dso_kind(b, "[unknown]", 9, IMPORTED_USER, NULL, 0);
		k->dso = k->is_kernel ? import_dso(b, "[kernel.kallsyms]", 17) : x->plain_dso;
	}
}

uint32_t script_frames_intern(struct script_frames *x, const char *s, size_t len)
{
	struct script_span t = script_trim((struct script_span){ s, len });
	uint64_t h = hash_bytes(t.s, t.len, 0);
	uint32_t found = HINDEX_FIND(&x->index, h, id, x->known.v[id].len == t.len && !memcmp(x->known.v[id].text, t.s, t.len));
	struct known_frame k = { .location = { SCRIPT_NO_FRAME, SCRIPT_NO_FRAME } };
	struct script_frame f;

	if (found != HINDEX_NONE)
		return found;
	if (t.len > UINT32_MAX || !script_frame_parse(t.s, t.len, &f))
		return SCRIPT_NO_FRAME;
	place_frame(x, &k, &f);
	import_charge(x->b, t.len + sizeof(k) + 24);
	k.text = arena_str(&x->b->arena, t.s, t.len);
	k.len = (uint32_t)t.len;
	vec_push(&x->known, k);
	hindex_add(&x->index, h, x->known.nr - 1);
	return x->known.nr - 1;
}

static struct import_location location_of(const struct script_frames *x, const struct open_frame *o, bool is_kernel)
{
	const struct known_frame *k = &x->known.v[o->frame];
	struct import_location l = {
		.dso = k->dso,
		.symbol = k->dso ? k->symbol : 0,
		.addr = IMPORT_UNKNOWN,
		.ip = IMPORT_UNKNOWN,
		.off = k->dso && k->symbol ? k->off : IMPORT_UNKNOWN,
		.is_kernel = is_kernel,
	};

	if (!k->dso) {
		l.ip = k->addr;
	} else if (o->is_raw && !is_kernel) {
		l.ip = k->addr;
		l.addr = o->addr;
	} else {
		l.addr = k->addr;
	}
	return l;
}

static uint32_t make_location(struct script_frames *x, const struct open_frame *o, const struct open_frame *inlined, uint32_t nr_inlined,
			      bool is_kernel)
{
	struct import_location l = location_of(x, o, is_kernel);
	struct imported_place places[IMPORT_MAX_INLINED] = { 0 };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_inlined && nr < IMPORT_MAX_INLINED - 1; i++)
		places[nr++] = (struct imported_place){ x->known.v[inlined[i].frame].symbol, inlined[i].file, inlined[i].line };
	if (nr || o->file)
		places[nr++] = (struct imported_place){ l.symbol, o->file, o->line };
	return import_location(x->b, &l, places, nr);
}

static void add_location(struct script_frames *x, const struct open_frame *o, const struct open_frame *inlined, uint32_t nr_inlined)
{
	struct known_frame *k = &x->known.v[o->frame];
	bool is_kernel = k->is_kernel || (!k->is_user && !x->in_user && import_is_high(k->addr));
	bool is_plain = !nr_inlined && !o->file && !o->is_raw;
	uint32_t *cached = &k->location[is_kernel], id;

	x->in_user |= !is_kernel;
	id = is_plain && *cached != SCRIPT_NO_FRAME ? *cached : make_location(x, o, inlined, nr_inlined, is_kernel);
	if (is_plain)
		*cached = id;
	vec_push(&x->locations, id);
}

/* Inlined functions without the function they are in: nothing is known of where they were. */
static void drop_inlined(struct script_frames *x)
{
	for (uint32_t i = 0; i < x->inlined.nr; i++)
		add_location(x, &x->inlined.v[i], NULL, 0);
	x->inlined.nr = 0;
}

static void close_frame(struct script_frames *x)
{
	const struct open_frame o = x->open;

	if (o.frame == SCRIPT_NO_FRAME)
		return;
	x->open.frame = SCRIPT_NO_FRAME;
	if (x->inlined.nr && x->known.v[x->inlined.v[0].frame].addr != x->known.v[o.frame].addr)
		drop_inlined(x);
	if (o.is_inlined) {
		vec_push(&x->inlined, o);
		return;
	}
	add_location(x, &o, x->inlined.v, x->inlined.nr);
	x->inlined.nr = 0;
}

void script_frames_add(struct script_frames *x, uint32_t frame, bool is_raw)
{
	close_frame(x);
	x->open =
		(struct open_frame){ .frame = frame, .addr = IMPORT_UNKNOWN, .is_inlined = x->known.v[frame].is_inlined, .is_raw = is_raw };
}

/* ---- a sample ---- */

void script_frames_begin(struct script_frames *x)
{
	x->locations.nr = 0;
	x->in_user = false;
	x->open.frame = SCRIPT_NO_FRAME;
	x->inlined.nr = 0;
}

bool script_frames_place(struct script_frames *x, const char *s, size_t len)
{
	struct script_span file;
	uint32_t line;
	uint64_t addr;
	bool is_inlined;

	if (x->open.frame == SCRIPT_NO_FRAME || x->open.has_source || !script_source_parse(s, len, &file, &line, &addr, &is_inlined))
		return false;
	x->open.file = import_string(x->b, file.s, file.len);
	x->open.line = line;
	x->open.addr = addr;
	x->open.is_inlined |= is_inlined;
	x->open.has_source = true;
	return true;
}

bool script_frames_take_raw(struct script_frames *x, uint64_t *addr)
{
	if (x->open.frame == SCRIPT_NO_FRAME || !x->open.is_raw)
		return false;
	*addr = x->known.v[x->open.frame].addr;
	x->open.frame = SCRIPT_NO_FRAME;
	return true;
}

uint32_t script_frames_end(struct script_frames *x)
{
	close_frame(x);
	drop_inlined(x);
	return import_stack(x->b, x->locations.v, x->locations.nr);
}
