"""Compiles and links the byte layer as Embedded Swift for WebAssembly, where an Int has 32 bits.

The byte layer is the code that reads and writes bytes without Foundation and Codable: the folders and files of BYTE_LAYER. It compiles alone, as one
module. The standard library and the linker are those of Swift's toolchain, the former for Embedded Swift. The C library consists of the stubs in
Tests/ByteLayerTests/WebAssembly.
"""

import json
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BYTE_LAYER = [
    "Sources/KeyedArchive/CBOR",
    "Sources/KeyedArchive/Types/TypeNameText.swift",
    "Sources/ModelMapping/Numerals/DecimalNumeral.swift",
    "Sources/CodingSupport/Digits.swift",
    "Sources/GlobalData/Format",
    "Sources/GlobalDataImporting/PropertyList/PropertyListBudget.swift",
    "Sources/GlobalDataImporting/PropertyList/PropertyListError.swift",
]
STUBS = ROOT / "Tests/ByteLayerTests/WebAssembly"

TARGET = "wasm32-unknown-none-wasm"
OWN_IMPORTS = re.compile(r"^(@testable |package )?import (CodingSupport|KeyedArchive|ModelMapping|GlobalData|GlobalDataImporting)$", re.MULTILINE)


class Failure(Exception):
    """A failed step of a build, with its output."""


class Toolchain:
    """The toolchain that `swiftc` belongs to."""

    def __init__(self):
        info = subprocess.run(["swiftc", "-print-target-info"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.resources = pathlib.Path(json.loads(info)["paths"]["runtimeResourcePath"])
        self.tools = self.resources.parent.parent / "bin"

    def lack(self):
        """Returns why nothing can be built here, or None."""
        if not (self.resources / f"embedded/Swift.swiftmodule/{TARGET}.swiftmodule").exists():
            return f"this toolchain has no Embedded standard library for {TARGET}"
        return None

    def tool(self, name):
        return shutil.which(name, path=self.tools) or shutil.which(name)

    def build(self, sources, work, cache, c_files, swift_options=(), c_options=(), linker_options=()):
        """Compiles and links texts, given by file name, in a separate folder. Returns the program's path.

        The path of the module cache may be relative to that folder.
        """
        folder = work / "sources"
        folder.mkdir()
        for name, text in sources.items():
            (folder / f"{name}.swift").write_text(text)
        objects = ["ByteLayer.o", *(f"{pathlib.Path(file).stem}.o" for file in c_files)]
        steps = [
            ["swiftc", "-target", TARGET, "-enable-experimental-feature", "Embedded", "-wmo", "-parse-as-library", "-c",
             "-Xfrontend", "-disable-stack-protector",
             "-swift-version", "6", "-package-name", "GlobalData", "-module-name", "ByteLayer", "-warnings-as-errors",
             "-I", str(STUBS), "-module-cache-path", str(cache), "-o", objects[0], *swift_options,
             *sorted(f"{folder.name}/{file.name}" for file in folder.glob("*.swift"))],
        ]
        # The compiler must not turn the loops of the stubs into calls of themselves.
        steps += [
            [str(self.tools / "clang"), f"--target={TARGET}", "-fno-builtin", "-Wall", "-Werror", "-c", *c_options,
             "-o", compiled, str(file)]
            for compiled, file in zip(objects[1:], c_files)]
        steps.append(
            [str(self.tools / "wasm-ld"), "--no-entry", *linker_options, *objects,
             str(self.resources / f"embedded/{TARGET}/libswiftUnicodeDataTables.a"), "-o", "ByteLayer.wasm"])
        for step in steps:
            # Run in the folder, because the compiler adds a hash of the given paths to the program.
            result = subprocess.run(step, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            if result.returncode != 0:
                name = pathlib.Path(step[0]).name
                raise Failure(f"{name} ended with status {result.returncode}:\n{result.stdout[-6000:]}")
        return work / "ByteLayer.wasm"


def sources(paths, leaving_out=()):
    """Returns the texts of files and of the files in folders, by name, without imports that are unnecessary in one module."""
    paths = [ROOT / path for path in paths]
    files = [file for path in paths for file in (sorted(path.glob("*.swift")) if path.is_dir() else [path])]
    files = [file for file in files if file.name not in leaving_out]
    texts = {file.stem: OWN_IMPORTS.sub("", file.read_text()) for file in files}
    if len(texts) != len(files):
        raise Failure("two files of one module have one name")
    return texts
