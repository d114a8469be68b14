/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From samples to rows. The row of a pair is found when it begins and is the tag of its begin: nothing else is kept of what is under way.
 */
#include "model/pair_sums.h"

#include <errno.h>
#include <string.h>

#include "model/pair_fields.h"

#define NO_PAGE UINT64_MAX /* the number of the page where none could be allocated */

int pair_sums_init(struct pair_sums *s, const struct pair_sum_def *def, struct profile *p, const struct recording *r, struct errbuf *eb)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->def = def;
	s->profile = p;
	s->recording = r;
	if (!def->from)
		return 0;
	event_patterns_add(&s->from, def->from);
	event_patterns_add(&s->to, def->to);
	err = latency_init(&s->latency, r, &s->from, &s->to, def->key, eb);
	s->latency.pairing.keeps_first = def->keeps_first;
	return err;
}

void pair_sums_fini(struct pair_sums *s)
{
	latency_fini(&s->latency);
	event_patterns_fini(&s->from);
	event_patterns_fini(&s->to);
	vec_fini(&s->events);
	vec_fini(&s->rows);
	hindex_fini(&s->index);
	vec_fini(&s->wakes);
	hindex_fini(&s->wake_index);
	vec_fini(&s->wakers);
	hindex_fini(&s->waker_index);
}

void pair_figures_add(struct pair_figures *f, const struct pair_figures *more)
{
	if (!more->nr)
		return;
	if (!f->nr || more->min_ns < f->min_ns)
		f->min_ns = more->min_ns;
	if (!f->nr || more->max_ns > f->max_ns) {
		f->max_ns = more->max_ns;
		f->max_end_ns = more->max_end_ns;
	}
	f->nr += more->nr;
	f->total_ns += more->total_ns;
}

void pair_amounts_add(struct pair_amounts *a, const struct pair_amounts *more)
{
	a->nr += more->nr;
	a->bytes += more->bytes;
	a->wanted += more->wanted;
	a->freed += more->freed;
	a->nr_moved += more->nr_moved;
	a->nr_major += more->nr_major;
}

static bool has_event(const char *list, const struct recording *r)
{
	struct event_patterns p = { 0 };
	bool is_there = false;

	event_patterns_add(&p, list);
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		is_there |= event_patterns_match(&p, r->info->events.v[i].name);
	event_patterns_fini(&p);
	return is_there;
}

bool pair_sums_is_recorded(const struct pair_sum_def *def, const struct recording *r)
{
	return has_event(def->from, r) && has_event(def->to, r);
}

uint32_t pair_sums_nr_open(const struct pair_sums *s)
{
	return pairing_nr_open_but(&s->latency.pairing, PAIR_NO_ROW);
}

uint32_t pair_sums_stack(struct pair_sums *s, const struct session_record *sr)
{
	struct unwind_result walk;

	return profile_intern_sample(s->profile, sr, &walk);
}

static uint32_t location_of(struct pair_sums *s, const struct session_record *sr, uint64_t object)
{
	switch (s->def->object_kind) {
	case PAIR_USER_ADDRESS:
		return profile_intern_variable(s->profile, sr->task, object);
	case PAIR_KERNEL_ADDRESS:
	case PAIR_KERNEL_FUNCTION:
		return profile_intern_location(s->profile, sr->task, object, MISC_KERNEL);
	case PAIR_NUMBER:
		break;
	}
	return PAIR_NO_LOCATION;
}

/* Whether a sample of `row` belongs to the row `r`. */
static bool is_same_row(const struct pair_row *r, const struct pair_row *row)
{
	unsigned parts = row->def->parts;

	return r->stack == row->stack && r->label == row->label && r->flags == row->flags && r->size == row->size &&
	       r->mobility == row->mobility && r->node == row->node && (!(parts & PAIR_BY_OBJECT) || r->object == row->object) &&
	       (!(parts & PAIR_BY_TASK) || r->task == row->task) && (!(parts & PAIR_BY_CPU) || r->cpu == row->cpu);
}

static uint64_t hash_row(const struct pair_row *row)
{
	unsigned parts = row->def->parts;
	uint32_t task = parts & PAIR_BY_TASK ? row->task : 0, cpu = parts & PAIR_BY_CPU ? row->cpu : 0;
	uint64_t object = parts & PAIR_BY_OBJECT ? row->object : 0;
	uint64_t h = hash_pair(object, hash_pair((uint64_t)task << 32 | cpu, (uint64_t)row->stack << 32 | row->label));

	h = hash_pair(row->size, h);
	return hash_pair((uint64_t)row->flags << 32 | row->mobility, hash_pair((uint32_t)row->node, h));
}

void pair_sums_take_memory(struct pair_sums *s, size_t bytes)
{
	if (s->profile->machine->memory)
		budget_take(s->profile->machine->memory, bytes + sizeof(uint64_t) * 2);
}

static uint32_t intern_row(struct pair_sums *s, const struct pair_row *row, bool *is_new)
{
	uint64_t h = hash_row(row);
	uint32_t known = HINDEX_FIND_ITEM(&s->index, h, &s->rows, r, is_same_row(r, row));

	*is_new = known == HINDEX_NONE;
	if (!*is_new)
		return known;
	vec_push(&s->rows, *row);
	hindex_add(&s->index, h, s->rows.nr - 1);
	/* With the group that shows it, which each row may have for itself. */
	pair_sums_take_memory(s, sizeof(*row) + sizeof(struct pair_group));
	return s->rows.nr - 1;
}

static uint32_t row_of(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr)
{
	unsigned parts = s->def->parts;
	struct pair_row row = {
		.def = s->def,
		.task = profile_intern_task(s->profile, sr->task),
		.stack = parts & PAIR_BY_STACK ? pair_sums_stack(s, sr) : STACK_NONE,
		.cpu = sr->rec.sample.cpu,
		.label = pair_fields_text(s, e->label, sr),
		.flags = (uint32_t)pair_fields_number(s, e->flags, sr),
		.order = (uint32_t)pair_fields_number(s, e->order, sr),
		.mobility = (uint32_t)pair_fields_number(s, e->mobility, sr),
		.node = e->node ? (int32_t)pair_fields_number(s, e->node, sr) : -1,
		.size = pair_fields_size(s, e, sr),
		.object = pair_fields_number(s, e->object, sr),
		.location = PAIR_NO_LOCATION,
	};
	bool is_new;
	uint32_t id = intern_row(s, &row, &is_new);

	if (is_new) {
		s->rows.v[id].location = location_of(s, sr, row.object);
		s->rows.v[id].flags_text = pair_fields_flags(s, e, sr);
	}
	return id;
}

/* What begins here: its row, or PAIR_NO_ROW. */
static uint32_t begin(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr, bool is_kept)
{
	struct pair_amounts amounts = { .nr = 1 };
	uint32_t row;

	if (s->def->is_futex && !pair_futex_begins(s, e, sr))
		return PAIR_NO_ROW;
	s->nr_begun_at[is_kept]++;
	if (!is_kept)
		return PAIR_NO_ROW;
	amounts.bytes = pair_fields_size(s, e, sr);
	amounts.wanted = pair_fields_number(s, e->wanted, sr);
	if (s->def->order && pair_fields_number(s, e->object, sr) == NO_PAGE) {
		pair_amounts_add(&s->failed, &amounts);
		return PAIR_NO_ROW;
	}
	row = row_of(s, e, sr);
	pair_amounts_add(&s->rows.v[row].amounts, &amounts);
	return row;
}

static void end(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr, uint32_t row_id, uint64_t took_ns)
{
	struct pair_row *row = &s->rows.v[row_id];
	int64_t result = (int64_t)pair_fields_number(s, e->result, sr);

	if (result == -EAGAIN) {
		s->nr_not_waited++;
		return;
	}
	if (s->def->is_futex && !result)
		pair_futex_ended(s, sr, row_id, took_ns);
	pair_figures_add(&row->figures, &(struct pair_figures){ 1, took_ns, took_ns, took_ns, sr->time_ns });
	row->amounts.freed += row->size;
	row->amounts.nr_moved += row->cpu != sr->rec.sample.cpu;
	if (s->each)
		s->each(s->each_ctx, row, took_ns, sr->time_ns);
}

int pair_sums_add(struct pair_sums *s, const struct session_record *sr, bool is_kept, struct errbuf *eb)
{
	const struct pair_event *e;
	uint32_t begun = PAIR_NO_ROW, row = PAIR_NO_ROW, nr_open;
	uint64_t took_ns;
	int ret;

	if (s->events.nr != s->recording->info->events.nr)
		pair_fields_find(s);
	e = sr->event >= 0 && (uint32_t)sr->event < s->events.nr ? &s->events.v[sr->event] : NULL;
	if (!e || !sr->task || !(e->is_from || e->is_to))
		return 0;
	/* Of memory, what is freed at another time is not freed in this one. */
	if (!is_kept && (s->def->size || s->def->order))
		return 0;
	if (e->is_from)
		begun = begin(s, e, sr, is_kept);
	nr_open = s->latency.pairing.entries.nr;
	ret = latency_add(&s->latency, sr, begun, &took_ns, &row, eb);
	if (s->latency.pairing.entries.nr > nr_open)
		pair_sums_take_memory(s, sizeof(struct pairing_entry));
	if (ret > 0 && row != PAIR_NO_ROW)
		end(s, e, sr, row, took_ns);
	else if (!ret && e->is_to)
		pair_amounts_add(&s->alone, &(struct pair_amounts){ .nr = 1, .freed = pair_fields_size(s, e, sr) });
	return ret < 0 ? ret : 0;
}

/* Where it happened: its stack or, where it was recorded without, its place alone. */
static uint32_t fault_stack(struct pair_sums *s, const struct session_record *sr)
{
	bool is_user = (sr->header->misc & MISC_CPUMODE_MASK) == MISC_USER;
	const uint64_t place[] = { is_user ? CHAIN_USER : CHAIN_KERNEL, sr->rec.sample.ip };
	uint32_t stack = pair_sums_stack(s, sr);

	return stack != STACK_NONE ? stack : profile_intern_chain(s->profile, sr->task, place, 2);
}

/* Pages that no file stands behind are one of their map: they may be many, and have no names. Those of .bss have. */
static uint64_t fault_object(struct pair_sums *s, const struct session_record *sr, const struct map *map)
{
	uint64_t address = sr->rec.sample.addr;
	bool is_nameless = map && map->identity && machine_locate_variable(s->profile->machine, sr->task, address).dso == map->dso;

	return is_nameless ? map->start : address;
}

void pair_sums_add_fault(struct pair_sums *s, const struct session_record *sr, bool is_major)
{
	const struct map *map = map_set_find(task_maps(sr->task), sr->rec.sample.addr);
	struct pair_row row = {
		.def = s->def,
		.task = profile_intern_task(s->profile, sr->task),
		.stack = fault_stack(s, sr),
		.cpu = sr->rec.sample.cpu,
		.size = PAIR_PAGE_BYTES,
		.object = fault_object(s, sr, map),
		.location = PAIR_NO_LOCATION,
	};
	bool is_new;
	uint32_t id = intern_row(s, &row, &is_new);

	if (is_new && map)
		s->rows.v[id].location = profile_intern_variable(s->profile, sr->task, row.object);
	s->nr_begun_at[true]++;
	pair_amounts_add(&s->rows.v[id].amounts, &(struct pair_amounts){ .nr = 1, .nr_major = is_major });
}
