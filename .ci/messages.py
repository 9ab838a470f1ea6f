#!/usr/bin/env python3
"""Lists all messages of the library and the tool, to be read in one sitting, and compares them with the committed list.

    .ci/messages.py LIST [--record]

The list has the string literals of the sources with three words or more: errors, diagnostics, compiler messages, help. Joined literals are
one line, and interpolations appear as in the code. With --record, updates the list: read its diff.
Exit status: 0 they are equal, 1 they are not.
"""

import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def interpolation_end(text, start):
    """Returns the offset after the parenthesis that closes the one before an offset."""
    depth, offset = 1, start
    while depth:
        if text[offset] == '"':
            offset = literal(text, offset)[1]
            continue
        depth += {"(": 1, ")": -1}.get(text[offset], 0)
        offset += 1
    return offset


def literal(text, start):
    """Returns a literal of a line or of several, and the offset after it."""
    quotes = '"""' if text.startswith('"""', start) else '"'
    offset = start + len(quotes)
    while not text.startswith(quotes, offset):
        if text.startswith("\\(", offset):
            offset = interpolation_end(text, offset + 2)
        else:
            offset += 2 if text[offset] == "\\" else 1
    content = text[start + len(quotes):offset]
    if quotes == '"""':
        content = re.sub(r"\\\n\s*", "", content)
        content = "\n".join(line.strip() for line in content.strip().split("\n"))
    return content, offset + len(quotes)


def messages(text):
    """Returns the literals of a source, those that a `+` joins as one."""
    found, offset, end = [], 0, None
    while offset < len(text):
        if text.startswith("//", offset):
            offset = text.find("\n", offset)
            if offset < 0:
                break
        elif text.startswith("/*", offset):
            offset = text.index("*/", offset) + 2
        elif text[offset] == "#" and re.match(r'#+"', text[offset:]):
            hashes = re.match(r"#+", text[offset:])[0]
            offset = text.index('"' + hashes, offset + len(hashes) + 1) + 1 + len(hashes)  # raw: a pattern or a page
        elif text[offset] == '"':
            start = offset
            content, offset = literal(text, offset)
            if end is not None and text[end:start].strip() == "+":
                found[-1] += content
            else:
                found.append(content)
            end = offset
        else:
            offset += 1
    return [message for message in found if len(re.sub(r"\\\([^)]*\)", "x", message).split()) >= 3]


def main():
    lines = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        if "Page" in path.parts:
            continue  # the page's markup
        found = messages(path.read_text(encoding="utf-8"))
        if found:
            lines += ["", str(path.relative_to(ROOT / "Sources"))]
            lines += ["  " + message.replace("\n", "\n    ") for message in dict.fromkeys(found)]
    new = "\n".join(lines).strip() + "\n"
    committed = pathlib.Path(sys.argv[1])
    if "--record" in sys.argv:
        committed.write_text(new, encoding="utf-8")
    before = committed.read_text(encoding="utf-8")
    changes = [line for line in difflib.unified_diff(before.splitlines(), new.splitlines(), lineterm="", n=0)][2:]
    for line in changes:
        print(line)
    print(f"{sum(line.startswith('  ') for line in new.splitlines())} lines of messages")
    if changes:
        print(f"error: the messages differ from {committed.name}; if you intend this, update it with --record, and read the diff")
    return 1 if changes else 0


sys.exit(main())
