/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct probe_value: a variable on its way through members, pointers and indices, as a type and the place of its bytes. Private to probe_*.c.
 */
#ifndef ASSAY_SYMBOLS_PROBE_VALUE_H
#define ASSAY_SYMBOLS_PROBE_VALUE_H

#include "symbols/probe_fetch.h"

struct probe_value {
	struct type type; /* TYPE_VOID: not known */
	struct location loc;
	uint64_t off;	  /* of the value in the location */
	uint32_t bits;	  /* a bit-field: its width; 0: none */
	uint64_t bit_off; /* of its lowest bit, from `off` */
	bool is_user;
};

/* The value of a variable at a place. -ENODATA: it is not there; the message says where it is. */
int probe_value_of(const struct probe_site *s, const struct dwarf_die *var, const char *name, struct probe_value *v, struct errbuf *eb);
/* What the function returns. */
int probe_value_returned(const struct probe_site *s, struct probe_value *v, struct errbuf *eb);
int probe_value_step(const struct probe_site *s, struct probe_value *v, const struct probe_step *step, const char *text, struct errbuf *eb);
/* References stand for what they refer to. */
int probe_value_settle(const struct probe_site *s, struct probe_value *v, const char *text, struct errbuf *eb);
/* The part of the location with all bytes of the value, which is `size` bytes large; NULL and a message: there is none. */
const struct location_piece *probe_value_piece(const struct probe_value *v, uint64_t size, const char *text, struct errbuf *eb);
/* Makes it what its content, an address, points to. */
int probe_value_follow(struct probe_value *v, int64_t off, bool is_user, const char *text, struct errbuf *eb);
/* The fetch and type of a value (probe_fetch.c). */
int probe_fetch_value(const struct probe_site *s, const struct probe_arg *arg, const struct probe_value *v, struct out *o,
		      struct errbuf *eb);

#endif
