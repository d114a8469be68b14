/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/origin.c: which headers are of this machine, and under which names they list the kernel's build-id.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "session/session.h"

static struct origin_host here(void)
{
	struct origin_host h = { .hostname = "here", .osrelease = "6.18.0", .arch = "x86_64" };

	memset(h.kernel.bytes, 0xaa, 20);
	h.kernel.size = 20;
	return h;
}

static void list(struct perfdata_info *info, uint16_t misc, uint8_t fill, const char *path)
{
	struct perfdata_build_id *b = vec_add(&info->build_ids);

	*b = (struct perfdata_build_id){ .misc = misc, .pid = -1, .size = 20, .filename = path };
	memset(b->id, fill, 20);
}

/* Those of a pipe come one after the other: what is found must not depend on when it is asked for. */
static const struct perfdata_build_id *find_build_id(struct perfdata_info *info, enum module_kind kind, const char *path)
{
	const struct perfdata_build_id *found = NULL;
	struct known_build_ids known = { 0 };
	uint32_t nr = info->build_ids.nr;

	for (info->build_ids.nr = 0; info->build_ids.nr < nr;) {
		info->build_ids.nr++;
		found = known_build_ids_find(&known, info, kind, path);
	}
	known_build_ids_fini(&known);
	return found;
}

static struct origin find(const struct perfdata_info *info)
{
	struct origin_host h = here();
	struct origin o;

	origin_find(&o, info, &h);
	return o;
}

static void test_machines(void **state)
{
	struct perfdata_info info;
	struct origin o;

	(void)state;
	perfdata_info_init(&info);
	/* A header that says nothing speaks against nothing. */
	o = find(&info);
	assert_int_equal(o.place, ORIGIN_HERE);
	assert_false(o.is_same_kernel);
	info.hostname = "here";
	info.osrelease = "6.18.0";
	info.arch = "x86_64";
	assert_int_equal(find(&info).place, ORIGIN_HERE);
	info.arch = "i686"; /* a 32-bit perf */
	assert_int_equal(find(&info).place, ORIGIN_HERE);
	info.osrelease = "6.17.0";
	o = find(&info);
	assert_int_equal(o.place, ORIGIN_OTHER_KERNEL);
	assert_non_null(strstr(o.why, "kernel 6.17.0, this is 6.18.0"));
	info.hostname = "there";
	o = find(&info);
	assert_int_equal(o.place, ORIGIN_OTHER_MACHINE);
	assert_non_null(strstr(o.why, "host 'there', this is 'here'"));
	info.hostname = "here";
	info.arch = "aarch64";
	o = find(&info);
	assert_int_equal(o.place, ORIGIN_OTHER_MACHINE);
	assert_non_null(strstr(o.why, "aarch64"));
	info.arch = "x86_64";
	info.foreign_order = true;
	assert_int_equal(find(&info).place, ORIGIN_OTHER_MACHINE);
	perfdata_info_fini(&info);
}

static void test_kernels(void **state)
{
	static const char *const names[] = { "[kernel.kallsyms]",
					     "[kernel.vmlinux]",
					     "[kernel]",
					     "/lib/modules/6.1.0/build/vmlinux",
					     "/usr/lib/debug/lib/modules/6.1.0/vmlinux",
					     "/usr/lib/debug/boot/vmlinux-6.1.0",
					     "/proc/kcore" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct perfdata_info info;

		perfdata_info_init(&info);
		info.hostname = "here";
		list(&info, MISC_USER, 0x11, "/usr/bin/vmlinux");
		list(&info, MISC_GUEST_KERNEL, 0x22, "[guest.kernel.kallsyms]");
		list(&info, MISC_KERNEL, 0x33, "/lib/modules/6.1.0/kernel/fs/ext4.ko.xz");
		list(&info, MISC_KERNEL, 0x44, "[loop]");
		assert_null(find_build_id(&info, MODULE_KERNEL, "[kernel.kallsyms]"));
		list(&info, MISC_KERNEL, 0xbb, names[i]);
		assert_string_equal(find_build_id(&info, MODULE_KERNEL, "[kernel.kallsyms]")->filename, names[i]);
		assert_int_equal(find(&info).place, ORIGIN_OTHER_KERNEL);
		memset(info.build_ids.v[4].id, 0xaa, 20);
		assert_int_equal(find(&info).place, ORIGIN_HERE);
		assert_true(find(&info).is_same_kernel);
		/* A kernel that is proven to be the running one has its name for a reason of its own. */
		info.osrelease = "6.18.0-renamed";
		assert_int_equal(find(&info).place, ORIGIN_HERE);
		info.hostname = "there";
		assert_int_equal(find(&info).place, ORIGIN_OTHER_MACHINE);
		assert_true(find(&info).is_same_kernel);
		perfdata_info_fini(&info);
	}
}

static void test_files(void **state)
{
	struct perfdata_info info;

	(void)state;
	perfdata_info_init(&info);
	list(&info, MISC_KERNEL, 1, "/lib/modules/6.1.0/kernel/sound/snd-pcm.ko.zst");
	list(&info, MISC_KERNEL, 2, "[loop]");
	list(&info, MISC_USER, 3, "/usr/bin/snd.ko");
	assert_int_equal(find_build_id(&info, MODULE_KMODULE, "[snd_pcm]")->id[0], 1);
	assert_int_equal(find_build_id(&info, MODULE_KMODULE, "/elsewhere/snd-pcm.ko")->id[0], 1);
	assert_int_equal(find_build_id(&info, MODULE_KMODULE, "/x/loop.ko")->id[0], 2);
	assert_null(find_build_id(&info, MODULE_KMODULE, "[snd]"));
	assert_null(find_build_id(&info, MODULE_KMODULE, "/x/snd-pcm.kox"));
	assert_int_equal(find_build_id(&info, MODULE_ELF, "/usr/bin/snd.ko")->id[0], 3);
	assert_null(find_build_id(&info, MODULE_ELF, "/usr/bin/snd"));
	/* Twice the same is no doubt, another one is. */
	list(&info, MISC_USER, 3, "/usr/bin/snd.ko");
	assert_int_equal(find_build_id(&info, MODULE_ELF, "/usr/bin/snd.ko")->id[0], 3);
	list(&info, MISC_USER, 4, "/usr/bin/snd.ko");
	assert_null(find_build_id(&info, MODULE_ELF, "/usr/bin/snd.ko"));
	perfdata_info_fini(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
