#!/usr/bin/env python3
"""Plants errors, one by one, in the code for Apple's systems, and expects a check on this machine to find each of them.

    apple_mutations.py [--rebuilding]

Run it after the tests were built. With --rebuilding, it makes only the mutations that need a build, all of them together, and the last build
contains them. Mutations that a build or the rules about sources find are made in this checkout, and undone; the others in copies. The script
fails if a mutation survives, or if the code that one replaces no longer exists. darwin_typecheck.py has the mutations that the compiler finds
with Darwin's headers.

To add a mutation of another kind, give CHECKS a command that examines the changed files, and MUTATIONS a line with its name.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from darwin_typecheck import planting  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DARWIN_RUN = [sys.executable, ".ci/darwin_run.py"]


class Check(NamedTuple):
    """A command that fails if something is wrong."""

    command: list
    # Whether its mutations may be made together. Each must then have its own sign.
    is_for_all: bool = False
    # Whether it builds code with the mutations.
    rebuilds: bool = False


CHECKS = {
    # The rules about sources read them when they run.
    "rules": Check(["swift", "test", "--skip-build", "--filter", "SourceRulesTests"], is_for_all=True),
    # The calls that make decisions, against stand-ins for the C library.
    "a device": Check([*DARWIN_RUN, "a device"]),
    "a simulator": Check([*DARWIN_RUN, "a simulator"]),
    "Mac Catalyst": Check([*DARWIN_RUN, "Mac Catalyst"]),
    "macOS": Check([*DARWIN_RUN, "macOS"]),
    "activity": Check([*DARWIN_RUN, "activity"]),
    "watch": Check([*DARWIN_RUN, "watch"]),
    "tests": Check(
        ["swift", "test", "--filter", "StoreLocationTests|SuspensionTests|FileNameSpellingTests|BackupExclusionTests|DiagnosticHandlerTests|RecoveryTests"],
        is_for_all=True, rebuilds=True),
    # A mutation that would hide one of the others.
    "tests again": Check(["swift", "test", "--filter", "SuspensionTests"], is_for_all=True, rebuilds=True),
}


class Mutation(NamedTuple):
    # The effect on Apple's systems.
    finding: str
    check: str
    path: str
    # The code in the file; empty to append the mutation at the end.
    there: str
    instead: str
    # A pattern for the check's message about this mutation, in its lines about failures.
    sign: str


CALLS = "Sources/GlobalData/File/DarwinCalls.swift"
GRAVE = "case EIO, ENOSPC, EDQUOT, EINTR, EBADF: return -1"


def call(finding, there, instead, sign, check="a device"):
    return Mutation(finding, check, CALLS, there, instead, "FAILED: " + sign)


def rule(finding, path, there, instead, sign):
    """A mutation that a rule about sources finds; `sign` is the rule's message after the path."""
    return Mutation(finding, "rules", path, there, instead, re.escape(path) + ": " + sign)


def activity(finding, there, instead, sign):
    return Mutation(finding, "activity", "Sources/GlobalData/File/ExpiringActivity.swift", there, instead, "FAILED: " + sign)


def watch(finding, there, instead, sign):
    return Mutation(finding, "watch", "Sources/GlobalData/Watching/FolderWatch+Darwin.swift", there, instead, "FAILED: " + sign)


def tested(finding, path, there, instead, test, expectation="", check="tests"):
    """A mutation that a test finds, by a certain expectation if other mutations of the list also make it fail."""
    return Mutation(finding, check, "Sources/GlobalData/" + path, there, instead, rf"✘ Test {test}\(.*{expectation}")


def grave(name, number):
    return call(
        f"an error about lost data or an interruption ({name}) is hidden by a weaker sync", GRAVE,
        GRAVE.replace(f"{name}, ", "").replace(f", {name}:", ":"), f"a barrier's error {number}:")


MUTATIONS = [
    # Syncing
    call("a volume without barriers gets fsync, which stops in the drive's cache, and not the full flush",
         "if strength == .barrier, let answer = sync(descriptor, by: F_BARRIERFSYNC) { return answer }",
         "if strength == .barrier { return sync(descriptor, by: F_BARRIERFSYNC) ?? fsync(descriptor) }",
         "the full flush in place of a barrier"),
    call("a barrier is a full flush always", "if strength == .barrier, let answer", "if false, let answer", "a barrier is enough"),
    call("data is only put in order", "if strength == .barrier, let", "if strength != .flush, let", "data goes through"),
    call("a volume without the full flush cannot be written to", "?? fsync(descriptor)", "?? -1", "fsync where there is no flush"),
    call("only three errors mean that a volume has no such sync", GRAVE + "\n    default: return nil",
         "case ENOTSUP, EINVAL, ENOTTY: return nil\n    default: return -1", "fsync where there is neither, after error 78"),
    grave("EIO", 5), grave("ENOSPC", 28), grave("EDQUOT", 69), grave("EINTR", 4), grave("EBADF", 9),
    # Attributes
    call("an attribute that cannot be copied keeps the access list from being copied", "[COPYFILE_ACL, COPYFILE_XATTR]",
         "[COPYFILE_ACL | COPYFILE_XATTR]", "both are copied"),
    call("an access list that cannot be copied keeps the attributes from being copied", "      number = errno\n",
         "      number = errno\n      break\n", "attributes are copied after error 45"),
    call("a failed copy is not reported", "return number == 0 ? 0 : -1", "return 0", "attributes are copied after error 1 "),
    call("the reported error is that of another call", "    errno = number\n", "", "attributes are copied after error 5 "),
    # Protection classes
    call("protection classes are requested on a simulator", " && !targetEnvironment(simulator)", "", "a computer has no classes",
         "a simulator"),
    call("protection classes are requested on Mac Catalyst", " && !targetEnvironment(macCatalyst)", "", "a computer has no classes",
         "Mac Catalyst"),
    call("protection classes are requested on a Mac", "!os(macOS) && ", "", "a computer has no classes", "macOS"),
    call("an unexpected error fails writes for which no class was requested", "return protection == nil ? 0 : -1", "return -1",
         "error 1, and no class requested"),
    call("a requested class that is not available is not reported", "return protection == nil ? 0 : -1", "return 0",
         "error 1, and a class requested"),
    call("volumes without classes cannot be written to", "case ENOTSUP, EINVAL, ENOTTY: return 0", "case ENOTTY: return 0",
         "a volume without classes, error 45"),
    call("an interrupted call is not made again", "case EINTR: return -1", "case EINTR: return 0", "an interruption"),
    call("a new file cannot be read while the device is locked", "?? number(of: .completeUntilFirstUserAuthentication)",
         "?? number(of: .complete)", "the default"),
    call("a rewrite changes a file's class", "earlier.flatMap(protectionClass) ?? ", "", "the earlier file's"),
    call("no class is taken for a class", "return number > 0 ? number : nil", "return number", "no earlier class"),
    call("an app whose files are complete by default cannot write while the device is locked",
         "guard descriptor == -1, errno == EPERM else", "guard descriptor == -1, false else", "a new file while the device is locked"),
    call("a folder that denies new files for another reason is asked again", "errno == EPERM else", "true else", "error 13 of a new file"),
    call("a new file cannot be read while the device is locked, because it had to be created then",
         "mkstemp_dprotected_np(&path, number(of: .completeUntilFirstUserAuthentication), 0)",
         "mkstemp_dprotected_np(&path, number(of: .complete), 0)", "a new file while the device is locked"),
    call("a planted file is written", "UInt32(RENAME_EXCL)", "0", "a new file while the device is locked"),
    call("a file that could not be renamed remains", "    unlink(path)\n", "", "a name that is taken"),
    call("two processes that create the lock concurrently do not share it", "number == EEXIST && flags & O_EXCL == 0", "false",
         "a lock that another process has created"),
    # Names
    call("two spellings of a name are two files where case does not count", "== 0 ? .caseless : .normalized",
         "== 0 ? .normalized : .normalized", "case does not count"),
    call("a volume that does not answer is treated as one where case does not count", "== 0 ? .caseless", "!= 1 ? .caseless",
         "a volume that answers with error"),
    # Suspension
    activity("an app is suspended, and ended, while it holds a lock that others want", "      activity.waitForEnd()\n", "",
             "an activity (that is granted|whose time is over)"),
    activity("a lock is taken although the app is about to be suspended", "if isExpired { activity.expire() }", "_ = isExpired",
             "an activity whose time is over"),
    activity("a lock is taken before the system has answered", "    answer.wait()\n", "", "an activity that is refused"),
    activity("a thread remains for each write", "    if isFirst { ending.leave() }", "    _ = isFirst", "both calls return"),
    tested("a commit goes on after the system has said that the time is over", "File/FileSession+Locking.swift",
           "    if activity?.isExpired ?? false { return false }\n", "",
           "anExpiredActivityLeavesTheOldStateOrTheNew", r"refusesMore \? failures > 3"),
    tested("an app is kept running forever after a write", "File/FileSession.swift", "    activity?.end()\n    activity = nil\n",
           "    activity = nil\n", "theLockIsHeldWithinAnActivityOnly", "areAllEnded", check="tests again"),
    tested("a lock is taken although no time was granted", "File/FileSession+Locking.swift", "guard !activity.isExpired else {",
           "guard !activity.isExpired || activity.isExpired else {", "aWriteWithoutAnActivityDoesNotBegin"),
    tested("a writer waits for a lock until its app is suspended", "File/OpenFile.swift",
           ", !(activity?.isExpired ?? false) else { return false }", " else { return false }",
           "aWriterDoesNotWaitForALockBeyondItsActivity", "attempts"),
    tested("an immediate append takes the lock without requesting time", "File/FileSession+Locking.swift",
           "    try beginActivity(location)\n", "", "theLockIsHeldWithinAnActivityOnly", "outside.*== 0"),
    # Watching
    watch("appends to a file that cannot be opened now are never reported", "} else if errno != ENOENT {", "} else if false {",
          "a file that cannot be opened is an error"),
    watch("a store without a file is not watched", "} else if errno != ENOENT {", "} else {", "a file that does not exist yet is no error"),
    watch("a store does not learn that its file was replaced", "[.write, .delete, .rename, .revoke]", "[.delete, .rename, .revoke]",
          "a change of the folder makes a new watch"),
    watch("a link to the folder that is switched is not followed", "[.delete, .rename], on: queue", "[.rename], on: queue",
          "a link to the folder that is switched makes a new watch"),
    # Protection of all files
    tested("the file of the lock has the container's protection, so that no write works while the device is locked",
           "File/LockFile.swift", "    dropProtection()\n", "",
           "theFileGetsTheProtectionThatTheConfigurationNames"),
    tested("a damaged file that was set aside has the container's protection", "File/FileSession+SettingAside.swift",
           "    try? copy.protect(archive.protection, like: folder.openExisting(location.name))\n", "", "aCopyThatIsSetAsideHasTheProtectionOfTheStore"),
    # Paths
    tested("two spellings of a path have two locks where case does not count", "File/SideFileName.swift",
           "var folded = comparison.folded(name)", "var folded = name", "allSpellingsHaveOneLockBeforeThereIsAFileAndAfter"),
    tested("two spellings of a path have two engines where case does not count", "StoreEngine+Sharing.swift",
           "ExactText(one.foldedPath) == ExactText(other.foldedPath)", "ExactText(one.path) == ExactText(other.path)",
           "allSpellingsAreOneStoreBeforeThereIsAFileAndAfter"),
    # Diagnostics, and backups
    tested("a program cannot take what a store notices", "Store/StoreDiagnostics.swift", "self.handler = handler ?? {",
           "self.handler = {", "aHandlerReceivesEachDiagnosticOnceAndStreamsReceiveItToo"),
    tested("what was kept out of backups is in them after a write", "File/FileSession+Replacing.swift",
           "      archive.excludeFromBackups(temporary.name, in: folder.path)\n", "", "eachNewFileIsExcludedBeforeItTakesItsName"),
    tested("a first file is in backups", "File/FileSession+Replacing.swift",
           "    if earlier == nil { archive.excludeFromBackups(temporary.name, in: folder.path) }\n", "",
           "eachNewFileIsExcludedBeforeItTakesItsName"),
    # Code that not every system has
    rule("AffineTransform is in the SDK of macOS only", "Sources/KeyedArchive/Types/StandardTypes.swift",
         '      ("Int", Int.self)', '      ("AffineTransform", AffineTransform.self), ("Int", Int.self)', "`AffineTransform`"),
    rule("a rectangle of numbers takes an import of CoreGraphics", "Sources/KeyedArchive/Decoding/DecodingSession.swift",
         "", "let mutant = CGRect(x: 0, y: 0, width: 0, height: 0)", r"`CGRect\(x:`"),
    rule("CGRect.zero takes an import of CoreGraphics", "Sources/KeyedArchive/Decoding/DecodingInput+Text.swift", "",
         "let mutant = CGRect.zero", "`CGRect.zero`"),
    rule("NSPoint is Foundation's on computers only", "Sources/GlobalDataImporting/Unarchiving/UnarchivingSession+Foundation.swift",
         "", "let mutant = NSPoint()", "`NSPoint`"),
    rule("Float16 is missing on a Mac's Intel processor", "Sources/KeyedArchive/Encoding/EncodingSession.swift", "",
         "let mutant: Float16 = 0", "`Float16`"),
    rule("Float16 is missing on a Mac's Intel processor, under Mac Catalyst too", "Sources/KeyedArchive/Types/Float16+Archive.swift",
         "(os(macOS) || targetEnvironment(macCatalyst)) && arch", "os(macOS) && arch", "#if"),
    rule("iOS starts no other programs", "Sources/GlobalData/Store/GlobalData.swift", "", "let mutant = Process()", r"`Process\(`"),
    rule("a test starts another program on iOS", "Tests/GlobalDataTests/Reliability/SharedFileTests.swift",
         "#if os(macOS) || os(Linux)", "#if true", "let child = Process"),
    rule("a test archives points on iOS", "Tests/GlobalDataImportingTests/LegacyClasses.swift", "#if os(macOS) || os(Linux)",
         "#if true", r"coder.encode\(NSPoint"),
    Mutation("a thread with a deep stack has a lower priority than its caller, who waits for it", "rules",
             "Sources/CodingSupport/DeepStack.swift", "_ = pthread_attr_set_qos_class_np(attributes, qos_class_self(), 0)", "",
             r"DeepStack.swift no longer names this"),
    # Paths
    rule("Foundation strips /private once there is a file, so that a file has two paths and two engines",
         "Sources/GlobalData/StoreEngine+Sharing.swift", "following: url.absoluteURL,", "following: url.standardizedFileURL,",
         "`.standardizedFileURL`"),
    rule("Foundation resolves links to a path that the system does not give", "Sources/GlobalData/Store/StoreLocation.swift", "",
         "let mutant = url.resolvingSymlinksInPath()", "`.resolvingSymlinksInPath`"),
    # Streams
    rule("a warning on a closed stream ends the process", "Sources/CodingSupport/SystemLog.swift", "",
         "let mutant: Void = FileHandle.standardError.write(Data())", "`standardError.write"),
    rule("the tool's output to a closed stream ends the process", "Sources/archivetool/Output.swift",
         "try FileHandle.standardOutput.write(contentsOf: data)", "FileHandle.standardOutput.write(data)", "`standardOutput.write"),
    # Numbers where Int has 32 bits
    rule("a shift of an Int by 32 is 0 on a watch", "Sources/KeyedArchive/CBOR/StructureIndex.swift", "", "let mutant = 1 << 33",
         "`1 << 33`"),
    rule("a number beyond 32 bits does not fit into a watch's Int", "Sources/GlobalDataImporting/PropertyList/PropertyListBudget.swift",
         "", "let mutant = 0xffff_ffff", "`0xffff_ffff`"),
    rule("the length in a file traps on a watch", "Sources/KeyedArchive/CBOR/CBORReader.swift", "Int(truncatingIfNeeded: head.argument)",
         "Int(head.argument)", "`Int.head.argument.`"),
    rule("a number of an archive traps on a watch", "Sources/GlobalDataImporting/Unarchiving/UnarchivingSession+Decoding.swift", "",
         "let mutant = Int32(number)", "`Int32.number.`"),
    rule("a version in a file traps on a watch", "Sources/KeyedArchive/Decoding/DecodingSession+Evolution.swift", "",
         "let mutant = Int(version)", "`Int.version.`"),
    rule("a number of a text traps on a watch", "Sources/GlobalDataImporting/JSON/JSONReader.swift", "",
         "let mutant = numericCast(digits)", "`numericCast.digits.`"),
]


def main():
    # Restore the files, however the script ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("error: terminated"))
    surviving = 0
    rebuilding = "--rebuilding" in sys.argv[1:]
    wanted = [mutation for mutation in MUTATIONS if CHECKS[mutation.check].rebuilds == rebuilding]
    for name, check in CHECKS.items():
        mutations = [mutation for mutation in wanted if mutation.check == name]
        if not mutations:
            continue
        result = run(check.command)
        if result.returncode:
            sys.exit(f"error: {' '.join(check.command)} fails without a mutation:\n{result.stdout}{result.stderr}")
        if check.is_for_all:
            surviving += attempt(check, mutations)
        else:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as cores:
                surviving += sum(cores.map(lambda mutation: attempt_in_a_copy(check, mutation), mutations))
    print(f"{len(wanted) - surviving} of {len(wanted)} mutations were found")
    sys.exit(1 if surviving else 0)


def attempt(check, group):
    """Makes mutations here, runs the check, and undoes them. Returns the number of mutations that were not found."""
    originals = {}
    try:
        for mutation in group:
            path = ROOT / mutation.path
            originals.setdefault(path, (path.read_text(encoding="utf-8"), path.stat()))
            plant(mutation, path)
        return survivors(check, group, ROOT)
    finally:
        for path, (text, status) in originals.items():
            path.write_text(text, encoding="utf-8")
            # If no build has seen the mutation, the next one need not compile the file again.
            if not check.rebuilds:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def attempt_in_a_copy(check, mutation):
    """Makes a mutation in a copy of the sources, and runs the check there. Returns 1 if it was not found, or else 0."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in (".ci", "Sources"):
            shutil.copytree(ROOT / name, root / name)
        plant(mutation, root / mutation.path)
        return survivors(check, [mutation], root)


def plant(mutation, path):
    text = path.read_text(encoding="utf-8")
    mutated = planting(mutation.instead, mutation.there, text, mutation.path) if mutation.there else f"{text}{mutation.instead}\n"
    path.write_text(mutated, encoding="utf-8")


def survivors(check, group, root):
    """Runs a check with mutations in a folder. Returns the number of mutations that it does not find."""
    began = time.monotonic()
    result = run(check.command, root)
    output = result.stdout + result.stderr
    found = [result.returncode != 0 and re.search(mutation.sign, output) is not None for mutation in group]
    lines = [f"{'found' if is_found else 'SURVIVED'}: {mutation.finding} ({mutation.check})" for mutation, is_found in zip(group, found)]
    if not all(found):
        lines.append(output)
    # One call, so that the lines of checks on other cores are not mixed with these.
    print("\n".join([*lines, f"  {len(group)} in {time.monotonic() - began:.1f} s"]), flush=True)
    return found.count(False)


def run(command, root=ROOT):
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


main()
