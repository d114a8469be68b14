/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The decorations of V8 and HotSpot. A name that does not have one of these forms exactly is left alone.
 */
#include "symbols/jit_names.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/hotspot_map.h"

#define TIERS "~*^+" /* interpreted, optimised, baseline, mid-tier */

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Behind V8's word for a script's function, or NULL. */
static const char *behind_v8_kind(const char *name)
{
	static const char *const kinds[] = { "JS:", "LazyCompile:", "Function:", "Script:", "Eval:" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begins(name, kinds[i]))
			return name + strlen(kinds[i]);
	return NULL;
}

static char *fold_v8(const char *name)
{
	const char *p = behind_v8_kind(name);

	if (!p)
		return NULL;
	if (*p && strchr(TIERS, *p))
		p++;
	if (!*p)
		return NULL;
	return *p == ' ' ? mem_printf("(anonymous)%s", p) : mem_strdup(p);
}

/* "Lcom/acme/Cart;::total" */
static char *fold_class(const char *name)
{
	const char *end = *name == 'L' ? strstr(name, ";::") : NULL;
	char *folded;

	if (!end || end == name + 1 || memchr(name, ' ', (size_t)(end - name)))
		return NULL;
	folded = mem_printf("%.*s.%s", (int)(end - name - 1), name + 1, end + 3);
	for (char *p = folded; p < folded + (end - name - 1); p++)
		if (*p == '/')
			*p = '.';
	return folded;
}

static bool is_java_word(const char *s, size_t len)
{
	if (!len || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_$.[]<>", s[i]) && !(s[i] & 0x80))
			return false;
	return true;
}

/* "java.lang.String com.acme.Cart.total(int, long)": a type, a method of a class, parameters; the mark of its compiler stays. */
static char *fold_signature(const char *name)
{
	const char *blank = strchr(name, ' '), *open = strchr(name, '('), *close = open ? strchr(open, ')') : NULL;

	if (!blank || !close || blank > open || (close[1] && strcmp(close + 1, HOTSPOT_C1_MARK) != 0))
		return NULL;
	if (!is_java_word(name, (size_t)(blank - name)) || !is_java_word(blank + 1, (size_t)(open - blank - 1)) ||
	    !memchr(blank + 1, '.', (size_t)(open - blank - 1)))
		return NULL;
	return mem_printf("%.*s%s", (int)(open - blank - 1), blank + 1, close + 1);
}

char *jit_name_fold(const char *name)
{
	char *folded = fold_v8(name);

	folded = folded ? folded : fold_class(name);
	return folded ? folded : fold_signature(name);
}

bool jit_name_is_interpreted(const char *name)
{
	const char *p = behind_v8_kind(name);

	return p ? *p == '~' : begins(name, "py::") || !strcmp(name, "Interpreter");
}
