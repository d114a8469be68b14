/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Structs about processes, threads and signals.
 */
#include <signal.h>
#include <string.h>

#include "view/syscall_names.h"
#include "view/syscall_structs.h"

/* clang-format off */
#define F(name, offset, kind) { name, NULL, offset, kind, false }
/* clang-format on */

/* ---- signals ---- */

#define SA_RESTORER_BIT 0x04000000u

bool syscall_put_sigaction(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint64_t handler = syscall_bytes_u64(b, 0), flags = syscall_bytes_u64(b, 8);
	struct syscall_bytes mask = syscall_bytes_part(b, 24, 8);

	out_str(w->o, "{sa_handler=");
	if (handler <= 1)
		out_str(w->o, handler ? "SIG_IGN" : "SIG_DFL");
	else if (handler == UINT64_MAX)
		out_str(w->o, "SIG_ERR");
	else
		syscall_put_hex(w->o, handler);
	out_str(w->o, ", sa_mask=");
	syscall_put_sigset(w, &mask);
	out_str(w->o, ", sa_flags=");
	syscall_put_flags(w, &syscall_flags_sigaction, flags);
	if (flags & SA_RESTORER_BIT) {
		out_str(w->o, ", sa_restorer=");
		syscall_put_pointer(w, syscall_bytes_u64(b, 16));
	}
	out_char(w->o, '}');
	return true;
}

static void named_put(struct syscall_writer *w, const char *name, int64_t v)
{
	out_str(w->o, name);
	syscall_put_s64(w->o, v);
}

static void named_pointer_put(struct syscall_writer *w, const char *name, uint64_t v)
{
	out_str(w->o, name);
	syscall_put_pointer(w, v);
}

static void sender_put(struct syscall_writer *w, const struct syscall_bytes *b, bool has_value)
{
	named_put(w, ", si_pid=", syscall_bytes_s32(b, 16));
	out_str(w->o, ", si_uid=");
	out_u64(w->o, syscall_bytes_u32(b, 20), 0);
	if (has_value && syscall_bytes_u64(b, 24)) {
		named_put(w, ", si_int=", syscall_bytes_s32(b, 24));
		named_pointer_put(w, ", si_ptr=", syscall_bytes_u64(b, 24));
	}
}

static void child_put(struct syscall_writer *w, const struct syscall_bytes *b, int code)
{
	int status = syscall_bytes_s32(b, 24);

	sender_put(w, b, false);
	out_str(w->o, ", si_status=");
	if (code == CLD_EXITED)
		syscall_put_s64(w->o, status);
	else
		syscall_put_signal(w, status);
	out_str(w->o, ", si_utime=");
	syscall_put_ticks(w, syscall_bytes_s64(b, 32));
	out_str(w->o, ", si_stime=");
	syscall_put_ticks(w, syscall_bytes_s64(b, 40));
}

static void fault_put(struct syscall_writer *w, const struct syscall_bytes *b, int sig, int code)
{
	named_pointer_put(w, ", si_addr=", syscall_bytes_u64(b, 16));
	if (sig == SIGBUS && (code == 4 || code == 5)) {
		out_str(w->o, ", si_addr_lsb=");
		syscall_put_hex(w->o, syscall_bytes_u16(b, 24));
	} else if (sig == SIGSEGV && code == 3) {
		named_pointer_put(w, ", si_lower=", syscall_bytes_u64(b, 32));
		named_pointer_put(w, ", si_upper=", syscall_bytes_u64(b, 40));
	} else if (sig == SIGSEGV && code == 4) {
		named_put(w, ", si_pkey=", syscall_bytes_s32(b, 32));
	}
}

/* What the kernel says of a signal that it sent itself. */
static void kernel_signal_put(struct syscall_writer *w, const struct syscall_bytes *b, int sig, int code)
{
	switch (sig) {
	case SIGCHLD:
		child_put(w, b, code);
		break;
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		fault_put(w, b, sig, code);
		break;
	case SIGIO:
		if (!syscall_flag_name(syscall_signal_codes(sig), (uint32_t)code))
			break;
		named_put(w, ", si_band=", syscall_bytes_s64(b, 16));
		out_str(w->o, ", si_fd=");
		syscall_put_fd(w, syscall_bytes_s32(b, 24));
		break;
	case SIGSYS:
		named_pointer_put(w, ", si_call_addr=", syscall_bytes_u64(b, 16));
		named_put(w, ", si_syscall=", syscall_bytes_s32(b, 24));
		out_str(w->o, ", si_arch=");
		syscall_put_enum(w, &syscall_audit_archs, syscall_bytes_u32(b, 28));
		break;
	default:
		sender_put(w, b, true);
	}
}

#define SI_USER_CODE 0
#define SI_KERNEL_CODE 0x80
#define SI_TIMER_CODE (-2)
#define SI_SIGIO_CODE (-5)
#define SI_TKILL_CODE (-6)

static void reason_put(struct syscall_writer *w, const struct syscall_bytes *b, int sig, int code)
{
	switch (code) {
	case SI_USER_CODE:
	case SI_TKILL_CODE:
		sender_put(w, b, false);
		break;
	case SI_TIMER_CODE:
		out_str(w->o, ", si_timerid=");
		syscall_put_hex(w->o, syscall_bytes_u32(b, 16));
		named_put(w, ", si_overrun=", syscall_bytes_s32(b, 20));
		named_put(w, ", si_int=", syscall_bytes_s32(b, 24));
		named_pointer_put(w, ", si_ptr=", syscall_bytes_u64(b, 24));
		break;
	case SI_SIGIO_CODE:
		named_put(w, ", si_band=", syscall_bytes_s64(b, 16));
		out_str(w->o, ", si_fd=");
		syscall_put_fd(w, syscall_bytes_s32(b, 24));
		break;
	default:
		if (code > 0)
			kernel_signal_put(w, b, sig, code);
		else
			sender_put(w, b, true);
	}
}

bool syscall_put_siginfo(struct syscall_writer *w, const struct syscall_bytes *b)
{
	int sig = syscall_bytes_s32(b, 0), error = syscall_bytes_s32(b, 4), code = syscall_bytes_s32(b, 8);
	const char *name = syscall_flag_name(syscall_signal_codes(sig), (uint32_t)code);

	out_char(w->o, '{');
	if (sig || code || error) {
		out_str(w->o, "si_signo=");
		syscall_put_signal(w, sig);
		out_str(w->o, ", si_code=");
		name = name ? name : syscall_flag_name(&syscall_flags_si_code, (uint32_t)code);
		if (name)
			out_str(w->o, name);
		else
			syscall_put_hex(w->o, (uint32_t)code);
		if (error) {
			out_str(w->o, ", si_errno=");
			name = error > 0 ? syscall_error_name(error) : NULL;
			if (name)
				out_str(w->o, name);
			else
				syscall_put_s64(w->o, error);
		}
		reason_put(w, b, sig, code);
	}
	out_char(w->o, '}');
	return true;
}

/* [{WIFEXITED(s) && WEXITSTATUS(s) == 0}] */
void syscall_put_wait_status(struct syscall_writer *w, uint32_t status)
{
	uint32_t sig = status & 0x7f, code = status >> 8 & 0xff;

	out_mem(w->o, "[{", 2);
	if (status == 0xffff) {
		out_str(w->o, "WIFCONTINUED(s)");
	} else if ((status & 0xff) == 0x7f) {
		out_str(w->o, "WIFSTOPPED(s) && WSTOPSIG(s) == ");
		syscall_put_signal(w, (int)(code & 0x7f));
		if (code & 0x80)
			out_str(w->o, " | 0x80");
	} else if (sig) {
		out_str(w->o, "WIFSIGNALED(s) && WTERMSIG(s) == ");
		syscall_put_signal(w, (int)sig);
		out_str(w->o, status & 0x80 ? " && WCOREDUMP(s)" : "");
	} else {
		out_str(w->o, "WIFEXITED(s) && WEXITSTATUS(s) == ");
		out_u64(w->o, code, 0);
	}
	if (status >> 16 && status != 0xffff && (status & 0xff) == 0x7f) {
		out_str(w->o, "} | ");
		syscall_put_hex(w->o, status & 0xffff0000u);
		out_char(w->o, ']');
		return;
	}
	out_mem(w->o, "}]", 2);
}

bool syscall_put_sigevent(struct syscall_writer *w, const struct syscall_bytes *b)
{
	enum { SIGNAL = 0, THREAD_ID = 4 };
	uint32_t notify = syscall_bytes_u32(b, 12);

	out_char(w->o, '{');
	if (syscall_bytes_u64(b, 0)) {
		named_put(w, "sigev_value={sival_int=", syscall_bytes_s32(b, 0));
		named_pointer_put(w, ", sival_ptr=", syscall_bytes_u64(b, 0));
		out_str(w->o, "}, ");
	}
	out_str(w->o, "sigev_signo=");
	if (notify == SIGNAL || notify == THREAD_ID)
		syscall_put_signal(w, syscall_bytes_s32(b, 8));
	else
		syscall_put_s64(w->o, syscall_bytes_s32(b, 8));
	out_str(w->o, ", sigev_notify=");
	syscall_put_enum(w, &syscall_flags_sigevent, notify);
	if (notify == THREAD_ID)
		named_put(w, ", sigev_notify_thread_id=", syscall_bytes_s32(b, 16));
	out_char(w->o, '}');
	return true;
}

/* pselect6() has the address of a set, and its size. */
bool syscall_put_sigset_pack(struct syscall_writer *w, const struct syscall_bytes *b)
{
	const struct syscall_memory *m = syscall_memory_at(w, syscall_bytes_u64(b, 0));
	struct syscall_bytes set = { m ? m->data : NULL, m ? m->size : 0 };

	out_str(w->o, "{sigmask=");
	if (set.size >= 4)
		syscall_put_sigset(w, &set);
	else
		syscall_put_pointer(w, syscall_bytes_u64(b, 0));
	out_str(w->o, ", sigsetsize=");
	out_u64(w->o, syscall_bytes_u64(b, 8), 0);
	out_char(w->o, '}');
	return true;
}

/* Two halves of each set, of which the second is behind the first three. */
static void capability_set_put(struct syscall_writer *w, const char *name, const struct syscall_bytes *b, size_t offset)
{
	uint64_t set = syscall_bytes_u32(b, offset) | (uint64_t)syscall_bytes_u32(b, offset + 12) << 32, unknown = 0;
	bool any = false;

	out_str(w->o, name);
	for (uint32_t i = 0; i < 64; i++) {
		const char *cap = syscall_flag_name(&syscall_flags_capability, i);

		if (!(set >> i & 1))
			continue;
		if (!cap) {
			unknown |= UINT64_C(1) << i;
			continue;
		}
		out_str(w->o, any ? "|1<<" : "1<<");
		out_str(w->o, cap);
		any = true;
	}
	if (any && unknown)
		out_char(w->o, '|');
	if (!any || unknown)
		syscall_put_hex(w->o, unknown);
}

bool syscall_put_capabilities(struct syscall_writer *w, const struct syscall_bytes *b)
{
	capability_set_put(w, "{effective=", b, 0);
	capability_set_put(w, ", permitted=", b, 4);
	capability_set_put(w, ", inheritable=", b, 8);
	out_char(w->o, '}');
	return true;
}

/* ---- the machine and its processes ---- */

bool syscall_put_sysinfo(struct syscall_writer *w, const struct syscall_bytes *b)
{
	static const struct syscall_field fields[] = {
		F("totalram", 32, FIELD_U64),  F("freeram", 40, FIELD_U64),   F("sharedram", 48, FIELD_U64), F("bufferram", 56, FIELD_U64),
		F("totalswap", 64, FIELD_U64), F("freeswap", 72, FIELD_U64),  F("procs", 80, FIELD_U16),     F("totalhigh", 88, FIELD_U64),
		F("freehigh", 96, FIELD_U64),  F("mem_unit", 104, FIELD_U32),
	};

	named_put(w, "{uptime=", syscall_bytes_s64(b, 0));
	out_str(w->o, ", loads=[");
	out_u64(w->o, syscall_bytes_u64(b, 8), 0);
	out_mem(w->o, ", ", 2);
	out_u64(w->o, syscall_bytes_u64(b, 16), 0);
	out_mem(w->o, ", ", 2);
	out_u64(w->o, syscall_bytes_u64(b, 24), 0);
	out_str(w->o, "], ");
	syscall_put_plain_fields(w, b, fields, ELEMENTS_OF(fields));
	out_char(w->o, '}');
	return true;
}

#define CLONE_PIDFD_BIT 0x1000u
#define CLONE_SETTLS_BIT 0x80000u
#define CLONE_PARENT_SETTID_BIT 0x100000u
#define CLONE_CHILD_BITS 0x1200000u /* SETTID, CLEARTID */
#define CLONE_INTO_CGROUP_BIT 0x200000000u

bool syscall_put_clone_args(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint64_t flags = syscall_bytes_u64(b, 0);

	out_str(w->o, "{flags=");
	syscall_put_flags(w, &syscall_flags_clone, flags);
	if (flags & CLONE_PIDFD_BIT)
		named_pointer_put(w, ", pidfd=", syscall_bytes_u64(b, 8));
	if (flags & CLONE_CHILD_BITS)
		named_pointer_put(w, ", child_tid=", syscall_bytes_u64(b, 16));
	if (flags & CLONE_PARENT_SETTID_BIT)
		named_pointer_put(w, ", parent_tid=", syscall_bytes_u64(b, 24));
	out_str(w->o, ", exit_signal=");
	syscall_put_signal(w, syscall_bytes_s32(b, 32));
	named_pointer_put(w, ", stack=", syscall_bytes_u64(b, 40));
	out_str(w->o, ", stack_size=");
	syscall_put_hex(w->o, syscall_bytes_u64(b, 48));
	if (flags & CLONE_SETTLS_BIT)
		named_pointer_put(w, ", tls=", syscall_bytes_u64(b, 56));
	if (b->size >= 80 && (syscall_bytes_u64(b, 64) || syscall_bytes_u64(b, 72))) {
		named_pointer_put(w, ", set_tid=", syscall_bytes_u64(b, 64));
		out_str(w->o, ", set_tid_size=");
		out_u64(w->o, syscall_bytes_u64(b, 72), 0);
	}
	if (b->size >= 88 && (flags & CLONE_INTO_CGROUP_BIT)) {
		out_str(w->o, ", cgroup=");
		syscall_put_fd(w, (int)syscall_bytes_u64(b, 80));
	}
	out_char(w->o, '}');
	return true;
}

bool syscall_put_cpu_set(struct syscall_writer *w, const struct syscall_bytes *b)
{
	bool any = false;

	out_char(w->o, '[');
	for (uint64_t cpu = 0; cpu / 8 < b->size; cpu++) {
		if (!(b->data[cpu / 8] >> (cpu % 8) & 1))
			continue;
		if (any)
			out_char(w->o, ' ');
		any = true;
		if (!w->elements_left) {
			out_mem(w->o, "...", 3);
			break;
		}
		w->elements_left--;
		out_u64(w->o, cpu, 0);
	}
	out_char(w->o, ']');
	return true;
}
