// SPDX-License-Identifier: GPL-2.0-or-later
//
// C++ threads that stand still at known places, for `stack`: behind virtual calls, templates, std::function, lambdas, and in the
// handler of an exception. Says "ready" when they do.
#include <atomic>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define KEEP asm volatile("" : : : "memory") // no tail calls

static std::atomic<int> nr_parked;

namespace park {

__attribute__((noinline)) void here()
{
	nr_parked++;
	for (;;)
		pause();
	KEEP;
}

template <class T> struct Box {
	T value;
	__attribute__((noinline)) void open(const std::function<void(T &)> &f)
	{
		f(value);
		KEEP;
	}
};

struct Base {
	virtual ~Base() = default;
	virtual void run(int n) = 0;
};

template <class T, int N> struct Derived : Base {
	Box<T> box;
	__attribute__((noinline)) void run(int n) override
	{
		box.open([n](T &) {
			if (n > N)
				throw std::runtime_error("more than N");
			here();
			KEEP;
		});
		KEEP;
	}
};

__attribute__((noinline)) void visit(Base &b, int n)
{
	try {
		b.run(n);
	} catch (const std::exception &) {
		here();
	}
	KEEP;
}

} // namespace park

int main()
{
	std::thread a([] {
		park::Derived<std::vector<int>, 3> d;
		park::visit(d, 1);
	});
	std::thread b([] {
		park::Derived<std::string, 3> d;
		park::visit(d, 9);
	});

	while (nr_parked < 2)
		usleep(1000);
	std::puts("ready");
	std::fflush(stdout);
	park::Derived<std::string, 2> d;
	park::visit(d, 0);
	a.join();
	b.join();
}
