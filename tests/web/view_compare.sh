# A comparison in the viewer's page: the figures and verdicts of `assay diff`, sorting, search, the flame graph below; a hostile name stays text.
. "$(dirname "$0")/../lib.sh"
need_browser

# Shares before → after: parse 30% → 50%, leaf 50% → 30%, old_only 10% → 0, new_only 0 → 10%; a hostile name stays at 10%.
i=0
for scale in 100 101 99; do
	i=$((i + 1))
	cat >"a$i.folded" <<-END
		app;main;parse $((3 * scale))
		app;main;work;leaf $((5 * scale))
		app;main;old_only $((1 * scale))
		app;main;</script><img src=x onerror=alert(1)> $((1000 - 9 * scale))
	END
	cat >"b$i.folded" <<-END
		app;main;parse $((10 * scale))
		app;main;work;leaf $((6 * scale))
		app;main;new_only $((2 * scale))
		app;main;</script><img src=x onerror=alert(1)> $((2000 - 18 * scale))
	END
done
before=a1.folded,a2.folded,a3.folded after=b1.folded,b2.folded,b3.folded
"$ASSAY" view -q $before $after --title '</script><b>t' -o several.html || fail "several recordings a side"
"$ASSAY" view -q a1.folded b1.folded -o one.html || fail "one recording a side"
tree="acme::storage::BTree<std::basic_string<char, std::char_traits<char>, std::allocator<char> >, acme::Record>"
printf 'app;main;%s::append 50\napp;main;%s::insert 50\n' "$tree" "$tree" >long_a.folded
printf 'app;main;%s::append 80\napp;main;%s::insert 20\n' "$tree" "$tree" >long_b.folded
"$ASSAY" view -q long_a.folded long_b.folded -o long.html || fail "long names"
"$ASSAY" diff --json $before $after >diff.json 2>/dev/null
node "$(dirname "$0")/view_compare.mjs"
