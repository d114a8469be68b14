/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The keys of `assay top`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "cmd/top.h"

#define DELAY_PROMPT "Seconds between refreshes: "

/* The sequences that terminals send for keys without a letter. */
static const struct {
	const char *sequence;
	char key;
} sequences[] = {
	{ "\033[A", 'k' }, { "\033OA", 'k' }, { "\033[B", 'j' }, { "\033OB", 'j' }, { "\033[5~", 'b' }, { "\033[6~", 'n' },
};

/* What is typed at the question for the delay. */
static void take_answer(struct top_command *c, char key)
{
	struct top_state *st = &c->state;
	size_t len = strlen(st->prompt);
	double delay;

	if (key == 27) {
		st->prompt[0] = 0;
	} else if ((key == 127 || key == 8) && len > strlen(DELAY_PROMPT)) {
		st->prompt[len - 1] = 0;
	} else if (key == '\n' || key == '\r') {
		delay = strtod(st->prompt + strlen(DELAY_PROMPT), NULL);
		if (delay >= 0.1 && delay <= 3600)
			c->delay = delay;
		st->prompt[0] = 0;
	} else if (((key >= '0' && key <= '9') || key == '.') && len + 1 < sizeof(st->prompt)) {
		st->prompt[len] = key;
		st->prompt[len + 1] = 0;
	}
}

static void take_key(struct top_command *c, struct live_profile *l, char key, int rows)
{
	struct top_state *st = &c->state;
	int64_t page = top_rows_shown(st, rows);

	if (st->prompt[0]) {
		take_answer(c, key);
		return;
	}
	if (key == 'q' || key == 'Q') {
		c->has_quit = true;
		return;
	}
	if (st->mode != TOP_ROWS) {
		st->mode = TOP_ROWS;
		return;
	}
	switch (key) {
	case 'z':
		live_profile_clear(l);
		break;
	case 'Z':
		st->zeroes = !st->zeroes;
		break;
	case 'd':
		snprintf(st->prompt, sizeof(st->prompt), "%s", DELAY_PROMPT);
		break;
	case ' ':
		st->is_frozen = !st->is_frozen;
		break;
	case 'f':
		st->mode = TOP_FLAME;
		break;
	case 's':
	case '\n':
	case '\r':
		st->mode = TOP_CALLERS;
		break;
	case 'e':
	case 'E':
		st->event = l->events.nr ? (st->event + 1) % l->events.nr : 0;
		st->has_selection = false;
		break;
	case 'K':
		st->hides_kernel = !st->hides_kernel;
		break;
	case 'U':
		st->hides_user = !st->hides_user;
		break;
	case 'j':
	case 'k':
		top_select(st, l, key == 'j' ? 1 : -1, rows);
		break;
	case 'n':
	case 'b':
		top_select(st, l, key == 'n' ? page : -page, rows);
		break;
	case 'h':
	case '?':
		st->mode = TOP_HELP;
		break;
	default:
		break;
	}
}

bool top_take_keys(struct top_command *c, struct live_profile *l, const char *keys, size_t nr)
{
	int rows = terminal_size_of(STDOUT_FILENO).rows;

	for (size_t i = 0; i < nr && !c->has_quit; i++) {
		char key = keys[i];

		for (size_t k = 0; key == 27 && k < sizeof(sequences) / sizeof(*sequences); k++) {
			size_t len = strlen(sequences[k].sequence);

			if (nr - i >= len && !memcmp(keys + i, sequences[k].sequence, len)) {
				key = sequences[k].key;
				i += len - 1;
			}
		}
		take_key(c, l, key, rows);
	}
	return nr > 0;
}
