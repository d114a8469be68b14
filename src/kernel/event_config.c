/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules by which a recording's options become attr bits. They are perf's, found by looking at
 * what it writes (perf evlist -v): files and readers depend on them, so that a difference here is a
 * bug even where it would be an improvement.
 */
#include "kernel/event_config.h"

#include "abi/event_names.h"
#include "abi/sample.h"

/* software event 9: counts nothing, carries the tracking flags */
#define CONFIG_DUMMY 9

/* branch_sample_type for call stacks by the branch unit: user, call stack, no flags, no cycles,
 * index */
#define BRANCH_LBR_CALLGRAPH (1ull << 0 | 1ull << 11 | 1ull << 14 | 1ull << 15 | BRANCH_HW_INDEX)

#define TRACKING_FLAGS                                                                             \
	(ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL)

void event_config_init(struct event_config *c)
{
	*c = (struct event_config){ .freq = 4000 };
}

static bool is_dummy(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_DUMMY;
}

static void set_flag(struct attr *a, uint64_t flag, bool on)
{
	a->flags = on ? a->flags | flag : a->flags & ~flag;
}

/* Tracepoints and our own dummy have period 1 of their own; only an explicit wish replaces it. */
static void configure_period(struct event_spec *spec, const struct event_config *c, bool own_dummy)
{
	struct attr *a = &spec->attr;
	bool own_period = a->type == ATTR_TYPE_TRACEPOINT || own_dummy;

	if (own_period && !c->freq_given && !c->period) {
		a->sample_period = 1;
	} else if (c->period) {
		a->sample_period = c->period;
	} else {
		a->sample_period = c->freq;
		a->flags |= ATTR_FREQ;
		a->sample_type |= SAMPLE_PERIOD;
	}
	if (a->type == ATTR_TYPE_TRACEPOINT)
		a->sample_type |= SAMPLE_RAW | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD;
	if (c->no_samples)
		a->sample_period = 0;
	if (c->no_period)
		a->sample_type &= ~SAMPLE_PERIOD;
	else if (c->period_given)
		a->sample_type |= SAMPLE_PERIOD;
}

static void configure_callgraph(struct attr *a, const struct event_config *c)
{
	if (c->callgraph == CALLGRAPH_NONE)
		return;
	a->sample_type |= SAMPLE_CALLCHAIN;
	a->sample_max_stack = c->max_stack;
	set_flag(a, ATTR_EXCLUDE_CHAIN_KERNEL, c->user_callchains);
	set_flag(a, ATTR_EXCLUDE_CHAIN_USER, c->kernel_callchains);
	if (c->callgraph == CALLGRAPH_DWARF) {
		a->sample_type |= SAMPLE_REGS_USER | SAMPLE_STACK_USER;
		a->sample_stack_user = c->stack_user_size;
		a->flags |= ATTR_EXCLUDE_CHAIN_USER;
	} else if (c->callgraph == CALLGRAPH_LBR) {
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
		{ !c->no_timestamp && (!c->per_thread || c->timestamp_given), SAMPLE_TIME },
		{ c->system_wide || c->sample_cpu, SAMPLE_CPU },
		{ c->address || c->callgraph == CALLGRAPH_DWARF, SAMPLE_ADDR | SAMPLE_DATA_SRC },
		{ c->phys_address, SAMPLE_PHYS_ADDR },
		{ c->data_page_size, SAMPLE_DATA_PAGE_SIZE },
		{ c->code_page_size, SAMPLE_CODE_PAGE_SIZE },
		{ c->weight, SAMPLE_WEIGHT_STRUCT },
		{ c->cgroups, SAMPLE_CGROUP },
		{ c->transaction, SAMPLE_TRANSACTION },
		{ c->raw, SAMPLE_RAW | SAMPLE_TIME | SAMPLE_CPU },
		{ c->branch_sample_type, SAMPLE_BRANCH_STACK },
		{ c->regs_user, SAMPLE_REGS_USER },
		{ c->regs_intr, SAMPLE_REGS_INTR },
		{ spec->sample_read, SAMPLE_READ | SAMPLE_ID },
	};
	struct attr *a = &spec->attr;

	a->sample_type |= SAMPLE_IP | SAMPLE_TID;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].wanted)
			a->sample_type |= fields[i].bits;
	a->branch_sample_type = c->branch_sample_type;
	a->sample_regs_user = c->regs_user;
	a->sample_regs_intr = c->regs_intr;
	configure_callgraph(a, c);
}

static void configure_tracking(struct attr *a, const struct event_config *c)
{
	a->flags |= TRACKING_FLAGS;
	set_flag(a, ATTR_BPF_EVENT, !c->no_bpf_event);
	set_flag(a, ATTR_MMAP_DATA, c->address || c->callgraph == CALLGRAPH_DWARF);
	set_flag(a, ATTR_NAMESPACES, c->namespaces);
	set_flag(a, ATTR_CGROUP, c->cgroups);
	set_flag(a, ATTR_BUILD_ID, c->build_id_mmap);
	set_flag(a, ATTR_CONTEXT_SWITCH, c->switch_events);
}

/* Events wait for the exec of the workload, or for the recorder. A dummy that tracks the whole
 * system, or tasks that run already, must not wait: maps made during a delay would be missing. */
static void configure_start(struct attr *a, const struct event_config *c, bool tracks)
{
	bool tracks_only = tracks && is_dummy(a);
	bool immediate = tracks_only && (c->system_wide || (c->delayed && !c->targets_workload));

	set_flag(a, ATTR_DISABLED, !immediate);
	set_flag(a, ATTR_ENABLE_ON_EXEC,
		 !immediate && c->targets_workload && (!c->delayed || tracks_only));
}

static void configure_event(struct event_spec *spec, const struct event_config *c, bool own_dummy,
			    bool tracks)
{
	struct attr *a = &spec->attr;

	a->sample_type = 0;
	a->read_format = READ_ID | READ_LOST;
	if (c->stat || c->running_time)
		a->read_format |= READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING;
	a->flags |= ATTR_SAMPLE_ID_ALL;
	set_flag(a, ATTR_INHERIT, !c->no_inherit && !c->per_thread);
	set_flag(a, ATTR_INHERIT_STAT, c->stat);
	set_flag(a, ATTR_WRITE_BACKWARD, c->overwrite);
	if (c->all_user || c->all_kernel) {
		set_flag(a, ATTR_EXCLUDE_KERNEL, c->all_user);
		set_flag(a, ATTR_EXCLUDE_USER, !c->all_user);
	}
	if (c->has_clockid) {
		a->flags |= ATTR_USE_CLOCKID;
		a->clockid = c->clockid;
	}
	if (c->wakeup_watermark) {
		a->flags |= ATTR_WATERMARK;
		a->wakeup = c->wakeup_watermark;
	}
	configure_period(spec, c, own_dummy);
	configure_sample(spec, c);
	configure_start(a, c, tracks);
}

/* Samples of several events are told apart by an id: in a fixed place where their layouts differ.
 */
static void configure_ids(struct event_list *list, const struct event_config *c)
{
	bool identifier = c->sample_identifier;

	for (uint32_t i = 1; i < list->events.nr; i++)
		if (list->events.v[i].attr.sample_type != list->events.v[0].attr.sample_type)
			identifier = true;
	if (list->events.nr < 2 && !identifier)
		return;
	for (uint32_t i = 0; i < list->events.nr; i++) {
		struct attr *a = &list->events.v[i].attr;

		a->sample_type &= ~(SAMPLE_ID | SAMPLE_IDENTIFIER);
		a->sample_type |= identifier ? SAMPLE_IDENTIFIER : SAMPLE_ID;
	}
}

void event_list_configure(struct event_list *list, const struct event_config *c)
{
	uint32_t tracking = 0, nr = list->events.nr;
	/* A dummy that leads the list tracks as it is. */
	bool own_dummy = (c->system_wide || c->delayed) &&
			 !(nr && is_dummy(&list->events.v[0].attr));
	char name[EVENT_NAME_MAX];

	for (uint32_t i = 0; i < nr; i++)
		configure_event(&list->events.v[i], c, false, i == 0 && !own_dummy);
	if (own_dummy) {
		struct event_spec dummy = {
			.attr = { .type = ATTR_TYPE_SOFTWARE,
				  .size = ATTR_SIZE_VER7,
				  .config = CONFIG_DUMMY },
		};

		configure_event(&dummy, c, true, true);
		event_name_of(&dummy.attr, name, sizeof(name));
		dummy.name = mem_strdup(name);
		tracking = nr;
		vec_push(&list->events, dummy);
	}
	if (list->events.nr)
		configure_tracking(&list->events.v[tracking].attr, c);
	configure_ids(list, c);
}

uint32_t event_list_tracking(const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++)
		if (list->events.v[i].attr.flags & ATTR_TASK)
			return i;
	return 0;
}
