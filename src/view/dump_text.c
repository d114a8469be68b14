/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The frame of -D (offset, bytes, time, type) and the fields of perf's own records, one printer per
 * type in one table. Kernel records are printed by record_text.c, samples by dump_sample.c.
 */

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/escape.h"
#include "view/record_text.h"

#define BYTES_PER_LINE 16u
#define PIPE_HEADER_SIZE 16u /* offsets in a pipe are counted from behind it */
#define UNHANDLED ": unhandled!\n"

static void put_bytes(struct out *o, const struct record_header *h)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *data = (const uint8_t *)h;

	out_printf(o, ".\n. ... raw event: size %u bytes\n", h->size);
	for (uint32_t line = 0; line < h->size; line += BYTES_PER_LINE) {
		char hex[3 * BYTES_PER_LINE], text[BYTES_PER_LINE];

		memset(hex, ' ', sizeof(hex));
		memset(text, ' ', sizeof(text));
		for (uint32_t i = 0; i < BYTES_PER_LINE && line + i < h->size; i++) {
			uint8_t c = data[line + i];

			hex[3 * i + 1] = digits[c >> 4];
			hex[3 * i + 2] = digits[c & 15];
			text[i] = c >= ' ' && c < 0x7f ? (char)c : '.';
		}
		out_printf(o, ".  %04x: %.*s  %.*s\n", line, (int)sizeof(hex), hex, (int)sizeof(text), text);
	}
	out_char(o, '\n');
}

/* CPU and time, where the file's events have them; 0 for perf's own records. */
static void put_stamp(struct out *o, const struct recording *r, const struct session_record *sr)
{
	uint32_t type = sr->header->type, nr = r->info->events.nr;
	bool own = type >= RECORD_USER_FIRST;
	bool sample = type == RECORD_SAMPLE;
	uint64_t sample_type = 0;

	if (type == RECORD_HEADER_ATTR && nr) /* an event that is made by this very record does not count yet */
		nr--;
	if (!sample && (!nr || !r->info->events.v[0].layout.id_all)) {
		out_str(o, "-1 -1 ");
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		sample_type |= r->info->events.v[i].layout.sample_type;
	if (sample_type & SAMPLE_CPU)
		out_printf(o, "%u ", own ? 0 : sample ? sr->rec.sample.cpu : sr->rec.id.cpu);
	if (sample_type & SAMPLE_TIME)
		out_printf(o, "%" PRIu64 " ", own ? 0 : sample ? sr->rec.sample.time_ns : sr->rec.id.time_ns);
}

static void put_string(struct out *o, struct bytes *b)
{
	const char *s = (const char *)b->pos;

	escape_terminal(o, s, strnlen(s, bytes_left(b)));
}

static void put_id_index(struct out *o, struct bytes *b)
{
	uint64_t nr = bytes_u64(b);

	out_printf(o, " nr: %" PRIu64 "\n", nr);
	for (uint64_t i = 0; i < nr && bytes_has(b, 1, 32); i++) {
		uint64_t id = bytes_u64(b), idx = bytes_u64(b), cpu = bytes_u64(b), tid = bytes_u64(b);

		out_printf(o, " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64 "\n", id, idx, (int64_t)cpu,
			   (int64_t)tid);
	}
}

static void put_thread_map(struct out *o, struct bytes *b)
{
	uint64_t nr = bytes_u64(b);

	out_printf(o, " nr: %" PRIu64 " thread%s: ", nr, nr > 1 ? "s" : "");
	for (uint64_t i = 0; i < nr && bytes_has(b, 1, 24); i++) {
		out_printf(o, "%s%d", i ? ", " : "", (int32_t)bytes_u64(b));
		bytes_take(b, 16); /* its comm */
	}
	out_char(o, '\n');
}

/* A list of CPUs as ranges, fed one by one in rising order. */
struct cpu_ranges {
	struct out *o;
	int64_t first, last; /* -1: none yet */
	bool any;
};

static void cpu_ranges_flush(struct cpu_ranges *r)
{
	if (r->first < 0)
		return;
	out_printf(r->o, "%s%" PRId64, r->any ? "," : "", r->first);
	if (r->last > r->first)
		out_printf(r->o, "-%" PRId64, r->last);
	r->any = true;
	r->first = -1;
}

static void cpu_ranges_add(struct cpu_ranges *r, uint32_t cpu)
{
	if (r->first >= 0 && cpu == r->last + 1) {
		r->last = cpu;
		return;
	}
	cpu_ranges_flush(r);
	r->first = r->last = cpu;
}

static void put_cpu_mask(struct cpu_ranges *r, struct bytes *b)
{
	uint32_t nr = bytes_u16(b), word_size = bytes_u16(b);

	if (word_size == 8)
		bytes_take(b, 4); /* padding, of 64-bit masks only */
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		uint64_t word = word_size == 8 ? bytes_u64(b) : bytes_u32(b);

		for (uint32_t bit = 0; bit < word_size * 8 && bit < 64; bit++)
			if (word >> bit & 1)
				cpu_ranges_add(r, i * word_size * 8 + bit);
	}
}

/* A list, a mask or a range, as its type says. False where it is none of them. */
static bool put_cpus(struct out *o, struct bytes *b)
{
	struct cpu_ranges r = { .o = o, .first = -1 };
	uint32_t type = bytes_u16(b), nr, last;

	switch (type) {
	case 0:
		nr = bytes_u16(b);
		for (uint32_t i = 0; i < nr && bytes_has(b, 1, 2); i++)
			cpu_ranges_add(&r, bytes_u16(b));
		break;
	case 1:
		put_cpu_mask(&r, b);
		break;
	case 2:
		bytes_u16(b); /* whether "any CPU" is one of them: not shown */
		nr = bytes_u16(b);
		last = bytes_u16(b);
		for (; nr <= last && !b->failed; nr++)
			cpu_ranges_add(&r, nr);
		break;
	default:
		return false;
	}
	cpu_ranges_flush(&r);
	return true;
}

static void put_cpu_map(struct out *o, struct bytes *b)
{
	out_str(o, ": ");
	if (!put_cpus(o, b))
		out_str(o, "failed to get cpumap from event");
	out_char(o, '\n');
}

static void put_stat_config(struct out *o, struct bytes *b)
{
	uint64_t nr = bytes_u64(b), values[3] = { 0 }; /* aggr_mode, interval, scale */

	for (uint64_t i = 0; i < nr && bytes_has(b, 1, 16); i++) {
		uint64_t tag = bytes_u64(b), value = bytes_u64(b);

		if (tag < 3)
			values[tag] = value;
	}
	out_printf(o, "\n... aggr_mode %d\n... scale     %d\n... interval  %u\n", (int32_t)values[0], (int32_t)values[2],
		   (uint32_t)values[1]);
}

static void put_stat(struct out *o, struct bytes *b)
{
	uint64_t id = bytes_u64(b);
	uint32_t cpu = bytes_u32(b), thread = bytes_u32(b);
	uint64_t value = bytes_u64(b), enabled = bytes_u64(b), running = bytes_u64(b);

	out_printf(o, "\n... id %" PRIu64 ", cpu %d, thread %d\n", id, (int32_t)cpu, (int32_t)thread);
	out_printf(o, "... value %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64 "\n", value, enabled, running);
}

static void put_stat_round(struct out *o, struct bytes *b)
{
	uint64_t type = bytes_u64(b), time = bytes_u64(b);

	out_printf(o, "\n... time %" PRIu64 ", type %s\n", time, type ? "FINAL" : "INTERVAL");
}

static void put_event_update(struct out *o, struct bytes *b)
{
	uint64_t type = bytes_u64(b), id = bytes_u64(b), bits;
	double scale;

	out_printf(o, "\n... id:    %" PRIu64 "\n", id);
	switch (type) {
	case 0:
	case 2:
		out_str(o, type ? "... name:  " : "... unit:  ");
		put_string(o, b);
		break;
	case 1:
		bits = bytes_u64(b);
		memcpy(&scale, &bits, sizeof(scale));
		out_printf(o, "... scale: %f", scale);
		break;
	case 3:
		out_str(o, "... ");
		if (!put_cpus(o, b))
			out_str(o, "failed to get cpus");
		break;
	default:
		out_str(o, "... unknown type");
		break;
	}
	out_char(o, '\n');
}

static void put_time_conv(struct out *o, struct bytes *b)
{
	uint64_t shift = bytes_u64(b), mult = bytes_u64(b), zero = bytes_u64(b);

	out_printf(o, "\n... Time Shift      %" PRIu64 "\n", shift);
	out_printf(o, "... Time Muliplier  %" PRIu64 "\n", mult);
	out_printf(o, "... Time Zero       %" PRIu64 "\n", zero);
	if (!bytes_left(b)) /* older, shorter ones end here */
		return;

	uint64_t cycles = bytes_u64(b), mask = bytes_u64(b);
	unsigned cap_zero = bytes_u8(b), cap_short = bytes_u8(b);

	out_printf(o, "... Time Cycles     %" PRIu64 "\n", cycles);
	out_printf(o, "... Time Mask       %#" PRIx64 "\n", mask);
	out_printf(o, "... Cap Time Zero   %u\n... Cap Time Short  %u\n", cap_zero, cap_short);
}

static void put_auxtrace_info(struct out *o, struct bytes *b)
{
	out_printf(o, " type: %u\n", bytes_u32(b));
}

static void put_auxtrace(struct out *o, struct bytes *b)
{
	uint64_t size = bytes_u64(b), offset = bytes_u64(b), reference = bytes_u64(b);
	uint32_t idx = bytes_u32(b), tid = bytes_u32(b), cpu = bytes_u32(b);

	out_printf(o, " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64 "  idx: %u  tid: %d  cpu: %d\n", size, offset, reference,
		   idx, (int32_t)tid, (int32_t)cpu);
}

static void put_auxtrace_error(struct out *o, struct bytes *b)
{
	uint32_t type = bytes_u32(b), code = bytes_u32(b), cpu = bytes_u32(b), pid = bytes_u32(b);
	uint32_t tid = bytes_u32(b), format = bytes_u32(b);
	uint64_t ip = bytes_u64(b), time_ns = format ? bytes_u64(b) : 0;

	out_printf(o, " %s error type %u time ", type == 1 ? "instruction trace" : "unknown", type);
	if (time_ns)
		out_printf(o, "%" PRIu64 ".%09" PRIu64, time_ns / 1000000000, time_ns % 1000000000);
	else
		out_char(o, '0');
	out_printf(o, " cpu %d pid %d tid %d ip %#" PRIx64 " code %u: ", (int32_t)cpu, (int32_t)pid, (int32_t)tid, ip, code);
	put_string(o, b);
	out_char(o, '\n');
}

static void put_nothing(struct out *o, struct bytes *b)
{
	(void)b;
	out_char(o, '\n');
}

/* What follows the fields. */
enum {
	SCRIPT_SILENT = 1,    /* perf script takes the record in and shows no fields, not even a line end */
	SCRIPT_UNHANDLED = 2, /* says after the fields that it was not handled */
	REPORT_UNHANDLED = 4,
	REPORT_NO_FIELDS = 8,
};

static const struct {
	void (*put)(struct out *o, struct bytes *b);
	unsigned after;
} own_records[RECORD_TYPE_MAX - RECORD_USER_FIRST] = {
#define OWN(type) [RECORD_##type - RECORD_USER_FIRST]
	OWN(FINISHED_ROUND) = { put_nothing, 0 },
	OWN(ID_INDEX) = { put_id_index, 0 },
	OWN(AUXTRACE_INFO) = { put_auxtrace_info, 0 },
	OWN(AUXTRACE) = { put_auxtrace, 0 },
	OWN(AUXTRACE_ERROR) = { put_auxtrace_error, REPORT_UNHANDLED | REPORT_NO_FIELDS },
	OWN(THREAD_MAP) = { put_thread_map, REPORT_UNHANDLED },
	OWN(CPU_MAP) = { put_cpu_map, REPORT_UNHANDLED },
	OWN(STAT_CONFIG) = { put_stat_config, SCRIPT_SILENT | REPORT_UNHANDLED },
	OWN(STAT) = { put_stat, SCRIPT_SILENT | REPORT_UNHANDLED },
	OWN(STAT_ROUND) = { put_stat_round, SCRIPT_SILENT | REPORT_UNHANDLED },
	OWN(EVENT_UPDATE) = { put_event_update, 0 },
	OWN(TIME_CONV) = { put_time_conv, SCRIPT_UNHANDLED | REPORT_UNHANDLED },
	OWN(FINISHED_INIT) = { NULL, SCRIPT_UNHANDLED | REPORT_UNHANDLED },
#undef OWN
};

static void dump_own_record(struct out *o, const struct record_header *h, enum dump_reader reader)
{
	struct bytes b = bytes_of(h + 1, h->size - sizeof(*h), false);
	uint32_t i = h->type - RECORD_USER_FIRST;
	unsigned after;

	if (h->type >= RECORD_TYPE_MAX)
		return;
	after = own_records[i].after;
	if (own_records[i].put && !(after & (reader == DUMP_REPORT ? REPORT_NO_FIELDS : SCRIPT_SILENT)))
		own_records[i].put(o, &b);
	if (after & (reader == DUMP_REPORT ? REPORT_UNHANDLED : SCRIPT_UNHANDLED))
		out_str(o, UNHANDLED);
}

static void dump_read(struct out *o, const struct recording *recording, const struct session_record *sr)
{
	const struct record_read *r = &sr->rec.read;
	const struct perfdata_event *e;
	struct sample_read_value v;

	if (sr->event < 0 || !r->read.nr) {
		out_char(o, '\n');
		return;
	}
	e = &recording->info->events.v[sr->event];
	v = sample_read_get(&e->layout, &r->read, 0);
	out_printf(o, ": %d %d ", (int32_t)r->pid, (int32_t)r->tid);
	escape_terminal_str(o, e->name);
	out_printf(o, " %" PRIu64 "\n", v.value);
	if (e->layout.read_format & READ_TOTAL_TIME_ENABLED)
		out_printf(o, "... time enabled : %" PRIu64 "\n", r->read.time_enabled);
	if (e->layout.read_format & READ_TOTAL_TIME_RUNNING)
		out_printf(o, "... time running : %" PRIu64 "\n", r->read.time_running);
	if (e->layout.read_format & READ_ID)
		out_printf(o, "... id           : %" PRIu64 "\n", v.id);
	if (e->layout.read_format & READ_LOST)
		out_printf(o, "... lost         : %" PRIu64 "\n", v.lost);
}

/* Kernel records: record_text(), except for those that -D prints differently. */
static void dump_kernel_record(struct out *o, const struct recording *r, const struct session_record *sr, enum dump_reader reader)
{
	const char *name = record_type_name(sr->header->type);

	switch (sr->header->type) {
	case RECORD_SAMPLE:
		out_str(o, name);
		dump_sample(o, r, sr);
		break;
	case RECORD_LOST:
		out_printf(o, "%s: id:%" PRIu64 ": lost:%" PRIu64 "\n", name, sr->rec.lost.id, sr->rec.lost.lost);
		break;
	case RECORD_LOST_SAMPLES:
		out_printf(o, "%s: id:%" PRIu64 ": lost samples :%" PRIu64 "\n", name, sr->rec.id.id, sr->rec.lost.lost);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		out_str(o, name);
		if (reader == DUMP_REPORT)
			out_str(o, UNHANDLED);
		break;
	case RECORD_READ:
		out_str(o, name);
		dump_read(o, r, sr);
		if (reader == DUMP_SCRIPT)
			out_str(o, UNHANDLED);
		break;
	default:
		record_text(o, sr);
		break;
	}
}

void dump_record(struct out *o, const char *path, const struct recording *r, const struct session_record *sr, enum dump_reader reader)
{
	const struct record_header *h = sr->header;
	const char *name = record_type_name(h->type);
	uint64_t offset = sr->at;

	if (r->info->pipe_mode) {
		path = "pipe";
		offset -= PIPE_HEADER_SIZE;
	}
	out_printf(o, "\n%#" PRIx64 "@", offset);
	escape_terminal_str(o, path);
	out_printf(o, " [%#x]: event: %u\n", h->size, h->type);
	put_bytes(o, h);
	put_stamp(o, r, sr);
	out_printf(o, "%#" PRIx64 " [%#x]: ", offset, h->size);
	if (h->type < RECORD_USER_FIRST) {
		dump_kernel_record(o, r, sr, reader);
		return;
	}
	out_str(o, name ? name : "PERF_RECORD_UNKNOWN");
	dump_own_record(o, h, reader);
}

void dump_place(struct out *o, struct machine *m, const struct session_record *sr)
{
	unsigned mode = sr->header->misc & MISC_CPUMODE_MASK;
	const char *comm = sr->task ? machine_comm(m, sr->task) : "";
	const char *dso = mode == MISC_KERNEL || mode == MISC_USER ? "<not found>" : "[hypervisor]";
	struct location at = machine_locate(m, sr->task, sr->rec.sample.ip, mode);

	if (at.dso != DSO_NONE)
		dso = dso_table_get(&m->dsos, at.dso)->path;
	out_str(o, " ... thread: ");
	escape_terminal_str(o, comm);
	out_printf(o, ":%d\n ...... dso: ", (int32_t)sr->rec.sample.tid);
	escape_terminal_str(o, dso);
	out_char(o, '\n');
}
