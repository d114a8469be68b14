/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions without a caller, or called only by what starts programs and threads: no frame of a program is missing above them.
 *
 * Found by name; libc's own have no frame pointer, and without a debug file they have the name of the exported function before them.
 * Otherwise by the unwind table, where it has the entry point of a file or marks a function as outermost.
 */
#include <string.h>

#include "model/quality.h"

enum scope {
	IN_ANY_FILE, /* reserved to the implementation, or nothing a C compiler accepts */
	IN_LIBC,     /* anybody may call a function so */
};

static const struct entry {
	const char *name;
	enum scope scope;
} entries[] = {
	/* what the kernel or the dynamic linker jumps to, and what it calls to get to main */
	{ "_start", IN_ANY_FILE },
	{ "_start_c", IN_ANY_FILE },
	{ "_dlstart", IN_ANY_FILE },
	{ "_dlstart_c", IN_ANY_FILE },
	{ "_dl_start_user", IN_ANY_FILE },
	{ "_dl_start", IN_ANY_FILE },
	{ "__libc_start_main", IN_ANY_FILE },
	{ "__libc_start_main_impl", IN_ANY_FILE },
	{ "__libc_start_call_main", IN_ANY_FILE },
	{ "__libc_start_main@@GLIBC_2.34", IN_ANY_FILE },
	{ "__libc_init_first", IN_LIBC },
	{ "libc_start_main_stage2", IN_LIBC },
	{ "main", IN_ANY_FILE },
	/* threads, and children that share memory */
	{ "__clone", IN_ANY_FILE },
	{ "__clone3", IN_ANY_FILE },
	{ "__GI___clone", IN_ANY_FILE },
	{ "__GI___clone3", IN_ANY_FILE },
	{ "__clone_internal", IN_ANY_FILE },
	{ "clone", IN_LIBC },
	{ "clone3", IN_LIBC },
	{ "start_thread", IN_LIBC },
	{ "thread_start", IN_LIBC },
	{ "start", IN_LIBC },
	{ "start_c11", IN_LIBC },
	/* coroutines: makecontext(), Boost.Context */
	{ "__start_context", IN_ANY_FILE },
	{ "make_fcontext", IN_ANY_FILE },
	/* Go: goroutines, the scheduler's stacks, threads that cgo makes. Not crosscall2, which C code calls. */
	{ "runtime.goexit", IN_ANY_FILE },
	{ "runtime.goexit.abi0", IN_ANY_FILE },
	{ "runtime.mcall", IN_ANY_FILE },
	{ "runtime.mcall.abi0", IN_ANY_FILE },
	{ "runtime.systemstack", IN_ANY_FILE },
	{ "runtime.systemstack.abi0", IN_ANY_FILE },
	{ "runtime.clone", IN_ANY_FILE },
	{ "runtime.clone.abi0", IN_ANY_FILE },
	{ "runtime.mstart", IN_ANY_FILE },
	{ "runtime.mstart.abi0", IN_ANY_FILE },
	{ "runtime.rt0_go", IN_ANY_FILE },
	{ "runtime.rt0_go.abi0", IN_ANY_FILE },
	{ "_rt0_amd64_linux", IN_ANY_FILE },
	{ "_rt0_arm64_linux", IN_ANY_FILE },
	{ "_rt0_amd64", IN_ANY_FILE },
	{ "crosscall1", IN_ANY_FILE },
	{ "crosscall_amd64", IN_ANY_FILE },
	{ "crosscall_arm64", IN_ANY_FILE },
};

/* A C library by its file's name: libc.so.6, libc-2.31.so, libpthread-2.31.so, ld-linux-x86-64.so.2, ld-musl-x86_64.so.1, musl's libc.so. */
static bool has_libc_name(const char *path)
{
	static const char *const starts[] = { "libc.so", "libc-", "libc.musl-", "libpthread.so", "libpthread-", "ld-", "ld.so" };
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(base, starts[i], strlen(starts[i])) == 0)
			return strstr(base, ".so") != NULL;
	return false;
}

/* A program that the C library was linked into. */
static bool has_libc_inside(struct profile *p, uint32_t dso)
{
	const struct imported *n = p->machine->imported;
	const struct symtab *t = n ? NULL : dso_table_symbols(&p->machine->dsos, dso);

	for (uint32_t i = 0; t && i < t->symbols.nr; i++) {
		const struct symbol *s = symtab_at(t, i);

		if (s && strncmp(s->name, "__libc_start_", 13) == 0 && s->kind == SYMBOL_FUNCTION)
			return true;
	}
	for (uint32_t i = 0; n && i < n->symbols.nr; i++)
		if (n->symbols.v[i].module + p->machine->first_imported == dso &&
		    strncmp(imported_str(n, n->symbols.v[i].name), "__libc_start_", 13) == 0)
			return true;
	return false;
}

/* The same, asked once a file. */
static bool is_libc_inside(struct profile *p, uint32_t dso)
{
	enum { NOT_ASKED, NO, YES };

	while (p->has_libc.nr <= dso)
		vec_push(&p->has_libc, NOT_ASKED);
	if (p->has_libc.v[dso] == NOT_ASKED)
		p->has_libc.v[dso] = has_libc_inside(p, dso) ? YES : NO;
	return p->has_libc.v[dso] == YES;
}

static bool has_entry_name(struct profile *p, uint32_t location)
{
	const struct profile_frame *f = profile_frame_at(p, location);
	const char *name = profile_is_named(f) ? profile_str(p, f->function) : NULL;
	uint32_t dso = f->dso;

	for (size_t i = 0; name && i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strcmp(name, entries[i].name) == 0)
			return entries[i].scope == IN_ANY_FILE || has_libc_name(profile_dso(p, dso)->path) || is_libc_inside(p, dso);
	return false;
}

/* Reading a table is worth it for what has no name, or where it is what stacks were walked by. */
static bool is_outermost_by_table(struct profile *p, uint32_t location, bool by_table)
{
	const struct profile_location *l = &p->locations.v[location];
	const struct unwind_table *t = NULL;

	if (l->at.dso != DSO_NONE && (by_table || !profile_is_named(profile_frame_at(p, location))))
		t = dso_table_unwind(&p->machine->dsos, p->locations.v[location].at.dso);
	return t && unwind_table_cover(t, p->locations.v[location].at.addr) == UNWIND_OUTERMOST;
}

bool quality_is_entry(struct profile *p, uint32_t location, bool by_table)
{
	const struct location *at = &p->locations.v[location].at;

	/* Where native callers are not shown, those of Python are all there are. */
	if (p->has_only_python && at->dso != DSO_NONE && at->dso == p->machine->python_dso)
		return true;
	return has_entry_name(p, location) || is_outermost_by_table(p, location, by_table);
}
