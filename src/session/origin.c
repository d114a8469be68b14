/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The comparison is strict: a host that was renamed since counts as another one. A name that is missing can be had by --symfs, a wrong
 * one cannot be seen.
 */
#include "session/origin.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "session/known_build_ids.h"

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
	struct known_build_ids known = { 0 };
	const struct perfdata_build_id *entry = known_build_ids_find(&known, info, MODULE_KERNEL, "");
	struct build_id recorded = entry ? build_id_of(entry->id, entry->size) : (struct build_id){ 0 };
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];

	known_build_ids_fini(&known);
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
