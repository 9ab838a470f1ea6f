"""Reads archives with Python's cbor2 and xxhash, two implementations that share no code with this package.

usage: cbor2_check.py ARCHIVETOOL LOGINSESSION LOGIN.json STRESSWRITER

Writes archives with the tool and with the example, loads them with cbor2, and checks their structure, their values, and
every checksum. Exit status: 0 all as specified, 1 (with a traceback) a difference.

The file begins with one CBOR item: tag 55799 over ["GlobalData", 1, UUID, generation, length of the entries, checksum of the head,
{key: [length, checksum, value]}, checksum]. After it come the changes of a store that appends: [generation, bytes on stable storage,
length of the rest, checksum before, checksum of the head, [key, [length, checksum, value] or [checksum], ...], checksum, "end"], and
then zeros.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

import cbor2
import xxhash

# The value of a removed key in a change.
REMOVED = object()


def head(data, offset):
    """Returns the major type and the argument of the item at an offset, and the end of its head."""
    major, info = data[offset] >> 5, data[offset] & 31
    offset += 1
    if info < 24:
        return major, info, offset
    assert info <= 27, "indefinite lengths are not written"
    size = 1 << (info - 24)
    return major, int.from_bytes(data[offset : offset + size], "big"), offset + size


def end(data, offset):
    """Returns the end of the item at an offset."""
    major, argument, offset = head(data, offset)
    if major in (2, 3):
        offset += argument
    elif major == 4:
        for _ in range(argument):
            offset = end(data, offset)
    elif major == 5:
        for _ in range(2 * argument):
            offset = end(data, offset)
    elif major == 6:
        offset = end(data, offset)
    assert offset <= len(data), "the item ends before it is complete"
    return offset


def checksum(data, seed=b"\0"):
    """Returns XXH64 with a seed as eight bytes, the most significant first."""
    return xxhash.xxh64(data, seed=int.from_bytes(seed, "big")).digest()


def byte_string(data, offset):
    """Returns the content of the byte string at an offset, and its end."""
    major, length, offset = head(data, offset)
    assert major == 2, f"expected a byte string, found major type {major}"
    return data[offset : offset + length], offset + length


def check_bytes(data):
    """Reads the bytes of an archive and computes every checksum again."""
    major, tag, offset = head(data, 0)
    assert (major, tag) == (6, 55799), "not a self-described CBOR item"
    major, count, offset = head(data, offset)
    assert (major, count) == (4, 8), "not an array of eight"
    for _ in range(3):  # name, version, identity
        offset = end(data, offset)
    offset = end(data, offset)
    major, length, offset = head(data, offset)
    assert (major, offset) == (0, 53), "the numbers of the head do not have nine bytes each"
    stored, entries = byte_string(data, offset)
    assert entries == 62 and checksum(data[:offset]) == stored, "the checksum of the head differs"
    major, count, offset = head(data, entries)
    assert major == 5, "the entries are not a map"

    whole = bytearray(data[:offset])
    offset, steps = check_records(data, offset, count, whole)
    assert len(set(key for key, _ in steps)) == len(steps), "a key occurs twice"
    assert offset == entries + length, "the entries do not have the length that the head says"
    stored, offset = byte_string(data, offset)
    assert checksum(bytes(whole)) == stored, "the checksum of the archive differs"
    return offset


def check_records(data, offset, count, whole):
    """Checks records and collects their checksums. Returns their end, and each key with its value or REMOVED."""
    steps = []
    for _ in range(count):
        major, size, offset = head(data, offset)
        assert major == 3, "a key is not a text"
        key = data[offset : offset + size]
        major, size, offset = head(data, offset + size)
        assert major == 4 and size in (1, 3), "a record is not an array of one or three"
        length = None
        if size == 3:
            major, length, offset = head(data, offset)
            assert major == 0, "an entry's length is not an unsigned integer"
        stored, offset = byte_string(data, offset)
        value = b"" if length is None else data[offset : offset + length]
        assert checksum(key, checksum(value)) == stored, f"the checksum of the entry {key!r} differs"
        assert longest_run_of_zeros(value) <= 255, f"the value of {key!r} has a long run of zeros"
        steps.append((key.decode(), REMOVED if length is None else content(value)))
        whole += stored
        offset += len(value)
    return offset, steps


def longest_run_of_zeros(data):
    return max((len(run) for run in re.findall(b"\0+", data)), default=0)


def content(value):
    """Returns the value in the bytes, and the embedded value if it is in bytes of its own."""
    loaded = plain(cbor2.loads(value))
    return plain(cbor2.loads(loaded.value)) if isinstance(loaded, cbor2.CBORTag) and loaded.tag == 24 else loaded


def check_change(data, start, archive, previous):
    """Checks the change at an offset. Returns its generation, its steps, its checksum, and its end."""
    major, count, offset = head(data, start)
    assert (major, count) == (4, 8), "a change is not an array of eight"
    (_, generation, offset), (_, synced, offset) = (first := head(data, offset)), head(data, first[2])
    assert synced <= start, "more was on stable storage than stands before the change"
    _, length, offset = head(data, offset)
    before, offset = byte_string(data, offset)
    assert before == previous, "the chain of checksums is broken"
    stored, steps = byte_string(data, offset)
    assert steps == start + 46, "a change's head does not have 46 bytes"
    assert checksum(data[start:offset], archive) == stored, "the checksum of a change's head differs"
    major, count, offset = head(data, steps)
    assert major == 4, "the steps of a change are not an array"
    whole = bytearray(data[steps:offset])
    offset, found = check_records(data, offset, count // 2, whole)
    last, offset = byte_string(data, offset)
    assert checksum(bytes(whole), stored) == last, "the checksum of a change differs"
    assert data[offset : offset + 4] == b"\x63end", "a change does not end as it should"
    assert offset + 4 == steps + length, "a change does not have the length that its head says"
    assert cbor2.loads(data[start : offset + 4])[-1] == "end", "cbor2 reads something else"
    return generation, found, last, offset + 4


def plain(value):
    """Returns the value with only lists and dictionaries; cbor2 creates tuples and frozen dictionaries inside tags."""
    if isinstance(value, cbor2.CBORTag):
        return cbor2.CBORTag(value.tag, plain(value.value))
    if isinstance(value, Mapping):
        return {key: plain(content) for key, content in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    return value


def cbor2_head_end(data):
    """Returns the offset of the first entry."""
    return head(data, 62)[2]


def load(path):
    """Loads an archive, checks the parts that all archives have, and returns its generation and its values by key."""
    data = Path(path).read_bytes()
    archive_end = check_bytes(data)
    name, version, identity, generation, _, _, entries, whole = plain(cbor2.loads(data[:archive_end]))
    assert name == "GlobalData", name
    assert version == 1, version
    assert isinstance(identity, uuid.UUID), identity
    assert isinstance(generation, int) and generation > 0, generation
    assert isinstance(whole, bytes) and len(whole) == 8, whole
    start = cbor2_head_end(data)
    values = dict(check_records(data, start, len(entries), bytearray())[1])
    assert list(values) == list(entries), "cbor2 finds other keys"
    offset, previous = archive_end, whole
    while offset < len(data) and data[offset]:
        number, steps, previous, offset = check_change(data, offset, whole, previous)
        assert number == generation + 1, "the generations of changes have a gap"
        generation = number
        for key, value in steps:
            if value is REMOVED:
                del values[key]
            else:
                values[key] = value
    assert not any(data[offset:]), "there is something else after the archive and its changes"
    return identity, generation, values


def run(*arguments, **options):
    return subprocess.run(list(map(str, arguments)), check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def check_tool(tool, folder):
    """Sets every kind of JSON value, one by one, with the tool."""
    path = folder / "tool.archive"
    plate = "a plate that is long enough to be worth a reference"
    values = {
        "nothing": None,
        "yes": True,
        "zero": 0,
        "negative": -1,
        "large": 2**53 + 1,
        "largest": 2**64 - 1,
        "smallest": -(2**63),
        "fraction": 2.5,
        "small": 1.0e-300,
        "text": "plain",
        "": "the name of a key below, since the empty key is refused",
        "umlauts, 京 and 🚚": "Grüße, 京A·88Q21 🚚\n\"quoted\" \\ \u0000",
        "empty": [[], {}, ""],
        "nested": {"a": [1, [2, [3, {"b": {"c": None}}]]], "d": {"": False}},
        "repeated": [{"plate": plate, "seller": plate, "speed": speed} for speed in range(60)],
        "many": {f"key {number}": number for number in range(300)},
        "long": "x" * 70_000,
        "zeros": "\0" * 2_000,
    }
    values["key" * 300] = values.pop("")

    generations = []
    for key, value in values.items():
        run(tool, "set", path, key, json.dumps(value, ensure_ascii=False))
        identity, generation, loaded = load(path)
        generations.append(generation)
        assert loaded[key] == value, f"{key}: {loaded[key]!r}"
        assert type(loaded[key]) is type(value), f"{key}: {type(loaded[key])}"
    assert loaded == values
    assert generations == sorted(set(generations)), f"the generation does not grow: {generations}"
    for key, value in values.items():
        assert json.loads(run(tool, "get", path, key)) == value, f"{key} is different for archivetool get"
    run(tool, "check", path)

    first, *rest = values
    run(tool, "remove", path, first)
    same, _, loaded = load(path)
    assert same == identity, "the identity of the store changed"
    assert sorted(loaded) == sorted(rest)
    print(f"archivetool: {len(values)} values, {len(generations)} generations")


def fields(value, tag):
    """Returns the fields of an object with a type tag."""
    assert isinstance(value, cbor2.CBORTag) and value.tag == 27, value
    name, content, *version = value.value
    assert name == tag and not version, value
    return content


def check_session(example, answer, tool, folder):
    """Checks the session of the example: objects with type tags, and an array of several types."""
    environment = dict(os.environ, XDG_DATA_HOME=str(folder), HOME=str(folder), CFFIXED_USER_HOME=str(folder))
    lines = run(example, answer, env=environment).splitlines()
    (path,) = (line.removeprefix("file: ") for line in lines if line.startswith("file: "))
    _, _, values = load(path)
    body = json.loads(Path(answer).read_text(encoding="utf-8"))["body"]
    user = {name: value for name, value in body["user"].items() if value is not None}
    cars = body["data"]

    assert sorted(values) == ["cars", "isLoggedIn", "mixed", "user"], sorted(values)
    assert fields(values["user"], "User") == user, values["user"]
    assert values["isLoggedIn"] is True
    assert fields(values["cars"], "[CarInfo]") == cars, values["cars"]
    car, note, count, login = values["mixed"]
    assert fields(car, "CarInfo") == cars[0], car
    assert isinstance(note, str) and count == len(cars), (note, count)
    assert isinstance(login, (datetime.datetime, cbor2.CBORTag)), login
    run(tool, "check", path)
    print(f"LoginSession: {len(values)} values, {Path(path).stat().st_size} bytes")


def check_appending(writer, tool, folder):
    """Checks a store that appends: changes follow its archive, each linked to the one before it."""
    for durability in ("powerLoss", "ordered", "processCrash"):
        path = folder / f"{durability}.archive"
        for count in (3, 30, 400):
            run(writer, "--appending", "--durability", durability, "increment", path, count)
            data = path.read_bytes()
            _, generation, values = load(path)
            archive_end = check_bytes(data)
            assert archive_end < len(data), "nothing was appended"
            assert data[archive_end] == 0x88, "the first change is not a change"
            run(tool, "check", path)
        assert values == {"counter": 433}, values
        print(f"appending, {durability}: {generation} generations, {path.stat().st_size} bytes")


def main():
    tool, example, answer, writer = (Path(argument).resolve() for argument in sys.argv[1:5])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        check_tool(tool, folder)
        check_session(example, answer, tool, folder)
        check_appending(writer, tool, folder)


main()
