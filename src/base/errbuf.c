/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/errbuf.h"

#include <stdio.h>
#include <string.h>

int errbuf_set(struct errbuf *eb, int err, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (!eb || eb->text[0])
		return err;
	va_start(ap, fmt);
	len = vsnprintf(eb->text, sizeof(eb->text), fmt, ap);
	va_end(ap);
	/* A cut sentence says so. */
	if (len >= (int)sizeof(eb->text))
		memcpy(eb->text + sizeof(eb->text) - 4, "...", 4);
	return err;
}

void errbuf_clear(struct errbuf *eb)
{
	if (eb)
		eb->text[0] = '\0';
}
