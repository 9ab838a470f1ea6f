#!/usr/bin/env python3
"""Draws a light and a dark plot for each table in the benchmark's JSON.

    python3 Examples/Benchmarks/plots.py results.json FOLDER

A table by size becomes lines, and any other table bars. Times have a logarithmic scale. Needs only Python's standard library.
"""

import json
import math
import os
import re
import sys
from xml.sax.saxutils import escape

themes = {
    "light": {"back": "#ffffff", "text": "#1f2328", "grid": "#d8dee4", "appending": "#f0642d", "rewriting": "#7c2d12"},
    "dark": {"back": "#0d1117", "text": "#e6edf3", "grid": "#30363d", "appending": "#f0642d", "rewriting": "#fed7aa"},
}
floor = "#8b949e"
others = ["#2f81f7", "#3fb950", "#a371f7", "#d29922", "#db61a2", "#1b9aaa", "#7d8590", "#b35900", "#6e40c9", "#57ab5a"]
dashes = {"power cut": "", "power cut, maybe older": "7 4", "synced in place": "7 4", "kill only": "2 4"}


class Drawing:
    def __init__(self, width, height, theme):
        self.theme = theme
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="{theme["back"]}"/>',
        ]

    def text(self, x, y, text, anchor="start", size=12, color=None):
        color = color or self.theme["text"]
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{color}">{escape(text)}</text>')

    def line(self, points, color, width=1.0, dash=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-dasharray="{dash}"/>')

    def bar(self, x, y, width, height, color):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{color}"/>')

    def finish(self):
        return "\n".join(self.parts + ["</svg>", ""])


def colors(rows, theme):
    rest = iter(others * len(rows))
    result = {}
    for row in rows:
        name = row["name"]
        ours = theme["rewriting" if "rewriting" in name else "appending"]
        result[name] = ours if name.startswith("GlobalData") else floor if name.startswith("floor") else next(rest)
    return result


def spread(positions, distance):
    """Moves ascending positions apart to at least a distance, by as little as possible."""
    groups = []
    for position in positions:
        groups.append([position, 1])  # the middle of a group, and its size
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < distance * (groups[-1][1] + groups[-2][1]) / 2:
            (middle, count), (other, more) = groups[-2:]
            groups[-2:] = [[(middle * count + other * more) / (count + more), count + more]]
    return [middle + distance * (i - (count - 1) / 2) for middle, count in groups for i in range(count)]


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def lines(table, theme):
    """Draws a line for each row over the sizes, which are the columns."""
    sizes = [int(column) for column in table["columns"]]
    rows = [row for row in table["rows"] if any(row["cells"])]
    low, high = decades([cell["median"] for row in rows for cell in row["cells"] if cell])
    left, top, width, height = 70, 50, 520, max(360, 17 * len(rows))
    drawing = Drawing(left + width + 300, top + height + 50, theme)

    def x(size):
        return left + width * math.log10(size / sizes[0]) / math.log10(sizes[-1] / sizes[0])

    def y(value):
        return top + height * (high - math.log10(value)) / max(high - low, 1)

    drawing.text(left, 26, f'{table["title"]}, {table["unit"]}', size=15)
    for exponent in range(low, high + 1):
        drawing.line([(left, y(10**exponent)), (left + width, y(10**exponent))], theme["grid"])
        drawing.text(left - 8, y(10**exponent) + 4, number(10**exponent), "end")
    for size in sizes:
        drawing.text(x(size), top + height + 20, f"{size:,}", "middle")
    labels = []
    for row, color in ((row, colors(rows, theme)[row["name"]]) for row in rows):
        points = [(x(size), y(cell["median"])) for size, cell in zip(sizes, row["cells"]) if cell]
        drawing.line(points, color, 2.4 if row["name"].startswith("GlobalData") else 1.6, dashes.get(row.get("survives") or "", ""))
        labels.append((points[-1][1], points[-1][0], row["name"], color))
    labels.sort()
    for place, (end, start, name, color) in zip(spread([label[0] for label in labels], 16), labels):
        drawing.line([(start + 3, end), (left + width + 3, end), (left + width + 12, place)], color, 0.5)  # leads to the label
        drawing.text(left + width + 14, place + 4, name, color=color)
    drawing.text(left, top + height + 42, "solid: survives a power cut; dashed: perhaps an older state; dotted: a kill only")
    return drawing.finish()


def bars(table, theme):
    """Draws a group of bars for each column."""
    left, width, top = 310, 480, 50
    rows = [row for row in table["rows"] if any(row["cells"])]
    low, high = decades([cell["median"] for row in rows for cell in row["cells"] if cell])
    groups = [(column, [(row, row["cells"][i]) for row in rows if row["cells"][i]]) for i, column in enumerate(table["columns"])]
    height = sum(34 + 20 * len(cells) for _, cells in groups)
    drawing = Drawing(left + width + 80, top + height + 10, theme)
    drawing.text(16, 26, f'{table["title"]}, {table["unit"]}', size=15)
    y = top
    for column, cells in groups:
        y += 22
        drawing.text(16, y, column, size=13)
        for row, cell in cells:
            y += 20
            length = width * (math.log10(cell["median"]) - low + 0.05) / (high - low + 0.05)
            drawing.text(left - 8, y, row["name"], "end")
            drawing.bar(left, y - 11, max(length, 2), 14, colors(rows, theme)[row["name"]])
            drawing.text(left + length + 6, y, number(cell["median"]))
        y += 12
    return drawing.finish()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, folder = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        report = json.load(file)
    os.makedirs(folder, exist_ok=True)
    for table in report["tables"]:
        if not any(any(row["cells"]) for row in table["rows"]):
            continue
        over_sizes = len(table["columns"]) > 2 and all(column.isdigit() for column in table["columns"])
        name = re.sub(r"[^a-z0-9]+", "-", table["title"].lower()).strip("-")
        for theme, palette in themes.items():
            path = os.path.join(folder, f"{name}-{theme}.svg")
            with open(path, "w", encoding="utf-8") as file:
                file.write((lines if over_sizes else bars)(table, palette))
            print(path)


main()
