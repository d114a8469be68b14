/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folding of demangled names in one pass: template arguments and parameters are passed over; other brackets (the type of a Rust method, a
 * lambda's parameters) are copied, with their contents folded. It knows brackets and the operators that have them in their names, and no
 * more of any grammar.
 */
#include "symbols/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_NESTING 128
#define DOTS "\xe2\x80\xa6" /* … */

struct fold {
	const char *in;
	size_t pos;
	char *out;
	size_t len;
	enum name_scheme scheme;
	bool failed; /* brackets that do not match, or too many */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static char before(const struct fold *f)
{
	return f->pos ? f->in[f->pos - 1] : 0;
}

static bool starts(const struct fold *f, const char *text)
{
	return strncmp(f->in + f->pos, text, strlen(text)) == 0;
}

static void put(struct fold *f, const char *s, size_t len)
{
	memcpy(f->out + f->len, s, len);
	f->len += len;
}

static void copy(struct fold *f, size_t len)
{
	put(f, f->in + f->pos, len);
	f->pos += len;
}

/* The length of "operator<<" and its like at this place, where brackets are part of a name; 0: there is none. */
static size_t operator_length(const struct fold *f)
{
	static const char *const symbols[] = { "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", "\"\"" };
	const size_t word = strlen("operator");

	if (f->scheme != NAME_CPP || is_word(before(f)) || !starts(f, "operator"))
		return 0;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (strncmp(f->in + f->pos + word, symbols[i], strlen(symbols[i])) == 0)
			return word + strlen(symbols[i]);
	return 0;
}

/* What must not be looked into: arrows, Rust's 'c', D's "text". */
static size_t literal_length(const struct fold *f)
{
	const char *s = f->in + f->pos;
	size_t n = 1;

	/* Rust's older mangling has a dot in its arrows. */
	if ((s[0] == '-' || (s[0] == '.' && f->scheme == NAME_RUST)) && s[1] == '>')
		return 2;
	if (f->scheme == NAME_D && s[0] == '"') {
		for (; s[n] && s[n] != '"'; n++)
			if (s[n] == '\\' && s[n + 1])
				n++;
		return s[n] ? n + 1 : n;
	}
	if (f->scheme != NAME_RUST || s[0] != '\'' || !s[1])
		return 0;
	if (s[1] == '\\') {
		for (n = s[2] ? 3 : 2; s[n] && s[n] != '\''; n++)
			;
		return s[n] ? n + 1 : n;
	}
	for (n = 2; ((unsigned char)s[n] & 0xc0) == 0x80; n++)
		;
	/* Otherwise it is a lifetime. */
	return s[n] == '\'' ? n + 1 : 0;
}

static char opener_of(char closer)
{
	static const char closers[] = ")]}>";
	const char *at = closer ? strchr(closers, closer) : NULL;

	return at ? "([{<"[at - closers] : 0;
}

/* Closes a bracket. Between ( and ) a > that closes nothing, or a < that nothing closes, is a comparison. */
static bool close_bracket(char *open, size_t *depth, char closer)
{
	char opener = opener_of(closer);

	if (closer == '>') {
		if (open[*depth - 1] == '<')
			--*depth;
		return true;
	}
	while (*depth && open[*depth - 1] == '<' && opener != '<')
		--*depth;
	if (!*depth || open[*depth - 1] != opener)
		return false;
	--*depth;
	return true;
}

/* Passes over the brackets that open here and all between them. */
static void skip_brackets(struct fold *f)
{
	char open[MAX_NESTING];
	size_t depth = 0;

	do {
		char c = f->in[f->pos];
		size_t n = operator_length(f);

		if (!n)
			n = literal_length(f);
		if (n) {
			f->pos += n;
			continue;
		}
		if (!c || (strchr("(<[{", c) && depth == MAX_NESTING)) {
			f->failed = true;
			return;
		}
		if (strchr("(<[{", c))
			open[depth++] = c;
		else if (opener_of(c) && !close_bracket(open, &depth, c))
			f->failed = true;
		f->pos++;
	} while (depth && !f->failed);
}

/* What may follow a member function's parameters. */
static void skip_qualifiers(struct fold *f)
{
	static const char *const words[] = { " const", " volatile", " &&", " &" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]);) {
		size_t n = strlen(words[i]);

		if (starts(f, words[i]) && !is_word(f->in[f->pos + n])) {
			f->pos += n;
			i = 0;
		} else {
			i++;
		}
	}
}

/* "<T as Trait>::f", "<impl Trait for T>::f": a part of the path, unlike the arguments behind a name. */
static bool is_rust_path(const struct fold *f)
{
	char c = before(f);

	if (f->scheme != NAME_RUST)
		return false;
	return starts(f, "<impl ") || !(is_word(c) || c == ':' || c == '}' || c == '>');
}

static void fold_text(struct fold *f, char closer, unsigned depth);

static void copy_brackets(struct fold *f, char closer, unsigned depth)
{
	copy(f, 1);
	fold_text(f, closer, depth + 1);
}

static void fold_bracket(struct fold *f, bool after_operator, unsigned depth)
{
	char c = f->in[f->pos], last = before(f);
	bool behind_name = is_word(last) || last == '>' || last == '}' || last == ']';

	if (c == '<' && !is_rust_path(f)) {
		skip_brackets(f);
		put(f, "<" DOTS ">", strlen("<" DOTS ">"));
	} else if (c == '(' && f->scheme == NAME_D && last == '!') {
		skip_brackets(f);
		put(f, "(" DOTS ")", strlen("(" DOTS ")"));
	} else if (c == '(' && !depth && f->scheme != NAME_RUST && (behind_name || after_operator)) {
		skip_brackets(f);
		skip_qualifiers(f);
	} else {
		copy_brackets(f, c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}', depth);
	}
}

/* Copies up to and with `closer`; 0: to the end. A fold is not longer than its original but for "<>", for which `out` has the bytes. */
static void fold_text(struct fold *f, char closer, unsigned depth)
{
	bool after_operator = false;

	if (depth == MAX_NESTING)
		f->failed = true;
	while (!f->failed) {
		char c = f->in[f->pos];
		size_t n = operator_length(f);

		if (n) {
			copy(f, n);
			after_operator = true;
			continue;
		}
		n = literal_length(f);
		if (n) {
			copy(f, n);
		} else if (c == closer) {
			if (c)
				copy(f, 1);
			return;
		} else if (!c || opener_of(c)) {
			f->failed = true;
		} else if (strchr("(<[{", c)) {
			fold_bracket(f, after_operator, depth);
		} else {
			copy(f, 1);
		}
		after_operator = false;
	}
}

char *name_fold(const char *name, enum name_scheme scheme)
{
	size_t len = strlen(name);
	struct fold f = { .in = name, .scheme = scheme };

	if (scheme == NAME_OCAML || !name[strcspn(name, "<(")])
		return NULL;
	/* "<>" of two bytes becomes one of five, so at most half of the bytes grow by three. */
	f.out = mem_alloc(len + len / 2 * 3 + 8);
	if (scheme == NAME_JAVA)
		copy(&f, strcspn(name, "("));
	else
		fold_text(&f, 0, 0);
	f.out[f.len] = 0;
	if (f.failed || strcmp(f.out, name) == 0) {
		free(f.out);
		return NULL;
	}
	return f.out;
}
