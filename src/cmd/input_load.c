/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The one loader: a recording into a profile, in parts where its stacks are all different, so that memory is bounded; how much may be
 * printed of it; its quality; the warnings at the end.
 */
#include "cmd/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/event_names.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/progress_watch.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "model/durations.h"
#include "view/header_text.h"
#include "view/page.h"
#include "view/quality_text.h"

#define WAITING_MUCH (UINT64_C(512) << 20) /* records that are sorted: their memory is worth a word */
#define PART_BYTES (48u << 20)		   /* of stacks in the profile, at most */
#define SMALL_PART_BYTES (12u << 20)	   /* the same where few are met again: what the CPU's caches hold is found faster */
/* What may be printed, and worked out for call trees, of any input and more of a large one. */
#define OUTPUT_LEAST (UINT64_C(512) << 20)
#define OUTPUT_PER_BYTE 64u
/* A compressed recording of deep stacks prints 300 bytes for each of its own with the default of 127 frames. */
#define OUTPUT_PER_BYTE_AND_FRAME 8u
#define TREE_WORK_LEAST UINT64_C(300000000)
#define TREE_WORK_PER_BYTE 30u
/* Rows of reports of all events; one event has half of it: some hundred thousand rows. */
#define ROW_MEMORY_LEAST (UINT64_C(112) << 20)
#define ROW_MEMORY_PER_BYTE 16u
#define KEPT_BYTES (12u << 20) /* of stacks, by commands that keep no samples */

void input_forget_now(struct input *in)
{
	if (profile_size_bytes(in->profile) <= KEPT_BYTES)
		return;
	quality_settle(&in->quality, in->profile);
	profile_forget(in->profile);
}

bool input_keeps(struct input *in, const struct session_record *sr)
{
	const struct filter *f = &in->filter;
	struct profile *p = in->profile;
	uint32_t location;

	if (!filter_is_set(f))
		return true;
	if (!filter_keeps_sample(f, sr) || !filter_keeps_task(f, p, profile_intern_task(p, sr->task)))
		return false;
	if (!f->symbols.nr && !f->dsos.nr)
		return true;
	location = profile_intern_sampled(p, sr);
	return filter_keeps_place(f, p, p->locations.v[location].at.dso, profile_frame_of(p, location));
}

static int take_part(struct input *in, const struct input_load *l, uint32_t *nr_judged, bool is_last, struct errbuf *eb)
{
	struct profile *p = in->profile;
	int err;

	in->is_judged = !l->trusts_whole_stacks || !recording_has_whole_stacks(p->recording) || p->has_cut_chains;
	input_symbolize(in);
	for (uint32_t i = *nr_judged; in->is_judged && i < p->samples.nr; i++)
		quality_add_sample(&in->quality, p, i);
	quality_settle(&in->quality, p);
	err = l->take_part(l->ctx, is_last, eb);
	*nr_judged = p->samples.nr;
	return err;
}

static bool is_large(const struct profile *p)
{
	return profile_size_bytes(p) > (p->nr_found < p->chains.nr ? SMALL_PART_BYTES : PART_BYTES);
}

static int no_durations(const struct input *in, struct errbuf *eb)
{
	return errbuf_set(eb, -EINVAL,
			  "%s: no sample says how long something took; 'assay trace record -g' records system calls with their times",
			  input_name(in));
}

static int read_all(struct input *in, const struct input_load *l, struct programs *programs, struct durations *d, struct errbuf *eb)
{
	struct profile *p = in->profile;
	struct session_record sr;
	uint32_t nr_judged = 0;
	int ret;

	while ((ret = input_next(in, &sr, eb)) > 0) {
		bool is_sample = sr.header->type == RECORD_SAMPLE, passes = !is_sample || filter_keeps_sample(&in->filter, &sr);

		/* Also of those that do not pass: they may begin what others end. */
		if (d && is_sample)
			passes &= durations_take(d, &sr, &sr.rec.sample.period);
		if (is_sample && passes)
			passes = syscall_log_is_weighed(p->recording, &sr);
		if (p->parallelism && !is_sample)
			parallelism_see(p->parallelism, &sr);
		if (l->match)
			programs_see(programs, &sr);
		if (l->see && passes)
			l->see(l->ctx, &sr);
		if (is_sample && passes)
			profile_add(p, &sr);
		if (l->take_part && in->nr_read % INPUT_PROGRESS_EVERY == 0 && is_large(p)) {
			ret = take_part(in, l, &nr_judged, false, eb);
			if (ret)
				break;
		}
	}
	if (!ret && d && !d->nr)
		ret = no_durations(in, eb);
	if (ret || !l->take_part)
		return ret;
	ret = take_part(in, l, &nr_judged, true, eb);
	if (ret)
		return ret;
	quality_finish(&in->quality, p);
	in->quality_known = true;
	return 0;
}

void input_symbolize(struct input *in)
{
	struct progress_watch watch;

	progress_watch_begin(&watch, "naming functions");
	profile_symbolize(in->profile);
	progress_watch_end(&watch);
}

int input_load(struct input *in, const struct input_load *l, struct errbuf *eb)
{
	struct programs programs;
	struct durations durations;
	int err;

	if (in->by_duration)
		durations_init(&durations, in->profile->recording);
	programs_init(&programs, in->profile->machine, in->profile->recording);
	progress_init(&in->progress, "reading", in->session->source->total_bytes);
	err = read_all(in, l, &programs, in->by_duration ? &durations : NULL, eb);
	progress_fini(&in->progress);
	if (in->by_duration)
		durations_fini(&durations);
	if (!err && l->match)
		match_add(l->match, &programs);
	programs_fini(&programs);
	return err;
}

/* Names that the input brings along can be as long as all of it: its author decides what a sample prints. Those of files are as
 * long as compilers make them. */
static uint64_t output_per_byte(const struct input *in, bool prints_samples)
{
	return prints_samples && !in->session->recording.is_imported ? OUTPUT_PER_BYTE + OUTPUT_PER_BYTE_AND_FRAME * in->max_stack
								     : OUTPUT_PER_BYTE;
}

void input_limit_output(struct input *in, struct out *o, bool prints_samples)
{
	struct budget b;

	if (!in->bytes_present)
		return;
	budget_init(&b, OUTPUT_LEAST, output_per_byte(in, prints_samples), in->bytes_present);
	in->output_limit = budget_limit(&b);
	out_limit(o, in->output_limit);
}

int input_limit_error(const struct input *in, int err, struct errbuf *eb)
{
	if (err == OUT_LIMIT_REACHED)
		errbuf_set(eb, err, "the output is more than %llu MB, which is the limit for an input of this size",
			   (unsigned long long)(in->output_limit >> 20));
	return err;
}

struct budget *input_tree_work(struct input *in)
{
	budget_init(&in->tree_work, TREE_WORK_LEAST, TREE_WORK_PER_BYTE,
		    in->bytes_present ? in->bytes_present : in->session->source->done_bytes);
	return &in->tree_work;
}

struct budget *input_row_memory(struct input *in)
{
	budget_init(&in->row_memory, ROW_MEMORY_LEAST, ROW_MEMORY_PER_BYTE,
		    in->bytes_present ? in->bytes_present : in->session->source->done_bytes);
	return &in->row_memory;
}

static void measure_quality(struct input *in)
{
	struct errbuf unsaid = { 0 };
	struct session_record sr;
	struct profile *p = in->profile;

	p->only_symbols = true;
	while (input_next(in, &sr, &unsaid) > 0) {
		struct unwind_result walk;
		uint32_t stack;

		if (sr.header->type != RECORD_SAMPLE || !filter_keeps_sample(&in->filter, &sr))
			continue;
		input_forget(in);
		stack = profile_intern_sample(p, &sr, &walk);
		quality_add_record(&in->quality, p, &sr, stack, walk);
	}
	quality_finish(&in->quality, p);
	in->quality_known = in->quality_shown = true;
}

void input_show_header(struct input *in, bool full, struct out *o)
{
	struct out head;

	in->header_damage = *in->session->recording.damage;
	in->shows_header = true;
	/* Later records may rename events. */
	out_init(&head, -1);
	header_text(&head, in->session->recording.info, in->path, full);
	if (!in->quiet && in->is_stored) {
		measure_quality(in);
		quality_text_warnings(o, &in->quality, out_is_colourful(STDOUT_FILENO));
		quality_text(&head, &in->quality);
	}
	out_mem(o, head.buf, head.len);
	header_text_end(o);
	out_fini(&head);
}

/* Names of files may have line breaks in them, which the log lets pass. */
static void say_of_file(void (*say)(const char *, ...), const char *before, const char *path, const char *after, const char *text)
{
	struct out o;

	out_init(&o, -1);
	escape_terminal(&o, path, strlen(path));
	out_str(&o, after);
	out_str(&o, ": ");
	escape_terminal(&o, text, strlen(text));
	out_char(&o, 0);
	say("%s%s", before, o.buf);
	out_fini(&o);
}

static void list_symbols(const struct session *s)
{
	for (uint32_t i = 1; i < s->machine.dsos.dsos.nr; i++) {
		const struct dso *d = &s->machine.dsos.dsos.v[i];

		if (d->why_empty)
			say_of_file(log_info, "", d->path, ": no symbols", d->why_empty);
		else if (d->symtab && d->symtab->symbols.nr)
			say_of_file(log_info, "", d->path, ": symbols from", d->symtab->made_from ? d->symtab->made_from : "itself");
	}
}

static void warn(void *ctx, bool is_loud, const char *text)
{
	(void)ctx;
	log_warn("%s: %s", is_loud ? "WARNING" : "quality", text);
}

/* What the output does not show. Losses are known even where no names were looked for. */
void input_count_losses(struct input *in)
{
	const struct recording *r = &in->session->recording;

	if (in->quality_known)
		return;
	in->quality.nr_samples = r->stats.nr_by_type[RECORD_SAMPLE];
	in->quality.nr_lost = recording_lost(r);
	in->quality.nr_throttled = r->stats.nr_throttled;
}

#define MOST_ALIKE 3	       /* functions that are named */
#define MOST_ALIKE_LETTERS 100 /* of a name */

static int by_length(const void *pa, const void *pb)
{
	const char *const *a = pa, *const *b = pb;
	size_t la = strlen(*a), lb = strlen(*b);

	return COMPARE(la, lb) ?: strcmp(*a, *b);
}

/* A function may have been named by a part of its name, or in other letters: those that have it, the shortest names first. */
static void put_alike(struct out *o, const struct input *in)
{
	const char *word = in->filter.symbols.nr == 1 ? in->filter.symbols.v[0] : NULL;
	VEC(const char *) found = { 0 };
	uint32_t nr = 0;

	for (uint32_t i = 0; word && in->profile && i < in->profile->frames.nr; i++) {
		uint32_t function = in->profile->frames.v[i].function;
		const char *name = function ? profile_str(in->profile, function) : "";

		if (strcasestr(name, word))
			vec_push(&found, name);
	}
	if (found.nr)
		qsort(found.v, found.nr, sizeof(*found.v), by_length);
	for (uint32_t i = 0; i < found.nr; i++) {
		struct out name;

		if ((i && !strcmp(found.v[i], found.v[i - 1])) || nr++ >= MOST_ALIKE)
			continue;
		out_init(&name, -1);
		escape_terminal_str(&name, found.v[i]);
		out_str(o, nr == 1 ? "; it is a part of '" : "', '");
		label_shorten_text(o, name.buf, name.len, MOST_ALIKE_LETTERS, !terminal_is_utf8());
		out_fini(&name);
	}
	if (nr > MOST_ALIKE)
		out_printf(o, "' and %u more", nr - MOST_ALIKE);
	else if (nr)
		out_str(o, "'");
	vec_fini(&found);
}

/* An empty result may be the truth of an idle machine, but not of a filter: that is a mistake in writing. */
static int check_passed(const struct input *in, struct errbuf *eb)
{
	uint64_t nr = in->session->recording.stats.nr_by_type[RECORD_SAMPLE];
	char *filters = in->checks_passed && !in->nr_passed && nr ? input_filter_text(&in->filter) : NULL;
	struct out alike;

	if (!filters)
		return 0;
	out_init(&alike, -1);
	put_alike(&alike, in);
	out_char(&alike, 0);
	errbuf_set(eb, -ENODATA, "none of the %llu samples of %s passes%s%s%s%s%s", (unsigned long long)nr, input_name(in), filters,
		   in->symbol_word ? "; '" : "", in->symbol_word ? in->symbol_word : "",
		   !in->symbol_word		   ? ""
		   : access(in->symbol_word, F_OK) ? "' is no file either"
						   : "' is a file, but no recording",
		   alike.buf);
	out_fini(&alike);
	free(filters);
	return -ENODATA;
}

static void warn_of_none(const struct input *in)
{
	const struct recording *r = &in->session->recording;

	if (r->stats.nr_by_type[RECORD_SAMPLE] || recording_lost(r) || r->stats.nr_by_type[RECORD_STAT])
		return;
	for (uint32_t i = 0; i < r->info->events.nr; i++) {
		const char *hint = no_samples_hint(&r->info->events.v[i].attr);

		if (!hint)
			continue;
		log_warn("%s has no samples of %s: %s", input_name(in), r->info->events.v[i].name, hint);
		return;
	}
}

/* Files that were left without names because of what all of them together would cost. */
static void warn_of_limits(const struct session *s, const char *name)
{
	const struct dso_table *t = &s->machine.dsos;
	uint64_t limit;

	if (t->loads.is_exhausted)
		log_warn(
			"%s: it names more than %llu files, the limit for a recording of its size: others are not looked for, and have no symbols",
			name, (unsigned long long)budget_limit(&t->loads));
	if (symbolizer_cache_was_short(t->options.cache, &limit))
		log_warn(
			"%s: what is loaded of its files has reached %llu MB, the limit for a recording of its size: others have no symbols "
			"(-v lists them)",
			name, (unsigned long long)(limit >> 20));
}

/* Of a recording with rounds, one of them waits. */
static void warn_of_waiting(const struct input *in)
{
	const struct recording_stats *st = &in->session->recording.stats;

	if (st->waited_bytes >= WAITING_MUCH)
		log_warn(
			"%s: %llu MB of its records and of what sorting them takes waited in memory for its end, to be put in the order of time%s",
			input_name(in), (unsigned long long)(st->waited_bytes >> 20),
			st->nr_by_type[RECORD_FINISHED_ROUND] ? "" : ": it does not mark the rounds of its recorder (FINISHED_ROUND)");
}

static void warn_of_python(const struct input *in)
{
	const struct python_frames *python = &in->session->recording.python;

	if (python->nr_malformed)
		log_warn("%s: %llu records about Python are damaged and were left out", input_name(in),
			 (unsigned long long)python->nr_malformed);
	if ((in->python == PROFILE_PYTHON_MIXED || in->python == PROFILE_PYTHON_ONLY) && !python->nr_stacks)
		log_warn("%s has no frames of Python: 'assay record --python' records them", input_name(in));
}

int input_damage(const struct input *in, struct errbuf *eb)
{
	const struct recording_stats *st = &in->session->recording.stats;
	const struct source_damage *d = in->session->recording.damage;

	if (d->err)
		return errbuf_set(eb, d->err, "%s", d->text);
	if (st->nr_malformed)
		return errbuf_set(eb, -EBADMSG, "%s: %llu records are malformed and were skipped, the first at offset %llu", input_name(in),
				  (unsigned long long)st->nr_malformed, (unsigned long long)st->first_malformed_at);
	if (st->nr_unknown_ids)
		return errbuf_set(eb, -EBADMSG, "%s: %llu samples belong to none of its events and were skipped, the first at offset %llu",
				  input_name(in), (unsigned long long)st->nr_unknown_ids, (unsigned long long)st->first_unknown_id_at);
	return 0;
}

int input_finish(struct input *in, struct errbuf *eb)
{
	const struct session *s = in->session;
	const struct recording_stats *st = &s->recording.stats;
	const struct source_damage *d = in->shows_header ? &in->header_damage : s->recording.damage;
	const char *name = input_name(in);
	int err;

	input_count_losses(in);
	if (!in->quality_shown)
		quality_notes(&in->quality, warn, NULL);
	/* Where only the header is printed, records were not looked at. */
	if (!d->err && !in->reads_header_only)
		warn_of_none(in);
	if (in->shows_header)
		return d->err ? errbuf_set(eb, d->err, "%s", d->text) : input_check_cpus(in, eb);
	if (log_level >= LOG_VERBOSE)
		list_symbols(s);
	warn_of_limits(s, name);
	warn_of_waiting(in);
	warn_of_python(in);
	/* Next to damage, wrong times are a part of it. */
	if (st->nr_late && !d->err && !st->nr_malformed && !st->nr_unknown_ids)
		log_warn("%llu records came too late to be put in order", (unsigned long long)st->nr_late);
	if (st->nr_unrepeated)
		log_warn(
			"%s: %llu samples stand for more than %llu in all, the limit for a file of its size: each counts once, with its whole period",
			name, (unsigned long long)st->nr_unrepeated, (unsigned long long)budget_limit(&s->repeats));
	err = input_damage(in, eb);
	if (!err)
		err = input_check_cpus(in, eb);
	/* Of a pipe, whose events are known only now; files are checked when they are opened. */
	if (!err && in->filter.fields && field_filter_check(in->filter.fields, eb))
		err = CMD_USAGE;
	return err ? err : check_passed(in, eb);
}
