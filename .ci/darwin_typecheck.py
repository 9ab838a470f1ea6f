#!/usr/bin/env python3
"""Type-checks the code that uses the C library of Apple's systems, on any machine.

    darwin_typecheck.py [--mutations]

The headers are Darwin's own, from `ziglang` on PyPI. The standard library is the Embedded one for `arm64-apple-ios`, which newer Swift toolchains
for Linux have; without it, this is skipped. FoundationCore is replaced by the additions of Swift's module `Darwin` to the headers, and an empty
`Data`. So this checks names and types of the C library, not those of Foundation, and runs nothing; darwin_run.py runs a part of it.

With --mutations, the files are also checked with one error each, which must be found. This shows that the check can fail.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "ziglang==0.17.1"
# The headers are the same in the package of each platform.
PACKAGE_PLATFORM = "manylinux2010_x86_64"
INCLUDES = "ziglang/lib/libc/include/any-darwin-any/"

FILE = "Sources/GlobalData/File/"
CONFIGURATION = "Sources/GlobalData/Store/StoreConfiguration.swift"
CHECKED = [
    FILE + name + ".swift"
    for name in ["PlatformCalls", "DarwinCalls", "POSIXSystemCalls", "SystemCalls", "SystemCallError", "FileStatus"]
] + [
    "Sources/CodingSupport/DeepStack.swift", "Sources/CodingSupport/SystemLock.swift",
    "Sources/GlobalData/Watching/FolderWatch+Darwin.swift", "Sources/GlobalData/Watching/WatchedPath.swift",
]

TARGET = "arm64-apple-ios18.0"
# The only target with this standard library. For code that depends on the platform, the script pretends another one.
PLATFORMS = {
    "a device": None, "a simulator": "targetEnvironment(simulator)", "Mac Catalyst": "targetEnvironment(macCatalyst)",
    "macOS": "os(macOS)",
}

MODULE_MAP = "module Darwin [system] { header \"darwin.h\" export * }\n"
HEADERS = ["sys/types", "sys/stat", "sys/uio", "sys/file", "copyfile", "dirent", "errno", "fcntl", "limits", "pthread",
           "pthread/qos", "stdio", "stdlib", "string", "unistd"]

# The parts of Swift's own module `Darwin` that a header cannot declare: stdlib/public/Platform/Platform.swift, Darwin.swift.
OVERLAY = """
@_exported import Darwin

public var errno: Int32 {
  get { __error().pointee }
  set { __error().pointee = newValue }
}
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { -1 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { -1 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32 { -1 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }

public struct Data: Hashable, Sendable {}
"""

# Replaces Dispatch, whose module for Linux does not have the sources for file events: swift-corelibs-libdispatch, src/swift/Source.swift.
# This checks the use of these declarations, not that they are correct.
DISPATCH = """
public final class DispatchQueue {
  public static func global() -> DispatchQueue { DispatchQueue() }
}
public protocol DispatchSourceProtocol: AnyObject {}
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}
extension DispatchSourceProtocol {
  public func setEventHandler(handler: (@Sendable () -> Void)?) {}
  public func setCancelHandler(handler: (@Sendable () -> Void)?) {}
  public func activate() {}
  public func cancel() {}
}
public final class DispatchSource: DispatchSourceFileSystemObject {
  public struct FileSystemEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let delete = FileSystemEvent(rawValue: 1)
    public static let write = FileSystemEvent(rawValue: 2)
    public static let extend = FileSystemEvent(rawValue: 4)
    public static let rename = FileSystemEvent(rawValue: 32)
    public static let revoke = FileSystemEvent(rawValue: 64)
  }
  public static func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { DispatchSource() }
}
"""

# Replaces POSIXSystemCalls+Backups.swift, which only uses Foundation.
BACKUPS = "extension POSIXSystemCalls { func excludeFromBackups(_ path: String) throws(SystemCallError) {} }\n"

# Replaces MainQueue.swift, which uses Dispatch and Foundation.
MAIN_QUEUE = "package enum MainQueue { package static var isWorking: Bool { false }\n static func standIn() {} }\n"

# (file, its code, the error). A machine with Linux cannot find errors of these kinds.
MUTATIONS = [
    ("PlatformCalls", "status.st_mtimespec", "status.st_mtim"),
    ("PlatformCalls", "static let noAccessTime: Int32 = 0\n", ""),
    ("DarwinCalls", "F_FULLFSYNC", "F_FULLSYNC"),
    ("DarwinCalls", "F_BARRIERFSYNC", "F_BARRIERSYNC"),
    ("DarwinCalls", "copyfile_flags_t(kind)", "kind"),
    ("DarwinCalls", "F_GETPROTECTIONCLASS", "F_GETPROTECTION"),
    ("DarwinCalls", "fcntl(descriptor, F_SETPROTECTIONCLASS, wanted)", "fcntl(descriptor, F_SETPROTECTIONCLASS, Int64(wanted))"),
    ("DarwinCalls", "case .unprotected: 4\n", ""),
    ("DarwinCalls", "_PC_CASE_SENSITIVE", "_PC_CASE_INSENSITIVE"),
    ("DarwinCalls", "mkstemp_dprotected_np", "mkstempat_dprotected_np"),
    ("DarwinCalls", "UInt32(RENAME_EXCL)", "RENAME_EXCL"),
    ("DarwinCalls", "F_GETPATH, &path", "F_GETPATH, path"),
    ("POSIXSystemCalls", "mode_t(truncatingIfNeeded: permissions)", "permissions"),
    ("POSIXSystemCalls", "F_DUPFD_CLOEXEC, Self.firstOwnDescriptor)\n    return", "F_DUPFD_CLOEXEC, Int(Self.firstOwnDescriptor))\n    return"),
    ("POSIXSystemCalls", "off_t(offset)", "off64_t(offset)"),
    ("POSIXSystemCalls", "AT_SYMLINK_NOFOLLOW", "AT_EMPTY_PATH"),
    ("POSIXSystemCalls", "O_DIRECTORY | O_CLOEXEC", "O_DIRECTORY | O_PATH | O_CLOEXEC"),
    ("SystemCallError", "[EINVAL, ENOTSUP,", "[EINVAL, EBADFD,"),
    ("FileStatus", "internal(set) var nanoseconds: Int", "internal(set) var nanoseconds: Integer"),
    ("DeepStack", "var thread: pthread_t?", "var thread = pthread_t()"),
    ("DeepStack", "pthread_attr_set_qos_class_np", "pthread_attr_set_qos_class"),
    ("DeepStack", "qos_class_self()", "QOS_CLASS_CURRENT"),
    ("FolderWatch+Darwin", "O_EVTONLY | O_CLOEXEC)\n      guard", "O_PATH | O_CLOEXEC)\n      guard"),
    ("FolderWatch+Darwin", "guard folder >= 0 else { throw SystemCallError(.open, errno) }", "guard folder != nil else { return }"),
    ("FolderWatch+Darwin", "O_SYMLINK", "O_NOFOLLOW_LINK"),
    ("FolderWatch+Darwin", "[.write, .extend]", "[.modify, .extend]"),
    ("DeepStack", "if let thread { pthread_join(thread, nil) }", "pthread_join(thread, nil)"),
]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if not has_library():
        print(f"skipped: this toolchain has no Embedded standard library for {TARGET}")
        return
    with tempfile.TemporaryDirectory() as work:
        checker = Checker(pathlib.Path(work), root)
        checker.fetch_headers()
        checker.make_modules()
        sources = {name: (root / name).read_text() for name in CHECKED}
        status = 0
        for platform, condition in PLATFORMS.items():
            found = checker.errors(sources, condition)
            print(f"{platform}: {'FAILED' if found else 'no errors'}")
            if found:
                print(found)
                status = 1
        if status == 0 and "--mutations" in sys.argv[1:]:
            status = checker.mutate(sources)
        if status == 0:
            print(f"checked against Darwin's headers: {', '.join(pathlib.Path(name).stem for name in CHECKED)}")
    sys.exit(status)


def has_library():
    resources = json.loads(run("swiftc", "-print-target-info"))["paths"]["runtimeResourcePath"]
    return (pathlib.Path(resources) / "embedded/Swift.swiftmodule/arm64-apple-ios.swiftmodule").exists()


class Checker:
    def __init__(self, work, root):
        self.work = work
        self.headers = work / INCLUDES
        self.protection = "package enum GlobalData {\n" + enumeration(root / CONFIGURATION, "FileProtection") + "}\n" + BACKUPS + MAIN_QUEUE

    def fetch_headers(self):
        run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary=:all:", "--platform", PACKAGE_PLATFORM, "--dest", str(self.work), PACKAGE)
        [wheel] = self.work.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.work, [name for name in archive.namelist() if name.startswith(INCLUDES)])
        wheel.unlink()

    def make_modules(self):
        (self.work / "module.modulemap").write_text(MODULE_MAP)
        (self.work / "darwin.h").write_text("".join(f"#include <{name}.h>\n" for name in HEADERS))
        (self.work / "Overlay.swift").write_text(OVERLAY)
        (self.work / "GlobalData.swift").write_text(self.protection)
        (self.work / "Dispatch.swift").write_text(DISPATCH)
        for module, source in {"FoundationCore": "Overlay", "Dispatch": "Dispatch"}.items():
            run(*self.compiler(), "-emit-module", "-module-name", module,
                "-emit-module-path", str(self.work / f"{module}.swiftmodule"), str(self.work / f"{source}.swift"))

    def compiler(self):
        return ["swiftc", "-target", TARGET, "-swift-version", "6", "-parse-as-library", "-package-name", "GlobalData",
                "-wmo", "-enable-experimental-feature", "Embedded", "-module-cache-path", str(self.work / "cache"),
                "-I", str(self.work),
                # The compiler's own headers come before Darwin's.
                "-Xcc", "-nostdlibinc", "-Xcc", "-idirafter", "-Xcc", str(self.headers)]

    def errors(self, sources, condition=None):
        """Returns the compiler's message, or nothing if it accepts the files."""
        folder = self.work / "sources"
        folder.mkdir(exist_ok=True)
        for name, text in sources.items():
            (folder / pathlib.Path(name).name).write_text(assuming(condition, text))
        files = [str(folder / pathlib.Path(name).name) for name in sources] + [str(self.work / "GlobalData.swift")]
        features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        result = subprocess.run(
            [*self.compiler(), "-typecheck", "-warnings-as-errors", "-Wwarning", "EmbeddedRestrictions",
             "-module-name", "Checked",
             *(option for feature in features for option in ("-enable-upcoming-feature", feature)), *files],
            capture_output=True, text=True)
        return (result.stdout + result.stderr or "the compiler failed") if result.returncode else ""

    def mutate(self, sources):
        missed = 0
        for stem, there, error in MUTATIONS:
            name = next(name for name in sources if pathlib.Path(name).stem == stem)
            found = "error:" in self.errors({**sources, name: planting(error, there, sources[name], name)})
            missed += not found
            print(f"{'found' if found else 'MISSED'}: {stem}: {there.strip()!r} as {error.strip()!r}")
        print(f"{len(MUTATIONS) - missed} of {len(MUTATIONS)} mutations were found")
        return 1 if missed else 0


def planting(error, there, text, name):
    """Returns the source with an error in the place of the first such code. A comment that mentions the code stays as it is."""
    for match in re.finditer(re.escape(there), text):
        line = text[text.rfind("\n", 0, match.start()) + 1:match.end()]
        if not line.lstrip().startswith("//"):
            return text[:match.start()] + error + text[match.end():]
    sys.exit(f"error: {name} no longer has {there!r}: update the list of mutations")


def assuming(condition, text):
    """Returns the source whose condition for the platform is met, or the source itself."""
    return "".join(
        line.replace(condition, "true") if condition and line.lstrip().startswith("#") else line
        for line in text.splitlines(keepends=True))


def enumeration(path, name):
    """Returns an enumeration from a file, for the package only."""
    found = re.search(rf"^( *)(?:public|package) enum {name}\b.*?\n\1}}\n", path.read_text(), re.DOTALL | re.MULTILINE)
    if not found:
        sys.exit(f"error: {path} has no {name}")
    return found[0].replace("public", "package")


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"error: {' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


if __name__ == "__main__":
    main()
