// SPDX-License-Identifier: GPL-2.0-or-later
//
// C++ for probe_vs_perf.sh; see probe_work.c.
#include <cstdint>
#include <cstdio>
#include <string>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noipa))
#endif

static volatile int sink;

namespace shop
{
int gvar = 1234;

struct base {
	int base_x = 11;
	virtual ~base() {}
};

class counter : public base
{
    public:
	int m_total;
	int16_t m_s16;
	unsigned m_bits : 5;
	const char *m_label;
	static int s_count;

	explicit counter(int total) : m_total(total), m_s16((int16_t)-total), m_bits(9), m_label("label") {}
	NOINLINE int add(int v)
	{
		m_total += v;
		s_count++;
		return m_total;
	}
	NOINLINE int add(const char *s)
	{
		m_total += s[0];
		return m_total;
	}
	NOINLINE counter &operator+=(int v);
	NOINLINE bool operator<(const counter &o) const
	{
		__asm__ volatile("");
		return m_total < o.m_total;
	}
	NOINLINE int operator()(int x) const
	{
		__asm__ volatile("");
		return x * m_total;
	}
	NOINLINE int operator[](int i) const
	{
		__asm__ volatile("");
		return m_total + i;
	}
};

int counter::s_count = 3;

counter &counter::operator+=(int v)
{
	m_total += v * 2;
	return *this;
}

template <typename T> NOINLINE T twice(T v)
{
	__asm__ volatile("");
	return v + v;
}

inline namespace v1
{
NOINLINE int versioned(int q)
{
	__asm__ volatile("");
	return q + 1;
}
}

namespace
{
NOINLINE int hidden(int h)
{
	__asm__ volatile("");
	return h - 1;
}
}
}

NOINLINE int by_ref(int &r, const shop::counter &c, long &&rr)
{
	__asm__ volatile("");
	return r + c.m_total + (int)rr;
}

enum class mode : short { OFF = -2, ON = 7 };

NOINLINE int with_enum(mode m, unsigned short u)
{
	__asm__ volatile("");
	return (int)m + u;
}

int main(int argc, char **)
{
	for (int i = 0; i < 3; i++) {
		shop::counter c(argc + i * 10), d(argc + 100 + i);
		int x = 42 + i;

		printf("T add_int v=%d total=%d s16=%d bits=9 label=label count=%d gvar=%d base=11\n", i + 5, c.m_total, c.m_s16,
		       shop::counter::s_count, shop::gvar);
		printf("T add_any ret=%d\n", c.m_total + i + 5);
		sink = sink + c.add(i + 5);
		printf("T add_str s=word\nT add_any ret=%d\n", c.m_total + 'w');
		sink = sink + c.add("word");
		printf("T plus v=%d total=%d\n", i + 4, c.m_total);
		c += i + 4;
		printf("T less mine=%d theirs=%d\n", c.m_total, d.m_total);
		sink = sink + (c < d);
		printf("T call x=%d\n", i + 3);
		sink = sink + c(i + 3);
		printf("T index i=%d\n", i + 2);
		sink = sink + c[i + 2];
		printf("T twice_int v=%d\nT twice_long v=%ld\nT twice_any\nT twice_any\n", i - 50, 70000000000L + i);
		sink = sink + shop::twice(i - 50) + (int)shop::twice(70000000000L + i);
		printf("T versioned q=%d\nT hidden h=%d\n", i + 60, i + 61);
		sink = sink + shop::versioned(i + 60) + shop::hidden(i + 61);
		printf("T by_ref r=%d total=%d rr=%d\n", x, c.m_total, 77 + i);
		sink = sink + by_ref(x, c, 77L + i);
		printf("T with_enum m=%d u=%d\n", i & 1 ? 7 : -2, 65530 + i);
		sink = sink + with_enum(i & 1 ? mode::ON : mode::OFF, (unsigned short)(65530 + i));
		auto lambda = [x](int z) __attribute__((noinline)) {
			__asm__ volatile("");
			return z + x;
		};
		printf("T lambda z=%d\n", i + 6);
		sink = sink + lambda(i + 6);
		shop::gvar += 3;
	}
	return 0;
}
