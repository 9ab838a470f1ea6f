#!/usr/bin/env python3
"""Runs, on any machine, what decides something on Apple's systems only: Sources/GlobalData/File/DarwinCalls.swift.

    darwin_run.py [PLATFORM...]

The file is compiled for this machine, with the stand-ins for Darwin's C library that lie in the folder of this script's name: they
answer as the table of cases there says, and record what was asked. It is run as on each platform, or on those that are named. That
the real library has what the stand-ins have is for darwin_typecheck.py to check.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from darwin_typecheck import CONFIGURATION, FILE, PLATFORMS, assuming, enumeration, run  # noqa: E402


def main():
    platforms = sys.argv[1:] or list(PLATFORMS)
    root = pathlib.Path(__file__).resolve().parent.parent
    calls = (root / FILE / "DarwinCalls.swift").read_text()
    for there in ("#if canImport(Darwin)\n", "\nimport Foundation\n"):
        if calls.count(there) != 1:
            sys.exit(f"error: DarwinCalls.swift has {there.strip()!r} not once: bring this script up to date")
    # The stand-ins are in place of the library, and hide nothing: what has none does not compile.
    calls = calls.replace("import Foundation\n", "")
    types = "package enum GlobalData {\n" + enumeration(root / CONFIGURATION, "FileProtection") + "}\n" + "".join(
        enumeration(root / FILE / "FileStatus.swift", name) for name in ("SyncStrength", "NameComparison"))
    sources = {"DarwinCalls.swift": calls, "Types.swift": types} | {
        path.name: path.read_text() for path in sorted(pathlib.Path(__file__).with_suffix("").glob("*.swift"))}
    failed = False
    for platform in platforms:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            for name, text in sources.items():
                text = assuming("canImport(Darwin)", text)
                (folder / name).write_text(assuming(PLATFORMS[platform], text))
            run("swiftc", "-swift-version", "6", "-parse-as-library", "-package-name", "GlobalData", "-warnings-as-errors",
                "-wmo", "-Onone", "-module-name", "Checked", "-o", str(folder / "cases"),
                *(str(folder / name) for name in sources))
            result = subprocess.run([folder / "cases"], capture_output=True, text=True)
            print(f"{platform}: {(result.stdout + result.stderr).strip()}")
            failed |= result.returncode != 0 or not result.stdout.endswith(" cases, 0 of them failed\n")
    sys.exit(1 if failed else 0)


main()
