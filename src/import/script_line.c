/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name of a task may have blanks and look like anything, so the first line is found from what cannot be mistaken: the time, else the CPU
 * in brackets, else the event with its colon; and read from there to both sides.
 */
#include "import/script_line.h"

#include <string.h>

#define ADDRESS_END 17 /* column where an address ends that is the first thing */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct script_span trim(struct script_span t)
{
	while (t.len && is_blank(*t.s)) {
		t.s++;
		t.len--;
	}
	while (t.len && is_blank(t.s[t.len - 1]))
		t.len--;
	return t;
}

/* The first word, which is taken off. */
static struct script_span take_word(struct script_span *t)
{
	struct script_span w;

	while (t->len && is_blank(*t->s)) {
		t->s++;
		t->len--;
	}
	w = (struct script_span){ t->s, 0 };
	while (w.len < t->len && !is_blank(w.s[w.len]))
		w.len++;
	t->s += w.len;
	t->len -= w.len;
	return w;
}

static struct script_span take_last_word(struct script_span *t)
{
	struct script_span w;

	*t = trim(*t);
	w = (struct script_span){ t->s + t->len, 0 };
	while (t->len && !is_blank(t->s[t->len - 1])) {
		t->len--;
		w.s--;
		w.len++;
	}
	return w;
}

static bool parse_u64(struct script_span w, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < w.len; i++) {
		if (!is_digit(w.s[i]) || *v > (UINT64_MAX - 9) / 10)
			return false;
		*v = *v * 10 + (uint64_t)(w.s[i] - '0');
	}
	return w.len;
}

static bool parse_hex(struct script_span w, uint64_t *v)
{
	*v = 0;
	if (!w.len || w.len > 16)
		return false;
	for (size_t i = 0; i < w.len; i++) {
		int digit = hex_digit(w.s[i]);

		if (digit < 0)
			return false;
		*v = *v << 4 | (uint64_t)digit;
	}
	return true;
}

static bool parse_id(struct script_span w, int32_t *v)
{
	bool minus = w.len > 1 && *w.s == '-';
	uint64_t u;

	if (minus) {
		w.s++;
		w.len--;
	}
	if (!parse_u64(w, &u) || u > INT32_MAX)
		return false;
	*v = minus ? -(int32_t)u : (int32_t)u;
	return true;
}

/* ---- the first line ---- */

/* "12.345678:", whose colon is at `colon`; where it begins, or SIZE_MAX. */
static size_t time_before(const char *s, size_t colon, uint64_t *time_ns)
{
	size_t i = colon;
	uint64_t ns = 0, sec;

	while (i && is_digit(s[i - 1]))
		i--;
	if (i == colon || colon - i > 9 || !i || s[i - 1] != '.')
		return SIZE_MAX;
	for (size_t k = 0; k < 9; k++)
		ns = ns * 10 + (i + k < colon ? (uint64_t)(s[i + k] - '0') : 0);
	struct script_span digits = { s + i - 1, 0 };

	while (digits.s > s && is_digit(digits.s[-1])) {
		digits.s--;
		digits.len++;
	}
	if (!parse_u64(digits, &sec) || sec > UINT64_MAX / 2000000000 || (digits.s > s && !is_blank(digits.s[-1])))
		return SIZE_MAX;
	*time_ns = sec * 1000000000 + ns;
	return (size_t)(digits.s - s);
}

/* Splits at the time: what is in front of it, and what behind its colon. */
static bool split_at_time(struct script_span line, struct script_head *h, struct script_span *before, struct script_span *after)
{
	for (size_t at = 0; at < line.len;) {
		const char *colon = memchr(line.s + at, ':', line.len - at);
		size_t c, start;

		if (!colon)
			return false;
		c = (size_t)(colon - line.s);
		at = c + 1;
		if (at < line.len && !is_blank(line.s[at]))
			continue;
		start = time_before(line.s, c, &h->time_ns);
		if (start == SIZE_MAX)
			continue;
		*before = (struct script_span){ line.s, start };
		*after = (struct script_span){ line.s + at, line.len - at };
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
	if (!parse_u64((struct script_span){ w.s + 1, w.len - 2 }, &v) || v > INT32_MAX)
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

/* "COMM PID/TID [CPU] MISC", each of which may be missing. */
static void parse_before(struct script_span before, struct script_head *h)
{
	struct script_span left = before, word = take_last_word(&left), rest;

	rest = left;
	if (is_misc(word)) {
		struct script_head unused = { 0 };
		struct script_span next = take_last_word(&rest);
		uint32_t cpu;

		if (parse_cpu(next, &cpu) || parse_task(next, &unused)) {
			before = left;
			word = take_last_word(&left);
		}
	}
	if (parse_cpu(word, &h->cpu)) {
		h->has_cpu = true;
		before = left;
		word = take_last_word(&left);
	}
	if (parse_task(word, h))
		before = left;
	/* "1234/1235 " is padded: the slash's other side may stand apart. */
	h->comm = trim(before);
}

static bool ends_in_colon(struct script_span w)
{
	return w.len > 1 && w.s[w.len - 1] == ':';
}

/* "PERIOD EVENT: rest", each of which may be missing. */
static void parse_after(struct script_span after, struct script_head *h)
{
	struct script_span left = after, word = take_word(&left), second;
	uint64_t addr;

	if (word.len >= 12 && !memcmp(word.s, "PERF_RECORD_", 12)) {
		h->is_record = true;
		return;
	}
	h->rest = after;
	if (ends_in_colon(word)) {
		h->event = (struct script_span){ word.s, word.len - 1 };
		h->rest = left;
		return;
	}
	if (!parse_u64(word, &h->period))
		return;
	second = take_word(&left);
	if (ends_in_colon(second)) {
		h->has_period = true;
		h->event = (struct script_span){ second.s, second.len - 1 };
		h->rest = left;
	} else if (word.s + word.len - after.s != ADDRESS_END && (!second.len || (second.len > 4 && parse_hex(second, &addr) && trim(left).len))) {
		h->has_period = true;
		h->rest = (struct script_span){ second.s, (size_t)(after.s + after.len - second.s) };
	} else {
		h->period = 0;
	}
}

/* Without a time: "COMM TID [CPU] PERIOD EVENT: rest". */
static bool parse_timeless(struct script_span line, struct script_head *h)
{
	struct script_span left = line, word = take_word(&left), before, period;
	const char *cpu_end = NULL;

	for (; word.len && !ends_in_colon(word); word = take_word(&left))
		if (parse_cpu(word, &h->cpu))
			cpu_end = word.s + word.len;
	if (cpu_end) {
		parse_before((struct script_span){ line.s, (size_t)(cpu_end - line.s) }, h);
		parse_after((struct script_span){ cpu_end, (size_t)(line.s + line.len - cpu_end) }, h);
		return true;
	}
	if (!ends_in_colon(word))
		return false;
	h->event = (struct script_span){ word.s, word.len - 1 };
	h->rest = left;
	before = (struct script_span){ line.s, (size_t)(word.s - line.s) };
	left = before;
	period = take_last_word(&left);
	/* Of two numbers in front of the event the second is the period. */
	parse_before(left, h);
	if (h->has_tid && parse_u64(period, &h->period)) {
		h->has_period = true;
		return true;
	}
	h->has_tid = h->has_pid = h->has_cpu = false;
	parse_before(before, h);
	return h->has_tid;
}

bool script_head_parse(const char *s, size_t len, struct script_head *h)
{
	struct script_span line = { s, len }, before, after;

	memset(h, 0, sizeof(*h));
	if (!len || *s == '#')
		return false;
	if (!split_at_time(line, h, &before, &after))
		return parse_timeless(line, h) && !h->is_record;
	parse_before(before, h);
	parse_after(after, h);
	return true;
}

/* ---- frames ---- */

/* Where the parenthesis opens that the last character closes; SIZE_MAX: nowhere with a blank in front of it. */
static size_t open_paren(struct script_span t)
{
	uint32_t depth = 0;

	for (size_t i = t.len; i-- > 0;) {
		depth += t.s[i] == ')';
		depth -= t.s[i] == '(';
		if (!depth)
			return !i || t.s[i - 1] == ' ' ? i : SIZE_MAX;
	}
	/* A path with a lone parenthesis in it */
	for (size_t i = t.len; i-- > 1;)
		if (t.s[i] == '(' && t.s[i - 1] == ' ')
			return i;
	return SIZE_MAX;
}

static bool equals(struct script_span t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.s, word, t.len);
}

/* "SYMBOL+0xOFF" */
static void parse_symbol(struct script_span t, struct script_frame *f)
{
	size_t plus = t.len;

	f->symbol = t;
	while (plus && hex_digit(t.s[plus - 1]) >= 0)
		plus--;
	if (plus > 3 && plus < t.len && !memcmp(t.s + plus - 3, "+0x", 3) &&
	    parse_hex((struct script_span){ t.s + plus, t.len - plus }, &f->off))
		f->symbol.len = plus - 3;
	if (equals(f->symbol, "[unknown]"))
		f->symbol.len = 0;
}

bool script_frame_parse(const char *s, size_t len, struct script_frame *f)
{
	struct script_span t = { s, len }, addr = take_word(&t);
	size_t paren;

	memset(f, 0, sizeof(*f));
	f->off = UINT64_MAX;
	if (!parse_hex(addr, &f->addr))
		return false;
	t = trim(t);
	if (t.len && t.s[t.len - 1] == ')' && (paren = open_paren(t)) != SIZE_MAX) {
		f->dso = (struct script_span){ t.s + paren + 1, t.len - paren - 2 };
		t.len = paren;
		t = trim(t);
		f->is_inlined = equals(f->dso, "inlined");
		f->has_dso = !f->is_inlined;
		if (f->is_inlined || equals(f->dso, "[unknown]"))
			f->dso.len = 0;
	}
	parse_symbol(t, f);
	return true;
}

bool script_source_parse(const char *s, size_t len, struct script_span *file, uint32_t *line, bool *is_inlined)
{
	static const char inlined[] = " (inlined)";
	struct script_span t = { s, len }, number;
	uint64_t v;

	*is_inlined = len > sizeof(inlined) && !memcmp(s + len - (sizeof(inlined) - 1), inlined, sizeof(inlined) - 1);
	if (*is_inlined)
		t.len -= sizeof(inlined) - 1;
	t = trim(t);
	number = (struct script_span){ t.s + t.len, 0 };
	while (number.s > t.s && is_digit(number.s[-1])) {
		number.s--;
		number.len++;
	}
	*file = (struct script_span){ t.s, 0 };
	*line = 0;
	/* Another form names an address instead, "[kernel.kallsyms][ffffffff81000000]": that says nothing new. */
	if (t.len && t.s[t.len - 1] == ']')
		return true;
	if (number.s - t.s < 2 || number.s[-1] != ':' || !parse_u64(number, &v) || v > UINT32_MAX)
		return false;
	file->len = (size_t)(number.s - t.s) - 1;
	*line = (uint32_t)v;
	return true;
}
