/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/dump_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MS 1000000ull
#define WINDOW_MIN_NS (10 * MS) /* of a rate */
#define BACKOFF_MIN_NS (500 * MS)
#define BACKOFF_MAX_NS (16000 * MS)
#define CALM_NS (10000 * MS) /* large for so long: what was before does not count */
#define PATIENCE_MIN_NS (200 * MS)
#define PATIENCE_MAX_NS (64000 * MS)
#define WALKS_MIN 100
#define WANTED_NS (2000 * MS)
#define SIZE_STEP 4096
#define SIZE_MIN 16384 /* less is not worth a second set of events */
#define SIZE_MODEST 32768
#define SAMPLE_REST 512 /* bytes of a sample beside its stack */

static uint64_t per_second(uint64_t n, uint64_t ns)
{
	return (uint64_t)((double)n * 1e9 / (double)ns);
}

/* So that a ring holds `ms` of samples. */
static uint64_t size_for(uint64_t ring_bytes, uint64_t ms, uint64_t sample_rate)
{
	uint64_t size = ring_bytes * 1000 / ms / sample_rate;

	if (size < SAMPLE_REST)
		return 0;
	return size - SAMPLE_REST < DUMP_LARGE ? size - SAMPLE_REST : DUMP_LARGE;
}

uint32_t dump_policy_choose_large(uint64_t sample_rate, uint64_t ring_bytes)
{
	uint64_t most = sample_rate ? size_for(ring_bytes, DUMP_RING_MS, sample_rate) : DUMP_LARGE;

	if (most < SIZE_MODEST && SIZE_MODEST * sample_rate <= DUMP_CPU_BUDGET) {
		most = size_for(ring_bytes, DUMP_RING_MIN_MS, sample_rate);
		if (most > SIZE_MODEST)
			most = SIZE_MODEST;
	}
	if (most < DUMP_LARGE)
		most -= most % SIZE_STEP;
	return most < SIZE_MIN ? 0 : (uint32_t)most;
}

void dump_policy_init(struct dump_policy *p, uint32_t nr_cpus, uint32_t large, bool is_large, uint64_t ring_bytes, uint64_t now_ns)
{
	*p = (struct dump_policy){ .large = large, .ring_bytes = ring_bytes, .nr_cpus = nr_cpus, .since_ns = now_ns };
	p->cpus = mem_zalloc(nr_cpus * sizeof(*p->cpus));
	for (uint32_t i = 0; i < nr_cpus; i++)
		p->cpus[i] = (struct dump_cpu){
			.is_large = is_large, .backoff_ns = BACKOFF_MIN_NS, .patience_ns = PATIENCE_MIN_NS, .needed_ns = now_ns
		};
}

void dump_policy_fini(struct dump_policy *p)
{
	free(p->cpus);
	p->cpus = NULL;
	p->nr_cpus = 0;
}

static void learn(struct dump_cpu *c, uint64_t window_ns, uint64_t now_ns)
{
	const struct dump_use *u = &c->use;

	c->is_switched = false;
	c->rate = per_second(u->bytes, window_ns);
	c->sample_rate = per_second(u->nr, window_ns);
	c->saved = per_second(u->deep_bytes - u->nr_deep * DUMP_SMALL, window_ns);
	if (u->nr_deep)
		c->deep_size = u->deep_bytes / u->nr_deep;
	c->nr_unneeded += c->need.nr_walked;
	if (c->need.nr_needy) {
		c->needed_ns = now_ns;
		c->nr_unneeded = 0;
	}
}

static bool is_ring_too_small(const struct dump_policy *p, const struct dump_cpu *c)
{
	return c->use.nr_lost || c->sample_rate * (p->large + SAMPLE_REST) / 1000 * DUMP_RING_MIN_MS > p->ring_bytes;
}

static bool is_wasteful(const struct dump_cpu *c, uint64_t now_ns)
{
	return c->saved > DUMP_WASTE && c->nr_unneeded >= WALKS_MIN && now_ns - c->needed_ns >= c->patience_ns;
}

static void shrink(struct dump_cpu *c, uint64_t now_ns, bool was_wasteful)
{
	c->is_large = false;
	c->is_switched = true;
	c->was_wasteful = was_wasteful;
	if (was_wasteful)
		return;
	if (now_ns - c->needed_ns > CALM_NS)
		c->backoff_ns = BACKOFF_MIN_NS;
	c->hold_until_ns = now_ns + c->backoff_ns;
	c->backoff_ns = c->backoff_ns * 2 < BACKOFF_MAX_NS ? c->backoff_ns * 2 : BACKOFF_MAX_NS;
}

static struct dump_cpu *find_heaviest(const struct dump_policy *p)
{
	struct dump_cpu *found = NULL;

	for (uint32_t i = 0; i < p->nr_cpus; i++)
		if (p->cpus[i].is_large && p->cpus[i].saved && (!found || p->cpus[i].saved > found->saved))
			found = &p->cpus[i];
	return found;
}

/* What it would dump with large ones, where those that are full go on as those did that were deep before. */
static uint64_t large_rate(const struct dump_policy *p, const struct dump_cpu *c)
{
	uint64_t deep_size = c->deep_size ? c->deep_size : p->large;
	uint64_t full_share = c->use.nr ? c->sample_rate * c->use.nr_full / c->use.nr : 0;

	return c->rate + full_share * (deep_size > DUMP_SMALL ? deep_size - DUMP_SMALL : 0);
}

static void grow(struct dump_policy *p, struct dump_cpu *c, uint64_t now_ns)
{
	c->is_large = c->is_switched = true;
	c->needed_ns = now_ns;
	c->nr_unneeded = 0;
	c->wanted_until_ns = 0;
	if (c->was_wasteful)
		c->patience_ns = c->patience_ns * 2 < PATIENCE_MAX_NS ? c->patience_ns * 2 : PATIENCE_MAX_NS;
	p->nr_grown++;
}

static uint64_t shrink_all(struct dump_policy *p, uint64_t total, uint64_t now_ns)
{
	struct dump_cpu *c;

	for (uint32_t i = 0; i < p->nr_cpus; i++) {
		c = &p->cpus[i];
		if (!c->is_large)
			continue;
		if (is_ring_too_small(p, c)) {
			shrink(c, now_ns, false);
			p->nr_over_ring++;
		} else if (c->rate > DUMP_CPU_BUDGET && c->saved) {
			shrink(c, now_ns, false);
			p->nr_over_budget++;
		} else if (is_wasteful(c, now_ns)) {
			shrink(c, now_ns, true);
			p->nr_wasteful++;
		}
		if (!c->is_large)
			total -= c->saved;
	}
	while (total > DUMP_BUDGET && (c = find_heaviest(p))) {
		shrink(c, now_ns, false);
		p->nr_over_budget++;
		total -= c->saved;
	}
	return total;
}

static void grow_all(struct dump_policy *p, uint64_t total, uint64_t now_ns)
{
	for (uint32_t i = 0; i < p->nr_cpus; i++) {
		struct dump_cpu *c = &p->cpus[i];
		uint64_t more;

		if (c->is_large || now_ns >= c->wanted_until_ns || now_ns < c->hold_until_ns || is_ring_too_small(p, c))
			continue;
		more = large_rate(p, c) - c->rate;
		if (c->rate + more > DUMP_CPU_BUDGET / 4 * 3 || total + more > DUMP_BUDGET / 4 * 3)
			continue;
		grow(p, c, now_ns);
		total += more;
	}
}

bool dump_policy_decide(struct dump_policy *p, uint64_t now_ns)
{
	uint64_t window_ns = now_ns - p->since_ns, total = 0, nr_cut = 0;
	uint64_t nr_decisions = p->nr_over_budget + p->nr_over_ring + p->nr_wasteful + p->nr_grown;

	if (now_ns < p->since_ns || window_ns < WINDOW_MIN_NS)
		return false;
	for (uint32_t i = 0; i < p->nr_cpus; i++) {
		learn(&p->cpus[i], window_ns, now_ns);
		total += p->cpus[i].rate;
		nr_cut += p->cpus[i].need.nr_cut;
	}
	/* Threads go from CPU to CPU. */
	for (uint32_t i = 0; i < p->nr_cpus && nr_cut; i++)
		p->cpus[i].wanted_until_ns = now_ns + WANTED_NS;
	total = shrink_all(p, total, now_ns);
	grow_all(p, total, now_ns);
	for (uint32_t i = 0; i < p->nr_cpus; i++) {
		p->cpus[i].use = (struct dump_use){ 0 };
		p->cpus[i].need = (struct dump_need){ 0 };
	}
	p->since_ns = now_ns;
	return p->nr_over_budget + p->nr_over_ring + p->nr_wasteful + p->nr_grown != nr_decisions;
}

bool dump_policy_is_watching(const struct dump_policy *p)
{
	for (uint32_t i = 0; i < p->nr_cpus; i++)
		if (!p->cpus[i].is_large)
			return true;
	return false;
}
