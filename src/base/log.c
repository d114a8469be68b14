/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of a failure (base/errbuf.h); messages on stderr, each written at once, so that those of several threads do not mix.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/errbuf.h"
#include "base/escape.h"
#include "base/out.h"

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

enum log_level log_level = LOG_NORMAL;

static void log_write(const char *fmt, va_list ap)
{
	struct out o;
	char *text = NULL;
	const char *line;
	int len = vasprintf(&text, fmt, ap);

	if (len < 0)
		return;
	/* A buffer without the fd first: stderr gets a single write. */
	out_init(&o, -1);
	out_str(&o, "assay: ");
	for (line = text;;) {
		size_t n = strcspn(line, "\n");

		escape_terminal(&o, line, n);
		out_char(&o, '\n');
		line += n;
		if (!line[0] || !line[1])
			break;
		line++;
	}
	o.fd = STDERR_FILENO;
	out_fini(&o);
	free(text);
}

#define LOG_BODY                                                                                                                           \
	do {                                                                                                                               \
		va_list ap;                                                                                                                \
                                                                                                                                           \
		va_start(ap, fmt);                                                                                                         \
		log_write(fmt, ap);                                                                                                        \
		va_end(ap);                                                                                                                \
	} while (0)

void log_error(const char *fmt, ...)
{
	LOG_BODY;
}

void log_warn(const char *fmt, ...)
{
	if (log_level > LOG_QUIET)
		LOG_BODY;
}

void log_info(const char *fmt, ...)
{
	if (log_level >= LOG_VERBOSE)
		LOG_BODY;
}

void log_debug(const char *fmt, ...)
{
	if (log_level >= LOG_DEBUG)
		LOG_BODY;
}
