/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tracing data of one tracepoint, own:a with the id 1, that has fields of all kinds; for targets and tests of filters.
 */
#ifndef ASSAY_TESTS_OWN_EVENT_H
#define ASSAY_TESTS_OWN_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline const char *own_event_symbol(void *ctx, uint64_t addr, uint64_t *start)
{
	(void)ctx, (void)addr;
	*start = 0;
	return NULL;
}

/* The container of formats with one event, of id 1. */
static const char own_event_head[] =
	"\027\010Dtracing0.6\0\0\010\0\020\0\0header_page\0\0\0\0\0\0\0\0\0header_event\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0own\0\1\0\0";
static const char own_event_format[] = "name: a\nID: 1\nformat:\n"
				       "\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
				       "\tfield:int x;\toffset:4;\tsize:4;\tsigned:1;\n"
				       "\tfield:u64 y;\toffset:8;\tsize:8;\tsigned:0;\n"
				       "\tfield:char s[8];\toffset:16;\tsize:8;\tsigned:0;\n"
				       "\tfield:__data_loc char[] d;\toffset:24;\tsize:4;\tsigned:0;\n"
				       "\tfield:__rel_loc char[] r;\toffset:28;\tsize:4;\tsigned:0;\n"
				       "\tfield:u8 b;\toffset:32;\tsize:1;\tsigned:0;\n"
				       "\tfield:short a[4];\toffset:34;\tsize:8;\tsigned:1;\n"
				       "\nprint fmt: \"\"\n";

#define OWN_EVENT_MAX (sizeof(own_event_head) + sizeof(own_event_format) + 32)

static inline size_t own_event_put(char *to)
{
	uint64_t format_size = sizeof(own_event_format) - 1;
	size_t at = sizeof(own_event_head); /* the last byte of a count is the NUL */

	memcpy(to, own_event_head, at);
	memcpy(to + at, &format_size, 8);
	memcpy(to + at + 8, own_event_format, format_size);
	at += 8 + format_size;
	memset(to + at, 0, 16);
	return at + 16;
}

#endif
