"""A writer whose system calls fail, or that is killed at them, one call after the other."""

import collections
import errno

from writer import demand, stage

# Calls that every save makes: a run in which one of them was never met has tested nothing.
ESSENTIAL = {
    *("open", "create", "pread", "write", "fsync", "close", "rename", "unlink"),
    *("fstat", "fstatat", "lstat", "flock", "readdir", "realpath"),
}
APPENDING = {"pwrite"}


class Tally:
    """The calls that were met in all runs."""

    def __init__(self, options=()):
        self.options = options
        self.runs = 0
        self.calls = collections.Counter()

    def missing(self):
        return (ESSENTIAL | (APPENDING if self.options else set())) - set(self.calls)


def run(tool, library, tally, size, action, number, calls=None, times=1, saves=2):
    """Runs a writer that creates a store and writes it again, with one fault. Returns whether the fault was met."""
    # The first save of an appending store creates its file.
    saves += len(tally.options)
    with stage(tool, tally.options) as outer:
        log = outer.folder / "log"
        inner = outer.folder / "inner"
        inner.mkdir()
        here = type(outer)(tool, inner, tally.options)
        here.plant_leftover()
        environment = {
            "LD_PRELOAD": library,
            "FAULT_FOLDER": str(here.folder),
            "FAULT_NTH": str(number),
            "FAULT_TIMES": str(times),
            "FAULT_ACTION": action,
            "FAULT_LOG": str(log),
        }
        if calls:
            environment["FAULT_CALLS"] = calls
        planted = set(here.leftovers())
        report = here.write(saves, size, environment=environment)
        lines = log.read_text().splitlines() if log.exists() else []
        demand(lines, "no call was seen: is the library loaded, and does the writer use the C library?")
        inherited = [line for line in lines if "inheritable-open" in line]
        demand(not inherited, f"programs that the writer starts would inherit {inherited}")
        met = [line.split()[1] for line in lines if line.endswith(" MET")]
        tally.runs += 1
        tally.calls.update(met)
        when = f"{action} at call {number} ({lines[number - 1] if number <= len(lines) else 'not met'})"
        judge(here, report, met, action, times, planted, when)
        here.check(when)
        here.write_all(1, size, f"after {when}")
        return bool(met)


def judge(here, report, met, action, times, planted, when):
    """Checks what must hold before the store is opened again."""
    if met and "kill" in action:
        demand(report.was_killed, f"{when}: the writer lived on with status {report.status}")
        return
    if not met or action in ("short", str(errno.EINTR)):
        # An interruption or a partial result is not a failure.
        demand(
            report.status == 0 and report.started > 0 and (not report.errors or met == ["rename"]),
            f"{when}: {report.output}{report.complaint}",
        )
    if times == 1:
        demand(len(report.errors) <= 1, f"{when}: one fault, and more than one save failed: {report.output}")
    mine = set(here.leftovers()) - planted
    demand(not mine or "unlink" in met, f"{when}: {mine} were left")


def every_call(tool, library, tally, size, action, **choice):
    number = 1
    while run(tool, library, tally, size, action, number, **choice):
        number += 1
    demand(number > 1, f"{action} at {choice or 'any call'} was never met")
    return number - 1


def kill_at_every_call(tool, library, sizes, options=()):
    """Kills the writer at each call in turn: before the call, after it, and halfway through a write."""
    tally = Tally(options)
    points = 0
    for size in sizes:
        points = every_call(tool, library, tally, size, "kill")
        demand(points > 20, f"a life has {points} calls")
        every_call(tool, library, tally, size, "kill-after")
        every_call(tool, library, tally, size, "half-kill", calls="write,pwrite")
    missing = tally.missing()
    demand(not missing, f"never met: {missing}")
    return f"{tally.runs} runs, {points} calls in a life, killed before and after each"


def fail_every_call(tool, library, sizes, numbers, options=()):
    """Makes each call fail once, with each errno; then all calls from each one on; then partial results."""
    tally = Tally(options)
    for size in sizes:
        for number in numbers:
            every_call(tool, library, tally, size, str(number))
        # The answer of a file system that cannot rename without replacing.
        every_call(tool, library, tally, size, str(errno.EINVAL), calls="rename")
        every_call(tool, library, tally, size, str(errno.EIO), times=0)
        every_call(tool, library, tally, size, str(errno.ENOSPC), times=0, calls="create,write,pwrite,fsync,close")
        every_call(tool, library, tally, size, "short", calls="write,pwrite,pread")
        every_call(tool, library, tally, size, "short", calls="write,pwrite,pread", times=0)
        every_call(tool, library, tally, size, "zero", calls="write,pwrite")
        every_call(tool, library, tally, size, f"after:{errno.EIO}", calls="rename,unlink,fsync")
    missing = tally.missing()
    demand(not missing, f"never met: {missing}")
    names = ", ".join(errno.errorcode[number] for number in numbers)
    met = ", ".join(f"{call} {count}" for call, count in sorted(tally.calls.items()))
    return f"{tally.runs} runs with {names}, short and empty answers; met: {met}"
