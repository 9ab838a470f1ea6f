"""Runs stress-writer, records its acknowledgements, and checks the file that it left."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

LEVELS = ["powerLoss", "ordered", "processCrash"]


class Violation(Exception):
    """A promise of the store that does not hold."""


def demand(condition, message):
    """Raises a violation unless a condition holds."""
    if not condition:
        raise Violation(message)


class Report:
    """The report of a writer: the last save that was begun, the last one that was acknowledged, and its errors."""

    def __init__(self, output, status, errors):
        self.output, self.status, self.complaint = output, status, errors
        self.started = self.acknowledged = 0
        self.errors = []
        # A line that was cut off by the end of the process counts as not written.
        for line in output[: output.rfind("\n") + 1].splitlines():
            word, _, rest = line.partition(" ")
            number = rest.partition(" ")[0]
            if word == "TRY":
                self.started = int(number)
            elif word == "ACK":
                self.acknowledged = int(number)
            elif word == "ERR":
                self.errors.append(line)

    @property
    def was_killed(self):
        return self.status == -signal.SIGKILL


class Stage:
    """A folder with a store, the acknowledged numbers, and the writing tool with its options."""

    def __init__(self, tool, folder, options=()):
        self.tool = tool
        self.options = list(options)
        self.folder = Path(folder).resolve()
        self.file = self.folder / "store"
        self.started = self.acknowledged = 0

    def start(self, *words, environment=None):
        return subprocess.Popen(
            [self.tool, *self.options, *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # Reading lines early must not take later lines out of the pipe.
            env={**os.environ, **(environment or {})},
        )

    def finish(self, process, timeout=60, read=b""):
        """Waits for a writer and records its report; `read` is the output that was already read."""
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Violation(f"a writer did not end within {timeout} s") from None
        report = Report((read + output).decode(), process.returncode, errors.decode(errors="replace"))
        self.started = max(self.started, report.started)
        self.acknowledged = max(self.acknowledged, report.acknowledged)
        demand(
            report.status in (0, 3, -signal.SIGKILL),
            f"a writer ended with status {report.status}: {report.complaint}",
        )
        return report

    def write(self, count, size, *options, environment=None):
        return self.finish(self.start(*options, self.file, count, size, environment=environment))

    def check(self, when):
        """Opens the file again: it must hold a valid save, and leftover files must be removed."""
        process = subprocess.run(
            [self.tool, *self.options, "check", str(self.file), str(self.acknowledged), str(self.started)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        demand(process.returncode == 0, f"{when}: {process.stdout}{process.stderr}")
        demand(not self.leftovers(), f"{when}: {self.leftovers()} are still there after the store was opened")

    def write_all(self, count, size, when):
        """Writes without interference: everything must be acknowledged."""
        report = self.write(count, size)
        demand(
            report.status == 0 and not report.errors and report.acknowledged == report.started > 0,
            f"{when}: writing does not work again: {report.output}{report.complaint}",
        )
        self.check(when)

    def leftovers(self):
        """Returns the temporary files. An empty lock file is not one."""
        return sorted(name for name in os.listdir(self.folder) if name.startswith(".as-") and name.endswith(".tmp"))

    def plant_leftover(self):
        """Creates a temporary file like that of a writer that died before removing it."""
        dead = subprocess.Popen(["true"])
        dead.wait()
        (self.folder / f".as-{dead.pid:08x}00000001.tmp").write_bytes(b"half")


@contextlib.contextmanager
def stage(tool, options=()):
    """Yields a stage in a new folder, which is removed afterward."""
    outer = tempfile.mkdtemp(prefix="violence-")
    # One folder deeper: a process that watches a store also notices what others remove beside the store's folder.
    folder = os.path.join(outer, "store")
    os.mkdir(folder)
    try:
        yield Stage(tool, folder, options)
    finally:
        shutil.rmtree(outer, ignore_errors=True)
