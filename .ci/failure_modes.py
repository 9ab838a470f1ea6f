"""Checks the table of failure modes: that their numbers have no gaps, and that their tests exist.

usage: failure_modes.py ARTICLE TESTS PROMISES

ARTICLE is the article with the table, TESTS the folder of the tests. A row begins with the mode's number. Its last column names tests as
`Suite/function`, or says why there are none. PROMISES is the article with the table of promises, each of which also names tests.
Exit status: 0 success, 1 failure, 2 usage error.
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\|\s*(\d+)\s*\|(.*)\|\s*$")
NAME = re.compile(r"`([A-Z]\w*)/(\w+)`")
# A suite at the beginning of a line, with everything up to the next one.
SUITE = re.compile(
    r"^(?:@\w+(?:\(.*\))?\s+)*(?:final )?(?:struct|class|enum|actor|extension) (\w+)(.*?)(?=^(?:@|\w+ .*\{$)|\Z)",
    re.MULTILINE | re.DOTALL)
TEST = re.compile(r"@Test\b[^{]*?\bfunc\s+(\w+)\s*\(", re.DOTALL)


def tests_below(folder):
    """Returns the tests as `Suite/function`."""
    return {
        f"{suite}/{function}"
        for path in folder.rglob("*.swift")
        for suite, text in SUITE.findall(path.read_text(encoding="utf-8"))
        for function in TEST.findall(text)
    }


def problems(article, tests):
    seen = {}
    for number, line in enumerate(article.splitlines(), 1):
        row = ROW.match(line)
        if not row:
            continue
        mode, columns = int(row[1]), [column.strip() for column in row[2].split("|")]
        if mode in seen:
            yield f"line {number}: mode {mode} is already in line {seen[mode]}"
        seen[mode] = number
        if len(columns) != 3 or not all(columns):
            yield f"line {number}: mode {mode} needs a failure, what the store does, and tests"
            continue
        named = NAME.findall(columns[2])
        if not named and not columns[2].startswith("None"):
            yield f"line {number}: mode {mode} names no test; write None and the reason"
        for suite, function in named:
            if f"{suite}/{function}" not in tests:
                yield f"line {number}: there is no test {suite}/{function}"
    for mode in range(1, max(seen, default=1) + 1):
        if mode not in seen:
            yield f"mode {mode} is missing"


def problems_of_promises(article, tests):
    """Checks that each row of the table, below its head and its rule, names existing tests."""
    rows = [(number, line) for number, line in enumerate(article.splitlines(), 1) if line.startswith("|")]
    for number, line in rows[2:]:
        named = NAME.findall(line.split("|")[-2])
        if not named:
            yield f"line {number}: a promise without a test"
        for suite, function in named:
            if f"{suite}/{function}" not in tests:
                yield f"line {number}: there is no test {suite}/{function}"
    if len(rows) < 3:
        yield "the table of promises is missing"


def main():
    words = sys.argv[1:]
    if len(words) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    article, promises = (Path(word).read_text(encoding="utf-8") for word in (words[0], words[2]))
    tests = tests_below(Path(words[1]))
    found = [f"{words[0]}: {problem}" for problem in problems(article, tests)]
    found += [f"{words[2]}: {problem}" for problem in problems_of_promises(promises, tests)]
    for problem in found:
        print(problem)
    print(f"{len(set(NAME.findall(article)))} tests named, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
