#!/usr/bin/env python3
"""Checks the compiler's messages for mistakes in the use of the library, and that correct uses compile as fast as before.

    .ci/compile_errors.py FOLDER

FOLDER contains the modules of the build; `swift build --show-bin-path` prints it. Each line of compile_errors/wrong.swift with a comment
`// error: PATTERN` must have an error that the pattern matches, and no other line may have one. compile_errors/right.swift must compile
without any message. Both are compiled with a package's defaults, and with those of a new project in Xcode: on the main actor.
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
modes = {
    "Swift 6": [],
    "main actor by default": [
        "-default-isolation", "MainActor", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        "-enable-upcoming-feature", "InferIsolatedConformances"],
}
# Messages of the compiler that do not help.
never = re.compile("failed to produce diagnostic|reasonable time")
# A correct expression takes some milliseconds. With too many overloads, it took more than three thousand.
longest = 1500


def compiled(name, modules, options):
    """The errors and warnings of a file: number of the line, kind, text."""
    command = [
        "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", "-I", str(modules),
        "-I", str(root / "Sources/CLinux"), "-Xfrontend", f"-warn-long-expression-type-checking={longest}", *options, name]
    output = subprocess.run(
        command, cwd=root / ".ci/compile_errors", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    found = []
    for line in output.splitlines():
        if match := re.match(rf"{re.escape(name)}:(\d+):\d+: (error|warning): (.*)", line):
            found.append((int(match[1]), match[2], match[3]))
        elif re.match(r"(\S+:\d+(:\d+)?: |<unknown>: )?(fatal )?error: ", line):
            found.append((0, "error", line))
    return found


def failures(modules, options):
    """Returns the problems, and the number of mistakes that were checked."""
    lines = (root / ".ci/compile_errors/wrong.swift").read_text().splitlines()
    expected = {number: line.split("// error: ")[1] for number, line in enumerate(lines, 1) if "// error: " in line}
    said = {}
    for number, kind, text in compiled("wrong.swift", modules, options):
        if kind == "error":
            said.setdefault(number, []).append(text)
    for number in sorted(expected.keys() | said.keys()):
        texts = said.get(number, [])
        pattern = expected.get(number)
        source = lines[number - 1].split("  // error: ")[0].strip() if number else ""
        if pattern is None:
            yield f"wrong.swift:{number}: unexpected message: {source}", texts
        elif any(never.search(text) for text in texts) or not any(re.search(pattern, text) for text in texts):
            yield f"wrong.swift:{number}: expected an error with '{pattern}': {source}", texts
    for number, kind, text in compiled("right.swift", modules, options):
        yield f"right.swift:{number}: {kind}", [text]
    if len(expected) < 50:
        yield f"only {len(expected)} mistakes were found in wrong.swift", []


def main():
    modules = pathlib.Path(sys.argv[1]).resolve() / "Modules"
    # The option for the main actor by default exists from Swift 6.2 on.
    known = "-default-isolation" in subprocess.run(["swiftc", "-help"], stdout=subprocess.PIPE, text=True).stdout
    failed = False
    for mode, options in modes.items():
        if options and not known:
            print(f"skipped: {mode}: this compiler has no such option")
            continue
        found = list(failures(modules, options))
        for message, texts in found:
            print(f"error: {mode}: {message}")
            for text in texts or ["(nothing)"]:
                print(f"    the compiler says: {text}")
        failed = failed or bool(found)
        if not found:
            print(f"{mode}: all mistakes are reported, all correct uses compile")
    sys.exit(failed)


main()
