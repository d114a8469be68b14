/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "TIME LATENCY" lines of other tools (awk over a trace, a log) → numbers of nanoseconds.
 *
 * The text is hostile: bad lines are counted and skipped, long ones take no memory. Numbers are read exactly, digit by digit, as a double
 * would not hold the nanoseconds of today's date. It knows no files: text comes in pieces of any size.
 */
#ifndef ASSAY_MODEL_LATENCY_LINES_H
#define ASSAY_MODEL_LATENCY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LATENCY_LINE_MAX 4096 /* longer lines are bad */

/* What is wrong with a line. */
enum latency_fault {
	LATENCY_NO_NUMBERS, /* no time and latency, or more than LATENCY_LINE_MAX bytes */
	LATENCY_NEGATIVE,
	LATENCY_TOO_LARGE,
	LATENCY_DECIMAL_COMMA, /* "1,5 0,003", which would be read as 1 and 5 */
	LATENCY_NR_FAULTS,
};

struct latency_lines {
	int time_exponent, value_exponent; /* 9: seconds, 6: ms, 3: us, 0: ns */
	/* Gets the numbers of each good line; false: no more are wanted. */
	bool (*each)(void *ctx, uint64_t time_ns, uint64_t value_ns);
	void *ctx;
	bool is_stopped;
	uint64_t nr_lines, nr_good, nr_comments; /* comments: empty lines and those with # in front */
	uint64_t nr_bad, first_bad;		 /* line number, from 1 */
	uint64_t nr_by_fault[LATENCY_NR_FAULTS]; /* of the bad ones */
	char first_bad_text[80];		 /* its beginning; not escaped */
	uint32_t len;
	bool is_long; /* the line at hand */
	char line[LATENCY_LINE_MAX];
};

void latency_lines_init(struct latency_lines *l, int time_exponent, int value_exponent,
			bool (*each)(void *ctx, uint64_t time_ns, uint64_t value_ns), void *ctx);
void latency_lines_feed(struct latency_lines *l, const void *text, size_t size);
/* The last line may lack its line break. */
void latency_lines_end(struct latency_lines *l);

/* A decimal number ("12", "0.5", "1e-05") times 10^exponent, rounded to the nearest whole; *end is behind it. -EINVAL: there is none,
 * -EDOM: it is negative, -ERANGE: too large. */
int latency_number(const char *text, const char **end, int exponent, uint64_t *value);

#endif
