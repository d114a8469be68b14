/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SipHash (base/hash.h) against the vectors of its authors, in one piece and in several.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

/* Key 00 01 … 0f, message 00 01 02 … of that many bytes: from the paper (15) and the reference's list. */
static void test_vectors(void **state)
{
	static const struct {
		size_t size;
		uint64_t sum;
	} vectors[] = {
		{ 0, 0x726fdb47dd0e0e31ULL }, { 1, 0x74f839c593dc67fdULL },  { 7, 0xab0200f58b01d137ULL },
		{ 8, 0x93f5f5799a932462ULL }, { 15, 0xa129ca6149be45e5ULL },
	};
	uint8_t key[SIPHASH_KEY_SIZE], message[64];
	struct siphash s;

	(void)state;
	for (uint8_t i = 0; i < sizeof(key); i++)
		key[i] = i;
	for (uint8_t i = 0; i < sizeof(message); i++)
		message[i] = i;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		siphash_init(&s, key);
		siphash_add(&s, message, vectors[i].size);
		assert_true(siphash_sum(&s) == vectors[i].sum);
		for (size_t cut = 0; cut <= vectors[i].size; cut++) {
			siphash_init(&s, key);
			siphash_add(&s, message, cut);
			siphash_add(&s, message + cut, 0);
			siphash_add(&s, message + cut, vectors[i].size - cut);
			assert_true(siphash_sum(&s) == vectors[i].sum);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_vectors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
