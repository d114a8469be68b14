#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lines and variables of a program with 100 MB of debug information take a fifth of perf's CPU time at most. CPU time, because others run beside.
. "$(dirname "$0")/../lib.sh"
need perf
need gcc
. "$TOOLS/many_units.bash"
big=$WORKLOADS/many_units
make_many_units "$big"

# cost COMMAND…: its CPU time in milliseconds, the least of three runs
cost() {
	python3 - "$@" <<'END'
import os, resource, subprocess, sys
best = None
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(sys.argv[1:], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"{sys.argv[1:]}: exit status {run.returncode}: {run.stderr.decode()[:300]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    best = spent if best is None else min(best, spent)
print(round(best * 1000) or 1)
END
}

# In the last unit: perf stops at the first that has the function.
function=main
for option in -L -V; do
	ours=$(cost "$ASSAY" probe -x "$big" $option "$function")
	theirs=$(cost "$PERF" probe -q -x "$big" $option "$function")
	echo "NOTE: probe $option: $ours ms of CPU, perf $theirs ms"
	[ $((ours * 5)) -le "$theirs" ] || fail "probe $option takes $ours ms of CPU, perf $theirs ms"
done
