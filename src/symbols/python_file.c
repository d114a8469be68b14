/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols that interpreters export, also where they are stripped, and bytes of the file at some of them.
 */
#include "symbols/python_file.h"

#include <errno.h>
#include <string.h>

#include "base/errbuf.h"
#include "symbols/elf_file.h"

#define EVAL_NAME "_PyEval_EvalFrameDefault"
#define OFFSETS_COOKIE "xdebugpy"
#define MAX_RUNTIME_OFFSET 65536u

struct found {
	uint64_t runtime, version_at;
	struct python_range eval, cold;
};

static void take_symbol(struct found *found, const char *name, const GElf_Sym *sym)
{
	struct python_range range = { sym->st_value, sym->st_value + sym->st_size };

	if (sym->st_shndx == SHN_UNDEF)
		return;
	if (!strcmp(name, "_PyRuntime"))
		found->runtime = sym->st_value;
	else if (!strcmp(name, "Py_Version"))
		found->version_at = sym->st_value;
	else if (!strcmp(name, EVAL_NAME))
		found->eval = range;
	else if (!strcmp(name, EVAL_NAME ".cold"))
		found->cold = range;
}

static void find_symbols(const struct elf_file *e, const char *section, struct found *found)
{
	uint32_t index = elf_file_find_section(e, section);
	struct elf_syms syms;
	GElf_Sym sym;

	if (!index)
		return;
	syms = elf_syms_begin(e, index);
	while (syms.data && elf_syms_next(&syms, &sym)) {
		size_t len;
		const char *name = elf_string(syms.strings, sym.st_name, &len);

		/* Most do not begin so. */
		if (name && ((name[0] == '_' && name[1] == 'P') || (name[0] == 'P' && name[1] == 'y' && name[2] == '_')))
			take_symbol(found, name, &sym);
	}
}

static bool read_at(const struct elf_file *e, uint64_t vaddr, void *buf, size_t size)
{
	uint64_t off;

	return elf_file_offset(e, vaddr, &off) && elf_file_read(e, off, buf, size) == size;
}

uint32_t python_version_of_name(const char *name)
{
	const char *at = strstr(name, "python3.");
	uint32_t minor = 0;

	if (!at)
		return 0;
	at += strlen("python3.");
	if (*at < '0' || *at > '9')
		return 0;
	for (; *at >= '0' && *at <= '9' && minor < 100; at++)
		minor = 10 * minor + (uint32_t)(*at - '0');
	return minor < 100 ? 0x030000 | minor << 8 : 0;
}

/* Words of 3.13's struct, by their place. */
enum {
	AT_VERSION = 1,
	AT_FREE_THREADED = 2,
	AT_INTERPRETERS = 5,
	AT_CURRENT_FRAME = 23,
	AT_THREAD_ID = 24,
	AT_PREVIOUS = 29,
	AT_EXECUTABLE = 30,
	AT_INSTR = 31,
	AT_OWNER = 33,
	AT_FILENAME = 35,
	AT_QUALNAME = 37,
	AT_LINETABLE = 38,
	AT_FIRSTLINE = 39,
	AT_BYTECODE = 43,
	NR_WORDS = 44,
};

/* The state is initialised in the file: what is there is what the process has. */
static int read_offsets(const struct elf_file *e, struct python_file *f)
{
	uint64_t w[NR_WORDS];

	if (!read_at(e, f->runtime, w, sizeof(w)) || memcmp(w, OFFSETS_COOKIE, 8) != 0)
		return -ENOTSUP;
	/* Its layout holds for one minor version. */
	if (w[AT_VERSION] >> 16 != f->version >> 8 || w[AT_FREE_THREADED])
		return -ENOTSUP;
	for (uint32_t i = AT_INTERPRETERS; i < NR_WORDS; i++)
		if (w[i] > MAX_RUNTIME_OFFSET * 16)
			return -ENOTSUP;
	f->offsets = (struct python_debug_offsets){
		.interpreters_head = w[AT_INTERPRETERS],
		.current_frame = w[AT_CURRENT_FRAME],
		.thread_id = w[AT_THREAD_ID],
		.previous = w[AT_PREVIOUS],
		.executable = w[AT_EXECUTABLE],
		.instr_ptr = w[AT_INSTR],
		.owner = w[AT_OWNER],
		.filename = w[AT_FILENAME],
		.qualname = w[AT_QUALNAME],
		.linetable = w[AT_LINETABLE],
		.firstlineno = w[AT_FIRSTLINE],
		.bytecode = w[AT_BYTECODE],
	};
	f->has_offsets = true;
	return 0;
}

static int read_file(const struct elf_file *e, struct python_file *f, const char *name)
{
	struct found found = { 0 };
	uint64_t version = 0;

	find_symbols(e, ".dynsym", &found);
	if (!found.runtime || !found.eval.end)
		find_symbols(e, ".symtab", &found);
	else if (elf_file_has_symtab(e))
		find_symbols(e, ".symtab", &found); /* what is split from functions is local */
	if (!found.runtime || e->word_bytes != 8 || e->swap || !e->segments.nr)
		return -ENOENT;
	f->runtime = found.runtime;
	f->eval[0] = found.eval;
	f->eval[1] = found.cold;
	f->load_bias_of = e->segments.v[0].file_off;
	f->load_bias_vaddr = e->segments.v[0].vaddr;
	if (found.version_at && read_at(e, found.version_at, &version, sizeof(version)) && version >> 24 == 3)
		f->version = (uint32_t)(version >> 8) & 0xffffff;
	else
		f->version = python_version_of_name(name);
	if (f->version >> 8 < 0x0308 || f->version >> 8 > 0x030d)
		return -ENOTSUP;
	return f->version >> 8 >= 0x030d ? read_offsets(e, f) : 0;
}

int python_file_read(struct python_file *f, const char *path, const char *name)
{
	struct errbuf unsaid = { 0 };
	struct elf_file e;
	int err = elf_file_open(&e, path, &unsaid);

	memset(f, 0, sizeof(*f));
	if (err)
		return -ENOENT;
	err = read_file(&e, f, name);
	elf_file_close(&e);
	return err;
}
