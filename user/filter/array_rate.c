// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "array_rate.h"

#include <math.h>

#include "positions.h"

#define FEW_THROWS 256

/* Exactly, for few throws: after each, so many cells are set with such a chance. */
static double few_rate(uint32_t m, uint32_t k, uint32_t throws)
{
	double set[FEW_THROWS + 1] = { 1 }, rate = 0;

	for (uint32_t t = 0; t < throws; t++) {
		for (uint32_t c = t + 1; c > 0; c--)
			set[c] = c > m ? 0 : set[c] * c / m + set[c - 1] * (m - c + 1) / m;
		set[0] = 0;
	}
	for (uint32_t c = 1; c <= throws; c++)
		rate += set[c] * pow((double)c / m, k);
	return rate;
}

/* Of those bits that are looked at, the part that is set. */
static double probed_fill(enum dedup_hash_scheme hash, uint32_t m, double fill)
{
	double often = (double)((1ULL << 32) % m) / m, part = m / 0x1p32;

	if (hash == DEDUP_FIPS || hash == DEDUP_TEZOS || fill >= 1)
		return fill;
	return fmin(1, fill + often * (1 - often) * part * part * (1 - fill) * -log1p(-fill));
}

static double independent_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n)
{
	double load = k * n / m;
	double clear = exp(k * n * log1p(-1.0 / m));
	double variance = clear * (1 - (1 + load) * clear) / m;
	double fill = probed_fill(hash, m, 1 - clear);
	double rate = pow(fill, k);

	if (m == 1)
		return n > 0;
	if (k * ceil(n) <= FEW_THROWS)
		return few_rate(m, k, k * ceil(n)) * (fill > 0 ? pow(fill / (1 - clear), k) : 1);
	if (k > 1 && clear < 1 && variance > 0)
		rate += k * (k - 1.0) / 2 * pow(fill, k - 2.0) * variance;
	return rate;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* Of the residues modulo m those of order d: Euler's phi(d) if d divides m, else none. */
static uint32_t residues(uint32_t m, uint32_t d)
{
	uint32_t cnt = 0;

	if (m % d)
		return 0;
	for (uint32_t i = 1; i <= d; i++)
		cnt += gcd(i, d) == 1;
	return cnt;
}

/* All k probes are set, each by some id of its own; but in short orbits of the step there
 * are fewer probes than k.
 */
static double steps_rate(uint32_t m, uint32_t k, double fill)
{
	double rate = 0, rest = 1;

	for (uint32_t d = 1; d < k && d <= m; d++) {
		double chance = (double)residues(m, d) / m;

		rate += chance * pow(fill, d);
		rest -= chance;
	}
	return rate + fmax(rest, 0) * pow(fill, k);
}

/* How many positions (i, j) of two progressions begin a run of h that meet at these strides. */
static double runs(uint32_t k, uint32_t p, uint32_t q, uint32_t h)
{
	double i = (double)k - (h - 1.0) * p, j = (double)k - (h - 1.0) * q;

	return i > 0 && j > 0 ? i * j : 0;
}

/* Adds to met[h] m^2 times the chance that of an id, and of a probe, h positions are the same. */
static void lines(uint32_t m, uint32_t k, double met[DEDUP_HASHES_MAX + 1])
{
	for (uint32_t p = 1; p < k; p++)
		for (uint32_t q = 1; q < k; q++) {
			uint32_t ways = 2 * residues(m, gcd(p, q));

			for (uint32_t h = 2; ways && runs(k, p, q, h) > 0; h++)
				met[h] += ways * (runs(k, p, q, h) - 2 * runs(k, p, q, h + 1) +
						  runs(k, p, q, h + 2));
		}
}

/* What ids on one line with the probe add. */
static double lines_rate(uint32_t m, uint32_t k, double fill, double n)
{
	double met[DEDUP_HASHES_MAX + 1] = { 0 }, all = pow(fill, k), clear = 1 - fill, rate;

	if (k < 2 || fill <= 0)
		return 0;
	rate = -(k * (k - 1.0) / 2) * k * k * clear * clear * pow(fill, k - 2.0);
	lines(m, k, met);
	for (uint32_t h = 2; h <= k; h++)
		rate += met[h] * (pow(fill, k - h) - all - h * clear * pow(fill, k - 1.0));
	return rate * n / m / m;
}

static double double_rate(uint32_t m, uint32_t k, double fill, double n)
{
	double rate = steps_rate(m, k, fill);

	return fill < 1 ? rate + lines_rate(m, k, fill, n) : rate;
}

static double within_1(double rate)
{
	return rate < 0 ? 0 : rate < 1 ? rate : 1;
}

double array_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n)
{
	if (hash != DEDUP_FIPS)
		return within_1(independent_rate(hash, m, k, n));
	if (n <= 0)
		return 0;
	return within_1(double_rate(m, k, k < m ? -expm1(n * log1p(-(double)k / m)) : 1, n));
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
	return within_1(double_rate(m, k, fill, array_ids(m, k, fill * m)));
}
