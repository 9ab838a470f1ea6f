#!/usr/bin/env python3
"""Compiles the Swift examples of the README and the articles as written, in each language mode that a client may use.

    .ci/snippets.py [--mutations] [DOCUMENT...]

The library is built once, and each document is checked with it in each of MODES. With --mutations, documents with one error each are also checked,
and each error must be found in the modes in which it is one. This shows that the check can fail.

The examples of a document form a module. A block with imports begins a file, and must import everything that it and the blocks after it need. Only
an article implicitly imports the product that it documents. Declarations are at file level. The statements of a file are in one function, and those
of each block in a scope inside that of the block before. So a block can use the declarations of earlier blocks, and may declare their names again.
Without SwiftUI, documents that import it are checked with the stand-in of Tests/SwiftUIStandIn. Code that is not worth showing is in HTML comments
before a block:

    <!-- compiled with:          declarations for the whole document, in a separate file that imports
    let url = URL(...)           Foundation and the products
    -->
    <!-- compiled in: func f(_ object: inout ArchiveObject) throws { -->     the enclosing function of the next block alone
    <!-- compiled alone -->      the next block is a whole file in a module of its own, not a part of the document's module
    <!-- runs as a program -->   the next block is also built as a program, and must print what the comments after its calls of
                                 `print` say
    <!-- needs Swift 6.1: WHY -->    leaves the next block out for earlier compilers
    <!-- not compiled in MODE: WHY -->   leaves the next block out in one mode
    <!-- not compiled: WHY -->   leaves the next block out; the script lists all blocks that are left out

Compilers before Swift 6.1 do not know `nonisolated` before a type or an extension, and get the examples without it. The environment variable
SNIPPETS_BUILD_OPTIONS has further options for `swift build`.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
approachable = ["NonisolatedNonsendingByDefault", "InferIsolatedConformances"]
# The flags of each mode, and the first compiler that knows them.
MODES = {
    "Swift 6": (["-swift-version", "6"], (6, 0)),
    "main actor by default": (["-swift-version", "6", "-default-isolation", "MainActor", *approachable], (6, 2)),
    "approachable concurrency": (["-swift-version", "6", *approachable], (6, 2)),
    "Swift 5": (["-swift-version", "5"], (6, 0)),
}
PRODUCTS = ("GlobalData", "GlobalDataImporting", "GlobalDataTesting", "ModelMapping")
declaration = re.compile(
    r"(@\w+(\(.*?\))?\s+)*((public|private|fileprivate|final|indirect|nonisolated)\s+)*"
    r"(struct|enum|class|actor|extension|protocol|func|typealias|import|@Test|@Suite)\b")


class Block:
    def __init__(self, line, marks):
        self.line, self.lines = line, []
        self.wrapper, self.reason = marks.get("wrapper"), marks.get("reason")
        self.is_alone, self.runs = "alone" in marks, "runs" in marks
        self.needed, self.excepted = marks.get("needed"), marks.get("excepted", {})

    def parts(self):
        """Returns the block's parts: whether each is a declaration, its first line, and its lines."""
        parts, number = [], self.line
        for line in self.lines:
            starts = line[:1] not in ("", " ", "}", ")", "]")
            # A comment belongs to the code after it.
            continues = parts and all(known.startswith("//") or not known for known in parts[-1][2])
            if (starts and not continues) or not parts:
                parts.append([False, number, []])
            if starts and not line.startswith("//"):
                parts[-1][0] = bool(declaration.match(line))
            parts[-1][2].append(line)
            number += 1
        return parts

    def why_not(self, mode, compiler):
        """Returns why the block is not compiled, or nothing."""
        if self.reason:
            return self.reason
        if self.needed and compiler < self.needed[0]:
            return f"needs Swift {'.'.join(map(str, self.needed[0]))}: {self.needed[1]}"
        return self.excepted.get(mode)

    def imports(self, module):
        return f"import {module}" in self.lines


def read(text):
    """Returns the blocks of a document, and the declarations that it is compiled with."""
    blocks, context, comment, block, marks = [], [], None, None, {}
    for number, line in enumerate(text.splitlines(), 1):
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
            marks["wrapper"] = match[1]
        elif match := re.fullmatch(r"<!-- (?:compiled (alone)|(runs) as a program) -->", line.strip()):
            marks[match[1] or match[2]] = True
        elif match := re.fullmatch(r"<!-- needs Swift (\d+)\.(\d+): (.*) -->", line.strip()):
            marks["needed"] = ((int(match[1]), int(match[2])), match[3])
        elif match := re.fullmatch(r"<!-- not compiled in (.*?): (.*) -->", line.strip()):
            if match[1] not in MODES:
                sys.exit(f"error: line {number}: unknown mode {match[1]}")
            marks.setdefault("excepted", {})[match[1]] = match[2]
        elif match := re.fullmatch(r"<!-- not compiled: (.*) -->", line.strip()):
            marks["reason"] = match[1]
        elif line.strip() == "```swift":
            block, marks = Block(number + 1, marks), {}
        elif re.match(r"<!-- (compiled|not compiled|runs|needs)\b", line.strip()):
            sys.exit(f"error: line {number}: unknown mark: {line.strip()}")
    return blocks, context


def located(name, line, lines):
    return [f'#sourceLocation(file: "{name}", line: {line})', *lines, "#sourceLocation()"]


def file(imports, blocks, name, number):
    """Returns the text of a file with some blocks."""
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


class Unit:
    """A module to compile: texts by file name."""

    def __init__(self, name, count, files, uses_views=False, output=None):
        self.name, self.count, self.files, self.uses_views, self.output = name, count, files, uses_views, output


def units(text, name, mode, compiler):
    """Returns the modules of a document in a mode, and the blocks that are left out."""
    blocks, context = read(text)
    left_out = [(f"{name}:{block.line}", reason) for block in blocks if (reason := block.why_not(mode, compiler))]
    blocks = [block for block in blocks if not block.why_not(mode, compiler)]
    found, groups = [], []
    for block in blocks:
        if block.is_alone or block.runs:
            text = "\n".join(located(name, block.line, block.lines)) + "\n"
            printed = [line.split("  // ", 1)[1] for line in block.lines if re.match(r"\s*print\(.*\)  // ", line)]
            file_name = "Program.swift" if "@main" in text else "main.swift"
            found.append(Unit(
                f"{name}:{block.line}", block.is_alone, {file_name: text}, block.imports("SwiftUI"), printed if block.runs else None))
    together = [block for block in blocks if not block.is_alone]
    for block in together:
        if not groups or any(line.startswith("import ") for line in block.lines):
            groups.append([block])
        else:
            groups[-1].append(block)
    if groups:
        # An article implicitly imports its module. Articles of modules above the store also import the store.
        own = [module for module in ("ModelMapping", "GlobalDataImporting") if f"/{module}.docc/" in name]
        imports = [] if name == "README.md" else ["import GlobalData", *(f"import {module}" for module in own)]
        files = {f"Examples{number}.swift": file(imports, group, name, number) for number, group in enumerate(groups, 1)}
        shared = [f"import {module}" for module in ("Foundation", *PRODUCTS)]
        for line, lines in context:
            shared += located(name, line, lines)
        files["Context.swift"] = "\n".join(shared) + "\n"
        found.append(Unit(name, len(together), files, any(block.imports("SwiftUI") for block in together)))
    return found, left_out


class Compiler:
    """The toolchain, and its build of the library."""

    def __init__(self):
        version = subprocess.run(["swiftc", "--version"], capture_output=True, text=True, check=True).stdout
        match = re.search(r"Swift version (\d+)\.(\d+)", version)
        self.version = (int(match[1]), int(match[2]))
        swift = pathlib.Path(subprocess.run(
            ["swiftc", "-print-target-info"], capture_output=True, text=True, check=True
        ).stdout.split('"runtimeResourcePath"')[1].split('"')[1])
        self.plugins = ["-plugin-path", str(swift / "host/plugins/testing")]
        self.library = self.build(root)
        self.with_views = None if sys.platform == "darwin" else self.build(root / "Tests/SwiftUIStandIn")

    def build(self, package):
        command = ["swift", "build", "--package-path", str(package), *os.environ.get("SNIPPETS_BUILD_OPTIONS", "").split()]
        for product in PRODUCTS:
            done = subprocess.run([*command, "--target", product], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
        return pathlib.Path(subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip())

    def compile(self, unit, mode, folder):
        """Compiles a module, runs it if it is a program, and returns its problem."""
        flags = []
        for flag in MODES[mode][0]:
            flags += ["-enable-upcoming-feature", flag] if flag in approachable else [flag]
        products = self.with_views if unit.uses_views and self.with_views else self.library
        paths = []
        for name, text in unit.files.items():
            paths.append(pathlib.Path(folder) / name)
            if self.version < (6, 1):
                text = re.sub(r"\bnonisolated (?=(final )?(struct|enum|class|protocol|extension)\b)", "", text)
            paths[-1].write_text(text)
        command = [
            "swiftc", *flags, *(["-parse-as-library"] if "Program.swift" in unit.files else []), "-enable-upcoming-feature", "MemberImportVisibility", "-suppress-warnings", "-I",
            str(products / "Modules"), "-Xcc", f"-fmodule-map-file={root}/Sources/CLinux/module.modulemap", *self.plugins, "-module-name", "Snippet", *map(str, paths)]
        if unit.output is None:
            # Without an optimizer, but with the checks that need SIL, such as those of values that are sent to another task.
            return subprocess.run([*command, "-emit-sil", "-wmo", "-o", os.devnull], capture_output=True, text=True, cwd=root).stderr
        objects = [str(path) for name in ("FoundationCore", "CodingSupport", "KeyedArchive", "FoundationForms", "ModelMapping", "GlobalData",
                                                        "GlobalDataImporting")
                   for path in sorted((products / f"{name}.build").glob("**/*.o"))]
        program = f"{folder}/program"
        done = subprocess.run([*command, *objects, "-o", program], capture_output=True, text=True, cwd=root)
        return done.stderr if done.returncode != 0 else self.run(program, unit, folder)

    def run(self, program, unit, folder):
        home = f"{folder}/home"
        os.mkdir(home)
        home = {name: home for name in ("HOME", "CFFIXED_USER_HOME", "XDG_DATA_HOME")}
        done = subprocess.run([program], capture_output=True, text=True, timeout=60, env=os.environ | home)
        if done.returncode != 0:
            return f"{unit.name}: error: the program failed with status {done.returncode}: {done.stderr[:1000]}"
        if done.stdout.splitlines() != unit.output:
            return f"{unit.name}: error: the program printed {done.stdout.splitlines()}, not {unit.output}"
        return ""


def failed(message):
    return "error:" in message


def check(compiler, texts, mode, pool):
    """Compiles documents in a mode. Returns the number of blocks, the blocks left out, and the messages of failures."""
    work, left_out = [], []
    for name, text in texts.items():
        found, missing = units(text, name, mode, compiler.version)
        work += found
        left_out += missing

    def one(unit):
        with tempfile.TemporaryDirectory() as folder:
            return compiler.compile(unit, mode, folder)

    messages = [message for message in pool.map(one, work) if failed(message)]
    return sum(unit.count for unit in work), left_out, messages


def documents(wanted):
    paths = [root / "README.md"] + sorted(root.glob("Sources/*/*.docc/**/*.md"))
    return {str(path.relative_to(root)): path.read_text() for path in paths if not wanted or path.name in wanted}


# Documents with one error each, and the modes in which it is an error.
sound = """```swift
import Foundation
import GlobalData

struct Car: Codable, Identifiable {
  var id: Int
  var speed = 0
}

final class Log {
  var lines: [String] = []
}

extension GlobalData.Keys {
  static let car = Key("car", default: Car(id: 0))
}

let log = Log()
let now = Date.now
try await GlobalData.set(Car(id: 1), forKey: "car")
try await GlobalData.update { data in
  log.lines.append("begun")
  data[.car].speed = 3
}
let fast = GlobalData.collection(of: Car.self).filter { $0.speed > 60 }
```
<!-- compiled alone -->
<!-- runs as a program -->
```swift
import GlobalData

print(GlobalData.contains("car"))  // false
```
"""
strict = {mode for mode in MODES if mode != "Swift 5"}
mutations = [
    ("a name that is not there", "forKey: \"car\"", "underKey: \"car\"", set(MODES)),
    ("an import that is missing", "import Foundation\n", "", set(MODES)),
    ("a program that prints something else", "// false", "// true", set(MODES)),
    ("a program that is not Swift", "print(GlobalData", "print(try GlobalDat", set(MODES)),
    ("a predicate over a model of the main actor", "filter { $0.speed > 60 }", "filter(#Predicate { $0.speed > 60 })",
     {"main actor by default"}),
    ("a model of the main actor elsewhere", "try await GlobalData.set(Car(id: 1), forKey: \"car\")",
     "_ = Task.detached { try await GlobalData.set(Car(id: 1), forKey: \"car\") }", {"main actor by default"}),
    ("an object that two tasks share", "let fast", "_ = Task.detached { log.lines = [] }\nlog.lines = []\nlet fast",
     strict),
]


def check_mutations(compiler, pool):
    """Returns the problems of the check itself."""
    problems = []
    for mode in (mode for mode in MODES if compiler.version >= MODES[mode][1]):
        if check(compiler, {"sound": sound}, mode, pool)[2]:
            problems.append(f"{mode}: the document without an error fails: {check(compiler, {'sound': sound}, mode, pool)[2]}")
        for name, old, new, modes in mutations:
            if sound.count(old) < 1:
                sys.exit(f"error: there is nothing to change for: {name}")
            is_found = bool(check(compiler, {name: sound.replace(old, new, 1)}, mode, pool)[2])
            if is_found != (mode in modes):
                problems.append(f"{mode}: {name} is {'found' if is_found else 'not found'}")
    print(f"{len(mutations)} errors are found in their modes" if not problems else "\n".join(problems))
    return problems


def main():
    arguments = sys.argv[1:]
    texts = documents({name for name in arguments if not name.startswith("--")})
    began = time.monotonic()
    compiler = Compiler()
    print(f"the library was built in {time.monotonic() - began:.0f} s")
    problems, everything_left_out = [], {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for mode, (_, first) in MODES.items():
            if compiler.version < first:
                print(f"skipped: {mode}: the compiler has to be Swift {first[0]}.{first[1]} or later")
                continue
            began = time.monotonic()
            count, left_out, messages = check(compiler, texts, mode, pool)
            print(f"{mode}: {count} examples compiled, {len(left_out)} left out, in {time.monotonic() - began:.0f} s")
            for place, reason in left_out:
                everything_left_out.setdefault((place, reason), []).append(mode)
            for message in messages:
                print(f"{mode}: {message}")
            problems += messages
            if not texts or count == 0:
                problems.append("there are no examples")
        if "--mutations" in arguments:
            problems += check_mutations(compiler, pool)
    modes = [mode for mode in MODES if compiler.version >= MODES[mode][1]]
    for (place, reason), where in everything_left_out.items():
        print(f"not compiled{'' if where == modes else ' in ' + ', '.join(where)}: {place}: {reason}")
    sys.exit("error: examples fail" if problems else 0)


main()
