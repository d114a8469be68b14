/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of `assay stat`. What is counted, and how, is capture/counting.h's.
 */
#ifndef ASSAY_CMD_STAT_H
#define ASSAY_CMD_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "capture/counting.h"
#include "cmd/temp_probes.h"
#include "view/stat.h"

/* Under "One row for each …", of stat and of stat report. */
#define STAT_TOPOLOGY_OPTIONS(a)                                                                                                           \
	OPT_BOOL(0, "per-core", &(a)->per_core, "Core"), OPT_BOOL(0, "per-die", &(a)->per_die, "Die"),                                     \
		OPT_BOOL(0, "per-socket", &(a)->per_socket, "Socket"), OPT_BOOL(0, "per-node", &(a)->per_node, "NUMA node")

struct stat_args {
	struct counting_options o;
	struct temp_option temp;
	bool no_aggr, per_core, per_socket, per_die, per_node, per_thread;
	bool table, interval_clear;

	bool big_num, scale, quiet, append;
	int verbose;
	const char *output;
	uint64_t log_fd;
	bool log_fd_given;

	const char *separator; /* -x */
	bool json, metric_only, plot, csv_summary;
	const struct stat_format *format; /* stat_text_format unless another was asked for */
};

/* stat_options.c */
void stat_args_init(struct stat_args *a);
void stat_args_fini(struct stat_args *a);
/* Parses argv and checks what was given; the words left are the command. As cmd_parse(). */
int stat_args_parse(struct stat_args *a, int *argc, char ***argv, struct errbuf *eb);

/* Sets a->o.aggr; an error where two of -A and --per-… are given. */
int stat_args_find_aggr(struct stat_args *a, struct errbuf *eb);
int stat_formats_check(struct stat_args *a, struct errbuf *eb);
/* `fd`: where the result goes. May change a->format. */
void stat_formats_set_style(struct stat_args *a, struct stat_style *s, int fd);
void stat_formats_fini_style(struct stat_style *s);

#endif
