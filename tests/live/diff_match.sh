# Builds of one program whose files have different names are compared function by function: diff, flame --diff, and what --match chooses.
. "$(dirname "$0")/../lib.sh"
need gcc
need python3

sources=$(cd "$(dirname "$0")/../workloads" && pwd)
flame_read=$TOOLS/flame_read.py

build() { # FILE OPTIONS…
	local file=$1
	shift
	mkdir -p "$(dirname "$file")"
	gcc -O1 -g -w -fno-omit-frame-pointer "$@" -o "$file" "$sources/diff_work.c"
}

record() { # FILE COMMAND…
	local file=$1
	shift
	"$ASSAY" record -q -e cpu-clock:u -F 2000 -g -o "$file" -- "$@" 2>/dev/null
}

# rows FILE: the rows that both sides have in the compared program, as "FILE FUNCTION"
rows() {
	awk '/^#/ || !/%.*%/ { next } { print $3, $5 }' "$1"
}

build app-old
build app-new -DSLOWER=15
build one/app
build two/app -DSLOWER=15
record a.data ./app-old 60
record b.data ./app-new 60
record shell.data sh -c './app-new 60; true'
record env.data env LANG=C ./app-new 60
record one.data one/app 60
record two.data two/app 60

for new in b shell env; do
	"$ASSAY" diff a.data $new.data >diff.txt 2>diff.err
	grep -q '^# Programs compared as one: app-old with app-new (' diff.txt || fail "diff does not say what it paired in $new.data: $(head -5 diff.txt)"
	[ "$(grep -c 'compared as one' diff.txt)" -eq 1 ] || fail "diff says it more than once"
	for name in parse hash sort lookup; do
		rows diff.txt | grep -qx "app-old $name" || fail "$name is not compared with $new.data: $(cat diff.txt)"
	done
	! grep -q 'app-new .*\] parse' diff.txt || fail "parse has a row of its own for app-new"
done
"$ASSAY" diff -q -s comm a.data b.data >comm.txt 2>/dev/null
[ "$(wc -l <comm.txt)" -eq 1 ] || fail "tasks of the paired programs are two rows: $(cat comm.txt)"
"$ASSAY" diff -q a.data,a.data2 b.data >/dev/null 2>&1 && fail "a missing recording is no error"
cp a.data a2.data
cp b.data b2.data
"$ASSAY" diff a.data,a2.data b.data,b2.data >several.txt 2>/dev/null
grep -q '^# Programs compared as one: app-old with app-new (' several.txt || fail "several recordings a side are not paired"

# the same in JSON
"$ASSAY" diff --json a.data b.data >diff.json 2>/dev/null
python3 - <<'END' || fail "the JSON does not say what was paired"
import json
d = json.load(open("diff.json"))
assert d["match"] == "program" and d["paired"] == [{"base": "app-old", "new": "app-new"}], d
both = {r["symbol"] for r in d["events"][0]["rows"] if r.get("dso") == "app-old" and all(s["period"] for s in r["sides"])}
assert {"parse", "hash", "sort"} <= both, both
END

# what --match chooses
"$ASSAY" diff --match file a.data b.data >file.txt 2>/dev/null
rows file.txt | grep -q parse && fail "--match file compares files of different names"
! grep -q 'compared as one' file.txt || fail "--match file says that it paired"
"$ASSAY" diff --match name a.data b.data >name.txt 2>/dev/null
rows name.txt | grep -qx "app-old parse" || fail "--match name does not match functions by name"
"$ASSAY" diff one.data two.data >default.txt 2>/dev/null
rows default.txt | grep -qx "app parse" || fail "files of one name are not compared"
! grep -q 'compared as one' default.txt || fail "files of one name are no guess"
for how in path build; do
	"$ASSAY" diff --match $how one.data two.data >$how.txt 2>/dev/null
	rows $how.txt | grep -q parse && fail "--match $how compares two files"
done
grep -q "$PWD/two/app" path.txt || fail "--match path does not show paths: $(cat path.txt)"
grep -q 'app \[[0-9a-f]\{8\}\]' build.txt || fail "--match build does not show build-ids: $(cat build.txt)"
expect_exit 2 "$ASSAY" diff --match nothing a.data b.data 2>bad.err
grep -q "unknown value 'nothing' (program|file|path|name|build)" bad.err || fail "--match nothing: $(cat bad.err)"

# the picture: one tree of both sides
grown() { # OPTIONS…
	"$ASSAY" flame --min-width 0 --diff "$@" a.data b.data -o diff.svg 2>flame.err
	python3 "$flame_read" names diff.svg >names.txt
}
grown
grep -q 'Programs compared as one: app-old with app-new' flame.err || fail "flame --diff does not say what it paired: $(cat flame.err)"
grep -q 'Programs compared as one: app-old with app-new' diff.svg || fail "the picture does not say what was paired"
[ "$(grep -cx main names.txt)" -eq 1 ] || fail "main is not one frame of both sides: $(cat names.txt)"
[ "$(grep -cx 'app-new' names.txt)" -eq 0 ] || fail "the task of the new side is a tree of its own"
grown --match file
[ "$(grep -cx main names.txt)" -eq 2 ] || fail "--match file merges frames of two files"
grown --match name --by none
[ "$(grep -cx main names.txt)" -eq 1 ] || fail "--match name does not merge functions of one name"
expect_exit 2 "$ASSAY" flame --match name a.data -o x.svg 2>bad.err
grep -q -e '--match is for comparisons' bad.err || fail "flame --match without --diff: $(cat bad.err)"
