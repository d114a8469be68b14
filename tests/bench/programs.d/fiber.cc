/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Eight fibers of Boost.Context that take turns.
 *
 * usage: fiber ROUNDS
 */
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace context = boost::context;

__attribute__((noinline)) static uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 3000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

__attribute__((noinline)) static uint64_t step(int depth)
{
	return (depth ? step(depth - 1) : burn(1)) + 1;
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 1000;
	volatile uint64_t sink = 0;
	std::vector<context::fiber> fibers;

	for (int who = 0; who < 8; who++)
		fibers.emplace_back([&, who](context::fiber &&caller) {
			for (long i = 0; i < rounds; i++) {
				sink = sink + step(who);
				caller = std::move(caller).resume();
			}
			return std::move(caller);
		});
	for (long i = 0; i <= rounds; i++)
		for (auto &fiber : fibers)
			fiber = std::move(fiber).resume();
	return 0;
}
