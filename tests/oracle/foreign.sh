# Recordings of other machines: nothing of this machine gives them names, and what is printed of them is what perf prints. They are made here,
# their headers changed (set_features.py), and made up (make_records.py modules).
. "$(dirname "$0")/../lib.sh"
need perf
need python3
need cc
export HOME=$TMPDIR/home # perf would keep copies of files, and look for them there
mkdir -p "$HOME"

change() { # OUT IN CHANGE…
	local out=$1 in=$2
	shift 2
	python3 "$TOOLS/set_features.py" "$in" "$out" "$@" || fail "set_features.py $*"
}
ours() { # FILE [OPTION…]: script's fields and what is said on stderr, in `out` and `err`
	local file=$1
	shift
	"$ASSAY" script -v -i "$file" -F comm,tid,time,ip,sym,symoff,dso "$@" >out 2>err || fail "script of $file: $(cat err)"
}
nr=0
same_as_perf() { # FILE
	"$PERF" script -i "$1" -F comm,tid,time,ip,sym,symoff,dso >perf.txt 2>/dev/null
	[ -s perf.txt ] || fail "perf script printed nothing of $1"
	expect_same_script perf.txt out "script of $1"
	"$PERF" report --stdio -i "$1" >perf.txt 2>/dev/null </dev/null
	"$ASSAY" report --stdio -i "$1" >report.txt 2>/dev/null
	python3 "$TOOLS/same_report.py" perf.txt report.txt || fail "report of $1 differs from perf's"
	nr=$((nr + 1))
}
has() { # PATTERN FILE WHAT
	grep -q -E -- "$1" "$2" || fail "$3: $(head -5 "$2")"
}
has_not() {
	! grep -E -- "$1" "$2" >found || fail "$3: $(head -5 found)"
}

# The kernel
"$ASSAY" record -q -F 5000 -e cpu-clock:k -o kernel.data -- dd if=/dev/zero of=/dev/null bs=64k count=30000 2>/dev/null || fail "record"
ours kernel.data
named='[0-9a-f]{8} [a-z_][a-z_0-9.]+\+0x[0-9a-f]+ \(\[kernel\.kallsyms\]\)'
has "$named" out "no kernel function has a name"
id=$("$PERF" buildid-list -i kernel.data | sed -n 's/ \[kernel.kallsyms\]$//p')
[ ${#id} -eq 40 ] || skip "this kernel has no build-id"
other=0123456789abcdef0123456789abcdef01234567

# By build-id: under whatever name it is listed
for path in /lib/modules/6.1.0-9-arm64/build/vmlinux /usr/lib/debug/boot/vmlinux-6.1.0-9-arm64 /proc/kcore; do
	change listed.data kernel.data -build-ids "build-id=$other,kernel,$path" arch=aarch64
	ours listed.data
	has_not "\+0x[0-9a-f]+ \($path" out "names of this kernel for one listed as $path"
	has "the running kernel is not the recorded one \(build-id $other, now $id\)" err "it is not said why"
	same_as_perf listed.data
done
change same.data kernel.data -build-ids "build-id=$id,kernel,/lib/modules/x/build/vmlinux" hostname=elsewhere
ours same.data
has '\+0x[0-9a-f]+ \(/lib/modules/x/build/vmlinux\)' out "no names though the build-id is that of this kernel"

# Without a build-id: by what else the header says
change unknown.data kernel.data -build-ids
ours unknown.data
has "$named" out "no names in a recording of this boot without build-ids"
for feature in arch=aarch64 hostname=elsewhere osrelease=5.4.0-other; do
	change unknown.data kernel.data -build-ids $feature
	ours unknown.data
	has_not "$named" out "$feature: names of this kernel"
	has "does not say which kernel it is of, and it was recorded (on|under) .*${feature#*=}" err "$feature: it is not said why"
	has 'Quality|quality.*100\.0% of samples unresolved|100% of samples are unresolved' err "$feature: counted as resolved"
done

# In a pipe, the header comes as records: the host before the samples, build-ids behind them.
"$ASSAY" record -q -F 5000 -e cpu-clock:k -o - -- dd if=/dev/zero of=/dev/null bs=64k count=10000 2>/dev/null >pipe.data
python3 - "$(uname -n)" $id $other <<'PY'
import sys
data, host, own, other = open("pipe.data", "rb").read(), sys.argv[1].encode(), bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
assert data.count(host + b"\0") and data.count(own), "the pipe says neither its host nor its kernel's build-id"
at = data.index(host + b"\0")
data = data[:at] + b"~" * len(host) + data[at + len(host):] # of the same length
open("pipe-host.data", "wb").write(data)
open("pipe-kernel.data", "wb").write(data.replace(own, other))
PY
"$ASSAY" report -v --stdio -i - -s sym <pipe-kernel.data >out 2>err || fail "report of a pipe: $(cat err)"
has_not '\[k\] [a-z_]' out "names of this kernel in a pipe of another one"
has "the running kernel is not the recorded one \(build-id $other" err "it is not said why"
"$ASSAY" report -v --stdio -i - -s sym <pipe-host.data >out 2>err || fail "report of a pipe: $(cat err)"
has '\[k\] [a-z_]' out "no names in a pipe of this kernel under another host name: $(cat err)"

# Files without a build-id, and maps of JITs
cat >work.c <<'C'
#include <stdlib.h>
static volatile unsigned long sum;
__attribute__((noinline)) void known_work(void)
{
	for (unsigned long i = 0; i < 100000000; i++)
		sum += i;
}
int main(void)
{
	known_work();
}
C
cc -O1 -g -Wl,--build-id=none -o work work.c || fail "cc"
perf_record -F 2000 -e cpu-clock:u -o work.data ./work
ours work.data
has 'known_work\+0x' out "no name in a file without build-id"
change far.data work.data hostname=elsewhere
ours far.data
has_not 'known_work' out "a name by a file of this machine"
has "/work of this machine is not used: .* host 'elsewhere', this is '$(uname -n)'; give its files with --symfs DIR" err "it is not said why"
ours far.data --symfs /
has 'known_work\+0x' out "no name by --symfs"

perf_record -F 2000 -e cpu-clock:u -o jit.data "$WORKLOADS/jit" 0.3
map=$("$PERF" script -i jit.data --show-mmap-events 2>/dev/null | sed -n 's/^ *jit *\([0-9]*\) .*/\/tmp\/perf-\1.map/p' | head -1)
[ -f "$map" ] || fail "jit left no map '$map'"
ours jit.data
has 'jit_[a-z]+\+0x|hot\+0x|\(/tmp/perf-[0-9]+\.map\)' out "no generated code"
names=$(grep -c -v -F '[unknown] (/tmp/perf' out || true)
change far.data jit.data hostname=elsewhere
ours far.data
has_not '\+0x[0-9a-f]+ \(/tmp/perf-[0-9]+\.map\)' out "names by a map of this machine"
has "perf-[0-9]+\.map of this machine is not used: it was recorded on host 'elsewhere'" err "it is not said why"
ours far.data --symfs /
has '\+0x[0-9a-f]+ \(//*tmp/perf-[0-9]+\.map\)' out "no names by --symfs"
[ "$(grep -c -v -F '[unknown] (/tmp/perf' out)" -eq "$names" ] || fail "other names by --symfs"
rm -f "$map"

# Modules, and branches of absent programs
for list in "" "[kernel.kallsyms]" "/lib/modules/9.9.9/kernel/drivers/far-away.ko.xz" "/srv/far-away.ko"; do
	python3 "$TOOLS/make_records.py" modules modules.data
	case $list in
	"") ;;
	\[kernel*) change modules.data modules.data hostname=elsewhere "build-id=$other,kernel,$list" ;;
	*) change modules.data modules.data hostname=elsewhere "build-id=$other,kernel,[kernel.kallsyms]" "build-id=$other,kernel,$list" ;;
	esac
	[ -n "$list" ] || change modules.data modules.data hostname=elsewhere "build-id=$other,kernel,/boot/vmlinux-9.9.9"
	ours modules.data
	same_as_perf modules.data
	case $list in
	/*) has "\[unknown\] \($list\)" out "the module has not the path of the header" ;;
	esac
	has '\[k\] 0x0000000000001234' report.txt "the address is not that in the module"
done
cp "$WORKLOADS/inlined" gone
python3 "$TOOLS/make_records.py" branches gone.data "$TMPDIR/gone"
rm gone
"$PERF" report --stdio -i gone.data >perf.txt 2>/dev/null </dev/null
"$ASSAY" report --stdio -i gone.data >report.txt 2>/dev/null
python3 "$TOOLS/same_report.py" perf.txt report.txt || fail "report of branches of an absent program differs from perf's"
echo "NOTE: $nr recordings as perf prints them"
