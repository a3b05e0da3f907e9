"""The first look at the rows: sums that add up, and a sample in which every row had the same chance."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from assay.core.sums import Block, Rows, Stream
from assay.linear.logistic.row_sample import Columns, RowSample, survey


def table(n, K=3, d=2, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    return rng.normal(5, 2, (n, d)), rng.integers(0, K, n), rng.uniform(0, 2, n) if weighted else None


@given(cuts=st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True), weighted=st.booleans())
@settings(max_examples=25, deadline=None)
def test_columns_add_up_to_those_of_all_rows(cuts, weighted):
    X, _, w = table(100, weighted=weighted)
    X += np.array([0.0, 1e6])
    bounds = [0, *sorted(cuts), 100]
    parts = [Columns.of(X[a:b], None if w is None else w[a:b]) for a, b in pairwise(bounds)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    weights = np.ones(100) if w is None else w
    mean = weights @ X / weights.sum()
    assert_allclose(total.mean, mean, rtol=1e-12)
    assert_allclose(total.scatter, weights @ (X - mean) ** 2, rtol=1e-9)
    sparse = Columns.of(csr_matrix(X[:, :1]), w)
    assert_allclose(sparse.mean, mean[:1], rtol=1e-12)
    assert_allclose(sparse.scatter, total.scatter[:1], rtol=1e-9)


@pytest.mark.parametrize("blocks", [1, 4])
def test_a_sample_holds_the_quota_of_each_class_and_stands_for_all(blocks):
    X, y, w = table(4000, weighted=True)
    y[:3990][y[:3990] == 2] = 0  # a rare class stays whole
    size = 4000 // blocks
    source = (
        Rows(X, y, w)
        if blocks == 1
        else Stream(
            [(X[a : a + size], y[a : a + size], w[a : a + size]) for a in range(0, 4000, size)],
            lambda b: Block(*b),
        )
    )
    result = survey(source, 3, 100)
    sample = result.sample
    counts = np.bincount(y, minlength=3)
    assert_allclose(result.weight, np.bincount(y, weights=w, minlength=3), rtol=1e-12)
    assert (sample.count == counts).all()
    assert np.bincount(sample.y, minlength=3).tolist() == [100, 100, counts[2]]
    assert not sample.complete
    rows = sample.rows(np.array([1.0, 2.0, 1.0]))
    here = {tuple(x) for x in X}
    assert all(tuple(x) in here for x in sample.X) and len({tuple(x) for x in sample.X}) == len(sample.y)
    one = sample.y == 1
    assert_allclose(rows.w[one], sample.w[one] * counts[1] / 100 * 2)


def test_few_rows_are_all_kept():
    X, y, _ = table(50)
    whole = survey(Rows(X, y), 3, 50).sample
    parts = survey(Stream([(X[:20], y[:20]), (X[20:], y[20:])], lambda b: Block(*b)), 3, 50).sample
    for sample in (whole, parts):
        assert sample.complete
        assert (sample.X == X).all() and (sample.y == y).all()


@pytest.mark.parametrize("cut", [None, 30, 150])
def test_every_row_has_the_same_chance(cut):
    """200 rows, 40 kept, over 300 tables: each fifth of the positions gets a fifth of the 12000 places."""
    kept = np.zeros(200)
    y = np.zeros(200, dtype=np.int64)
    for seed in range(300):
        order = np.random.default_rng(seed).permutation(200)
        X = order[:, None].astype(float)
        parts = [(X, y)] if cut is None else [(X[:cut], y[:cut]), (X[cut:], y[cut:])]
        samples = [RowSample.of(Block(*part), 1, 40) for part in parts]
        sample = samples[0] if cut is None else samples[0] + samples[1]
        assert len(sample.y) == 40
        kept[np.isin(order, sample.X[:, 0])] += 1
    share = kept.reshape(5, 40).sum(axis=1) / kept.sum()
    assert_allclose(share, 0.2, atol=0.015)  # standard deviation 0.004


def test_the_same_rows_give_the_same_sample():
    X, y, _ = table(1000)
    a, b = (RowSample.of(Block(X, y, None), 3, 50) for _ in range(2))
    assert (a.X == b.X).all() and (a.key == b.key).all()


def test_sparse_rows_are_sampled_too():
    X, y, _ = table(1000)
    sample = RowSample.of(Block(csr_matrix(X), y, None), 3, 50) + RowSample.of(
        Block(csr_matrix(X), y, None), 3, 50
    )
    assert sample.X.shape == (150, 2) and sample.count.sum() == 2000
