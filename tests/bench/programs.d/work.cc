/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fixed work for every way to build a C++ program: virtual calls, templates, lambdas, sorting, maps, strings, recursion.
 *
 * usage: work ROUNDS [throw|threads|unlink]: with exceptions; in four threads; after the program removed its own file
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <pthread.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

namespace shapes {

struct Shape {
	virtual ~Shape() = default;
	virtual uint64_t area(uint64_t scale) const = 0;
};

template <int Sides> struct Polygon : Shape {
	KEPT uint64_t area(uint64_t scale) const override
	{
		uint64_t sum = scale;

		for (int i = 0; i < Sides * 40; i++) {
			sum = sum * 6364136223846793005u + Sides;
			__asm__ volatile("" : "+r"(sum));
		}
		return sum;
	}
};

} // namespace shapes

template <typename Function> KEPT static uint64_t nested(int depth, Function &&call)
{
	return depth ? nested(depth - 1, call) + 1 : call();
}

KEPT static uint64_t sorted(uint64_t seed)
{
	std::vector<uint64_t> values(400);

	for (auto &v : values)
		v = seed = seed * 6364136223846793005u + 1442695040888963407u;
	std::sort(values.begin(), values.end(), [](uint64_t a, uint64_t b) { return a % 1009 < b % 1009; });
	return values[200];
}

KEPT static uint64_t mapped(uint64_t seed)
{
	std::map<std::string, uint64_t> words;

	for (int i = 0; i < 60; i++)
		words["word number " + std::to_string(seed % 97 + (uint64_t)i)] += seed;
	return words.size();
}

#if defined(__cpp_exceptions)
KEPT static uint64_t fail_at(int depth)
{
	if (!depth)
		throw std::string("the bottom of the recursion");
	return fail_at(depth - 1) + 1;
}

KEPT static uint64_t recovered(int depth)
{
	try {
		return fail_at(depth);
	} catch (const std::string &text) {
		return text.size();
	}
}
#else
KEPT static uint64_t recovered(int depth)
{
	return (uint64_t)depth;
}
#endif

KEPT static uint64_t one_round(uint64_t seed, bool throws)
{
	static const std::unique_ptr<shapes::Shape> all[] = { std::make_unique<shapes::Polygon<3>>(), std::make_unique<shapes::Polygon<4>>(),
							      std::make_unique<shapes::Polygon<6>>() };
	std::function<uint64_t(uint64_t)> areas = [](uint64_t scale) {
		uint64_t sum = 0;

		for (const auto &shape : all)
			sum += shape->area(scale);
		return sum;
	};

	if (throws)
		for (int depth = 2; depth < 12; depth++)
			seed += recovered(depth);
	return nested(12, [&] { return areas(seed) + sorted(seed); }) + mapped(seed);
}

struct Job {
	pthread_t thread;
	long rounds;
	bool throws;
	uint64_t result;
};

static void *do_job(void *arg)
{
	Job *job = static_cast<Job *>(arg);

	for (long i = 0; i < job->rounds; i++)
		job->result += one_round(job->result + (uint64_t)i, job->throws);
	return nullptr;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	int nr = strcmp(mode, "threads") ? 1 : 4;
	Job jobs[4] = {};

	if (!strcmp(mode, "unlink") && unlink(argv[0]))
		perror(argv[0]);
	for (Job &job : jobs) {
		job.rounds = (argc > 1 ? atol(argv[1]) : 1000) / nr;
		job.throws = !strcmp(mode, "throw");
	}
	for (int i = 1; i < nr; i++)
		pthread_create(&jobs[i].thread, nullptr, do_job, &jobs[i]);
	do_job(&jobs[0]);
	for (int i = 1; i < nr; i++)
		pthread_join(jobs[i].thread, nullptr);
	return jobs[0].result == 42;
}
