"""LIBSVM and SVMlight files: a label and the numbers that are not zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.tables.readers.source import CHUNK, RECORD_LIMIT, Source

COLUMN_LIMIT = 1 << 22  # columns that a file of any size may have, each of which takes memory
COLUMNS_PER_ENTRY = 100  # columns beyond that for each entry of the file


def read_libsvm(
    path: Any, zero_based: bool | None = None, width: int | None = None, encoding: str | None = None
) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """Rows ``label [qid:q] index:value ... [# comment]`` as a sparse matrix, labels and query numbers.

    Indices rise along a row. Whole labels come as whole numbers. A row may have no entries at all.

    Parameters
    ----------
    path : str or Path
    zero_based : bool, default None
        Whether the first column is number 0. None: it is if the number 0 occurs.
    width : int, default None
        How many columns there are; None takes the largest index.
    encoding : str, default None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from assay.tables.readers.libsvm import read_libsvm
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.libsvm"
    >>> _ = path.write_text("+1 1:0.5 3:2\\n-1 2:1  # the second row\\n")
    >>> X, y, groups = read_libsvm(path)
    >>> X.toarray(), y
    (array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]]), array([ 1, -1]))
    """
    from scipy.sparse import csr_matrix

    source = Source(path, encoding)
    parts = [_parse(source, data, line) for data, line in _pieces(source)]
    parts = [part for part in parts if len(part[0])]
    if not parts:
        raise source.complain("the file is empty, expected rows of the form: label index:value ...")
    y = np.concatenate([part[0] for part in parts])
    counts = np.concatenate([part[1] for part in parts])
    index = np.concatenate([part[2] for part in parts])
    values = np.concatenate([part[3] for part in parts])
    queries = np.concatenate([part[4] for part in parts])
    base = (index.size > 0 and index.min() == 0) if zero_based is None else zero_based
    if not base:
        if index.size and index.min() == 0:
            raise source.complain("an index 0, although the first column is number 1; pass zero_based=True.")
        index = index - 1
    columns = int(index.max()) + 1 if index.size else 0
    if width is not None and columns > width:
        raise source.complain(f"index {columns - 1 + (not base)} lies beyond the {width} columns asked for.")
    if width is None and columns > max(COLUMN_LIMIT, COLUMNS_PER_ENTRY * len(index)):
        raise source.complain(
            f"index {columns - 1 + (not base)} asks for {columns:,} columns, and the file has {len(index):,} entries "
            f"in all. If it really is that wide, pass width={columns}."
        )
    pointer = np.concatenate([[0], np.cumsum(counts)])
    X = csr_matrix((values, index, pointer), shape=(len(y), columns if width is None else width))
    if np.all(y == np.floor(y)) and np.all(np.abs(y) < 2**53):
        y = y.astype(np.int64)
    known = queries >= 0
    if known.any() and not known.all():
        raise source.complain("some rows have a qid and others do not.")
    return X, y, queries if known.any() else None


def _pieces(source: Source) -> Iterator[tuple[bytes, int]]:
    buffer, line = b"", 1
    for chunk in source.chunks(CHUNK):
        buffer += chunk
        if buffer[-1:] == b"\r":
            continue
        buffer = buffer.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in buffer else buffer
        end = buffer.rfind(b"\n") + 1
        if end:
            yield buffer[:end], line
            line += buffer.count(b"\n", 0, end)
            buffer = buffer[end:]
        if len(buffer) > RECORD_LIMIT:
            raise source.complain(f"this line is longer than {RECORD_LIMIT >> 20} MB.", line)
    if buffer:
        yield buffer.replace(b"\r", b"\n") + b"\n", line


_Part = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _parse(source: Source, data: bytes, line: int) -> _Part:
    if b"\0" in data:
        raise source.complain(
            "a NUL byte; this is not a text file.", line + data[: data.index(b"\0")].count(b"\n")
        )
    quick = _quick(data)
    return quick if quick is not None else _slow(source, data, line)


def _quick(data: bytes) -> _Part | None:
    """Rows without comments and query numbers, by whole-block operations; None if anything is odd.

    A row with c colons must have 1 + c words, and each word but the first its colon inside.
    """
    if b"#" in data or b"q" in data or not data.isascii():
        return None
    lines = [text for text in data.split(b"\n") if text.strip()]
    if not lines:
        return None
    colons = np.array([text.count(b":") for text in lines], dtype=np.int64)
    words = np.array([len(text.split()) for text in lines], dtype=np.int64)
    if not np.array_equal(words, colons + 1) or b": " in data or b" :" in data or b"\t" in data:
        return None
    tokens = b" ".join(lines).replace(b":", b" ").split()
    if len(tokens) != len(lines) + 2 * int(colons.sum()):
        return None
    if max(map(len, tokens), default=0) > 40:
        return None  # a fixed-width array of such words would be large
    heads = np.concatenate([[0], np.cumsum(1 + 2 * colons)[:-1]]).astype(np.int64)
    try:
        numbers = np.array(tokens).astype(np.float64)
    except ValueError:
        return None
    inner = np.ones(len(numbers), dtype=bool)
    inner[heads] = False
    pairs = numbers[inner].reshape(-1, 2)
    labels, raw = numbers[heads], pairs[:, 0]
    if not (np.isfinite(labels).all() and np.all((raw >= 0) & (raw < 2**31 - 1) & (raw == np.floor(raw)))):
        return None
    index = raw.astype(np.int64)
    if not np.isfinite(pairs[:, 1]).all() or not _rising(index, colons):
        return None
    # an index is written in digits only
    if any(not tokens[i].isdigit() for i in np.flatnonzero(inner)[::2].tolist()):
        return None
    return labels, colons, index, pairs[:, 1].copy(), np.full(len(lines), -1, dtype=np.int64)


def _rising(index: np.ndarray, counts: np.ndarray) -> bool:
    steps = np.diff(index) > 0
    if len(index) < 2:
        return True
    starts = np.cumsum(counts)[:-1]
    edges = starts[(starts > 0) & (starts < len(index))] - 1  # steps from one row to the next do not count
    steps[edges] = True
    return bool(steps.all())


def _slow(source: Source, data: bytes, line: int) -> _Part:
    labels, counts, index, values, queries = [], [], [], [], []
    for number, raw in enumerate(data.decode("utf-8").split("\n"), line):
        words = raw.split("#", 1)[0].split()
        if not words:
            continue
        labels.append(_number(source, words[0], number, 1, "a label"))
        query, last = -1, -1
        for position, word in enumerate(words[1:], 2):
            key, colon, value = word.partition(":")
            if key == "qid" and colon and position == 2:
                query = _index(source, value, number, position)
                continue
            if not colon:
                raise source.complain(f"expected index:value, got {word[:40]!r}.", number, position)
            j = _index(source, key, number, position)
            if j <= last:
                raise source.complain(
                    f"index {j} comes after {last}; indices must rise along a row.", number, position
                )
            last = j
            index.append(j)
            values.append(_number(source, value, number, position, "a number"))
        counts.append(sum(":" in word for word in words[1:]) - (query >= 0))
        queries.append(query)
    return (
        np.array(labels, dtype=np.float64),
        np.array(counts, dtype=np.int64),
        np.array(index, dtype=np.int64),
        np.array(values, dtype=np.float64),
        np.array(queries, dtype=np.int64),
    )


def _index(source: Source, text: str, line: int, position: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) < 2**31 - 1):
        raise source.complain(f"expected a column number, got {text[:40]!r}.", line, position)
    return int(text)


def _number(source: Source, text: str, line: int, position: int, what: str) -> float:
    try:
        if not text.isascii() or "_" in text:
            raise ValueError
        value = float(text)
    except ValueError:
        raise source.complain(f"expected {what}, got {text[:40]!r}.", line, position) from None
    if not np.isfinite(value):
        raise source.complain(f"expected {what}, got {text[:40]!r}.", line, position)
    return value
