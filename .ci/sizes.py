#!/usr/bin/env python3
"""Checks the sizes of the programs of Examples/Sizes against the budgets in a file, and runs each program.

    .ci/sizes.py BUDGETS.json [--record]

A size is the size of the stripped program without that of `Nothing`, which has no store, in bytes: what the products add to an app.
For `OneKey`, the script also counts the specialized copies of the coder's generic functions, because they make a coder large. The results do not
depend on the machine's load, but on the compiler: budgets apply to the compiler that they name, and with another one they are only printed.
`OneKey` is also linked statically with the standard library and the parts of Foundation that it uses, as for Linux without Swift. That size is the
whole program's, and shows if a part of the library links all of Foundation, and ICU with it. `RareTypes` shows, in both forms, that Foundation
types that the library does not link are stored and read if the program links them.
SIZES_BUILD in the environment is the folder of the build. With --record, the file gets the measured values plus one percent.
"""

import json
import os
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
    """Returns a tool of the toolchain, which need not be in the path."""
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
    """Returns the number of specialized copies of functions that KeyedArchive declares."""
    symbols = [line.split()[-1] for line in output("nm", program).splitlines()]
    names = subprocess.run(
        [toolchain("swift-demangle"), "--compact"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    return sum(1 for name in names.splitlines() if re.search(r"(generic|function signature) specialization .* of .*KeyedArchive\.", name))


def measure():
    package = ["swift", "build", "--package-path", str(ROOT / "Examples/Sizes"), "-c", "release"]
    if "SIZES_BUILD" in os.environ:
        package += ["--scratch-path", os.environ["SIZES_BUILD"]]
    subprocess.run(package, check=True)
    bin = pathlib.Path(output(*package, "--show-bin-path").strip())
    with tempfile.TemporaryDirectory() as folder:
        nothing = stripped_size(bin / "Nothing", folder)
        figures = {name: stripped_size(bin / name, folder) - nothing for name in PROGRAMS}
        figures[STATIC] = stripped_size(linked_statically(bin, "OneKey", folder), folder)
        for rare in [bin / "RareTypes", linked_statically(bin, "RareTypes", folder)]:
            stripped_size(rare, folder)
    return figures | {COPIES: copies(bin / "OneKey")}


# The dependencies of the static libraries. The compiler records them only in objects that it compiles for static linking.
STATIC_LIBRARIES = ["_FoundationCollections", "_FoundationCShims", "CoreFoundation", "_FoundationICU", "swiftSynchronization"]


def linked_statically(bin, product, folder):
    """Links the existing objects with the runtime and the libraries: compiling them again would take another minute."""
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
