/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files that write system calls share: one call that is being written, and the pieces of its text. Only view/syscall_*.c include it.
 *
 * Numbers and bytes are another process's. Every piece looks at the bytes that are there and not at what a length says; strings are cut at
 * the option's length, arrays at its number of elements, and a call writes at most SYSCALL_MAX_ELEMENTS elements in all, so that the text of a
 * call is bounded whatever it was made with.
 */
#ifndef ASSAY_VIEW_SYSCALL_WRITER_H
#define ASSAY_VIEW_SYSCALL_WRITER_H

#include "base/bytes.h"
#include "view/syscall_text.h"

#define SYSCALL_MAX_ELEMENTS 4096u
#define SYSCALL_MAX_PATH 4096u
#define ELEMENTS_OF(a) (uint32_t)(sizeof(a) / sizeof(*(a)))

struct syscall_special;

struct syscall_writer {
	struct out *o;
	const struct syscall_call *c;
	const struct syscall_text_options *opts;
	const struct syscall_special *special; /* NULL: its table entry is enough */
	bool drops_prefix;		       /* RDONLY instead of O_RDONLY: arguments in perf's shape */
	uint32_t elements_left;
};

/* Bytes of memory, checked: a value that is not there is 0, and whole structs are checked before they are written. */
struct syscall_bytes {
	const uint8_t *data;
	size_t size;
};

/* Calls that are not like their table entry: arguments that depend on others, text behind the result. */
struct syscall_special {
	const char *name;
	/* How many arguments are written. */
	uint32_t (*nr_args)(const struct syscall_writer *w);
	/* True: it wrote argument `i`; false: write it as its table entry says. */
	bool (*arg)(struct syscall_writer *w, uint32_t i);
	/* True: it wrote the result of a call that did not fail. */
	bool (*result)(struct syscall_writer *w);
	/* The argument, + 1, that shows what came of the call, though it goes in; 0: none. */
	uint8_t shows_end;
	/* Nothing of it has to wait for the end of the call: poll() writes what came out behind the result. */
	bool is_known_at_entry;
	/* Of those whose request decides: whether the last argument is written when the call has ended. */
	bool (*needs_end)(const struct syscall_writer *w);
};

const struct syscall_special *syscall_special_find(const char *name);

/* ---- syscall_writer.c: memory, and arguments as their table entry has them ---- */

/* Memory of an argument, before or after the call. False: there is none; then its address is to be written. */
bool syscall_memory_find(const struct syscall_writer *w, uint32_t arg, bool at_exit, struct syscall_bytes *b);
const struct syscall_memory *syscall_memory_get(const struct syscall_writer *w, uint32_t arg, bool at_exit);
/* Memory that an address in the memory of an argument points to: as it was after the call, if that is known. */
const struct syscall_memory *syscall_memory_at(const struct syscall_writer *w, uint64_t address);
void syscall_put_arg(struct syscall_writer *w, uint32_t i);
/* Bytes of a pointer and of a long. */
static inline uint32_t syscall_word(const struct syscall_writer *w)
{
	return w->c->abi == SYSCALL_I386 ? 4 : 8;
}
/* An element of an array is about to be written: writes the separator; false: "..." was written instead of it and of all that follow. */
bool syscall_next_element(struct syscall_writer *w, uint32_t index);

uint64_t syscall_bytes_u64(const struct syscall_bytes *b, size_t offset);
uint32_t syscall_bytes_u32(const struct syscall_bytes *b, size_t offset);
uint16_t syscall_bytes_u16(const struct syscall_bytes *b, size_t offset);
uint8_t syscall_bytes_u8(const struct syscall_bytes *b, size_t offset);
static inline int32_t syscall_bytes_s32(const struct syscall_bytes *b, size_t offset)
{
	return (int32_t)syscall_bytes_u32(b, offset);
}
static inline int64_t syscall_bytes_s64(const struct syscall_bytes *b, size_t offset)
{
	return (int64_t)syscall_bytes_u64(b, offset);
}
/* The bytes from `offset` on, at most `size`. */
static inline struct syscall_bytes syscall_bytes_part(const struct syscall_bytes *b, size_t offset, size_t size)
{
	size_t left = offset < b->size ? b->size - offset : 0;

	return (struct syscall_bytes){ .data = left ? b->data + offset : b->data, .size = size < left ? size : left };
}

/* ---- syscall_values.c: what fits in a register ---- */

void syscall_put_s64(struct out *o, int64_t v);
void syscall_put_hex(struct out *o, uint64_t v); /* "0x1f", "0" */
void syscall_put_octal(struct out *o, uint64_t v, int digits);
void syscall_put_pointer(struct syscall_writer *w, uint64_t v); /* NULL */
void syscall_put_flags(struct syscall_writer *w, const struct syscall_flags *f, uint64_t v);
void syscall_put_enum(struct syscall_writer *w, const struct syscall_flags *f, uint64_t v);
/* The name of a value, or NULL. */
const char *syscall_flag_name(const struct syscall_flags *f, uint64_t v);
void syscall_put_permissions(struct syscall_writer *w, uint32_t mode); /* of chmod and mkdir */
void syscall_put_mode(struct syscall_writer *w, uint32_t mode);	       /* of mknod and stat: with the type */
void syscall_put_pid(struct syscall_writer *w, int pid);
void syscall_put_uid(struct syscall_writer *w, uint32_t id);
void syscall_put_device(struct syscall_writer *w, uint64_t dev);
void syscall_put_signal(struct syscall_writer *w, int sig);
void syscall_put_sigset(struct syscall_writer *w, const struct syscall_bytes *b);
void syscall_put_timespec(struct syscall_writer *w, int64_t sec, uint64_t fraction, const char *unit);
/* A comment with the date; nothing for what is no date. `digits` of the fraction: 9 or 6. */
void syscall_put_date(struct syscall_writer *w, int64_t sec, uint64_t fraction, int digits);
#define SYSCALL_DATE_SIZE 96
/* The date alone; false: it is none. */
bool syscall_date_text(char *text, int64_t sec, uint64_t fraction, int digits);
void syscall_put_ticks(struct syscall_writer *w, int64_t v);

/* ---- syscall_descriptors.c ---- */

void syscall_put_fd(struct syscall_writer *w, int fd);
/* One that is a result: perf's lines have no path there. */
void syscall_put_new_fd(struct syscall_writer *w, int fd);
void syscall_put_dirfd(struct syscall_writer *w, int fd);

/* ---- syscall_errors.c ---- */

const char *syscall_error_text(int error);

/* ---- syscall_strings.c ---- */

enum syscall_quoting {
	SYSCALL_QUOTE_CUT = 1,	/* there is more: "..." behind it */
	SYSCALL_QUOTE_HEX = 2,	/* all bytes as \xNN, whatever they are */
	SYSCALL_QUOTE_BARE = 4, /* no quotes, and < and > are escaped: paths of fds */
};
void syscall_put_quoted(struct syscall_writer *w, const uint8_t *s, size_t len, uint32_t quoting);
/* `size` bytes of a buffer of which `b` are here, cut at the option's length. */
void syscall_put_buffer(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t size, uint32_t quoting);
/* A string that ends at a NUL, or where the bytes end; cut at `max`. */
void syscall_put_string(struct syscall_writer *w, const struct syscall_bytes *b, bool is_cut, uint32_t max);
void syscall_put_strings(struct syscall_writer *w, const struct syscall_memory *m, uint64_t address, bool is_environment);

/* ---- syscall_structs.c and its neighbours ---- */

/* The bytes of one; 0: it has no fixed size, or is not known for this ABI. */
uint32_t syscall_struct_size(const struct syscall_writer *w, enum syscall_type type);
/* One struct of that type. False: bytes are missing, nothing was written. */
bool syscall_put_struct(struct syscall_writer *w, enum syscall_type type, const struct syscall_bytes *b);
/* "[…]" of `nr` of them, of which those in `b` are written. */
void syscall_put_array(struct syscall_writer *w, enum syscall_type type, const struct syscall_bytes *b, uint64_t nr);
void syscall_put_sockaddr(struct syscall_writer *w, const struct syscall_bytes *b);
/* `bytes`: how many were read into the buffers; UINT64_MAX: they go out, and are full. */
void syscall_put_iovec(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t nr, uint64_t bytes);
/* `before`: the same struct before the call, or NULL. False: bytes are missing. */
bool syscall_put_msghdr(struct syscall_writer *w, const struct syscall_bytes *b, const struct syscall_bytes *before, uint64_t bytes);
/* Of sendmmsg() and recvmmsg(): those that went or came. */
bool syscall_put_messages(struct syscall_writer *w, uint32_t arg, const struct syscall_bytes *b, uint64_t nr);
/* Of msgsnd() and msgrcv(). */
bool syscall_put_msgbuf(struct syscall_writer *w, const struct syscall_bytes *b);
void syscall_put_fd_set(struct syscall_writer *w, const struct syscall_bytes *b, int nr);
void syscall_put_wait_status(struct syscall_writer *w, uint32_t status);
void syscall_put_dirents(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t address, bool is_64, uint64_t size);

/* ---- syscall_ioctl.c ---- */

void syscall_put_ioctl(struct syscall_writer *w, uint32_t request);
/* False: the third argument is written as an address. */
bool syscall_put_ioctl_arg(struct syscall_writer *w, uint32_t request, uint64_t arg);
bool syscall_ioctl_has_arg(uint32_t request);
bool syscall_ioctl_is_out(uint32_t request);

#endif
