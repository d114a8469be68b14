/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Patterns of filters. fnmatch() wants texts that end with a NUL, which those in records need not.
 */
#include "session/field_filter.h"

/* "[a-z]" at *p, which is moved behind it; false: no set, the bracket is not closed. */
static bool take_set(const char **p, const char *end, unsigned char c, bool *is_in)
{
	const char *s = *p + 1;
	bool is_inverted = s < end && (*s == '!' || *s == '^'), found = false;

	s += is_inverted;
	for (const char *first = s; s < end && (*s != ']' || s == first); s++) {
		unsigned char low = (unsigned char)*s, high = low;

		if (s + 2 < end && s[1] == '-' && s[2] != ']') {
			high = (unsigned char)s[2];
			s += 2;
		}
		found |= c >= low && c <= high;
	}
	if (s >= end)
		return false;
	*p = s + 1;
	*is_in = found != is_inverted;
	return true;
}

/* Does the character match what stands at *p, which is moved behind it then? */
static bool take_one(const char **p, const char *end, char c)
{
	const char *next = *p;
	bool is_in;

	if (*next == '[' && take_set(&next, end, (unsigned char)c, &is_in)) {
		*p = next;
		return is_in;
	}
	if (*next == '\\' && next + 1 < end)
		next++;
	else if (*next == '?')
		c = '?';
	*p = next + 1;
	return *next == c;
}

bool trace_glob_matches(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
	const char *p = pattern, *end = pattern + pattern_len, *s = text, *text_end = text + len;
	const char *star = NULL, *star_text = NULL; /* where the last star goes on, if what follows it does not match */

	while (s < text_end || (p < end && *p == '*')) {
		if (p < end && *p == '*') {
			star = ++p;
			star_text = s;
		} else if (p < end && take_one(&p, end, *s)) {
			s++;
		} else if (star && star_text < text_end) {
			p = star;
			s = ++star_text;
		} else {
			return false;
		}
	}
	return p == end;
}
