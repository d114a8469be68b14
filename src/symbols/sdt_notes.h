/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probes that a program declares (SDT, USDT): the notes of .note.stapsdt, with the places as they are in the file and the arguments as the
 * kernel can fetch them.
 */
#ifndef ASSAY_SYMBOLS_SDT_NOTES_H
#define ASSAY_SYMBOLS_SDT_NOTES_H

#include "base/arena.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "symbols/elf_file.h"

struct sdt_note {
	const char *provider, *name;
	const char *args;	/* as the note has them: "-4@%eax 8@-8(%rbp)" */
	uint64_t vaddr;		/* of the probe, as linked now: prelinking is taken into account */
	uint64_t file_off;	/* … what uprobe_events takes */
	uint64_t semaphore;	/* vaddr of the counter that says whether someone traces; 0: none */
	uint64_t semaphore_off; /* … its file offset; 0: none */
};

struct sdt_notes {
	VEC(struct sdt_note) v; /* in the order of the file */
	uint32_t nr_bad;	/* notes that are damaged or lie in no segment */
	struct arena arena;
};

/* A file without such notes has none: 0. */
void sdt_notes_read(struct sdt_notes *n, const struct elf_file *f);
void sdt_notes_fini(struct sdt_notes *n);
/* The notes of a file. */
int sdt_notes_open(struct sdt_notes *n, const char *path, struct errbuf *eb);

/* Arguments as fetch arguments of the kernel, "arg1=%ax:s32 arg2=-8(%bp):u64"; malloc'd, may be empty. Those that the kernel cannot fetch (vector
 * registers, an index register) are left out, and counted in `nr_left_out`. `base` is the address in the file's numbering from which the kernel counts
 * where data is: that of the probe, less its offset in the file. */
char *sdt_args_fetch(const struct elf_file *f, uint64_t base, const char *args, uint32_t *nr_left_out);

#endif
