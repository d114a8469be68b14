/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every line begins with "# Quality" or "# WARNING", so that a comparison with perf's output can skip them.
 */
#include "view/quality_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

static double share(uint64_t part, uint64_t whole)
{
	return quality_percent(part, whole);
}

void quality_line(const struct quality *q, char *buf, size_t size)
{
	char stacks[128] = "stacks not recorded";

	if (q->has_stacks && !q->nr_stacks)
		snprintf(stacks, sizeof(stacks), "no stacks");
	else if (q->has_stacks)
		snprintf(stacks, sizeof(stacks), "%.1f%% of stacks complete, %.1f%% guessed, %.1f%% truncated, %.1f%% broken",
			 share(q->nr_by_stack[QUALITY_COMPLETE], q->nr_stacks), share(q->nr_by_stack[QUALITY_GUESSED], q->nr_stacks),
			 share(q->nr_by_stack[QUALITY_TRUNCATED], q->nr_stacks), share(q->nr_by_stack[QUALITY_BROKEN], q->nr_stacks));
	if (!q->nr_samples)
		snprintf(stacks, sizeof(stacks), "no samples");
	snprintf(buf, size, "%s; %.1f%% of samples unresolved; %llu lost, %llu throttled", stacks, share(q->nr_unresolved, q->nr_placed),
		 (unsigned long long)q->nr_lost, (unsigned long long)q->nr_throttled);
}

/* One sentence in the making. */
struct note {
	quality_note_fn *tell;
	void *ctx;
	struct out text;
};

static void say(struct note *n, bool is_loud)
{
	out_char(&n->text, 0);
	n->tell(n->ctx, is_loud, n->text.buf);
	n->text.len = 0;
}

static void put_name(struct note *n, const char *s)
{
	escape_terminal_str(&n->text, s);
}

/* "PATH (why): remedy" */
static void put_module(struct note *n, const struct quality_module *m)
{
	put_name(n, m->path);
	if (m->why) {
		out_str(&n->text, " (");
		put_name(n, m->why);
		out_char(&n->text, ')');
	}
	if (m->remedy[0]) {
		out_str(&n->text, ": ");
		put_name(n, m->remedy);
	}
}

static void note_unresolved(struct note *n, const struct quality *q)
{
	const struct quality_module *m = q->nr_reported ? &q->modules.v[0] : NULL;

	out_printf(&n->text, "%.0f%% of samples are unresolved", share(q->nr_unresolved, q->nr_placed));
	if (m) {
		out_str(&n->text, m->nr_samples * 10 >= q->nr_unresolved * 9 ? ", in " : ", mostly in ");
		put_module(n, m);
	}
	say(n, true);
}

static void note_modules(struct note *n, const struct quality *q, uint32_t first)
{
	uint32_t nr_more = q->nr_worth - q->nr_reported;

	for (uint32_t i = first; i < q->nr_reported; i++) {
		const struct quality_module *m = &q->modules.v[i];
		bool by_samples = share(m->nr_samples, q->nr_placed) >= QUALITY_WORTH_PERCENT;

		out_printf(&n->text, "%.1f%% of %s without names in ",
			   by_samples ? share(m->nr_samples, q->nr_placed) : share(m->nr_frames, q->nr_frames),
			   by_samples ? "samples" : "frames");
		put_module(n, m);
		say(n, false);
	}
	if (nr_more) {
		out_printf(&n->text, "and %u more file%s with places without names (-v lists files without symbols)", nr_more,
			   nr_more == 1 ? "" : "s");
		say(n, false);
	}
}

static enum quality_cause most_of(const uint64_t nr_by[QUALITY_NR_CAUSES])
{
	enum quality_cause most = 0;

	for (int i = 1; i < QUALITY_NR_CAUSES; i++)
		if (nr_by[i] > nr_by[most])
			most = (enum quality_cause)i;
	return most;
}

static const char *pointers_advice(const struct quality *q)
{
	enum jit_runtime most = JIT_UNKNOWN;

	for (int i = 0; i < JIT_NR_RUNTIMES; i++)
		if (q->nr_broken_in[i] > q->nr_broken_in[most])
			most = (enum jit_runtime)i;
	return jit_runtime_stacks_advice(most);
}

/* What to do about stacks whose callers were not found. */
static const char *broken_hint(const struct quality *q)
{
	static const char *const hints[QUALITY_NR_CAUSES] = {
		[QUALITY_CAUSE_POINTERS] = ("programs without frame pointers; record with --call-graph dwarf, or rebuild them with "
					    "-fno-omit-frame-pointer"),
		[QUALITY_CAUSE_CALLS] = ("the CPU's list of calls (LBR) begins where recording began and is lost now and then; record with "
					 "--call-graph dwarf"),
		[QUALITY_CAUSE_JIT] = "generated code (JIT) has no unwind tables; ",
		[QUALITY_CAUSE_NO_TABLE] =
			("callers of code without unwind tables or frame pointers are not found; its debug package may have "
			 "tables, or rebuild it with -fasynchronous-unwind-tables"),
		[QUALITY_CAUSE_32BIT] = ("callers were not found in 32-bit programs; record them with --call-graph fp, built with "
					 "-fno-omit-frame-pointer"),
		[QUALITY_CAUSE_TABLE] =
			("the stack is not what the unwind tables say: code that switches stacks or changes return "
			 "addresses, large frames with pages that were never written to (the kernel dumps a stack up to the "
			 "first of them), or files that changed since"),
	};

	/* What is unwound steps over code of a known shape, and by frame pointers where they are kept. */
	if (most_of(q->nr_broken_by) == QUALITY_CAUSE_JIT && !q->is_dumped)
		return "generated code (JIT), or its runtime, keeps no frame pointers; record with --call-graph dwarf (Java with "
		       "-XX:+PreserveFramePointer)";
	return hints[most_of(q->nr_broken_by)];
}

/* Not loud: they reach their beginning, and where frame pointers are kept nothing is missing. */
static void note_guessed(struct note *n, const struct quality *q)
{
	if (share(q->nr_by_stack[QUALITY_GUESSED], q->nr_stacks) < QUALITY_WORTH_PERCENT)
		return;
	out_str(&n->text, "guessed stacks: callers may be missing or wrong where ");
	switch (most_of(q->nr_guessed_by)) {
	case QUALITY_CAUSE_JIT:
		out_str(&n->text, "generated code (JIT) was unwound by frame pointers, which it may not keep (Node's does; Java's with "
				  "-XX:+PreserveFramePointer)");
		break;
	case QUALITY_CAUSE_POINTERS:
		out_str(&n->text, "frame pointers led to addresses outside of any file; record with --call-graph dwarf");
		break;
	default:
		out_str(&n->text,
			"code without unwind tables was unwound by frame pointers; its debug package may have them, or rebuild it "
			"with -fasynchronous-unwind-tables");
		break;
	}
	say(n, false);
}

/* About those that end early for one reason, most of all. */
static const char *cut_hint(const struct quality *q)
{
	static const char *const hints[QUALITY_NR_CUTS] = {
		[QUALITY_CUT_KERNEL] =
			("more frames than the kernel records; sudo sysctl kernel.perf_event_max_stack=1024, then record again "
			 "and read with --max-stack 1024"),
		[QUALITY_CUT_READER] = "more frames than are shown; --max-stack 65535 shows all",
		[QUALITY_CUT_CALLS] = "more calls than the CPU keeps a list of (LBR); record with --call-graph dwarf",
		[QUALITY_CUT_DUMP] = "more stack than was dumped; record with --call-graph dwarf,65528",
		[QUALITY_CUT_BUDGET] = ("more stack than was dumped at this rate; record with a lower -F (--call-graph dwarf,SIZE dumps as "
					"much at any rate, but may lose samples)"),
		[QUALITY_CUT_RECORD] = ("more frames than a record holds; record with --call-graph dwarf,65528,keep and read with "
					"--max-stack 65535"),
		[QUALITY_CUT_WAIT] =
			("more stack than is dumped where threads wait; record --off-cpu with --call-graph dwarf,32768 (no more is "
			 "dumped there)"),
		[QUALITY_CUT_PYTHON] = ("more functions of Python than are recorded: the 128 innermost (--max-stack 1024 shows these, and "
					"their native callers)"),
	};
	/* Of equals the one that is easiest to fix. */
	static const enum quality_cut order[QUALITY_NR_CUTS] = { QUALITY_CUT_DUMP,   QUALITY_CUT_BUDGET, QUALITY_CUT_CALLS,
								 QUALITY_CUT_READER, QUALITY_CUT_KERNEL, QUALITY_CUT_RECORD,
								 QUALITY_CUT_PYTHON, QUALITY_CUT_WAIT };
	enum quality_cut most = order[0];

	for (int i = 1; i < QUALITY_NR_CUTS; i++)
		if (q->nr_by_cut[order[i]] > q->nr_by_cut[most])
			most = order[i];
	if (most == QUALITY_CUT_DUMP && q->has_largest_dumps)
		return "the kernel dumps no more than 65,528 bytes of a stack; 'assay stack -n 0' shows all of one";
	return hints[most];
}

static void put_stack_hint(struct note *n, const struct quality *q)
{
	bool is_broken = q->nr_by_stack[QUALITY_BROKEN] > q->nr_by_stack[QUALITY_TRUNCATED];

	/* Which file it is, and what it needs, where that is known. */
	if (is_broken && q->no_table_path && most_of(q->nr_broken_by) == QUALITY_CAUSE_NO_TABLE) {
		out_str(&n->text, "callers of code without unwind tables or frame pointers are not found, mostly in ");
		put_name(n, q->no_table_path);
		/* Its debug file may be at hand already, and have no more. */
		out_str(&n->text, q->no_table_remedy[0] ? ": " : "");
		put_name(n, q->no_table_remedy);
		return;
	}
	out_str(&n->text, is_broken ? broken_hint(q) : cut_hint(q));
	if (is_broken && q->is_dumped && most_of(q->nr_broken_by) == QUALITY_CAUSE_JIT)
		out_str(&n->text, pointers_advice(q));
}

static void note_stacks(struct note *n, const struct quality *q)
{
	uint64_t nr_broken = q->nr_by_stack[QUALITY_BROKEN], nr_cut = q->nr_by_stack[QUALITY_TRUNCATED];
	bool is_loud = quality_is_incomplete(q);

	if (!is_loud && share(nr_broken + nr_cut, q->nr_stacks) < QUALITY_WORTH_PERCENT)
		return;
	if (is_loud)
		out_printf(&n->text,
			   "%.0f%% of stacks are incomplete (%.1f%% broken, %.1f%% truncated): ", share(nr_broken + nr_cut, q->nr_stacks),
			   share(nr_broken, q->nr_stacks), share(nr_cut, q->nr_stacks));
	else
		out_str(&n->text, "incomplete stacks: ");
	put_stack_hint(n, q);
	say(n, is_loud);
}

static void note_lost(struct note *n, const struct quality *q)
{
	bool is_loud = quality_is_lossy(q);

	if (!q->nr_lost)
		return;
	if (is_loud)
		out_printf(&n->text, "%.0f%% of samples are missing: ", share(q->nr_lost, q->nr_lost + q->nr_samples));
	out_printf(&n->text, "%llu samples were lost while recording: the recorder could not keep up (a larger ring, record -m, helps)",
		   (unsigned long long)q->nr_lost);
	say(n, is_loud);
}

static void note_rest(struct note *n, const struct quality *q)
{
	if (q->nr_throttled) {
		out_printf(&n->text,
			   "the kernel throttled sampling %llu times: time is missing there (record with a lower -F; limits: sysctl "
			   "kernel.perf_event_max_sample_rate, kernel.perf_cpu_time_max_percent)",
			   (unsigned long long)q->nr_throttled);
		say(n, false);
	}
	if (q->nr_invalid_chains) {
		out_printf(
			&n->text,
			"%llu call chains contain an invalid address and were dropped (frame pointers of programs built without them give such)",
			(unsigned long long)q->nr_invalid_chains);
		say(n, false);
	}
	if (q->nr_unknown_arch) {
		out_printf(&n->text, "the stacks of %llu samples were dumped on a machine of architecture ",
			   (unsigned long long)q->nr_unknown_arch);
		put_name(n, q->arch ? q->arch : "unknown");
		out_str(&n->text, ", which is not unwound here (x86_64 and aarch64 are): their callers are missing (record there with "
				  "--call-graph fp)");
		say(n, false);
	}
}

void quality_notes(const struct quality *q, quality_note_fn *tell, void *ctx)
{
	struct note n = { .tell = tell, .ctx = ctx };
	bool is_unresolved = quality_is_unresolved(q);

	out_init(&n.text, -1);
	if (is_unresolved)
		note_unresolved(&n, q);
	if (quality_is_incomplete(q))
		note_stacks(&n, q);
	if (quality_is_lossy(q))
		note_lost(&n, q);
	note_modules(&n, q, is_unresolved);
	if (!quality_is_incomplete(q))
		note_stacks(&n, q);
	note_guessed(&n, q);
	if (!quality_is_lossy(q))
		note_lost(&n, q);
	note_rest(&n, q);
	out_fini(&n.text);
}

struct comment {
	struct out *o;
	bool loud, colour; /* loud: those, and no others */
};

static void put_comment(void *ctx, bool is_loud, const char *text)
{
	const struct comment *c = ctx;

	if (is_loud != c->loud)
		return;
	if (c->colour)
		out_str(c->o, "\033[1;31m");
	out_str(c->o, is_loud ? "# WARNING: " : "# Quality: ");
	out_str(c->o, text);
	out_str(c->o, c->colour ? "\033[0m\n" : "\n");
}

void quality_text_warnings(struct out *o, const struct quality *q, bool colour)
{
	struct comment c = { o, true, colour };

	quality_notes(q, put_comment, &c);
}

void quality_text(struct out *o, const struct quality *q)
{
	struct comment c = { o, false, false };
	char line[QUALITY_LINE_SIZE];

	quality_line(q, line, sizeof(line));
	out_printf(o, "# Quality: %s\n", line);
	quality_notes(q, put_comment, &c);
}
