"""Samples of blocks: each row with the same chance, classes in their shares, the same rows however blocks are cut."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import DataError
from assay.tables.sampling import MOST_CLASSES, sample_blocks

N = 400
TABLE = pa.table(
    {
        "x": np.arange(N),
        "kind": ["rare" if i % 40 == 0 else None if i % 50 == 1 else "often" for i in range(N)],
        "number": np.arange(N) / 7,
    }
)


def cut(rows):
    return [TABLE.slice(start, rows) for start in range(0, N, rows)]


@given(rows=st.integers(1, N), n=st.integers(1, N + 20), target=st.sampled_from([None, "kind", "number"]))
def test_the_sample_does_not_depend_on_how_blocks_are_cut(rows, n, target):
    sample, whole = sample_blocks(cut(rows), n, 3, target), sample_blocks([TABLE], n, 3, target)
    assert sample.rows.tolist() == whole.rows.tolist() == sorted(set(sample.rows.tolist()))
    assert sample.frame.equals(TABLE.take(sample.rows)) and len(sample.rows) == min(n, N)
    assert sample.total == N and sample.stratified == (target == "kind")


def test_classes_have_their_shares():
    sample = sample_blocks(cut(9), 80, 0, "kind")
    kinds = sample.frame["kind"].to_pylist()
    assert [kinds.count(k) for k in ("rare", None, "often")] == [2, 2, 76]  # of 10, 8 and 382: 2, 1.6, 76.4
    words = TABLE.set_column(1, "kind", TABLE["kind"].dictionary_encode())
    assert sample_blocks([words], 80, 0, "kind").rows.tolist() == sample.rows.tolist()


def test_every_row_has_the_same_chance():
    """Each of 60 rows is drawn 15 times in 60 of 1,000 samples on average: chi-squared with 59 degrees of freedom."""
    small, hits = TABLE.slice(0, 60), np.zeros(60)
    for seed in range(1000):
        hits[sample_blocks([small.slice(0, 25), small.slice(25)], 15, seed).rows] += 1
    statistic = ((hits - 250) ** 2).sum() / (250 * 0.75)
    assert 59 - 5 * np.sqrt(118) < statistic < 59 + 5 * np.sqrt(118)


def test_it_says_what_it_did():
    assert str(sample_blocks([TABLE], 40, 7)) == "A random sample of 40 of 400 rows was used (seed 7)."
    assert str(sample_blocks([TABLE], 500)) == "The sample is all of the 400 rows."
    many = pa.table({"y": [f"c{i}" for i in range(MOST_CLASSES + 1)] * 3})
    assert not sample_blocks([many], 9, target="y").stratified
    with pytest.raises(DataError, match="no rows to draw"):
        sample_blocks([], 5)


def test_no_more_than_a_few_times_the_sample_is_held():
    from assay.tables import sampling

    pool = sampling._Pool(10, None)
    for block in cut(20):
        pool.add(block, np.linspace(0, 1, 20), np.arange(20))
        assert sum(map(len, pool.keys)) <= 60
