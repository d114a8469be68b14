# A stage that cannot keep up, because its thread is stopped: stacks wait on disk and leave room for the output, give it back when the output
# needs it, and a second request to stop ends the waiting.
. "$(dirname "$0")/../lib.sh"
work=$WORKLOADS/unwind_wide # stacks that fill their dumps
disk=$PWD/disk
summary() { sed -n 's/.*(\([0-9]*\) samples.*/\1/p' "$1"; }
samples_in() { "$ASSAY" script --no-inline -i "$1" -F time,ip 2>/dev/null | grep -c ': *$' || true; }
# whole FILE: nothing is missing
whole() {
	grep -q 'dropped\|nothing fitted\|No space' err && fail "$1: $(cat err)"
	[ "$(samples_in "$1")" -eq "$(summary err)" ] || fail "$1 has $(samples_in "$1") samples: $(cat err)"
}
cat >slow.sh <<'EOF'
# slow OUTPUT SECONDS: records, with a stage that does nothing until fast()
slow() {
	"$ASSAY" record -v -F 1999 --call-graph dwarf,65528 -o "$1" "$work" "$2" 2>err &
	pid=$!
	until comm=$(grep -lx assay-unwind /proc/$pid/task/*/comm 2>/dev/null); do kill -0 $pid || exit 98; done
	tid=${comm%/comm}
	rm -f held
	"$WORKLOADS/hold_thread" "${tid##*/}" >held &
	hold=$!
	until [ -s held ]; do kill -0 $hold || exit 97; done
}
# after the workload
ended() { while [ -n "$(cat /proc/$pid/task/$pid/children)" ]; do sleep 0.05; done; }
fast() { kill $hold; }
EOF
. ./slow.sh

# stopped twice: what is unwound is in the file, the rest is counted
slow twice.data 1.5
ended
# shellcheck disable=SC2154 # slow() sets it
for i in 1 2; do kill -INT $pid; sleep 0.3; done
fast
before=$(date +%s%N)
status=0
wait $pid || status=$?
took=$((($(date +%s%N) - before) / 1000000))
[ $took -lt 10000 ] || fail "ended $took ms after the second signal"
grep -q 'samples were dropped: their stacks were not unwound' err || fail "not a word about what is missing: $(cat err)"
dropped=$(sed -n 's/.* \([0-9]*\) samples were dropped: their.*/\1/p' err)
kept=$(summary err)
[ "$(samples_in twice.data)" -eq "${kept:-0}" ] || fail "$(samples_in twice.data) samples in the file: $(cat err)"
[ $((${kept:-0} + dropped)) -gt 300 ] || fail "$kept samples and $dropped dropped are not all: $(cat err)"

[ "$(id -u)" -eq 0 ] && [ "$(df -Pk /var/tmp | awk 'NR == 2 { printf "%d", $4 - $2 / 10 }')" -gt 1000000 ] ||
	{ echo "NOTE: $dropped samples given up, $kept kept; no disks without root and room in /var/tmp"; exit 0; }
mkdir disk
unshare -m true 2>/dev/null || skip "no mounts here"
export ASSAY WORKLOADS disk work
# on a disk of SIZE: a recording beside which FILL fills it up
on_disk() { # SIZE FILL
	unshare -m sh -c '
		. ./slow.sh
		mount -t tmpfs -o size=$1 none "$disk" || exit 99
		slow "$disk/o.data" 2
		# once stacks are there
		until [ -z "$2" ] || [ "$(df -Pk "$disk" | awk "NR == 2 { print \$3 }")" -gt 20000 ] || ! kill -0 $pid; do sleep 0.1; done
		if [ -n "$2" ]; then cat /dev/zero >"$disk/fill" 2>/dev/null; fi
		ended; fast
		status=0; wait $pid || status=$?
		cp "$disk/o.data" . && exit $status' sh "$@"
}
status=0; on_disk 40m "" || status=$?
[ $status -ne 99 ] || skip "tmpfs cannot be mounted"
[ $status -eq 0 ] || fail "a small disk: status $status: $(cat err)"
whole o.data
grep -q 'spooled to /var/tmp' err || fail "not spooled elsewhere: $(cat err)"
small=$(summary err)

on_disk 200m fill || fail "a disk that filled up: $(cat err)"
whole o.data
grep -q 'spooled to .*disk' err || fail "not spooled beside the output: $(cat err)"
echo "NOTE: $dropped samples given up, $kept kept; $small on a disk of 40 MB, $(summary err) on one that filled up"
