/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any call with any memory in both shapes. Besides the sanitizers, what must hold is checked here: all that is written prints, the text of a
 * call is bounded, and its two parts are the whole.
 *
 * Input: ABI u8, options u8, strings' length u8, number u16, ended u8, result u64, six arguments u64; then memory: argument u8, bits u8 (at exit,
 * cut, late, failed), strings u8, address u64, size u16, bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "view/syscall_text.h"

#define MAX_TEXT (16u << 20)

static const char *hostile_path(void *ctx, int fd)
{
	static const char *const paths[] = { "/etc/passwd", "<\n>\033[31m \"\\", "/tmp/x (deleted)", "" };

	(void)ctx;
	return fd % 5 ? paths[fd & 3] : NULL;
}

static void check_prints(const struct out *o)
{
	if (o->len > MAX_TEXT)
		abort();
	for (size_t i = 0; i < o->len; i++)
		if ((uint8_t)o->buf[i] < 0x20 || (uint8_t)o->buf[i] > 0x7e)
			abort();
}

static void check_shape(const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct out whole, parts;
	uint32_t first;

	out_init(&whole, -1);
	out_init(&parts, -1);
	syscall_text_call(&whole, c, opts);
	first = syscall_text_begin(&parts, c, opts);
	syscall_text_rest(&parts, c, first, opts);
	if (whole.len != parts.len || memcmp(whole.buf, parts.buf, whole.len))
		abort();
	syscall_text_result(&whole, c, opts);
	check_prints(&whole);
	syscall_text_dump(&whole, c, opts);
	if (whole.len > MAX_TEXT)
		abort();
	out_fini(&whole);
	out_fini(&parts);
}

/* The bytes of a chunk, in memory of exactly its size. */
static bool memory_take(struct bytes *b, struct syscall_memory *m, uint8_t **copy)
{
	uint8_t bits;
	const void *data;

	m->arg = bytes_u8(b);
	bits = bytes_u8(b);
	m->is_at_exit = bits & 1;
	m->is_cut = bits & 2;
	m->is_late = bits & 4;
	m->has_failed = bits & 8;
	m->nr_strings = bytes_u8(b);
	m->address = bytes_u64(b);
	m->size = bytes_u16(b);
	data = bytes_take(b, m->size);
	if (b->failed)
		return false;
	*copy = malloc(m->size ? m->size : 1);
	if (!*copy)
		abort();
	memcpy(*copy, data, m->size);
	m->data = m->size ? *copy : NULL;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	struct syscall_call c = { .abi = (enum syscall_abi)(bytes_u8(&b) % SYSCALL_NR_ABIS) };
	uint8_t options = bytes_u8(&b);
	struct syscall_text_options opts = {
		.max_string = bytes_u8(&b),
		.show_fds = options & 1,
		.hex_strings = options & 2,
		.all_hex = options & 4,
		.is_verbose = options & 8,
		.raw = options & 16,
		.fd_path = hostile_path,
	};
	uint8_t *copies[sizeof(c.memory) / sizeof(*c.memory)];

	c.nr = bytes_u16(&b);
	c.def = syscall_get(c.abi, c.nr);
	c.has_ended = bytes_u8(&b) & 1;
	c.result = (int64_t)bytes_u64(&b);
	for (int i = 0; i < SYSCALL_MAX_ARGS; i++)
		c.args[i] = bytes_u64(&b);
	if (b.failed)
		return 0;
	while (c.nr_memory < sizeof(copies) / sizeof(*copies) && memory_take(&b, &c.memory[c.nr_memory], &copies[c.nr_memory]))
		c.nr_memory++;
	opts.shape = SYSCALL_STRACE;
	check_shape(&c, &opts);
	opts.shape = SYSCALL_PERF;
	check_shape(&c, &opts);
	for (uint32_t i = 0; i < c.nr_memory; i++)
		free(copies[i]);
	return 0;
}
