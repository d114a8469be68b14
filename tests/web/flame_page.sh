# The page of a flame graph: windows of any width, phones, tips, the search with what is too narrow to be drawn, Back, Tab and other keys.
. "$(dirname "$0")/../lib.sh"
need python3
need_browser

cat >stacks.folded <<'EOF'
app;main;parse;read_line 210
app;main;work;inner;leaf 500
app;main;work;inner 100
app;main;work;parse 200
EOF
"$ASSAY" flame -q -i stacks.folded -o flame.svg
"$ASSAY" record -q -F 2000 -g -o perf.data "$WORKLOADS/mixed" 0.5 2>/dev/null
"$ASSAY" flame -q -i perf.data -o recorded.svg
python3 - <<'EOF'
with open("deep.folded", "w") as f:
    for depth in range(1, 200):
        f.write(";".join(f"f{i}" for i in range(depth)) + " 3\n")
EOF
"$ASSAY" flame -q -i deep.folded -o deep.svg

# Names of C++ that no tip of one line holds, and a subtitle and a foot that no phone does.
cat >long.folded <<'EOF'
app;main;work;std::_Rb_tree<std::__cxx11::basic_string<char>, std::pair<std::__cxx11::basic_string<char> const, std::vector<std::shared_ptr<acme::Shelf> > >, std::less<std::__cxx11::basic_string<char> > >::_M_insert_unique<std::pair<std::__cxx11::basic_string<char> const, std::vector<std::shared_ptr<acme::Shelf> > > > 300
app;main;[unknown];leaf_[i] 400
app;main;vfs_read_[k] 200
app;main;MIXER 50
app;main;mixer 49
app;main;tiny 1
EOF
"$ASSAY" flame -q --min-width 2 --subtitle "1,000 samples of cycles · ./app --with a command line that goes on and on until no phone can show it" -i long.folded -o long.svg

# What is too narrow to be drawn matters to a search: `lookup` is on 4,000 of 16,000 and is drawn once.
python3 - <<'EOF'
with open("many.folded", "w") as f:
    f.write("app;main;busy 12000\napp;main;lookup;wide 1000\n")
    for i in range(1500):
        f.write(f"app;main;part_{i};lookup;lookup 1\napp;main;part_{i};rest;lookup;end_{i} 1\n")
EOF
"$ASSAY" flame -q -i many.folded --min-width 1 -o narrow.svg
"$ASSAY" flame -q -i many.folded --min-width 0 -o all.svg
seq 1 60000 | sed 's/.*/app;main;f& 1/' | cat - many.folded >huge.folded
"$ASSAY" flame -q -i huge.folded -o huge.svg
node "$(dirname "$0")/flame_page.mjs"
