"""A writer that is killed at random moments keeps every acknowledged save."""

import random
import time

from writer import LEVELS, demand, stage


def kill_at_random(tool, rounds, options=()):
    """Kills a writer many times, in one store throughout. Returns a summary."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    interrupted = left = 0
    with stage(tool, options) as here:
        for number in range(rounds):
            size = [200, 20_000, 400_000][number % 3]
            process = here.start("--durability", LEVELS[number % 4 % 3], here.file, 100_000, size)
            # Between the start of the process and some saves later, and then anywhere in a save.
            read = b"".join(process.stdout.readline() for _ in range(chance.randrange(8)))
            time.sleep(chance.random() * chance.choice([0.001, 0.005, 0.02]))
            process.kill()
            report = here.finish(process, read=read)
            when = f"kill {number} of seed {seed}"
            demand(report.was_killed, f"{when}: the writer ended by itself: {report.output}{report.complaint}")
            demand(not report.errors, f"{when}: {report.errors}")
            interrupted += report.started > report.acknowledged
            left += len(here.leftovers())
            demand(len(here.leftovers()) <= 1, f"{when}: {here.leftovers()}")
            here.check(when)
        demand(interrupted * 10 > rounds, f"only {interrupted} of {rounds} kills met a save under way")
        here.write_all(2, 1000, "after all kills")
        return f"{rounds} kills, {interrupted} of them in a save, {left} left a temporary file; last save {here.started}"
