/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probes that are defined in tracefs, one a line of uprobe_events and kprobe_events: reading these files, adding lines, deleting probes.
 *
 * The files are only appended to: opening one to truncate it would delete the probes of everyone. What we add together is added or
 * undone together. Other writers may be at work at the same time: those of assay wait for each other (flock), others are noticed.
 */
#ifndef ASSAY_KERNEL_PROBE_EVENTS_H
#define ASSAY_KERNEL_PROBE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/errbuf.h"
#include "base/hash.h"
#include "base/vec.h"

/* The kernel's limit of group and event names, with the NUL. */
#define PROBE_NAME_SIZE 64

struct probe_event_arg {
	const char *name;  /* NULL: the kernel gives it one */
	const char *fetch; /* the kernel's text behind "NAME=": "+8(%sp):u32" */
};

/* One probe. Where strings live is said by who made it. */
struct probe_event {
	bool is_kernel;
	bool is_return;
	uint32_t max_active; /* of a kernel's return probe; 0: the kernel's choice */
	const char *group, *name;
	const char *file;    /* of a user probe: the path, as the kernel was given it */
	uint64_t file_off;   /* … and the place in it */
	uint64_t ref_ctr;    /* … file offset of a counter to increment while it is enabled (SDT semaphore); 0: none */
	const char *module;  /* of a kernel probe; NULL: the kernel itself */
	const char *symbol;  /* … NULL: `address` */
	uint64_t symbol_off; /* … */
	uint64_t address;    /* … */
	VEC(struct probe_event_arg) args;
};

/* What both files have. A zeroed struct is empty. */
struct probe_list {
	VEC(struct probe_event) events; /* in the order of the files, kernel probes first */
	uint32_t nr_unknown;		/* lines that are no probe we know of */
	struct arena arena;
};
void probe_list_fini(struct probe_list *l);
/* Appends the probes of one file's text. */
void probe_list_parse(struct probe_list *l, const char *text, size_t size, bool is_kernel);
/* Appends what tracefs at `root` has; a file that the kernel lacks has none. */
int probe_list_read(struct probe_list *l, const char *root, struct errbuf *eb);
const struct probe_event *probe_list_find(const struct probe_list *l, const char *group, const char *name);
/* Sorts as perf's lists are sorted: by the text of lines. */
void probe_list_sort(struct probe_list *l);

/* "p:GROUP/NAME FILE:0xOFF(0xREF) A=%di:s32", as it is written; the caller frees. */
char *probe_event_line(const struct probe_event *e);

/* Appends the words of "A=%di:s32 B=…"; the arena owns them. */
void probe_event_add_args(struct probe_event *e, struct arena *a, const char *text);

/* Is it a name that the kernel takes for groups and events: letters, digits and _, no digit first? */
bool probe_name_is_valid(const char *s);
/* Can the kernel's lists name this path? -EINVAL with a sentence. */
int probe_check_file(const char *file, struct errbuf *eb);
/* "probe_libc" of ".../libc.so.6", as perf has it: what of the file's name is letters, digits and _. */
void probe_group_of_file(char group[PROBE_NAME_SIZE], const char *path);

/* The files while probes are added or deleted. Other assays wait meanwhile. */
struct probe_writer {
	const char *root; /* of tracefs */
	bool is_dry;	  /* nothing is written, all else is done */
	int user_fd, kernel_fd;
	struct probe_list there; /* what was there when the writer opened, and what it added */
	struct hindex names;	 /* of `there`, by group and name */
	uint32_t first_added;	 /* of `there` */
	uint64_t busy_until_ns;	 /* how long deletions wait for probes that are in use; 0: none was yet */
};
/* `root` NULL: where tracefs is (mounted if need be). On failure nothing has to be closed. */
int probe_writer_open(struct probe_writer *w, const char *root, bool is_dry, struct errbuf *eb);
/* Unlocks; takes back what was added and not committed. */
void probe_writer_close(struct probe_writer *w);
/* What was added stays. -EAGAIN: another tool gave the same name to a probe of its own meanwhile, and closing takes ours back. */
int probe_writer_commit(struct probe_writer *w, struct errbuf *eb);

/* Chooses a name that is free: `name`, or with `may_suffix` the first free of NAME, NAME_1, NAME_2, …. -EEXIST with a sentence. */
int probe_writer_choose_name(struct probe_writer *w, const char *group, const char *name, bool may_suffix, char chosen[PROBE_NAME_SIZE],
			     struct errbuf *eb);
/* Adds one probe: everything is copied. The sentence of a failure says what the kernel found wrong with which part, and what to do. */
int probe_writer_add(struct probe_writer *w, const struct probe_event *e, struct errbuf *eb);
/* Deletes all probes of this group and name. -EBUSY: in use; the sentence says by whom that can be. */
int probe_writer_delete(struct probe_writer *w, const struct probe_event *e, struct errbuf *eb);

/* probe_error.c: what the kernel wrote of this line to error_log, and what helps. Returns `err`. */
int probe_add_error(const char *root, const struct probe_event *e, const char *line, int err, struct errbuf *eb);
int probe_delete_error(const char *root, const struct probe_event *e, int err, struct errbuf *eb);
/* The kernel has no kprobes: that sentence, with tracepoints whose names are near the function's. -ENOTSUP. */
int probe_no_kprobes(const char *root, const char *function, struct errbuf *eb);
/* The last entry of error_log's text about this command: its message (in `text`) and the column of the mark. NULL: there is none. */
const char *probe_find_log_entry(const char *text, size_t size, const char *line, size_t *len, size_t *column);

#endif
