/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The request of ioctl(), and what its third argument is: an address, a number, or a struct of the requests that programs make most.
 */
#include "view/syscall_ioctl.h"

#include <string.h>

#include "view/syscall_names.h"
#include "view/syscall_structs.h"

/* _IOC(_IOC_READ|_IOC_WRITE, 0x51, 0x11, 0x18) */
static void unnamed_put(struct syscall_writer *w, uint32_t request)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };

	out_str(w->o, "_IOC(");
	out_str(w->o, directions[request >> 30]);
	out_mem(w->o, ", ", 2);
	syscall_put_hex(w->o, request >> 8 & 0xff);
	out_mem(w->o, ", ", 2);
	syscall_put_hex(w->o, request & 0xff);
	out_mem(w->o, ", ", 2);
	syscall_put_hex(w->o, request >> 16 & 0x3fff);
	out_char(w->o, ')');
}

void syscall_put_ioctl(struct syscall_writer *w, uint32_t request)
{
	const struct syscall_ioctl *ioctl = syscall_ioctl_find(request);

	if (ioctl)
		out_str(w->o, ioctl->name);
	else
		unnamed_put(w, request);
}

bool syscall_ioctl_has_arg(uint32_t request)
{
	const struct syscall_ioctl *ioctl = syscall_ioctl_find(request);

	return !ioctl || ioctl->arg != IOCTL_NO_ARG;
}

/* ---- terminals ---- */

static void modes_put(struct syscall_writer *w, const char *name, const struct syscall_flags *f, uint32_t v)
{
	out_str(w->o, name);
	syscall_put_flags(w, f, v);
}

#define BAUD_BITS 010017u
#define SIZE_BITS 060u

static void control_characters_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	static const char *const names[] = { "VINTR", "VQUIT", "VERASE", "VKILL",    "VEOF",	 "VTIME",   "VMIN",   "VSWTC", "VSTART",
					     "VSTOP", "VSUSP", "VEOL",	 "VREPRINT", "VDISCARD", "VWERASE", "VLNEXT", "VEOL2" };

	out_str(w->o, ", c_line=");
	if (syscall_bytes_u8(b, 16))
		out_u64(w->o, syscall_bytes_u8(b, 16), 0);
	else
		out_str(w->o, "N_TTY");
	out_str(w->o, ", c_cc=[");
	for (uint32_t i = 0; i < 19; i++) {
		out_str(w->o, i ? ", [" : "[");
		if (i < ELEMENTS_OF(names))
			out_str(w->o, names[i]);
		else
			out_u64(w->o, i, 0);
		out_mem(w->o, "]=", 2);
		syscall_put_hex(w->o, syscall_bytes_u8(b, 17 + i));
	}
	out_char(w->o, ']');
}

bool syscall_put_termios(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint32_t control = syscall_bytes_u32(b, 8), left = control & ~(BAUD_BITS | SIZE_BITS);

	modes_put(w, "{c_iflag=", &syscall_input_modes, syscall_bytes_u32(b, 0));
	modes_put(w, ", c_oflag=", &syscall_output_modes, syscall_bytes_u32(b, 4));
	out_str(w->o, ", c_cflag=");
	syscall_put_enum(w, &syscall_baud_rates, control & BAUD_BITS);
	out_char(w->o, '|');
	syscall_put_enum(w, &syscall_character_sizes, control & SIZE_BITS);
	if (left) {
		out_char(w->o, '|');
		syscall_put_flags(w, &syscall_control_modes, left);
	}
	modes_put(w, ", c_lflag=", &syscall_local_modes, syscall_bytes_u32(b, 12));
	if (w->opts->is_verbose)
		control_characters_put(w, b);
	else
		out_str(w->o, ", ...");
	out_char(w->o, '}');
	return true;
}

/* ---- the third argument ---- */

enum shape { SHAPE_INT, SHAPE_TERMIOS, SHAPE_WINSIZE, SHAPE_INODE_FLAGS, SHAPE_FLUSH, SHAPE_FLOW, SHAPE_CHAR };

static const struct {
	uint32_t request;
	uint8_t shape;
	bool is_out;
} known[] = {
	{ 0x5401, SHAPE_TERMIOS, true },
	{ 0x5402, SHAPE_TERMIOS, false },
	{ 0x5403, SHAPE_TERMIOS, false },
	{ 0x5404, SHAPE_TERMIOS, false },
	{ 0x802c542a, SHAPE_TERMIOS, true },
	{ 0x402c542b, SHAPE_TERMIOS, false },
	{ 0x402c542c, SHAPE_TERMIOS, false },
	{ 0x402c542d, SHAPE_TERMIOS, false },
	{ 0x5413, SHAPE_WINSIZE, true },
	{ 0x5414, SHAPE_WINSIZE, false },
	{ 0x540a, SHAPE_FLOW, false },
	{ 0x540b, SHAPE_FLUSH, false },
	{ 0x540f, SHAPE_INT, true },
	{ 0x5410, SHAPE_INT, false },
	{ 0x5411, SHAPE_INT, true },
	{ 0x5412, SHAPE_CHAR, false },
	{ 0x541b, SHAPE_INT, true },
	{ 0x5420, SHAPE_INT, false },
	{ 0x5421, SHAPE_INT, false },
	{ 0x5423, SHAPE_INT, false },
	{ 0x5424, SHAPE_INT, true },
	{ 0x5429, SHAPE_INT, true },
	{ 0x5452, SHAPE_INT, false },
	{ 0x80045430, SHAPE_INT, true },
	{ 0x40045431, SHAPE_INT, false },
	{ 0x80045438, SHAPE_INT, true },
	{ 0x80045439, SHAPE_INT, true },
	{ 0x80045440, SHAPE_INT, true },
	{ 0x80086601, SHAPE_INODE_FLAGS, true },
	{ 0x40086602, SHAPE_INODE_FLAGS, false },
};

/* ---- network interfaces: struct ifreq, by name ---- */

enum interface_field { IFR_INDEX, IFR_FLAGS, IFR_INT, IFR_ADDRESS, IFR_HARDWARE };

static const struct {
	uint32_t request; /* to get; the one to set it, where there is one, is the next */
	uint8_t field;
	bool can_be_set;
	const char *name;
} interface_requests[] = {
	{ 0x8913, IFR_FLAGS, true, "ifr_flags" },     { 0x8915, IFR_ADDRESS, true, "ifr_addr" },
	{ 0x8917, IFR_ADDRESS, true, "ifr_dstaddr" }, { 0x8919, IFR_ADDRESS, true, "ifr_broadaddr" },
	{ 0x891b, IFR_ADDRESS, true, "ifr_netmask" }, { 0x891d, IFR_INT, true, "ifr_metric" },
	{ 0x8921, IFR_INT, true, "ifr_mtu" },	      { 0x8927, IFR_HARDWARE, false, "ifr_hwaddr" },
	{ 0x8933, IFR_INDEX, false, "ifr_ifindex" },  { 0x8942, IFR_INT, true, "ifr_qlen" },
};

bool syscall_ioctl_is_out(uint32_t request)
{
	for (uint32_t i = 0; i < ELEMENTS_OF(known); i++)
		if (known[i].request == request)
			return known[i].is_out;
	for (uint32_t i = 0; i < ELEMENTS_OF(interface_requests); i++)
		if (interface_requests[i].request == request)
			return true;
	return request >> 31;
}

static void hardware_address_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	out_str(w->o, "{sa_family=");
	syscall_put_enum(w, &syscall_link_types, syscall_bytes_u16(b, 0));
	out_str(w->o, ", sa_data=");
	for (uint32_t i = 0; i < 6; i++)
		out_printf(w->o, i ? ":%02x" : "%02x", syscall_bytes_u8(b, 2 + i));
	out_char(w->o, '}');
}

static void interface_field_put(struct syscall_writer *w, enum interface_field field, const struct syscall_bytes *b)
{
	struct syscall_bytes value = syscall_bytes_part(b, 16, 16);

	if (field == IFR_FLAGS)
		syscall_put_flags(w, &syscall_interface_flags, syscall_bytes_u16(&value, 0));
	else if (field == IFR_ADDRESS)
		syscall_put_sockaddr(w, &value);
	else if (field == IFR_HARDWARE)
		hardware_address_put(w, &value);
	else
		syscall_put_s64(w->o, syscall_bytes_s32(&value, 0));
}

/* Where asking failed, the name alone. */
static bool interface_put(struct syscall_writer *w, uint32_t request)
{
	for (uint32_t i = 0; i < ELEMENTS_OF(interface_requests); i++) {
		bool is_get = request == interface_requests[i].request, has_value = !is_get || (w->c->has_ended && !syscall_error(w->c));
		struct syscall_bytes b, name;

		if (!is_get && (!interface_requests[i].can_be_set || request != interface_requests[i].request + 1))
			continue;
		if (!syscall_memory_find(w, 2, is_get && has_value, &b) || b.size < 32)
			return false;
		name = syscall_bytes_part(&b, 0, 16);
		out_str(w->o, "{ifr_name=");
		syscall_put_string(w, &name, false, 16);
		if (has_value) {
			out_mem(w->o, ", ", 2);
			out_str(w->o, interface_requests[i].name);
			out_char(w->o, '=');
			interface_field_put(w, (enum interface_field)interface_requests[i].field, &b);
		}
		out_char(w->o, '}');
		return true;
	}
	return false;
}

static bool shape_put(struct syscall_writer *w, enum shape shape, const struct syscall_bytes *b)
{
	struct syscall_bytes one = syscall_bytes_part(b, 0, 1);

	switch (shape) {
	case SHAPE_INT:
		return syscall_put_struct(w, SYSCALL_TYPE_INT, b);
	case SHAPE_TERMIOS:
		return syscall_put_struct(w, SYSCALL_TYPE_TERMIOS, b);
	case SHAPE_WINSIZE:
		return syscall_put_struct(w, SYSCALL_TYPE_WINSIZE, b);
	case SHAPE_INODE_FLAGS:
		if (b->size < 4)
			return false;
		out_char(w->o, '[');
		syscall_put_flags(w, &syscall_inode_flags, syscall_bytes_u32(b, 0));
		out_char(w->o, ']');
		return true;
	case SHAPE_CHAR:
		if (!one.size)
			return false;
		syscall_put_quoted(w, one.data, 1, 0);
		return true;
	default:
		return false;
	}
}

bool syscall_put_ioctl_arg(struct syscall_writer *w, uint32_t request, uint64_t arg)
{
	const struct syscall_ioctl *ioctl = syscall_ioctl_find(request);
	struct syscall_bytes b;

	w->drops_prefix = false;
	if (ioctl && ioctl->arg == IOCTL_NUMBER) {
		syscall_put_s64(w->o, (int)arg);
		return true;
	}
	for (uint32_t i = 0; i < ELEMENTS_OF(known); i++) {
		if (known[i].request != request)
			continue;
		if (known[i].shape == SHAPE_FLUSH || known[i].shape == SHAPE_FLOW) {
			syscall_put_enum(w, known[i].shape == SHAPE_FLUSH ? &syscall_flush_queues : &syscall_flow_actions, arg);
			return true;
		}
		return arg && (!known[i].is_out || (w->c->has_ended && !syscall_error(w->c))) &&
		       syscall_memory_find(w, 2, known[i].is_out, &b) && shape_put(w, known[i].shape, &b);
	}
	if (!ioctl) {
		syscall_put_hex(w->o, arg);
		return true;
	}
	return arg && interface_put(w, request);
}
