import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.densities.histogram_density import HistogramDensity
from assay.errors import DataError, ParameterError

# Oracle: IML 8.2, the sample of 8 numbers and its queries.
SAMPLE = np.array([[1], [2], [2.5], [4], [6], [6.5], [7], [9]])
AT = np.array([[0], [2], [3], [5], [6], [8]])


@pytest.mark.capability("IML-8-02")
@pytest.mark.parametrize(
    ("settings", "heights"),
    [
        ({"width": 1.0}, [0, 0.25, 0, 0, 0.25, 0]),
        ({"width": 2.0}, [0.0625, 0.125, 0.125, 0.0625, 0.1875, 0.0625]),
        ({"width": 2.0, "interpolate": "linear"}, [0.03125, 0.09375, 0.125, 0.0625, 0.125, 0.125]),
    ],
)
def test_the_table_of_the_sample(settings, heights):
    assert_allclose(HistogramDensity(**settings).fit(SAMPLE).density(AT), heights, rtol=1e-12)


@pytest.mark.parametrize("width", ["scott", "freedman_diaconis", 0.7])
def test_the_same_heights_as_numpy(width):
    """Peer: numpy.histogram(density=True), on every column of Iris, with the bins that were chosen."""
    for x in load_iris().data.T:
        x = x + 1e-3  # no number on an edge of a bin, where rounding decides
        model = HistogramDensity(width, origin=0.05).fit(x[:, None])
        h, first, last = model.width_[0], model.bins_.min(), model.bins_.max()
        edges = 0.05 + h * np.arange(first, last + 2)
        heights = np.histogram(x, edges, density=True)[0]
        assert_allclose(
            model.density(((edges[1:] + edges[:-1]) / 2)[:, None]), heights, rtol=1e-9, atol=1e-15
        )


@pytest.mark.parametrize("d", [1, 2])
def test_shifts_average_the_histograms_of_all_origins(d):
    rng = np.random.default_rng(d)
    X, Q = rng.normal(size=(60, d)), rng.normal(size=(40, d))
    m, h = 4, 0.8
    plain = [
        HistogramDensity(h, origin=np.array(shift) * h / m).fit(X).density(Q)
        for shift in itertools.product(range(m), repeat=d)
    ]
    assert_allclose(
        HistogramDensity(h, shifts=m).fit(X).density(Q), np.mean(plain, axis=0), rtol=1e-9, atol=1e-12
    )


@given(
    seed=st.integers(0, 10**6),
    width=st.floats(0.2, 3),
    origin=st.floats(-2, 2),
    how=st.sampled_from([{}, {"shifts": 3}, {"interpolate": "linear"}]),
)
@settings(max_examples=50, deadline=None)
def test_the_mass_is_one(seed, width, origin, how):
    X = np.random.default_rng(seed).normal(size=(30, 1))
    model = HistogramDensity(width, origin=origin, **how).fit(X)
    step = width / 60  # whole parts of small bins: the middle of each part gives the integral exactly
    at = origin + width * np.arange(-40, 40)[:, None] + step * (np.arange(60) + 0.5)
    assert_allclose(model.density(at.reshape(-1, 1)).sum() * step, 1, rtol=1e-9)


def test_both_ways_of_asking_agree():
    """Few bins are all looked at, of many only those around."""
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(500, 2)), rng.normal(size=(50, 2))
    for how in ({}, {"shifts": 2}, {"interpolate": "linear"}):
        many = HistogramDensity(0.3, **how).fit(X)
        place = many._place(Q) - 0.5 if "interpolate" in how else np.floor(many._place(Q))
        reach = float(how.get("shifts", 1))
        tents = np.prod(np.maximum(1 - np.abs(place[:, None] - many.bins_) / reach, 0), axis=2) @ many.mass_
        assert_allclose(many.density(Q), tents / 0.09, rtol=1e-9, atol=1e-12)


@pytest.mark.capability("IML-8-07")
def test_many_columns_keep_only_the_bins_that_hold_rows():
    """IML 8.3: 8 columns with 10 bins each are 10^8 bins, nearly all empty."""
    X = np.random.default_rng(0).uniform(size=(1000, 8))
    model = HistogramDensity(0.1).fit(X)
    assert model.bins_.shape == (1000, 8)  # every row alone
    assert_allclose(model.density(X), 1e8 / 1000, rtol=1e-9)
    assert np.isneginf(model.score_samples(X + 5)).all()


def test_weights_are_copies():
    w = [1, 2, 1, 3, 1, 0, 1, 2]
    a = HistogramDensity(2.0, shifts=2).fit(SAMPLE, sample_weight=w).density(AT)
    assert_allclose(
        a, HistogramDensity(2.0, shifts=2).fit(np.repeat(SAMPLE, w, axis=0)).density(AT), rtol=1e-12
    )


def test_degenerate_tables():
    for how in (
        {},
        {"shifts": 3},
        {"interpolate": "linear"},
    ):  # so far out that there is no number for the bin
        far = HistogramDensity(0.1, **how).fit(SAMPLE).score_samples([[1e308], [-1e308]])
        assert_array_equal(far, [-np.inf, -np.inf])
    one = HistogramDensity("scott").fit([[3.0, 5.0]])
    assert_array_equal(one.width_, [1, 1])
    assert_allclose(one.density([[3.5, 5.5], [9, 9]]), [1, 0])
    constant = HistogramDensity("freedman_diaconis").fit([[1.0], [1.0], [1.0]])
    assert_allclose(constant.density([[1.2]]), 1)


def test_wrong_input_is_named():
    for wrong in ({"width": [1.0, 2.0]}, {"width": [-1.0]}, {"origin": [1.0, 2.0]}, {"shifts": 0},
                  {"shifts": 2, "interpolate": "linear"}):  # fmt: skip
        with pytest.raises(ParameterError, match="HistogramDensity"):
            HistogramDensity(**wrong).fit(SAMPLE)
    with pytest.raises(DataError, match="Raise width"):
        HistogramDensity(1e-300).fit(SAMPLE)
    model = HistogramDensity().fit(SAMPLE)
    model.mass_ = model.mass_[:2]
    with pytest.raises(DataError, match="belong together"):
        model.density(AT)
