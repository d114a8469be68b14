/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds out which programs are Python interpreters, in a thread of its own: it opens files that a process chose. Memory of processes is not
 * read here.
 */
#ifndef ASSAY_CAPTURE_PYTHON_IMAGES_H
#define ASSAY_CAPTURE_PYTHON_IMAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/python_sample.h"
#include "base/vec.h"
#include "bpf/python.h"
#include "capture/mapped_files.h"

/* A zeroed struct is not running. */
struct python_images {
	struct bpf_python *bpf;
	pthread_t thread;
	bool is_running;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	bool is_over, has_ended;
	VEC(struct python_event_look) looks;
	uint32_t next_look;
	VEC(struct python_sample_image) found;
	uint32_t nr_images;
	uint32_t unknown_version; /* of an interpreter that is not supported; 0: none was met */

	struct file_opener opener; /* the thread's */
};

int python_images_start(struct python_images *p, struct bpf_python *bpf);
/* False: it did not end within a second, because a file does not answer; then it is left behind, with all it uses. */
bool python_images_stop(struct python_images *p);
/* Has a program looked at. */
void python_images_look(struct python_images *p, const struct python_event_look *look);
/* The next that was found since; false: none. */
bool python_images_take(struct python_images *p, struct python_sample_image *image);

#endif
