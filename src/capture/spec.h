/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The small languages of record's options: sizes (10M), times (5s), --switch-output and -D.
 * Text in, numbers out; nothing here touches the system.
 */
#ifndef ASSAY_CAPTURE_SPEC_H
#define ASSAY_CAPTURE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"

/* "4096B", "64K", "10M", "1G" (either case; a suffix is required): bytes, at least 1. -EINVAL or
 * -ERANGE. */
int spec_parse_size(const char *text, uint64_t *bytes);
/* "30s", "5m", "2h", "1d": seconds, at least 1. -EINVAL or -ERANGE. */
int spec_parse_seconds(const char *text, uint64_t *seconds);

/* --switch-output: at most one of the three is set. */
struct switch_spec {
	bool on_signal;
	uint64_t size_bytes;
	uint64_t every_s;
};
/* NULL or "signal": SIGUSR2; a size; a time. -EINVAL with a sentence. */
int switch_spec_parse(struct switch_spec *s, const char *text, struct errbuf *eb);
static inline bool switch_spec_is_on(const struct switch_spec *s)
{
	return s->on_signal || s->size_bytes || s->every_s;
}

/* -D: when events are switched on and off, in ms since the start. A zeroed struct is no delay. */
struct delay_step {
	uint64_t at_ms;
	bool enable;
};
struct delay_plan {
	bool given;
	VEC(struct delay_step)
	steps; /* ascending; begins with enable; empty (-D -1): never enabled */
};
/* "500", "-1", "10-20,30-40". -EINVAL with a sentence. */
int delay_plan_parse(struct delay_plan *p, const char *text, struct errbuf *eb);
void delay_plan_fini(struct delay_plan *p);

#endif
