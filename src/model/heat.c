/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Edges of rows and columns, counting, and order statistics by a radix sort of all values.
 */
#include "model/heat.h"

#include <math.h>
#include <string.h>

#define AUTO_ROWS 50u
#define AUTO_LOG_ROWS 60u
#define AUTO_COLUMNS 120u
#define AUTO_FEW_COLUMNS 40u /* of few points: fewer, so that bands do not fall apart */
#define AUTO_SECONDS 300u
#define LOG_SHARE 100u /* of the upper end: where the median is below that part, a linear scale shows one band at the bottom */
#define LOW_SHARE 50u  /* one in so many cells may be poorer than where the colours begin: those at the ends of the recording often are */

const char *const heat_rank_names[HEAT_NR_RANKS] = { "p50", "p90", "p99", "p99.9", "max" };
static const uint32_t rank_per_mille[HEAT_NR_RANKS] = { 500, 900, 990, 999, 1000 };

void heat_init(struct heat *h)
{
	memset(h, 0, sizeof(*h));
}

void heat_fini(struct heat *h)
{
	vec_fini(&h->points);
	vec_fini(&h->edges);
	free(h->counts);
	h->counts = NULL;
}

bool heat_add(struct heat *h, uint64_t time_ns, uint64_t value)
{
	if (h->points.nr >= HEAT_MAX_POINTS) {
		h->is_full = true;
		return false;
	}
	if (time_ns > HEAT_TIME_MAX || value > HEAT_VALUE_MAX)
		h->nr_refused++;
	else
		vec_push(&h->points, ((struct heat_point){ time_ns, value }));
	return true;
}

uint64_t heat_round_step(uint64_t v)
{
	static const uint64_t tenths[] = { 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100 };
	uint64_t power = 1;

	if (v <= 1)
		return 1;
	while (power <= v / 10)
		power *= 10;
	for (uint32_t i = 0; i < sizeof(tenths) / sizeof(*tenths); i++) {
		/* 1.2 of something small is no whole number. */
		unsigned __int128 step = (unsigned __int128)tenths[i] * power;

		if (step % 10 == 0 && step / 10 >= v)
			return step / 10 > UINT64_MAX ? v : (uint64_t)(step / 10);
	}
	return v;
}

static void sort_pass(const uint64_t *from, uint64_t *to, uint32_t nr, int shift, uint32_t *starts)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t n = starts[i];

		starts[i] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < nr; i++)
		to[starts[from[i] >> shift & 255]++] = from[i];
}

/* Byte by byte from the lowest; bytes that are all equal cost nothing. The sorted one of the two arrays. */
static uint64_t *sort(uint64_t *v, uint64_t *spare, uint32_t nr)
{
	static const int nr_bytes = 8;
	uint32_t counts[8][256] = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		for (int b = 0; b < nr_bytes; b++)
			counts[b][v[i] >> b * 8 & 255]++;
	for (int b = 0; b < nr_bytes; b++) {
		uint64_t *other = spare;

		if (counts[b][v[0] >> b * 8 & 255] == nr)
			continue;
		sort_pass(v, other, nr, b * 8, counts[b]);
		spare = v;
		v = other;
	}
	return v;
}

static void measure(struct heat *h)
{
	uint32_t nr = h->points.nr;
	uint64_t *values = mem_alloc((size_t)nr * 2 * sizeof(*values)), *sorted;
	unsigned __int128 sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		values[i] = h->points.v[i].value;
		sum += values[i];
	}
	sorted = sort(values, values + nr, nr);
	h->min = sorted[0];
	for (int i = 0; i < HEAT_NR_RANKS; i++)
		h->ranks[i] = sorted[((uint64_t)nr * rank_per_mille[i] + 999) / 1000 - 1];
	h->mean = (double)sum / nr;
	free(values);
}

static void set_columns(struct heat *h)
{
	uint64_t first = UINT64_MAX, last = 0, span, whole;
	uint32_t wanted = h->options.nr_columns, most = h->points.nr / 4;

	most = most < AUTO_FEW_COLUMNS ? AUTO_FEW_COLUMNS : most > AUTO_COLUMNS ? AUTO_COLUMNS : most;
	if (h->options.is_offset)
		most = AUTO_SECONDS;
	for (uint32_t i = 0; i < h->points.nr; i++) {
		uint64_t t = h->points.v[i].time_ns;

		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	if (h->options.is_offset)
		first -= first % HEAT_SECOND_NS;
	span = last - first;
	whole = span / (wanted ? wanted : most) + 1;
	if (h->options.is_offset)
		h->column_ns = (whole - 1) / HEAT_SECOND_NS * HEAT_SECOND_NS + HEAT_SECOND_NS;
	else
		h->column_ns = wanted ? whole : heat_round_step(whole);
	h->start_ns = first;
	h->nr_columns = (uint32_t)(span / h->column_ns) + 1;
}

static void add_edge(struct heat *h, uint64_t edge)
{
	if (!h->edges.nr || edge > h->edges.v[h->edges.nr - 1])
		vec_push(&h->edges, edge);
}

static void set_linear_rows(struct heat *h, uint64_t min, uint64_t max)
{
	bool is_given = h->options.has_max;
	uint64_t span = max + 1 - min, step;
	uint32_t nr = h->options.nr_rows ? h->options.nr_rows : AUTO_ROWS;

	if (h->options.nr_rows) {
		for (uint32_t i = 0; i <= nr; i++)
			add_edge(h, min + (uint64_t)((unsigned __int128)span * i / nr));
		return;
	}
	/* A limit that was given is kept; else the last row may end a little above the highest value. */
	step = heat_round_step(is_given ? (max - min) / nr + ((max - min) % nr > 0) : (span - 1) / nr + 1);
	for (uint64_t edge = min; is_given ? edge < max : edge <= max; edge += step)
		add_edge(h, edge);
	add_edge(h, is_given ? max + 1 : h->edges.v[h->edges.nr - 1] + step);
}

static void set_log_rows(struct heat *h, uint64_t min, uint64_t max)
{
	double low = log10((double)min), high = log10((double)max), step;
	uint32_t nr = h->options.nr_rows;

	if (nr) {
		for (uint32_t i = 0; i < nr; i++)
			add_edge(h, i ? (uint64_t)llround(pow(10, low + (log10((double)max + 1) - low) * i / nr)) : min);
		add_edge(h, max + 1);
		return;
	}
	/* Whole parts of a decade, so that 1, 10 and 100 are edges. */
	step = (high - low) * 20 < AUTO_LOG_ROWS ? 1.0 / 20 : (high - low) * 10 < AUTO_LOG_ROWS ? 1.0 / 10 : 1.0 / 5;
	if (h->options.has_min)
		add_edge(h, min);
	for (double at = floor(low / step); !h->edges.nr || h->edges.v[h->edges.nr - 1] <= max; at++) {
		double edge = pow(10, at * step);

		if (h->options.has_max && edge > (double)max)
			add_edge(h, max + 1);
		else
			add_edge(h, (uint64_t)llround(edge));
	}
}

static bool wants_log(const struct heat *h)
{
	const struct heat_options *o = &h->options;
	uint64_t max = o->has_max ? o->max : h->ranks[HEAT_MAX];

	if (o->scale != HEAT_SCALE_AUTO || o->is_offset)
		return o->scale == HEAT_LOG;
	return h->ranks[HEAT_P50] < max / LOG_SHARE;
}

static void set_rows(struct heat *h)
{
	const struct heat_options *o = &h->options;
	uint64_t max = o->has_max ? o->max : h->ranks[HEAT_MAX], min = o->has_min ? o->min : 0;

	if (o->is_offset) {
		min = 0;
		max = HEAT_SECOND_NS - 1;
	}
	if (h->is_log && !o->has_min)
		min = h->min < max ? h->min : max;
	/* All may be zero. */
	if (h->is_log && !min)
		min = 1;
	if (h->is_log && !max)
		max = 1;
	/* A lower end above all there is is kept, with rows above it that are empty. */
	if (o->has_min && !o->has_max && min >= max)
		max = min < HEAT_VALUE_MAX / 10 ? min * (h->is_log ? 10 : 2) : HEAT_VALUE_MAX;
	max = max < HEAT_VALUE_MAX ? max : HEAT_VALUE_MAX;
	min = min < max ? min : max;
	h->edges.nr = 0;
	if (h->is_log)
		set_log_rows(h, min, max);
	else
		set_linear_rows(h, min, max);
	/* There is no logarithm of zero; it still is no slower than the fastest. */
	if (h->is_log && !o->has_min)
		h->edges.v[0] = 0;
	h->nr_rows = h->edges.nr - 1;
}

static uint32_t row_of(const struct heat *h, uint64_t value)
{
	if (value < h->edges.v[0])
		return HEAT_BELOW(h);
	if (value >= h->edges.v[h->nr_rows])
		return HEAT_ABOVE(h);
	return vec_search(h->nr_rows, i, h->edges.v[i] > value) - 1;
}

static uint32_t cells_up_to(const struct heat *h, uint32_t count)
{
	uint64_t nr = (uint64_t)h->nr_columns * (h->nr_rows + 2);
	uint32_t found = 0;

	for (uint64_t i = 0; i < nr; i++)
		found += h->counts[i] && h->counts[i] <= count;
	return found;
}

static void measure_cells(struct heat *h)
{
	uint64_t nr = (uint64_t)h->nr_columns * (h->nr_rows + 2);

	h->min_count = UINT32_MAX;
	h->max_count = 0;
	for (uint64_t i = 0; i < nr; i++) {
		uint32_t n = h->counts[i];

		h->max_count = n > h->max_count ? n : h->max_count;
		h->min_count = n && n < h->min_count ? n : h->min_count;
	}
	h->nr_cells = cells_up_to(h, UINT32_MAX);
	h->low_count = h->min_count +
		       vec_search(h->max_count - h->min_count, i, (uint64_t)cells_up_to(h, h->min_count + i) * LOW_SHARE >= h->nr_cells);
}

void heat_build(struct heat *h, const struct heat_options *o)
{
	h->options = *o;
	h->nr_columns = h->nr_rows = 0;
	h->is_log = false;
	h->nr_above = h->nr_below = 0;
	h->nr_cells = h->min_count = h->max_count = h->low_count = 0;
	free(h->counts);
	h->counts = NULL;
	if (!h->points.nr)
		return;
	measure(h);
	set_columns(h);
	h->is_log = wants_log(h);
	set_rows(h);
	h->counts = mem_zalloc((size_t)h->nr_columns * (h->nr_rows + 2) * sizeof(*h->counts));
	for (uint32_t i = 0; i < h->points.nr; i++) {
		uint32_t row = row_of(h, h->points.v[i].value);
		uint64_t column = (h->points.v[i].time_ns - h->start_ns) / h->column_ns;

		h->counts[column * (h->nr_rows + 2) + row]++;
		h->nr_below += row == HEAT_BELOW(h);
		h->nr_above += row == HEAT_ABOVE(h);
	}
	measure_cells(h);
}
