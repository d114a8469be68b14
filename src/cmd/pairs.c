/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The one loop over samples, and what is said of those that did not become pairs.
 */
#include "cmd/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/live_reader.h"

static void say_what_is_missing(const struct pair_sums *s)
{
	const struct pairing *p = &s->latency.pairing;
	uint32_t nr_open = pair_sums_nr_open(s);

	if (nr_open && !s->def->size && !s->def->order)
		log_info("%s: %u had not ended when recording did, and are not counted", s->def->name, nr_open);
	if (p->nr_replaced && s->def->is_futex)
		log_info("%s: %llu are not counted: their end was not recorded", s->def->name, (unsigned long long)p->nr_replaced);
	if (p->nr_given_up)
		log_warn("%s: %llu are not %s: too many were under way", s->def->name, (unsigned long long)p->nr_given_up,
			 s->def->size || s->def->order ? "followed to their end" : "counted");
	if (s->nr_not_waited)
		log_info("%s: %llu calls returned at once, and are not counted", s->def->name, (unsigned long long)s->nr_not_waited);
}

static bool is_any_recorded(const struct pairs_run *r, const struct recording *recording)
{
	for (uint32_t i = 0; r->defs[i]; i++)
		if (pair_sums_is_recorded(r->defs[i], recording))
			return true;
	return false;
}

static int add_all(struct pair_sums *sums, uint32_t nr, struct session *s, struct input *in, struct errbuf *eb)
{
	struct session_record sr;
	int ret;

	while ((ret = in ? input_next(in, &sr, eb) : session_next(s, &sr, eb)) > 0) {
		bool is_kept;

		if (sr.header->type != RECORD_SAMPLE)
			continue;
		is_kept = !in || input_keeps(in, &sr);
		for (uint32_t i = 0; i < nr; i++) {
			int err = pair_sums_add(&sums[i], &sr, is_kept, eb);

			if (err)
				return err;
		}
	}
	return ret;
}

/* `in`: NULL where it is live, and nothing is filtered. */
static int sum_up(const struct pairs_run *r, struct session *s, struct profile *p, struct input *in, struct errbuf *eb)
{
	struct pair_sums sums[PAIRS_MAX_DEFS];
	struct out o;
	uint32_t nr = 0;
	int err = 0, ret;

	for (; !err && r->defs[nr]; nr++)
		err = pair_sums_init(&sums[nr], r->defs[nr], p, &s->recording, eb);
	out_init(&o, STDOUT_FILENO);
	if (!err && r->start)
		r->start(r->ctx, sums, nr, &o);
	if (!err)
		err = add_all(sums, nr, s, in, eb);
	for (uint32_t i = 0; in && i < nr; i++)
		in->nr_passed += sums[i].nr_begun_at[true];
	if (!err && (!in || is_any_recorded(r, &s->recording))) {
		profile_symbolize(p);
		r->print(r->ctx, &s->recording, sums, nr, &o);
		for (uint32_t i = 0; i < nr; i++)
			say_what_is_missing(&sums[i]);
	}
	for (uint32_t i = 0; i < nr; i++)
		pair_sums_fini(&sums[i]);
	ret = out_fini(&o);
	return err ? err : ret;
}

int pairs_run_file(const struct pairs_run *r, struct input *in, struct errbuf *eb)
{
	int err = input_open(in, false, eb), damage;

	if (err)
		return err;
	progress_init(&in->progress, "reading", in->session->source->total_bytes);
	err = sum_up(r, in->session, in->profile, in, eb);
	progress_fini(&in->progress);
	in->checks_passed = true;
	if (!err && !is_any_recorded(r, &in->session->recording))
		err = input_damage(in, eb);
	if (!err && !is_any_recorded(r, &in->session->recording))
		err = errbuf_set(eb, -ENODATA, "%s has no events %s and %s; %s", input_name(in), r->defs[0]->from, r->defs[0]->to,
				 r->advice);
	damage = err ? 0 : input_finish(in, eb);
	input_close(in);
	return err ? err : damage;
}

int pairs_add_events(const struct pairs_run *r, struct capture_options *o, struct errbuf *eb)
{
	int err = 0;

	o->config.period = 1;
	o->config.sample_cpu = true;
	for (uint32_t i = 0; !err && r->defs[i]; i++)
		err = event_list_parse(&o->events, r->defs[i]->events, eb);
	return err;
}

static int read_live(void *ctx, struct session *s, struct errbuf *eb)
{
	struct profile *p = mem_alloc(sizeof(*p));
	int err;

	profile_init(p, &s->machine, &s->recording);
	err = sum_up(ctx, s, p, NULL, eb);
	cmd_warn_lost(recording_lost(&s->recording));
	profile_fini(p);
	free(p);
	return err;
}

int pairs_run_live(const struct pairs_run *r, struct capture_options *o, const struct session_options *options, struct errbuf *eb)
{
	int err = pairs_add_events(r, o, eb);

	return err ? err : live_reader_run(o, options, read_live, (void *)(uintptr_t)r, eb);
}
