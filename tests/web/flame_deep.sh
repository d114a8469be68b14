# Very deep stacks in a browser: only the rows near those in sight are in the document, and scrolling, search, keyboard, zoom and links reach
# the others. The picture that stands still has a bound, and the command names what draws less.
. "$(dirname "$0")/../lib.sh"
need python3
need_browser

# See flame_deep.mjs for the figures: 20 stacks of 7,000 frames, 210 samples; one frame, far out, has a name of its own.
deep() {
	python3 - "$1" <<-'EOF'
		import sys
		for i in range(int(sys.argv[1])):
		    names = [f"f{(i * 7 + j) % 997}" for j in range(7000)]
		    if i == 19:
		        names[5000] = "needle"
		    print(";".join(names), i + 1)
	EOF
}
deep 20 >deep20.folded
deep 40 >deep40.folded
"$ASSAY" flame -i deep20.folded -o deep20.svg 2>said.txt
grep -q 'wrote deep20.svg' said.txt || fail "$(cat said.txt)"
! grep -q 'draws less' said.txt || fail "140,000 frames are not too many: $(cat said.txt)"
"$ASSAY" flame -i deep40.folded -o deep40.svg 2>said.txt
grep -q 'the picture has 2[0-9]*,[0-9]* frames in 7,001 rows.*: --max-depth 200 draws less' said.txt || fail "$(cat said.txt)"
"$ASSAY" flame -i deep40.folded --max-depth 200 -o shallow.svg 2>said.txt
! grep -q 'draws less' said.txt || fail "with --max-depth 200: $(cat said.txt)"

# Nearly all of the file is data.
python3 - <<'EOF'
import re
text = open("deep20.svg").read()
still = text[text.index('class="still"'):text.index('application/json')]
boxes, labels, height = still.count("M"), still.count("<text "), int(re.search(r'<svg [^>]* height="(\d+)"', text)[1])
assert 390 * 20 <= boxes <= 400 * 20, boxes
assert labels <= 400 * 20 + 10, labels
assert height < 8000, height
assert "… 6,601 more rows" in still, still[-300:]
assert len(text) < 2500000, len(text)
EOF
echo '<img src="deep20.svg">' >image.html
node "$(dirname "$0")/flame_deep.mjs"
