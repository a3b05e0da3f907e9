"""A text read piece by piece."""

import re

import pytest

from assay.rulebase.scanner import RuleSyntaxError, Scanner


def test_words_end_where_words_end():
    scanner = Scanner("  # first\n ANDy and(")
    assert not scanner.word("and") and scanner.match(re.compile(r"\w+")) == "ANDy"
    assert scanner.ahead("and") and scanner.word("or", "and") and scanner.text[scanner.at] == "("


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("'it''s'", "it's"),
        ('"say ""x"""', 'say "x"'),
        (r"'two\nlines'", "two\nlines"),
        (r"'a\\b'", "a\\b"),
        (r"'\x00\u2028'", "\x00\u2028"),
        ("''", ""),
    ],
)
def test_quotes(text, meant):
    assert Scanner(text).quoted() == meant


def test_lines_without_comments_and_evidence():
    scanner = Scanner("not donor  (support 0.600, accuracy 0.833)\nnext # why\n")
    assert scanner.remaining() == "not donor"
    scanner.space()
    assert scanner.remaining() == "next" and scanner.ended()


@pytest.mark.parametrize("line", ["x" + " " * 200_000 + "y", " (support" * 50_000, "# " * 100_000])
def test_long_lines_are_read_once(line):
    assert Scanner(line).remaining() == ("" if line[0] == "#" else line.strip())


def test_errors_know_their_place():
    scanner = Scanner("one\ntwo 'three")
    scanner.at = 8
    with pytest.raises(RuleSyntaxError, match=r"line 2, column 5: this quote ' is never closed\."):
        scanner.quoted()
