/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What becomes of a request to a page that is served on this machine's loopback: whether it is whole, and the status it is answered with. Only the
 * page's own path is answered, and only under a name of this machine: a page of elsewhere that resolves its name to 127.0.0.1 gets nothing.
 */
#ifndef ASSAY_BASE_HTTP_REQUEST_H
#define ASSAY_BASE_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_REQUEST_MAX 16384u /* bytes; browsers send some hundred */

struct http_service {
	const char *path; /* "/TOKEN/" */
	uint16_t port;
};

/* Whether its header has come to its end. */
bool http_request_is_whole(const char *bytes, size_t size);

/* 200, 400 (no request), 403 (other Host), 404 (other path), 405 (neither GET nor HEAD). `is_head`: the answer has no body. */
int http_request_status(const struct http_service *s, const char *bytes, size_t size, bool *is_head);

#endif
