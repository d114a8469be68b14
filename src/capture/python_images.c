/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a process to the file with the interpreter, by its maps; from there to addresses and a layout.
 */
#define _GNU_SOURCE /* pthread_timedjoin_np() */
#include "capture/python_images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/log.h"
#include "capture/python_layout.h"
#include "kernel/proc_scan.h"
#include "symbols/python_file.h"

#define LOOKS_MAX 4096u /* that wait */
#define MAPS_MAX 65536u
#define PAGE_MASK (~UINT64_C(4095))

/* Where its code and stack begin, by /proc/PID/stat: whether it is still the program that was asked for. */
static bool is_program(pid_t pid, const struct python_program *p)
{
	unsigned long long code = 0, stack = 0;
	char text[1024], *at;

	if (proc_read(0, pid, "stat", text, sizeof(text)) <= 0)
		return false;
	at = strrchr(text, ')');
	/* Behind the name stands the third field. */
	for (int field = 2; at && field < 28; field++) {
		at = strchr(at + 1, ' ');
		if (at && field + 1 == 26)
			code = strtoull(at + 1, NULL, 10);
		if (at && field + 1 == 28)
			stack = strtoull(at + 1, NULL, 10);
	}
	return code == p->start_code && stack == p->start_stack;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool read_mapped(struct python_images *p, pid_t pid, const struct proc_map *m, struct python_file *f, int *err)
{
	struct opened_file opened = OPENED_FILE_NONE;
	struct map_place place = { .pid = pid, .start = m->start, .end = m->end };
	struct build_id id = { 0 };
	char path[OPENED_FILE_PATH_SIZE];

	*err = file_opener_open(&p->opener, m->name, &place, &id, NULL, &opened);
	if (*err)
		return false;
	*err = opened_file_path(&opened, path) ? python_file_read(f, path, base_of(m->name)) : -ENOENT;
	file_opener_close(&p->opener, &opened);
	return !*err;
}

/* The address of what the file begins with. */
static uint64_t bias_of(const struct proc_map *m, const struct python_file *f)
{
	return m->start - (f->load_bias_vaddr & PAGE_MASK);
}

static bool take_interpreter(struct python_images *p, const struct proc_map *m, const struct python_file *f, struct python_image *image,
			     struct python_sample_image *sample)
{
	uint64_t bias = bias_of(m, f);

	if (python_layout_of(f, &image->layout))
		return false;
	image->state = PYTHON_FOUND;
	image->runtime = bias + f->runtime;
	image->image = ++p->nr_images;
	*sample = (struct python_sample_image){ .kind = PYTHON_SAMPLE_IMAGE, .image = image->image, .version = f->version >> 8 };
	for (uint32_t i = 0; i < PYTHON_EVAL_RANGES; i++) {
		if (f->eval[i].end <= f->eval[i].start)
			continue;
		sample->eval[i].start = bias + f->eval[i].start;
		sample->eval[i].end = bias + f->eval[i].end;
	}
	return true;
}

/* The program itself, and libraries that are called so. */
static bool is_candidate(const struct proc_map *m, uint64_t start_code, bool *has_program)
{
	if (!m->ino || *m->name != '/')
		return false;
	if (strstr(base_of(m->name), "python"))
		return true;
	if (!*has_program && m->start <= start_code && (m->end > start_code || m->end + (UINT64_C(1) << 30) > start_code)) {
		*has_program = true;
		return true;
	}
	return false;
}

static bool find_in_maps(struct python_images *p, pid_t pid, const struct python_program *program, struct python_image *image,
			 struct python_sample_image *sample)
{
	bool is_found = false, has_program = false;
	int fd = proc_open(0, pid, "maps"), err;
	FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
	size_t size = 0;
	char *line = NULL;
	ssize_t len;

	for (uint32_t i = 0; maps && !is_found && i < MAPS_MAX && (len = getline(&line, &size, maps)) > 0; i++) {
		struct python_file f;
		struct proc_map m;

		if (line[len - 1] == '\n')
			line[--len] = '\0';
		/* The first map of a file has its beginning. */
		if (!proc_map_parse(line, (size_t)len, &m) || m.pgoff || !is_candidate(&m, program->start_code, &has_program))
			continue;
		if (read_mapped(p, pid, &m, &f, &err))
			is_found = take_interpreter(p, &m, &f, image, sample);
		else if (err == -ENOTSUP)
			p->unknown_version = f.version;
	}
	free(line);
	if (maps)
		fclose(maps);
	return is_found;
}

static void look_at(struct python_images *p, const struct python_event_look *look)
{
	pid_t pid = (pid_t)look->pid;
	struct python_sample_image sample;
	struct python_image image = { 0 };

	if (!is_program(pid, &look->program) || !find_in_maps(p, pid, &look->program, &image, &sample) || !is_program(pid, &look->program))
		return;
	log_info("process %d runs Python 3.%u", pid, sample.version & 0xff);
	pthread_mutex_lock(&p->lock);
	vec_push(&p->found, sample);
	pthread_mutex_unlock(&p->lock);
	bpf_python_set_image(p->bpf, &look->program, &image);
}

static void *run(void *arg)
{
	struct python_images *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->is_over) {
		struct python_event_look look;

		if (p->next_look == p->looks.nr) {
			p->next_look = p->looks.nr = 0;
			pthread_cond_wait(&p->changed, &p->lock);
			continue;
		}
		look = p->looks.v[p->next_look++];
		pthread_mutex_unlock(&p->lock);
		look_at(p, &look);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int python_images_start(struct python_images *p, struct bpf_python *bpf)
{
	int err;

	p->bpf = bpf;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	file_opener_init(&p->opener);
	err = pthread_create(&p->thread, NULL, run, p);
	p->is_running = !err;
	return -err;
}

bool python_images_stop(struct python_images *p)
{
	struct timespec until;

	if (!p->is_running)
		return true;
	pthread_mutex_lock(&p->lock);
	p->is_over = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	if (pthread_timedjoin_np(p->thread, NULL, &until)) {
		pthread_detach(p->thread);
		return false;
	}
	p->is_running = false;
	file_opener_fini(&p->opener);
	vec_fini(&p->looks);
	vec_fini(&p->found);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	return true;
}

void python_images_look(struct python_images *p, const struct python_event_look *look)
{
	pthread_mutex_lock(&p->lock);
	if (p->looks.nr < LOOKS_MAX)
		vec_push(&p->looks, *look);
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

bool python_images_take(struct python_images *p, struct python_sample_image *image)
{
	bool is_there;

	pthread_mutex_lock(&p->lock);
	is_there = p->found.nr;
	if (is_there)
		*image = p->found.v[--p->found.nr];
	pthread_mutex_unlock(&p->lock);
	return is_there;
}
