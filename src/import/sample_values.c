/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning sets of labels, and handing all over to the recording.
 */
#include "import/sample_values.h"

#include <string.h>

#include "import/builder.h"

_Static_assert(sizeof(struct import_label) == 24, "labels have no holes");

void import_values_init(struct import_values *v)
{
	memset(v, 0, sizeof(*v));
	*vec_add(&v->sets) = (struct embedded_set){ 0 };
}

void import_values_fini(struct import_values *v)
{
	vec_fini(&v->types);
	vec_fini(&v->labels);
	vec_fini(&v->sets);
	vec_fini(&v->mappings);
	vec_fini(&v->functions);
	hindex_fini(&v->set_index);
}

uint32_t import_labels(struct import_values *v, const struct import_label *labels, uint32_t nr)
{
	uint64_t h;
	struct hindex_iter it;

	if (!nr)
		return 0;
	h = hash_bytes(labels, nr * sizeof(*labels), nr);
	it = hindex_find(&v->set_index, h);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (v->sets.v[id].nr == nr &&
		    !memcmp(&v->labels.v[v->sets.v[id].first], labels, nr * sizeof(*labels)))
			return id;
	vec_push(&v->sets, ((struct embedded_set){ v->labels.nr, nr }));
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&v->labels, labels[i]);
	hindex_add(&v->set_index, h, v->sets.nr - 1);
	return v->sets.nr - 1;
}

void import_values_embed(const struct import_builder *b, struct embedded_values *to)
{
	const struct import_values *v = &b->values;

	memset(to, 0, sizeof(*to));
	for (uint32_t i = 0; i < v->types.nr; i++)
		vec_push(&to->types, ((struct embedded_type){ import_str(b, v->types.v[i].name),
							      import_str(b, v->types.v[i].unit),
							      v->types.v[i].event }));
	for (uint32_t i = 0; i < v->labels.nr; i++) {
		const struct import_label *l = &v->labels.v[i];

		vec_push(&to->labels,
			 ((struct embedded_label){ .key = import_str(b, l->key),
						   .str = l->has_str ? import_str(b, l->str) : NULL,
						   .unit = import_str(b, l->unit),
						   .num = l->num }));
	}
	for (uint32_t i = 0; i < v->sets.nr; i++)
		vec_push(&to->sets, v->sets.v[i]);
	for (uint32_t i = 0; i < v->mappings.nr; i++) {
		const struct import_mapping *m = &v->mappings.v[i];

		vec_push(&to->mappings,
			 ((struct embedded_mapping){ m->id, m->start, m->limit, m->offset,
						     import_str(b, m->file),
						     import_str(b, m->build_id), m->flags }));
	}
	for (uint32_t i = 0; i < v->functions.nr; i++)
		vec_push(&to->functions,
			 ((struct embedded_function){ import_str(b, v->functions.v[i].name),
						      import_str(b, v->functions.v[i].file),
						      v->functions.v[i].line }));
	to->default_type = import_str(b, v->default_type);
	to->period_type = import_str(b, v->period_type);
	to->period_unit = import_str(b, v->period_unit);
	to->drop = import_str(b, v->drop);
	to->keep = import_str(b, v->keep);
	to->period = v->period;
	for (uint32_t i = 1; i < b->dsos.nr; i++)
		if (b->dsos.v[i].mapped_as) /* is embedded */
			vec_push(&to->made_from, b->dsos.v[i].made_from);
	to->made_kernel = v->made_kernel;
}
