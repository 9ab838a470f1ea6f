#!/usr/bin/env python3
"""Compiles the byte layer as Embedded Swift for WebAssembly, where an Int has 32 bits, and runs its checks there.

    byte_layer.py [--mutations | --all-mutations]

The byte layer is what reads and writes bytes and needs neither Foundation nor Codable: the folders and files of BYTE_LAYER. It
compiles alone, as one module, with the checks of Tests/ByteLayerTests, which `swift test` runs on this machine too. The standard
library is the Embedded one of Swift's toolchain, the C library are the stubs in Tests/ByteLayerTests/WebAssembly, and the program
runs under Node, else under the toolchain's wasmkit. Without one of them this is skipped.

With --mutations, the checks are also run with one error each that the sources once had, and that no machine with 64 bits and Linux shows
by itself; with --all-mutations, with more errors of 32 bits. Each must be found.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

BYTE_LAYER = [
    "Sources/KeyedArchive/CBOR",
    "Sources/KeyedArchive/Types/TypeNameText.swift",
    "Sources/ModelMapping/Numerals/DecimalNumeral.swift",
    "Sources/CodingSupport/Hexadecimal.swift",
    "Sources/GlobalData/Format",
    "Sources/GlobalDataImporting/PropertyList/PropertyListBudget.swift",
    "Sources/GlobalDataImporting/PropertyList/PropertyListError.swift",
]
CHECKS = "Tests/ByteLayerTests"
STUBS = CHECKS + "/WebAssembly"
# What runs the checks on this machine.
NOT_EMBEDDED = ["ByteLayerTests.swift"]

TARGET = "wasm32-unknown-none-wasm"
OWN_IMPORTS = re.compile(r"^(@testable |package )?import (CodingSupport|KeyedArchive|ModelMapping|GlobalData|GlobalDataImporting)$", re.MULTILINE)

NODE = """
const { WASI } = require("node:wasi");
const wasi = new WASI({ version: "preview1" });
const program = new WebAssembly.Module(require("node:fs").readFileSync(process.argv[2]));
process.exitCode = wasi.start(new WebAssembly.Instance(program, wasi.getImportObject()));
"""

# (file, what stands there, the error). These have been made.
MADE = [
    ("KeyCache", "Int(truncatingIfNeeded: hash) & (slots", "Int(hash) & (slots"),
    ("StructureIndex", "UInt64(truncatingIfNeeded: number) < 1 << 32", "number < 1 << 32"),
    ("DecimalNumeral", "digits.count > 9 ? 999_999_999 : Int(Substring(digits)) ?? 0",
     "Int(truncatingIfNeeded: Int64(Substring(digits)) ?? 999_999_999)"),
    ("PropertyListBudget", "remaining = isTooLarge ||", "remaining = isTooLarge &&"),
    ("TypeNameText", 'name == "NSDecimal" || ', ""),
    ("RecoveryBudget", "8 * Int64(byteCount)", "Int64(8 * byteCount)"),
]
# These could be, and go unnoticed where an Int has 64 bits.
POSSIBLE = [
    ("KeyCache", "Int(truncatingIfNeeded: entry.hash) & (size", "Int(entry.hash) & (size"),
    ("StringTable", "Int(truncatingIfNeeded: hash) & mask", "Int(hash) & mask"),
    ("StructureIndex", "head.argument <= room", "Int(truncatingIfNeeded: head.argument) <= Int(room)"),
    ("StructureIndex", "reference.argument < UInt64(strings.count)", "Int(truncatingIfNeeded: reference.argument) < strings.count"),
    ("CBORReader", "head.argument <= UInt64(count - head.end)", "Int(truncatingIfNeeded: head.argument) <= count - head.end"),
    ("DecimalNumeral", "carry += UInt64(limbs[index]) * scale", "carry &+= UInt64(UInt(limbs[index]) &* UInt(scale))"),
    ("ByteBuffer", "UInt64(bitPattern: ~value)", "UInt64(UInt(bitPattern: Int(truncatingIfNeeded: ~value)))"),
    ("FixedHead", "reduce(0) { $0 << 8 | UInt64($1) }", "reduce(0) { UInt64(UInt(truncatingIfNeeded: $0 << 8)) | UInt64($1) }"),
    ("HalfPrecision", "UInt64(bits & 0x7f_ffff) << 29", "UInt64(UInt(bits & 0x7f_ffff) << 29)"),
    ("ArchiveParser+Entries", "Int(truncatingIfNeeded: min(head.entriesLength, room))",
     "min(Int(truncatingIfNeeded: head.entriesLength), Int(room))"),
    ("ArchiveParser+Entries", "min(count ?? 0, UInt64(end / ArchiveParser.shortestRecord))", "count ?? 0"),
    ("ArchiveParser+Entries", "if count != found, damage.isEmpty",
     "if count.map({ Int(truncatingIfNeeded: $0) }) != Int(found), damage.isEmpty"),
    ("ArchiveParser+Changes", "found.head.length > UInt64(bytes.count - bodyStart)",
     "Int(truncatingIfNeeded: found.head.length) > bytes.count - bodyStart"),
    ("ArchiveParser+Changes", "Int(clamping: found.head.syncedLength)", "Int(found.head.syncedLength)"),
    ("ArchiveParser+Changes", "found.head.syncedLength > UInt64(offset)", "Int(truncatingIfNeeded: found.head.syncedLength) > offset"),
    ("StepRecord", "keyLength <= UInt64(frame.count - keyStart)", "Int(truncatingIfNeeded: keyLength) <= frame.count - keyStart"),
    ("StepRecord", "length <= UInt64(end - valueStart)", "Int(truncatingIfNeeded: length) <= end - valueStart"),
    ("RecoveryBudget", "Int64(valueLength) + 8 * Int64(keyLength)", "Int64(valueLength + 8 * keyLength)"),
    ("LostRecords", "min(unnamedCount, UInt64(max(0, limit - result.lostKeys.count)))",
     "UInt64(min(Int(truncatingIfNeeded: unnamedCount), max(0, limit - result.lostKeys.count)))"),
    ("KeyIndex", "Int(truncatingIfNeeded: hash) & mask", "Int(hash) & mask"),
    ("XXHash64", "total &+= UInt64(bytes.count)", "total = UInt64(UInt(truncatingIfNeeded: total) & 31) &+ UInt64(bytes.count)"),
]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    resources = pathlib.Path(json.loads(output("swiftc", "-print-target-info"))["paths"]["runtimeResourcePath"])
    tools = resources.parent.parent / "bin"
    # Node translates the program to the machine's own code, which takes seconds off each run.
    node = shutil.which("node")
    wasmkit = shutil.which("wasmkit", path=tools) or shutil.which("wasmkit")
    if not (resources / f"embedded/Swift.swiftmodule/{TARGET}.swiftmodule").exists():
        return print(f"skipped: this toolchain has no Embedded standard library for {TARGET}")
    if not (node or wasmkit):
        return print("skipped: there is neither wasmkit nor Node to run the program")
    with tempfile.TemporaryDirectory() as work:
        program = Program(pathlib.Path(work), root, resources, tools, node or [wasmkit, "run"])
        sources = program.sources()
        status, text = program.check(sources)
        print(text.strip())
        if "an Int has 32 bits" not in text:
            status = 1
        mutations = {"--mutations": MADE, "--all-mutations": MADE + POSSIBLE}
        for option in sys.argv[1:]:
            status = status or program.mutate(sources, mutations[option])
    sys.exit(status)


class Program:
    def __init__(self, work, root, resources, tools, runner):
        self.work = work
        self.root = root
        self.resources = resources
        self.tools = tools
        if isinstance(runner, str):
            (work / "run.cjs").write_text(NODE)
            runner = [runner, "--no-warnings", str(work / "run.cjs")]
        self.runner = runner

    def sources(self):
        """The texts of the byte layer and of its checks, by the names of their files."""
        paths = [self.root / name for name in BYTE_LAYER + [CHECKS, STUBS]]
        files = [file for path in paths for file in (sorted(path.glob("*.swift")) if path.is_dir() else [path])]
        texts = {file.stem: OWN_IMPORTS.sub("", file.read_text()) for file in files if file.name not in NOT_EMBEDDED}
        if len(texts) != len(files) - len(NOT_EMBEDDED):
            sys.exit("error: two files of the byte layer have one name")
        return texts

    def check(self, sources):
        """Compiles, links and runs; returns a status, and what there is to say."""
        work = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        folder = work / "sources"
        folder.mkdir()
        for name, text in sources.items():
            (folder / f"{name}.swift").write_text(text)
        stubs = self.root / STUBS
        steps = [
            ["swiftc", "-target", TARGET, "-enable-experimental-feature", "Embedded", "-wmo", "-parse-as-library", "-Onone", "-c",
             "-Xfrontend", "-disable-stack-protector",
             "-swift-version", "6", "-package-name", "GlobalData", "-module-name", "ByteLayer", "-warnings-as-errors",
             "-I", str(stubs), "-module-cache-path", str(self.work / "cache"), "-o", str(work / "ByteLayer.o"),
             *sorted(map(str, folder.glob("*.swift")))],
            # The loops of the stubs are not to become calls of themselves.
            [str(self.tools / "clang"), f"--target={TARGET}", "-O1", "-fno-builtin", "-Wall", "-Werror", "-c",
             "-o", str(work / "WASILibc.o"), str(stubs / "WASILibc.c")],
            [str(self.tools / "wasm-ld"), "--no-entry", "-z", "stack-size=1048576", str(work / "ByteLayer.o"),
             str(work / "WASILibc.o"), str(self.resources / f"embedded/{TARGET}/libswiftUnicodeDataTables.a"),
             "-o", str(work / "ByteLayer.wasm")],
            [*self.runner, str(work / "ByteLayer.wasm")],
        ]
        for step in steps:
            # Before the last one nothing was run: that is no answer.
            status = 1 if step is steps[-1] else 2
            result = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            if result.returncode != 0:
                return status, f"{pathlib.Path(step[0]).name} ended with status {result.returncode}:\n{result.stdout[-6000:]}"
        return 0, result.stdout

    def mutate(self, sources, mutations):
        def survivor(mutation):
            name, text, error = mutation
            if text not in sources[name]:
                return f"{name} has no `{text}` any more"
            outcome, said = self.check({**sources, name: sources[name].replace(text, error)})
            if outcome == 0:
                return f"{name} with `{error}` passes all checks"
            return f"{name} with `{error}` cannot be run: {said}" if outcome == 2 else None

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            survivors = [text for text in pool.map(survivor, mutations) if text]
        for text in survivors:
            print(f"FAILED: {text}")
        if not survivors:
            print(f"{len(mutations)} errors, one at a time: each was found")
        return 1 if survivors else 0


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


main()
