/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/ui_colours.h"

#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "tui/tui.h"

static const struct {
	const char *key;
	enum ui_style style;
} styles[] = {
	{ "colors.top", UI_HOT },
	{ "colors.medium", UI_WARM },
	{ "colors.normal", UI_PLAIN },
	{ "colors.selected", UI_SELECTED },
	{ "colors.root", UI_BAR },
	{ "colors.heading", UI_HEADING },
	{ "colors.faint", UI_FAINT },
	{ "colors.warning", UI_WARNING },
	{ "colors.match", UI_MATCH },
	{ "colors.flame-user", UI_FLAME_USER },
	{ "colors.flame-user-odd", UI_FLAME_USER_ODD },
	{ "colors.flame-kernel", UI_FLAME_KERNEL },
	{ "colors.flame-kernel-odd", UI_FLAME_KERNEL_ODD },
	{ "colors.flame-other", UI_FLAME_OTHER },
};

static bool parse_word(const char *word, size_t len, int *colour)
{
	static const char *const names[] = { "default", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white" };

	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++) {
		if (strlen(names[i]) != len || strncasecmp(word, names[i], len) != 0)
			continue;
		*colour = i - 1;
		return true;
	}
	return false;
}

bool ui_colours_parse(const char *value, int *text, int *ground)
{
	static const char blanks[] = " \t";
	size_t len;

	*ground = -1;
	value += strspn(value, blanks);
	len = strcspn(value, " \t,");
	if (!parse_word(value, len, text))
		return false;
	value += len + strspn(value + len, blanks);
	if (!*value)
		return true;
	if (*value++ != ',')
		return false;
	value += strspn(value, blanks);
	len = strcspn(value, blanks);
	return parse_word(value, len, ground) && !value[len + strspn(value + len, blanks)];
}

void ui_colours_take(const struct config *c)
{
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		const char *value = config_find(c, styles[i].key);
		int text, ground;

		if (!value)
			continue;
		if (ui_colours_parse(value, &text, &ground))
			tui_set_colour(styles[i].style, text, ground);
		else
			log_warn("configuration: %s " UI_COLOURS_ARE ", not '%s'", styles[i].key, value);
	}
}
