/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/dwarf_*, source_*: any bytes as an ELF file with debug information: every unit is read and everything in it looked up; once
 * from memory and once from a file as in real use. Files of split debug information are read as another file's other half.
 */
#include <dwarf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "symbols/dwarf_module.h"
#include "symbols/source_info.h"
#include "symbols/source_unit.h"

/* What comes out of any bytes can be relied on. */
static void look_at(void *unit, size_t size)
{
	struct source_place places[SOURCE_MAX_DEPTH];
	uint64_t start, end;

	if (!unit)
		return;
	if (!source_unit_check(unit, size))
		abort();
	for (uint32_t i = 0; i < 64 && source_unit_range(unit, i, &start, &end); i++)
		for (uint64_t addr = start, step = (end - start) / 32 + 1; addr < end && addr >= start; addr += step) {
			uint32_t nr = source_unit_find(unit, addr, places, SOURCE_MAX_DEPTH);

			for (uint32_t j = 0; j < nr; j++)
				if (strlen(source_unit_string(unit, places[j].function)) > size ||
				    strlen(source_unit_string(unit, places[j].file)) > size)
					abort();
		}
}

static void read_all(const struct elf_file *f)
{
	struct dwarf_names names = { 0 };
	struct elf_segment code[64];
	struct dwarf_module m;
	uint32_t nr_code = 0;
	size_t size;
	bool is_whole;
	void *map;

	for (uint32_t i = 0; i < f->segments.nr && nr_code < 64; i++)
		code[nr_code++] = f->segments.v[i];
	if (dwarf_module_open(&m, f, "/nonexistent/fuzz", "/nonexistent/fuzz", "", nr_code ? code : NULL, nr_code))
		return;
	map = dwarf_module_map(&m, &size);
	if (!source_map_check(map, size))
		abort();
	free(map);
	for (uint32_t i = 0; i < m.units.headers.nr; i++) {
		void *unit = dwarf_module_read(&m, &names, m.units.headers.v[i].off, &size, &is_whole);

		look_at(unit, size);
		free(unit);
	}
	dwarf_names_fini(&names);
	dwarf_module_close(&m);
}

/* As the .dwp (or .dwo) of a program whose skeletons have the numbers that the file knows. */
static void read_half(const uint8_t *data, size_t size)
{
	static const char name[] = "fuzz.dwo";
	char dir[] = "/tmp/assay-fuzz-XXXXXX", path[64];
	struct dwarf_work work = { .left = 64 << 20 };
	struct dwarf_file nothing = { .fd = -1, .work = &work };
	struct dwarf_split split;
	FILE *out;

	if (!mkdtemp(dir))
		abort();
	for (int is_dwp = 0; is_dwp < 2; is_dwp++) {
		snprintf(path, sizeof(path), "%s/fuzz.%s", dir, is_dwp ? "dwp" : "dwo");
		out = fopen(path, "w");
		if (!out || fwrite(data, 1, size, out) != size || fclose(out))
			abort();
	}
	snprintf(path, sizeof(path), "%s/fuzz", dir);
	dwarf_split_init(&split, path, "", &work);
	for (uint8_t version = 4; version <= 5; version++) {
		struct dwarf_unit skeleton = {
			.head.enc = { version, 8, 4 },
			.file = &nothing,
			.program = &nothing,
			.dwo_name = { .form = DW_FORM_string, .u = sizeof(name) - 1, .bytes = (const uint8_t *)name },
		};
		struct dwarf_half half;

		memcpy(&skeleton.dwo_id, data + size - 8, 8);
		if (dwarf_split_open(&split, &skeleton, &half)) {
			struct dwarf_ranges ranges = { 0 };

			dwarf_unit_ranges(&half.unit, &half.unit.low, &half.unit.high, &half.unit.range_list, &ranges);
			vec_fini(&ranges.list);
			dwarf_half_close(&half);
		}
	}
	dwarf_split_fini(&split);
	snprintf(path, sizeof(path), "%s/fuzz.dwo", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/fuzz.dwp", dir);
	unlink(path);
	rmdir(dir);
}

/* `end`: what the file's size is made, by a hole. */
static void look_up_file(const uint8_t *data, size_t size, off_t end)
{
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = MODULE_ELF };
	const struct source_frame *frames;
	struct source_info *si;
	uint64_t addrs[256];
	char path[32];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	io_write(fd, data, size, NULL);
	if (end && ftruncate(fd, end) != 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ref.path = path;
	for (uint32_t i = 0; i < 256; i++)
		addrs[i] = i * 37 + 0x1000;
	source_info_open(&si, &opts, &ref, NULL);
	source_info_prefetch(si, addrs, 256);
	for (uint32_t i = 0; i < 256; i++)
		source_info_find(si, addrs[i], &frames);
	source_info_close(si);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file f;
	uint8_t *copy;

	setenv("ASSAY_CACHE", "off", 1);
	log_level = LOG_QUIET; /* what is cut is said */
	if (size < 64 || memcmp(data, "\177ELF", 4) != 0)
		return -1;
	copy = malloc(size);
	memcpy(copy, data, size);
	if (elf_file_open_memory(&f, copy, size, NULL) == 0) {
		read_all(&f);
		elf_file_close(&f);
	}
	free(copy);
	look_up_file(data, size, 0);
	look_up_file(data, size, 20LL << 30);
	if (memmem(data, size, ".dwo", 5))
		read_half(data, size);
	return 0;
}
