/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text of samples. Layout, as in perf:
 *
 *	COMM PID/TID [CPU] TIME: PERIOD EVENT: IP SYM+OFF (DSO)
 *
 * or, with a call chain, the line up to EVENT and a line for each frame, then an empty line. A frame's address is the file
 * offset for user code and the address itself for the kernel.
 */
#include "view/script_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define HAS(fields, f) ((fields) & (1u << (f)))

/* The text that is kept of places and stacks may grow to this many bytes; then it starts afresh. */
#define KEPT_BYTES (36u << 20)
#define STACK_BYTES (4u << 20) /* of the text of a stack that is kept */

void script_text_init(struct script_text *v, struct out *o, struct profile *p)
{
	memset(v, 0, sizeof(*v));
	v->o = o;
	v->profile = p;
	script_fields_init(&v->fields);
	out_init(&v->text, -1);
	out_init(&v->prefix, -1);
	v->last_sec = UINT64_MAX;
}

static void forget_measures(struct script_text *v)
{
	for (uint32_t i = 0; i < v->measures.nr; i++)
		out_fini(&v->measures.v[i].text);
	v->measures.nr = 0;
}

void script_text_fini(struct script_text *v)
{
	forget_measures(v);
	vec_fini(&v->measures);
	vec_fini(&v->events);
	vec_fini(&v->event_fields);
	vec_fini(&v->event_needs);
	vec_fini(&v->locations);
	vec_fini(&v->stacks);
	out_fini(&v->text);
	out_fini(&v->prefix);
}

static enum script_kind kind_of(const struct attr *attr)
{
	switch (attr->type) {
	case ATTR_TYPE_HARDWARE:
	case ATTR_TYPE_HW_CACHE:
		return SCRIPT_HW;
	case ATTR_TYPE_SOFTWARE:
		return SCRIPT_SW;
	case ATTR_TYPE_TRACEPOINT:
		return SCRIPT_TRACEPOINT;
	case ATTR_TYPE_RAW:
		return SCRIPT_RAW;
	case ATTR_TYPE_BREAKPOINT:
		return SCRIPT_BREAKPOINT;
	default:
		return SCRIPT_OTHER;
	}
}

static int check_fields(const struct perfdata_event *ev, uint32_t *fields, uint32_t wanted, struct errbuf *eb)
{
	for (uint32_t i = 0; i < SCRIPT_NR_FIELDS; i++) {
		const struct script_field_info *f = &script_field_infos[i];

		if (!HAS(*fields, i) || !f->sample_type || (ev->attr.sample_type & f->sample_type))
			continue;
		if (HAS(wanted, i))
			return errbuf_set(eb, -EINVAL, "samples of '%s' carry no '%s'%s%s%s", ev->name, f->name,
					  f->option ? "; record with " : "", f->option ? f->option : "", f->option ? " to have it" : "");
		*fields &= ~(1u << i);
	}
	return 0;
}

/* Only a page fault's address says more with a symbol. */
static bool address_has_symbol(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && (a->config == 2 || a->config == 5 || a->config == 6);
}

static int needs_of(uint32_t fields, bool chain, const struct attr *a)
{
	int need = 0;

	if (HAS(fields, SCRIPT_IP))
		need |= chain ? SCRIPT_NEEDS_CHAIN : SCRIPT_NEEDS_PLACE;
	if (need && HAS(fields, SCRIPT_SYM))
		need |= SCRIPT_NEEDS_NAMES;
	if (HAS(fields, SCRIPT_ADDR) && address_has_symbol(a))
		need |= SCRIPT_NEEDS_DATA;
	return need;
}

int script_text_learn(struct script_text *v, struct errbuf *eb)
{
	const struct perfdata_info *info = v->profile->recording->info;

	if (v->event_fields.nr == info->events.nr)
		return 0;
	v->name_width = 0;
	while (v->event_fields.nr < info->events.nr) {
		const struct perfdata_event *ev = &info->events.v[v->event_fields.nr];
		enum script_kind kind = kind_of(&ev->attr);
		uint32_t fields = v->fields.set[kind];
		bool chain = (ev->attr.sample_type & SAMPLE_CALLCHAIN) && !v->hide_chain;
		int err;

		if (chain && !v->fields.by_user[kind])
			fields |= (1u << SCRIPT_IP | 1u << SCRIPT_SYM | 1u << SCRIPT_SYMOFF | 1u << SCRIPT_DSO) & ~v->fields.removed[kind];
		err = check_fields(ev, &fields, v->fields.wanted[kind], eb);
		if (err)
			return err;
		vec_push(&v->event_fields, fields);
		vec_push(&v->event_needs, needs_of(fields, chain, &ev->attr));
	}
	for (uint32_t i = 0; i < info->events.nr; i++)
		if ((int)strlen(info->events.v[i].name) > v->name_width)
			v->name_width = (int)strlen(info->events.v[i].name);
	forget_measures(v); /* names may be padded further */
	for (uint32_t i = 0; i < info->events.nr; i++) {
		struct script_measure *m = vec_add(&v->measures);

		m->period = 0;
		out_init(&m->text, -1);
	}
	return 0;
}

static void put_padded(struct out *o, const char *s, int width)
{
	int len = (int)strlen(s);

	if (len < width)
		out_spaces(o, width - len);
	escape_terminal_str(o, s);
}

/* "\n  FILE:LINE". What is no file, or none that could be looked into, has an address there; a file that says nothing has no line. */
static void put_srcline(struct script_text *v, struct out *o, const struct profile_place *place)
{
	const struct location *at = &v->profile->locations.v[place->location].at;
	const struct dso *d = profile_dso(v->profile, at->dso);

	if (place->file) {
		const char *path = profile_str(v->profile, place->file), *slash = v->full_paths ? NULL : strrchr(path, '/');

		out_str(o, "\n  ");
		escape_terminal_str(o, slash ? slash + 1 : path);
		out_char(o, ':');
		out_u64(o, place->line, 0);
	} else if (at->dso != DSO_NONE && d->kind != MODULE_ELF) {
		out_str(o, "\n  ");
		escape_terminal_str(o, d->short_name);
		out_char(o, '[');
		out_hex(o, at->addr, 0);
		out_char(o, ']');
	}
}

/* " SYM+0xOFF (DSO)" of a place, as the fields ask; an inlined function has "(inlined)" for the DSO, and has it always. */
static void put_place(struct script_text *v, struct out *o, const struct profile_place *place, uint32_t fields)
{
	struct profile *p = v->profile;
	const struct profile_frame *f = &p->frames.v[place->frame];
	const struct location *at = &p->locations.v[place->location].at;

	if (HAS(fields, SCRIPT_SYM)) {
		out_char(o, ' ');
		if (!f->function) {
			out_str(o, "[unknown]");
		} else {
			escape_terminal_str(o, profile_str(p, f->function));
			/* Functions of Python have no addresses. */
			if (HAS(fields, SCRIPT_SYMOFF) && (at->dso == DSO_NONE || at->dso != p->machine->python_dso)) {
				out_str(o, "+0x");
				out_hex(o, at->addr - f->start, 0);
			}
		}
	}
	if (HAS(fields, SCRIPT_DSO) && !f->is_inlined) {
		out_str(o, " (");
		escape_terminal_str(o, profile_dso(p, at->dso)->path);
		out_char(o, ')');
	}
	if (HAS(fields, SCRIPT_SRCLINE))
		put_srcline(v, o, place);
	if (f->is_inlined)
		out_str(o, " (inlined)");
}

/* The same of a location in one line: the function that was really called, and the line of the address itself. */
static void put_symbol(struct script_text *v, struct out *o, uint32_t location, uint32_t fields)
{
	uint32_t nr;
	const struct profile_place *places = profile_places_of(v->profile, location, &nr);
	struct profile_place place = places[nr - 1];

	place.file = places[0].file;
	place.line = places[0].line;
	put_place(v, o, &place, fields);
}

static struct script_text_span *span_at(struct script_text *v, bool stack, uint32_t id)
{
	uint32_t nr = stack ? v->profile->stacks.nr : v->profile->locations.nr;
	struct script_text_span **spans = stack ? &v->stacks.v : &v->locations.v;
	uint32_t *have = stack ? &v->stacks.nr : &v->locations.nr;

	if (id >= *have) {
		if (stack)
			vec_reserve(&v->stacks, nr);
		else
			vec_reserve(&v->locations, nr);
		memset(*spans + *have, 0, (nr - *have) * sizeof(**spans));
		*have = nr;
	}
	return *spans + id;
}

/* The lines of a location in a call chain: inlined functions first. */
static const struct script_text_span *location_line(struct script_text *v, uint32_t location, uint32_t fields)
{
	struct script_text_span *span = span_at(v, false, location);

	if (!span->len) {
		uint32_t nr;
		const struct profile_place *places = profile_places_of(v->profile, location, &nr);
		const struct location *at = &v->profile->locations.v[location].at;
		enum module_kind kind = at->dso != DSO_NONE ? profile_dso(v->profile, at->dso)->kind : MODULE_KERNEL;
		bool in_file = kind != MODULE_KERNEL && kind != MODULE_KMODULE;

		span->off = (uint32_t)v->text.len;
		for (uint32_t i = 0; i < nr; i++) {
			out_char(&v->text, '\t');
			out_hex(&v->text, in_file ? at->addr : at->ip, 16);
			put_place(v, &v->text, &places[i], fields);
			out_char(&v->text, '\n');
		}
		span->len = (uint32_t)v->text.len - span->off;
	}
	return span;
}

static void forget_text(struct script_text *v)
{
	v->locations.nr = v->stacks.nr = 0;
	v->text.len = 0;
}

/* Ids of places and stacks may mean others now, and distinct stacks may be as many as samples. */
static void forget_when_stale(struct script_text *v)
{
	if (v->nr_forgets == v->profile->nr_forgets && v->text.len <= KEPT_BYTES)
		return;
	v->nr_forgets = v->profile->nr_forgets;
	forget_text(v);
}

/* Kept text is of one set of fields. Events that print chains differently are rare: they start afresh. */
static void forget_other_fields(struct script_text *v, uint32_t fields)
{
	uint32_t chain_fields = fields & (1u << SCRIPT_SYM | 1u << SCRIPT_SYMOFF | 1u << SCRIPT_DSO | 1u << SCRIPT_SRCLINE);

	if (v->kept_fields != chain_fields) {
		v->kept_fields = chain_fields;
		forget_text(v);
	}
}

/* Long names in a deep stack are gigabytes of text: past what is kept they are printed line by line. */
static bool is_large_stack(struct script_text *v, uint32_t stack, uint32_t fields)
{
	uint32_t n = profile_stack_node(v->profile, stack);
	uint64_t size = 0;

	for (; n != STACK_TREE_ROOT && size <= STACK_BYTES && v->text.len <= KEPT_BYTES; n = stack_tree_parent(&v->profile->tree, n))
		size += location_line(v, stack_tree_frame(&v->profile->tree, n), fields)->len;
	return n != STACK_TREE_ROOT || size > STACK_BYTES;
}

static void put_lines(struct script_text *v, uint32_t stack, uint32_t fields)
{
	for (uint32_t n = profile_stack_node(v->profile, stack); n != STACK_TREE_ROOT && !v->o->error;
	     n = stack_tree_parent(&v->profile->tree, n)) {
		const struct script_text_span *line;

		if (v->text.len > KEPT_BYTES)
			forget_text(v);
		line = location_line(v, stack_tree_frame(&v->profile->tree, n), fields);
		out_mem(v->o, v->text.buf + line->off, line->len);
	}
}

/* Keeps the text of a stack. */
static struct script_text_span *render_stack(struct script_text *v, uint32_t stack)
{
	const struct profile *p = v->profile;
	struct script_text_span *span;
	uint32_t off = (uint32_t)v->text.len;

	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		struct script_text_span line = v->locations.v[stack_tree_frame(&p->tree, n)];
		char *room = out_room(&v->text, line.len);

		memcpy(room, v->text.buf + line.off, line.len);
		out_advance(&v->text, line.len);
	}
	span = span_at(v, true, stack);
	span->off = off;
	span->len = (uint32_t)v->text.len - off;
	return span;
}

static void put_stack(struct script_text *v, uint32_t stack, uint32_t fields)
{
	forget_other_fields(v, fields);

	struct script_text_span *span = span_at(v, true, stack);

	if (!span->len && stack != STACK_NONE) {
		/* Lines first: rendering them appends to the same memory. */
		if (is_large_stack(v, stack, fields)) {
			put_lines(v, stack, fields);
			return;
		}
		span = render_stack(v, stack);
	}
	if (span->len) /* an empty chain may be all there was so far: no buffer yet */
		out_mem(v->o, v->text.buf + span->off, span->len);
}

/* What is shown of a task, and whether in columns: the same text serves all events that agree in it. */
static uint32_t look_of_task(uint32_t fields, int needs)
{
	return (fields & (1u << SCRIPT_COMM | 1u << SCRIPT_PID | 1u << SCRIPT_TID)) | (needs & SCRIPT_NEEDS_CHAIN ? 1u << 31 : 0);
}

/* "COMM PID/TID ", rendered again only when the task, its name or what is shown of it changes. */
static void put_task(struct script_text *v, const struct script_line *l)
{
	uint32_t fields = v->event_fields.v[l->event];
	uint32_t look = look_of_task(fields, v->event_needs.v[l->event]);
	uint64_t pid_tid = (uint64_t)l->pid << 32 | l->tid;

	if (v->prefix_comm != l->comm || v->prefix_look != look || v->prefix_pid_tid != pid_tid) {
		struct out *o = &v->prefix;

		o->len = 0;
		if (HAS(fields, SCRIPT_COMM)) {
			put_padded(o, l->comm, v->event_needs.v[l->event] & SCRIPT_NEEDS_CHAIN ? 0 : 16);
			out_char(o, ' ');
		}
		if (HAS(fields, SCRIPT_PID) && HAS(fields, SCRIPT_TID))
			out_printf(o, "%5d/%-5d ", (int32_t)l->pid, (int32_t)l->tid);
		else if (HAS(fields, SCRIPT_PID))
			out_printf(o, "%5d ", (int32_t)l->pid);
		else if (HAS(fields, SCRIPT_TID))
			out_printf(o, "%5d ", (int32_t)l->tid);
		v->prefix_comm = l->comm;
		v->prefix_look = look;
		v->prefix_pid_tid = pid_tid;
	}
	out_mem(v->o, v->prefix.buf, v->prefix.len);
}

/* Letters for the record's misc bits, in a column of six. */
static void put_misc(struct out *o, const struct record_header *h)
{
	static const char modes[] = { 0, 'K', 'U', 'H', 'G', 'g' };
	unsigned mode = h->misc & MISC_CPUMODE_MASK;
	char text[8] = "";
	int len = 0;

	if (mode < sizeof(modes) && modes[mode])
		text[len++] = modes[mode];
	if ((h->type == RECORD_MMAP || h->type == RECORD_MMAP2) && (h->misc & MISC_MMAP_DATA))
		text[len++] = 'M';
	else if (h->type == RECORD_COMM && (h->misc & MISC_COMM_EXEC))
		text[len++] = 'E';
	else if ((h->type == RECORD_SWITCH || h->type == RECORD_SWITCH_CPU_WIDE) && (h->misc & MISC_SWITCH_OUT))
		len += snprintf(text + len, sizeof(text) - (size_t)len, "S%s", h->misc & MISC_SWITCH_OUT_PREEMPT ? "p" : "");
	out_printf(o, "%-6s", text);
}

static void put_time(struct script_text *v, uint64_t time_ns)
{
	uint64_t sec = time_ns / 1000000000;
	uint32_t ns = (uint32_t)(time_ns % 1000000000);
	int digits = v->nanoseconds ? 9 : 6;
	char *room;

	if (sec != v->last_sec) {
		struct out t;

		out_init(&t, -1);
		out_u64(&t, sec, 5);
		out_char(&t, '.');
		v->last_sec = sec;
		v->last_sec_len = (int)t.len;
		memcpy(v->last_sec_text, t.buf, t.len);
		out_fini(&t);
	}
	room = out_room(v->o, sizeof(v->last_sec_text) + 16);
	memcpy(room, v->last_sec_text, (size_t)v->last_sec_len);
	out_last_digits(room + v->last_sec_len, v->nanoseconds ? ns : ns / 1000, digits);
	memcpy(room + v->last_sec_len + digits, ": ", 2);
	out_advance(v->o, (size_t)(v->last_sec_len + digits + 2));
}

static void put_start(struct script_text *v, const struct script_line *l)
{
	uint32_t fields = v->event_fields.v[l->event];

	put_task(v, l);
	if (HAS(fields, SCRIPT_CPU)) {
		char *room = out_room(v->o, 8);

		if (l->cpu < 1000) {
			room[0] = '[';
			out_last_digits(room + 1, l->cpu, 3);
			memcpy(room + 4, "] ", 2);
			out_advance(v->o, 6);
		} else {
			out_printf(v->o, "[%03d] ", (int32_t)l->cpu);
		}
	}
	if (HAS(fields, SCRIPT_MISC))
		put_misc(v->o, l->header);
	if (HAS(fields, SCRIPT_TIME))
		put_time(v, l->time_ns);
}

int script_text_prefix(struct script_text *v, const struct session_record *sr, struct errbuf *eb)
{
	const struct machine *m = v->profile->machine;
	const struct sample_id *id = &sr->rec.id;
	int err = script_text_learn(v, eb);
	struct task *task = sr->task;

	if (err || !v->event_fields.nr)
		return err;
	if (!task)
		task = task_table_get(&v->profile->machine->tasks, 0, 0);
	put_start(v, &(struct script_line){
			     .comm = machine_comm(m, task),
			     .pid = id->pid,
			     .tid = id->tid,
			     .cpu = id->cpu,
			     .event = sr->event >= 0 ? sr->event : 0,
			     .time_ns = id->time_ns,
			     .header = sr->header,
		     });
	return 0;
}

static void put_data_address(struct script_text *v, const struct script_sample *s, uint32_t fields)
{
	out_hex(v->o, s->sr->rec.sample.addr, 16);
	if (address_has_symbol(&v->profile->recording->info->events.v[s->sr->event].attr))
		put_symbol(v, v->o, s->data, fields);
}

/* "PERIOD EVENT: ", rendered again only when the period changes. */
static void put_measure(struct script_text *v, const struct script_line *l, uint32_t fields)
{
	struct script_measure *m = &v->measures.v[l->event];
	struct out *o = &m->text;

	if (m->period != l->period || !o->len) {
		o->len = 0;
		if (HAS(fields, SCRIPT_PERIOD)) {
			out_u64(o, l->period, 10);
			out_char(o, ' ');
		}
		if (HAS(fields, SCRIPT_EVENT)) {
			put_padded(o, v->printer ? v->events.v[l->event].name : v->profile->recording->info->events.v[l->event].name,
				   v->name_width);
			out_str(o, ": ");
		}
		m->period = l->period;
	}
	out_mem(v->o, o->buf, o->len);
}

static const char *trace_text(const struct script_text *v, const struct script_line *l)
{
	const struct recording *r = v->profile->recording;
	const struct attr *a;

	if (!l->raw)
		return NULL;
	if (v->printer)
		return tracepoints_printer_text(v->printer, v->events.v[l->event].tracepoint, l->raw, l->raw_size);
	a = &r->info->events.v[l->event].attr;
	return a->type == ATTR_TYPE_TRACEPOINT ? tracepoints_text(r->tracepoints, a->config, l->raw, l->raw_size) : NULL;
}

void script_text_line(struct script_text *v, const struct script_line *l)
{
	uint32_t fields = v->event_fields.v[l->event];

	put_start(v, l);
	put_measure(v, l, fields);
	if (HAS(fields, SCRIPT_TRACE)) {
		const char *trace = trace_text(v, l);

		if (trace)
			escape_terminal_str(v->o, trace);
	}
}

void script_text_sample(struct script_text *v, const struct script_sample *located)
{
	const struct session_record *sr = located->sr;
	const struct sample *s = &sr->rec.sample;
	const struct script_line line = script_line_of(v->profile->machine, sr);
	struct out *o = v->o;
	uint32_t fields = v->event_fields.v[sr->event];

	forget_when_stale(v);
	script_text_line(v, &line);
	if (HAS(fields, SCRIPT_ADDR))
		put_data_address(v, located, fields);
	if (HAS(fields, SCRIPT_DATA_SRC))
		out_printf(o, "%16llx ", (unsigned long long)s->data_src);
	if (HAS(fields, SCRIPT_WEIGHT))
		out_printf(o, "%16llu ", (unsigned long long)s->weight);
	if (v->event_needs.v[sr->event] & SCRIPT_NEEDS_CHAIN) {
		out_char(o, '\n');
		put_stack(v, located->stack, fields);
	} else if (HAS(fields, SCRIPT_IP)) {
		out_char(o, ' ');
		out_hex(o, v->profile->locations.v[located->location].at.ip, 16);
		put_symbol(v, o, located->location, fields);
	}
	if (HAS(fields, SCRIPT_PHYS_ADDR))
		out_printf(o, "%16llx", (unsigned long long)s->phys_addr);
	if (HAS(fields, SCRIPT_DATA_PAGE_SIZE))
		out_printf(o, " %llu", (unsigned long long)s->data_page_size);
	if (HAS(fields, SCRIPT_CODE_PAGE_SIZE))
		out_printf(o, " %llu", (unsigned long long)s->code_page_size);
	out_char(o, '\n');
}
