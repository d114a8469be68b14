# alone: it compares shares of time
# Programs whose truth is known: the shares of 70/30, the depth of a recursion, samples and lost.
. "$(dirname "$0")/../lib.sh"
need python3

# 70/30: within four standard errors of a binomial share.
"$ASSAY" record -q -F 5000 -g -o split.data "$WORKLOADS/seventy_thirty" 3 >/dev/null 2>&1
"$ASSAY" report -i split.data --json --no-children >split.json
python3 - <<'END' || fail "the shares of 70/30 are wrong"
import json, math
event = json.load(open("split.json"))["events"][0]
nr = {}
for e in event["entries"]:
    nr[e.get("symbol")] = nr.get(e.get("symbol"), 0) + e["self"]["samples"]
seventy, thirty = nr["seventy"], nr["thirty"]
n = seventy + thirty
share, error = seventy / n, math.sqrt(0.7 * 0.3 / n)
print(f"{n} samples, share {share:.4f}, {(share - 0.7) / error:+.2f} standard errors")
assert n > 5000, n
assert n > 0.8 * event["samples"], "time went elsewhere"  # the rest: interrupts of a busy machine
assert abs(share - 0.7) < 4 * error
END

# 40-deep recursion: every sample taken in the hot leaf has all 40 frames, and main above them.
"$ASSAY" record -q -F 2000 -g -o deep.data "$WORKLOADS/recurse" 1 >/dev/null 2>&1
"$ASSAY" script -i deep.data -F ip,sym | awk '
	/^$/ { if (n) { if (leaf == "leaf") { total++; if (depth == 40 && main) full++; else print "depth " depth } }
		n = depth = main = 0; leaf = ""; next }
	{ if (!n++) leaf = $2; if ($2 == "recurse") depth++; if ($2 == "main") main = 1 }
	END { print total " samples in the leaf, " full " with all 40 levels"; exit !(total > 200 && full == total) }' ||
	fail "stacks of a 40-deep recursion are not complete"
