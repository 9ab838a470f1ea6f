"""Lists the pages of the documentation that sort many symbols by kind only, because no one grouped them by task.

usage: topics.py ARCHIVE...

ARCHIVE is a folder that docc wrote (*.doccarchive). The page of a module must group all symbols of the module. Any other page may leave up to 12 members
to the groups that docc makes. Conformances to other protocols and the types of other modules do not count: docc alone can group them.
Exit status: 0 no page is listed, 1 some are, or an archive has no pages.
"""

import json
import sys
from pathlib import Path

MOST = 12
AUTOMATIC = {"Default Implementations", "Extended Modules"}


def ungrouped(page):
    """Returns the symbols that only docc's own groups contain."""
    return [
        name.rsplit("/", 1)[1]
        for section in page.get("topicSections", [])
        if section.get("generated") and section["title"] not in AUTOMATIC
        for name in section["identifiers"]
    ]


def main():
    failed = len(sys.argv) < 2
    pages = 0
    for archive in map(Path, sys.argv[1:]):
        folder = archive / "data" / "documentation"
        files = sorted(folder.rglob("*.json"))
        failed |= not files
        pages += len(files)
        for file in files:
            names = ungrouped(json.loads(file.read_text(encoding="utf-8")))
            if len(names) > (0 if file.parent == folder else MOST):
                print(f"{file.relative_to(folder).with_suffix('')}: no topic has {', '.join(names)}")
                failed = True
    print(f"{pages} pages of documentation" + ("" if failed else ", each grouped by topic"))
    return 1 if failed else 0


sys.exit(main())
