// SPDX-License-Identifier: GPL-2.0-or-later
// Fixed work: closures, sorting, maps, regular expressions, recursion. usage: work.js ROUNDS
'use strict';

const nested = (depth, call) => depth ? nested(depth - 1, call) + 1 : call();

function sorted(seed) {
	const values = Array.from({ length: 200 }, () => (seed = (seed * 16807) % 2147483647));
	values.sort((a, b) => a % 1009 - b % 1009);
	return values[100];
}

function mapped(seed) {
	const words = new Map();
	for (let i = 0; i < 40; i++)
		words.set(`word number ${seed % 97 + i}`, i);
	return [...words.keys()].join(' ').match(/(\w+) (\d+)/g).length;
}

let sum = 1;
for (let i = Number(process.argv[2] || 1000); i > 0; i--)
	sum = (nested(12, () => sorted(sum % 10007 + 1)) + mapped(sum)) % 100003;
process.exitCode = sum === -1 ? 1 : 0;
