#!/usr/bin/env python3
"""Wraps comments and articles at 120 columns, which swift-format leaves to their writers.

    python3 Scripts/wrap.py [--check] FILE...

Wraps only paragraphs with a line that is too long. Keeps tables, text in columns, code, and words that are longer than a line. With --check,
changes nothing, and reports each such line as an error.
"""

import re
import sys

WIDTH = 120
# Text that would start another Markdown element at the beginning of a line.
OPENING = re.compile(r"([-+*>|]|#+|\d+[.)])$")

# Inline code is one word, including its spaces.
WORD = re.compile(r"(?:`[^`]*`|\S)+")

# Text in columns, such as the calls of a protocol with their reasons.
COLUMNS = re.compile(r"\S {3,}\S")


def filled(words, first, rest):
    """Returns words as lines. The first line begins with `first`, the others with `rest`."""
    lines, line = [], first + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > WIDTH and not OPENING.match(word):
            lines.append(line)
            line = rest + word
        else:
            line += " " + word
    return lines + [line]


def parts(line, is_swift):
    """Returns the prefix and the text of a line, or None if the line is not prose."""
    match = re.match(r"( *//+ ?)(.*)" if is_swift else r"()(.*)", line)
    return match and match.groups()


def wrapped(lines, is_swift):
    result, fence, index = [], False, 0
    while index < len(lines):
        found = parts(lines[index], is_swift)
        if found is None:
            fence = False
        elif found[1].lstrip().startswith("```"):
            fence = not fence
        if found is None or fence or not found[1].strip() or re.match(r"\s*(```|\||#|<|!\[|\{)", found[1]) or found[1].startswith("    ") or COLUMNS.search(found[1]):
            result.append(lines[index])
            index += 1
            continue
        prefix, text = found
        item = re.match(r"\s*(?:[-*] |\d+\. )?", text)[0]
        paragraph = [lines[index]]
        while index + len(paragraph) < len(lines):
            following = parts(lines[index + len(paragraph)], is_swift)
            if following is None or following[0].strip() != prefix.strip() or not following[1].strip():
                break
            if COLUMNS.search(following[1]):
                break
            if re.match(r"\s*([-*] |\d+\. |```|\||#|<|>|\([a-z]\) )", following[1]):
                break
            if not item.strip() and re.match(r"\s*", following[1])[0] != re.match(r"\s*", text)[0]:
                break
            paragraph.append(lines[index + len(paragraph)])
        if any(len(line) > WIDTH for line in paragraph):
            words = WORD.findall(" ".join([text[len(item):]] + [parts(line, is_swift)[1].strip() for line in paragraph[1:]]))
            result += filled(words, prefix + item, prefix + " " * len(item))
        else:
            result += paragraph
        index += len(paragraph)
    return result


def main():
    is_check = "--check" in sys.argv
    status = 0
    for name in sys.argv[1:]:
        if name == "--check":
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        new = wrapped(lines, name.endswith(".swift"))
        if new == lines:
            continue
        if is_check:
            status = 1
            line = next(i for i, (a, b) in enumerate(zip(lines, new), 1) if a != b)
            print(f"{name}:{line}: error: a comment or an article is wider than {WIDTH} columns; Scripts/format.sh wraps it")
        else:
            with open(name, "w", encoding="utf-8") as file:
                file.write("\n".join(new))
    return status


sys.exit(main())
