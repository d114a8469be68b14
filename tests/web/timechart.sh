# A time chart in a browser: states and CPU rows are where the data says, zoom by pointer and keys, tips, search, both modes of light; hostile names stay
# text; a minute of 50 tasks opens at once; no error, no network.
. "$(dirname "$0")/../lib.sh"
need_browser

for kind in states power io names lost; do
	if [ $kind = lost ]; then
		python3 "$TOOLS/make_sched.py" $kind $kind.data
	else
		python3 "$TOOLS/make_timechart.py" $kind $kind.data
	fi
	"$ASSAY" timechart -q -i $kind.data -o $kind.svg --highlight two --title "<b onclick=alert(4)> $kind" || fail "$kind"
done
python3 "$TOOLS/make_timechart.py" busy busy.data 60
"$ASSAY" timechart -q -i busy.data -o busy.svg
echo "NOTE: a minute of 50 tasks: $(stat -c %s busy.data) bytes recorded, $(stat -c %s busy.svg) bytes of picture"
node "$(dirname "$0")/timechart.mjs"
