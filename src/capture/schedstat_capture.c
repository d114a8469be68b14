/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two readings and the file. Whether the kernel counts is a setting of the machine, which is not changed here: the message says how.
 */
#include "capture/schedstat_capture.h"

#include <errno.h>
#include <string.h>

#include "base/io.h"
#include "base/log.h"
#include "capture/header_info.h"
#include "capture/output.h"
#include "capture/run_loop.h"
#include "kernel/schedstat_text.h"
#include "perfdata/schedstat_record.h"
#include "perfdata/writer.h"

static void check_setting(void)
{
	int64_t is_on;

	if (!io_read_i64("/proc/sys/kernel/sched_schedstats", &is_on) && !is_on)
		log_warn("the kernel does not count all of it: 'sysctl kernel.sched_schedstats=1' turns that on");
}

int schedstat_measure(struct schedstat *s, char **workload, struct errbuf *eb)
{
	struct run_loop loop = { 0 };
	uint64_t nr_ticks;
	int ret = run_loop_init(&loop, NULL, NULL, eb);

	if (!ret && workload)
		ret = run_loop_prepare_workload(&loop, workload, false, eb);
	if (!ret) {
		check_setting();
		ret = schedstat_read(s, eb);
	}
	if (!ret && workload)
		ret = workload_start(&loop.workload, eb);
	if (!ret) {
		while (run_loop_next(&loop, 0, &nr_ticks) != RUN_ENDED)
			;
		ret = schedstat_read(s, eb);
	}
	if (!ret && workload)
		ret = run_loop_status(&loop);
	run_loop_fini(&loop);
	return ret;
}

int schedstat_write(const struct schedstat *s, const struct capture_options *o, struct errbuf *eb)
{
	struct perfdata_info info;
	struct output output = { 0 };
	struct writer *writer = NULL;
	struct out records, domains;
	int err;

	perfdata_info_init(&info);
	out_init(&records, -1);
	out_init(&domains, -1);
	schedstat_encode(s, &records);
	schedstat_domains_encode(s, &domains);
	err = output_open(&output, o->output, false, eb);
	if (err)
		goto out;
	if (output.is_pipe) {
		err = errbuf_set(eb, -EOPNOTSUPP, "counters of /proc/schedstat cannot be written to a pipe; name a file with -o");
		goto out;
	}
	header_info_set_host(&info);
	header_info_set_options(&info, o);
	info.features |= 1ULL << FEAT_CPU_DOMAIN_INFO;
	vec_push(&info.raw_features, ((struct perfdata_raw_feature){ FEAT_CPU_DOMAIN_INFO, domains.len, domains.buf }));
	err = writer_open(&writer, output.fd, &(struct writer_options){ 0 }, &info, eb);
	if (err)
		goto out;
	output_commit(&output);
	err = writer_append(writer, records.buf, records.len, false);
	if (!err)
		err = writer_finish(writer, &info, eb);
	if (err)
		errbuf_set(eb, err, "cannot write to %s: %s", output.path, strerror(-err));
out:
	writer_free(writer);
	output_close(&output);
	perfdata_info_fini(&info);
	out_fini(&records);
	out_fini(&domains);
	return err;
}
