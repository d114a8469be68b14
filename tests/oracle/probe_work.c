/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program whose functions are probed by probe_vs_perf.sh. It prints the truth: "T STREAM name=value…" for each pass of a place, in the order of
 * the passes. Lines to be probed have a mark that patterns find (MARK_A and so on).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noipa))
#endif

enum colour { RED = 1, GREEN = 2, BLUE = -3 };

struct inner {
	int a;
	short neg;
	unsigned flag : 3;
	int signed_bits : 5;
	unsigned long long wide : 40;
	char name[16];
};

struct node {
	struct inner in;
	struct node *next;
	int arr[10];
	short mat[2][3];
	long l;
	union {
		unsigned ua;
		unsigned char ub;
	};
	struct inner other;
	struct {
		int anon_a;
	};
	struct inner list[2];
	int *pointers[2];
};

struct pair {
	int first, second;
};

struct triple {
	long a, b, c;
};

typedef struct node node_t;

static long counter = 42;
int glob = -7;
static unsigned short small_glob = 65000;
const char *title = "the_title";
char text[12] = "global_text";
__thread int tls_var = 3;
struct node gnode;
static int table[4] = { 10, 20, 30, 40 };
volatile int sink;

NOINLINE void use(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

NOINLINE int work(node_t *s, int n, const char *str, int **pp, short h, unsigned char uc, bool flag, enum colour c)
{
	int local = n * 2;

	use(&local); /* MARK_WORK */
	s->l += local;
	return local + h + uc + flag + (int)c + **pp + str[0];
}

NOINLINE int shadow(int x)
{
	int v = x + 1;

	use(&v);
	for (int i = 0; i < 2; i++) {
		int v = x * 10 + i;

		use(&v); /* MARK_SHADOW */
		sink += v;
	}
	sink += v; /* MARK_OUTER */
	return v;
}

NOINLINE int vla(int n)
{
	int a[n], total = 0;

	for (int i = 0; i < n; i++)
		a[i] = i * 100 + n;
	use(a); /* MARK_VLA */
	for (int i = 0; i < n; i++)
		total += a[i];
	return total;
}

NOINLINE int by_value(struct pair p, struct triple t)
{
	use(&t); /* MARK_VALUE */
	return p.first + p.second + (int)t.b;
}

NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, int h)
{
	use(NULL); /* MARK_MANY */
	return a + b + c + d + e + f + g + h;
}

NOINLINE int addressed(int n, long m)
{
	use(&n);
	use(&m);
	return n + (int)m;
}

static inline __attribute__((always_inline)) int inlined(int x, int y)
{
	int z = x * y;

	use(&table[1]);
	return z + glob;
}

NOINLINE int call_inlined(int n)
{
	return inlined(n, 5) + inlined(n + 1, 6);
}

NOINLINE int negative(int n)
{
	return -n - 1;
}

NOINLINE char ret_char(int n)
{
	return (char)('a' + n);
}

NOINLINE struct node *ret_node(int n)
{
	gnode.in.a = n * 3;
	gnode.in.neg = (short)-n;
	return &gnode;
}

NOINLINE double floating(double d, float f, int after)
{
	use(&after);
	return d + f + after;
}

NOINLINE int recurse(int depth)
{
	int here = depth * 7;

	use(&here);
	return depth ? recurse(depth - 1) + here : here; /* MARK_RECURSE */
}

NOINLINE int threaded(int n)
{
	tls_var = n;
	return tls_var + 1;
}

int same_name(int n);

static NOINLINE int twin(int n)
{
	return n + 1000;
}

static void fill(struct node *s, struct node *next, int i)
{
	memset(s, 0, sizeof(*s));
	s->in = (struct inner){ .a = i * 11, .neg = (short)(-3 - i), .flag = 5, .signed_bits = -2, .wide = 0x1234567890 + i };
	snprintf(s->in.name, sizeof(s->in.name), "node%d", i);
	s->other.a = 500 + i;
	s->anon_a = -600 - i;
	s->ua = 0x01020380u + (unsigned)i;
	s->l = 1000L * i - 1;
	s->next = next;
	s->list[1].a = 700 + i;
	for (int k = 0; k < 10; k++)
		s->arr[k] = -k * 5 - i;
	s->mat[1][2] = (short)(-99 - i);
	s->mat[0][1] = 12;
}

int main(int argc, char **argv)
{
	struct node a, b;
	int value = 77, *p = &value;

	(void)argv;
	for (int i = 0; i < 3; i++) {
		char str[16];
		int n = i + argc;

		fill(&b, NULL, i + 50);
		fill(&a, &b, i);
		a.pointers[1] = &a.arr[3];
		value = 77 + i;
		snprintf(str, sizeof(str), "arg_%d", i);
		printf("T work n=%d s=%p str=%s h=%d uc=%d flag=%d c=%d pp=%d\n", n, (void *)&a, str, -300 - i, 200 + i, i & 1, BLUE, value);
		printf("T work_members a=%d neg=%d wide=%llu name=%s l=%ld arr3=%d mat12=%d other=%d anon=%d ua=%u ub=%u\n", a.in.a, a.in.neg,
		       (unsigned long long)a.in.wide, a.in.name, a.l, a.arr[3], a.mat[1][2], a.other.a, a.anon_a, a.ua, a.ub);
		printf("T work_more next_a=%d next_name=%s list1=%d ptr1=%d flag3=%u bits5=%d arr={%d,%d,%d,%d,%d,%d,%d,%d,%d,%d}\n", b.in.a,
		       b.in.name, a.list[1].a, a.arr[3], a.in.flag, a.in.signed_bits & 31, a.arr[0], a.arr[1], a.arr[2], a.arr[3], a.arr[4],
		       a.arr[5], a.arr[6], a.arr[7], a.arr[8], a.arr[9]);
		printf("T globals counter=%ld glob=%d small=%u title=%s text=%s table2=%d\n", counter, glob, small_glob, title, text, table[2]);
		printf("T work_local n=%d local=%d\n", n, n * 2);
		sink += work(&a, n, str, &p, (short)(-300 - i), (unsigned char)(200 + i), i & 1, BLUE);
		counter += 5;
		glob -= 2;
		printf("T shadow x=%d\nT shadow_outer v=%d\n", n, n + 1);
		for (int k = 0; k < 2; k++)
			printf("T shadow_inner v=%d i=%d\n", n * 10 + k, k);
		sink += shadow(n);
		printf("T vla n=%d a0=%d a2=%d\n", n + 3, n + 3, 200 + n + 3);
		sink += vla(n + 3);
		printf("T by_value first=%d second=%d b=%ld\n", i - 9, 40 - i, -50000000000L - i);
		sink += by_value((struct pair){ i - 9, 40 - i }, (struct triple){ 1, -50000000000L - i, 3 });
		printf("T many a=1 f=%d g=%d h=%d\n", 6 + i, 7 + i, -8 - i);
		sink += (int)many(1, 2, 3, 4, 5, 6 + i, 7 + i, -8 - i);
		printf("T addressed n=%d m=%ld\n", -n, 123456789012L + i);
		sink += addressed(-n, 123456789012L + i);
		printf("T inlined x=%d y=5\nT inlined x=%d y=6\nT call_inlined n=%d\n", n, n + 1, n);
		sink += call_inlined(n);
		printf("T negative ret=%d\n", -n - 1);
		sink += negative(n);
		printf("T ret_char ret=%d\n", 'a' + n);
		sink += ret_char(n);
		printf("T ret_node a=%d neg=%d\n", n * 3, -n);
		sink += ret_node(n)->in.a;
		printf("T floating after=%d d=0x3ff8000000000000\n", i + 9);
		sink += (int)floating(1.5, 2.5f, i + 9);
		for (int k = 2; k >= 0; k--)
			printf("T recurse depth=%d here=%d\n", k, k * 7);
		sink += recurse(2);
		printf("T threaded n=%d\n", n);
		sink += threaded(n);
		printf("T twin n=%d\nT twin_here n=%d\n", n, n);
		sink += twin(n);
		printf("T twin n=%d\nT twin_there n=%d\n", n + 70, n + 70);
		sink += same_name(n + 70);
	}
	return 0;
}
