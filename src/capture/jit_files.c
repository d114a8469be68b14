/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of processes with generated code, and what is saved of their files when the recording ends.
 */
#include "capture/jit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"
#include "session/machine.h"
#include "symbols/jitdump.h"
#include "symbols/symtab.h"

#define MAX_PROCESSES 4096u
#define MAX_FDS 64u /* that are held open */
#define MAX_STATUS 16384u

struct jit_process *jit_files_note(struct jit_files *j, const struct record_mmap *mm)
{
	bool is_dump = jitdump_is_path(mm->filename);
	pid_t pid = (pid_t)mm->pid;
	struct jit_process *p;
	uint32_t id;

	if (!(mm->prot & PROT_EXEC) || (!is_dump && !machine_is_memory(mm)))
		return NULL;
	id = HINDEX_FIND_ITEM(&j->index, hash_u64((uint32_t)pid), &j->processes, known, (*known)->pid == pid);
	if (id != HINDEX_NONE && (!is_dump || j->processes.v[id]->dump))
		return NULL;
	if (id == HINDEX_NONE) {
		if (j->processes.nr >= MAX_PROCESSES)
			return NULL;
		p = arena_alloc(&j->arena, sizeof(*p));
		*p = (struct jit_process){ .pid = pid, .ns_pid = pid, .tmp = -1, .dump_fd = -1 };
		id = j->processes.nr;
		hindex_add(&j->index, hash_u64((uint32_t)pid), id);
		vec_push(&j->processes, p);
	}
	p = j->processes.v[id];
	if (is_dump)
		p->dump = arena_str(&j->arena, mm->filename, strlen(mm->filename));
	return p;
}

/* "NSpid:	4242	7": the last number is its own. */
static pid_t read_ns_pid(pid_t pid)
{
	char path[32], *text = NULL, *line, *last;
	pid_t ns_pid = pid;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (io_read_file(path, MAX_STATUS, &text, &size))
		return pid;
	line = strstr(text, "\nNSpid:");
	if (line) {
		line[1 + strcspn(line + 1, "\n")] = 0;
		last = strrchr(line, '\t');
		ns_pid = last ? atoi(last + 1) : pid;
	}
	free(text);
	return ns_pid > 0 ? ns_pid : pid;
}

static int open_other_root(pid_t pid)
{
	struct stat root, ns, our_root, our_ns;
	char path[32], ns_path[32];

	snprintf(path, sizeof(path), "/proc/%d/root/.", (int)pid);
	snprintf(ns_path, sizeof(ns_path), "/proc/%d/ns/mnt", (int)pid);
	if (stat(path, &root) || stat(ns_path, &ns) || stat("/", &our_root) || stat("/proc/self/ns/mnt", &our_ns))
		return -1;
	if (root.st_dev == our_root.st_dev && root.st_ino == our_root.st_ino && ns.st_ino == our_ns.st_ino)
		return -1;
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A regular file in a directory. What is a link is refused: whoever writes it may let it lead to anything that we can read. */
static int open_in(int dir, const char *name)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EPERM;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void jit_files_look(struct jit_files *j, struct jit_process *p)
{
	char path[32];
	struct stat st;
	int root;

	snprintf(path, sizeof(path), "/proc/%d", (int)p->pid);
	if (stat(path, &st))
		return;
	p->owner = (struct perf_map_owner){ .uid = st.st_uid, .known = true };
	p->ns_pid = read_ns_pid(p->pid);
	root = j->nr_fds + 2 <= MAX_FDS ? open_other_root(p->pid) : -1;
	if (root < 0)
		return;
	if (p->tmp < 0) {
		p->tmp = openat(root, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		j->nr_fds += p->tmp >= 0;
	}
	if (p->dump && p->dump_fd < 0) {
		p->dump_fd = io_open_regular_below(root, p->dump);
		j->nr_fds += p->dump_fd >= 0;
	}
	close(root);
}

static void add_row(struct jit_files *j, struct embedded_files *rows, const char *path, struct embedded_part part, uint64_t *left)
{
	if (part.size_bytes > *left) {
		log_debug("%s: too large to be kept with the recording", path);
		free((void *)part.data);
		return;
	}
	*left -= part.size_bytes;
	vec_push(&rows->files, ((struct embedded_file){ .path = arena_str(&j->arena, path, strlen(path)), .symbols = part }));
}

static void save_map(struct jit_files *j, const struct jit_process *p, struct embedded_files *rows, uint64_t *left)
{
	struct symtab *t = symtab_new();
	struct embedded_part part = { 0 };
	struct errbuf why = { 0 };
	char path[32], name[32];
	int err;

	snprintf(path, sizeof(path), JIT_MAP_NAME, (int)p->ns_pid);
	snprintf(name, sizeof(name), JIT_MAP_NAME, (int)p->pid);
	if (p->tmp < 0) {
		err = jit_file_read(path, p->owner, &t->text, &t->text_bytes, &why);
	} else {
		err = open_in(p->tmp, strrchr(path, '/') + 1);
		if (err >= 0)
			err = jit_file_read_fd(err, path, p->owner, &t->text, &t->text_bytes, &why);
	}
	if (!err) {
		perf_map_parse(t, t->text, t->text_bytes);
		if (t->symbols.nr)
			part.data = symtab_flatten(t, &part.size_bytes);
	} else if ((err == -EPERM || err == -EFBIG) && why.text[0]) {
		log_warn("%s", why.text);
	}
	if (part.data)
		add_row(j, rows, name, part, left);
	symtab_free(t);
}

/* Others stay where they are, and readers find them there. */
static void save_dump(struct jit_files *j, const struct jit_process *p, struct embedded_files *rows, uint64_t *left)
{
	struct embedded_part part = { 0 };
	struct errbuf why = { 0 };
	char name[32], *bytes;
	int fd, err;

	/* A recording in several files saves it in each. */
	fd = p->dump_fd < 0 ? -1 : fcntl(p->dump_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || lseek(fd, 0, SEEK_SET)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	err = jit_file_read_fd(fd, p->dump, p->owner, &bytes, &part.size_bytes, &why);
	if (err) {
		if (why.text[0])
			log_warn("%s", why.text);
		return;
	}
	part.data = bytes;
	snprintf(name, sizeof(name), JITDUMP_STORED_NAME, (int)p->pid);
	add_row(j, rows, name, part, left);
}

void jit_files_save(struct jit_files *j, struct embedded_files *rows, uint64_t *left)
{
	for (uint32_t i = 0; i < j->processes.nr; i++) {
		save_map(j, j->processes.v[i], rows, left);
		save_dump(j, j->processes.v[i], rows, left);
	}
}

void jit_files_fini(struct jit_files *j)
{
	for (uint32_t i = 0; i < j->processes.nr; i++) {
		if (j->processes.v[i]->tmp >= 0)
			close(j->processes.v[i]->tmp);
		if (j->processes.v[i]->dump_fd >= 0)
			close(j->processes.v[i]->dump_fd);
	}
	vec_fini(&j->processes);
	hindex_fini(&j->index);
	arena_fini(&j->arena);
}
