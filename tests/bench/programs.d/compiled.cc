/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What clang and gcc compile while they are profiled: much of the C++ library, instantiated.
 */
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>

template <int N> struct Layer {
	static int count(const std::string &text, std::map<std::string, std::vector<int>> &found)
	{
		found[text + std::to_string(N)].push_back(N);
		return (int)std::count_if(text.begin(), text.end(), [](char c) { return c == 'a' + N % 26; }) + Layer<N - 1>::count(text, found);
	}
};

template <> struct Layer<0> {
	static int count(const std::string &, std::map<std::string, std::vector<int>> &)
	{
		return 0;
	}
};

int matches(const std::string &text)
{
	static const std::regex words("(\\w+) (\\d+)");
	std::unordered_map<std::string, std::function<int(int)>> calls;
	std::map<std::string, std::vector<int>> found;

	calls["twice"] = [](int x) { return 2 * x; };
	return (int)std::distance(std::sregex_iterator(text.begin(), text.end(), words), std::sregex_iterator()) +
	       calls["twice"](Layer<40>::count(text, found));
}
