/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One escaping function per sink. Names that come from targets (comm, symbols, paths) are hostile
 * until they pass through one of these.
 *
 *  terminal: control bytes (C0, DEL, and C1 as UTF-8 or raw) and characters that turn the direction
 *            of what follows become \xNN or \n, \t, \e; the rest is as it is. Used for text in a pipe
 *            too: a pipe often ends on a terminal.
 *  xml:      & < > " ' and the characters XML 1.0 forbids; for SVG and HTML text and attributes.
 *  json:     the contents of a JSON string (without quotes), invalid UTF-8 as U+FFFD, and `<` as
 *            \u003c, so that JSON can stand in a <script>.
 *  csv:      quoted where the separator, a quote, a line break or another control byte is in it;
 *            control bytes are as on a terminal, where CSV is often looked at first (tabs and \n
 *            stay).
 *  utf8:     invalid UTF-8 as U+FFFD, all else as it is; for strings of protocol buffers.
 */
#ifndef ASSAY_BASE_ESCAPE_H
#define ASSAY_BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

/* Marks, overrides and isolates of direction: with them a name can look like another. */
static inline bool escape_turns_direction(uint32_t cp)
{
	return cp == 0x61c || cp == 0x200e || cp == 0x200f || (cp >= 0x202a && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

/* True where the terminal escape of `s` is `s` itself (the common case, worth remembering). */
bool escape_terminal_is_plain(const char *s, size_t len);
void escape_terminal(struct out *o, const char *s, size_t len);
void escape_xml(struct out *o, const char *s, size_t len);
void escape_json(struct out *o, const char *s, size_t len);
void escape_csv(struct out *o, const char *s, size_t len, char separator);
void escape_utf8(struct out *o, const char *s, size_t len);

#endif
