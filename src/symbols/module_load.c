/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files, index, files again: the order in which a part of a module is looked for. The index is asked for what was made from the files
 * that were found; where none was, for what was made from the recorded file. Fed by symbolizer.c and symbolizer_unwind.c.
 */
#include "symbols/module_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

void module_load_release(void *index)
{
	symbol_index_close(index);
}

/* Why the index is all there is. */
static char *tell_missing(int err)
{
	switch (-err) {
	case ENOENT:
	case ENOTDIR:
		return mem_strdup("the file itself is gone");
	case ESTALE:
		return mem_strdup("the file was replaced since");
	case EACCES:
	case EPERM:
		return mem_strdup("the file itself may not be read");
	default:
		return mem_printf("the file itself cannot be used (%s)", strerror(-err));
	}
}

int module_load(const struct module_loader *l, void *ctx, const struct symbolizer_options *opts, const struct module_ref *ref,
		struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size);
	struct errbuf why = { 0 };
	struct debug_files d;
	int err = debug_files_find(&d, opts->symfs, ref, l->need, &why);
	struct index_source source = debug_files_source(&d);
	struct symbol_index *x = err ? symbol_index_open_gone(&id, &ref->identity) : symbol_index_open(&d.id, &source);
	/* The index has the names that perf would choose. */
	bool is_other = !err && opts->elfutils_names && l->need == DEBUG_SYMBOLS;
	char *from = err ? tell_missing(err) : mem_printf("made of %s", d.source);

	if (x && !is_other && l->take(ctx, x, from)) {
		if (err)
			log_info("%s is taken from the index: %s", ref->path, why.text);
		err = 0;
	} else {
		if (!err)
			err = l->make(ctx, &d, ref->path, &why);
		if (!err && x && !is_other) {
			symbol_index_set_name(x, ref->path);
			l->save(ctx, x);
		}
		if (err)
			errbuf_set(eb, err, "%s", why.text);
		symbol_index_close(x);
	}
	free(from);
	debug_files_close(&d);
	return err;
}
