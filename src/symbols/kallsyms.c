/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /proc/kallsyms: "ffffffff81000000 T _text" lines, with "\t[module]" behind symbols of modules, without sizes. Letters and aliases are
 * chosen as in perf. Reading the file costs the kernel ten times what parsing costs us: read it once.
 */
#include "symbols/kernel_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"

#define MAX_FILE_BYTES (256U << 20)
#define MAX_MODULES_BYTES (16U << 20)
#define ADDRESS_FIELD 5	       /* of a line of /proc/modules: "name size uses users state address" */
#define LOOK_BYTES (64U << 10) /* the first symbols may really be at 0, but not so many */

static const char *const mark_names[KALLSYMS_NR_MARKS] = { [KALLSYMS_TEXT] = "_text", [KALLSYMS_STEXT] = "_stext" };

int kallsyms_mark(const char *name)
{
	for (int i = 0; name && i < KALLSYMS_NR_MARKS; i++)
		if (strcmp(name, mark_names[i]) == 0)
			return i;
	return -1;
}

struct line {
	uint64_t addr;
	char type;
	char *name;
	size_t len;
};

/* Takes one line; its name is NUL-terminated in place. False where the line is of another form. */
static bool parse_line(char *p, char *end, struct line *l)
{
	const char *at = p;

	if (!hex_number(&at, end, &l->addr) || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	l->type = at[1];
	l->name = p + (at - p) + 3;
	l->len = (size_t)(end - l->name);
	*end = 0;
	return true;
}

/* Code and data count; absolute, read-only, undefined and other symbols do not. */
static bool is_wanted(const struct line *l)
{
	return l->type && strchr("TtWwDdBb", l->type) && l->name[0] != '$';
}

/* Both are short and begin with '_', as few others do. */
static void note_mark(struct kallsyms *k, const struct line *l)
{
	int mark = l->name[0] == '_' && l->len <= 6 ? kallsyms_mark(l->name) : -1;

	if (mark >= 0)
		k->marks[mark] = l->addr;
}

static enum symbol_binding binding_of(char type)
{
	if (type == 'W')
		return SYMBOL_WEAK;
	return type >= 'A' && type <= 'Z' ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
}

static enum symbol_kind kind_of(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w' ? SYMBOL_FUNCTION : SYMBOL_OBJECT;
}

/* Moves the modules' symbols to a table of their own. */
static void divide(struct kallsyms *k)
{
	struct symtab *all = k->kernel;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < all->symbols.nr; i++) {
		if (strchr(all->symbols.v[i].name, '\t')) {
			const struct symbol *s = &all->symbols.v[i];

			symtab_add(k->modules, s->start, s->end, s->name, strlen(s->name), s->binding, s->kind);
		} else {
			all->symbols.v[kept++] = all->symbols.v[i];
		}
	}
	all->symbols.nr = kept;
	for (uint32_t i = 0; i < kept; i++)
		all->symbols.v[i].outer = SYMTAB_NONE;
}

int kallsyms_parse(struct kallsyms *k, char *text, size_t size, const char *ref_name, struct errbuf *eb)
{
	size_t ref_len = ref_name ? strlen(ref_name) : 0;
	char *end = text + size;
	uint64_t any = 0;

	if (!k->kernel)
		*k = (struct kallsyms){ .kernel = symtab_new() };
	k->modules = symtab_new();
	vec_reserve(&k->kernel->symbols, size / 48 + 1);
	while (text < end) {
		char *eol = memchr(text, '\n', (size_t)(end - text));
		struct line l;

		/* A last line without its end is cut short; by an unknown number of bytes. */
		if (!eol)
			break;
		if (parse_line(text, eol, &l) && is_wanted(&l)) {
			any |= l.addr;
			note_mark(k, &l);
			if (ref_len && l.len == ref_len && memcmp(l.name, ref_name, ref_len) == 0)
				k->ref_addr = l.addr;
			symtab_add_borrowed(k->kernel, l.addr, l.addr, l.name, binding_of(l.type), kind_of(l.type));
		}
		text = eol + 1;
	}
	if (!k->kernel->symbols.nr)
		return errbuf_set(eb, -EBADMSG, "there are no kernel symbols in it");
	if (!any)
		return errbuf_set(eb, -EACCES,
				  "the kernel hides the addresses of its symbols: run as root, or as root "
				  "allow it: sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
	symtab_finish(k->kernel, true);
	divide(k);
	return 0;
}

int kallsyms_open(struct kallsyms *k, const char *path, const char *ref_name, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	char *text;
	size_t size;
	int err;

	*k = (struct kallsyms){ 0 };
	err = io_read_file(path, MAX_FILE_BYTES, &text, &size);
	if (err)
		return errbuf_set(eb, err, "cannot read kernel symbols from %s: %s", path, strerror(-err));
	k->kernel = symtab_new();
	/* The names in the table point into the text. */
	k->kernel->text = text;
	err = kallsyms_parse(k, text, size, ref_name, &why);
	if (err) {
		kallsyms_close(k);
		return errbuf_set(eb, err, "no kernel symbols from %s: %s", path, why.text);
	}
	k->kernel->made_from = mem_strdup(path);
	return 0;
}

void kallsyms_close(struct kallsyms *k)
{
	symtab_free(k->kernel);
	symtab_free(k->modules);
	*k = (struct kallsyms){ 0 };
}

struct symtab *kallsyms_take_kernel(struct kallsyms *k, uint64_t shift)
{
	struct symtab *t = k->kernel;

	k->kernel = NULL;
	if (!t)
		return NULL;
	if (shift)
		symtab_shift(t, shift);
	return t;
}

struct symtab *kallsyms_copy_module(const struct kallsyms *k, const char *module, uint64_t shift)
{
	struct symtab *t = symtab_new();
	size_t len = strlen(module);

	for (uint32_t i = 0; i < k->modules->symbols.nr; i++) {
		const struct symbol *s = &k->modules->symbols.v[i];
		const char *tab = strchr(s->name, '\t');

		/* "\t[" module "]" */
		if (tab[1] == '[' && strncmp(tab + 2, module, len) == 0 && tab[2 + len] == ']')
			symtab_add(t, s->start + shift, s->end + shift, s->name, (size_t)(tab - s->name), s->binding, s->kind);
	}
	symtab_finish(t, false);
	return t;
}

/* The beginning of the file, malloc'd, with a NUL behind it. */
static char *read_beginning(const char *path, ssize_t *got)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = mem_alloc(LOOK_BYTES + 1);

	*got = fd < 0 ? -errno : io_read(fd, text, LOOK_BYTES);
	text[*got > 0 ? *got : 0] = 0;
	if (fd >= 0)
		close(fd);
	return text;
}

uint64_t kallsyms_peek_mark(const char *path, enum kallsyms_mark mark)
{
	ssize_t got;
	char *text = read_beginning(path, &got), *eol;
	uint64_t addr = 0;

	for (char *p = text; !addr && (eol = strchr(p, '\n')); p = eol + 1) {
		struct line l;

		if (parse_line(p, eol, &l) && is_wanted(&l) && kallsyms_mark(l.name) == (int)mark)
			addr = l.addr;
	}
	free(text);
	return addr;
}

bool kallsyms_is_hidden(const char *path)
{
	ssize_t got;
	char *text = read_beginning(path, &got);
	bool hidden = got > 0 || got == -EACCES || got == -EPERM;

	for (char *line = text; line && *line && hidden;) {
		size_t zeros = strspn(line, "0");

		/* The last line may be cut short. */
		hidden = !line[zeros] || line[zeros] == ' ';
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	free(text);
	return hidden;
}

/* Names become parts of paths. */
static bool is_module_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/');
}

/* "0xffffffffc0200000" → the number; 0 for anything else. */
static uint64_t parse_address(const char *p, const char *end)
{
	uint64_t addr;

	if (end - p < 3 || p[0] != '0' || p[1] != 'x')
		return 0;
	p += 2;
	return hex_number(&p, end, &addr) && (p == end || *p == ' ') ? addr : 0;
}

uint64_t kernel_modules_find(const char *text, size_t size, const char *name)
{
	const char *end = text + size, *eol;
	size_t len = strlen(name);

	for (; is_module_name(name) && text < end && (eol = memchr(text, '\n', (size_t)(end - text))); text = eol + 1) {
		const char *field = text;

		if ((size_t)(eol - text) <= len || memcmp(text, name, len) != 0 || text[len] != ' ')
			continue;
		for (int i = 0; field && i < ADDRESS_FIELD; i++) {
			field = memchr(field, ' ', (size_t)(eol - field));
			field = field ? field + 1 : NULL;
		}
		return field ? parse_address(field, eol) : 0;
	}
	return 0;
}

uint64_t kernel_module_start(const char *name)
{
	uint64_t start;
	size_t size;
	char *text;

	if (io_read_file("/proc/modules", MAX_MODULES_BYTES, &text, &size))
		return 0;
	start = kernel_modules_find(text, size, name);
	free(text);
	return start;
}

uint64_t kernel_module_inode(const char *name)
{
	char *path = mem_printf("/sys/module/%s", name);
	uint64_t inode = 0;
	struct stat st;

	if (is_module_name(name) && stat(path, &st) == 0)
		inode = st.st_ino;
	free(path);
	return inode;
}
