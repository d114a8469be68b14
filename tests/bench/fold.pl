#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Folds the text of `perf script`: one line a distinct stack, outermost function first, then how many samples had it.
# Written for tests/bench/run, in the way such scripts usually are: line by line, by regular expressions.
use strict;
use warnings;

my (%count, @stack, $comm);
while (my $line = <STDIN>) {
	chomp $line;
	next if $line =~ /^#/;
	if ($line =~ /^\s*$/) {
		$count{join(";", $comm, reverse @stack)}++ if defined $comm;
		undef $comm;
		@stack = ();
	} elsif ($line =~ /^(\S.*?)\s+(\d+)\/*(\d+)*\s+/) {
		$comm = $1;
		$comm =~ tr/ /_/;
	} elsif ($line =~ /^\s*(\w+)\s*(.+) \((\S*)\)/) {
		my ($name, $module) = ($2, $3);
		$name =~ s/\+0x[\da-f]+$//;
		if ($name eq "[unknown]") {
			($name) = $module =~ m{([^/]*)$};
			$name = "[$name]";
		}
		$name =~ s/;/:/g;
		push @stack, $name;
	}
}
print "$_ $count{$_}\n" for sort keys %count;
