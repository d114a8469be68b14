// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recursion drawn once, on the pictures that flame_recursion.sh has made.
import { check, details, finish, frameOf, middle, open, same } from "./browser.mjs";

const matched = page => page.textContent(".matched");
const toggle = page => page.click("button:has-text('collapse')");
// What is drawn: label's name, left and right in px of the picture, row; of a small picture all of it is there.
const drawn = page => page.evaluate(() => [...document.querySelectorAll("g[data-i]")].map(g => {
	const { x, y, width } = g.firstChild.getBoundingClientRect(), bottom = document.querySelector("g[data-i='0'] rect").getBoundingClientRect().y;
	return [Math.round((bottom - y) / 18), x.toFixed(1), width.toFixed(1)].join(" ");
}).sort().join("\n"));

async function known() {
	const page = await open("known.svg"), before = await drawn(page);
	await toggle(page);
	const texts = await page.$$eval("g[data-i] text", all => all.map(t => t.textContent).sort().join(" "));
	same(texts, "all app fib leaf main other step walk", "each function once");
	for (const [name, text] of [["fib", "40 samples, 40.00% (40.00% of main)"], ["walk", "60 samples, 60.00% (60.00% of main)"],
		["step", "60 samples, 60.00% (100.00% of walk)"], ["leaf", "40 samples, 40.00% (66.67% of step)"], ["other", "20 samples, 20.00% (33.33% of step)"]]) {
		// indices are those of the collapsed tree: by label
		const box = await page.evaluate(want => {
			const { x, y, width, height } = [...document.querySelectorAll("g[data-i]")].find(g => g.textContent === want).firstChild.getBoundingClientRect();
			return { x, y, width, height };
		}, name);
		await page.mouse.move(...middle(box));
		check((await details(page)).includes(text), `${name}: ${await details(page)}`);
	}
	check(page.url().includes("collapse=1"), "the address knows it");
	same(await page.getAttribute("button:has-text('collapse')", "aria-pressed"), "true", "the button is pressed");
	await page.goBack();
	same(await drawn(page), before, "Back leads to the whole picture");
	await page.keyboard.press("c");
	check(page.url().includes("collapse=1"), "c is the key");
	await page.keyboard.press("c");
	same(await drawn(page), before, "and back");
	const linked = await open("known.svg", { hash: "#collapse=1" });
	same(await linked.$$eval("g[data-i]", all => all.length), 8, "a link to it");
}

// The command's picture and the page's are the same rectangles.
async function likeTheOption(name) {
	const page = await open(`${name}.svg`), once = await open(`${name}-once.svg`);
	await toggle(page);
	same(await drawn(page), await drawn(once), `${name}: as --collapse-recursion draws it`);
	same(await once.locator("button:has-text('collapse')").count(), 0, `${name}: nothing is left to collapse`);
	check((await once.textContent("svg")).includes("--collapse-recursion"), `${name}: the foot says so`);
}

async function sharesStay(name) {
	const page = await open(`${name}.svg`), shares = async () => {
		const found = [];
		for (const text of ["aaa", "bbb", "ccc", "ddd", "eee", "fff", "aaa|fff"]) {
			await page.fill(".tools input", text);
			found.push(await matched(page));
		}
		return found.join("; ");
	};
	const before = await shares();
	check(/matched \d\d\.\d\d%/.test(before), before);
	await toggle(page);
	same(await shares(), before, `${name}: shares of functions`);
}

async function lines() {
	// high enough for all of it: 40 calls of recurse() on the task of the same name
	const page = await open("recorded.svg", { viewport: { width: 1280, height: 1400 } });
	const tip = () => page.$$eval(".tip > *", all => all.map(e => e.textContent));
	await page.mouse.move(...middle(await frameOf(page, "leaf")));
	const at = (await tip()).find(t => /recurse\.c:\d+/.test(t)), nr = Number(at?.match(/:(\d+)/)?.[1]);
	check(nr > Number(process.env.LEAF_FROM) && nr < Number(process.env.LEAF_TO), `the line of leaf(): ${await tip()}`);
	const main = await frameOf(page, "main");
	await page.mouse.move(main.x + main.width / 2, main.y - 9);
	check((await tip()).some(t => t.endsWith(`recurse.c:${process.env.RECURSE_LINE}`)), `a caller has the line of its call: ${await tip()}`);
	check((await details(page)).includes(`recurse.c:${process.env.RECURSE_LINE}`), `the foot, too: ${await details(page)}`);
	await toggle(page);
	same(await page.$$eval("g[data-i]", all => all.filter(g => /^recurse$/.test(g.textContent)).length), 2, "40 frames of recurse() are one, on the task's");
}

await known();
await likeTheOption("known");
await likeTheOption("random");
await sharesStay("random");
await sharesStay("narrow");
same(await (await open("diff.svg")).locator("button:has-text('collapse')").count(), 0, "no button in a comparison");
same(await (await open("straight.svg")).locator("button:has-text('collapse')").count(), 0, "no button without recursion");
await lines();
await finish();
