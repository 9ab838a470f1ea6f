#!/usr/bin/env python3
"""Checks the sizes of the programs of Examples/Sizes against the budgets in a file, and runs each program.

    .ci/sizes.py BUDGETS.json [--record]

A size is that of the stripped program without that of `Nothing`, which has no store, in bytes: what the products add to an app.
For `OneKey` the specialised copies of the coder's generic functions are counted, too: they are what makes a coder large. Neither depends
on the machine's load; both depend on the compiler, so that the budgets are for the one that they name, and with another one are only shown.
`OneKey` is also linked with the standard library and what it uses of Foundation in it, as for Linux without Swift: that size is the whole
program's, and tells when something of the library brings all of Foundation, and ICU with it. `RareTypes` shows in both forms that the types
of Foundation that the library does not bring along are stored and read where the program brings them.
With --record, the file gets what was measured and one percent.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ["OneKey", "Collection", "Everything"]
STATIC = "OneKey, statically linked"
COPIES = "copies of the coder's functions"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def toolchain(name):
    """A tool of the toolchain, which need not be in the path."""
    resources = re.search(r'"runtimeResourcePath"\s*:\s*"(.*)"', output("swift", "-print-target-info"))[1]
    return str(pathlib.Path(resources) / "../../bin" / name)


def stripped_size(program, folder):
    copy = pathlib.Path(folder) / f"{program.name}-stripped"
    shutil.copy(program, copy)
    subprocess.run(["strip", copy], check=True)
    with tempfile.TemporaryDirectory() as home:
        subprocess.run([copy], check=True, stdout=subprocess.DEVNULL, timeout=60, env={"HOME": home, "TMPDIR": home})
    return copy.stat().st_size


def copies(program):
    """The number of specialised copies of functions that KeyedArchive declares."""
    symbols = [line.split()[-1] for line in output("nm", program).splitlines()]
    names = subprocess.run(
        [toolchain("swift-demangle"), "--compact"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    return sum(1 for name in names.splitlines() if re.search(r"(generic|function signature) specialization .* of .*KeyedArchive\.", name))


def measure():
    package = ["swift", "build", "--package-path", str(ROOT / "Examples/Sizes"), "-c", "release"]
    subprocess.run(package, check=True)
    bin = pathlib.Path(output(*package, "--show-bin-path").strip())
    with tempfile.TemporaryDirectory() as folder:
        nothing = stripped_size(bin / "Nothing", folder)
        figures = {name: stripped_size(bin / name, folder) - nothing for name in PROGRAMS}
        figures[STATIC] = stripped_size(linked_statically(bin, "OneKey", folder), folder)
        for rare in [bin / "RareTypes", linked_statically(bin, "RareTypes", folder)]:
            stripped_size(rare, folder)
    return figures | {COPIES: copies(bin / "OneKey")}


# What the static libraries need of each other. The compiler notes it in objects that it compiles for static linking, and not in these.
STATIC_LIBRARIES = ["_FoundationCollections", "_FoundationCShims", "CoreFoundation", "_FoundationICU", "swiftSynchronization"]


def linked_statically(bin, product, folder):
    """A program of the objects that were built, with the runtime and the libraries in it: compiling them again would take a minute more."""
    program = pathlib.Path(folder) / f"{product}-static"
    subprocess.run(
        ["swiftc", "-static-stdlib", f"@{bin / (product + '.product') / 'Objects.LinkFileList'}", "-Xlinker",
         f"--defsym=main={product}_main", *(f"-l{name}" for name in STATIC_LIBRARIES), "-o", str(program)], check=True)
    return program


def main(path, *options):
    path = pathlib.Path(path)
    compiler = re.search(r"Swift version \S+", output("swift", "--version"))[0]
    figures = measure()
    if options == ("--record",):
        budgets = {name: value + value // 100 for name, value in figures.items()}
        path.write_text(json.dumps({"compiler": compiler, "budgets": budgets}, indent=2) + "\n")
    recorded = json.loads(path.read_text())
    exceeded = []
    for name, value in figures.items():
        budget = recorded["budgets"][name]
        print(f"{name}: {value:,} of {budget:,}")
        if value > budget:
            exceeded.append(name)
    if recorded["compiler"] != compiler:
        print(f"skipped: the budgets are for {recorded['compiler']}, and this is {compiler}")
    elif exceeded:
        sys.exit(f"error: over budget: {', '.join(exceeded)}. If that is worth it, say why, and run this with --record.")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--record"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
