/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The notation is read from the outside in: +OFFSET( … ) are steps through memory, and inside of them is a register, a number or $NAME.
 */
#include "capture/probe_layout.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAW_COMMON 8

enum probe_machine probe_machine_native(void)
{
#ifdef __aarch64__
	return PROBE_ARM64;
#else
	return PROBE_X86_64;
#endif
}

struct compiler {
	const char *text; /* the argument, for messages */
	enum probe_machine machine;
	uint64_t file_off;
	bool is_return;
	struct errbuf *eb;
};

static int refuse(const struct compiler *c, const char *why)
{
	return errbuf_set(c->eb, -ENOTSUP, "argument '%s': %s; a probe that 'assay probe' defines in the kernel may have it", c->text, why);
}

static const char *const x86_words[] = { "r15", "r14", "r13", "r12", "bp",	"bx", "r11", "r10",   "r9", "r8", "ax",
					 "cx",	"dx",  "si",  "di",  "orig_ax", "ip", "cs",  "flags", "sp", "ss" };

static bool find_register(enum probe_machine machine, const char *name, size_t len, uint32_t *word)
{
	char *end;
	unsigned long number;

	if (machine == PROBE_X86_64) {
		for (uint32_t i = 0; i < sizeof(x86_words) / sizeof(*x86_words); i++)
			if (strlen(x86_words[i]) == len && !memcmp(x86_words[i], name, len)) {
				*word = i;
				return true;
			}
		return false;
	}
	*word = len == 2 && !memcmp(name, "sp", 2) ? 31 : len == 2 && !memcmp(name, "pc", 2) ? 32 : UINT32_MAX;
	if (*word != UINT32_MAX)
		return true;
	if (len < 2 || len > 3 || name[0] != 'x' || !isdigit((unsigned char)name[1]))
		return false;
	number = strtoul(name + 1, &end, 10);
	*word = (uint32_t)number;
	return end == name + len && number <= 30;
}

static uint32_t word_of(enum probe_machine machine, const char *x86, const char *arm64)
{
	const char *name = machine == PROBE_X86_64 ? x86 : arm64;
	uint32_t word = 0;

	find_register(machine, name, strlen(name), &word);
	return word;
}

static bool parse_number(const char *s, size_t len, int64_t *value)
{
	char digits[32], *end;

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, s, len);
	digits[len] = 0;
	errno = 0;
	*value = (int64_t)strtoull(digits, &end, 0);
	return !*end && !errno;
}

/* The innermost part. */
static int compile_start(const struct compiler *c, const char *s, size_t len, struct probe_fetch *f, struct probe_field *field)
{
	int64_t number;

	f->start = PROBE_FETCH_REGISTER;
	if (len > 1 && s[0] == '%')
		return find_register(c->machine, s + 1, len - 1, &f->word) ? 0 : refuse(c, "there is no such register");
	if (len == 7 && !memcmp(s, "$retval", 7)) {
		f->word = word_of(c->machine, "ax", "x0");
		return c->is_return ? 0 : refuse(c, "only a probe at a return has it (FUNC%return)");
	}
	if (len == 5 && !memcmp(s, "$comm", 5)) {
		f->start = PROBE_FETCH_COMM;
		field->is_string = true;
		return 0;
	}
	if (len >= 6 && !memcmp(s, "$stack", 6)) {
		f->word = word_of(c->machine, "sp", "sp");
		if (len == 6)
			return 0;
		if (!parse_number(s + 6, len - 6, &number) || number < 0 || number > 4096 || f->nr_steps)
			return refuse(c, "$stackN takes a small number");
		f->steps[f->nr_steps++] = number * 8;
		return 0;
	}
	if (len > 1 && s[0] == '\\') {
		f->start = PROBE_FETCH_NUMBER;
		return parse_number(s + 1, len - 1, &number) ? (f->number = number, 0) : refuse(c, "only numbers can be immediate");
	}
	if (len > 2 && s[0] == '@' && s[1] == '+' && parse_number(s + 2, len - 2, &number) && !c->is_return) {
		/* Data of the file: as far from the probe as in the file. */
		f->word = word_of(c->machine, "ip", "pc");
		if (f->nr_steps == PROBE_STEPS_MAX)
			return refuse(c, "it leads through more memory than --temp can follow");
		memmove(f->steps + 1, f->steps, f->nr_steps * sizeof(f->steps[0]));
		f->steps[0] = number - (int64_t)c->file_off;
		f->nr_steps++;
		return 0;
	}
	return refuse(c, "--temp cannot fetch this");
}

/* "+8(-16(%bp))": steps are made from the inside out. */
static int compile_fetch(const struct compiler *c, const char *s, size_t len, struct probe_fetch *f, struct probe_field *field)
{
	int64_t outside_in[PROBE_STEPS_MAX];
	uint32_t nr = 0;

	while (len && (s[0] == '+' || s[0] == '-')) {
		const char *paren = memchr(s, '(', len);
		size_t skip = s[1] == 'u' ? 2 : 1;
		int64_t off;

		if (!paren || s[len - 1] != ')' || !parse_number(s + skip, (size_t)(paren - s) - skip, &off))
			return refuse(c, "not understood");
		if (nr == PROBE_STEPS_MAX)
			return refuse(c, "it leads through more memory than --temp can follow");
		outside_in[nr++] = s[0] == '-' ? -off : off;
		len -= (size_t)(paren - s) + 2;
		s = paren + 1;
	}
	for (uint32_t i = 0; i < nr; i++)
		f->steps[i] = outside_in[nr - 1 - i];
	f->nr_steps = nr;
	return compile_start(c, s, len, f, field);
}

static const struct probe_type {
	const char *name, *field, *print;
	uint8_t size;
	bool is_signed;
} types[] = {
	{ "u8", "u8", "%u", 1, false },	    { "u16", "u16", "%u", 2, false },	{ "u32", "u32", "%u", 4, false },
	{ "u64", "u64", "%Lu", 8, false },  { "s8", "s8", "%d", 1, true },	{ "s16", "s16", "%d", 2, true },
	{ "s32", "s32", "%d", 4, true },    { "s64", "s64", "%Ld", 8, true },	{ "x8", "u8", "0x%x", 1, false },
	{ "x16", "u16", "0x%x", 2, false }, { "x32", "u32", "0x%x", 4, false }, { "x64", "u64", "0x%Lx", 8, false },
	{ "char", "u8", "'%c'", 1, false },
};

static const struct probe_type *find_type(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len))
			return &types[i];
	return NULL;
}

/* "b4@3/32" */
static const struct probe_type *parse_bits(const char *type, struct probe_field *field)
{
	unsigned int width, off, container;
	char end, name[8];

	if (sscanf(type, "b%u@%u/%u%c", &width, &off, &container, &end) != 3 || !width || container > 64 || width + off > container)
		return NULL;
	field->bit_width = (uint8_t)width;
	field->bit_off = (uint8_t)off;
	snprintf(name, sizeof(name), "u%u", container);
	return find_type(name, strlen(name));
}

static int compile_type(const struct compiler *c, const char *type, struct probe_fetch *f, struct probe_field *field)
{
	const struct probe_type *t = find_type(type, strlen(type));

	if (!strcmp(type, "string") || !strcmp(type, "ustring") || field->is_string) {
		if (!f->nr_steps && f->start != PROBE_FETCH_COMM)
			return refuse(c, "a string is in memory: +0(REGISTER):string");
		f->is_string = true;
		field->is_string = true;
		field->type = "__data_loc char[]";
		field->size = 4;
		field->is_signed = true;
		return 0;
	}
	if (!t && type[0] == 'b')
		t = parse_bits(type, field);
	if (!t)
		return refuse(c, "--temp does not know this type");
	field->type = t->field;
	field->print = t->print;
	field->size = f->size = t->size;
	field->is_signed = t->is_signed;
	return 0;
}

static int compile_arg(struct compiler *c, const char *word, size_t len, uint32_t i, struct arena *arena, struct probe_fetch *f,
		       struct probe_field *field)
{
	const char *eq = memchr(word, '=', len), *colon, *type = "x64";
	char number[16];
	int err;

	c->text = arena_str(arena, word, len);
	snprintf(number, sizeof(number), "arg%u", i + 1);
	field->name = eq && eq > word ? arena_str(arena, word, (size_t)(eq - word)) : arena_str(arena, number, strlen(number));
	if (field->name[strspn(field->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return refuse(c, "its name has letters, digits and _ only");
	if (eq && eq > word) {
		len -= (size_t)(eq + 1 - word);
		word = eq + 1;
	}
	colon = memrchr(word, ':', len);
	if (colon) {
		type = arena_str(arena, colon + 1, len - (size_t)(colon + 1 - word));
		len = (size_t)(colon - word);
	}
	f->size = 8;
	err = compile_fetch(c, word, len, f, field);
	return err ? err : compile_type(c, type, f, field);
}

int probe_fetch_compile(const char *args, enum probe_machine machine, uint64_t file_off, bool is_return, struct arena *arena,
			struct probe_program *program, struct probe_layout *layout, struct errbuf *eb)
{
	struct compiler c = { .machine = machine, .file_off = file_off, .is_return = is_return, .eb = eb };
	int err = 0;

	*program = (struct probe_program){ .is_return = is_return };
	*layout = (struct probe_layout){ .is_return = is_return, .size = RAW_COMMON + (is_return ? 16 : 8) };
	while (*(args += strspn(args, " ")) && !err) {
		size_t len = strcspn(args, " ");
		uint32_t i = program->nr_args;

		if (i == PROBE_ARGS_MAX)
			return errbuf_set(eb, -ENOTSUP, "a probe with --temp has at most %d arguments", PROBE_ARGS_MAX);
		err = compile_arg(&c, args, len, i, arena, &program->args[i], &layout->fields[i]);
		layout->fields[i].off = layout->size;
		layout->size += layout->fields[i].size;
		layout->nr_fields = ++program->nr_args;
		args += len;
	}
	return err;
}

static void put_field(struct out *o, const char *type, const char *name, uint32_t off, uint32_t size, bool is_signed)
{
	out_printf(o, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, name, off, size, is_signed);
}

void probe_layout_format(const struct probe_layout *l, const char *name, struct out *o)
{
	out_printf(o, "name: %s\nID: %u\nformat:\n", name, l->id);
	put_field(o, "unsigned short", "common_type", 0, 2, false);
	put_field(o, "unsigned char", "common_flags", 2, 1, false);
	put_field(o, "unsigned char", "common_preempt_count", 3, 1, false);
	put_field(o, "int", "common_pid", 4, 4, true);
	out_char(o, '\n');
	put_field(o, "unsigned long", l->is_return ? "__probe_func" : "__probe_ip", 8, 8, false);
	if (l->is_return)
		put_field(o, "unsigned long", "__probe_ret_ip", 16, 8, false);
	for (uint32_t i = 0; i < l->nr_fields; i++)
		put_field(o, l->fields[i].type, l->fields[i].name, l->fields[i].off, l->fields[i].size, l->fields[i].is_signed);
	out_str(o, l->is_return ? "\nprint fmt: \"(%lx <- %lx)" : "\nprint fmt: \"(%lx)");
	for (uint32_t i = 0; i < l->nr_fields; i++)
		out_printf(o, " %s=%s", l->fields[i].name, l->fields[i].is_string ? "\\\"%s\\\"" : l->fields[i].print);
	out_str(o, l->is_return ? "\", REC->__probe_func, REC->__probe_ret_ip" : "\", REC->__probe_ip");
	for (uint32_t i = 0; i < l->nr_fields; i++)
		out_printf(o, l->fields[i].is_string ? ", __get_str(%s)" : ", REC->%s", l->fields[i].name);
	out_char(o, '\n');
}

/* What could not be read is shown as the kernel shows it. */
static const char fault[] = "(fault)";

static uint32_t put_string(const struct probe_long_hit *h, uint32_t i, bool has_strings, uint8_t *raw, uint32_t at, size_t cap)
{
	uint64_t value = h->hit.values[i];
	uint32_t off = (uint32_t)value, len = (uint32_t)(value >> 32);
	const char *text = fault;

	if (!has_strings || h->hit.failed >> i & 1 || !len || off > sizeof(h->strings) || len > sizeof(h->strings) - off)
		len = sizeof(fault);
	else
		text = h->strings + off;
	if (len > cap - at)
		return 0;
	memcpy(raw + at, text, len);
	raw[at + len - 1] = 0;
	return len;
}

size_t probe_layout_raw(const struct probe_layout *l, const void *record, size_t size, uint8_t *raw, size_t cap)
{
	const struct probe_long_hit *h = record;
	bool is_long = size >= sizeof(*h);
	uint32_t end = l->size;

	if (size < sizeof(h->hit) || cap < l->size)
		return 0;
	memset(raw, 0, RAW_COMMON);
	memcpy(raw, &l->id, sizeof(l->id));
	memcpy(raw + 4, &h->hit.tid, 4);
	memcpy(raw + RAW_COMMON, l->is_return ? &h->hit.func : &h->hit.ip, 8);
	if (l->is_return)
		memcpy(raw + RAW_COMMON + 8, &h->hit.ip, 8);
	for (uint32_t i = 0; i < l->nr_fields; i++) {
		const struct probe_field *f = &l->fields[i];
		uint64_t value = h->hit.values[i];

		if (f->is_string) {
			uint32_t len = put_string(h, i, is_long, raw, end, cap), loc = len << 16 | end;

			memcpy(raw + f->off, &loc, 4);
			end += len;
			continue;
		}
		if (f->bit_width)
			value = value >> f->bit_off & (f->bit_width < 64 ? (UINT64_C(1) << f->bit_width) - 1 : UINT64_MAX);
		memcpy(raw + f->off, &value, f->size); /* little-endian: the lower bytes */
	}
	return end;
}
