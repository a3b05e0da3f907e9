"""The page of the commands: each of its examples is run, one after the other, and says what the page says."""

import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from assay.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
DURATION = re.compile(r"\b[\d.]+ (?:µs|ms|s)\b")


def examples(text):
    """(command, expected output) of every line of a console block that begins with a dollar."""
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def typed(run, monkeypatch, line):
    """What a line of the shell prints; it may read a file by cat and write one by >."""
    line, _, place = (part.strip() for part in line.partition(" > "))
    if line.startswith("cat "):
        source, _, line = (part.strip() for part in line.partition(" | "))
        content = Path(source.removeprefix("cat ")).read_bytes()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    if line.startswith("head -n "):
        _, _, count, name = line.split()
        return "".join(Path(name).read_text().splitlines(keepends=True)[: int(count)])
    program, *args = shlex.split(line)
    assert program == "assay"
    _, out, err = run(*args)
    if place:
        Path(place).write_text(out)
        out = ""
    return out + err


def test_every_example_says_what_the_page_says(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checker, flags = doctest.OutputChecker(), doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for command, expected in examples(PAGE.read_text(encoding="utf-8")):
        told = typed(run, monkeypatch, command)
        # durations have several widths, and the line under the heads is as wide as the table
        same = (re.sub("─+", "─", DURATION.sub("TIME", text)) for text in (expected, told))
        assert checker.check_output(*same, flags), f"$ {command}\n{told}\ninstead of\n{expected}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_place_and_an_example(command):
    text = PAGE.read_text(encoding="utf-8")
    assert re.search(rf"^## .*\b{command}\b", text, flags=re.MULTILINE)
    assert any(
        line.startswith(f"assay {command}") or f"| assay {command}" in line for line, _ in examples(text)
    )
