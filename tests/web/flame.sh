# A flame graph in a browser: zoom, search, reset, flip, keyboard, touch; hostile names stay text; no error, no network.
. "$(dirname "$0")/../lib.sh"
need python3
need_browser

# The figures are known: see flame.mjs.
cat >stacks.folded <<'EOF'
app;main;parse;read_line 100
app;main;parse;read_line;memchr 50
app;main;parse 50
app;main;work;inner;leaf 500
app;main;work;inner 100
app;main;work;parse 100
app;main;</script><img src=x onerror=alert(1)> 60
app;main;]]><script>alert(2)</script> 20
app;main;"quoted" & 'single' <b>bold</b> 10
app;vfs_read_[k] 10
EOF
printf 'app;main;turn\xe2\x80\xaeed\x01\x1b[31m\xff\xc3\x28 5\napp;main;\xef\xbf\xbf 5\n' >>stacks.folded
"$ASSAY" flame --title '<script>alert(3)</script> & more' --subtitle ']]><b>' -i stacks.folded -o flame.svg
"$ASSAY" flame --inverted -i stacks.folded -o icicle.svg
"$ASSAY" flame --reverse -i stacks.folded -o reverse.svg
"$ASSAY" flame --width 900 -i stacks.folded -o fixed.svg
"$ASSAY" flame --factor 0.001 --countname ms -i stacks.folded -o scaled.svg
"$ASSAY" record -q -F 2000 -g -o perf.data "$WORKLOADS/mixed" 1 2>/dev/null
"$ASSAY" flame -q -i perf.data -o recorded.svg

# Some names, a good part of it deep: none may stop the page.
python3 - <<'EOF'
with open("deep.folded", "w") as f:
    for depth in range(1, 400):
        f.write(";".join(f"f{i}" for i in range(depth)) + " 3\n")
EOF
"$ASSAY" flame -i deep.folded -o deep.svg
node "$(dirname "$0")/flame.mjs"
