# The viewer in a browser: filters give the counts of `assay report`, and every view follows them; hostile names stay text; keys are enough; narrow and
# wide windows; no error, no network.
. "$(dirname "$0")/../lib.sh"
need_browser

python3 "$TOOLS/make_parallel.py" mixed mixed.data
python3 "$TOOLS/make_parallel.py" events events.data
python3 "$TOOLS/make_parallel.py" lost lost.data
files=$(dirname "$0")/../golden/files

# counts OPTIONS…: samples that a report has with these filters.
counts() {
	"$ASSAY" report -q -i mixed.data --symfs "$files" -n --no-children -g none --stdio "$@" | awk '/%/ { sum += $3 } END { print sum + 0 }'
}

for kind in mixed events lost; do
	"$ASSAY" view -q -i $kind.data --symfs "$files" -o $kind.html || fail "$kind"
done
cp mixed.data "x; touch owned ' \$(touch owned).data"
"$ASSAY" view -q -i "x; touch owned ' \$(touch owned).data" --symfs "$files" -o quoted.html || fail "a name to quote"
"$ASSAY" view -q -i mixed.data --symfs "$files" --pid 300 --symbols 'render,recurse' -o part.html || fail "a page of a part"
printf '%s\n' 'main;</script><img src=x onerror=alert(1)>;"onmouseover=alert(2) 5' "main;<b>bold</b>;javascript:alert(3) 3" \
	"main;$(printf 'e\033[31mscape');a\`\${alert(4)} 2" >hostile.folded
"$ASSAY" view -q -o hostile.html --title '</title><script>alert(5)</script>' hostile.folded || fail "hostile names"
printf '%s\n' 'alone 5' 'main;work 3' >alone.folded
"$ASSAY" view -q -o alone.html alone.folded || fail "a stack of one function"
for _ in 1 2 3 4 5 6 7 8 9 10; do printf 'main;work'; seq -s';' 400 | tr -d '\n'; echo ' 3'; done >deep.folded
"$ASSAY" view -q -o deep.html deep.folded || fail "deep stacks"

"$ASSAY" record -q -e cpu-clock -c 1000000000000 -o none.data -- true || fail "recording nothing"
"$ASSAY" view -q -i none.data -o none.html || fail "no samples"

# Where there is a compiler: source beside instructions.
if command -v cc >/dev/null; then
	printf '%s\n' '__attribute__((noinline)) long crunch(long n)' '{' '	long s = 0;' '	for (long i = 0; i < n; i++)' '		s += i ^ (s << 1);' '	return s;' '}' \
		'int main(void) { volatile long s = 0; for (int i = 0; i < 400; i++) s = s + crunch(1000000 + i % 7); return 0; }' >crunch.c
	cc -O1 -g -o crunch crunch.c
	"$ASSAY" record -q -e cpu-clock -F 500 -o crunch.data -- ./crunch || fail "recording a program with source"
	"$ASSAY" view -q --source -i crunch.data -o source.html || fail "source"
fi

tids=$("$ASSAY" report -q -i mixed.data --symfs "$files" --no-children -g none --sort tid --stdio | awk '/%/ { print $NF }' | head -3 | tr '\n' ' ')
{
	echo "{ \"all\": $(counts),"
	for tid in $tids; do
		echo "\"tid $tid\": $(counts --tid "$tid"),"
	done
	echo "\"pid 300\": $(counts --pid 300) }"
} >counts.json
export REPORT="$ASSAY report -q -i mixed.data --symfs $files -n --no-children -g none --stdio"
node "$(dirname "$0")/view.mjs"
