/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Colours of shares on a terminal, with perf's limits: red from 5% on, green from 0.5% on.
 */
#ifndef ASSAY_VIEW_HEAT_COLOUR_H
#define ASSAY_VIEW_HEAT_COLOUR_H

#define HEAT_HOT 5.0
#define HEAT_WARM 0.5
#define HEAT_OFF "\033[m"

/* What switches the colour of a share in percent on; NULL: it has none. */
static inline const char *heat_colour(double percent)
{
	return percent >= HEAT_HOT ? "\033[31m" : percent >= HEAT_WARM ? "\033[32m" : (const char *)0;
}

#endif
