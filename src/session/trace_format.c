/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads format texts line by line, by length: nothing here relies on a NUL.
 */
#include "session/trace_format.h"

#include <errno.h>
#include <string.h>

struct span {
	const char *s;
	size_t len;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static struct span trim(struct span t)
{
	while (t.len && is_space(t.s[0]))
		t.s++, t.len--;
	while (t.len && (is_space(t.s[t.len - 1]) || t.s[t.len - 1] == '\r'))
		t.len--;
	return t;
}

static bool starts_with(struct span t, const char *word)
{
	size_t len = strlen(word);

	return t.len >= len && !memcmp(t.s, word, len);
}

static bool contains(struct span t, const char *word)
{
	return memmem(t.s, t.len, word, strlen(word));
}

/* Cuts off what stands before `end`, and `end`. */
static bool take_until(struct span *rest, char end, struct span *out)
{
	const char *p = rest->len ? memchr(rest->s, end, rest->len) : NULL;

	if (!p)
		return false;
	*out = (struct span){ rest->s, (size_t)(p - rest->s) };
	rest->len -= out->len + 1;
	rest->s = p + 1;
	return true;
}

/* "KEY:NUMBER;" */
static bool take_number(struct span *rest, const char *key, uint32_t max, uint32_t *out)
{
	struct span t;
	uint32_t v = 0;

	if (!take_until(rest, ';', &t))
		return false;
	t = trim(t);
	if (!starts_with(t, key))
		return false;
	t.s += strlen(key);
	t.len -= strlen(key);
	if (!t.len || t.len > 9)
		return false;
	for (size_t i = 0; i < t.len; i++) {
		if (t.s[i] < '0' || t.s[i] > '9')
			return false;
		v = v * 10 + (uint32_t)(t.s[i] - '0');
	}
	*out = v;
	return v <= max;
}

static bool word_is(struct span w, const char *word)
{
	return w.len == strlen(word) && !memcmp(w.s, word, w.len);
}

/* Types with one word and one size everywhere. */
static bool fixed_type(struct span w, struct trace_type *t)
{
	static const struct {
		const char *name;
		struct trace_type type;
	} fixed[] = {
		{ "u8", { 1, false } },	      { "__u8", { 1, false } },	    { "s8", { 1, true } },	  { "__s8", { 1, true } },
		{ "uint8_t", { 1, false } },  { "int8_t", { 1, true } },    { "bool", { 1, false } },	  { "_Bool", { 1, false } },
		{ "u16", { 2, false } },      { "__u16", { 2, false } },    { "s16", { 2, true } },	  { "__s16", { 2, true } },
		{ "uint16_t", { 2, false } }, { "int16_t", { 2, true } },   { "ushort", { 2, false } },	  { "umode_t", { 2, false } },
		{ "u32", { 4, false } },      { "__u32", { 4, false } },    { "s32", { 4, true } },	  { "__s32", { 4, true } },
		{ "uint32_t", { 4, false } }, { "int32_t", { 4, true } },   { "uint", { 4, false } },	  { "pid_t", { 4, true } },
		{ "dev_t", { 4, false } },    { "gfp_t", { 4, false } },    { "u64", { 8, false } },	  { "__u64", { 8, false } },
		{ "s64", { 8, true } },	      { "__s64", { 8, true } },	    { "uint64_t", { 8, false } }, { "int64_t", { 8, true } },
		{ "loff_t", { 8, true } },    { "sector_t", { 8, false } }, { "__le16", { 2, false } },	  { "__be16", { 2, false } },
		{ "__le32", { 4, false } },   { "__be32", { 4, false } },   { "__le64", { 8, false } },	  { "__be64", { 8, false } },
		{ "u_char", { 1, false } },   { "u_int", { 4, false } },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (word_is(w, fixed[i].name)) {
			*t = fixed[i].type;
			return true;
		}
	return false;
}

/* What the words of a C integer type have said so far. */
struct type_words {
	bool is_unsigned, is_signed, is_char, is_short, is_int, is_unknown;
	unsigned nr_long;
	struct trace_type fixed;
};

static void add_word(struct type_words *t, struct span w, uint8_t long_size)
{
	if (word_is(w, "unsigned"))
		t->is_unsigned = true;
	else if (word_is(w, "signed"))
		t->is_signed = true;
	else if (word_is(w, "char"))
		t->is_char = true;
	else if (word_is(w, "short"))
		t->is_short = true;
	else if (word_is(w, "int"))
		t->is_int = true;
	else if (word_is(w, "long"))
		t->nr_long++;
	else if (word_is(w, "size_t") || word_is(w, "uintptr_t"))
		t->fixed = (struct trace_type){ long_size, false };
	else if (word_is(w, "ssize_t") || word_is(w, "intptr_t") || word_is(w, "ptrdiff_t"))
		t->fixed = (struct trace_type){ long_size, true };
	else if (!word_is(w, "const") && !word_is(w, "volatile") && !starts_with(w, "__force") && !word_is(w, "__data_loc") &&
		 !word_is(w, "__rel_loc") && !fixed_type(w, &t->fixed))
		t->is_unknown = true;
}

static struct trace_type words_type(const struct type_words *t, uint8_t long_size)
{
	bool has_sign = !t->is_unsigned;

	if (t->is_unknown)
		return (struct trace_type){ 0 };
	if (t->fixed.size)
		return t->fixed;
	if (t->is_char)
		return (struct trace_type){ 1, has_sign };
	if (t->is_short)
		return (struct trace_type){ 2, has_sign };
	if (t->nr_long)
		return (struct trace_type){ t->nr_long > 1 ? 8 : long_size, has_sign };
	if (t->is_int || t->is_unsigned || t->is_signed)
		return (struct trace_type){ 4, has_sign };
	return (struct trace_type){ 0 };
}

bool trace_type_parse(struct trace_type *t, struct trace_type *pointed, const char *words, size_t len, uint8_t long_size)
{
	struct type_words seen = { 0 };
	bool is_pointer = false;

	for (size_t i = 0; i < len;) {
		size_t start = i;

		while (i < len && is_word(words[i]))
			i++;
		if (i > start && !is_pointer)
			add_word(&seen, (struct span){ words + start, i - start }, long_size);
		if (i == start && words[i++] == '*') {
			if (is_pointer)
				seen.is_unknown = true; /* a pointer to a pointer */
			is_pointer = true;
		}
	}
	*t = words_type(&seen, long_size);
	if (pointed)
		*pointed = is_pointer ? *t : (struct trace_type){ 0 };
	if (is_pointer)
		*t = (struct trace_type){ long_size, false };
	return t->size;
}

/* Splits "TYPE NAME[N]" (or "__data_loc TYPE[] NAME"); *nr_items is 0 where N is no number. */
static bool split_declaration(struct span decl, struct span *type, struct span *name, bool *is_array, uint32_t *nr_items)
{
	size_t end = decl.len, start;

	*nr_items = 0;
	*is_array = memchr(decl.s, '[', decl.len);
	while (end && decl.s[end - 1] == ']') {
		size_t open = end - 1;
		uint64_t n = 0;

		while (open && decl.s[open] != '[')
			open--;
		for (size_t i = open + 1; i < end - 1 && n <= TRACE_RECORD_MAX; i++) {
			if (decl.s[i] < '0' || decl.s[i] > '9') {
				n = 0;
				break;
			}
			n = n * 10 + (uint64_t)(decl.s[i] - '0');
		}
		*nr_items = n <= TRACE_RECORD_MAX ? (uint32_t)n : 0;
		end = open;
		while (end && is_space(decl.s[end - 1]))
			end--;
	}
	for (start = end; start && is_word(decl.s[start - 1]);)
		start--;
	*name = (struct span){ decl.s + start, end - start };
	*type = trim((struct span){ decl.s, start });
	return name->len && type->len;
}

static void field_add(struct trace_format *f, struct span line, bool is_common)
{
	struct span decl, type, name;
	struct trace_field x = { .is_common = is_common };
	struct trace_type named;
	uint32_t nr_items, is_signed = 0;

	line.s += strlen("field:");
	line.len -= strlen("field:");
	if (!take_until(&line, ';', &decl))
		return;
	decl = trim(decl);
	if (!decl.len || !split_declaration(decl, &type, &name, &x.is_array, &nr_items) ||
	    !take_number(&line, "offset:", TRACE_RECORD_MAX, &x.offset) ||
	    !take_number(&line, "size:", TRACE_RECORD_MAX - x.offset, &x.size))
		return;
	take_number(&line, "signed:", 1, &is_signed); /* old kernels had none */
	x.name = arena_str(&f->arena, name.s, name.len);
	x.is_relative = starts_with(type, "__rel_loc");
	x.is_dynamic = x.is_relative || starts_with(type, "__data_loc");
	if (x.is_dynamic && x.size != 4)
		return;
	x.is_array |= x.is_dynamic;
	x.is_pointer = contains(type, "*");
	x.is_long = contains(type, "long");
	x.is_text = x.is_array && (contains(type, "char") || contains(type, "u8") || contains(type, "s8"));
	if (!x.is_array)
		x.item = (struct trace_type){ (uint8_t)(x.size <= 8 ? x.size : 0), is_signed };
	else if (nr_items && x.size / nr_items <= 8)
		x.item = (struct trace_type){ (uint8_t)(x.size / nr_items), is_signed };
	else if (trace_type_parse(&named, NULL, type.s, type.len, f->long_size))
		x.item = named;
	if (x.item.size & (x.item.size - 1))
		x.item.size = 0;
	vec_push(&f->fields, x);
}

int trace_format_init(struct trace_format *f, const char *text, size_t size, uint8_t long_size)
{
	struct span rest = { text, size }, line;
	bool in_fields = false, is_common = true;

	*f = (struct trace_format){ .long_size = long_size == 4 ? 4 : 8 };
	if (size > TRACE_FORMAT_MAX_SIZE)
		return -E2BIG;
	while (!f->print && rest.len) {
		const char *here = rest.s;

		if (!take_until(&rest, '\n', &line)) {
			line = rest;
			rest.len = 0;
		}
		line = trim(line);
		if (starts_with(line, "print fmt:")) {
			f->print = line.s + strlen("print fmt:");
			f->print_size = (size_t)(text + size - f->print);
		} else if (starts_with(line, "format:")) {
			in_fields = true;
		} else if (in_fields && starts_with(line, "field:")) {
			if (f->fields.nr < TRACE_FORMAT_MAX_FIELDS)
				field_add(f, line, is_common);
		} else if (!line.len && f->fields.nr && here != text) {
			is_common = false;
		}
	}
	return f->fields.nr ? 0 : -EBADMSG;
}

void trace_format_fini(struct trace_format *f)
{
	vec_fini(&f->fields);
	arena_fini(&f->arena);
}

const struct trace_field *trace_format_find(const struct trace_format *f, const char *name, size_t len)
{
	for (uint32_t i = 0; i < f->fields.nr; i++)
		if (strlen(f->fields.v[i].name) == len && !memcmp(f->fields.v[i].name, name, len))
			return &f->fields.v[i];
	return NULL;
}
