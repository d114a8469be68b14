# The fish completion script: commands, options, arguments by their hints; the same as for bash.
. "$(dirname "$0")/../lib.sh"
need fish

"$ASSAY" completion fish >script.fish
fish --no-execute script.fish || fail "fish does not like the script"
mkdir bin some.dir
ln -s "$ASSAY" bin/assay
ln -s "$ASSAY" bin/strace
export PATH=$TMPDIR/bin:$PATH HOME=$TMPDIR
touch b.data "c d.data"
"$ASSAY" record -q -e task-clock -e cpu-clock -o a.data -- true

# One fish for all questions: it takes a moment to start.
cat >ask.fish <<'END'
source script.fish
while read -l line
	echo "? $line"
	complete -C "$line"
end
END
questions=()
# offers LINE WANTED, lacks LINE UNWANTED: answered at the end, `|` stands for the cursor
offers() { questions+=("offers|$2|${1%|}"); }
lacks() { questions+=("lacks|$2|${1%|}"); }
offers 'assay rec|' record
offers 'assay |' help
offers 'assay --v|' --version
offers 'assay help comp|' completion
offers 'assay completion |' fish
offers 'assay trace --strace --string-l|' --string-limit
lacks 'assay trace --string-l|' --string-limit
offers 'strace --string-l|' --string-limit
offers 'assay cache |' verify
offers 'assay cache clear --old|' --older-than
lacks 'assay cache verify --|' --older-than
offers 'assay record --out|' --output
offers 'assay record -o b.d|' b.data
offers 'assay record --output=b.d|' --output=b.data
offers 'assay record -g -- ls b.d|' b.data
offers 'assay record -g tes|' test
offers 'assay report --sort comm,dso,sy|' comm,dso,sym
offers 'assay record -e cpu-clock,page-f|' cpu-clock,page-faults
offers 'assay flame --no-in|' --no-inline
lacks 'assay flame --in|' --no-inline
offers 'assay flame --diff b.data,a|' b.data,a.data
offers 'assay diff b|' b.data
offers 'assay flame --by comm,|' comm,tid
lacks 'assay flame --by comm,|' comm,comm
lacks 'assay flame --by comm,|' comm,none
offers 'assay flame --demangle=s|' --demangle=short
lacks 'assay flame --demangle s|' short
offers 'assay flame -i a.data -e |' cpu-clock
lacks 'assay flame -i a.data -e |' page-faults
offers 'assay flame --input=a.data --event=|' --event=cpu-clock
offers 'assay flame a.data -e |' task-clock
offers 'assay heatmap --from |' page-faults
printf '%s\n' "${questions[@]}" | cut -d '|' -f 3- | fish --no-config ask.fish >answers 2>err || fail "fish: $(cat err)"
[ ! -s err ] || fail "fish says: $(cat err)"

for q in "${questions[@]}"; do
	IFS='|' read -r how word line <<<"$q"
	answer=$(awk -v q="? $line" '/^\? / { on = $0 == q; next } on' answers | cut -f 1)
	case $how in
	offers) grep -qxF -- "$word" <<<"$answer" || fail "'$line' is completed to '$(echo $answer | cut -c1-200)', not '$word'" ;;
	lacks) ! grep -qxF -- "$word" <<<"$answer" || fail "'$line' is completed to '$word', too" ;;
	esac
done
echo "NOTE: ${#questions[@]} lines completed by $(fish --version)"
