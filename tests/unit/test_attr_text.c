/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The words for an attr: both styles, every field, nothing for what is zero.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "view/header_text.h"

static char *text_of(const struct attr *attr, const struct attr_style *style)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	attr_text(&o, attr, style);
	text = strndup(o.buf ? o.buf : "", o.len);
	out_fini(&o);
	return text;
}

static void expect(const struct attr *attr, const struct attr_style *style, const char *want)
{
	char *text = text_of(attr, style);

	assert_string_equal(text, want);
	free(text);
}

static void two_styles(void **state)
{
	const struct attr attr = {
		.type = ATTR_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.sample_period = 4000,
		.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_PERIOD,
		.read_format = READ_ID | READ_LOST,
		.flags = ATTR_DISABLED | ATTR_FREQ | ATTR_PRECISE_IP | ATTR_SAMPLE_ID_ALL,
		.clockid = -1,
	};

	(void)state;
	expect(&attr, &attr_style_list,
	       ": type: 1, size: 128, { sample_period, sample_freq }: 4000, sample_type: IP|TID|PERIOD, "
	       "read_format: ID|LOST, disabled: 1, freq: 1, precise_ip: 3, sample_id_all: 1, clockid: -1");
	expect(&attr, &attr_style_header,
	       ", type = 1, size = 128, { sample_period, sample_freq } = 4000, sample_type = IP|TID|PERIOD, "
	       "read_format = ID|LOST, disabled = 1, freq = 1, precise_ip = 3, sample_id_all = 1, clockid = -1");
}

static void nothing_for_zero(void **state)
{
	const struct attr attr = { 0 };

	(void)state;
	expect(&attr, &attr_style_list, "");
	expect(&attr, &attr_style_header, "");
}

/* Each flag has its words, and no two share them. */
static void every_flag(void **state)
{
	char *seen[40];
	unsigned nr = 0;

	(void)state;
	for (unsigned bit = 0; bit < 40; bit++) {
		const struct attr attr = { .flags = 1ULL << bit };
		char *text = text_of(&attr, &attr_style_list);
		bool precise = bit == 15 || bit == 16; /* two bits of one number */

		assert_true(strlen(text) > 0);
		assert_string_equal(text + strlen(text) - 3, bit == 16 ? ": 2" : ": 1");
		for (unsigned i = 0; i < nr; i++)
			assert_string_not_equal(seen[i], text);
		assert_true(precise == !strncmp(text, ": precise_ip: ", 14));
		seen[nr++] = text;
	}
	while (nr)
		free(seen[--nr]);
}

static void every_sample_bit(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 25; bit++) {
		const struct attr attr = { .sample_type = 1ULL << bit };
		char *text = text_of(&attr, &attr_style_list);

		assert_true(strlen(text) > strlen(": sample_type: "));
		free(text);
	}
}

/* Every 4-byte piece of the struct but reserved_2's shows: a new field cannot be forgotten here. */
static void every_word(void **state)
{
	(void)state;
	for (size_t off = 0; off < sizeof(struct attr); off += 2) {
		struct attr attr = { 0 };
		char *text;

		memset((char *)&attr + off, 0x01, 2);
		text = text_of(&attr, &attr_style_list);
		if (off == offsetof(struct attr, reserved_2) || off == offsetof(struct attr, flags) + 6)
			assert_string_equal(text, "");
		else
			assert_true(strlen(text) > 2);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_styles),	    cmocka_unit_test(nothing_for_zero), cmocka_unit_test(every_flag),
		cmocka_unit_test(every_sample_bit), cmocka_unit_test(every_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
