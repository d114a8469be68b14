/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A stack of spare buffers: the one that was used last, and may still be in a cache, is used first.
 */
#include "capture/buffer_pool.h"

#include <stdlib.h>

#include "base/mem.h"

#define SPARE_MAX 32

void buffer_pool_init(struct buffer_pool *p)
{
	*p = (struct buffer_pool){ 0 };
	pthread_mutex_init(&p->lock, NULL);
}

void buffer_pool_fini(struct buffer_pool *p)
{
	for (uint32_t i = 0; i < p->spare.nr; i++)
		free(p->spare.v[i]);
	vec_fini(&p->spare);
	pthread_mutex_destroy(&p->lock);
}

uint8_t *buffer_pool_get(struct buffer_pool *p)
{
	uint8_t *buffer = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->spare.nr)
		buffer = p->spare.v[--p->spare.nr];
	pthread_mutex_unlock(&p->lock);
	return buffer ? buffer : mem_alloc(BUFFER_POOL_SIZE);
}

void buffer_pool_put(struct buffer_pool *p, uint8_t *buffer)
{
	pthread_mutex_lock(&p->lock);
	if (buffer && p->spare.nr < SPARE_MAX) {
		vec_push(&p->spare, buffer);
		buffer = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	free(buffer);
}
