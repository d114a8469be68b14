/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/gzip.h: what goes in comes out of zlib again, the same bytes each time, and errors of writing come out of the close.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/gzip.h"
#include "base/io.h"

/* Packs `size` bytes, and gives what came out; the caller frees. */
static uint8_t *pack(const uint8_t *data, size_t size, size_t *packed_size)
{
	struct gzip_pipe g;
	struct errbuf eb = { 0 };
	int fd = memfd_create("gzip", MFD_CLOEXEC);
	struct stat st;
	uint8_t *packed;

	assert_true(fd >= 0);
	assert_int_equal(gzip_pipe_open(&g, fd, GZIP_USUAL, &eb), 0);
	assert_int_equal(io_write(g.in_fd, data, size, NULL), 0);
	assert_int_equal(gzip_pipe_close(&g), 0);
	assert_int_equal(fstat(fd, &st), 0);
	packed = malloc((size_t)st.st_size);
	assert_int_equal(io_pread(fd, packed, (size_t)st.st_size, 0), st.st_size);
	*packed_size = (size_t)st.st_size;
	close(fd);
	return packed;
}

static void unpack(const uint8_t *packed, size_t packed_size, uint8_t *data, size_t size)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)packed, .avail_in = (uInt)packed_size };

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = data;
	z.avail_out = (uInt)size;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, size - 1); /* room for one more: it ends where it should */
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
}

static void test_round_trip(void **state)
{
	const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 3000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *data = malloc(sizes[i] + 1), *back = malloc(sizes[i] + 1), *packed, *again;
		size_t packed_size, again_size;
		uint64_t x = 88172645463325252u;

		for (size_t k = 0; k < sizes[i]; k++) { /* half noise, half text */
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			data[k] = k % 2 ? 'a' : (uint8_t)x;
		}
		packed = pack(data, sizes[i], &packed_size);
		unpack(packed, packed_size, back, sizes[i] + 1);
		assert_memory_equal(data, back, sizes[i]);
		again = pack(data, sizes[i], &again_size);
		assert_int_equal(again_size, packed_size);
		assert_memory_equal(packed, again, packed_size);
		free(data);
		free(back);
		free(packed);
		free(again);
	}
}

static void test_full(void **state)
{
	struct gzip_pipe g;
	struct errbuf eb = { 0 };
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char *noise = malloc(1 << 20);

	(void)state;
	if (fd < 0) {
		free(noise);
		skip();
	}
	for (int i = 0; i < 1 << 20; i++)
		noise[i] = (char)((unsigned)i * (unsigned)i >> 3);
	assert_int_equal(gzip_pipe_open(&g, fd, GZIP_FAST, &eb), 0);
	assert_int_equal(io_write(g.in_fd, noise, 1 << 20, NULL), 0); /* the writer does not hang */
	assert_int_equal(gzip_pipe_close(&g), -ENOSPC);
	assert_int_equal(gzip_pipe_close(&g), 0); /* nothing left to close */
	close(fd);
	free(noise);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
