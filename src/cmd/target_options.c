/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -p, -t and -C: kept as typed once they parse.
 */
#include "cmd/target_options.h"

#include "kernel/cpus.h"
#include "kernel/tasks.h"

int target_option_tasks(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct task_ids ids = { 0 };
	const char **slot = ctx;
	int err = 0;

	*slot = negated ? NULL : arg;
	if (!negated)
		err = task_ids_parse(&ids, arg, opt->short_name == 'p' ? "-p" : "-t", eb);
	task_ids_fini(&ids);
	return err;
}

int target_option_cpus(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct cpu_list l = { 0 };
	const char **slot = ctx;
	int err = 0;

	(void)opt;
	*slot = negated ? NULL : arg;
	if (!negated)
		err = cpu_list_parse(&l, arg, eb);
	cpu_list_fini(&l);
	return err;
}
