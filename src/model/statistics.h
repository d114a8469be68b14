/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The statistics that comparing recordings needs: Student's t, and the correction for testing many rows at once.
 *
 * Pure functions of numbers. It knows nothing of profiles; model/diff.h says what is compared.
 */
#ifndef ASSAY_MODEL_STATISTICS_H
#define ASSAY_MODEL_STATISTICS_H

#include <stdint.h>

/* The regularised incomplete beta function I_x(a, b), for x in [0, 1] and positive a, b. */
double statistics_beta(double x, double a, double b);

/* log(1 / B(a, b)): what a density of F or beta begins with. */
double statistics_log_beta(double a, double b);

/* Student's t with `df` degrees of freedom (which need not be whole): P(T ≤ t); P(|T| ≥ |t|); the t that |T| stays below with
 * probability `confidence` (0.95 of 10: 2.228). */
double statistics_t_cdf(double t, double df);
double statistics_t_p(double t, double df);
double statistics_t_within(double confidence, double df);

double statistics_mean(const double *values, uint32_t nr);
/* Of the values around their mean, with nr − 1 below; 0 of fewer than two. */
double statistics_variance(const double *values, uint32_t nr);

/* Turns p values into those adjusted for their number (Benjamini–Hochberg): calling significant what then is below 0.05 is wrong of one
 * in twenty called so at most; and where nothing differs at all, something is called so with that probability at most. `weights` (NULL: all
 * alike) say how much of that error each test may have, which must not depend on what it finds (Genovese, Roeder and Wasserman 2006); their
 * scale does not matter. NAN stays NAN and does not count. */
void statistics_adjust(double *p, const double *weights, uint32_t nr);

#endif
