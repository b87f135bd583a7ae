#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Turns a terminal's screen into an SVG: its text and its colours.

tmux capture-pane -e -p -N | scripts/screen-svg.py [--columns N] [--lines N] [--title TEXT] >FILE.svg

Reads the lines of a screen with ANSI escape sequences for attributes (SGR); ignores other escape
sequences. Bars and sparklines (U+2581 to U+2588 and U+2591) become rectangles, so that the picture
does not depend on the font.
"""
import argparse
import re
import sys
import unicodedata
from xml.sax.saxutils import escape, quoteattr

CELL_WIDTH, CELL_HEIGHT, BASELINE, FONT_SIZE, MARGIN, TITLE_HEIGHT = 8, 18, 13, 13, 12, 28
FOREGROUND, BACKGROUND, FRAME = "#d8dee9", "#1e222a", "#3b4252"
PALETTE = [
    "#3b4252", "#bf616a", "#a3be8c", "#ebcb8b", "#81a1c1", "#b48ead", "#88c0d0", "#e5e9f0",
    "#4c566a", "#d08770", "#b5d19c", "#f2d8a0", "#9ab8d6", "#c9a8c4", "#a1d6e2", "#ffffff",
]
ESCAPE = re.compile(r"\x1b(?:\[([0-9;:]*)([A-Za-z])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()].|.)")
BLOCKS, SHADE = "▁▂▃▄▅▆▇█", "░"


class Style:
    """The attributes of a cell. Colours are None for the terminal's own."""

    def __init__(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.underline = self.reverse = False

    def key(self):
        return (self.fg, self.bg, self.bold, self.dim, self.underline, self.reverse)

    def colours(self):
        """Text colour, and the background's or None."""
        fg, bg = self.fg or FOREGROUND, self.bg
        return (bg or BACKGROUND, fg) if self.reverse else (fg, bg)

    def apply(self, codes):
        """Changes the style by the numbers of one SGR sequence."""
        codes = [int(c or 0) for c in codes.replace(":", ";").split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (1, 2, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code in (24, 27):
                setattr(self, {24: "underline", 27: "reverse"}[code], False)
            elif code in (38, 48):
                setattr(self, "fg" if code == 38 else "bg", extended_colour(codes))
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = PALETTE[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = PALETTE[code - 40 if code < 100 else code - 92]
            elif code in (39, 49):
                setattr(self, "fg" if code == 39 else "bg", None)


def extended_colour(codes):
    """Takes the rest of 38 or 48 from codes: 5;N of the 256 colours, or 2;R;G;B."""
    if codes and codes.pop(0) == 2:
        rgb, codes[:] = codes[:3], codes[3:]
        return "#%02x%02x%02x" % tuple(rgb) if len(rgb) == 3 else None
    n = codes.pop(0) if codes else 0
    if n < 16:
        return PALETTE[n]
    if n >= 232:
        return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3)
    steps = (0, 95, 135, 175, 215, 255)
    return "#%02x%02x%02x" % tuple(steps[(n - 16) // d % 6] for d in (36, 6, 1))


def cells(line, style):
    """Yields (column, character, style key, text colour, background) of a line, and goes on with
    the style of the line before, as capture-pane writes them."""
    column = at = 0
    while at < len(line):
        found = ESCAPE.match(line, at)
        if found:
            at = found.end()
            if found.group(2) == "m":
                style.apply(found.group(1))
            continue
        yield column, line[at], style.key(), *style.colours()
        column += 2 if unicodedata.east_asian_width(line[at]) in "WF" else 1
        at += 1


def runs(line, style):
    """Joins the cells of a line that look alike: (column, text, style key, colour, background)."""
    run = None
    for column, char, key, fg, bg in cells(line, style):
        if run and run[2] == key and run[0] + len(run[1]) == column:
            run[1] += char
            continue
        if run:
            yield run
        run = [column, char, key, fg, bg]
    if run:
        yield run


def rectangle(x, y, width, height, colour, opacity=1.0):
    faint = "" if opacity == 1 else f' fill-opacity="{opacity:g}"'
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}"{faint}/>'


def draw_bars(column, text, y, fg):
    """The block characters of a run; neighbours of one height are one rectangle."""
    for found in re.finditer("|".join(f"{c}+" for c in BLOCKS + SHADE), text):
        char, count = found.group()[0], len(found.group())
        eighths = BLOCKS.find(char) + 1
        height = (CELL_HEIGHT - 4) * (eighths or 8) / 8
        yield rectangle(MARGIN + (column + found.start()) * CELL_WIDTH, y + CELL_HEIGHT - 2 - height,
                        count * CELL_WIDTH, height, fg, 1.0 if eighths else 0.2)


def draw_text(column, text, y, key, fg):
    """The words of a run, each where its column is."""
    _, _, bold, dim, underline, _ = key
    look = (' font-weight="bold"' if bold else "") + (' fill-opacity="0.6"' if dim else "")
    for found in re.finditer(rf"[^\s{BLOCKS}{SHADE}]+(?: [^\s{BLOCKS}{SHADE}]+)*", text):
        word = found.group()
        x = MARGIN + (column + found.start()) * CELL_WIDTH
        yield (f'<text x="{x}" y="{y + BASELINE}" textLength="{len(word) * CELL_WIDTH}" '
               f'fill="{fg}"{look}>{escape(word)}</text>')
    if underline:
        yield rectangle(MARGIN + column * CELL_WIDTH, y + CELL_HEIGHT - 3,
                        len(text) * CELL_WIDTH, 1, fg, 0.5)


def draw(lines, columns, title):
    top = TITLE_HEIGHT if title else MARGIN
    width, height = columns * CELL_WIDTH + 2 * MARGIN, len(lines) * CELL_HEIGHT + top + MARGIN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title or "a screen")} '
           f'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" '
           f'font-size="{FONT_SIZE}">')
    yield (f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" '
           f'fill="{BACKGROUND}" stroke="{FRAME}"/>')
    if title:
        yield (f'<text x="{width / 2:g}" y="18" text-anchor="middle" fill="{FOREGROUND}" '
               f'fill-opacity="0.6">{escape(title)}</text>')
    style = Style()
    for number, line in enumerate(lines):
        y = top + number * CELL_HEIGHT
        for column, text, key, fg, bg in runs(line, style):
            text = text[:max(columns - column, 0)]
            if bg:
                yield rectangle(MARGIN + column * CELL_WIDTH, y, len(text) * CELL_WIDTH,
                                CELL_HEIGHT, bg)
            yield from draw_bars(column, text, y, fg)
            yield from draw_text(column, text, y, key, fg)
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=80, metavar="N")
    parser.add_argument("--lines", type=int, default=0, metavar="N", help="0: as many as come")
    parser.add_argument("--title", default="", metavar="TEXT")
    options = parser.parse_args()
    lines = sys.stdin.read().split("\n")
    if lines[-1] == "":
        lines.pop()
    if options.lines:
        lines = (lines + [""] * options.lines)[:options.lines]
    print("\n".join(draw(lines, options.columns, options.title)))


if __name__ == "__main__":
    main()
