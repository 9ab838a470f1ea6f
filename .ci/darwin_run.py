#!/usr/bin/env python3
"""Runs code that makes decisions only on Apple's systems, on any machine.

    darwin_run.py [PLATFORM... | activity]

Sources/GlobalData/File/DarwinCalls.swift is compiled for this machine, with the stand-ins for Darwin's C library that lie in the folder
of this script's name: they answer as the table of cases there says, and record what was asked. It is run as on each platform, or on
those that are named. That the real library has what the stand-ins have is for darwin_typecheck.py to check.

`activity` is Sources/GlobalData/File/ExpiringActivity.swift, with a stand-in for the call of Foundation that keeps an app running.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from darwin_typecheck import CONFIGURATION, FILE, PLATFORMS, assuming, enumeration, run  # noqa: E402


ACTIVITY = "activity"


def main():
    platforms = sys.argv[1:] or [*PLATFORMS, ACTIVITY]
    root = pathlib.Path(__file__).resolve().parent.parent
    failed = ACTIVITY in platforms and not run_activity(root)
    platforms = [platform for platform in platforms if platform != ACTIVITY]
    sys.exit(1 if not run_calls(root, platforms) or failed else 0)


def run_activity(root):
    path = root / FILE / "ExpiringActivity.swift"
    # Whatever systems the condition names, it is met.
    text, conditions = re.subn(r"#if os\(.*", "#if true", path.read_text())
    if conditions != 1:
        sys.exit("error: ExpiringActivity.swift has not one condition: bring this script up to date")
    locked = (root / "Sources/CodingSupport/Locked.swift").read_text()
    lock = (root / "Sources/CodingSupport/SystemLock.swift").read_text().replace("import FoundationCore\n", "import Foundation\n")
    sources = {"ExpiringActivity.swift": text.replace("import CodingSupport\n", "").replace("import FoundationCore\n", "import Foundation\n"),
               "Locked.swift": locked, "SystemLock.swift": lock,
               "Cases.swift": (root / ".ci/darwin_activity/Cases.swift").read_text()}
    return compile_and_run(ACTIVITY, sources)


def run_calls(root, platforms):
    calls = (root / FILE / "DarwinCalls.swift").read_text()
    for there in ("#if canImport(Darwin)\n", "\nimport FoundationCore\n"):
        if calls.count(there) != 1:
            sys.exit(f"error: DarwinCalls.swift has {there.strip()!r} not once: bring this script up to date")
    # The stand-ins are in place of the library, and hide nothing: what has none does not compile.
    calls = calls.replace("import FoundationCore\n", "")
    types = "package enum GlobalData {\n" + enumeration(root / CONFIGURATION, "FileProtection") + "}\n" + "".join(
        enumeration(root / FILE / "FileStatus.swift", name) for name in ("SyncStrength", "NameComparison"))
    sources = {"DarwinCalls.swift": calls, "Types.swift": types} | {
        path.name: path.read_text() for path in sorted(pathlib.Path(__file__).with_suffix("").glob("*.swift"))}
    outcomes = [
        compile_and_run(platform, {
            name: assuming(PLATFORMS[platform], assuming("canImport(Darwin)", text)) for name, text in sources.items()})
        for platform in platforms]
    return all(outcomes)


def compile_and_run(what, sources):
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        for name, text in sources.items():
            (folder / name).write_text(text)
        run("swiftc", "-swift-version", "6", "-parse-as-library", "-package-name", "GlobalData", "-warnings-as-errors",
            "-wmo", "-Onone", "-module-name", "Checked", "-o", str(folder / "cases"), *(str(folder / name) for name in sources))
        result = subprocess.run([folder / "cases"], capture_output=True, text=True, timeout=120)
        print(f"{what}: {(result.stdout + result.stderr).strip()}")
        return result.returncode == 0 and result.stdout.endswith(" cases, 0 of them failed\n")


main()
