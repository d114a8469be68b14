# timeout: 1000
# The unit tests, in an arm64 guest: the arm64 build on a kernel and a CPU of its own.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
ARM64=${ARM64-$vm/../../build-arm64} # set, and empty, where it could not be built
[ -x "$ARM64/assay" ] || skip "there is no arm64 build"

# Left out: what takes long under emulation (the log has the seconds of the rest) and computes on bytes that look the same on every
# architecture: tens of thousands of damaged files, thousands of simulated recordings, packing and unpacking, importers, tables of strings,
# a disk that is full, narrow frames, sums that fade, tables of descriptors. And dwarf_unit: it looks into files of the build directory, whose path is in their debug
# information.
left_out=" live_profile open_files perfdata_damage diff_noise gzip debug_files import imported strtab writer_full flame_narrow dwarf_unit "
programs=()
for source in "$vm"/../unit/test_*.c; do
	name=$(basename "$source" .c)
	case $left_out in *" ${name#test_} "*) continue ;; esac
	[ -x "$ARM64/tests/unit/$name" ] || fail "$name was not built for arm64"
	programs+=("$ARM64/tests/unit/$name")
done

cat >script <<'END'
. /test/lib
cd /test
mkdir -p /var/tmp && mount -t tmpfs tmp /var/tmp
bad=0 nr=0
for t in test_*; do
	status=0
	read -r before _ </proc/uptime
	./$t >/tmp/out 2>&1 || status=$?
	read -r after _ </proc/uptime
	echo "$before $after $t" >>/tmp/times
	if [ $status -eq 0 ]; then
		nr=$((nr + 1))
	else
		bad=1
		echo "$t: status $status"
		cat /tmp/out
	fi
done
awk '$2 - $1 >= 1 { print $2 - $1, "s", $3 }' /tmp/times
[ $bad -eq 0 ] || fail "not all unit tests pass"
echo "NOTE: $nr unit tests"
END
corpus=tests/fuzz/corpus
GUEST_SECONDS=800 "$vm/run-guest" arm64 script "${programs[@]}" "$vm/../../$corpus/elf_symbols=/test/$corpus/elf_symbols" \
	"$vm/../../$corpus/cfi=/test/$corpus/cfi" "$vm/../unit/labels.tsv=/test/tests/unit/labels.tsv"
