"""Write docs/bibliography.md from the ``References`` sections of the docstrings; ``--check`` only compares.

python tools/bibliography.py            write the page
python tools/bibliography.py --check    1 if the page is out of date
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "bibliography.md"
HEAD = """# Bibliography

The publications that the docstrings name, and the functions and classes that follow them. Made by
`python tools/bibliography.py`.
"""


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() == text:
            return 0
        print("docs/bibliography.md is out of date; run python tools/bibliography.py")
        return 1
    PAGE.write_text(text)
    return 0


def page() -> str:
    users = defaultdict(set)
    for path in sorted((ROOT / "src" / "assay").rglob("*.py")):
        room = path.relative_to(ROOT / "src" / "assay").parts[0]
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                for reference in references(ast.get_docstring(node) or ""):
                    users[reference].add(f"{room}.{node.name}")
    lines = [
        f"- {linked(reference)}\n  Used by {', '.join(f'`{name}`' for name in sorted(users[reference]))}."
        for reference in sorted(users, key=sort_key)
    ]
    return "\n".join([HEAD, *lines, ""])


def section(docstring: str, title: str) -> list[str]:
    """The lines of a numpydoc section."""
    lines = docstring.splitlines()
    for start, (head, rule) in enumerate(pairwise(lines), 2):
        if head == title and rule and set(rule) == {"-"}:
            end = next((i for i in range(start + 1, len(lines)) if set(lines[i]) == {"-"}), len(lines) + 1)
            return lines[start : end - 1]
    return []


def references(docstring: str) -> Iterator[str]:
    """The entries of a docstring's ``References``, each on one line.

    >>> list(references("Do.\\n\\nReferences\\n----------\\n- Student (1908). The probable\\n  error."))
    ['Student (1908). The probable error.']
    """
    text = "\n".join(section(docstring, "References"))
    for entry in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
        yield " ".join(entry.split())


def linked(reference: str) -> str:
    return re.sub(r"doi:(\S+)$", r"[doi:\1](https://doi.org/\1)", reference)


def sort_key(reference: str) -> str:
    plain = unicodedata.normalize("NFKD", reference)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


if __name__ == "__main__":
    sys.exit(main())
