/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat record`: an observer of the run (stat.h) that writes each reading to a file.
 */
#ifndef ASSAY_CMD_STAT_RECORD_H
#define ASSAY_CMD_STAT_RECORD_H

#include "cmd/stat.h"

struct stat_recording;

/* `path`: "-" for stdout; `argc`, `argv`: the whole command line, for the file's header; borrowed.
 * The file is opened with the counters. */
struct stat_recording *stat_recording_new(const char *path, int argc, char **argv);
/* For stat_args.observer; lives as long as the recording. */
const struct stat_observer *stat_recording_observer(const struct stat_recording *rec);
/* Completes the file, where one was opened. */
int stat_recording_finish(struct stat_recording *rec, struct errbuf *eb);
void stat_recording_free(struct stat_recording *rec);

#endif
