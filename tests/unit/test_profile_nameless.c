/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Code without symbols in the profile: one frame a function of the call frame information, marked, counted as unresolved, and told apart by
 * build where builds are compared.
 */
#include "session_fixture.h"

#include "cfi_writer.h"
#include "model/quality.h"
#include "symbols/unwind_functions.h"

/* The file's text is mapped so that an ip is 0x100000 above its vaddr. */
#define MAPPED (0x100000 + CFI_DELTA)

static const char *const none[] = { NULL };

/* Two functions side by side, 0x3000–0x3100–0x3200, and nothing known of the rest. */
static struct task *begin(struct fixture *f, bool has_build)
{
	static const uint8_t build[20] = { 0xab, 0xcd, 0xef, 1 };
	struct cfi_writer w = { .is_eh = true };
	size_t cie = cfi_cie(&w, "zR");
	struct unwind_input in;
	struct task *task;
	struct dso *d;
	uint32_t id;

	fixture_init(f);
	cfi_fde(&w, cie, true, 0x3000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&w, cie, true, 0x3100, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 16));
	in = cfi_input(&arch_x86_64, &w, NULL);
	task = fixture_task(f, 10, 10, "app");
	id = fixture_dso(f, "/bin/app", none);
	d = &f->s.machine.dsos.dsos.v[id];
	d->functions = unwind_functions_build(&in);
	d->functions_loaded = true;
	if (has_build) {
		memcpy(d->build_id, build, sizeof(build));
		d->build_id_size = sizeof(build);
	}
	fixture_map(f, task, MAPPED, 0x11000, id);
	return task;
}

static const struct profile_frame *frame_of(struct fixture *f, struct task *task, uint64_t vaddr)
{
	uint64_t ip = 0x100000 + vaddr;

	fixture_sample(f, task, 1, &ip, 1);
	return profile_frame_at(&f->p, f->p.samples.location[f->p.samples.nr - 1]);
}

static void test_one_frame_a_function(void **state)
{
	const uint64_t chain[] = { 0x103010, 0x103100 };
	struct fixture f;
	struct task *task = begin(&f, false);
	const struct profile_frame *frame;
	struct quality q;

	(void)state;
	frame = frame_of(&f, task, 0x3010);
	assert_string_equal(profile_str(&f.p, frame->function), "app+0x3000");
	assert_true(frame->is_nameless);
	assert_false(profile_is_named(frame));
	assert_ptr_equal(frame_of(&f, task, 0x30ff), frame_of(&f, task, 0x3010));
	assert_string_equal(profile_str(&f.p, frame_of(&f, task, 0x3100)->function), "app+0x3100");
	assert_int_equal(frame_of(&f, task, 0x3200)->function, 0);
	/* A return address behind the last call of a function is of that function. */
	fixture_sample(&f, task, 1, chain, 2);
	profile_symbolize(&f.p);

	uint32_t node = profile_stack_node(&f.p, f.p.samples.stack[f.p.samples.nr - 1]);
	uint32_t caller = stack_tree_frame(&f.p.tree, stack_tree_parent(&f.p.tree, node));

	assert_string_equal(profile_str(&f.p, profile_frame_at(&f.p, caller)->function), "app+0x3000");
	quality_of_profile(&q, &f.p);
	assert_int_equal(q.nr_samples, q.nr_unresolved);
	quality_fini(&q);
	profile_drop_unnamed(&f.p);
	assert_int_equal(f.p.samples.nr, 0);
	fixture_fini(&f);
}

static void test_only_symbols(void **state)
{
	struct fixture f;
	struct task *task = begin(&f, true);

	(void)state;
	f.p.only_symbols = true;
	assert_int_equal(frame_of(&f, task, 0x3010)->function, 0);
	assert_true(frame_of(&f, task, 0x3010)->start != frame_of(&f, task, 0x3018)->start);
	fixture_fini(&f);
}

static void test_builds(void **state)
{
	struct fixture f;
	struct task *task = begin(&f, true);

	(void)state;
	f.p.tells_builds = true;
	assert_string_equal(profile_str(&f.p, frame_of(&f, task, 0x3010)->function), "app+0x3000 [abcdef01]");
	fixture_fini(&f);
	task = begin(&f, false);
	f.p.tells_builds = true;
	assert_int_equal(frame_of(&f, task, 0x3010)->function, 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_frame_a_function),
		cmocka_unit_test(test_only_symbols),
		cmocka_unit_test(test_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
