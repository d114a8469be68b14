/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's %p family: symbols, addresses of networks, UUIDs, bytes, bitmaps; and pointers.
 */
#include "session/trace_print.h"

#include <string.h>

bool trace_pointer_check(const char *kind, const struct trace_expr *arg)
{
	if (!*kind || !strchr("MmIiUhb", *kind))
		return true;
	if ((*kind == 'I' || *kind == 'i') && (!kind[1] || !strchr("46S", kind[1])))
		return false;
	arg = trace_expr_strip(arg);
	return arg->op == TRACE_FIELD || arg->op == TRACE_DYNAMIC;
}

static void print_symbol(uint64_t addr, bool with_offset, const struct trace_names *names, struct trace_text *out)
{
	uint64_t start = 0;
	const char *name = names->symbol(names->ctx, addr, &start);

	if (!name) {
		trace_text_add_hex(out, addr);
		return;
	}
	trace_text_add_str(out, name);
	if (with_offset) {
		trace_text_add(out, "+", 1);
		trace_text_add_hex(out, addr - start);
	}
}

static void print_mac(const char *kind, struct trace_memory m, struct trace_text *out)
{
	const char *between = kind[0] == 'm' ? "" : kind[1] == 'F' ? "-" : ":";

	if (m.size != 6) {
		trace_text_add_str(out, "INVALIDMAC");
		return;
	}
	for (int i = 0; i < 6; i++)
		trace_text_printf(out, "%s%02x", i ? between : "", m.p[kind[1] == 'R' ? 5 - i : i]);
}

static void print_ip4(char i, bool reverse, const uint8_t *p, struct trace_text *out)
{
	for (int n = 0; n < 4; n++)
		trace_text_printf(out, i == 'i' ? "%s%03d" : "%s%d", n ? "." : "", p[reverse ? 3 - n : n]);
}

/* The longest run of at least two zero words is "::"; addresses with an IPv4 address end in it. */
static void print_ip6_short(const uint8_t *p, struct trace_text *out)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool has_ip4 = !memcmp(p, mapped, 12) || ((p[8] & ~2) == 0 && p[9] == 0 && p[10] == 0x5e && p[11] == 0xfe);
	int nr = has_ip4 ? 6 : 8, gap = -1, gap_len = 1;
	bool need_colon = false;

	for (int i = 0; i < nr; i++) {
		int n = 0;

		while (i + n < nr && !p[2 * (i + n)] && !p[2 * (i + n) + 1])
			n++;
		if (n > gap_len) {
			gap = i;
			gap_len = n;
		}
	}
	for (int i = 0; i < nr; i++) {
		if (i == gap) {
			trace_text_add_str(out, need_colon || !i ? "::" : ":");
			need_colon = false;
			i += gap_len - 1;
			continue;
		}
		trace_text_printf(out, "%s%x", need_colon ? ":" : "", p[2 * i] << 8 | p[2 * i + 1]);
		need_colon = true;
	}
	if (has_ip4) {
		if (need_colon)
			trace_text_add(out, ":", 1);
		print_ip4('I', false, p + 12, out);
	}
}

static void print_ip6(char i, bool is_short, const uint8_t *p, struct trace_text *out)
{
	if (is_short) {
		print_ip6_short(p, out);
		return;
	}
	for (int n = 0; n < 16; n += 2)
		trace_text_printf(out, "%s%02x%02x", n && i == 'I' ? ":" : "", p[n], p[n + 1]);
}

/* A struct sockaddr: its family is in the recording machine's byte order, the rest is not. */
static void print_sockaddr(const char *kind, struct trace_memory m, struct trace_record *r, struct trace_text *out)
{
	bool with_port = strchr(kind, 'p'), is_short = strchr(kind, 'c');
	unsigned family = 0, port = 0;

	if (m.size >= 4) {
		family = (unsigned)trace_record_number(r, (uint64_t)(m.p - r->data), (struct trace_type){ 2, false });
		port = (unsigned)m.p[2] << 8 | m.p[3];
	}
	if (family == 2) {
		if (m.size < 16) {
			trace_text_add_str(out, "INVALIDIPv4");
			return;
		}
		print_ip4(kind[0], false, m.p + 4, out);
		if (with_port)
			trace_text_printf(out, ":%u", port);
	} else if (family == 10) {
		if (m.size < 28) {
			trace_text_add_str(out, "INVALIDIPv6");
			return;
		}
		if (with_port)
			trace_text_add(out, "[", 1);
		print_ip6(kind[0], is_short, m.p + 8, out);
		if (with_port)
			trace_text_printf(out, "]:%u", port);
	}
}

static void print_ip(const char *kind, struct trace_memory m, struct trace_record *r, struct trace_text *out)
{
	if (kind[1] == 'S') {
		print_sockaddr(kind, m, r, out);
	} else if (kind[1] == '4') {
		bool reverse = kind[2] == 'l' || (kind[2] == 'h' && !r->big_endian);

		if (m.size == 4)
			print_ip4(kind[0], reverse, m.p, out);
		else
			trace_text_add_str(out, "INVALIDIPv4");
	} else if (m.size == 16) {
		print_ip6(kind[0], kind[2] == 'c', m.p, out);
	} else {
		trace_text_add_str(out, "INVALIDIPv6");
	}
}

static void print_uuid(const char *kind, struct trace_memory m, struct trace_text *out)
{
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool is_little = kind[1] == 'l' || kind[1] == 'L';
	bool is_upper = kind[1] == 'L' || kind[1] == 'B';

	if (m.size != 16) {
		trace_text_add_str(out, "INVALIDUUID");
		return;
	}
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			trace_text_add(out, "-", 1);
		trace_text_printf(out, is_upper ? "%02X" : "%02x", m.p[is_little ? little[i] : i]);
	}
}

static void print_dump(const char *kind, int64_t nr, struct trace_memory m, struct trace_text *out)
{
	const char *between = kind[1] == 'C' ? ":" : kind[1] == 'D' ? "-" : kind[1] == 'N' ? "" : " ";

	for (int64_t i = 0; i < (nr < 1 ? 1 : nr) && i < m.size; i++)
		trace_text_printf(out, "%s%02x", i ? between : "", m.p[i]);
}

void trace_bitlist_print(const struct trace_record *r, struct trace_memory m, uint32_t nr_bits, struct trace_text *out)
{
	bool is_first = true;

	if (nr_bits > m.size * 8)
		nr_bits = m.size * 8;
	for (uint32_t i = 0; i < nr_bits; i++) {
		uint32_t end = i;

		while (end < nr_bits && m.p[r->big_endian ? m.size - 1 - end / 8 : end / 8] >> end % 8 & 1)
			end++;
		if (end == i)
			continue;
		trace_text_printf(out, "%s%u", is_first ? "" : ",", i);
		if (end > i + 1)
			trace_text_printf(out, "-%u", end - 1);
		is_first = false;
		i = end;
	}
}

static void print_bitmap(const char *kind, int64_t width, struct trace_memory m, struct trace_record *r, struct trace_text *out)
{
	if (kind[1] == 'l') {
		trace_bitlist_print(r, m, width > 0 ? (uint32_t)width : 0, out);
		return;
	}
	for (uint32_t i = m.size; i-- > 0;) {
		trace_text_printf(out, "%02x", m.p[r->big_endian ? m.size - 1 - i : i]);
		if (i && !(i & 3))
			trace_text_add(out, ",", 1);
	}
}

void trace_pointer_print(const struct trace_piece *p, int64_t width, struct trace_record *r, const struct trace_names *names,
			 struct trace_text *out)
{
	uint64_t v;

	switch (p->kind[0]) {
	case 'F':
	case 'S':
	case 'B':
	case 'f':
	case 's':
		v = trace_record_eval(r, p->arg).v;
		print_symbol(v, strchr("FSB", p->kind[0]), names, out);
		return;
	case 'M':
	case 'm':
		print_mac(p->kind, trace_record_memory(r, p->arg), out);
		return;
	case 'I':
	case 'i':
		print_ip(p->kind, trace_record_memory(r, p->arg), r, out);
		return;
	case 'U':
		print_uuid(p->kind, trace_record_memory(r, p->arg), out);
		return;
	case 'h':
		print_dump(p->kind, width, trace_record_memory(r, p->arg), out);
		return;
	case 'b':
		print_bitmap(p->kind, width, trace_record_memory(r, p->arg), r, out);
		return;
	default:
		v = trace_record_eval(r, p->arg).v;
		if (v)
			trace_text_add_hex(out, v);
		else
			trace_text_add_str(out, "(nil)");
	}
}
