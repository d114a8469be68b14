/* What inlined_names.sh compiles: inlined functions that gcc gives no linkage name, because no other file can call them. */
#include <cstdio>
#include <cstdlib>

#define INLINE inline __attribute__((always_inline))

static volatile unsigned long sink;

namespace outer
{
template <typename T, typename F> struct holder {
	T value;
	INLINE void each(F f)
	{
		for (unsigned long i = 0; i < 30000000; i++)
			sink += f(value + i);
	}
};

template <typename F> INLINE void run(F f)
{
	holder<unsigned long, F> h{ 3 };
	h.each(f);
}

namespace
{
struct hidden {
	struct inner {
		INLINE void turn(unsigned long n) const;
	};
};

INLINE void hidden::inner::turn(unsigned long n) const
{
	for (unsigned long i = 0; i < n; i++)
		sink ^= i;
}
}

__attribute__((noinline)) void work()
{
	hidden::inner().turn(30000000);
	run([](unsigned long x) {
		sink ^= x;
		return x * 7;
	});
}
}

INLINE static void at_top(void)
{
	for (unsigned long i = 0; i < 30000000; i++)
		sink -= i;
}

int main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	outer::work();
	at_top();
	printf("%lu\n", sink);
}
