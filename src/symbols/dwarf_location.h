/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where a variable is at an address: lists of locations, and location expressions evaluated with symbols instead of numbers. What comes out
 * says how to fetch it: a register, data at an address or a constant, then memory at offsets from that.
 */
#ifndef ASSAY_SYMBOLS_DWARF_LOCATION_H
#define ASSAY_SYMBOLS_DWARF_LOCATION_H

#include "base/errbuf.h"
#include "symbols/dwarf_tree.h"

#define FETCH_MAX_DEREFS 16U
#define LOCATION_MAX_PIECES 8U

enum fetch_base {
	FETCH_REG,    /* the content of register `reg` */
	FETCH_DATA,   /* the address `number`, as linked */
	FETCH_CONST,  /* `number` */
	FETCH_RETVAL, /* what the function returns */
};

/* (…((base + offs[0])* + offs[1])*…) + add: each offs[] is the offset of a memory access. */
struct fetch {
	uint8_t base;
	uint8_t nr;
	uint16_t reg; /* DWARF number */
	uint64_t number;
	int64_t offs[FETCH_MAX_DEREFS];
	bool is_user[FETCH_MAX_DEREFS];
	int64_t add;
	bool is_narrow; /* its upper bits are not known: good for a value, not for an address */
};

/* Makes it the memory at its value plus an offset; false: too deep, or it is no address. */
bool fetch_deref(struct fetch *f, int64_t off, bool is_user);

/* A part of a variable. */
struct location_piece {
	struct fetch f;
	bool is_value; /* the result is the value; otherwise its address */
	bool is_lost;  /* optimised out */
	uint64_t start, size_bytes;
};

struct location {
	struct location_piece pieces[LOCATION_MAX_PIECES];
	uint32_t nr; /* 0: it is nowhere */
};

/* What an expression is evaluated for. */
struct location_at {
	uint64_t vaddr;
	uint64_t entry; /* of the function: values at its entry are known there */
	const struct dwarf_die *function;
	/* The call frame's address at `vaddr`: a register and an offset; false: not known. */
	bool (*cfa)(void *ctx, uint64_t vaddr, struct fetch *f);
	/* The end of the prologue: asked for only where it matters, because it takes the line table. NULL: not known. */
	uint64_t (*body)(void *ctx);
	void *ctx;
	uint8_t word_bytes;
};

/* The location of a variable or parameter. -ENODATA: it has none at this address (optimised out). -ENOTSUP, and a sentence in `eb`: it has
 * one that the kernel cannot fetch. */
int dwarf_location_find(const struct dwarf_die *var, const struct location_at *at, struct location *loc, struct errbuf *eb);
/* Where the value is described by a location list; NULL `take`: only whether it is. */
bool dwarf_location_ranges(const struct dwarf_die *var, void (*take)(void *ctx, uint64_t start, uint64_t end), void *ctx);
/* Whether it is memory of the function's own frame for the whole function: not filled in before the prologue has ended. */
bool dwarf_location_is_frame(const struct dwarf_die *var, const struct dwarf_die *function);

/* Evaluates one expression (dwarf_expr.c). */
int dwarf_expr_run(const struct dwarf_die *die, const uint8_t *bytes, size_t size, const struct location_at *at, struct location *loc,
		   struct errbuf *eb);

#endif
