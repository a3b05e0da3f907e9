"""The change notes as one text: for the page of changes, or gathered into CHANGELOG.md at a release.

python tools/changelog.py                  # print what has changed since the last release
python tools/changelog.py 0.2.0            # write it into CHANGELOG.md under that version, and remove the notes
"""

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTES = ROOT / "changes"
CHANGELOG = ROOT / "CHANGELOG.md"


def title_and_text(path: Path) -> tuple[str, str]:
    """A note's heading, or its name in words, and what follows."""
    text = path.read_text().strip()
    heading, _, body = text.partition("\n") if text.startswith("# ") else ("", "", text)
    title = heading.removeprefix("# ").strip() or path.stem.replace("-", " ").capitalize()
    return title, re.sub(r"^#", "##", body.strip(), flags=re.MULTILINE)


def notes() -> list[Path]:
    """The notes, by name."""
    return sorted(path for path in NOTES.glob("*.md") if path.name != "README.md")


def gathered(level: str = "###") -> str:
    """All notes, each under its heading."""
    return "\n\n".join(f"{level} {title}\n\n{text}" for title, text in map(title_and_text, notes())) + "\n"


def release(version: str, today: datetime.date) -> None:
    """Put the notes on top of CHANGELOG.md under a version, and remove them."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit(f"A version is three numbers such as 0.2.0, got {version!r}.")
    old = CHANGELOG.read_text()
    if f"## {version} " in old:
        raise SystemExit(f"CHANGELOG.md has {version} already.")
    head, mark, tail = old.partition("\n## ")
    CHANGELOG.write_text(f"{head.rstrip()}\n\n## {version} ({today})\n\n{gathered()}{mark}{tail}")
    for path in notes():
        path.unlink()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        release(sys.argv[1], datetime.date.today())
    else:
        print(gathered(), end="")
