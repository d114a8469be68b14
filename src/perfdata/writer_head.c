/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The header of a file and its features: those known at the start are before the data, later or changed ones behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "perfdata/header.h"
#include "perfdata/writer_state.h"

/* Where the reserve is kept: far behind any data, so that ftruncate() gives it back. */
#define RESERVE_OFF ((off_t)1 << 40)

struct file_header {
	uint64_t magic, size, attr_size;
	struct header_section attrs, data, own;
	uint64_t features[HEADER_FEATURE_WORDS];
};
_Static_assert(sizeof(struct file_header) == HEADER_SIZE_FILE, "as perf lays it out");
_Static_assert(offsetof(struct file_header, data.size) == HEADER_DATA_SIZE_OFF, "as perf lays it out");

static uint64_t ids_size(const struct perfdata_info *info)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < info->events.nr; i++)
		size += info->events.v[i].nr_ids * 8ull;
	return size;
}

static struct file_header file_header_of(const struct writer *w)
{
	struct file_header h = { .magic = HEADER_MAGIC, .size = sizeof(h) };

	h.attr_size = feature_attr_size(w->info) + sizeof(struct header_section);
	h.attrs.off = sizeof(h) + ids_size(w->info);
	h.attrs.size = h.attr_size * w->info->events.nr;
	h.data.off = w->data_off;
	h.data.size = w->committed;
	if (w->own_size)
		h.own = (struct header_section){ w->data_off + w->committed + w->table_size - w->own_size, w->own_size };
	memcpy(h.features, w->features, sizeof(h.features));
	return h;
}

int writer_head_write(struct writer *w, bool with_features)
{
	struct file_header h = file_header_of(w);

	if (!with_features) {
		memset(h.features, 0, sizeof(h.features));
		h.own = (struct header_section){ 0, 0 };
	}
	return writer_put(w, &h, sizeof(h), 0);
}

static void put_events(const struct perfdata_info *info, struct out *o)
{
	uint32_t attr_size = feature_attr_size(info);
	uint64_t ids_off = o->len;

	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].nr_ids)
			out_mem(o, info->events.v[i].ids, info->events.v[i].nr_ids * 8ul);
	for (uint32_t i = 0; i < info->events.nr; i++) {
		struct header_section ids = { ids_off, info->events.v[i].nr_ids * 8ull };
		struct attr attr = info->events.v[i].attr;

		attr.size = attr_size;
		out_mem(o, &attr, attr_size);
		out_mem(o, &ids, sizeof(ids));
		ids_off += ids.size;
	}
}

/* The table of features: its entries, and which of them count from the start of what was encoded just now. */
struct feature_table {
	uint32_t nr;
	struct header_section v[WRITER_NR_FEATURES];
	bool fresh[WRITER_NR_FEATURES];
	uint64_t features[HEADER_FEATURE_WORDS];
	uint32_t nr_own;
	struct header_own_section own[HEADER_OWN_MAX];
	bool own_fresh[HEADER_OWN_MAX];
};

static uint32_t own_size(const struct feature_table *t)
{
	return t->nr_own ? 8 + t->nr_own * (uint32_t)sizeof(t->own[0]) : 0;
}

static uint32_t table_size(const struct feature_table *t)
{
	return t->nr * (uint32_t)sizeof(t->v[0]) + own_size(t);
}

static void put_table(const struct feature_table *t, struct out *o)
{
	const uint64_t magic = HEADER_OWN_MAGIC;

	if (t->nr)
		out_mem(o, t->v, t->nr * sizeof(t->v[0]));
	if (!t->nr_own)
		return;
	out_mem(o, &magic, sizeof(magic));
	out_mem(o, t->own, t->nr_own * sizeof(t->own[0]));
}

/* Appends the features of `info` to `o`. Sections that are in the file already, with the same bytes, stay where they are. */
static void put_features(struct writer *w, const struct perfdata_info *info, struct out *o, struct feature_table *t)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t feature = 0; feature < WRITER_NR_FEATURES; feature++) {
		struct writer_section *s = &w->sections[feature];
		size_t start = o->len, size;
		uint64_t hash;
		bool is_fresh;

		if (!feature_encode(info, feature, o))
			continue;
		size = o->len - start;
		hash = size ? hash_bytes(o->buf + start, size, feature) : 0;
		is_fresh = !s->off || s->size != size || s->hash != hash;
		if (is_fresh)
			*s = (struct writer_section){ start, size, hash };
		else
			o->len = start;
		if (feature >= HEADER_FIRST_OWN) {
			t->own_fresh[t->nr_own] = is_fresh;
			t->own[t->nr_own++] = (struct header_own_section){ feature, s->off, s->size };
			continue;
		}
		t->fresh[t->nr] = is_fresh;
		t->v[t->nr++] = (struct header_section){ s->off, s->size };
		t->features[feature / 64] |= 1ULL << feature % 64;
	}
}

/* Room for the end of the file: on the disk, and below the limit of file sizes. */
static void reserve(struct writer *w, uint64_t size)
{
	struct rlimit rl;

	w->has_reserve = !fallocate(w->fd, FALLOC_FL_KEEP_SIZE, RESERVE_OFF, (off_t)size);
	if (getrlimit(RLIMIT_FSIZE, &rl) || rl.rlim_cur == RLIM_INFINITY)
		return;
	if (size > rl.rlim_cur / 4)
		size = rl.rlim_cur / 4;
	w->limit = rl.rlim_cur - size;
	if (w->limit < w->data_off)
		w->limit = w->data_off;
}

int writer_head_start(struct writer *w)
{
	const struct perfdata_info info = writer_info(w, w->info);
	static const uint8_t zeroes[HEADER_SIZE_FILE];
	struct feature_table table;
	struct file_header h;
	uint64_t reserve_size;
	struct out o;
	int err;

	if (ftruncate(w->fd, 0)) {
		/* Not every output has a size to set (/dev/null). */
	}
	out_init(&o, -1);
	out_mem(&o, zeroes, sizeof(zeroes)); /* the header, once all places are known */
	put_events(&info, &o);
	put_features(w, &info, &o, &table);
	memcpy(w->features, table.features, sizeof(w->features));
	w->table_size = table_size(&table);
	w->own_size = own_size(&table);
	/* Features that grow (build-ids) or change are written again at the end. */
	reserve_size = WRITER_RESERVE + (o.len + 4095) / 4096 * 4096;
	out_mem(&o, zeroes, -o.len & 7);
	w->data_off = o.len;
	h = file_header_of(w);
	memcpy(o.buf, &h, sizeof(h));
	if (w->table_size) {
		w->table = mem_alloc(w->table_size);
		w->held = mem_alloc(w->table_size);
		put_table(&table, &o);
		memcpy(w->table, o.buf + o.len - w->table_size, w->table_size);
	}
	err = writer_put(w, o.buf, o.len, 0);
	if (!err)
		reserve(w, reserve_size);
	out_fini(&o);
	return err;
}

/* The new features did not fit: takes up the table of the start again, which stood behind the data. */
static void fall_back(struct writer *w, const uint64_t *features, uint32_t start_own_size)
{
	uint64_t end = w->data_off + w->committed;

	if (!ftruncate(w->fd, (off_t)end))
		w->has_reserve = false;
	memset(w->features, 0, sizeof(w->features));
	w->own_size = 0;
	if (w->table_size && !writer_put(w, w->table, w->table_size, end)) {
		memcpy(w->features, features, sizeof(w->features));
		w->own_size = start_own_size;
	}
	writer_head_write(w, true);
}

/* Writes table and sections behind the data. Meanwhile the header names no features: the file has all its data at any time. */
static int replace_features(struct writer *w, const struct feature_table *t, const struct out *o)
{
	uint64_t end = w->data_off + w->committed, old_table_size = w->table_size;
	struct out table;
	int err;

	if (w->has_reserve && !ftruncate(w->fd, (off_t)(end + old_table_size)))
		w->has_reserve = false;
	memset(w->features, 0, sizeof(w->features));
	w->own_size = 0;
	err = writer_head_write(w, true);
	out_init(&table, -1);
	put_table(t, &table);
	if (!err && table.len)
		err = writer_put(w, table.buf, table.len, end);
	out_fini(&table);
	if (!err && o->len)
		err = writer_put(w, o->buf, o->len, end + table_size(t));
	if (err)
		return err;
	memcpy(w->features, t->features, sizeof(w->features));
	w->table_size = table_size(t);
	w->own_size = own_size(t);
	err = writer_head_write(w, true);
	w->table_size = (uint32_t)old_table_size;
	if (!err && ftruncate(w->fd, (off_t)(end + table_size(t) + o->len))) {
		/* As at the start. */
	}
	return err;
}

int writer_head_finish(struct writer *w, const struct perfdata_info *final_info)
{
	const struct perfdata_info info = writer_info(w, final_info);
	uint64_t old_features[HEADER_FEATURE_WORDS], sections_off;
	uint32_t start_own_size = w->own_size;
	struct feature_table table;
	struct out o;
	int err;

	memcpy(old_features, w->features, sizeof(old_features));
	out_init(&o, -1);
	put_features(w, &info, &o, &table);
	sections_off = w->data_off + w->committed + table_size(&table);
	for (uint32_t i = 0; i < table.nr; i++)
		if (table.fresh[i])
			table.v[i].off += sections_off;
	for (uint32_t i = 0; i < table.nr_own; i++)
		if (table.own_fresh[i])
			table.own[i].off += sections_off;
	err = replace_features(w, &table, &o);
	if (err)
		fall_back(w, old_features, start_own_size);
	out_fini(&o);
	return err;
}
