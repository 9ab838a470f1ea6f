"""Reads archives with Python's cbor2 and xxhash, two implementations that share nothing with this package.

usage: cbor2_check.py ARCHIVETOOL LOGINSESSION LOGIN.json STRESSWRITER

Writes archives with the tool and with the example, loads them with cbor2, and checks their structure, their values, and
every checksum. Exit status: 0 all as specified, 1 (with a traceback) something is not.

The file begins with one CBOR item: tag 55799 over ["GlobalData", 1, UUID, generation, {key: [length, checksum, value]}, checksum].
Behind it come the changes of a store that appends: [generation, bytes on the medium or nothing, checksum before, [removed key],
{key: [length, checksum, value]}, checksum, "end"], and then zeros.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

import cbor2
import xxhash


def head(data, offset):
    """The major type and the argument of the item at the offset, and where its head ends."""
    major, info = data[offset] >> 5, data[offset] & 31
    offset += 1
    if info < 24:
        return major, info, offset
    assert info <= 27, "indefinite lengths are not written"
    size = 1 << (info - 24)
    return major, int.from_bytes(data[offset : offset + size], "big"), offset + size


def end(data, offset):
    """Where the item at the offset ends."""
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


def checksum(data):
    """XXH64 with seed 0, as its eight bytes, the most significant first."""
    return xxhash.xxh64(data, seed=0).digest()


def byte_string(data, offset):
    """The content of the byte string at the offset, and where it ends."""
    major, length, offset = head(data, offset)
    assert major == 2, f"expected a byte string, found major type {major}"
    return data[offset : offset + length], offset + length


def check_bytes(data):
    """Walks over the bytes of an archive and computes every checksum anew."""
    major, tag, offset = head(data, 0)
    assert (major, tag) == (6, 55799), "not a self-described CBOR item"
    major, count, offset = head(data, offset)
    assert (major, count) == (4, 6), "not an array of six"
    for _ in range(4):  # name, version, identity, generation
        offset = end(data, offset)
    major, count, offset = head(data, offset)
    assert major == 5, "the entries are not a map"

    whole = bytearray(data[:offset])
    offset = check_entries(data, offset, count, whole)
    stored, offset = byte_string(data, offset)
    assert checksum(bytes(whole)) == stored, "the checksum of the archive differs"
    return offset


def check_entries(data, offset, count, whole):
    """Checks entries, adds their checksums to what is hashed, and returns where they end."""
    keys = []
    for _ in range(count):
        key = data[offset : end(data, offset)]
        keys.append(key)
        major, size, offset = head(data, offset + len(key))
        assert (major, size) == (4, 3), "an entry is not an array of three"
        major, length, offset = head(data, offset)
        assert major == 0, "an entry's length is not an unsigned integer"
        stored, offset = byte_string(data, offset)
        value = data[offset : end(data, offset)]
        assert len(value) == length, f"the length says {length}, the value has {len(value)} bytes"
        assert checksum(key + value) == stored, f"the checksum of the entry {key!r} differs"
        whole += stored
        offset += len(value)
    assert len(set(keys)) == len(keys), "a key occurs twice"
    return offset


def check_change(data, start, identity, previous):
    """Checks the change at a place, and returns its generation, what it removes and sets, and where it ends."""
    major, count, offset = head(data, start)
    assert major == 4 and count in (6, 7), "a change is not an array of six or seven"
    is_unsynced = count == 7
    offset = end(data, offset)
    if is_unsynced:
        major, synced, offset = head(data, offset)
        assert major == 0 and synced < start, "more was on the medium than stands before the change"
    before, offset = byte_string(data, offset)
    assert before == previous, "the chain of checksums is broken"
    offset = end(data, offset)
    major, count, offset = head(data, offset)
    assert major == 5, "the entries of a change are not a map"
    whole = bytearray(identity.bytes + data[start:offset])
    offset = check_entries(data, offset, count, whole)
    stored, offset = byte_string(data, offset)
    assert checksum(bytes(whole)) == stored, "the checksum of a change differs"
    assert data[offset : offset + 4] == b"\x63end", "a change does not end as it should"
    generation, *_, removed, entries, _, _ = plain(cbor2.loads(data[start : offset + 4]))
    return generation, removed, {key: value for key, (_, _, value) in entries.items()}, stored, offset + 4


def plain(value):
    """The value with lists and dictionaries only; cbor2 makes tuples and frozen dictionaries of what a tag holds."""
    if isinstance(value, cbor2.CBORTag):
        return cbor2.CBORTag(value.tag, plain(value.value))
    if isinstance(value, Mapping):
        return {key: plain(content) for key, content in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    return value


def load(path):
    """Loads an archive, checks what all have in common, and returns its generation and its values by key."""
    data = Path(path).read_bytes()
    archive_end = check_bytes(data)
    name, version, identity, generation, entries, whole = plain(cbor2.loads(data[:archive_end]))
    assert name == "GlobalData", name
    assert version == 1, version
    assert isinstance(identity, uuid.UUID), identity
    assert isinstance(generation, int) and generation > 0, generation
    assert isinstance(whole, bytes) and len(whole) == 8, whole
    values = {key: value for key, (_, _, value) in entries.items()}
    offset, previous = archive_end, whole
    while offset < len(data) and data[offset]:
        number, removed, added, previous, offset = check_change(data, offset, identity, previous)
        assert number == generation + 1, "the generations of changes have a gap"
        generation = number
        for key in removed:
            del values[key]
        values.update(added)
    assert not any(data[offset:]), "there is something else behind the archive and its changes"
    return identity, generation, values


def run(*arguments, **options):
    return subprocess.run(list(map(str, arguments)), check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def check_tool(tool, folder):
    """Every kind of JSON value, set one by one with the tool."""
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
    """The fields of an object with a type tag."""
    assert isinstance(value, cbor2.CBORTag) and value.tag == 27, value
    name, content, *version = value.value
    assert name == tag and not version, value
    return content


def check_session(example, answer, tool, folder):
    """The session of the example: objects with type tags, and an array of several types."""
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
    """A store that appends: behind its archive there are changes, each linked to the one before it."""
    for durability in ("powerLoss", "ordered", "processCrash"):
        path = folder / f"{durability}.archive"
        for count in (3, 30, 400):
            run(writer, "--appending", "--durability", durability, "increment", path, count)
            data = path.read_bytes()
            _, generation, values = load(path)
            archive_end = check_bytes(data)
            assert archive_end < len(data), "nothing was appended"
            heads = {0x86} if durability == "powerLoss" else {0x86, 0x87}
            assert data[archive_end] in heads, "the first change is no change"
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
