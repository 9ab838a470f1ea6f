"""Checks archivetool on a terminal: colours, unless they are turned off, and a progress bar for long work.

usage: terminal_check.py ARCHIVETOOL

Exit status: 0 success, 1 failure, 2 usage error.
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path


def read_all(descriptor):
    output = b""
    while True:
        try:
            part = os.read(descriptor, 1 << 16)
        except OSError:  # Linux reports the end of a terminal in this way
            return output
        if not part:
            return output
        output += part


def on_terminal(arguments, **environment):
    """Returns the output of a command on a terminal, and its exit status."""
    process, descriptor = pty.fork()
    if process == 0:
        unset = {"NO_COLOR", "TERM"}
        inherited = {name: value for name, value in os.environ.items() if name not in unset}
        os.execve(arguments[0], arguments, {**inherited, "TERM": "xterm", **environment})
    return read_all(descriptor), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def errors_on_terminal(arguments):
    """Returns the output of a command on standard error, which is a terminal, while standard output goes elsewhere."""
    terminal, side = pty.openpty()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=side)
    os.close(side)
    output = read_all(terminal)
    assert process.wait() == 0, output
    return output


def check(tool, folder):
    small, large = str(folder / "small.archive"), str(folder / "large.archive")
    subprocess.run([tool, "set", small, "name", '"Ada"'], check=True)

    output, status = on_terminal([tool, "list", small])
    assert status == 0 and b"\x1b[1mname\x1b[0m" in output, output
    for wish in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        output, status = on_terminal([tool, "list", small], **wish)
        assert status == 0 and b"\x1b" not in output and b"name" in output, (wish, output)
    output, status = on_terminal([tool, "check", small])
    assert status == 0 and b"checking" not in output, output

    # Enough for more than a second with a slow debug build; a fast machine needs a multiple.
    count = 8_000
    while True:
        values = {f"key {number}": {"numbers": list(range(20)), "more": {"a": "x" * 50}} for number in range(count)}
        source = folder / "large.json"
        source.write_text(json.dumps(values))
        subprocess.run([tool, "import", large, str(source)], check=True, stdout=subprocess.DEVNULL)
        errors = errors_on_terminal([tool, "export", "--html", large])
        if errors or count > 500_000:
            break
        count *= 4
    # The last output of the bar removes it.
    assert errors.startswith(b"\rexporting [#") and b" %" in errors and errors.endswith(b"\r\x1b[K"), errors[-400:]
    plain = subprocess.run([tool, "export", "--html", large], capture_output=True, check=True)
    assert plain.stderr == b"" and b"\x1b" not in plain.stdout, plain.stderr
    print(f"colours, and a bar for {count} entries")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        check(sys.argv[1], Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
