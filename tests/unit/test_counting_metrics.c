/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -M on machines of our own making: which definition is taken, which events come of it, and what is
 * said where something is missing.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "capture/counting.h"

static char root[64];

static void put(const char *path, const char *text)
{
	char *full = mem_printf("%s/bus/event_source/devices/%s", root, path);
	FILE *f;

	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
	free(full);
}

static void make_machine(const char *pmu, const char *events)
{
	char path[256], words[512], *save = NULL;
	unsigned code = 0x80;

	strcpy(root, "/tmp/test_counting_metrics.XXXXXX");
	assert_non_null(mkdtemp(root));
	put("software/type", "1");
	if (!pmu)
		return;
	snprintf(path, sizeof(path), "%s/type", pmu);
	put(path, "4");
	snprintf(path, sizeof(path), "%s/cpus", pmu);
	if (strcmp(pmu, "cpu"))
		put(path, "0-1");
	snprintf(path, sizeof(path), "%s/format/event", pmu);
	put(path, "config:0-15");
	snprintf(words, sizeof(words), "%s", events);
	for (char *w = strtok_r(words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		char terms[32];

		snprintf(path, sizeof(path), "%s/events/%s", pmu, w);
		snprintf(terms, sizeof(terms), "event=0x%x", code++);
		put(path, terms);
	}
}

static void remove_machine(void)
{
	char *command[] = { "rm", "-rf", root, NULL };
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_true(waitpid(pid, NULL, 0) == pid);
}

static int add(struct counting_metrics *m, struct event_list *l, const char *text, struct errbuf *eb)
{
	memset(m, 0, sizeof(*m));
	memset(l, 0, sizeof(*l));
	errbuf_clear(eb);
	return counting_metrics_add(m, l, text, root, eb);
}

static void drop(struct counting_metrics *m, struct event_list *l)
{
	counting_metrics_fini(m);
	event_list_fini(l);
}

static void test_no_pmu(void **state)
{
	struct errbuf eb = { "" };
	struct counting_metrics m;
	struct event_list l;

	(void)state;
	make_machine(NULL, NULL);
	assert_int_equal(add(&m, &l, "ipc", &eb), -ENOENT);
	assert_non_null(strstr(eb.text, "instructions,cycles"));
	assert_non_null(strstr(eb.text, "no PMU"));
	drop(&m, &l);
	/* What the kernel counts by itself needs none. */
	assert_int_equal(add(&m, &l, "fault-rate,switch-rate", &eb), 0);
	assert_int_equal(m.uses.nr, 2);
	assert_int_equal(l.events.nr, 4);
	assert_int_equal(m.uses.v[1].first_event, 2);
	drop(&m, &l);
	assert_int_equal(add(&m, &l, "fault-rat", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "fault-rate"));
	drop(&m, &l);
	assert_int_equal(add(&m, &l, "", &eb), -EINVAL);
	drop(&m, &l);
	remove_machine();
}

static void test_shared_events(void **state)
{
	struct errbuf eb = { "" };
	struct counting_metrics m;
	struct event_list l;

	(void)state;
	make_machine("cpu", "cycles");
	/* ipc and cpi are made of the same two events; named twice is once. */
	assert_int_equal(add(&m, &l, "ipc,cpi,IPC", &eb), 0);
	assert_int_equal(m.uses.nr, 2);
	assert_int_equal(l.events.nr, 2);
	assert_int_equal(m.uses.v[1].first_event, 0);
	assert_string_equal(l.events.v[0].name, "instructions");
	drop(&m, &l);
	assert_int_equal(add(&m, &l, "TopdownL1", &eb), -ENOENT);
	assert_non_null(strstr(eb.text, "cpu"));
	assert_non_null(strstr(eb.text, "'slots'"));
	drop(&m, &l);
	remove_machine();
}

static void test_topdown(void **state)
{
	struct errbuf eb = { "" };
	struct counting_metrics m;
	struct event_list l;

	(void)state;
	make_machine("cpu", "slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound");
	assert_int_equal(add(&m, &l, "topdownl1", &eb), 0);
	assert_int_equal(m.uses.nr, 4);
	assert_int_equal(l.events.nr, 5);
	assert_string_equal(l.events.v[0].name, "slots");
	drop(&m, &l);
	remove_machine();

	make_machine("armv8_pmuv3_0", "cpu_cycles,stall_slot,stall_slot_frontend,"
				      "stall_slot_backend,op_retired,op_spec");
	put("armv8_pmuv3_0/caps/slots", "0x00000008");
	if (add(&m, &l, "tma_frontend_bound", &eb))
		fail_msg("%s", eb.text);
	assert_int_equal(m.uses.nr, 1);
	assert_int_equal(l.events.nr, 6);
	assert_true(m.uses.v[0].slots == 8);
	assert_string_equal(m.uses.v[0].def->formula, "100 * c / (S * a)");
	drop(&m, &l);
	remove_machine();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_pmu),
		cmocka_unit_test(test_shared_events),
		cmocka_unit_test(test_topdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
