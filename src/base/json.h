/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A JSON writer over `struct out`: it puts commas and quotes, and checks nesting.
 */
#ifndef ASSAY_BASE_JSON_H
#define ASSAY_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct json {
	struct out *o;
	bool pretty;
	uint32_t depth; /* as deep as the data: a call tree nests some hundred levels */
	bool has_items; /* of what is open; what was just closed is an item of what it stands in */
	bool after_key;
};

void json_init(struct json *j, struct out *o, bool pretty);
void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_str(struct json *j, const char *s);
void json_str_len(struct json *j, const char *s, size_t len);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_hex(struct json *j, uint64_t v);		  /* "0x…" as a string: addresses exceed 2^53 */
void json_double(struct json *j, double v, int decimals); /* null where not finite */
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* Members of the object that is open, as JSON that another writer has made: '"a":1,"b":2', or nothing. */
void json_splice(struct json *j, const char *members);

/* A key and its value. */
void json_put_str(struct json *j, const char *key, const char *value);
void json_put_str_or_null(struct json *j, const char *key, const char *value); /* null where it is NULL or empty */
void json_put_u64(struct json *j, const char *key, uint64_t value);
void json_put_i64(struct json *j, const char *key, int64_t value);
void json_put_hex(struct json *j, const char *key, uint64_t value);
void json_put_double(struct json *j, const char *key, double value, int decimals);
void json_put_bool(struct json *j, const char *key, bool value);
/* A key and what is opened behind it. */
void json_put_object(struct json *j, const char *key);
void json_put_array(struct json *j, const char *key);

#endif
