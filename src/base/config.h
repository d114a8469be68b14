/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A configuration file in the syntax of Git and perf: sections in brackets, `name = value` lines, comments behind # or ;. Values may stand in
 * double quotes; a name alone is "true".
 *
 *	[report]
 *		children = false
 *
 * is the key report.children. Files belong to other users at times: config_read() takes those of the user and of root only.
 */
#ifndef ASSAY_BASE_CONFIG_H
#define ASSAY_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/out.h"
#include "base/vec.h"

#define CONFIG_MAX_BYTES (64u << 10)

struct config_entry {
	char *key; /* "report.children", in lower case */
	char *value;
	uint32_t from, to; /* of its line in the text, with the line break */
};

struct config_section {
	char *name;
	uint32_t end; /* of its last line that is no comment, in the text */
};

/* A zeroed struct is empty. */
struct config {
	VEC(struct config_entry) entries; /* as they stand; the last one of a key counts */
	VEC(struct config_section) sections;
	uint32_t bad_line; /* the first that means nothing, from 1; 0: none */
};

void config_fini(struct config *c);
/* Adds what the text says. Lines that mean nothing are passed over, and noted. */
void config_parse(struct config *c, const char *text, size_t size);
/* NULL: there is none. */
const char *config_find(const struct config *c, const char *key);
/* The text with that key set; the rest of it stays as it is. */
void config_set(struct out *o, const char *text, size_t size, const char *key, const char *value);
/* "a.b": a section and a name, of letters, digits, - and _. */
bool config_is_key(const char *key);
/* 1: true, 0: false, -1: neither. */
int config_bool(const char *value);

/* Reads a file of the user's or of root's; *text is the caller's. -ENOENT, -EPERM with a message where it is another's or others can write to
 * it, or another negative errno with a message. */
int config_read(const char *path, char **text, size_t *size, struct errbuf *eb);

#endif
