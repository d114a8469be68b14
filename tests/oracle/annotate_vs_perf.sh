# Percentages by address beside perf's, on the same recordings: C, C++ and libc, events alone and in a group, each kind of figure.
. "$(dirname "$0")/../lib.sh"
need perf
need objdump
need python3
need c++
here=$(dirname "$(realpath "$0")")
"$ASSAY" version --build-options | grep -q 'libcapstone.*\[ *on' || skip "this build has no capstone"

cat >work.c <<'C'
#include <string.h>
static char buf[1 << 16];
static inline unsigned mix(unsigned x) { return (x * 2654435761u) >> 3 ^ x; }
__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++) {
		s += mix(i) / 7;
		if (s & 64)
			s ^= mix(s);
	}
	return s;
}
int main(void)
{
	volatile unsigned sum = 0;

	for (int i = 0; i < 300; i++) {
		sum += hot(1000000 + i);
		for (int k = 0; k < 300; k++) {
			memset(buf, i, sizeof(buf));
			sum += strlen(buf + 1) + memchr(buf, 255, sizeof(buf)) != 0;
		}
	}
	return 0;
}
C
cat >work.cc <<'C'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main()
{
	std::map<std::string, int> words;
	std::vector<int> numbers(200000);
	unsigned x = 1;

	for (int round = 0; round < 12; round++) {
		for (auto &n : numbers)
			n = static_cast<int>(x = x * 1664525 + 1013904223);
		std::sort(numbers.begin(), numbers.end());
		for (int i = 0; i < 20000; i++)
			words[std::to_string(numbers[i] % 5000)]++;
	}
	return static_cast<int>(words.size() == 1);
}
C
cc -O2 -g -fno-plt -o work work.c
c++ -O2 -g -fno-plt -o work++ work.cc

# compare FILE LEAST OPTION…: functions that perf shows
compare() {
	local file=$1 least=$2
	shift 2
	"$PERF" annotate --stdio --no-source -i "$file" "$@" >theirs 2>err || fail "perf annotate $*: $(cat err)"
	"$ASSAY" annotate --stdio --no-source -i "$file" "$@" >ours 2>err || fail "annotate $*: $(cat err)"
	python3 "$here/annotate_compare.py" ours theirs "$least" >out || fail "$file $*: $(cat out)"
	echo "$file $*: $(cat out)"
}

perf_record -F 5000 -e cpu-clock:u -o c.data ./work
perf_record -F 5000 -e cpu-clock:u -o c++.data ./work++
perf_record -F 5000 -e '{cpu-clock:u,task-clock:u}' -o group.data ./work
compare c.data 3
compare c++.data 3
compare group.data 2
for options in "-n" "--show-total-period" "-M intel" "--percent-type local-hits"; do
	# shellcheck disable=SC2086
	compare c.data 1 $options -s hot
done
compare group.data 1 -s hot
# With -s perf counts the chosen functions alone.
compare c.data 1 --percent-type global-period

# Source lines and code are in perf's order; perf 6.1 counts line numbers wrong, and takes the blanks in front of lines away.
"$PERF" annotate --stdio -i c.data -s hot 2>err >theirs
"$ASSAY" annotate -q --stdio -i c.data -s hot >ours
for side in ours theirs; do
	sed 's/^\( *:\) [0-9]* *$/\1/; s/^\( *:\) *\([0-9]\{1,3\} \)\? */\1 /; s/ *$//' $side >$side.text
done
expect_same theirs.text ours.text "source and code of one function"
