"""Several processes set, remove, clear and restore in one store, with delays before their calls.

Only one process sets and removes a key. What it reads of the key, and what is there in the end, must fit.
"""

import random
import time
from concurrent.futures import ThreadPoolExecutor

from processes import cleaner, finish
from writer import Violation, demand, stage

OPERATIONS = {"set": 8, "remove": 1, "clear": 6, "restore": 1, "read": 4, "reopen": 2}
# The calls that change what others find; each store delays two of them.
CALLS = ["rename", "unlink", "pwrite"]
EMPTYING = ("clear", "restore")
NEVER = float("inf")


class Step:
    """An operation, with the times at which it began and was acknowledged, and the numbers that it read."""

    def __init__(self, number, name, began):
        self.number, self.name, self.began = number, name, began
        self.ended = NEVER
        self.is_acknowledged = False
        self.numbers = {}


def history(output, end=NEVER):
    """Returns the steps of a process that has ended by a given time."""
    steps = []
    for line in output.decode().splitlines():
        word, number, *rest = line.split()
        if word == "TRY":
            steps.append(Step(int(number), rest[0], int(rest[1])))
        elif word == "ACK":
            steps[-1].ended, steps[-1].is_acknowledged = int(rest[0]), True
            steps[-1].numbers = {key: int(value) for key, value in (pair.split("=") for pair in rest[1:])}
        else:
            demand(False, line)
    if steps and not steps[-1].is_acknowledged:
        steps[-1].ended = end
    return steps


def judge(key, steps, emptied):
    """Checks the reads of one key, which only one process sets and removes, but which all processes empty."""
    # The last acknowledged operation, and those after it that may have taken effect.
    begun = [Step(0, "remove", 0)]
    begun[0].ended = 0
    for step in steps:
        if step.name in ("set", "remove"):
            begun = [step] if step.is_acknowledged else [*begun, step]
        if step.name != "read" or not step.is_acknowledged:
            continue
        number = step.numbers.get(key)
        if number is None:
            fits = any(possible.name == "remove" for possible in begun) or any(
                other.ended > begun[0].began and other.began < step.ended for other in emptied
            )
            demand(fits, f"{key} has lost operation {begun[0].number}")
            continue
        origin = next((possible for possible in begun if possible.name == "set" and possible.number == number), None)
        demand(origin is not None, f"{key} has operation {number}, but the last one is {begun[-1].number}")
        again = any(
            origin.ended < other.began and other.ended < step.began for other in emptied if other.is_acknowledged
        )
        demand(not again, f"{key} has operation {number}, although the store was cleared after it")


def mix(tool, library, backup, seed, length):
    """Three processes mix operations in one store.

    Returns the numbers of operations, calls that could be late, removed locks, and processes killed in an operation.
    """
    chance = random.Random(seed)
    keys = ["a", "b", "c"]
    snapshots = chance.random() < 0.5
    with (
        stage(tool, ["--durability", "processCrash", "--unwatched"]) as here,
        cleaner(here.folder, 0.0005, snapshots) as removed,
    ):
        log = here.folder.parent / "log"
        delays = {
            "LD_PRELOAD": library,
            "FAULT_FOLDER": str(here.folder),
            "FAULT_NTH": "1",
            "FAULT_TIMES": "0",
            "FAULT_CALLS": ",".join(chance.sample(CALLS, 2)),
            "FAULT_ACTION": "delay:80:8000",
            "FAULT_LOG": str(log),
        }

        def start(key, operations):
            appending = ["--appending"] if chance.random() < 0.5 else []
            return here.start(*appending, "perform", here.file, key, backup, *operations, environment=delays)

        names, weights = zip(*OPERATIONS.items())
        running = [start(key, chance.choices(names, weights, k=length)) for key in keys]
        try:
            read = b""
            if chance.random() < 0.3:
                read = b"".join(running[0].stdout.readline() for _ in range(chance.randrange(2 * length)))
                running[0].kill()
            outputs = [finish(process, 300) for process in running]
        finally:
            for process in running:
                process.kill()
        outputs[0] = read + outputs[0]
        # All processes of a system share the clock.
        histories = [history(output, time.monotonic_ns()) for output in outputs]
        last = history(finish(start(keys[0], ["read"]), 60))
        emptied = [step for steps in histories for step in steps if step.name in EMPTYING]
        for key, steps in zip(keys, histories, strict=True):
            judge(key, steps + last, emptied)
        killed = any(not step.is_acknowledged for steps in histories for step in steps)
        return sum(map(len, histories)), log.read_text().count(" MET"), removed[0], killed


def mix_with_delays(tool, library, stores, length=60):
    """Stores of three processes each, whose lock files a cleaner removes; half of them have snapshots. 16 at a time.

    The seed gives the same operations again, but not the same times.
    """
    seed = random.randrange(1 << 32)
    with stage(tool) as other:
        finish(other.start("increment", other.file, 1), 60)

        def run(number):
            when = f"{seed} {number}"
            try:
                return mix(tool, library, other.file, when, length)
            except Exception as error:
                raise Violation(f"store {number} of seed {seed}: {error}") from error

        with ThreadPoolExecutor(16) as pool:
            results = list(pool.map(run, range(stores)))
    operations, late, removed, killed = (sum(column) for column in zip(*results, strict=True))
    summary = (
        f"{operations} operations in {stores} stores fit, {late} calls could come late, {removed} locks were removed, "
        f"{killed} processes were killed in an operation"
    )
    demand(operations > stores * length * 2 and late > stores and removed > 0 and killed > 0, summary)
    return summary
