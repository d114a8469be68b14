# Debug information that is small to write and endless to read: each kind has to end in 2 s and 300 MB, whatever it says; those that cost
# most, at 10 MB, in 10 s and 512 MB.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)
lookup=$WORKLOADS/../tools/lookup
[ -x "$lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
export ASSAY_CACHE=off

addresses() { # NR
	python3 -c "
for i in range($1):
    print(hex(0x10000 + 16 * i + 4))"
}
look_up() { # NAME HOW NR MAX-MS MAX-KB
	timeout 60 "$lookup" -t $2 "$1" <addresses >out 2>err || fail "$1: exit status $?: $(cat err)"
	ms=$(sed -n 's/.* \([0-9]*\)\.[0-9] ms of CPU.*/\1/p' err) kb=$(sed -n 's/.*max \([0-9]*\) kB/\1/p' err)
	[ "$ms" -le "$4" ] && [ "$kb" -le "$5" ] || fail "$1 $2: $(cat err)"
	[ "$(grep -c ^0x out)" -eq "$3" ] || fail "$1: not every address was answered"
	worst="${worst-}$1 ${ms} ms, "
}

python3 "$here/hostile_dwarf.py" . >names
addresses 40000 >addresses
for name in $(cat names); do
	look_up "$name" "" 40000 2000 300000
	look_up "$name" -n 40000 2000 300000
done
mkdir large
python3 "$here/hostile_dwarf.py" large 10 shared_abbrevs shared_lines >names
addresses 400000 >addresses
for name in $(cat names); do
	look_up "large/$name" "" 400000 10000 524288
done
echo "NOTE: ${worst%, }"
