#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Draws folded stacks as a flame graph of rectangles with names: the last third of the pipe that tests/bench/run compares with.
use strict;
use warnings;

my ($width, $row) = (1180, 16);
my (%total, %open, @done, @last);
my ($sum, $depth) = (0, 0);

sub close_down {
	my ($to, $at) = @_;
	while (@last > $to) {
		my $key = join(";", @last);
		push @done, [$last[-1], scalar @last, $open{$key}, $at];
		delete $open{$key};
		pop @last;
	}
}

while (my $line = <STDIN>) {
	next unless $line =~ /^(.*) (\d+)$/;
	my ($stack, $count) = ($1, $2);
	my @names = split /;/, $stack;
	my $same = 0;
	$same++ while $same < @last && $same < @names && $last[$same] eq $names[$same];
	close_down($same, $sum);
	for my $i ($same .. $#names) {
		push @last, $names[$i];
		$open{join(";", @last)} = $sum;
	}
	$depth = @names if @names > $depth;
	$sum += $count;
}
close_down(0, $sum);
my $height = ($depth + 3) * $row;
printf qq(<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="%d">\n), $height;
for my $f (@done) {
	my ($name, $level, $from, $to) = @$f;
	my ($x, $w) = (10 + $from / $sum * $width, ($to - $from) / $sum * $width);
	next if $w < 0.1;
	my $hash = unpack("%32C*", $name);
	$name =~ s/&/&amp;/g;
	$name =~ s/</&lt;/g;
	$name =~ s/>/&gt;/g;
	printf qq(<g><title>%s (%d samples, %.2f%%)</title><rect x="%.1f" y="%d" width="%.1f" height="15" fill="rgb(%d,%d,50)"/>), $name, $to - $from,
		100 * ($to - $from) / $sum, $x, $height - ($level + 1) * $row, $w, 205 + $hash % 50, $hash * 7 % 230;
	my $chars = int(($w - 6) / 7);
	printf qq(<text x="%.1f" y="%d" font-size="12">%s</text>), $x + 3, $height - $level * $row - 4, substr($name, 0, $chars) if $chars > 2;
	print "</g>\n";
}
print "</svg>\n";
