/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the configuration files say of a command: options in front of those that were typed, which so have the last word.
 */
#ifndef ASSAY_CMD_CONFIGURED_H
#define ASSAY_CMD_CONFIGURED_H

#include "base/config.h"
#include "base/errbuf.h"

#define CONFIGURED_UI "the terminal UI"

struct configured_key {
	const char *key;
	const char *command; /* that it is about; CONFIGURED_UI: all that have a terminal UI, whose colours it is (cmd/ui_colours.h) */
	const char *option;  /* NULL: it is about its pager */
	bool is_switch;	     /* option or --no-option */
	const char *help;
};

/* Ends in a row without a key. */
extern const struct configured_key configured_keys[];

/* What the value of a key may be, as "is true or false"; NULL: `value` is that, or only the option can say. */
const char *configured_mistake(const struct configured_key *k, const char *value);

/* The user's file: ASSAY_CONFIG, else assay/config in XDG_CONFIG_HOME or ~/.config. NULL: there is none. The caller frees. */
char *configured_user_path(void);
#define CONFIGURED_SYSTEM_PATH "/etc/assay.conf"

/* Both files, the user's last; warns where one is not used. */
void configured_read(struct config *c);

/* argv of a command with what is configured for it, and where to free it. */
struct configured_words {
	struct config config;
	VEC(char *) own; /* options that come from it */
	char **argv;
	int argc;
	const char *command;
};
void configured_words_init(struct configured_words *w, const char *command, int argc, char **argv);
/* Says of a mistake in an option where that is from, if it quotes the value of a key and no word that was typed has it. */
void configured_words_explain(const struct configured_words *w, struct errbuf *eb);
void configured_words_fini(struct configured_words *w);

#endif
