/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/trace_print.h: formats as Linux 6.18 writes them, of each shape, with records made by
 * hand; then all formats of the kernel at hand.
 */
#include "session/trace_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_fixture.h"

#define STATES                                                                                                                             \
	"(0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | "                                                  \
	"0x00000020 | 0x00000040)"
#define SWITCH                                                                                                                             \
	HEAD FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1) FIELD("int prev_prio", 28, 4, 1)                      \
		FIELD("long prev_state", 32, 8, 1) FIELD("char next_comm[16]", 40, 16, 0) FIELD("pid_t next_pid", 56, 4, 1)                \
			FIELD("int next_prio", 60, 4, 1) PRINT                                                                             \
		"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "                                                \
		"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "                                              \
		"(REC->prev_state & (((" STATES " + 1) << 1) - 1)) ? __print_flags(REC->prev_state & (((" STATES                           \
		" + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, "                                                  \
		"{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & ((" STATES                                                              \
		" + 1) << 1) ? \"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio\n"

static void test_sched_switch(void **state)
{
	(void)state;
	rec_new(64);
	memcpy(rec + 8, "swapper/0", 9);
	memcpy(rec + 40, "sixteen bytes..!", 16); /* no NUL: the field ends it */
	rec_put(24, 4, 0);
	rec_put(28, 4, 120);
	rec_put(56, 4, 4242);
	rec_put(60, 4, (uint64_t)-2);
	assert_string_equal(show(SWITCH), "prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R "
					  "==> next_comm=sixteen bytes..! next_pid=4242 next_prio=-2");
	rec_put(32, 8, 0x82);
	assert_non_null(strstr(show(SWITCH), "prev_state=D|I =="));
	rec_put(32, 8, 0x100);
	assert_non_null(strstr(show(SWITCH), "prev_state=R+ =="));
}

static void test_syscalls(void **state)
{
	const char *enter = HEAD FIELD("int __syscall_nr", 8, 4, 1) FIELD("unsigned int fd", 16, 8, 0) FIELD("char * buf", 24, 8, 0)
		FIELD("size_t count", 32, 8, 0) PRINT "\"fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx\", ((unsigned long)(REC->fd)), "
						      "((unsigned long)(REC->buf)), ((unsigned long)(REC->count))\n";
	const char *raw = HEAD FIELD("long id", 8, 8, 1) FIELD("unsigned long args[6]", 16, 48, 0) PRINT
		"\"NR %ld (%lx, %lx)\", REC->id, REC->args[0], REC->args[5]\n";

	(void)state;
	rec_new(64);
	rec_put(16, 8, 3);
	rec_put(24, 8, 0x7ffd0000beef);
	assert_string_equal(show(enter), "fd: 0x00000003, buf: 0x7ffd0000beef, count: 0x00000000");
	rec_put(8, 8, (uint64_t)-1);
	rec_put(56, 8, 0xdeadbeefcafe);
	assert_string_equal(show(raw), "NR -1 (3, deadbeefcafe)");
	rec_size = 56;
	assert_string_equal(show(raw), "?");
}

static void test_memory(void **state)
{
	const char *kmalloc = HEAD FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)
		FIELD("size_t bytes_req", 24, 8, 0) FIELD("unsigned long gfp_flags", 32, 8, 0) FIELD("int node", 40, 4, 1) PRINT
		"\"call_site=%pS ptr=%p bytes_req=%zu gfp_flags=%s node=%d accounted=%s\", "
		"(void *)REC->call_site, REC->ptr, REC->bytes_req, (REC->gfp_flags) ? "
		"__print_flags(REC->gfp_flags, \"|\", {( unsigned long)((( gfp_t)(((((1UL))) << "
		"(10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6)))), \"GFP_KERNEL\"}, "
		"{( unsigned long)(( gfp_t)((((1UL))) << (3))), \"__GFP_ZERO\"}) : \"none\", "
		"REC->node, (0 || (REC->gfp_flags & (( gfp_t)(1 << 22)))) ? \"true\" : \"false\"\n";

	(void)state;
	rec_new(48);
	rec_put(8, 8, 0xffffffff8100001c);
	rec_put(24, 8, 32);
	rec_put(32, 8, 0xc40 | 8);
	rec_put(40, 4, (uint64_t)-1);
	assert_string_equal(show(kmalloc), "call_site=do_it+0x1c ptr=(nil) bytes_req=32 "
					   "gfp_flags=GFP_KERNEL|__GFP_ZERO node=-1 accounted=false");
	rec_put(8, 8, 0x1234);
	rec_put(16, 8, 0xffff888100000000);
	rec_put(32, 8, 0x400001);
	assert_string_equal(show(kmalloc), "call_site=0x1234 ptr=0xffff888100000000 bytes_req=32 "
					   "gfp_flags=0x400001 node=-1 accounted=true");
}

static void test_dynamic(void **state)
{
	const char *irq = HEAD FIELD("int irq", 8, 4, 1) FIELD("__data_loc char[] name", 12, 4, 0) PRINT
		"\"irq=%d name=%s\", REC->irq, __get_str(name)\n";
	const char *rel = HEAD FIELD("int irq", 8, 4, 1) FIELD("__rel_loc char[] name", 12, 4, 0) PRINT
		"\"irq=%d name=%s\", REC->irq, __get_rel_str(name)\n";

	(void)state;
	rec_new(16);
	rec_put(8, 4, 9);
	rec_dynamic(12, "virtio0", 8);
	assert_string_equal(show(irq), "irq=9 name=virtio0");
	rec_put(12, 4, 8 << 16 | 0);
	assert_string_equal(show(rel), "irq=9 name=virtio0");
	rec_put(12, 4, 4 << 16 | 16); /* no NUL in its four bytes */
	assert_string_equal(show(irq), "irq=9 name=virt");
	rec_put(12, 4, 9 << 16 | 16);
	assert_string_equal(show(irq), "?");
	rec_put(12, 4, 0xffffffff);
	assert_string_equal(show(irq), "?");
	rec_put(12, 4, 0);
	assert_string_equal(show(irq), "irq=9 name=");
}

static void test_constant_strings(void **state)
{
	const char *rcu = HEAD FIELD("const char * s", 8, 8, 0) PRINT "\"%s\", REC->s\n";

	(void)state;
	rec_new(16);
	rec_put(8, 8, 0xffffffff82000010);
	assert_string_equal(show(rcu), "Start");
	rec_put(8, 8, 0xffffffff82000011);
	assert_string_equal(show(rcu), "ffffffff82000011");
}

static void test_network(void **state)
{
	const char *mdb = HEAD FIELD("__data_loc char[] dev", 8, 4, 0) FIELD("__u8 src[16]", 18, 16, 0) FIELD("__u8 mac[6]", 50, 6, 0)
		FIELD("__u8 ip[4]", 56, 4, 0) PRINT "\"%s %pI6c %pI6/%pM %pI4 %pi4 %pI4h %pmR %pMF\", __get_str(dev), REC->src, "
						    "REC->src, REC->mac, REC->ip, REC->ip, REC->ip, REC->mac, REC->mac\n";
	const char *sock = HEAD FIELD("__u8 addr[28]", 8, 28, 0) FIELD("__data_loc u8[] b", 36, 4, 0) PRINT
		"\"%pISpc %pIS\", REC->addr, __get_sockaddr(b)\n";
	static const uint8_t v6[28] = { 10, 0, 0, 80, [8] = 0x20, 1, [23] = 1 };
	static const uint8_t v4[16] = { 2, 0, 0x1f, 0x90, 127, 0, 0, 1 };

	(void)state;
	rec_new(64);
	memcpy(rec + 18, v6 + 8, 16);
	memcpy(rec + 50, "\1\2\3\4\5\xff", 6);
	memcpy(rec + 56, "\12\0\0\1", 4);
	rec_dynamic(8, "br0", 4);
	assert_string_equal(show(mdb), "br0 2001::1 2001:0000:0000:0000:0000:0000:0000:0001/"
				       "01:02:03:04:05:ff 10.0.0.1 010.000.000.001 1.0.0.10 "
				       "ff0504030201 01-02-03-04-05-ff");
	memset(rec + 18, 0, 16);
	memcpy(rec + 28, "\xff\xff\12\1\2\3", 6);
	assert_non_null(strstr(show(mdb), "br0 ::ffff:10.1.2.3 "));
	rec_new(40);
	memcpy(rec + 8, v6, 28);
	rec_dynamic(36, v4, 16);
	assert_string_equal(show(sock), "[2001::1]:80 127.0.0.1");
	rec_put(36, 4, 8 << 16 | 40);
	assert_string_equal(show(sock), "[2001::1]:80 INVALIDIPv4");
}

static void test_bytes(void **state)
{
	const char *f = HEAD FIELD("u8 ll[32]", 8, 32, 0) FIELD("u8 len", 40, 1, 0) FIELD("__data_loc u64[] addrs", 44, 4, 0)
		FIELD("u8 fsid[16]", 48, 16, 0) PRINT "\"%s %s %s %pU %*ph\", __print_hex_str(REC->ll, REC->len), "
						      "__print_hex(REC->ll, REC->len), __print_array(__get_dynamic_array(addrs), "
						      "__get_dynamic_array_len(addrs) / sizeof(u64), sizeof(u64)), REC->fsid, 3, REC->ll\n";
	uint64_t addrs[] = { 0x1000, UINT64_MAX };

	(void)state;
	rec_new(64);
	for (int i = 0; i < 16; i++)
		rec[8 + i] = rec[48 + i] = (uint8_t)(i + 1);
	rec[40] = 3;
	rec_dynamic(44, addrs, 16);
	assert_string_equal(show(f), "010203 01 02 03 {0x1000,0xffffffffffffffff} "
				     "01020304-0506-0708-090a-0b0c0d0e0f10 01 02 03");
	rec[40] = 33; /* more than the field has */
	assert_string_equal(show(f), "?");
}

static void test_masks(void **state)
{
	const char *f = HEAD FIELD("__data_loc cpumask_t m", 8, 4, 0) FIELD("unsigned long nodes[2]", 16, 16, 0) PRINT
		"\"%s %s %*pbl\", __get_cpumask(m), __get_bitmask(m), 70, REC->nodes\n";
	uint64_t mask = 0x10f00000005;

	(void)state;
	rec_new(32);
	rec_put(16, 8, 1);
	rec_put(24, 8, 0xff);
	rec_dynamic(8, &mask, 8);
	assert_string_equal(show(f), "0,2,32-35,40 0000010f,00000005 0,64-69");
}

static void test_conversions(void **state)
{
	const char *f = HEAD FIELD("long x", 8, 8, 1) FIELD("s8 c", 16, 1, 1) PRINT
		"\"%5d|%-5d|%05ld|%+hhd|%#x|%o|%X|%c|%3s|%-4s|%.*s|%%|\\\"%s\\\"\\n\", REC->x, "
		"REC->x, REC->x, REC->c, REC->x, REC->x, REC->c, 'A' + 1, \"a\", \"b\", 2, \"cde\", "
		"\"f\" \"g\"\n";

	(void)state;
	rec_new(24);
	rec_put(8, 8, 0x10000000aULL);
	rec_put(16, 1, 0xff);
	assert_string_equal(show(f), "   10|10   |4294967306|-1|0xa|12|FFFFFFFF|B|  a|b   |cd|%|"
				     "\"fg\"\n");
	/* "%ld" of a machine with short longs */
	assert_non_null(strstr(show_sized(f, 4), "|00010|"));
}

/* Every combination of flags, width, precision and letter beside the C library's. */
static void test_numbers_as_printf(void **state)
{
	static const char *const flags[] = { "", "-", "0", "+", " ", "#", "-0", "+0", "#0", "+ #-0" };
	static const char *const amounts[] = { "", "1", "7", "25", ".0", ".3", "9.5", ".", "30.22" };
	static const uint64_t values[] = { 0, 1, 8, 255, INT64_MAX, UINT64_MAX, (uint64_t)-4095 };

	(void)state;
	rec_new(16);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		for (size_t j = 0; j < sizeof(amounts) / sizeof(amounts[0]); j++)
			for (const char *letter = "diuxXo"; *letter; letter++)
				for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
					char spec[32], format[1024], want[128];

					snprintf(spec, sizeof(spec), "%%%s%sll%c", flags[i], amounts[j], *letter);
					snprintf(format, sizeof(format), "%s%s%s\"%s\", REC->x\n", HEAD, FIELD("u64 x", 8, 8, 0), PRINT,
						 spec);
					snprintf(want, sizeof(want), spec, values[k]);
					rec_put(8, 8, values[k]);
					if (strcmp(show(format), want))
						fail_msg("%s gives '%s' instead of '%s'", spec, show(format), want);
				}
}

static void test_names_without_value(void **state)
{
	const char *f = HEAD FIELD("int x", 8, 4, 1) PRINT
		"\"%s %s\", __print_flags(REC->x, \"|\", { (1 << ONE), \"one\" }, { 2, \"two\" }), "
		"__print_symbolic(REC->x, { -3, \"minus\" }, { TWO, \"two\" }, { -1, ((void *)0) }, { })\n";

	(void)state;
	rec_new(16);
	rec_put(8, 4, 3);
	assert_string_equal(show(f), "two|0x1 0x3");
	rec_put(8, 4, (uint64_t)-3);
	assert_string_equal(show(f), "0xfffffffd minus");
	rec_put(8, 4, (uint64_t)-1);
	assert_string_equal(show(f), "two|0xfffffffd 0xffffffff");
}

/* No text grows without end. */
static void test_bounds(void **state)
{
	struct trace_text t = { 0 };
	char big[1000];

	(void)state;
	memset(big, 'x', sizeof(big));
	for (int i = 0; i < 1000; i++)
		trace_text_add(&t, big, sizeof(big));
	assert_int_equal(strlen(trace_text_get(&t)), TRACE_TEXT_MAX);
	trace_text_fini(&t);
	rec_new(16);
	rec_put(8, 4, INT32_MAX);
	assert_int_equal(strlen(show(HEAD FIELD("int x", 8, 4, 1) PRINT "\"%*d\", REC->x, 1\n")), 1024);
	rec_put(8, 4, (uint64_t)-5);
	assert_string_equal(show(HEAD FIELD("int x", 8, 4, 1) PRINT "\"%.*d\", REC->x, 1\n"), "1");
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"\"%d\"",	/* no argument */
		"\"\", REC->x", /* one too many */
		"\"%d\", REC->nobody",
		"\"%d\", REC->",
		"\"%d\", REC",
		"\"%d\", (REC->x",
		"\"%d\", REC->x)",
		"\"%d\", REC->x +",
		"\"%d\", REC->x ? 1",
		"\"%d\", REC->x[",
		"\"%d\", REC->x REC->x",
		"\"%d\", ,",
		"\"%d\", \"unterminated",
		"\"%d",
		"\"%d\\",
		"",
		"x",
		"\"%y\", REC->x",
		"\"%99999d\", REC->x",
		"\"%\", REC->x",
		"\"%*d\", REC->x",
		"\"%s\", __print_flags(REC->x, \"|\"",
		"\"%s\", __print_flags(REC->x)",
		"\"%s\", __print_symbolic(REC->x, { 1 })",
		"\"%s\", __print_symbolic(REC->x, { 1, \"a\" }, ",
		"\"%s\", __print_symbolic(REC->x, { 1, \"a\"",
		"\"%s\", __print_hex(1, 2)",
		"\"%s\", __print_array(REC->x, 1)",
		"\"%s\", __get_str(x)",
		"\"%s\", __get_str(nobody)",
		"\"%s\", __get_str()",
		"\"%d\", sizeof(struct foo)",
		"\"%d\", sizeof(",
		"\"%d\", system(1)",
		"\"%pI4\", 1",
		"\"%pI9\", REC->x",
		"\"%d\", 99999999999999999999",
		"\"%d\", 0x",
		"\"%d\", 1abc",
		"\"%d\", 'ab'",
		"\"%d\", '",
		"\"%d\", ({ int y = REC->x; y; })",
		"\"%d\", *REC->x",
		"\"%d\", REC->x.y",
		"\"%d\", @",
		"\"%d\", 1[0]",
	};
	char text[2048];

	(void)state;
	rec_new(16);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s%s\n", HEAD, FIELD("int x", 8, 4, 1), PRINT, bad[i]);
		if (strcmp(show(text), "!"))
			fail_msg("accepted: %s", bad[i]);
	}
}

/* Depth by nesting, height by chains, sizes: refused, not followed. */
static void test_too_deep(void **state)
{
	static const char *const units[] = { "(", "-", "1+", "1?", "(int)", "REC->x[", "1?1:", "!(1+" };
	const size_t size = 200000;
	char *text = malloc(size + 1000);

	(void)state;
	rec_new(16);
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		size_t n = (size_t)sprintf(text, "%s%s%s\"%%d\", ", HEAD, FIELD("int x", 8, 4, 1), PRINT);

		while (n < size)
			n += (size_t)sprintf(text + n, "%s", units[u]);
		sprintf(text + n, "1\n");
		assert_string_equal(show(text), "!");
	}
	free(text);
}

static void test_fields(void **state)
{
	const char *text = HEAD FIELD("__data_loc char[] s", 8, 4, 0) FIELD("u8 b[3]", 12, 3, 0) FIELD("s16 h", 16, 2, 1)
		FIELD("unsigned long l", 24, 8, 0) FIELD("void * p", 32, 8, 0) FIELD("u32 u", 40, 4, 0) FIELD("int far", 400, 4, 1) PRINT
		"({ nonsense })\n";
	struct trace_format f;
	struct trace_print p;
	struct trace_text out = { 0 };
	struct trace_record r = { .data = rec, .long_size = 8 };

	(void)state;
	rec_new(48);
	rec_dynamic(8, "two words", 10);
	memcpy(rec + 12, "\1\2\3", 3);
	rec_put(16, 2, (uint64_t)-7);
	rec_put(24, 8, 0xabc);
	rec_put(32, 8, 0xdef);
	rec_put(40, 4, UINT32_MAX);
	r.size = rec_size;
	assert_int_equal(trace_format_init(&f, text, strlen(text), 8), 0);
	assert_int_not_equal(trace_print_compile(&p, &f), 0);
	trace_print_fields(&f, &r, &out);
	assert_string_equal(trace_text_get(&out), " s=two words b=ARRAY[01, 02, 03] h=-7 l=0xabc "
						  "p=0xdef u=4294967295 far=?");
	trace_text_fini(&out);
	trace_format_fini(&f);
}

/* Each format that this kernel has compiles, but for those few that hold statements or call
 * functions of the kernel. */
static void test_this_kernel(void **state)
{
	static char text[TRACE_FORMAT_MAX_SIZE];
	uint32_t nr = 0, nr_bad = 0;
	glob_t g;

	(void)state;
	if (glob("/sys/kernel/tracing/events/*/*/format", 0, NULL, &g)) {
		print_message("no formats here: tracefs is not mounted, or not for us\n");
		skip();
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *in = fopen(g.gl_pathv[i], "r");
		struct trace_format f;
		struct trace_print p;
		size_t size;

		if (!in)
			continue;
		size = fread(text, 1, sizeof(text), in);
		fclose(in);
		if (!size)
			continue;
		nr++;
		if (trace_format_init(&f, text, size, 8) || trace_print_compile(&p, &f)) {
			nr_bad++;
			if (!memmem(text, size, "({", 2) && !memmem(text, size, "jiffies_to_msecs(", 17) &&
			    !memmem(text, size, "mc_event_error_type(", 20))
				print_message("does not compile: %s\n", g.gl_pathv[i]);
		}
		trace_format_fini(&f);
	}
	globfree(&g);
	print_message("%u of %u formats compile\n", nr - nr_bad, nr);
	assert_true(nr_bad <= nr / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sched_switch),
		cmocka_unit_test(test_syscalls),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_constant_strings),
		cmocka_unit_test(test_network),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_numbers_as_printf),
		cmocka_unit_test(test_names_without_value),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
