# Texts as people have them: samples in any order, line breaks and marks of other systems, two counts a line, numbers of all kinds; what could be
# two things is guessed right; and through pipes both ways.
. "$(dirname "$0")/../lib.sh"
need python3

folded() { # FILE OPTIONS…
	local f=$1
	shift
	"$ASSAY" export -q --format folded -i "$f" "$@" 2>/dev/null
}

# The order of samples does not matter: tasks have the names that they had at the time, and all places theirs.
"$ASSAY" record -q -F 3000 -g -o shell.data -- sh -c 'ls -l /usr/bin >/dev/null; sort /etc/passwd | uniq -c >/dev/null; exec ls /' >/dev/null
"$ASSAY" script -q --no-inline -i shell.data >text.txt
"$ASSAY" script -q --no-inline -G -i shell.data >plain.txt
python3 - <<'EOP'
import random
random.seed(5)
samples = open("text.txt").read().strip("\n").split("\n\n")
half = len(samples) // 2
open("swapped.txt", "w").write("\n\n".join(samples[half:] + samples[:half]) + "\n\n")
random.shuffle(samples)
open("shuffled.txt", "w").write("\n\n".join(samples) + "\n\n")
lines = open("plain.txt").readlines()
random.shuffle(lines)
open("shuffled_plain.txt", "w").writelines(lines)
EOP
folded text.txt --with tid >want
[ "$(cut -d- -f1 want | sort -u | wc -l)" -gt 2 ] || fail "too few names to see anything"
for f in swapped shuffled; do
	folded $f.txt --with tid >got
	expect_same want got "a text whose samples are $f"
done
folded plain.txt --with tid >want
folded shuffled_plain.txt --with tid >got
expect_same want got "lines in any order"
"$ASSAY" import -q -o shuffled.data shuffled.txt
"$ASSAY" script -q --no-inline -i shuffled.data >again.txt
sort text.txt >want
sort again.txt >got
expect_same want got "script of a shuffled text"

# Line breaks and marks of other systems, blanks in front
printf 'main;a 1\nmain;b c 2\n' >unix.folded
printf 'main;a 1\r\nmain;b c 2\r\n' >crlf.folded
printf '\357\273\277main;a 1\nmain;b c 2\n' >mark.folded
printf '\357\273\277main;a 1\r\nmain;b c 2\r\n' >both.folded
printf '    main;a 1\n    main;b c 2\n' >indented.folded
printf '\n\n  main;a 1\n\n  main;b c 2' >blank.folded
for f in crlf mark both indented blank; do
	folded $f.folded >got
	expect_same unix.folded got "folded stacks, $f"
done
sed 's/$/\r/' text.txt >crlf.txt
folded text.txt >want
folded crlf.txt >got
expect_same want got "a text of perf script with other line breaks"

# Numbers of all kinds
printf 'a;b 1.5e+06\na;c +3\na;d 2.0\na;e 1e2\na;f 7e-1\n' >numbers.folded
"$ASSAY" import -o numbers.data numbers.folded 2>err.txt
grep -q 'numbers.folded: 1 counts are no whole numbers' err.txt || fail "$(cat err.txt)"
grep -q 'numbers.folded: 1500106 samples of folded' err.txt || fail "$(cat err.txt)"
printf 'a;b 1500000\na;c 3\na;d 2\na;e 100\na;f 1\n' >want
folded numbers.data >got
expect_same want got "numbers of all kinds"
printf 'a;b 300000000000000000\na;c 5\n' >large.folded
folded large.folded --weight period >got
expect_same large.folded got "large numbers"
printf 'a;b 9000000000000000000\na;c 900000000000000000\na;d 7\n' >larger.folded
"$ASSAY" import -o larger.data larger.folded 2>err.txt
grep -q '1 of 3 lines .* the first is line 2' err.txt || fail "a sum beyond all numbers: $(cat err.txt)"

# Two counts a line: before and after. Stacks that one side has not are kept.
printf 'main;a 10 12\nmain;b 5 0\nmain;c 0 3\nmain;d 0 0\n' >pair.folded
"$ASSAY" import -o pair.data pair.folded 2>err.txt
grep -q "two counts a line, imported into pair.data as the events 'before' and 'after'" err.txt || fail "$(cat err.txt)"
[ "$("$ASSAY" evlist -i pair.data | tr '\n' ' ')" = "before after " ] || fail "events of pairs: $("$ASSAY" evlist -i pair.data)"
# Whatever stands in front of the stack, the event does first.
folded pair.data | sed -E 's/^([a-z]+);+main/\1 main/' | sort >got
printf 'after main;a 12\nafter main;c 3\nbefore main;a 10\nbefore main;b 5\n' >want
expect_same want got "two counts a line"
# One line that has one count only: then the others end in names like "b 10".
printf 'main;a 10 12\nmain;b 5\n' >single.folded
folded single.folded >got
expect_same single.folded got "names that end in numbers"

# That line may come late, and through a pipe; other commands than import say what they make of pairs.
{ seq 70000 | sed 's/.*/main;worker & 5/'; echo 'main;idle 7'; } >late.folded
cat late.folded | "$ASSAY" export --format folded -i - 2>err.txt | sort >got
sort late.folded >want
expect_same want got "names that end in numbers, and a late line that proves it"
! grep -q 'two counts\|left out' err.txt || fail "$(cat err.txt)"
"$ASSAY" report -i pair.folded >/dev/null 2>err.txt
[ "$(grep -c "two counts a stack, read as the events 'before' and 'after'" err.txt)" = 1 ] || fail "report of pairs: $(cat err.txt)"
"$ASSAY" flame -o pair.svg pair.folded 2>err.txt
[ "$(grep -c 'two counts' err.txt)" = 1 ] || fail "flame of pairs: $(cat err.txt)"

# --comm is for folded stacks alone.
"$ASSAY" import --comm -o comm.data text.txt 2>err.txt
grep -q -- '--comm is for folded stacks only' err.txt || fail "--comm of a text of perf script: $(cat err.txt)"
"$ASSAY" import --comm -o comm.data unix.folded 2>err.txt
! grep -q -- '--comm' err.txt || fail "--comm of folded stacks: $(cat err.txt)"

# What could be two things
printf 'swapper;cpu_idle [000] 3.2: x 5\n' >idle.folded
folded idle.folded >got
expect_same idle.folded got "a stack that looks like a line of perf script"
printf 'app  1234 [000]     3.200000:          1 sched:sched_wakeup: comm=a;b pid 5\n' >trace.txt
"$ASSAY" import -o trace.data trace.txt 2>err.txt
grep -q '1 samples of perf-script' err.txt || fail "a tracepoint that looks like a folded stack: $(cat err.txt)"
echo '{"a": 1}' >x.json
expect_exit 1 "$ASSAY" import -o x.data x.json 2>err.txt
grep -q 'but JSON' err.txt || fail "$(cat err.txt)"
expect_exit 2 "$ASSAY" import --format collapsed unix.folded 2>err.txt
grep -q 'collapsed stacks are --format=folded' err.txt || fail "$(cat err.txt)"

# Tasks in front of stacks, as export --with tid writes them
folded shell.data --with tid >tasks.folded
"$ASSAY" import -q --comm -o tasks.data tasks.folded
folded tasks.data --with tid >got
expect_same tasks.folded got "folded stacks with process and thread ids"
printf 'worker-1;main 2\nworker-2;main 3\n' >workers.folded
"$ASSAY" import -q --comm -o workers.data workers.folded
folded workers.data >got
expect_same workers.folded got "names that end in numbers"

# Through pipes, and what is a recording already
folded unix.folded >want
"$ASSAY" import -q -o - unix.folded | "$ASSAY" export -q --format folded -i - >got
expect_same want got "import through a pipe"
"$ASSAY" import -q -o - unix.folded >redirected.data
folded redirected.data >got
expect_same want got "import into standard output"
mkfifo fifo
cat fifo >from_fifo.data &
"$ASSAY" import -q -o fifo unix.folded
wait $!
cmp -s redirected.data from_fifo.data || fail "import into a FIFO"
folded shell.data >want
cat shell.data | "$ASSAY" export -q --format folded -i - >got
expect_same want got "a recording of a file through a pipe"
"$ASSAY" import -o copy.data shell.data 2>err.txt
grep -q 'shell.data is a perf.data already: copied to copy.data' err.txt || fail "$(cat err.txt)"
cmp -s shell.data copy.data || fail "a copy that is none"
gzip <shell.data >shell.gz
"$ASSAY" import -o copy.data shell.gz 2>err.txt
grep -q 'shell.gz was a packed recording: unpacked to copy.data' err.txt || fail "$(cat err.txt)"

# Fields behind the module are left out, and said.
cat >branches.txt <<'EOT'
prog  1234 [001]  100.000001:     100003 cycles:u:            401136 main+0x6 (/bin/prog)  0x401140/0x401136/P/-/-/3  0x401150/0x401138/M/-/-/0 
prog  1234 [001]  100.000002:     100003 cycles:u:            401137 main+0x7 (/bin/prog) ABI:2    AX:0x1    BX:0x2 
prog  1234 [001] 2026-11-15 09:49:40.180361  100.000003:     100003 cycles:u:            401138 main+0x8 (/bin/prog)
EOT
"$ASSAY" import -o branches.data branches.txt 2>err.txt
grep -q 'branches.txt: 3 lines have fields that are not imported' err.txt || fail "$(cat err.txt)"
echo 'prog;main 3' >want
folded branches.data >got
expect_same want got "lines with further fields"
# Text that is mostly something else is no profile, unless somebody says so.
{ for i in $(seq 20); do echo "-rw-r--r-- 1 root root 4096 Nov $i 10:00 file$i"; done; echo "total 4096"; } >listing.txt
expect_exit 1 "$ASSAY" import -o listing.data listing.txt 2>err
grep -q "listing.txt is no profile: 20 of its 21 lines" err || fail "a listing of files: $(cat err)"
[ ! -e listing.data ] || fail "a listing of files was imported"
"$ASSAY" import -q --format folded -o listing.data listing.txt || fail "--format folded does not take what fits"
expect_exit 1 "$ASSAY" import --format pprof -o listing.data listing.txt 2>err
grep -q "listing.txt: it is no pprof profile" err || fail "which file is no pprof profile: $(cat err)"

# A socket cannot be read like a FIFO.
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
expect_exit 1 timeout 60 "$ASSAY" import -o sock listing.txt --format folded 2>err

echo "NOTE: $(wc -l <text.txt) lines shuffled, $(wc -l <tasks.folded) stacks with tasks"

# Events of different lengths are aligned, and a place without a symbol ends in a bracket, as places of source lines may.
printf 'page-faults:      55bf3b59227c touch_pages\n  cpu-clock:  ffffffffc002669d [unknown]\n' >aligned.txt
"$ASSAY" import -q -o aligned.data aligned.txt 2>err.txt || fail "aligned events: $(cat err.txt)"
"$ASSAY" script -F event,ip,sym -i aligned.data 2>/dev/null | sed 's/^ *//' >got
sed 's/^ *//' aligned.txt >want
expect_same want got "events of different lengths without symbols"
