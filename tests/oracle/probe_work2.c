/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The other file of probe_work.c: a static function of the same name as one there.
 */
static __attribute__((noinline)) int twin(int n)
{
	__asm__ volatile("");
	return n + 2000;
}

int same_name(int n);
int same_name(int n)
{
	return twin(n);
}
