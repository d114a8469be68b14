/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * socket() and the options of sockets: the level says what an option is called, the option what its value is.
 */
#include <string.h>
#include <sys/socket.h>

#include "view/syscall_names.h"
#include "view/syscall_special.h"

static bool is_getsockopt(const struct syscall_writer *w)
{
	return w->c->def->name[0] == 'g';
}

/* The number of bytes of the value; 0 where it is not known. */
static uint32_t value_length(const struct syscall_writer *w)
{
	struct syscall_bytes b;

	if (!is_getsockopt(w))
		return (int32_t)w->c->args[4] > 0 ? (uint32_t)w->c->args[4] : 0;
	return syscall_memory_find(w, 4, true, &b) || syscall_memory_find(w, 4, false, &b) ? syscall_bytes_u32(&b, 0) : 0;
}

static void pair_put(struct syscall_writer *w, const char *first, int32_t a, const char *second, int32_t b)
{
	out_str(w->o, first);
	syscall_put_s64(w->o, a);
	out_str(w->o, second);
	syscall_put_s64(w->o, b);
}

/* Options whose values are bytes to strace. */
static bool is_of_bytes(uint32_t level, uint32_t option)
{
	return level == SOL_SOCKET &&
	       (option == 20 || option == 21 || option == 25 || option == 28 || option == 31 || option == 59); /* timeouts, device, peer */
}

static bool socket_value_put(struct syscall_writer *w, uint32_t option, const struct syscall_bytes *b, uint32_t len)
{
	if (option == SO_LINGER) {
		if (len < 8 || b->size < 8)
			return false;
		pair_put(w, "{l_onoff=", syscall_bytes_s32(b, 0), ", l_linger=", syscall_bytes_s32(b, 4));
		out_char(w->o, '}');
		return true;
	}
	if (option == SO_PEERCRED && len >= 12 && b->size >= 12) {
		pair_put(w, "{pid=", syscall_bytes_s32(b, 0), ", uid=", syscall_bytes_s32(b, 4));
		out_str(w->o, ", gid=");
		syscall_put_uid(w, syscall_bytes_u32(b, 8));
		out_char(w->o, '}');
		return true;
	}
	if (option == SO_ATTACH_FILTER && len >= 16 && b->size >= 16) {
		out_str(w->o, "{len=");
		out_u64(w->o, syscall_bytes_u16(b, 0), 0);
		out_str(w->o, ", filter=");
		syscall_put_pointer(w, syscall_bytes_u64(b, 8));
		out_char(w->o, '}');
		return true;
	}
	return false;
}

static bool value_put(struct syscall_writer *w)
{
	uint32_t level = (uint32_t)w->c->args[1], option = (uint32_t)w->c->args[2], len = value_length(w);
	const struct syscall_flags *options = syscall_arg_flags(w->c->def, w->c->args, 2);
	struct syscall_bytes b;

	if (!w->c->args[3] || (is_getsockopt(w) && (!w->c->has_ended || syscall_error(w->c))) ||
	    !syscall_memory_find(w, 3, is_getsockopt(w), &b) || !b.size || !len)
		return false;
	if (!options || is_of_bytes(level, option)) {
		syscall_put_buffer(w, &b, len, 0);
		return true;
	}
	if (level == SOL_SOCKET && (option == SO_LINGER || option == SO_PEERCRED || option == SO_ATTACH_FILTER) &&
	    (option == SO_LINGER || len != 4))
		return socket_value_put(w, option, &b, len);
	if (is_getsockopt(w) && level == SOL_SOCKET && option == SO_ERROR && b.size >= 4 && syscall_error_name(syscall_bytes_s32(&b, 0))) {
		out_char(w->o, '[');
		out_str(w->o, syscall_error_name(syscall_bytes_s32(&b, 0)));
		out_char(w->o, ']');
		return true;
	}
	if (len >= 4 && b.size >= 4)
		return syscall_put_struct(w, SYSCALL_TYPE_INT, &b);
	if (!is_getsockopt(w))
		return false;
	syscall_put_buffer(w, &b, len, SYSCALL_QUOTE_HEX);
	return true;
}

bool syscall_sockopt_arg(struct syscall_writer *w, uint32_t i)
{
	if (i == 2 && !syscall_arg_flags(w->c->def, w->c->args, 2)) {
		out_u64(w->o, (uint32_t)w->c->args[2], 0);
		return true;
	}
	if (i != 3)
		return false;
	w->drops_prefix = false;
	if (!value_put(w))
		syscall_put_pointer(w, w->c->args[3]);
	return true;
}

/* The third argument of socket() is a protocol of the family. */
bool syscall_socket_arg(struct syscall_writer *w, uint32_t i)
{
	uint32_t family = (uint32_t)w->c->args[0], protocol = (uint32_t)w->c->args[2];

	if (i != 2 || syscall_arg_flags(w->c->def, w->c->args, 2))
		return false;
	if (family == AF_PACKET) {
		w->drops_prefix = false;
		out_str(w->o, "htons(");
		syscall_put_enum(w, &syscall_ether_types, (uint16_t)(protocol << 8 | (protocol >> 8 & 0xff)));
		out_char(w->o, ')');
	} else {
		syscall_put_s64(w->o, (int32_t)protocol);
	}
	return true;
}
