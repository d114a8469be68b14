# Offers the lines on standard input as the last of a list with commas: what is there is not offered again.
function __assay_offer --argument-names typed
	set -l list (string match -r '.*,' -- $typed)
	set -l listed (string split , -- $list)
	while read -l line
		set -l name (string split -m 1 \t -- $line)[1]
		if test -z "$name"; or contains -- $name $listed
			continue
		end
		if test -n "$list" -a "$name" = none
			continue
		end
		printf '%s\n' "$list$line"
	end
end

# Events, or metrics, of this machine, of these kinds.
function __assay_list --argument-names program typed
	set -l names (string split -n ' ' -- ($program list --raw-dump $argv[3..-1] 2>/dev/null))
	test -n "$names"; or set names (string split ' ' -- $__assay_events)
	printf '%s\n' $names | __assay_offer $typed
end

# Events of the recording that the line names, or of perf.data. argv: what is typed, the recording, the line's words.
function __assay_recorded --argument-names typed file
	set -l words $argv[3..-1]
	set -l names
	test -n "$file"; or set file perf.data
	for i in (seq 2 (count $words))
		switch $words[$i]
			case -i --input
				test $i -lt (count $words); and set file $words[(math $i + 1)]
			case '--input=*'
				set file (string replace -- --input= '' $words[$i])
		end
	end
	test -f "$file"; and set names ($words[1] evlist -i $file 2>/dev/null)
	if test -n "$names"
		string match -v '#*' -- $names | __assay_offer $typed
	else
		__assay_list $words[1] $typed hw sw cache pmu tracepoint pfm
	end
end

# argv: the hint, what is typed, the recording, the line's words.
function __assay_hint --argument-names hint typed
	set -l program $argv[4]
	switch $hint
		case file
			__fish_complete_path "$typed"
		case files
			set -l list (string match -r '.*,' -- $typed)
			printf '%s\n' "$list"(__fish_complete_path (string replace -r '.*,' '' -- $typed))
		case dir
			__fish_complete_directories "$typed" ''
		case command
			__fish_complete_command
		case cmd
			printf '%s\n' $__assay_commands
		case pid
			__fish_complete_pids | __assay_offer $typed
		case user
			__fish_complete_users
		case event
			__assay_list $program "$typed" hw sw cache pmu tracepoint pfm
		case recorded
			__assay_recorded "$typed" $argv[3..-1]
		case metric
			__assay_list $program "$typed" metric metricgroup
		case '*|*'
			string split '|' -- $hint | __assay_offer $typed
	end
end

function __assay
	set -l words (commandline -opc)
	set -l token (commandline -ct)
	set -l i 2
	set -l is_strace (string match -r '(?:^|/)strace$' -- $words[1])
	while test -z "$is_strace"; and test $i -le (count $words); and string match -q -- '-*' $words[$i]
		set i (math $i + 1)
	end
	if test -z "$is_strace" -a $i -gt (count $words)
		if string match -q -- '-*' $token
			printf '%s\n' --help --version --build-options
		else
			__assay_hint cmd
		end
		return
	end
	set -l cmd
	set -l subs
	set -l program $words[1]
	# a link of that name has the options of `trace --strace`
	if test -n "$is_strace"
		set i 1
		set cmd trace --strace
	else
		set cmd $words[$i]
	end
	# `cache verify`: a command of the second level, which has options of its own
	set subs (__assay_subcommands "$cmd")
	set -l next (math $i + 1)
	if test -n "$subs" -a $next -le (count $words); and contains -- $words[$next] (string split ' ' -- $subs)
		set i $next
		set -a cmd $words[$i]
		set subs
	else if test "$cmd" = trace -a $next -le (count $words); and test "$words[$next]" = --strace
		set i $next
		set -a cmd --strace
		set subs
	end
	test -n "$is_strace"; or set -a program $cmd
	set -l options
	set -l taking # options with an argument, and beside each in `hints` what it is
	set -l hints
	set -l tab \t
	for line in ($program --completion-helper 2>/dev/null)
		set -l field (string split \t -- $line)
		for name in $field[1] $field[2]
			test -n "$name"; or continue
			set -a options $name$tab$field[5]
			# an argument that may be left out is one only behind the equals sign
			string match -q '[*' -- "$field[3]"; and set name $name=
			if test -n "$field[3]"
				set -a taking $name
				set -a hints "$field[4]"
			end
		end
		if test -n "$field[6]"; and string match -q -- '--no*' $token
			set -a options $field[6]$tab"not $field[2]"
		end
	end
	# the first word that is neither an option nor its argument begins a workload, or is the recording
	set -l first 0
	set -l recording ''
	set -l skip ''
	for j in (seq (math $i + 1) (count $words))
		if test -n "$skip"
			set skip ''
		else if test "$words[$j]" = --
			set first (math $j + 1)
			break
		else if string match -q -- '-*' $words[$j]
			contains -- $words[$j] $taking; and set skip 1
		else
			set first $j
			set recording $words[$j]
			break
		end
	end
	set -l want (__assay_words "$cmd")
	test "$cmd" = 'trace --strace'; and set want command
	test -n "$subs"; and set want (string replace -a ' ' '|' -- $subs)
	if test "$want" = command -a $first -gt 0
		complete -C (string join ' ' -- (string escape -- $words[$first..-1]) $token)
		return
	end
	set -l name $words[-1]
	set -l prefix ''
	set -l typed $token
	if string match -q -- '--*=*' $token
		set name (string split -m 1 = -- $token)[1]
		set prefix $name=
		set typed (string split -m 1 = -- $token)[2]
	end
	set -l at (contains -i -- $name $taking; or contains -i -- "$prefix" $taking)
	if test -n "$at"
		set -l offers (__assay_hint "$hints[$at]" "$typed" "$recording" $words)
		printf '%s\n' $prefix$offers
	else if string match -q -- '-*' $token
		printf '%s\n' $options
	else
		__assay_hint "$want" "$typed" "$recording" $words
	end
end

complete -c assay -f -a '(__assay)'
# under that name only where it is a link to assay
if string match -q '*/assay' -- (realpath (command -s strace 2>/dev/null) 2>/dev/null)
	complete -c strace -f -a '(__assay)'
end
