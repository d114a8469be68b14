# What belongs to the window stays in it: the tools with their reset button, and the title on a tall picture, however wide the picture is
# and wherever one has scrolled to.
. "$(dirname "$0")/../lib.sh"
need python3
need_browser

python3 - <<'EOF'
with open("deep.folded", "w") as f:
    for depth in range(1, 200):
        f.write("app;" + ";".join(f"acme::shop::Shelf<acme::Box<int>>::fill_{i}" for i in range(depth)) + " 3\n")
EOF
title='A title with <b>markup</b> & "quotes"'
"$ASSAY" flame -q -i deep.folded --title "$title" --subtitle 'of ]]> things' -o tall.svg
"$ASSAY" flame -q -i deep.folded --title "$title" --width 3000 -o wide.svg
"$ASSAY" flame -q -i deep.folded --title "$title" --width 3000 --icicle -o wide-icicle.svg
node "$(dirname "$0")/flame_window.mjs"
