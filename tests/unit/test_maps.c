/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Map sets against a model that has one cell for each address.
 */
#include "session_fixture.h"

#include "session/machine.h"

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
	for (uint32_t i = 0; i < map_set_nr(s); i++) {
		assert_true(map_set_at(s, i)->start < map_set_at(s, i)->end);
		if (i)
			assert_true(map_set_at(s, i - 1)->end <= map_set_at(s, i)->start);
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
		struct map_pool pool = { 0 };
		struct map_set s = { .pool = &pool };

		for (int i = 0; i < 40; i++) {
			struct map m = { .start = fixture_rng(&rng) % NR_CELLS, .pgoff = fixture_rng(&rng) % 4096 };
			uint64_t room = NR_CELLS - m.start;

			m.end = m.start + fixture_rng(&rng) % (fixture_rng(&rng) % 4 ? room / 4 + 1 : room + 1);
			m.dso = (uint32_t)i + 1;
			m.identity = fixture_rng(&rng) % 4 == 0;
			model_add(cells, &m);
			map_set_add(&s, &m);
			check(&s, cells);
		}
		map_pool_fini(&pool);
	}
}

static void test_split_keeps_both_ends(void **state)
{
	struct map_pool pool = { 0 };
	struct map_set s = { .pool = &pool };
	const struct map whole = { .start = 0x1000, .end = 0x9000, .pgoff = 0x100, .dso = 1, .prot = 5, .flags = 2, .ino = 77 };
	const struct map hole = { .start = 0x3000, .end = 0x4000, .dso = 2 };

	(void)state;
	map_set_add(&s, &whole);
	map_set_add(&s, &hole);
	assert_int_equal(map_set_nr(&s), 3);
	assert_true(map_set_at(&s, 0)->end == 0x3000 && map_set_at(&s, 0)->pgoff == 0x100);
	assert_true(map_set_at(&s, 2)->start == 0x4000 && map_set_at(&s, 2)->pgoff == 0x3100 && map_set_at(&s, 2)->end == 0x9000);
	assert_true(map_set_at(&s, 2)->ino == 77 && map_set_at(&s, 2)->prot == 5 && map_set_at(&s, 2)->flags == 2);
	map_set_add(&s, &whole);
	assert_int_equal(map_set_nr(&s), 1);
	map_pool_fini(&pool);
}

static void test_borders(void **state)
{
	struct map_pool pool = { 0 };
	struct map_set s = { .pool = &pool };
	const struct map empty = { .start = 5, .end = 5, .dso = 9 }, backwards = { .start = 7, .end = 5, .dso = 9 };
	const struct map all = { .start = 0, .end = UINT64_MAX, .dso = 1 };
	const struct map top = { .start = UINT64_MAX - 10, .end = UINT64_MAX, .dso = 2 };

	(void)state;
	assert_null(map_set_find(&s, 0));
	map_set_add(&s, &empty);
	map_set_add(&s, &backwards);
	assert_int_equal(map_set_nr(&s), 0);
	map_set_add(&s, &all);
	map_set_add(&s, &top);
	assert_int_equal(map_set_find(&s, 0)->dso, 1);
	assert_int_equal(map_set_find(&s, UINT64_MAX - 11)->dso, 1);
	assert_int_equal(map_set_find(&s, UINT64_MAX - 10)->dso, 2);
	assert_int_equal(map_set_find(&s, UINT64_MAX - 1)->dso, 2);
	assert_null(map_set_find(&s, UINT64_MAX));
	map_pool_fini(&pool);
}

static uint32_t nr_nodes(const struct map_pool *p)
{
	return p->chunks.nr ? (p->chunks.nr - 1) * 256 + p->nr_in_chunk : 0;
}

/* A tree of forks: each set goes on from a frozen one, and none sees what others add. */
static void test_successors_like_the_model(void **state)
{
	enum { NR = 200 };
	struct cell cells[NR][NR_CELLS] = { 0 };
	struct map_set sets[NR], *kept[NR];
	struct map_pool pool = { 0 };
	uint64_t rng = 5;
	uint32_t before, nr_kept = 0;

	(void)state;
	sets[0] = (struct map_set){ .pool = &pool };
	for (uint32_t i = 0; i < NR; i++) {
		if (i) {
			uint32_t parent = (uint32_t)(fixture_rng(&rng) % i);

			sets[i] = map_set_successor(&sets[parent]);
			memcpy(cells[i], cells[parent], sizeof(cells[i]));
		}
		for (uint32_t k = 0; k < 3; k++) {
			struct map m = { .start = fixture_rng(&rng) % NR_CELLS, .pgoff = k, .dso = 3 * i + k + 1 };

			m.end = m.start + fixture_rng(&rng) % (NR_CELLS - m.start + 1);
			model_add(cells[i], &m);
			map_set_add(&sets[i], &m);
		}
	}
	for (uint32_t i = 0; i < NR; i++)
		check(&sets[i], cells[i]);

	/* Half of them go; what the others have stays, and what is free is used again. */
	for (uint32_t i = 0; i < NR; i += 2)
		kept[nr_kept++] = &sets[i];
	map_pool_keep(&pool, kept, nr_kept);
	before = nr_nodes(&pool);
	for (uint32_t i = 0; i < NR; i += 2) {
		struct map_set next = map_set_successor(&sets[i]);
		struct map m = { .start = 1, .end = 2, .dso = 7 };

		map_set_add(&next, &m);
		check(&sets[i], cells[i]);
		map_pool_keep(&pool, kept, nr_kept);
	}
	assert_int_equal(nr_nodes(&pool), before);
	map_pool_fini(&pool);
}

/* Maps at falling addresses, then a fork behind each of as many more: neither may cost the square of their number. */
static void test_costs_little(void **state)
{
	enum { NR = 100000 };
	struct map_pool pool = { 0 };
	struct map_set s = { .pool = &pool }, last;

	(void)state;
	for (uint64_t i = NR; i; i--)
		map_set_add(&s, &(struct map){ .start = 16 * i, .end = 16 * i + 8, .dso = (uint32_t)i });
	assert_int_equal(map_set_nr(&s), NR);
	assert_int_equal(nr_nodes(&pool), NR);
	last = s;
	for (uint64_t i = 1; i <= NR / 10; i++) {
		struct map_set next = map_set_successor(&last);

		map_set_add(&next, &(struct map){ .start = 160 * i + 8, .end = 160 * i + 10, .dso = 1 });
		last = next;
	}
	assert_int_equal(map_set_nr(&last), NR + NR / 10);
	assert_true(nr_nodes(&pool) < NR + NR / 10 * 80);
	assert_int_equal(map_set_at(&last, 0)->dso, 1);
	assert_int_equal(map_set_find(&s, 16 * 777)->dso, 777);
	assert_null(map_set_find(&s, 168));

	/* A place that is mapped again and again needs no more memory. */
	uint32_t before = 0;

	for (uint64_t i = 0; i < NR; i++) {
		map_set_add(&last, &(struct map){ .start = 160, .end = 320, .dso = (uint32_t)i });
		if (i == 10)
			before = nr_nodes(&pool);
	}
	assert_int_equal(nr_nodes(&pool), before);
	map_pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_the_model), cmocka_unit_test(test_split_keeps_both_ends),
		cmocka_unit_test(test_borders),	       cmocka_unit_test(test_successors_like_the_model),
		cmocka_unit_test(test_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
