// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page kit, as far as SVG pictures and HTML documents share it: elements and keys. Names reach the document as text nodes only.
const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";

function make(ns, tag, attributes, ...children) {
	const e = document.createElementNS(ns, tag);
	for (const [key, value] of Object.entries(attributes || {}))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

// Keys: actions by name ("n", "Escape", "Ctrl-f"). One that returns false leaves the key to the browser.
function onKeys(target, actions) {
	target.addEventListener("keydown", e => {
		const action = actions[e.ctrlKey || e.metaKey ? "Ctrl-" + e.key.toLowerCase() : e.key];
		if (action && !e.altKey && action(e) !== false)
			e.preventDefault();
	});
}
