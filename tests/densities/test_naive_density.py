import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.neighbors import KernelDensity

from assay.densities.naive_density import NaiveDensity
from assay.errors import ParameterError

# Oracle: IML 8.2, the sample of 8 numbers and its queries.
SAMPLE = np.array([[1], [2], [2.5], [4], [6], [6.5], [7], [9]])
AT = np.array([[0], [2], [3], [5], [6], [8]])


@pytest.mark.capability("IML-8-03")
@pytest.mark.parametrize(
    ("width", "ends", "heights"),
    [
        (1.0, "half_open", [0, 0.25, 0, 0, 0.25, 0]),
        (2.0, "half_open", [0.0625, 0.125, 0.125, 0.0625, 0.1875, 0.0625]),
        (2.0, "open", [0, 0.125, 0.0625, 0, 0.125, 0]),
    ],
)
def test_the_table_of_the_sample(width, ends, heights):
    assert_allclose(NaiveDensity(width, ends=ends).fit(SAMPLE).density(AT), heights, rtol=1e-12)


@pytest.mark.capability("IML-8-03")
def test_the_same_as_the_box_kernel_of_half_the_width():
    """Peer: KernelDensity(kernel="tophat"), scikit-learn 1.9, on the columns of wine, away from the ends of windows."""
    for x in load_wine().data.T[:5]:
        h = x.std()
        at = np.random.default_rng(0).uniform(x.min(), x.max(), (50, 1))
        peer = KernelDensity(kernel="tophat", bandwidth=h / 2).fit(x[:, None]).score_samples(at)
        assert_allclose(
            NaiveDensity(h, ends="open").fit(x[:, None]).score_samples(at), peer, rtol=1e-9, atol=1e-9
        )


def by_the_book(X, w, Q, h, ends):
    low, high = (Q - h / 2)[:, None], (Q + h / 2)[:, None]
    inside = np.all((low < X) & ((high >= X) if ends == "half_open" else (high > X)), axis=2)
    return inside @ w / w.sum() / np.prod(h)


@given(seed=st.integers(0, 10**6), d=st.integers(1, 3), ends=st.sampled_from(["half_open", "open"]))
@settings(max_examples=50, deadline=None)
def test_the_share_of_rows_in_the_window_also_when_rows_lie_at_its_ends(seed, d, ends):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(0, 8, (40, d)) / 2.0, rng.integers(0, 8, (20, d)) / 2.0
    w, h = rng.uniform(0.5, 2, 40), rng.choice([0.5, 1.0, 2.0], d)
    ours = NaiveDensity(h, ends=ends).fit(X, sample_weight=w).density(Q)
    assert_allclose(ours, by_the_book(X, w, Q, h, ends), rtol=1e-9, atol=1e-12)


def test_an_empty_window_has_density_0():
    model = NaiveDensity(0.5).fit(SAMPLE)
    assert_array_equal(model.score_samples([[100.0]]), [-np.inf])
    assert_array_equal(NaiveDensity(0.5).fit([[1.0, 2.0]]).density([[1.0, 2.0], [9.0, 9.0]]), [4, 0])


def test_far_rows_have_density_0():
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert_array_equal(NaiveDensity(0.5).fit(X).density([[1e308, -1e308]]), [0])


def test_wrong_widths_are_named():
    for width in ([1.0, 2.0], [0.0], 0.0, [[1.0]]):
        with pytest.raises(ParameterError, match=r"NaiveDensity: width"):
            NaiveDensity(width).fit(SAMPLE)
