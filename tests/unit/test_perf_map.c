/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/perf_map.h: lines, overwritten functions, and whose files are believed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbols/symbol_readers.h"

static struct symtab *parse(const char *text)
{
	struct symtab *t = symtab_new();

	t->text = mem_strdup(text);
	perf_map_parse(t, t->text, strlen(text));
	return t;
}

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = symtab_find(t, addr);

	return s ? s->name : "none";
}

static void test_lines(void **state)
{
	struct symtab *t = parse("7f0000001000 40 LazyCompile:~foo bar.js:1:2\n"
				 "0x7f0000002000 0x10 prefixed\r\n"
				 "7f0000003000 0 no size\n"
				 "not a line\n"
				 "7f0000004000 10\n"
				 "7f0000004000 10 \n"
				 "7f0000004000  10 two blanks\n"
				 "ffffffffffffffff 10 wraps\n"
				 "11112222333344445 10 too long\n"
				 "7f0000005000 10 cut off in the mid");

	(void)state;
	assert_int_equal(t->symbols.nr, 3);
	assert_string_equal(name_at(t, 0x7f000000103f), "LazyCompile:~foo bar.js:1:2");
	assert_string_equal(name_at(t, 0x7f0000001040), "none");
	assert_string_equal(name_at(t, 0x7f0000002000), "prefixed");
	assert_string_equal(name_at(t, 0x7f0000003000), "no size");
	assert_string_equal(name_at(t, 0x7f0000003001), "none");
	symtab_free(t);
}

static void test_later_lines_win(void **state)
{
	struct symtab *t = parse("1000 100 old\n"
				 "1080 100 dead\n"
				 "3000 100 kept\n"
				 "1000 100 new\n"
				 "1020 10 inside\n"
				 "3010 10 first at 3010\n"
				 "3010 10 second at 3010\n");

	(void)state;
	assert_string_equal(name_at(t, 0x1000), "new");
	assert_string_equal(name_at(t, 0x1025), "inside");
	assert_string_equal(name_at(t, 0x1030), "new");
	assert_string_equal(name_at(t, 0x10c0), "new");
	assert_string_equal(name_at(t, 0x1100), "none");
	assert_string_equal(name_at(t, 0x3011), "second at 3010");
	assert_string_equal(name_at(t, 0x3020), "kept");
	symtab_free(t);
}

static int load(const char *path, struct perf_map_owner owner, struct errbuf *eb)
{
	struct symtab *t = symtab_new();
	int err = perf_map_load(t, path, owner, eb);

	if (!err)
		assert_string_equal(name_at(t, 0x1001), "f");
	else
		assert_int_equal(t->symbols.nr, 0);
	symtab_free(t);
	return err;
}

static void test_trust(void **state)
{
	char dir[] = "/tmp/assay-test-XXXXXX", path[64], other[64];
	struct perf_map_owner nobody = { 0 };
	struct errbuf eb = { 0 };
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/perf-1.map", dir);
	snprintf(other, sizeof(other), "%s/perf-2.map", dir);
	assert_int_equal(load(path, nobody, &eb), -ENOENT);
	f = fopen(path, "w");
	fputs("1000 10 f\n", f);
	fclose(f);
	chmod(path, 0644);
	errbuf_clear(&eb);
	assert_int_equal(load(path, nobody, &eb), 0);
	assert_string_equal(eb.text, "");

	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(load(other, nobody, &eb), -EPERM);
	assert_non_null(strstr(eb.text, "symbolic link"));
	unlink(other);
	assert_int_equal(mkfifo(other, 0600), 0);
	errbuf_clear(&eb);
	assert_int_equal(load(other, nobody, &eb), -EPERM);
	unlink(other);

	chmod(path, 0646);
	errbuf_clear(&eb);
	assert_int_equal(load(path, nobody, &eb), -EPERM);
	chmod(path, 0644);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		errbuf_clear(&eb);
		assert_int_equal(load(path, nobody, &eb), -EPERM);
		assert_non_null(strstr(eb.text, "12345"));
		assert_int_equal(load(path, (struct perf_map_owner){ 12345, true }, NULL), 0);
		assert_int_equal(load(path, (struct perf_map_owner){ 12346, true }, NULL), -EPERM);
	}
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_later_lines_win),
		cmocka_unit_test(test_trust),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
