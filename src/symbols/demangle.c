/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Demangling: C++, Rust and D by libiberty, OCaml and Java here. Names are hostile: a few hundred bytes can describe a name of gigabytes,
 * so libiberty writes through a callback and is left by a jump when the output grows past MAX_DEMANGLED.
 */
#include "symbols/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "symbols/symbolizer.h"

#define MAX_MANGLED (16 << 10)
#define MAX_D_NAME 1024
#define MAX_D_REFERENCES 24
#define MAX_DEMANGLED (64 << 10)

typedef int demangle_fn(const char *name, int options, demangle_callbackref add, void *arg);

struct output {
	demangle_fn *demangle;
	char *text;
	size_t len, cap;
	int options; /* of libiberty */
	jmp_buf too_long;
};

static void output_add(const char *s, size_t len, void *arg)
{
	struct output *out = arg;

	if (!len)
		return;
	if (len > MAX_DEMANGLED - out->len)
		longjmp(out->too_long, 1);
	if (out->len + len + 1 > out->cap) {
		out->cap = (out->len + len + 1) * 2;
		out->text = mem_realloc(out->text, out->cap, 1);
	}
	memcpy(out->text + out->len, s, len);
	out->len += len;
	out->text[out->len] = 0;
}

/* All it needs is in `out`, on the heap: what a jump finds in a local variable is not certain. */
static bool try_iberty(const char *name, struct output *out)
{
	if (setjmp(out->too_long))
		return false;
	return out->demangle(name, out->options, output_add, out) && out->text;
}

/* Malloc'd, or NULL where the name is none of these, or too long. */
static char *run_iberty(const char *name, demangle_fn *demangle, int options)
{
	struct output *out = mem_zalloc(sizeof(*out));
	char *text;

	out->demangle = demangle;
	out->options = options;
	if (!try_iberty(name, out)) {
		free(out->text);
		out->text = NULL;
	}
	text = out->text;
	free(out);
	return text;
}

static char *demangle_iberty(const char *name, enum name_scheme *scheme)
{
	/* Rust first: its older names are C++ names too, that end in a hash: _ZN…17h0123456789abcdefE */
	char *text = run_iberty(name, rust_demangle_callback, 0);

	*scheme = text || name[1] == 'R' ? NAME_RUST : NAME_CPP;
	return *scheme == NAME_RUST ? text : run_iberty(name, cplus_demangle_v3_callback, 0);
}

/* camlModule__name_12: "__" stands for a dot, $xx for the character xx. */
static char *demangle_ocaml(const char *name)
{
	char *text = mem_alloc(strlen(name) + 1);
	size_t n = 0;

	for (name += 4; *name;) {
		int c;

		if (name[0] == '_' && name[1] == '_') {
			text[n++] = '.';
			name += 2;
		} else if (name[0] == '$' && hex_digit(name[1]) >= 0 && hex_digit(name[2]) >= 0 &&
			   (c = hex_digit(name[1]) << 4 | hex_digit(name[2])) != 0) {
			text[n++] = (char)c;
			name += 3;
		} else {
			text[n++] = *name++;
		}
	}
	text[n] = 0;
	return text;
}

static const char *java_primitive(char c)
{
	static const char letters[] = "BCDFIJSVZ";
	static const char *const words[] = { "byte", "char", "double", "float", "int", "long", "short", "void", "boolean" };
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? words[at - letters] : NULL;
}

/* "Ljava/lang/Object;" as "java.lang.Object"; gives what follows it, or NULL where it is not a class. */
static const char *java_class(const char *p, char *text, size_t *n)
{
	const char *end = strchr(p, ';');

	if (*p != 'L' || !end || end == p + 1 || memchr(p, '(', (size_t)(end - p)))
		return NULL;
	for (p++; p < end; p++)
		text[(*n)++] = *p == '/' ? '.' : *p;
	return end + 1;
}

/* One parameter type; what follows it, or NULL. */
static const char *java_type(const char *p, char *text, size_t *n)
{
	size_t depth = strspn(p, "[");
	const char *word = java_primitive(p[depth]);

	p += depth;
	if (word) {
		memcpy(text + *n, word, strlen(word));
		*n += strlen(word);
		p++;
	} else {
		p = java_class(p, text, n);
	}
	for (; p && depth; depth--) {
		text[(*n)++] = '[';
		text[(*n)++] = ']';
	}
	return p;
}

/* "Lcom/foo/Bar;method(I[J)V" as "com.foo.Bar.method(int, long[])". */
static char *demangle_java(const char *name)
{
	const char *open = strchr(name, '('), *close = open ? strchr(open, ')') : NULL;
	char *text;
	size_t n = 0;

	if (!close || !strchr(name, ';'))
		return NULL;
	/* A letter becomes at most "boolean, ". */
	text = mem_alloc(strlen(name) * 10 + 16);
	name = java_class(name, text, &n);
	if (!name || name >= open)
		goto fail;
	if (*name != '<')
		text[n++] = '.';
	memcpy(text + n, name, (size_t)(open + 1 - name));
	n += (size_t)(open + 1 - name);
	for (name = open + 1; name < close;) {
		name = java_type(name, text, &n);
		if (!name || name > close)
			goto fail;
		if (name < close) {
			text[n++] = ',';
			text[n++] = ' ';
		}
	}
	text[n++] = ')';
	text[n] = 0;
	return text;
fail:
	free(text);
	return NULL;
}

/* libiberty recurses over D names without a limit, and a back reference ('Q') may repeat all before it: such names stay mangled. */
static char *demangle_d(const char *name)
{
	size_t len = strlen(name), depth = 0;
	unsigned nr_references = 0;
	char *text;

	for (const char *c = name; *c; c++)
		nr_references += *c == 'Q';
	if (len > MAX_D_NAME || nr_references > MAX_D_REFERENCES)
		return NULL;
	text = dlang_demangle(name, 0);
	/* Without the parameters, as the others. */
	len = text ? strlen(text) : 0;
	if (len && text[len - 1] == ')') {
		do {
			len--;
			depth += text[len] == ')';
			depth -= text[len] == '(';
		} while (len && depth);
		if (len)
			text[len] = 0;
	}
	return text;
}

static char *demangle_plain(const char *name, enum name_scheme *scheme)
{
	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'G'))
		return demangle_iberty(name, scheme);
	if (name[0] == '_' && name[1] == 'D') {
		*scheme = NAME_D;
		return demangle_d(name);
	}
	if (strncmp(name, "caml", 4) == 0 && isupper((unsigned char)name[4])) {
		*scheme = NAME_OCAML;
		return demangle_ocaml(name);
	}
	*scheme = NAME_JAVA;
	return name[0] == 'L' ? demangle_java(name) : NULL;
}

/* As the options want it; NULL where it is not mangled. */
static char *demangle_styled(const char *name, bool short_names)
{
	enum name_scheme scheme = NAME_CPP;
	char *shown = demangle_plain(name, &scheme);
	char *folded = shown && short_names ? name_fold(shown, scheme) : NULL;

	if (!folded)
		return shown;
	free(shown);
	return folded;
}

char *demangle_name(const char *name, bool short_names)
{
	size_t len = strnlen(name, MAX_MANGLED);
	char *plain, *shown, *whole;

	if (len == MAX_MANGLED)
		return NULL;
	if (len < 4 || strcmp(name + len - 4, "@plt") != 0)
		return demangle_styled(name, short_names);
	plain = mem_strndup(name, len - 4);
	shown = demangle_styled(plain, short_names);
	whole = shown ? mem_printf("%s@plt", shown) : NULL;
	free(plain);
	free(shown);
	return whole;
}

/* With parameters, as __cxa_demangle() prints it. */
static char *demangle_whole(const char *name)
{
	if (name[0] != '_' || name[1] != 'Z' || strnlen(name, MAX_MANGLED) == MAX_MANGLED)
		return NULL;
	return run_iberty(name, cplus_demangle_v3_callback, DMGL_PARAMS | DMGL_ANSI);
}

char *symbolizer_readable(const struct symbolizer_options *opts, const char *name)
{
	if (opts->no_demangle)
		return NULL;
	return opts->elfutils_names ? demangle_whole(name) : demangle_name(name, opts->short_names);
}

char *symbolizer_readable_source(const struct symbolizer_options *opts, const char *name)
{
	char *readable = symbolizer_readable(opts, name);

	return readable || opts->no_demangle || !opts->short_names || !strchr(name, '<') ? readable : name_fold(name, NAME_CPP);
}
