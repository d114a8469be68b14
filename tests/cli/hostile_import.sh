# Profiles that are small to write and were endless to read: each is imported, or refused in one sentence, in 10 s and 512 MB.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)

mkdir hostile
python3 "$here/hostile_import.py" hostile >names
refused=0
for name in $(cat names); do
	status=$(python3 "$here/measure.py" 0 "$ASSAY" import -o imported.data "hostile/$name") || fail "import"
	size=$(stat -c %s imported.data 2>/dev/null || echo 0)
	[ "$size" -lt 300000000 ] || fail "$name becomes a recording of $size bytes"
	if [ "$status" -ne 0 ]; then
		refused=$((refused + 1))
		[ "$(wc -l <err.txt)" -eq 1 ] && grep -q -E 'which is the limit for a |at most 4096|has no samples' err.txt || fail "$name: $(cat err.txt)"
	fi
	case $name in
	*_fits) [ "$status" -eq 0 ] || fail "$name: $(cat err.txt)" ;;
	esac
	rm -f imported.data
done
[ "$refused" -ge 10 ] && [ "$refused" -le 25 ] || fail "$refused of $(wc -l <names) are refused"
grep -q 'gzip -dc .*packed_tiny_locations | assay import$' <("$ASSAY" import -o imported.data hostile/packed_tiny_locations 2>&1) ||
	fail "what is packed can come unpacked, and that is not said"

# A file that is a hole is not read.
truncate -s 1T hole
printf 'main;work 1\n' | dd of=hole conv=notrunc status=none
expect_exit 1 timeout 60 "$ASSAY" import -o imported.data hole 2>err.txt
grep -q 'hole is no profile: most of it are holes' err.txt || fail "$(cat err.txt)"
echo "NOTE: $(wc -l <names) profiles, $refused refused"
