/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events of ourselves, opened to count and to sample: where fds are, groups whose leader is missing, tasks that are gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/event_fds.h"
#include "kernel/event_config.h"
#include "kernel/sysctl.h"

static void need_perf(void)
{
	if (sysctl_paranoid() > 2 && !sysctl_is_perfmon_capable())
		skip();
}

/* A pid that is no process any more. */
static pid_t gone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void touch_pages(void)
{
	size_t size = 1 << 20;
	char *p = malloc(size);

	for (size_t i = 0; i < size; i += 512)
		((volatile char *)p)[i] = 1;
	free(p);
}

static int open_counting(struct event_fds *s, struct event_list *l, struct target *t, const char *text, struct errbuf *eb)
{
	struct event_config c = { .no_inherit = true, .all_user = true };

	t->any_cpu = true;
	assert_int_equal(event_list_parse(l, text, eb), 0);
	event_list_configure_counting(l, &c);
	return event_fds_open_counting(s, l, t, eb);
}

static void drop(struct event_fds *s, struct event_list *l, struct target *t)
{
	event_fds_close(s, false);
	event_list_fini(l);
	target_fini(t);
}

/* The first event of the group is one that no kernel has: the next one leads. */
static void test_count_group(void **state)
{
	struct event_fds s = { 0 };
	struct event_list l = { 0 };
	struct target t = { 0 };
	struct errbuf eb = { "" };

	(void)state;
	need_perf();
	vec_push(&t.tasks.ids, getpid());
	assert_int_equal(event_list_parse(&l, "{task-clock,faults,minor-faults}", &eb), 0);
	l.events.v[0].attr.config = 4711;
	event_list_configure_counting(&l, &(struct event_config){ .no_inherit = true, .all_user = true });
	t.any_cpu = true;
	assert_int_equal(event_fds_open_counting(&s, &l, &t, &eb), 0);
	assert_true(s.is_lacking[0] && !s.is_lacking[1] && !s.is_lacking[2]);
	assert_true(s.lead[1] == 1 && s.lead[2] == 1);
	assert_int_equal(s.nr_open, 2);
	event_fds_enable(&s, true, true);
	touch_pages();
	event_fds_enable(&s, false, true);
	assert_int_equal(event_fds_read(&s, &eb), 0);
	assert_true(s.fds.nr == 3 && !s.fds.v[0].has_count && s.fds.v[1].has_count && s.fds.v[2].has_count);
	assert_true(s.fds.v[1].count.value > 0);
	/* Read at one moment. */
	assert_int_equal(s.fds.v[1].count.time_enabled, s.fds.v[2].count.time_enabled);
	assert_true(s.fds.v[1].count.id != s.fds.v[2].count.id);
	drop(&s, &l, &t);
}

static void test_count_gone_task(void **state)
{
	struct event_fds s = { 0 };
	struct event_list l = { 0 };
	struct target t = { 0 };
	struct errbuf eb = { "" };

	(void)state;
	need_perf();
	vec_push(&t.tasks.ids, gone());
	vec_push(&t.tasks.ids, getpid());
	assert_int_equal(open_counting(&s, &l, &t, "faults,duration_time", &eb), 0);
	assert_true(s.fds.nr == 2 && s.fds.v[0].fd < 0 && s.fds.v[1].fd >= 0);
	assert_int_equal(s.nr_vanished, 1);
	drop(&s, &l, &t);

	memset(&l, 0, sizeof(l));
	memset(&t, 0, sizeof(t));
	vec_push(&t.tasks.ids, gone());
	assert_int_equal(open_counting(&s, &l, &t, "faults", &eb), -ESRCH);
	assert_non_null(strstr(eb.text, "gone"));
	drop(&s, &l, &t);
}

/* Each CPU's ring is carried by the first event on the first task that is there, and all others go into it. */
static void test_sample_places(void **state)
{
	struct event_fds s = { 0 };
	struct event_list l = { 0 };
	struct event_config c;
	struct target t = { 0 };
	struct errbuf eb = { "" };
	uint32_t nr;

	(void)state;
	need_perf();
	cpu_list_online(&t.cpus);
	nr = t.cpus.cpus.nr;
	vec_push(&t.tasks.ids, gone());
	vec_push(&t.tasks.ids, getpid());
	event_config_init(&c);
	c.all_user = true;
	assert_int_equal(event_list_parse(&l, "cpu-clock,faults", &eb), 0);
	event_list_configure(&l, &c);
	assert_int_equal(event_fds_open(&s, &l, &t, 1, &eb), 0);
	assert_true(s.has_tracker);
	assert_int_equal(s.nr_rings, nr);
	assert_int_equal(s.fds.nr, 3 * nr * 2);
	assert_int_equal(s.nr_open, 3 * nr);
	assert_int_equal(s.nr_vanished_tasks, 1);
	for (uint32_t i = 0; i < s.fds.nr; i++) {
		const struct event_fd *f = &s.fds.v[i];

		assert_true(f->event == i / (2 * nr) && f->cpu == i / 2 % nr && f->task == i % 2);
		assert_true((f->fd >= 0) == (f->task == 1));
	}
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		assert_int_equal(s.rings[cpu].fd, s.fds.v[cpu * 2 + 1].fd);
	drop(&s, &l, &t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_count_group), cmocka_unit_test(test_count_gone_task),
					    cmocka_unit_test(test_sample_places) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
