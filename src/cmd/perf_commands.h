/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perf's commands that assay does not have: who types one by habit should read that it is absent,
 * and what serves instead, rather than that there is no such thing.
 */
#ifndef ASSAY_CMD_PERF_COMMANDS_H
#define ASSAY_CMD_PERF_COMMANDS_H

struct perf_command {
	const char *name;
	const char *instead; /* what serves instead, the end of a sentence; NULL: nothing does */
};

/* NULL where perf has none of that name, or assay has it too. */
const struct perf_command *perf_command_find(const char *name);
/* All of them; the last has no name. */
const struct perf_command *perf_command_table(void);

#endif
