/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat -I … --plot`: remembers the last intervals of each row of a `struct counts` and draws them
 * as charts, again and again in the same place of a terminal. Where things go: plot_layout.h.
 */
#ifndef ASSAY_VIEW_STAT_PLOT_H
#define ASSAY_VIEW_STAT_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "view/stat.h"

struct stat_plot;

/* For stat_style.plot. `unicode`: the terminal shows block characters, else ASCII art.
 * `interval_ns`: as asked for. */
struct stat_plot *stat_plot_new(uint64_t interval_ns, bool unicode);
void stat_plot_free(struct stat_plot *p);

/* Takes over the rows as computed last (COUNTS_INTERVAL). The rows of the first time are those that
 * are shown. */
void stat_plot_add(struct stat_plot *p, const struct counts *c);

/* Draws over the last picture. `width` and `height` are the terminal's, as they are now (0:
 * unknown). The cursor ends below the picture, at the beginning of a line. */
void stat_plot_draw(struct stat_plot *p, struct out *o, const struct stat_style *s, uint32_t width, uint32_t height);

/* Both in one, for each interval; the size is that of the terminal behind `o`. A summary is text.
 */
extern const struct stat_format stat_plot_format;

#endif
