#!/usr/bin/env python3
"""Compares the cost of writing, reading and opening with recorded values, in counts that do not vary between runs.

    python3 .ci/counts.py PROGRAM COUNTER_C RECORD [--record]

PROGRAM is the release build of Examples/Benchmarks, COUNTER_C its AllocationCounter.c, RECORD the file to compare with, or with --record
to write. Each count is the difference between a short and a long run, for one operation. System calls and bytes must be the same.
Allocations and instructions may differ slightly, because the runtime uses random numbers, and instructions of writes by more, because
another machine wakes its threads in another order: two machines were 12 % apart. Instructions of libraries that schedule threads do not
count, because a thread that waits runs more of them while other programs keep the processors busy. Times are not measured.

Needs Linux with strace, valgrind and a C compiler. Installs strace and valgrind with apt-get if possible, and otherwise skips with a message.
"""

import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# The greatest share by which a count may exceed the recorded one.
allowed = {"calls": 0.0, "bytes written": 0.0, "allocations": 0.05, "instructions": 0.1}
# The same for counts of opening a store.
openings = {"path resolutions": 0.0, "folders opened": 0.0, "files opened": 0.0}
allowed_for_writes = {**allowed, "instructions": 0.3}

# Libraries whose instructions do not count.
schedulers = ("libdispatch.so", "libswiftDispatch.so", "libswift_Concurrency.so", "libBlocksRuntime.so")

# The two numbers are the operations of the short and of the long run. Two runs of one length differ by up to 2.4 million instructions, because
# threads start and wake in another order: if an operation takes few instructions, the long run has many operations.
column = "GlobalData rewriting, {}"
workloads = {
    "write, powerLoss, 1000 entries": (["write", column.format("powerLoss"), "1000"], 20, 320),
    "write, processCrash, 10 entries": (["write", column.format("processCrash"), "10"], 20, 520),
    "write, processCrash, 10000 entries": (["write", column.format("processCrash"), "10000"], 10, 60),
    "append, powerLoss, 10000 entries": (["write", "GlobalData appending, powerLoss", "10000"], 20, 520),
    "append, ordered, 10000 entries": (["write", "GlobalData appending, ordered", "10000"], 20, 520),
    "read, 1000 entries": (["read", "1000"], 10_000, 310_000),
    "open and read, 10000 entries": (["reopen", "10000"], 5, 25),
    "1000 records to the archive": (["profile", "encode"], 2, 6),
    "1000 records from the archive": (["profile", "decode"], 2, 6),
    "1000 models to the archive": (["profile", "encode", "models"], 2, 6),
    "1000 models from the archive": (["profile", "decode", "models"], 2, 6),
    "1000 records from JSON": (["profile", "decode", "json"], 2, 6),
    "1000 models from JSON": (["profile", "decode", "json", "models"], 2, 6),
    "1000 models of converted values from JSON": (["profile", "decode", "json", "converted"], 2, 6),
}

# The greatest number of instructions of one workload, as a multiple of those of another: the documented cost of models.
ratios = {
    ("1000 models from JSON", "1000 records from JSON"): 3,
    ("1000 models from the archive", "1000 records from the archive"): 3,
    ("1000 models to the archive", "1000 records to the archive"): 3,
}


def environment(**more):
    # By default, Swift draws a seed for its hashes in each process.
    return dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1", **more)


def run(command, **more):
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stderr


def system_calls(command):
    """Returns the system calls on files, and the bytes written, without calls that wait for other threads."""
    with tempfile.NamedTemporaryFile("r") as log:
        run(["strace", "-f", "-y", "-e", "trace=desc,file", "-o", log.name, *command])
        counts = collections.Counter()
        for line in log.read().splitlines():
            call = re.match(r"\d+ +(?:<\.\.\. )?(\w+)", line)
            if not call or "epoll" in line or "eventfd" in line:
                continue
            if "resumed>" not in line:
                counts["calls"] += 1
                counts.update(opening(line))
            if call[1] in ("write", "pwrite64", "writev") and (written := re.search(r"= (\d+)$", line)):
                counts["bytes written"] += int(written[1])
        return counts


def opening(line):
    """Returns what a call opens: the store's folder, or its file, or neither."""
    if '.archive"' in line and "readlink" in line:
        yield "path resolutions"  # Each resolution examines the last component of a path once.
    if "openat(" in line and "/dev/urandom" not in line:
        yield "folders opened" if "O_DIRECTORY" in line else "files opened"


def is_in_memory(arguments):
    """Returns whether a workload uses no file, so that it only makes the few calls of its start."""
    return arguments[0] == "profile"


def instructions(profile):
    """Returns the instructions in a profile of callgrind, without those of libraries that schedule threads.

    A line `ob=(number) path` begins the lines of an object file, and has the path only once. The line after `calls=` has the cost of the
    callee, which has lines of its own. Format: https://valgrind.org/docs/manual/cl-format.html
    """
    paths, path, count = {}, "", 0
    lines = iter(profile)
    for line in lines:
        if found := re.match(r"c?ob=\((\d+)\)(?: (.*))?", line):
            paths[found[1]] = found[2] or paths[found[1]]
            path = path if line[0] == "c" else paths[found[1]]
        elif line.startswith("calls="):
            next(lines)
        elif re.match(r"[-+*\d]", line) and not any(library in path for library in schedulers):
            count += int(line.split()[1])
    return count


def measure(program, counter, arguments, times):
    command = [program, *arguments, str(times)]
    counts = collections.Counter() if is_in_memory(arguments) else system_calls(command)
    output = run(command, LD_PRELOAD=counter, COUNT_ALLOCATIONS="1")
    counts["allocations"] = int(re.search(r"allocations: (\d+)", output)[1])
    with tempfile.NamedTemporaryFile("r") as profile:
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile.name}", *command])
        counts["instructions"] = instructions(profile)
    return counts


def for_one(name, counts, start):
    """Returns the counts of one operation, without those of the start of the program."""
    arguments, few, many = workloads[name]
    counts.subtract(start)
    kinds = ("allocations", "instructions") if is_in_memory(arguments) else allowed
    kinds = {**allowed, **openings} if arguments[0] == "reopen" else kinds
    return {kind: round(counts[kind] / (many - few), 2) for kind in kinds}


def share(name, kind):
    """Returns by which share of the recorded count a count may be greater."""
    return {**(allowed if workloads[name][0][0] != "write" else allowed_for_writes), **openings}[kind]


def is_worse(name, kind, count, recorded):
    before = recorded.get(name, {}).get(kind)
    # Half a call or allocation comes from occasional work of threads.
    return before is None or count > before * (1 + share(name, kind)) + 0.5


def need(tool):
    if not shutil.which(tool) and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", tool], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return shutil.which(tool) is not None


def main():
    program, counter_source, record = sys.argv[1:4]
    missing = [tool for tool in ("strace", "valgrind", "cc", "strip") if not (sys.platform == "linux" and need(tool))]
    if missing:
        print(f"skipped: counts need {', '.join(missing)}, which are missing and cannot be installed")
        return
    recorded = {}
    if "--record" not in sys.argv:
        with open(record, encoding="utf-8") as file:
            recorded = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        counter = os.path.join(folder, "counter.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", counter, counter_source], check=True)
        # Valgrind cannot read the debug information of newer compilers, and fails.
        stripped = os.path.join(folder, "program")
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)

        # Counts hardly depend on what else runs, so each core measures.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as cores:
            runs = {
                name: [cores.submit(measure, stripped, counter, arguments, times) for times in (many, few)]
                for name, (arguments, few, many) in workloads.items()
            }
        found = {name: for_one(name, *(run.result() for run in runs[name])) for name in workloads}
        # Occasional work of threads falls into one run and not into another. What the program does for each operation is in all of them.
        for name, (arguments, few, many) in workloads.items() if recorded else []:
            for _ in range(2):
                if any(is_worse(name, kind, count, recorded) for kind, count in found[name].items()):
                    again = for_one(name, *(measure(stripped, counter, arguments, times) for times in (many, few)))
                    found[name] = {kind: min(count, again[kind]) for kind, count in found[name].items()}
    if "--record" in sys.argv:
        with open(record, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=2)
            file.write("\n")
        print(json.dumps(found, indent=2))
        return
    failures = []
    for name, counts in found.items():
        for kind, count in counts.items():
            before = recorded.get(name, {}).get(kind)
            worse = is_worse(name, kind, count, recorded)
            better = before is not None and count < before * (1 - max(share(name, kind), 0.05)) - 0.5
            note = "WORSE" if worse else "better: record it" if better else ""
            line = f"{name:40}{kind:16}{count:16,.2f}{before if before is not None else 'none':>16}  {note}"
            failures += [line] if worse else []
            print(line)
    for (name, other), limit in ratios.items():
        ratio = found[name]["instructions"] / found[other]["instructions"]
        line = f"{name}: {ratio:.2f} times the instructions of {other}, at most {limit}{'  WORSE' if ratio > limit else ''}"
        failures += [line] if ratio > limit else []
        print(line)
    if failures:
        print("", *failures, sep="\n")
        sys.exit(f"{len(failures)} counts are worse than recorded; if you intend this, record them: {' '.join(sys.argv)} --record")


main()
