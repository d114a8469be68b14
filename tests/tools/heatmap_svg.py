#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Parses SVG files strictly and looks for anything that could run or load: one script of our own, no handlers, no links.

usage: svg_check.py FILE…
"""
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "style", "rect", "text", "tspan", "g", "path", "script"}

for path in sys.argv[1:]:
    root = ET.parse(path).getroot()
    if root.tag != SVG + "svg":
        sys.exit(f"{path}: the root is {root.tag}")
    for e in root.iter():
        tag = e.tag.removeprefix(SVG)
        if tag not in TAGS:
            sys.exit(f"{path}: there is a <{tag}>")
        for name, value in e.attrib.items():
            if name.startswith("on") or "href" in name or "javascript:" in value.lower():
                sys.exit(f"{path}: <{tag} {name}={value!r}>")
    if len(root.findall(f".//{SVG}script")) != 1:
        sys.exit(f"{path}: there is not one script")
