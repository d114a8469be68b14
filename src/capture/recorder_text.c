/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages: what had to be changed at the start, the summary at the end, why it ended early. Lines in brackets have perf's form, because
 * scripts look for them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/event_names.h"
#include "base/log.h"
#include "capture/recorder.h"

static void tell_ring_limit(const struct recorder *r)
{
	char text[512];

	if (r->fds.ring_pages >= r->fds.ring_pages_wished)
		return;
	ring_limit_sentence(r->fds.ring_pages_wished, r->fds.ring_pages, text, sizeof(text));
	log_warn("%s", text);
}

void recorder_tell_openings(const struct recorder *r)
{
	const char *p = r->fds.opener.notices;

	while (p && *p) {
		size_t len = strcspn(p, "\n");

		log_warn("%.*s", (int)len, p);
		p += len + (p[len] == '\n');
	}
	if (r->o->config.no_inherited_reads)
		log_warn("events that are read with their samples (:S) do not follow tasks on this kernel (Linux can since 6.12): threads "
			 "and processes that the target starts are not sampled. Leave out ':S', or record all CPUs with -a");
	if (!r->o->workload && r->target.kind == TARGET_CPUS)
		log_warn("recording %s%s, until Ctrl-C", r->o->cpus ? "CPUs " : "all CPUs", r->o->cpus ? r->o->cpus : "");
	/* Without -m it is reported only where samples were lost. */
	if (!r->own_ring_size)
		tell_ring_limit(r);
	/* Opening events on threads that are new by now is no way out: those that inherited theirs would be recorded twice. */
	if (r->fds.nr_vanished_tasks && !r->o->syscalls) /* of which no thread is missing */
		log_warn("%u of %u threads ended before they could be recorded; threads that they have "
			 "started are missing, too. -a records them all",
			 r->fds.nr_vanished_tasks, r->target.tasks.ids.nr);
	if (r->fds.nr_vanished)
		log_info("%u events were not opened: their threads had ended", r->fds.nr_vanished);
	log_info("%u events open on %u tasks, %u rings of %u pages", r->fds.nr_open, r->target.tasks.ids.nr, r->fds.nr_rings,
		 r->fds.ring_pages);
}

void recorder_tell_failure(struct recorder *r)
{
	if (r->fail_err == -EPIPE && r->o->output_pipe)
		return; /* it has seen enough */
	if (r->fail_err == -EPIPE)
		log_warn("the reader of the pipe has gone: recording stopped");
	else if (r->fail_err == -ETIMEDOUT)
		return; /* after a request to stop: reported at the end */
	else if (r->loop.workload.pid && !workload_reap(&r->loop.workload))
		log_warn("%s: %s: recording stopped, the command runs on", r->o->output, strerror(-r->fail_err));
}

/* The sentence for a file that could not grow. */
int recorder_fail_sentence(struct recorder *r)
{
	const char *name = r->kept_name ? r->kept_name : r->o->output;
	int err = r->fail_err;
	const char *advice = err == -ENOSPC || err == -EDQUOT ? ". Make room, or record elsewhere with -o"
			     : err == -EFBIG		      ? ". Raise the limit with 'ulimit -f unlimited'"
							      : "";

	if (err == -EPIPE)
		return r->o->output_pipe ? run_loop_status(&r->loop) : err;
	if (err == -ETIMEDOUT)
		return errbuf_set(r->eb, err, "%s: the reader of the pipe has stopped reading: the end of the recording is missing",
				  r->o->output);
	if (r->file_eb.text[0] && err != -ENOSPC && err != -EDQUOT && err != -EFBIG)
		return errbuf_set(r->eb, err, "%s: %s", r->o->output, r->file_eb.text);
	if (r->is_removed && !r->bytes)
		return errbuf_set(r->eb, err, "%s: %s: nothing fitted, so there is no file%s", name, strerror(-err), advice);
	return errbuf_set(r->eb, err,
			  "%s: %s: recording stopped early; the file is readable and holds what fitted, %llu bytes of records%s", name,
			  strerror(-err), (unsigned long long)r->bytes, advice);
}

/* What hardly ever happens, and should not pass unseen. */
static void tell_rarities(const struct recorder *r)
{
	const struct tally *t = &r->tally;

	/* From LOST records; a kernel before 6.0 does not report what was lost. */
	if (t->nr_lost_records > r->nr_lost + r->nr_lost_tracking + r->offcpu.nr_dropped)
		log_warn("the rings were full: %llu records are missing, and the kernel does not tell how "
			 "many of them were samples; enlarge the rings with -m",
			 (unsigned long long)t->nr_lost_records);
	if (r->offcpu.nr_dropped)
		log_warn("the buffer of off-CPU times was full: %llu of its records are missing, and with them about as many times; record "
			 "fewer tasks, or with --user-callchains",
			 (unsigned long long)r->offcpu.nr_dropped);
	if (t->nr_damaged)
		log_warn("%llu times the rings held what is no record; what followed was not counted", (unsigned long long)t->nr_damaged);
	if (r->nr_denied)
		log_warn("the maps of %llu process%s may not be read: %s symbols will be missing%s", (unsigned long long)r->nr_denied,
			 r->nr_denied == 1 ? "" : "es", r->nr_denied == 1 ? "its" : "their",
			 log_level >= LOG_VERBOSE ? ""
			 : r->nr_denied == 1	  ? " (-v names it)"
						  : " (-v names them)");
	if (r->files.nr_unsaved)
		log_warn(r->files.nr_unsaved == 1
				 ? "%u mapped file is no longer there, or is another by now, and its symbols could not be saved"
				 : "%u mapped files are no longer there, or are others by now, and their symbols could not be saved",
			 r->files.nr_unsaved);
	if (r->nr_timeouts)
		log_warn("the maps of %llu processes took too long to read and are incomplete", (unsigned long long)r->nr_timeouts);
}

/* Without those that only go with others. */
static uint64_t count_samples(const struct recorder *r)
{
	return r->tally.nr_samples > r->python.nr_put ? r->tally.nr_samples - r->python.nr_put : 0;
}

static void format_counts(const struct recorder *r, char *text, size_t size)
{
	char lost[40] = "", dropped[40] = "";

	if (!count_samples(r) && !r->nr_lost && !r->nr_dropped)
		return;
	if (r->nr_lost)
		snprintf(lost, sizeof(lost), ", %llu lost", (unsigned long long)r->nr_lost);
	if (r->nr_dropped)
		snprintf(dropped, sizeof(dropped), ", %llu dropped", (unsigned long long)r->nr_dropped);
	snprintf(text, size, " (%llu samples%s%s)", (unsigned long long)count_samples(r), lost, dropped);
}

/* Of the first event that should have some. */
static void tell_no_samples(const struct recorder *r)
{
	const struct event_list *l = &r->o->events;

	if (count_samples(r) || r->nr_lost || r->nr_dropped || r->o->config.no_samples || r->o->delay.given)
		return;
	for (uint32_t i = 0; i < l->events.nr; i++) {
		const char *hint = no_samples_hint(&l->events.v[i].attr);

		if (!hint)
			continue;
		log_warn("no samples of %s: %s", l->events.v[i].name, hint);
		return;
	}
}

void recorder_tell_summary(const struct recorder *r)
{
	const char *name = r->kept_name ? r->kept_name : r->o->output;
	char counts[128] = "", packed[96] = "";
	bool is_stamped = r->o->timestamp_filename || switch_spec_is_on(&r->o->switching);

	if (log_level <= LOG_QUIET || r->o->output_pipe)
		return;
	if (atomic_load(&r->drain.reports) & DRAIN_FULL)
		fprintf(stderr, "[ assay record: size limit reached (%llu KB), recording stopped ]\n", (unsigned long long)r->bytes >> 10);
	format_counts(r, counts, sizeof(counts));
	if (r->o->compress_level && r->bytes)
		snprintf(packed, sizeof(packed), ", compressed (original %.3f MB, ratio is %.3f)", (double)r->raw_bytes / 1048576,
			 (double)r->raw_bytes / (double)r->bytes);
	fprintf(stderr, "[ assay record: Woken up %llu times to write data ]\n", (unsigned long long)r->drain.nr_wakeups);
	fprintf(stderr, "[ assay record: Captured and wrote %.3f MB %s%s%s%s ]\n", (double)r->bytes / 1048576, name,
		is_stamped ? ".<timestamp>" : "", packed, counts);
	tell_no_samples(r);
	if (r->tally.nr_throttled)
		log_warn("the kernel throttled sampling %llu times, because it took too long: samples are "
			 "missing there; lower the rate with -F",
			 (unsigned long long)r->tally.nr_throttled);
	if (r->nr_abandoned)
		log_warn("%llu samples were dropped: their stacks were not unwound yet at the second request to stop",
			 (unsigned long long)r->nr_abandoned);
	if (r->nr_dropped > r->nr_abandoned)
		log_warn("%llu samples were dropped: they could not be written", (unsigned long long)(r->nr_dropped - r->nr_abandoned));
	if (r->nr_lost)
		log_warn("the rings were full: %llu samples are missing; %s", (unsigned long long)r->nr_lost, recorder_loss_remedy(r));
	if (r->nr_lost && r->own_ring_size)
		tell_ring_limit(r);
	tell_rarities(r);
	recorder_tell_stacks(r);
	jvm_maps_tell(r->jvms);
	if (r->nr_lost_tracking)
		log_warn("the rings were full: %llu records about maps and tasks are missing, so that some "
			 "symbols and names may be; enlarge the rings with -m",
			 (unsigned long long)r->nr_lost_tracking);
}
