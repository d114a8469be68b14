/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The message of a failure: written where the cause is known, printed once, by cmd/main.c. The first one is kept.
 */
#ifndef ASSAY_BASE_ERRBUF_H
#define ASSAY_BASE_ERRBUF_H

#include <stdarg.h>

struct errbuf {
	char text[1024];
};

/* Writes the sentence unless there is one already, and returns `err` (a negative errno): `return errbuf_set(...)`. `eb` may be NULL. */
int errbuf_set(struct errbuf *eb, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Forgets the sentence: the failure was dealt with. */
void errbuf_clear(struct errbuf *eb);

#endif
