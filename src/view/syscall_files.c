/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Structs about files and descriptors: stat and its relatives, directories, sets of descriptors, what poll and epoll wait for.
 */
#include <string.h>
#include <sys/stat.h>

#include "view/syscall_names.h"
#include "view/syscall_structs.h"

/* clang-format off */
#define F(name, offset, kind) { name, NULL, offset, kind, false }
#define L(name, offset, kind) { name, NULL, offset, kind, true }
/* clang-format on */

/* ---- stat ---- */

static const struct syscall_field stat_x86_64[] = {
	F("st_dev", 0, FIELD_DEVICE), F("st_ino", 8, FIELD_U64),      F("st_mode", 24, FIELD_MODE32), F("st_nlink", 16, FIELD_U64),
	F("st_uid", 28, FIELD_UID),   F("st_gid", 32, FIELD_UID),     F("st_blksize", 56, FIELD_U64), F("st_blocks", 64, FIELD_U64),
	F("st_size", 48, FIELD_S64),  F("st_rdev", 40, FIELD_DEVICE),
};
static const struct syscall_field stat_arm64[] = {
	F("st_dev", 0, FIELD_DEVICE), F("st_ino", 8, FIELD_U64),      F("st_mode", 16, FIELD_MODE32), F("st_nlink", 20, FIELD_U32),
	F("st_uid", 24, FIELD_UID),   F("st_gid", 28, FIELD_UID),     F("st_blksize", 56, FIELD_S32), F("st_blocks", 64, FIELD_U64),
	F("st_size", 48, FIELD_S64),  F("st_rdev", 32, FIELD_DEVICE),
};
static const struct syscall_field stat_times[] = {
	F("st_atime", 72, FIELD_DATE),	   F("st_atime_nsec", 80, FIELD_U64), F("st_mtime", 88, FIELD_DATE),
	F("st_mtime_nsec", 96, FIELD_U64), F("st_ctime", 104, FIELD_DATE),    F("st_ctime_nsec", 112, FIELD_U64),
};
enum { STAT_MODE = 2, STAT_BEFORE_SIZE = 8, STAT_SIZE = 8, STAT_RDEV = 9, NR_STAT = 10 };

/* A device has a number where a file has a size. */
bool syscall_put_stat(struct syscall_writer *w, const struct syscall_bytes *b)
{
	const struct syscall_field *all = w->c->abi == SYSCALL_ARM64 ? stat_arm64 : stat_x86_64;
	uint32_t type = syscall_bytes_u32(b, all[STAT_MODE].offset) & S_IFMT, nr = 0;
	struct syscall_field fields[NR_STAT + ELEMENTS_OF(stat_times)];

	if (w->c->abi != SYSCALL_ARM64 && b->size < 144)
		return false;
	for (uint32_t i = 0; i < STAT_BEFORE_SIZE; i++)
		if (w->opts->is_verbose || i == STAT_MODE)
			fields[nr++] = all[i];
	fields[nr++] = all[type == S_IFCHR || type == S_IFBLK ? STAT_RDEV : STAT_SIZE];
	for (uint32_t i = 0; i < ELEMENTS_OF(stat_times); i++) {
		fields[nr] = stat_times[i];
		fields[nr++].is_verbose = true;
	}
	syscall_put_fields(w, b, fields, nr);
	return true;
}

#define STATX_ATIME_BIT 0x20u
#define STATX_BTIME_BIT 0x800u
#define STATX_CTIME_BIT 0x80u
#define STATX_MTIME_BIT 0x40u

static const struct {
	struct syscall_field field;
	uint32_t needs; /* the bit of stx_mask; 0: always there */
} statx_fields[] = {
	{ { "stx_mask", &syscall_flags_statx, 0, FIELD_FLAGS32, false }, 0 },
	{ L("stx_blksize", 4, FIELD_U32), 0 },
	{ { "stx_attributes", &syscall_flags_statx_attributes, 8, FIELD_FLAGS64, false }, 0 },
	{ L("stx_nlink", 16, FIELD_U32), 0 },
	{ L("stx_uid", 20, FIELD_UID), 0 },
	{ L("stx_gid", 24, FIELD_UID), 0 },
	{ F("stx_mode", 28, FIELD_MODE16), 0 },
	{ L("stx_ino", 32, FIELD_U64), 0 },
	{ F("stx_size", 40, FIELD_U64), 0 },
	{ L("stx_blocks", 48, FIELD_U64), 0 },
	{ { "stx_attributes_mask", &syscall_flags_statx_attributes, 56, FIELD_FLAGS64, true }, 0 },
	{ L("stx_atime", 64, FIELD_STATX_TIME), STATX_ATIME_BIT },
	{ L("stx_btime", 80, FIELD_STATX_TIME), STATX_BTIME_BIT },
	{ L("stx_ctime", 96, FIELD_STATX_TIME), STATX_CTIME_BIT },
	{ L("stx_mtime", 112, FIELD_STATX_TIME), STATX_MTIME_BIT },
	{ L("stx_rdev_major", 128, FIELD_U32), 0 },
	{ L("stx_rdev_minor", 132, FIELD_U32), 0 },
	{ L("stx_dev_major", 136, FIELD_U32), 0 },
	{ L("stx_dev_minor", 140, FIELD_U32), 0 },
	{ L("stx_mnt_id", 144, FIELD_HEX64), 0 },
};

bool syscall_put_statx(struct syscall_writer *w, const struct syscall_bytes *b)
{
	struct syscall_field fields[ELEMENTS_OF(statx_fields)];
	uint32_t mask = syscall_bytes_u32(b, 0), nr = 0;

	for (uint32_t i = 0; i < ELEMENTS_OF(statx_fields); i++)
		if (!statx_fields[i].needs || (mask & statx_fields[i].needs))
			fields[nr++] = statx_fields[i].field;
	syscall_put_fields(w, b, fields, nr);
	return true;
}

bool syscall_put_statfs(struct syscall_writer *w, const struct syscall_bytes *b)
{
	static const struct syscall_field before[] = {
		{ "f_type", &syscall_statfs_types, 0, FIELD_ENUM64, false },
		F("f_bsize", 8, FIELD_U64),
		F("f_blocks", 16, FIELD_U64),
		F("f_bfree", 24, FIELD_U64),
		F("f_bavail", 32, FIELD_U64),
		F("f_files", 40, FIELD_U64),
		F("f_ffree", 48, FIELD_U64),
	};
	static const struct syscall_field behind[] = {
		F("f_namelen", 64, FIELD_U64),
		F("f_frsize", 72, FIELD_U64),
		{ "f_flags", &syscall_flags_statfs_flags, 80, FIELD_FLAGS64, false },
	};

	out_char(w->o, '{');
	syscall_put_plain_fields(w, b, before, ELEMENTS_OF(before));
	out_str(w->o, ", f_fsid={val=[");
	syscall_put_hex(w->o, syscall_bytes_u32(b, 56));
	out_mem(w->o, ", ", 2);
	syscall_put_hex(w->o, syscall_bytes_u32(b, 60));
	out_str(w->o, "]}, ");
	syscall_put_plain_fields(w, b, behind, ELEMENTS_OF(behind));
	out_char(w->o, '}');
	return true;
}

/* Of a struct that is larger than what is known of it, unless they are zero: / * bytes 24..39 * / "\x00…" */
static void unknown_bytes_put(struct syscall_writer *w, const struct syscall_bytes *b, size_t from)
{
	struct syscall_bytes rest = syscall_bytes_part(b, from, b->size);
	size_t set = 0;

	while (set < rest.size && !rest.data[set])
		set++;
	if (set == rest.size)
		return;
	out_str(w->o, ", /* bytes ");
	out_u64(w->o, from, 0);
	out_mem(w->o, "..", 2);
	out_u64(w->o, b->size - 1, 0);
	out_str(w->o, " */ ");
	syscall_put_buffer(w, &rest, rest.size, SYSCALL_QUOTE_HEX);
}

bool syscall_put_open_how(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint64_t flags = syscall_bytes_u64(b, 0), mode = syscall_bytes_u64(b, 8), creates = 020000100; /* O_CREAT, O_TMPFILE */

	out_str(w->o, "{flags=");
	syscall_put_flags(w, syscall_open_flags(w->c->abi), flags);
	if (mode || (flags & creates)) {
		out_str(w->o, ", mode=");
		syscall_put_octal(w->o, mode, 3);
	}
	out_str(w->o, ", resolve=");
	syscall_put_flags(w, &syscall_flags_resolve, syscall_bytes_u64(b, 16));
	unknown_bytes_put(w, b, 24);
	out_char(w->o, '}');
	return true;
}

/* ---- directories ---- */

struct dirent {
	uint64_t ino, off;
	uint16_t reclen;
	uint8_t type;
	struct syscall_bytes name;
};

/* The entry at the beginning of `b`, which it is taken from; false: nothing, or no whole entry. */
static bool dirent_next(struct syscall_bytes *b, struct dirent *d, bool is_64)
{
	size_t name_at = is_64 ? 19 : 18;

	d->reclen = syscall_bytes_u16(b, 16);
	if (d->reclen <= name_at || d->reclen > b->size)
		return false;
	d->ino = syscall_bytes_u64(b, 0);
	d->off = syscall_bytes_u64(b, 8);
	d->type = syscall_bytes_u8(b, is_64 ? 18 : d->reclen - 1u);
	d->name = syscall_bytes_part(b, name_at, d->reclen - name_at - (is_64 ? 0 : 1));
	*b = syscall_bytes_part(b, d->reclen, b->size);
	return true;
}

static void dirent_put(struct syscall_writer *w, const struct dirent *d, bool is_64)
{
	out_str(w->o, "{d_ino=");
	out_u64(w->o, d->ino, 0);
	out_str(w->o, ", d_off=");
	syscall_put_s64(w->o, (int64_t)d->off);
	out_str(w->o, ", d_reclen=");
	out_u64(w->o, d->reclen, 0);
	if (is_64) {
		out_str(w->o, ", d_type=");
		syscall_put_enum(w, &syscall_dirent_types, d->type);
	}
	out_str(w->o, ", d_name=");
	syscall_put_string(w, &d->name, false, 256);
	if (!is_64) {
		out_str(w->o, ", d_type=");
		syscall_put_enum(w, &syscall_dirent_types, d->type);
	}
	out_char(w->o, '}');
}

/* strace counts the entries unless it is to show all. */
void syscall_put_dirents(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t address, bool is_64, uint64_t size)
{
	struct syscall_bytes left = *b;
	struct dirent d;
	uint32_t nr = 0;

	if (w->opts->is_verbose) {
		out_char(w->o, '[');
		while (dirent_next(&left, &d, is_64) && syscall_next_element(w, nr++))
			dirent_put(w, &d, is_64);
		out_char(w->o, ']');
		return;
	}
	while (dirent_next(&left, &d, is_64))
		nr++;
	syscall_put_pointer(w, address);
	out_mem(w->o, " /* ", 4);
	out_u64(w->o, nr, 0);
	out_str(w->o, b->size < size ? "+" : "");
	out_str(w->o, nr == 1 ? " entry */" : " entries */");
}

/* ---- waiting for descriptors ---- */

bool syscall_put_pollfd(struct syscall_writer *w, const struct syscall_bytes *b)
{
	int fd = syscall_bytes_s32(b, 0);

	out_str(w->o, "{fd=");
	syscall_put_fd(w, fd);
	if (fd >= 0) {
		out_str(w->o, ", events=");
		syscall_put_flags(w, &syscall_flags_poll_events, syscall_bytes_u16(b, 4));
	}
	out_char(w->o, '}');
	return true;
}

bool syscall_put_epoll_event(struct syscall_writer *w, const struct syscall_bytes *b)
{
	size_t data = w->c->abi == SYSCALL_ARM64 ? 8 : 4;

	out_str(w->o, "{events=");
	syscall_put_flags(w, &syscall_flags_epoll_events, syscall_bytes_u32(b, 0));
	out_str(w->o, ", data={u32=");
	out_u64(w->o, syscall_bytes_u32(b, data), 0);
	out_str(w->o, ", u64=");
	out_u64(w->o, syscall_bytes_u64(b, data), 0);
	out_mem(w->o, "}}", 2);
	return true;
}

void syscall_put_fd_set(struct syscall_writer *w, const struct syscall_bytes *b, int nr)
{
	bool any = false;

	out_char(w->o, '[');
	for (uint32_t fd = 0; nr > 0 && fd < (uint32_t)nr && fd / 8 < b->size; fd++) {
		if (!(b->data[fd / 8] >> (fd % 8) & 1))
			continue;
		if (any)
			out_char(w->o, ' ');
		any = true;
		if (!w->elements_left) {
			out_mem(w->o, "...", 3);
			break;
		}
		w->elements_left--;
		syscall_put_fd(w, (int)fd);
	}
	out_char(w->o, ']');
}
