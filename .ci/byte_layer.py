#!/usr/bin/env python3
"""Compiles the byte layer as Embedded Swift for WebAssembly, where an Int has 32 bits, and runs its checks there.

    byte_layer.py [--mutations]

Scripts/webassembly.py defines and compiles the byte layer, here with the checks of Tests/ByteLayerTests, which `swift test` also runs on this
machine. The program runs in Node, or else in the toolchain's wasmkit. Without either, this is skipped.

With --mutations, the checks also run with one error each that a machine with 64 bits and Linux does not show. Each must be found.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Scripts"))
import webassembly  # noqa: E402

CHECKS = "Tests/ByteLayerTests"
# Runs the checks on this machine.
NOT_EMBEDDED = ["ByteLayerTests.swift"]

NODE = """
const { WASI } = require("node:wasi");
const wasi = new WASI({ version: "preview1" });
const program = new WebAssembly.Module(require("node:fs").readFileSync(process.argv[2]));
process.exitCode = wasi.start(new WebAssembly.Instance(program, wasi.getImportObject()));
"""

# (file, its code, the error)
MUTATIONS = [
    # The sources once had these errors.
    ("KeyCache", "Int(truncatingIfNeeded: hash) & (slots", "Int(hash) & (slots"),
    ("StructureIndex", "UInt64(truncatingIfNeeded: number) < UInt64(1) &<< 32", "number < 1 << 32"),
    ("DecimalNumeral", "digits.count > 9 ? 999_999_999 : Int(Substring(digits)) ?? 0",
     "Int(truncatingIfNeeded: Int64(Substring(digits)) ?? 999_999_999)"),
    ("PropertyListBudget", "remaining = isTooLarge ||", "remaining = isTooLarge &&"),
    ("TypeNameText", 'name == "NSDecimal" || ', ""),
    ("RecoveryBudget", "8 * Int64(byteCount)", "Int64(8 * byteCount)"),
    # These are possible, and unnoticed if an Int has 64 bits.
    ("KeyCache", "Int(truncatingIfNeeded: entry.hash) & (size", "Int(entry.hash) & (size"),
    ("StringTable", "Int(truncatingIfNeeded: hash) & mask", "Int(hash) & mask"),
    ("StructureIndex", "head.argument <= room", "Int(truncatingIfNeeded: head.argument) <= Int(room)"),
    ("StructureIndex", "reference.argument < UInt64(strings.count)", "Int(truncatingIfNeeded: reference.argument) < strings.count"),
    ("CBORReader", "head.argument <= UInt64(count - head.end)", "Int(truncatingIfNeeded: head.argument) <= count - head.end"),
    ("DecimalNumeral", "carry += UInt64(limbs[index]) * scale", "carry &+= UInt64(UInt(limbs[index]) &* UInt(scale))"),
    ("ByteBuffer", "UInt64(bitPattern: ~value)", "UInt64(UInt(bitPattern: Int(truncatingIfNeeded: ~value)))"),
    ("UnsafeRawBufferPointer+Parts", "UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))",
     "UInt64(UInt(truncatingIfNeeded: UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))))"),
    ("HalfPrecision", "UInt64(bits & 0x7f_ffff) &<< 29", "UInt64(UInt(bits & 0x7f_ffff) << 29)"),
    ("ArchiveParser+Entries", "Int(truncatingIfNeeded: min(head.entriesLength, room))",
     "min(Int(truncatingIfNeeded: head.entriesLength), Int(room))"),
    ("ArchiveParser+Entries", "min(count ?? 0, UInt64(end / ArchiveParser.shortestEntry))", "count ?? 0"),
    ("ArchiveParser+Entries", "if count != found ||",
     "if count.map({ Int(truncatingIfNeeded: $0) }) != Int(found) ||"),
    ("ArchiveParser+Changes", "found.head.length > UInt64(bytes.count - bodyStart)",
     "Int(truncatingIfNeeded: found.head.length) > bytes.count - bodyStart"),
    ("ArchiveParser+Changes", "Int(clamping: found.head.syncedLength)", "Int(found.head.syncedLength)"),
    ("ArchiveParser+Changes", "found.head.syncedLength > UInt64(offset)", "Int(truncatingIfNeeded: found.head.syncedLength) > offset"),
    ("StepRecord", "length <= UInt64(end - valueStart)", "Int(truncatingIfNeeded: length) <= end - valueStart"),
    ("RecoveryBudget", "Int64(valueLength) + 8 * Int64(keyLength)", "Int64(valueLength + 8 * keyLength)"),
    ("LostRecords", "min(unnamedCount, UInt64(max(0, limit - result.lostKeys.count)))",
     "UInt64(min(Int(truncatingIfNeeded: unnamedCount), max(0, limit - result.lostKeys.count)))"),
    ("KeyIndex", "Int(truncatingIfNeeded: hash) & mask", "Int(hash) & mask"),
    ("XXHash64", "total &+= UInt64(bytes.count)", "total = UInt64(UInt(truncatingIfNeeded: total) & 31) &+ UInt64(bytes.count)"),
]


def main():
    if sys.argv[1:] not in ([], ["--mutations"]):
        sys.exit(__doc__)
    toolchain = webassembly.Toolchain()
    # Node translates the program to machine code, which saves seconds in each run.
    node = shutil.which("node")
    wasmkit = toolchain.tool("wasmkit")
    if toolchain.lack():
        return print(f"skipped: {toolchain.lack()}")
    if not (node or wasmkit):
        return print("skipped: there is neither wasmkit nor Node to run the program")
    with tempfile.TemporaryDirectory() as work:
        program = Program(pathlib.Path(work), toolchain, node or [wasmkit, "run"])
        sources = webassembly.sources([*webassembly.BYTE_LAYER, CHECKS, webassembly.STUBS], NOT_EMBEDDED)
        status, text = program.check(sources)
        print(text.strip())
        if "an Int has 32 bits" not in text:
            status = 1
        for name, text, _ in MUTATIONS:
            if text not in sources[name]:
                print(f"FAILED: {name} has no `{text}` any more")
                status = 1
        if sys.argv[1:]:
            status = status or program.mutate(sources, MUTATIONS)
    sys.exit(status)


class Program:
    def __init__(self, work, toolchain, runner):
        self.work = work
        self.toolchain = toolchain
        if isinstance(runner, str):
            (work / "run.cjs").write_text(NODE)
            runner = [runner, "--no-warnings", str(work / "run.cjs")]
        self.runner = runner

    def check(self, sources):
        """Compiles, links and runs; returns a status and a message."""
        stubs = [webassembly.STUBS / name for name in ["WASILibc.c", "Program.c"]]
        try:
            program = self.toolchain.build(
                sources, pathlib.Path(tempfile.mkdtemp(dir=self.work)), self.work / "cache", stubs,
                swift_options=["-Onone"], c_options=["-O1"], linker_options=["-z", "stack-size=1048576"])
        except webassembly.Failure as failure:
            return 2, str(failure)  # Nothing was run, so there is no result.
        result = subprocess.run(
            [*self.runner, str(program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        if result.returncode != 0:
            return 1, f"{self.runner[0]} ended with status {result.returncode}:\n{result.stdout[-6000:]}"
        return 0, result.stdout

    def mutate(self, sources, mutations):
        def survivor(mutation):
            name, text, error = mutation
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


main()
