/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Why the kernel refused a probe. It says so in tracefs' error_log, with a mark below the part of the line that it means; that log is
 * everyone's, so that only an entry about our line is believed. What helps is a table of its messages.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "kernel/probe_events.h"

#define LOG_MAX_BYTES (1u << 20)
#define AVAILABLE_MAX_BYTES (64u << 20)

/* What helps, by a part of the kernel's message. */
static const struct advice {
	const char *message, *help;
} advices[] = {
	{ "Failed to find the given file",
	  "the kernel looks for the path in its own namespace of mounts; give the path as the host has it" },
	{ "Not a regular file", "-x takes a program or a shared library" },
	{ "Invalid register name", "registers are %ax, %di, %r8 and so on (x86_64), or %x0 to %x30 and %sp (arm64)" },
	{ "Unknown type", "types are u8 to u64, s8 to s64, x8 to x64, char, string, ustring, symbol and bit-fields (b3@2/32)" },
	{ "already used", "give one of them another name: NAME=ARGUMENT" },
	{ "$retval is not available", "only a probe at the return of a function has it: FUNC%return" },
	{ "too many arg", "a probe has at most 128 arguments" },
	{ "Too many arg", "a probe has at most 128 arguments" },
	{ "Event name is too long", "give it a shorter one: NAME=DEFINITION" },
	{ "different from existing", "another probe of this name has other arguments: NAME=DEFINITION gives this one a name of its own" },
	{ "same as an existing", "the same place is probed by that name already" },
	{ "not on the instruction boundary", "'objdump -d' shows where instructions begin" },
	{ "instruction boundary", "'objdump -d' shows where instructions begin" },
	{ "blacklisted", "the kernel cannot probe this function (see kprobes/blacklist in debugfs): probe its caller" },
	{ "no tracing", "the kernel cannot probe this function (see kprobes/blacklist in debugfs): probe its caller" },
	{ "not function entry", "a return probe is placed at a function: FUNC%return without +OFFSET" },
	{ "Invalid probed address or symbol", "'assay probe -F' lists the functions that the kernel has" },
	{ "Symbol", "'assay probe -F' lists the functions that the kernel has" },
};

const char *probe_find_log_entry(const char *text, size_t size, const char *line, size_t *len, size_t *column)
{
	static const char mark[] = ": error: ", head[] = "  Command: ";
	const char *message = NULL, *found = NULL, *end = text + size;
	size_t message_len = 0, line_len = strlen(line);
	bool wants_caret = false;

	for (const char *next; text < end; text = next) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const char *error;
		size_t row;

		stop = stop ? stop : end;
		next = stop + 1;
		row = (size_t)(stop - text);
		error = memmem(text, row, mark, sizeof(mark) - 1);
		if (wants_caret) {
			const char *caret = memchr(text, '^', row);

			wants_caret = false;
			*column = caret && (size_t)(caret - text) >= sizeof(head) - 1 ? (size_t)(caret - text) - (sizeof(head) - 1) : 0;
		} else if (row && *text == '[' && error) {
			message = error + sizeof(mark) - 1;
			message_len = (size_t)(stop - message);
		} else if (message && row == sizeof(head) - 1 + line_len && !memcmp(text, head, sizeof(head) - 1) &&
			   !memcmp(text + sizeof(head) - 1, line, line_len)) {
			found = message;
			*len = message_len;
			*column = 0;
			wants_caret = true;
			message = NULL;
		}
	}
	return found;
}

static const char *find_help(const char *message, size_t len)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (memmem(message, len, advices[i].message, strlen(advices[i].message)))
			return advices[i].help;
	return NULL;
}

/* The word of the line that the mark is below. */
static const char *word_at(const char *line, size_t column, int *len)
{
	size_t start;

	if (column >= strlen(line))
		column = 0;
	for (start = column; start && line[start - 1] != ' ';)
		start--;
	*len = (int)strcspn(line + start, " ");
	return line + start;
}

static int errno_error(const struct probe_event *e, const char *line, int err, struct errbuf *eb)
{
	if (err == -EACCES || err == -EPERM)
		return errbuf_set(eb, err, "only root may define probes: 'sudo assay probe …'");
	if (err == -ENOENT && e->is_kernel)
		return errbuf_set(eb, err, "the kernel has no function '%s' to probe; 'assay probe -F' lists what it has",
				  e->symbol ? e->symbol : "?");
	if (err == -EEXIST)
		return errbuf_set(eb, err,
				  "there is a probe '%s:%s' with other arguments or at the same place: 'assay probe -d %s:%s' deletes it",
				  e->group, e->name, e->group, e->name);
	if (err == -E2BIG)
		return errbuf_set(eb, err, "a probe has at most 128 arguments, and its line at most 4096 bytes");
	return errbuf_set(eb, err, "the kernel refuses the probe '%s': %s", line, strerror(-err));
}

int probe_add_error(const char *root, const struct probe_event *e, const char *line, int err, struct errbuf *eb)
{
	const char *message = NULL, *help, *word;
	char path[512], *text = NULL;
	size_t size = 0, len = 0, column = 0;
	int word_len;

	snprintf(path, sizeof(path), "%s/error_log", root);
	if (!io_read_file(path, LOG_MAX_BYTES, &text, &size))
		message = probe_find_log_entry(text, size, line, &len, &column);
	if (!message) {
		free(text);
		return errno_error(e, line, err, eb);
	}
	help = find_help(message, len);
	word = word_at(line, column, &word_len);
	errbuf_set(eb, err, "the kernel refuses the probe '%s:%s': %.*s, at '%.*s'%s%s", e->group, e->name, (int)(len < 200 ? len : 200),
		   message, word_len < 200 ? word_len : 200, word, help ? ": " : "", help ? help : "");
	free(text);
	return err;
}

static bool is_enabled(const char *path)
{
	char line[8];

	return !io_read_line(path, line, sizeof(line)) && line[0] == '1';
}

/* The instance of ftrace (or the global one) that has it enabled: the path of the file to write 0 to. */
static bool find_enabled(const char *root, const struct probe_event *e, char *path, size_t size)
{
	char dir_path[512];
	struct dirent *de;
	bool found;
	DIR *dir;

	snprintf(path, size, "%s/events/%s/%s/enable", root, e->group, e->name);
	if (is_enabled(path))
		return true;
	snprintf(dir_path, sizeof(dir_path), "%s/instances", root);
	dir = opendir(dir_path);
	for (found = false; dir && !found && (de = readdir(dir));) {
		if (de->d_name[0] == '.')
			continue;
		snprintf(path, size, "%s/%s/events/%s/%s/enable", dir_path, de->d_name, e->group, e->name);
		found = is_enabled(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool has_perf_events(const char *pid)
{
	char path[300], link[64];
	struct dirent *de;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && !found && (de = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), de->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = 0;
		found = strstr(link, "[perf_event]") != NULL;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* "perf (12), assay (34)": processes that have perf events open. Which events these are, the kernel does not say. */
static void list_holders(char *text, size_t size)
{
	unsigned int nr = 0;
	struct dirent *de;
	DIR *dir = opendir("/proc");

	text[0] = 0;
	while (dir && nr < 4 && (de = readdir(dir))) {
		char path[300], comm[64];
		size_t used = strlen(text);

		if (!isdigit((unsigned char)de->d_name[0]) || strtol(de->d_name, NULL, 10) == getpid() || !has_perf_events(de->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", de->d_name);
		if (io_read_line(path, comm, sizeof(comm)))
			continue;
		snprintf(text + used, size - used, "%s%s (%s)", nr++ ? ", " : "", comm, de->d_name);
	}
	if (dir)
		closedir(dir);
}

int probe_delete_error(const char *root, const struct probe_event *e, int err, struct errbuf *eb)
{
	char text[1024];

	if (err == -ENOENT)
		return errbuf_set(eb, err, "the probe '%s:%s' is gone: someone else deleted it", e->group, e->name);
	if (err != -EBUSY)
		return errbuf_set(eb, err, "cannot delete the probe '%s:%s': %s", e->group, e->name, strerror(-err));
	if (find_enabled(root, e, text, sizeof(text)))
		return errbuf_set(eb, err, "the probe '%s:%s' is in use by ftrace and was not deleted: 'echo 0 > %s' disables it", e->group,
				  e->name, text);
	list_holders(text, sizeof(text));
	return errbuf_set(eb, err, "the probe '%s:%s' is in use and was not deleted%s%s%s", e->group, e->name,
			  text[0] ? ": processes with perf events are " : ": a recorder or a BPF program has it open", text,
			  text[0] ? "; delete it when they have ended" : "");
}

/* Tracepoints that have the function's name, or its first word, in theirs: at most three. */
static void find_near(const char *root, const char *function, char *near, size_t size)
{
	size_t bytes, len = strlen(function), nr = 0;
	char path[512], *text;

	near[0] = 0;
	snprintf(path, sizeof(path), "%s/available_events", root);
	if (io_read_file(path, AVAILABLE_MAX_BYTES, &text, &bytes))
		return;
	/* "icmp_rcv", then "icmp": shorter words are in too many names */
	for (; !nr && len >= 3; len = (size_t)(memrchr(function, '_', len) ? (char *)memrchr(function, '_', len) - function : 0)) {
		for (const char *p = text, *end = text + bytes; p < end && nr < 3;) {
			const char *stop = memchr(p, '\n', (size_t)(end - p));
			size_t row = (size_t)((stop ? stop : end) - p), used = strlen(near);

			if (memmem(p, row, function, len) && row < 100 && used + row + 4 < size) {
				snprintf(near + used, size - used, "%s%.*s", nr ? ", " : "", (int)row, p);
				nr++;
			}
			p += row + 1;
		}
	}
	free(text);
}

int probe_no_kprobes(const char *root, const char *function, struct errbuf *eb)
{
	char near[400];

	find_near(root, function ? function : "", near, sizeof(near));
	return errbuf_set(eb, -ENOTSUP,
			  "this kernel has no kprobes (CONFIG_KPROBE_EVENTS is off), so that its functions cannot be probed; %s%s, and "
			  "'assay list tracepoint' shows all of its tracepoints",
			  near[0] ? "tracepoints near it are " : "no tracepoint has a name like it", near);
}
