/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Walks the TRACING_DATA container:
 *
 * 	17 08 44 "tracing", version string, u8 big endian?, u8 size of a long, u32 page size,
 * 	"header_page" u64 size + text, "header_event" u64 size + text,
 * 	u32 number of ftrace's own formats, each u64 size + text,
 * 	u32 number of systems, each: name, u32 number of formats, each u64 size + text,
 * 	u32 size + kallsyms, u32 size + printk formats,
 * 	then command lines, which we do not need.
 *
 * Numbers are in the byte order that the container names.
 */
#include "perfdata/tracing_data.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

/* The string at the cursor, which goes up to its NUL. */
static const char *take_cstr(struct bytes *b)
{
	const uint8_t *nul = b->failed ? NULL : memchr(b->pos, 0, bytes_left(b));

	if (!nul) {
		b->failed = true;
		return NULL;
	}
	return bytes_take(b, (size_t)(nul - b->pos) + 1);
}

static const void *take_sized(struct bytes *b, size_t *size)
{
	uint64_t n = bytes_u64(b);

	*size = n;
	return bytes_has(b, n, 1) ? bytes_take(b, n) : NULL;
}

static bool expect(struct bytes *b, const char *word)
{
	const char *s = take_cstr(b);

	if (!s || strcmp(s, word))
		b->failed = true;
	return !b->failed;
}

static bool is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What stands behind `key` at the start of a line of the format text; NULL where there is no such line. */
static const char *line_find(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && *text) {
		if (!strncmp(text, key, len))
			return text + len;
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

/* Adds the event of a format text, unless name or id are missing. */
static void event_add(struct tracing_data *t, const char *system, const char *text, size_t size)
{
	struct tracing_event e = { .system = system, .format_size = size };
	const char *name, *id;
	size_t len = 0;

	e.format = arena_str(&t->arena, text, size);
	name = line_find(e.format, "name: ");
	id = line_find(e.format, "ID: ");
	if (!name || !id || *id < '0' || *id > '9')
		return;
	while (is_ident(name[len]))
		len++;
	for (; *id >= '0' && *id <= '9'; id++)
		e.id = e.id * 10 + (uint64_t)(*id - '0');
	e.name = arena_str(&t->arena, name, len);
	if (tracing_data_find(t, e.id))
		return;
	hindex_add(&t->by_id, hash_u64(e.id), t->events.nr);
	vec_push(&t->events, e);
}

static void formats_read(struct tracing_data *t, struct bytes *b, const char *system)
{
	uint32_t nr = bytes_u32(b);

	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		size_t size;
		const void *text = take_sized(b, &size);

		if (text)
			event_add(t, system, text, size);
	}
}

/* What stands behind the formats; files without it are whole for us. */
static void tail_read(struct tracing_data *t, struct bytes b)
{
	const char *text;
	uint32_t size;

	bytes_take(&b, bytes_u32(&b)); /* kallsyms */
	size = bytes_u32(&b);
	text = bytes_take(&b, size);
	if (!text)
		return;
	t->printk = arena_str(&t->arena, text, size);
	t->printk_size = size;
}

int tracing_data_init(struct tracing_data *t, const void *blob, size_t size)
{
	struct bytes b = bytes_of(blob, size, false);
	const void *magic = bytes_take(&b, 10);
	uint32_t nr_systems;
	size_t skipped;

	memset(t, 0, sizeof(*t));
	if (!magic || memcmp(magic, "\027\010Dtracing", 10) || !take_cstr(&b))
		return -EBADMSG;
	t->big_endian = bytes_u8(&b);
	t->long_size = bytes_u8(&b);
	b.swap = t->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->page_size = bytes_u32(&b);
	if (expect(&b, "header_page"))
		take_sized(&b, &skipped);
	if (expect(&b, "header_event"))
		take_sized(&b, &skipped);
	formats_read(t, &b, "ftrace");
	nr_systems = bytes_u32(&b);
	for (uint32_t i = 0; i < nr_systems && !b.failed; i++) {
		const char *system = take_cstr(&b);

		if (system)
			formats_read(t, &b, arena_str(&t->arena, system, strlen(system)));
	}
	if (b.failed)
		return -EBADMSG;
	tail_read(t, b);
	return 0;
}

void tracing_data_fini(struct tracing_data *t)
{
	vec_fini(&t->events);
	hindex_fini(&t->by_id);
	arena_fini(&t->arena);
	memset(t, 0, sizeof(*t));
}

const struct tracing_event *tracing_data_find(const struct tracing_data *t, uint64_t id)
{
	uint32_t found = HINDEX_FIND_ITEM(&t->by_id, hash_u64(id), &t->events, e, e->id == id);

	return found == HINDEX_NONE ? NULL : &t->events.v[found];
}
