// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tools, title and tips in windows of several sizes, with scroll bars that take room, on the pictures that flame_window.sh has made.
import { check, finish, open, same, settle, showScrollBars } from "./browser.mjs";

const TITLE = `A title with <b>markup</b> & "quotes"`;
const boxOf = (page, selector) => page.evaluate(s => {
	const e = document.querySelector(s), { left, right, top, bottom } = e.getBoundingClientRect();
	return { left, right, top, bottom, text: e.textContent, room: document.documentElement.clientWidth, high: window.innerHeight };
}, selector);
const isIn = b => b.left >= 0 && b.right <= b.room + 0.5 && b.top >= 0 && b.bottom <= b.high && b.right > b.left;

async function stays(page, where) {
	await settle(page);
	for (const selector of [".tools input", ".tools button:last-child"]) {
		const box = await boxOf(page, selector);
		check(isIn(box), `${where}: ${selector} is out of the window: ${JSON.stringify(box)}`);
	}
	same((await boxOf(page, ".tools button:last-child")).text, "reset", `${where}: the last button`);
	const isFloating = await page.locator(".floating").count() > 0;
	const title = await boxOf(page, isFloating ? ".tools .heading b" : "text.title");
	check(title.text.startsWith("A title") && title.top >= 0 && title.left >= 0 && title.left < title.room, `${where}: the title is in sight: ${JSON.stringify(title)}`);
}

async function scrolled(file, viewport) {
	const page = await open(file, { viewport }), where = `${file} at ${viewport.width}x${viewport.height}`;
	await stays(page, `${where}, opened`);
	for (const [x, y] of [[0, 0], [900, 1000], [100000, 500], [100000, 100000], [0, 100000]]) {
		await page.evaluate(to => window.scrollTo(...to), [x, y]);
		// where the heading itself is seen, it is at the left end of the picture
		if (x === 0 || y > 0)
			await stays(page, `${where}, scrolled to ${x}, ${y}`);
	}
	await page.fill(".tools input", "fill_7");
	await stays(page, `${where}, searched`);
	check(/matched/.test(await page.textContent(".matched")), `${where}: the share is shown`);
	await page.click("button:has-text('reset')");
	same(await page.evaluate(() => document.querySelector(".tools input").value), "", `${where}: reset can be reached`);
	return page;
}

async function titles() {
	const page = await open("tall.svg");
	same(await page.textContent(".tools .heading b"), TITLE, "the title beside the tools is text");
	check((await page.textContent(".tools .heading")).endsWith("of ]]> things"), "with the subtitle");
	same(await page.locator(".tools b").count(), 1, "no markup comes of it");
	check(await page.isVisible(".tools .heading"), "shown where the heading is out of sight");
	await page.evaluate(() => window.scrollTo(0, 0));
	await settle(page);
	check(!await page.isVisible(".tools .heading"), "and not beside the heading itself");
}

// A tip is in the window, too, with the whole name.
async function tips() {
	const page = await open("wide.svg", { viewport: { width: 900, height: 700 } });
	await page.evaluate(() => window.scrollTo(1500, 100000));
	await settle(page);
	await page.mouse.move(850, 500);
	const tip = await boxOf(page, ".tip");
	check(isIn(tip), `the tip is in the window: ${JSON.stringify(tip)}`);
	check(/acme::shop::Shelf<acme::Box<int>>::fill_\d+/.test(tip.text), `the whole name: ${tip.text}`);
}

// A frame that the keyboard reaches is not below the tools.
async function keyboard() {
	const page = await open("tall.svg", { viewport: { width: 1000, height: 500 } });
	await page.focus("g[data-i='0']");
	for (let i = 0; i < 60; i++)
		await page.keyboard.press("ArrowUp");
	await settle(page);
	const [frame, tools] = [await boxOf(page, "g[data-i]:focus rect"), await boxOf(page, ".tools")];
	check(frame.top >= tools.bottom && frame.bottom <= 500, `the frame is in sight: ${JSON.stringify([frame, tools])}`);
}

showScrollBars();
for (const viewport of [{ width: 1280, height: 800 }, { width: 820, height: 600 }, { width: 375, height: 667 }])
	for (const file of ["tall.svg", "wide.svg", "wide-icicle.svg"])
		await scrolled(file, viewport);
await titles();
await tips();
await keyboard();
await finish();
