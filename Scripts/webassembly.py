"""The byte layer as Embedded Swift for WebAssembly, where an Int has 32 bits: what compiles it and links it.

The byte layer is what reads and writes bytes and needs neither Foundation nor Codable: the folders and files of BYTE_LAYER. It
compiles alone, as one module. The standard library is the Embedded one of Swift's toolchain, which has a linker too; the C library
are the stubs in Tests/ByteLayerTests/WebAssembly.
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
    "Sources/CodingSupport/Hexadecimal.swift",
    "Sources/GlobalData/Format",
    "Sources/GlobalDataImporting/PropertyList/PropertyListBudget.swift",
    "Sources/GlobalDataImporting/PropertyList/PropertyListError.swift",
]
STUBS = ROOT / "Tests/ByteLayerTests/WebAssembly"

TARGET = "wasm32-unknown-none-wasm"
OWN_IMPORTS = re.compile(r"^(@testable |package )?import (CodingSupport|KeyedArchive|ModelMapping|GlobalData|GlobalDataImporting)$", re.MULTILINE)


class Failure(Exception):
    """A step of a build that failed, and what it said."""


class Toolchain:
    """The toolchain that `swiftc` belongs to."""

    def __init__(self):
        info = subprocess.run(["swiftc", "-print-target-info"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.resources = pathlib.Path(json.loads(info)["paths"]["runtimeResourcePath"])
        self.tools = self.resources.parent.parent / "bin"

    def lack(self):
        """Why nothing can be built here; None where it can."""
        if not (self.resources / f"embedded/Swift.swiftmodule/{TARGET}.swiftmodule").exists():
            return f"this toolchain has no Embedded standard library for {TARGET}"
        return None

    def tool(self, name):
        return shutil.which(name, path=self.tools) or shutil.which(name)

    def build(self, sources, work, cache, c_files, swift_options=(), c_options=(), linker_options=()):
        """Compiles and links texts, by the names of their files, in a folder of their own. Returns the program's path.

        The path of the cache for modules may be relative to that folder.
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
        # The loops of the stubs are not to become calls of themselves.
        steps += [
            [str(self.tools / "clang"), f"--target={TARGET}", "-fno-builtin", "-Wall", "-Werror", "-c", *c_options,
             "-o", compiled, str(file)]
            for compiled, file in zip(objects[1:], c_files)]
        steps.append(
            [str(self.tools / "wasm-ld"), "--no-entry", *linker_options, *objects,
             str(self.resources / f"embedded/{TARGET}/libswiftUnicodeDataTables.a"), "-o", "ByteLayer.wasm"])
        for step in steps:
            # In the folder: the compiler puts a hash of the paths that it is told into the program.
            result = subprocess.run(step, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            if result.returncode != 0:
                name = pathlib.Path(step[0]).name
                raise Failure(f"{name} ended with status {result.returncode}:\n{result.stdout[-6000:]}")
        return work / "ByteLayer.wasm"


def sources(paths, leaving_out=()):
    """The texts of files and of the files of folders, by their names, without the imports that one module has no need of."""
    paths = [ROOT / path for path in paths]
    files = [file for path in paths for file in (sorted(path.glob("*.swift")) if path.is_dir() else [path])]
    files = [file for file in files if file.name not in leaving_out]
    texts = {file.stem: OWN_IMPORTS.sub("", file.read_text()) for file in files}
    if len(texts) != len(files):
        raise Failure("two files of one module have one name")
    return texts
