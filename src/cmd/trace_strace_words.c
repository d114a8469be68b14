/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * strace's expressions: a word that says what is chosen, and a list.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "cmd/trace.h"

#define NR_SIGNALS 64

/* Splits a list; each word is put into what `ctx` is. "all", "none" and a leading "!" are done here. */
struct list_kind {
	const char *what; /* for messages: "signal" */
	bool (*put)(void *ctx, const char *word);
	void (*put_all)(void *ctx, bool to);
	void (*invert)(void *ctx);
};

static int parse_list(const char *list, const struct list_kind *kind, void *ctx, struct errbuf *eb)
{
	bool others = *list == '!';
	char *copy = mem_strdup(list + others), *rest = copy, *word;
	int err = 0;

	kind->put_all(ctx, false);
	while (!err && (word = strsep(&rest, ","))) {
		if (!strcmp(word, "all"))
			kind->put_all(ctx, true);
		else if (strcmp(word, "none") && !kind->put(ctx, word))
			err = errbuf_set(eb, -EINVAL, "'%s' is no %s", word, kind->what);
	}
	if (!err && others)
		kind->invert(ctx);
	free(copy);
	return err;
}

/* ---- signals ---- */

static bool put_signal(void *ctx, const char *word)
{
	uint64_t *bits = ctx, number = 0;

	if (!strncasecmp(word, "SIG", 3))
		word += 3;
	for (int i = 1; i <= NR_SIGNALS && !number; i++)
		if (sigabbrev_np(i) && !strcasecmp(sigabbrev_np(i), word))
			number = (uint64_t)i;
	if (!number && options_u64(word, 1, NR_SIGNALS, &number))
		return false;
	*bits |= UINT64_C(1) << (number - 1);
	return true;
}

static void put_all_signals(void *ctx, bool to)
{
	*(uint64_t *)ctx = to ? UINT64_MAX : 0;
}

static void invert_signals(void *ctx)
{
	*(uint64_t *)ctx = ~*(uint64_t *)ctx;
}

int strace_parse_signals(const char *list, uint64_t *bits, struct errbuf *eb)
{
	static const struct list_kind kind = { "signal", put_signal, put_all_signals, invert_signals };

	return parse_list(list, &kind, bits, eb);
}

/* ---- descriptors ---- */

static bool put_fd(void *ctx, const char *word)
{
	struct strace_fds *fds = ctx;
	uint64_t fd;

	if (options_u64(word, 0, STRACE_FDS - 1, &fd))
		return false;
	fds->bits[fd / 64] |= UINT64_C(1) << fd % 64;
	return true;
}

static void put_all_fds(void *ctx, bool to)
{
	struct strace_fds *fds = ctx;

	memset(fds->bits, to ? 0xff : 0, sizeof(fds->bits));
	fds->others = to;
}

static void invert_fds(void *ctx)
{
	struct strace_fds *fds = ctx;

	for (uint32_t i = 0; i < STRACE_FDS / 64; i++)
		fds->bits[i] = ~fds->bits[i];
	fds->others = !fds->others;
}

int strace_parse_fds(const char *list, struct strace_fds *fds, struct errbuf *eb)
{
	static const struct list_kind kind = { "file descriptor below 1024", put_fd, put_all_fds, invert_fds };

	return parse_list(list, &kind, fds, eb);
}

/* ---- messages that are left out, what is shown of descriptors ---- */

enum { QUIET_ATTACH = 1, QUIET_PERSONALITY = 2, QUIET_EXIT = 4, QUIET_OTHER = 8, QUIET_ALL = 15 };

static bool put_quiet(void *ctx, const char *word)
{
	static const struct {
		const char *name;
		unsigned bit;
	} names[] = {
		{ "attach", QUIET_ATTACH },	    { "exit", QUIET_EXIT },	     { "exits", QUIET_EXIT },
		{ "path-resolution", QUIET_OTHER }, { "path-resolve", QUIET_OTHER }, { "personality", QUIET_PERSONALITY },
		{ "thread-execve", QUIET_OTHER },   { "superseded", QUIET_OTHER },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, word)) {
			*(unsigned *)ctx |= names[i].bit;
			return true;
		}
	return false;
}

static void put_all_quiet(void *ctx, bool to)
{
	*(unsigned *)ctx = to ? QUIET_ALL : 0;
}

static void invert_quiet(void *ctx)
{
	*(unsigned *)ctx ^= QUIET_ALL;
}

static int take_quiet(struct trace_command *c, const char *list, struct errbuf *eb)
{
	static const struct list_kind kind = { "message (attach, exit, path-resolution, personality, thread-execve, superseded)", put_quiet,
					       put_all_quiet, invert_quiet };
	unsigned bits;
	int err = parse_list(list, &kind, &bits, eb);

	c->strace.shows_attached = !(bits & QUIET_ATTACH);
	c->strace.shows_mode = !(bits & QUIET_PERSONALITY);
	c->strace.shows_exits = !(bits & QUIET_EXIT);
	return err;
}

/* ---- expressions ---- */

static int take_signals(struct trace_command *c, const char *list, struct errbuf *eb)
{
	uint64_t bits = 0;
	int err = strace_parse_signals(list, &bits, eb);

	c->strace.hidden_signals = ~bits;
	return err;
}

/* Each replaces the one before. */
static int take_set(struct syscall_set *set, const char *list, struct errbuf *eb)
{
	memset(set, 0, sizeof(*set));
	return syscall_set_add(set, syscall_native_abi(), list, eb);
}

static int take_abbrev(struct trace_command *c, const char *list, struct errbuf *eb)
{
	if (strcmp(list, "all") && strcmp(list, "none"))
		return errbuf_set(eb, -EINVAL, "abbrev= takes all or none: structs are shortened in all calls or in none");
	c->strace.syscalls.is_verbose = !strcmp(list, "none");
	return 0;
}

static int take_verbose(const char *list, struct errbuf *eb)
{
	return strcmp(list, "all") ? errbuf_set(eb, -EINVAL, "verbose= takes all: structs are always decoded; raw= shows numbers") : 0;
}

static bool put_detail(void *ctx, const char *word)
{
	static const struct {
		const char *name;
		uint8_t bit;
	} names[] = {
		{ "path", SYSCALL_FD_PATH }, { "dev", SYSCALL_FD_DEVICE }, { "pidfd", SYSCALL_FD_PIDFD }, { "socket", SYSCALL_FD_SOCKET }
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, word)) {
			*(uint8_t *)ctx |= names[i].bit;
			return true;
		}
	return false;
}

static void put_all_details(void *ctx, bool to)
{
	*(uint8_t *)ctx = to ? SYSCALL_FD_ALL : 0;
}

static void invert_details(void *ctx)
{
	*(uint8_t *)ctx ^= SYSCALL_FD_ALL;
}

static int take_decoded_fds(struct trace_command *c, const char *list, struct errbuf *eb)
{
	static const struct list_kind kind = { "detail of a descriptor (path, dev, pidfd, socket, all, none)", put_detail, put_all_details,
					       invert_details };

	return parse_list(list, &kind, &c->strace.syscalls.show_fds, eb);
}

static int take_decoded_pids(struct trace_command *c, const char *list, struct errbuf *eb)
{
	if (strcmp(list, "comm") && strcmp(list, "none"))
		return errbuf_set(eb, -EINVAL,
				  "decode-pids= takes comm or none: numbers in front of lines are those of assay's PID namespace, those in "
				  "calls of the task's");
	c->strace.syscalls.show_comms = !strcmp(list, "comm");
	return 0;
}

/* ---- times ---- */

static bool find_precision(const char *text, uint8_t *digits)
{
	static const char *const names[] = { "s", "ms", "us", "ns" };

	for (uint8_t i = 0; i < 4; i++)
		if (!strcmp(text, names[i])) {
			*digits = 3 * i;
			return true;
		}
	return false;
}

int strace_parse_precision(const char *text, const char *what, uint8_t *digits, struct errbuf *eb)
{
	return find_precision(text, digits) ? 0 : errbuf_set(eb, -EINVAL, "--%s: unknown precision '%s' (s, ms, us, ns)", what, text);
}

int strace_parse_clock(const char *text, struct strace_options *o, struct errbuf *eb)
{
	char *copy = mem_strdup(text), *rest = copy, *word;
	int err = 0;

	o->clock = STRACE_TIME_OF_DAY;
	o->clock_digits = 0;
	while (!err && (word = strsep(&rest, ","))) {
		if (!strncmp(word, "format:", 7))
			word += 7;
		else if (!strncmp(word, "precision:", 10))
			word += 10;
		if (!strcmp(word, "none"))
			o->clock = STRACE_NO_TIME;
		else if (!strcmp(word, "unix"))
			o->clock = STRACE_EPOCH;
		else if (strcmp(word, "time") && !find_precision(word, &o->clock_digits))
			err = errbuf_set(eb, -EINVAL, "--absolute-timestamps: unknown word '%s' (none, time, unix; s, ms, us, ns)", word);
	}
	free(copy);
	return err;
}

/* ---- columns ---- */

int strace_parse_columns(const char *list, struct strace_summary_options *o, struct errbuf *eb)
{
	char *copy = mem_strdup(list), *rest = copy, *word;
	int err = 0;

	o->nr_columns = 0;
	while (!err && (word = strsep(&rest, ","))) {
		int column = strace_column_find(word);

		if (column < 0)
			err = errbuf_set(eb, -EINVAL, "-U: unknown column '%s' (%s)", word, STRACE_COLUMNS);
		else if (memchr(o->columns, column, o->nr_columns))
			err = errbuf_set(eb, -EINVAL, "-U: column '%s' is given twice", word);
		else
			o->columns[o->nr_columns++] = (uint8_t)column;
	}
	/* Without the names the rows say nothing: strace adds them, too. */
	if (!err && !memchr(o->columns, STRACE_COLUMN_NAME, o->nr_columns))
		o->columns[o->nr_columns++] = STRACE_COLUMN_NAME;
	free(copy);
	return err;
}

enum word {
	WORD_TRACE,
	WORD_SIGNAL,
	WORD_READ,
	WORD_WRITE,
	WORD_STATUS,
	WORD_RAW,
	WORD_ABBREV,
	WORD_VERBOSE,
	WORD_QUIET,
	WORD_FDS,
	WORD_PIDS,
	WORD_FAULT
};

static const struct {
	const char *name;
	enum word word;
} words[] = {
	{ "trace", WORD_TRACE },      { "t", WORD_TRACE },	   { "signal", WORD_SIGNAL },  { "signals", WORD_SIGNAL },
	{ "s", WORD_SIGNAL },	      { "read", WORD_READ },	   { "reads", WORD_READ },     { "r", WORD_READ },
	{ "write", WORD_WRITE },      { "writes", WORD_WRITE },	   { "w", WORD_WRITE },	       { "status", WORD_STATUS },
	{ "raw", WORD_RAW },	      { "x", WORD_RAW },	   { "abbrev", WORD_ABBREV },  { "a", WORD_ABBREV },
	{ "verbose", WORD_VERBOSE },  { "v", WORD_VERBOSE },	   { "quiet", WORD_QUIET },    { "silent", WORD_QUIET },
	{ "silence", WORD_QUIET },    { "q", WORD_QUIET },	   { "decode-fds", WORD_FDS }, { "decode-fd", WORD_FDS },
	{ "decode-pids", WORD_PIDS }, { "decode-pid", WORD_PIDS }, { "fault", WORD_FAULT },    { "inject", WORD_FAULT },
	{ "kvm", WORD_FAULT },
};

static int take_word(struct trace_command *c, enum word word, const char *list, struct errbuf *eb)
{
	switch (word) {
	case WORD_TRACE:
		return take_set(&c->filter.set, list, eb);
	case WORD_SIGNAL:
		return take_signals(c, list, eb);
	case WORD_READ:
		c->strace.has_dumps = true;
		return strace_parse_fds(list, &c->strace.reads, eb);
	case WORD_WRITE:
		c->strace.has_dumps = true;
		return strace_parse_fds(list, &c->strace.writes, eb);
	case WORD_STATUS:
		return trace_filter_set_statuses(&c->filter, list, eb);
	case WORD_RAW:
		return take_set(&c->strace.raw, list, eb);
	case WORD_ABBREV:
		return take_abbrev(c, list, eb);
	case WORD_VERBOSE:
		return take_verbose(list, eb);
	case WORD_QUIET:
		return take_quiet(c, list, eb);
	case WORD_FDS:
		return take_decoded_fds(c, list, eb);
	case WORD_PIDS:
		return take_decoded_pids(c, list, eb);
	default:
		return errbuf_set(eb, -EINVAL,
				  "-e fault=, inject= and kvm= are not here: assay watches system calls and never changes them");
	}
}

int strace_take_expression(struct trace_command *c, const char *text, struct errbuf *eb)
{
	size_t len = strcspn(text, "=");

	if (!text[len])
		return take_word(c, WORD_TRACE, text, eb);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == len && !strncmp(words[i].name, text, len))
			return take_word(c, words[i].word, text + len + 1, eb);
	return errbuf_set(
		eb, -EINVAL,
		"-e %.*s=: unknown word (trace, signal, read, write, status, raw, abbrev, verbose, quiet, decode-fds, decode-pids)",
		(int)len, text);
}
