/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading folded stacks. The count is what stands behind the last blank; everything before it belongs to names, which may have blanks.
 */
#include "model/flame_folded.h"

#include <string.h>

#define MAX_LINE (64u << 20)

void flame_folded_init(struct flame_folded *ff, struct flame *f, uint32_t column, const struct flame_options *o)
{
	memset(ff, 0, sizeof(*ff));
	ff->flame = f;
	ff->column = column;
	ff->bottom_up = o->bottom_up;
	ff->max_depth = o->max_depth;
}

void flame_folded_fini(struct flame_folded *ff)
{
	vec_fini(&ff->rest);
	vec_fini(&ff->path);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "42" or "41.7", to the nearest whole number. */
static bool parse_count(const char *s, size_t len, uint64_t *count, bool *rounded)
{
	size_t i = 0;

	*count = 0;
	for (; i < len && is_digit(s[i]); i++) {
		if (*count > UINT64_MAX / 1000) /* sums of many such lines must not overflow at once */
			return false;
		*count = *count * 10 + (uint64_t)(s[i] - '0');
	}
	*rounded = false;
	if (i == len)
		return len;
	if (!i || s[i] != '.')
		return false;
	*rounded = true;
	*count += i + 1 < len && s[i + 1] >= '5';
	for (i++; i < len; i++)
		if (!is_digit(s[i]))
			return false;
	return true;
}

static uint32_t intern(struct flame *f, const char *s, size_t len)
{
	enum flame_kind kind = FLAME_USER;
	unsigned marks = 0;

	if (len > 4 && s[len - 4] == '_' && s[len - 3] == '[' && s[len - 1] == ']') {
		char mark = s[len - 2];

		if (mark == 'k')
			kind = FLAME_KERNEL;
		else if (mark == 'j')
			kind = FLAME_JIT;
		else if (mark == 'i')
			marks = FLAME_INLINED;
		if (mark == 'k' || mark == 'j' || mark == 'i')
			len -= 4;
	}
	if (!len)
		return flame_intern_frame(f, "[unknown]", 9, "", kind, FLAME_UNRESOLVED);
	if (len == 11 && !memcmp(s, "[truncated]", 11))
		return flame_cut_frame(f);
	if (len > 2 && s[0] == '[' && s[len - 1] == ']')
		marks |= FLAME_UNRESOLVED;
	return flame_intern_frame(f, s, len, "", kind, marks);
}

static void put_frames(struct flame_folded *ff, const char *s, size_t len)
{
	ff->path.nr = 0;
	for (size_t start = 0; start <= len;) {
		const char *end = memchr(s + start, ';', len - start);
		size_t n = end ? (size_t)(end - s) - start : len - start;

		vec_push(&ff->path, intern(ff->flame, s + start, n));
		start += n + 1;
	}
	for (uint32_t i = 0, z = ff->path.nr; ff->bottom_up && i + 1 < z; i++) {
		uint32_t frame = ff->path.v[--z];

		ff->path.v[z] = ff->path.v[i];
		ff->path.v[i] = frame;
	}
	if (ff->max_depth && ff->path.nr > ff->max_depth)
		ff->path.nr = ff->max_depth;
}

static size_t trim(const char *s, size_t len)
{
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
		len--;
	return len;
}

static void take_line(struct flame_folded *ff, const char *s, size_t len)
{
	uint64_t count;
	const char *blank;
	bool rounded;

	ff->nr_lines++;
	len = trim(s, len);
	if (!len || *s == '#')
		return;
	blank = memrchr(s, ' ', len);
	if (!blank || blank == s || !parse_count(blank + 1, (size_t)(s + len - blank) - 1, &count, &rounded)) {
		if (!ff->nr_bad++)
			ff->first_bad_line = ff->nr_lines;
		return;
	}
	ff->nr_rounded += rounded;
	if (!count)
		return;
	put_frames(ff, s, trim(s, (size_t)(blank - s)));
	flame_add_path(ff->flame, ff->column, ff->path.v, ff->path.nr, count, count);
}

static void keep_rest(struct flame_folded *ff, const char *data, size_t size)
{
	if (ff->is_too_long || size > MAX_LINE - ff->rest.nr) {
		ff->is_too_long = true;
		return;
	}
	vec_reserve(&ff->rest, (uint64_t)ff->rest.nr + size);
	memcpy(ff->rest.v + ff->rest.nr, data, size);
	ff->rest.nr += (uint32_t)size;
}

static void take_rest(struct flame_folded *ff)
{
	/* The beginning of a line that is too long tells nothing. */
	take_line(ff, ff->is_too_long ? "?" : ff->rest.v, ff->is_too_long ? 1 : ff->rest.nr);
	ff->rest.nr = 0;
	ff->is_too_long = false;
}

void flame_folded_feed(struct flame_folded *ff, const char *data, size_t size)
{
	while (size) {
		const char *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		if (!end) {
			keep_rest(ff, data, size);
			return;
		}
		if (ff->rest.nr || ff->is_too_long) {
			keep_rest(ff, data, len);
			take_rest(ff);
		} else {
			take_line(ff, data, len);
		}
		data += len + 1;
		size -= len + 1;
	}
}

void flame_folded_end(struct flame_folded *ff)
{
	if (ff->rest.nr || ff->is_too_long)
		take_rest(ff);
}
