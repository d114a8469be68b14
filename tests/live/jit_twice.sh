# Generated code in memory that is mapped twice, of a memfd: to be written at one place and run at the other. It has its names from the map file,
# which is kept with the recording, in a command and in a process that runs already.
. "$(dirname "$0")/../lib.sh"

# has_names RECORDING MAP
has_names() {
	rm -f "$2"
	"$ASSAY" report --json -i "$1" --no-children | python3 -c 'import json, sys
rows = json.load(sys.stdin)["events"][0]["entries"]
named = sum(r["self"]["percent"] for r in rows if "jitted_loop" in r["symbol"])
print(named)
assert named > 90, named' || fail "$1: code of the memfd has no name: $("$ASSAY" report --stdio -g none -i "$1" | grep %)"
}

"$ASSAY" record -q -F 1999 -e cpu-clock:u --call-graph dwarf -o command.data "$WORKLOADS/jit" 0.4 twice >map
has_names command.data "$(cat map)"

"$WORKLOADS/jit" 60 twice >map &
pid=$!
until [ -s map ]; do
	kill -0 "$pid" || fail "the program has ended"
	sleep 0.02
done
"$ASSAY" record -q -F 1999 -e cpu-clock:u -g -o running.data -p "$pid" sleep 0.4
kill "$pid"
has_names running.data "$(cat map)"
