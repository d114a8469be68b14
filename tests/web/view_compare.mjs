// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives the pages that view_compare.sh has made.
import { readFileSync } from "node:fs";
import { check, finish, open, same } from "./browser.mjs";

const HOSTILE = "</script><img src=x onerror=alert(1)>";

async function opened(file, context) {
	const page = await open(file, context);
	await page.waitForSelector(".sheet .row");
	return page;
}
const rowsOf = page => page.$$eval(".sheet .body .row", rows => rows.sort((a, b) => a.dataset.row - b.dataset.row).map(row => [...row.children].map(cell => cell.textContent)));
const rowOf = async (page, name) => (await rowsOf(page)).find(row => row[5] === name);

const page = await opened("several.html");
const rows = await rowsOf(page);
same(await page.textContent("h1"), "</script><b>t", "the title is text");
same(rows.length, 5, "functions that have samples of their own");
for (const { sym, sides } of JSON.parse(readFileSync("diff.json", "utf8")).events[0].rows.map(r => ({ sym: r.sym ?? r.symbol, sides: r.sides }))) {
	const row = await rowOf(page, sym), [base, now] = sides;
	check(row, `'${sym}' is in the table`);
	if (!row)
		continue;
	same(row[0], `${(base.percent ?? 0).toFixed(2)}%`, `${sym} before, as diff has it`);
	same(row[1], `${(now.percent ?? 0).toFixed(2)}%`, `${sym} after, as diff has it`);
	same(row[4].startsWith("significant"), now.significant === true, `the verdict of ${sym}, as diff has it: ${row[4]}`);
}
same((await rowOf(page, "parse")).slice(0, 3).join(), "30.00%,50.00%,+20.00", "parse grew");
check((await rowOf(page, "old_only"))[4].endsWith("gone"), "what is gone is said to be");
check((await rowOf(page, "new_only"))[4].endsWith("new"), "so is what is new");
check((await rowOf(page, HOSTILE))[4].startsWith("noise"), "what did not change is noise");
same(await page.locator("img").count(), 0, "no element comes of a name");
check((await page.textContent(".about")).includes("over 3 and 3 recordings"), "what verdicts rest on is said");

await page.click(".head button:has-text('Function')");
const names = (await rowsOf(page)).map(row => row[5]);
same(names.join(), [...names].sort((a, b) => a.localeCompare(b)).join(), "a click on a heading sorts");
await page.selectOption("select", "total");
same((await rowsOf(page)).length, 8, "total has callers, too");
same((await rowOf(page, "work")).slice(0, 3).join(), "50.00%,30.00%,−20.00", "work with what it calls");
await page.click("button:has-text('hide noise')");
same((await rowsOf(page)).length, 5, "noise can be left out");
await page.keyboard.press("/");
await page.keyboard.type("_only");
same((await rowsOf(page)).map(row => row[5]).sort().join(), "new_only,old_only", "search");
const hash = new URL(page.url()).hash;
const again = await opened("several.html", { hash });
same((await rowsOf(again)).length, 2, `the address remembers: ${hash}`);

await page.click(".sheet .row:has-text('old_only')");
same(await page.locator("#flame g.hit").count(), 1, "a click on a row marks the function in the flame graph");
check((await page.textContent("#flame .matched")).startsWith("matched 5.0"), `its width is the mean of both sides: ${await page.textContent("#flame .matched")}`);
const box = await page.locator("#flame g.hit rect").first().boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
check((await page.textContent("#flame .tip")).includes("gone"), "a tip tells of a frame");
const [red, , blue] = await page.$$eval("#flame g[data-i]", all => getComputedStyle(all.find(g => g.textContent === "parse").firstChild).fill.match(/\d+/g).map(Number));
check(red > blue + 100, "what grew is red");
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
check((await page.locator("#flame g.hit rect").first().boundingBox()).width > 10 * box.width, "a click zooms");

const tops = await page.$$eval("#flame g[data-i] rect", list => list.map(e => e.getBoundingClientRect()).map(r => [r.top, r.width]).sort((a, b) => a[0] - b[0]));
check(tops[0][1] >= Math.max(...tops.map(t => t[1])), "the flame graph has its root on top");

// Names of one class: what they end in is in sight.
const long = await opened("long.html", { viewport: { width: 960, height: 700 } });
for (const end of ["append", "insert"])
	check((await rowsOf(long)).some(row => row[5].includes("…") && row[5].endsWith(end)), `${end} is named: ${(await rowsOf(long)).map(row => row[5])}`);
check(await long.$$eval(".sheet .body .name", list => list.every(e => e.scrollWidth <= e.clientWidth)), "and nothing is cut");
same(await long.$eval(".sheet .body .name[title$='append']", e => e.title), "acme::storage::BTree<std::basic_string<char, std::char_traits<char>, std::allocator<char> >, acme::Record>::append", "the tip has all of it");

const one = await opened("one.html");
check((await rowsOf(one)).every(row => row[4].includes("the sampling error")), "one recording a side: no verdict but that of the sampling error");
check((await one.textContent(".about")).includes("sampling error alone"), "and the page says so");
for (const width of [360, 2560]) {
	const sized = await opened("several.html", { viewport: { width, height: 700 }, colorScheme: "dark" });
	check(await sized.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `at ${width} nothing is beyond the window`);
	await sized.$eval(".sheet", e => e.scrollTo(200, 0));
	check(await sized.$eval(".sheet .row .name", e => e.getBoundingClientRect().left >= 0 && e.getBoundingClientRect().right <= window.innerWidth), `at ${width} a row says which function it is`);
}
await finish();
