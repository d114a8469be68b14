/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Buffers of one size that are used again. Memory that comes fresh from the kernel costs a page fault every 4 kB, more than copying
 * a stack into it does.
 */
#ifndef ASSAY_CAPTURE_BUFFER_POOL_H
#define ASSAY_CAPTURE_BUFFER_POOL_H

#include <pthread.h>
#include <stdint.h>

#include "base/vec.h"

#define BUFFER_POOL_SIZE (1u << 20) /* of a buffer */

struct buffer_pool {
	pthread_mutex_t lock;
	VEC(uint8_t *) spare;
};

void buffer_pool_init(struct buffer_pool *p);
/* Buffers that were not put back are their owners'. */
void buffer_pool_fini(struct buffer_pool *p);
uint8_t *buffer_pool_get(struct buffer_pool *p);
void buffer_pool_put(struct buffer_pool *p, uint8_t *buffer);

#endif
