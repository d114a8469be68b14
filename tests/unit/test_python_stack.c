/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Python frames of a recording: what is read of its records, which sample a stack belongs to, and its place among native frames.
 */
#include "session_fixture.h"

#include <sys/mman.h>

#define EVAL UINT64_C(0x10000)	   /* [EVAL, EVAL + 0x100): the loop of the interpreter */
#define NATIVE UINT64_C(0x10100)   /* anything else */
#define GREENLET UINT64_C(0x20000) /* the library of greenlets */

static const char *const names[] = { "eval", "native", NULL };

struct stacks {
	struct fixture f;
	struct record_header header;
	struct session_record sr;
};

static void take(struct stacks *t, uint64_t time_ns, uint32_t tid, const void *raw, uint32_t size)
{
	struct sample s = { .time_ns = time_ns, .tid = tid, .raw = raw, .raw_size = size };

	python_frames_take(&t->f.s.recording.python, &s, NULL);
}

static void take_code(struct stacks *t, uint32_t number, const char *file, const char *name, uint32_t line)
{
	struct {
		struct python_sample_code c;
		char text[64];
	} raw = { .c = { PYTHON_SAMPLE_CODE, number, line, (uint16_t)strlen(file), (uint16_t)strlen(name) } };

	memcpy(raw.text, file, strlen(file));
	memcpy(raw.text + strlen(file), name, strlen(name));
	take(t, 0, 0, &raw, sizeof(raw));
}

/* `entries`: by bit, which frames the interpreter was called anew for. Frame i has the code i + 1. */
static void take_stack(struct stacks *t, uint64_t time_ns, uint32_t nr, unsigned entries, uint32_t flags)
{
	struct {
		struct python_sample_stack s;
		struct python_sample_frame frames[8];
	} raw = { .s = { PYTHON_SAMPLE_STACK, 7, nr, flags } };

	for (uint32_t i = 0; i < nr; i++)
		raw.frames[i].code = (i + 1) | (entries >> i & 1 ? PYTHON_FRAME_ENTRY : 0);
	take(t, time_ns, 10, &raw, (uint32_t)(sizeof(raw.s) + nr * sizeof(*raw.frames)));
	t->sr.python = python_frames_of(&t->f.s.recording.python, 10, time_ns + 1);
}

static void stacks_init(struct stacks *t)
{
	struct python_sample_image image = { .kind = PYTHON_SAMPLE_IMAGE, .image = 7, .eval = { { EVAL, EVAL + 0xff } } };
	struct map map = { .start = EVAL, .end = EVAL + 0x1000, .prot = PROT_EXEC };
	struct task *task;

	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	task = fixture_task(&t->f, 10, 10, "python3");
	map.dso = fixture_dso(&t->f, "/not/there/python3", names);
	task_table_map(&t->f.s.machine.tasks, task, &map);
	map = (struct map){ .start = GREENLET, .end = GREENLET + 0x1000, .prot = PROT_EXEC };
	map.dso = fixture_dso(&t->f, "/usr/lib/python3/greenlet/_greenlet.cpython-311-x86_64-linux-gnu.so", names);
	task_table_map(&t->f.s.machine.tasks, task, &map);
	t->header = (struct record_header){ .type = RECORD_SAMPLE, .misc = MISC_USER };
	t->sr = (struct session_record){ .header = &t->header, .task = task };
	t->f.s.machine.python_dso = dso_table_intern(&t->f.s.machine.dsos, MODULE_NONE, "[python]", -1, NULL, 0);
	take(t, 0, 0, &image, sizeof(image));
	take_code(t, 1, "/src/app.py", "inner", 3);
	take_code(t, 2, "/src/app.py", "middle", 5);
	take_code(t, 3, "/src/app.py", "<module>", 1);
}

static void stacks_fini(struct stacks *t)
{
	python_frames_fini(&t->f.s.recording.python);
	fixture_fini(&t->f);
}

/* `expected`: addresses, or numbers of code. */
static void expect(struct stacks *t, const uint64_t *ips, uint64_t nr, const uint64_t *expected, uint32_t nr_expected)
{
	struct profile *p = &t->f.p;
	struct unwind_result walk;
	uint32_t stack, node;

	t->sr.rec.sample.ips = ips;
	t->sr.rec.sample.nr_ips = nr;
	stack = profile_intern_sample(p, &t->sr, &walk);
	node = profile_stack_node(p, stack);
	assert_int_equal(p->stacks.v[stack].depth, nr_expected);
	for (uint32_t i = 0; i < nr_expected; i++, node = stack_tree_parent(&p->tree, node)) {
		uint64_t ip = p->locations.v[stack_tree_frame(&p->tree, node)].at.ip;

		assert_int_equal(python_is_word(ip) ? python_word_code(ip) : ip, expected[i]);
	}
}

#define EXPECT(t, ips, ...)                                                                                                                \
	do {                                                                                                                               \
		const uint64_t expected_[] = { __VA_ARGS__ };                                                                              \
		expect(t, ips, sizeof(ips) / sizeof(*(ips)), expected_, sizeof(expected_) / sizeof(*expected_));                           \
	} while (0)

static void test_mixed(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffffffff81000000, CHAIN_USER, NATIVE, EVAL + 8, NATIVE + 4, EVAL + 16, NATIVE + 8 };
	const uint64_t broken[] = { CHAIN_USER, NATIVE };
	const uint64_t early[] = { CHAIN_USER, EVAL + 1, NATIVE, EVAL + 16, NATIVE + 4 };
	const uint64_t none[] = { CHAIN_USER };
	struct stacks t;

	(void)state;
	stacks_init(&t);
	/* two frames by the inner call, one by the outer */
	take_stack(&t, 100, 3, 2 | 4, 0);
	EXPECT(&t, chain, 0xffffffff81000000, NATIVE, 1, 2, NATIVE + 4, 3, NATIVE + 8);
	/* native callers that are missing */
	EXPECT(&t, broken, NATIVE, 1, 2, 3);
	EXPECT(&t, none, 1, 2, 3);
	/* the loop was called, and has no frame yet */
	take_stack(&t, 200, 1, 1, 0);
	EXPECT(&t, early, EVAL + 1, NATIVE, 1, NATIVE + 4);
	/* of a stack that is cut the innermost are known */
	take_stack(&t, 300, 1, 1, PYTHON_STACK_CUT);
	EXPECT(&t, early, 1, NATIVE, EVAL + 16, NATIVE + 4);
	/* and of one of a subinterpreter those within it */
	take_stack(&t, 400, 1, 1, PYTHON_STACK_SUB);
	EXPECT(&t, early, 1, NATIVE, EVAL + 16, NATIVE + 4);
	stacks_fini(&t);
}

/* Python frames are those of the greenlet that runs, on top of the native frames of others. */
static void test_greenlets(void **state)
{
	const uint64_t chain[] = { CHAIN_USER, NATIVE, EVAL + 8, GREENLET, GREENLET + 4, EVAL + 16, GREENLET, EVAL + 24, NATIVE + 4 };
	const uint64_t early[] = { CHAIN_USER, EVAL + 1, NATIVE, EVAL + 8, GREENLET, EVAL + 16, NATIVE + 4 };
	const uint64_t within[] = { CHAIN_USER, GREENLET + 8, EVAL + 8, GREENLET, EVAL + 16, NATIVE + 4 };
	const uint64_t first[] = { CHAIN_USER, EVAL + 1, NATIVE, GREENLET, EVAL + 8, NATIVE + 4 };
	struct stacks t;

	(void)state;
	stacks_init(&t);
	take_stack(&t, 100, 2, 2, 0);
	EXPECT(&t, chain, NATIVE, 1, 2, GREENLET, GREENLET + 4, EVAL + 16, GREENLET, EVAL + 24, NATIVE + 4);
	/* the loop was called, and has no frame yet */
	EXPECT(&t, early, EVAL + 1, NATIVE, 1, 2, GREENLET, EVAL + 16, NATIVE + 4);
	/* the greenlet calls the library itself */
	EXPECT(&t, within, GREENLET + 8, 1, 2, GREENLET, EVAL + 16, NATIVE + 4);
	/* two segments: both are known of the frames below the library's, too */
	take_stack(&t, 200, 2, 1 | 2, 0);
	EXPECT(&t, first, 1, NATIVE, GREENLET, 2, NATIVE + 4);
	stacks_fini(&t);
}

static uint64_t sampled_ip(struct stacks *t)
{
	uint32_t location = profile_intern_sampled(&t->f.p, &t->sr);

	return t->f.p.locations.v[location].at.ip;
}

static void test_views(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffffffff81000000, CHAIN_USER, EVAL + 8, NATIVE };
	struct stacks t;

	(void)state;
	stacks_init(&t);
	take_stack(&t, 100, 2, 2, 0);
	t.sr.rec.sample.ip = EVAL + 8;
	assert_true(python_is_word(sampled_ip(&t)));
	t.sr.rec.sample.ip = NATIVE;
	assert_int_equal(sampled_ip(&t), NATIVE);
	t.f.p.python = PROFILE_PYTHON_ONLY;
	EXPECT(&t, chain, 1, 2);
	assert_true(python_is_word(sampled_ip(&t)));
	t.f.p.python = PROFILE_PYTHON_OFF;
	EXPECT(&t, chain, 0xffffffff81000000, EVAL + 8, NATIVE);
	/* without native callers there is nothing to mix */
	t.f.p.python = PROFILE_PYTHON_AUTO;
	t.f.info.events.v[0].attr.flags |= ATTR_EXCLUDE_CHAIN_USER;
	EXPECT(&t, chain, 1, 2);
	stacks_fini(&t);
}

static enum unwind_end end_of(struct stacks *t, const uint64_t *ips, uint64_t nr)
{
	struct unwind_result walk;

	t->sr.rec.sample.ips = ips;
	t->sr.rec.sample.nr_ips = nr;
	profile_intern_sample(&t->f.p, &t->sr, &walk);
	return walk.end;
}

/* What a stack lacks is said of the whole, not of its native frames alone. */
static void test_cut(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffffffff81000000, CHAIN_USER, EVAL + 8, NATIVE }, none[] = { CHAIN_USER };
	struct stacks t;

	(void)state;
	stacks_init(&t);
	take_stack(&t, 100, 3, 4, 0);
	assert_int_equal(end_of(&t, chain, 5), UNWIND_NOT_DONE);
	t.f.p.max_stack = 5;
	assert_int_equal(end_of(&t, chain, 5), UNWIND_NOT_DONE);
	t.f.p.max_stack = 4;
	assert_int_equal(end_of(&t, chain, 5), UNWIND_LIMIT);
	take_stack(&t, 200, 3, 4, PYTHON_STACK_CUT);
	assert_int_equal(end_of(&t, chain, 5), UNWIND_PYTHON_LIMIT);
	/* without native callers that is all there is, and is no guess */
	t.f.p.python = PROFILE_PYTHON_ONLY;
	assert_int_equal(end_of(&t, chain, 5), UNWIND_PYTHON_LIMIT);
	take_stack(&t, 300, 3, 4, 0);
	assert_int_equal(end_of(&t, chain, 5), UNWIND_COMPLETE);
	t.f.p.max_stack = 2;
	assert_int_equal(end_of(&t, none, 1), UNWIND_LIMIT);
	/* where no callers were asked for, none are missing */
	t.f.p.python = PROFILE_PYTHON_AUTO;
	t.sr.python = NULL;
	assert_int_equal(end_of(&t, none, 1), UNWIND_NOT_DONE);
	t.f.info.events.v[0].attr.flags |= ATTR_EXCLUDE_CHAIN_USER;
	assert_int_equal(end_of(&t, none, 1), UNWIND_NO_STACK);
	stacks_fini(&t);
}

static const char *name_of_code(struct stacks *t, uint32_t number)
{
	const struct python_sample_frame f = { .code = number };
	uint32_t location = profile_intern_location(&t->f.p, t->sr.task, python_word(&f), MISC_USER);

	return profile_str(&t->f.p, profile_frame_at(&t->f.p, location)->function);
}

static void test_names(void **state)
{
	const struct profile_place *places;
	struct stacks t;
	uint32_t location, nr;

	(void)state;
	stacks_init(&t);
	take_stack(&t, 100, 4, 8, 0);
	t.f.p.source = PROFILE_LINES;
	location = profile_intern_location(&t.f.p, t.sr.task, python_word(&t.sr.python->frames[1]), MISC_USER);
	assert_string_equal(profile_str(&t.f.p, profile_frame_at(&t.f.p, location)->function), "app.py:middle:5");
	places = profile_places_of(&t.f.p, location, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(profile_str(&t.f.p, places[0].file), "/src/app.py");
	assert_int_equal(places[0].line, 5);
	/* files that each package has; one that is nowhere */
	take_code(&t, 5, "/lib/one/__init__.py", "<module>", 1);
	take_code(&t, 6, "/__main__.py", "main", 2);
	take_code(&t, 7, "__init__.py", "f", 3);
	take_code(&t, 8, "//", "f", 3);
	assert_string_equal(name_of_code(&t, 5), "one/__init__.py:<module>:1");
	assert_string_equal(name_of_code(&t, 6), "/__main__.py:main:2");
	assert_string_equal(name_of_code(&t, 7), "__init__.py:f:3");
	assert_string_equal(name_of_code(&t, 8), "//:f:3");
	/* a code object of which nothing is known */
	location = profile_intern_location(&t.f.p, t.sr.task, python_word(&t.sr.python->frames[3]), MISC_USER);
	assert_int_equal(profile_frame_at(&t.f.p, location)->function, 0);
	stacks_fini(&t);
}

static void test_pairing(void **state)
{
	struct stacks t;
	const struct python_frames *p = &t.f.s.recording.python;

	(void)state;
	stacks_init(&t);
	take_stack(&t, 100, 1, 1, 0);
	assert_non_null(python_frames_of(p, 10, 101));
	assert_null(python_frames_of(p, 10, 100));
	assert_null(python_frames_of(p, 10, 102));
	assert_null(python_frames_of(p, 10 + PYTHON_SLOTS, 101));
	stacks_fini(&t);
}

static void test_damaged(void **state)
{
	struct python_sample_stack stack = { PYTHON_SAMPLE_STACK, 7, 3, 0 };
	struct python_sample_code code = { PYTHON_SAMPLE_CODE, 9, 1, 60000, 60000 };
	uint32_t kind = 77;
	struct stacks t;
	const struct python_frames *p = &t.f.s.recording.python;

	(void)state;
	stacks_init(&t);
	take(&t, 100, 10, &stack, sizeof(stack));
	stack.nr_frames = 0;
	take(&t, 100, 10, &stack, sizeof(stack));
	stack.nr_frames = UINT32_MAX;
	take(&t, 100, 10, &stack, sizeof(stack));
	take(&t, 0, 0, &code, sizeof(code));
	take(&t, 0, 0, &kind, sizeof(kind));
	take(&t, 0, 0, &kind, 2);
	assert_int_equal(p->nr_malformed, 6);
	assert_null(python_frames_of(p, 10, 101));
	assert_null(python_frames_code(p, 9));
	stacks_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mixed),	  cmocka_unit_test(test_views),	  cmocka_unit_test(test_names),
		cmocka_unit_test(test_pairing),	  cmocka_unit_test(test_damaged), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_greenlets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
