/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A symbol for each function of Go's table. Names are as Go prints them: main.(*T).Method. Each function ends where the next begins.
 */
#include "symbols/go_symbols.h"

#include <errno.h>

#include "symbols/go_module.h"

int go_symbols_load(struct symtab *t, const struct elf_file *f)
{
	struct go_module m;
	size_t left, len;
	int nr = 0, err = go_module_open(&m, f, false);

	if (err)
		return err;
	/* Each function has a name of its own in the table: only hostile ones have more bytes together than the table. */
	left = m.table.size;
	for (uint32_t i = 0; i < m.table.nr_functions; i++) {
		struct go_function fn;
		const char *name;
		uint64_t off;

		if (!go_pclntab_function(&m.table, i, &fn) || !elf_file_offset(f, fn.start, &off))
			continue;
		name = go_pclntab_name(&m.table, fn.name, &len);
		if (!name || !len)
			continue;
		if (len > left)
			break;
		left -= len;
		symtab_add(t, off, off + (fn.end - fn.start), name, len, SYMBOL_GLOBAL, SYMBOL_FUNCTION);
		nr++;
	}
	go_module_close(&m);
	return nr ? nr : -ENODATA;
}
