/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -g and --call-graph of the commands that record.
 */
#include <errno.h>
#include <string.h>

#include "capture/capture.h"
#include "cmd/cmd.h"

#define STACK_MAX 65528u /* bytes of a dump: what the kernel takes */

/* dwarf[,SIZE][,keep]: the bytes of a stack, rounded up to a word as perf does. */
static int take_dwarf(struct capture_options *o, const char *arg, struct errbuf *eb)
{
	struct event_config *c = &o->config;
	uint64_t size = 0;

	c->callgraph = CALLGRAPH_DWARF;
	c->stack_user_size = 0;
	o->keep_stacks = false;
	while (*arg == ',') {
		size_t len = strcspn(++arg, ",");
		char word[24] = "";

		if (len < sizeof(word))
			memcpy(word, arg, len);
		if (!strcmp(word, "keep") && !o->keep_stacks)
			o->keep_stacks = true;
		else if (!c->stack_user_size && !options_u64(word, 1, STACK_MAX, &size))
			c->stack_user_size = (uint32_t)(size + 7) & ~7u;
		else
			return errbuf_set(eb, -EINVAL,
					  "--call-graph dwarf takes the size of the dumps in bytes (1 "
					  "to %u), and 'keep' to store raw stacks: dwarf,16384,keep; not "
					  "'%.*s'",
					  STACK_MAX, (int)len, arg);
		arg += len;
	}
	return 0;
}

/* -g and --call-graph, in either order: -g asks for chains and leaves a mode that was chosen as it is. */
int cmd_option_callgraph(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct event_config *c = &((struct capture_options *)ctx)->config;
	const char *comma = arg ? strchr(arg, ',') : NULL;
	size_t len = comma ? (size_t)(comma - arg) : arg ? strlen(arg) : 0;
	uint64_t frames = 0;

	(void)opt;
	if (!negated && !arg && c->callgraph != CALLGRAPH_NONE)
		return 0;
	c->callgraph = CALLGRAPH_NONE;
	if (negated || (len == 2 && !strncmp(arg, "no", 2)))
		return 0;
	c->callgraph = CALLGRAPH_FP;
	if (!arg || (len == 2 && !strncmp(arg, "fp", 2))) {
		if (comma && options_u64(comma + 1, 1, UINT16_MAX, &frames))
			return errbuf_set(eb, -EINVAL,
					  "--call-graph fp,N takes the number of frames (1 to %u), not "
					  "'%s'",
					  UINT16_MAX, comma + 1);
		c->max_stack = (uint16_t)frames;
		return 0;
	}
	if (len == 5 && !strncmp(arg, "dwarf", 5))
		return take_dwarf(ctx, arg + len, eb);
	if (!strcmp(arg, "lbr")) {
		c->callgraph = CALLGRAPH_LBR;
		return 0;
	}
	return errbuf_set(eb, -EINVAL,
			  "--call-graph takes fp, fp,FRAMES, dwarf, dwarf,SIZE, dwarf,keep, lbr or "
			  "no, not '%s'",
			  arg);
}
