#!/usr/bin/env python3
"""Checks by the system calls of each write that the benchmark's columns survive what they state.

    python3 Examples/Benchmarks/durability.py [PROGRAM]

A column that survives a power cut must sync its file in each write and, if it renames the file, its folder too. A column
whose older state survives must sync before it renames. A column that only survives a kill must not sync at all; otherwise,
it would be compared with cheaper ones. Needs strace. Installs it with apt-get if possible, and otherwise skips with a message.
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, ".build/release/Benchmarks")
few, many = 5, 45
syncs = ("fsync", "fdatasync", "msync", "sync_file_range", "syncfs")
renames = ("rename", "renameat", "renameat2")


def need_strace():
    if shutil.which("strace") or sys.platform != "linux":
        return shutil.which("strace") is not None
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "strace"], stdout=subprocess.DEVNULL)
    return shutil.which("strace") is not None


def calls(column, writes):
    """Returns how often a process makes each call during a number of writes."""
    with tempfile.NamedTemporaryFile("r") as log:
        names = ",".join(syncs + renames)
        # A line begins with each call; "resumed" lines continue a call.
        command = ["strace", "-f", "-e", "trace=" + names, "-o", log.name, program, "write", column, "100", str(writes)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return collections.Counter(re.findall(r"^\d+ +(\w+)\(", log.read(), re.MULTILINE))


def judge(survives, syncs_made, renames_made):
    """Returns the problem of a column, or None."""
    if survives == "power cut" and syncs_made < (2 if renames_made >= 1 else 1):
        return "it does not wait for the disk"
    if survives == "power cut, maybe older" and renames_made >= 1 and syncs_made < 1:
        return "it renames a file that was not synced"
    if survives == "synced in place" and syncs_made < 1:
        return "it does not wait for the disk"
    if survives == "kill only" and syncs_made > 0.1:
        return "it syncs more than it states, so it is in the wrong group"
    known = ("power cut", "power cut, maybe older", "synced in place", "kill only")
    return None if survives in known else "this script does not know what it states"


def main():
    if not need_strace():
        return print("skipped: strace is needed (apt-get install strace)")
    columns = subprocess.run([program, "columns"], check=True, capture_output=True, text=True).stdout.splitlines()
    failures = 0
    print(f"{'column':62}{'survives':25}{'syncs a write':>15}{'renames':>10}")
    for column, survives in (line.split("\t") for line in columns):
        difference = calls(column, many)
        difference.subtract(calls(column, few))
        synced = sum(difference[name] for name in syncs) / (many - few)
        renamed = sum(difference[name] for name in renames) / (many - few)
        problem = judge(survives, synced, renamed)
        failures += problem is not None
        print(f"{column:62}{survives:25}{synced:15.2f}{renamed:10.2f}  {'WRONG: ' + problem if problem else ''}")
    if not columns:
        sys.exit("the program lists no columns")
    sys.exit(f"{failures} columns do not survive what they state, or more than that" if failures else 0)


main()
