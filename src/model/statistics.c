/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Student's t by the continued fraction of the incomplete beta function, Benjamini and Hochberg's correction.
 */
#include "model/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define TINY 1e-300 /* in place of a denominator that became 0 */
#define CLOSE 1e-15 /* factors this near to 1 change nothing any more */
#define MAX_TERMS 500

static double away_from_0(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of I_x(a, b), by Lentz's method: term 2m is m(b−m)x / ((a+2m−1)(a+2m)), term 2m+1 is
 * −(a+m)(a+b+m)x / ((a+2m)(a+2m+1)). Converges fast for x < (a+1)/(a+b+2). */
static double beta_fraction(double x, double a, double b)
{
	double numerator = 1, denominator = 1 / away_from_0(1 - (a + b) * x / (a + 1));
	double value = denominator;

	for (int m = 1; m <= MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double factor;

		denominator = 1 / away_from_0(1 + even * denominator);
		numerator = away_from_0(1 + even / numerator);
		value *= denominator * numerator;
		denominator = 1 / away_from_0(1 + odd * denominator);
		numerator = away_from_0(1 + odd / numerator);
		factor = denominator * numerator;
		value *= factor;
		if (fabs(factor - 1) < CLOSE)
			break;
	}
	return value;
}

/* lgamma() leaves a sign in a variable that all threads share. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double statistics_log_beta(double a, double b)
{
	return log_gamma(a + b) - log_gamma(a) - log_gamma(b);
}

double statistics_beta(double x, double a, double b)
{
	double front;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	front = exp(statistics_log_beta(a, b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double statistics_t_p(double t, double df)
{
	if (isinf(t))
		return 0;
	return statistics_beta(df / (df + t * t), df / 2, 0.5);
}

double statistics_t_within(double confidence, double df)
{
	double low = 0, high = 1;

	while (statistics_t_p(high, df) > 1 - confidence && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
		double middle = (low + high) / 2;

		if (statistics_t_p(middle, df) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double statistics_mean(const double *values, uint32_t nr)
{
	double sum = 0;

	for (uint32_t i = 0; i < nr; i++)
		sum += values[i];
	return nr ? sum / nr : 0;
}

struct ranked {
	double p;
	uint32_t at;
};

static int by_p(const void *a, const void *b)
{
	return COMPARE(((const struct ranked *)a)->p, ((const struct ranked *)b)->p);
}

/* What to multiply weights by so that they are 1 in the mean. */
static double weight_scale(const double *p, const double *weights, uint32_t nr)
{
	double sum = 0;
	uint32_t nr_tests = 0;

	for (uint32_t i = 0; i < nr; i++)
		if (!isnan(p[i])) {
			sum += weights[i];
			nr_tests++;
		}
	return sum > 0 ? nr_tests / sum : 0;
}

void statistics_adjust(double *p, const double *weights, uint32_t nr)
{
	struct ranked *sorted = mem_realloc(NULL, (size_t)nr + 1, sizeof(*sorted));
	double scale = weights ? weight_scale(p, weights, nr) : 1, least = 1;
	uint32_t nr_tests = 0;

	for (uint32_t i = 0; i < nr; i++) {
		double weight = weights ? weights[i] * scale : 1;

		if (!isnan(p[i]))
			sorted[nr_tests++] = (struct ranked){ weight > 0 ? p[i] / weight : 1, i };
	}
	qsort(sorted, nr_tests, sizeof(*sorted), by_p);
	/* From the largest down: p times tests by rank, never more than that of a larger p. */
	for (uint32_t rank = nr_tests; rank > 0; rank--) {
		double adjusted = sorted[rank - 1].p * nr_tests / rank;

		if (adjusted < least)
			least = adjusted;
		p[sorted[rank - 1].at] = least;
	}
	free(sorted);
}
