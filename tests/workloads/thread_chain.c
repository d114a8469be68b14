/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A chain of threads: each makes one call with its number, getpriority(PRIO_PROCESS, number), starts the next and ends. Who misses one thread
 * misses all that follow. Runs until it is killed.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *link_main(void *arg)
{
	pthread_attr_t attr;
	pthread_t next;

	syscall(SYS_getpriority, PRIO_PROCESS, (int)(intptr_t)arg);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&next, &attr, link_main, (void *)((intptr_t)arg + 1)))
		abort();
	return NULL;
}

int main(void)
{
	link_main((void *)1);
	for (;;)
		pause();
}
