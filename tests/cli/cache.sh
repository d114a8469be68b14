# The symbol index: the second run reads from it and shows the same; it is listed, verified and cleared; damage, a switched-off or
# unwritable cache and a replaced file change nothing but the time; a file that is gone keeps its names.
. "$(dirname "$0")/../lib.sh"
need jq

export HOME=$TMPDIR/home
mkdir "$HOME"
cp "$WORKLOADS/seventy_thirty" prog
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
[ ${#id} -eq 40 ] || skip "the workloads have no build-id"
"$ASSAY" record -q -F 2000 -g -e cpu-clock:u -o p.data -- ./prog 0.3
dir=$XDG_CACHE_HOME/assay
[ "$("$ASSAY" cache dir)" = "$dir" ] || fail "cache dir: $("$ASSAY" cache dir)"
"$ASSAY" cache | grep -q "^0 files, 0 B of at most 1.0 GB in $dir" || fail "an empty cache: $("$ASSAY" cache)"

# run NAME [VARIABLE=VALUE…]: script and report into NAME.*, what they say into NAME.err
run() {
	local name=$1
	shift
	env "$@" "$ASSAY" script -v -i p.data >"$name.script" 2>"$name.err" || fail "$name: script failed: $(cat "$name.err")"
	env "$@" "$ASSAY" report -q --stdio -i p.data >"$name.report" 2>/dev/null || fail "$name: report failed"
}
same() {
	expect_same off.script "$1.script" "script, without the index and $1,"
	expect_same off.report "$1.report" "report, without the index and $1,"
}
from() { # NAME PATTERN
	grep -q -E "/prog: symbols from: $2" "$1.err" || fail "$1: not $2: $(cat "$1.err")"
}

run off ASSAY_CACHE=off
[ ! -e "$dir" ] || fail "ASSAY_CACHE=off made $dir"
from off "$TMPDIR/prog\$"
run first
from first "$TMPDIR/prog\$"
run second
from second "index, made of $TMPDIR/prog\$"
same first
same second
[ "$(stat -c %a "$dir")" = 700 ] || fail "$dir can be read by others"

# What is there
"$ASSAY" cache >list
grep -q -E "^$id +[0-9.]+ k?B +20[0-9-]+ [0-9:]+ +symbols.* $TMPDIR/prog\$" list || fail "the list: $(cat list)"
"$ASSAY" cache list "${id:0:8}" --json >json
jq -e --arg id "$id" --arg name "$TMPDIR/prog" '.entries | length == 1 and .[0].build_id == $id and .[0].name == $name and
	.[0].parts.symbols == 1 and .[0].damaged == false and .[0].size_bytes > 100' json >/dev/null || fail "json: $(cat json)"
"$ASSAY" cache verify >out || fail "verify: $(cat out)"
grep -q -E '^[1-9][0-9]* files? checked, 0 damaged$' out || fail "verify: $(cat out)"
expect_exit 1 "$ASSAY" cache list 00000000 2>err
expect_exit 2 "$ASSAY" cache list no-hex 2>err
expect_exit 2 "$ASSAY" cache clean 2>err
grep -q "did you mean 'clear'" err || fail "no suggestion: $(cat err)"
expect_exit 2 "$ASSAY" cache clear --older-than soon 2>err
expect_exit 2 "$ASSAY" cache verify --older-than 3d 2>err
expect_exit 2 "$ASSAY" cache dir here 2>err
grep -q "unexpected argument 'here'" err || fail "cache dir here: $(cat err)"
# two levels: options may precede the command, and help knows both
cmp <("$ASSAY" cache --json verify) <("$ASSAY" cache verify --json) || fail "an option before the command is something else"
"$ASSAY" cache --help | grep -q '^  verify ' || fail "cache --help does not list verify"
cmp <("$ASSAY" help cache clear) <("$ASSAY" cache clear --help) || fail "help of the second level is another"
"$ASSAY" help cache clear | grep -q -e --older-than || fail "help cache clear: $("$ASSAY" help cache clear)"
expect_exit 2 "$ASSAY" help record clear 2>err

# Damage of eight bytes, more than any padding: verify reports it, a run ignores the damaged part and rebuilds it.
index=$dir/$id.idx
cp "$index" whole
size=$(stat -c %s whole)
nr=0
for at in 3 20 60 130 $((size / 2)) $((size - 40)) cut empty; do
	cp whole "$index"
	case $at in
	cut) truncate -s $((size / 3)) "$index" ;;
	empty) : >"$index" ;;
	*) printf '\xa5%.0s' 1 2 3 4 5 6 7 8 | dd of="$index" bs=1 seek="$at" conv=notrunc status=none ;;
	esac
	expect_exit 1 "$ASSAY" cache verify >out 2>err
	grep -q -E "$id.idx: (damaged|written by another)" out || fail "damage at $at: $(cat out)"
	grep -q '1 of [0-9]* files of the symbol index are damaged' err || fail "damage at $at: $(cat err)"
	run damaged
	same damaged
	"$ASSAY" cache verify >out 2>err || fail "not rebuilt after damage at $at: $(cat out)"
	nr=$((nr + 1))
done

# Not ours alone: not believed.
chmod 666 "$index"
run shared
from shared "$TMPDIR/prog\$"
same shared
chmod 600 "$index"
# A read-only cache serves, and one that cannot be made is none.
: >"$TMPDIR/file"
run none XDG_CACHE_HOME="$TMPDIR/file"
from none "$TMPDIR/prog\$"
same none
run homeless -u XDG_CACHE_HOME -u HOME
same homeless
run mine -u XDG_CACHE_HOME
[ -s "$HOME/.cache/assay/$id.idx" ] || fail "there is no index in ~/.cache"
same mine
# In somebody else's home nothing is made.
if [ "$(id -u)" = 0 ]; then
	mkdir theirs
	chown 65534:65534 theirs
	run foreign -u XDG_CACHE_HOME HOME="$TMPDIR/theirs"
	same foreign
	run foreign XDG_CACHE_HOME="$TMPDIR/theirs/.cache"
	[ -z "$(ls -A theirs)" ] || fail "left in somebody else's home: $(ls -lA theirs)"
fi

# The file itself may go: the names stay.
mv prog prog.old
run gone
from gone 'index, the file itself is gone'
# Which functions were inlined, only the file's debugging information says.
same_but_inlined() {
	sed '/ (inlined)$/d' off.script >off.plain
	sed '/ (inlined)$/d' "$1.script" >"$1.plain"
	expect_same off.plain "$1.plain" "script, without the index and $1,"
}
same_but_inlined gone
# One with another build-id in its place is not mistaken for it,
cp "$WORKLOADS/recurse" prog
run replaced
from replaced 'index, the file was replaced since'
same_but_inlined replaced
# nor is the same build-id without its symbols.
strip -s -o prog prog.old
"$ASSAY" script -v -i p.data >stripped.script 2>stripped.err
! cmp -s stripped.script off.script || fail "a stripped file has the old one's symbols"
# Back under its name, the file has another ctime and the same contents; the same goes for a copy.
mv prog.old prog
sleep 0.1
run back
from back "index, made of $TMPDIR/prog\$"
same back
cp prog copy && mv copy prog
sleep 0.1
run copied
from copied "index, made of $TMPDIR/prog\$"
same copied

# A forged build-id: a file with prog's, but other functions, is profiled first. Neither is served with the other's names.
"$ASSAY" cache clear >/dev/null
objcopy --dump-section .note.gnu.build-id=id.note prog /dev/null
objcopy --update-section .note.gnu.build-id=id.note "$WORKLOADS/recurse" forged
[ "$(readelf -n forged | sed -n 's/.*Build ID: //p')" = "$id" ] || fail "the build-id could not be forged"
sleep 0.1
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o forged.data -- ./forged 0.2 >/dev/null 2>&1 || true
ASSAY_CACHE=off "$ASSAY" script -i forged.data >forged.off 2>/dev/null
"$ASSAY" script -i forged.data >forged.first 2>/dev/null
run after
from after "$TMPDIR/prog\$"
same after
run after
from after "index, made of $TMPDIR/prog\$"
same after
"$ASSAY" script -i forged.data >forged.second 2>/dev/null
expect_same forged.off forged.first "script of a file with another's build-id, first,"
expect_same forged.off forged.second "script of a file with another's build-id, then,"
[ -s forged.off ] || fail "the forged program has no samples"
[ "$("$ASSAY" cache list "$id" --json | jq '.entries[0].parts.origins')" -ge 2 ] || fail "json: $("$ASSAY" cache list --json)"

# Without a build-id a file is known by its inode and times.
objcopy --remove-section .note.gnu.build-id prog bare
sleep 0.1
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o bare.data -- ./bare 0.2 >/dev/null 2>&1
"$ASSAY" script -v -i bare.data >bare.first 2>bare.err
"$ASSAY" script -v -i bare.data >bare.second 2>bare.err
grep -q "/bare: symbols from: index, made of $TMPDIR/bare\$" bare.err || fail "no index without a build-id: $(cat bare.err)"
expect_same bare.first bare.second "script of a file without a build-id"
"$ASSAY" cache | grep -q -E "^file-[0-9a-f]{32} .* $TMPDIR/bare\$" || fail "the list: $("$ASSAY" cache)"
jq -e --arg name "$TMPDIR/bare" '.entries[] | select(.name == $name) | .build_id == null and (.id | startswith("file-"))' \
	<("$ASSAY" cache --json) >/dev/null || fail "json: $("$ASSAY" cache --json)"
# Written over, with its old size and mtime: what was made of it does not serve the new state. A recording that knows the state it had
# still finds its names, one that does not finds none of them.
cp -p bare bare.was
cat bare.was >bare && touch -r bare.was bare
sleep 0.1
"$ASSAY" script -v -i bare.data >bare.third 2>bare.err || true
! grep -q '/bare: symbols from: index, made of' bare.err || fail "an old state of a file serves: $(cat bare.err)"
! grep -q '/bare: symbols from: index, the file was replaced' bare.err || expect_same bare.first bare.third "script of a file that was replaced"

# Removing
"$ASSAY" cache clear --older-than 1h >out
[ "$(cat out)" = "0 files removed, 0 B" ] || fail "clear --older-than: $(cat out)"
touch -d '2 days ago' "$index"
"$ASSAY" cache clear --older-than 1d >out
grep -q '^1 file removed' out || fail "clear --older-than: $(cat out)"
[ ! -e "$index" ] || fail "it is still there"
run again
"$ASSAY" cache clear "$id" >out
grep -q '^1 file removed' out || fail "clear ID: $(cat out)"
run again
"$ASSAY" cache clear >out
[ "$("$ASSAY" cache --json | jq '.entries | length')" = 0 ] || fail "not cleared: $("$ASSAY" cache)"
! ls "$dir" | grep -v '^lock$' || fail "something is left"

echo "NOTE: $nr kinds of damage repaired"
