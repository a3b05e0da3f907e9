"""Commands in the documentation: each exists, and takes every option that a page writes behind it."""

import re
import shlex
from pathlib import Path

import click
import pytest

from assay.cli import COMMANDS, Commands

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
]
WRITTEN = re.compile(r"`assay ([^`\n]+)`|(?:^ {4}|\$ |&& )assay ([^\n#|&>]+)", re.MULTILINE)


def command_of(words):
    """The command that some words begin with, and the words behind it; None if there is none of that name."""
    group, context = Commands(), click.Context(Commands())
    while words:
        command = group.get_command(context, words[0]) if re.fullmatch(r"[a-z]+", words[0]) else None
        if command is None:
            return None
        words = words[1:]
        if not isinstance(command, click.Group) or not words or words[0].startswith("-"):
            return command, words
        group = command
    return None


def complaints(page):
    for match in WRITTEN.finditer(page.read_text()):
        text = (match[1] or match[2]).strip()
        words = shlex.split(text.replace("'", "") if text.count("'") % 2 else text)
        if words[0].startswith("-") or words[0].isupper():  # assay --help, assay COMMAND
            continue
        found = command_of(words)
        if found is None:
            yield f"{page.name}: assay {text}: there is no such command."
            continue
        command, rest = found
        known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {
            "-h",
            "--help",
        }
        given = {word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        if given - known:
            yield f"{page.name}: assay {text}: {', '.join(sorted(given - known))} is no option of it."


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_on_a_page_can_be_typed(page):
    assert list(complaints(page)) == []


def test_commands_that_cannot_be_typed_are_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Try `assay compare f.csv --grups x`.\n\n    assay comapre f.csv\n\n`assay fit f.csv -o m.assay`\n"
    )
    assert [line.split(": ", 2)[2] for line in complaints(page)] == [
        "--grups is no option of it.",
        "there is no such command.",
    ]
    assert all(command_of([name]) is not None for name in COMMANDS)
