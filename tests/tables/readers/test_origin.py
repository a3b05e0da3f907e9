"""Where bytes come from: files, streams, standard input, packed or not."""

import bz2
import gc
import gzip
import io
import lzma
import os
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from assay.errors import ReadError
from assay.tables import read_blocks, read_table
from assay.tables.readers import origin
from assay.tables.readers.origin import Origin

TEXTS = {
    "t.csv": "a,b\n1,x\n2,y\n",
    "t.tsv": "a\tb\n1\tx\n2\ty\n",
    "t.arff": "@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n",
    "t.jsonl": '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
    "t.libsvm": "1 1:0.5\n-1 2:2\n",
}
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def rows(data):
    values = data.table.values
    return (values if isinstance(values, np.ndarray) else values.toarray()).tolist()


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return path


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("packed", [*PACKERS, ".zip"])
def test_every_text_format_may_be_packed(tmp_path, name, packed):
    plain = tmp_path / name
    plain.write_text(TEXTS[name])
    path = tmp_path / (name + packed)
    if packed == ".zip":
        zipped(path, **{name.replace(".", "__"): TEXTS[name]})
    else:
        path.write_bytes(PACKERS[packed](TEXTS[name].encode()))
    assert rows(read_table(path)) == rows(read_table(plain))


@pytest.mark.parametrize("packed", [".gz", ".zip"])
def test_formats_that_jump_about_may_be_packed_too(tmp_path, packed):
    frame = pa.table({"a": [1.0, 2.0], "b": ["x", "y"]})
    for name, write in (("t.parquet", parquet.write_table), ("t.feather", feather.write_feather)):
        write(frame, tmp_path / name)
        data = (tmp_path / name).read_bytes()
        path = tmp_path / (name + packed)
        if packed == ".zip":
            zipped(path, **{name.replace(".", "__"): data})
        else:
            path.write_bytes(gzip.compress(data))
        assert read_table(path).X.to_pydict() == frame.to_pydict()


def test_the_member_of_a_zip_file_tells_the_format(tmp_path):
    assert read_table(zipped(tmp_path / "any.zip", t__arff=TEXTS["t.arff"])).format == "arff"


def test_a_zip_file_of_several_lists_them(tmp_path):
    path = zipped(tmp_path / "z.zip", a__csv="a\n1\n", b__csv="b\n1\n")
    with pytest.raises(
        ReadError, match=r"z.zip: the zip file holds 2 files, expected one: a.csv, b.csv\. Unpack"
    ):
        read_table(path)
    with zipfile.ZipFile(path) as archive, archive.open("b.csv") as member:
        assert read_table(member).names == ["b"]


def test_hidden_members_and_folders_do_not_count(tmp_path):
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/", "")
        archive.writestr("__MACOSX/data/._t.csv", "junk")
        archive.writestr("data/t.csv", "a\n1\n")
    assert read_table(path).names == ["a"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: zipped(p), "holds no file"),
        (lambda p: p.write_bytes(b"PK\x03\x04" + b"\0" * 40), "damaged"),
        (lambda p: p.write_bytes(gzip.compress(b"a,b\n" * 9999)[:-20]), "cut off"),
        (lambda p: p.write_bytes(b"\xfd7zXZ\x00" + b"\1" * 40), "damaged"),
    ],
)
def test_damaged_archives(tmp_path, make, words):
    path = tmp_path / "t.zip"
    make(path)
    with pytest.raises(ReadError, match=words):
        read_table(path)


def test_a_zip_file_with_a_damaged_member(tmp_path):
    path = zipped(tmp_path / "z.zip", t__csv="a,b\n" + "1,2\n" * 5000)
    data = bytearray(path.read_bytes())
    data[60] ^= 255
    path.write_bytes(data)
    with pytest.raises(ReadError, match=r"z\.zip.*damaged"):
        read_table(path)


def test_a_zip_file_with_a_password(tmp_path):
    path = zipped(tmp_path / "z.zip", t__csv="a\n1\n")
    data = path.read_bytes()
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + place
        data = data[:at] + b"\x01" + data[at + 1 :]  # the flag that says encrypted
    path.write_bytes(data)
    with pytest.raises(ReadError, match="needs a password"):
        read_table(path)


@pytest.mark.parametrize("packed", [*PACKERS, ".zip"])
def test_a_packed_file_that_grows_without_bounds_is_refused(tmp_path, packed, monkeypatch):
    monkeypatch.setattr(origin, "MOST_UNPACKED", 1 << 20)
    text = "a,b\n" + "0,0\n" * (1 << 19)
    path = tmp_path / ("t.csv" + packed)
    if packed == ".zip":
        zipped(path, t__csv=text)
    else:
        path.write_bytes(PACKERS[packed](text.encode()))
    with pytest.raises(
        ReadError, match=r"unpacks to more than 1 MB, over 100 times its own size\. If that is right"
    ):
        read_table(path)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("as_text", [False, True])
def test_streams_of_bytes_and_of_text(tmp_path, name, as_text):
    (tmp_path / name).write_text(TEXTS[name])
    stream = io.StringIO(TEXTS[name]) if as_text else io.BytesIO(TEXTS[name].encode())
    data = read_table(stream)
    assert rows(data) == rows(read_table(tmp_path / name))
    assert data.path == "the stream"


def test_a_stream_is_read_from_where_it_stands(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a title\na,b\n1,2\n")
    with open(path) as file:
        file.readline()
        data = read_table(file)
    assert data.names == ["a", "b"] and data.path == str(path)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a,b\n1,2\n"))))
    data = read_table("-", target="b")
    assert data.path == "standard input" and data.y.tolist() == [2]


def test_blocks_of_a_stream_can_be_asked_for_twice():
    blocks = read_blocks(io.StringIO("a\n1\n2\n3\n"), rows=2)
    assert [b.num_rows for b in blocks] == [b.num_rows for b in blocks] == [2, 1]


def test_what_a_stream_left_on_the_disk_goes_away():
    kept = Origin.of(io.StringIO("a\n1\n"))
    path = kept.path
    assert path.exists()
    del kept
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize("given", [3, None, ["a"]])
def test_what_is_no_file_at_all(given):
    with pytest.raises(ReadError, match="from a path, a file object or '-'"):
        read_table(given)


def test_streams_that_cannot_be_read(tmp_path):
    with open(tmp_path / "t", "w") as file, pytest.raises(ReadError, match="the stream cannot be read"):
        read_table(file)

    class Odd:
        def read(self, size):
            return [1]

    with pytest.raises(ReadError, match="a stream gives bytes or text, got list"):
        read_table(Odd())


def test_an_old_office_file_is_named(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + os.urandom(100))
    with pytest.raises(ReadError, match="old Excel file"):
        read_table(path)
