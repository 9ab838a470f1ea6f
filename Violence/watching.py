"""A process observes a store that others write: the changes that it receives, how soon, and the cost while nothing is written."""

import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from writer import LEVELS, demand, stage

KEYS = 7
# The end of the runtime's work after a task: its threads end 5 s after they were used.
REST = 7
IDLE = 10
# Every second, libdispatch counts the threads of any process that has used it.
MONITOR = re.compile(r"timerfd_settime\(|epoll_ctl\(\d+, EPOLL_CTL_MOD, |epoll_wait\(")


def wait_for(path, word, process):
    """Waits until a process has printed something, and returns its whole output."""
    deadline = time.monotonic() + 120
    while word not in (said := path.read_text()):
        demand(process.poll() is None, f"the process that watches ended: {said}")
        demand(time.monotonic() < deadline, f"the process that watches never said {word.strip()}: {said[-300:]}")
        time.sleep(0.001)
    return said


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def written(output):
    """Returns the numbers of writes that were begun, and the durations of those that returned, in nanoseconds."""
    lines = [line.split() for line in output[: output.rfind(b"\n") + 1].decode().splitlines()]
    begun = max((int(words[1]) for words in lines if words[0] == "TRY"), default=0)
    return begun, [int(words[2]) for words in lines if words[0] == "ACK"]


def puts(number, key):
    """Returns whether the writer puts a number under a key: under one key after the other, and each tenth under the next key, too."""
    return number % KEYS == key or number % 10 == 0 and (number + 1) % KEYS == key


class Reported:
    """The changes of each key that the observing process received, in order, with their ages."""

    def __init__(self):
        self.last = [0] * KEYS  # The value that was there when the change was received.
        self.before = [-1] * KEYS  # The value before the change.
        self.ages = []
        self.count = 0

    def take(self, line):
        origin, *numbers = line.split()[1:]
        demand(origin == "otherProcess", f"a change of {origin} was reported: {line}")
        words = list(map(int, numbers))
        for key, old, new, age in zip(*[iter(words)] * 4):
            self.count += 1
            # Each change begins with a later value than the one before: no state was reported twice, and they are in order.
            demand(old > self.before[key], f"key {key} was {old} before the change, and {self.before[key]} before that")
            demand(new >= self.last[key] and new > old, f"key {key} went from {old} and {self.last[key]} to {new}")
            for number in (old, new):
                demand(number == 0 or puts(number, key), f"key {key} never had {number}")
            if new > self.last[key]:
                self.ages.append(age)
            self.before[key], self.last[key] = old, new


def follow_a_writer_that_is_killed(tool, last, kills, options=()):
    """Writes are reported in order, none twice, and always the last one, while the writer is sometimes killed."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    reported, durations, killed = Reported(), [], 0
    with stage(tool, options) as here, tempfile.TemporaryDirectory() as other:
        # Not in the store's folder, where writing would be an event.
        output = Path(other) / "reported"
        with output.open("wb") as stream:
            watcher = subprocess.Popen([tool, *here.options, "watch", str(here.file), str(last)], stdout=stream)
        try:
            wait_for(output, "READY", watcher)
            done = 0
            while done < last:
                level = ["--durability", "processCrash" if killed % 5 else LEVELS[killed // 5 % 3]]
                # After a kill, the same number again: its write happened, or it is made now.
                writer = here.start(*level, "number", here.file, last, KEYS)
                read = b""
                if killed < kills:
                    lines = chance.randrange(1, max(2, 2 * last // kills))
                    read = b"".join(writer.stdout.readline() for _ in range(2 * lines))
                    time.sleep(chance.random() * 0.002)
                    writer.kill()
                    killed += 1
                rest, errors = writer.communicate(timeout=1800)
                demand(writer.returncode in (0, -9), f"a writer ended with {writer.returncode}: {errors.decode()}")
                begun, took = written(read + rest)
                durations += took
                if writer.returncode == 0:
                    done = last
                demand(begun <= last, "a writer went on")
            said = wait_for(output, "\nDESCRIPTORS", watcher)
            demand(watcher.wait(60) == 0, "the process that watches failed")
        finally:
            watcher.kill()
            watcher.wait()
        for line in said.splitlines():
            if line.startswith("CHANGE "):
                reported.take(line)
        expected = [max(n for n in range(last - 20 - KEYS, last + 1) if puts(n, key)) for key in range(KEYS)]
        demand(reported.last == expected, f"seed {seed}: the last state is {expected}, and was reported as {reported.last}")
        check_descriptors(said)
    micro = 1000
    return (
        f"{reported.count} changes of {last} writes reported in order, {killed} kills; from the start of a write until another process has "
        f"its value: median {statistics.median(reported.ages) / micro:.0f} µs, p99 {percentile(reported.ages, 0.99) / micro:.0f} µs; "
        f"the write itself: median {statistics.median(durations) / micro:.0f} µs, "
        f"p99 {percentile(durations, 0.99) / micro:.0f} µs"
    )


def check_descriptors(said):
    """One additional descriptor while the file is watched, and none afterward."""
    before, after = (line.split()[1:] for line in said.splitlines() if line.startswith("DESCRIPTORS"))
    during = next(line.split()[1:] for line in said.splitlines() if line.startswith("READY"))
    demand("anon_inode:inotify" not in before + after, f"a watch was left: {before}, {after}")
    demand(during.count("anon_inode:inotify") == 1, f"no watch was there: {during}")
    # The runtime's own descriptors, which it keeps for later.
    own = [name for name in after if not name.startswith("anon_inode:[")]
    demand(own == [name for name in before if not name.startswith("anon_inode:[")], f"from {before} to {after}")


def stay_idle(tool):
    """A process that observes makes no system call while nothing is written, except those of a process that watches nothing."""
    if shutil.which("strace") is None:
        return "SKIPPED: there is no strace"
    attempt = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True)
    if attempt.returncode != 0:
        return "SKIPPED: this process may not trace another one"
    calls = {}
    with tempfile.TemporaryDirectory() as other, stage(tool) as here:
        here.write_all(3, 100, "before")
        running = {}
        try:
            for name, options in {"watched": [], "unwatched": ["--unwatched"]}.items():
                output = Path(other) / f"{name}.out"
                trace = ["strace", "-f", "-ttt", "-o", f"{other}/{name}.trace"]
                with output.open("wb") as stream:
                    words = [*trace, tool, *options, "watch", str(here.file), "1000000000"]
                    running[name] = subprocess.Popen(words, stdout=stream)
                wait_for(output, "READY", running[name])
            time.sleep(REST)
            begin = time.time()
            time.sleep(IDLE)
            end = time.time()
        finally:
            for name, process in running.items():
                # The traced process, whose end also ends strace. Killing only strace would leave it running.
                os.kill(int((Path(other) / f"{name}.trace").read_text(errors="replace").split()[0]), signal.SIGKILL)
                process.wait(60)
        for name in running:
            lines = (Path(other) / f"{name}.trace").read_text(errors="replace").splitlines()
            inotify = sum("inotify_add_watch" in line for line in lines)
            # Two, because its first store only warms up the runtime.
            demand((inotify > 0) == (name == "watched"), f"{name}: {inotify} calls of inotify_add_watch")
            calls[name] = [line for line in lines if begin <= float(line.split()[1]) <= end]
    more = [line for line in calls["watched"] if not MONITOR.search(line)]
    demand(not more, "while nothing was written: " + "; ".join(more[:10]))
    difference = len(calls["watched"]) - len(calls["unwatched"])
    # One round of the monitor may be within one window and not within the other.
    demand(abs(difference) <= 4, f"{len(calls['watched'])} calls in place of {len(calls['unwatched'])}")
    return (
        f"0 wake-ups in {IDLE} s; {len(calls['watched'])} calls of libdispatch's own monitor, "
        f"and {len(calls['unwatched'])} in a process that watches nothing"
    )
