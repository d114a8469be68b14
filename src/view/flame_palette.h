/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The colours of flame graphs: a pure function of what a frame is, so that a function has the same colour in every picture, on every
 * machine. Kinds of frames that a palette does not tell apart by colour are marked by the emitter.
 */
#ifndef ASSAY_VIEW_FLAME_PALETTE_H
#define ASSAY_VIEW_FLAME_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/flame.h"

enum flame_palette {
	FLAME_PALETTE_HOT,
	FLAME_PALETTE_MEM,
	FLAME_PALETTE_IO,
	FLAME_PALETTE_JAVA,
	FLAME_PALETTE_JS,
	FLAME_PALETTE_MODULE,
	FLAME_PALETTE_KERNEL,
	FLAME_NR_PALETTES,
};

const char *flame_palette_name(enum flame_palette p);
/* -1 where there is none of that name. */
int flame_palette_find(const char *name);

/* 0xRRGGBB of a frame. */
uint32_t flame_palette_colour(enum flame_palette p, const struct flame *f, const struct flame_frame *frame);

/* What the colours of a palette mean, the nth of them; NULL: no more. Those that speak for themselves have none. */
const char *flame_palette_legend(enum flame_palette p, uint32_t nth, uint32_t *colour);

/* The colour of frames without a symbol, of palettes that tell them by it. */
bool flame_palette_unresolved(enum flame_palette p, uint32_t *colour);

/* Hue in degrees, saturation and lightness 0–1. */
uint32_t flame_palette_hsl(double hue, double saturation, double lightness);

#endif
