/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader of sysfs PMUs, on machines made for the purpose.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_sysfs.h"
#include "kernel/pmu.h"

static void test_format(void **state)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint64_t mask;
	} good[] = {
		{ "config:0-7", 0, 0xff },	   { "config:18", 0, 1 << 18 },	    { "config1:0-63", 1, UINT64_MAX },
		{ "config2:0-7,21", 2, 0x2000ff }, { "config3:63", 3, 1ull << 63 }, { "config:0-7,32-35", 0, 0xf000000ffull },
	};
	static const char *const bad[] = {
		"",	     "config",	 "config:",    "config4:0", "config:64", "config:0-64", "config:7-0",
		"config:0-", "config:a", "config:0;1", "conf:0",    "config:0,", "config:-1",	"config:99999999999999999999"
	};
	struct pmu_format f;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(pmu_format_parse(&f, good[i].text), 0);
		assert_int_equal(f.word, good[i].word);
		assert_true(f.mask == good[i].mask);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (pmu_format_parse(&f, bad[i]) != -EBADMSG)
			fail_msg("'%s' is understood", bad[i]);
}

static void test_format_put(void **state)
{
	struct pmu_format f = { .word = 1, .mask = 0xf0000000000000f0ull };
	uint64_t words[PMU_NR_CONFIG] = { 0, 0x00ff, 0, 0 };

	(void)state;
	assert_int_equal(pmu_format_max(&f), 0xff);
	assert_int_equal(pmu_format_put(&f, 0x5a, words), 0);
	assert_true(words[1] == 0x50000000000000afull);
	assert_int_equal(pmu_format_put(&f, 0x100, words), -ERANGE);
	assert_int_equal(words[0] | words[2] | words[3], 0);
}

static void test_server(void **state)
{
	char *root = fake_sysfs_make(fake_server);
	struct pmu_set s;
	const struct pmu *cpu, *imc, *power, *msr;
	const struct pmu_event *e;

	(void)state;
	pmu_set_init(&s, root);
	assert_int_equal(s.pmus.nr, 9);
	assert_string_equal(s.pmus.v[0].name, "breakpoint");
	cpu = pmu_set_find(&s, "cpu", 3);
	assert_true(cpu && cpu->is_core && !cpu->is_uncore);
	assert_int_equal(cpu->type, 4);
	assert_int_equal(cpu->cpus.cpus.nr, 0);
	assert_null(pmu_find_format(cpu, "nonsense", 8));
	assert_null(pmu_find_format(cpu, "backwards", 9));
	assert_true(pmu_find_format(cpu, "umask", 5)->mask == 0xff00);
	assert_string_equal(pmu_find_event(cpu, "CPU-Cycles", 10)->terms, "event=0x3c");
	imc = pmu_set_find(&s, "uncore_imc_1", 12);
	assert_true(imc->is_uncore && !imc->is_core);
	assert_int_equal(imc->cpus.cpus.nr, 2);
	assert_int_equal(imc->events.nr, 4);
	e = pmu_find_event(imc, "cas_count_read", 14);
	assert_string_equal(e->unit, "MiB");
	assert_true(e->scale == 6.103515625e-5);
	assert_null(pmu_find_event(imc, "cas_count_write", 15)->unit);
	power = pmu_set_find(&s, "power", 5);
	assert_true(pmu_find_event(power, "energy-pkg", 10)->scale == 2.3283064365386962890625e-10);
	msr = pmu_set_find(&s, "msr", 3);
	assert_true(pmu_find_event(msr, "cpu_thermal_margin", 18)->is_snapshot);
	assert_false(pmu_find_event(msr, "tsc", 3)->is_snapshot);
	assert_null(pmu_set_find(&s, "cp", 2));
	assert_null(pmu_set_find(&s, "", 0));
	pmu_set_fini(&s);
	fake_sysfs_remove(root);
}

static void test_meant(void **state)
{
	static const struct {
		const char *name, *text;
		bool is_meant;
	} cases[] = {
		{ "uncore_imc_0", "uncore_imc_0", true },
		{ "uncore_imc_0", "uncore_imc", true },
		{ "uncore_imc_0", "imc", true },
		{ "uncore_imc_0", "imc_0", true },
		{ "uncore_imc_0", "imc_1", false },
		{ "uncore_imc_0", "uncore_im", false },
		{ "uncore_imc_12", "uncore_imc", true },
		{ "uncore_imc_free_running_0", "uncore_imc", false },
		{ "uncore_imc_free_running_0", "uncore_imc*", true },
		{ "uncore_cbox_3", "cbox*", true },
		{ "cpu_core", "cpu", false },
		{ "cpu", "cpu", true },
		{ "cpu", "", false },
		{ "cpu_atom", "cpu_*", true },
		{ "arm_dsu_0", "arm_dsu", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pmu pmu = { .name = cases[i].name };

		if (pmu_is_meant(&pmu, cases[i].text, strlen(cases[i].text)) != cases[i].is_meant)
			fail_msg("%s by '%s'", cases[i].name, cases[i].text);
	}
}

static void test_hybrid(void **state)
{
	char *root = fake_sysfs_make(fake_hybrid);
	struct pmu_set s;
	const struct pmu *atom;

	(void)state;
	pmu_set_init(&s, root);
	assert_int_equal(s.pmus.nr, 3);
	atom = pmu_set_find(&s, "cpu_atom", 8);
	assert_true(atom->is_core && !atom->is_uncore);
	assert_int_equal(atom->cpus.cpus.nr, 4);
	assert_int_equal(atom->cpus.cpus.v[0], 4);
	pmu_set_fini(&s);
	fake_sysfs_remove(root);
}

static void test_nothing(void **state)
{
	struct pmu_set s;

	(void)state;
	pmu_set_init(&s, "/nonexistent");
	assert_int_equal(s.pmus.nr, 0);
	pmu_set_fini(&s);
	pmu_set_init(&s, NULL);
	assert_null(pmu_set_find(&s, "cpu", 3));
	pmu_set_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format), cmocka_unit_test(test_format_put), cmocka_unit_test(test_server),
		cmocka_unit_test(test_meant),  cmocka_unit_test(test_hybrid),	  cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
