#!/usr/bin/env python3
"""Draws the pictures of the article "How a store works", the path of a write and the layout of a file, light and dark.

    python3 Scripts/drawings.py Sources/GlobalData/GlobalData.docc/Resources
"""

import os
import sys
from xml.sax.saxutils import escape

themes = {
    "": {"back": "#ffffff", "text": "#1f2328", "soft": "#59636e", "line": "#8b949e", "box": "#f6f8fa", "edge": "#d1d9e0",
         "accent": "#f0642d", "good": "#1a7f37", "bad": "#cf222e"},
    "~dark": {"back": "#0d1117", "text": "#e6edf3", "soft": "#9198a1", "line": "#6e7681", "box": "#161b22", "edge": "#3d444d",
              "accent": "#ff8a57", "good": "#3fb950", "bad": "#ff7b72"},
}


class Drawing:
    def __init__(self, width, height, theme, title):
        self.theme = theme
        color = theme["line"]
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
            f"<title>{escape(title)}</title>",
            f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            f'<path d="M0,0 L8,4 L0,8 z" fill="{color}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="{theme["back"]}"/>',
        ]

    def text(self, x, y, text, color="text", size=13, anchor="middle", weight="normal", family="sans-serif"):
        self.parts.append(
            f'<text x="{x}" y="{y}" fill="{self.theme[color]}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}" font-family="{family}">{escape(text)}</text>')

    def box(self, x, y, width, height, lines, edge="edge", code=False, dashed=False):
        """Draws a box with lines of text in its middle. If there are several, the first one is emphasized."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{self.theme["box"]}" '
            f'stroke="{self.theme[edge]}" stroke-width="1.5"{dash}/>')
        top = y + height / 2 - (len(lines) - 1) * 8.5 + 4.5
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + 17 * number, line, "text" if number == 0 else "soft", 13 if number == 0 else 12,
                      family="monospace" if code and number == 0 else "sans-serif")

    def arrow(self, *points):
        path = " ".join(f"{x},{y}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{self.theme["line"]}" stroke-width="1.5" marker-end="url(#tip)"/>')

    def line(self, *points):
        path = " ".join(f"{x},{y}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{self.theme["edge"]}" stroke-width="1"/>')

    def finish(self):
        return "\n".join(self.parts + ["</svg>", ""])


def write_path(theme):
    drawing = Drawing(800, 415, theme, "The way of a write through a store")
    lanes = [(20, "Your tasks"), (285, "The store’s own thread"), (550, "The disk")]
    for x, title in lanes:
        drawing.text(x + 115, 30, title, weight="bold", size=15)
    for x in (267, 532):
        drawing.line((x, 45), (x, 325))

    def box(lane, row, *lines, **style):
        drawing.box(lanes[lane][0], 50 + row * 72, 230, 52, lines, **style)

    box(0, 0, "await set(car, forKey: …)", "any number of tasks at once", code=True)
    box(0, 1, "Encode", "an error here touches nothing")
    box(0, 2, "Queue", "in the order of the calls")
    box(1, 2, "Take all that is queued", "one commit for many callers")
    box(1, 1, "Lock", "other processes wait, readers never")
    box(1, 0, "Merge", "what another process wrote since")
    box(2, 0, "Write a temporary file", "unchanged entries are copied")
    box(2, 1, "fsync", "its bytes are on disk")
    box(2, 2, "rename", "the one moment that counts", edge="accent")
    box(2, 3, "fsync the folder", "its name is on disk")
    box(1, 3, "Publish", "now readers see the new values", edge="good")
    box(0, 3, "The call returns", "the value is stored", edge="good")

    def middle(lane, row):
        return 50 + row * 72 + 26

    for row in (0, 1):
        drawing.arrow((135, 102 + row * 72), (135, 120 + row * 72))
        drawing.arrow((665, 102 + row * 72), (665, 120 + row * 72))
    drawing.arrow((250, middle(0, 2)), (283, middle(0, 2)))
    drawing.arrow((400, 194), (400, 176))
    drawing.arrow((400, 122), (400, 104))
    drawing.arrow((515, middle(1, 0)), (548, middle(1, 0)))
    drawing.arrow((665, 246), (665, 264))
    drawing.arrow((550, middle(2, 3)), (517, middle(2, 3)))
    drawing.arrow((285, middle(1, 3)), (252, middle(1, 3)))

    drawing.box(20, 340, 760, 56, [
        "A failure before the rename: the temporary file is removed, and file and memory stay as they were.",
        "The call throws and says what failed. A power cut at any moment leaves the whole old file or the whole new one."],
        edge="bad", dashed=True)
    return drawing.finish()


def file_layout(theme):
    drawing = Drawing(800, 430, theme, "What is in a file")
    drawing.text(20, 30, "The archive: one CBOR item, written as a whole", anchor="start", weight="bold", size=15)
    row = [(20, 86, ["name", "“GlobalData”"]), (110, 58, ["format", "1"]), (172, 66, ["identity", "a UUID"]),
           (242, 88, ["generation", "+1 a commit"]), (334, 88, ["length", "of the entries"]), (426, 86, ["checksum", "of the head"]),
           (516, 80, ["entry", "“user”"]), (600, 84, ["entry", "…"]), (688, 92, ["checksum", "of the whole"])]
    for x, width, lines in row:
        drawing.box(x, 45, width, 54, lines, edge="accent" if lines[0] == "entry" else "good" if lines[0] == "checksum" else "edge")

    drawing.text(20, 150, "An entry: found, checked and copied without looking at the others", anchor="start", weight="bold", size=15)
    drawing.box(20, 165, 110, 54, ["key", "“car”"])
    drawing.box(134, 165, 110, 54, ["length", "27 bytes"])
    drawing.box(248, 165, 130, 54, ["checksum", "of key and value"], edge="good")
    drawing.box(382, 165, 398, 54, ["the value in CBOR, with the name of its type", "27([\"CarInfo\", {\"carID\": \"40211\", …}])"])

    drawing.text(20, 270, "After it, where a store appends: one item for each commit", anchor="start", weight="bold", size=15)
    drawing.box(20, 285, 168, 54, ["the archive", "as above"])
    drawing.box(192, 285, 190, 54, ["a change", "set “visits”"], edge="accent")
    drawing.box(386, 285, 190, 54, ["a change", "removed “draft”, set “car”"], edge="accent")
    drawing.box(580, 285, 200, 54, ["zeros", "room for the next one"], dashed=True)
    drawing.text(20, 368, "Each change has a head like the archive, and the checksum of what stands before it. One of which a part was", "soft",
                 anchor="start")
    drawing.text(20, 387, "never written, because the power failed, counts for nothing: it was never acknowledged.", "soft",
                 anchor="start")
    drawing.text(20, 410, "Before the file takes twice the room of what it holds, and 64 KiB, it is rewritten.", "soft", anchor="start")
    return drawing.finish()


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, draw in (("write-path", write_path), ("file-layout", file_layout)):
        for suffix, theme in themes.items():
            with open(os.path.join(folder, f"{name}{suffix}.svg"), "w") as file:
                file.write(draw(theme))


main()
