/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines to rows. Each is "NAME NUMBER…"; that of a domain has its name (from version 17 on) and its CPUs as a mask before the numbers.
 */
#include "kernel/schedstat_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define TEXT_MAX (64u << 20)

struct text_state {
	struct schedstat *s;
	const char *at; /* in a line that ends with a NUL or a line break */
	uint64_t timestamp;
	uint32_t cpu;
	uint32_t line;
	bool has_version, has_cpu;
};

static bool is_end(char c)
{
	return !c || c == '\n';
}

static void skip_blanks(struct text_state *t)
{
	while (*t->at == ' ' || *t->at == '\t')
		t->at++;
}

static bool take_word(struct text_state *t, char *word, size_t size)
{
	size_t len = 0;

	skip_blanks(t);
	for (; !is_end(*t->at) && *t->at != ' ' && *t->at != '\t'; t->at++)
		if (len < size - 1)
			word[len++] = *t->at;
		else
			return false;
	word[len] = 0;
	return len;
}

static bool take_number(struct text_state *t, uint64_t *value)
{
	char *end;

	skip_blanks(t);
	if (*t->at < '0' || *t->at > '9')
		return false;
	errno = 0;
	*value = strtoull(t->at, &end, 10);
	t->at = end;
	return !errno && (is_end(*end) || *end == ' ' || *end == '\t');
}

/* "cpu12" */
static bool number_behind(const char *word, const char *name, uint64_t max, uint64_t *number)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(word, name, len) != 0 || word[len] < '0' || word[len] > '9')
		return false;
	*number = strtoull(word + len, &end, 10);
	return !*end && *number < max;
}

static bool has_bit(const char *mask, uint32_t bit)
{
	char digit;

	/* From the last digit on; groups have commas between them. */
	for (size_t i = strlen(mask); i-- > 0;) {
		if (mask[i] == ',')
			continue;
		if (bit >= 4) {
			bit -= 4;
			continue;
		}
		digit = mask[i];
		digit = (char)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
		return digit >> bit & 1;
	}
	return false;
}

/* "0-3,7" of a mask in hexadecimal; "" where it does not fit. */
static void list_of_mask(const char *mask, char *list, size_t size)
{
	uint32_t nr_bits = (uint32_t)strlen(mask) * 4;
	size_t len = 0;

	list[0] = 0;
	for (uint32_t first = 0; first < nr_bits; first++) {
		uint32_t last = first;
		int n;

		if (!has_bit(mask, first))
			continue;
		while (last + 1 < nr_bits && has_bit(mask, last + 1))
			last++;
		n = last > first ? snprintf(list + len, size - len, "%s%u-%u", len ? "," : "", first, last)
				 : snprintf(list + len, size - len, "%s%u", len ? "," : "", first);
		if (n < 0 || (size_t)n >= size - len) {
			list[0] = 0;
			return;
		}
		len += (size_t)n;
		first = last;
	}
}

static bool take_values(struct text_state *t, struct schedstat_row *row)
{
	uint32_t nr = schedstat_nr_values(t->s->version, row->is_domain);

	for (uint32_t i = 0; i < nr; i++)
		if (!take_number(t, &row->values[i]))
			return false;
	vec_push(&t->s->rows, *row);
	return true;
}

static bool take_domain(struct text_state *t, uint16_t number)
{
	struct schedstat_row row = { .timestamp = t->timestamp, .cpu = t->cpu, .is_domain = true, .domain = number };
	struct schedstat_domain d = { .cpu = t->cpu, .domain = number };

	if (!t->has_cpu || (t->s->version >= 17 && !take_word(t, d.name, sizeof(d.name))) || !take_word(t, d.mask, sizeof(d.mask)) ||
	    strspn(d.mask, "0123456789abcdef,") != strlen(d.mask))
		return false;
	list_of_mask(d.mask, d.cpus, sizeof(d.cpus));
	vec_push(&t->s->domains, d);
	return take_values(t, &row);
}

static bool take_line(struct text_state *t)
{
	uint64_t number;
	char word[64];

	if (!take_word(t, word, sizeof(word)))
		return is_end(*t->at);
	if (!strcmp(word, "version")) {
		t->has_version = take_number(t, &number);
		t->s->version = (uint32_t)number;
		return t->has_version && number < UINT32_MAX;
	}
	if (!t->has_version)
		return false;
	if (t->s->version < SCHEDSTAT_FIRST_VERSION || t->s->version > SCHEDSTAT_LAST_VERSION)
		return true;
	if (!strcmp(word, "timestamp"))
		return take_number(t, &t->timestamp);
	if (number_behind(word, "cpu", SCHEDSTAT_MAX_CPUS, &number)) {
		struct schedstat_row row = { .timestamp = t->timestamp, .cpu = (uint32_t)number };

		t->cpu = row.cpu;
		t->has_cpu = true;
		return take_values(t, &row);
	}
	return !number_behind(word, "domain", UINT16_MAX, &number) || take_domain(t, (uint16_t)number);
}

int schedstat_parse(struct schedstat *s, const char *text, struct errbuf *eb)
{
	struct text_state t = { .s = s, .at = text };

	s->domains.nr = 0;
	while (*t.at) {
		t.line++;
		if (!take_line(&t))
			return errbuf_set(eb, -EBADMSG, "/proc/schedstat: line %u is malformed", t.line);
		while (!is_end(*t.at))
			t.at++;
		t.at += *t.at == '\n';
	}
	if (!t.has_version)
		return errbuf_set(eb, -EBADMSG, "/proc/schedstat: it does not say its version");
	if (s->version < SCHEDSTAT_FIRST_VERSION || s->version > SCHEDSTAT_LAST_VERSION)
		return errbuf_set(eb, -EOPNOTSUPP, "/proc/schedstat has version %u; versions %u to %u are known", s->version,
				  SCHEDSTAT_FIRST_VERSION, SCHEDSTAT_LAST_VERSION);
	if (!t.has_cpu)
		return errbuf_set(eb, -EBADMSG, "/proc/schedstat: no line of a CPU");
	return 0;
}

int schedstat_read(struct schedstat *s, struct errbuf *eb)
{
	char *text = NULL;
	size_t size;
	int err = io_read_file("/proc/schedstat", TEXT_MAX, &text, &size);

	if (err == -ENOENT)
		return errbuf_set(eb, err,
				  "/proc/schedstat is not there: the kernel was built without CONFIG_SCHEDSTATS; "
				  "'assay sched record' and 'assay sched latency' need only tracepoints");
	if (err)
		return errbuf_set(eb, err, "cannot read /proc/schedstat: %s", strerror(-err));
	err = schedstat_parse(s, text, eb);
	free(text);
	return err;
}
