"""Sketches of columns: the same however rows are cut, exact for few values, and close in rank for many."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.ensembles.hist_bins import bins_of, find_bins
from assay.ensembles.hist_sketch import BinSketch, RowSample


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 1000),
    st.booleans(),
    st.lists(st.integers(0, 400), max_size=4),
    st.sampled_from([50, 1000]),
)
def test_bins_do_not_depend_on_the_cut(seed, weighted, cuts, sample_size):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=400), rng.integers(0, 9, 400), rng.integers(0, 300, 400)]).astype(
        float
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    w, categories = rng.integers(0, 3, 400) * 1.0 if weighted else None, np.array([0, 0, 300])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.ensembles.hist_sketch.SUBSAMPLE", sample_size)
        whole = find_bins(X, categories, 32, w, seed)
        sample, ends = RowSample.of(400, seed, w), [0, *sorted(cuts), 400]
        parts = [
            BinSketch.of(X[a:b], categories, 32, sample, None if w is None else w[a:b], a)
            for a, b in itertools.pairwise(ends)
        ]
        total = parts[-1]
        for part in parts[-2::-1]:
            total = total + part
        cut = bins_of(total, categories, 32, sample)
    for name in ("bins", "thresholds", "bin_of", "place"):
        assert_array_equal(getattr(cut, name), getattr(whole, name))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("draw", ["normal", "lognormal", "standard_cauchy"])
def test_ranks_of_thresholds_are_off_by_less_than_half_a_percent(draw, weighted, seed=5):
    """Bound: 2 exp(-2 m e^2) is 9e-5 for m = 200,000 and e = 0.005; weights from 0.5 to 2 lower m to m / 1.6."""
    rng = np.random.default_rng(seed)
    n = 600_000
    x = getattr(rng, draw)(size=n)
    w = rng.uniform(0.5, 2.0, n) if weighted else None
    thresholds = find_bins(x[:, None], np.zeros(1, int), 255, w, seed).thresholds[0, :254]
    order = np.argsort(x)
    sums = np.cumsum(np.ones(n) if w is None else w[order])
    ranks = sums[np.searchsorted(x[order], thresholds, "right") - 1] / sums[-1]
    assert_allclose(ranks, np.arange(1, 255) / 255, atol=0.005)


def test_few_distinct_values_are_all_known_however_rare():
    x = np.zeros(300_000)
    x[[7, 250_000]] = 1.0, 2.0
    assert_array_equal(find_bins(x[:, None], np.zeros(1, int), 255).thresholds[0, :3], [0.5, 1.5, np.inf])


def test_a_sketch_of_many_values_takes_nine_bytes_for_each():
    """It travels from each partition to where the bins are made."""
    X = np.random.default_rng(0).normal(size=(50_000, 2))
    sketch = BinSketch.of(X, np.zeros(2, int), 255, RowSample(50_000, 0))
    assert sum(a.nbytes for column in (*sketch.values, *sketch.weights) for a in column) == 2 * 50_000 * 9
    repeated = BinSketch.of(np.repeat(X[:100], 300, axis=0), np.zeros(2, int), 99, RowSample(30_000, 0))
    assert repeated.weights[1][0].dtype == np.uint16 and (repeated.weights[1][0] == 300).all()
