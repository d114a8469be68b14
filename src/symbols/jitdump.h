/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct jitdump: what a just-in-time compiler wrote about its code into jit-PID.dump: which function was put where and when, its bytes,
 * lines and call frame information.
 *
 * Memory is used again, so a runtime address names no function. The address of code is its offset in the dump instead, as that of a
 * file's code is its offset in the file: symbols, unwind tables, lines and bytes are all found by it. Where which of it was at a time is
 * what `places` say.
 */
#ifndef ASSAY_SYMBOLS_JITDUMP_H
#define ASSAY_SYMBOLS_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "symbols/source_info.h"
#include "symbols/symbol_readers.h"
#include "symbols/unwind_table.h"

struct jitdump_line {
	uint64_t file_off;
	const char *file; /* in the dump's bytes */
	uint32_t line;
};

struct jitdump_function {
	uint64_t addr, size_bytes;    /* as it was loaded */
	uint64_t file_off;	      /* of its code */
	uint64_t index;		      /* the compiler's number of it */
	const char *name;	      /* in the dump's bytes */
	uint64_t unwind_off;	      /* of its .eh_frame */
	uint32_t unwind_bytes;	      /* 0: none */
	uint32_t unwind_head_bytes;   /* of its .eh_frame_hdr, which follows */
	uint32_t unwind_mapped_bytes; /* of both: that the process has behind the code, too */
};

/* From a time on (by the compiler's clock) code is at an address. */
struct jitdump_place {
	uint64_t time_ns, addr, size_bytes, file_off;
};

struct jitdump {
	char *bytes; /* owned */
	size_t size_bytes;
	uint16_t machine;			/* ELF's number; 0: not said */
	bool has_cpu_time;			/* times are those of a counter of the CPU, which no record has */
	bool is_cut;				/* the last record is not whole: it was being written, or the dump is damaged */
	VEC(struct jitdump_function) functions; /* in the order of the dump, which is that of file_off */
	VEC(struct jitdump_place) places;	/* in the order of the dump */
	VEC(struct jitdump_line) lines;		/* by file_off */
};

/* Takes `bytes` (malloc'd) over, whatever comes of it. NULL and a message where it is no dump of a known version. */
struct jitdump *jitdump_parse(char *bytes, size_t size, const char *path, struct errbuf *eb);
/* The same of a file that is trusted (jit_file_read). */
struct jitdump *jitdump_open(const char *path, struct perf_map_owner owner, struct errbuf *eb);
void jitdump_free(struct jitdump *d);

/* New tables by offsets in the dump, which has to outlive the first. */
struct symtab *jitdump_symbols(const struct jitdump *d);
struct unwind_table *jitdump_unwind(const struct jitdump *d);
/* The line of code; false: not known. */
bool jitdump_find_line(const struct jitdump *d, uint64_t file_off, struct source_frame *frame);

/* Under which a recording keeps the dump of a process. */
#define JITDUMP_STORED_NAME "jit-%d.dump"

/* Whether a path is that of a dump by its name: "…/jit-42.dump". */
bool jitdump_is_path(const char *path);

#endif
