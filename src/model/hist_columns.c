/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns of reports and diffs. The layout of each cell is perf's.
 */
#include "model/hist_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "model/field_keys.h"
#include "model/hist.h"

#define ADDRESS_WIDTH 16 /* hex digits */
#define INLINED " (inlined)"

static const struct hist_end *end_of(const struct column *c, const struct hist_entry *e)
{
	return c->flags & COLUMN_OF_SOURCE ? &e->from : &e->at;
}

enum { KIND_INLINED = CODE_INTERPRETED + 1, KIND_UNKNOWN };

static uint64_t address_of(const struct hist *h, const struct hist_end *end)
{
	return end->frame == FRAME_NONE ? end->addr : h->profile->frames.v[end->frame].start;
}

static void put_name(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)c, (void)width;
	escape_terminal_str(o, v->text);
}

static int shown_length(struct out *scratch, const char *s)
{
	size_t len = strlen(s);

	if (escape_terminal_is_plain(s, len))
		return (int)len;
	scratch->len = 0;
	escape_terminal(scratch, s, len);
	return (int)scratch->len;
}

static int name_width(struct out *scratch, const struct column_value *v, bool pads_address)
{
	(void)pads_address;
	return shown_length(scratch, v->text);
}

static void name_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	(void)is_merged;
	json_put_str(j, c->member, v->text);
}

/* Columns of strings, whose key is the string's id. */
static struct column_value string_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return (struct column_value){ .text = profile_str(h->profile, (uint32_t)c->key(c, h, e)), .is_known = true };
}

static const struct column_kind strings = { string_value, put_name, name_width, name_json };

static uint64_t comm_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)c, (void)h;
	return e->comm;
}

static uint64_t srcline_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return hist_srcline(h, end_of(c, e)->place);
}

static uint64_t srcfile_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return hist_srcfile(h, end_of(c, e)->place);
}

static uint64_t tid_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)c;
	return (uint32_t)h->profile->tasks.v[e->task].tid;
}

static struct column_value tid_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	const struct profile_task *t = &h->profile->tasks.v[e->task];

	(void)c;
	return (struct column_value){ .number = (uint64_t)t->tid, .extra = (uint64_t)t->pid, .is_known = true };
}

/* A row of a thread has the name that the thread had in the end. */
static struct column_value pid_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	const struct profile *p = h->profile;
	const struct profile_task *t = &p->tasks.v[e->task];
	const struct task *task = task_table_find(&p->machine->tasks, t->tid);
	struct column_value v = tid_value(c, h, e);

	v.text = task ? machine_comm(p->machine, task) : profile_str(p, t->comm);
	v.other = profile_str(p, e->comm);
	return v;
}

static void put_pid(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	out_printf(o, "%7d:", (int32_t)v->number);
	put_name(c, o, v, width);
}

/* "  12345:" and a command that is as wide as its own heading would be. */
static int pid_width(struct out *scratch, const struct column_value *v, bool pads_address)
{
	int width = shown_length(scratch, v->other);

	(void)pads_address;
	return 8 + (width > 7 ? width : 7);
}

static void put_tid(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)c;
	out_printf(o, "%*d", width, (int32_t)v->number);
}

static int tid_width(struct out *scratch, const struct column_value *v, bool pads_address)
{
	(void)scratch, (void)pads_address;
	return snprintf(NULL, 0, "%d", (int32_t)v->number);
}

static void task_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	(void)c;
	if (!is_merged)
		json_put_i64(j, "pid", (int32_t)v->extra);
	json_put_i64(j, "tid", (int32_t)v->number);
}

static const struct column_kind pids = { pid_value, put_pid, pid_width, task_json };
static const struct column_kind tids = { tid_value, put_tid, tid_width, task_json };

static uint64_t cpu_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)c, (void)h;
	return e->cpu;
}

/* Columns of numbers, whose key is the number. */
static struct column_value number_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return (struct column_value){ .number = c->key(c, h, e), .is_known = true };
}

static void put_cpu(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)c, (void)width;
	out_printf(o, "%.3d", (int32_t)v->number);
}

/* -1: not known. */
static void cpu_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	(void)is_merged;
	json_put_i64(j, c->member, (int32_t)v->number);
}

static const struct column_kind cpus = { number_value, put_cpu, NULL, cpu_json };

static uint64_t dso_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)h;
	return end_of(c, e)->dso_name;
}

static struct column_value dso_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	const struct hist_end *end = end_of(c, e);

	return (struct column_value){
		.text = profile_str(h->profile, end->dso_name),
		.other = end->dso == DSO_NONE ? NULL : profile_dso(h->profile, end->dso)->path,
		.is_known = end->dso != DSO_NONE,
		.has_symbol = end->frame != FRAME_NONE,
	};
}

static int dso_width(struct out *scratch, const struct column_value *v, bool pads_address)
{
	int width = shown_length(scratch, v->text);

	return pads_address && !v->has_symbol && width < ADDRESS_WIDTH ? ADDRESS_WIDTH : width;
}

static void dso_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	name_json(c, j, v, is_merged);
	if (!is_merged && v->other)
		json_put_str(j, "path", v->other);
}

static const struct column_kind dsos = { dso_value, put_name, dso_width, dso_json };

static uint64_t symbol_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	const struct hist_end *end = end_of(c, e);
	const struct profile_frame *f;

	if (end->frame == FRAME_NONE)
		return end->addr;
	f = &h->profile->frames.v[end->frame];
	return f->is_inlined ? hash_pair(f->start, f->function) : f->start;
}

/* Files of one name are one, as in perf: the same function at the same place in two builds is one row. An inlined function has a row per
 * function that it was inlined into. */
static bool same_symbol(const struct column *c, struct hist *h, const struct hist_entry *ea, const struct hist_entry *eb)
{
	const struct hist_end *a = end_of(c, ea), *b = end_of(c, eb);

	if (a->dso_name != b->dso_name || (a->frame == FRAME_NONE) != (b->frame == FRAME_NONE) || a->addr != b->addr)
		return false;
	if (a->frame == b->frame)
		return true;

	const struct profile_frame *fa = &h->profile->frames.v[a->frame], *fb = &h->profile->frames.v[b->frame];

	return fa->start == fb->start && fa->end == fb->end && fa->is_inlined == fb->is_inlined && fa->function == fb->function;
}

static struct column_value symbol_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	const struct hist_end *end = end_of(c, e);
	struct column_value v = { .text = "", .number = address_of(h, end), .level = end->level };

	if (end->frame != FRAME_NONE) {
		const struct profile_frame *f = &h->profile->frames.v[end->frame];

		v.text = profile_str(h->profile, f->function);
		v.is_known = true;
		v.is_object = f->is_object;
		v.is_inlined = f->is_inlined;
		v.is_nameless = f->is_nameless;
		v.extra = c->flags & COLUMN_OF_SOURCE ? 0 : e->offset;
	}
	return v;
}

static void put_symbol(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	out_printf(o, "[%c] ", v->level);
	if (!v->is_known) {
		out_printf(o, "%-#.*llx", ADDRESS_WIDTH, (unsigned long long)v->number);
		return;
	}
	put_name(c, o, v, width);
	/* Code in what the symbol table calls data, as in perf. */
	if (v->is_object)
		out_printf(o, "+0x%llx", (unsigned long long)v->extra);
	if (v->is_inlined)
		out_str(o, INLINED);
}

static int symbol_width(struct out *scratch, const struct column_value *v, bool pads_address)
{
	(void)pads_address;
	if (!v->is_known)
		return ADDRESS_WIDTH + 4 + 2;
	return 4 + shown_length(scratch, v->text) + (v->is_inlined ? (int)strlen(INLINED) : 0);
}

static void symbol_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	if (v->is_known)
		name_json(c, j, v, is_merged);
	else
		json_put_hex(j, "address", v->number);
	if (is_merged)
		return;
	if (v->is_inlined)
		json_put_bool(j, "inlined", true);
	if (v->is_nameless)
		json_put_bool(j, "unresolved", true);
	json_key(j, "level");
	json_str_len(j, &v->level, 1);
}

static const struct column_kind symbols = { symbol_value, put_symbol, symbol_width, symbol_json };

/* What a frame is: in this order of numbers. */
static uint64_t kind_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	const struct hist_end *end = end_of(c, e);

	if (end->place >= h->profile->places.nr)
		return KIND_UNKNOWN;
	if (h->profile->frames.v[h->profile->places.v[end->place].frame].is_inlined)
		return KIND_INLINED;
	return profile_code_kind(h->profile, end->place);
}

static struct column_value kind_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	static const char *const names[] = {
		[CODE_USER] = "native",	    [CODE_KERNEL] = "kernel",  [CODE_JIT] = "JIT", [CODE_INTERPRETED] = "interpreted",
		[KIND_INLINED] = "inlined", [KIND_UNKNOWN] = "unknown"
	};

	return (struct column_value){ .text = names[kind_key(c, h, e)], .is_known = true };
}

static const struct column_kind kinds = { kind_value, put_name, name_width, name_json };

static uint64_t flag_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)h;
	return (e->branch_flags & c->bit) != 0;
}

static void put_flag(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)width;
	out_char(o, c->letters[v->number]);
}

static void flag_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	(void)is_merged;
	json_put_bool(j, c->member, v->number);
}

static const struct column_kind flags = { number_value, put_flag, NULL, flag_json };

/* 0: not known. */
static uint64_t cycles_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)c, (void)h;
	return e->branch_flags >> 4 & 0xffff;
}

static void put_cycles(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)c, (void)width;
	if (v->number)
		out_u64(o, v->number, 0);
	else
		out_char(o, '-');
}

static void cycles_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	(void)is_merged;
	json_put_u64(j, c->member, v->number);
}

static const struct column_kind cycles = { number_value, put_cycles, NULL, cycles_json };

static uint64_t parallelism_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	(void)c, (void)h;
	return e->parallelism;
}

static void put_parallelism(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)c;
	out_u64(o, v->number, width);
}

static const struct column_kind parallelisms = { number_value, put_parallelism, NULL, cycles_json };

uint64_t column_field_key(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return field_keys_text(h->profile->fields, e->fields, c->slot);
}

static struct column_value field_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	uint32_t text = field_keys_text(h->profile->fields, e->fields, c->slot);

	return (struct column_value){
		.text = profile_str(h->profile, text),
		.number = c->flags & COLUMN_IS_NUMBER ? field_keys_number(h->profile->fields, e->fields, c->slot) : 0,
		.is_known = text != h->profile->fields->no_text,
	};
}

/* A number that is shown as one, and that a double holds, is one. */
static bool is_decimal(const struct column *c, const struct column_value *v)
{
	char buf[24];

	if (!(c->flags & COLUMN_IS_NUMBER) || v->number + (UINT64_C(1) << 53) > UINT64_C(1) << 54)
		return false;
	snprintf(buf, sizeof(buf), "%lld", (long long)v->number);
	return !strcmp(buf, v->text);
}

static void field_json(const struct column *c, struct json *j, const struct column_value *v, bool is_merged)
{
	if (!v->is_known)
		json_put_str_or_null(j, c->member, NULL);
	else if (is_decimal(c, v))
		json_put_i64(j, c->member, (int64_t)v->number);
	else
		name_json(c, j, v, is_merged);
}

const struct column_kind column_field_kind = { field_value, put_name, name_width, field_json };

static struct column_value figure_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return (struct column_value){
		.number = *(const uint64_t *)((const char *)e + c->figure),
		.extra = h->total_period,
		.is_known = c != &columns[HIST_CHILDREN] || h->options->children,
	};
}

static void put_share(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	double percent = v->extra ? 100.0 * (double)v->number / (double)v->extra : 0.0;

	(void)c;
	if (v->is_known)
		out_printf(o, "%s%.2f%%", width ? "" : " ", percent);
	else
		out_str(o, "N/A");
}

static void put_count(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)c;
	if (!width)
		out_char(o, ' ');
	out_u64(o, v->number, 0);
}

/* Latencies are fractions: as whole numbers of 1/1024 they are compared without the noise of their sums. */
static uint64_t latency_number(double latency)
{
	return latency < 0x1p53 ? (uint64_t)(latency * 1024 + 0.5) : UINT64_MAX;
}

static struct column_value latency_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	bool is_self = c == &columns[HIST_LATENCY];

	return (struct column_value){
		.number = latency_number(is_self ? e->latency : e->latency_children),
		.extra = latency_number(h->total_latency),
		.is_known = is_self || h->options->children,
	};
}

/* perf's column is one narrower than its values: they begin with a blank, and where there is none, the word is on the left. */
static void put_latency_children(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	(void)width;
	if (v->is_known)
		put_share(c, o, v, 0);
	else
		out_str(o, " N/A   ");
}

static const struct column_kind latencies = { latency_value, put_share, NULL, NULL };
static const struct column_kind latencies_children = { latency_value, put_latency_children, NULL, NULL };
static const struct column_kind shares = { figure_value, put_share, NULL, NULL };
static const struct column_kind counts = { figure_value, put_count, NULL, NULL };

/* Equal rows of one task: the outer function first, by the longer chain below it. perf compares depths only within a task, which is no
 * order (a < b < c < a happens); tasks are compared first here. */
static int cmp_depths(struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile *p = h->profile;
	const struct profile_task *ta = &p->tasks.v[a->task], *tb = &p->tasks.v[b->task];
	int deeper = COMPARE(b->max_depth, a->max_depth);

	if (!h->options->chains)
		return 0;
	return strcmp(profile_str(p, a->comm), profile_str(p, b->comm)) ?:
	       COMPARE(ta->tid, tb->tid) ?: h->options->order == HIST_CALLER ? deeper : -deeper;
}

static int cmp_children(struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	return COMPARE(b->children, a->children) ?: cmp_depths(h, a, b);
}

static int cmp_latency_children(struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	if (!h->options->children) /* the column says N/A */
		return 0;
	return COMPARE(latency_number(b->latency_children), latency_number(a->latency_children)) ?: cmp_depths(h, a, b);
}

#define OF_LINES (COLUMN_NEEDS_LINES | COLUMN_IS_OPEN)
#define FROM (COLUMN_OF_BRANCHES | COLUMN_OF_SOURCE)
#define FIGURE(field) .order = COLUMN_BY_SIZE, .figure = offsetof(struct hist_entry, field)

const struct column columns[HIST_NR_COLUMNS] = {
	[HIST_COMM] = { "comm", NULL, "Command", "comm", NULL, &strings, comm_key, .flags = COLUMN_IN_DIFF },
	[HIST_PID] = { "pid", NULL, "    Pid:Command", "tid", NULL, &pids, tid_key, .order = COLUMN_BY_NUMBER,
		       .flags = COLUMN_IN_DIFF | COLUMN_IS_NUMBER },
	[HIST_TID] = { "tid", NULL, "Tid", "tid", NULL, &tids, tid_key, .order = COLUMN_BY_NUMBER,
		       .flags = COLUMN_IN_DIFF | COLUMN_IS_NUMBER },
	[HIST_CPU] = { "cpu", NULL, "CPU", "cpu", NULL, &cpus, cpu_key, .order = COLUMN_BY_NUMBER,
		       .flags = COLUMN_IN_DIFF | COLUMN_IS_NUMBER | COLUMN_OF_CPUS },
	[HIST_PARALLELISM] = { "parallelism", NULL, "Parallelism", "parallelism", NULL, &parallelisms, parallelism_key,
			       .order = COLUMN_BY_NUMBER, .flags = COLUMN_IS_NUMBER | COLUMN_IS_RIGHT | COLUMN_OF_SWITCHES },
	[HIST_DSO] = { "dso", NULL, "Shared Object", "dso", NULL, &dsos, dso_key, .flags = COLUMN_IN_DIFF },
	[HIST_SYM] = { "sym", "symbol", "Symbol", "symbol", NULL, &symbols, symbol_key, same_symbol,
		       .flags = COLUMN_IN_DIFF | COLUMN_IS_OPEN },
	[HIST_KIND] = { "kind", NULL, "Kind", "kind", NULL, &kinds, kind_key, .order = COLUMN_BY_NAME },
	[HIST_SRCLINE] = { "srcline", NULL, "Source:Line", "srcline", NULL, &strings, srcline_key, .flags = COLUMN_IN_DIFF | OF_LINES },
	[HIST_SRCFILE] = { "srcfile", NULL, "Source File", "srcfile", NULL, &strings, srcfile_key, .flags = COLUMN_IN_DIFF | OF_LINES },

	/* Ends of branches are sorted by address, as in perf. */
	[HIST_DSO_FROM] = { "dso_from", NULL, "Source Shared Object", "dso", "from", &dsos, dso_key, .flags = FROM },
	[HIST_SYM_FROM] = { "symbol_from", "sym_from", "Source Symbol", "symbol", "from", &symbols, symbol_key, same_symbol,
			    COLUMN_BY_NUMBER, .flags = FROM },
	[HIST_SRCLINE_FROM] = { "srcline_from", NULL, "From Source:Line", "srcline", "from", &strings, srcline_key,
				.flags = FROM | COLUMN_NEEDS_LINES },
	[HIST_DSO_TO] = { "dso_to", NULL, "Target Shared Object", "dso", "to", &dsos, dso_key, .flags = COLUMN_OF_BRANCHES },
	[HIST_SYM_TO] = { "symbol_to", "sym_to", "Target Symbol", "symbol", "to", &symbols, symbol_key, same_symbol, COLUMN_BY_NUMBER,
			  .flags = COLUMN_OF_BRANCHES },
	[HIST_SRCLINE_TO] = { "srcline_to", NULL, "To Source:Line", "srcline", "to", &strings, srcline_key,
			      .flags = COLUMN_OF_BRANCHES | COLUMN_NEEDS_LINES },
	[HIST_MISPREDICT] = { "mispredict", NULL, "Branch Mispredicted", "mispredicted", NULL, &flags, flag_key, .order = COLUMN_BY_NUMBER,
			      .flags = COLUMN_OF_BRANCHES, .bit = 1, .letters = "NY" },
	[HIST_IN_TX] = { "in_tx", NULL, "Branch in transaction", "in_tx", NULL, &flags, flag_key, .order = COLUMN_BY_NUMBER,
			 .flags = COLUMN_OF_BRANCHES, .bit = 4, .letters = ".T" },
	[HIST_ABORT] = { "abort", NULL, "Transaction abort", "abort", NULL, &flags, flag_key, .order = COLUMN_BY_NUMBER,
			 .flags = COLUMN_OF_BRANCHES, .bit = 8, .letters = ".A" },
	[HIST_CYCLES] = { "cycles", NULL, "Basic Block Cycles", "cycles", NULL, &cycles, cycles_key, .order = COLUMN_BY_SIZE,
			  .flags = COLUMN_OF_BRANCHES },

	[HIST_CHILDREN] = { "overhead_children", NULL, "Children", .kind = &shares, .cmp = cmp_children, .min_width = 8, FIGURE(children) },
	[HIST_LATENCY_CHILDREN] = { "latency_children", NULL, "Latency", .kind = &latencies_children, .cmp = cmp_latency_children,
				    .order = COLUMN_BY_SIZE, .flags = COLUMN_OF_SWITCHES },
	[HIST_SELF] = { "overhead", NULL, "Self", .kind = &shares, .min_width = 8, FIGURE(period) },
	[HIST_LATENCY] = { "latency", NULL, "Latency", .kind = &latencies, .min_width = 8, .order = COLUMN_BY_SIZE,
			   .flags = COLUMN_OF_SWITCHES },
	[HIST_SYS] = { "overhead_sys", NULL, "sys", .kind = &shares, .min_width = 8, FIGURE(sys) },
	[HIST_USER] = { "overhead_us", NULL, "usr", .kind = &shares, .min_width = 8, FIGURE(user) },
	[HIST_SAMPLES] = { "sample", NULL, "Samples", .kind = &counts, .min_width = 12, FIGURE(nr) },
	[HIST_PERIOD] = { "period", NULL, "Period", .kind = &counts, .min_width = 12, FIGURE(period) },
};

static bool is_word(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, word, len);
}

enum hist_column column_find(const char *word, size_t len)
{
	enum hist_column col = 0;

	while (col < HIST_NR_COLUMNS && !is_word(columns[col].name, word, len) && !is_word(columns[col].alias, word, len))
		col++;
	return col;
}

char *column_words(char separator, enum hist_column end, unsigned needed)
{
	struct out o;

	out_init(&o, -1);
	for (enum hist_column col = 0; col < end; col++) {
		const char *const words[] = { columns[col].name, columns[col].alias };

		for (int i = 0; i < 2 && words[i] && (columns[col].flags & needed) == needed; i++) {
			if (o.len)
				out_char(&o, separator);
			out_str(&o, words[i]);
		}
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

const struct column *hist_column(const struct hist *h, uint32_t col)
{
	return col < HIST_FIELDS ? &columns[col] : &h->options->fields[col - HIST_FIELDS].column;
}

struct column_value column_value(const struct column *c, struct hist *h, const struct hist_entry *e)
{
	return c->kind->value(c, h, e);
}

int column_cmp_values(const struct column *c, const struct column_value *a, const struct column_value *b)
{
	if (c->order == COLUMN_BY_NUMBER)
		return COMPARE(a->number, b->number);
	if (c->order == COLUMN_BY_SIGNED)
		return COMPARE((int64_t)a->number, (int64_t)b->number);
	if (c->order == COLUMN_BY_SIZE)
		return COMPARE(b->number, a->number);
	return a->is_known != b->is_known ? b->is_known - a->is_known : strcmp(a->text, b->text);
}

int column_cmp_rows(const struct column *c, struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	struct column_value va, vb;

	if (c->cmp)
		return c->cmp(h, a, b);
	va = column_value(c, h, a);
	vb = column_value(c, h, b);
	return column_cmp_values(c, &va, &vb);
}
