/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Why the kernel refuses a filter: it does not say to perf_event_open's users, so the filter is read here, against the format that tracefs
 * has of the event.
 */
#include "capture/filter_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/suggest.h"
#include "kernel/tracefs.h"
#include "session/field_filter.h"

/* The format of SYSTEM:NAME[:MODIFIERS]; NULL where it cannot be read. */
static char *read_format(const char *name, size_t *size)
{
	struct errbuf unsaid = { 0 };
	const char *root = tracefs_find(&unsaid), *colon = strchr(name, ':');
	char *path, *text = NULL;

	if (!root || !colon)
		return NULL;
	path = mem_printf("%s/events/%.*s/%.*s/format", root, (int)(colon - name), name, (int)strcspn(colon + 1, ":"), colon + 1);
	if (io_read_file(path, TRACE_FORMAT_MAX_SIZE, &text, size))
		text = NULL;
	free(path);
	return text;
}

static void list_fields(struct out *o, const struct trace_format *format)
{
	out_str(o, "; its fields are");
	for (uint32_t i = 0; i < format->fields.nr; i++)
		if (!format->fields.v[i].is_common)
			out_printf(o, " %s", format->fields.v[i].name);
	out_str(o, ", and comm and cpu of any event");
}

static void suggest_field(struct out *o, const struct field_filter *f, const struct field_filter_program *p,
			  const struct trace_format *format)
{
	const struct field_filter_test *t = &f->tests.v[p->tests.nr];
	struct suggest s;

	suggest_init_part(&s, f->text + t->at, t->field_len);
	for (uint32_t i = 0; i < format->fields.nr; i++)
		suggest_offer(&s, format->fields.v[i].name);
	if (s.best)
		out_printf(o, "; did you mean '%s'?", s.best);
}

/* Kernels take text without quotes for a mistake. */
static void explain_quotes(struct out *o, const struct field_filter *f, const struct field_filter_program *p)
{
	for (uint32_t i = 0; i < p->tests.nr; i++) {
		const struct field_filter_test *t = &f->tests.v[i];

		if (t->is_quoted || (p->tests.v[i].kind != FILTER_TEXT && p->tests.v[i].kind != FILTER_COMM))
			continue;
		out_printf(o, ": column %u: text needs quotes: \"%.*s\"", t->value_at + 1, (int)t->value_len, f->text + t->value_at);
		return;
	}
}

/* What of it does not suit the event, with its fields. Nothing where it suits, as far as is known here. */
static void explain(struct out *o, const char *filter, const struct trace_format *format)
{
	struct field_filter_program p = { 0 };
	struct field_filter *f;
	struct errbuf why = { 0 };
	int err = field_filter_parse(&f, filter, &why);

	if (!err)
		err = field_filter_bind(f, &p, format->fields.v, format->fields.nr, &why);
	if (err) {
		out_printf(o, ": %s", why.text);
		if (err == -ENOENT)
			suggest_field(o, f, &p, format);
	} else {
		explain_quotes(o, f, &p);
	}
	list_fields(o, format);
	field_filter_program_fini(&p);
	field_filter_free(f);
}

int filter_error_explain(const struct event_spec *spec, int err, struct errbuf *eb)
{
	struct trace_format format;
	size_t size;
	char *text = spec->filter ? read_format(spec->name, &size) : NULL;
	struct out o;

	if (!text)
		return err;
	out_init(&o, -1);
	if (!trace_format_init(&format, text, size, sizeof(long)))
		explain(&o, spec->filter, &format);
	trace_format_fini(&format);
	free(text);
	if (o.len) {
		out_char(&o, 0);
		errbuf_set(eb, err, "the kernel refuses the filter '%s' for '%s'%s", spec->filter, spec->name, o.buf);
	}
	out_fini(&o);
	return err;
}
