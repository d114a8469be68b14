/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of mapped files, and the thread that opens them. Its lock is held for look-ups, never while a file is read.
 */
#include "capture/mapped_files.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"
#include "session/machine.h"

#define KERNEL_DSO "[kernel.kallsyms]"
#define NONE UINT32_MAX
/* A recorder that runs for days sees every program that is ever compiled: past this files are known by their maps alone. */
#define MAX_FILES 65536u
/* Of one inode that is rewritten and mapped again and again: what it was after that is not known. */
#define MAX_VERSIONS 256u

/* Names the kernel gives to what is no file. */
static bool is_file(const char *path)
{
	static const char *const others[] = { "//", "/dev/", "/SYSV", "/anon_hugepage" };

	if (path[0] != '/')
		return false;
	if (!strncmp(path, "/dev/shm/", strlen("/dev/shm/")))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return true;
}

void mapped_files_init(struct mapped_files *m)
{
	memset(m, 0, sizeof(*m));
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->is_done, NULL);
	m->wake_fd = -1;
	file_opener_init(&m->opener);
	out_init(&m->section, -1);
}

/* The name of the kernel's map has the reference symbol behind it. */
static size_t name_len(const struct record_mmap *mm, bool is_kernel)
{
	return is_kernel && !strncmp(mm->filename, KERNEL_DSO, strlen(KERNEL_DSO)) ? strlen(KERNEL_DSO) : strlen(mm->filename);
}

static uint64_t hash_map(const struct record_mmap *mm, size_t len)
{
	uint64_t seed = mm->build_id_size ? hash_bytes(mm->build_id, mm->build_id_size, 1)
					  : hash_pair(mm->ino, (uint64_t)mm->maj << 32 | mm->min);

	return hash_bytes(mm->filename, len, seed);
}

static bool is_file_of(const struct mapped_file *f, const struct record_mmap *mm, size_t len)
{
	if (strncmp(f->path, mm->filename, len) || f->path[len])
		return false;
	if (mm->build_id_size)
		return f->build_id_size == mm->build_id_size && !memcmp(f->build_id, mm->build_id, mm->build_id_size);
	/* Maps in /proc have no generation. */
	return f->ino == mm->ino && f->maj == mm->maj && f->min == mm->min &&
	       (!f->generation || !mm->ino_generation || f->generation == mm->ino_generation);
}

/* The file as it was at that time; NONE. */
static uint32_t find(const struct mapped_files *m, const struct record_mmap *mm, size_t len, uint64_t hash, uint64_t time_ns)
{
	struct hindex_iter it = hindex_find(&m->index, hash);
	uint32_t best = NONE;

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;) {
		const struct mapped_file *f = m->files.v[i];

		if (is_file_of(f, mm, len) && f->since_ns <= time_ns && (best == NONE || f->since_ns > m->files.v[best]->since_ns))
			best = i;
	}
	return best;
}

static uint32_t add(struct mapped_files *m, const struct mapped_file *f, uint64_t hash)
{
	struct mapped_file *copy = arena_alloc(&m->arena, sizeof(*copy));

	*copy = *f;
	hindex_add(&m->index, hash, m->files.nr);
	vec_push(&m->files, copy);
	return m->files.nr - 1;
}

static struct mapped_file file_of(struct mapped_files *m, const struct record_mmap *mm, size_t len, bool is_kernel)
{
	struct mapped_file f = {
		.path = arena_str(&m->arena, mm->filename, len),
		.cpumode = is_kernel ? MISC_KERNEL : MISC_USER,
		.has_recorded_id = mm->build_id_size,
		.build_id_size = mm->build_id_size,
		.maj = mm->maj,
		.min = mm->min,
		.ino = mm->ino,
		.generation = mm->ino_generation,
		.is_done = is_kernel,
		.opened = OPENED_FILE_NONE,
	};

	memcpy(f.build_id, mm->build_id, sizeof(f.build_id));
	return f;
}

static void ask_look(struct mapped_files *m, uint32_t file, const struct record_mmap *mm, uint64_t time_ns)
{
	struct mapped_look look = { .file = file,
				    .place = { (pid_t)mm->pid, mm->start, mm->start + mm->len, map_watch_wall_ns(&m->watch, time_ns) },
				    .time_ns = time_ns };

	if (m->next_look == m->looks.nr)
		m->next_look = m->looks.nr = 0;
	vec_push(&m->looks, look);
	m->nr_looks++;
}

/* Each map is seen twice, at once and when the rings are read; what the file is at the second time says nothing of the map. Rings are read one
 * after the other: a map on one CPU may be seen after a later one on another. */
static bool is_seen_first(const struct mapped_file *f, uint64_t time_ns)
{
	return time_ns > f->seen_ns || time_ns < f->first_seen_ns;
}

static void note_seen(struct mapped_file *f, uint64_t time_ns)
{
	if (time_ns > f->seen_ns)
		f->seen_ns = time_ns;
	if (!f->first_seen_ns || time_ns < f->first_seen_ns)
		f->first_seen_ns = time_ns;
}

/* With the lock. Returns the file, or NONE. */
static uint32_t see(struct mapped_files *m, const struct record *rec)
{
	const struct record_mmap *mm = &rec->mmap;
	bool is_kernel = (rec->header->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	struct jit_process *jit;
	size_t len;
	uint64_t hash;
	uint32_t i;

	jit = !is_kernel && mm->filename ? jit_files_note(&m->jits, mm) : NULL;
	if (jit) {
		ask_look(m, NONE, mm, rec->id.time_ns);
		m->looks.v[m->looks.nr - 1].jit = jit;
	}
	/* Memory that sessions take for generated code has no file, whatever it is called: there are no symbols to lose. */
	if (!mm->filename || (!is_kernel && (!is_file(mm->filename) || machine_is_memory(mm))))
		return NONE;
	len = name_len(mm, is_kernel);
	hash = hash_map(mm, len);
	i = find(m, mm, len, hash, UINT64_MAX);
	if (i == NONE) {
		struct mapped_file f;

		if (m->files.nr >= MAX_FILES)
			return NONE;
		f = file_of(m, mm, len, is_kernel);
		i = add(m, &f, hash);
		if (!is_kernel)
			ask_look(m, i, mm, rec->id.time_ns);
	} else if (!mm->build_id_size && !is_kernel && is_seen_first(m->files.v[i], rec->id.time_ns)) {
		ask_look(m, i, mm, rec->id.time_ns); /* it may have been rewritten */
	}
	note_seen(m->files.v[i], rec->id.time_ns);
	return i;
}

static struct file_identity identity_of(const struct mapped_file *f)
{
	return file_identity_of_map(f->maj, f->min, f->ino, f->generation);
}

/* The first look at a file. Without the lock: nothing of it changes but by us. */
static void look_first(struct mapped_files *m, const struct mapped_look *look, struct mapped_file *f)
{
	struct build_id id = build_id_of(f->build_id, f->build_id_size);
	struct file_identity identity = identity_of(f);
	int err = file_opener_open(&m->opener, f->path, &look->place, &id, &identity, &f->opened);

	f->opened_for_ns = look->time_ns;
	f->is_other = err == -ENOEXEC;
	f->is_lost = err == -ESTALE;
	if (err && !f->is_other)
		log_debug("%s: the mapped file cannot be reached: %s", f->path, strerror(-err));
	memcpy(f->build_id, id.bytes, sizeof(f->build_id));
	f->build_id_size = id.size;
	opened_file_path(&f->opened, f->opened_as);
	f->is_done = true;
}

/* A file of which the first look came too late, mapped again. True: it is as it was then, which *f is made. */
static bool look_anew(struct mapped_files *m, const struct mapped_look *look, struct mapped_file *f)
{
	struct file_identity identity = identity_of(f);
	struct build_id id = { 0 };

	if (f->nr_versions >= MAX_VERSIONS || file_opener_open(&m->opener, f->path, &look->place, &id, &identity, &f->opened))
		return false;
	f->nr_versions++;
	f->since_ns = look->time_ns;
	memcpy(f->build_id, id.bytes, sizeof(f->build_id));
	f->build_id_size = id.size;
	opened_file_path(&f->opened, f->opened_as);
	return true;
}

/* A file that is mapped again. True: it is another by now, which *f is made. */
static bool look_again(struct mapped_files *m, const struct mapped_look *look, struct mapped_file *f)
{
	struct opened_file before = f->opened;
	struct build_id id = { 0 };

	if (f->is_lost && !f->opened.has_stat)
		return look_anew(m, look, f);
	if (f->opened.fd < 0 || opened_file_is_intact(&f->opened))
		return false;
	if (f->opened.copy_fd < 0)
		f->is_lost = true;
	f->since_ns = look->time_ns;
	f->opened_as[0] = 0;
	f->opened = OPENED_FILE_NONE;
	/* One that is not open is not looked at again. */
	if (++f->nr_versions < MAX_VERSIONS && !file_opener_reopen(&m->opener, &before, look->place.wall_ns, &id, &f->opened))
		opened_file_path(&f->opened, f->opened_as);
	memcpy(f->build_id, id.bytes, sizeof(f->build_id));
	f->build_id_size = id.size;
	return true;
}

/* Whether a map that is seen late was one of something else, which the opened file was before. */
static bool is_of_older(const struct mapped_file *f, const struct mapped_look *look)
{
	return f->opened.has_stat && look->place.wall_ns && look->time_ns < f->opened_for_ns &&
	       (int64_t)timespec_ns(&f->opened.st.st_mtim) > look->place.wall_ns;
}

/* With the lock. What that was is not known. */
static void add_older(struct mapped_files *m, struct mapped_file *f, uint64_t hash)
{
	struct mapped_file older = *f;

	if (f->since_ns || m->files.nr >= MAX_FILES)
		return;
	older.opened = OPENED_FILE_NONE;
	older.opened_as[0] = 0;
	older.build_id_size = 0;
	older.is_lost = true;
	f->since_ns = f->opened_for_ns;
	f->nr_versions++;
	add(m, &older, hash);
}

static void look_at_file(struct mapped_files *m, struct mapped_look look)
{
	struct mapped_file *f = m->files.v[look.file], copy;
	struct record_mmap mm = { .filename = f->path, .maj = f->maj, .min = f->min, .ino = f->ino };
	uint32_t newest = find(m, &mm, strlen(f->path), hash_map(&mm, strlen(f->path)), UINT64_MAX);
	bool is_new = false;

	if (f->is_done && newest != NONE)
		f = m->files.v[newest];
	if (f->is_done && is_of_older(f, &look)) {
		add_older(m, f, hash_map(&mm, strlen(f->path)));
		return;
	}
	copy = *f;
	pthread_mutex_unlock(&m->lock);
	if (!copy.is_done)
		look_first(m, &look, &copy);
	else
		is_new = look_again(m, &look, &copy);
	pthread_mutex_lock(&m->lock);
	if (is_new) {
		f->is_lost = copy.is_lost;
		copy.is_lost = copy.opened.fd < 0;
		copy.seen_ns = f->seen_ns;
		copy.first_seen_ns = f->first_seen_ns;
		if (m->files.nr < MAX_FILES)
			add(m, &copy, hash_map(&mm, strlen(copy.path)));
		else
			file_opener_close(&m->opener, &copy.opened);
	} else if (!f->is_done) {
		copy.seen_ns = f->seen_ns;
		copy.first_seen_ns = f->first_seen_ns;
		*f = copy;
	}
}

/* With the lock, which is let go meanwhile. */
static void look_next(struct mapped_files *m)
{
	struct mapped_look look = m->looks.v[m->next_look++];

	if (look.file == NONE) {
		pthread_mutex_unlock(&m->lock);
		jit_files_look(&m->jits, look.jit);
		pthread_mutex_lock(&m->lock);
	} else {
		look_at_file(m, look);
	}
	m->nr_looked++;
	pthread_cond_broadcast(&m->is_done);
}

static void take_watched(void *ctx, const struct record *rec)
{
	struct mapped_files *m = ctx;

	pthread_mutex_lock(&m->lock);
	see(m, rec);
	pthread_mutex_unlock(&m->lock);
}

static int cmp_looks(const void *va, const void *vb)
{
	const struct mapped_look *a = va, *b = vb;

	return COMPARE(a->time_ns, b->time_ns) ?: COMPARE(a->file, b->file);
}

/* Does all there is to do, in the order of time: what a file was at first tells what it was later, not the other way round. False: it is time
 * to stop. */
static bool run_looks(struct mapped_files *m)
{
	bool stopping;

	pthread_mutex_lock(&m->lock);
	if (m->looks.nr - m->next_look > 1)
		qsort(m->looks.v + m->next_look, m->looks.nr - m->next_look, sizeof(*m->looks.v), cmp_looks);
	while (m->next_look < m->looks.nr)
		look_next(m);
	stopping = m->is_stopping;
	pthread_mutex_unlock(&m->lock);
	return !stopping;
}

static uint64_t count_looks(struct mapped_files *m)
{
	uint64_t nr;

	pthread_mutex_lock(&m->lock);
	nr = m->nr_looks;
	pthread_mutex_unlock(&m->lock);
	return nr;
}

/* Records wake the thread later; a requested look does at once. */
static void hold_back(struct mapped_files *m, struct pollfd *wake, enum wake_next next)
{
	if (next == WAKE_AT_ONCE)
		return;
	if (next == WAKE_AFTER_PAUSE)
		map_watch_enable(&m->watch, false);
	poll(wake, 1, next == WAKE_LATER ? WAKE_PERIOD_MS : WAKE_PAUSE_MS);
	if (next == WAKE_AFTER_PAUSE)
		map_watch_enable(&m->watch, true);
}

static void *opener_main(void *arg)
{
	struct mapped_files *m = arg;
	uint32_t nr = m->watch.events.nr_rings;
	struct pollfd *polls = mem_zalloc((nr + 1) * sizeof(*polls));
	struct wake_pace pace = { 0 };

	map_watch_polls(&m->watch, polls);
	polls[nr] = (struct pollfd){ .fd = m->wake_fd, .events = POLLIN };
	while (run_looks(m)) {
		if (poll(polls, nr + 1, -1) > 0 && polls[nr].revents)
			io_take_notice(m->wake_fd);
		map_watch_read(&m->watch, polls, take_watched, m);
		if (nr)
			hold_back(m, &polls[nr], wake_pace_next(&pace, clock_now_ns(), count_looks(m)));
	}
	free(polls);
	return NULL;
}

int mapped_files_start(struct mapped_files *m, const struct target *t, const struct attr *tracking)
{
	int err;

	m->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->wake_fd < 0)
		return -errno;
	map_watch_open(&m->watch, t, tracking);
	err = -pthread_create(&m->thread, NULL, opener_main, m);
	m->is_running = !err;
	return err;
}

/* With the lock: until all that was asked for up to now has been looked at. */
static void await_looks(struct mapped_files *m)
{
	uint64_t wanted = m->nr_looks;

	if (m->is_running && m->nr_looked < wanted)
		io_notify(m->wake_fd);
	while (m->nr_looked < wanted) {
		if (m->is_running)
			pthread_cond_wait(&m->is_done, &m->lock);
		else
			look_next(m);
	}
}

void mapped_files_see(struct mapped_files *m, const struct record *rec)
{
	uint64_t nr_looks;

	pthread_mutex_lock(&m->lock);
	nr_looks = m->nr_looks;
	see(m, rec);
	nr_looks = m->nr_looks - nr_looks;
	pthread_mutex_unlock(&m->lock);
	if (nr_looks)
		io_notify(m->wake_fd);
}

static uint64_t generation_of(int fd)
{
	long version = 0; /* file systems write 32 bits of it */

	return fd >= 0 && !ioctl(fd, FS_IOC_GETVERSION, &version) ? (uint32_t)version : 0;
}

void mapped_files_identify(struct mapped_files *m, struct record *rec, struct record_header *h, bool with_build_id)
{
	struct record_mmap *mm = &rec->mmap;
	uint64_t nr_looks;
	uint32_t i;

	pthread_mutex_lock(&m->lock);
	nr_looks = m->nr_looks;
	i = see(m, rec);
	if (i != NONE && !m->files.v[i]->is_done && m->nr_looks > nr_looks)
		await_looks(m);
	if (i != NONE && m->files.v[i]->cpumode == MISC_USER && rec->header->type == RECORD_MMAP2) {
		struct mapped_file *f = m->files.v[i];

		if (!f->generation && !f->build_id_size)
			f->generation = generation_of(f->opened.fd);
		mm->ino_generation = f->generation;
		if (with_build_id && f->build_id_size) {
			bool is_first = !f->has_recorded_id;

			f->has_recorded_id = true;
			memcpy(mm->build_id, f->build_id, sizeof(mm->build_id));
			mm->build_id_size = f->build_id_size;
			h->misc |= MISC_MMAP_BUILD_ID;
			if (is_first) /* the kernel's own records will ask for it so */
				hindex_add(&m->index, hash_map(mm, strlen(mm->filename)), i);
		}
	}
	pthread_mutex_unlock(&m->lock);
}

void mapped_files_find(void *files, const struct record *rec, struct dso_file *out)
{
	struct mapped_files *m = files;
	const struct record_mmap *mm = &rec->mmap;
	size_t len = strlen(mm->filename);
	uint64_t hash = hash_map(mm, len);
	const struct mapped_file *f;
	uint32_t i;

	pthread_mutex_lock(&m->lock);
	i = find(m, mm, len, hash, rec->id.time_ns);
	/* One without a build-id may have been rewritten since it was looked at. */
	if (i != NONE && (!mm->build_id_size || !m->files.v[i]->is_done)) {
		await_looks(m);
		i = find(m, mm, len, hash, rec->id.time_ns);
	}
	if (i != NONE) {
		f = m->files.v[i];
		if (f->build_id_size) {
			out->build_id = f->build_id;
			out->build_id_size = f->build_id_size;
		}
		if (f->opened_as[0] && (f->opened.copy_fd >= 0 || f->build_id_size || opened_file_is_intact(&f->opened)))
			out->opened_as = f->opened_as;
	}
	pthread_mutex_unlock(&m->lock);
}

void mapped_files_settle(struct mapped_files *m)
{
	pthread_mutex_lock(&m->lock);
	await_looks(m);
	pthread_mutex_unlock(&m->lock);
}

uint32_t mapped_files_nr(struct mapped_files *m)
{
	uint32_t nr;

	pthread_mutex_lock(&m->lock);
	nr = m->files.nr;
	pthread_mutex_unlock(&m->lock);
	return nr;
}

struct mapped_file *mapped_files_get(struct mapped_files *m, uint32_t i)
{
	struct mapped_file *f;

	pthread_mutex_lock(&m->lock);
	f = m->files.v[i];
	if (!f->is_done)
		await_looks(m);
	pthread_mutex_unlock(&m->lock);
	return f;
}

void mapped_files_fini(struct mapped_files *m)
{
	if (m->is_running) {
		pthread_mutex_lock(&m->lock);
		m->is_stopping = true;
		pthread_mutex_unlock(&m->lock);
		io_notify(m->wake_fd);
		pthread_join(m->thread, NULL);
	}
	for (uint32_t i = 0; i < m->files.nr; i++)
		file_opener_close(&m->opener, &m->files.v[i]->opened);
	map_watch_close(&m->watch);
	if (m->wake_fd >= 0)
		close(m->wake_fd);
	file_opener_fini(&m->opener);
	jit_files_fini(&m->jits);
	out_fini(&m->section);
	vec_fini(&m->files);
	vec_fini(&m->looks);
	hindex_fini(&m->index);
	arena_fini(&m->arena);
	pthread_cond_destroy(&m->is_done);
	pthread_mutex_destroy(&m->lock);
}
