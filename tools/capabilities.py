"""Print which rows of the ledger have a passing test, per chapter.

The ledger is docs/capabilities.tsv; the ids proven by passing tests are what the last test run left in
build/capabilities.json (tests/conftest.py writes it from the markers).
"""

import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def chapter(identity: str) -> str:
    """C3-04 belongs to C3, IML-5-11 to IML-5."""
    return re.sub(r"-\d+$", "", identity)


def main() -> int:
    with open(ROOT / "docs" / "capabilities.tsv", newline="") as file:
        ledger = [row["id"] for row in csv.DictReader(file, delimiter="\t")]
    proven = set(json.loads((ROOT / "build" / "capabilities.json").read_text()))
    strangers = sorted(proven - set(ledger))
    chapters = list(dict.fromkeys(map(chapter, ledger)))
    print(f"{'chapter':<8} {'proven':>7} {'all':>5}   missing")
    for name in chapters:
        ids = [i for i in ledger if chapter(i) == name]
        missing = [i.removeprefix(name + "-") for i in ids if i not in proven]
        shown = " ".join(missing) if len(missing) < len(ids) else "all"
        print(f"{name:<8} {len(ids) - len(missing):>7} {len(ids):>5}   {shown}")
    print(f"{'total':<8} {len(proven & set(ledger)):>7} {len(ledger):>5}")
    for identity in strangers:
        print(f"marked in a test, but not in the ledger: {identity}", file=sys.stderr)
    return 1 if strangers else 0


if __name__ == "__main__":
    sys.exit(main())
