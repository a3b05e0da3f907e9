"""Bytes of a file: unpacked, decoded, the same in chunks of any size."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ReadError
from assay.tables.readers.source import Source

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.characters(max_codepoint=0xFF, min_codepoint=0xA1), max_size=20),
    encoding=st.sampled_from(ENCODINGS),
    size=st.integers(4, 12),
)
def test_any_chunk_size_gives_the_same_text(tmp_path_factory, text, encoding, size):
    text = "plain, line\n" * 3 + text
    path = tmp_path_factory.mktemp("source") / "t"
    path.write_bytes(text.encode(encoding))
    said = b"".join(Source(path, encoding=encoding).chunks(size)).decode()
    assert said == text
    if encoding != "latin-1":  # such bytes may look like UTF-8 for a while; then they are refused, see below
        assert b"".join(Source(path).chunks()).decode() == text


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_characters_across_chunks(tmp_path, size):
    path = tmp_path / "t"
    path.write_bytes("aé€😀\n".encode() * 5)
    assert b"".join(Source(path).chunks(size)) == path.read_bytes()


def test_the_line_of_a_bad_byte_is_counted_through_all_line_ends(tmp_path):
    path = tmp_path / "t"
    path.write_bytes("é\r\né\ré\n".encode() + b"\xe9\n")
    for size in (1, 2, 3, 1000):
        with pytest.raises(ReadError, match=r"t, line 4: byte 0xE9 is not UTF-8"):
            list(Source(path).chunks(size))
    with pytest.raises(ReadError, match="line 1: byte 0xE9"):
        path.write_bytes(b"\xe9")
        list(Source(path, encoding="utf-8").chunks())


def test_windows_1252_has_no_missing_values(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(bytes(range(0x80, 0x100)))
    text = b"".join(Source(path).chunks()).decode()
    assert len(text) == 128
    assert text.startswith("€\x81‚")


def test_text_that_is_not_what_was_said(tmp_path):
    path = tmp_path / "t"
    path.write_bytes("é".encode("latin-1"))
    with pytest.raises(ReadError, match="is not ascii"):
        list(Source(path, encoding="ascii").chunks())
    path.write_bytes(b"\xff\xfea")
    with pytest.raises(ReadError, match="is not utf-16"):
        list(Source(path).chunks())


def test_packed_files_are_known_by_their_bytes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(b"a,b\n"))
    assert b"".join(Source(path).chunks()) == b"a,b\n"
