#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes an HTML page of a terminal's screen, as `tmux capture-pane -e -p` writes it: text with SGR sequences, no others.

Usage: terminal_html.py COLUMNS ROWS < SCREEN > PAGE. Prints the size of the page in pixels, WIDTH,HEIGHT, on standard error.
"""
import html
import re
import sys

COLOURS = ["#1c1f24", "#e06c60", "#8fbf6b", "#d9b45b", "#6ea3dd", "#bd86d6", "#5db8b8", "#d5d8dd"]
BRIGHT = ["#5f6670", "#ff8f84", "#a9d989", "#f2d07f", "#8fbdf2", "#d6a5ec", "#83d3d3", "#ffffff"]
GROUND, TEXT = "#16181c", "#c9cdd3"
FONT_PX, LINE_PX, MARGIN_PX = 13, 17, 8
ADVANCE = 0.60205 * FONT_PX  # of DejaVu Sans Mono


class Style:
    def __init__(self):
        self.text = self.ground = None
        self.bold = self.faint = self.reverse = False

    def take(self, codes):
        numbers = [int(c) for c in codes.split(";") if c] or [0]
        for n in numbers:
            if n == 0:
                self.__init__()
            elif n in (1, 2, 7):
                setattr(self, {1: "bold", 2: "faint", 7: "reverse"}[n], True)
            elif n == 22:
                self.bold = self.faint = False
            elif n == 27:
                self.reverse = False
            elif 30 <= n <= 39:
                self.text = COLOURS[n - 30] if n < 38 else None
            elif 40 <= n <= 49:
                self.ground = COLOURS[n - 40] if n < 48 else None
            elif 90 <= n <= 97:
                self.text = BRIGHT[n - 90]

    def css(self):
        text, ground = self.text or TEXT, self.ground or GROUND
        if self.reverse:
            text, ground = ground, text
        parts = [f"color:{text}"]
        if ground != GROUND:
            parts.append(f"background:{ground}")
        if self.bold:
            parts.append("font-weight:bold")
        if self.faint:
            parts.append("opacity:.65")
        return ";".join(parts)


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    style, lines = Style(), []
    for line in sys.stdin.read().split("\n")[:rows]:
        spans = []
        for i, part in enumerate(re.split(r"\x1b\[([0-9;]*)m|\x0e|\x0f", line)):
            if i % 2:
                style.take(part or "")
            elif part:
                spans.append(f'<span style="{style.css()}">{html.escape(part)}</span>')
        lines.append("".join(spans))
    width, height = round(columns * ADVANCE) + 2 * MARGIN_PX, rows * LINE_PX + 2 * MARGIN_PX
    # A layer of its own has letters in shades of one colour: half the bytes of a picture.
    print(
        '<!DOCTYPE html><meta charset="utf-8"><style>'
        f"body{{margin:0;padding:{MARGIN_PX}px;background:{GROUND}}}"
        f"pre{{margin:0;will-change:transform;font:{FONT_PX}px/{LINE_PX}px 'DejaVu Sans Mono',monospace}}"
        f"span{{display:inline-block;height:{LINE_PX}px;vertical-align:top}}</style><pre>" + "\n".join(lines) + "</pre>"
    )
    print(f"{width},{height}", file=sys.stderr)


main()
