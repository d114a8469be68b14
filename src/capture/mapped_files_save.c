/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a recording says of its files: of one that is still at its path, its build-id, or its size and times where it has none; of one that
 * is gone or replaced, its symbols. Lines and inlined functions are not saved: they are a hundred times as large, and a build that is worth
 * them keeps its debug files.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "capture/jvm_maps.h"
#include "capture/mapped_files.h"
#include "perfdata/embedded_files.h"
#include "symbols/symbolizer.h"
#include "symbols/symtab.h"
#include "symbols/unwind_functions.h"
#include "symbols/unwind_table.h"

#define MAX_SAVED_BYTES (64u << 20)
#define MAX_SUMMED_BYTES (32u << 20)

/* "/lib/modules/…/snd-pcm.ko.xz" → "[snd_pcm]": its notes are under the module's name. */
static void read_kernel_build_id(struct mapped_file *f)
{
	const char *base = strrchr(f->path, '/');
	char *name = base ? mem_printf("[%.*s]", (int)strcspn(base + 1, "."), base + 1) : mem_strdup(f->path);
	int n;

	for (char *p = base ? name : NULL; p && *p; p++)
		if (*p == '-')
			*p = '_';
	n = symbolizer_build_id(name, f->build_id);
	f->build_id_size = n > 0 ? (uint8_t)n : 0;
	f->has_recorded_id = true; /* it was looked for */
	free(name);
}

/* A file that was known before the kernel reported it is noted twice, and listed once. */
static void list_build_id(const struct mapped_file *f, struct perfdata_info *info, struct hindex *listed)
{
	uint64_t hash = hash_bytes(f->path, strlen(f->path), hash_bytes(f->build_id, f->build_id_size, 1));
	struct perfdata_build_id entry = { .misc = f->cpumode, .pid = -1, .filename = f->path, .size = f->build_id_size };

	memcpy(entry.id, f->build_id, f->build_id_size);
	if (entry.size)
		HINDEX_INTERN(listed, hash, &info->build_ids, b,
			      b->size == entry.size && !memcmp(b->id, entry.id, entry.size) && !strcmp(b->filename, f->path), entry);
}

/* Will a reader find the file by its path? Without a build-id it asks for the ctime, too (symbols/file_identity.c). */
static bool is_at_path(const struct mapped_file *f)
{
	const struct stat *was = &f->opened.st;
	uint8_t id[BUILD_ID_MAX];
	struct stat now;

	if (stat(f->path, &now))
		return false;
	if (f->opened.has_stat && now.st_dev == was->st_dev && now.st_ino == was->st_ino && now.st_size == was->st_size &&
	    timespec_ns(&now.st_mtim) == timespec_ns(&was->st_mtim) &&
	    (f->build_id_size || timespec_ns(&now.st_ctim) == timespec_ns(&was->st_ctim)))
		return true;
	return f->build_id_size && symbolizer_build_id(f->path, id) == f->build_id_size && !memcmp(id, f->build_id, f->build_id_size);
}

static struct embedded_file row_of(const struct mapped_file *f)
{
	struct embedded_file row = {
		.path = f->path,
		.build_id_size = f->build_id_size,
		.identity = { .major = f->maj, .minor = f->min, .inode = f->ino, .generation = f->generation, .since_ns = f->since_ns },
	};

	memcpy(row.build_id, f->build_id, sizeof(row.build_id));
	if (f->opened.has_stat) {
		row.identity.stat_device = f->opened.st.st_dev;
		row.identity.stat_inode = f->opened.st.st_ino;
		row.identity.size_bytes = (uint64_t)f->opened.st.st_size;
		row.identity.mtime_ns = (int64_t)timespec_ns(&f->opened.st.st_mtim);
		row.identity.ctime_ns = (int64_t)timespec_ns(&f->opened.st.st_ctim);
	}
	return row;
}

static struct embedded_part copy_of(const void *bytes, size_t size)
{
	return (struct embedded_part){ memcpy(mem_alloc(size), bytes, size), size };
}

static void free_parts(struct embedded_file *row)
{
	free((void *)row->symbols.data);
	free((void *)row->unwind.data);
	free((void *)row->functions.data);
	row->symbols = row->unwind = row->functions = (struct embedded_part){ 0 };
}

/* Parts in malloc'd memory. */
static bool save_parts(const struct mapped_file *f, bool want_unwind, struct embedded_file *row)
{
	static const struct symbolizer_options no_options;
	struct module_ref ref = { .kind = MODULE_ELF, .path = f->path, .build_id_size = f->build_id_size };
	char opened_as[OPENED_FILE_PATH_SIZE];
	struct unwind_functions *functions;
	struct unwind_table *table = NULL;
	struct symtab *symtab = NULL;
	struct errbuf why = { 0 };
	const void *bytes;
	size_t size;

	if (!opened_file_path(&f->opened, opened_as))
		return false;
	memcpy(ref.build_id, f->build_id, sizeof(ref.build_id));
	ref.opened_as = opened_as;
	if (!symbolizer_load(&no_options, &ref, &symtab, &why) && symtab && symtab->symbols.nr) {
		row->symbols.data = symtab_flatten(symtab, &row->symbols.size_bytes);
		row->is_mangled = symtab->mangled;
	}
	symtab_free(symtab);
	if (want_unwind && !symbolizer_load_unwind(&no_options, &ref, true, &table, &why) && table && unwind_table_nr_rows(table)) {
		bytes = unwind_table_bytes(table, &size);
		row->unwind = copy_of(bytes, size);
	}
	unwind_table_free(table);
	symbolizer_load_functions(&no_options, &ref, &functions);
	if (functions) {
		bytes = unwind_functions_bytes(functions, &size);
		row->functions = copy_of(bytes, size);
	}
	unwind_functions_free(functions);
	return true;
}

struct saving {
	struct mapped_files *m;
	const struct mapped_save *how;
	struct embedded_files rows;
	struct hindex listed; /* in the header */
	uint64_t saved_bytes, summed_bytes;
};

/* A file without build-id: by its sum it is known to be unchanged where it gets another ctime. */
static void sum_contents(struct saving *s, const struct mapped_file *f, struct embedded_file *row)
{
	int fd = f->opened.copy_fd >= 0 ? f->opened.copy_fd : f->opened.fd;
	struct file_identity id = { 0 };

	if (f->build_id_size || !f->opened.has_stat || fd < 0 || s->summed_bytes > MAX_SUMMED_BYTES)
		return;
	file_identity_set_stat(&id, &f->opened.st);
	file_identity_add_sum(&id, fd);
	if (!(id.known & IDENTITY_SUM) || (f->opened.copy_fd < 0 && !opened_file_is_intact(&f->opened)))
		return;
	s->summed_bytes += id.stat.size_bytes;
	row->identity.content_sum = id.content_sum;
	row->identity.state |= EMBEDDED_FILE_SUMMED;
}

/* A file that will not be found by its path. */
static void save_gone(struct saving *s, const struct mapped_file *f, struct embedded_file *row)
{
	bool is_saved = save_parts(f, s->how->unwind, row);
	uint64_t size = row->symbols.size_bytes + row->unwind.size_bytes + row->functions.size_bytes;

	if (is_saved && s->saved_bytes + size > MAX_SAVED_BYTES) {
		free_parts(row);
		is_saved = false;
	}
	if (is_saved)
		s->saved_bytes += size;
	else
		s->m->nr_unsaved++;
}

static void save_file(struct saving *s, const struct mapped_file *f)
{
	struct embedded_file row = row_of(f);
	bool is_there = is_at_path(f);

	if (is_there)
		sum_contents(s, f, &row);
	else
		save_gone(s, f, &row);
	if (f->is_lost)
		row.identity.state |= EMBEDDED_FILE_LOST;
	/* Map records with a build-id say all there is to say. */
	if (!is_there || !f->has_recorded_id)
		vec_push(&s->rows.files, row);
}

static void encode(struct saving *s, struct perfdata_info *info)
{
	struct out *o = &s->m->section;

	o->len = 0;
	if (s->rows.files.nr) {
		embedded_files_encode(&s->rows, o);
		vec_push(&info->raw_features,
			 ((struct perfdata_raw_feature){ .feature = FEAT_MAPPED_FILES, .size = o->len, .data = o->buf }));
	}
	for (uint32_t i = 0; i < s->rows.files.nr; i++)
		free_parts(&s->rows.files.v[i]);
	vec_fini(&s->rows.files);
}

void mapped_files_save(struct mapped_files *m, struct perfdata_info *info, const struct mapped_save *how)
{
	struct saving s = { .m = m, .how = how };
	int (*tick)(void *ctx) = how->tick;

	m->nr_unsaved = 0;
	mapped_files_settle(m);
	/* A tick may add files: they are looked at, too. */
	for (uint32_t i = 0; i < mapped_files_nr(m); i++) {
		struct mapped_file *f = mapped_files_get(m, i);

		if (f->cpumode == MISC_KERNEL && !f->has_recorded_id)
			read_kernel_build_id(f);
		if (how->header)
			list_build_id(f, info, &s.listed);
		if (f->cpumode == MISC_USER && !f->is_other && how->section)
			save_file(&s, f);
		if (tick && tick(how->ctx))
			tick = NULL; /* the failure is reported where it belongs */
	}
	if (how->section) {
		uint64_t left = MAX_SAVED_BYTES > s.saved_bytes ? MAX_SAVED_BYTES - s.saved_bytes : 0;

		/* What a virtual machine was asked for is newer than what it wrote itself: the first row of a path counts. */
		jvm_maps_save(how->jvms, &s.rows);
		jit_files_save(&m->jits, &s.rows, &left);
	}
	encode(&s, info);
	hindex_fini(&s.listed);
}
