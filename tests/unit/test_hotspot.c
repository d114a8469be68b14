/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kernel/hotspot.h: what is read of a process before it is sent a signal. symbols/hotspot_map.h: maps of several moments, and compilers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "kernel/hotspot.h"
#include "symbols/hotspot_map.h"

static void test_status(void **state)
{
	static const char text[] = "Name:\tjava\nState:\tS (sleeping)\nUid:\t5\t1000\t0\t0\nGid:\t1\t100\t1\t1\nNSpid:\t15443\t77\t7\n"
				   "SigCgt:\t2000000101005ccd\n";
	struct hotspot_status s;

	(void)state;
	assert_int_equal(hotspot_parse_status(text, &s), 0);
	assert_int_equal(s.ns_pid, 7);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.gid, 100);
	assert_true(s.catches_quit);
	assert_false(s.is_stopped);
	assert_int_equal(hotspot_parse_status("State:\tT (stopped)\nUid:\t0\t0\nGid:\t0\t0\nNSpid:\t1\nSigCgt:\t0000000000000003\n", &s),
			 0);
	assert_false(s.catches_quit);
	assert_true(s.is_stopped);
	assert_int_equal(hotspot_parse_status("State:\tS\nUid:\t0\t0\nGid:\t0\t0\nNSpid:\t-1\nSigCgt:\t0\n", &s), -EBADMSG);
	assert_int_equal(hotspot_parse_status("", &s), -EBADMSG);
}

static void put_u32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* A file of counters with two entries, as the virtual machine lays it out. */
static size_t make_counters(uint8_t *at, char capability)
{
	static const char name[] = "sun.rt.jvmCapabilities";
	uint8_t *entry = at + 32;

	memset(at, 0, 256);
	memcpy(at, "\xca\xfe\xc0\xc0", 4);
	put_u32(at + 24, 32);
	put_u32(at + 28, 2);
	put_u32(entry, 32);
	put_u32(entry + 4, 20);
	put_u32(entry + 16, 28);
	memcpy(entry + 20, "other", 6);
	entry += 32;
	put_u32(entry, 64);
	put_u32(entry + 4, 20);
	put_u32(entry + 16, 48);
	memcpy(entry + 20, name, sizeof(name));
	entry[48] = (uint8_t)capability;
	return 128;
}

static void test_counters(void **state)
{
	uint8_t data[256];
	size_t size = make_counters(data, '1');

	(void)state;
	assert_int_equal(hotspot_counters_can_attach(data, size), 1);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_not_equal(hotspot_counters_can_attach(data, cut), 0);
	size = make_counters(data, '0');
	assert_int_equal(hotspot_counters_can_attach(data, size), 0);
	put_u32(data + 32, 4000); /* an entry beyond the end */
	assert_int_equal(hotspot_counters_can_attach(data, size), -ENODATA);
	make_counters(data, '1');
	data[0] = 0;
	assert_int_equal(hotspot_counters_can_attach(data, size), -ENODATA);
}

static void add(struct hotspot_map *m, const char *map, const char *list)
{
	struct hotspot_levels levels = { 0 };

	hotspot_levels_parse(&levels, list, strlen(list));
	assert_true(hotspot_map_add(m, map, strlen(map), &levels));
	hotspot_levels_fini(&levels);
}

static void assert_name(const struct hotspot_map *m, uint64_t addr, const char *name)
{
	struct symtab *t = hotspot_map_symbols(m);
	const struct symbol *s = symtab_find(t, addr);

	assert_string_equal(s ? s->name : "none", name);
	symtab_free(t);
}

static void test_levels(void **state)
{
	struct hotspot_map m = { 0 };

	(void)state;
	add(&m,
	    "0x0000000000001000 0x0000000000000100 long A.b(long[])\n0x1200 0x80 long A.b(long[])\n0x2000 0x100 Interpreter\n0x3000 0x10 void A.n()\n",
	    "1 3 2 A.b([J)J [0x0000000000000f00, 0x0000000000001000 - 0x0000000000001100]\n"
	    "2 4 0 A.b([J)J [0x0000000000001180, 0x0000000000001200 - 0x0000000000001280]\n"
	    "3 0 0 A.n()V [0x2f00, 0x3000 - 0x3010]\n"
	    "4 1 0 cut [0x2000");
	assert_name(&m, 0x1000, "long A.b(long[])" HOTSPOT_C1_MARK);
	assert_name(&m, 0x1200, "long A.b(long[])");
	assert_name(&m, 0x2010, "Interpreter");
	assert_name(&m, 0x3000, "void A.n()");
	hotspot_map_fini(&m);
}

/* Freed code keeps its name until other code is there. */
static void test_moments(void **state)
{
	struct hotspot_map m = { 0 };
	size_t size;

	(void)state;
	add(&m, "1000 100 first\n2000 100 second\n", "1 3 0 first [0x1000, 0x1000 - 0x1100]\n");
	add(&m, "2000 80 third\n", "");
	assert_name(&m, 0x1080, "first" HOTSPOT_C1_MARK);
	assert_name(&m, 0x2000, "third");
	size = m.size;
	for (int i = 0; i < 100; i++)
		add(&m, "2000 80 third\n", "");
	assert_int_equal(m.size, size);
	hotspot_map_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
