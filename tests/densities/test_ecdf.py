import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from assay.densities.ecdf import ECDF
from assay.errors import DataError, ParameterError

# Oracle: IML 8.2, the sample of 8 numbers and its queries.
SAMPLE, AT = [1, 2, 2.5, 4, 6, 6.5, 7, 9], [0, 2, 3, 5, 6, 8]


@pytest.mark.capability("IML-8-01")
def test_the_table_of_the_sample():
    F = ECDF(SAMPLE)
    assert_array_equal(F(AT), [0, 0.25, 0.375, 0.5, 0.625, 0.875])
    assert_array_equal(F.density(AT, h=1), [0.125, 0.125, 0.125, 0.125, 0.25, 0.125])
    assert_array_equal(F.density(AT, h=2), [0.125, 0.125, 0.0625, 0.1875, 0.125, 0.0625])


@pytest.mark.capability("IML-8-01")
def test_the_same_as_scipy():
    """Peer: scipy.stats.ecdf, on data with equal numbers; its quantiles are those of numpy's inverted_cdf."""
    x = np.random.default_rng(0).poisson(4, 300).astype(float)
    peer, ours, at = stats.ecdf(x).cdf, ECDF(x), np.linspace(-1, 15, 100)
    assert_allclose(ours(at), peer.evaluate(at), rtol=1e-14)
    p = np.linspace(0, 1, 41)
    assert_array_equal(ours.quantile(p), np.quantile(x, p, method="inverted_cdf"))


@given(
    x=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    copies=st.integers(1, 3),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_a_weight_is_so_many_copies_and_the_curve_rises_from_0_to_1(x, copies, seed):
    w = np.random.default_rng(seed).integers(0, copies + 1, len(x))
    w[0] = 1
    weighted, repeated = ECDF(x, w), ECDF(np.repeat(x, w))
    at = np.sort(np.concatenate([x, np.asarray(x) + 0.5, [-1e9, 1e9]]))
    assert_allclose(weighted(at), repeated(at), rtol=1e-12)
    assert np.all(np.diff(weighted(at)) >= 0) and weighted(-1e9) == 0 and weighted(1e9) == 1


def test_the_band_holds_the_truth_as_often_as_it_says():
    """Kolmogorov's bound: of 400 samples of 50 about 5 % may leave the band; 9 % would be six deviations more."""
    rng, grid, out = np.random.default_rng(1), np.linspace(0, 1, 2001), 0
    for _ in range(400):
        low, high = ECDF(rng.uniform(size=50)).band(grid, alpha=0.05)
        out += bool(np.any((grid < low - 5e-4) | (grid > high + 5e-4)))
    assert 0 < out / 400 < 0.09


def test_wrong_input_is_named():
    for x, w in (
        ([], None),
        ([[1.0]], None),
        ([np.nan], None),
        ([1.0], [-1.0]),
        ([1.0], [0.0]),
        ([1.0], [1, 2]),
    ):
        with pytest.raises(DataError, match="ECDF"):
            ECDF(x, w)
    F = ECDF(SAMPLE)
    for wrong in (lambda: F.density(1, h=0), lambda: F.quantile(1.5), lambda: F.band(1, alpha=1)):
        with pytest.raises(ParameterError, match="ECDF"):
            wrong()


def test_what_is_no_number_is_reported_and_what_is_missing_stays_missing():
    F = ECDF([1.0, 2.0], [1e307, 1e307])  # the sum of whose squares is no number
    assert_array_equal(F([np.nan, 1.0]), [np.nan, 0.5])
    assert F.effective_size == 2
    for wrong, text in ((["a"], "x must be numbers"), ([np.nan, 1.0], "got 1 missing"), ([], "shape")):
        with pytest.raises(DataError, match=text):
            ECDF(wrong)
    with pytest.raises(DataError, match="weights is too large to be added up"):
        ECDF([1.0, 2.0], [1e308, 1e308])
    with pytest.raises(DataError, match="weights must be numbers"):
        ECDF([1.0], ["heavy"])
    with pytest.raises(ParameterError, match="h must be"):
        F.density([1.0], "wide")
    with pytest.raises(ParameterError, match="alpha must be"):
        F.band([1.0], "x")
