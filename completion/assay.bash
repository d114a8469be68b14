# A word of the line without its quotes and backslashes, in $plain; nothing is expanded. $quote is that which is still open.
_assay_unquote()
{
	local rest=$1 c
	plain='' quote=''
	while [[ -n $rest ]]; do
		c=${rest:0:1} rest=${rest:1}
		if [[ -n $quote && $c == "$quote" ]]; then
			quote=''
		elif [[ -z $quote && $c == [\'\"] ]]; then
			quote=$c
		elif [[ $c == '\' && $quote != "'" ]]; then
			plain+=${rest:0:1} rest=${rest:1}
		else
			plain+=$c
		fi
	done
}

# Offers a text for what is typed. bash puts it into the line as it is: what names of events and files hold must not mean anything
# to the shell. Inside of a quote, texts that would end it or be expanded in it are not offered.
_assay_reply()
{
	local text=$1
	case $quote in
	\') [[ $text == *\'* ]] && return ;;
	\") [[ $text == *[\"\$\`\\!]* ]] && return ;;
	*) [[ $text == *[^[:alnum:]_./:,=@%+-]* ]] && printf -v text %q "$text" ;;
	esac
	COMPREPLY+=("$text")
}

# Offers those of the lines on standard input that continue what is typed, the last of a list with
# commas; what bash cut off at colons stands in $colon.
_assay_offer()
{
	local plain quote before typed list='' name
	_assay_unquote "$colon"
	before=$plain
	_assay_unquote "$colon$cur"
	typed=$plain
	[[ $typed == *,* ]] && list=${typed%,*},
	# not compgen -W, which would expand the names like commands
	while IFS= read -r name; do
		[[ -z $name || ,$list == *",$name,"* || $list$name == *,none ]] && continue
		[[ $list$name == "$typed"* ]] && name=$list$name && _assay_reply "${name#"$before"}"
	done
}

# Events, or metrics, of this machine, of these kinds.
_assay_list()
{
	local text
	text=$("${COMP_WORDS[0]}" list --raw-dump "$@" 2>/dev/null)
	text=${text:-$_assay_events}
	_assay_offer <<<"${text//[[:space:]]/$'\n'}"
}

# Events of the recording that the line names, or of perf.data.
_assay_recorded()
{
	local file=${recording:-perf.data} i text plain quote
	for ((i = 2; i < ${#COMP_WORDS[@]} - 1; i++)); do
		if [[ ${COMP_WORDS[i]} == -i || ${COMP_WORDS[i]} == --input ]]; then
			[[ ${COMP_WORDS[i+1]} == '=' ]] && ((i++))
			file=${COMP_WORDS[i+1]}
		fi
	done
	_assay_unquote "$file"
	file=$plain
	[[ -f $file ]] && text=$("${COMP_WORDS[0]}" evlist -i "$file" 2>/dev/null)
	if [[ -n $text ]]; then
		_assay_offer < <(grep -v '^#' <<<"$text")
	else
		_assay_list hw sw cache pmu tracepoint pfm
	fi
}

# Files, with commas between.
_assay_files()
{
	local plain quote list='' last name
	compopt -o nospace 2>/dev/null
	_assay_unquote "$cur"
	if [[ $plain != *,* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	fi
	list=${plain%,*}, last=${plain##*,}
	while IFS= read -r name; do
		[[ ,$list == *",$name,"* ]] && continue
		[[ -d $name ]] && name+=/
		_assay_reply "$list$name"
	done < <(compgen -f -- "$last")
}

_assay_hint()
{
	case $1 in
	file | dir)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	files) _assay_files ;;
	command) _assay_offer < <(compgen -c -- "$cur") ;;
	cmd) COMPREPLY=($(compgen -W "$_assay_commands" -- "$cur")) ;;
	pid) _assay_offer < <(cd /proc && printf '%s\n' [0-9]*) ;;
	user) _assay_offer < <(compgen -u) ;;
	event) _assay_list hw sw cache pmu tracepoint pfm ;;
	recorded) _assay_recorded ;;
	metric) _assay_list metric metricgroup ;;
	*'|'*) _assay_offer <<<"${1//|/$'\n'}" ;;
	esac
}

_assay()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev colon='' equals='' at=$COMP_CWORD typed
	local cmd='' subs i short long arg hint help no options='' negations='' want='' words=0 skip='' recording=''
	local -a program=()
	COMPREPLY=()
	# bash splits names of tracepoints at the colon
	typed=$cur
	[[ $cur == ':' ]] && cur=''
	while ((at >= 2)) && [[ ${COMP_WORDS[at]} == ':' || ${COMP_WORDS[at-1]} == ':' ]]; do
		((at--))
		typed=${COMP_WORDS[at]}$typed
	done
	colon=${typed%"$cur"}
	prev=${COMP_WORDS[at-1]}
	# and --name=value at the equals sign
	if [[ $cur == '=' ]]; then
		cur='' colon='' equals='='
	elif [[ $prev == '=' ]] && ((at >= 2)); then
		prev=${COMP_WORDS[at-2]} equals='='
	fi
	# a link of that name has the options of `trace --strace`
	if [[ ${COMP_WORDS[0]##*/} == strace ]]; then
		program=("${COMP_WORDS[0]}") cmd='trace --strace'
		i=0
	else
		for ((i = 1; i < COMP_CWORD; i++)); do
			if [[ ${COMP_WORDS[i]} != -* ]]; then
				cmd=${COMP_WORDS[i]}
				break
			fi
		done
	fi
	if [[ -z $cmd ]]; then
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W '--help --version --build-options' -- "$cur"))
		else
			_assay_hint cmd
		fi
		return
	fi
	# `cache verify`: a command of the second level, which has options of its own
	subs=$(_assay_subcommands "$cmd")
	if [[ -n $subs ]] && ((i + 1 < COMP_CWORD)) && [[ " $subs " == *" ${COMP_WORDS[i+1]} "* ]]; then
		((i++))
		cmd+=" ${COMP_WORDS[i]}" subs=''
	elif [[ $cmd == trace && ${COMP_WORDS[i+1]} == --strace ]] && ((i + 1 < COMP_CWORD)); then
		((i++))
		cmd+=' --strace' subs=''
	fi
	((${#program[@]})) || program=("${COMP_WORDS[0]}" $cmd)
	local -A takes=()
	while IFS=$'\x1f' read -r short long arg hint help no; do
		options+=" $short $long"
		negations+=" $no"
		if [[ $arg == '['* ]]; then
			# an argument that may be left out is one only behind the equals sign
			[[ -n $long ]] && takes[$long=]=${hint:--}
		elif [[ -n $arg ]]; then
			[[ -n $short ]] && takes[$short]=${hint:--}
			[[ -n $long ]] && takes[$long]=${hint:--}
		fi
	done <<<"$("${program[@]}" --completion-helper 2>/dev/null | tr '\t' '\037')"
	# the first word that is neither an option nor its argument begins a workload, or is the recording
	for ((i++; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == ':' ]]; then
			skip=1
		elif [[ -n $skip ]]; then
			skip=''
			[[ ${COMP_WORDS[i]} == '=' ]] && skip=1
		elif [[ ${COMP_WORDS[i]} == -- ]]; then
			words=$((i + 1))
			break
		elif [[ ${COMP_WORDS[i]} == -* ]]; then
			[[ -n ${takes[${COMP_WORDS[i]}]} || ${COMP_WORDS[i+1]} == '=' ]] && skip=1
		else
			words=$i
			recording=${COMP_WORDS[i]}
			break
		fi
	done
	want=$(_assay_words "$cmd")
	[[ $cmd == 'trace --strace' ]] && want=command
	[[ -n $subs ]] && want=${subs// /|}
	if [[ $want == command && $words -gt 0 && COMP_CWORD -ge words ]]; then
		if declare -F _command_offset >/dev/null; then
			_command_offset "$words"
		elif ((COMP_CWORD == words)); then
			_assay_hint command
		else
			_assay_hint file
		fi
	elif [[ -n ${takes[$prev]} ]]; then
		_assay_hint "${takes[$prev]}"
	elif [[ -n $equals && -n ${takes[$prev=]} ]]; then
		_assay_hint "${takes[$prev=]}"
	elif [[ $cur == -* ]]; then
		[[ $cur == --no* ]] && options+=$negations
		COMPREPLY=($(compgen -W "$options --help" -- "$cur"))
	else
		_assay_hint "$want"
	fi
}

complete -F _assay assay
# under that name only where it is a link to assay
[[ $(readlink -f "$(type -P strace)" 2>/dev/null) == */assay ]] && complete -F _assay strace
true
