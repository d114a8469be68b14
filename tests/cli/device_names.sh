# Names of files come from recordings and core files: a device or a pipe of that name is looked at, never opened. Opening a tape rewinds it, opening
# a watchdog arms it.
. "$(dirname "$0")/../lib.sh"
need strace
need python3
[ "$(uname -m)" = x86_64 ] || skip "the files have code for x86_64"
here=$(cd "$(dirname "$0")" && pwd)
export ASSAY_CACHE=off

mknod device c 1 5 2>/dev/null || mkfifo device
python3 - "$here" "$PWD" <<'EOF'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import hostile_core, hostile_elf
top = sys.argv[2]
# A core file whose program is the device; a library whose debug file it is.
maps = [(0x400000, 0x500000, top + "/device"), (0x600000, 0x602000, top + "/program")]
data = hostile_core.thread(1, pc=0x400100) + hostile_core.thread(2, pc=0x601004) + hostile_core.files(maps)
hostile_core.write("core", [hostile_core.segment(4, 1 << 20, len(data))], [(1 << 20, data)])
hostile_elf.link_to("device").write("program")
EOF

check() { # NAME COMMAND…
	local name=$1
	shift
	timeout 60 strace -f -o trace -e trace=open,openat,openat2 "$@" >out 2>err || true
	grep -q "/$name\"" trace || fail "nothing named $name was looked at: $(cat err)"
	if grep "/$name\"" trace | grep -v O_PATH; then
		fail "$name was opened: $*"
	fi
}
check device "$ASSAY" stack --core core
python3 "$here/hostile_run.py" program &
pid=$!
"$ASSAY" record -q -F 200 -o rec.data -p $pid -- sleep 0.3
kill $pid
check device "$ASSAY" report -i rec.data
check device "$ASSAY" script -i rec.data -F +srcline
# the same name, and now it is the device
rm program
ln device program
check program "$ASSAY" report -i rec.data
check program "$ASSAY" script -i rec.data -F +srcline
check program "$ASSAY" flame -i rec.data -o flame.svg
