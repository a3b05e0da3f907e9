"""Files made to exhaust time or memory: long cells, long names, deep nesting, numbers of any size.

No clock is read. The inputs are so long that work which grows with their square would not end: two million digits
take 10^12 steps then, and well under a second when each is looked at a few times.
"""

import re
import sys

import numpy as np
import pytest

from assay.errors import ReadError
from assay.tables.readers import read_table
from assay.tables.readers.dates import DatePattern
from assay.tables.readers.libsvm import read_libsvm

N = 2_000_000

READ = {
    "digits-and-a-letter.csv": "a,b\n" + "1" * N + "x,2\n3,4\n",
    "digits.csv": "a,b\n" + "1" * N + ",2\n3,4\n",
    "exponent.csv": "a,b\n1e" + "1" * N + "x,2\n3,4\n",
    "decimal-comma.csv": "a;b\n1," + "1" * N + "x;2\n3;4\n",
    "groups.csv": "a;b\n1" + ".111" * (N // 4) + "x;2\n3;4\n",
    "spaces.csv": "a,b\n" + " " * N + "x,2\n3,4\n",
    "name.csv": "n" * N + ",b\n1,2\n3,4\n",
    "escapes.csv": 'a,b\n"' + '\\"' * (N // 8) + '",2\n3,4\n',
    "digits.arff": "@relation r\n@attribute a real\n@data\n" + "1" * 300 + "." + "1" * N + "\n2\n",
    "escapes.arff": "@relation r\n@attribute a string\n@data\n'" + "\\'" * (N // 8) + "'\nb\n",
    "name.arff": "@relation r\n@attribute " + "n" * N + " real\n@data\n1\n2\n",
    "comments.arff": "%\n" * (N // 8) + "@relation r\n@attribute a real\n@data\n1\n2\n",
    "digits.libsvm": "1 1:0." + "1" * N + "\n0 1:2\n",
}
REFUSED = {
    "blank-lines.csv": "\n" * N + "a,b\n1,2\n3,4\n",
    "nul.csv": "a,b\n" + "\0" * N + ",1\n",
    "unclosed.csv": 'a,b\n"' + "x,\n" * (N // 3),
    "digits-and-a-letter.arff": "@relation r\n@attribute a real\n@data\n" + "1" * N + "x\n",
    "braces.arff": "@relation r\n@attribute a real\n@data\n" + "{" * N + "\n",
    "index.arff": "@relation r\n@attribute a real\n@data\n{" + "9" * N + " 1}\n",
    "date-format.arff": "@relation r\n@attribute a date '" + "y-" * (N // 2) + "'\n@data\n1\n",
    "date.arff": "@relation r\n@attribute a date 'yyyy'\n@data\n" + "1" * N + "\n",
    "nested.arff": "@relation r\n" + "@attribute g relational\n" * 20_000 + "@data\n1\n",
    "index.libsvm": "1 " + "1" * N + ":1\n",
    "label.libsvm": "1" * N + " 1:1\n",
    "query.libsvm": "1 qid:" + "1" * N + " 1:1\n",
    "columns.libsvm": "1 2147483646:1\n",
}


@pytest.mark.parametrize("name", READ)
def test_long_cells_are_read_in_linear_time(tmp_path, name):
    path = tmp_path / name
    path.write_text(READ[name], newline="")
    assert read_table(path).X.shape[0] == 2


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_table_can_hold_is_refused_in_a_short_sentence(tmp_path, name):
    path = tmp_path / name
    path.write_text(REFUSED[name], newline="")
    with pytest.raises(ReadError) as error:
        read_table(path)
    assert len(str(error.value)) < 600


def test_a_wide_sparse_file_is_read_if_its_width_is_given(tmp_path):
    path = tmp_path / "wide.libsvm"
    path.write_text("1 5000000:1\n")
    with pytest.raises(ReadError, match="width=5000000"):
        read_table(path)
    assert read_libsvm(path, width=5_000_000)[0].shape == (1, 5_000_000)


def test_a_date_format_has_a_length_that_someone_may_have_written():
    with pytest.raises(ValueError, match="201 characters"):
        DatePattern("y" * 201)


def patterns():
    """Every compiled expression of the package, by its place."""
    import pkgutil
    from importlib import import_module

    import assay

    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    held = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("assay"):
            held |= {
                value.pattern: (f"{name}.{key}", value)
                for key, value in vars(module).items()
                if isinstance(value, re.Pattern)
            }
    return [pytest.param(value, id=place) for place, value in held.values()]


@pytest.mark.parametrize("pattern", patterns())
def test_every_expression_is_matched_in_linear_time(pattern):
    """Repeats that can share characters take 10^10 steps and more on these."""
    n = 200_000
    for piece in (
        "1",
        " ",
        "a",
        "A_",
        "1.",
        ".111",
        "-",
        "'",
        '"',
        "''",
        "e1",
        "#",
        "\n",
        "1,111",
        "a b",
        "\\",
        "(",
    ):
        for end in ("", "!", "\x00"):
            text = piece * (n // len(piece)) + end
            text = text.encode() if isinstance(pattern.pattern, bytes) else text
            pattern.match(text)
            pattern.fullmatch(text)


@pytest.mark.parametrize("text", ["x0 < {}x", "x0 <= 1.{}y", "{}x < x0", "x0 < {}", "{} x0 < 1"])
def test_conditions_are_read_in_linear_time(text):
    from assay.rulebase.condition_text import ConditionReader
    from assay.rulebase.scanner import RuleSyntaxError
    from assay.tables import Schema

    try:
        ConditionReader(text.format("1" * N), Schema.numeric(1)).condition()
    except RuleSyntaxError as error:
        assert len(str(error)) < 600


def mutated(data, rng):
    buffer = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(0, len(buffer)))
        match rng.integers(0, 4):
            case 0:
                buffer[at] = int(rng.integers(0, 256))
            case 1:
                buffer[at] ^= 1 << int(rng.integers(0, 8))
            case 2:
                del buffer[at : at + int(rng.integers(1, 20))]
            case 3:
                buffer[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 9))).astype(np.uint8))
    return bytes(buffer)


def test_mutated_parquet_files_are_read_or_refused(tmp_path):
    """Nothing but ReadError; the file's end, where its description is, is changed as often as all the rest."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "number": pa.array([1.5, None, 3.0] * 20),
            "text": pa.array(["a", "bb", None] * 20),
            "category": pa.array(["x", "y", None] * 20).dictionary_encode(),
            "day": pa.array([1, None, 3] * 20, pa.date32()),
        }
    )
    rng, path, outcomes = np.random.default_rng(5), tmp_path / "t.parquet", set()
    for compression in ("none", "snappy"):
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression=compression, row_group_size=30)
        data = buffer.getvalue()
        middle = len(data) - int.from_bytes(data[-8:-4], "little") - 8
        for i in range(400):
            halves = (mutated(data[:middle], rng), data[middle:])
            if i % 2:
                halves = (data[:middle], mutated(data[middle:], rng))
            path.write_bytes(b"".join(halves))
            try:
                read_table(path).table  # noqa: B018
                outcomes.add("read")
            except ReadError:
                outcomes.add("refused")
    assert outcomes == {"read", "refused"}
