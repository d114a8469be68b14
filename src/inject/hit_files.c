/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which files samples were in, by the maps of the session, and which build-ids these have.
 */
#include "inject/hit_files.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "symbols/file_identity.h"

void hit_files_fini(struct hit_files *h)
{
	vec_fini(&h->is_hit);
}

static void see(struct hit_files *h, struct session *s, const struct task *task, uint64_t ip, unsigned cpumode)
{
	uint32_t dso = machine_locate(&s->machine, task, ip, cpumode).dso;

	while (h->is_hit.nr <= dso)
		vec_push(&h->is_hit, false);
	h->is_hit.v[dso] = true;
}

void hit_files_see_sample(struct hit_files *h, struct session *s, const struct session_record *sr)
{
	const struct sample *sample = &sr->rec.sample;
	unsigned cpumode = sr->header->misc & MISC_CPUMODE_MASK;

	if (!sr->task)
		return;
	if (s->recording.info->events.v[sr->event].attr.sample_type & SAMPLE_IP)
		see(h, s, sr->task, sample->ip, cpumode);
	for (uint64_t i = 0; i < sample->nr_ips; i++) {
		uint64_t ip = sample->ips[i];

		if (ip < CHAIN_MARK_MIN)
			see(h, s, sr->task, ip, cpumode);
		else if (ip == CHAIN_KERNEL || ip == CHAIN_USER)
			cpumode = ip == CHAIN_KERNEL ? MISC_KERNEL : MISC_USER;
	}
}

void hit_files_see_map(struct hit_files *h, struct session *s, const struct session_record *sr)
{
	if (sr->task)
		see(h, s, sr->task, sr->rec.mmap.start, sr->header->misc & MISC_CPUMODE_MASK);
}

/* Of a file at its path, if it is the recorded one. */
static uint8_t read_build_id(const struct dso *d, uint8_t id[BUILD_ID_MAX])
{
	struct file_identity now = { 0 };
	struct errbuf why = { "" };
	int size, fd = io_open_regular(d->path);

	if (fd < 0)
		return 0;
	if (file_identity_of_fd(fd, &now) || file_identity_check(&d->identity, &now, d->path, &why)) {
		log_info("%s", why.text);
		close(fd);
		return 0;
	}
	close(fd);
	size = symbolizer_build_id(d->path, id);
	return size > 0 ? (uint8_t)size : 0;
}

static struct perfdata_build_id build_id_of_dso(const struct session *s, const struct dso *d)
{
	struct perfdata_build_id b = {
		.misc = d->kind == MODULE_KERNEL || d->kind == MODULE_KMODULE ? MISC_KERNEL : MISC_USER,
		.pid = -1,
		.size = d->build_id_size,
		.filename = d->path,
	};
	int size;

	memcpy(b.id, d->build_id, sizeof(b.id));
	if (b.size || !origin_is_here(&s->origin))
		return b;
	if (d->kind == MODULE_ELF) {
		b.size = read_build_id(d, b.id);
	} else {
		size = symbolizer_build_id(d->kind == MODULE_KERNEL ? "[kernel.kallsyms]" : d->path, b.id);
		b.size = size > 0 ? (uint8_t)size : 0;
	}
	return b;
}

void hit_files_list(struct hit_files *h, struct session *s, struct perfdata_info *info)
{
	for (uint32_t i = 1; i < h->is_hit.nr; i++) {
		const struct dso *d = dso_table_get(&s->machine.dsos, i);
		struct perfdata_build_id b;

		if (!h->is_hit.v[i] || d->kind == MODULE_JIT || d->kind == MODULE_NONE ||
		    known_build_ids_find(&s->build_ids, s->recording.info, d->kind, d->path))
			continue;
		b = build_id_of_dso(s, d);
		if (b.size) {
			vec_push(&info->build_ids, b);
			continue;
		}
		h->nr_unknown++;
		h->an_unknown = d->path;
	}
}
