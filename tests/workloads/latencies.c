/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Latencies that are known: clock_nanosleep() for 1 ms, 5 ms and 20 ms in turn.
 * What a heat map of sys_enter_clock_nanosleep → sys_exit_clock_nanosleep has to show is three bands,
 * as many sleeps in each.
 *
 * usage: latencies [ROUNDS]
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

int main(int argc, char **argv)
{
	static const long ms[] = { 1, 5, 20 };
	int rounds = argc > 1 ? atoi(argv[1]) : 50;

	prctl(PR_SET_TIMERSLACK, 1000); /* ns: the kernel may otherwise be 50 us late on purpose */
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 3; k++) {
			struct timespec t = { 0, ms[k] * 1000000 };

			clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		}
	}
	return 0;
}
