/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probe points: from what a user asks for ("FUNC:9 p->next" in perf's grammar) to what the kernel takes (an address, and arguments that it
 * can fetch), by the symbols and the debug information of a program, a library or a vmlinux. Nothing here talks to the kernel.
 */
#ifndef ASSAY_SYMBOLS_PROBE_POINT_H
#define ASSAY_SYMBOLS_PROBE_POINT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/errbuf.h"
#include "base/vec.h"

/* struct probe_spec: the words of a probe, parsed and not looked up yet. */

enum probe_place {
	PROBE_FUNCTION, /* FUNC, with line, offset, pattern or return */
	PROBE_SOURCE,	/* SRC:LINE or SRC;PATTERN */
	PROBE_ADDRESS,	/* 0xADDR, as linked */
	PROBE_SDT,	/* %sdt_PROVIDER:NAME */
};

enum probe_step_kind {
	PROBE_MEMBER,  /* .name */
	PROBE_POINTED, /* ->name */
	PROBE_INDEX,   /* [number] */
	PROBE_DEREF,   /* *x, or +offset(x) with the offset in `number` */
};

struct probe_step {
	enum probe_step_kind kind;
	const char *name;
	int64_t number;
	bool is_user; /* +uOFF(x) */
};

enum probe_arg_kind {
	PROBE_ARG_VARIABLE, /* of the program; "$retval" with steps is one, too */
	PROBE_ARG_RAW,	    /* the kernel's own notation: %di, +8(%sp), @0x1234, $retval, $comm, \12 */
	PROBE_ARG_VARS,	    /* $vars */
	PROBE_ARG_PARAMS,   /* $params */
};

struct probe_arg {
	enum probe_arg_kind kind;
	const char *text;     /* as written, without name, type and @user */
	const char *name;     /* NULL: made of the text */
	const char *variable; /* of PROBE_ARG_VARIABLE: "p", "ns::counter" */
	const char *type;     /* "u8", "x", "string", "b4@3/8"; NULL: what the program says */
	bool is_user;	      /* @user: of kernel probes, memory of the task */
	struct probe_step *steps;
	uint32_t nr_steps;
};

struct probe_spec {
	enum probe_place place;
	const char *text;	     /* all of it */
	const char *group, *event;   /* NULL: made of the place */
	const char *function, *file; /* NULL: not said */
	const char *version;	     /* of the symbol, "GLIBC_2.14"; NULL */
	const char *pattern;	     /* ;PATTERN: a glob of a line, in which blanks do not count */
	const char *provider, *sdt;  /* PROBE_SDT */
	uint64_t offset;	     /* +OFF, or the address of PROBE_ADDRESS */
	uint32_t line;		     /* relative to the function, or of the file */
	bool has_line, has_offset, is_return, is_plt;
	VEC(struct probe_arg) args;
	struct arena arena; /* owns the strings */
};

/* -EINVAL with a sentence that shows where it went wrong. */
int probe_spec_parse(struct probe_spec *s, const char *text, struct errbuf *eb);
void probe_spec_fini(struct probe_spec *s);

/* What `-L` takes: FUNC[@SRC][:FIRST[-LAST|+COUNT]] or SRC[:FIRST[-LAST|+COUNT]]. */
struct probe_range_spec {
	const char *function, *file; /* NULL: not said */
	uint32_t first, last;	     /* last UINT32_MAX: to the end */
	bool has_range;
	struct arena arena;
};

int probe_range_parse(struct probe_range_spec *s, const char *text, struct errbuf *eb);
void probe_range_fini(struct probe_range_spec *s);

/* For probe_arg.c: one argument into the spec; probe_spec.c's words. */
int probe_arg_parse(struct probe_spec *s, const char *word, struct probe_arg *a, struct errbuf *eb);

/* Filters of names: globs joined by & | ! and parentheses ("!_* & !*@plt"). */
struct probe_filter;
int probe_filter_new(struct probe_filter **f, const char *text, struct errbuf *eb);
void probe_filter_free(struct probe_filter *f);
bool probe_filter_match(const struct probe_filter *f, const char *name);

/* struct probe_module: the file that is probed, and its debug information. */

struct probe_target {
	const char *path;   /* of a program or library; NULL: the kernel */
	const char *symfs;  /* before paths; NULL */
	const char *kernel; /* -k FILE: a vmlinux; NULL: where the distribution puts it */
	bool no_demangle;
};

struct probe_module;

/* `path` is looked up in PATH where it has no slash and is not there. Symbols alone are enough for functions and offsets. */
int probe_module_open(struct probe_module **m, const struct probe_target *target, struct errbuf *eb);
void probe_module_close(struct probe_module *m);
/* The absolute path of the file that probes are put into; NULL: the kernel. */
const char *probe_module_path(const struct probe_module *m);
/* Is it code that this machine can run? */
bool probe_module_is_native(const struct probe_module *m);
/* Is it the kernel that runs, as far as build-ids tell? */
bool probe_module_is_running_kernel(const struct probe_module *m);
/* What a probe where functions return does to a program: the kernel puts an address of its own in the place of the return address, which
 * neither the unwinder of exceptions (C++, panics of Rust) nor Go, which moves stacks, can know. */
enum probe_return_risk { PROBE_RETURN_SAFE, PROBE_RETURN_EXCEPTIONS, PROBE_RETURN_GO };
enum probe_return_risk probe_module_return_risk(const struct probe_module *m);
/* The way back: where in the file's source a probe is, "FUNC:4@FILE", "FUNC+12", or the address; malloc'd. */
char *probe_module_place(struct probe_module *m, uint64_t file_off, bool is_return);
/* The same for a probe of the kernel at _text+OFFSET; NULL: where _text is cannot be read. */
char *probe_module_kernel_place(struct probe_module *m, uint64_t text_off, bool is_return);
/* The instructions that a function returns by, as file offsets. */
struct probe_exits {
	VEC(uint64_t) v;
};
/* Of the function that begins there. False: they are not all known, or there are none. */
bool probe_module_exits(struct probe_module *m, uint64_t file_off, struct probe_exits *exits);
void probe_exits_fini(struct probe_exits *exits);
/* "probe_NAME" of the file, or "probe". */
const char *probe_module_group(const struct probe_module *m);

/* One place of a probe, ready for the kernel. Strings are owned. */
struct probe_def {
	char *group, *event;
	char *path;	    /* NULL: a kernel probe */
	char *function;	    /* symbol that the place is in (readable); NULL: not known */
	uint64_t vaddr;	    /* as linked */
	uint64_t file_off;  /* what uprobe_events takes */
	char *symbol;	    /* kernel probes: the symbol, */
	uint64_t sym_off;   /* and how far behind it */
	uint64_t semaphore; /* SDT: file offset of the counter; 0: none */
	bool is_return, is_inlined;
	char *args; /* "n=-28(%bp):s32 s=%di:x64", or empty */
	char *file; /* source; NULL: not known */
	uint32_t line;
};

struct probe_defs {
	VEC(struct probe_def) v;
};

struct probe_limits {
	uint32_t max_points; /* 0: 128 */
	bool no_inlines;
};

/* All places of a spec. Events of one name get the suffixes _1, _2…; names that exist already are the caller's to check. */
int probe_resolve(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_defs *defs,
		  struct errbuf *eb);
void probe_defs_fini(struct probe_defs *defs);
/* The line for uprobe_events or kprobe_events, without a newline; malloc'd. */
char *probe_def_text(const struct probe_def *d);
/* What can be in the name of an event or group: letters, digits and '_'; others end it or become '_'. Malloc'd. */
char *probe_event_name(const char *from);

/* -F: names of functions that can be probed, sorted, each once. NULL filter: "!_* & !*@plt". */
struct probe_names {
	VEC(const char *) v; /* in the symbols of the module, or here */
	struct arena arena;
	struct budget bytes;  /* of names that are looked at: many may be parts of one long text */
	uint32_t nr_left_out; /* functions for whose names that was not enough */
};
int probe_list_functions(struct probe_module *m, const struct probe_filter *filter, struct probe_names *names, struct errbuf *eb);
void probe_names_fini(struct probe_names *names);

/* -L: source lines. */
struct probe_lines {
	char *function; /* NULL: of a file */
	char *path;	/* of the source file, as it was found here */
	uint32_t start; /* line of the function; 0 of a file */
	uint32_t first, last;
	VEC(uint32_t) lines; /* that can be probed, absolute, ascending */
};
/* `source`: where source files are, instead of where the compiler had them; NULL. */
int probe_list_lines(struct probe_module *m, const struct probe_range_spec *range, const char *source, struct probe_lines *lines,
		     struct errbuf *eb);
void probe_lines_fini(struct probe_lines *lines);

/* -V: variables at each place of a spec. */
struct probe_var {
	const char *type, *name;
	const char *ranges; /* where it can be fetched: "[work+0-12]"; NULL: everywhere in its scope */
	bool is_extern;
	const char *why_not; /* it cannot be fetched here; NULL: it can */
};
struct probe_vars_at {
	const char *function; /* symbol */
	uint64_t offset;
	VEC(struct probe_var) vars;
};
struct probe_vars {
	VEC(struct probe_vars_at) v;
	struct arena arena;
};
struct probe_vars_options {
	bool externs, ranges;
	const struct probe_filter *filter; /* of externs; NULL */
	struct probe_limits limits;
};
int probe_list_vars(struct probe_module *m, const struct probe_spec *spec, const struct probe_vars_options *options,
		    struct probe_vars *vars, struct errbuf *eb);
void probe_vars_fini(struct probe_vars *vars);

#endif
