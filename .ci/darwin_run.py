#!/usr/bin/env python3
"""Runs code that makes decisions only on Apple's systems, on any machine.

    darwin_run.py [PLATFORM... | activity | watch]

Compiles Sources/GlobalData/File/DarwinCalls.swift for this machine, with the stand-ins for Darwin's C library in the folder with this script's
name: they answer by the table of cases there, and record the calls. Runs it as on each platform, or on the given ones. darwin_typecheck.py
checks that the real library has the functions of the stand-ins.

`activity` does the same for Sources/GlobalData/File/ExpiringActivity.swift, with a stand-in for Foundation's call that keeps an app running;
`watch` for Sources/GlobalData/Watching/FolderWatch+Darwin.swift, with stand-ins for Dispatch's sources and the calls that open files.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from darwin_typecheck import CONFIGURATION, FILE, PLATFORMS, assuming, enumeration, run  # noqa: E402


ACTIVITY = "activity"
WATCH = "watch"


def main():
    platforms = sys.argv[1:] or [*PLATFORMS, ACTIVITY, WATCH]
    root = pathlib.Path(__file__).resolve().parent.parent
    failed = ACTIVITY in platforms and not run_activity(root)
    failed = WATCH in platforms and not run_watch(root) or failed
    platforms = [platform for platform in platforms if platform not in (ACTIVITY, WATCH)]
    sys.exit(1 if not run_calls(root, platforms) or failed else 0)


def run_activity(root):
    path = root / FILE / "ExpiringActivity.swift"
    # The condition is met, whatever systems it names.
    text, conditions = re.subn(r"#if os\(.*", "#if true", path.read_text())
    if conditions != 1:
        sys.exit("error: ExpiringActivity.swift must have exactly one condition: update this script")
    locked = (root / "Sources/CodingSupport/Locked.swift").read_text()
    lock = (root / "Sources/CodingSupport/SystemLock.swift").read_text().replace("import FoundationCore\n", "import Foundation\n")
    sources = {"ExpiringActivity.swift": text.replace("import CodingSupport\n", "").replace("import FoundationCore\n", "import Foundation\n"),
               "Locked.swift": locked, "SystemLock.swift": lock,
               "Cases.swift": (root / ".ci/darwin_activity/Cases.swift").read_text()}
    return compile_and_run(ACTIVITY, sources)


def run_watch(root):
    folder = root / "Sources/GlobalData/Watching"
    watch = assuming("canImport(Darwin)", (folder / "FolderWatch+Darwin.swift").read_text())
    # The stand-ins replace both modules completely.
    for module in ("import Dispatch\n", "import FoundationCore\n"):
        watch = watch.replace(module, "")
    sources = {"FolderWatch+Darwin.swift": watch, "WatchedPath.swift": (folder / "WatchedPath.swift").read_text(),
               "Cases.swift": (root / ".ci/darwin_watch/Cases.swift").read_text()}
    return compile_and_run(WATCH, sources)


def run_calls(root, platforms):
    calls = (root / FILE / "DarwinCalls.swift").read_text()
    for there in ("#if canImport(Darwin)\n", "\nimport FoundationCore\n"):
        if calls.count(there) != 1:
            sys.exit(f"error: DarwinCalls.swift has {there.strip()!r} not exactly once: update this script")
    # The stand-ins replace the library completely: a call without a stand-in does not compile.
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
