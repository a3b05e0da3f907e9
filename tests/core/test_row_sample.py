"""Uniform samples of rows: the same however the rows are cut, and every row equally likely."""

import numpy as np
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.core.row_sample import RowSample, sample_rows
from assay.core.sums import Block, Rows, Stream


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 300), st.integers(1, 400), st.lists(st.integers(0, 300), max_size=6), st.integers(0, 2**32)
)
def test_the_cut_does_not_matter(n, limit, cuts, seed):
    X, y, w = np.arange(2.0 * n).reshape(n, 2), np.arange(n), np.arange(n) / 3
    ends = sorted({min(c, n) for c in cuts} | {n})
    parts = [(X[a:b], y[a:b], w[a:b]) for a, b in zip([0, *ends], ends)]
    whole = sample_rows(Rows(X, y, w), limit, seed)
    streamed = sample_rows(Stream(parts, lambda part: Block(*part)), limit, seed)
    assert whole.count == streamed.count == n and len(whole.number) == min(n, limit)
    for a, b in zip(whole.entries, streamed.entries):
        assert_array_equal(a, b)
    assert_array_equal(whole.entries[0][:, 0], 2 * whole.number)  # the entries of a row stay together
    assert (np.diff(whole.number) > 0).all() and (whole.entries[1] == whole.number).all()


def test_every_row_is_drawn_as_often_as_any_other():
    """A chi-squared test over the counts of 60 rows in 2000 samples of 20."""
    from scipy.stats import chi2

    counts = np.zeros(60)
    for seed in range(2000):
        counts[RowSample.of((np.arange(60),), 0, 20, seed).number] += 1
    share = 20 / 60
    statistic = ((counts - 2000 * share) ** 2).sum() / (2000 * share * (1 - share)) * 59 / 60
    assert chi2.ppf(0.001, 59) < statistic < chi2.ppf(0.999, 59)


def test_sparse_rows_and_absent_entries():
    X = scipy.sparse.random(50, 3, density=0.5, format="csr", random_state=0)
    sample = sample_rows(Stream([X[:20], X[20:]], Block), 30, 0)
    whole = sample_rows(Rows(X), 30, 0)
    assert sample.entries[1:] == (None, None) and (sample.entries[0] != whole.entries[0]).nnz == 0
