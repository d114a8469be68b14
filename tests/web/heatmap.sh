# A heat map in a browser: tooltips by pointer, touch and keyboard; both modes of light; hostile titles stay text; no error, no network.
. "$(dirname "$0")/../lib.sh"
need_browser

# Columns of 100 ms; see heatmap.mjs for what is looked for.
python3 - <<'EOF'
with open("lines.txt", "w") as f:
    for i in range(1000):
        f.write(f"{100 + i / 100:.2f} {(1, 5, 20)[i % 3] + 0.1} ms\n")
    f.write("105.005 90\n")
EOF
"$ASSAY" heatmap -q -i lines.txt --units s,ms --columns 100 --title '</title><script>alert(3)</script> & more' --subtitle ']]><b onclick=alert(4)>' \
	-o heat.svg >/dev/null
"$ASSAY" heatmap -q -i lines.txt --units s,ms --log --max 10ms -o log.svg >/dev/null
# long numbers: nanoseconds of seconds, and a cell of 400,000
python3 - <<'EOF' | "$ASSAY" heatmap -q --input-units s,ns --units ns --max 123456789 -o long.svg >/dev/null
print("1 2605469525\n" * 300 + "1 5\n" * 400000 + "".join(f"{1 + i % 40} {i * 800001}\n" for i in range(3000)))
EOF
"$ASSAY" heatmap -q -o empty.svg - </dev/null >/dev/null
"$ASSAY" record -q -F 999 -o perf.data "$WORKLOADS/mixed" 1 2>/dev/null
"$ASSAY" heatmap -q --offset -i perf.data -o offset.svg >/dev/null
node "$(dirname "$0")/heatmap.mjs"
