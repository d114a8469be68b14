/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One object a frame.
 */
#include "view/chain_json.h"

static void put_frame(struct json *j, struct profile *p, const struct profile_place *place)
{
	const struct profile_frame *f = &p->frames.v[place->frame];
	const struct location *at = &p->locations.v[place->location].at;

	json_object(j);
	json_put_hex(j, "ip", at->ip);
	if (f->is_inlined)
		json_put_bool(j, "inlined", true);
	if (f->function) {
		json_put_str(j, "symbol", profile_str(p, f->function));
		json_put_u64(j, "offset", at->addr - f->start);
	}
	if (at->dso != DSO_NONE) {
		json_put_str(j, "dso", profile_dso(p, at->dso)->path);
		json_put_hex(j, "address", at->addr);
	}
	if (place->file) {
		json_put_str(j, "file", profile_str(p, place->file));
		json_put_u64(j, "line", place->line);
	}
	json_object_end(j);
}

uint32_t chain_json_location(struct json *j, struct profile *p, uint32_t location, uint32_t max)
{
	uint32_t nr;
	const struct profile_place *places = profile_places_of(p, location, &nr);

	if (nr > max)
		nr = max;
	for (uint32_t i = 0; i < nr; i++)
		put_frame(j, p, &places[i]);
	return nr;
}

void chain_json_stack(struct json *j, struct profile *p, uint32_t stack, uint32_t max)
{
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT && max && !j->o->error; n = stack_tree_parent(&p->tree, n))
		max -= chain_json_location(j, p, stack_tree_frame(&p->tree, n), max);
}
