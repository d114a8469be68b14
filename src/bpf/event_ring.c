/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The layout is the kernel's (linux/bpf.h has the bits of a header): a page with the reader's position, one with the writer's, then the data
 * twice. A record is a header of eight bytes and its bytes, rounded up to eight.
 */
#include "bpf/event_ring.h"

#ifdef HAVE_BPF
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>

#define BATCH_BYTES (64u << 10) /* that are free for the writer again at once */

int event_ring_open(struct event_ring *r, int map_fd, size_t size)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };
	void *p;

	*r = (struct event_ring){ .size = size, .page_size = (size_t)sysconf(_SC_PAGESIZE), .wake_fd = -1 };
	p = mmap(NULL, r->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	r->reader_pos = p;
	p = mmap(NULL, r->page_size + 2 * size, PROT_READ, MAP_SHARED, map_fd, (off_t)r->page_size);
	if (p == MAP_FAILED)
		return -errno;
	r->writer_pos = p;
	r->data = (const uint8_t *)p + r->page_size;
	r->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->wake_fd < 0 || epoll_ctl(r->wake_fd, EPOLL_CTL_ADD, map_fd, &e))
		return -errno;
	return 0;
}

void event_ring_close(struct event_ring *r)
{
	if (r->writer_pos)
		munmap((void *)(uintptr_t)r->writer_pos, r->page_size + 2 * r->size);
	if (r->reader_pos) {
		munmap(r->reader_pos, r->page_size);
		if (r->wake_fd >= 0)
			close(r->wake_fd);
	}
	memset(r, 0, sizeof(*r));
}

int event_ring_consume(struct event_ring *r, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	unsigned long pos = *r->reader_pos, freed = pos, end;
	struct epoll_event e;
	bool is_ended = false;
	int nr = 0;

	epoll_wait(r->wake_fd, &e, 1, 0);
	end = __atomic_load_n(r->writer_pos, __ATOMIC_ACQUIRE);
	while (pos < end && !is_ended) {
		const uint8_t *at = r->data + (pos & (r->size - 1));
		uint32_t len = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
		uint32_t size = len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		/* It is being written: the next turn has it. */
		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		pos += BPF_RINGBUF_HDR_SZ + ((size + 7ul) & ~7ul);
		if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
			is_ended = record(ctx, (void *)(uintptr_t)(at + BPF_RINGBUF_HDR_SZ), size);
			nr++;
		}
		if (pos - freed >= BATCH_BYTES) {
			__atomic_store_n(r->reader_pos, pos, __ATOMIC_RELEASE);
			freed = pos;
		}
	}
	__atomic_store_n(r->reader_pos, pos, __ATOMIC_RELEASE);
	return nr;
}
#endif
