/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perfdata/imported.h"

static uint32_t str(struct strtab *t, const char *s)
{
	return strtab_intern(t, s);
}

/* Two modules, a function with another inlined, one without an address; two types of values, three labels in two sets. */
static void encode(struct out *o)
{
	struct imported n = { .flags = IMPORTED_REPEATS | IMPORTED_WHOLE_STACKS, .period = 524288 };
	struct strtab t;

	strtab_init(&t);
	*vec_add(&n.modules) = (struct imported_module){ .path = str(&t, "/lib/a.so"), .build_id = { 0xab, 0xcd }, .build_id_size = 2 };
	*vec_add(&n.modules) = (struct imported_module){ .path = str(&t, "[kernel.kallsyms]"), .kind = IMPORTED_KERNEL };
	*vec_add(&n.symbols) = (struct imported_symbol){ 0x1000, str(&t, "work"), 0 };
	*vec_add(&n.symbols) = (struct imported_symbol){ imported_word(2, true), str(&t, "read"), 1 };
	*vec_add(&n.locations) = (struct imported_location){ 0x10, 0x7010, IMPORTED_NONE, IMPORTED_NONE, 0, 0, 1 };
	*vec_add(&n.locations) = (struct imported_location){ 0x1010, 0x8010, 0, 0, 0, 2, 1 };
	*vec_add(&n.locations) = (struct imported_location){ imported_word(2, true), imported_word(2, true), 1, 1, 2, 0, 0 };
	*vec_add(&n.places) = (struct imported_place){ str(&t, "in"), str(&t, "a.h"), 3 };
	*vec_add(&n.places) = (struct imported_place){ str(&t, "work"), str(&t, "a.c"), 30 };
	*vec_add(&n.types) = (struct imported_type){ str(&t, "inuse_objects"), str(&t, "count"), 1 };
	*vec_add(&n.types) = (struct imported_type){ str(&t, "inuse_space"), str(&t, "bytes"), 0 };
	*vec_add(&n.labels) = (struct imported_label){ .key = str(&t, "bytes"), .str = IMPORTED_NONE, .num = 4096 };
	*vec_add(&n.labels) = (struct imported_label){ .key = str(&t, "user"), .str = str(&t, "ann") };
	*vec_add(&n.labels) = (struct imported_label){ .key = str(&t, "empty"), .str = 0 };
	*vec_add(&n.sets) = (struct imported_set){ 0, 0 };
	*vec_add(&n.sets) = (struct imported_set){ 0, 1 };
	*vec_add(&n.sets) = (struct imported_set){ 1, 2 };
	*vec_add(&n.mappings) = (struct imported_mapping){ 7, 0x400000, 0x500000, 0x1000, str(&t, "/bin/app"), str(&t, "abcd"), 5, 0 };
	*vec_add(&n.functions) = (struct imported_function){ str(&t, "main"), str(&t, "app.go"), 12 };
	vec_push(&n.notes, str(&t, "host: box"));
	n.default_type = str(&t, "inuse_space");
	out_init(o, -1);
	imported_encode(&n, &t, o);
	imported_fini(&n);
	strtab_fini(&t);
}

static void test_round(void **state)
{
	const struct imported_label *l;
	struct imported n;
	struct out o;
	uint32_t nr;

	(void)state;
	encode(&o);
	assert_int_equal(imported_init(&n, o.buf, o.len), 0);
	assert_int_equal(n.flags, IMPORTED_REPEATS | IMPORTED_WHOLE_STACKS);
	assert_int_equal(n.period, 524288);
	assert_string_equal(imported_str(&n, n.modules.v[0].path), "/lib/a.so");
	assert_int_equal(n.modules.v[0].build_id[1], 0xcd);
	assert_string_equal(imported_str(&n, n.symbols.v[n.locations.v[2].symbol].name), "read");
	assert_string_equal(imported_str(&n, n.places.v[n.locations.v[1].first_place].file), "a.h");
	assert_string_equal(imported_str(&n, n.default_type), "inuse_space");
	assert_string_equal(imported_str(&n, n.drop), "");
	assert_string_equal(imported_str(&n, n.notes.v[0]), "host: box");
	assert_string_equal(imported_unit(&n, 0), "bytes");
	assert_null(imported_unit(&n, 1)); /* a count is what its name says */
	assert_null(imported_unit(&n, 9));
	l = imported_labels(&n, 1, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(l->str, IMPORTED_NONE);
	assert_int_equal(l->num, 4096);
	l = imported_labels(&n, 2, &nr);
	assert_int_equal(nr, 2);
	assert_string_equal(imported_str(&n, l[0].str), "ann");
	assert_string_equal(imported_str(&n, l[1].str), "");
	imported_labels(&n, 0, &nr);
	assert_int_equal(nr, 0);
	imported_labels(&n, UINT64_MAX, &nr);
	assert_int_equal(nr, 0);
	assert_int_equal(n.mappings.v[0].limit, 0x500000);
	assert_string_equal(imported_str(&n, n.functions.v[0].file), "app.go");
	out_fini(&o);
}

/* A word and the byte in front of it are of one location; other addresses are of none. */
static void test_words(void **state)
{
	struct imported n;
	struct out o;

	(void)state;
	encode(&o);
	assert_int_equal(imported_init(&n, o.buf, o.len), 0);
	for (uint32_t i = 0; i < 4; i++)
		for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
			uint32_t want = i < 3 ? i : IMPORTED_NONE;

			assert_int_equal(imported_number(&n, imported_word(i, is_kernel)), want);
			assert_int_equal(imported_number(&n, imported_word(i, is_kernel) - 1), want);
		}
	assert_int_equal(imported_number(&n, 0), IMPORTED_NONE);
	assert_int_equal(imported_number(&n, 3), IMPORTED_NONE);
	assert_int_equal(imported_number(&n, 0xffffffff81000001), IMPORTED_NONE);
	assert_int_equal(imported_number(&n, (UINT64_C(2) << 56) + 1), IMPORTED_NONE);
	assert_int_equal(imported_number(&n, UINT64_MAX), IMPORTED_NONE);
	out_fini(&o);
}

static void look(const struct imported *n, const struct out *o, uint32_t id)
{
	const char *s = imported_str(n, id);

	assert_true(s >= o->buf && s + strlen(s) < o->buf + o->len);
}

/* Whatever a byte says, and wherever it ends: refused, or all that is referred to is there. */
static void test_damage(void **state)
{
	static const uint8_t values[] = { 0, 1, 7, 0x7f, 0x80, 0xff };
	struct imported n;
	struct out o;

	(void)state;
	encode(&o);
	for (size_t len = 0; len < o.len; len++) {
		uint64_t *cut = calloc(1, len + 8);

		memcpy(cut, o.buf, len);
		assert_int_equal(imported_init(&n, cut, len), -EBADMSG);
		free(cut);
	}
	for (size_t i = 0; i < o.len; i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			char was = o.buf[i];

			o.buf[i] = (char)values[k];
			if (!imported_init(&n, o.buf, o.len)) {
				for (uint32_t s = 0; s < n.nr_strings; s++)
					look(&n, &o, s);
				for (uint32_t l = 0; l < n.locations.nr; l++)
					assert_true(n.locations.v[l].symbol < n.symbols.nr || n.locations.v[l].symbol == IMPORTED_NONE);
				for (uint32_t s = 0; s < n.sets.nr; s++)
					assert_true(n.sets.v[s].first + n.sets.v[s].nr <= n.labels.nr);
			}
			o.buf[i] = was;
		}
	out_fini(&o);
}

static void test_other_version(void **state)
{
	struct imported n;
	struct out o;

	(void)state;
	encode(&o);
	memcpy(o.buf, "asaynam1", 8);
	assert_int_equal(imported_init(&n, o.buf, o.len), -EPROTO);
	out_fini(&o);
}

/* Rows of a few bytes that share one long string would cost its length each. */
static void test_shared_strings(void **state)
{
	struct imported n = { 0 }, read;
	struct strtab t;
	struct out o;
	char *name = malloc(60001);

	(void)state;
	memset(name, 'n', 60000);
	name[60000] = 0;
	strtab_init(&t);
	for (int i = 0; i < 100000; i++)
		vec_push(&n.notes, str(&t, name));
	out_init(&o, -1);
	imported_encode(&n, &t, &o);
	assert_int_equal(imported_init(&read, o.buf, o.len), -EBADMSG);
	/* So would modules that nothing lies in. */
	out_fini(&o);
	n.notes.nr = 1;
	*vec_add(&n.modules) = (struct imported_module){ .path = str(&t, "/lib/a.so") };
	out_init(&o, -1);
	imported_encode(&n, &t, &o);
	assert_int_equal(imported_init(&read, o.buf, o.len), -EBADMSG);
	out_fini(&o);
	imported_fini(&n);
	strtab_fini(&t);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_round), cmocka_unit_test(test_words), cmocka_unit_test(test_damage),
					    cmocka_unit_test(test_other_version), cmocka_unit_test(test_shared_strings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
