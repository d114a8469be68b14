/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interned strings: equal strings have equal u32 ids, and id 0 is the empty string. Strings have a length: a NUL in the middle is allowed.
 */
#ifndef ASSAY_BASE_STRTAB_H
#define ASSAY_BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

struct strtab_entry {
	const char *s;
	uint32_t len;
};

struct strtab {
	struct arena arena;
	VEC(struct strtab_entry) entries;
	struct hindex index;
};

void strtab_init(struct strtab *t);
void strtab_fini(struct strtab *t);
uint32_t strtab_intern(struct strtab *t, const char *s);
uint32_t strtab_intern_len(struct strtab *t, const char *s, size_t len);

/* Valid as long as the table: strings do not move. */
static inline const char *strtab_get(const struct strtab *t, uint32_t id)
{
	return t->entries.v[id].s;
}
static inline uint32_t strtab_len(const struct strtab *t, uint32_t id)
{
	return t->entries.v[id].len;
}

#endif
