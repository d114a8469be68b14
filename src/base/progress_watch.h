/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The progress line of work that is one call: a thread draws how long it takes. Where nothing would be shown, there is no thread.
 */
#ifndef ASSAY_BASE_PROGRESS_WATCH_H
#define ASSAY_BASE_PROGRESS_WATCH_H

#include <pthread.h>
#include <stdbool.h>

#include "base/progress.h"

struct progress_watch {
	struct progress progress; /* the thread's, while it runs */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool ends; /* under the mutex */
	bool runs;
};

void progress_watch_begin(struct progress_watch *w, const char *what);
void progress_watch_end(struct progress_watch *w); /* wipes the line */

#endif
