#!/usr/bin/env python3
"""Builds the inspector: a single HTML page that reads archives in a browser.

    build.py PAGE

Needs a Swift toolchain, 6.3 or later. The byte layer and the files in `Sources` become one WebAssembly program, which the page contains
with its script and its style sheet. The page's policy forbids other scripts, loading and sending.

Exit status: 0 success, 1 failure, 77 if this toolchain cannot build it.
"""

import base64
import gzip
import hashlib
import pathlib
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "Scripts"))
import webassembly  # noqa: E402

SOURCES = [
    "Sources/KeyedArchive/CBOR",
    "Sources/CodingSupport/Digits.swift",
    "Sources/GlobalData/Format",
    "Sources/GlobalData/Errors/ArchiveDamage+Description.swift",
    FOLDER / "Sources",
]
# Limits for the bytes of the page, of its compressed program, and of the program from the linker. A larger one probably contains code that
# it does not need.
GREATEST_PAGE = 200 << 10
GREATEST_COMPRESSED = 140_000
GREATEST_PROGRAM = 310_000
MEGABYTE = 1 << 20


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    toolchain = webassembly.Toolchain()
    if toolchain.lack():
        print(f"error: {toolchain.lack()}", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        try:
            program = build(toolchain, pathlib.Path(work)).read_bytes()
        except webassembly.Failure as failure:
            sys.exit(f"error: {failure}")
    # Without a time, so that the same sources always result in the same page.
    compressed = gzip.compress(program, 9, mtime=0)
    text = page(compressed).encode()
    is_too_large = False
    for what, size, greatest in [
        ("the page", len(text), GREATEST_PAGE), ("the compressed program", len(compressed), GREATEST_COMPRESSED),
        ("the WebAssembly program", len(program), GREATEST_PROGRAM),
    ]:
        print(f"{what} has {size:,} bytes of at most {greatest:,}")
        is_too_large = is_too_large or size > greatest
    if is_too_large:
        sys.exit("error: a part is too large")
    pathlib.Path(sys.argv[1]).write_bytes(text)


def build(toolchain, work):
    return toolchain.build(
        webassembly.sources(SOURCES), work, pathlib.Path("cache"), [webassembly.STUBS / "WASILibc.c"],
        swift_options=["-Osize", "-Xfrontend", "-function-sections"],
        c_options=["-O2", "-mbulk-memory", "-ffunction-sections"],
        linker_options=["--gc-sections", "--strip-all", "--compress-relocations", "-z", f"stack-size={MEGABYTE}"])


def page(program):
    """Returns the template with its parts inserted unchanged, because the page's policy contains their hashes."""
    parts = {name: (FOLDER / "page" / f"inspector.{name}").read_text() for name in ["css", "js"]}
    hashes = {name: base64.b64encode(hashlib.sha256(f"\n{text}".encode()).digest()).decode() for name, text in parts.items()}
    template = (FOLDER / "page" / "inspector.html").read_text()
    values = {
        "{{policy}}": f"default-src 'none'; script-src 'sha256-{hashes['js']}' 'wasm-unsafe-eval'; "
                      f"style-src 'sha256-{hashes['css']}'; base-uri 'none'; form-action 'none'",
        "{{style}}": parts["css"],
        "{{script}}": parts["js"],
        "{{program}}": base64.b64encode(program).decode(),
    }
    for name, value in values.items():
        if template.count(name) != 1:
            sys.exit(f"error: {name} must occur exactly once in the page")
        template = template.replace(name, value)
    return template


main()
