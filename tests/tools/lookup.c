/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lookup [-n] [-t] [--symfs DIR] FILE: reads addresses (hexadecimal, as linked) from stdin and prints what `addr2line -a -f -i -e FILE`
 * prints for them, by source_info.h. -n: looks each up without prefetching all first. -t: says on stderr how long it took and
 * how much memory it needed. --as FILE: where its segments are read from (for --symfs). --vmlinux FILE NAME START: the addresses are of a
 * kernel that was moved to START.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/vec.h"
#include "symbols/elf_file.h"
#include "symbols/source_info.h"

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void print_frames(uint64_t addr, const struct source_frame *frames, uint32_t nr)
{
	printf("0x%016" PRIx64 "\n", addr);
	if (!nr)
		printf("??\n??:0\n");
	for (uint32_t i = 0; i < nr; i++) {
		printf("%s\n%s:", frames[i].function ? frames[i].function : "??", frames[i].file ? frames[i].file : "??");
		if (frames[i].line)
			printf("%u\n", frames[i].line);
		else
			printf("?\n");
	}
}

int main(int argc, char **argv)
{
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = MODULE_ELF };
	const char *elf = NULL;
	bool no_prefetch = false, times = false;
	VEC(uint64_t) addrs = { 0 };
	VEC(uint64_t) keys = { 0 };
	struct errbuf eb = { 0 };
	struct source_info *si;
	struct elf_file f;
	struct rusage ru;
	char line[64];
	const struct source_frame *frames;
	double start, cpu_start;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-n") == 0) {
			no_prefetch = true;
		} else if (strcmp(argv[i], "-t") == 0) {
			times = true;
		} else if (strcmp(argv[i], "--symfs") == 0 && i + 1 < argc) {
			opts.symfs = argv[++i];
		} else if (strcmp(argv[i], "--as") == 0 && i + 1 < argc) {
			elf = argv[++i];
		} else if (strcmp(argv[i], "--vmlinux") == 0 && i + 3 < argc) {
			ref.kind = MODULE_KERNEL;
			ref.path = "[kernel.kallsyms]";
			opts.vmlinux = argv[++i];
			ref.kernel_ref_name = argv[++i];
			ref.kernel_start = strtoull(argv[++i], NULL, 16);
		} else {
			ref.path = argv[i];
		}
	}
	if (!ref.path)
		return 2;
	if (ref.kind == MODULE_ELF && elf_file_open(&f, elf ? elf : ref.path, &eb)) {
		fprintf(stderr, "%s\n", eb.text);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t vaddr = strtoull(line, NULL, 16), off = vaddr;

		if (ref.kind == MODULE_ELF && !elf_file_offset(&f, vaddr, &off))
			off = UINT64_MAX;
		vec_push(&addrs, vaddr);
		vec_push(&keys, off);
	}
	start = now_ms();
	cpu_start = cpu_ms();
	source_info_open(&si, &opts, &ref, &eb);
	if (eb.text[0])
		fprintf(stderr, "%s\n", eb.text);
	if (!no_prefetch)
		source_info_prefetch(si, keys.v, keys.nr);
	for (uint32_t i = 0; i < keys.nr; i++)
		source_info_find(si, keys.v[i], &frames);
	if (times) {
		getrusage(RUSAGE_SELF, &ru);
		fprintf(stderr, "%.1f ms, %.1f ms of CPU, max %ld kB\n", now_ms() - start, cpu_ms() - cpu_start, ru.ru_maxrss);
	}
	for (uint32_t i = 0; i < keys.nr; i++) {
		uint32_t nr = source_info_find(si, keys.v[i], &frames);

		print_frames(addrs.v[i], frames, nr);
	}
	source_info_close(si);
	if (ref.kind == MODULE_ELF)
		elf_file_close(&f);
	vec_fini(&addrs);
	vec_fini(&keys);
	return 0;
}
