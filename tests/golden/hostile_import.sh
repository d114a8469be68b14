# timeout: 300
# Profiles that are small to write and were endless to read: each is imported, or refused in one sentence, in 10 s and 512 MB.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)

mkdir hostile
python3 "$here/hostile_import.py" hostile >names
cat >measure.py <<'EOF'
# measure.py BYTES_OF_OUTPUT COMMAND…: fails where the command is killed by a signal, takes more than 10 s of CPU time or 512 MB, or prints more.
import os, resource, subprocess, sys
limit = int(sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=open("err.txt", "wb"),
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
printed = 0
while True:
    piece = os.read(child.stdout.fileno(), 1 << 20)
    printed += len(piece)
    if not piece or printed > limit:
        break
child.stdout.close()
_, status, used = os.wait4(child.pid, 0)
status = os.waitstatus_to_exitcode(status)
seconds, mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
print(status)
if status not in (0, 1) or seconds > 10 or mb > 512 or printed > limit:
    sys.exit(f"{' '.join(sys.argv[3:])}: exit status {status}, {seconds:.1f} s, {mb:.0f} MB, {printed} bytes printed; {open('err.txt').read()[-500:]}")
EOF

refused=0
for name in $(cat names); do
	status=$(python3 measure.py 0 "$ASSAY" import -o imported.data "hostile/$name") || fail "import"
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
expect_exit 1 timeout 10 "$ASSAY" import -o imported.data hole 2>err.txt
grep -q 'hole is no profile: most of it are holes' err.txt || fail "$(cat err.txt)"
echo "NOTE: $(wc -l <names) profiles, $refused refused"
