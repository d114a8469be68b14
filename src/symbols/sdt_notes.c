/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The notes themselves. A note has the owner "stapsdt", type 3, and: the address of the probe, the address that .stapsdt.base had when the
 * file was linked, the address of the semaphore, and three strings. Every number is from the file.
 */
#include "symbols/sdt_notes.h"

#include <string.h>

#include "base/bytes.h"

#define NOTE_TYPE 3
/* The largest programs have some thousand. */
#define MAX_NOTES (1u << 20)
#define MAX_STRING 4096

static const void *take_aligned(struct bytes *b, uint32_t size)
{
	const void *p = bytes_take(b, size);
	size_t pad = (4 - size % 4) % 4;

	/* The last one may lack its padding. */
	bytes_take(b, pad < bytes_left(b) ? pad : bytes_left(b));
	return p;
}

static const char *take_string(struct sdt_notes *n, struct bytes *b)
{
	size_t left = bytes_left(b), len = strnlen((const char *)b->pos, left);

	if (len == left || len > MAX_STRING) {
		b->failed = true;
		return NULL;
	}
	return arena_str(&n->arena, bytes_take(b, len + 1), len);
}

/* Where .stapsdt.base is now, less where it was when the note was made. */
static uint64_t moved_by(const struct elf_file *f, uint64_t base)
{
	uint32_t section = elf_file_find_section(f, ".stapsdt.base");

	return section && base ? f->sections.v[section].vaddr - base : 0;
}

static bool read_note(struct sdt_notes *n, const struct elf_file *f, const void *desc, uint32_t size)
{
	struct bytes b = bytes_of(desc, size, f->swap);
	struct sdt_note note = { .vaddr = bytes_uint(&b, f->word_bytes) };
	uint64_t moved = moved_by(f, bytes_uint(&b, f->word_bytes)), mask = f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;

	note.semaphore = bytes_uint(&b, f->word_bytes);
	note.vaddr = (note.vaddr + moved) & mask;
	if (note.semaphore)
		note.semaphore = (note.semaphore + moved) & mask;
	note.provider = b.failed ? NULL : take_string(n, &b);
	note.name = b.failed ? NULL : take_string(n, &b);
	note.args = b.failed ? NULL : take_string(n, &b);
	if (b.failed || !*note.provider || !*note.name || !elf_file_offset(f, note.vaddr, &note.file_off))
		return false;
	if (note.semaphore && !elf_file_offset(f, note.semaphore, &note.semaphore_off))
		return false;
	vec_push(&n->v, note);
	return true;
}

void sdt_notes_read(struct sdt_notes *n, const struct elf_file *f)
{
	uint32_t section = elf_file_find_section(f, ".note.stapsdt");
	const struct elf_section *s = section ? &f->sections.v[section] : NULL;
	size_t got;
	struct bytes b;
	uint8_t *raw;

	if (!s || s->type == SHT_NOBITS || !elf_file_take_memory(f, s->size_bytes))
		return;
	raw = mem_alloc(s->size_bytes + 1);
	got = elf_file_read(f, s->file_off, raw, s->size_bytes);
	b = bytes_of(raw, got, f->swap);
	while (bytes_left(&b) >= 12 && n->v.nr < MAX_NOTES) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = take_aligned(&b, name_size);
		const void *desc = take_aligned(&b, desc_size);

		if (b.failed)
			break;
		if (type == NOTE_TYPE && name_size == sizeof("stapsdt") && !memcmp(name, "stapsdt", sizeof("stapsdt")))
			n->nr_bad += !read_note(n, f, desc, desc_size);
	}
	n->nr_bad += b.failed || got < s->size_bytes;
	free(raw);
}

int sdt_notes_open(struct sdt_notes *n, const char *path, struct errbuf *eb)
{
	struct elf_file f;
	int err = elf_file_open(&f, path, eb);

	*n = (struct sdt_notes){ 0 };
	if (err)
		return err;
	sdt_notes_read(n, &f);
	elf_file_close(&f);
	return 0;
}

void sdt_notes_fini(struct sdt_notes *n)
{
	vec_fini(&n->v);
	arena_fini(&n->arena);
}
