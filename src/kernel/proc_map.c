/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files of /proc/PID, and lines of its maps and stat. That of maps is parsed by hand because an -a recording reads a hundred thousand of them. Of the name,
 * only the kernel's own escape (\012 for a line break) is undone.
 */
#include "kernel/proc_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PF_KTHREAD 0x00200000u

int proc_open(pid_t pid, pid_t tid, const char *file)
{
	char path[80];
	int fd;

	if (pid && pid != tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

ssize_t proc_read(pid_t pid, pid_t tid, const char *file, char *buf, size_t size)
{
	int fd = proc_open(pid, tid, file);
	ssize_t n;

	if (fd < 0)
		return fd;
	/* One call gives all of such a file: with hundreds of threads a second one, for its end, counts. */
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	else
		buf[n] = '\0';
	close(fd);
	return n;
}

void proc_read_comm(pid_t tid, char *buf, size_t size)
{
	if (proc_read(0, tid, "comm", buf, size) < 0)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

struct cursor {
	const char *p;
	const char *end;
};

static bool take_hex(struct cursor *c, uint64_t *value)
{
	const char *start = c->p;
	uint64_t v = 0;

	for (; c->p < c->end; c->p++) {
		unsigned char ch = (unsigned char)*c->p;
		unsigned digit;

		if (ch >= '0' && ch <= '9')
			digit = ch - '0';
		else if (ch >= 'a' && ch <= 'f')
			digit = ch - 'a' + 10u;
		else
			break;
		if (v >> 60)
			return false;
		v = v << 4 | digit;
	}
	*value = v;
	return c->p > start;
}

static bool take_decimal(struct cursor *c, uint64_t *value)
{
	const char *start = c->p;
	uint64_t v = 0;

	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		unsigned digit = (unsigned)(*c->p - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return c->p > start;
}

static bool take_char(struct cursor *c, char wanted)
{
	if (c->p == c->end || *c->p != wanted)
		return false;
	c->p++;
	return true;
}

static bool take_prot(struct cursor *c, struct proc_map *map)
{
	const char *s = c->p;

	if (c->end - c->p < 4)
		return false;
	map->prot = (s[0] == 'r' ? PROT_READ : 0) | (s[1] == 'w' ? PROT_WRITE : 0) | (s[2] == 'x' ? PROT_EXEC : 0);
	map->flags = s[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	c->p += 4;
	return true;
}

/* The kernel writes line breaks in names as \012 and leaves backslashes alone. */
static void unescape(char *s, char *end)
{
	char *from = memchr(s, '\\', (size_t)(end - s));
	char *to = from;

	if (!from)
		return;
	while (from < end) {
		if (end - from >= 4 && !memcmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

bool proc_map_parse(char *line, size_t len, struct proc_map *map)
{
	struct cursor c = { line, line + len };
	uint64_t maj, min;
	char *name;

	if (!take_hex(&c, &map->start) || !take_char(&c, '-') || !take_hex(&c, &map->end) || !take_char(&c, ' ') || !take_prot(&c, map) ||
	    !take_char(&c, ' ') || !take_hex(&c, &map->pgoff) || !take_char(&c, ' ') || !take_hex(&c, &maj) || !take_char(&c, ':') ||
	    !take_hex(&c, &min) || !take_char(&c, ' ') || !take_decimal(&c, &map->ino))
		return false;
	if (map->end <= map->start || maj > UINT32_MAX || min > UINT32_MAX)
		return false;
	map->maj = (uint32_t)maj;
	map->min = (uint32_t)min;
	/* The name is behind padding; names that begin with a blank do not exist (they are paths). */
	while (c.p < c.end && *c.p == ' ')
		c.p++;
	name = line + (c.p - line);
	unescape(name, line + len);
	map->name = name;
	return true;
}

bool proc_stat_parse(const char *text, size_t len, struct proc_stat *s)
{
	/* "12 (some) name)) S 1 …": the name may hold anything, so that its end is the last parenthesis. */
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	unsigned long long utime, stime, cutime, cstime;
	unsigned flags = 0;

	memset(s, 0, sizeof(*s));
	if (!open || !close || close < open)
		return false;
	if (sscanf(close + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %d %*d %llu", &s->state, &s->ppid,
		   &flags, &utime, &stime, &cutime, &cstime, &s->nr_threads, &s->start_ticks) != 9)
		return false;
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)(close - open - 1), open + 1);
	s->is_kernel = flags & PF_KTHREAD;
	s->user_ticks = utime + cutime;
	s->system_ticks = stime + cstime;
	return true;
}
