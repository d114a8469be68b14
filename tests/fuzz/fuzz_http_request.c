/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/http_request: any bytes as a request. Only one with the whole path and a host of this machine gets the page.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/http_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct http_service service = { "/0123abcd/", 4711 };
	char *copy = malloc(size + 1);
	bool is_head;
	int status;

	memcpy(copy, data, size);
	http_request_is_whole(copy, size);
	status = http_request_status(&service, copy, size, &is_head);
	if (status == 200 && (!memmem(copy, size, " /0123abcd/ ", 12) || !memmem(copy, size, ":4711", 5)))
		abort();
	free(copy);
	return 0;
}
