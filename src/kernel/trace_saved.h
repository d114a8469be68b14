/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Settings that tracefs has once, for all who trace, and that were changed for a while: what they were, to be put back.
 *
 * A copy is kept in the kernel: as text in the buffer of a tracefs instance that is made for it. It lives exactly as long as the settings do
 * (a restart of the machine ends both), needs no directory that others could write to, and is there when the process is killed.
 */
#ifndef ASSAY_KERNEL_TRACE_SAVED_H
#define ASSAY_KERNEL_TRACE_SAVED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/errbuf.h"
#include "base/vec.h"

#define TRACE_FILE_MAX 64 /* "options/funcgraph-overhead" */

struct trace_saved_file {
	char file[TRACE_FILE_MAX];
	bool is_list;	    /* of functions or tasks: emptied, then written piece by piece */
	VEC(char *) pieces; /* owned */
};

/* A zeroed struct has nothing saved. */
struct trace_saved {
	const char *root; /* of tracefs */
	char *dir;	  /* the instance; NULL: none yet */
	int marker_fd;
	VEC(struct trace_saved_file) files;
};

/* `dir`: the instance that is made when the first setting is kept. */
void trace_saved_init(struct trace_saved *s, const char *root, const char *dir);
/* Saves a setting before it is changed, once. */
int trace_saved_keep(struct trace_saved *s, const char *file, struct errbuf *eb);
bool trace_saved_has(const struct trace_saved *s, const char *file);
/* It did not change after all. */
void trace_saved_forget(struct trace_saved *s, const char *file);
/* Puts all back, the last first; then the copy goes. 0, or the first failure with its sentence. */
int trace_saved_restore(struct trace_saved *s, struct errbuf *eb);
/* Frees memory; puts nothing back. */
void trace_saved_fini(struct trace_saved *s);

/* The text of the copy (the instance's file `trace`): hostile only if root is, but cut or mixed with others' lines at worst. Lines that are
 * none of ours are passed over. For trace_saved_repair() and tests. */
void trace_saved_parse(struct trace_saved *s, const char *text, size_t size);
/* What another process saved in `dir` and could not put back: reads it, removes the instance and puts all back. -EBUSY: that process is still
 * there. */
int trace_saved_repair(struct trace_saved *s, const char *root, const char *dir, struct errbuf *eb);

/* ---- files of tracefs ---- */

/* Writes a value with a line break. `empties`: what the list has goes first; "" only does that. 0 or a negative errno. */
int tracefs_write(const char *dir, const char *file, const char *value, bool empties);
/* The first line, without its line break. */
int tracefs_read(const char *dir, const char *file, char *buf, size_t size);
bool tracefs_has(const char *dir, const char *file);

#endif
