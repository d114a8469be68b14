/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing and applying of sample filters.
 */
#include "model/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

#define MAX_CPU 65535
#define MAX_NESTED 256 /* brackets in brackets of a name */

void filter_fini(struct filter *f)
{
	for (uint32_t i = 0; i < f->comms.nr; i++)
		free(f->comms.v[i]);
	for (uint32_t i = 0; i < f->dsos.nr; i++)
		free(f->dsos.v[i]);
	for (uint32_t i = 0; i < f->symbols.nr; i++)
		free(f->symbols.v[i]);
	vec_fini(&f->comms);
	vec_fini(&f->dsos);
	vec_fini(&f->symbols);
	vec_fini(&f->pids);
	vec_fini(&f->tids);
	vec_fini(&f->cpus);
	vec_fini(&f->parallelisms);
	vec_fini(&f->times);
	field_filter_free(f->fields);
}

/* The characters of an operator's own name, as in operator< or operator->: none of them opens or closes anything. */
static size_t operator_length(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1, nr;

	if (strncmp(at, word, len) || (at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
		return 0;
	if (at[len] == ',')
		return at[len + 1] == '(' ? len + 1 : 0;
	nr = strspn(at + len, "<>=-");
	return nr ? len + (nr < 3 ? nr : 3) : 0;
}

/* A name up to its comma. Commas inside brackets belong to the name: f(int, char). Unmatched brackets: the first comma ends it. */
static size_t name_length(const char *name)
{
	static const char opening[] = "(<[{", closing[] = ")>]}";
	char open[MAX_NESTED];
	size_t nr = 0, i = 0;

	for (size_t skip; name[i] && (nr || name[i] != ','); i += skip ? skip : 1) {
		const char *opens = strchr(opening, name[i]), *closes = strchr(closing, name[i]);

		skip = operator_length(name, name + i);
		if (skip || (name[i] == '>' && i && name[i - 1] == '-'))
			continue;
		if (opens && nr == MAX_NESTED)
			return strcspn(name, ",");
		if (opens)
			open[nr++] = closing[opens - opening];
		else if (closes && (!nr || open[--nr] != name[i]))
			return strcspn(name, ",");
	}
	return nr ? strcspn(name, ",") : i;
}

void filter_add_names(struct filter_names *names, const char *arg)
{
	while (*arg) {
		size_t len = name_length(arg);

		if (len)
			vec_push(names, mem_strndup(arg, len));
		arg += len + (arg[len] == ',');
	}
}

/* Copies the next comma-separated word; NULL at the end or where it is too long. */
static const char *next_word(const char **arg, char *word, size_t size)
{
	size_t len = strcspn(*arg, ",");

	if (!**arg || len >= size)
		return NULL;
	memcpy(word, *arg, len);
	word[len] = 0;
	*arg += len + ((*arg)[len] == ',');
	return word;
}

int filter_add_ids(struct filter *f, bool tids, const char *option, const char *arg, struct errbuf *eb)
{
	const char *rest = arg;
	char word[16];

	while (*rest) {
		uint64_t id;

		if (!next_word(&rest, word, sizeof(word)) || options_u64(word, 0, INT32_MAX, &id))
			return errbuf_set(eb, -EINVAL, "%s: '%s' is no list of numbers", option, arg);
		if (tids)
			vec_push(&f->tids, (int32_t)id);
		else
			vec_push(&f->pids, (int32_t)id);
	}
	return 0;
}

static int add_numbers(struct filter_numbers *numbers, const char *arg, uint64_t least)
{
	const char *rest = arg;
	char word[32];

	while (*rest) {
		uint64_t from, to;
		char *dash;

		if (!next_word(&rest, word, sizeof(word)))
			return -EINVAL;
		dash = strchr(word, '-');
		if (dash)
			*dash = 0;
		if (options_u64(word, least, MAX_CPU, &from))
			return -EINVAL;
		to = from;
		if (dash && (options_u64(dash + 1, from, MAX_CPU, &to)))
			return -EINVAL;
		for (; from <= to; from++)
			vec_push(numbers, (uint32_t)from);
	}
	return 0;
}

int filter_add_cpus(struct filter *f, const char *option, const char *arg, struct errbuf *eb)
{
	return add_numbers(&f->cpus, arg, 0) ? errbuf_set(eb, -EINVAL, "--%s: '%s' is no list of CPUs such as 0-3,7", option, arg) : 0;
}

int filter_add_parallelisms(struct filter *f, const char *arg, struct errbuf *eb)
{
	if (add_numbers(&f->parallelisms, arg, 1) || !f->parallelisms.nr)
		return errbuf_set(eb, -EINVAL, "--parallelism: '%s' is no list of numbers of threads, from 1 on, such as 1,64-128", arg);
	return 0;
}

bool filter_keeps_parallelism(const struct filter *f, uint32_t parallelism)
{
	for (uint32_t i = 0; i < f->parallelisms.nr; i++)
		if (f->parallelisms.v[i] == parallelism)
			return true;
	return !f->parallelisms.nr;
}

/* "12.000345" → ns. Digits past the ninth are dropped. */
static int parse_seconds(const char *s, size_t len, uint64_t *ns)
{
	uint64_t sec = 0, frac = 0, scale = 1000000000;
	size_t i = 0;

	if (!len)
		return -EINVAL;
	for (; i < len && s[i] != '.'; i++) {
		if (s[i] < '0' || s[i] > '9' || sec > UINT64_MAX / 20000000000ULL)
			return -EINVAL;
		sec = sec * 10 + (uint64_t)(s[i] - '0');
	}
	for (i++; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -EINVAL;
		if (scale > 1) {
			scale /= 10;
			frac += (uint64_t)(s[i] - '0') * scale;
		}
	}
	*ns = sec * 1000000000 + frac;
	return 0;
}

static int parse_range(const char *s, size_t len, struct filter_range *r)
{
	const char *comma = memchr(s, ',', len);
	size_t first = comma ? (size_t)(comma - s) : len;

	*r = (struct filter_range){ 0, UINT64_MAX };
	if (first && parse_seconds(s, first, &r->from_ns))
		return -EINVAL;
	if (comma && first + 1 < len && parse_seconds(comma + 1, len - first - 1, &r->to_ns))
		return -EINVAL;
	return r->from_ns <= r->to_ns ? 0 : -EINVAL;
}

int filter_set_time(struct filter *f, const char *arg, struct errbuf *eb)
{
	f->time_arg = arg;
	f->times.nr = 0;
	if (strchr(arg, '%'))
		return 0;
	while (*arg) {
		size_t len = strcspn(arg, " ");
		struct filter_range r;

		if (len && parse_range(arg, len, &r))
			return errbuf_set(eb, -EINVAL,
					  "--time: '%s' is no time range; write START,STOP in seconds as in 12.5,13 or 10%%/2 or 0%%-10%%",
					  f->time_arg);
		if (len)
			vec_push(&f->times, r);
		arg += len + (arg[len] == ' ');
	}
	return 0;
}

int filter_add_fields(struct filter *f, const char *arg, struct errbuf *eb)
{
	char *joined = f->fields ? mem_printf("(%s) && (%s)", f->fields->text, arg) : mem_strdup(arg);
	struct errbuf why = { 0 };
	struct field_filter *fields;
	/* What is wrong with one alone has its place there. */
	int err = field_filter_parse(&fields, arg, &why);

	if (!err && f->fields) {
		field_filter_free(fields);
		err = field_filter_parse(&fields, joined, &why);
	}
	free(joined);
	if (err)
		return errbuf_set(eb, err, "--filter '%s': %s", arg, why.text);
	field_filter_free(f->fields);
	f->fields = fields;
	return 0;
}

/* "10%/2" or "10%-20%" of the span [first, last]. */
static int parse_percent(const char *s, uint64_t first, uint64_t last, struct filter_range *r)
{
	double span = (double)(last - first), from, to;
	char *end;

	from = strtod(s, &end);
	if (end == s || *end != '%' || !(from >= 0 && from <= 100)) /* nan is no share either */
		return -EINVAL;
	end++;
	if (*end == '/') {
		uint64_t nth;

		if (options_u64(end + 1, 1, 100, &nth))
			return -EINVAL;
		to = from * (double)nth;
		from = from * (double)(nth - 1);
	} else if (*end == '-') {
		const char *second = end + 1;

		to = strtod(second, &end);
		if (end == second || *end != '%' || end[1] || !(to >= from))
			return -EINVAL;
	} else if (!*end) {
		to = from;
		from = 0;
	} else {
		return -EINVAL;
	}
	if (to > 100.001)
		return -EINVAL;
	r->from_ns = first + (uint64_t)(span * from / 100);
	r->to_ns = to >= 100 ? last : first + (uint64_t)(span * to / 100) - (to > from);
	return 0;
}

int filter_resolve_time(struct filter *f, const struct perfdata_info *info, struct errbuf *eb)
{
	const char *rest = f->time_arg;
	char word[64];

	if (!rest || !strchr(rest, '%'))
		return 0;
	if (!info->last_sample_ns)
		return errbuf_set(eb, -EINVAL, "--time: this file does not say when its first and last sample were; give times in seconds");
	while (*rest) {
		struct filter_range r;

		if (!next_word(&rest, word, sizeof(word)) || parse_percent(word, info->first_sample_ns, info->last_sample_ns, &r))
			return errbuf_set(eb, -EINVAL, "--time: '%s' is no share of the recording; write 10%%/2 or 0%%-10%%,30%%-40%%",
					  f->time_arg);
		vec_push(&f->times, r);
	}
	return 0;
}

static bool in_names(char *const *names, uint32_t nr, const char *name)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return !nr;
}

static bool in_ids(const int32_t *ids, uint32_t nr, int32_t id)
{
	for (uint32_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return !nr;
}

static bool in_times(const struct filter *f, uint64_t time_ns)
{
	for (uint32_t i = 0; i < f->times.nr; i++)
		if (time_ns >= f->times.v[i].from_ns && time_ns <= f->times.v[i].to_ns)
			return true;
	return !f->times.nr;
}

bool filter_keeps_sample(const struct filter *f, const struct session_record *sr)
{
	if (f->times.nr && !in_times(f, sr->time_ns))
		return false;
	if (f->fields && !field_filter_passes(f->fields, sr))
		return false;
	for (uint32_t i = 0; i < f->cpus.nr; i++)
		if (f->cpus.v[i] == sr->rec.sample.cpu)
			return true;
	return !f->cpus.nr;
}

bool filter_keeps_task(const struct filter *f, const struct profile *p, uint32_t task)
{
	const struct profile_task *t = &p->tasks.v[task];

	if (f->comms.nr && !in_names(f->comms.v, f->comms.nr, profile_str(p, t->comm)))
		return false;
	return in_ids(f->pids.v, f->pids.nr, t->pid) && in_ids(f->tids.v, f->tids.nr, t->tid);
}

bool filter_keeps_place(const struct filter *f, const struct profile *p, uint32_t dso, uint32_t frame)
{
	const struct dso *d = profile_dso(p, dso);

	if (f->dsos.nr &&
	    !(dso != DSO_NONE && (in_names(f->dsos.v, f->dsos.nr, d->short_name) || in_names(f->dsos.v, f->dsos.nr, d->path))))
		return false;
	if (!f->symbols.nr)
		return true;

	uint32_t function = frame == FRAME_NONE ? 0 : p->frames.v[frame].function;

	return function && in_names(f->symbols.v, f->symbols.nr, profile_str(p, function));
}
