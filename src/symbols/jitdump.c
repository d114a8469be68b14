/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader of jitdump files: a header, then records with their size and time. Records about lines and call frame information stand
 * before the one that loads the code they belong to.
 */
#include "symbols/jitdump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "symbols/unwind_build.h"

#define MAGIC 0x4a695444u
#define MAGIC_OTHER_ORDER 0x4454694au
#define VERSION 1u
#define FLAG_CPU_TIME 1u
#define PREFIX_BYTES 16u
#define HEADER_BYTES 40u
#define MAX_NAME 4096u /* of a function or a file */
#define EH_ALIGN 8u    /* of .eh_frame behind the code, which its addresses count from */
/* V8 counts the addresses of its lines from the ELF header that perf puts in front of the code. */
#define V8_LINE_SHIFT 0x40u

enum record_type { RECORD_CODE_LOAD, RECORD_CODE_MOVE, RECORD_CODE_LINES, RECORD_CODE_CLOSE, RECORD_CODE_UNWIND };

struct reader {
	struct jitdump *dump;
	struct hindex by_index;
	VEC(struct latest {
		uint64_t index;	   /* the compiler's number */
		uint32_t function; /* the last that had it */
	})
	latest;
	uint64_t lines_addr; /* of the code that these lines are for */
	struct bytes lines;
	uint64_t nr_lines;
	uint64_t unwind_off;
	uint32_t unwind_bytes, unwind_head_bytes, unwind_mapped_bytes;
};

static uint64_t offset_of(const struct reader *r, const void *p)
{
	return (uint64_t)((const char *)p - r->dump->bytes);
}

/* The string at the cursor, which moves past its NUL; NULL where it does not end. */
static const char *take_string(struct bytes *b)
{
	size_t left = bytes_left(b);
	const uint8_t *end = memchr(b->pos, 0, left < MAX_NAME ? left : MAX_NAME);

	return end ? bytes_take(b, (size_t)(end - b->pos) + 1) : NULL;
}

static bool is_v8_script(const char *name)
{
	static const char *const prefixes[] = { "JS:", "LazyCompile:", "Function:", "Script:", "Eval:" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void take_lines(struct reader *r, const struct jitdump_function *f)
{
	struct bytes *b = &r->lines;
	uint64_t shift = is_v8_script(f->name) ? V8_LINE_SHIFT : 0;
	const char *before = NULL;

	for (uint64_t i = 0; i < r->nr_lines && r->lines_addr == f->addr; i++) {
		uint64_t addr = bytes_u64(b) - shift;
		uint32_t line = bytes_u32(b);
		const char *file;

		bytes_u32(b); /* the discriminator */
		file = b->failed ? NULL : take_string(b);
		if (!file)
			break;
		/* The same file as the line before. */
		if (!strcmp(file, "\xff"))
			file = before;
		before = file;
		if (file && addr - f->addr < f->size_bytes)
			vec_push(&r->dump->lines, ((struct jitdump_line){ f->file_off + (addr - f->addr), file, line }));
	}
	r->nr_lines = 0;
}

static void add_place(struct reader *r, uint64_t time_ns, uint64_t addr, const struct jitdump_function *f)
{
	if (f->size_bytes && addr <= UINT64_MAX - f->size_bytes)
		vec_push(&r->dump->places, ((struct jitdump_place){ time_ns, addr, f->size_bytes, f->file_off }));
}

static struct latest *latest_of(struct reader *r, uint64_t index)
{
	uint32_t id = HINDEX_INTERN(&r->by_index, hash_u64(index), &r->latest, l, l->index == index,
				    ((struct latest){ index, r->dump->functions.nr }));

	return &r->latest.v[id];
}

static void read_load(struct reader *r, struct bytes b, uint64_t time_ns)
{
	struct jitdump_function f = { 0 };

	bytes_take(&b, 16); /* pid, tid, and the address again */
	f.addr = bytes_u64(&b);
	f.size_bytes = bytes_u64(&b);
	f.index = bytes_u64(&b);
	f.name = b.failed ? NULL : take_string(&b);
	if (f.name && f.size_bytes <= bytes_left(&b)) {
		f.file_off = offset_of(r, b.pos);
		f.unwind_off = r->unwind_off;
		f.unwind_bytes = r->unwind_bytes;
		f.unwind_head_bytes = r->unwind_head_bytes;
		f.unwind_mapped_bytes = r->unwind_mapped_bytes;
		take_lines(r, &f);
		add_place(r, time_ns, f.addr, &f);
		latest_of(r, f.index)->function = r->dump->functions.nr;
		vec_push(&r->dump->functions, f);
	}
	r->unwind_bytes = r->unwind_head_bytes = r->unwind_mapped_bytes = 0;
	r->nr_lines = 0;
}

static void read_move(struct reader *r, struct bytes b, uint64_t time_ns)
{
	uint64_t to, index;
	uint32_t moved;

	bytes_take(&b, 24); /* pid, tid, an address, where it was */
	to = bytes_u64(&b);
	bytes_u64(&b); /* its size, which we know */
	index = bytes_u64(&b);
	if (b.failed)
		return;
	moved = latest_of(r, index)->function;
	if (moved < r->dump->functions.nr && r->dump->functions.v[moved].index == index)
		add_place(r, time_ns, to, &r->dump->functions.v[moved]);
}

static void read_lines(struct reader *r, struct bytes b)
{
	r->lines_addr = bytes_u64(&b);
	r->nr_lines = bytes_u64(&b);
	r->lines = b;
	if (b.failed)
		r->nr_lines = 0;
}

/* .eh_frame, then .eh_frame_hdr. */
static void read_unwind(struct reader *r, struct bytes b)
{
	uint64_t size = bytes_u64(&b), header = bytes_u64(&b), mapped = bytes_u64(&b);

	r->unwind_bytes = r->unwind_head_bytes = r->unwind_mapped_bytes = 0;
	if (b.failed || header > size || size > bytes_left(&b))
		return;
	r->unwind_off = offset_of(r, b.pos);
	r->unwind_bytes = (uint32_t)(size - header);
	r->unwind_head_bytes = (uint32_t)header;
	r->unwind_mapped_bytes = (uint32_t)(mapped < size ? mapped : size);
}

static void read_records(struct reader *r, struct bytes *all)
{
	while (bytes_left(all)) {
		struct bytes head = *all, b;
		uint32_t type = bytes_u32(&head), size = bytes_u32(&head);
		uint64_t time_ns = bytes_u64(&head);

		if (head.failed || size < PREFIX_BYTES || !bytes_has(all, size, 1)) {
			r->dump->is_cut = true;
			return;
		}
		b = bytes_of(head.pos, size - PREFIX_BYTES, false);
		if (type == RECORD_CODE_LOAD)
			read_load(r, b, time_ns);
		else if (type == RECORD_CODE_MOVE)
			read_move(r, b, time_ns);
		else if (type == RECORD_CODE_LINES)
			read_lines(r, b);
		else if (type == RECORD_CODE_UNWIND)
			read_unwind(r, b);
		else if (type == RECORD_CODE_CLOSE)
			return;
		bytes_take(all, size);
	}
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct jitdump_line *a = pa, *b = pb;

	return COMPARE(a->file_off, b->file_off) ?: COMPARE(a->file, b->file);
}

struct jitdump *jitdump_parse(char *bytes, size_t size, const char *path, struct errbuf *eb)
{
	struct jitdump *d = mem_zalloc(sizeof(*d));
	struct reader r = { .dump = d };
	struct bytes b = bytes_of(bytes, size, false);
	uint32_t magic = bytes_u32(&b), version = bytes_u32(&b), head_size = bytes_u32(&b);

	d->bytes = bytes;
	d->size_bytes = size;
	d->machine = (uint16_t)bytes_u32(&b);
	bytes_take(&b, 16); /* padding, pid, the wall clock */
	d->has_cpu_time = bytes_u64(&b) & FLAG_CPU_TIME;
	if (b.failed || magic != MAGIC || version != VERSION || head_size < HEADER_BYTES || head_size > size) {
		if (!b.failed && magic == MAGIC_OTHER_ORDER)
			errbuf_set(eb, -EBADMSG, "%s is a jitdump of the other byte order; its symbols are not used", path);
		else if (!b.failed && magic == MAGIC && version != VERSION)
			errbuf_set(eb, -EBADMSG, "%s is a jitdump of version %u, which is not known; its symbols are not used", path,
				   version);
		else
			errbuf_set(eb, -EBADMSG, "%s is no jitdump; its symbols are not used", path);
		jitdump_free(d);
		return NULL;
	}
	bytes_take(&b, head_size - HEADER_BYTES);
	read_records(&r, &b);
	if (d->lines.nr)
		qsort(d->lines.v, d->lines.nr, sizeof(*d->lines.v), compare_lines);
	hindex_fini(&r.by_index);
	vec_fini(&r.latest);
	return d;
}

struct jitdump *jitdump_open(const char *path, struct perf_map_owner owner, struct errbuf *eb)
{
	char *bytes;
	size_t size;

	return jit_file_read(path, owner, &bytes, &size, eb) ? NULL : jitdump_parse(bytes, size, path, eb);
}

void jitdump_free(struct jitdump *d)
{
	if (!d)
		return;
	vec_fini(&d->functions);
	vec_fini(&d->places);
	vec_fini(&d->lines);
	free(d->bytes);
	free(d);
}

struct symtab *jitdump_symbols(const struct jitdump *d)
{
	struct symtab *t = symtab_new();

	for (uint32_t i = 0; i < d->functions.nr; i++) {
		const struct jitdump_function *f = &d->functions.v[i];

		if (*f->name && f->size_bytes)
			symtab_add_borrowed(t, f->file_off, f->file_off + f->size_bytes, f->name, SYMBOL_GLOBAL, SYMBOL_FUNCTION);
	}
	symtab_finish(t, false);
	return t;
}

struct unwind_table *jitdump_unwind(const struct jitdump *d)
{
	const struct arch_ops *arch = d->machine ? arch_find_machine(d->machine) : NULL;
	struct unwind_input in = { .arch = arch ? arch : arch_native() };
	struct cfi_section *sections = mem_alloc((d->functions.nr + (size_t)1) * sizeof(*sections));
	struct unwind_table *t;

	in.segments[0] = (struct unwind_segment){ .size_bytes = d->size_bytes };
	in.nr_segments = 1;
	for (uint32_t i = 0; i < d->functions.nr; i++) {
		const struct jitdump_function *f = &d->functions.v[i];
		uint64_t end = f->file_off + f->size_bytes;

		if (!f->unwind_bytes)
			continue;
		/* As if the code were there, and .eh_frame behind it: sizes are rounded, places are not. */
		sections[in.nr_more_eh++] = (struct cfi_section){
			.bytes = d->bytes + f->unwind_off,
			.size = f->unwind_bytes,
			.vaddr = end + (-f->size_bytes & (EH_ALIGN - 1)),
			.address_size = in.arch->word_bytes,
			.is_eh = true,
			.ends_at_zero = true,
		};
	}
	in.more_eh = sections;
	t = unwind_build(&in);
	free(sections);
	return t;
}

bool jitdump_find_line(const struct jitdump *d, uint64_t file_off, struct source_frame *frame)
{
	uint32_t nr = vec_search(d->lines.nr, i, d->lines.v[i].file_off > file_off);
	uint32_t f = vec_search(d->functions.nr, i, d->functions.v[i].file_off > file_off);

	/* Of the function itself: the one before may have been the last with lines. */
	if (!nr || !f || d->lines.v[nr - 1].file_off < d->functions.v[f - 1].file_off)
		return false;
	*frame = (struct source_frame){ .file = d->lines.v[nr - 1].file, .line = d->lines.v[nr - 1].line };
	return true;
}

bool jitdump_is_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t digits;

	if (strncmp(base, "jit-", 4))
		return false;
	digits = strspn(base + 4, "0123456789");
	return digits && digits < 10 && !strcmp(base + 4 + digits, ".dump");
}
