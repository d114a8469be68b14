/* What inlines_vs_addr2line.sh compiles in several ways: templates, lambdas, local classes, exceptions, cold parts, plain C names. */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes
{
template <typename T, int N> struct vec {
	T v[N];
	T dot(const vec &o) const
	{
		T s = 0;
		for (int i = 0; i < N; i++)
			s += v[i] * o.v[i];
		return s;
	}
};

struct base {
	virtual ~base() = default;
	virtual double area() const = 0;
};

template <int N> struct poly : base {
	double r;
	explicit poly(double x) : r(x)
	{
	}
	double area() const override
	{
		return N * r * r / 2;
	}
};

namespace
{
struct hidden {
	int x;
	int twice() const
	{
		return x * 2;
	}
};
}

static inline int twice_of(int x)
{
	hidden h{ x };
	return h.twice();
}
}

template <typename F> auto apply(F f, int n)
{
	long sum = 0;
	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

extern "C" int plain_c(int x)
{
	struct local {
		int y;
		int next() const
		{
			return y + 1;
		}
	} l{ shapes::twice_of(x) };
	return l.next();
}

static void fill(std::map<std::string, std::vector<int>> &m, std::vector<std::shared_ptr<shapes::base>> &u, int nr)
{
	for (int i = 0; i < nr; i++) {
		m[std::to_string(i % 37)].push_back(i);
		if (i % 2)
			u.push_back(std::shared_ptr<shapes::base>(new shapes::poly<5>(i)));
		else
			u.push_back(std::make_shared<shapes::poly<7>>(i));
	}
}

int main(int argc, char **)
{
	std::map<std::string, std::vector<int>> m;
	std::vector<std::shared_ptr<shapes::base>> u;
	shapes::vec<float, 16> a{}, b{};
	double total = 0;

	fill(m, u, 1000 * argc);
	for (auto &p : u)
		total += p->area();
	for (auto &p : m) {
		std::sort(p.second.begin(), p.second.end(), [](int x, int y) { return (x ^ 5) < (y ^ 5); });
		total += std::accumulate(p.second.begin(), p.second.end(), 0L);
	}
	std::iota(a.v, a.v + 16, 1.f);
	std::iota(b.v, b.v + 16, 2.f);
	total += a.dot(b);
	std::function<long(int)> f = [&](int x) { return static_cast<long>(x * argc + plain_c(x)); };
	total += apply(f, 100) + apply([](int x) { return x * x; }, 100);
	try {
		if (total > 0)
			throw std::runtime_error("x" + std::to_string(total));
	} catch (const std::exception &e) {
		total += std::string(e.what()).size();
	}
	std::printf("%f\n", total);
}
