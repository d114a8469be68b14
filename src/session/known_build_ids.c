/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each entry has a key by its path and, where it is code of the kernel, another by what it is: the kernel, or the module of a name.
 */
#include "session/known_build_ids.h"

#include <string.h>

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
