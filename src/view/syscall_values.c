/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What fits in a register: numbers, bits and values with names, modes, descriptors, signals and sets of them, times.
 */
#include "view/syscall_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void syscall_put_s64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? 0u - (uint64_t)v : (uint64_t)v, 0);
}

void syscall_put_hex(struct out *o, uint64_t v)
{
	if (v)
		out_mem(o, "0x", 2);
	out_hex(o, v, 0);
}

/* Like "%#03o": a leading zero counts as a digit. */
void syscall_put_octal(struct out *o, uint64_t v, int digits)
{
	char buf[24], *p = buf + sizeof(buf);

	for (; v || p == buf + sizeof(buf); v >>= 3)
		*--p = (char)('0' + (v & 7));
	if (*p != '0')
		*--p = '0';
	while (buf + sizeof(buf) - p < digits && p > buf)
		*--p = '0';
	out_mem(o, p, (size_t)(buf + sizeof(buf) - p));
}

void syscall_put_pointer(struct syscall_writer *w, uint64_t v)
{
	if (v)
		syscall_put_hex(w->o, v);
	else
		out_mem(w->o, "NULL", 4);
}

/* ---- names of bits and values ---- */

static void name_put(struct syscall_writer *w, const struct syscall_flags *f, const char *name)
{
	size_t len = w->drops_prefix && f->prefix ? strlen(f->prefix) : 0;

	out_str(w->o, len && !strncmp(name, f->prefix, len) && name[len] ? name + len : name);
}

/* "0x80 / * O_??? * /" in strace's shape, the number alone in perf's. */
static void unknown_put(struct syscall_writer *w, const struct syscall_flags *f, uint64_t v)
{
	syscall_put_hex(w->o, v);
	if (w->drops_prefix || !f || !f->prefix || !*f->prefix)
		return;
	out_mem(w->o, " /* ", 4);
	out_str(w->o, f->prefix);
	out_mem(w->o, "??? */", 6);
}

const char *syscall_flag_name(const struct syscall_flags *f, uint64_t v)
{
	for (uint32_t i = 0; f && i < f->nr; i++)
		if (f->v[i].value == v)
			return f->v[i].name;
	return NULL;
}

void syscall_put_flags(struct syscall_writer *w, const struct syscall_flags *f, uint64_t v)
{
	uint64_t written = 0;
	bool any = false;

	for (uint32_t i = 0; f && i < f->nr; i++) {
		const struct syscall_flag *flag = &f->v[i];
		uint64_t mask = flag->mask ? flag->mask : flag->value;
		/* No bits and no mask: the name of nothing at all. A name whose bits are written already is a part of another one. */
		bool has = mask ? (v & mask) == flag->value && !(written & mask) : !v;

		if (!has)
			continue;
		if (any)
			out_char(w->o, '|');
		name_put(w, f, flag->name);
		any = true;
		written |= mask;
	}
	if (any && (v & ~written)) {
		out_char(w->o, '|');
		syscall_put_hex(w->o, v & ~written);
	} else if (!any && v) {
		unknown_put(w, f, v);
	} else if (!any) {
		out_char(w->o, '0');
	}
}

void syscall_put_enum(struct syscall_writer *w, const struct syscall_flags *f, uint64_t v)
{
	const char *name = syscall_flag_name(f, v);

	if (name)
		name_put(w, f, name);
	else
		unknown_put(w, f, v);
}

/* ---- modes ---- */

static const struct syscall_flag type_names[] = {
	{ "S_IFSOCK", S_IFSOCK, 0 }, { "S_IFLNK", S_IFLNK, 0 }, { "S_IFREG", S_IFREG, 0 }, { "S_IFBLK", S_IFBLK, 0 },
	{ "S_IFDIR", S_IFDIR, 0 },   { "S_IFCHR", S_IFCHR, 0 }, { "S_IFIFO", S_IFIFO, 0 },
};
static const struct syscall_flags types = { "S_", type_names, ELEMENTS_OF(type_names) };

/* perf's names of permissions, larger ones first: what one covers, later ones do not name again. */
static const struct syscall_flag permission_names[] = {
	{ "IALLUGO", 07777, 0 },      { "IRWXUGO", 0777, 0 },	    { "IRUGO", 0444, 0 },
	{ "IWUGO", 0222, 0 },	      { "IXUGO", 0111, 0 },	    { "IFSOCK", S_IFSOCK, S_IFMT },
	{ "IFLNK", S_IFLNK, S_IFMT }, { "IFREG", S_IFREG, S_IFMT }, { "IFBLK", S_IFBLK, S_IFMT },
	{ "IFDIR", S_IFDIR, S_IFMT }, { "IFCHR", S_IFCHR, S_IFMT }, { "IFIFO", S_IFIFO, S_IFMT },
	{ "ISUID", 04000, 0 },	      { "ISGID", 02000, 0 },	    { "ISVTX", 01000, 0 },
	{ "IRWXU", 0700, 0 },	      { "IRUSR", 0400, 0 },	    { "IWUSR", 0200, 0 },
	{ "IXUSR", 0100, 0 },	      { "IRWXG", 070, 0 },	    { "IRGRP", 040, 0 },
	{ "IWGRP", 020, 0 },	      { "IXGRP", 010, 0 },	    { "IRWXO", 07, 0 },
	{ "IROTH", 04, 0 },	      { "IWOTH", 02, 0 },	    { "IXOTH", 01, 0 },
};
static const struct syscall_flags permissions = { "", permission_names, ELEMENTS_OF(permission_names) };

void syscall_put_permissions(struct syscall_writer *w, uint32_t mode)
{
	if (w->drops_prefix)
		syscall_put_flags(w, &permissions, mode);
	else
		syscall_put_octal(w->o, mode, 3);
}

void syscall_put_mode(struct syscall_writer *w, uint32_t mode)
{
	const char *type = syscall_flag_name(&types, mode & S_IFMT);

	if (w->drops_prefix) {
		syscall_put_flags(w, &permissions, mode);
		return;
	}
	if (!type) {
		syscall_put_octal(w->o, mode, 3);
		return;
	}
	out_str(w->o, type);
	out_str(w->o, mode & S_ISUID ? "|S_ISUID" : "");
	out_str(w->o, mode & S_ISGID ? "|S_ISGID" : "");
	out_str(w->o, mode & S_ISVTX ? "|S_ISVTX" : "");
	out_char(w->o, '|');
	syscall_put_octal(w->o, mode & ~(uint32_t)(S_IFMT | S_ISUID | S_ISGID | S_ISVTX), 3);
}

/* ---- files, tasks, users ---- */

void syscall_put_pid(struct syscall_writer *w, int pid)
{
	bool is_perf = w->opts->shape == SYSCALL_PERF;
	const char *comm = pid > 0 && (is_perf || w->opts->show_comms) && w->opts->task_comm ? w->opts->task_comm(w->opts->ctx, pid) : NULL;

	syscall_put_s64(w->o, pid);
	if (!comm)
		return;
	out_str(w->o, is_perf ? " (" : "<");
	syscall_put_quoted(w, (const uint8_t *)comm, strnlen(comm, 64), SYSCALL_QUOTE_BARE);
	out_char(w->o, is_perf ? ')' : '>');
}

void syscall_put_uid(struct syscall_writer *w, uint32_t id)
{
	if (id == UINT32_MAX)
		out_mem(w->o, "-1", 2);
	else
		out_u64(w->o, id, 0);
}

/* The kernel's own coding: 12 bits of major, 20 of minor, and more of both above. */
void syscall_put_device(struct syscall_writer *w, uint64_t dev)
{
	uint64_t major = (dev >> 8 & 0xfff) | (dev >> 32 & ~(uint64_t)0xfff), minor = (dev & 0xff) | (dev >> 12 & ~(uint64_t)0xff);

	out_str(w->o, "makedev(");
	syscall_put_hex(w->o, (uint32_t)major);
	out_mem(w->o, ", ", 2);
	syscall_put_hex(w->o, (uint32_t)minor);
	out_char(w->o, ')');
}

/* ---- signals ---- */

#define FIRST_REAL_TIME 32
#define NR_SIGNALS 64

static const char *const signals[FIRST_REAL_TIME] = {
	NULL,	  "HUP",  "INT",  "QUIT", "ILL",  "TRAP", "ABRT", "BUS", "FPE",	 "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM",
	"STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",   "PWR",  "SYS",
};

/* Without "SIG"; false: there is no such signal. */
static bool signal_name_put(struct out *o, int sig)
{
	if (sig <= 0 || sig > NR_SIGNALS)
		return false;
	if (sig < FIRST_REAL_TIME) {
		out_str(o, signals[sig]);
	} else if (sig == FIRST_REAL_TIME) {
		out_mem(o, "RTMIN", 5);
	} else {
		out_mem(o, "RT_", 3);
		out_u64(o, (uint64_t)(sig - FIRST_REAL_TIME), 0);
	}
	return true;
}

void syscall_put_signal(struct syscall_writer *w, int sig)
{
	if (sig <= 0 || sig > NR_SIGNALS) {
		syscall_put_s64(w->o, sig);
		return;
	}
	if (!w->drops_prefix)
		out_mem(w->o, "SIG", 3);
	signal_name_put(w->o, sig);
}

/* A set that has most signals is written by those it has not. */
void syscall_put_sigset(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint64_t set = b->size >= 8 ? syscall_bytes_u64(b, 0) : syscall_bytes_u32(b, 0);
	bool is_inverted = __builtin_popcountll(set) >= NR_SIGNALS * 2 / 3, any = false;

	if (b->size < 8 && is_inverted)
		set |= UINT64_MAX << 32;
	if (is_inverted) {
		out_char(w->o, '~');
		set = ~set;
	}
	out_char(w->o, '[');
	for (int sig = 1; sig <= NR_SIGNALS; sig++) {
		if (!(set >> (sig - 1) & 1))
			continue;
		if (any)
			out_char(w->o, ' ');
		any = true;
		signal_name_put(w->o, sig);
	}
	out_char(w->o, ']');
}

/* ---- time ---- */

void syscall_put_timespec(struct syscall_writer *w, int64_t sec, uint64_t fraction, const char *unit)
{
	out_str(w->o, "{tv_sec=");
	syscall_put_s64(w->o, sec);
	out_mem(w->o, ", ", 2);
	out_str(w->o, unit);
	out_char(w->o, '=');
	out_u64(w->o, fraction, 0);
	out_char(w->o, '}');
}

/* Of the time zone of the user, like strace's. */
bool syscall_date_text(char *text, int64_t sec, uint64_t fraction, int digits)
{
	uint64_t limit = digits == 9 ? 1000000000u : 1000000u;
	time_t t = (time_t)sec;
	char zone[16];
	size_t len;
	struct tm tm;

	if ((!sec && !fraction) || fraction >= limit || !localtime_r(&t, &tm) || !(len = strftime(text, 48, "%FT%T", &tm)) ||
	    !strftime(zone, sizeof(zone), "%z", &tm))
		return false;
	if (fraction)
		len += (size_t)snprintf(text + len, 16, ".%0*llu", digits, (unsigned long long)fraction);
	memcpy(text + len, zone, strlen(zone) + 1);
	return true;
}

void syscall_put_date(struct syscall_writer *w, int64_t sec, uint64_t fraction, int digits)
{
	char text[SYSCALL_DATE_SIZE];

	if (!syscall_date_text(text, sec, fraction, digits))
		return;
	out_mem(w->o, " /* ", 4);
	out_str(w->o, text);
	out_mem(w->o, " */", 3);
}

/* A tick is a hundredth of a second, whatever the kernel counts in. */
void syscall_put_ticks(struct syscall_writer *w, int64_t v)
{
	syscall_put_s64(w->o, v);
	if (v)
		out_printf(w->o, " /* %.2f s */", (double)v / 100);
}
