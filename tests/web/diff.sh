# A differential flame graph in a browser: red and blue, what one side lacks, details, zoom and search; a hostile name stays text.
. "$(dirname "$0")/../lib.sh"
need_browser

# See diff.mjs for the figures: 1,000 samples before, 2,000 after.
i=0
for scale in 100 101 99; do
	i=$((i + 1))
	cat >"a$i.folded" <<-END
		app;main;parse $((3 * scale))
		app;main;work;leaf $((5 * scale))
		app;main;old_only_[i] $((1 * scale))
		app;main;</script><img src=x onerror=alert(1)> $((1000 - 9 * scale))
	END
	cat >"b$i.folded" <<-END
		app;main;parse $((10 * scale))
		app;main;work;leaf $((6 * scale))
		app;main;new_only $((2 * scale))
		app;main;</script><img src=x onerror=alert(1)> $((2000 - 18 * scale))
	END
done
"$ASSAY" flame --diff a1.folded,a2.folded,a3.folded b1.folded,b2.folded,b3.folded -o diff.svg 2>/dev/null
"$ASSAY" flame --diff --absolute a1.folded b1.folded -o absolute.svg 2>/dev/null
node "$(dirname "$0")/diff.mjs"
