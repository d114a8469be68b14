# Debug information that is small to write and endless to read: each kind has to end in 2 s and 300 MB, whatever it says.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)
lookup=$WORKLOADS/../tools/lookup
[ -x "$lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
export ASSAY_CACHE=off

python3 "$here/hostile_dwarf.py" . >names
python3 -c '
for i in range(40000):
    print(hex(0x10000 + 16 * i + 4))' >addresses
for name in $(cat names); do
	for how in "" -n; do
		timeout 60 "$lookup" -t $how "$name" <addresses >out 2>err || fail "$name: exit status $?: $(cat err)"
		ms=$(sed -n 's/.* \([0-9]*\)\.[0-9] ms of CPU.*/\1/p' err) kb=$(sed -n 's/.*max \([0-9]*\) kB/\1/p' err)
		[ "$ms" -le 2000 ] && [ "$kb" -le 300000 ] || fail "$name $how: $(cat err)"
		[ "$(grep -c ^0x out)" -eq 40000 ] || fail "$name: not every address was answered"
	done
	worst="${worst-}$name ${ms} ms, "
done
echo "NOTE: ${worst%, }"
