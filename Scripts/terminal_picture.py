#!/usr/bin/env python3
"""Draws the terminal output of commands, light and dark: runs each command on a terminal, and copies its text and colours.

    python3 Scripts/terminal_picture.py PICTURE COMMAND...

Each command is a line for the shell. Writes PICTURE.svg and PICTURE~dark.svg, as DocC names them. Python's standard library only.
"""

import os
import pty
import re
import subprocess
import sys
from xml.sax.saxutils import escape

themes = {
    "light": {"back": "#ffffff", "edge": "#d1d9e0", "text": "#1f2328", "prompt": "#59636e", "command": "#0550ae",
              "1": None, "2": "#59636e", "31": "#cf222e", "32": "#1a7f37", "33": "#9a6700", "36": "#0969da"},
    "dark": {"back": "#0d1117", "edge": "#3d444d", "text": "#e6edf3", "prompt": "#9198a1", "command": "#79c0ff",
             "1": None, "2": "#9198a1", "31": "#ff7b72", "32": "#3fb950", "33": "#d29922", "36": "#58a6ff"},
}
width, line_height, margin = 720, 20, 18


def output(command):
    """Returns the output of a command on a terminal. Exits if the command fails."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    parts = []
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # Linux reports a closed terminal in this way
            break
        if not part:
            break
        parts.append(part)
    os.close(controller)
    if process.wait() != 0:
        sys.exit(f"{command}: exit status {process.returncode}: {b''.join(parts).decode()}")
    return b"".join(parts).decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def spans(line, theme):
    """Returns a line as SVG, with the colours of its escape sequences."""
    result, codes = [], []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b["):
            asked = [code for code in piece[2:-1].split(";") if code not in ("", "0")]
            codes = codes + asked if asked else []
        elif piece:
            colors = [theme[code] for code in codes if theme.get(code)]
            weight = ' font-weight="bold"' if "1" in codes else ""
            result.append(f'<tspan fill="{colors[-1] if colors else theme["text"]}"{weight}>{escape(piece)}</tspan>')
    return "".join(result)


def picture(lines, theme):
    height = len(lines) * line_height + 2 * margin
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="{theme["back"]}" '
        f'stroke="{theme["edge"]}"/>',
    ]
    for number, (kind, line) in enumerate(lines):
        y = margin + number * line_height + 14
        if kind == "command":
            text = f'<tspan fill="{theme["prompt"]}">$ </tspan><tspan fill="{theme["command"]}">{escape(line)}</tspan>'
        else:
            text = spans(line, theme)
        if text:
            parts.append(f'<text x="{margin}" y="{y}" xml:space="preserve">{text}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lines = []
    for command in sys.argv[2:]:
        if lines:
            lines.append(("output", ""))
        lines.append(("command", command))
        lines += [("output", line) for line in output(command)]
    for name, theme in themes.items():
        with open(f"{sys.argv[1]}{'~dark' if name == 'dark' else ''}.svg", "w") as file:
            file.write(picture(lines, theme))


main()
