/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay config: shows and changes the configuration files, with perf's words.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/configured.h"

struct config_command {
	bool list, user, system, keys;
};

static const struct configured_key *find_key(const char *key, size_t len)
{
	for (const struct configured_key *k = configured_keys; k->key; k++)
		if (strlen(k->key) == len && !strncasecmp(k->key, key, len))
			return k;
	return NULL;
}

static int unknown_key(const char *key, size_t len, struct errbuf *eb)
{
	char *word = mem_strndup(key, len);
	struct suggest s;

	suggest_init(&s, word);
	for (const struct configured_key *k = configured_keys; k->key; k++)
		suggest_offer(&s, k->key);
	errbuf_set(eb, CMD_USAGE, "config: '%s' is no key that assay uses%s%s%s; 'assay config --keys' lists them", word,
		   s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
	free(word);
	return CMD_USAGE;
}

/* Makes the directories of a path, the user's alone. */
static void make_directories(const char *path)
{
	char *copy = mem_strdup(path);

	for (char *p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(copy, 0700);
		*p = '/';
	}
	free(copy);
}

/* A reader sees the file as it was, or as it is then. */
static int replace_file(const char *path, const struct out *text, struct errbuf *eb)
{
	char *name = mem_printf("%s.%d.new", path, (int)getpid());
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644), err = fd < 0 ? -errno : 0;

	if (!err)
		err = io_write(fd, text->buf, text->len, NULL);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(name, path))
		err = -errno;
	if (err) {
		unlink(name);
		errbuf_set(eb, err, "cannot write %s: %s", path, strerror(-err));
	}
	free(name);
	return err;
}

static int set(const char *path, const char *word, struct errbuf *eb)
{
	const char *equals = strchr(word, '=');
	char *key = mem_strndup(word, (size_t)(equals - word)), *text = NULL, *real = realpath(path, NULL);
	size_t size = 0;
	struct out o;
	int err;

	/* A link stays one: the file may be kept elsewhere. */
	path = real ? real : path;
	err = config_read(path, &text, &size, eb);

	if (err == -ENOENT) {
		err = 0;
		make_directories(path);
	}
	out_init(&o, -1);
	if (!err) {
		config_set(&o, text ? text : "", size, key, equals + 1);
		err = replace_file(path, &o, eb);
	}
	out_fini(&o);
	free(real);
	free(text);
	free(key);
	return err;
}

static void put_entry(struct out *o, const char *key, const char *value)
{
	escape_terminal_str(o, key);
	out_char(o, '=');
	escape_terminal_str(o, value);
	out_char(o, '\n');
}

static int read_one(struct config *c, const char *path, struct errbuf *eb)
{
	struct config own = { 0 };
	char *text;
	size_t size;
	int err = config_read(path, &text, &size, eb);

	if (!err) {
		config_parse(&own, text, size);
		config_parse(c, text, size);
	}
	if (own.bad_line)
		log_warn("%s: line %u is neither a section, nor 'name = value', nor a comment", path, own.bad_line);
	config_fini(&own);
	free(text);
	return err == -ENOENT ? 0 : err;
}

static int show(const struct config *c, struct out *o, int argc, char **argv, struct errbuf *eb)
{
	for (uint32_t i = 0; !argc && i < c->entries.nr; i++)
		put_entry(o, c->entries.v[i].key, c->entries.v[i].value);
	for (int i = 0; i < argc; i++) {
		const char *value = config_find(c, argv[i]);

		if (!value && !find_key(argv[i], strlen(argv[i])))
			return unknown_key(argv[i], strlen(argv[i]), eb);
		if (!value)
			return errbuf_set(eb, -ENOENT, "config: %s is not set", argv[i]);
		put_entry(o, argv[i], value);
	}
	return 0;
}

static void list_keys(struct out *o)
{
	for (const struct configured_key *k = configured_keys; k->key; k++)
		if (k->help)
			out_printf(o, "%-30s %s\n", k->key, k->help);
}

static int change(const struct config_command *c, const char *user, int argc, char **argv, struct errbuf *eb)
{
	const char *path = c->system ? CONFIGURED_SYSTEM_PATH : user;
	int err = 0;

	if (!path)
		return errbuf_set(eb, -ENOENT, "config: HOME is not set, which says where the file of the user is");
	for (int i = 0; i < argc; i++) {
		size_t len = strcspn(argv[i], "=");
		const struct configured_key *k = find_key(argv[i], len);
		const char *mistake;

		if (!argv[i][len])
			return errbuf_set(eb, CMD_USAGE, "config: '%s': either all arguments are KEY=VALUE, or none", argv[i]);
		if (!k)
			return unknown_key(argv[i], len, eb);
		mistake = configured_mistake(k, argv[i] + len + 1);
		if (mistake)
			return errbuf_set(eb, CMD_USAGE, "config: %s %s, not '%s'", k->key, mistake, argv[i] + len + 1);
	}
	for (int i = 0; i < argc && !err; i++)
		err = set(path, argv[i], eb);
	return err;
}

static int run(const struct config_command *c, int argc, char **argv, struct errbuf *eb)
{
	char *user = configured_user_path();
	struct config config = { 0 };
	struct out o;
	int err = 0, flush_err;

	out_init(&o, STDOUT_FILENO);
	if (c->keys) {
		list_keys(&o);
	} else if (argc && strchr(argv[0], '=')) {
		err = change(c, user, argc, argv, eb);
	} else {
		if (!c->user)
			err = read_one(&config, CONFIGURED_SYSTEM_PATH, eb);
		if (!err && !c->system && user)
			err = read_one(&config, user, eb);
		if (!err)
			err = show(&config, &o, argc, argv, eb);
	}
	config_fini(&config);
	free(user);
	flush_err = out_fini(&o);
	return err ? err : flush_err;
}

int cmd_config(int argc, char **argv, struct errbuf *eb)
{
	struct config_command c = { 0 };
	const struct option table[] = {
		OPT_BOOL('l', "list", &c.list, "Show all that is set (the default)"),
		OPT_BOOL(0, "user", &c.user, "Only the file of the user"),
		OPT_BOOL(0, "system", &c.system, "Only " CONFIGURED_SYSTEM_PATH),
		OPT_BOOL(0, "keys", &c.keys, "List the keys that assay uses"),
		OPT_END,
	};
	const struct options opts = {
		.command = "config",
		.usage = "assay config [--user|--system] [-l]\n"
			 "assay config [--user|--system] KEY…\n"
			 "assay config [--user|--system] KEY=VALUE…",
		.summary = "Show or change the configuration",
		.examples = "assay config report.children=false annotate.disassembler_style=intel\n"
			    "assay config --list\n",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (c.user && c.system)
		return errbuf_set(eb, CMD_USAGE, "config: --user and --system exclude each other");
	if (c.list && argc)
		return errbuf_set(eb, CMD_USAGE, "config: -l lists all: leave out '%s'", argv[0]);
	return run(&c, argc, argv, eb);
}
