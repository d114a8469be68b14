/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The comparison is strict: a host that was renamed since counts as another one. A name that is missing can be had by --symfs, a wrong
 * one cannot be seen.
 */
#include "session/origin.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "abi/record.h"

void origin_host_init(struct origin_host *here)
{
	struct utsname u;

	*here = (struct origin_host){ .kernel = build_id_of_kernel() };
	if (uname(&u) != 0)
		return;
	snprintf(here->hostname, sizeof(here->hostname), "%s", u.nodename);
	snprintf(here->osrelease, sizeof(here->osrelease), "%s", u.release);
	snprintf(here->arch, sizeof(here->arch), "%s", u.machine);
}

struct kmodule_name {
	const char *text;
	size_t len;
};

/* The name of the module that "/lib/modules/…/snd-pcm.ko.xz" or "[snd_pcm]" is; false: it is the kernel's. */
static bool find_kmodule_name(const char *path, struct kmodule_name *name)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *ko;

	if (path[0] == '[') {
		if (!strncmp(path, "[kernel", strlen("[kernel")) || !strncmp(path, "[guest.kernel", strlen("[guest.kernel")))
			return false;
		*name = (struct kmodule_name){ path + 1, strcspn(path + 1, "]") };
		return true;
	}
	ko = strstr(base, ".ko");
	if (!ko || (ko[3] && strcmp(ko + 3, ".gz") && strcmp(ko + 3, ".xz") && strcmp(ko + 3, ".zst")))
		return false;
	*name = (struct kmodule_name){ base, (size_t)(ko - base) };
	return true;
}

/* '-' in names of files is '_' in names of modules. */
static bool is_same_name(const struct kmodule_name *a, const struct kmodule_name *b)
{
	if (a->len != b->len)
		return false;
	for (size_t i = 0; i < a->len; i++)
		if ((a->text[i] == '-' ? '_' : a->text[i]) != (b->text[i] == '-' ? '_' : b->text[i]))
			return false;
	return true;
}

/* There is an entry for each module, and each module asks. */
static bool is_same_kernel_file(const struct perfdata_build_id *b, enum module_kind kind, const char *path)
{
	struct kmodule_name listed, asked;
	bool is_module;

	if ((b->misc & MISC_CPUMODE_MASK) != MISC_KERNEL)
		return false;
	is_module = find_kmodule_name(b->filename, &listed);
	if (kind == MODULE_KERNEL)
		return !is_module;
	return is_module && find_kmodule_name(path, &asked) && is_same_name(&listed, &asked);
}

const struct perfdata_build_id *origin_find_build_id(const struct perfdata_info *info, enum module_kind kind, const char *path)
{
	bool is_kernel = kind == MODULE_KERNEL || kind == MODULE_KMODULE;
	const struct perfdata_build_id *found = NULL;

	for (uint32_t i = 0; i < info->build_ids.nr; i++) {
		const struct perfdata_build_id *b = &info->build_ids.v[i];

		if (!b->size || !(is_kernel ? is_same_kernel_file(b, kind, path) : !strcmp(b->filename, path)))
			continue;
		/* Several files had that path: which one is meant is not known. */
		if (found && (found->size != b->size || memcmp(found->id, b->id, b->size)))
			return NULL;
		if (!found)
			found = b;
	}
	return found;
}

/* uname's names of one architecture: 32-bit programs see another than 64-bit ones. */
static const char *arch_family(const char *arch)
{
	static const struct {
		const char *name, *family;
	} families[] = { { "i386", "x86_64" },	 { "i486", "x86_64" },	{ "i586", "x86_64" },  { "i686", "x86_64" }, { "x86", "x86_64" },
			 { "arm64", "aarch64" }, { "armv8l", "aarch64" }, { "armv8b", "aarch64" } };

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strcmp(arch, families[i].name))
			return families[i].family;
	return arch;
}

/* True where both are known and differ. */
static bool differ(const char *recorded, const char *here)
{
	return recorded && *recorded && *here && strcmp(recorded, here);
}

static bool compare_machines(struct origin *o, const struct perfdata_info *info, const struct origin_host *here)
{
	if (info->foreign_order)
		snprintf(o->why, sizeof(o->why), "it was recorded on a machine of the other byte order");
	else if (info->arch && differ(arch_family(info->arch), arch_family(here->arch)))
		snprintf(o->why, sizeof(o->why), "it was recorded on %.32s, this is %.32s", info->arch, here->arch);
	else if (differ(info->hostname, here->hostname))
		snprintf(o->why, sizeof(o->why), "it was recorded on host '%.64s', this is '%.64s'", info->hostname, here->hostname);
	return o->why[0];
}

static bool compare_kernels(struct origin *o, const struct perfdata_info *info, const struct origin_host *here)
{
	const struct perfdata_build_id *entry = origin_find_build_id(info, MODULE_KERNEL, "");
	struct build_id recorded = entry ? build_id_of(entry->id, entry->size) : (struct build_id){ 0 };
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];

	o->is_same_kernel = build_id_equal(&recorded, &here->kernel);
	if (build_id_differ(&recorded, &here->kernel))
		snprintf(o->why, sizeof(o->why), "it was recorded under another kernel (build-id %s, now %s)", build_id_hex(&recorded, was),
			 build_id_hex(&here->kernel, now));
	else if (!o->is_same_kernel && differ(info->osrelease, here->osrelease))
		snprintf(o->why, sizeof(o->why), "it was recorded under kernel %.64s, this is %.64s", info->osrelease, here->osrelease);
	return o->why[0];
}

void origin_find(struct origin *o, const struct perfdata_info *info, const struct origin_host *here)
{
	struct origin kernel = { 0 };
	bool is_other_kernel = compare_kernels(&kernel, info, here);

	*o = (struct origin){ .is_same_kernel = kernel.is_same_kernel };
	if (compare_machines(o, info, here)) {
		o->place = ORIGIN_OTHER_MACHINE;
	} else if (is_other_kernel) {
		*o = kernel;
		o->place = ORIGIN_OTHER_KERNEL;
	}
}
