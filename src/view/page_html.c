/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page kit of HTML documents. Scripts and styles are let in by a random word, which what is in a recording cannot know; nothing else is loaded
 * from anywhere.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "view/page.h"

static void make_nonce(char *nonce)
{
	uint64_t words[2];

	if (getrandom(words, sizeof(words), GRND_NONBLOCK) != sizeof(words)) {
		words[0] = hash_mix(hash_secret[0], hash_secret[1]);
		words[1] = hash_mix(hash_secret[2], hash_secret[3]);
	}
	snprintf(nonce, PAGE_NONCE_SIZE, "%016llx%016llx", (unsigned long long)words[0], (unsigned long long)words[1]);
}

void page_html_begin(struct page_html *p, struct out *o, const char *kind, const char *title)
{
	make_nonce(p->nonce);
	out_printf(
		o,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
		p->nonce, p->nonce);
	svg_text(o, title, strlen(title));
	out_printf(o, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style nonce=\"%s\">\n", p->nonce);
	page_asset(o, "page.css");
	snprintf(p->style, sizeof(p->style), "%s.css", kind);
	page_asset(o, p->style);
	out_printf(o, "</style>\n</head>\n<body class=\"assay-page assay-%s\">\n<noscript>This page is drawn by its script.</noscript>\n",
		   kind);
}

void page_html_end(struct page_html *p, struct out *o, const char *const *files)
{
	out_printf(o, "<script nonce=\"%s\">\n(() => {\n\"use strict\";\n", p->nonce);
	page_asset(o, "page_dom.js");
	for (; *files; files++)
		page_asset(o, *files);
	out_str(o, "})();\n</script>\n</body>\n</html>\n");
}
