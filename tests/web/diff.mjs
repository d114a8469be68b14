// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives the pages that diff.sh has made. Shares before → after: parse 30% → 50%, work 50% → 30%, old_only 10% → 0, new_only 0 → 10%; a hostile name
// stays at 10%.
import { check, details, finish, frameOf, middle, open, same } from "./browser.mjs";

const HOSTILE = "</script><img src=x onerror=alert(1)>";

const nearly = (a, b) => Math.abs(a - b) < 6; // shares of the three recordings differ a little

const page = await open("diff.svg");
const all = await frameOf(page, "all"), parse = await frameOf(page, "parse"), work = await frameOf(page, "work");
check(parse.red > parse.blue + 100, `what grew is red: ${JSON.stringify(parse)}`);
check(work.blue > work.red + 80, `what shrank is blue: ${JSON.stringify(work)}`);
const bad = await frameOf(page, HOSTILE);
check(Math.abs(bad.red - bad.blue) < 50, "what did not change is neither");
check(nearly(parse.width, all.width * 0.4) && nearly(work.width, all.width * 0.4), "widths are means of both sides");
const gone = await frameOf(page, "old_only"), added = await frameOf(page, "new_only");
check(gone && gone.blue > gone.red && nearly(gone.width, all.width * 0.05), "what only the baseline has is there, blue");
check(added && added.red > added.blue && nearly(added.width, all.width * 0.05), "what only the new side has is there, red");

await page.mouse.move(...middle(parse));
check(/parse · 30\.00% → 50\.00%: \+20\.00 points \(95%: \+[\d.]+ to \+[\d.]+\), significant/.test(await details(page)), `details: ${await details(page)}`);
await page.mouse.move(...middle(gone));
check((await details(page)).includes("gone"), `it is said that it is gone: ${await details(page)}`);
await page.mouse.move(...middle(bad));
same(await page.textContent(".tip b"), HOSTILE, "a hostile name stays text");
same(await page.locator("img").count(), 0, "no element comes of a name");

await page.mouse.click(...middle(work));
check(nearly((await frameOf(page, "work")).width, all.width), "a click zooms");
await page.keyboard.press("Escape");
await page.keyboard.press("/");
await page.keyboard.type("parse");
check((await page.textContent(".matched")).startsWith("matched 40.0"), `search: ${await page.textContent(".matched")}`);
check((await frameOf(page, "parse")).class.includes("hit"), "a match is marked");
await page.click("button:has-text('reset')");
const back = await frameOf(page, "parse");
check(back.red > back.blue + 100, "reset brings the colours back");
same((await page.locator(".legend text").allTextContents())[0], "shrank most", "there is a legend");
check((await page.locator(".note").allTextContents()).some(n => n.includes("over 3 and 3 recordings")), "the foot says what noise is");

same(await page.textContent(".key text.in"), "inlined: in italics", "what italics mean is said");
for (const viewport of [{ width: 700, height: 600 }, { width: 375, height: 667 }]) {
	const small = await open("diff.svg", { viewport, isMobile: viewport.width < 400 });
	const boxes = await small.evaluate(() => [...document.querySelectorAll(".key, .subtitle, .note, .details, .tools > *")].map(e => {
		const { left, right, top, bottom, width } = e.getBoundingClientRect();
		return { left, right, top, bottom, width, isTool: Boolean(e.closest(".tools")), text: e.textContent };
	}));
	same(boxes.filter(b => b.width && b.text.includes("grew most")).length, 1, `at ${viewport.width} the legend is there`);
	for (const b of boxes)
		check(b.left >= 0 && b.right <= viewport.width, `at ${viewport.width} '${b.text}' is out of the window`);
	for (const tool of boxes.filter(b => b.isTool && b.width))
		for (const b of boxes.filter(other => !other.isTool))
			check(tool.bottom <= b.top + 1 || b.bottom <= tool.top + 1, `at ${viewport.width} a tool is over '${b.text}'`);
}

const absolute = await open("absolute.svg");
const leaf = await frameOf(absolute, "leaf");
check(leaf.red > leaf.blue, `as counted, 500 → 600 grew: ${JSON.stringify(leaf)}`);
await absolute.mouse.move(...middle(leaf));
check((await details(absolute)).includes("500 → 600 samples"), `counts: ${await details(absolute)}`);
check((await absolute.locator(".note").allTextContents()).some(n => n.includes("sampling error only")), "one recording a side: the foot says so");
await finish();
