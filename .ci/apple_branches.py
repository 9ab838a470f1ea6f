#!/usr/bin/env python3
"""Builds the libraries on Linux as Apple's systems build them: with all of Foundation, and without FoundationEssentials.

    apple_branches.py [--mutations]

Copies the package to a temporary folder. There, the sources take the branches for Apple's systems that name no type or function which only these
have, and the modules `CoreGraphics` and `os` are stand-ins. Warnings are errors. This finds names that are ambiguous where all of Foundation is
visible, missing imports, and mistakes in the branches; darwin_typecheck.py checks those that call the C library. It runs nothing.

With --mutations, six of these branches are also compiled with an error, which must be found. This shows that the check can fail.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

# A file, the condition that the copy replaces, and what by. On Apple's systems, Foundation also exports the C library.
BRANCHES = [
    ("CodingSupport/SystemLog.swift", "#if canImport(os)", "#if true"),
    ("FoundationCore/FoundationCore.swift", "#if canImport(FoundationEssentials)", "@_exported public import Glibc\n#if false"),
    ("FoundationForms/Linking.swift", "#if canImport(FoundationEssentials)", "#if false"),
    ("GlobalData/File/POSIXSystemCalls+Backups.swift", "#if canImport(Darwin)", "#if true"),
    ("GlobalData/Store/SharedStore.swift", "#if canImport(Darwin)", "#if true"),
    ("KeyedArchive/Types/GeometryTypes.swift", "#if canImport(CoreGraphics)", "#if true"),
    ("KeyedArchive/Types/RareTypes+Apple.swift", "#if !canImport(FoundationEssentials)", "#if true"),
    ("KeyedArchive/Types/RareTypes+Linking.swift", "#if canImport(FoundationEssentials)", "#if false"),
]

# What an error is added to: a line of the branch, and the line with the error.
MUTATIONS = [
    ("CodingSupport/SystemLog.swift", "privacy: .public", "privacy: .published"),
    ("FoundationForms/Linking.swift", "\n  true\n", "\n  1\n"),
    ("GlobalData/File/POSIXSystemCalls+Backups.swift", "values.isExcludedFromBackup", "values.isExcludedFromBackups"),
    ("GlobalData/Store/SharedStore.swift", "Bundle.allFrameworks", "Bundle.frameworks"),
    ("KeyedArchive/Types/GeometryTypes.swift", "CGVector.self", "CGVectors.self"),
    ("KeyedArchive/Types/RareTypes+Apple.swift", ".self", ".itself"),
]

STAND_INS = {
    "CoreGraphics": """
public import Foundation

public struct CGVector: Codable, Hashable, Sendable {
  public var dx: CGFloat
}

public struct CGAffineTransform: Codable, Hashable, Sendable {
  public var a: CGFloat
}
""",
    "os": """
public struct OSLogPrivacy: Sendable {
  public static var `public`: OSLogPrivacy { OSLogPrivacy() }
  public static var auto: OSLogPrivacy { OSLogPrivacy() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) {}
  public mutating func appendInterpolation(_ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
  public init(stringInterpolation: OSLogInterpolation) {}
  public init(stringLiteral: String) {}
}

public struct Logger: Sendable {
  public init(subsystem: String, category: String) {}
  public func error(_ message: OSLogMessage) {}
}
""",
}


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{path.name} no longer contains {old!r}: change this script with it")
    path.write_text(text.replace(old, new), encoding="utf-8")


def copy(package, folder):
    shutil.copytree(package, folder, ignore=shutil.ignore_patterns(".build", ".git"), symlinks=True)
    for name, source in STAND_INS.items():
        module = folder / "Sources" / name
        module.mkdir()
        (module / f"{name}.swift").write_text(source, encoding="utf-8")
    manifest = folder / "Package.swift"
    replace(manifest, '    .target(name: "FoundationCore"),\n',
            '    .target(name: "FoundationCore", dependencies: ["CoreGraphics", "os"]),\n    .target(name: "CoreGraphics"), .target(name: "os"),\n')
    for name, condition, replacement in BRANCHES:
        replace(folder / "Sources" / name, condition, replacement)


def build(folder, target):
    done = subprocess.run(
        ["swift", "build", "--package-path", folder, "--target", target, "-Xswiftc", "-warnings-as-errors"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


def main():
    if sys.platform != "linux":
        print("skipped: Apple's systems build these branches themselves")
        return
    package = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "package"
        copy(package, folder)
        for target in ["GlobalDataTesting", "archivetool"]:
            is_built, output = build(folder, target)
            if not is_built:
                sys.exit(output)
        print(f"{len(BRANCHES)} branches for Apple's systems compile")
        for name, right, wrong in MUTATIONS if "--mutations" in sys.argv else []:
            path = folder / "Sources" / name
            unchanged = path.read_text(encoding="utf-8")
            replace(path, right, wrong)
            is_built, output = build(folder, name.split("/")[0])
            if is_built or f"/{path.name}:" not in output:
                sys.exit(f"an error in {name} was not found:\n{output}")
            path.write_text(unchanged, encoding="utf-8")
            print(f"an error in {name} is found")


main()
