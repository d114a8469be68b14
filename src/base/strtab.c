/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strtab.h"

#include <string.h>

void strtab_init(struct strtab *t)
{
	*t = (struct strtab){ 0 };
	strtab_intern_len(t, "", 0);
}

void strtab_fini(struct strtab *t)
{
	if (!t)
		return;
	vec_fini(&t->entries);
	hindex_fini(&t->index);
	arena_fini(&t->arena);
}

uint32_t strtab_intern(struct strtab *t, const char *s)
{
	return strtab_intern_len(t, s, strlen(s));
}

uint32_t strtab_intern_len(struct strtab *t, const char *s, size_t len)
{
	if (len >= UINT32_MAX)
		mem_die(len);
	return HINDEX_INTERN(&t->index, hash_bytes(s, len, 0), &t->entries, e, e->len == len && (!len || !memcmp(e->s, s, len)),
			     ((struct strtab_entry){ .s = arena_str(&t->arena, s, len), .len = (uint32_t)len }));
}
