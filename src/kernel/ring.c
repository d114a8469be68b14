/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader's half of the kernel's ring protocol: the kernel publishes what it wrote by moving data_head; we give room back by moving
 * data_tail.
 */
#include "kernel/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/sysctl.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int ring_map(struct ring *r, int fd, uint32_t nr_pages)
{
	size_t page = page_size();
	void *map = mmap(NULL, (nr_pages + (size_t)1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	r->page = map;
	r->data = (uint8_t *)map + page;
	r->size = (uint64_t)nr_pages * page;
	r->tail = r->page->data_tail;
	r->fd = fd;
	return 0;
}

int ring_open(struct ring *r, int fd, uint32_t *nr_pages, struct errbuf *eb)
{
	uint32_t nr = *nr_pages;
	int err;

	memset(r, 0, sizeof(*r));
	if (!nr || (nr & (nr - 1)) || nr > UINT32_MAX / 2)
		return errbuf_set(eb, -EINVAL, "a ring of %u pages is impossible: powers of two only", nr);
	while ((err = ring_map(r, fd, nr)) == -EPERM && nr > 1)
		nr /= 2;
	if (!err) {
		*nr_pages = nr;
		return 0;
	}
	if (err == -EPERM)
		return errbuf_set(eb, err,
				  "the kernel grants us no memory for rings: raise the limit with "
				  "'sudo sysctl kernel.perf_event_mlock_kb=%llu' or record fewer CPUs (-C)",
				  (unsigned long long)sysctl_mlock_kb() * 2);
	if (err == -ENOMEM)
		return errbuf_set(eb, err, "not enough memory for a ring of %u pages: make it smaller with -m", nr);
	return errbuf_set(eb, err, "cannot map a ring of %u pages: %s", nr, strerror(-err));
}

void ring_close(struct ring *r)
{
	if (r->page)
		munmap(r->page, r->size + page_size());
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

uint32_t ring_default_pages(void)
{
	uint64_t kb = sysctl_mlock_kb(), page_kb = page_size() / 1024;
	uint64_t pages = kb > page_kb ? (kb - page_kb) / page_kb : 1;
	uint32_t nr = 1;

	/* 4096 pages at most, however generous the limit is. */
	while (nr * 2ull <= pages && nr < 4096)
		nr *= 2;
	return nr;
}

int ring_parse_pages(const char *arg, uint32_t *nr_pages, struct errbuf *eb)
{
	static const struct {
		const char *suffix;
		unsigned shift;
	} units[] = { { "B", 0 }, { "K", 10 }, { "M", 20 }, { "G", 30 }, { "b", 0 }, { "k", 10 }, { "m", 20 }, { "g", 30 } };
	uint64_t v, pages = 0;
	uint32_t nr = 1;
	char *end = NULL;

	errno = 0;
	v = *arg >= '0' && *arg <= '9' ? strtoull(arg, &end, 10) : 0;
	if (!end || errno || !v || v > 1ull << 40)
		goto bad;
	if (!*end)
		pages = v;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && *end; i++)
		if (!strcmp(end, units[i].suffix) && v <= (1ull << 40) >> units[i].shift)
			pages = ((v << units[i].shift) + page_size() - 1) / page_size();
	if (!pages || pages > 1u << 20)
		goto bad;
	while (nr < pages)
		nr *= 2;
	*nr_pages = nr;
	return 0;
bad:
	return errbuf_set(eb, -EINVAL, "'%s' is no size of a ring: give a number of pages (128) or a size (512K, 4M), at most %u pages",
			  arg, 1u << 20);
}

void ring_limit_sentence(uint32_t wished, uint32_t got, char *text, size_t size)
{
	uint64_t page_kb = page_size() / 1024;

	snprintf(text, size,
		 "rings have %u pages instead of %u, because locked memory is limited; for the full size: "
		 "'sudo sysctl kernel.perf_event_mlock_kb=%llu', 'ulimit -l unlimited', or CAP_IPC_LOCK",
		 got, wished, (unsigned long long)((wished + 1ull) * page_kb));
}

struct ring_span ring_peek(const struct ring *r)
{
	/* Pairs with the kernel's barrier before it moves the head. */
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = head - r->tail, off = r->tail & (r->size - 1);

	/* A damaged page must not lead outside of the ring. */
	if (size > r->size)
		size = r->size;
	return (struct ring_span){ r->data + off, r->data, r->size - off < size ? r->size - off : size, size };
}

void ring_consume(struct ring *r, size_t size)
{
	r->tail += size;
	/* All our loads of the data come before the kernel may write over it. */
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

bool ring_time_conv(const struct ring *r, struct ring_time_conv *tc)
{
	const struct ring_page *p = r->page;
	uint32_t seq;

	*tc = (struct ring_time_conv){ 0 };
	/* The kernel changes these rarely; an odd or changed lock word means that it just did. */
	do {
		seq = __atomic_load_n(&p->lock, __ATOMIC_ACQUIRE);
		tc->shift = p->time_shift;
		tc->mult = p->time_mult;
		tc->zero = p->time_zero;
		tc->cycles = p->time_cycles;
		tc->mask = p->time_mask;
		tc->cap_user_time_zero = !!(p->capabilities & RING_CAP_USER_TIME_ZERO);
		tc->cap_user_time_short = !!(p->capabilities & RING_CAP_USER_TIME_SHORT);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((seq & 1) || seq != __atomic_load_n(&p->lock, __ATOMIC_RELAXED));
	return tc->cap_user_time_zero;
}
