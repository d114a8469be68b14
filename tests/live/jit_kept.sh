# What programs write about their generated code is kept with the recording: map files of processes that are gone, and what a container has in
# its own /tmp under its own numbers.
. "$(dirname "$0")/../lib.sh"
need node
here=$(cd "$(dirname "$0")" && pwd)

# has_names RECORDING WHAT: the functions are there.
has_names() {
	"$ASSAY" report -i "$1" --no-children -g none >report.txt 2>report.err || fail "$2: $(cat report.err)"
	if ! grep -q workSeven report.txt || ! grep -q workThree report.txt; then
		fail "$2: no names of functions: $(grep -v '^#' report.txt | head -3)"
	fi
}

pid_of() {
	"$ASSAY" script -i "$1" -F pid -G | sed -n '1s/ *//gp'
}

split=(--max-inlined-bytecode-size=0 "$here/jit_split.js" 0.3)
"$ASSAY" record -q -F 1999 -g -o map.data node --perf-basic-prof "${split[@]}" >/dev/null
pid=$(pid_of map.data)
[ -f "/tmp/perf-$pid.map" ] || fail "node has written no map"
rm "/tmp/perf-$pid.map"
has_names map.data "a map that was deleted since"
# Whatever another process of that number leaves there later.
echo "0 7fffffffffff liar" >"/tmp/perf-$pid.map"
has_names map.data "a map of another process"
! grep -q liar report.txt || fail "the map of another process was used"
rm "/tmp/perf-$pid.map"

# A map that belongs to someone else is refused, and that is said.
if [ "$(id -u)" = 0 ]; then
	cat >foreign.sh <<'END'
touch "/tmp/perf-$$.map" && chown 12345 "/tmp/perf-$$.map"
exec "$@"
END
	"$ASSAY" record -F 1999 -g -o foreign.data bash foreign.sh node --perf-basic-prof "${split[@]}" >/dev/null 2>foreign.err || true
	rm -f "/tmp/perf-$(pid_of foreign.data).map"
	grep -q "belongs to user 12345" foreign.err || fail "a foreign map: $(cat foreign.err)"
	"$ASSAY" report -i foreign.data >report.txt 2>report.err
	! grep -q workSeven report.txt || fail "a foreign map was used"
fi

# A container: other numbers, another /tmp (which may hide the directory of these tests), both gone with it.
unshare --mount --pid --fork true 2>/dev/null || skip "namespaces are not allowed"
for how in --perf-basic-prof --perf-prof; do
	# shellcheck disable=SC2016
	"$ASSAY" record -q -F 1999 -g -o inside.data unshare --mount --pid --fork --mount-proc bash -c \
		'text=$(cat "$0") && mount -t tmpfs none /tmp && cd /tmp && echo "$text" >"${0##*/}" && "$@"; status=$?; ls /tmp >&2; exit $status' "$here/jit_split.js" node $how --max-inlined-bytecode-size=0 jit_split.js 0.3 >/dev/null 2>inside.err ||
		fail "$how in a container: $(cat inside.err)"
	grep -Eq 'perf-[0-9]{1,2}.map|jit-[0-9]{1,2}.dump' inside.err || fail "$how: no file in the container: $(cat inside.err)"
	has_names inside.data "$how in a container that is gone"
done
