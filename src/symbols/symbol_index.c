/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One index: what the file has, what was added since, and putting both together when it is closed. Others may have written the same
 * file in the meantime (another run, another thread with another kind of parts): what is added goes on top of what lies there then.
 * Sums and bytes are worked out beside it; the lock is held while the result takes its place, if nobody else's has taken it since.
 * Where the lock cannot be had nothing is written: that costs time in the next run, and nobody's work. Knows nothing of what parts mean.
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
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbols/symbol_index_file.h"

/* More rows than a file with 100 MB of debug information has units, by far. */
#define MAX_ROWS (1U << 20)
/* How often a file is written without the lock before it is written under it. */
#define FREE_TRIES 3

enum part_state { PART_UNCHECKED, PART_GOOD, PART_DAMAGED };

struct pieces {
	struct index_piece *v;
	uint32_t nr, cap;
};

struct symbol_index {
	pthread_mutex_t lock;
	struct build_id id;
	uint64_t stamp;
	char *name;
	struct index_file file;
	uint8_t *states; /* enum part_state of each row of `file` */
	struct pieces added; /* bytes are malloc'd */
	struct hindex added_index;
	bool is_added[INDEX_NR_PARTS]; /* [0]: others */
};

static uint32_t kind_of(uint32_t part)
{
	return part < INDEX_NR_PARTS ? part : 0;
}

/* Reads what is there. */
static void read_file(struct symbol_index *x)
{
	char name[INDEX_NAME_SIZE], hex[BUILD_ID_HEX_SIZE];
	int dir = index_dir_open(false, NULL), err;
	struct errbuf why = { 0 };

	if (dir < 0)
		return;
	index_file_name(&x->id, name);
	err = index_file_open(&x->file, dir, name, &x->id, true, &why);
	if (err && err != -ENOENT)
		log_info("the symbol index of %s is not used: %s", build_id_hex(&x->id, hex), why.text);
	close(dir);
	x->states = mem_zalloc(x->file.nr_rows + 1);
}

struct symbol_index *symbol_index_open(const struct build_id *id, uint64_t stamp)
{
	struct build_id own = index_id_of(id);
	struct symbol_index *x;
	char *dir;

	if (!own.size)
		return NULL;
	dir = symbol_index_directory();
	free(dir);
	if (!dir)
		return NULL;
	x = mem_zalloc(sizeof(*x));
	pthread_mutex_init(&x->lock, NULL);
	x->id = own;
	x->stamp = stamp;
	read_file(x);
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
	struct hindex_iter it = hindex_find(&x->added_index, hash_pair(part, key));

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;)
		if (x->added.v[i].row.part == part && x->added.v[i].row.key == key)
			return &x->added.v[i];
	return NULL;
}

static const void *find_stored(struct symbol_index *x, uint32_t part, uint64_t key, size_t *size)
{
	const struct index_row *row = index_file_find(&x->file, part, key);
	char hex[BUILD_ID_HEX_SIZE];
	uint8_t *state;

	if (!row || (x->stamp != INDEX_ANY_STAMP && row->stamp != x->stamp))
		return NULL;
	state = &x->states[row - x->file.rows];
	if (*state == PART_UNCHECKED) {
		*state = index_file_part(&x->file, row) ? PART_GOOD : PART_DAMAGED;
		if (*state == PART_DAMAGED)
			log_info("part %u of the symbol index of %s is damaged, and made anew", part, build_id_hex(&x->id, hex));
	}
	if (*state == PART_DAMAGED)
		return NULL;
	*size = (size_t)row->size_bytes;
	return x->file.bytes + row->off;
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

	if (!x || x->stamp == INDEX_ANY_STAMP)
		return;
	pthread_mutex_lock(&x->lock);
	/* The first stays: others may be using it. */
	if (x->added.nr < MAX_ROWS && !find_added(x, part, key)) {
		void *copy = mem_alloc(size ? size : 1);

		memcpy(copy, bytes, size);
		p.bytes = copy;
		p.row.stamp = x->stamp;
		vec_push(&x->added, p);
		hindex_add(&x->added_index, hash_pair(part, key), x->added.nr - 1);
		x->is_added[kind_of(part)] = true;
	}
	pthread_mutex_unlock(&x->lock);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct index_row *x = &((const struct index_piece *)a)->row, *y = &((const struct index_piece *)b)->row;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* What is to be written: all that was added, and what lies in the file now but for what is replaced, outdated or damaged. */
static void collect(const struct symbol_index *x, const struct index_file *now, struct pieces *all)
{
	for (uint32_t i = 0; i < x->added.nr; i++)
		vec_push(all, x->added.v[i]);
	for (uint32_t i = 0; i < now->nr_rows && all->nr < MAX_ROWS; i++) {
		const struct index_row *row = &now->rows[i];
		struct index_piece p = { .row = *row, .has_sum = true };

		if ((x->is_added[kind_of(row->part)] && row->stamp != x->stamp) || find_added(x, row->part, row->key))
			continue;
		p.bytes = index_file_part(now, row);
		if (p.bytes)
			vec_push(all, p);
	}
	qsort(all->v, all->nr, sizeof(*all->v), compare_pieces);
}

/* Creates a file that nobody else writes to; its name goes to `tmp`. */
static int open_temporary(int dir, const char *name, char *tmp, size_t size)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)getpid() << 32 | (uint64_t)gettid();
	snprintf(tmp, size, ".%s.%016llx.tmp", name, (unsigned long long)random);
	return openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

#define TMP_NAME_SIZE (INDEX_NAME_SIZE + 32)

/* Writes a file that is still to get its name. */
static int write_file(const struct symbol_index *x, const struct index_file *now, int dir, const char *name, char tmp[TMP_NAME_SIZE])
{
	const char *about = x->name ? x->name : now->name;
	struct pieces all = { 0 };
	int fd, err;

	collect(x, now, &all);
	if (index_file_size(all.v, all.nr, about) > symbol_index_limit() / 2) {
		vec_fini(&all);
		return -EFBIG;
	}
	fd = open_temporary(dir, name, tmp, TMP_NAME_SIZE);
	err = fd < 0 ? -errno : index_file_write(fd, &x->id, about, all.v, all.nr);
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

/* One try. `locked`: nobody can come between. -EAGAIN: somebody did. */
static int save_once(const struct symbol_index *x, int dir, const char *name, bool locked)
{
	char tmp[TMP_NAME_SIZE];
	struct index_file now;
	int lock = locked ? index_dir_lock(dir, &x->id) : -1, err = locked && lock < 0 ? lock : 0;

	if (err)
		return err;
	err = index_file_open(&now, dir, name, &x->id, false, NULL);
	/* A damaged one is replaced under the lock: closed, it cannot be told from another. */
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

static int save(const struct symbol_index *x)
{
	int dir = index_dir_open(true, NULL), err = -EAGAIN;
	char name[INDEX_NAME_SIZE];

	if (dir < 0)
		return dir;
	index_file_name(&x->id, name);
	for (int i = 0; i <= FREE_TRIES && err == -EAGAIN; i++)
		err = save_once(x, dir, name, i == FREE_TRIES);
	if (!err)
		index_dir_sweep(dir, name);
	close(dir);
	return err;
}

void symbol_index_close(struct symbol_index *x)
{
	char hex[BUILD_ID_HEX_SIZE];
	int err;

	if (!x)
		return;
	if (x->added.nr) {
		err = save(x);
		if (err)
			log_info("the symbol index of %s was not written: %s", build_id_hex(&x->id, hex), strerror(-err));
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
