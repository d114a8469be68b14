/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perfdata/embedded_names.h"

/* A heap profile in small: two types, three labels in two sets. */
static void fill(struct embedded_values *v)
{
	memset(v, 0, sizeof(*v));
	*vec_add(&v->types) = (struct embedded_type){ "inuse_objects", "count", 1 };
	*vec_add(&v->types) = (struct embedded_type){ "inuse_space", "bytes", 0 };
	*vec_add(&v->types) = (struct embedded_type){ "samples", "count", EMBEDDED_COUNT };
	*vec_add(&v->labels) = (struct embedded_label){ .key = "bytes", .num = 4096, .unit = "bytes" };
	*vec_add(&v->labels) = (struct embedded_label){ .key = "user", .str = "ann" };
	*vec_add(&v->labels) = (struct embedded_label){ .key = "empty", .str = "" };
	*vec_add(&v->sets) = (struct embedded_set){ 0, 0 };
	*vec_add(&v->sets) = (struct embedded_set){ 0, 1 };
	*vec_add(&v->sets) = (struct embedded_set){ 1, 2 };
	*vec_add(&v->mappings) = (struct embedded_mapping){ 7, 0x400000, 0x500000, 0x1000, "/bin/app", "abcd", 5 };
	*vec_add(&v->functions) = (struct embedded_function){ "main", "app.go", 12 };
	v->default_type = "inuse_space";
	v->period_type = "space";
	v->period_unit = "bytes";
	v->period = 524288;
	*vec_add(&v->made_from) = 0x3000;
	v->made_kernel = UINT64_C(254) << 56;
}

static void test_round(void **state)
{
	const struct embedded_label *l;
	struct embedded_values v;
	struct out o;
	uint32_t nr;

	(void)state;
	fill(&v);
	out_init(&o, -1);
	embedded_values_encode(&v, &o);
	embedded_values_fini(&v);
	assert_int_equal(embedded_values_init(&v, o.buf, o.len), 0);
	assert_int_equal(v.types.nr, 3);
	assert_string_equal(v.types.v[1].unit, "bytes");
	assert_int_equal(v.types.v[2].event, EMBEDDED_COUNT);
	assert_string_equal(embedded_values_unit(&v, 0), "bytes");
	assert_null(embedded_values_unit(&v, 1)); /* a count is what its name says */
	assert_null(embedded_values_unit(&v, 9));
	assert_string_equal(v.default_type, "inuse_space");
	assert_string_equal(v.period_type, "space");
	assert_string_equal(v.drop, "");
	assert_int_equal(v.period, 524288);
	l = embedded_values_labels(&v, 1, &nr);
	assert_int_equal(nr, 1);
	assert_null(l->str);
	assert_int_equal(l->num, 4096);
	assert_string_equal(l->unit, "bytes");
	l = embedded_values_labels(&v, 2, &nr);
	assert_int_equal(nr, 2);
	assert_string_equal(l[0].str, "ann");
	assert_string_equal(l[1].str, "");
	embedded_values_labels(&v, 0, &nr);
	assert_int_equal(nr, 0);
	embedded_values_labels(&v, UINT64_MAX, &nr);
	assert_int_equal(nr, 0);
	assert_int_equal(v.mappings.v[0].limit, 0x500000);
	assert_string_equal(v.mappings.v[0].build_id, "abcd");
	assert_string_equal(v.functions.v[0].file, "app.go");
	assert_int_equal(v.functions.v[0].line, 12);
	assert_true(embedded_values_made(&v, 0, 0x3000));
	assert_false(embedded_values_made(&v, 0, 0x2fff));
	assert_false(embedded_values_made(&v, 1, 0x400100));
	assert_true(embedded_values_made(&v, 1, (UINT64_C(254) << 56) + 5));
	embedded_values_fini(&v);
	out_fini(&o);
}

static void look(const struct out *o, const char *s)
{
	assert_true(s >= o->buf && s + strlen(s) < o->buf + o->len);
}

/* Whatever a byte says, and wherever it ends: refused, or all that is pointed to lies inside. */
static void test_damage(void **state)
{
	static const uint8_t values[] = { 0, 1, 7, 0x7f, 0x80, 0xff };
	struct embedded_values v;
	struct out o;

	(void)state;
	fill(&v);
	out_init(&o, -1);
	embedded_values_encode(&v, &o);
	embedded_values_fini(&v);
	for (size_t len = 0; len < o.len; len++) {
		uint64_t *cut = calloc(1, len + 8);

		memcpy(cut, o.buf, len);
		assert_int_equal(embedded_values_init(&v, cut, len), -EBADMSG);
		embedded_values_fini(&v);
		free(cut);
	}
	for (size_t i = 0; i < o.len; i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			char was = o.buf[i];

			o.buf[i] = (char)values[k];
			if (!embedded_values_init(&v, o.buf, o.len)) {
				for (uint32_t n = 0; n < v.types.nr; n++)
					look(&o, v.types.v[n].name), look(&o, v.types.v[n].unit);
				for (uint32_t n = 0; n < v.sets.nr; n++)
					assert_true(v.sets.v[n].first + v.sets.v[n].nr <= v.labels.nr);
				look(&o, v.default_type);
			}
			embedded_values_fini(&v);
			o.buf[i] = was;
		}
	out_fini(&o);
}

/* Inside of the names; a section without them reads as it did before they were thought of. */
static void test_in_names(void **state)
{
	struct embedded_names n = { .flags = EMBEDDED_SUMS };
	struct out o;

	(void)state;
	*vec_add(&n.modules) = (struct embedded_module){ .mapped_as = "[stack]/a", .path = "/a" };
	for (int with = 0; with < 2; with++) {
		struct embedded_names read;

		if (with)
			fill(&n.values);
		out_init(&o, -1);
		embedded_names_encode(&n, &o);
		assert_int_equal(embedded_names_init(&read, o.buf, o.len), 0);
		assert_int_equal(read.flags, EMBEDDED_SUMS | (with ? EMBEDDED_VALUES : 0));
		assert_int_equal(read.values.types.nr, with ? 3 : 0);
		assert_non_null(embedded_names_find(&read, "[stack]/a"));
		embedded_names_fini(&read);
		out_fini(&o);
	}
	embedded_values_fini(&n.values);
	vec_fini(&n.modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_round), cmocka_unit_test(test_damage), cmocka_unit_test(test_in_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
