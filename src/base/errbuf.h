/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The message of a failure. It is written where the cause is known and printed once, by cmd/main.c. The first one is kept: a caller that
 * only passes the error on adds nothing.
 */
#ifndef ASSAY_BASE_ERRBUF_H
#define ASSAY_BASE_ERRBUF_H

#include <stdarg.h>

struct errbuf {
	char text[1024];
};

/* Writes the sentence unless one is there already. Returns `err` (a negative errno), so that a failing function ends in `return
 * errbuf_set(...)`. NULL `eb` is allowed. */
int errbuf_set(struct errbuf *eb, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Forgets the sentence: the failure was dealt with. */
void errbuf_clear(struct errbuf *eb);

#endif
