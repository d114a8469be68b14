/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/jitdump and symbols/jit_image: any bytes as a dump; what it gives out lies within them, and images of its functions are files whose
 * symbols, code and build-ids are read again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/jit_image.h"
#include "symbols/jitdump.h"
#include "symbols/symbol_readers.h"
#include "symbols/symtab.h"

#define MAX_IMAGES 64u

static void check_image(const struct jitdump *d, const struct jitdump_function *fn)
{
	struct build_id id, read;
	struct errbuf eb = { "" };
	struct elf_file f;
	uint64_t vaddr;
	struct out o;
	char *code;

	out_init(&o, -1);
	jit_image_encode(d, fn, &o, &id);
	if (elf_file_open_memory(&f, o.buf, o.len, &eb))
		abort();
	read = build_id_of_file(&f);
	if (!build_id_equal(&id, &read))
		abort();
	if (*fn->name && (!elf_symbols_find(&f, fn->name, &vaddr) || vaddr != JIT_IMAGE_TEXT_OFF))
		abort();
	code = malloc(fn->size_bytes + 1);
	if (elf_file_read(&f, JIT_IMAGE_TEXT_OFF, code, fn->size_bytes) != fn->size_bytes ||
	    memcmp(code, d->bytes + fn->file_off, fn->size_bytes))
		abort();
	free(code);
	elf_file_close(&f);
	out_fini(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = memcpy(malloc(size + 1), data, size);
	struct jitdump *d = jitdump_parse(bytes, size, "jit-1.dump", NULL);
	struct source_frame frame;
	struct symtab *t;

	if (!d)
		return 0;
	t = jitdump_symbols(d);
	for (uint32_t i = 0; i < d->functions.nr; i++) {
		const struct jitdump_function *f = &d->functions.v[i];

		if (f->file_off > size || f->size_bytes > size - f->file_off || (i && f->file_off < f[-1].file_off))
			abort();
		if (jitdump_find_line(d, f->file_off, &frame) && strlen(frame.file) > size)
			abort();
		if (f->size_bytes && *f->name && strcmp(symtab_find(t, f->file_off)->name, f->name))
			abort();
		if (i < MAX_IMAGES)
			check_image(d, f);
	}
	for (uint32_t i = 0; i < d->places.nr; i++)
		if (d->places.v[i].addr > UINT64_MAX - d->places.v[i].size_bytes)
			abort();
	symtab_free(t);
	unwind_table_free(jitdump_unwind(d));
	jitdump_free(d);
	return 0;
}
