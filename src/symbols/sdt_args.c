/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arguments of SDT probes are operands of the assembler: SIZE@OPERAND, with a negative size for signed values, f behind it for floating
 * point. The kernel's fetch arguments can say most of them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "symbols/sdt_notes.h"
#include "symbols/symbol_readers.h"

#define FETCH_SIZE 160

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* "N@" or "-N@": bytes of the value, and its sign; 0 where nothing is said. */
static size_t parse_size(const char *s, size_t len, int *size, bool *is_float)
{
	size_t i = 0;
	int value = 0;
	bool minus = len && s[0] == '-';

	*size = 0;
	*is_float = false;
	for (i = minus; i < len && isdigit((unsigned char)s[i]) && value < 1000; i++)
		value = value * 10 + (s[i] - '0');
	if (i == minus || i >= len)
		return 0;
	if (s[i] == 'f' && i + 1 < len) {
		*is_float = true;
		i++;
	}
	if (s[i] != '@')
		return 0;
	*size = minus ? -value : value;
	return i + 1;
}

/* A decimal or hexadecimal number with a sign; how much of the text it is, 0: it is none. */
static size_t parse_number(const char *s, size_t len, int64_t *value)
{
	size_t i = 0, digits;
	bool minus = false, hex;
	uint64_t v = 0;

	if (i < len && (s[i] == '-' || s[i] == '+'))
		minus = s[i++] == '-';
	hex = len - i > 2 && s[i] == '0' && (s[i + 1] | 0x20) == 'x';
	i += hex ? 2 : 0;
	for (digits = 0; i < len && digits < 20; i++, digits++) {
		if (isdigit((unsigned char)s[i]))
			v = v * (hex ? 16 : 10) + (uint64_t)(s[i] - '0');
		else if (hex && isxdigit((unsigned char)s[i]))
			v = v * 16 + (uint64_t)((s[i] | 0x20) - 'a' + 10);
		else
			break;
	}
	*value = (int64_t)(minus ? 0 - v : v);
	return digits ? i : 0;
}

/* A register of any width into the kernel's name of it: "eax" → "ax". */
static bool x86_register(const char *s, size_t len, const char **name, const char **bits)
{
	static const char *const plain[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp" };
	static const char *const numbered[] = { "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

	*bits = NULL;
	for (size_t i = 0; i < 8; i++) {
		size_t n = strlen(numbered[i]);

		if ((len == n || (len == n + 1 && strchr("dwb", s[n]))) && !memcmp(s, numbered[i], n)) {
			*name = numbered[i];
			return true;
		}
		*name = plain[i];
		if (len == 3 && (s[0] == 'r' || s[0] == 'e') && !memcmp(s + 1, plain[i], 2))
			return true;
		if (len == 2 && !memcmp(s, plain[i], 2))
			return true;
		/* sil, dil, bpl, spl */
		if (len == 3 && i >= 4 && s[2] == 'l' && !memcmp(s, plain[i], 2))
			return true;
		if (len == 2 && i < 4 && s[0] == plain[i][0] && (s[1] == 'l' || s[1] == 'h')) {
			*bits = s[1] == 'h' ? "b8@8/16" : NULL;
			return true;
		}
	}
	return false;
}

/* "SYMBOL(%rip)", "SYMBOL+8(%rip)", "8+SYMBOL(%rip)": memory of the file's own data, which may have no bytes in the file. */
static bool x86_rip_relative(const struct elf_file *f, uint64_t base, const char *s, size_t len, char *fetch, size_t size)
{
	int64_t before = 0, after = 0;
	size_t skip, name_len = 0;
	uint64_t vaddr;
	char name[256];

	skip = parse_number(s, len, &before);
	if (skip && skip < len && s[skip] == '+') {
		s += skip + 1;
		len -= skip + 1;
	} else if (skip) {
		return false;
	}
	while (name_len < len && s[name_len] != '+' && s[name_len] != '-')
		name_len++;
	if (!name_len || name_len >= sizeof(name) ||
	    (name_len < len && parse_number(s + name_len, len - name_len, &after) != len - name_len))
		return false;
	memcpy(name, s, name_len);
	name[name_len] = 0;
	if (!f->sections.nr || !elf_symbols_find_data(f, name, &vaddr))
		return false;
	return snprintf(fetch, size, "@+0x%" PRIx64, vaddr + (uint64_t)before + (uint64_t)after - base) < (int)size;
}

/* An operand ("%eax", "-8(%rbp)") as a fetch argument without type; false: the kernel has none. `bits`: where the operand is a part of a register
 * (%ah), which ("b8@8/16"). */
static bool x86_operand(const struct elf_file *f, uint64_t base, const char *s, size_t len, char *fetch, size_t size, const char **bits)
{
	const char *paren = memchr(s, '(', len), *name, *no_bits;
	int64_t number = 0;

	*bits = NULL;
	if (len > 1 && s[0] == '$')
		return parse_number(s + 1, len - 1, &number) == len - 1 && snprintf(fetch, size, "\\%" PRId64, number) < (int)size;
	if (len > 1 && s[0] == '%')
		return x86_register(s + 1, len - 1, &name, bits) && snprintf(fetch, size, "%%%s", name) < (int)size;
	if (!paren || s[len - 1] != ')' || (size_t)(s + len - paren) < 4 || paren[1] != '%')
		return false;
	if (s + len - paren == 6 && !memcmp(paren, "(%rip)", 6))
		return x86_rip_relative(f, base, s, (size_t)(paren - s), fetch, size);
	/* An index register, (%rax,%rbx,4), is more than the kernel can add up. */
	if (!x86_register(paren + 2, (size_t)(s + len - paren - 3), &name, &no_bits) || no_bits)
		return false;
	if (paren > s && parse_number(s, (size_t)(paren - s), &number) != (size_t)(paren - s))
		return false;
	return snprintf(fetch, size, "%+" PRId64 "(%%%s)", number, name) < (int)size;
}

/* x0 to x30, w0 to w30, sp */
static bool arm64_register(const char *s, size_t len, char name[8])
{
	int64_t number;

	if (len == 2 && !memcmp(s, "sp", 2)) {
		strcpy(name, "sp");
		return true;
	}
	if (len < 2 || len > 3 || (s[0] != 'x' && s[0] != 'w') || !isdigit((unsigned char)s[1]) ||
	    parse_number(s + 1, len - 1, &number) != len - 1 || number > 30)
		return false;
	snprintf(name, 8, "x%d", (int)number);
	return true;
}

/* "x0", "[sp, 12]" */
static bool arm64_operand(const char *s, size_t len, char *fetch, size_t size)
{
	const char *comma;
	int64_t number = 0;
	size_t reg_len;
	char name[8];

	if (arm64_register(s, len, name))
		return snprintf(fetch, size, "%%%s", name) < (int)size;
	if (len && parse_number(s, len, &number) == len)
		return snprintf(fetch, size, "\\%" PRId64, number) < (int)size;
	if (len < 4 || s[0] != '[' || s[len - 1] != ']')
		return false;
	comma = memchr(s, ',', len);
	reg_len = (size_t)((comma ? comma : s + len - 1) - s - 1);
	if (!arm64_register(s + 1, reg_len, name))
		return false;
	if (comma) {
		const char *p = comma + 1, *end = s + len - 1;

		while (p < end && (is_space(*p) || *p == '#'))
			p++;
		if (p == end || parse_number(p, (size_t)(end - p), &number) != (size_t)(end - p))
			return false;
	}
	return snprintf(fetch, size, "%+" PRId64 "(%%%s)", number, name) < (int)size;
}

static const char *type_of(int size)
{
	switch (size) {
	case 1:
		return "u8";
	case -1:
		return "s8";
	case 2:
		return "u16";
	case -2:
		return "s16";
	case 4:
		return "u32";
	case -4:
		return "s32";
	case 8:
		return "u64";
	case -8:
		return "s64";
	}
	return NULL;
}

/* One argument ends at white space that is in no bracket: arm64's are "[sp, 12]". */
static size_t arg_length(const char *s)
{
	size_t i;
	int depth = 0;

	for (i = 0; s[i] && (depth || !is_space(s[i])); i++)
		depth += s[i] == '[' || s[i] == '(' ? 1 : s[i] == ']' || s[i] == ')' ? -1 : 0;
	return i;
}

static bool fetch_arg(const struct elf_file *f, uint64_t base, const char *s, size_t len, unsigned int number, struct out *o)
{
	const char *bits = NULL, *type;
	char fetch[FETCH_SIZE];
	bool is_float, ok;
	size_t skip;
	int size;

	skip = parse_size(s, len, &size, &is_float);
	type = size ? type_of(size) : NULL;
	if (is_float || (size && !type))
		return false;
	s += skip;
	len -= skip;
	if (f->machine == EM_AARCH64)
		ok = arm64_operand(s, len, fetch, sizeof(fetch));
	else
		ok = (f->machine == EM_X86_64 || f->machine == EM_386) && x86_operand(f, base, s, len, fetch, sizeof(fetch), &bits);
	if (!ok)
		return false;
	out_printf(o, "%sarg%u=%s%s%s", o->len ? " " : "", number, fetch, bits || type ? ":" : "", bits ? bits : type ? type : "");
	return true;
}

char *sdt_args_fetch(const struct elf_file *f, uint64_t base, const char *args, uint32_t *nr_left_out)
{
	unsigned int number = 0;
	struct out o;
	char *text;

	out_init(&o, -1);
	*nr_left_out = 0;
	while (*args && number < 128) {
		size_t len;

		while (is_space(*args))
			args++;
		len = arg_length(args);
		if (len && !fetch_arg(f, base, args, len, ++number, &o))
			++*nr_left_out;
		args += len;
	}
	text = mem_strndup(o.buf ? o.buf : "", o.len);
	out_fini(&o);
	return text;
}
