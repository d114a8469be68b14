/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The letters behind an event or a group mean what they mean in perf: naming one of u, k, h leaves out the others; G and H likewise; u and
 * the p's keep guests out unless G or H says otherwise. A group's letters go on where each event's own stopped.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "kernel/event_parser.h"

#define LETTERS "ukhGHIpPSDeWb"
#define MODES (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV)

static void modifier_mode(struct event_modifiers *m, uint64_t included)
{
	if (!m->some_mode)
		m->flags |= MODES;
	m->some_mode = true;
	m->flags &= ~included;
}

static void modifier_host(struct event_modifiers *m, uint64_t included)
{
	if (!m->some_host)
		m->flags |= ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST;
	m->some_host = true;
	m->flags &= ~included;
}

static bool modifier_apply(struct event_modifiers *m, char c)
{
	static const struct {
		char letter;
		uint64_t mode, host, flags; /* what it includes; what it sets */
	} letters[] = {
		{ 'u', ATTR_EXCLUDE_USER, 0, 0 },  { 'k', ATTR_EXCLUDE_KERNEL, 0, 0 }, { 'h', ATTR_EXCLUDE_HV, 0, 0 },
		{ 'G', 0, ATTR_EXCLUDE_GUEST, 0 }, { 'H', 0, ATTR_EXCLUDE_HOST, 0 },   { 'I', 0, 0, ATTR_EXCLUDE_IDLE },
		{ 'D', 0, 0, ATTR_PINNED },	   { 'e', 0, 0, ATTR_EXCLUSIVE },
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		if (letters[i].letter != c)
			continue;
		if (letters[i].mode)
			modifier_mode(m, letters[i].mode);
		if (letters[i].host)
			modifier_host(m, letters[i].host);
		m->flags |= letters[i].flags;
	}
	m->precise += c == 'p';
	m->precise_max |= c == 'P';
	m->sample_read |= c == 'S';
	m->weak_group |= c == 'W';
	m->bpf_counter |= c == 'b';
	if ((c == 'u' || c == 'p') && !m->some_host)
		m->flags |= ATTR_EXCLUDE_GUEST;
	return c && strchr(LETTERS, c);
}

bool modifiers_are(struct span x)
{
	for (size_t i = 0; i < x.len; i++)
		if (!strchr(LETTERS, x.s[i]))
			return false;
	return x.len && x.len <= 15;
}

static void modifiers_to_spec(const struct event_modifiers *m, struct event_spec *spec)
{
	uint64_t own = ATTR_AUX_OUTPUT; /* said by terms */

	spec->attr.flags = (spec->attr.flags & own) | m->flags;
	spec->attr.flags |= (uint64_t)(m->precise_max ? 3 : m->precise) << ATTR_PRECISE_IP_SHIFT;
	spec->precise_max = m->precise_max;
	spec->sample_read = m->sample_read;
	spec->weak_group = m->weak_group;
	spec->bpf_counter = m->bpf_counter;
}

/* Checks the letters alone; what they add up to is seen per event. */
static int check_letters(const struct event_parser *p, struct span x)
{
	struct event_modifiers scratch = { 0 };

	for (size_t i = 0; i < x.len; i++) {
		if (x.s[i] != 'p' && memchr(x.s, x.s[i], i))
			return parser_fail(p, x.s + i, -EINVAL, "modifier '%c' is there twice", x.s[i]);
		if (!modifier_apply(&scratch, x.s[i]))
			return parser_fail(p, x.s + i, -EINVAL, "there is no modifier '%c'; they are u k h G H I p P S D e W b", x.s[i]);
		if (scratch.precise > 3)
			return parser_fail(p, x.s + i, -EINVAL, "three p's are the highest precision");
	}
	return 0;
}

int modifiers_parse(struct event_parser *p, uint32_t from, bool of_group)
{
	struct span x;
	int err;

	parser_skip_spaces(p);
	x.s = p->pos;
	for (x.len = 0; isalnum((unsigned char)x.s[x.len]); x.len++)
		;
	if (!x.len)
		return parser_fail_expected(p, "modifiers (u, k, h, p, …)");
	err = check_letters(p, x);
	if (err)
		return err;
	p->pos += x.len;
	for (uint32_t i = from; i < p->list->events.nr; i++) {
		struct event_modifiers *m = &p->modifiers.v[i - p->first];

		if (of_group)
			m->some_mode = m->flags & MODES;
		else
			*m = (struct event_modifiers){ 0 };
		for (size_t k = 0; k < x.len; k++) {
			/* A group is pinned, or has the CPU to itself, by its leader. */
			if (of_group && i != from && strchr("De", x.s[k]))
				continue;
			modifier_apply(m, x.s[k]);
		}
		if (m->precise > 3)
			return parser_fail(p, x.s, -EINVAL,
					   "three p's are the highest precision, and an event of the group has some of its own");
		modifiers_to_spec(m, &p->list->events.v[i]);
	}
	return 0;
}
