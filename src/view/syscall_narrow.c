/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls of 32-bit programs that have a number of 64 bits in two registers, or all arguments in memory. strace writes them as one number.
 */
#include <string.h>

#include "view/syscall_special.h"

/* The arguments that are halves of a number; those behind move up. */
struct halves {
	const char *name;
	uint8_t first, second; /* the first of two, + 1; 0: none */
	bool is_high_first;
};

static const struct halves all_halves[] = {
	{ "pread64", 4, 0, false },	{ "pwrite64", 4, 0, false },  { "readahead", 2, 0, false },    { "truncate64", 2, 0, false },
	{ "ftruncate64", 2, 0, false }, { "fadvise64", 2, 0, false }, { "fadvise64_64", 2, 4, false }, { "sync_file_range", 2, 4, false },
	{ "fallocate", 3, 5, false },	{ "_llseek", 2, 0, true },    { "preadv", 4, 0, false },       { "pwritev", 4, 0, false },
	{ "preadv2", 4, 0, false },	{ "pwritev2", 4, 0, false },
};

static const struct halves *halves_of(const struct syscall_writer *w)
{
	if (w->c->abi != SYSCALL_I386 || w->opts->shape != SYSCALL_STRACE)
		return NULL;
	for (uint32_t i = 0; i < ELEMENTS_OF(all_halves); i++)
		if (!strcmp(all_halves[i].name, w->c->def->name))
			return &all_halves[i];
	return NULL;
}

uint32_t syscall_halves_args(const struct syscall_writer *w)
{
	const struct halves *h = halves_of(w);

	return w->c->def->nr_args - (h ? 1u + !!h->second : 0);
}

static void whole_put(struct syscall_writer *w, uint32_t at, bool is_high_first)
{
	uint64_t a = (uint32_t)w->c->args[at], b = (uint32_t)w->c->args[at + 1];

	syscall_put_s64(w->o, (int64_t)(is_high_first ? a << 32 | b : b << 32 | a));
}

bool syscall_halves_arg(struct syscall_writer *w, uint32_t i)
{
	const struct halves *h = halves_of(w);
	uint32_t at;

	if (!h)
		return false;
	at = i + (i >= h->first) + (h->second && i >= h->second - 1u);
	if (at + 1u == h->first || (h->second && at + 1u == h->second))
		whole_put(w, at, h->is_high_first);
	else
		syscall_put_arg(w, at);
	return true;
}

/* Its offset counts pages. */
bool syscall_mmap2_arg(struct syscall_writer *w, uint32_t i)
{
	if (i != 5 || w->opts->shape != SYSCALL_STRACE)
		return false;
	syscall_put_hex(w->o, (uint64_t)(uint32_t)w->c->args[5] << 12);
	return true;
}

/* ---- segments ---- */

bool syscall_put_user_desc(struct syscall_writer *w, const struct syscall_bytes *b)
{
	static const struct {
		const char *name;
		uint8_t shift, mask;
	} bits[] = {
		{ "seg_32bit", 0, 1 },	    { "contents", 1, 3 },	 { "read_exec_only", 3, 1 },
		{ "limit_in_pages", 4, 1 }, { "seg_not_present", 5, 1 }, { "useable", 6, 1 },
	};
	uint32_t flags = syscall_bytes_u32(b, 12);

	out_str(w->o, "{entry_number=");
	syscall_put_s64(w->o, syscall_bytes_s32(b, 0));
	out_printf(w->o, ", base_addr=%#08x, limit=%#08x", syscall_bytes_u32(b, 4), syscall_bytes_u32(b, 8));
	for (uint32_t i = 0; i < ELEMENTS_OF(bits); i++)
		out_printf(w->o, ", %s=%u", bits[i].name, flags >> bits[i].shift & bits[i].mask);
	out_char(w->o, '}');
	return true;
}

/* As it was given; the number of the segment that was chosen is behind the result. */
bool syscall_thread_area_arg(struct syscall_writer *w, uint32_t i)
{
	struct syscall_bytes b;

	return w->c->args[i] && syscall_memory_find(w, i, false, &b) && syscall_put_struct(w, SYSCALL_TYPE_USER_DESC, &b);
}

bool syscall_thread_area_result(struct syscall_writer *w)
{
	struct syscall_bytes before, after;

	syscall_put_s64(w->o, w->c->result);
	if (syscall_memory_find(w, 0, false, &before) && syscall_memory_find(w, 0, true, &after) && before.size >= 16 && after.size >= 16 &&
	    syscall_bytes_u32(&before, 0) != syscall_bytes_u32(&after, 0)) {
		out_str(w->o, " (entry_number=");
		syscall_put_s64(w->o, syscall_bytes_s32(&after, 0));
		out_char(w->o, ')');
	}
	return true;
}
