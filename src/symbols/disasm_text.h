/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to the disassembler: the text of an instruction while it is put together.
 */
#ifndef ASSAY_SYMBOLS_DISASM_TEXT_H
#define ASSAY_SYMBOLS_DISASM_TEXT_H

#include "symbols/disasm.h"

/* Text that is cut where it does not fit; always NUL-terminated. */
struct disasm_text {
	char *s;
	size_t len, size;
};
void disasm_put(struct disasm_text *t, const char *s);
void disasm_put_len(struct disasm_text *t, const char *s, size_t len);
void disasm_putf(struct disasm_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
