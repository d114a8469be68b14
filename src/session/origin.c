/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each listed build-id has a key by its path and, for kernel code, another by what it is: the kernel, or the module of a name.
 *
 * The comparison of machines is strict: a renamed host counts as another one. A missing name can be fixed with --symfs, a wrong one is not
 * visible.
 */
#include "session/session.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "abi/record.h"

#define NO_ENTRY UINT32_MAX

enum key_kind { KEY_PATH = 'p', KEY_KERNEL = 'k', KEY_MODULE = 'm' };

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

static void set_key(struct known_build_ids *k, enum key_kind kind, const char *name, size_t len)
{
	k->key.len = 0;
	out_char(&k->key, (char)kind);
	out_mem(&k->key, name, len);
}

/* '-' in names of files is '_' in names of modules. */
static void set_module_key(struct known_build_ids *k, const struct kmodule_name *name)
{
	set_key(k, KEY_MODULE, name->text, name->len);
	for (size_t i = 0; i < k->key.len; i++)
		if (k->key.buf[i] == '-')
			k->key.buf[i] = '_';
}

/* The key of code of the kernel, by a name of its file. */
static void set_kernel_key(struct known_build_ids *k, const char *path)
{
	struct kmodule_name name;

	if (find_kmodule_name(path, &name))
		set_module_key(k, &name);
	else
		set_key(k, KEY_KERNEL, "", 0);
}

static struct known_build_id *at_key(struct known_build_ids *k)
{
	uint32_t id = strtab_intern_len(&k->keys, k->key.buf, k->key.len);

	while (k->known.nr <= id)
		vec_push(&k->known, ((struct known_build_id){ .entry = NO_ENTRY }));
	return &k->known.v[id];
}

static void add_at_key(struct known_build_ids *k, const struct perfdata_info *info, uint32_t entry)
{
	const struct perfdata_build_id *b = &info->build_ids.v[entry], *first;
	struct known_build_id *known = at_key(k);

	if (known->entry == NO_ENTRY) {
		known->entry = entry;
		return;
	}
	first = &info->build_ids.v[known->entry];
	known->is_ambiguous |= first->size != b->size || memcmp(first->id, b->id, b->size);
}

static void begin(struct known_build_ids *k)
{
	strtab_fini(&k->keys);
	strtab_init(&k->keys);
	k->known.nr = 0;
	k->nr_seen = 0;
	if (!k->is_ready)
		out_init(&k->key, -1);
	k->is_ready = true;
}

/* A list that came again took the place of the one before. */
static void see_all(struct known_build_ids *k, const struct perfdata_info *info)
{
	uint32_t nr = info->build_ids.nr;

	if (!k->is_ready || nr < k->nr_seen || (k->nr_seen && info->build_ids.v[k->nr_seen - 1].filename != k->last_seen))
		begin(k);
	for (; k->nr_seen < nr; k->nr_seen++) {
		const struct perfdata_build_id *b = &info->build_ids.v[k->nr_seen];

		k->last_seen = b->filename;
		if (!b->size)
			continue;
		set_key(k, KEY_PATH, b->filename, strlen(b->filename));
		add_at_key(k, info, k->nr_seen);
		if ((b->misc & MISC_CPUMODE_MASK) != MISC_KERNEL)
			continue;
		set_kernel_key(k, b->filename);
		add_at_key(k, info, k->nr_seen);
	}
}

const struct perfdata_build_id *known_build_ids_find(struct known_build_ids *k, const struct perfdata_info *info, enum module_kind kind,
						     const char *path)
{
	struct kmodule_name name;
	const struct known_build_id *known;

	see_all(k, info);
	if (kind == MODULE_KERNEL) {
		set_key(k, KEY_KERNEL, "", 0);
	} else if (kind == MODULE_KMODULE) {
		if (!find_kmodule_name(path, &name))
			return NULL;
		set_module_key(k, &name);
	} else {
		set_key(k, KEY_PATH, path, strlen(path));
	}
	known = at_key(k);
	return known->entry == NO_ENTRY || known->is_ambiguous ? NULL : &info->build_ids.v[known->entry];
}

void known_build_ids_fini(struct known_build_ids *k)
{
	strtab_fini(&k->keys);
	vec_fini(&k->known);
	out_fini(&k->key);
	*k = (struct known_build_ids){ 0 };
}

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
	} families[] = { { "i386", "x86_64" }, { "i486", "x86_64" },   { "i586", "x86_64" },	{ "i686", "x86_64" },
			 { "x86", "x86_64" },  { "arm64", "aarch64" }, { "armv8l", "aarch64" }, { "armv8b", "aarch64" } };

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
