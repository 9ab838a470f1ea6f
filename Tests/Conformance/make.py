#!/usr/bin/env python3
"""Writes the conformance files to this folder: NAME.globaldata, and NAME.json with the expected answer of a reader.

    make.py            writes all files, and removes those of deleted cases
    make.py --check    only compares; exit status 1 if a file differs

Each case states the correct verdict, keys and losses, which globaldata.py must also find. The rest of an answer comes from globaldata.py.
"""

import json
import sys

sys.dont_write_bytecode = True

from forging import HERE, OTHER_IDENTITY, Store, entry, g, removal  # noqa: E402

CASES = {}


def case(name, about, data, verdict="intact", keys=None, lost="", outdated="", generation=None, notation=None, error=False):
    """`keys`, `lost` and `outdated` are lists, or strings of keys separated by spaces."""
    assert name not in CASES, name
    rule = "-".join(name.split("-")[:2])

    def listed(keys):
        return keys.split() if isinstance(keys, str) else list(keys)

    data = bytes(data.data if isinstance(data, Store) else data)
    reading = g.open_file(data)
    answer = {"rule": rule, "about": about, **g.answer(reading)}
    found = [entry["key"] for entry in answer["entries"]]
    try:
        assert answer["verdict"] == verdict, answer["verdict"]
        assert keys is None or found == listed(keys), found
        assert answer["lost"] == listed(lost), answer["lost"]
        assert answer["outdated"] == listed(outdated), answer["outdated"]
        assert generation is None or answer["generation"] == str(generation), answer["generation"]
        if notation is not None:
            assert answer["entries"][0].get("notation") == notation, answer["entries"][0]
        assert any("error" in entry for entry in answer["entries"]) == error, answer["entries"]
    except AssertionError as failure:
        sys.exit(f"{name}: {failure}; {answer}; {reading.damage}")
    CASES[name] = (data, answer)


CAR, NOTE, LAST = entry("car", "BMW!"), entry("note", ["book", 7]), entry("last", True)
PADDING = entry("padding", "x" * 600)


def two(**options):
    return Store(CAR, NOTE, **options)


def three():
    return Store(CAR, NOTE, LAST)


def raw(key_head, key, rest):
    """Returns a record with any heads and a correct checksum."""
    value = rest[-1]
    checksum = g.record_checksum(key, value)
    return key_head + key + rest[0] + b"\x48" + g.big_endian(checksum) + value, checksum


def copied(key, store):
    """Returns an entry whose value is the bytes of a file."""
    return entry(key, g.embedded(g.encoded(bytes(store.data))))


def stored(value):
    """Returns a file with one value, whose stored bytes are given."""
    return Store(g.entry_record("value", value))


def value_case(name, about, value, notation):
    """Adds a case for a file with one value; `value` is bytes, or a hexadecimal string."""
    value = bytes.fromhex(value) if isinstance(value, str) else value
    case(name, about, stored(value), keys="value", notation=notation)


def malformed_case(name, about, value):
    value = bytes.fromhex(value) if isinstance(value, str) else value
    case(name, about, stored(value), keys="value", error=True)


# MARK: F-1 and F-2, the file and the archive

case(
    "F-1.3-long-key-head",
    "The head of a key is longer than needed: the record is lost, and its key is unknown.",
    Store(CAR, raw(b"\x78\x04", b"note", (b"\x83\x03", b"\x63abc")), LAST),
    "damaged",
    "car last",
)
case(
    "F-1.3-long-length",
    "The head of a value's length is longer than needed.",
    Store(CAR, raw(b"\x64", b"note", (b"\x83\x18\x04", b"\x63abc")), LAST),
    "damaged",
    "car last",
    lost="note",
)
case(
    "F-1.3-long-steps-head",
    "The head of the steps is longer than needed; the steps are applied.",
    two().append(LAST, steps_head=b"\x98\x02"),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-1.4-lengths",
    "XXH64 of values with lengths from 1 to 70 bytes.",
    Store(*[entry(f"k{n}", g.encoded(bytes(range(1, n)))) for n in range(1, 70)]),
)
case("F-1.5-wrap", "The generation after 2^64 - 1 is 0.", two(generation=2**64 - 1).append(LAST), keys="car note last", generation=0)
case(
    "F-1.5-later-across-zero",
    "After a damaged head, a change of generation 1 is later than 2^64 - 1.",
    (lambda s: s.flip(s.changes[0] + 5, 3).flip(s.changes[0] + 9, 3))(
        two(generation=2**64 - 2).append(LAST).append(CAR).append(entry("note", 1))
    ),
    "damaged",
    "car note last",
    generation=1,
)
case("F-2.1-no-entries", "An archive without entries.", Store(), keys="")
case("F-2.1-two-entries", "An archive of two entries.", two(), keys="car note", generation=1)
case(
    "F-2.1-many-entries",
    "An archive of 300 entries, whose map has a head of three bytes.",
    Store(*[entry(f"key {n}", n) for n in range(300)]),
)
case("F-2.3-large", "A generation of 2^63, which does not fit into a signed 64-bit integer.", two(generation=2**63), generation=2**63)

# MARK: F-3, records

case("F-3.2-removal", "A change removes a key.", two().append(removal("car")), keys="note", generation=2)
case("F-3.2-removal-of-nothing", "A change removes a missing key.", two().append(removal("other")), keys="car note")
case("F-3.4-empty", "A key has no bytes: it is lost.", Store(CAR, entry("", 1), LAST), "damaged", "car last", lost=[""])
case("F-3.4-longest", "A key has 65,536 bytes, the most that are allowed.", Store(CAR, entry("k" * 65536, 1)), keys=["car", "k" * 65536])
case("F-3.4-too-long", "A key has 65,537 bytes: its record is lost.", Store(CAR, entry("k" * 65537, 1), LAST), "damaged", "car last")
case("F-3.4-254-zeros", "A key has 254 zeros in a row, the most that are allowed.", Store(entry("\0" * 254, 1)), keys=["\0" * 254])
case("F-3.4-255-zeros", "A key has 255 zeros in a row: it is lost.", Store(CAR, entry("\0" * 255, 1)), "damaged", "car", lost=["\0" * 255])
case(
    "F-3.4-not-utf8",
    "A key is not UTF-8: the record is lost, and its key is unknown.",
    Store(CAR, entry(b"\xff\xfe", 1), LAST),
    "damaged",
    "car last",
)
case("F-3.4-surrogate", "A key is a surrogate, which is not valid in UTF-8.", Store(CAR, entry(b"\xed\xa0\x80", 1)), "damaged", "car")
case(
    "F-3.4-in-change",
    "A key in a change has no bytes: its step is lost.",
    two().append(entry("", 1), LAST),
    "damaged",
    "car note last",
    lost=[""],
)
case(
    "F-3.5-set",
    "A change sets a key with an equivalent spelling: the key keeps its position and gets the new spelling.",
    Store(entry("caf\u00e9", 1), CAR).append(entry("cafe\u0301", 2)),
    keys=["cafe\u0301", "car"],
)
case(
    "F-3.5-removed",
    "A change removes a key with an equivalent spelling.",
    Store(entry("caf\u00e9", 1), CAR).append(removal("cafe\u0301")),
    keys="car",
)
case(
    "F-3.5-twice",
    "Two entries have equivalent keys: the first one counts.",
    Store(entry("caf\u00e9", 1), entry("cafe\u0301", 2), CAR),
    "damaged",
    ["caf\u00e9", "car"],
)
case(
    "F-3.5-compatible",
    "A ligature is a different key than its two letters: only canonically equivalent keys are equal.",
    Store(entry("\ufb01", 1), entry("fi", 2)),
    keys=["\ufb01", "fi"],
)
case(
    "F-3.5-ascii-equivalent",
    "Changes set the kelvin sign, which is equivalent to the ASCII key K: both are one key.",
    Store(entry("K", 1), CAR).append(entry("\u212a", 2)).append(entry("\u212a", 3)),
    keys=["\u212a", "car"],
)
case(
    "F-3.5-ascii-equivalent-removed",
    "A change sets the kelvin sign, which is equivalent to the ASCII key K, and the next one removes K.",
    Store(entry("K", 1), CAR).append(entry("\u212a", 2)).append(removal("K")),
    keys="car",
)
case(
    "F-3.5-ascii-equivalent-back",
    "Changes set the ASCII key K and the equivalent kelvin sign, and remove K: both are one key.",
    Store(entry("\u212a", 1), CAR).append(entry("K", 2)).append(entry("\u212a", 3)).append(removal("K")),
    keys="car",
)
case("F-3.5-case", "Uppercase and lowercase letters are different keys.", Store(entry("Car", 1), CAR), keys="Car car")
case(
    "F-3.6-no-value",
    "An entry has no value: it is lost.",
    Store(CAR, g.entry_record("none", b""), LAST),
    "damaged",
    "car last",
    lost="none",
)
case("F-3.7-set-again", "A key that is set again keeps its position.", three().append(entry("car", 2)), keys="car note last")
case(
    "F-3.7-removed-and-set",
    "A key that one change removes and sets again is the last one.",
    three().append(removal("car"), entry("car", 2)),
    keys="note last car",
)
case(
    "F-3.7-set-twice",
    "A change sets one key twice: the second value counts.",
    Store(entry("value", 1)).append(entry("value", 2), entry("value", 3)),
    keys="value",
    notation="3",
)

# MARK: F-4, values in a file

value_case("F-4.1-definite", "A value in tag 24 around a byte string.", "d81843820102", "[1, 2]")
value_case(
    "F-4.1-chunks",
    "A value in tag 24 around chunks.",
    b"\xd8\x18\x5f" + b"\x58\xff\x59\x01\x2c" + bytes(252) + b"\x58\x30" + bytes(48) + b"\xff",
    f"h'{bytes(300).hex()}'",
)
value_case("F-4.1-small-chunks", "Chunks with other lengths than a writer uses, one of them empty.", "d8185f418240420102ff", "[1, 2]")
value_case("F-4.1-inner-tag-24", "Only the outer tag 24 is removed.", "d81844d8184107", "24(h'07')")
value_case("F-4.1-text", "Tag 24 around a text does not embed anything: the value stays unchanged.", "d81863616263", '24("abc")')
value_case("F-4.1-long-head", "The head of the byte string is longer than needed, which is allowed in a value.", "d8185803820102", "[1, 2]")
malformed_case("F-4.1-bytes-after", "The byte string of tag 24 is followed by another item.", "d8184301020300")
malformed_case("F-4.1-content", "The bytes in tag 24 are not an item.", "d818428301")
value_case(
    "F-4.1-shared",
    "Instances in tag 24 are numbered from the start of that item.",
    g.embedded(bytes.fromhex("82d81c8101d81d00"), True),
    "[[1], [1]]",
)

# MARK: F-5, changes

case(
    "F-5.1-three-changes",
    "An archive with three changes: a key is set, another is removed, and one is set again.",
    two().append(LAST).append(removal("car")).append(entry("note", "new")),
    keys="note last",
    generation=4,
)
case("F-5.1-no-steps", "A change without steps.", two().append(), keys="car note", generation=2)
case(
    "F-5.1-several-steps",
    "A change of 30 steps, whose array has a head of two bytes.",
    two().append(*[entry(f"k{n}", n) for n in range(30)]),
    generation=2,
)
case("F-5.8-room", "The last change is followed by zeros.", two().append(LAST).room(1000), keys="car note last", generation=2)
case("F-5.8-room-after-archive", "The archive is followed by zeros.", two().room(1000), keys="car note", generation=1)

# MARK: F-6, the head of the archive

case("F-6.1-identity", "A bit of the identity is wrong: it is repaired.", two().flip(20, 0x10), "damaged", "car note")
case("F-6.1-generation", "A bit of the generation is wrong: it is repaired.", two().flip(43, 4), "damaged", "car note", generation=1)
case("F-6.1-length", "A bit of the length of the entries is wrong.", two().flip(52, 8), "damaged", "car note")
case("F-6.1-checksum", "A bit of the head's checksum is wrong.", two().flip(60, 0x80), "damaged", "car note")
case(
    "F-6.1-form",
    "A bit of the format's name is wrong: it is repaired, and the format is the known one.",
    two().flip(6, 0x20),
    "damaged",
    "car note",
)
case("F-6.1-version", "A changed bit turns version 1 into 3: the file is damaged, not newer.", two().flip(15, 2), "damaged", "car note")
case(
    "F-6.1-change",
    "A bit of a change's head is wrong.",
    (lambda s: s.flip(s.changes[0] + 33, 2))(two().append(LAST)),
    "damaged",
    "car note last",
    generation=2,
)
case("F-6.1-two-bits", "Two bits of the archive's head are wrong: nothing is read.", two().flip(30, 3), "unreadable")
case("F-6.2-empty", "The file is empty.", b"", "unreadable")
case("F-6.3-newer", "The head's checksum is wrong, and the version is 2: a newer format.", two().flip(15, 3).flip(30, 0xFF), "newer")
case("F-6.3-short", "A file of 16 bytes with version 23 has a newer format.", g.MAGIC + b"\x17", "newer")
case("F-6.3-version-24", "24 is not a valid version: the head is damaged.", two(version=24), "unreadable")
case("F-6.3-version-0", "Version 0 is not valid, although the checksum is correct.", two(version=0), "unreadable")
case("F-6.4-short", "The file ends in its first 15 bytes.", g.MAGIC[:7], "unreadable")
case("F-6.4-cut", "The file ends in the head of its archive.", two().cut(61), "unreadable")
case("F-6.5-zeros", "The file contains only zeros.", bytes(700), "unreadable")
case("F-6.5-zeros-at-start", "The first 15 bytes of the file are zeros, and others are not.", two().zero(0, 40), "unreadable")
case("F-6.6-text", "A file that begins with other bytes has another format.", b"hello, this is some text\n", "foreign")
case("F-6.6-one-byte", "One of the first 15 bytes has two wrong bits: another format.", two().flip(9, 3), "foreign")
case("F-6.6-zeros-and-more", "Only some of the first 15 bytes are zeros.", bytes(14) + b"\1" + bytes(100), "foreign")

# MARK: F-7, damaged records


case(
    "F-7.1-beyond",
    "The length of the entries is too small by three, with a correct checksum: the last entry is read, and the entries end with it.",
    two(length=41),
    "damaged",
    "car note",
    outdated="car note",
)


def damaged_second(offset, *masks):
    """Returns three entries. Bits of the second one are flipped, at an offset from its key's head."""
    store = three()
    return store.flip(store.offsets[1] + offset, *masks)


case("F-7.2-key", "A bit of a key is wrong: it is repaired.", damaged_second(2, 1), "damaged", "car note last")
case("F-7.2-checksum", "A bit of an entry's checksum is wrong.", damaged_second(10, 0x40), "damaged", "car note last")
case("F-7.2-key-head", "A bit of the head of a key is wrong.", damaged_second(0, 2), "damaged", "car note last")
case("F-7.2-array", "A bit of an entry's array is wrong.", damaged_second(5, 4), "damaged", "car note last")
case("F-7.2-length", "A bit of the length of a value is wrong.", damaged_second(6, 1), "damaged", "car note last")
case("F-7.2-checksum-head", "A bit of the head of an entry's checksum is wrong.", damaged_second(7, 0x20), "damaged", "car note last")
case(
    "F-7.2-long-key",
    "A bit of a key of 1,024 bytes is wrong: it is repaired.",
    (lambda s: s.flip(s.offsets[1] + 99, 1))(Store(CAR, entry("k" * 1024, 1), LAST)),
    "damaged",
    ["car", "k" * 1024, "last"],
)
case(
    "F-7.2-longer-key",
    "A bit of a key of 1,025 bytes is wrong: it is not repaired, and the entry is lost.",
    (lambda s: s.flip(s.offsets[1] + 99, 1))(Store(CAR, entry("k" * 1025, 1), LAST)),
    "damaged",
    "car last",
    lost=["k" * 96 + "j" + "k" * 928],
)
case(
    "F-7.4-longer-key",
    "A bit of the array after a key of 1,025 bytes is wrong: the entry is lost, and its key is unknown.",
    (lambda s: s.flip(s.offsets[1] + 3 + 1025, 4))(Store(CAR, entry("k" * 1025, 1), LAST)),
    "damaged",
    "car last",
)
case(
    "F-7.2-removal",
    "A bit of a removal's key is wrong: the key is removed.",
    (lambda s: s.flip(s.changes[0] + 49, 1))(two().append(removal("car"))),
    "damaged",
    "note",
    generation=2,
)
case(
    "F-7.2-value",
    "A bit of a value is wrong: it is not repaired, and the entry is lost.",
    damaged_second(18, 1),
    "damaged",
    "car last",
    lost="note",
)
case(
    "F-7.3-value",
    "Bits of a value are wrong: its entry is lost, and the others are kept.",
    damaged_second(18, 0x11),
    "damaged",
    "car last",
    lost="note",
)
case(
    "F-7.3-last",
    "The value of the last entry is wrong: the checksum of the whole follows it.",
    (lambda s: s.flip(s.offsets[2] + 15, 7))(three()),
    "damaged",
    "car note",
    lost="last",
)
case(
    "F-7.3-two-values",
    "The values of two successive entries are wrong: both entries are lost, and their keys are known.",
    (lambda s: s.flip(s.offsets[0] + 16, 3).flip(s.offsets[1] + 18, 3))(three()),
    "damaged",
    "last",
    lost="car note",
)
case(
    "F-7.3-key",
    "Two bits of a key are wrong: the record is lost with the key as it is stored.",
    damaged_second(1, 3),
    "damaged",
    "car last",
    lost="mote",
)
case(
    "F-7.4-heads",
    "Bits of an entry's array and length are wrong: a search finds the next entry.",
    damaged_second(5, 0x41, 0x42),
    "damaged",
    "car last",
)
case(
    "F-7.4-damaged-next",
    "The next record has the form of one but is not intact: the search continues to the record after it.",
    (lambda s: s.flip(s.offsets[1] + 5, 0x41, 0x42).flip(s.offsets[2] + 15, 3))(Store(CAR, NOTE, LAST, entry("more", 1))),
    "damaged",
    "car more",
)
case(
    "F-7.4-length",
    "Two bits of a length are wrong: a search finds the next entry, and the key is known.",
    damaged_second(6, 0x14),
    "damaged",
    "car last",
    lost="note",
)


def copy_in_value():
    """Returns a store whose damaged entry contains a copy of another store. The copy's entries do not belong to this store."""
    copy = Store(entry("stranger", 1), entry("enemy", 2), identity=OTHER_IDENTITY)
    store = Store(CAR, copied("copy", copy), LAST)
    return store.flip(store.offsets[1] + 6, 0xFF, 0xFF)


case(
    "F-7.4-copy",
    "A damaged entry contains a copy of a store. The copy's entries do not lead to the end, and are not read.",
    copy_in_value(),
    "damaged",
    "car last",
    lost="copy",
)


def bytes_missing(count=3):
    store = three()
    return store.remove(store.offsets[1] + 17, count)


case(
    "F-7.5-missing",
    "Three bytes of a value are missing: the checksum of the whole is earlier than the head states.",
    bytes_missing(),
    "damaged",
    "car last",
    lost="note",
    outdated="car last",
)
case(
    "F-7.5-inserted",
    "A value contains four bytes too many.",
    (lambda s: s.insert(s.offsets[1] + 17, b"\xff\xfe\xfd\xfc"))(three()),
    "damaged",
    "car last",
    lost="note",
    outdated="car last",
)
case(
    "F-7.5-missing-in-change",
    "Three bytes of a step are missing: the change ends earlier than its head states.",
    (lambda s: s.remove(s.changes[0] + 62, 3).room(50))(Store(CAR, LAST).append(entry("note", "several words"), entry("car", 2))),
    "damaged",
    "car last",
    lost="note",
    outdated="car last",
    generation=2,
)
case(
    "F-7.6-map-head",
    "The head of the entries is not the head of a map: the entries after it are read.",
    three().flip(62, 0x60),
    "damaged",
    "car note last",
)
case(
    "F-7.6-longer-head",
    "The head of 300 entries is damaged; the entries begin three bytes after its start.",
    Store(*[entry(f"key {n}", n) for n in range(300)]).flip(62, 0xFF),
    "damaged",
    [f"key {n}" for n in range(300)],
)
case(
    "F-7.6-steps-head",
    "The head of the steps is damaged: all steps are read.",
    (lambda s: s.flip(s.changes[0] + 46, 0x60))(two().append(LAST)),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-7.6-entries-elsewhere",
    "A byte is between the head of the entries and the first one: this is damage, although all checksums are right.",
    Store((b"\0" + CAR[0], CAR[1]), NOTE),
    "damaged",
    "car note",
)
case(
    "F-7.6-steps-elsewhere",
    "A byte is between the head of the steps and the first one, and the checksum of the change includes it.",
    two().append(LAST, steps_head=b"\x82\0"),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-7.9-count",
    "The head of the steps states one step too many, and one is damaged: a step is missing, and may have any key.",
    (lambda s: s.flip(s.changes[0] + 62, 3))(two().append(LAST, entry("new", 1), count=6)),
    "damaged",
    "car note new",
    lost="last",
    outdated="car note new",
    generation=2,
)
case(
    "F-7.9-searched",
    "A search skips two steps: one of them is missing, and may have any key.",
    (lambda s: s.flip(s.changes[0] + 51, 0x41, 0x42).flip(s.changes[0] + 51 + 15 + 5, 0x41, 0x42))(
        two().append(entry("aaaa", 1), entry("bbbb", 2), entry("cccc", 3))
    ),
    "damaged",
    "car note cccc",
    outdated="car note cccc",
    generation=2,
)

case(
    "F-7.7-repaired",
    "A bit of a key of 255 zeros is wrong. It can be repaired, but the key breaks a rule: the record is lost, and its key is unknown.",
    (lambda s: s.flip(s.offsets[1] + 8, 1))(Store(CAR, entry("\0" * 255, 1), LAST)),
    "damaged",
    "car last",
)
# MARK: F-8, the entries

case("F-8.1-cut", "The file ends in its last entry.", (lambda s: s.cut(s.offsets[2] + 7))(three()), "damaged", "car note", lost="last")
case(
    "F-8.1-missing-entry",
    "The bytes of an entry are missing: the others are read. Each key occurs once in an archive, so none is outdated.",
    (lambda s: s.remove(s.offsets[1], s.offsets[2] - s.offsets[1]))(three()),
    "damaged",
    "car last",
)
case("F-8.1-length-beyond", "The head states a length beyond the end of the file, with a correct checksum.", two(length=10_000), "damaged", "car note")
case("F-8.2-twice", "Two entries have the same key: the first one counts.", Store(entry("car", 1), NOTE, entry("car", 2)), "damaged", "car note")
case(
    "F-8.4-missing-bytes",
    "Bytes of the first entry are missing: the entries that are read may be a copy in a value, so any key may be outdated.",
    (lambda s: s.remove(s.offsets[0] + 16, 2))(three()),
    "damaged",
    "note last",
    lost="car",
    outdated="note last",
)
case("F-8.5-whole", "The checksum of the whole is wrong.", (lambda s: s.flip(s.offsets[2] + 4, 5))(two()), "damaged", "car note")
case(
    "F-8.5-no-checksum",
    "Other bytes replace the checksum of the whole.",
    (lambda s: s.flip(s.offsets[2], 3))(two()),
    "damaged",
    "car note",
)
case("F-8.5-cut", "The file ends in the checksum of the whole.", (lambda s: s.cut(s.offsets[2] + 5))(two()), "damaged", "car note")


def swapped():
    store = two()
    first, second, end = store.offsets
    return store.insert(first, store.data[second:end]).remove(end, end - second)


case("F-8.5-order", "Two entries are swapped: each is intact, but the whole is not.", swapped(), "damaged", "note car")
case(
    "F-8.5-corrected",
    "An entry is lost, and the checksums of another one and of the whole have a changed bit each: the corrected one counts for the whole.",
    (lambda s: s.flip(s.find(b"BMW!"), 0x11).flip(s.offsets[1] + 10).flip(s.offsets[3] + 4))(three().append(entry("car", 2))),
    "damaged",
    "note last car",
    generation=2,
)
case(
    "F-8.6-stored",
    "An entry is lost, so the checksum of the whole cannot be computed; the stored one is the seed of the changes.",
    (lambda s: s.flip(s.offsets[0] + 4, 0x41, 0x42))(two().append(LAST)),
    "damaged",
    "note last",
    generation=2,
)
case(
    "F-8.6-computed",
    "The stored checksum of the whole is wrong; the computed one is the seed of the changes.",
    (lambda s: s.flip(s.offsets[2] + 4, 5))(two().append(LAST)),
    "damaged",
    "car note last",
    generation=2,
)
case("F-8.7-removal", "The archive contains a removal: it is lost.", Store(CAR, removal("note"), LAST), "damaged", "car last", lost="note")
case(
    "F-8.7-repaired",
    "The archive contains a removal with a changed bit: it is lost.",
    (lambda s: s.flip(s.offsets[1] + 10))(Store(CAR, removal("note"), LAST)),
    "damaged",
    "car last",
    lost="note",
)
case(
    "F-8.7-damaged",
    "The archive contains a damaged removal: it is lost, although no entry has its key.",
    (lambda s: s.flip(s.offsets[1] + 10, 1, 1))(Store(CAR, removal("note"), LAST)),
    "damaged",
    "car last",
    lost="note",
)

# MARK: F-9, changes one after the other


def long_change(store, *records, **options):
    """Returns a store with a change that is longer than a few sectors."""
    return store.append(entry("long", "y" * 2000), *records, **options)


case(
    "F-9.1-short-rest",
    "A head with a correct checksum states a rest of 13 bytes: it does not count as a head.",
    two().append(LAST, length=13),
    "damaged",
    "car note last",
    outdated="car note",
    generation=1,
)
case(
    "F-9.2-tail",
    "The end of a change is wrong: it is damaged, and its steps are applied.",
    (lambda s: s.flip(len(s.data) - 1, 3))(two().append(LAST)),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-9.2-checksum",
    "The checksum of a change is wrong: it is damaged, and its steps are applied.",
    (lambda s: s.flip(len(s.data) - 6, 3))(two().append(LAST)),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-9.2-count",
    "The head of the steps states one step too many, with correct checksums.",
    two().append(LAST, count=4),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-9.2-cut",
    "The archive is damaged, and the file ends in a change: this is damage. The change may have set any key.",
    (lambda s: s.flip(s.find(b"BMW!"), 0x11).cut(len(s.data) - 20))(two().append(LAST, entry("more", 1))),
    "damaged",
    "note",
    lost="car",
    outdated="note",
    generation=2,
)
case(
    "F-9.3-synced",
    "A change states more bytes on stable storage than precede it: this is damage, but the change is applied.",
    (lambda s: s.append(LAST, synced=len(s.data) + 1))(two()),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-9.4-gap",
    "A change is missing: the next one is applied, and all other keys are outdated.",
    (lambda s: s.remove(s.changes[0], s.changes[1] - s.changes[0]))(two().append(entry("car", 2)).append(LAST)),
    "damaged",
    "car note last",
    outdated="car note",
    generation=3,
)
case(
    "F-9.4-previous",
    "The checksum of the item before a change is not that of the archive, although the generation is correct.",
    two().append(LAST, previous=12345),
    "damaged",
    "car note last",
    outdated="car note",
    generation=2,
)
case(
    "F-9.4-earlier",
    "A change with an earlier generation is not applied.",
    two(generation=5).append(entry("car", 5)).append(removal("note"), generation=3),
    "damaged",
    "car note",
    generation=6,
)
case(
    "F-9.4-same",
    "A change occurs twice: the second one is not applied.",
    (lambda s: s.insert(len(s.data), s.data[s.changes[0] :]))(two().append(LAST)),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-9.4-after-unreadable",
    "Bytes that are not a change are followed by a change that is two generations later: a change of any key is missing.",
    (lambda s: s.insert(s.changes[0], b"\1"))(two().append(LAST, generation=3)),
    "damaged",
    "car note last",
    outdated="car note",
    generation=3,
)
case(
    "F-9.4-after-damaged",
    "A damaged change is followed by a change that is two generations later.",
    (lambda s: s.flip(s.find(b"wrong"), 0x11))(two().append(entry("car", "wrong")).append(LAST, generation=4)),
    "damaged",
    "car note last",
    outdated="car note",
    generation=4,
)
case(
    "F-9.5-next-head",
    "The head of a change is lost: the next change is found and applied.",
    (lambda s: s.flip(s.changes[0] + 4, 7).flip(s.changes[0] + 30, 7))(two().append(entry("car", 2)).append(LAST)),
    "damaged",
    "car note last",
    outdated="note",
    generation=3,
)
case(
    "F-9.5-copy",
    "A lost change contains a copy of the file as a value. The copy's changes have another seed, and are not applied.",
    (lambda s: s.flip(s.changes[0] + 4, 7).flip(s.changes[0] + 30, 7))(
        two().append(copied("copy", Store(LAST, generation=50).append(entry("stranger", 1)))).append(LAST)
    ),
    "damaged",
    "car note copy last",
    outdated="car note",
    generation=3,
)
case(
    "F-9.5-earlier-copy",
    "A lost change contains a copy of the change before it. The copy is not later, so it is a part of the value.",
    (
        lambda s: s.append(entry("copy", g.encoded(bytes(s.data[s.changes[0] :]))))
        .append(entry("car", 2))
        .flip(s.changes[1] + 4, 7)
        .flip(s.changes[1] + 30, 7)
    )(two().append(LAST)),
    "damaged",
    "car note last copy",
    outdated="note last",
    generation=4,
)

# MARK: F-10, torn or damaged

case(
    "F-10.1-short",
    "Bytes of a change are missing, so the next change begins before the end of this one: this is damage, and both are applied.",
    (lambda s: s.remove(s.changes[0] + 64, 4))(two().append(entry("car", "several words"), LAST).append(entry("note", 2))),
    "damaged",
    "car note last",
    outdated="car",
    generation=3,
)
case(
    "F-10.1-missing-step",
    "A whole step of a change is missing, so the next change begins before the end of this one: any key may be affected.",
    (lambda s: s.remove(s.changes[0] + 47, len(LAST[0])))(two().append(LAST, entry("car", 2)).append(entry("note", 2))),
    "damaged",
    "car note",
    outdated="car",
    generation=3,
)

case(
    "F-10.1-past-the-file",
    "More bytes of a change are missing than the next one has, so its rest passes the end of the file. Its steps are read up to the next change.",
    (lambda s: s.remove(s.changes[0] + 64, 120))(two().append(entry("car", 150 * "x"), LAST).append(entry("note", 2))),
    "damaged",
    "car note last",
    outdated="car",
    generation=3,
)


def torn(first, last, **options):
    """Returns a store whose last change is longer than a few sectors, with some bytes set to zero."""
    store = long_change(two().append(LAST), **options)
    return store.zero(first, last).room(100)


case(
    "F-10.2-sector",
    "A whole sector of the last change is zeros: a power cut interrupted the write.",
    torn(1024, 1536),
    keys="car note last",
    generation=2,
)


def ending_in_sector():
    """Returns a store whose last change ends two bytes after the start of a sector."""
    store = two().append(LAST)
    length = 1000 - (len(long_change(two().append(LAST)).data) - 2000)
    store.append(entry("long", "y" * (length + 26)))
    assert len(store.data) % 512 == 2, len(store.data)
    return store


case(
    "F-10.2-last-sector",
    "The last change ends in the second byte of a sector, and both bytes are zero.",
    (lambda s: s.zero(len(s.data) - 2, len(s.data)))(ending_in_sector()),
    keys="car note last",
    generation=2,
)
case(
    "F-10.2-less-than-sector",
    "511 zeros in a change are less than a sector: this is damage.",
    torn(1025, 1536),
    "damaged",
    "car note last",
    lost="long",
    generation=3,
)
case(
    "F-10.3-cut",
    "The file ends in its last change, which is not applied.",
    (lambda s: s.cut(s.changes[1] + 60))(two().append(LAST).append(entry("car", "other"))),
    keys="car note last",
    generation=2,
)
case(
    "F-10.3-cut-in-steps-head",
    "The file ends after the head of its last change.",
    (lambda s: s.cut(s.changes[1] + 46))(two().append(LAST).append(entry("car", "other"))),
    keys="car note last",
    generation=2,
)
case(
    "F-10.3-zeros-from-end",
    "The last change has zeros instead of the text at its end: its write was interrupted.",
    (lambda s: s.zero(len(s.data) - 4, len(s.data)).room(50))(two().append(LAST).append(entry("car", "other"))),
    keys="car note last",
    generation=2,
)
case(
    "F-10.3-end-begun",
    "Only one byte of the text at the end was written: this is damage.",
    (lambda s: s.zero(len(s.data) - 3, len(s.data)).room(50))(two().append(LAST).append(entry("car", "other"))),
    "damaged",
    "car note last",
    generation=3,
)
case(
    "F-10.3-zeros-within",
    "A change contains zeros, but its end exists: this is damage.",
    (lambda s: s.zero(s.changes[1] + 61, s.changes[1] + 64).room(50))(two().append(LAST).append(entry("car", "other"))),
    "damaged",
    "car note last",
    outdated="car",
    generation=3,
)


def head_across_sectors():
    """Returns a store in which the head of the last change spans two sectors."""
    filler = 512 - 20 - len(two().append(entry("fill", "")).data) - 2
    store = two().append(entry("fill", "z" * filler))
    assert len(store.data) % 512 in range(470, 512), len(store.data)
    return long_change(store)


case(
    "F-10.4-head",
    "The part of a change's head in the second sector was not written, nor was the rest of that sector.",
    (lambda s: s.zero(512, 1024))(head_across_sectors()),
    keys="car note fill",
    generation=2,
)
case(
    "F-10.4-first-part",
    "The part of a change's head in the first sector was not written, but the rest was.",
    (lambda s: s.zero(s.changes[1], 512))(head_across_sectors()),
    keys="car note fill",
    generation=2,
)
case(
    "F-10.4-no-sector",
    "Zeros in a change's head that extend neither to the start nor to the end of a sector.",
    (lambda s: s.zero(s.changes[1] + 4, 511).flip(511, 0x80))(head_across_sectors()),
    "damaged",
    outdated="car note fill",
)
case(
    "F-10.5-start",
    "Only the first 20 bytes of the last change were written.",
    (lambda s: s.zero(s.changes[1] + 20, len(s.data)).room(50))(two().append(LAST).append(entry("car", "other"))),
    keys="car note last",
    generation=2,
)
case(
    "F-10.5-one-byte",
    "Only the first byte of the last change was written, and the file ends there.",
    (lambda s: s.cut(s.changes[1] + 1))(two().append(LAST).append(entry("car", "other"))),
    keys="car note last",
    generation=2,
)
case(
    "F-10.5-other-start",
    "20 bytes that are not the start of a head, followed by zeros: this is damage.",
    (lambda s: s.zero(s.changes[1] + 20, len(s.data)).flip(s.changes[1] + 1, 3).room(50))(two().append(LAST).append(entry("car", "other"))),
    "damaged",
    "car note last",
    outdated="car note last",
    generation=2,
)
case(
    "F-10.6-garbage",
    "The last change is followed by other bytes: a change of any key may be lost.",
    (lambda s: s.insert(len(s.data), b"what is this?"))(two().append(LAST)),
    "damaged",
    "car note last",
    outdated="car note last",
    generation=2,
)
case(
    "F-10.6-one-bit",
    "A bit is set in the room after the last change: this is damage, but no change is lost.",
    (lambda s: s.flip(len(s.data) - 30, 1))(two().append(LAST).room(60)),
    "damaged",
    "car note last",
    generation=2,
)
case(
    "F-10.7-steps",
    "The head of the last change is damaged: its step is applied, and all other keys are outdated.",
    (lambda s: s.flip(s.changes[0] + 4, 7).flip(s.changes[0] + 30, 7))(two().append(entry("car", 2))),
    "damaged",
    "car note",
    outdated="note",
    generation=1,
)

case(
    "F-10.7-no-value",
    "The head of the last change and its first step are damaged, and its last step has no value: the step before that is not outdated.",
    (lambda s: s.flip(s.changes[0] + 4, 7).flip(s.changes[0] + 30, 7).flip(s.changes[0] + 52, 7, 7))(
        two().append(LAST, entry("car", 2), g.entry_record("gone", b""))
    ),
    "damaged",
    "car note",
    lost="last gone",
    outdated="note",
    generation=1,
)

# MARK: F-11, the history

case(
    "F-11.1-synced-later",
    "A change is incomplete before an offset that a later head states to be on stable storage: this is damage.",
    (lambda s: s.append(entry("note", 3)).zero(1024, 1536))(long_change(two().append(LAST))),
    "damaged",
    "car note last",
    lost="long",
    generation=4,
)
case(
    "F-11.1-unsynced-later",
    "A change is incomplete at an offset that no head states to be on stable storage: it and all later changes are not applied.",
    (lambda s: s.append(entry("note", 3), synced=s.changes[1]).zero(1024, 1536))(long_change(two().append(LAST))),
    keys="car note last",
    generation=2,
)
case(
    "F-11.1-damage-elsewhere",
    "The archive is damaged, so an incomplete change is damage, too.",
    (lambda s: s.zero(1024, 1536).flip(s.find(b"BMW!"), 0x11))(long_change(two().append(LAST))),
    "damaged",
    "note last",
    lost="car long",
    generation=3,
)
case(
    "F-11.2-middle",
    "The second of three changes is incomplete: the third one is intact, but is not applied.",
    (lambda s: s.append(removal("car"), synced=0).zero(1024, 1536))(long_change(two().append(LAST))),
    keys="car note last",
    generation=2,
)
case(
    "F-11.3-steps-of-damaged",
    "One step of a change is damaged: the others are applied.",
    (lambda s: s.flip(s.find(b"wrong"), 0x11))(two().append(entry("car", "wrong"), LAST, removal("note"))),
    "damaged",
    "car last",
    outdated="car",
    generation=2,
)

case(
    "F-11.4-damaged-last",
    "The last change is damaged: the file still has its generation.",
    (lambda s: s.flip(len(s.data) - 1, 3))(two().append(LAST).append(entry("car", 2))),
    "damaged",
    "car note last",
    generation=3,
)

# MARK: F-12, lost and outdated

case(
    "F-12.1-made-good",
    "An entry is damaged, and a later change sets its key: nothing is lost.",
    (lambda s: s.flip(s.find(b"BMW!"), 0x11))(two().append(entry("car", 2))),
    "damaged",
    "note car",
    generation=2,
)
case(
    "F-12.1-removed-later",
    "An entry is damaged, and a later change removes its key: nothing is lost.",
    (lambda s: s.flip(s.find(b"BMW!"), 0x11))(two().append(removal("car"))),
    "damaged",
    "note",
    generation=2,
)
case(
    "F-12.1-order",
    "Lost keys are in the order of the file.",
    (lambda s: s.flip(s.offsets[1] + 18, 3).flip(s.offsets[2] + 15, 3))(Store(PADDING, NOTE, LAST)),
    "damaged",
    "padding",
    lost="note last",
)
case(
    "F-12.1-first-loss",
    "A key is lost, removed, and lost in another spelling: it has the place and the spelling of the first loss.",
    (lambda s: s.flip(s.offsets[0] + 14, 3).flip(s.offsets[1] + 18, 3).flip(s.find(b"later"), 3))(
        Store(entry("\u00e9", True), NOTE, LAST).append(removal("\u00e9")).append(entry("e\u0301", "later"))
    ),
    "damaged",
    "last",
    lost="\u00e9 note",
    generation=3,
)
case(
    "F-12.2-older-value",
    "The newest value of a key is damaged: the key has its older value, and is outdated.",
    (lambda s: s.flip(s.find(b"wrong"), 0x11))(two().append(entry("car", "wrong"))),
    "damaged",
    "car note",
    outdated="car",
    generation=2,
)
case(
    "F-12.2-removal",
    "The removal of a key is damaged: the key has its value again, and is outdated.",
    (lambda s: s.flip(s.changes[0] + 47, 0, 0, 0, 0, 0, 3, 3))(two().append(removal("car"))),
    "damaged",
    "car note",
    outdated="car",
    generation=2,
)
case(
    "F-12.2-made-good",
    "The newest value of a key is damaged, and a later change sets it: it is not outdated.",
    (lambda s: s.flip(s.find(b"wrong"), 0x11))(two().append(entry("car", "wrong")).append(entry("car", 3))),
    "damaged",
    "car note",
    generation=3,
)
case(
    "F-12.3-unknown-key",
    "A change is lost and none of its keys is known: all keys that no later change sets are outdated.",
    (lambda s: s.flip(s.changes[0] + 1, *[0x5A] * 100))(two().append(entry("car", "something or other that is long")).append(LAST)),
    "damaged",
    "car note last",
    outdated="car note",
    generation=3,
)
case(
    "F-12.4-absent",
    "The removal of a missing key is damaged: it may be that of any key that no later change sets.",
    (lambda s: s.flip(s.changes[0] + 54, 3, 3))(two().append(removal("gone")).append(LAST)),
    "damaged",
    "car note last",
    outdated="car note",
    generation=3,
)

# MARK: F-13 and F-17, verdicts and versions

case(
    "F-13.1-malformed-value",
    "A value is not an item, but its checksums are correct: the file is intact.",
    Store(CAR, g.entry_record("value", b"\x82\x01")),
    keys="car value",
    error=True,
)
case("F-17.2-version-2", "A file of version 2 with the known form: it is read, but not written.", two(version=2), "newer", "car note")
case(
    "F-17.2-damaged",
    "A file of version 2 in which an entry is damaged.",
    (lambda s: s.flip(s.find(b"BMW!"), 0x11))(two(version=2)),
    "newer",
    "note",
    lost="car",
)
case("F-17.2-changes", "A file of version 23 with a change.", two(version=23).append(LAST), "newer", "car note last", generation=2)

# MARK: V-1, what an item may be

malformed_case("V-1.1-after", "The value is followed by a byte.", "0101")
malformed_case("V-1.1-early", "The value ends early.", "83018100")
value_case(
    "V-1.2-indefinite",
    "An array, a map and strings of indefinite length.",
    "9f01bf616102ff7f6161616260ff5f4101ffff",
    '[1, {"a": 2}, "ab", h\'01\']',
)
value_case("V-1.2-no-chunks", "Strings of indefinite length without chunks.", "827fff5fff", "[\"\", h'']")
malformed_case("V-1.2-break", "A break instead of an element of an array with a definite length.", "8201ff")
malformed_case("V-1.2-break-in-tag", "A break between a tag and its content.", "9fc1ffff")
malformed_case("V-1.2-break-in-pair", "A break between a key and its value.", "bf01ff")
malformed_case("V-1.2-chunk", "A chunk of another type.", "7f4161ff")
malformed_case("V-1.2-nested-chunk", "A chunk of indefinite length.", "5f5f4101ff")
malformed_case("V-1.2-reserved", "A head whose low five bits are 28.", "1c")
malformed_case("V-1.2-indefinite-integer", "An integer of indefinite length.", "1f")
malformed_case("V-1.3-simple", "A simple value below 32 in two bytes.", "f814")
value_case(
    "V-1.3-simple-values", "Simple values without a meaning in this format.", "84e0f3f820f8ff", "[simple(0), simple(19), simple(32), simple(255)]"
)
malformed_case("V-1.4-utf8", "A text that is not UTF-8.", "62c328")
malformed_case("V-1.4-chunk", "A letter that is divided between two chunks.", "7f61c361a9ff")
malformed_case("V-1.5-count", "An array of 2^32 elements in six bytes.", "9b0000000100000000")
malformed_case("V-1.5-length", "A string longer than its value.", "5b00000001000000006162")
value_case(
    "V-1.6-long-heads",
    "Heads longer than needed, and tag 55799, which has no effect.",
    "d9d9f7981a" + "1900051b0000000000000006" + "00" * 24,
    "[5, 6, " + ", ".join(["0"] * 24) + "]",
)
value_case("V-1.6-long-argument", "An integer and a length in nine bytes.", "821b0000000000000001" + "7b000000000000000161", '[1, "a"]')

# MARK: V-2 to V-4, scalars and collections

value_case(
    "V-2.2-widths",
    "Floating-point numbers of three widths.",
    "85f93e00fa3fc00000fb3fb999999999999af98000f90001",
    "[1.5, 1.5, 0.1, -0.0, 5.960464477539063e-08]",
)
value_case(
    "V-2.2-special",
    "Infinities and NaN, in three widths.",
    "86f97c00f9fc00f97e00fa7f800000fb7ff8000000000000fbfff0000000000000",
    "[Infinity, -Infinity, NaN, Infinity, NaN, -Infinity]",
)
value_case(
    "V-2.2-digits",
    "Numbers at the limits of their notation.",
    "86" + "".join("fb" + g.struct.pack(">d", n).hex() for n in (1e16, 2.0**53, 2.0**53 + 2, 0.0001, 0.00001, 5e-324)),
    "[1e+16, 9007199254740992.0, 9.007199254740994e+15, 0.0001, 1e-05, 5e-324]",
)
malformed_case("V-2.4-key-twice", "A map has a key twice.", "a2616101616102")
malformed_case("V-2.4-key-by-reference", "A map has a key twice, once as a reference.", "d90100a26378797a01d8190002")
malformed_case("V-2.4-key-in-chunks", "A map has a key twice, once in chunks.", "a2626162017f61616162ff02")
malformed_case("V-2.4-number-twice", "A map has the number 1 twice, with heads of two lengths.", "a20101180102")
value_case("V-2.4-spellings", "Two equivalent spellings of a letter are two keys.", "a262c3a9016365cc8102", '{"é": 1, "e\u0301": 2}')
value_case("V-2.4-mixed-keys", "Keys of several kinds.", "a4016161616102f50382010200", '{1: "a", "a": 2, true: 3, [1, 2]: 0}')
value_case("V-2.4-set", "A tree keeps an element that occurs twice in a set.", "d90102820101", "258([1, 1])")
value_case(
    "V-3.1-integers",
    "The integers that fit into one head, from -2^64 to 2^64 - 1.",
    "863bffffffffffffffff20001718181bffffffffffffffff",
    "[-18446744073709551616, -1, 0, 23, 24, 18446744073709551615]",
)
value_case("V-3.2-positive", "Tag 2 around n is n.", "c249010000000000000000", "18446744073709551616")
value_case("V-3.2-negative", "Tag 3 around n is -1 - n.", "c349010000000000000000", "-18446744073709551617")
value_case("V-3.2-zeros", "Leading zeros and small numbers in tags 2 and 3.", "84c243000005c240c340c341ff", "[5, 0, -1, -256]")
value_case("V-3.2-no-bytes", "Tag 2 around any other item has no special meaning.", "c205", "2(5)")
value_case(
    "V-3.3-scalars",
    "A UUID, a URL, a decimal number, bytes, null and undefined.",
    "86d8255000112233445566778899aabbccddeeffd82063613a62c48221187d420102f6f7",
    "[37(h'00112233445566778899aabbccddeeff'), 32(\"a:b\"), 4([-2, 125]), h'0102', null, undefined]",
)
value_case(
    "V-3.3-big-decimal",
    "A decimal number with a significand of 100 bits.",
    "c48229c24d0fffffffffffffffffffffffff",
    "4([-10, 1267650600228229401496703205375])",
)
value_case(
    "V-3.4-dates",
    "Dates in whole and half seconds.",
    "84c100c11a5f5e1000c1fb41d7d78400000000c1f93e00",
    "[1(0), 1(1600000000), 1(1600000000), 1(1.5)]",
)
value_case("V-3.4-named", "A date that tag 1 cannot store exactly.", "d81b826444617465fb3fb999999999999a", '27(["Date", 0.1])')
value_case(
    "V-4.1-typed-arrays",
    "Typed arrays of several types.",
    "84d84f480100000000000000d85648000000000000f83fd84043010203d85540",
    "[79(h'0100000000000000'), 86(h'000000000000f83f'), 64(h'010203'), 85(h'')]",
)
value_case("V-4.1-broken", "A typed array whose bytes end within a number stays unchanged in a tree.", "d84f420102", "79(h'0102')")
value_case("V-4.2-foreign-tags", "Tags without a meaning in this format.", "82d903e701da00010000c06161", '[999(1), 65536(0("a"))]')

# MARK: V-5, names

value_case("V-5.1-named", "A named object.", "d81b8265506f696e74a2617801617902", '27(["Point", {"x": 1, "y": 2}])')
value_case(
    "V-5.2-version", "Versions: 1 is omitted, 2 is shown.", "82d81b836141f601d81b836141f602", '[27(["A", null]), 27(["A", null, 2])]'
)
value_case("V-5.3-other-form", "Tag 27 around any other item has no special meaning.", "82d81b05d81b8101", "[27(5), 27([1])]")
value_case("V-5.3-no-version", "Version 0 is not valid: the tag has no special meaning.", "d81b836141f600", '27(["A", null, 0])')

# MARK: V-6, repeated strings

value_case(
    "V-6.1-references", "Two objects with the same property name.", "d9010082a165776964746801a1d8190002", '[{"width": 1}, {"width": 2}]'
)
value_case("V-6.1-short", "Strings shorter than three bytes get no number.", "d901008362616163626262d81900", '["aa", "bbb", "bbb"]')


def references(count, *items):
    strings = b"".join(g.encoded(f"{n:05}") for n in range(count))
    return b"\xd9\x01\x00" + g.encoded_head(g.ARRAY, count + len(items)) + strings + b"".join(items)


def reference(number):
    return b"\xd8\x19" + g.encoded_head(g.UNSIGNED, number)


def shown_list(count, *texts):
    return "[" + ", ".join([f'"{n:05}"' for n in range(count)] + list(texts)) + "]"


value_case(
    "V-6.1-fourth-byte",
    "After 24 numbers, a string needs four bytes to get the next one.",
    references(24, g.encoded("abc"), g.encoded("abcd"), reference(24)),
    shown_list(24, '"abc"', '"abcd"', '"abcd"'),
)
value_case(
    "V-6.1-fifth-byte",
    "After 256 numbers, a string needs five bytes to get the next one.",
    references(256, g.encoded("abcd"), g.encoded("abcde"), reference(256)),
    shown_list(256, '"abcd"', '"abcde"', '"abcde"'),
)
value_case(
    "V-6.1-bytes",
    "Byte strings also get numbers, even in tags 2 and 37.",
    "d9010084c249010000000000000000d8255000112233445566778899aabbccddeeffd81901d81900",
    "[18446744073709551616, 37(h'00112233445566778899aabbccddeeff'), h'00112233445566778899aabbccddeeff', h'010000000000000000']",
)
value_case(
    "V-6.1-chunks",
    "Neither chunks nor the string that they form get a number.",
    "d90100837f636162636164ff6378797ad81900",
    '["abcd", "xyz", "xyz"]',
)
value_case(
    "V-6.1-again",
    "A string that is repeated in full gets another number.",
    "d90100846361626363616263d81900d81901",
    '["abc", "abc", "abc", "abc"]',
)
malformed_case("V-6.2-outside", "A reference to a string outside of tag 256.", "8263616263d81900")
malformed_case("V-6.2-not-given", "A reference to a number that has not been assigned yet.", "d9010082d8190063616263")
malformed_case("V-6.2-after", "A reference after tag 256.", "82d90100826361626301d81900")
value_case(
    "V-6.3-nested",
    "A nested tag 256 has its own numbers, and the outer numbers continue after it.",
    "d9010084636f7574d901008263696e6ed81900637a7a7ad81901",
    '["out", ["inn", "inn"], "zzz", "zzz"]',
)
value_case(
    "V-6.4-embedded",
    "Chunks in tag 24, with references in them.",
    g.embedded(g.encoded([bytes(300), "twice", "twice"], references=True)),
    f'[h\'{bytes(300).hex()}\', "twice", "twice"]',
)

# MARK: V-7, shared instances

value_case("V-7.1-shared", "Two references to one instance.", "d8184a82d81ca1616101d81d00", '[{"a": 1}, {"a": 1}]')
value_case(
    "V-7.1-outer-first",
    "Instances are numbered in the order of their tags, the outer one first.",
    g.embedded(bytes.fromhex("83d81c81d81c02d81d00d81d01"), True),
    "[[2], [2], 2]",
)
malformed_case("V-7.2-unknown", "A reference to a missing instance.", g.embedded(bytes.fromhex("82d81c01d81d01"), True))
malformed_case("V-7.2-later", "A reference to an instance after it.", g.embedded(bytes.fromhex("82d81d00d81c01"), True))
malformed_case("V-7.2-cycle", "An instance that contains a reference to itself.", g.embedded(bytes.fromhex("d81c81d81d00"), True))
malformed_case("V-7.2-no-number", "A reference whose number is a text.", g.embedded(bytes.fromhex("82d81c01d81d6130"), True))
value_case(
    "V-7.2-strings",
    "Instances and strings are numbered separately.",
    g.embedded(bytes.fromhex("d9010083d81c63616263d81d00d81900"), True),
    '["abc", "abc", "abc"]',
)

# MARK: V-9, limits

value_case("V-9.1-depth", "256 nested arrays, the most that are allowed.", b"\x81" * 255 + b"\x80", "[" * 256 + "]" * 256)
malformed_case("V-9.1-too-deep", "257 nested arrays.", b"\x81" * 256 + b"\x80")
malformed_case("V-9.1-tags", "257 nested tags.", b"\xc1" * 257 + b"\x00")
value_case(
    "V-9.1-reference",
    "A reference to a string adds no level.",
    b"\xd9\x01\x00\x82\x63abc" + b"\x81" * 254 + b"\xd8\x19\x00",
    '["abc", ' + "[" * 254 + '"abc"' + "]" * 254 + "]",
)
malformed_case(
    "V-9.2-repetition",
    "Each of 40 instances contains the one before it twice, so the value would be 2^40 times as large.",
    g.embedded(
        b"\x98\x28\xd8\x1c\x80" + b"".join(b"\xd8\x1c\x82" + 2 * (b"\xd8\x1d" + g.encoded_head(g.UNSIGNED, n)) for n in range(39)), True
    ),
)


def main():
    files = {}
    for name, (data, answer) in CASES.items():
        files[f"{name}.globaldata"] = data
        files[f"{name}.json"] = (json.dumps(answer, ensure_ascii=False, indent=2) + "\n").encode()
    present = {path.name for path in HERE.iterdir() if path.suffix in (".globaldata", ".json")}
    if "--check" in sys.argv:
        wrong = sorted(present ^ set(files)) + [name for name in sorted(present & set(files)) if (HERE / name).read_bytes() != files[name]]
        if wrong:
            sys.exit("these files differ from what make.py writes: " + ", ".join(wrong))
    else:
        for name in present - set(files):
            (HERE / name).unlink()
        for name, data in files.items():
            (HERE / name).write_bytes(data)
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
