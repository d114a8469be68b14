/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Loads python.bpf.c and keeps its maps.
 */
#include "bpf/python.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bpf/event_ring.h"
#include "bpf/loader.h"

#if defined(HAVE_BPF) && defined(__x86_64__)
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <python.skel.h> /* made at build time */

struct bpf_python {
	struct python_bpf *skel;
	struct event_ring ring;
};

static int load(struct bpf_python *b, uint32_t ring_bytes)
{
	struct python_bpf *s = b->skel = python_bpf__open();
	int err;

	if (!s)
		return -errno;
	s->rodata->own_pid_ns = bpf_pid_namespace();
	err = bpf_map__set_max_entries(s->maps.ring, ring_bytes);
	if (!err)
		err = python_bpf__load(s);
	return err ? err : event_ring_open(&b->ring, bpf_map__fd(s->maps.ring), ring_bytes);
}

int bpf_python_open(struct bpf_python **out, uint32_t ring_bytes, struct errbuf *eb)
{
	struct bpf_python *b;
	int err = bpf_check(eb);

	*out = NULL;
	if (err)
		return err;
	bpf_keep_messages();
	b = mem_zalloc(sizeof(*b));
	err = load(b, ring_bytes);
	if (err) {
		bpf_python_close(b);
		return bpf_failed(err, eb);
	}
	*out = b;
	return 0;
}

void bpf_python_close(struct bpf_python *b)
{
	if (!b)
		return;
	event_ring_close(&b->ring);
	python_bpf__destroy(b->skel);
	free(b);
}

int bpf_python_program(const struct bpf_python *b)
{
	return bpf_program__fd(b->skel->progs.on_sample);
}

int bpf_python_set_image(struct bpf_python *b, const struct python_program *program, const struct python_image *image)
{
	return bpf_map_update_elem(bpf_map__fd(b->skel->maps.images), program, image, BPF_ANY);
}

void bpf_python_enable(struct bpf_python *b, bool on)
{
	__atomic_store_n(&b->skel->bss->is_enabled, on, __ATOMIC_RELAXED);
}

int bpf_python_fd(const struct bpf_python *b)
{
	return b->ring.wake_fd;
}

int bpf_python_consume(struct bpf_python *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	return event_ring_consume(&b->ring, record, ctx);
}

uint64_t bpf_python_dropped(const struct bpf_python *b)
{
	return __atomic_load_n(&b->skel->bss->nr_dropped, __ATOMIC_RELAXED);
}
#else
int bpf_python_open(struct bpf_python **b, uint32_t ring_bytes, struct errbuf *eb)
{
	int err = bpf_check(eb);

	(void)ring_bytes;
	*b = NULL;
	return err ? err : errbuf_set(eb, -ENOTSUP, "frames of Python are read on x86_64 only");
}

void bpf_python_close(struct bpf_python *b)
{
	(void)b;
}

int bpf_python_program(const struct bpf_python *b)
{
	(void)b;
	return -1;
}

int bpf_python_set_image(struct bpf_python *b, const struct python_program *program, const struct python_image *image)
{
	(void)b, (void)program, (void)image;
	return -ENOSYS;
}

void bpf_python_enable(struct bpf_python *b, bool on)
{
	(void)b, (void)on;
}

int bpf_python_fd(const struct bpf_python *b)
{
	(void)b;
	return -1;
}

int bpf_python_consume(struct bpf_python *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	(void)b, (void)record, (void)ctx;
	return 0;
}

uint64_t bpf_python_dropped(const struct bpf_python *b)
{
	(void)b;
	return 0;
}
#endif
