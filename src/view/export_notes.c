/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of an export as a whole: command, machine, time, quality, and what was invented.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/export.h"
#include "view/quality_text.h"

#define NS_PER_S UINT64_C(1000000000)

uint64_t export_wall_ns(const struct export *x)
{
	const struct perfdata_info *info = x->p->recording->info;
	uint64_t captured_ns = (uint64_t)info->captured_time * NS_PER_S;

	if (info->features >> FEAT_CLOCK_DATA & 1 && info->clock_tod_ns)
		return info->clock_tod_ns + x->first_ns - info->clock_ref_ns;
	/* How long it took is not known. */
	if (x->ns_per_count)
		return info->captured_time > 0 ? captured_ns : 0;
	/* When the file was last written: the end of the recording. */
	return info->captured_time > 0 && captured_ns > x->last_ns - x->first_ns ? captured_ns - (x->last_ns - x->first_ns) : 0;
}

char *export_command(const struct export *x)
{
	const struct perfdata_info *info = x->p->recording->info;
	struct out o;

	out_init(&o, -1);
	for (uint32_t i = 0; i < info->nr_cmdline; i++) {
		if (i)
			out_char(&o, ' ');
		out_str(&o, info->cmdline[i]);
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

struct telling {
	export_note_fn *tell;
	void *ctx;
	uint32_t nr_warnings;
};

/* Labels are keys in some formats: no two are the same. */
static void tell_loud(void *ctx, bool is_loud, const char *text)
{
	struct telling *t = ctx;
	char label[24] = "warning";

	if (!is_loud)
		return;
	if (t->nr_warnings++)
		snprintf(label, sizeof(label), "warning %u", t->nr_warnings);
	t->tell(t->ctx, label, text);
}

static bool tell_imported(const struct export *x, export_note_fn *tell, void *ctx)
{
	const struct imported *n = &x->p->recording->imported;

	for (uint32_t i = 0; i < n->notes.nr; i++) {
		const char *note = imported_str(n, n->notes.v[i]), *colon = strstr(note, ": ");
		char *label = colon ? mem_strndup(note, (size_t)(colon - note)) : mem_strdup("note");

		tell(ctx, label, colon ? colon + 2 : note);
		free(label);
	}
	return n->notes.nr;
}

/* What was made up. */
static void tell_layout(const struct export *x, export_note_fn *tell, void *ctx)
{
	uint64_t ns = x->ns_per_count, unit = ns % 1000000 ? ns % 1000 ? 1 : 1000 : 1000000;
	const char *name = unit == 1 ? "ns" : unit == 1000 ? "us" : "ms";
	bool has_counts = false;
	char line[160], scale[64] = "";

	if (!ns)
		return;
	for (uint32_t i = 0; i < x->events.nr; i++)
		has_counts |= !export_time_unit_ns(x, x->events.v[i]);
	if (has_counts)
		snprintf(scale, sizeof(scale), "; %llu %s stands for 1", (unsigned long long)(ns / unit), name);
	snprintf(line, sizeof(line), "unknown: samples are laid end to end by weight, heaviest functions first%s", scale);
	tell(ctx, "times", line);
}

/* What is missing in the states of tasks, and what was merged. */
static void tell_states(const struct export *x, export_note_fn *tell, void *ctx)
{
	const struct span_store *s = x->options->spans;
	char line[160];

	if (s && s->timeline->nr_gaps) {
		snprintf(line, sizeof(line),
			 "%llu of %llu switches do not follow the one before on their CPU: between them nothing is known",
			 (unsigned long long)s->timeline->nr_gaps, (unsigned long long)s->timeline->nr_switches);
		tell(ctx, "states", line);
	}
	if (s && s->resolution_ns) {
		snprintf(line, sizeof(line), "those shorter than %.3f ms are merged with their neighbours", (double)s->resolution_ns / 1e6);
		tell(ctx, "merged states", line);
	}
}

void export_notes(const struct export *x, export_note_fn *tell, void *ctx)
{
	const struct perfdata_info *info = x->p->recording->info;
	struct telling t = { tell, ctx, 0 };
	char *command, line[QUALITY_LINE_SIZE];

	tell_layout(x, tell, ctx);
	/* What was said of it where it was imported from. */
	if (tell_imported(x, tell, ctx))
		return;
	command = export_command(x);
	if (*command)
		tell(ctx, "command", command);
	if (info->hostname)
		tell(ctx, "host", info->hostname);
	if (info->osrelease)
		tell(ctx, "kernel", info->osrelease);
	if (info->cpudesc)
		tell(ctx, "cpu", info->cpudesc);
	if (x->quality) {
		quality_line(x->quality, line, sizeof(line));
		tell(ctx, "quality", line);
		quality_notes(x->quality, tell_loud, &t);
	}
	tell_states(x, tell, ctx);
	free(command);
}

static void put_member(void *ctx, const char *label, const char *text)
{
	json_put_str(ctx, label, text);
}

void export_notes_json(const struct export *x, struct json *j)
{
	const struct imported *n = &x->p->recording->imported;

	if (!n->notes.nr) {
		export_notes(x, put_member, j);
		return;
	}
	/* What somebody else wrote may have any label, and one twice. */
	tell_layout(x, put_member, j);
	json_put_array(j, "notes");
	for (uint32_t i = 0; i < n->notes.nr; i++)
		json_str(j, imported_str(n, n->notes.v[i]));
	json_array_end(j);
}
