"""Several processes count one counter up: every acknowledged increment is in it."""

import random
import time

from writer import LEVELS, demand, stage


def counts(read):
    """The values of the counter that a process was told of."""
    return [int(line.split()[1]) for line in read.decode().splitlines() if line.startswith("ACK ")]


def finish(process, timeout):
    output, errors = process.communicate(timeout=timeout)
    demand(process.returncode in (0, -9), f"a process ended with {process.returncode}: {errors.decode()}")
    # A line that was cut off by a kill counts as not written.
    return output[: output.rfind(b"\n") + 1]


def counter(here):
    """The counter, as a fresh process finds it."""
    return int(finish(here.start("increment", here.file, 0), 60).split()[-1])


def count_together(tool, processes, count, environment=None, options=()):
    """Processes that count at the same time: everything arrives, and no two are told the same number."""
    with stage(tool, options) as here:
        running = [here.start("increment", here.file, count, environment=environment) for _ in range(processes)]
        outputs = [finish(process, 300) for process in running]
        demand(not any(b"ERR" in output for output in outputs), "an increment failed")
        expected = processes * count
        demand(counter(here) == expected, f"{expected} increments arrived as {counter(here)}")
        told = sorted(number for output in outputs for number in counts(output))
        demand(told == list(range(1, expected + 1)), "two increments were told the same number")
        return f"{processes} x {count} increments arrived as {expected}"


def count_with_a_coarse_clock(tool, library, options=()):
    """Where the times of files are told no better than to 10 ms, as by kernels before Linux 6.13."""
    environment = {"LD_PRELOAD": library, "FAULT_TICK": "10000000"}
    return count_together(tool, 3, 500, environment, options) + " with a coarse clock"


def kill_one_while_another_counts(tool, rounds, options=()):
    """One is killed again and again: the other goes on without a failure, and nothing acknowledged is lost."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    killed = unacknowledged = 0
    with stage(tool, options) as here:
        # In each round, one that lives to its end and one that does not.
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
        return f"{killed} kills beside a living process, {unacknowledged} increments arrived without having been told"
