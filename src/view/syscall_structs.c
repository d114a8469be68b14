/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Structs by their fields. Most are a table of fields; layouts are those of 64-bit ABIs, which x86_64 and arm64 share unless the table says
 * otherwise. Structs of 32-bit programs come with the same layouts (abi/syscall_compat.c).
 */
#include "view/syscall_structs.h"

#include "view/syscall_names.h"

static void limit_put(struct syscall_writer *w, uint64_t v)
{
	if (v == UINT64_MAX) {
		out_str(w->o, "RLIM64_INFINITY");
	} else if (v == UINT32_MAX && w->c->abi == SYSCALL_I386) {
		out_str(w->o, "RLIM_INFINITY");
	} else if (v > 1024 && v % 1024 == 0) {
		out_u64(w->o, v / 1024, 0);
		out_str(w->o, "*1024");
	} else {
		out_u64(w->o, v, 0);
	}
}

static void number_field_put(struct syscall_writer *w, const struct syscall_field *f, const struct syscall_bytes *b)
{
	switch (f->kind) {
	case FIELD_S16:
		syscall_put_s64(w->o, (int16_t)syscall_bytes_u16(b, f->offset));
		break;
	case FIELD_U16:
		out_u64(w->o, syscall_bytes_u16(b, f->offset), 0);
		break;
	case FIELD_S32:
		syscall_put_s64(w->o, syscall_bytes_s32(b, f->offset));
		break;
	case FIELD_U32:
		out_u64(w->o, syscall_bytes_u32(b, f->offset), 0);
		break;
	case FIELD_S64:
		syscall_put_s64(w->o, syscall_bytes_s64(b, f->offset));
		break;
	case FIELD_U64:
		out_u64(w->o, syscall_bytes_u64(b, f->offset), 0);
		break;
	case FIELD_HEX64:
		syscall_put_hex(w->o, syscall_bytes_u64(b, f->offset));
		break;
	case FIELD_POINTER:
		syscall_put_pointer(w, syscall_bytes_u64(b, f->offset));
		break;
	case FIELD_UID:
		syscall_put_uid(w, syscall_bytes_u32(b, f->offset));
		break;
	case FIELD_TICKS:
		syscall_put_ticks(w, syscall_bytes_s64(b, f->offset));
		break;
	case FIELD_LIMIT:
		limit_put(w, syscall_bytes_u64(b, f->offset));
		break;
	}
}

static void field_put(struct syscall_writer *w, const struct syscall_field *f, const struct syscall_bytes *b)
{
	struct syscall_bytes part;

	switch (f->kind) {
	case FIELD_FLAGS16:
		syscall_put_flags(w, f->flags, syscall_bytes_u16(b, f->offset));
		break;
	case FIELD_FLAGS32:
		syscall_put_flags(w, f->flags, syscall_bytes_u32(b, f->offset));
		break;
	case FIELD_FLAGS64:
		syscall_put_flags(w, f->flags, syscall_bytes_u64(b, f->offset));
		break;
	case FIELD_ENUM16:
		syscall_put_enum(w, f->flags, syscall_bytes_u16(b, f->offset));
		break;
	case FIELD_ENUM32:
		syscall_put_enum(w, f->flags, syscall_bytes_u32(b, f->offset));
		break;
	case FIELD_ENUM64:
		syscall_put_enum(w, f->flags, syscall_bytes_u64(b, f->offset));
		break;
	case FIELD_MODE16:
		syscall_put_mode(w, syscall_bytes_u16(b, f->offset));
		break;
	case FIELD_MODE32:
		syscall_put_mode(w, syscall_bytes_u32(b, f->offset));
		break;
	case FIELD_DEVICE:
		syscall_put_device(w, syscall_bytes_u64(b, f->offset));
		break;
	case FIELD_TIMESPEC:
		syscall_put_timespec(w, syscall_bytes_s64(b, f->offset), syscall_bytes_u64(b, f->offset + 8u), "tv_nsec");
		break;
	case FIELD_TIMEVAL:
		syscall_put_timespec(w, syscall_bytes_s64(b, f->offset), syscall_bytes_u64(b, f->offset + 8u), "tv_usec");
		break;
	case FIELD_STATX_TIME:
		syscall_put_timespec(w, syscall_bytes_s64(b, f->offset), syscall_bytes_u32(b, f->offset + 8u), "tv_nsec");
		syscall_put_date(w, syscall_bytes_s64(b, f->offset), syscall_bytes_u32(b, f->offset + 8u), 9);
		break;
	case FIELD_DATE:
		syscall_put_s64(w->o, syscall_bytes_s64(b, f->offset));
		syscall_put_date(w, syscall_bytes_s64(b, f->offset), syscall_bytes_u64(b, f->offset + 8u), 9);
		break;
	case FIELD_NAME65:
		part = syscall_bytes_part(b, f->offset, 65);
		syscall_put_string(w, &part, false, 65);
		break;
	default:
		number_field_put(w, f, b);
	}
}

bool syscall_put_plain_fields(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_field *fields, uint32_t nr)
{
	bool any = false, is_short = false;

	for (uint32_t i = 0; i < nr; i++) {
		if (fields[i].is_verbose && !w->opts->is_verbose) {
			is_short = true;
			continue;
		}
		if (any)
			out_mem(w->o, ", ", 2);
		any = true;
		out_str(w->o, fields[i].name);
		out_char(w->o, '=');
		field_put(w, &fields[i], b);
	}
	return is_short;
}

void syscall_put_fields(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_field *fields, uint32_t nr)
{
	out_char(w->o, '{');
	out_str(w->o, syscall_put_plain_fields(w, b, fields, nr) ? ", ...}" : "}");
}

/* ---- tables ---- */

/* clang-format off */
#define F(name, offset, kind) { name, NULL, offset, kind, false }
#define L(name, offset, kind) { name, NULL, offset, kind, true }
/* clang-format on */

static const struct syscall_field timespec_fields[] = { F("tv_sec", 0, FIELD_S64), F("tv_nsec", 8, FIELD_U64) };
static const struct syscall_field timeval_fields[] = { F("tv_sec", 0, FIELD_S64), F("tv_usec", 8, FIELD_U64) };
static const struct syscall_field itimerspec_fields[] = { F("it_interval", 0, FIELD_TIMESPEC), F("it_value", 16, FIELD_TIMESPEC) };
static const struct syscall_field itimerval_fields[] = { F("it_interval", 0, FIELD_TIMEVAL), F("it_value", 16, FIELD_TIMEVAL) };
static const struct syscall_field timezone_fields[] = { F("tz_minuteswest", 0, FIELD_S32), F("tz_dsttime", 4, FIELD_S32) };
static const struct syscall_field rlimit_fields[] = { F("rlim_cur", 0, FIELD_LIMIT), F("rlim_max", 8, FIELD_LIMIT) };
static const struct syscall_field rusage_fields[] = {
	F("ru_utime", 0, FIELD_TIMEVAL), F("ru_stime", 16, FIELD_TIMEVAL), L("ru_maxrss", 32, FIELD_S64),  L("ru_ixrss", 40, FIELD_S64),
	L("ru_idrss", 48, FIELD_S64),	 L("ru_isrss", 56, FIELD_S64),	   L("ru_minflt", 64, FIELD_S64),  L("ru_majflt", 72, FIELD_S64),
	L("ru_nswap", 80, FIELD_S64),	 L("ru_inblock", 88, FIELD_S64),   L("ru_oublock", 96, FIELD_S64), L("ru_msgsnd", 104, FIELD_S64),
	L("ru_msgrcv", 112, FIELD_S64),	 L("ru_nsignals", 120, FIELD_S64), L("ru_nvcsw", 128, FIELD_S64),  L("ru_nivcsw", 136, FIELD_S64),
};
static const struct syscall_field utsname_fields[] = {
	F("sysname", 0, FIELD_NAME65),	 F("nodename", 65, FIELD_NAME65), L("release", 130, FIELD_NAME65),
	L("version", 195, FIELD_NAME65), L("machine", 260, FIELD_NAME65), L("domainname", 325, FIELD_NAME65),
};
static const struct syscall_field tms_fields[] = {
	F("tms_utime", 0, FIELD_TICKS),
	F("tms_stime", 8, FIELD_TICKS),
	F("tms_cutime", 16, FIELD_TICKS),
	F("tms_cstime", 24, FIELD_TICKS),
};
static const struct syscall_field winsize_fields[] = {
	F("ws_row", 0, FIELD_U16),
	F("ws_col", 2, FIELD_U16),
	F("ws_xpixel", 4, FIELD_U16),
	F("ws_ypixel", 6, FIELD_U16),
};
const struct syscall_field syscall_flock_fields[SYSCALL_NR_FLOCK_FIELDS] = {
	{ "l_type", &syscall_flags_lock_type, 0, FIELD_ENUM16, false },
	{ "l_whence", &syscall_flags_seek, 2, FIELD_ENUM16, false },
	F("l_start", 8, FIELD_S64),
	F("l_len", 16, FIELD_S64),
};
static const struct syscall_field sigaltstack_fields[] = {
	F("ss_sp", 0, FIELD_POINTER),
	{ "ss_flags", &syscall_flags_sigaltstack, 8, FIELD_FLAGS32, false },
	F("ss_size", 16, FIELD_U64),
};
static const struct syscall_field timex_fields[] = {
	F("modes", 0, FIELD_U32),     F("offset", 8, FIELD_S64),     F("freq", 16, FIELD_S64),
	F("maxerror", 24, FIELD_S64), F("esterror", 32, FIELD_S64),  { "status", &syscall_flags_timex_status, 40, FIELD_FLAGS32, false },
	F("constant", 48, FIELD_S64), F("precision", 56, FIELD_S64), F("tolerance", 64, FIELD_S64),
	F("time", 72, FIELD_TIMEVAL), F("tick", 88, FIELD_S64),	     F("ppsfreq", 96, FIELD_S64),
	F("jitter", 104, FIELD_S64),  F("shift", 112, FIELD_S32),    F("stabil", 120, FIELD_S64),
	F("jitcnt", 128, FIELD_S64),  F("calcnt", 136, FIELD_S64),   F("errcnt", 144, FIELD_S64),
	F("stbcnt", 152, FIELD_S64),  F("tai", 160, FIELD_S32),
};

static const struct syscall_field sembuf_fields[] = {
	F("sem_num", 0, FIELD_U16),
	F("sem_op", 2, FIELD_S16),
	{ "sem_flg", &syscall_flags_sembuf, 4, FIELD_FLAGS16, false },
};
static const struct syscall_field cap_header_fields[] = {
	{ "version", &syscall_capability_versions, 0, FIELD_ENUM32, false },
	F("pid", 4, FIELD_S32),
};
static const struct syscall_field mq_attr_fields[] = {
	{ "mq_flags", &syscall_flags_open_x86_bits, 0, FIELD_FLAGS64, false },
	F("mq_maxmsg", 8, FIELD_S64),
	F("mq_msgsize", 16, FIELD_S64),
	F("mq_curmsgs", 24, FIELD_S64),
};

struct layout {
	uint16_t size;
	bool is_of_32_bits; /* the same in 32-bit programs */
	uint8_t nr;
	const struct syscall_field *fields;
	bool (*put)(struct syscall_writer *w, const struct syscall_bytes *b); /* instead of fields */
};

/* clang-format off */
#define TABLE(bytes, same, table) { bytes, same, sizeof(table) / sizeof(*(table)), table, NULL }
#define WRITTEN(bytes, same, function) { bytes, same, 0, NULL, function }
/* clang-format on */

static bool sigset_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	bool is_old = w->c->abi == SYSCALL_I386 && b->size == 4;

	if (b->size != 8 && !is_old)
		return false;
	syscall_put_sigset(w, b);
	return true;
}

static bool int_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	out_char(w->o, '[');
	syscall_put_s64(w->o, syscall_bytes_s32(b, 0));
	out_char(w->o, ']');
	return true;
}

static bool long_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	out_char(w->o, '[');
	syscall_put_s64(w->o, syscall_bytes_s64(b, 0));
	out_char(w->o, ']');
	return true;
}

static bool pointer_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	out_char(w->o, '[');
	syscall_put_pointer(w, syscall_bytes_u64(b, 0));
	out_char(w->o, ']');
	return true;
}

static bool wait_status_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	syscall_put_wait_status(w, syscall_bytes_u32(b, 0));
	return true;
}

static bool fd_pair_put(struct syscall_writer *w, const struct syscall_bytes *b)
{
	out_char(w->o, '[');
	syscall_put_fd(w, syscall_bytes_s32(b, 0));
	out_mem(w->o, ", ", 2);
	syscall_put_fd(w, syscall_bytes_s32(b, 4));
	out_char(w->o, ']');
	return true;
}

static const struct layout layouts[SYSCALL_NR_TYPES] = {
	[SYSCALL_TYPE_STAT] = WRITTEN(128, false, syscall_put_stat),
	[SYSCALL_TYPE_STAT64] = WRITTEN(128, false, syscall_put_stat),
	[SYSCALL_TYPE_STATFS64] = WRITTEN(88, false, syscall_put_statfs),
	[SYSCALL_TYPE_TIMEX64] = TABLE(164, true, timex_fields),
	[SYSCALL_TYPE_USER_DESC] = WRITTEN(16, true, syscall_put_user_desc),
	[SYSCALL_TYPE_STATX] = WRITTEN(256, true, syscall_put_statx),
	[SYSCALL_TYPE_STATFS] = WRITTEN(88, false, syscall_put_statfs),
	[SYSCALL_TYPE_TIMESPEC] = TABLE(16, false, timespec_fields),
	[SYSCALL_TYPE_TIMEVAL] = TABLE(16, false, timeval_fields),
	[SYSCALL_TYPE_ITIMERVAL] = TABLE(32, false, itimerval_fields),
	[SYSCALL_TYPE_ITIMERSPEC] = TABLE(32, false, itimerspec_fields),
	[SYSCALL_TYPE_RLIMIT] = TABLE(16, false, rlimit_fields),
	[SYSCALL_TYPE_RUSAGE] = TABLE(144, false, rusage_fields),
	[SYSCALL_TYPE_SIGACTION] = WRITTEN(32, false, syscall_put_sigaction),
	[SYSCALL_TYPE_SIGSET] = WRITTEN(4, true, sigset_put),
	[SYSCALL_TYPE_SIGINFO] = WRITTEN(32, false, syscall_put_siginfo),
	[SYSCALL_TYPE_SIGALTSTACK] = TABLE(24, false, sigaltstack_fields),
	[SYSCALL_TYPE_POLLFD] = WRITTEN(8, true, syscall_put_pollfd),
	[SYSCALL_TYPE_EPOLL_EVENT] = WRITTEN(12, true, syscall_put_epoll_event),
	[SYSCALL_TYPE_INT] = WRITTEN(4, true, int_put),
	[SYSCALL_TYPE_INT_PAIR] = WRITTEN(8, true, fd_pair_put),
	[SYSCALL_TYPE_LONG] = WRITTEN(8, false, long_put),
	[SYSCALL_TYPE_SOCKLEN] = WRITTEN(4, true, int_put),
	[SYSCALL_TYPE_UTSNAME] = TABLE(390, true, utsname_fields),
	[SYSCALL_TYPE_SYSINFO] = WRITTEN(108, false, syscall_put_sysinfo),
	[SYSCALL_TYPE_TIMEX] = TABLE(164, false, timex_fields),
	[SYSCALL_TYPE_CLONE_ARGS] = WRITTEN(64, true, syscall_put_clone_args),
	[SYSCALL_TYPE_OPEN_HOW] = WRITTEN(24, true, syscall_put_open_how),
	[SYSCALL_TYPE_WINSIZE] = TABLE(8, true, winsize_fields),
	[SYSCALL_TYPE_TERMIOS] = WRITTEN(36, true, syscall_put_termios),
	[SYSCALL_TYPE_FLOCK] = TABLE(28, false, syscall_flock_fields),
	[SYSCALL_TYPE_SCHED_PARAM] = WRITTEN(4, true, int_put),
	[SYSCALL_TYPE_CPU_SET] = WRITTEN(4, true, syscall_put_cpu_set),
	[SYSCALL_TYPE_TMS] = TABLE(32, false, tms_fields),
	[SYSCALL_TYPE_TIMEZONE] = TABLE(8, true, timezone_fields),
	[SYSCALL_TYPE_RLIMIT64] = TABLE(16, true, rlimit_fields),
	[SYSCALL_TYPE_OFFSET] = WRITTEN(8, true, long_put),
	[SYSCALL_TYPE_POINTER] = WRITTEN(8, false, pointer_put),
	[SYSCALL_TYPE_TIMESPEC64] = TABLE(16, true, timespec_fields),
	[SYSCALL_TYPE_ITIMERSPEC64] = TABLE(32, true, itimerspec_fields),
	[SYSCALL_TYPE_WAIT_STATUS] = WRITTEN(4, true, wait_status_put),
	[SYSCALL_TYPE_SIGEVENT] = WRITTEN(24, false, syscall_put_sigevent),
	[SYSCALL_TYPE_SEMBUF] = TABLE(6, true, sembuf_fields),
	[SYSCALL_TYPE_SIGSET_PACK] = WRITTEN(16, false, syscall_put_sigset_pack),
	[SYSCALL_TYPE_CAP_HEADER] = TABLE(8, true, cap_header_fields),
	[SYSCALL_TYPE_CAPABILITY] = WRITTEN(12, true, syscall_put_capabilities),
	[SYSCALL_TYPE_PERF_EVENT_ATTR] = WRITTEN(64, true, syscall_put_perf_event_attr),
	[SYSCALL_TYPE_MQ_ATTR] = TABLE(32, false, mq_attr_fields),
};

uint32_t syscall_struct_size(const struct syscall_writer *w, enum syscall_type type)
{
	const struct layout *l = (uint32_t)type < SYSCALL_NR_TYPES ? &layouts[type] : NULL;

	if (!l || !l->size || (w->c->abi == SYSCALL_I386 && !l->is_of_32_bits && !syscall_is_widened(type)))
		return 0;
	if (type == SYSCALL_TYPE_EPOLL_EVENT)
		return w->c->abi == SYSCALL_ARM64 ? 16 : 12;
	return l->size;
}

bool syscall_put_struct(struct syscall_writer *w, enum syscall_type type, const struct syscall_bytes *b)
{
	uint32_t size = syscall_struct_size(w, type);

	if (!size || b->size < size)
		return false;
	if (layouts[type].put)
		return layouts[type].put(w, b);
	syscall_put_fields(w, b, layouts[type].fields, layouts[type].nr);
	return true;
}

/* Elements of arrays of numbers have no brackets of their own. */
static bool element_put(struct syscall_writer *w, enum syscall_type type, const struct syscall_bytes *b)
{
	switch (type) {
	case SYSCALL_TYPE_INT:
	case SYSCALL_TYPE_SOCKLEN:
		syscall_put_s64(w->o, syscall_bytes_s32(b, 0));
		return true;
	case SYSCALL_TYPE_LONG:
	case SYSCALL_TYPE_OFFSET:
		syscall_put_s64(w->o, syscall_bytes_s64(b, 0));
		return true;
	case SYSCALL_TYPE_POINTER:
		syscall_put_pointer(w, syscall_bytes_u64(b, 0));
		return true;
	default:
		return syscall_put_struct(w, type, b);
	}
}

void syscall_put_array(struct syscall_writer *w, enum syscall_type type, const struct syscall_bytes *b, uint64_t nr)
{
	uint32_t size = syscall_struct_size(w, type);
	uint64_t here = size ? b->size / size : 0;

	out_char(w->o, '[');
	for (uint32_t i = 0; i < nr; i++) {
		struct syscall_bytes part = syscall_bytes_part(b, (size_t)i * size, size);

		if (i >= here) {
			out_str(w->o, i ? ", ..." : "...");
			break;
		}
		if (!syscall_next_element(w, i) || !element_put(w, type, &part))
			break;
	}
	out_char(w->o, ']');
}
