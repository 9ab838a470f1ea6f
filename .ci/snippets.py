#!/usr/bin/env python3
"""Compiles the Swift examples of the README and the articles as they stand, in a package that depends on this one by its path.

    .ci/snippets.py FOLDER [ARTICLE...]

The examples of a document are a target of its own. A block with imports begins a file, and has to bring all that it and the
blocks after it need; only an article, which is about a module, has the import of the product for nothing. Declarations stand
at the level of the file; the statements of a file stand in one function, those of each block in a scope inside that of the
block before. So a block sees what earlier blocks declare, and may use its names anew. What is not worth showing stands in HTML
comments before a block:

    <!-- compiled with:          declarations for the whole document, in a file of their own that imports
    let url = URL(...)           Foundation and the products
    -->
    <!-- compiled in: func f(_ object: inout ArchiveObject) throws { -->     what the next block stands in, alone
    <!-- not compiled: WHY -->   leaves the next block out; all of these are listed
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
declaration = re.compile(
    r"(@\w+(\(.*?\))?\s+)*((public|private|fileprivate|final|indirect|nonisolated)\s+)*"
    r"(struct|enum|class|actor|extension|protocol|func|typealias|import|@Test|@Suite)\b")


class Block:
    def __init__(self, line):
        self.line, self.lines, self.wrapper, self.reason = line, [], None, None

    def parts(self):
        """The block's parts, each with whether it is a declaration, its first line, and its lines."""
        parts, number = [], self.line
        for line in self.lines:
            starts = line[:1] not in ("", " ", "}", ")", "]")
            # A comment belongs to what follows it.
            continues = parts and all(known.startswith("//") or not known for known in parts[-1][2])
            if (starts and not continues) or not parts:
                parts.append([False, number, []])
            if starts and not line.startswith("//"):
                parts[-1][0] = bool(declaration.match(line))
            parts[-1][2].append(line)
            number += 1
        return parts


def read(path):
    """The blocks of a document and the declarations that it is compiled with."""
    blocks, context, comment, block, wrapper, reason = [], [], None, None, None, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if comment is not None:
            if line.strip() == "-->":
                context.append((comment[0], comment[1]))
                comment = None
            else:
                comment[1].append(line)
        elif block is not None:
            if line.strip() == "```":
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
        elif line.strip() == "<!-- compiled with:":
            comment = (number + 1, [])
        elif match := re.fullmatch(r"<!-- compiled in: (.*) -->", line.strip()):
            wrapper = match[1]
        elif match := re.fullmatch(r"<!-- not compiled: (.*) -->", line.strip()):
            reason = match[1]
        elif line.strip() == "```swift":
            block = Block(number + 1)
            block.wrapper, block.reason, wrapper, reason = wrapper, reason, None, None
    return blocks, context


def located(name, line, lines):
    return [f'#sourceLocation(file: "{name}", line: {line})', *lines, "#sourceLocation()"]


def file(imports, blocks, name, number):
    """The text of a file of some blocks."""
    declarations, statements, closing = [], [], 0
    for block in blocks:
        if block.wrapper:
            declarations += [block.wrapper, *located(name, block.line, block.lines), "}" * block.wrapper.count("{")]
            continue
        own = []
        for is_declaration, line, lines in block.parts():
            if lines[0].startswith("import "):
                imports = imports + located(name, line, lines)
            else:
                (declarations if is_declaration else own).extend(located(name, line, lines))
        if own:
            statements += ["do {", *own]
            closing += 1
    body = [f"func examples{number}() async throws {{", *statements, "}" * closing, "}"]
    return "\n".join(imports + declarations + body) + "\n"


def sources(path, name):
    """The texts of a document's files by their names; none where nothing is to be compiled."""
    blocks, context = read(path)
    groups = []
    for block in blocks:
        if block.reason:
            print(f"not compiled: {name}:{block.line}: {block.reason}")
        elif not groups or any(line.startswith("import ") for line in block.lines):
            groups.append([block])
        else:
            groups[-1].append(block)
    imports = [] if name == "README.md" else ["import GlobalData"]
    files = {f"Examples{number}.swift": file(imports, group, name, number) for number, group in enumerate(groups, 1)}
    shared = ["import Foundation", "import GlobalData", "import GlobalDataTesting"]
    for line, lines in context:
        shared += located(name, line, lines)
    return files | {"Context.swift": "\n".join(shared) + "\n"} if files else {}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    documents = [root / "README.md"] + sorted(root.glob("Sources/*/*.docc/**/*.md"))
    targets = []
    for path in documents:
        name = str(path.relative_to(root))
        if wanted and path.name not in wanted:
            continue
        files = sources(path, name)
        if not files:
            continue
        module = "".join(part for part in path.relative_to(root).with_suffix("").parts[-2:] if part).replace(".docc", "")
        target = folder / "Tests" / module
        target.mkdir(parents=True, exist_ok=True)
        for old in target.iterdir():
            if old.name not in files:
                old.unlink()
        for file_name, text in files.items():
            # What did not change need not be compiled again.
            if not (target / file_name).exists() or (target / file_name).read_text() != text:
                (target / file_name).write_text(text)
        targets.append(module)
    products = ", ".join(f'.product(name: "{name}", package: "GlobalData")' for name in ("GlobalData", "GlobalDataTesting"))
    manifest = "\n".join([
        "// swift-tools-version: 6.0", "import PackageDescription", "", "let package = Package(", '  name: "Snippets",',
        "  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],",
        f'  dependencies: [.package(name: "GlobalData", path: "{root}")],', "  targets: [",
        *(f'    .testTarget(name: "{target}", dependencies: [{products}], '
          'swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),' for target in targets),
        "  ])", ""])
    if not (folder / "Package.swift").exists() or (folder / "Package.swift").read_text() != manifest:
        (folder / "Package.swift").write_text(manifest)
    status = subprocess.run(["swift", "build", "--build-tests", "--package-path", str(folder), "-Xswiftc", "-suppress-warnings"])
    if status.returncode == 0:
        print(f"the examples of {len(targets)} documents compile")
    sys.exit(status.returncode)


main()
