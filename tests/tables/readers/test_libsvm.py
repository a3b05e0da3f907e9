"""LIBSVM and SVMlight files, against scikit-learn's reader, and the errors with their lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from assay.errors import ReadError, SchemaError
from assay.tables.readers import libsvm as reader
from assay.tables.readers import read_table
from assay.tables.readers.libsvm import read_libsvm


@pytest.fixture
def put(tmp_path):
    def write(content, name="t.libsvm"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_rows_labels_queries_and_comments(put):
    path = put("# a file\n+1 qid:3 1:0.5 3:-2e1 # first\n\n-1 qid:4\n2.0 qid:4 2:1\n")
    X, y, groups = read_libsvm(path)
    assert_array_equal(X.toarray(), [[0.5, 0, -20], [0, 0, 0], [0, 1, 0]])
    assert y.tolist() == [1, -1, 2]
    assert y.dtype == np.int64
    assert groups.tolist() == [3, 4, 4]


def test_as_a_table(put):
    data = read_table(put("1 1:0.5\n-1 2:2\n"))
    assert data.format == "libsvm"
    assert data.table.values.format == "csr"
    assert len(data) == 2
    assert data.names == ["x0", "x1"]
    assert data.column("x1").tolist() == [0.0, 2.0]
    assert repr(data).startswith("t.libsvm: 2 rows, 2 columns")
    assert read_table(put("1 1:0.5\n-1 2:2\n", "t.unknown")).format == "libsvm"


def test_options_that_have_no_meaning(put):
    path = put("1 1:0.5\n")
    assert read_table(path, target="label", width=4).X.shape == (1, 4)
    for option in ({"weights": "w"}, {"columns": ["x0"]}):
        with pytest.raises(ReadError, match="has no named columns"):
            read_table(path, **option)
    with pytest.raises(SchemaError, match="no column 'y'"):
        read_table(path, target="y")
    with pytest.raises(
        ReadError, match=r"libsvm reader has no option 'delimiter'\. Options: zero_based, width, encoding"
    ):
        read_table(path, delimiter=";")


def test_where_columns_begin(put):
    assert read_libsvm(put("1 0:5 2:6\n"))[0].toarray().tolist() == [[5, 0, 6]]
    assert read_libsvm(put("1 1:5\n"))[0].toarray().tolist() == [[5]]
    assert read_libsvm(put("1 1:5\n"), zero_based=True)[0].toarray().tolist() == [[0, 5]]
    assert read_libsvm(put("1 1:5\n"), width=3)[0].shape == (1, 3)
    with pytest.raises(ReadError, match=r"index 0.*zero_based=True"):
        read_libsvm(put("1 0:5\n"), zero_based=False)
    with pytest.raises(ReadError, match="index 4 lies beyond the 3 columns"):
        read_libsvm(put("1 4:5\n"), width=3)


def test_labels_that_are_not_whole(put):
    assert read_libsvm(put("0.5 1:1\n2 1:1\n"))[1].tolist() == [0.5, 2.0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("1 1:2\nx 1:2\n", "line 2, column 1: expected a label, got 'x'"),
        ("1 1:2\n1 1:y\n", "line 2, column 2: expected a number, got 'y'"),
        ("1 1:2 a:3\n", "line 1, column 3: expected a column number, got 'a'"),
        ("1 -1:2\n", "line 1, column 2: expected a column number, got '-1'"),
        ("1 1:2 2\n", "line 1, column 3: expected index:value, got '2'"),
        ("1 2:2 1:3\n", "line 1, column 3: index 1 comes after 2"),
        ("1 1:2 1:3\n", "line 1, column 3: index 1 comes after 1"),
        ("1 1:nan\n", "line 1, column 2: expected a number, got 'nan'"),
        ("1 1: 2\n", "line 1, column 2: expected a number, got ''"),
        ("1 99999999999:2\n", "line 1, column 2: expected a column number"),
        ("1 qid:1 1:2\n1 1:2\n", "some rows have a qid and others do not"),
        (b"1 1:2\n\0\n", "line 2: a NUL byte"),
    ],
)
def test_what_is_wrong_and_where(put, content, words):
    with pytest.raises(ReadError, match=words):
        read_libsvm(put(content))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    zero=st.booleans(),
    query=st.booleans(),
    end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_same_as_scikit_learn(tmp_path_factory, seed, zero, query, end):
    """Peer: load_svmlight_file of scikit-learn, on files that it wrote."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(1, 12), rng.integers(1, 6))) * (rng.random() < rng.random())
    X[0, -1] = 1.25
    y = rng.integers(-2, 3, size=len(X))
    path = tmp_path_factory.mktemp("svm") / "t.libsvm"
    dump_svmlight_file(X, y, str(path), zero_based=zero, query_id=np.arange(len(X)) if query else None)
    peer, labels = load_svmlight_file(str(path), zero_based=zero)
    path.write_bytes(path.read_bytes().replace(b"\n", end))
    ours, found, _ = read_libsvm(path, zero_based=zero)
    assert_array_equal(ours.toarray(), peer.toarray())
    assert_array_equal(found, labels)


@settings(max_examples=100, deadline=None)
@given(data=st.one_of(st.binary(max_size=50), st.text("12:. -+eqid#\n\t", max_size=50).map(str.encode)))
def test_any_bytes_are_read_or_refused_alike_on_both_paths(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("svm") / "t.libsvm"
    path.write_bytes(data)

    def outcome():
        try:
            X, y, groups = read_libsvm(path)
        except ReadError as error:
            return str(error)
        rows = [
            line
            for line in data.replace(b"\r", b"\n").split(b"\n")
            if line.split(b"#")[0].decode("latin-1").split()
        ]
        assert len(y) == len(rows)  # counted without the parser
        return X.toarray().tolist(), y.tolist(), None if groups is None else groups.tolist()

    quick = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_quick", lambda data: None)
        assert outcome() == quick
