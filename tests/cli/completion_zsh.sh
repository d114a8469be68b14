# The zsh completion script, in a zsh on a terminal of its own: what a person gets who presses Tab.
. "$(dirname "$0")/../lib.sh"
need zsh

"$ASSAY" completion zsh >_assay
zsh -n _assay || fail "zsh does not like the script"
mkdir programs
ln -s "$ASSAY" programs/assay
ln -s "$ASSAY" programs/strace
export PATH=$TMPDIR/programs:$PATH HOME=$TMPDIR
touch b.data c.data
"$ASSAY" record -q -e task-clock -e cpu-clock -o a.data -- true

# Tab completes, then ^X prints the line as it is.
cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked 'PS1= PROMPT_EOL_MARK= RPS1=; setopt no_beep no_list_beep; unsetopt automenu autolist list_ambiguous'
zpty -w asked 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; compdef _assay strace; show() { print -r -- "<<<$BUFFER>>>"; BUFFER=; zle -I }'
zpty -w asked 'zle -N show; bindkey "^X" show; bindkey "^I" complete-word; print -r -- "<<<"ready">>>"'
zpty -r asked answer '*<<<ready>>>*'
while read -r line; do
	zpty -n -w asked "$line"$'\t\x18'
	zpty -r asked answer '*<<<*>>>*'
	answer=${answer#*<<<}
	print -r -- "${answer%%>>>*}"
done
zpty -d asked
END
# LINE|what it becomes; the cursor is at its end
cat >questions <<'END'
assay compl|assay completion 
assay cache ver|assay cache verify 
assay trace --strace --string-l|assay trace --strace --string-limit 
strace --string-l|strace --string-limit 
assay cache clear --old|assay cache clear --older-than 
assay record --outp|assay record --output 
assay record -o b|assay record -o b.data 
assay flame --no-inl|assay flame --no-inline 
assay flame --diff b.data,c|assay flame --diff b.data,c.data 
assay flame --by comm,ti|assay flame --by comm,tid 
assay flame --by comm,com|assay flame --by comm,com
assay flame --by comm,no|assay flame --by comm,no
assay flame --demangle=sh|assay flame --demangle=short 
assay flame -i a.data -e cpu|assay flame -i a.data -e cpu-clock 
assay flame -i a.data -e page-fa|assay flame -i a.data -e page-fa
assay flame a.data -e task|assay flame a.data -e task-clock 
assay flame --input=a.data --event=cpu|assay flame --input=a.data --event=cpu-clock 
END
cut -d '|' -f 1 questions | timeout 300 zsh -f ask.zsh >answers 2>err || fail "zsh: $(cat err answers)"
nr=0
while IFS='|' read -r line wanted && IFS= read -r answer <&3; do
	nr=$((nr + 1))
	[ "${answer%" "}" = "${wanted%" "}" ] || fail "'$line' is completed to '$answer', not '$wanted'"
done <questions 3<answers
[ "$nr" -eq "$(wc -l <questions)" ] || fail "only $nr lines were answered: $(cat answers)"
echo "NOTE: $nr lines completed by $(zsh --version | cut -d ' ' -f 1,2)"
