/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tokens of `print fmt`: those of C expressions. By length, over hostile text; copying the struct
 * remembers a place to go back to.
 */
#ifndef ASSAY_SESSION_TRACE_LEXER_H
#define ASSAY_SESSION_TRACE_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/trace_format.h"

enum trace_token_kind {
	TRACE_TOKEN_END,
	TRACE_TOKEN_NUMBER, /* 'c' too */
	TRACE_TOKEN_NAME,
	TRACE_TOKEN_STRING, /* what is between the quotes, as written */
	TRACE_TOKEN_MARK,   /* one or two characters: "(", "->", "<<" */
	TRACE_TOKEN_BAD,
};

struct trace_lexer {
	const char *pos, *end;
	uint8_t long_size;
	/* the token */
	enum trace_token_kind kind;
	const char *s;
	size_t len;
	uint64_t number;
	struct trace_type type; /* of a number */
};

/* Stands at the first token then. */
void trace_lexer_init(struct trace_lexer *l, const char *text, size_t size, uint8_t long_size);
void trace_lexer_next(struct trace_lexer *l);
bool trace_lexer_is(const struct trace_lexer *l, const char *mark);
bool trace_lexer_is_name(const struct trace_lexer *l, const char *name);
/* Goes on if it stands at that mark. */
bool trace_lexer_accept(struct trace_lexer *l, const char *mark);

#endif
