/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One escaping function per sink. Names that come from targets (comm, symbols, paths) are hostile until they pass through one of these.
 *
 *  terminal: control bytes (C0, DEL, C1) and invisible characters (of direction, without width) become \xNN or \n, \t, \e. Also for pipes.
 *  xml:      & < > " ' and the characters XML 1.0 forbids; for SVG and HTML text and attributes.
 *  json:     the contents of a JSON string, invalid UTF-8 as U+FFFD, `<` (for <script>) and invisible characters as \uNNNN.
 *  csv:      quoted where the separator, a quote or a control byte is in it; control bytes are as on a terminal (tabs and \n stay). What a
 *            spreadsheet would take for a formula (= + - @ and control bytes in front) has an apostrophe in front.
 *  utf8:     invalid UTF-8 as U+FFFD, all else as it is; for strings of protocol buffers.
 */
#ifndef ASSAY_BASE_ESCAPE_H
#define ASSAY_BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/out.h"

/* Characters that are not seen: marks, overrides and isolates of direction, and what has no width. With them a name can look like another. */
static inline bool escape_is_invisible(uint32_t cp)
{
	return cp == 0xad || cp == 0x61c || cp == 0x180e || (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe0fff);
}

/* Whether a spreadsheet may take a cell that begins so for a formula. */
static inline bool escape_begins_formula(const char *s, size_t len)
{
	return len && (*s == '=' || *s == '+' || *s == '-' || *s == '@' || *s == '\t' || *s == '\r' || *s == '\n');
}

/* True where the terminal escape of `s` is `s` itself (the common case, worth remembering). */
bool escape_terminal_is_plain(const char *s, size_t len);
void escape_terminal(struct out *o, const char *s, size_t len);
static inline void escape_terminal_str(struct out *o, const char *s)
{
	escape_terminal(o, s, strlen(s));
}
void escape_xml(struct out *o, const char *s, size_t len);
void escape_json(struct out *o, const char *s, size_t len);
void escape_csv(struct out *o, const char *s, size_t len, char separator);
void escape_utf8(struct out *o, const char *s, size_t len);

#endif
