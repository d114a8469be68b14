/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for unwinding and naming C++: main → round() → nested templates, which are inlined in part; virtual calls; std::sort and
 * std::map with comparisons of their own; exceptions thrown DEPTH calls deep, past destructors that do work, so that samples lie in the
 * run-time's own unwinder.
 *
 * usage: unwind_cxx [SECONDS=1]
 */
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "workload.h"

#undef KEPT /* callers may be specialised here */
#define KEPT __attribute__((noinline, noclone))

namespace {

volatile uint64_t sink;

inline uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 27;
}

template <typename T> inline T mix_many(T x, int rounds)
{
	for (int i = 0; i < rounds; i++)
		x = static_cast<T>(mix(x + static_cast<T>(i)));
	return x;
}

template <typename T, int N> struct Tower {
	KEPT static T climb(T x)
	{
		return Tower<T, N - 1>::climb(mix_many(x, 10)) + N;
	}
};

template <typename T> struct Tower<T, 0> {
	KEPT static T climb(T x)
	{
		return mix_many(x, 3000);
	}
};

struct Shape {
	virtual ~Shape() = default;
	virtual uint64_t area(uint64_t x) const = 0;
};

template <int N> struct Polygon : Shape {
	KEPT uint64_t area(uint64_t x) const override
	{
		return mix_many(x, 300 * N) + Tower<uint64_t, N>::climb(x);
	}
};

struct Guard {
	uint64_t &x;

	KEPT ~Guard()
	{
		x = mix_many(x, 100);
	}
};

KEPT void fail_at(int depth, uint64_t &x)
{
	Guard g{ x };

	if (!depth)
		throw std::runtime_error("as planned");
	fail_at(depth - 1, x);
	x++;
}

KEPT uint64_t recover(uint64_t x)
{
	for (int i = 0; i < 60; i++) {
		try {
			fail_at(8, x);
		} catch (const std::exception &e) {
			x += static_cast<uint64_t>(e.what()[0]);
		}
	}
	return x;
}

KEPT uint64_t sorted(uint64_t x)
{
	std::vector<uint64_t> v(2000);

	for (auto &e : v)
		e = x = mix(x + 1);
	std::sort(v.begin(), v.end(), [](uint64_t a, uint64_t b) { return (a >> 7) < (b >> 7); });
	return v[x % v.size()];
}

KEPT uint64_t counted(uint64_t x)
{
	std::map<std::string, uint64_t, std::greater<>> names;

	for (int i = 0; i < 500; i++) {
		x = mix(x + 1);
		names[std::to_string(x % 300)] += x;
	}
	return names.begin()->second;
}

KEPT uint64_t called(const std::function<uint64_t(uint64_t)> &f, uint64_t x)
{
	return f(x) + 1;
}

KEPT uint64_t round(uint64_t x, const std::vector<std::unique_ptr<Shape>> &shapes)
{
	for (const auto &s : shapes)
		x += s->area(x);
	x += called([&](uint64_t y) { return sorted(y) + counted(y); }, x);
	return recover(x);
}

}

int main(int argc, char **argv)
{
	double end = cpu_time() + (argc > 1 ? atof(argv[1]) : 1.0);
	std::vector<std::unique_ptr<Shape>> shapes;

	shapes.push_back(std::make_unique<Polygon<3>>());
	shapes.push_back(std::make_unique<Polygon<4>>());
	shapes.push_back(std::make_unique<Polygon<12>>());
	do
		sink = sink + round(sink, shapes);
	while (cpu_time() < end);
	return 0;
}
