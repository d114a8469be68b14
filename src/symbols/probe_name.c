/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of functions as users write them, in parts, and whether an entry of debug information has such a name: template arguments may be left
 * out, and compilers spell integer types in their own ways.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "symbols/probe_find.h"

bool probe_name_split(struct probe_name *n, const char *text)
{
	const char *p = text;
	int depth = 0;

	*n = (struct probe_name){ .text = text };
	n->parts[0].s = text;
	n->nr = 1;
	for (; *p; p++) {
		if (!depth && !strncmp(p, "operator", 8) && !isalnum((unsigned char)p[8]) && p[8] != '_') {
			p += 8;
			if (!strncmp(p, "()", 2))
				p += 2;
			while (*p && *p != '(')
				p++;
			break;
		}
		if (!depth && p[0] == ':' && p[1] == ':') {
			n->parts[n->nr - 1].len = (size_t)(p - n->parts[n->nr - 1].s);
			if (n->nr == PROBE_MAX_PARTS)
				return false;
			n->parts[n->nr++].s = ++p + 1;
			continue;
		}
		/* "(anonymous namespace)" is a part, "(int)" ends the name. */
		if (!depth && *p == '(' && strncmp(p, "(anonymous", 10) != 0)
			break;
		depth += *p == '<' || *p == '(' || *p == '{';
		depth -= (*p == '>' || *p == ')' || *p == '}') && depth;
	}
	n->parts[n->nr - 1].len = (size_t)(p - n->parts[n->nr - 1].s);
	n->params = *p == '(' ? p : NULL;
	return true;
}

/* One name for each integer type: compilers write "long unsigned int" and "unsigned long" for the same. Blanks are dropped. */
static size_t canonical(const char *s, size_t len, char *to, size_t max)
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "int", "char" };
	enum { UNSIGNED, SIGNED, LONG, SHORT, INT, CHAR, NR_WORDS };
	uint32_t seen[NR_WORDS] = { 0 };
	bool has_any = false;
	size_t n = 0, i = 0;

	while (i <= len && n + 40 < max) {
		size_t word = 0;
		int which = -1;

		while (i + word < len && (isalnum((unsigned char)s[i + word]) || s[i + word] == '_'))
			word++;
		for (int k = 0; k < NR_WORDS; k++)
			if (word == strlen(words[k]) && !memcmp(s + i, words[k], word))
				which = k;
		if (which >= 0) {
			seen[which]++;
			has_any = true;
			i += word;
			continue;
		}
		if (has_any && (word || i == len || s[i] != ' ')) {
			n += (size_t)snprintf(to + n, max - n, "%s%s%s%s%s", seen[UNSIGNED] ? "unsigned" : "",
					      seen[SIGNED] && seen[CHAR] ? "signed" : "", seen[LONG] ? "long" : "",
					      seen[SHORT] ? "short" : "",
					      seen[CHAR]		  ? "char"
					      : seen[LONG] || seen[SHORT] ? ""
									  : "int");
			memset(seen, 0, sizeof(seen));
			has_any = false;
		}
		if (i == len)
			break;
		if (!word)
			word = 1;
		if (s[i] != ' ') {
			size_t copy = word < max - n ? word : max - n;

			memcpy(to + n, s + i, copy);
			n += copy;
		}
		i += word;
	}
	return n;
}

bool probe_same_types(const char *a, size_t a_len, const char *b, size_t b_len)
{
	char x[1024], y[1024];
	size_t x_len = canonical(a, a_len, x, sizeof(x)), y_len = canonical(b, b_len, y, sizeof(y));

	return x_len == y_len && !memcmp(x, y, x_len);
}

bool probe_name_matches(const struct probe_name *n, uint32_t part, const char *name, size_t len)
{
	const char *s = n->parts[part].s;
	size_t want = n->parts[part].len;
	bool is_operator = want > 8 && !strncmp(s, "operator", 8) && !isalnum((unsigned char)s[8]) && s[8] != '_';

	if (len < want && !is_operator && !memchr(s, '<', want))
		return false;
	if (len == want && !memcmp(name, s, want))
		return true;
	if (is_operator)
		return probe_same_types(name, len, s, want) ||
		       (len > want + 1 && !memcmp(name, s, want) && name[want] == ' ' && name[want + 1] == '<');
	if (memchr(s, '<', want))
		return probe_same_types(name, len, s, want);
	return len > want && name[want] == '<' && !memcmp(name, s, want);
}
