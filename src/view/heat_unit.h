/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nanoseconds as people write them: units, and as many digits as mean something. Pure text.
 */
#ifndef ASSAY_VIEW_HEAT_UNIT_H
#define ASSAY_VIEW_HEAT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

enum heat_unit { HEAT_UNIT_NS, HEAT_UNIT_US, HEAT_UNIT_MS, HEAT_UNIT_S, HEAT_UNIT_AUTO };

#define HEAT_LABEL_SIZE 40

/* "ns", "us", "ms", "s". */
const char *heat_unit_name(enum heat_unit u);
/* The same with a Greek letter, in UTF-8. */
const char *heat_unit_symbol(enum heat_unit u);
/* False where it is none of the four. */
bool heat_unit_find(const char *name, enum heat_unit *u);
uint64_t heat_unit_ns(enum heat_unit u);
int heat_unit_exponent(enum heat_unit u); /* of ten: 9 for seconds */
/* The largest in which a value is at least 1. */
enum heat_unit heat_unit_fit(uint64_t value_ns);

/* The number alone, with as many decimals as values `step_ns` apart need to differ ("1.25"), and commas between thousands. */
void heat_unit_number(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns);
/* The same with its unit ("1.25 µs"). */
void heat_unit_text(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns);
/* Every digit and no commas ("0.001250000" of seconds), as other programs read it. */
void heat_unit_exact(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u);

#endif
