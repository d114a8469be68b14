/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses of sockets, vectors of buffers, messages and options.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "view/syscall_names.h"
#include "view/syscall_structs.h"

static uint16_t port_of(const struct syscall_bytes *b, size_t offset)
{
	return (uint16_t)(syscall_bytes_u8(b, offset) << 8 | syscall_bytes_u8(b, offset + 1));
}

static void unix_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	struct syscall_bytes path = syscall_bytes_part(b, 2, 108);

	if (!path.size)
		return;
	out_str(w->o, ", sun_path=");
	if (path.data[0]) {
		syscall_put_string(w, &path, false, 108);
	} else {
		out_char(w->o, '@');
		syscall_put_quoted(w, path.data + 1, path.size - 1, 0);
	}
}

static void inet_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, b->data + 4, text, sizeof(text));
	out_str(w->o, ", sin_port=htons(");
	out_u64(w->o, port_of(b, 2), 0);
	out_str(w->o, "), sin_addr=inet_addr(\"");
	out_str(w->o, text);
	out_mem(w->o, "\")", 2);
}

static void inet6_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, b->data + 8, text, sizeof(text));
	out_str(w->o, ", sin6_port=htons(");
	out_u64(w->o, port_of(b, 2), 0);
	out_str(w->o, "), sin6_flowinfo=htonl(");
	out_u64(w->o, ntohl(syscall_bytes_u32(b, 4)), 0);
	out_str(w->o, "), inet_pton(AF_INET6, \"");
	out_str(w->o, text);
	out_str(w->o, "\", &sin6_addr)");
	if (b->size >= 28) {
		out_str(w->o, ", sin6_scope_id=");
		out_u64(w->o, syscall_bytes_u32(b, 24), 0);
	}
}

static void netlink_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	if (syscall_bytes_u16(b, 2)) {
		out_str(w->o, ", nl_pad=");
		syscall_put_hex(w->o, syscall_bytes_u16(b, 2));
	}
	out_str(w->o, ", nl_pid=");
	syscall_put_s64(w->o, syscall_bytes_s32(b, 4));
	out_printf(w->o, ", nl_groups=%#08x", syscall_bytes_u32(b, 8));
}

static void packet_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint8_t len = syscall_bytes_u8(b, 11);

	out_str(w->o, ", sll_protocol=htons(");
	syscall_put_enum(w, &syscall_ether_types, port_of(b, 2));
	out_str(w->o, "), sll_ifindex=");
	syscall_put_s64(w->o, syscall_bytes_s32(b, 4));
	out_str(w->o, ", sll_hatype=");
	syscall_put_enum(w, &syscall_link_types, syscall_bytes_u16(b, 8));
	out_str(w->o, ", sll_pkttype=");
	syscall_put_enum(w, &syscall_packet_types, syscall_bytes_u8(b, 10));
	out_str(w->o, ", sll_halen=");
	out_u64(w->o, len, 0);
	if (!len)
		return;
	out_str(w->o, ", sll_addr=[");
	for (uint32_t i = 0; i < len && i < 8; i++) {
		out_str(w->o, i ? ", " : "");
		syscall_put_hex(w->o, syscall_bytes_u8(b, 12 + i));
	}
	out_char(w->o, ']');
}

void syscall_put_sockaddr(struct syscall_writer *w, const struct syscall_bytes *b)
{
	static const struct {
		uint16_t family, size;
		void (*put)(struct syscall_writer *w, const struct syscall_bytes *b);
	} families[] = {
		{ AF_UNIX, 2, unix_put },	 { AF_INET, 16, inet_put },	{ AF_INET6, 24, inet6_put },
		{ AF_NETLINK, 12, netlink_put }, { AF_PACKET, 20, packet_put },
	};
	uint16_t family = syscall_bytes_u16(b, 0);

	out_str(w->o, "{sa_family=");
	syscall_put_enum(w, &syscall_flags_address_family, family);
	for (uint32_t i = 0; i < ELEMENTS_OF(families); i++) {
		if (families[i].family != family || b->size < families[i].size)
			continue;
		families[i].put(w, b);
		out_char(w->o, '}');
		return;
	}
	if (b->size > 2) {
		out_str(w->o, ", sa_data=");
		syscall_put_quoted(w, b->data + 2, b->size - 2 < 128 ? b->size - 2 : 128, 0);
	}
	out_char(w->o, '}');
}

/* ---- vectors and messages ---- */

/* Memory that a pointer inside of a struct points to; its address where it was not read. */
static bool pointed_find(const struct syscall_writer *w, uint64_t address, struct syscall_bytes *b)
{
	const struct syscall_memory *m = syscall_memory_at(w, address);

	*b = (struct syscall_bytes){ .data = m ? m->data : NULL, .size = m && m->data ? m->size : 0 };
	return m != NULL;
}

void syscall_put_iovec(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t nr, uint64_t bytes)
{
	uint32_t word = syscall_word(w);

	out_char(w->o, '[');
	for (uint32_t i = 0; i < nr; i++) {
		struct syscall_bytes one = syscall_bytes_part(b, (size_t)i * word * 2, (size_t)word * 2), text;
		uint64_t base = word == 8 ? syscall_bytes_u64(&one, 0) : syscall_bytes_u32(&one, 0);
		uint64_t len = word == 8 ? syscall_bytes_u64(&one, 8) : syscall_bytes_u32(&one, 4), used = len < bytes ? len : bytes;

		if (one.size < (size_t)word * 2) {
			out_str(w->o, i ? ", ..." : "...");
			break;
		}
		if (!syscall_next_element(w, i))
			break;
		out_str(w->o, "{iov_base=");
		if (base && (pointed_find(w, base, &text) || !used))
			syscall_put_buffer(w, &text, used, 0);
		else
			syscall_put_pointer(w, base);
		out_str(w->o, ", iov_len=");
		out_u64(w->o, len, 0);
		out_char(w->o, '}');
		bytes -= used;
	}
	out_char(w->o, ']');
}

static void control_data_put(struct syscall_writer *w, uint32_t level, uint32_t type, const struct syscall_bytes *data)
{
	if (!data->size)
		return;
	out_str(w->o, ", cmsg_data=");
	if (level == SOL_SOCKET && type == SCM_RIGHTS) {
		out_char(w->o, '[');
		for (uint32_t i = 0; i < data->size / 4 && w->elements_left; i++, w->elements_left--) {
			if (i)
				out_mem(w->o, ", ", 2);
			syscall_put_fd(w, syscall_bytes_s32(data, i * 4u));
		}
		out_char(w->o, ']');
	} else if (level == SOL_SOCKET && type == SCM_CREDENTIALS && data->size >= 12) {
		out_str(w->o, "{pid=");
		syscall_put_s64(w->o, syscall_bytes_s32(data, 0));
		out_str(w->o, ", uid=");
		syscall_put_uid(w, syscall_bytes_u32(data, 4));
		out_str(w->o, ", gid=");
		syscall_put_uid(w, syscall_bytes_u32(data, 8));
		out_char(w->o, '}');
	} else {
		syscall_put_buffer(w, data, data->size, SYSCALL_QUOTE_HEX);
	}
}

static void control_put(struct syscall_writer *w, struct syscall_bytes b)
{
	uint32_t word = syscall_word(w), head = word + 8;

	out_char(w->o, '[');
	for (uint32_t i = 0; b.size >= head && syscall_next_element(w, i); i++) {
		uint64_t len = word == 8 ? syscall_bytes_u64(&b, 0) : syscall_bytes_u32(&b, 0);
		uint32_t level = syscall_bytes_u32(&b, word), type = syscall_bytes_u32(&b, word + 4);
		struct syscall_bytes data = syscall_bytes_part(&b, head, len >= head && len <= b.size ? (size_t)len - head : 0);

		out_str(w->o, "{cmsg_len=");
		out_u64(w->o, len, 0);
		out_str(w->o, ", cmsg_level=");
		syscall_put_enum(w, &syscall_flags_socket_level, level);
		out_str(w->o, ", cmsg_type=");
		if (level == SOL_SOCKET)
			syscall_put_enum(w, &syscall_control_types, type);
		else
			syscall_put_hex(w->o, type);
		control_data_put(w, level, type, &data);
		out_char(w->o, '}');
		if (len < head || len > b.size)
			break;
		b = syscall_bytes_part(&b, ((size_t)len + word - 1) & ~((size_t)word - 1), b.size);
	}
	out_char(w->o, ']');
}

/* The address in a message, and how much room there was for it. */
static void message_name_put(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_bytes *before)
{
	uint64_t address = syscall_bytes_u64(b, 0);
	uint32_t len = syscall_bytes_u32(b, 8), room = before ? syscall_bytes_u32(before, 8) : len;
	struct syscall_bytes name;

	out_str(w->o, "{msg_name=");
	if (pointed_find(w, address, &name))
		name = syscall_bytes_part(&name, 0, len);
	if (address && name.size >= 2)
		syscall_put_sockaddr(w, &name);
	else
		syscall_put_pointer(w, address);
	out_str(w->o, ", msg_namelen=");
	if (room != len) {
		out_u64(w->o, room, 0);
		out_str(w->o, " => ");
	}
	out_u64(w->o, len, 0);
}

bool syscall_put_msghdr(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_bytes *before, uint64_t bytes)
{
	uint64_t iov = syscall_bytes_u64(b, 16), nr = syscall_bytes_u64(b, 24), control = syscall_bytes_u64(b, 32);
	uint64_t control_len = syscall_bytes_u64(b, 40);
	struct syscall_bytes part;

	if (b->size < 52)
		return false;
	message_name_put(w, b, before);
	out_str(w->o, ", msg_iov=");
	if (iov && pointed_find(w, iov, &part))
		syscall_put_iovec(w, &part, nr, bytes);
	else
		syscall_put_pointer(w, iov);
	out_str(w->o, ", msg_iovlen=");
	out_u64(w->o, nr, 0);
	if (control_len) {
		out_str(w->o, ", msg_control=");
		if (control && pointed_find(w, control, &part))
			control_put(w, syscall_bytes_part(&part, 0, control_len < part.size ? (size_t)control_len : part.size));
		else
			syscall_put_pointer(w, control);
	}
	out_str(w->o, ", msg_controllen=");
	out_u64(w->o, control_len, 0);
	out_str(w->o, ", msg_flags=");
	syscall_put_flags(w, &syscall_flags_msg, syscall_bytes_u32(b, 48));
	out_char(w->o, '}');
	return true;
}

bool syscall_put_messages(struct syscall_writer *w, uint32_t arg, const struct syscall_bytes *b, uint64_t nr)
{
	enum { SIZE = 64, LENGTH_AT = 56 };
	bool is_received = w->c->def->name[0] == 'r', has_before;
	struct syscall_bytes before;

	if (b->size < SIZE)
		return false;
	has_before = is_received && syscall_memory_find(w, arg, false, &before);
	out_char(w->o, '[');
	for (uint32_t i = 0; i < nr; i++) {
		struct syscall_bytes one = syscall_bytes_part(b, (size_t)i * SIZE, SIZE), old;
		uint32_t len = syscall_bytes_u32(&one, LENGTH_AT);

		if (one.size < SIZE) {
			out_str(w->o, i ? ", ..." : "...");
			break;
		}
		if (!syscall_next_element(w, i))
			break;
		if (has_before)
			old = syscall_bytes_part(&before, (size_t)i * SIZE, SIZE);
		out_str(w->o, "{msg_hdr=");
		syscall_put_msghdr(w, &one, has_before && old.size == SIZE ? &old : NULL, is_received ? len : UINT64_MAX);
		out_str(w->o, ", msg_len=");
		out_u64(w->o, len, 0);
		out_char(w->o, '}');
	}
	out_char(w->o, ']');
	return true;
}

/* The type of a System V message, and as much of the text as was read with it. */
bool syscall_put_msgbuf(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint32_t word = syscall_word(w);
	struct syscall_bytes text = syscall_bytes_part(b, word, b->size);

	if (b->size < word)
		return false;
	out_str(w->o, "{mtype=");
	syscall_put_s64(w->o, word == 8 ? syscall_bytes_s64(b, 0) : syscall_bytes_s32(b, 0));
	out_str(w->o, ", mtext=");
	syscall_put_buffer(w, &text, w->c->args[2], 0);
	out_char(w->o, '}');
	return true;
}
