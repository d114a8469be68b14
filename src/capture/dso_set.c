/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects mapped files from the records that pass by, and reads their build-ids when the recording
 * is over. Fed by tally.c; ELF is read by the symbols room, notes of the kernel and its modules
 * come from sysfs.
 */
#include "capture/dso_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/log.h"
#include "symbols/symbolizer.h"

#define KERNEL_DSO "[kernel.kallsyms]"
#define NOTE_GNU_BUILD_ID 3
#define NOTES_MAX (1 << 16)

/* Names the kernel gives to what is no file on a disk. */
static bool is_file(const char *path)
{
	static const char *const others[] = { "//", "/dev/", "/memfd:", "/SYSV", "/anon_hugepage" };

	if (path[0] != '/')
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return true;
}

void dso_set_add(struct dso_set *s, const struct record_mmap *m, uint16_t misc)
{
	bool is_kernel = (misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	struct hindex_iter it;
	size_t len;
	uint64_t hash;

	if (!m->filename || (!is_kernel && !is_file(m->filename)))
		return;
	len = strlen(m->filename);
	/* The name of the kernel's map has the reference symbol behind it; a module may stand in
	 * brackets. */
	if (is_kernel && !strncmp(m->filename, KERNEL_DSO, strlen(KERNEL_DSO)))
		len = strlen(KERNEL_DSO);
	hash = hash_bytes(m->filename, len, m->ino);
	it = hindex_find(&s->index, hash);
	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;) {
		const struct dso_seen *d = &s->dsos.v[i];

		if (d->ino == m->ino && !strncmp(d->path, m->filename, len) && !d->path[len])
			return;
	}
	hindex_add(&s->index, hash, s->dsos.nr);
	vec_push(&s->dsos, ((struct dso_seen){
				   .path = arena_str(&s->arena, m->filename, len),
				   .ino = m->ino,
				   .pid = m->pid,
				   .cpumode = is_kernel ? MISC_KERNEL : MISC_USER,
			   }));
}

void dso_set_fini(struct dso_set *s)
{
	vec_fini(&s->dsos);
	hindex_fini(&s->index);
	arena_fini(&s->arena);
	memset(s, 0, sizeof(*s));
}

int notes_find_build_id(const void *notes, size_t size, uint8_t id[BUILD_ID_MAX])
{
	struct bytes b = bytes_of(notes, size, false);

	while (bytes_left(&b) >= 12) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name;
		const void *desc;

		if (name_size > NOTES_MAX || desc_size > NOTES_MAX)
			return -ENOENT;
		name = bytes_take(&b, (name_size + 3) & ~3u);
		desc = bytes_take(&b, (desc_size + 3) & ~3u);
		if (b.failed)
			return -ENOENT;
		if (type == NOTE_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) &&
		    desc_size && desc_size <= BUILD_ID_MAX) {
			memcpy(id, desc, desc_size);
			return (int)desc_size;
		}
	}
	return -ENOENT;
}

static int notes_file_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	size_t size;
	char *notes;
	int n = io_read_file(path, NOTES_MAX, &notes, &size);

	if (n)
		return n;
	n = notes_find_build_id(notes, size, id);
	free(notes);
	return n;
}

/* "/lib/modules/…/snd-pcm.ko.xz" or "[snd_pcm]": the notes are under the module's name. */
static int module_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	const char *base = strrchr(path, '/');
	char file[256];
	size_t len;

	base = base ? base + 1 : path + (*path == '[');
	len = strcspn(base, ".]");
	if (!len || len > 128)
		return -ENOENT;
	snprintf(file, sizeof(file), "/sys/module/%.*s/notes/.note.gnu.build-id", (int)len, base);
	for (char *p = file + strlen("/sys/module/"); *p != '/'; p++)
		if (*p == '-')
			*p = '_';
	return notes_file_build_id(file, id);
}

static bool is_same_file(const char *path, uint64_t ino)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino);
}

static int file_build_id(const struct dso_seen *d, uint8_t id[BUILD_ID_MAX])
{
	char *inside;
	int n = -ENOENT;

	if (is_same_file(d->path, d->ino))
		return symbolizer_build_id(d->path, id);
	/* In another mount namespace the path means another file; its process may still show it. */
	inside = mem_printf("/proc/%u/root%s", d->pid, d->path);
	if (is_same_file(inside, d->ino))
		n = symbolizer_build_id(inside, id);
	free(inside);
	return n;
}

static void read_build_id(struct dso_seen *d)
{
	int n;

	if (d->cpumode == MISC_USER)
		n = file_build_id(d, d->id);
	else if (!strcmp(d->path, KERNEL_DSO))
		n = notes_file_build_id("/sys/kernel/notes", d->id);
	else
		n = module_build_id(d->path, d->id);
	d->is_read = true;
	d->id_size = n > 0 ? (uint8_t)n : 0;
	if (n <= 0)
		log_debug("no build-id of %s", d->path);
}

void dso_set_read_build_ids(struct dso_set *s, struct perfdata_info *info, int (*tick)(void *ctx),
			    void *ctx)
{
	/* A tick may add files: they are read, too. */
	for (uint32_t i = 0; i < s->dsos.nr; i++) {
		struct perfdata_build_id entry = { .pid = -1 };
		struct dso_seen *d = &s->dsos.v[i];

		if (!d->is_read) {
			read_build_id(d);
			if (tick && tick(ctx))
				tick = NULL; /* the failure is told where it belongs */
			d = &s->dsos.v[i];
		}
		if (!d->id_size)
			continue;
		entry.misc = d->cpumode;
		entry.filename = d->path;
		entry.size = d->id_size;
		memcpy(entry.id, d->id, d->id_size);
		vec_push(&info->build_ids, entry);
	}
}
