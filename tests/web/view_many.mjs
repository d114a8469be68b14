// SPDX-License-Identifier: GPL-2.0-or-later
//
// Opens the pages that view_many.sh has made: their views come without an error.
import { check, finish, openView, same, settle } from "./browser.mjs";

const press = async (page, key) => {
	await page.keyboard.press(key);
	await settle(page);
};

const functions = await openView("functions.html");
await press(functions, "3");
check((await functions.textContent("#panel-up .row:first-child")).includes("f"), "bottom-up begins at a function");
same(await functions.$eval("#panel-up .body", e => Math.round(e.getBoundingClientRect().height / e.firstChild.getBoundingClientRect().height) >= 140000), true, "and has all of them");
await functions.close();

const threads = await openView("threads.html");
same(await threads.textContent(".counts"), "140,000 samples", "all samples");
check((await threads.getAttribute(".line", "title")).includes("(140000 threads)"), "their process is the first row");
await press(threads, "t");
await press(threads, "ArrowRight");
await press(threads, "ArrowDown");
await press(threads, "Enter");
same(await threads.textContent(".counts"), "1 sample", "one of its threads is chosen");
await threads.close();
await finish();
