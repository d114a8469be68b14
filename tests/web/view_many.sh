# The viewer with more functions, and with more threads of one process, than a call in JavaScript takes arguments.
. "$(dirname "$0")/../lib.sh"
need_browser

python3 - <<'EOF'
with open("functions.folded", "w", encoding="ascii") as out:
    out.writelines(f"main;work;f{i:x} {i % 3 + 1}\n" for i in range(140000))
with open("threads.txt", "w", encoding="ascii") as out:
    out.writelines(f"worker 1000/{2000 + i} {100 + i * 1e-5:.6f}: 1 cpu-clock:\n\t    55d0 work+0x10 (/bin/app)\n\n" for i in range(140000))
EOF
"$ASSAY" view -q -o functions.html functions.folded || fail "many functions"
"$ASSAY" view -q -o threads.html threads.txt || fail "many threads"
node "$(dirname "$0")/view_many.mjs"
