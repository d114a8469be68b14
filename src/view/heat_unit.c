/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nanoseconds → text, in whole numbers all the way.
 */
#include "view/heat_unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *symbol;
	uint64_t ns;
	int exponent;
} units[] = {
	[HEAT_UNIT_NS] = { "ns", "ns", 1, 0 },
	[HEAT_UNIT_US] = { "us", "µs", 1000, 3 },
	[HEAT_UNIT_MS] = { "ms", "ms", 1000000, 6 },
	[HEAT_UNIT_S] = { "s", "s", 1000000000, 9 },
};

const char *heat_unit_name(enum heat_unit u)
{
	return units[u].name;
}

const char *heat_unit_symbol(enum heat_unit u)
{
	return units[u].symbol;
}

bool heat_unit_find(const char *name, enum heat_unit *u)
{
	for (*u = HEAT_UNIT_NS; *u < HEAT_UNIT_AUTO; (*u)++)
		if (!strcmp(name, units[*u].name) || !strcmp(name, units[*u].symbol))
			return true;
	return false;
}

uint64_t heat_unit_ns(enum heat_unit u)
{
	return units[u].ns;
}

int heat_unit_exponent(enum heat_unit u)
{
	return units[u].exponent;
}

enum heat_unit heat_unit_fit(uint64_t value_ns)
{
	enum heat_unit u = HEAT_UNIT_S;

	while (u > HEAT_UNIT_NS && value_ns < units[u].ns)
		u--;
	return u;
}

void heat_unit_exact(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u)
{
	if (!units[u].exponent)
		snprintf(text, HEAT_LABEL_SIZE, "%" PRIu64, value_ns);
	else
		snprintf(text, HEAT_LABEL_SIZE, "%" PRIu64 ".%0*" PRIu64, value_ns / units[u].ns, units[u].exponent,
			 value_ns % units[u].ns);
}

/* 1234567.8 → 1,234,567.8 */
static void group_thousands(char text[HEAT_LABEL_SIZE])
{
	size_t len = strlen(text), whole = strcspn(text, ".");

	for (size_t at = whole; at > 3 && len + 1 < HEAT_LABEL_SIZE; len++) {
		at -= 3;
		memmove(text + at + 1, text + at, len + 1 - at);
		text[at] = ',';
	}
}

void heat_unit_number(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns)
{
	int decimals = 0;
	uint64_t shown = units[u].ns, rounded;
	size_t len;

	/* Two digits of the step: 0.25 apart is told from 0.3. */
	while (decimals < units[u].exponent && step_ns < shown * 10) {
		decimals++;
		shown /= 10;
	}
	rounded = (value_ns / shown + (value_ns % shown * 2 >= shown)) * shown;
	if (!decimals) {
		snprintf(text, HEAT_LABEL_SIZE, "%" PRIu64, rounded / units[u].ns);
		group_thousands(text);
		return;
	}
	heat_unit_exact(text, rounded, u);
	len = strlen(text);
	while (text[len - 1] == '0')
		len--;
	text[text[len - 1] == '.' ? len - 1 : len] = 0;
	group_thousands(text);
}

void heat_unit_text(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns)
{
	size_t len;

	heat_unit_number(text, value_ns, u, step_ns);
	len = strlen(text);
	snprintf(text + len, HEAT_LABEL_SIZE - len, " %s", units[u].symbol);
}
