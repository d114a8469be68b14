# Names with metacharacters, a program of 10,000 functions, stripped, of another architecture, with garbage for debug information, damaged SDT
# notes: clear errors, in time, and nothing left in uprobe_events.
. "$(dirname "$0")/../lib.sh"
need gcc
need objcopy
need python3
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -w $tracing/uprobe_events ] || skip "this user may not define probes, or the kernel has none"
mine() { grep "$PWD/" $tracing/uprobe_events || true; }
# shellcheck disable=SC2064
trap "'$ASSAY' probe -q -d 'probe_many$$:*,probe_h$$*:*' 2>/dev/null || true" EXIT
# probe OPTIONS…: fails with a sentence, in time, and leaves nothing
refused() {
	local status=0
	timeout 60 "$ASSAY" probe "$@" >out 2>err || status=$?
	[ $status -eq 1 ] || [ $status -eq 2 ] || fail "status $status: probe $*: $(cat out err)"
	[ "$(wc -l <err)" -ge 1 ] && ! grep -q 'Added' out || fail "probe $*: $(cat out err)"
	[ -z "$(mine)" ] || fail "probe $* left $(mine)"
}

cp "$WORKLOADS/probe_calls" h$$
echo "== definitions"
for bad in '' ' ' '=' 'a=' '=take' 'a;b=take' 'a b=take' 'a/b=take' '../x=take' 'x:y:z=take' '$(id)=take' 'a`id`=take' "a
p:evil/x /bin/true:0x10
=take" 'take a=%di;id' 'take %' 'take $' 'take +8(' 'take a=b=c' 'take @' 'take+' 'take+0x' 'take%' 'take%returns' 'take:' 'take;' 'take@' '%' '%:' '%a:' 'sdt_' \
	"$(printf 'x%.0s' $(seq 100))=take" "$(printf '1a=take')" "$(printf 'take \033[31m')"; do
	refused -x ./h$$ "$bad"
	! grep -q "$(printf '\033')" err || fail "an escape reaches the terminal"
done
long=$(printf 'a%d=%%di ' $(seq 200))
refused -x ./h$$ "take $long"
refused -x ./h$$ 'x=take' 'x=take'
for pattern in '' '*:*:*' '[' 'nothing_*' "probe_h$$"; do refused -d "$pattern"; done

echo "== names of files"
for name in 'a b' 'a	b' 'a#b' $'a\nb' 'a;b' '$(id)' 'a:0x10' 'a(0x1)' '-x' 'ä'; do
	mkdir -p "d/$name"
	cp h$$ "d/$name/h$$"
	status=0
	"$ASSAY" probe -q -x "./d/$name/h$$" take 2>err || status=$?
	case $name in
	*[[:space:]\#]*)
		[ $status -eq 1 ] && grep -q 'ln -s' err || fail "'$name': $(cat err)" ;;
	*)
		[ $status -eq 0 ] || fail "'$name': $(cat err)"
		n=$("$ASSAY" stat -x, -e "probe_h$$:take" "./d/$name/h$$" 2 2>&1 >/dev/null | sed 's/,.*//')
		[ "$n" = 8 ] || fail "'$name': counted $n"
		"$ASSAY" probe -l "probe_h$$:take" | grep -qF "in $PWD/d/$name/h$$)" || [ "$name" = 'ä' ] || fail "'$name': $("$ASSAY" probe -l)"
		until "$ASSAY" probe -q -d "probe_h$$:take" 2>err; do grep -q 'in use' err || fail "$(cat err)"; done ;;
	esac
	[ -z "$(mine)" ] || fail "'$name' left $(mine)"
done

echo "== 10,000 functions"
python3 - >many.c <<'END'
for i in range(10000):
    print(f"__attribute__((noinline)) int f{i}(int a) {{ return a + {i}; }}")
print("int main(void) { return f0(1) + f9999(2) == 10002 ? 0 : 1; }")
END
gcc -g -O1 -o many$$ many.c
timeout 20 "$ASSAY" probe -q -x ./many$$ 'f9999 a' 'f0%return $retval' || fail "two of 10,000"
[ "$(mine | wc -l)" -eq 2 ] || fail "$(mine)"
"$ASSAY" stat -x, -o count -e "probe_many$$:*" ./many$$
[ "$(grep -c '^1,' count)" -eq 2 ] || fail "$(cat count)"
until "$ASSAY" probe -q -d "probe_many$$:*" 2>err; do grep -q 'in use\|no probe matches' err || fail "$(cat err)"; [ -n "$(mine)" ] || break; done
[ -z "$(mine)" ] || fail "left $(mine)"
mapfile -t args < <(seq -f 'f%.0f a' 0 1999)
start=$(date +%s)
timeout 60 "$ASSAY" probe -q -x ./many$$ "${args[@]}" || fail "2,000 probes"
# What is read for one of them does not count for the others.
[ "$(mine | grep -c ' a=')" -eq 2000 ] || fail "$(mine | wc -l) of 2,000"
timeout 60 "$ASSAY" probe -l "probe_many$$:f1" | grep -q 'on f1@' || fail "-l of one in 2,000"
timeout 60 "$ASSAY" probe -q -d "probe_many$$:*" || fail "delete 2,000"
[ -z "$(mine)" ] || fail "left"
echo "NOTE: 2,000 probes defined and deleted in $(($(date +%s) - start)) s"
refused -x ./many$$ --max-probes 1 'many.c:1' 'many.c;*return*'

echo "== stripped, cut, garbage"
strip -o h$$stripped many$$
refused -x ./h$$stripped f1
python3 - h$$ <<'END'
import re, subprocess, sys, random
data = bytearray(open(sys.argv[1], "rb").read())
sections = subprocess.run(["readelf", "-SW", sys.argv[1]], capture_output=True, text=True).stdout
random.seed(1)
for kind in ("info", "abbrev", "line", "str"):
    m = re.search(rf"\.debug_{kind} +PROGBITS +\S+ (\S+) (\S+)", sections)
    off, size = int(m[1], 16), int(m[2], 16)
    for how in ("random", "ones", "zero"):
        bad = bytearray(data)
        bad[off:off + size] = bytes(random.randrange(256) for _ in range(size)) if how == "random" else bytes([255 if how == "ones" else 0]) * size
        open(f"{sys.argv[1]}bad_{kind}_{how}", "wb").write(bad)
END
chmod +x h$$bad_*
for file in h$$bad_*; do
	for definition in 'take r->number' 'take:1 number' 'probe_calls.c:30'; do
		status=0
		timeout 60 "$ASSAY" probe -n -x "./$file" "$definition" >out 2>err || status=$?
		[ $status -le 1 ] || fail "$file: status $status of '$definition': $(cat err)"
		[ $status -eq 0 ] || [ -s err ] || fail "$file: nothing is said of '$definition'"
	done
	[ -z "$(mine)" ] || fail "$file left $(mine)"
done
cp "$WORKLOADS/sdt_probes" h$$sdt
python3 - h$$sdt <<'END'
import random, re, subprocess, sys
data = bytearray(open(sys.argv[1], "rb").read())
m = re.search(r"\.note\.stapsdt +NOTE +\S+ (\S+) (\S+)", subprocess.run(["readelf", "-SW", sys.argv[1]], capture_output=True, text=True).stdout)
off, size = int(m[1], 16), int(m[2], 16)
random.seed(2)
for i in range(40):
    bad = bytearray(data)
    for _ in range(1 + i % 8):
        bad[off + random.randrange(size)] = random.choice((0, 1, 0x7f, 0xff, random.randrange(256)))
    open(f"{sys.argv[1]}bad{i}", "wb").write(bad)
END
for file in h$$sdtbad*; do
	status=0
	timeout 20 "$ASSAY" list sdt "./$file" >out 2>err || status=$?
	[ $status -le 1 ] || fail "list sdt $file: status $status: $(cat err)"
	! grep -q "$(printf '[\001-\010\033]')" out || fail "control characters of a note reach the terminal"
	status=0
	timeout 20 "$ASSAY" probe -n -x "./$file" 'sdt_*:*' >out 2>err || status=$?
	[ $status -le 1 ] || fail "probe $file: status $status: $(cat err)"
done

echo "== of another architecture"
if command -v aarch64-linux-gnu-gcc >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	echo 'int main(void) { return 0; }' >other.c
	aarch64-linux-gnu-gcc -o h$$arm64 other.c
	refused -x ./h$$arm64 main
	grep -q 'another architecture' err || fail "$(cat err)"
fi
