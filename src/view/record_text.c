/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One printer per record type. The text behind the type's name is the same for script and -D, except for loss records, where -D adds the
 * id of the event.
 */
#include "view/record_text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/escape.h"

/* " 100/101: [0x400000(0x1000) @ 0x2000": how both kinds of maps begin. */
static void put_map_range(struct out *o, const struct record_mmap *m)
{
	out_printf(o, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (int32_t)m->pid, (int32_t)m->tid, m->start, m->len, m->pgoff);
}

static void put_mmap(struct out *o, const struct session_record *sr)
{
	const struct record_mmap *m = &sr->rec.mmap;

	put_map_range(o, m);
	out_printf(o, "]: %c ", sr->header->misc & MISC_MMAP_DATA ? 'r' : 'x');
	escape_terminal_str(o, m->filename);
	out_char(o, '\n');
}

static void put_mmap2(struct out *o, const struct session_record *sr)
{
	const struct record_mmap *m = &sr->rec.mmap;

	put_map_range(o, m);
	if (sr->header->misc & MISC_MMAP_BUILD_ID && sr->rec.mmap.build_id_size) {
		out_str(o, " <");
		for (unsigned i = 0; i < m->build_id_size; i++)
			out_printf(o, "%02x", m->build_id[i]);
		out_char(o, '>');
	} else {
		out_printf(o, " %02x:%02x %" PRIu64 " %" PRIu64, m->maj, m->min, m->ino, m->ino_generation);
	}
	out_printf(o, "]: %c%c%c%c ", m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-',
		   m->flags & MAP_SHARED ? 's' : 'p');
	escape_terminal_str(o, m->filename);
	out_char(o, '\n');
}

static void put_comm(struct out *o, const struct session_record *sr)
{
	const struct record_comm *c = &sr->rec.comm;

	out_str(o, sr->header->misc & MISC_COMM_EXEC ? " exec: " : ": ");
	escape_terminal_str(o, c->comm);
	out_printf(o, ":%d/%d\n", (int32_t)c->pid, (int32_t)c->tid);
}

static void put_task(struct out *o, const struct session_record *sr)
{
	const struct record_task *t = &sr->rec.task;

	out_printf(o, "(%d:%d):(%d:%d)\n", (int32_t)t->pid, (int32_t)t->tid, (int32_t)t->ppid, (int32_t)t->ptid);
}

static void put_lost(struct out *o, const struct session_record *sr)
{
	out_printf(o, " lost %" PRIu64 "\n", sr->rec.lost.lost);
}

static void put_aux(struct out *o, const struct session_record *sr)
{
	const struct record_aux *a = &sr->rec.aux;

	out_printf(o, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s]\n", a->offset, a->size, a->flags,
		   a->flags & 1 ? "T" : "", a->flags & 2 ? "O" : "", a->flags & 4 ? "P" : "");
}

static void put_itrace_start(struct out *o, const struct session_record *sr)
{
	out_printf(o, " pid: %d tid: %d\n", (int32_t)sr->rec.pid_tid.pid, (int32_t)sr->rec.pid_tid.tid);
}

static void put_switch(struct out *o, const struct session_record *sr)
{
	bool out = sr->header->misc & MISC_SWITCH_OUT;
	const char *how = !out ? "IN         " : sr->header->misc & MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";

	out_printf(o, " %s", how);
	if (sr->header->type == RECORD_SWITCH_CPU_WIDE)
		out_printf(o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", (int32_t)sr->rec.pid_tid.pid, (int32_t)sr->rec.pid_tid.tid);
	out_char(o, '\n');
}

static void put_namespaces(struct out *o, const struct session_record *sr)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct record_namespaces *n = &sr->rec.namespaces;

	out_printf(o, " %d/%d - nr_namespaces: %u\n\t\t[", (int32_t)n->pid, (int32_t)n->tid, (uint32_t)n->nr);
	for (uint64_t i = 0; i < n->nr; i++) {
		if (i && i % 4 == 0)
			out_str(o, "\n\t\t ");
		out_printf(o, "%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i, i < sizeof(names) / sizeof(names[0]) ? names[i] : "UNKNOWN",
			   n->items[i].dev, n->items[i].ino, i + 1 < n->nr ? ", " : "]\n");
	}
	if (!n->nr)
		out_str(o, "]\n");
}

static void put_ksymbol(struct out *o, const struct session_record *sr)
{
	const struct record_ksymbol *k = &sr->rec.ksymbol;

	out_printf(o, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k->addr, k->len, k->ksym_type, k->flags);
	escape_terminal_str(o, k->name);
	out_char(o, '\n');
}

static void put_bpf_event(struct out *o, const struct session_record *sr)
{
	const struct record_bpf_event *b = &sr->rec.bpf_event;

	out_printf(o, " type %u, flags %u, id %u\n", b->bpf_type, b->flags, b->id);
}

static void put_cgroup(struct out *o, const struct session_record *sr)
{
	out_printf(o, " cgroup: %" PRIu64 " ", sr->rec.cgroup.id);
	escape_terminal_str(o, sr->rec.cgroup.path);
	out_char(o, '\n');
}

static void put_poked_bytes(struct out *o, const char *which, const uint8_t *bytes, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (i % 16 == 0)
			out_printf(o, "%s            %s bytes:", i ? "\n" : "", which);
		out_printf(o, " %02x", bytes[i]);
	}
	if (nr)
		out_char(o, '\n');
}

static void put_text_poke(struct out *o, const struct session_record *sr)
{
	const struct record_text_poke *t = &sr->rec.text_poke;

	/* perf prints the symbol between the two blanks; no symbols are loaded here. */
	out_printf(o, " %" PRIx64 "  old len %u new len %u\n", t->addr, t->old_len, t->new_len);
	put_poked_bytes(o, "Old", t->bytes, t->old_len);
	put_poked_bytes(o, "New", t->bytes + t->old_len, t->new_len);
}

static void put_hw_id(struct out *o, const struct session_record *sr)
{
	out_printf(o, " hw_id: 0x%" PRIx64 "\n", sr->rec.hw_id.hw_id);
}

static void put_throttle(struct out *o, const struct session_record *sr)
{
	out_printf(o, " id: %" PRIu64 "\n", sr->rec.throttle.id);
}

static void put_deferred(struct out *o, const struct session_record *sr)
{
	const struct record_callchain_deferred *d = &sr->rec.deferred;

	out_printf(o, " cookie: %#" PRIx64 " nr: %" PRIu64 "\n", d->cookie, d->nr);
}

void record_text(struct out *o, const struct session_record *sr)
{
	static void (*const printers[])(struct out *, const struct session_record *) = {
		[RECORD_MMAP] = put_mmap,
		[RECORD_LOST] = put_lost,
		[RECORD_COMM] = put_comm,
		[RECORD_EXIT] = put_task,
		[RECORD_THROTTLE] = put_throttle,
		[RECORD_UNTHROTTLE] = put_throttle,
		[RECORD_FORK] = put_task,
		[RECORD_MMAP2] = put_mmap2,
		[RECORD_AUX] = put_aux,
		[RECORD_ITRACE_START] = put_itrace_start,
		[RECORD_LOST_SAMPLES] = put_lost,
		[RECORD_SWITCH] = put_switch,
		[RECORD_SWITCH_CPU_WIDE] = put_switch,
		[RECORD_NAMESPACES] = put_namespaces,
		[RECORD_KSYMBOL] = put_ksymbol,
		[RECORD_BPF_EVENT] = put_bpf_event,
		[RECORD_CGROUP] = put_cgroup,
		[RECORD_TEXT_POKE] = put_text_poke,
		[RECORD_AUX_OUTPUT_HW_ID] = put_hw_id,
		[RECORD_CALLCHAIN_DEFERRED] = put_deferred,
	};
	uint32_t type = sr->header->type;
	const char *name = record_type_name(type);

	out_str(o, name ? name : "PERF_RECORD_UNKNOWN");
	if (type < sizeof(printers) / sizeof(printers[0]) && printers[type])
		printers[type](o, sr);
	else
		out_char(o, '\n');
}
