/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread sleeps until a process is due: a quarter of a second after it was seen first, then whenever it has lived an eighth longer. While a virtual
 * machine writes its map it installs no compiled method, which takes it some 0.1 us a byte of the map: large ones are asked less often, so that this is
 * below a fiftieth of the time. (How long an answer takes says nothing of that on a busy machine.)
 */
#include "capture/jvm_maps.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/vec.h"
#include "kernel/hotspot.h"
#include "kernel/proc_scan.h"
#include "symbols/hotspot_map.h"

#define MAX_PROCESSES 256
#define MAX_TOLD 3
#define FIRST_NS (250 * NS_PER_MS)
#define LAST_ROUND_NS NS_PER_SEC
#define ASK_NS NS_PER_SEC
#define MAX_INTERVAL_NS (10 * NS_PER_SEC)
#define AGE_PARTS 8
#define NS_PER_BYTE 5000 /* of the last map, between two of them */
#define MAX_PAUSE_NS (60 * NS_PER_SEC)
#define MAX_ANCESTORS 256
#define STARTING_NS (2 * NS_PER_SEC) /* one that ended earlier was not ready to be asked */

struct jvm {
	pid_t pid;
	char *path; /* of its map, as sessions look for it */
	struct hotspot hotspot;
	bool is_open, is_gone;
	bool is_refused; /* asking again would not help */
	uint64_t seen_ns, due_ns;
	uint64_t last_hash; /* of the last map */
	size_t map_bytes;   /* same */
	struct hotspot_map map;
	struct errbuf why; /* of the last failure, while there is no map */
};

struct jvm_maps {
	bool keep_files;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool is_running;  /* there is a thread */
	bool is_stopping; /* it shall do the last round */
	bool is_done;	  /* it has */
	uint64_t stop_ns; /* deadline of the last round */
	VEC(struct jvm *) jvms;
	bool is_limited;
	struct task_ids asked_ids; /* processes, if it is */
	struct jvm *asked;	   /* by the thread, which has let go of the lock; its members but `map` and `why` are the thread's */
};

struct jvm_maps *jvm_maps_new(bool keep_files)
{
	struct jvm_maps *j = mem_zalloc(sizeof(*j));
	pthread_condattr_t attr;

	j->keep_files = keep_files;
	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->changed, &attr);
	pthread_condattr_destroy(&attr);
	return j;
}

void jvm_maps_limit(struct jvm_maps *j, const struct task_ids *ids)
{
	j->is_limited = true;
	for (uint32_t i = 0; i < ids->ids.nr; i++) {
		pid_t pid = task_find_process(ids->ids.v[i]);

		if (pid > 0)
			vec_push(&j->asked_ids.ids, pid);
	}
}

/* Until something changes or the time has come; 0: no time. False: it has. */
static bool wait_until(struct jvm_maps *j, uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC) };

	if (!ns)
		return !pthread_cond_wait(&j->changed, &j->lock);
	return !pthread_cond_timedwait(&j->changed, &j->lock, &ts);
}

/* The map and, where it is another than the last, the list of compiled methods. Without the lock. */
static int ask(struct jvm_maps *j, struct jvm *v, uint64_t deadline_ns, struct hotspot_map *map, struct errbuf *why)
{
	struct hotspot_levels levels = { 0 };
	struct errbuf ignored = { "" };
	char *text = NULL, *list = NULL;
	size_t size, list_size;
	uint64_t hash;
	int err = 0;

	if (!v->is_open) {
		err = hotspot_open(&v->hotspot, v->pid, why);
		v->is_open = true;
	}
	if (!err)
		err = hotspot_read_map(&v->hotspot, j->keep_files, deadline_ns, &text, &size, why);
	if (err)
		return err;
	v->map_bytes = size;
	hash = hash_bytes(text, size, 0);
	if (hash != v->last_hash) {
		/* Without it the names are as good; only the compilers are not known. */
		if (!hotspot_ask(&v->hotspot, "Compiler.codelist", deadline_ns, &list, &list_size, &ignored))
			hotspot_levels_parse(&levels, list, list_size);
		if (!hotspot_map_add(map, text, size, &levels))
			err = errbuf_set(why, -EFBIG, "the map of the compiled code of process %d (Java) is too large", (int)v->pid);
		v->last_hash = list ? hash : 0;
		hotspot_levels_fini(&levels);
	}
	free(list);
	free(text);
	return err;
}

static uint64_t next_due(const struct jvm *v)
{
	uint64_t now = clock_now_ns(), interval = (now - v->seen_ns) / AGE_PARTS, pause = v->map_bytes * NS_PER_BYTE;

	if (interval < FIRST_NS)
		interval = FIRST_NS;
	if (interval > MAX_INTERVAL_NS)
		interval = MAX_INTERVAL_NS;
	if (pause > MAX_PAUSE_NS)
		pause = MAX_PAUSE_NS;
	return now + (pause > interval ? pause : interval);
}

/* With the lock, which is not held meanwhile. */
static void ask_one(struct jvm_maps *j, struct jvm *v, uint64_t deadline_ns)
{
	struct hotspot_map map = v->map; /* only this thread changes it, and readers are kept from it by `asked` */
	struct errbuf why = { "" };
	uint64_t began_ns = clock_now_ns();
	int err;

	map.text = map.size ? memcpy(mem_alloc(map.size), map.text, map.size) : NULL;
	j->asked = v;
	pthread_mutex_unlock(&j->lock);
	err = ask(j, v, deadline_ns, &map, &why);
	if (err)
		log_debug("process %d (Java): %s", (int)v->pid, why.text[0] ? why.text : strerror(-err));
	pthread_mutex_lock(&j->lock);
	j->asked = NULL;
	hotspot_map_fini(&v->map);
	v->map = map;
	v->is_gone = err == -ESRCH;
	v->is_refused = err && err != -EAGAIN && err != -ETIMEDOUT;
	if (err && !v->is_gone)
		v->why = why;
	else if (!err || began_ns - v->seen_ns < STARTING_NS)
		v->why.text[0] = 0;
	v->due_ns = next_due(v);
	pthread_cond_broadcast(&j->changed);
}

/* The process whose time comes first; NULL: there is none. */
static struct jvm *find_due(const struct jvm_maps *j)
{
	struct jvm *first = NULL;

	for (uint32_t i = 0; i < j->jvms.nr; i++) {
		struct jvm *v = j->jvms.v[i];

		if (!v->is_gone && !v->is_refused && (!first || v->due_ns < first->due_ns))
			first = v;
	}
	return first;
}

static void ask_all_again(struct jvm_maps *j)
{
	for (uint32_t i = 0; i < j->jvms.nr; i++) {
		uint64_t left = j->jvms.nr - i, now = clock_now_ns();

		if (now >= j->stop_ns)
			break;
		/* One that does not answer must not cost the others theirs. */
		if (!j->jvms.v[i]->is_gone && !j->jvms.v[i]->is_refused)
			ask_one(j, j->jvms.v[i], now + (j->stop_ns - now) / (left < 4 ? left : 4));
	}
}

static void *jvm_maps_main(void *arg)
{
	struct jvm_maps *j = arg;

	pthread_mutex_lock(&j->lock);
	while (!j->is_stopping) {
		struct jvm *v = find_due(j);
		uint64_t now = clock_now_ns();

		if (v && v->due_ns <= now)
			ask_one(j, v, now + ASK_NS);
		else
			wait_until(j, v ? v->due_ns : 0);
	}
	ask_all_again(j);
	j->is_done = true;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

static bool is_virtual_machine(const struct record_mmap *m)
{
	static const char name[] = "/libjvm.so";
	size_t len = strlen(m->filename);

	return len >= sizeof(name) - 1 && !strcmp(m->filename + len - (sizeof(name) - 1), name);
}

static bool is_known(const struct jvm_maps *j, pid_t pid)
{
	for (uint32_t i = 0; i < j->jvms.nr; i++)
		if (j->jvms.v[i]->pid == pid)
			return true;
	return false;
}

/* One of those that are recorded, or started by one. */
static bool is_within_limit(const struct jvm_maps *j, pid_t pid)
{
	struct proc_stat stat;
	char buf[1024];
	ssize_t n;

	for (int depth = 0; j->is_limited && depth < MAX_ANCESTORS; depth++) {
		for (uint32_t i = 0; i < j->asked_ids.ids.nr; i++)
			if (j->asked_ids.ids.v[i] == pid)
				return true;
		n = proc_read(pid, pid, "stat", buf, sizeof(buf));
		if (n <= 0 || !proc_stat_parse(buf, (size_t)n, &stat) || stat.ppid <= 0)
			return false;
		pid = stat.ppid;
	}
	return !j->is_limited;
}

void jvm_maps_see(struct jvm_maps *j, const struct record *rec)
{
	struct jvm *v;
	pid_t pid;

	if (!j || !is_virtual_machine(&rec->mmap))
		return;
	pid = (pid_t)rec->mmap.pid;
	if (!is_within_limit(j, pid))
		return;
	pthread_mutex_lock(&j->lock);
	if (!j->is_stopping && pid > 0 && j->jvms.nr < MAX_PROCESSES && !is_known(j, pid)) {
		v = mem_zalloc(sizeof(*v));
		v->pid = pid;
		v->path = mem_printf("/tmp/perf-%d.map", (int)pid);
		v->seen_ns = clock_now_ns();
		v->due_ns = v->seen_ns + FIRST_NS;
		v->hotspot.tmp_fd = v->hotspot.pid_fd = -1;
		vec_push(&j->jvms, v);
		if (!j->is_running)
			j->is_running = !pthread_create(&j->thread, NULL, jvm_maps_main, j);
		pthread_cond_broadcast(&j->changed);
	}
	pthread_mutex_unlock(&j->lock);
}

void jvm_maps_finish(struct jvm_maps *j)
{
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	j->is_stopping = true;
	j->stop_ns = clock_now_ns() + LAST_ROUND_NS;
	pthread_cond_broadcast(&j->changed);
	while (j->is_running && !j->is_done && wait_until(j, j->stop_ns))
		;
	pthread_mutex_unlock(&j->lock);
}

void jvm_maps_save(struct jvm_maps *j, struct embedded_files *files)
{
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	for (uint32_t i = 0; i < j->jvms.nr; i++) {
		struct embedded_file row = { .path = j->jvms.v[i]->path };
		struct symtab *t = hotspot_map_symbols(&j->jvms.v[i]->map);

		if (t->symbols.nr)
			row.symbols.data = symtab_flatten(t, &row.symbols.size_bytes);
		if (row.symbols.data)
			vec_push(&files->files, row);
		symtab_free(t);
	}
	pthread_mutex_unlock(&j->lock);
}

void jvm_maps_remove(struct jvm_maps *j)
{
	if (!j)
		return;
	jvm_maps_finish(j);
	pthread_mutex_lock(&j->lock);
	/* One that the thread was left behind with is its own. */
	for (uint32_t i = 0; i < j->jvms.nr; i++)
		if (j->jvms.v[i] != j->asked && j->jvms.v[i]->map.size)
			hotspot_remove_map(&j->jvms.v[i]->hotspot);
	pthread_mutex_unlock(&j->lock);
}

void jvm_maps_tell(struct jvm_maps *j)
{
	uint32_t nr = 0;

	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	for (uint32_t i = 0; i < j->jvms.nr; i++) {
		const struct jvm *v = j->jvms.v[i];

		if (!v->map.size && v->why.text[0] && ++nr <= MAX_TOLD)
			log_warn("%s", v->why.text);
	}
	if (nr > MAX_TOLD)
		log_warn("%u more Java processes could not be asked for the names of their compiled code (-v lists them)", nr - MAX_TOLD);
	pthread_mutex_unlock(&j->lock);
}

/* Up to a second has been waited for it. */
static bool join(struct jvm_maps *j)
{
	bool is_done;

	pthread_mutex_lock(&j->lock);
	is_done = !j->is_running || j->is_done;
	pthread_mutex_unlock(&j->lock);
	if (!is_done)
		pthread_detach(j->thread);
	else if (j->is_running)
		pthread_join(j->thread, NULL);
	return is_done;
}

void jvm_maps_free(struct jvm_maps *j)
{
	if (!j)
		return;
	if (!j->is_stopping)
		jvm_maps_finish(j);
	if (!join(j))
		return;
	for (uint32_t i = 0; i < j->jvms.nr; i++) {
		struct jvm *v = j->jvms.v[i];

		hotspot_close(&v->hotspot);
		hotspot_map_fini(&v->map);
		free(v->path);
		free(v);
	}
	vec_fini(&j->jvms);
	task_ids_fini(&j->asked_ids);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	free(j);
}
