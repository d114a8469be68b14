/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From /proc/PID/maps to a machine's maps. Files that were removed since are read through the process that has them mapped.
 */
#include "capture/live_stack.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "symbols/debug_files.h"

#define MEMFD "/memfd:"
#define PAGE_BYTES 4096u
#define FORGET_NS 100000000u /* a JIT may have mapped it by then */

static bool is_elf(const char *path)
{
	int fd = io_open_regular(path);
	char magic[4];
	bool yes = fd >= 0 && io_pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\177ELF", 4);

	if (fd >= 0)
		close(fd);
	return yes;
}

/* Not everything that is called deleted ever was a file (/dev/zero, shared memory): what holds no program is memory, and code in it was
 * written by a JIT. */
static const char *path_of_deleted(const struct live_maps *m, const struct record_mmap *mm, char *path, size_t size)
{
	if (mm->filename[0] != '/' || deleted_mark_at(mm->filename) == strlen(mm->filename) || m->machine->dsos.options.symfs)
		return mm->filename;
	snprintf(path, size, "/proc/%d/map_files/%llx-%llx", m->pid, (unsigned long long)mm->start,
		 (unsigned long long)(mm->start + mm->len));
	if (is_elf(path))
		return path;
	return strncmp(mm->filename, MEMFD, strlen(MEMFD)) ? mm->filename : "//anon";
}

static int take_record(void *ctx, const struct record *rec)
{
	struct live_maps *m = ctx;
	struct record copy = *rec;
	char path[96];

	if (rec->header->type == RECORD_MMAP2)
		copy.mmap.filename = path_of_deleted(m, &rec->mmap, path, sizeof(path));
	machine_apply(m->machine, &copy);
	return 0;
}

void live_maps_init(struct live_maps *m, struct machine *machine, pid_t pid, pid_t tid, bool data_maps)
{
	*m = (struct live_maps){ .machine = machine, .pid = pid, .tid = tid };
	m->sink = (struct record_sink){ take_record, m };
	proc_scan_init(&m->scan, &m->sink);
	m->scan.data_maps = data_maps;
}

void live_maps_fini(struct live_maps *m)
{
	proc_scan_fini(&m->scan);
}

/* A main thread that has ended shows none; one of the others does. */
void live_maps_read(struct live_maps *m)
{
	uint32_t before = m->scan.nr_maps;

	proc_scan_maps(&m->scan, m->pid, m->tid ? m->tid : m->pid);
	if (m->scan.nr_maps == before && !m->tid)
		proc_scan_pid(&m->scan, m->pid);
}

bool live_maps_miss(struct live_maps *m, uint64_t addr)
{
	uint64_t page = addr / PAGE_BYTES + 1, now;
	uint64_t *slot = &m->misses[hash_u64(page) % LIVE_MAPS_NR_MISSES];

	if (!addr)
		return false;
	now = clock_now_ns();
	if (now - m->misses_ns > FORGET_NS) {
		memset(m->misses, 0, sizeof(m->misses));
		m->misses_ns = now;
	}
	if (*slot == page)
		return false;
	*slot = page;
	return true;
}
