"""Kills writers, fills disks and makes calls fail, and checks that every acknowledged save is there.

usage: violence.py [--long] WRITER LIBRARY

WRITER is the executable stress-writer, LIBRARY the compiled faults.c. Exit status: 0 all promises hold, 1 one does not, 2 usage error.
"""

import errno
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import faults
import kills
import mixing
import processes
import watching
from writer import Violation

SHORT = {
    "rounds": 100,
    "increments": 600,
    "stores": 200,
    "mixed stores": 150,
    "watched writes": 3000,
    "kill sizes": [1000],
    "fail sizes": [1000],
    "errnos": [errno.EIO, errno.EINTR, errno.ENOENT],
}
APPENDING = ["--appending"]
UNSYNCED = ["--appending", "--durability", "ordered"]
LONG = {
    "rounds": 500,
    "increments": 2000,
    "stores": 2000,
    "mixed stores": 3000,
    "watched writes": 100_000,
    "kill sizes": [0, 1000, 200_000, 1_000_000],
    "fail sizes": [1000, 200_000],
    "errnos": [
        *(errno.EIO, errno.EINTR, errno.ENOENT, errno.ENOSPC, errno.EACCES, errno.EPERM, errno.EROFS, errno.EDQUOT),
        *(errno.EMFILE, errno.EINVAL, errno.ENOTSUP, errno.ESTALE, errno.ENOLCK, errno.EBADF, errno.ENOMEM),
    ],
}


def full_disks(tool, library):
    """Runs in separate mount namespaces; skipped without the right to mount there."""
    attempt = 'd=$(mktemp -d) && mount -t tmpfs -o size=64k none "$d"; s=$?; umount "$d"; rmdir "$d"; exit $s'
    # As root, or as a user who is root in a user namespace.
    for namespace in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        try:
            if subprocess.run([*namespace, "sh", "-c", attempt], capture_output=True).returncode == 0:
                break
        except FileNotFoundError:
            pass
    else:
        return "SKIPPED: this process may not mount a file system in memory"
    disk = Path(__file__).with_name("disk.py")
    result = subprocess.run([*namespace, sys.executable, disk, tool, library], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise Violation(result.stdout)
    return result.stdout.strip().replace("\n", "; ")


def main(words):
    extent = LONG if "--long" in words else SHORT
    words = [word for word in words if word != "--long"]
    if len(words) != 2 or not all(Path(word).is_file() for word in words):
        print(__doc__, file=sys.stderr)
        return 2
    tool, library = (str(Path(word).resolve()) for word in words)
    parts = {
        "killed at random": lambda: kills.kill_at_random(tool, extent["rounds"]),
        "killed at every call": lambda: faults.kill_at_every_call(tool, library, extent["kill sizes"]),
        "every call fails": lambda: faults.fail_every_call(tool, library, extent["fail sizes"], extent["errnos"]),
        "two processes": lambda: processes.count_together(tool, 2, extent["increments"]),
        "a coarse clock": lambda: processes.count_with_a_coarse_clock(tool, library),
        "locks removed": lambda: processes.count_while_locks_are_removed(tool, extent["increments"]),
        "appending, locks removed": lambda: processes.count_while_locks_are_removed(
            tool, extent["increments"], APPENDING
        ),
        "created, locks removed": lambda: processes.create_while_locks_are_removed(tool, extent["stores"]),
        "mixed with delays, locks removed": lambda: mixing.mix_with_delays(tool, library, extent["mixed stores"]),
        "two namespaces": lambda: processes.save_in_namespaces(tool, 150),
        "one of two killed": lambda: processes.kill_one_while_another_counts(tool, extent["rounds"] // 5),
        "appending, killed at random": lambda: kills.kill_at_random(tool, extent["rounds"] // 2, APPENDING),
        "appending, killed at every call": lambda: faults.kill_at_every_call(
            tool, library, extent["kill sizes"], APPENDING
        ),
        "appending without a sync, killed at every call": lambda: faults.kill_at_every_call(
            tool, library, extent["kill sizes"][:1], UNSYNCED
        ),
        "appending, every call fails": lambda: faults.fail_every_call(
            tool, library, extent["fail sizes"], extent["errnos"][:1], APPENDING
        ),
        "appending, two processes": lambda: processes.count_together(tool, 2, extent["increments"], options=APPENDING),
        "appending, a coarse clock": lambda: processes.count_with_a_coarse_clock(tool, library, APPENDING),
        "appending, one of two killed": lambda: processes.kill_one_while_another_counts(
            tool, extent["rounds"] // 10, APPENDING
        ),
        "watched by another process": lambda: watching.follow_a_writer_that_is_killed(
            tool, extent["watched writes"], extent["rounds"] // 10
        ),
        "appending, watched by another process": lambda: watching.follow_a_writer_that_is_killed(
            tool, extent["watched writes"], extent["rounds"] // 10, APPENDING
        ),
        "watched while nothing is written": lambda: watching.stay_idle(tool),
        "full disks": lambda: full_disks(tool, library),
    }
    failed = []

    def run(name):
        began = time.monotonic()
        try:
            result = parts[name]()
        except Violation as violation:
            result = f"VIOLATION: {violation}"
            failed.append(name)
        return f"{name}: {result} ({time.monotonic() - began:.1f} s)"

    # Most parts wait for one process at a time.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run, parts):
            print(result, flush=True)
    print(f"broken: {', '.join(failed)}" if failed else "every acknowledged save was there")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
