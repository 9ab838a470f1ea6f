#!/usr/bin/env python3
"""Checks that reading any file takes at most linear time, by counting steps, not seconds.

    python3 .ci/steps.py PROGRAM

PROGRAM is the release build of `forged-files`, which forges files of many hostile families. For each family, valgrind counts the instructions of
reading a file of one size and a file twice as large, without those of reading a file with one entry.

Needs Linux with valgrind. Installs it with apt-get if possible, and otherwise skips with a message.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

size = 32 << 10

# The greatest factor of steps for twice as many bytes.
allowed = 2.2
# The greatest number of steps for one additional byte: an attacker's constant, some hundred times that of an intact file.
allowed_for_byte = 12_000
# Below this number, the share of steps outside of the parser is too large.
floor = 500_000


def need(tool):
    if not shutil.which(tool) and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", tool], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return shutil.which(tool) is not None


def steps(program, paths):
    """Returns the instructions of reading each file, after the first one is read without counting: the first use of much code takes more."""
    symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\S*readForgedFile\S*", symbols)
    if not found:
        sys.exit("error: the program has no function readForgedFile: update this script")
    function = found[0]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", f"--toggle-collect={function}",
            f"--dump-after={function}", program, "read", paths[0], *paths]
        done = subprocess.run(
            command, env=dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace")
        if done.returncode != 0:
            sys.exit(f"reading {paths} failed:\n{done.stderr[-2000:]}")
        counts = [pathlib.Path(f"{folder}/counts.{number + 2}").read_text() for number in range(len(paths))]
    return [int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1]) for text in counts]


def main():
    program = sys.argv[1]
    missing = [tool for tool in ("valgrind", "nm", "strip") if not (sys.platform == "linux" and need(tool))]
    if missing:
        print(f"skipped: counting steps needs {', '.join(missing)}, which are missing and cannot be installed")
        return
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # Valgrind cannot read the debug information of newer compilers, and fails.
        stripped = os.path.join(folder, "program")
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
        listed = subprocess.run(
            [stripped, "write", folder, "1", str(size), str(2 * size)], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        # The first family has intact entries, and its first file has only one. The first files of the other families are not read.
        numbers = [0] + [number for number in range(len(listed)) if number % 3]
        cores = min(os.cpu_count(), len(listed) // 3)
        shares = [[number for number in numbers if number // 3 % cores == core] for core in range(cores)]
        counts = pool.map(lambda share: steps(stripped, [os.path.join(folder, str(number)) for number in share]), shares)
        found = {number: count for share, one in zip(shares, counts) for number, count in zip(share, one)}
    problems = []
    if found[2] - found[1] < size:
        problems.append(f"nothing was counted: {size} bytes more of intact entries took {found[2] - found[1]} steps more")
    start = found[0]
    for number in range(0, len(listed), 3):
        name = listed[number].split(" ", 1)[1]
        bytes_once, bytes_twice = (int(line.split(" ", 1)[0]) for line in listed[number + 1:number + 3])
        once, twice = (max(found[file] - start, 1) for file in (number + 1, number + 2))
        growth = (twice / once) / (bytes_twice / bytes_once / 2)
        each = (twice - once) / (bytes_twice - bytes_once)
        print(f"{growth:6.2f} times, {each:8.0f} steps for a byte more: {name}")
        if twice > floor and growth > allowed:
            problems.append(f"twice as many bytes take {growth:.2f} times as many steps: {name}")
        if each > allowed_for_byte:
            problems.append(f"{each:.0f} steps for a byte more: {name}")
    for problem in problems:
        print(f"error: {problem}")
    sys.exit(1 if problems else 0)


main()
