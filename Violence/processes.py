"""Several processes increment one counter, which includes every acknowledged increment."""

import contextlib
import os
import random
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from writer import LEVELS, demand, stage


def counts(read):
    """Returns the values of the counter that a process received."""
    return [int(line.split()[1]) for line in read.decode().splitlines() if line.startswith("ACK ")]


def finish(process, timeout):
    output, errors = process.communicate(timeout=timeout)
    demand(process.returncode in (0, -9), f"a process ended with {process.returncode}: {errors.decode()}")
    # A line that was cut off by a kill counts as not written.
    return output[: output.rfind(b"\n") + 1]


def counter(here):
    """Returns the counter, as a new process reads it."""
    return int(finish(here.start("increment", here.file, 0), 60).split()[-1])


def count_together(tool, processes, count, environment=None, options=()):
    """Concurrent processes increment: all increments arrive, and no two processes receive the same number."""
    with stage(tool, options) as here:
        running = [here.start("increment", here.file, count, environment=environment) for _ in range(processes)]
        outputs = [finish(process, 300) for process in running]
        demand(not any(b"ERR" in output for output in outputs), "an increment failed")
        expected = processes * count
        demand(counter(here) == expected, f"{expected} increments arrived as {counter(here)}")
        reported = sorted(number for output in outputs for number in counts(output))
        demand(reported == list(range(1, expected + 1)), "two increments received the same number")
        return f"{processes} x {count} increments arrived as {expected}"


def count_with_a_coarse_clock(tool, library, options=()):
    """The same with file times of 10 ms, like those of kernels before Linux 6.13."""
    environment = {"LD_PRELOAD": library, "FAULT_TICK": "10000000"}
    return count_together(tool, 3, 500, environment, options) + " with a coarse clock"


@contextlib.contextmanager
def cleaner(folder, pause, snapshots=False):
    """Removes lock files repeatedly; the yielded list has their number in the end.

    With `snapshots`, also keeps states of the store under other names, as programs for backups do.
    """
    removed = [0]
    over = threading.Event()
    failures = []

    def clean():
        try:
            clean_until_over()
        except OSError as error:
            failures.append(error)

    def clean_until_over():
        while not over.wait(pause):
            for lock in folder.glob(".as-*.lock"):
                with contextlib.suppress(FileNotFoundError):
                    lock.unlink()
                    removed[0] += 1
            if snapshots:
                with contextlib.suppress(FileNotFoundError):
                    os.link(folder / "store", folder.parent / f"snapshot {time.monotonic_ns()}")

    thread = threading.Thread(target=clean)
    thread.start()
    try:
        yield removed
    finally:
        over.set()
        thread.join()
    demand(not failures, f"the cleaner failed: {failures}")


def count_while_locks_are_removed(tool, count, options=()):
    """A cleaner removes the lock file repeatedly, while it is held or waited for."""
    with stage(tool, options) as here, cleaner(here.folder, 0.0005) as removed:
        running = [
            here.start("--durability", "processCrash", "increment", here.file, count) for _ in range(3)
        ]
        outputs = [finish(process, 300) for process in running]
        demand(not any(b"ERR" in output for output in outputs), "an increment failed")
        demand(counter(here) == 3 * count, f"{3 * count} increments arrived as {counter(here)}")
        demand(removed[0] > 0, "no lock was removed")
        return f"3 x {count} increments arrived while {removed[0]} locks were removed"


def create_while_locks_are_removed(tool, stores):
    """Three processes create a store together, whose lock file a cleaner removes; eight stores at a time."""

    def create(_):
        with stage(tool, ["--appending"]) as here, cleaner(here.folder, 0.0005) as removed:
            running = [here.start("--durability", "processCrash", "increment", here.file, 4) for _ in range(3)]
            outputs = [finish(process, 300) for process in running]
            demand(not any(b"ERR" in output for output in outputs), "an increment failed")
            demand(counter(here) == 12, f"12 increments arrived as {counter(here)}")
            return removed[0]

    with ThreadPoolExecutor(8) as pool:
        removed = sum(pool.map(create, range(stores)))
    demand(removed > 0, "no lock was removed")
    return f"{stores} stores were created while {removed} locks were removed"


def save_in_namespaces(tool, count):
    """Two processes in different PID namespaces write stores in one folder, and open them repeatedly."""
    namespace = ["unshare", "--pid", "--fork"]
    try:
        if subprocess.run([*namespace, "true"], capture_output=True).returncode != 0:
            return "SKIPPED: this process may not make a namespace of processes"
    except FileNotFoundError:
        return "SKIPPED: there is no unshare"
    with stage(tool) as here:
        words = [*namespace, tool, str(here.folder / "other"), str(count), "20000"]
        writer = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while writer.poll() is None:
            # Each of these opens a store, and removes leftover files in the folder.
            finish(here.start("increment", here.file, 1), 60)
        output = finish(writer, 60)
        demand(b"ERR" not in output, f"a save failed: {output.decode()}")
        demand(output.count(b"ACK ") == count, f"of {count} saves {output.count(b'ACK ')} were acknowledged")
        demand(not here.leftovers(), f"{here.leftovers()} were left")
        return f"{count} saves beside a process of another namespace"


def kill_one_while_another_counts(tool, rounds, options=()):
    """One process is killed repeatedly: the other one continues without a failure, and no acknowledged increment is lost."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    killed = unacknowledged = 0
    with stage(tool, options) as here:
        # Each round has one process that runs to its end and one that does not.
        done = 0
        for number in range(rounds):
            when = f"round {number} of seed {seed}"
            level = ["--durability", LEVELS[number % 3]]
            steady = here.start(*level, "increment", here.file, 40)
            victim = here.start(*level, "increment", here.file, 100_000)
            read = b"".join(victim.stdout.readline() for _ in range(chance.randrange(1, 30)))
            time.sleep(chance.random() * 0.003)
            victim.kill()
            read += finish(victim, 60)
            output = finish(steady, 60)
            demand(b"ERR" not in output, f"{when}: the living process was held up: {output.decode()}")
            acknowledged = len(counts(read))
            started = read.count(b"TRY ")
            now = counter(here)
            demand(
                done + 40 + acknowledged <= now <= done + 40 + started,
                f"{when}: {done} + 40 + {acknowledged} to {started} increments arrived as {now}",
            )
            killed += 1
            unacknowledged += now - done - 40 - acknowledged
            done = now
            demand(not here.leftovers(), f"{when}: {here.leftovers()} were left")
        return f"{killed} kills beside a living process, {unacknowledged} increments arrived without having been reported"
