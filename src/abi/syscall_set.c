/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of system calls: split at commas, each item resolved against the tables of one or two architectures.
 */
#include "abi/syscall_set.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"

static const char *const abi_names[SYSCALL_NR_ABIS] = { "x86_64", "arm64", "i386" };

static const struct {
	const char *name;
	uint16_t class;
} classes[] = {
	{ "file", SYSCALL_FILE },	{ "desc", SYSCALL_DESC },     { "network", SYSCALL_NETWORK }, { "net", SYSCALL_NETWORK },
	{ "process", SYSCALL_PROCESS }, { "memory", SYSCALL_MEMORY }, { "signal", SYSCALL_SIGNAL },   { "ipc", SYSCALL_IPC },
	{ "creds", SYSCALL_CREDS },	{ "clock", SYSCALL_CLOCK },
};

/* Groups that are lists of names, behind the %. */
static const struct {
	const char *name;
	const char *calls; /* with a space before and after each */
} groups[] = {
	{ "stat", " stat stat64 oldstat " },
	{ "lstat", " lstat lstat64 oldlstat " },
	{ "fstat", " fstat fstat64 oldfstat newfstatat fstatat64 statx " },
	{ "%stat", " stat stat64 oldstat lstat lstat64 oldlstat fstat fstat64 oldfstat newfstatat fstatat64 statx " },
	{ "statfs", " statfs statfs64 " },
	{ "fstatfs", " fstatfs fstatfs64 " },
	{ "%statfs", " statfs statfs64 fstatfs fstatfs64 ustat " },
	{ "pure", " getpid getppid gettid getpgrp getuid geteuid getgid getegid getuid32 geteuid32 getgid32 getegid32 " },
};

#define NR_CLASSES (sizeof(classes) / sizeof(classes[0]))
#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

enum item_kind { ITEM_NAME, ITEM_NUMBER, ITEM_CLASS, ITEM_GROUP, ITEM_GLOB, ITEM_REGEX, ITEM_ALL, ITEM_NONE };

/* One word of a list. */
struct item {
	const char *text; /* without what stands before and behind it */
	enum item_kind kind;
	bool is_removed, may_be_missing;
	bool only_32, only_64;
	uint32_t number;
	uint16_t class;
	const char *group;
	regex_t regex;
};

static void set_bit(struct syscall_set *set, int abi, uint32_t nr, bool to)
{
	uint64_t bit = 1ULL << nr % 64;

	if (to)
		set->bits[abi][nr / 64] |= bit;
	else
		set->bits[abi][nr / 64] &= ~bit;
}

void syscall_set_put(struct syscall_set *set, enum syscall_abi abi, uint32_t nr)
{
	if (nr < SYSCALL_SET_NUMBERS)
		set_bit(set, (int)abi, nr, true);
}

bool syscall_set_has(const struct syscall_set *set, enum syscall_abi abi, uint32_t nr)
{
	if (nr >= SYSCALL_SET_NUMBERS)
		nr = SYSCALL_SET_NUMBERS - 1; /* in the set if all calls are */
	return set->bits[abi][nr / 64] >> nr % 64 & 1;
}

/* Which tables a list is about. */
static bool is_meant(const struct item *it, enum syscall_abi abi, int table)
{
	if (table != (int)abi && !(abi == SYSCALL_X86_64 && table == SYSCALL_I386))
		return false;
	return table == SYSCALL_I386 ? !it->only_64 : !it->only_32;
}

static bool names(const struct item *it, enum syscall_abi abi, int table, uint32_t nr, const struct syscall_def *def)
{
	const char *at = NULL;

	switch (it->kind) {
	case ITEM_NAME:
		return !strcmp(def->name, it->text);
	case ITEM_NUMBER:
		return nr == it->number && table == (int)(it->only_32 ? SYSCALL_I386 : abi);
	case ITEM_CLASS:
		return def->classes & it->class;
	case ITEM_GROUP:
		at = strstr(it->group, def->name);
		while (at && !(at[-1] == ' ' && at[strlen(def->name)] == ' '))
			at = strstr(at + 1, def->name);
		return at;
	case ITEM_GLOB:
		return !fnmatch(it->text, def->name, 0);
	case ITEM_REGEX:
		return !regexec(&it->regex, def->name, 0, NULL, 0);
	default:
		return false;
	}
}

static bool find_class(struct item *it, const char *name, bool has_percent)
{
	for (uint32_t i = 0; i < NR_CLASSES; i++)
		if (!strcmp(classes[i].name, name)) {
			it->kind = ITEM_CLASS;
			it->class = classes[i].class;
			return true;
		}
	for (uint32_t i = 0; has_percent && i < NR_GROUPS; i++)
		if (!strcmp(groups[i].name, name)) {
			it->kind = ITEM_GROUP;
			it->group = groups[i].calls;
			return true;
		}
	return false;
}

static int refuse_class(const struct item *it, struct errbuf *eb)
{
	struct suggest s;

	suggest_init(&s, it->text + 1);
	for (uint32_t i = 0; i < NR_CLASSES; i++)
		suggest_offer(&s, classes[i].name);
	for (uint32_t i = 0; i < NR_GROUPS; i++)
		suggest_offer(&s, groups[i].name);
	return suggest_refuse(&s, it->text, "class of system calls",
			      "file, desc, network, process, memory, signal, ipc, creds, clock, pure, stat, lstat, fstat, statfs, fstatfs",
			      eb);
}

static int parse_regex(struct item *it, struct errbuf *eb)
{
	char why[128];
	int err = regcomp(&it->regex, it->text + 1, REG_EXTENDED | REG_NOSUB);

	if (err) {
		regerror(err, &it->regex, why, sizeof(why));
		return errbuf_set(eb, -EINVAL, "'%s' is no regular expression: %s", it->text + 1, why);
	}
	it->kind = ITEM_REGEX;
	return 0;
}

/* What an item is, by its form; `text` loses its "@64". */
static int parse_item(struct item *it, char *text, struct errbuf *eb)
{
	char *end, *at = strrchr(text, '@');
	unsigned long number;

	*it = (struct item){ .kind = ITEM_NAME };
	for (; *text == '!' || *text == '?'; text++) {
		it->is_removed |= *text == '!';
		it->may_be_missing |= *text == '?';
	}
	it->text = text;
	if (at && (!strcmp(at, "@64") || !strcmp(at, "@32"))) {
		it->only_64 = at[1] == '6';
		it->only_32 = at[1] == '3';
		*at = 0;
	}
	if (!*text)
		return errbuf_set(eb, -EINVAL, "a name of a system call is missing between commas");
	if (!strcmp(text, "all") || !strcmp(text, "none")) {
		it->kind = *text == 'a' ? ITEM_ALL : ITEM_NONE;
		return 0;
	}
	if (*text == '/')
		return parse_regex(it, eb);
	if (*text == '%')
		return find_class(it, text + 1, true) ? 0 : refuse_class(it, eb);
	if (find_class(it, text, false))
		return 0;
	if (*text >= '0' && *text <= '9') {
		it->kind = ITEM_NUMBER;
		number = strtoul(text, &end, 10);
		it->number = number < SYSCALL_SET_NUMBERS ? (uint32_t)number : UINT32_MAX;
		if (*end)
			it->kind = ITEM_NAME;
	} else if (strpbrk(text, "*?[")) {
		it->kind = ITEM_GLOB;
	}
	return 0;
}

static int refuse_item(const struct item *it, enum syscall_abi abi, struct errbuf *eb)
{
	struct suggest s;

	if (it->kind == ITEM_GLOB || it->kind == ITEM_REGEX)
		return errbuf_set(eb, -EINVAL, "no system call of %s matches '%s'", abi_names[abi], it->text);
	suggest_init(&s, it->text);
	for (uint32_t nr = 0; nr < syscall_limit(abi); nr++)
		if (syscall_get(abi, nr))
			suggest_offer(&s, syscall_get(abi, nr)->name);
	for (uint32_t i = 0; i < NR_CLASSES; i++)
		suggest_offer(&s, classes[i].name);
	return errbuf_set(eb, -EINVAL, "%s has no system call '%s'%s%s%s", abi_names[abi], it->text, s.best ? "; did you mean '" : "",
			  s.best ? s.best : "", s.best ? "'?" : "");
}

static int apply_item(struct syscall_set *set, const struct item *it, enum syscall_abi abi, bool to, struct errbuf *eb)
{
	uint32_t nr_found = 0;

	if (it->kind == ITEM_NONE)
		return 0;
	for (int table = 0; it->kind == ITEM_ALL && table < SYSCALL_NR_ABIS; table++)
		if (is_meant(it, abi, table))
			memset(set->bits[table], to ? 0xff : 0, sizeof(set->bits[table]));
	for (int table = 0; table < SYSCALL_NR_ABIS; table++)
		for (uint32_t nr = 0; is_meant(it, abi, table) && nr < syscall_limit(table); nr++)
			if (syscall_get(table, nr) && names(it, abi, table, nr, syscall_get(table, nr))) {
				set_bit(set, table, nr, to);
				nr_found++;
			}
	if (nr_found || it->may_be_missing || it->kind == ITEM_CLASS || it->kind == ITEM_GROUP || it->kind == ITEM_ALL)
		return 0;
	return refuse_item(it, abi, eb);
}

int syscall_set_add(struct syscall_set *set, enum syscall_abi abi, const char *list, struct errbuf *eb)
{
	struct syscall_set result = *set;
	char *copy, *rest, *text;
	bool removes;
	int err = 0;

	if (!strncmp(list, "trace=", 6))
		list += 6;
	removes = *list == '!';
	copy = mem_strdup(list + removes);
	if (removes && !result.is_chosen)
		memset(result.bits, 0xff, sizeof(result.bits));
	result.is_chosen = true;
	rest = copy;
	while (!err && (text = strsep(&rest, ","))) {
		struct item it;

		err = parse_item(&it, text, eb);
		if (!err)
			err = apply_item(&result, &it, abi, !it.is_removed && !removes, eb);
		if (it.kind == ITEM_REGEX)
			regfree(&it.regex);
	}
	free(copy);
	if (!err)
		*set = result;
	return err;
}
