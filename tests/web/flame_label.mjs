// SPDX-License-Identifier: GPL-2.0-or-later
//
// node flame_label.mjs TOP: what web/flame_label.js makes of the names in tests/unit/labels.tsv.
import { readFileSync } from "node:fs";

const top = process.argv[2], shortName = new Function(readFileSync(`${top}/web/flame_label.js`, "utf8") + "\nreturn shortName;")();
const rows = readFileSync(`${top}/tests/unit/labels.tsv`, "utf8").trimEnd().split("\n").map(row => row.split("\t"));
const letters = text => Array.from(text).length;
let nrWrong = 0;

function same(max, name, want) {
	const got = shortName(name, max);
	if (got === want && letters(got) <= max)
		return;
	nrWrong++;
	console.log(`FAIL: '${name}' in ${max}: '${got}' instead of '${want}'`);
}

for (const [max, name, want] of rows)
	same(Number(max), name, want);
same(9, "begin" + "<".repeat(1e6) + "end", "begin…end");
console.log(`NOTE: ${rows.length} labels`);
process.exitCode = nrWrong || rows.length < 100 ? 1 : 0;
