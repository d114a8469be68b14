/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a person reads of a recording: what had to be changed at the start, the summary at the end,
 * why it ended early. Lines in brackets have perf's form, because scripts look for them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "capture/recorder.h"

void recorder_tell_openings(const struct recorder *r)
{
	const char *p = r->fds.opener.notices;
	char text[512];

	while (p && *p) {
		size_t len = strcspn(p, "\n");

		log_warn("%.*s", (int)len, p);
		p += len + (p[len] == '\n');
	}
	if (r->fds.ring_pages < r->fds.ring_pages_wished) {
		ring_limit_sentence(r->fds.ring_pages_wished, r->fds.ring_pages, text,
				    sizeof(text));
		log_warn("%s", text);
	}
	if (r->fds.nr_vanished)
		log_info("%u events were not opened: their threads had ended", r->fds.nr_vanished);
	log_info("%u events open on %u tasks, %u rings of %u pages", r->fds.fds.nr,
		 r->target.tasks.ids.nr, r->fds.nr_rings, r->fds.ring_pages);
}

void recorder_tell_failure(struct recorder *r)
{
	if (r->fail_err == -EPIPE)
		log_warn("the reader of the pipe has gone: recording stopped");
	else if (r->workload.pid && !workload_reap(&r->workload))
		log_warn("%s: %s: recording stopped, the command runs on", r->o->output,
			 strerror(-r->fail_err));
}

/* The sentence for a file that could not grow. */
int recorder_fail_sentence(struct recorder *r)
{
	int err = r->fail_err;

	if (err == -EPIPE)
		return err;
	if (r->file_eb.text[0] && err != -ENOSPC && err != -EDQUOT && err != -EFBIG)
		return errbuf_set(r->eb, err, "%s: %s", r->o->output, r->file_eb.text);
	return errbuf_set(
		r->eb, err,
		"%s: %s: recording stopped early; the file is readable and holds what fitted, %llu "
		"bytes of records%s",
		r->o->output, strerror(-err), (unsigned long long)r->bytes,
		err == -ENOSPC || err == -EDQUOT ? ". Make room, or record elsewhere with -o"
		: err == -EFBIG			 ? ". Raise the limit with 'ulimit -f unlimited'"
						 : "");
}

void recorder_tell_summary(const struct recorder *r)
{
	const char *name = r->o->output;
	char counts[96] = "", packed[96] = "";
	bool is_stamped = r->o->timestamp_filename || switch_spec_is_on(&r->o->switching);

	if (log_level <= LOG_QUIET)
		return;
	if (atomic_load(&r->drain.reports) & DRAIN_FULL)
		fprintf(stderr,
			"[ assay record: size limit reached (%llu KB), recording stopped ]\n",
			(unsigned long long)r->bytes >> 10);
	if (r->nr_lost)
		snprintf(counts, sizeof(counts), " (%llu samples, %llu lost)",
			 (unsigned long long)r->tally.nr_samples, (unsigned long long)r->nr_lost);
	else if (r->tally.nr_samples)
		snprintf(counts, sizeof(counts), " (%llu samples)",
			 (unsigned long long)r->tally.nr_samples);
	if (r->o->compress_level && r->bytes)
		snprintf(packed, sizeof(packed), ", compressed (original %.3f MB, ratio is %.3f)",
			 (double)r->raw_bytes / 1048576, (double)r->raw_bytes / (double)r->bytes);
	fprintf(stderr, "[ assay record: Woken up %llu times to write data ]\n",
		(unsigned long long)r->drain.nr_wakeups);
	fprintf(stderr, "[ assay record: Captured and wrote %.3f MB %s%s%s%s ]\n",
		(double)r->bytes / 1048576, name, is_stamped ? ".<timestamp>" : "", packed, counts);
	if (r->tally.nr_throttled)
		log_warn(
			"the kernel throttled sampling %llu times, because it took too long: samples are "
			"missing there; lower the rate with -F",
			(unsigned long long)r->tally.nr_throttled);
	if (r->nr_lost)
		log_warn(
			"the rings were full: %llu samples are missing; enlarge them with -m, or lower the "
			"rate with -F",
			(unsigned long long)r->nr_lost);
}
