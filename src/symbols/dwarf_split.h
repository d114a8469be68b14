/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Split debug information: the other half of a unit, in a .dwo file of its own or together with others in a .dwp.
 */
#ifndef ASSAY_SYMBOLS_DWARF_SPLIT_H
#define ASSAY_SYMBOLS_DWARF_SPLIT_H

#include <pthread.h>

#include "base/hash.h"
#include "symbols/dwarf_unit.h"

/* Shared by the threads that read units of one module. */
struct dwarf_split {
	char *program;		 /* path of the file with the first halves: .dwp and moved .dwo files are beside it */
	const char *symfs;	 /* before paths that compilers wrote; borrowed */
	struct elf_file dwp_elf; /* not open where there is none */
	struct dwarf_file dwp;
	struct dwarf_work *work;
	pthread_mutex_t lock;
	struct hindex opened; /* by hash of device and inode; guarded by `lock` */
};

/* A half that is open. */
struct dwarf_half {
	struct dwarf_unit unit;
	struct elf_file elf; /* of its own .dwo */
	struct dwarf_file dwo;
};

/* Looks for a .dwp. `work` bounds all files that are opened. */
void dwarf_split_init(struct dwarf_split *s, const char *program, const char *symfs, struct dwarf_work *work);
void dwarf_split_fini(struct dwarf_split *s);
/* Opens the other half of a skeleton; false where it is not there, or is another one's. Safe from several threads. */
bool dwarf_split_open(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_half *half);
void dwarf_half_close(struct dwarf_half *half);

#endif
