/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the unwind table of a file, a row a line, in the words of `readelf -wF`:
 *
 *	270e1 rsp+16 rbx=c-16 ra=c-8
 *
 * (file offset, CFA, registers; "gap" where nothing is known, "outermost", "signal" behind the CFA), and at the end what it took.
 * With --view the table is taken through its flat bytes and the check of those.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbols/elf_file.h"
#include "symbols/unwind_rule.h"
#include "arch/arch.h"

static const char *reg_name(const struct unwind_table *t, uint32_t reg)
{
	static const char *const x86[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12",
					   "r13", "r14", "r15", "ra" };
	static char text[16];

	if (t->head->machine == EM_X86_64)
		return reg < 17 ? x86[reg] : "?";
	if (reg >= 30)
		return reg == 30 ? "ra" : reg == 31 ? "sp" : "pc";
	snprintf(text, sizeof(text), "x%u", reg);
	return text;
}

static void print_rule(const struct unwind_table *t, const struct unwind_rule *r)
{
	if (r->flags & RULE_OUTERMOST) {
		printf(" outermost\n");
		return;
	}
	if (r->flags & RULE_CFA_EXPR)
		printf(" exp");
	else
		printf(" %s%+d", reg_name(t, r->cfa_reg), r->cfa_value);
	if (r->flags & RULE_SIGNAL)
		printf(" signal");
	for (uint32_t i = 0; i < r->nr_regs; i++) {
		const struct unwind_reg_rule *reg = &r->regs[i];

		printf(" %s=", reg_name(t, reg->reg));
		switch ((enum unwind_how)reg->how) {
		case HOW_OFFSET: printf("c%+d", reg->value); break;
		case HOW_VAL_OFFSET: printf("v%+d", reg->value); break;
		case HOW_REGISTER: printf("%s", reg_name(t, (uint32_t)reg->value)); break;
		case HOW_EXPR: printf("exp"); break;
		case HOW_VAL_EXPR: printf("vexp"); break;
		case HOW_UNDEFINED: printf("u"); break;
		case HOW_SAME: printf("s"); break;
		case NR_HOWS: break;
		}
	}
	printf("\n");
}

static double ms_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - from->tv_sec) * 1e3 + (double)(now.tv_nsec - from->tv_nsec) / 1e6;
}

static struct unwind_table *through_bytes(struct unwind_table *t)
{
	struct unwind_table *view;
	size_t size;
	const void *bytes = unwind_table_bytes(t, &size);
	void *copy = malloc(size);

	memcpy(copy, bytes, size);
	if (unwind_table_view(&view, copy, size) != 0) {
		fprintf(stderr, "the flat bytes are not sound\n");
		exit(1);
	}
	view->owned = copy;
	unwind_table_free(t);
	return view;
}

int main(int argc, char **argv)
{
	bool view = argc > 1 && strcmp(argv[1], "--view") == 0;
	struct elf_file f, debug = { .fd = -1 };
	struct errbuf eb = { 0 };
	struct unwind_table *t;
	struct timespec start;
	double build_ms;
	size_t size;

	argv += view;
	argc -= view;
	if (argc < 2) {
		fprintf(stderr, "usage: unwind_dump [--view] FILE [DEBUGFILE]\n");
		return 2;
	}
	if (elf_file_open(&f, argv[1], &eb) || (argc > 2 && elf_file_open(&debug, argv[2], &eb))) {
		fprintf(stderr, "%s\n", eb.text);
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (unwind_table_build(&t, &f, &debug, false, &eb)) {
		fprintf(stderr, "%s: %s\n", argv[1], eb.text);
		return 1;
	}
	build_ms = ms_since(&start);
	if (view)
		t = through_bytes(t);
	for (uint32_t i = 0; i < t->head->nr_rows; i++) {
		printf("%llx", (unsigned long long)(t->head->base + t->rows[i].addr));
		if (t->rows[i].rule == UNWIND_GAP)
			printf(" gap\n");
		else
			print_rule(t, unwind_table_rule(t, t->rows[i].rule));
	}
	unwind_table_bytes(t, &size);
	fprintf(stderr, "%u rows, %u rule units, %u bytes of expressions, %u damaged, %zu bytes, %.2f ms\n", t->head->nr_rows,
		t->head->nr_rule_units, t->head->expr_bytes, t->head->nr_damaged, size, build_ms);
	unwind_table_free(t);
	elf_file_close(&f);
	elf_file_close(&debug);
	return 0;
}
