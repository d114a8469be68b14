/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What has to be known of a Java virtual machine before it is sent a signal: whether it catches SIGQUIT, and whether attaching is disabled.
 * The latter it says itself in its file of counters (/tmp/hsperfdata_USER/PID); where there is none, its options have to say nothing else.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "kernel/hotspot.h"

#define MAX_COUNTER_BYTES (1u << 20)
#define MAX_OPTION_BYTES (4u << 20)
#define MAX_TMP_ENTRIES 10000
#define MAX_FDS 100000
#define COUNTERS_MAGIC 0xcafec0c0u
#define CAN_ATTACH "sun.rt.jvmCapabilities"

/* The text behind a key at the beginning of a line. */
static const char *find_line(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && strncmp(text, key, len)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text ? text + len : NULL;
}

int hotspot_parse_status(const char *text, struct hotspot_status *s)
{
	const char *state = find_line(text, "State:\t"), *uid = find_line(text, "Uid:"), *gid = find_line(text, "Gid:");
	const char *caught = find_line(text, "SigCgt:"), *pids = find_line(text, "NSpid:");
	unsigned int id, group;
	char *end;

	if (!state || !uid || !gid || !caught || !pids || sscanf(uid, "%*u %u", &id) != 1 || sscanf(gid, "%*u %u", &group) != 1)
		return -EBADMSG;
	*s = (struct hotspot_status){ .uid = id, .gid = group, .is_stopped = *state == 'T' || *state == 't' };
	s->catches_quit = strtoull(caught, NULL, 16) >> (SIGQUIT - 1) & 1;
	while (*pids == '\t' || *pids == ' ') {
		long pid = strtol(pids, &end, 10);

		if (end == pids)
			break;
		if (pid <= 0 || pid > INT32_MAX)
			return -EBADMSG;
		s->ns_pid = (pid_t)pid;
		pids = end;
	}
	return s->ns_pid ? 0 : -EBADMSG;
}

/* A head of 32 bytes that leads to entries; each has its length and the places of its name and value, from its own start. */
int hotspot_counters_can_attach(const void *data, size_t size)
{
	struct bytes head = bytes_of(data, size, false);
	const uint8_t *at = data;
	uint32_t magic = bytes_u32(&head), first, nr;

	bytes_take(&head, 20);
	first = bytes_u32(&head);
	nr = bytes_u32(&head);
	/* The magic is in one order of bytes; what follows is in the machine's. */
	if (head.failed || (magic != COUNTERS_MAGIC && magic != __builtin_bswap32(COUNTERS_MAGIC)) || first > size)
		return -ENODATA;
	at += first;
	size -= first;
	for (; nr && size >= 20; nr--) {
		struct bytes entry = bytes_of(at, size, false);
		uint32_t len = bytes_u32(&entry), name = bytes_u32(&entry), value;

		bytes_take(&entry, 8);
		value = bytes_u32(&entry);
		if (len < 20 || len > size || name >= len || value >= len)
			return -ENODATA;
		if (len - name >= sizeof(CAN_ATTACH) && !memcmp(at + name, CAN_ATTACH, sizeof(CAN_ATTACH)))
			return at[value] == '1' ? 1 : at[value] == '0' ? 0 : -ENODATA;
		at += len;
		size -= len;
	}
	return -ENODATA;
}

/* A file below its /tmp, if its own user made it. */
static int read_own(const struct hotspot *h, const char *name, size_t max, char **data, size_t *size)
{
	char path[32 + NAME_MAX + 32];
	struct stat st;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", h->tmp_fd, name);
	fd = io_open_regular_nofollow(path);
	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : st.st_uid == h->status.uid ? io_read_rest(fd, max, data, size) : -EPERM;
	close(fd);
	return err;
}

/* The directory has the user's name as the process knows it. */
static int ask_counters(const struct hotspot *h)
{
	static const char prefix[] = "hsperfdata_";
	char name[NAME_MAX + 32];
	int fd = openat(h->tmp_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), said = -ENODATA;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -ENODATA;
	}
	for (int i = 0; i < MAX_TMP_ENTRIES && said == -ENODATA && (d = readdir(dir)); i++) {
		struct stat st;
		char *data;
		size_t size;

		if (strncmp(d->d_name, prefix, strlen(prefix)) || fstatat(h->tmp_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISDIR(st.st_mode) || st.st_uid != h->status.uid)
			continue;
		snprintf(name, sizeof(name), "%s/%d", d->d_name, (int)h->status.ns_pid);
		if (read_own(h, name, MAX_COUNTER_BYTES, &data, &size))
			continue;
		said = hotspot_counters_can_attach(data, size);
		free(data);
	}
	closedir(dir);
	return said;
}

bool hotspot_holds_open(const struct hotspot *h, const struct stat *file)
{
	char path[32];
	bool holds = false;
	struct dirent *d;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)h->pid);
	dir = opendir(path);
	for (int i = 0; dir && i < MAX_FDS && !holds && (d = readdir(dir)); i++)
		holds = d->d_name[0] != '.' && !fstatat(dirfd(dir), d->d_name, &st, 0) && st.st_dev == file->st_dev &&
			st.st_ino == file->st_ino;
	if (dir)
		closedir(dir);
	return holds;
}

/* Strings with a NUL behind each, of /proc/PID/cmdline or environ. */
static bool may_disable(pid_t pid, const char *file)
{
	char path[40], *data;
	bool may = false;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	if (io_read_file(path, MAX_OPTION_BYTES, &data, &size))
		return true;
	for (const char *s = data; s < data + size && !may; s += strlen(s) + 1)
		may = strstr(s, "DisableAttachMechanism") || strstr(s, "-XX:Flags=") || strstr(s, "VMOptionsFile") || s[0] == '@';
	free(data);
	return may;
}

int hotspot_check_attach(const struct hotspot *h, struct errbuf *eb)
{
	int said;

	if (!h->status.catches_quit)
		return errbuf_set(
			eb, -EAGAIN,
			"process %d (Java) does not catch SIGQUIT, and cannot be asked for the names of its compiled code: start it with "
			"'java -XX:+StartAttachListener'",
			(int)h->pid);
	if (h->status.is_stopped)
		return errbuf_set(eb, -EAGAIN,
				  "process %d (Java) is stopped, and cannot be asked for the names of its compiled code: 'kill -CONT %d'",
				  (int)h->pid, (int)h->pid);
	said = ask_counters(h);
	if (said == 1 || (said < 0 && !may_disable(h->pid, "cmdline") && !may_disable(h->pid, "environ")))
		return 0;
	return errbuf_set(eb, -EPERM,
			  "process %d (Java) does not allow to be attached to (-XX:+DisableAttachMechanism), and its compiled code stays "
			  "without names: start it without that option, or with 'java -XX:+UnlockDiagnosticVMOptions "
			  "-XX:+DumpPerfMapAtExit' to have it write them when it ends",
			  (int)h->pid);
}
