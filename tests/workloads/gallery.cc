/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shop of the README's pictures (scripts/screenshots): a program of a dozen functions with names to read, which parses requests,
 * searches, ranks, renders pages and packs them. Its second release searches by an index instead of comparing all, and escapes text in a
 * wasteful way: what a differential flame graph shows in blue and red; the rest of the work is the same. As a storage it does not work
 * but wait: most reads are hits of a cache, some go to a disk that grows slower, and every two seconds all stand still.
 *
 * usage: gallery release1|release2 [REQUESTS]
 *        gallery storage [SECONDS]
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <time.h>
#include <unordered_map>
#include <vector>

#define KEPT __attribute__((noinline, noclone))

using Clock = std::chrono::steady_clock;

struct Product {
	std::string name, text;
	double price;
	int score;
};

struct Request {
	std::vector<std::string> words;
	unsigned page;
};

struct Shop {
	std::vector<Product> products;
	std::unordered_map<std::string, std::vector<unsigned>> index;
	bool second_release;
};

static volatile uint64_t sink; /* keeps results alive */

KEPT void read_string(std::string &s, const char *&p)
{
	for (p++; *p && *p != '"'; p++)
		s += *p == '\\' ? *++p : *p;
	p++;
}

KEPT void skip_blanks(const char *&p)
{
	while (*p && strchr(" \t\n,:[]{}", *p))
		p++;
}

KEPT Request parse_request(const std::string &json)
{
	Request r = {};
	const char *p = json.c_str();

	for (skip_blanks(p); *p; skip_blanks(p)) {
		if (*p == '"')
			read_string(r.words.emplace_back(), p);
		else
			r.page = (unsigned)strtoul(p, const_cast<char **>(&p), 10);
	}
	return r;
}

KEPT bool matches(const Product &p, const std::string &word)
{
	return p.name.find(word) != std::string::npos;
}

KEPT int score(const Product &p, const Request &r)
{
	double s = std::log(p.price) * 10;

	for (const auto &w : r.words)
		s += std::sqrt((double)p.text.find(w) + 2);
	return (int)s;
}

KEPT std::vector<Product> search(const Shop &shop, const Request &r)
{
	std::vector<Product> found;

	for (const auto &w : r.words) {
		if (shop.second_release) {
			auto it = shop.index.find(w);

			if (it != shop.index.end())
				for (unsigned i : it->second)
					found.push_back(shop.products[i]);
			continue;
		}
		for (const auto &p : shop.products)
			if (matches(p, w))
				found.push_back(p);
	}
	return found;
}

KEPT void rank(std::vector<Product> &found, const Request &r)
{
	for (auto &p : found)
		p.score = score(p, r);
	std::sort(found.begin(), found.end(), [](const Product &a, const Product &b) { return a.score < b.score; });
}

KEPT void escape(std::string &out, const std::string &text, bool wasteful)
{
	for (char c : text) {
		if (wasteful) /* a string for each letter: what the second release has to answer for */
			out.append(std::string(c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c)));
		else if (c == '<')
			out += "&lt;";
		else if (c == '&')
			out += "&amp;";
		else
			out += c;
	}
}

KEPT void format_price(std::string &out, double price)
{
	char buf[64];

	out.append(buf, (size_t)snprintf(buf, sizeof(buf), "<b>%.2f</b>", price));
}

KEPT void render_page(std::string &out, const std::vector<Product> &found, bool wasteful)
{
	out = "<ul>";
	for (const auto &p : found) {
		out += "<li>";
		escape(out, p.name, wasteful);
		escape(out, p.text, wasteful);
		format_price(out, p.price);
	}
}

KEPT unsigned longest_match(const std::string &s, size_t at, size_t before)
{
	unsigned n = 0;

	while (n < 64 && at + n < s.size() && s[at + n] == s[before + n])
		n++;
	return n;
}

KEPT uint32_t checksum(const std::string &s)
{
	uint32_t a = 1, b = 0;

	for (unsigned char c : s) {
		a = (a + c) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

KEPT void compress(std::string &out, const std::string &page)
{
	std::vector<uint32_t> last(4096);

	for (size_t i = 0; i + 4 < page.size();) {
		uint32_t word;
		unsigned n = 0;

		memcpy(&word, &page[i], 4);
		uint32_t &slot = last[word * 2654435761u >> 20];
		if (slot)
			n = longest_match(page, i, slot - 1);
		slot = (uint32_t)i + 1;
		if (n < 4) {
			out += page[i++];
			continue;
		}
		out += (char)n;
		i += n;
	}
	sink = sink + checksum(page);
}

KEPT void handle_request(const Shop &shop, const std::string &json)
{
	Request r = parse_request(json);
	std::vector<Product> found = search(shop, r);
	std::string page, packed;

	rank(found, r);
	render_page(page, found, shop.second_release);
	compress(packed, page);
	sink = sink + packed.size();
}

static Shop open_shop(bool second_release)
{
	static const char *const things[] = { "lamp", "chair", "teapot", "clock", "mirror", "basket", "candle", "ladder" };
	static const char *const kinds[] = { "small", "green", "oak", "round", "folding", "old" };
	std::mt19937 rng(7);
	Shop shop = {};

	shop.second_release = second_release;
	for (unsigned i = 0; i < 2000; i++) {
		Product p = {};
		const char *thing = things[rng() % 8], *kind = kinds[rng() % 6];

		p.name = std::string(kind) + " " + thing + " no. " + std::to_string(i);
		p.text = std::string("A ") + kind + " <i>" + thing + "</i> for house & garden, made by hand";
		p.price = 1 + rng() % 9000 / 100.0;
		if (rng() % 16 == 0)
			p.name += " sale";
		if (p.name.find("sale") != std::string::npos)
			shop.index["sale"].push_back(i);
		shop.products.push_back(p);
	}
	return shop;
}

KEPT void serve(const Shop &shop, int nr_requests)
{
	std::string json = "{ \"page\": 17, \"words\": [ \"sale\"";

	for (int i = 0; i < 3; i++)
		json += ", \"nothing that \\\"is\\\" sold here, " + std::to_string(i * i) + "\"";
	json += " ] }";
	while (nr_requests-- > 0)
		handle_request(shop, json);
}

namespace storage {

static void wait_us(double us)
{
	struct timespec t = { (time_t)(us / 1e6), (long)std::fmod(us * 1e3, 1e9) };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}

/* One of the readers. All stand still at the same moments: when the pause is over is what they wait for. */
static void reader(unsigned nr, Clock::time_point begin, double seconds)
{
	std::mt19937 rng(nr + 1);
	std::lognormal_distribution<> hit(std::log(1500), 0.22), disk(std::log(7000), 0.16);

	prctl(PR_SET_TIMERSLACK, 1000);
	for (;;) {
		double now = std::chrono::duration<double>(Clock::now() - begin).count();
		double in_turn = std::fmod(now, 2), slower = 1 + now / seconds;

		if (now >= seconds)
			return;
		if (now > 1 && in_turn < 0.03)
			wait_us((0.03 - in_turn) * 1e6 + rng() % 1500);
		else
			wait_us(rng() % 100 < 22 ? disk(rng) * slower : hit(rng));
	}
}

static void run(double seconds)
{
	std::vector<std::thread> readers;
	auto begin = Clock::now();

	for (unsigned i = 0; i < 16; i++)
		readers.emplace_back(reader, i, begin, seconds);
	for (auto &t : readers)
		t.join();
}

} // namespace storage

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "storage"))
		storage::run(argc > 2 ? atof(argv[2]) : 10);
	else if (!strcmp(what, "release1") || !strcmp(what, "release2"))
		serve(open_shop(what[7] == '2'), argc > 2 ? atoi(argv[2]) : 1000);
	else
		return fprintf(stderr, "usage: gallery release1|release2|storage [REQUESTS|SECONDS]\n"), 2;
	return 0;
}
