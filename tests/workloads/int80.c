/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls by the 32-bit entry of the kernel, from a 64-bit program: other numbers, other registers, pointers of four bytes. Ends with 77 where
 * there is no such entry.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
static long call32(long nr, long a, long b, long c, long d)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(0L) : "memory", "r8", "r9", "r10", "r11");
	return r;
}

enum { EXIT32 = 1, WRITE32 = 4, OPEN32 = 5, CLOSE32 = 6, GETPID32 = 20, WRITEV32 = 146, OPENAT32 = 295 };

int main(void)
{
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	uint32_t *vector = (uint32_t *)(low + 128);
	long fd;

	if (low == MAP_FAILED || call32(GETPID32, 0, 0, 0, 0) == -ENOSYS)
		return 77;
	strcpy(low, "/dev/null");
	strcpy(low + 64, "some bytes\n");
	vector[0] = (uint32_t)(uintptr_t)(low + 64);
	vector[1] = 4;
	vector[2] = (uint32_t)(uintptr_t)(low + 68);
	vector[3] = 7;
	fd = call32(OPEN32, (long)low, O_WRONLY, 0, 0);
	call32(WRITE32, fd, (long)(low + 64), 11, 0);
	call32(WRITEV32, fd, (long)vector, 2, 0);
	call32(CLOSE32, fd, 0, 0, 0);
	call32(OPENAT32, AT_FDCWD, (long)low + 1, O_RDONLY, 0);
	call32(1023, 1, 2, 3, 4);
	return 0;
}
#else
int main(void)
{
	return 77;
}
#endif
