/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of the live charts.
 */
#include "view/plot_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	LABEL_MIN = 6,
	NUMBERS_HIGH = 10, /* "max  45.6M" above "now  1.23K" */
	NUMBERS_FLAT = 19, /* "  1.23K  max  45.6M" in one line */
	CHART_MIN = 8,	   /* narrower, and numbers are left out */
};

static uint32_t clamp(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static void place_lines(struct plot_layout *l, uint32_t nr)
{
	/* The line of the title, and the one that the cursor waits in. */
	uint32_t room = l->height > 3 ? l->height - 2 : 1, each;

	l->has_axis = room > 2 && room > nr;
	if (l->has_axis)
		room--;
	l->nr_shown = nr;
	if (nr > room) {
		l->nr_shown = room > 1 ? room - 1 : 1;
		l->nr_hidden = nr - l->nr_shown;
	}
	each = l->nr_shown ? room / l->nr_shown : 1;
	/* Without lines between them, charts of several lines run into one another. */
	l->gap = each >= 3 && nr > 1;
	l->chart_height = clamp(each - l->gap, 1, PLOT_MAX_HEIGHT);
	l->nr_lines = 1 + l->nr_shown * l->chart_height + (l->nr_shown ? (l->nr_shown - 1) * l->gap : 0) + l->has_axis + (l->nr_hidden > 0);
}

static void place_columns(struct plot_layout *l, const struct plot_series *series)
{
	uint32_t widest = LABEL_MIN, numbers;
	bool flat = l->chart_height == 1;

	for (uint32_t i = 0; i < l->nr_shown; i++) {
		uint32_t len = (uint32_t)strlen(series[i].name);

		if (flat && series[i].unit[0])
			len += 1 + (uint32_t)strlen(series[i].unit);
		if (len > widest)
			widest = len;
	}
	/* One column stays free at the right: terminals wrap a line that fills it. */
	uint32_t width = l->width - 1;

	l->label_width = clamp(widest, LABEL_MIN, width / 3 > LABEL_MIN ? width / 3 : LABEL_MIN);
	l->chart_left = l->label_width + 1;
	numbers = 1 + (flat ? NUMBERS_FLAT : NUMBERS_HIGH);
	if (width >= l->chart_left + CHART_MIN + numbers)
		l->chart_width = width - l->chart_left - numbers;
	else
		l->chart_width = width > l->chart_left ? width - l->chart_left : 1, numbers = 0;
	l->numbers_left = numbers ? l->chart_left + l->chart_width + 1 : 0;
}

void plot_layout_init(struct plot_layout *l, const struct plot_series *series, uint32_t nr, uint32_t width, uint32_t height)
{
	*l = (struct plot_layout){ .width = width ? clamp(width, 10, 4096) : 80, .height = height ? height : 24 };
	place_lines(l, nr);
	place_columns(l, series);
}

uint32_t plot_layout_first(const struct plot_layout *l, uint32_t nr_values, uint32_t *column)
{
	*column = nr_values < l->chart_width ? l->chart_width - nr_values : 0;
	return nr_values > l->chart_width ? nr_values - l->chart_width : 0;
}

double plot_layout_max(const struct plot_layout *l, const struct plot_series *s)
{
	uint32_t column;
	double max = 0;

	for (uint32_t i = plot_layout_first(l, s->nr, &column); i < s->nr; i++)
		if (s->values[i] > max) /* never true for NaN */
			max = s->values[i];
	return max;
}

double plot_layout_mean(const struct plot_layout *l, const struct plot_series *s)
{
	uint32_t column, nr = 0;
	double sum = 0;

	for (uint32_t i = plot_layout_first(l, s->nr, &column); i < s->nr; i++) {
		if (isnan(s->values[i]))
			continue;
		sum += s->values[i];
		nr++;
	}
	return nr ? sum / nr : NAN;
}

uint32_t plot_level(double value, double max, uint32_t line, uint32_t chart_height)
{
	double eighths;

	if (!(value > 0) || !(max > 0) || !isfinite(max))
		return 0;
	if (value > max)
		value = max;
	eighths = round(value / max * PLOT_LEVELS * chart_height);
	if (eighths < 1)
		eighths = 1;
	eighths -= (double)line * PLOT_LEVELS;
	return eighths <= 0 ? 0 : eighths >= PLOT_LEVELS ? PLOT_LEVELS : (uint32_t)eighths;
}

void plot_number(double value, char text[PLOT_NUMBER_MAX])
{
	static const char suffixes[] = { 0, 'K', 'M', 'G', 'T', 'P', 'E' };
	double v = fabs(value);
	uint32_t step = 0;

	if (!isfinite(value)) {
		strcpy(text, "-");
		return;
	}
	/* 999.5 would be written as 1000. */
	for (; v >= 999.5 && step + 1 < sizeof(suffixes); step++)
		v /= 1000;
	if (!step && (v == floor(v) || v >= 100))
		snprintf(text, PLOT_NUMBER_MAX, "%s%.0f", value < 0 ? "-" : "", v);
	else
		snprintf(text, PLOT_NUMBER_MAX, "%s%.*f%.1s", value < 0 ? "-" : "",
			 v < 0.9995  ? 3
			 : v < 9.995 ? 2
			 : v < 99.95 ? 1
				     : 0,
			 v, &suffixes[step]);
}

void plot_time(uint64_t time_ns, char text[32])
{
	uint64_t ms = (time_ns + 500000) / 1000000;

	if (ms < 1000)
		snprintf(text, 32, "%" PRIu64 " ms", ms);
	else if (ms < 60000)
		snprintf(text, 32, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
	else
		snprintf(text, 32, "%" PRIu64 " min %" PRIu64 " s", ms / 60000, ms % 60000 / 1000);
}
