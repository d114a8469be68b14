/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * These rules are perf's, found by looking at what it writes (perf evlist -v): files and readers depend on them, so that a difference is a
 * bug even where it would be an improvement.
 */
#include "kernel/event_config.h"

#include <stdlib.h>

#include "abi/event_names.h"
#include "abi/sample.h"

/* branch_sample_type for call stacks by the branch unit: user, call stack, no flags, no cycles, index */
#define BRANCH_LBR_CALLGRAPH (1ull << 0 | 1ull << 11 | 1ull << 14 | 1ull << 15 | BRANCH_HW_INDEX)

/* What unwinding by DWARF needs, as perf has it: the general registers and 8 KiB of stack. */
#ifdef __aarch64__
#define DWARF_REGS ((1ull << 33) - 1)
#else
#define DWARF_REGS 0xff0fffull
#endif
#define DWARF_STACK 8192

#define TRACKING_FLAGS (ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL)

void event_config_init(struct event_config *c)
{
	*c = (struct event_config){ .freq = 4000 };
}

static void set_flag(struct attr *a, uint64_t flag, bool on)
{
	a->flags = on ? a->flags | flag : a->flags & ~flag;
}

/* Tracepoints, breakpoints and our own dummy have period 1 of their own; only an explicit wish replaces it. */
static void configure_period(struct event_spec *spec, const struct event_config *c, bool own_dummy)
{
	struct attr *a = &spec->attr;
	bool bpf_output = a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_BPF_OUTPUT;
	bool own_period = a->type == ATTR_TYPE_TRACEPOINT || a->type == ATTR_TYPE_BREAKPOINT || bpf_output || own_dummy;

	if (own_period && !c->freq_given && !c->period) {
		a->sample_period = 1;
	} else if (c->period) {
		a->sample_period = c->period;
	} else {
		a->sample_period = c->freq;
		a->flags |= ATTR_FREQ;
		a->sample_type |= SAMPLE_PERIOD;
	}
	if (a->type == ATTR_TYPE_TRACEPOINT || bpf_output)
		a->sample_type |= SAMPLE_RAW | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD;
	if (c->no_samples)
		a->sample_period = 0;
	if (c->sample_period_given)
		a->sample_type = c->sample_period ? a->sample_type | SAMPLE_PERIOD : a->sample_type & ~SAMPLE_PERIOD;
}

/* An event's own terms about call chains; otherwise the recording's. A depth alone asks for chains, a stack's size alone does not. */
static enum event_callgraph callgraph_of(const struct event_spec *spec, const struct event_config *c)
{
	const struct event_terms *t = &spec->terms;

	if (t->given & EVENT_TERM_CALLGRAPH)
		return t->callgraph;
	if (t->given & EVENT_TERM_MAX_STACK && c->callgraph == CALLGRAPH_NONE)
		return CALLGRAPH_FP;
	return c->callgraph;
}

static void configure_callgraph(struct event_spec *spec, const struct event_config *c)
{
	const struct event_terms *t = &spec->terms;
	enum event_callgraph callgraph = callgraph_of(spec, c);
	struct attr *a = &spec->attr;

	if (callgraph == CALLGRAPH_NONE)
		return;
	a->sample_type |= SAMPLE_CALLCHAIN;
	a->sample_max_stack = t->given & EVENT_TERM_MAX_STACK ? t->max_stack : c->max_stack;
	set_flag(a, ATTR_EXCLUDE_CHAIN_KERNEL, c->user_callchains);
	set_flag(a, ATTR_EXCLUDE_CHAIN_USER, c->kernel_callchains);
	if (callgraph == CALLGRAPH_DWARF) {
		a->sample_type |= SAMPLE_REGS_USER | SAMPLE_STACK_USER;
		if (!c->unwinds)
			a->sample_type |= SAMPLE_ADDR | SAMPLE_DATA_SRC;
		a->sample_regs_user |= DWARF_REGS;
		a->sample_stack_user = c->stack_user_size ? c->stack_user_size : DWARF_STACK;
		if (t->given & EVENT_TERM_STACK_SIZE)
			a->sample_stack_user = t->stack_size;
		a->flags |= ATTR_EXCLUDE_CHAIN_USER;
	} else if (callgraph == CALLGRAPH_LBR) {
		a->sample_type |= SAMPLE_BRANCH_STACK;
		a->branch_sample_type |= BRANCH_LBR_CALLGRAPH;
	}
}

static void configure_sample(struct event_spec *spec, const struct event_config *c)
{
	const struct {
		bool wanted;
		uint64_t bits;
	} fields[] = {
		{ c->timestamp || !c->timestamp_given, SAMPLE_TIME },
		{ c->system_wide || c->sample_cpu, SAMPLE_CPU },
		{ c->address, SAMPLE_ADDR | SAMPLE_DATA_SRC },
		{ c->phys_address, SAMPLE_PHYS_ADDR },
		{ c->data_page_size, SAMPLE_DATA_PAGE_SIZE },
		{ c->code_page_size, SAMPLE_CODE_PAGE_SIZE },
		{ c->weight, SAMPLE_WEIGHT_STRUCT },
		{ c->cgroups, SAMPLE_CGROUP },
		{ c->transaction, SAMPLE_TRANSACTION },
		{ c->raw, SAMPLE_RAW | SAMPLE_TIME | SAMPLE_CPU },
		{ spec->sample_read, SAMPLE_READ | SAMPLE_ID },
	};
	struct attr *a = &spec->attr;

	a->sample_type |= SAMPLE_IP | SAMPLE_TID;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].wanted)
			a->sample_type |= fields[i].bits;
	a->branch_sample_type = a->sample_regs_user = 0;
	configure_callgraph(spec, c);
}

static void configure_tracking(struct event_spec *spec, const struct event_config *c)
{
	bool dwarf = callgraph_of(spec, c) == CALLGRAPH_DWARF;
	struct attr *a = &spec->attr;

	a->flags |= TRACKING_FLAGS;
	set_flag(a, ATTR_BPF_EVENT, !c->no_bpf_event);
	set_flag(a, ATTR_MMAP_DATA, c->address || (dwarf && !c->unwinds));
	set_flag(a, ATTR_NAMESPACES, c->namespaces);
	set_flag(a, ATTR_CGROUP, c->cgroups);
	set_flag(a, ATTR_BUILD_ID, c->build_id_mmap);
	set_flag(a, ATTR_CONTEXT_SWITCH, c->switch_events);
}

/* Events wait for the exec of the workload, or for the recorder. A dummy that tracks the whole system, or tasks that run already, must not
 * wait: maps made during a delay would be missing. */
static void configure_start(struct attr *a, const struct event_config *c, bool tracks, bool leads)
{
	bool tracks_only = tracks && attr_is_dummy(a);
	bool immediate = tracks_only && (c->system_wide || (c->delayed && !c->targets_workload));
	bool waits = leads && !immediate; /* members of a group run when their leader does */

	set_flag(a, ATTR_DISABLED, waits);
	set_flag(a, ATTR_ENABLE_ON_EXEC, waits && c->targets_workload && (!c->delayed || tracks_only));
}

/* Terms come last: they are about this event, options about all. */
static void configure_terms(struct event_spec *spec)
{
	const struct event_terms *t = &spec->terms;
	struct attr *a = &spec->attr;

	if (t->given & EVENT_TERM_PERIOD) {
		a->sample_period = t->period;
		a->flags &= ~ATTR_FREQ;
		a->sample_type &= ~SAMPLE_PERIOD;
	}
	if (t->given & EVENT_TERM_FREQ) {
		a->sample_period = t->freq;
		a->flags |= ATTR_FREQ;
		a->sample_type |= SAMPLE_PERIOD;
	}
	if (t->given & EVENT_TERM_TIME)
		a->sample_type = t->time ? a->sample_type | SAMPLE_TIME : a->sample_type & ~SAMPLE_TIME;
	if (t->given & EVENT_TERM_INHERIT)
		set_flag(a, ATTR_INHERIT, t->inherit);
	if (t->given & EVENT_TERM_OVERWRITE)
		set_flag(a, ATTR_WRITE_BACKWARD, t->overwrite);
	if (t->given & EVENT_TERM_BRANCH_TYPE) {
		a->sample_type |= SAMPLE_BRANCH_STACK;
		a->branch_sample_type = t->branch_type;
	}
}

static bool is_read_group(const struct event_list *list, int32_t leader)
{
	for (uint32_t i = (uint32_t)leader; i < list->events.nr; i++)
		if (list->events.v[i].group_leader == leader && list->events.v[i].sample_read)
			return true;
	return false;
}

/* Whether events whose counts are read with each sample follow their tasks. Such counts are those of one task, so that readers keep
 * tasks apart where this bit is set: on whole CPUs, where counts are the CPU's, it must not be. */
static bool reads_follow(const struct event_spec *leader, const struct event_config *c)
{
	return leader->attr.flags & ATTR_INHERIT && !c->system_wide && !c->no_inherited_reads;
}

/* In a group that is read with its samples only the leader samples, and all follow or none does. */
static void configure_group(struct event_list *list, const struct event_config *c, uint32_t i)
{
	struct event_spec *spec = &list->events.v[i];
	const struct event_spec *leader = spec;

	if (spec->group_leader < 0) {
		if (spec->sample_read)
			set_flag(&spec->attr, ATTR_INHERIT, reads_follow(spec, c));
		return;
	}
	leader = &list->events.v[spec->group_leader];
	if (is_read_group(list, spec->group_leader))
		set_flag(&spec->attr, ATTR_INHERIT, reads_follow(leader, c));
	if (spec->sample_read)
		spec->attr.read_format |= READ_GROUP;
	if (leader == spec || !leader->sample_read)
		return;
	spec->attr.sample_period = 0;
	spec->attr.flags &= ~(ATTR_FREQ | ATTR_WRITE_BACKWARD);
	spec->attr.sample_type = leader->attr.sample_type;
}

static void configure_event(struct event_spec *spec, const struct event_config *c, bool own_dummy, bool tracks, bool leads)
{
	struct attr *a = &spec->attr;

	a->sample_type = 0;
	a->read_format = READ_ID | READ_LOST;
	if (c->stat || c->running_time)
		a->read_format |= READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING;
	a->flags |= ATTR_SAMPLE_ID_ALL;
	set_flag(a, ATTR_INHERIT, !c->no_inherit);
	set_flag(a, ATTR_INHERIT_STAT, c->stat);
	if (c->all_user || c->all_kernel) {
		set_flag(a, ATTR_EXCLUDE_KERNEL, c->all_user);
		set_flag(a, ATTR_EXCLUDE_USER, !c->all_user);
		/* The default event without the kernel is not what was asked for. */
		if (c->all_kernel && spec->kernel_denied) {
			free(spec->name);
			spec->name = mem_strdup("cycles:P");
			spec->kernel_denied = false;
		}
	}
	if (c->has_clockid) {
		a->flags |= ATTR_USE_CLOCKID;
		a->clockid = c->clockid;
	}
	configure_period(spec, c, own_dummy);
	configure_sample(spec, c);
	configure_start(a, c, tracks, leads);
	configure_terms(spec);
}

/* Samples of several events are distinguished by an id: in a fixed place where their layouts differ. */
static void configure_ids(struct event_list *list, const struct event_config *c)
{
	bool identifier = c->sample_identifier;

	for (uint32_t i = 0; i < list->events.nr; i++) {
		uint64_t type = list->events.v[i].attr.sample_type;

		if (type != list->events.v[0].attr.sample_type || (c->unwinds && type & SAMPLE_STACK_USER))
			identifier = true;
	}
	if (list->events.nr < 2 && !identifier)
		return;
	for (uint32_t i = 0; i < list->events.nr; i++) {
		struct attr *a = &list->events.v[i].attr;

		a->sample_type &= ~(SAMPLE_ID | SAMPLE_IDENTIFIER);
		a->sample_type |= identifier ? SAMPLE_IDENTIFIER : SAMPLE_ID;
	}
}

/* Kinds of cores and devices have events of their own: tasks are tracked on all CPUs. */
static bool some_cpus_only(const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++)
		if (list->events.v[i].cpus.cpus.nr)
			return true;
	return false;
}

void event_list_configure(struct event_list *list, const struct event_config *c)
{
	uint32_t tracking = 0, nr = list->events.nr;
	/* A dummy that leads the list tracks as it is. */
	bool own_dummy = (c->system_wide || c->delayed || some_cpus_only(list)) && !(nr && attr_is_dummy(&list->events.v[0].attr));
	char name[EVENT_NAME_MAX];

	for (uint32_t i = 0; i < nr; i++) {
		int32_t leader = list->events.v[i].group_leader;

		configure_event(&list->events.v[i], c, false, i == 0 && !own_dummy, leader < 0 || leader == (int32_t)i);
	}
	for (uint32_t i = 0; i < nr; i++)
		configure_group(list, c, i);
	if (own_dummy) {
		struct event_spec dummy = event_spec_of(ATTR_TYPE_SOFTWARE, CONFIG_DUMMY, NULL);

		dummy.attr.flags = 0;
		configure_event(&dummy, c, true, true, true);
		event_name_of(&dummy.attr, name, sizeof(name));
		dummy.name = mem_strdup(name);
		tracking = nr;
		vec_push(&list->events, dummy);
	}
	if (list->events.nr)
		configure_tracking(&list->events.v[tracking], c);
	configure_ids(list, c);
}

uint32_t event_list_tracking(const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++)
		if (list->events.v[i].attr.flags & ATTR_TASK)
			return i;
	return 0;
}

void event_list_configure_counting(struct event_list *list, const struct event_config *c)
{
	for (uint32_t i = 0; i < list->events.nr; i++) {
		struct event_spec *spec = &list->events.v[i];
		struct attr *a = &spec->attr;

		a->read_format = READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING;
		if (spec->group_leader >= 0)
			a->read_format |= READ_ID | READ_GROUP;
		a->sample_type = SAMPLE_IDENTIFIER;
		a->sample_period = 0;
		a->flags &= ~(ATTR_FREQ | ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT);
		if (!c->no_inherit && !(spec->terms.given & EVENT_TERM_INHERIT && !spec->terms.inherit))
			a->flags |= ATTR_INHERIT;
		if (c->all_user)
			a->flags = (a->flags | ATTR_EXCLUDE_KERNEL) & ~ATTR_EXCLUDE_USER;
		if (c->all_kernel)
			a->flags = (a->flags | ATTR_EXCLUDE_USER) & ~ATTR_EXCLUDE_KERNEL;
		if (spec->group_leader >= 0 && spec->group_leader != (int32_t)i)
			continue;
		a->flags |= ATTR_DISABLED;
		if (c->targets_workload && !c->delayed)
			a->flags |= ATTR_ENABLE_ON_EXEC;
	}
}

#define TRACKING_BITS                                                                                                                      \
	(ATTR_MMAP | ATTR_MMAP2 | ATTR_MMAP_DATA | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL | ATTR_BPF_EVENT |                \
	 ATTR_NAMESPACES | ATTR_CGROUP | ATTR_BUILD_ID | ATTR_CONTEXT_SWITCH)

/* When it runs, on which tasks, by which clock: as the event. */
#define SHARED_BITS                                                                                                                        \
	(ATTR_DISABLED | ATTR_INHERIT | ATTR_ENABLE_ON_EXEC | ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID | ATTR_WATERMARK | ATTR_WRITE_BACKWARD)
#define EXCLUDE_BITS (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST)

#define TRAILER_FIELDS (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

bool tracking_split(struct event_list *list, struct event_spec *tracker)
{
	struct attr *a = list->events.nr ? &list->events.v[0].attr : NULL;

	/* Where another than the first one tracks, it is a dummy. */
	if (!a || !(a->flags & ATTR_TASK) || attr_is_dummy(a))
		return false;
	tracker->attr = (struct attr){
		.type = ATTR_TYPE_SOFTWARE,
		.size = a->size,
		.config = CONFIG_DUMMY,
		.sample_type = a->sample_type & TRAILER_FIELDS,
		.read_format = READ_ID | READ_LOST,
		.flags = a->flags & (TRACKING_BITS | SHARED_BITS | EXCLUDE_BITS),
		.wakeup = a->flags & ATTR_WATERMARK ? a->wakeup : 0,
		.clockid = a->clockid,
	};
	tracker->name = mem_strdup("dummy");
	tracker->group_leader = -1;
	a->flags &= ~TRACKING_BITS;
	return true;
}

void tracking_follow(const struct event_list *list, struct event_spec *tracker)
{
	const struct attr *a = &list->events.v[0].attr;

	tracker->attr.flags &= ~EXCLUDE_BITS;
	tracker->attr.flags |= a->flags & EXCLUDE_BITS;
	tracker->attr.sample_type = a->sample_type & TRAILER_FIELDS;
}

void tracking_join(struct event_list *list, const struct event_spec *tracker)
{
	list->events.v[0].attr.flags |= tracker->attr.flags & TRACKING_BITS;
}
