/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a core file to maps and stacks. Files are identified by the build-id in their first page in the core file; where that page is
 * missing, the time of the file decides, with a note.
 */
#include "session/thread_stack.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "symbols/core_file.h"
#include "symbols/debug_files.h"
#include "symbols/unwind.h"

#define MAX_VDSO_BYTES (1u << 20)
#define MAX_NAMED 3u /* files in a sentence */
#define MAX_FILES 4096u
#define MAX_MAPS 32768u /* of files and code: no program has so many, and each costs a move of those behind it */

/* A frame has its return address on the stack: the file has no more frames than words. */
#define MIN_FRAMES (1u << 18)
#define FRAME_BYTES 8u

struct file_name {
	dev_t device;
	ino_t inode;
	const char *path; /* of the core file */
};

struct core_stack {
	struct core_file core;
	struct machine machine;
	struct stack_walker *walker;
	struct task *task;
	struct budget frames;
	VEC(struct file_name) names;
	uint32_t nr_unnamed; /* maps of files past MAX_FILES */
	int vdso_fd;	     /* a copy of its vdso, where that is another than ours; -1 */
};

static const struct core_map *executable_map(const struct core_file *c)
{
	for (uint32_t i = 0; i < c->maps.nr; i++)
		if (c->entry >= c->maps.v[i].start && c->entry < c->maps.v[i].end)
			return &c->maps.v[i];
	return NULL;
}

/* Of files that the core file has no build-id of. */
struct unproven {
	struct timespec core_time;
	const char *last; /* the one looked at last */
	bool is_refused;
	uint32_t nr, nr_refused; /* files */
	char names[256], refused[256];
};

static void list_name(char *list, size_t size, uint32_t nr, const char *name)
{
	size_t len = strlen(list);

	if (nr < MAX_NAMED && len + strlen(name) + 3 < size)
		snprintf(list + len, size - len, "%s%s", len ? ", " : "", name);
}

/* Without a build-id, a file that is newer than the core file is not used. Files that are no ELF have no names. */
static bool refuses_unproven(struct unproven *u, const char *symfs, const char *path)
{
	char *whole, magic[4];
	struct stat st;
	int fd;

	if (u->last && !strcmp(u->last, path))
		return u->is_refused;
	u->last = path;
	u->is_refused = false;
	whole = mem_printf("%s%s", symfs ? symfs : "", path);
	fd = io_open_regular(whole);
	free(whole);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && io_pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\177ELF", 4)) {
		u->is_refused = st.st_mtim.tv_sec > u->core_time.tv_sec ||
				(st.st_mtim.tv_sec == u->core_time.tv_sec && st.st_mtim.tv_nsec > u->core_time.tv_nsec);
		if (u->is_refused)
			list_name(u->refused, sizeof(u->refused), u->nr_refused++, path);
		else
			list_name(u->names, sizeof(u->names), u->nr++, path);
	}
	close(fd);
	return u->is_refused;
}

static void note_unproven(const struct unproven *u, const char *core, struct errbuf *notes)
{
	char text[700] = "";
	size_t len = 0;

	if (u->nr_refused)
		len = (size_t)snprintf(text, sizeof(text),
				       "; %s%s changed after it was written and %s not read (-e FILE names the program that died)",
				       u->refused, u->nr_refused > MAX_NAMED ? " and others" : "", u->nr_refused == 1 ? "is" : "are");
	if (u->nr && len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, "; %s%s: names are right only if %s still what was mapped", u->names,
			 u->nr > MAX_NAMED ? " and others" : "", u->nr == 1 ? "it is" : "these are");
	if (text[0])
		errbuf_set(notes, 0,
			   "%s has no build-ids of some files ('echo 0x33 > /proc/PID/coredump_filter' lets the next one have them)%s",
			   core, text);
}

/* The first name of the same file: a hostile core file has thousands of names for one library. NULL: more files than a process maps. */
static const char *first_name(struct core_stack *cs, const char *symfs, const char *path)
{
	char *whole = mem_printf("%s%s", symfs ? symfs : "", path);
	struct stat st;
	int err = stat(whole, &st);

	free(whole);
	if (err)
		return path;
	for (uint32_t i = 0; i < cs->names.nr; i++)
		if (cs->names.v[i].inode == st.st_ino && cs->names.v[i].device == st.st_dev)
			return cs->names.v[i].path;
	if (cs->names.nr >= MAX_FILES) {
		cs->nr_unnamed++;
		return NULL;
	}
	vec_push(&cs->names, ((struct file_name){ st.st_dev, st.st_ino, path }));
	return path;
}

/* Files first: each map of one belongs to the file whose first page lies at or before it. */
static void add_files(struct core_stack *cs, const struct core_stack_options *o, const char *symfs, struct unproven *u)
{
	struct core_file *c = &cs->core;
	const struct core_map *program = executable_map(c);
	const char *last_path = "", *last_name = "";
	struct build_id id = { 0 };

	for (uint32_t i = 0; i < c->maps.nr; i++) {
		const struct core_map *m = &c->maps.v[i];
		const struct core_segment *s = core_file_find(c, m->start);
		enum module_kind kind = MODULE_ELF;
		bool is_own = false;
		const char *path;
		struct map map = { .start = m->start, .end = m->end, .pgoff = m->file_off, .prot = PROT_READ };

		if (strcmp(m->path, last_path) || m->file_off == 0)
			id = m->file_off == 0 ? core_file_build_id(c, m->start) : (struct build_id){ 0 };
		if (strcmp(m->path, last_path))
			last_name = first_name(cs, symfs, m->path);
		last_path = m->path;
		path = last_name;
		/* A debugger leaves unchanged code out altogether: such a map is taken for code. */
		if ((s && !s->is_executable && !o->data_maps) || map_set_nr(task_maps(cs->task)) >= MAX_MAPS || !path)
			continue;
		if (o->executable && program && !strcmp(m->path, program->path))
			path = o->executable;
		else
			is_own = true;
		map.prot |= !s || s->is_executable ? PROT_EXEC : 0;
		if (!id.size && is_own && map.prot & PROT_EXEC && refuses_unproven(u, symfs, path)) {
			kind = MODULE_NONE;
			if (m->fd == -1)
				c->maps.v[i].fd = -2; /* nor is memory read from it */
		}
		map.dso = dso_table_intern(&cs->machine.dsos, kind, path, c->pid, id.bytes, id.size);
		task_table_map(&cs->machine.tasks, cs->task, &map);
	}
}

/* Another kernel's vdso is read from the core file, through a file of our own that it is copied to. */
static uint32_t intern_vdso(struct core_stack *cs, const struct core_segment *s)
{
	struct build_id theirs = core_file_build_id(&cs->core, s->start), ours = vdso_build_id(VDSO_PATH);
	size_t size = s->end - s->start < MAX_VDSO_BYTES ? (size_t)(s->end - s->start) : MAX_VDSO_BYTES;
	uint32_t dso = dso_table_intern(&cs->machine.dsos, MODULE_VDSO, "[vdso]", cs->core.pid, theirs.bytes, theirs.size);
	char file[32];
	uint8_t *image;

	if (!build_id_differ(&theirs, &ours) || cs->vdso_fd >= 0)
		return dso;
	image = mem_alloc(size);
	size = core_file_read(&cs->core, s->start, image, size);
	cs->vdso_fd = memfd_create("vdso", MFD_CLOEXEC);
	if (cs->vdso_fd >= 0 && !io_write(cs->vdso_fd, image, size, NULL)) {
		snprintf(file, sizeof(file), "/proc/self/fd/%d", cs->vdso_fd);
		dso_table_set_image(&cs->machine.dsos, dso, file);
	}
	free(image);
	return dso;
}

/* Then code that no file stands behind: the vdso, and what a JIT wrote. */
static void add_anonymous(struct core_stack *cs)
{
	struct core_file *c = &cs->core;
	char jit[32];

	snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", c->pid);
	for (uint32_t i = 0; i < c->segments.nr; i++) {
		const struct core_segment *s = &c->segments.v[i];
		struct map map = { .start = s->start, .end = s->end, .prot = PROT_READ | PROT_EXEC };

		if (!s->is_executable || map_set_nr(task_maps(cs->task)) >= MAX_MAPS || map_set_find(task_maps(cs->task), s->start))
			continue;
		if (c->vdso >= s->start && c->vdso < s->end) {
			map.dso = intern_vdso(cs, s);
		} else {
			map.identity = true;
			map.dso = dso_table_intern(&cs->machine.dsos, MODULE_JIT, jit, c->pid, NULL, 0);
		}
		task_table_map(&cs->machine.tasks, cs->task, &map);
	}
}

static void note_damage(const struct core_file *c, const char *path, struct errbuf *notes)
{
	if (c->missing_bytes)
		errbuf_set(notes, 0,
			   "%s is cut off: %llu bytes of memory are missing, and stacks may be incomplete ('ulimit -c unlimited' "
			   "before the program starts lets it be written whole)",
			   path, (unsigned long long)c->missing_bytes);
	else if (c->refused_bytes)
		errbuf_set(notes, 0,
			   "%s is damaged: %llu bytes of its notes are not read, because all of them are more than the %llu bytes it has",
			   path, (unsigned long long)c->refused_bytes, (unsigned long long)c->bytes_present);
	else if (!c->maps.nr)
		errbuf_set(notes, 0, "%s does not say which files were mapped (no NT_FILE note): functions have no names", path);
}

int core_stack_open(struct core_stack **out, const struct symbolizer_options *symbols, const struct core_stack_options *o,
		    struct errbuf *notes, struct errbuf *eb)
{
	struct core_stack *cs = mem_zalloc(sizeof(*cs));
	struct unproven unproven = { 0 };
	struct stat st;
	int err;

	*out = NULL;
	cs->vdso_fd = -1;
	err = core_file_open(&cs->core, o->path, eb);
	if (err) {
		free(cs);
		return err;
	}
	budget_init(&cs->frames, MIN_FRAMES, 1, cs->core.bytes_present / FRAME_BYTES);
	machine_init(&cs->machine, symbols);
	cs->task = task_table_get(&cs->machine.tasks, cs->core.pid, cs->core.pid);
	cs->walker = stack_walker_new(&cs->machine, cs->core.arch, o->max_frames);
	if (!fstat(cs->core.fd, &st))
		unproven.core_time = st.st_mtim;
	add_files(cs, o, symbols->symfs, &unproven);
	add_anonymous(cs);
	note_damage(&cs->core, o->path, notes);
	if (cs->nr_unnamed)
		errbuf_set(notes, 0, "%s names more than %u files: %u maps of the others have no names", o->path, MAX_FILES,
			   cs->nr_unnamed);
	note_unproven(&unproven, o->path, notes);
	*out = cs;
	return 0;
}

void core_stack_close(struct core_stack *cs)
{
	if (!cs)
		return;
	stack_walker_free(cs->walker);
	machine_fini(&cs->machine);
	vec_fini(&cs->names);
	core_file_close(&cs->core);
	if (cs->vdso_fd >= 0)
		close(cs->vdso_fd);
	free(cs);
}

static size_t read_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	return core_file_read(ctx, addr, buf, size);
}

/* The kernel gives every thread the signal that the process died of; the thread that took it comes first. */
static const char *describe(const struct core_file *c, uint32_t i, char *text, size_t size)
{
	const char *name = sigabbrev_np(c->signal);

	if (i || !c->threads.v[0].signal || !c->signal)
		return NULL;
	if (name)
		snprintf(text, size, "died of SIG%s", name);
	else
		snprintf(text, size, "died of signal %d", c->signal);
	if (c->has_fault) {
		size_t len = strlen(text);

		snprintf(text + len, size - len, " at address %#llx", (unsigned long long)c->fault_addr);
	}
	return text;
}

int core_stack_take(struct core_stack *cs, int32_t tid, const struct thread_stack_sink *sink)
{
	struct core_file *c = &cs->core;
	struct stack_memory mem = { .ctx = c, .read = read_memory };
	uint32_t nr_left_out = 0;
	int nr = 0;

	for (uint32_t i = 0; i < c->threads.nr; i++) {
		const struct core_thread *t = &c->threads.v[i];
		struct thread_stack ts = { .pid = c->pid, .tid = t->tid, .comm = c->comm };
		struct unwind_regs regs;
		char state[96];

		if (tid && t->tid != tid)
			continue;
		if (cs->frames.is_exhausted) {
			nr_left_out++;
			continue;
		}
		ts.state = describe(c, i, state, sizeof(state));
		if (unwind_regs_decode(c->arch, t->regs, t->regs_size, &regs))
			ts.nr = stack_walker_walk(cs->walker, cs->task, &regs, &mem, &ts.places, &ts.walk);
		budget_take(&cs->frames, ts.nr + 1);
		sink->add(sink->ctx, &ts);
		nr++;
	}
	if (nr_left_out)
		log_warn(
			"the stacks of %u of %u threads are left out: all together have more than %llu frames, which is more than %llu bytes of core file "
			"can hold",
			nr_left_out, c->threads.nr, (unsigned long long)budget_limit(&cs->frames), (unsigned long long)c->bytes_present);
	return nr;
}

struct machine *core_stack_machine(struct core_stack *cs)
{
	return &cs->machine;
}

const struct task *core_stack_task(const struct core_stack *cs)
{
	return cs->task;
}

int32_t core_stack_pid(const struct core_stack *cs)
{
	return cs->core.pid;
}
