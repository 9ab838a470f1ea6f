# ruff: noqa
# MARK: The archive

CAR, NOTE, LAST = entry("car", "BMW!"), entry("note", ["book", 7]), entry("last", True)


def two():
    return Store(CAR, NOTE)


case("F-2.1-two-entries", "An archive of two entries.", two(), keys="car note", generation=1)
case("F-5.1-three-changes", "An archive with three changes: a key is set, one is removed, one is set anew.",
     two().append(entry("last", 1)).append(removal("car")).append(entry("note", "new")), keys="note last", generation=4)
case("F-10.3-cut", "The file ends in its last change, which counts for nothing.",
     (lambda s: s.cut(s.changes[1] + 60))(two().append(entry("last", 1)).append(entry("car", "other"))),
     keys="car note last", generation=2)
case("F-7.3-value", "A byte of a value is wrong: its entry is lost, the others are kept.",
     (lambda s: s.flip(s.find(b"BMW!"), 0x11))(Store(CAR, NOTE, LAST)), "damaged", "note last", lost="car")
case("F-6.6-text", "A file that begins with something else is of another format.", b"hello, this is some text\n", "foreign")
