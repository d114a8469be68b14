/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/options.h"

static int size_from(const char *variable, int otherwise)
{
	const char *text = getenv(variable);
	uint64_t value;

	return text && !options_u64(text, 1, 10000, &value) ? (int)value : otherwise;
}

struct terminal_size terminal_size_of(int fd)
{
	struct winsize w = { 0 };
	struct terminal_size s;

	ioctl(fd, TIOCGWINSZ, &w);
	s.rows = w.ws_row ? w.ws_row : size_from("LINES", 24);
	s.columns = w.ws_col ? w.ws_col : size_from("COLUMNS", 80);
	return s;
}

bool terminal_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value) /* the first that is set counts */
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}
