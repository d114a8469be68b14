/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The header of a file and its features: those known at the start stand in front of the data,
 * those that come with the end (or have changed since) behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "perfdata/features.h"
#include "perfdata/writer_state.h"

/* Where the reserve is kept: far behind any data, so that ftruncate() gives it back. */
#define RESERVE_OFF ((off_t)1 << 40)

struct file_header {
	uint64_t magic, size, attr_size;
	struct header_section attrs, data, event_types;
	uint64_t features[HEADER_FEATURE_WORDS];
};
_Static_assert(sizeof(struct file_header) == HEADER_SIZE_FILE, "as perf lays it out");
_Static_assert(offsetof(struct file_header, data.size) == HEADER_DATA_SIZE_OFF,
	       "as perf lays it out");

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
	memcpy(h.features, w->features, sizeof(h.features));
	return h;
}

int writer_head_write(struct writer *w, bool with_features)
{
	struct file_header h = file_header_of(w);

	if (!with_features)
		memset(h.features, 0, sizeof(h.features));
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

/* The table of features: its entries, and which of them count from the start of what was
 * encoded just now. */
struct feature_table {
	uint32_t nr;
	struct header_section v[WRITER_NR_FEATURES];
	bool fresh[WRITER_NR_FEATURES];
	uint64_t features[HEADER_FEATURE_WORDS];
};

/* Appends the features of `info` to `o`. Sections that are in the file already, with the same
 * bytes, stay where they are. */
static void put_features(struct writer *w, const struct perfdata_info *info, struct out *o,
			 struct feature_table *t)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t feature = 0; feature < WRITER_NR_FEATURES; feature++) {
		struct writer_section *s = &w->sections[feature];
		size_t start = o->len, size;
		uint64_t hash;

		if (!feature_encode(info, feature, o))
			continue;
		size = o->len - start;
		hash = size ? hash_bytes(o->buf + start, size, feature) : 0;
		t->fresh[t->nr] = !s->off || s->size != size || s->hash != hash;
		if (t->fresh[t->nr])
			*s = (struct writer_section){ start, size, hash };
		else
			o->len = start;
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
	w->table_size = table.nr * (uint32_t)sizeof(table.v[0]);
	/* Features that grow (build-ids) or change are written again at the end. */
	reserve_size = WRITER_RESERVE + (o.len + 4095) / 4096 * 4096;
	out_mem(&o, zeroes, -o.len & 7);
	w->data_off = o.len;
	h = file_header_of(w);
	memcpy(o.buf, &h, sizeof(h));
	if (w->table_size) {
		w->table = mem_alloc(w->table_size);
		w->held = mem_alloc(w->table_size);
		memcpy(w->table, table.v, w->table_size);
		out_mem(&o, table.v, w->table_size);
	}
	err = writer_put(w, o.buf, o.len, 0);
	if (!err)
		reserve(w, reserve_size);
	out_fini(&o);
	return err;
}

/* The new features did not fit: takes up the table of the start again, which stood behind the
 * data. */
static void fall_back(struct writer *w, const uint64_t *features)
{
	uint64_t end = w->data_off + w->committed;

	if (!ftruncate(w->fd, (off_t)end))
		w->has_reserve = false;
	memset(w->features, 0, sizeof(w->features));
	if (w->table_size && !writer_put(w, w->table, w->table_size, end))
		memcpy(w->features, features, sizeof(w->features));
	writer_head_write(w, true);
}

/* Writes table and sections behind the data. Meanwhile the header names no features: the file
 * has all its data at any time. */
static int replace_features(struct writer *w, const struct feature_table *t, const struct out *o)
{
	uint64_t end = w->data_off + w->committed, table_size = t->nr * sizeof(t->v[0]);
	int err;

	if (w->has_reserve && !ftruncate(w->fd, (off_t)(end + w->table_size)))
		w->has_reserve = false;
	memset(w->features, 0, sizeof(w->features));
	err = writer_head_write(w, true);
	if (!err && t->nr)
		err = writer_put(w, t->v, table_size, end);
	if (!err && o->len)
		err = writer_put(w, o->buf, o->len, end + table_size);
	if (err)
		return err;
	memcpy(w->features, t->features, sizeof(w->features));
	err = writer_head_write(w, true);
	if (!err && ftruncate(w->fd, (off_t)(end + table_size + o->len))) {
		/* As at the start. */
	}
	return err;
}

int writer_head_finish(struct writer *w, const struct perfdata_info *final_info)
{
	const struct perfdata_info info = writer_info(w, final_info);
	uint64_t old_features[HEADER_FEATURE_WORDS];
	struct feature_table table;
	struct out o;
	int err;

	memcpy(old_features, w->features, sizeof(old_features));
	out_init(&o, -1);
	put_features(w, &info, &o, &table);
	for (uint32_t i = 0; i < table.nr; i++)
		if (table.fresh[i])
			table.v[i].off +=
				w->data_off + w->committed + table.nr * sizeof(table.v[0]);
	err = replace_features(w, &table, &o);
	if (err)
		fall_back(w, old_features);
	out_fini(&o);
	return err;
}
