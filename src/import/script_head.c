/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name of a task may have blanks and look like anything, so the line is found from what cannot be mistaken: the time, else the CPU in
 * brackets, else the event with its colon; and read from there to both sides. Where nothing of that is there the widths of fields tell.
 */
#include "import/script.h"

#define ADDRESS_END 17 /* column where an address ends that is the first thing */
#define COMM_WIDTH 16u
#define MAX_TID (1 << 22) /* what the kernel gives away */
#define PERIOD_WIDTH 10u
#define MAX_TIMES 5u   /* that are looked at: a task's name has no room for more */
#define PADDED_MOST 4u /* blanks behind "PID/TID" and the flags */

static const size_t tid_widths[] = { 5, 7 }; /* older ones of perf, and 7.2 */

static bool parse_id(struct script_span w, int32_t *v)
{
	bool minus = w.len > 1 && *w.s == '-';
	uint64_t u;

	if (minus) {
		w.s++;
		w.len--;
	}
	if (!script_parse_u64(w, &u) || u > INT32_MAX)
		return false;
	*v = minus ? -(int32_t)u : (int32_t)u;
	return true;
}

/* "12.345678:", whose colon is at `colon`; where it begins, or SIZE_MAX. */
static size_t time_before(const char *s, size_t colon, uint64_t *time_ns)
{
	size_t i = colon;
	uint64_t ns = 0, sec;

	while (i && script_is_digit(s[i - 1]))
		i--;
	if (i == colon || colon - i > 9 || !i || s[i - 1] != '.')
		return SIZE_MAX;
	for (size_t k = 0; k < 9; k++)
		ns = ns * 10 + (i + k < colon ? (uint64_t)(s[i + k] - '0') : 0);
	struct script_span digits = { s + i - 1, 0 };

	while (digits.s > s && script_is_digit(digits.s[-1])) {
		digits.s--;
		digits.len++;
	}
	if (!script_parse_u64(digits, &sec) || sec > UINT64_MAX / 2000000000 || (digits.s > s && !script_is_blank(digits.s[-1])))
		return SIZE_MAX;
	*time_ns = sec * 1000000000 + ns;
	return (size_t)(digits.s - s);
}

/* Splits at the next thing from *at on that looks like a time: what is in front of it, and what behind its colon, where *at is then. */
static bool split_at_time(struct script_span line, size_t *at, struct script_head *h, struct script_span *before, struct script_span *after)
{
	while (*at < line.len) {
		const char *colon = memchr(line.s + *at, ':', line.len - *at);
		size_t c, start;

		if (!colon)
			return false;
		c = (size_t)(colon - line.s);
		*at = c + 1;
		if (*at < line.len && !script_is_blank(line.s[*at]))
			continue;
		start = time_before(line.s, c, &h->time_ns);
		if (start == SIZE_MAX)
			continue;
		*before = (struct script_span){ line.s, start };
		*after = (struct script_span){ line.s + *at, line.len - *at };
		h->has_time = true;
		return true;
	}
	return false;
}

static bool parse_cpu(struct script_span w, uint32_t *cpu)
{
	uint64_t v;

	if (w.len < 3 || *w.s != '[' || w.s[w.len - 1] != ']')
		return false;
	if (!script_parse_u64((struct script_span){ w.s + 1, w.len - 2 }, &v) || v > INT32_MAX)
		return false;
	*cpu = (uint32_t)v;
	return true;
}

/* "US", "K", … of the field misc */
static bool is_misc(struct script_span w)
{
	for (size_t i = 1; i < w.len; i++)
		if (!memchr("MESp", w.s[i], 4))
			return false;
	return w.len && w.len <= 3 && memchr("KUHGg", *w.s, 5);
}

static bool parse_task(struct script_span w, struct script_head *h)
{
	const char *slash = w.len ? memchr(w.s, '/', w.len) : NULL;
	struct script_span pid = { w.s, slash ? (size_t)(slash - w.s) : w.len };

	if (!slash) {
		h->has_tid = parse_id(w, &h->tid);
		return h->has_tid;
	}
	h->has_tid = parse_id((struct script_span){ slash + 1, w.len - pid.len - 1 }, &h->tid) && parse_id(pid, &h->pid);
	h->has_pid = h->has_tid;
	return h->has_tid;
}

/* "2026-11-15 09:49:40.180361" at the end, which is taken off. */
static bool take_time_of_day(struct script_span *t)
{
	static const char date_shape[] = "dddd-dd-dd", time_shape[] = "dd:dd:dd.";
	struct script_span left = *t, time = script_take_last_word(&left), date = script_take_last_word(&left);

	if (date.len != sizeof(date_shape) - 1 || time.len < sizeof(time_shape))
		return false;
	for (size_t i = 0; i < sizeof(date_shape) - 1; i++)
		if (date_shape[i] == 'd' ? !script_is_digit(date.s[i]) : date.s[i] != date_shape[i])
			return false;
	for (size_t i = 0; i < sizeof(time_shape) - 1; i++)
		if (time_shape[i] == 'd' ? !script_is_digit(time.s[i]) : time.s[i] != time_shape[i])
			return false;
	*t = left;
	return true;
}

/* "COMM PID/TID [CPU] MISC", each of which may be missing. */
static void parse_before(struct script_span before, struct script_head *h)
{
	struct script_span left, word, rest;

	h->has_other |= take_time_of_day(&before);
	left = before;
	word = script_take_last_word(&left);
	rest = left;
	if (is_misc(word)) {
		struct script_head unused = { 0 };
		struct script_span next = script_take_last_word(&rest);
		uint32_t cpu;

		if (parse_cpu(next, &cpu) || parse_task(next, &unused)) {
			before = left;
			word = script_take_last_word(&left);
		}
	}
	if (parse_cpu(word, &h->cpu)) {
		h->has_cpu = true;
		before = left;
		word = script_take_last_word(&left);
	}
	if (parse_task(word, h))
		before = left;
	/* "1234/1235 " is padded: the slash's other side may stand apart. */
	h->comm = script_trim(before);
}

/* "PERIOD EVENT: rest", each of which may be missing. */
static void parse_after(struct script_span after, struct script_head *h)
{
	struct script_span left = after, word = script_take_word(&left), second;
	uint64_t addr;

	if (word.len >= 12 && !memcmp(word.s, "PERF_RECORD_", 12)) {
		h->is_record = true;
		return;
	}
	h->rest = after;
	if (script_ends_in_colon(word)) {
		h->event = (struct script_span){ word.s, word.len - 1 };
		h->rest = left;
		return;
	}
	if (!script_parse_u64(word, &h->period))
		return;
	second = script_take_word(&left);
	if (script_ends_in_colon(second)) {
		h->has_period = true;
		h->event = (struct script_span){ second.s, second.len - 1 };
		h->rest = left;
	} else if (word.s + word.len - after.s != ADDRESS_END && (!second.len || (second.len > 4 && script_parse_hex(second, &addr)))) {
		const char *end = word.s + word.len;

		h->has_period = true;
		h->rest = (struct script_span){ end, (size_t)(after.s + after.len - end) };
	} else {
		h->period = 0;
	}
}

/* Without a time: "COMM TID [CPU] PERIOD EVENT: rest". */
static bool parse_timeless(struct script_span line, struct script_head *h)
{
	struct script_span left = line, word = script_take_word(&left), before, period;
	const char *cpu_end = NULL;

	for (; word.len && !script_ends_in_colon(word); word = script_take_word(&left))
		if (parse_cpu(word, &h->cpu))
			cpu_end = word.s + word.len;
	if (cpu_end) {
		parse_before((struct script_span){ line.s, (size_t)(cpu_end - line.s) }, h);
		parse_after((struct script_span){ cpu_end, (size_t)(line.s + line.len - cpu_end) }, h);
		return true;
	}
	if (!script_ends_in_colon(word))
		return false;
	h->event = (struct script_span){ word.s, word.len - 1 };
	h->rest = left;
	before = (struct script_span){ line.s, (size_t)(word.s - line.s) };
	left = before;
	period = script_take_last_word(&left);
	/* Of two numbers in front of the event the second is the period. */
	parse_before(left, h);
	if (h->has_tid && script_parse_u64(period, &h->period)) {
		h->has_period = true;
		return true;
	}
	h->has_tid = h->has_pid = h->has_cpu = false;
	parse_before(before, h);
	return h->has_tid;
}

/* The first time is the time, unless only words are in front of it and a later one has a task or a CPU there: then it was part of a name.
 * Behind it may stand any text, so what is in front of the later one has to be as short as a name is. */
static bool parse_to_time(struct script_span line, struct script_head *h, struct script_span *after)
{
	struct script_head later = { 0 };
	struct script_span before, after_later;
	size_t at = 0;

	if (!split_at_time(line, &at, h, &before, after))
		return false;
	parse_before(before, h);
	if (h->has_tid || h->has_cpu || !h->comm.len)
		return true;
	for (uint32_t i = 1; i < MAX_TIMES && split_at_time(line, &at, &later, &before, &after_later); i++) {
		parse_before(before, &later);
		if ((later.has_tid || later.has_cpu) && later.comm.len < COMM_WIDTH) {
			*h = later;
			*after = after_later;
			return true;
		}
		later = (struct script_head){ 0 };
	}
	return true;
}

bool script_head_parse(const char *s, size_t len, struct script_head *h)
{
	struct script_span line = { s, len }, after;

	memset(h, 0, sizeof(*h));
	if (!len || *s == '#')
		return false;
	if (!parse_to_time(line, h, &after))
		return parse_timeless(line, h) && !h->is_record;
	parse_after(after, h);
	return true;
}

/* ---- fields that are known ---- */

static void drop_blanks(struct script_span *t)
{
	while (t->len && script_is_blank(t->s[t->len - 1]))
		t->len--;
}

/* Takes the last word off that was printed `width` wide: behind the field in front of it and its blank. */
static bool take_padded(struct script_span *t, size_t width, bool may_be_apart, struct script_span *w)
{
	size_t printed;

	*w = script_take_last_word(t);
	printed = t->len + w->len;
	drop_blanks(t);
	printed -= t->len ? t->len + 1 : 0;
	width = w->len > width ? w->len : width;
	return w->len && printed >= width && printed <= width + (may_be_apart ? PADDED_MOST : 0);
}

static bool take_task(struct script_span *t, uint32_t fields, struct script_head *h)
{
	struct script_span w;

	if (fields & SCRIPT_PID) {
		w = script_take_last_word(t);
		return parse_task(w, h) && h->has_pid;
	}
	for (size_t i = 0; i < sizeof(tid_widths) / sizeof(tid_widths[0]); i++) {
		struct script_span left = *t;

		if (take_padded(&left, tid_widths[i], false, &w) && parse_id(w, &h->tid) && h->tid <= MAX_TID) {
			*t = left;
			h->has_tid = true;
			return true;
		}
	}
	return false;
}

static bool take_comm(struct script_span *t, bool is_chained, struct script_head *h)
{
	size_t blanks = 0;

	drop_blanks(t);
	while (blanks < t->len && blanks < COMM_WIDTH && t->s[blanks] == ' ')
		blanks++;
	h->comm = (struct script_span){ t->s + blanks, t->len - blanks };
	if (!blanks)
		return is_chained ? t->len > 0 : t->len >= COMM_WIDTH;
	return !is_chained && t->len == COMM_WIDTH;
}

/* All of `t` has to be these fields; the event is behind it. */
static bool take_fields(struct script_span t, uint32_t fields, bool is_chained, struct script_head *h)
{
	struct script_span w, left;

	if (fields & SCRIPT_PERIOD &&
	    (!take_padded(&t, PERIOD_WIDTH, fields & (SCRIPT_PID | SCRIPT_MISC), &w) || !script_parse_u64(w, &h->period)))
		return false;
	h->has_period = fields & SCRIPT_PERIOD;
	h->has_other |= take_time_of_day(&t);
	if (fields & SCRIPT_MISC && !is_misc(script_take_last_word(&t)))
		return false;
	left = t;
	if (parse_cpu(script_take_last_word(&left), &h->cpu)) {
		h->has_cpu = true;
		t = left;
	}
	if (fields & SCRIPT_TID && !take_task(&t, fields, h))
		return false;
	if (fields & SCRIPT_COMM)
		return take_comm(&t, is_chained, h);
	drop_blanks(&t);
	return !t.len;
}

/* Without an event fields end where an address begins, or with the line. */
static bool parse_to_column(struct script_span line, uint32_t fields, bool is_chained, struct script_head *h)
{
	struct script_span left = line, w;
	size_t end = 0; /* of the field in front */

	while ((w = script_take_word(&left)).len) {
		size_t at = (size_t)(w.s - line.s), from = end ? end + 1 : 0;

		memset(h, 0, sizeof(*h));
		h->rest = (struct script_span){ line.s + end, line.len - end };
		h->is_bare = !end;
		if ((script_is_column(w, at + w.len - from) || (end && script_is_extra(w))) && (!end || at + w.len > COMM_WIDTH) &&
		    take_fields((struct script_span){ line.s, end }, fields, is_chained, h))
			return !h->is_bare || at + w.len <= ADDRESS_END;
		end = at + w.len;
	}
	memset(h, 0, sizeof(*h));
	h->rest = (struct script_span){ line.s + line.len, 0 };
	return end && take_fields(line, fields, is_chained, h);
}

bool script_head_parse_as(const char *s, size_t len, uint32_t fields, bool is_chained, struct script_head *h)
{
	struct script_span line = { s, len }, left = line, w;

	memset(h, 0, sizeof(*h));
	if (!(fields & SCRIPT_EVENT))
		return parse_to_column(line, fields, is_chained, h);
	while ((w = script_take_word(&left)).len) {
		if (!script_ends_in_colon(w))
			continue;
		memset(h, 0, sizeof(*h));
		if (!take_fields((struct script_span){ s, (size_t)(w.s - s) }, fields, is_chained, h))
			continue;
		h->event = (struct script_span){ w.s, w.len - 1 };
		h->rest = left;
		return true;
	}
	return false;
}
