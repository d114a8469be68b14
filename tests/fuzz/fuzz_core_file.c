/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Core files: headers, notes, memory. Paths that a core file names are not opened here.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/core_file.h"
#include "symbols/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes `fd`. */
static void read_core(int fd)
{
	struct core_file c;
	uint8_t buf[5000];

	if (core_file_init(&c, fd, "core", NULL)) {
		close(fd);
		return;
	}
	for (uint32_t i = 0; i < c.maps.nr; i++) {
		c.maps.v[i].fd = -2;
		core_file_build_id(&c, c.maps.v[i].start);
		core_file_read(&c, c.maps.v[i].end - 1, buf, sizeof(buf));
	}
	for (uint32_t i = 0; i < c.threads.nr; i++) {
		struct unwind_regs regs;

		if (!unwind_regs_decode(c.arch, c.threads.v[i].regs, c.threads.v[i].regs_size, &regs))
			abort();
		core_file_read(&c, regs.v[c.arch->sp], buf, sizeof(buf));
		core_file_find(&c, regs.pc);
	}
	for (uint32_t i = 0; i < c.segments.nr && i < 64; i++) {
		core_file_read(&c, c.segments.v[i].start, buf, sizeof(buf));
		core_file_read(&c, c.segments.v[i].end - 1, buf, 16);
	}
	core_file_close(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("core", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	read_core(dup(fd));
	/* And with a hole of gigabytes behind it */
	if (ftruncate(fd, 20LL << 30) != 0)
		abort();
	read_core(fd);
	return 0;
}
