/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first line and the Host of a request; nothing else of it matters here.
 */
#include "base/http_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool http_request_is_whole(const char *bytes, size_t size)
{
	return memmem(bytes, size, "\r\n\r\n", 4) != NULL;
}

/* The line that begins at *at, without its end; false: there is none. */
static bool next_line(const char *bytes, size_t size, size_t *at, const char **line, size_t *len)
{
	const char *end = memmem(bytes + *at, size - *at, "\r\n", 2);

	if (!end)
		return false;
	*line = bytes + *at;
	*len = (size_t)(end - *line);
	*at += *len + 2;
	return *len > 0;
}

/* The same for every path, however much of it is right. */
static bool is_same(const char *a, size_t len, const char *b)
{
	size_t nr = strlen(b);
	unsigned char differs = len != nr;

	for (size_t i = 0; i < len && i < nr; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return !differs;
}

static bool is_host_of_ours(const char *value, size_t len, uint16_t port)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	char name[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), "%s:%u", names[i], port);
		if (len == strlen(name) && !strncasecmp(value, name, len))
			return true;
	}
	return false;
}

/* 1: the host is ours; 0: it is another, or there are several; -1: the line is no Host. */
static int read_host(const char *line, size_t len, uint16_t port)
{
	if (len < 5 || strncasecmp(line, "Host:", 5) != 0)
		return -1;
	line += 5, len -= 5;
	while (len && (*line == ' ' || *line == '\t'))
		line++, len--;
	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	return is_host_of_ours(line, len, port);
}

static bool has_our_host(const char *bytes, size_t size, size_t at, uint16_t port)
{
	const char *line;
	size_t len, nr = 0;
	bool ours = true;

	while (next_line(bytes, size, &at, &line, &len)) {
		int host = read_host(line, len, port);

		nr += host >= 0;
		ours &= host != 0;
	}
	return ours && nr == 1;
}

int http_request_status(const struct http_service *s, const char *bytes, size_t size, bool *is_head)
{
	const char *line, *space, *end;
	size_t at = 0, len;

	*is_head = false;
	if (!next_line(bytes, size, &at, &line, &len))
		return 400;
	space = memchr(line, ' ', len);
	end = space ? memchr(space + 1, ' ', len - (size_t)(space + 1 - line)) : NULL;
	if (!end || len - (size_t)(end - line) < 9 || memcmp(end + 1, "HTTP/1.", 7) != 0)
		return 400;
	*is_head = is_same(line, (size_t)(space - line), "HEAD");
	if (!has_our_host(bytes, size, at, s->port))
		return 403;
	if (!*is_head && !is_same(line, (size_t)(space - line), "GET"))
		return 405;
	return is_same(space + 1, (size_t)(end - space - 1), s->path) ? 200 : 404;
}
