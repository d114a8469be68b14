/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the tests of tracepoint formats: a format text compiled, a record made by hand, its text.
 * Included behind cmocka.h.
 */
#ifndef ASSAY_TESTS_TRACE_FIXTURE_H
#define ASSAY_TESTS_TRACE_FIXTURE_H

#include <string.h>

#include "base/out.h"
#include "session/trace_print.h"

#define HEAD                                                                                                                               \
	"name: test\nID: 7\nformat:\n"                                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                                             \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                                             \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(decl, offset, size, sign) "\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define PRINT "\nprint fmt: "

static inline void formats_number(struct out *o, uint64_t v, size_t size)
{
	out_mem(o, &v, size);
}

/* The section of formats of a recording, with the events of one system. `formats` ends in NULL. */
static inline void formats_put(struct out *o, const char *system, const char *const *formats)
{
	uint32_t nr = 0;

	while (formats[nr])
		nr++;
	out_mem(o, "\027\010Dtracing0.6", 14); /* and 0 */
	out_char(o, 0);			       /* little-endian */
	out_char(o, 8);			       /* bytes of a long */
	formats_number(o, 4096, 4);
	out_mem(o, "header_page", 12);
	formats_number(o, 0, 8);
	out_mem(o, "header_event", 13);
	formats_number(o, 0, 8);
	formats_number(o, 0, 4); /* formats of ftrace */
	formats_number(o, 1, 4);
	out_mem(o, system, strlen(system) + 1);
	formats_number(o, nr, 4);
	for (uint32_t i = 0; i < nr; i++) {
		formats_number(o, strlen(formats[i]), 8);
		out_str(o, formats[i]);
	}
	/* kallsyms, printk, command names */
	formats_number(o, 0, 4);
	formats_number(o, 0, 4);
	formats_number(o, 0, 8);
}

static uint8_t rec[512];
static uint32_t rec_size;

static inline void rec_new(uint32_t size)
{
	memset(rec, 0, sizeof(rec));
	rec_size = size;
}

static inline void rec_put(uint32_t offset, uint32_t size, uint64_t v)
{
	memcpy(rec + offset, &v, size);
}

/* A __data_loc field and what it refers to, at the record's end. */
static inline void rec_dynamic(uint32_t offset, const void *data, uint32_t size)
{
	rec_put(offset, 4, (uint64_t)size << 16 | rec_size);
	memcpy(rec + rec_size, data, size);
	rec_size += size;
}

static inline const char *fixture_symbol(void *ctx, uint64_t addr, uint64_t *start)
{
	(void)ctx;
	*start = 0xffffffff81000000;
	return addr >= *start && addr < *start + 0x1000 ? "do_it" : NULL;
}

static inline const char *fixture_string(void *ctx, uint64_t addr)
{
	(void)ctx;
	return addr == 0xffffffff82000010 ? "Start" : NULL;
}

/* The record's text by this format; "!" where the format does not compile, "?" where the record
 * is bad. A copy of the record as long as it says, so that sanitizers see its end. */
static inline const char *show_sized(const char *format, uint8_t long_size)
{
	static const struct trace_names names = { NULL, fixture_symbol, fixture_string };
	static char out[4096];
	struct trace_format f;
	struct trace_print p;
	struct trace_text text = { 0 };
	uint8_t *raw = malloc(rec_size ? rec_size : 1);
	struct trace_record r = { .data = raw, .size = rec_size, .long_size = long_size };
	const char *s = "!";

	memcpy(raw, rec, rec_size);
	if (!trace_format_init(&f, format, strlen(format), long_size) && !trace_print_compile(&p, &f)) {
		trace_print_record(&p, &r, &names, &text);
		s = r.is_bad ? "?" : trace_text_get(&text);
	}
	strncpy(out, s, sizeof(out) - 1);
	trace_text_fini(&text);
	trace_format_fini(&f);
	free(raw);
	return out;
}

static inline const char *show(const char *format)
{
	return show_sized(format, 8);
}

#endif
