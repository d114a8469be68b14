// SPDX-License-Identifier: GPL-2.0-or-later
//
// A page as a reader sees it who has just opened it in a window of this size: node photograph.mjs FILE PNG WIDTH HEIGHT [light|dark [#HASH [STEP…]]]
// A step is a key (Enter), a text that is typed (type:find), or a button that is clicked, by the beginning of its text (click:Show where).
import { drawn, finish, open, settle } from "./browser.mjs";

const [file, png, width, height, colorScheme = "light", hash = "", ...steps] = process.argv.slice(2);
const page = await open(file, { viewport: { width: Number(width), height: Number(height) }, colorScheme, hash });
// A viewer's page unpacks its profile first.
if (await page.evaluate(() => document.body?.classList.contains("assay-view")))
	await drawn(page);
for (const step of steps) {
	const [, kind, text] = step.match(/^(type|click):(.*)/) || [null, "key", step];
	await (kind === "type" ? page.keyboard.type(text) : kind === "click" ? page.click(`button:visible:has-text("${text}")`) : page.keyboard.press(text));
	await settle(page);
}
await page.screenshot({ path: png });
await finish();
