/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One index: what the file has, what was added since, and merging both when it is closed, with what others wrote in the meantime. The new
 * file is written without the lock, which is held for the rename, after a check that no other writer was faster. Without the lock nothing
 * is written.
 */
#include "symbols/symbol_index.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbols/symbol_index_file.h"

/* More rows than a file with 100 MB of debug information has units, by far. */
#define MAX_ROWS (1U << 20)
/* Additions below this share of the limit sweep one time in so many. */
#define SWEEP_SHARE 4096u
#define SWEEP_ONE_IN 16u
/* Parts that belong to the id, and to no file. */
#define STAMP_OF_ID 1
/* How often a file is written without the lock before it is written under it. */
#define FREE_TRIES 3

enum part_state { PART_UNCHECKED, PART_GOOD, PART_DAMAGED };

struct pieces {
	struct index_piece *v;
	uint32_t nr, cap;
};

struct symbol_index {
	pthread_mutex_t lock;
	struct index_id id;
	struct index_origin origin; /* without a stamp before it is saved, where it is new */
	int fds[2];
	bool has_origin, is_gone;
	uint8_t sum_key[SIPHASH_KEY_SIZE];  /* what origin.sums were made under */
	uint64_t stamps[INDEX_MAX_ORIGINS]; /* of parts that are found, the best first */
	uint32_t nr_stamps;
	char *name;
	struct index_file file;
	struct index_origins origins; /* of `file` */
	uint8_t *states;	      /* enum part_state of each row of `file` */
	struct pieces added;	      /* bytes are malloc'd */
	struct hindex added_index;
};

static int save(struct symbol_index *x);

static void read_origins(struct index_origins *all, const struct index_file *f)
{
	const struct index_row *row = index_file_find(f, INDEX_ORIGINS, 0, 0);

	index_origins_read(all, row ? index_file_part(f, row) : NULL, row ? (size_t)row->size_bytes : 0);
}

/* Reads what is there. */
static void read_file(struct symbol_index *x)
{
	char name[INDEX_NAME_SIZE], text[INDEX_ID_TEXT_SIZE];
	int dir = index_dir_open(false, NULL), err;
	struct errbuf why = { 0 };

	if (dir < 0)
		return;
	index_file_name(&x->id, name);
	err = index_file_open(&x->file, dir, name, &x->id, true, &why);
	if (err && err != -ENOENT)
		log_info("the symbol index of %s is not used: %s", index_id_text(&x->id, text), why.text);
	close(dir);
	x->states = mem_zalloc(x->file.nr_rows + 1);
	read_origins(&x->origins, &x->file);
}

/* NULL where there is no cache, or nothing that names an index. */
static struct symbol_index *open_empty(struct index_id id)
{
	char *dir = id.size ? symbol_index_directory() : NULL;
	struct symbol_index *x;

	free(dir);
	if (!dir)
		return NULL;
	x = mem_zalloc(sizeof(*x));
	pthread_mutex_init(&x->lock, NULL);
	x->id = id;
	x->fds[0] = x->fds[1] = -1;
	read_file(x);
	return x;
}

/* Sums the files under a key, once. */
static void sum_origin(struct symbol_index *x, const uint8_t key[SIPHASH_KEY_SIZE])
{
	if (x->origin.has_sums && memcmp(x->sum_key, key, sizeof(x->sum_key)) == 0)
		return;
	memcpy(x->sum_key, key, sizeof(x->sum_key));
	index_origin_sum(&x->origin, x->fds, key);
}

/* Which of the stored parts are of these files. */
static void choose_parts(struct symbol_index *x)
{
	const struct index_origin *same = index_origins_find(&x->origins, &x->origin);
	bool is_shared = false;

	if (!same && index_origins_may_equal(&x->origins, &x->origin)) {
		sum_origin(x, x->file.key);
		same = index_origins_find_equal(&x->origins, &x->origin);
		is_shared = same;
	}
	if (!same)
		return;
	x->origin.stamp = x->stamps[x->nr_stamps++] = same->stamp;
	/* Noted now, so that the next run need not read the files again. */
	if (is_shared)
		save(x);
}

struct symbol_index *symbol_index_open(const struct build_id *id, const struct index_files *files)
{
	const struct file_stat *f = &files->runtime;
	struct index_id own = index_id_of(id);
	struct symbol_index *x;

	if (!own.size && f->inode)
		own = index_id_of_file(f);
	if ((!f->inode && !files->debug.inode) || !index_may_keep(files->runtime_fd) || !index_may_keep(files->debug_fd))
		return NULL;
	x = open_empty(own);
	if (!x)
		return NULL;
	x->has_origin = true;
	x->origin.runtime = files->runtime;
	x->origin.debug = files->debug;
	x->fds[0] = files->runtime_fd;
	x->fds[1] = files->debug_fd;
	choose_parts(x);
	return x;
}

struct symbol_index *symbol_index_open_gone(const struct build_id *id, const struct file_identity *recorded)
{
	struct index_id own = index_id_of(id);
	struct symbol_index *x;

	if (!own.size && (recorded->known & (IDENTITY_STAT | IDENTITY_LOST)) == IDENTITY_STAT)
		own = index_id_of_file(&recorded->stat);
	x = open_empty(own);
	if (!x)
		return NULL;
	x->is_gone = true;
	x->nr_stamps = index_origins_believed(&x->origins, recorded, x->stamps);
	return x;
}

struct symbol_index *symbol_index_open_id(const struct build_id *id)
{
	struct symbol_index *x = open_empty(index_id_of(id));

	if (x)
		x->origin.stamp = x->stamps[x->nr_stamps++] = STAMP_OF_ID;
	return x;
}

void symbol_index_set_name(struct symbol_index *x, const char *name)
{
	if (!x)
		return;
	pthread_mutex_lock(&x->lock);
	free(x->name);
	x->name = mem_strdup(name);
	pthread_mutex_unlock(&x->lock);
}

/* A piece that was added by this run, or NULL. */
static const struct index_piece *find_added(const struct symbol_index *x, uint32_t part, uint64_t key)
{
	const struct index_piece *v = x->added.v;
	uint32_t i = HINDEX_FIND(&x->added_index, hash_pair(part, key), id, v[id].row.part == part && v[id].row.key == key);

	return i != HINDEX_NONE ? &v[i] : NULL;
}

static const void *find_row(struct symbol_index *x, const struct index_row *row, size_t *size)
{
	uint8_t *state = &x->states[row - x->file.rows];
	char text[INDEX_ID_TEXT_SIZE];

	if (*state == PART_UNCHECKED) {
		*state = index_file_part(&x->file, row) ? PART_GOOD : PART_DAMAGED;
		if (*state == PART_DAMAGED)
			log_info("part %u of the symbol index of %s is damaged, and made anew", row->part, index_id_text(&x->id, text));
	}
	if (*state == PART_DAMAGED)
		return NULL;
	*size = (size_t)row->size_bytes;
	return x->file.bytes + row->off;
}

static const void *find_stored(struct symbol_index *x, uint32_t part, uint64_t key, size_t *size)
{
	const void *bytes = NULL;

	for (uint32_t i = 0; i < x->nr_stamps && !bytes; i++) {
		const struct index_row *row = index_file_find(&x->file, part, key, x->stamps[i]);

		if (row)
			bytes = find_row(x, row, size);
	}
	return bytes;
}

const void *symbol_index_find(struct symbol_index *x, enum index_part part, uint64_t key, size_t *size)
{
	const struct index_piece *piece;
	const void *bytes;

	if (!x)
		return NULL;
	pthread_mutex_lock(&x->lock);
	piece = find_added(x, part, key);
	if (piece) {
		*size = (size_t)piece->row.size_bytes;
		bytes = piece->bytes;
	} else {
		bytes = find_stored(x, part, key, size);
	}
	pthread_mutex_unlock(&x->lock);
	return bytes;
}

void symbol_index_add(struct symbol_index *x, enum index_part part, uint64_t key, const void *bytes, size_t size)
{
	struct index_piece p = { .row = { .part = part, .key = key, .size_bytes = size } };

	if (!x || x->is_gone)
		return;
	pthread_mutex_lock(&x->lock);
	/* The first stays: others may be using it. */
	if (x->added.nr < MAX_ROWS && !find_added(x, part, key)) {
		void *copy = mem_alloc(size ? size : 1);

		memcpy(copy, bytes, size);
		p.bytes = copy;
		vec_push(&x->added, p);
		hindex_add(&x->added_index, hash_pair(part, key), x->added.nr - 1);
	}
	pthread_mutex_unlock(&x->lock);
}

static void get_random(void *bytes, size_t size)
{
	struct timespec now;
	uint64_t words[2];

	if (getrandom(bytes, size, 0) == (ssize_t)size)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	words[0] = hash_pair((uint64_t)getpid() << 32 | (uint64_t)gettid(), (uint64_t)now.tv_nsec);
	words[1] = hash_pair(words[0], (uint64_t)now.tv_sec);
	memcpy(bytes, words, size < sizeof(words) ? size : sizeof(words));
}

/* Puts the origin among those that the file has now, under the stamp of an equal one, or a new unpredictable one. */
static void settle_origin(struct symbol_index *x, struct index_origins *all, const uint8_t key[SIPHASH_KEY_SIZE])
{
	const struct index_origin *same = index_origins_find(all, &x->origin);

	if (same) {
		x->origin.stamp = same->stamp;
		return;
	}
	/* Without a build-id there is none to share with: another file has another index. */
	if (!x->id.is_file)
		sum_origin(x, key);
	same = index_origins_find_equal(all, &x->origin);
	if (same)
		x->origin.stamp = same->stamp;
	else
		do
			get_random(&x->origin.stamp, sizeof(x->origin.stamp));
		while (x->origin.stamp <= STAMP_OF_ID || index_origins_has_stamp(all, x->origin.stamp));
	index_origins_add(all, &x->origin);
}

/* What is to be written: all that was added, and what lies in the file now but for what is replaced, damaged or of no known origin. */
static void collect(const struct symbol_index *x, const struct index_file *now, const struct index_origins *origins, struct pieces *all)
{
	struct index_piece of = { .row = { .part = INDEX_ORIGINS, .size_bytes = origins->nr * sizeof(origins->v[0]) },
				  .bytes = origins->v };

	if (origins->nr)
		vec_push(all, of);
	for (uint32_t i = 0; i < x->added.nr; i++) {
		struct index_piece p = x->added.v[i];

		p.row.stamp = x->origin.stamp;
		vec_push(all, p);
	}
	for (uint32_t i = 0; i < now->nr_rows && all->nr < MAX_ROWS; i++) {
		const struct index_row *row = &now->rows[i];
		struct index_piece p = { .row = *row, .has_sum = true };

		if (row->part == INDEX_ORIGINS || (row->stamp != STAMP_OF_ID && !index_origins_has_stamp(origins, row->stamp)) ||
		    (row->stamp == x->origin.stamp && find_added(x, row->part, row->key)))
			continue;
		p.bytes = index_file_part(now, row);
		if (p.bytes)
			vec_push(all, p);
	}
	vec_sort(all, index_row_compare);
}

/* Creates a file of its own; its name goes to `tmp`. */
static int open_temporary(int dir, const char *name, char *tmp, size_t size)
{
	uint64_t random;

	get_random(&random, sizeof(random));
	snprintf(tmp, size, ".%s.%016llx.tmp", name, (unsigned long long)random);
	return openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

#define TMP_NAME_SIZE (INDEX_NAME_SIZE + 32)

/* Writes a file that is still to get its name. */
static int write_file(struct symbol_index *x, const struct index_file *now, int dir, const char *name, char tmp[TMP_NAME_SIZE])
{
	const char *about = x->name ? x->name : now->name;
	struct index_origins origins;
	uint8_t key[SIPHASH_KEY_SIZE];
	struct pieces all = { 0 };
	int fd, err;

	if (now->key)
		memcpy(key, now->key, sizeof(key));
	else
		get_random(key, sizeof(key));
	read_origins(&origins, now);
	if (x->has_origin)
		settle_origin(x, &origins, key);
	collect(x, now, &origins, &all);
	if (index_file_size(all.v, all.nr, about) > symbol_index_limit() / 2) {
		vec_fini(&all);
		return -EFBIG;
	}
	fd = open_temporary(dir, name, tmp, TMP_NAME_SIZE);
	err = fd < 0 ? -errno : index_file_write(fd, &x->id, key, about, all.v, all.nr);
	if (fd >= 0 && close(fd) != 0 && !err)
		err = -errno;
	if (fd >= 0 && err)
		unlinkat(dir, tmp, 0);
	vec_fini(&all);
	return err;
}

/* Whether what `now` was opened from (or the lack of it) is what has the name. */
static bool is_still(const struct index_file *now, int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT && !now->is_mapped;
	return now->is_mapped && st.st_ino == now->inode;
}

/* One try, under the lock or not. -EAGAIN: another writer was faster. */
static int save_once(struct symbol_index *x, int dir, const char *name, bool locked)
{
	char tmp[TMP_NAME_SIZE];
	struct index_file now;
	int lock = locked ? index_dir_lock(dir, &x->id) : -1, err = locked && lock < 0 ? lock : 0;

	if (err)
		return err;
	err = index_file_open(&now, dir, name, &x->id, false, NULL);
	/* A damaged one is replaced under the lock: closed, it cannot be distinguished from another. */
	err = err && err != -ENOENT && !locked ? -EAGAIN : write_file(x, &now, dir, name, tmp);
	if (!err) {
		if (!locked)
			lock = index_dir_lock(dir, &x->id);
		if (lock < 0)
			err = lock;
		else if (!locked && !is_still(&now, dir, name))
			err = -EAGAIN;
		else if (renameat(dir, tmp, dir, name) != 0)
			err = -errno;
		if (err)
			unlinkat(dir, tmp, 0);
	}
	if (lock >= 0)
		close(lock);
	index_file_close(&now);
	return err;
}

/* A sweep looks at all files of the directory: of small ones, which come by the thousand, one in so many makes it. */
static bool is_worth_sweep(const struct symbol_index *x)
{
	uint64_t size = 0;
	uint8_t random;

	for (uint32_t i = 0; i < x->added.nr; i++)
		size += x->added.v[i].row.size_bytes;
	get_random(&random, sizeof(random));
	return size >= symbol_index_limit() / SWEEP_SHARE || random % SWEEP_ONE_IN == 0;
}

static int save(struct symbol_index *x)
{
	int dir, err = -EAGAIN;
	char name[INDEX_NAME_SIZE];

	/* What was made of a file while it was changed may be of neither state. */
	if (x->has_origin && !index_origin_is_settled(&x->origin, x->fds))
		return -ESTALE;
	dir = index_dir_open(true, NULL);
	if (dir < 0)
		return dir;
	index_file_name(&x->id, name);
	for (int i = 0; i <= FREE_TRIES && err == -EAGAIN; i++)
		err = save_once(x, dir, name, i == FREE_TRIES);
	if (!err && is_worth_sweep(x))
		index_dir_sweep(dir, name);
	close(dir);
	return err;
}

void symbol_index_close(struct symbol_index *x)
{
	char text[INDEX_ID_TEXT_SIZE];
	int err;

	if (!x)
		return;
	if (x->added.nr) {
		err = save(x);
		if (err)
			log_info("the symbol index of %s was not written: %s", index_id_text(&x->id, text),
				 err == -ESTALE ? "the file was changed a moment ago" : strerror(-err));
	}
	for (uint32_t i = 0; i < x->added.nr; i++)
		free((void *)x->added.v[i].bytes);
	vec_fini(&x->added);
	hindex_fini(&x->added_index);
	index_file_close(&x->file);
	free(x->states);
	free(x->name);
	pthread_mutex_destroy(&x->lock);
	free(x);
}
