// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "array_rate.h"

#include <math.h>

#include "positions.h"

#define THROWS_MAX 256 /* the exact sum is fast enough up to here */

/* Returns the exact rate after `throws` random positions have been set, which are k for each id.
 * chance[c]: the probability that c different cells are set, updated throw by throw.
 */
static double rate_of_throws(uint32_t m, uint32_t k, uint32_t throws)
{
	double chance[THROWS_MAX + 1] = { 1 }, rate = 0;

	for (uint32_t t = 0; t < throws; t++) {
		for (uint32_t c = t + 1; c > 0; c--)
			chance[c] = c > m ? 0 : chance[c] * c / m + chance[c - 1] * (m - c + 1) / m;
		chance[0] = 0;
	}
	for (uint32_t c = 1; c <= throws; c++)
		rate += chance[c] * pow((double)c / m, k);
	return rate;
}

/* Returns the chance that a probed bit is set. fill: that of any bit. They differ if m does not
 * divide 2^32: bits that are probed more often were set more often, too (array_rate.h).
 */
static double probed_fill(enum dedup_hash_scheme hash, uint32_t m, double fill)
{
	double often = (double)((1ULL << 32) % m) / m, part = m / 0x1p32; /* r/m, m/2^32 */

	if (hash == DEDUP_FIPS || hash == DEDUP_TEZOS || fill >= 1)
		return fill;
	return fmin(1, fill + often * (1 - often) * part * part * (1 - fill) * -log1p(-fill));
}

/* Returns the rate of schemes whose k positions are independent: fill^k, plus the second term of
 * the Taylor series, as the fill varies about its mean.
 */
static double independent_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n)
{
	double load = k * n / m;
	double clear = exp(k * n * log1p(-1.0 / m));
	double variance = clear * (1 - (1 + load) * clear) / m;
	double fill = probed_fill(hash, m, 1 - clear);
	double rate = pow(fill, k);

	if (m == 1)
		return n > 0;
	if (k * ceil(n) <= THROWS_MAX)
		return rate_of_throws(m, k, k * ceil(n)) *
		       (fill > 0 ? pow(fill / (1 - clear), k) : 1);
	if (k > 1 && clear < 1 && variance > 0)
		rate += k * (k - 1.0) / 2 * pow(fill, k - 2.0) * variance;
	return rate;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* Returns how many residues modulo m have the additive order d, so that d additions give 0: Euler's
 * phi(d) if d divides m, else none.
 */
static uint32_t residues_of_order(uint32_t m, uint32_t d)
{
	uint32_t cnt = 0;

	if (m % d)
		return 0;
	for (uint32_t i = 1; i <= d; i++)
		cnt += gcd(i, d) == 1;
	return cnt;
}

/* Double hashing: returns the rate if bits are set independently. A step of order d below k returns
 * to the start after d probes, so only d different bits are probed.
 */
static double rate_by_step_order(uint32_t m, uint32_t k, double fill)
{
	double rate = 0, rest = 1; /* rest: the chance of a step whose order is k or more */

	for (uint32_t d = 1; d < k && d <= m; d++) {
		double chance = (double)residues_of_order(m, d) / m;

		rate += chance * pow(fill, d);
		rest -= chance;
	}
	return rate + fmax(rest, 0) * pow(fill, k);
}

/* Two progressions of k positions coincide at every p-th position of the one and every q-th of the
 * other. Returns for how many pairs of positions (i, j) h common positions begin at i and j.
 */
static double run_starts(uint32_t k, uint32_t p, uint32_t q, uint32_t h)
{
	double i = (double)k - (h - 1.0) * p, j = (double)k - (h - 1.0) * q;

	return i > 0 && j > 0 ? i * j : 0;
}

/* Adds to met[h] m^2 times the chance that a learned id on one line with the id that is looked up
 * (array_rate.h) has exactly h of its k positions: runs of h that are not part of longer ones.
 */
static void add_line_meetings(uint32_t m, uint32_t k, double met[DEDUP_HASHES_MAX + 1])
{
	for (uint32_t p = 1; p < k; p++)
		for (uint32_t q = 1; q < k; q++) {
			uint32_t ways = 2 * residues_of_order(m, gcd(p, q));

			for (uint32_t h = 2; ways && run_starts(k, p, q, h) > 0; h++)
				met[h] += ways *
					  (run_starts(k, p, q, h) - 2 * run_starts(k, p, q, h + 1) +
					   run_starts(k, p, q, h + 2));
		}
}

/* Returns what n learned ids on one line with the id that is looked up add to rate_by_step_order():
 * the formula of array_rate.h, less the pairs that independent positions have, too.
 */
static double line_excess(uint32_t m, uint32_t k, double fill, double n)
{
	double met[DEDUP_HASHES_MAX + 1] = { 0 }, all = pow(fill, k), clear = 1 - fill, rate;

	if (k < 2 || fill <= 0)
		return 0;
	rate = -(k * (k - 1.0) / 2) * k * k * clear * clear * pow(fill, k - 2.0);
	add_line_meetings(m, k, met);
	for (uint32_t h = 2; h <= k; h++)
		rate += met[h] * (pow(fill, k - h) - all - h * clear * pow(fill, k - 1.0));
	return rate * n / m / m;
}

static double double_hashing_rate(uint32_t m, uint32_t k, double fill, double n)
{
	double rate = rate_by_step_order(m, k, fill);

	return fill < 1 ? rate + line_excess(m, k, fill, n) : rate;
}

static double clamp_to_chance(double rate)
{
	return rate < 0 ? 0 : rate < 1 ? rate : 1;
}

double array_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n)
{
	if (hash != DEDUP_FIPS)
		return clamp_to_chance(independent_rate(hash, m, k, n));
	if (n <= 0)
		return 0;
	return clamp_to_chance(
		double_hashing_rate(m, k, k < m ? -expm1(n * log1p(-(double)k / m)) : 1, n));
}

double array_rate_of(int arrays, enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n)
{
	double rate = array_rate(hash, m, k, n);

	return arrays == 2 ? rate + rate - rate * rate : rate;
}

double array_ids(uint32_t m, uint32_t k, double set)
{
	return set > 0 ? -log1p(-set / m) * m / k : 0;
}

double array_learned(uint32_t m, uint32_t k, uint64_t set)
{
	return array_ids(m, k, set < m ? set : m - 0.5);
}

double array_rate_at(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double fill)
{
	if (hash != DEDUP_FIPS)
		return pow(probed_fill(hash, m, fill), k);
	return clamp_to_chance(double_hashing_rate(m, k, fill, array_ids(m, k, fill * m)));
}
