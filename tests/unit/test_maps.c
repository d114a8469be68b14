/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Map sets against a model that has one cell for each address.
 */
#include "session_fixture.h"

#include "session/maps.h"

#define NR_CELLS 64

struct cell {
	uint32_t dso; /* 0: no map */
	uint64_t addr;
};

static void model_add(struct cell *cells, const struct map *m)
{
	for (uint64_t ip = m->start; ip < m->end; ip++) {
		cells[ip].dso = m->dso;
		cells[ip].addr = m->identity ? ip : m->pgoff + (ip - m->start);
	}
}

static void check(const struct map_set *s, const struct cell *cells)
{
	for (uint32_t i = 0; i < s->maps.nr; i++) {
		assert_true(s->maps.v[i].start < s->maps.v[i].end);
		if (i)
			assert_true(s->maps.v[i - 1].end <= s->maps.v[i].start);
	}
	for (uint64_t ip = 0; ip < NR_CELLS; ip++) {
		const struct map *m = map_set_find(s, ip);

		if (!cells[ip].dso) {
			assert_null(m);
			continue;
		}
		assert_non_null(m);
		assert_int_equal(m->dso, cells[ip].dso);
		assert_true(map_addr(m, ip) == cells[ip].addr);
	}
}

static void test_like_the_model(void **state)
{
	uint64_t rng = 3;

	(void)state;
	for (int run = 0; run < 300; run++) {
		struct cell cells[NR_CELLS] = { { 0, 0 } };
		struct map_set s = { 0 };

		for (int i = 0; i < 40; i++) {
			struct map m = { .start = fixture_rng(&rng) % NR_CELLS,
					 .pgoff = fixture_rng(&rng) % 4096 };
			uint64_t room = NR_CELLS - m.start;

			m.end = m.start + fixture_rng(&rng) %
						  (fixture_rng(&rng) % 4 ? room / 4 + 1 : room + 1);
			m.dso = (uint32_t)i + 1;
			m.identity = fixture_rng(&rng) % 4 == 0;
			model_add(cells, &m);
			map_set_add(&s, &m);
			check(&s, cells);
		}
		map_set_fini(&s);
	}
}

static void test_split_keeps_both_ends(void **state)
{
	struct map_set s = { 0 };
	const struct map whole = { .start = 0x1000,
				   .end = 0x9000,
				   .pgoff = 0x100,
				   .dso = 1,
				   .prot = 5,
				   .flags = 2,
				   .ino = 77 };
	const struct map hole = { .start = 0x3000, .end = 0x4000, .dso = 2 };

	(void)state;
	map_set_add(&s, &whole);
	map_set_add(&s, &hole);
	assert_int_equal(s.maps.nr, 3);
	assert_true(s.maps.v[0].end == 0x3000 && s.maps.v[0].pgoff == 0x100);
	assert_true(s.maps.v[2].start == 0x4000 && s.maps.v[2].pgoff == 0x3100 &&
		    s.maps.v[2].end == 0x9000);
	assert_true(s.maps.v[2].ino == 77 && s.maps.v[2].prot == 5 && s.maps.v[2].flags == 2);
	map_set_add(&s, &whole);
	assert_int_equal(s.maps.nr, 1);
	map_set_fini(&s);
}

static void test_borders(void **state)
{
	struct map_set s = { 0 };
	const struct map empty = { .start = 5, .end = 5, .dso = 9 },
			 backwards = { .start = 7, .end = 5, .dso = 9 };
	const struct map all = { .start = 0, .end = UINT64_MAX, .dso = 1 };
	const struct map top = { .start = UINT64_MAX - 10, .end = UINT64_MAX, .dso = 2 };

	(void)state;
	assert_null(map_set_find(&s, 0));
	map_set_add(&s, &empty);
	map_set_add(&s, &backwards);
	assert_int_equal(s.maps.nr, 0);
	map_set_add(&s, &all);
	map_set_add(&s, &top);
	assert_int_equal(map_set_find(&s, 0)->dso, 1);
	assert_int_equal(map_set_find(&s, UINT64_MAX - 11)->dso, 1);
	assert_int_equal(map_set_find(&s, UINT64_MAX - 10)->dso, 2);
	assert_int_equal(map_set_find(&s, UINT64_MAX - 1)->dso, 2);
	assert_null(map_set_find(&s, UINT64_MAX));
	map_set_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_the_model),
		cmocka_unit_test(test_split_keeps_both_ends),
		cmocka_unit_test(test_borders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
