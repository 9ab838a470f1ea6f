"""A full disk: a tiny file system in memory, in the mount namespace of this process.

usage: disk.py WRITER LIBRARY

It mounts, so run it in a separate mount namespace (violence.py does that with `unshare`): no other process sees its mounts, and they end with
the process.
"""

import os
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from writer import Stage, Violation, demand

FULL = "No space left on device"


def mount(folder, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


def fill(path, leave=0):
    """Uses all space except for the last bytes."""
    with open(path, "ab", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(4096))
        except OSError:
            pass
        if leave:
            os.truncate(path, max(0, ballast.tell() - leave))


def full_of_bytes(here):
    """Saves without space fail and change nothing; once there is space, they work."""
    size = 300_000
    here.write_all(3, size, "while there is room")
    ballast = here.folder / "ballast"
    for leave in (0, 4096, size // 2, size):
        fill(ballast, leave)
        report = here.write(3, size)
        demand(report.status == 0 and len(report.errors) == 3, f"{leave} bytes are free: {report.output}")
        demand(all(FULL in error for error in report.errors), f"the reason is missing: {report.errors}")
        here.check(f"with {leave} bytes free")
        # A small value may fit where a large one did not. In neither case is anything lost.
        ballast.unlink()
        here.write_all(2, size, "after space was made")


def full_of_files(here):
    """There is space, but no file can be created: neither the store's nor the files beside it."""
    spare = here.folder / "spare"
    spare.mkdir()
    take_all_names(spare)
    report = here.write(2, 1000)
    demand(report.status == 0 and len(report.errors) == 2, f"without a name: {report.output}{report.complaint}")
    demand(all(FULL in error for error in report.errors), f"the reason is missing: {report.errors}")
    demand(not here.file.exists(), "there is a file although nothing was saved")
    give_names_back(spare)
    here.write_all(2, 1000, "after names were given back")
    take_all_names(spare)
    report = here.write(2, 1000)
    demand(report.status == 0 and len(report.errors) == 2, f"without a name: {report.output}{report.complaint}")
    here.check("without a name for a temporary file")
    give_names_back(spare)
    here.write_all(2, 1000, "after names were given back")


def take_all_names(spare):
    try:
        for number in range(1000):
            (spare / str(number)).touch()
    except OSError:
        return
    raise Violation("the disk has more names than it should")


def give_names_back(spare):
    for path in spare.iterdir():
        path.unlink()


def full_now_and_then(here):
    """Another program fills the disk and empties it while the writer writes."""
    ballast = here.folder / "ballast"
    done = threading.Event()

    def come_and_go():
        while not done.is_set():
            fill(ballast, random.randrange(600_000))
            done.wait(random.random() * 0.01)
            ballast.unlink()
            done.wait(random.random() * 0.01)

    other = threading.Thread(target=come_and_go)
    other.start()
    failed = saves = 0
    try:
        while saves < 300 or (failed == 0 and saves < 3000):
            saves += 50
            report = here.write(50, random.choice([1000, 100_000, 300_000]))
            failed += len(report.errors)
            demand(all(FULL in error for error in report.errors), f"another reason: {report.errors}")
            here.check("while the disk fills and empties")
    finally:
        done.set()
        other.join()
    ballast.unlink(missing_ok=True)
    here.write_all(2, 300_000, "after all")
    demand(failed > 0, "the disk was never full at the moment of a save")
    return f"{failed} of {saves} saves found it full"


def killed_on_a_full_disk(here):
    """A killed writer's file takes the last space; the next writer removes it and has space again."""
    size = 300_000
    here.write_all(1, size, "while there is room")
    fill(here.folder / "ballast", size + 8 * 4096)
    for number in range(1, 6):
        environment = {
            "LD_PRELOAD": sys.argv[2],
            "FAULT_FOLDER": str(here.folder),
            "FAULT_CALLS": "write",
            "FAULT_NTH": str(number),
            "FAULT_ACTION": "half-kill",
        }
        report = here.write(5, size, environment=environment)
        demand(report.was_killed and here.leftovers(), f"write {number} was not met")
        report = here.write(1, size)
        demand(not report.errors, f"no room beside what was left: {report.errors}")
        here.check(f"after a writer was killed in write {number}")


def read_only(here):
    """A read-only disk."""
    here.write_all(1, 1000, "before")
    subprocess.run(["mount", "-o", "remount,bind,ro", str(here.folder)], check=True)
    report = here.write(2, 1000)
    demand(len(report.errors) == 2 and report.status == 0, f"{report.output}{report.complaint}")
    demand("Read-only file system" in report.errors[0], f"the reason is missing: {report.errors}")
    here.check("on a disk that is read-only")
    subprocess.run(["mount", "-o", "remount,bind,rw", str(here.folder)], check=True)
    here.write_all(1, 1000, "after")


SCENES = [
    (full_of_bytes, "size=2m", ()),
    (full_of_files, "size=2m,nr_inodes=12", ()),
    (full_now_and_then, "size=2m", ()),
    (full_now_and_then, "size=2m", ("--appending",)),
    (killed_on_a_full_disk, "size=2m", ()),
    (read_only, "size=2m", ()),
    (read_only, "size=2m", ("--appending",)),
]


def main():
    with tempfile.TemporaryDirectory(prefix="violence-") as folder:
        for number, (scene, mounting, options) in enumerate(SCENES):
            mounted = str(Path(folder) / str(number))
            os.mkdir(mounted)
            mount(mounted, mounting)
            try:
                result = scene(Stage(sys.argv[1], mounted, options))
            except Violation as violation:
                print(f"{scene.__name__} {options}: {violation}")
                return 1
            finally:
                subprocess.run(["umount", mounted], check=True)
            print(f"{scene.__name__}: {result or 'as promised'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
