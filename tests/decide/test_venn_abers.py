"""Venn-Abers, against its own definition: two isotonic fits per row."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.isotonic import IsotonicRegression

from assay.decide import VennAbersCalibrator


def by_the_book(scores, y, w, asked):
    """Add the row with label 0, then 1, fit isotonic regression anew, read off its own value."""
    ends = []
    for label in (0, 1):
        S, Y, W = np.append(scores, asked), np.append(y, label), np.append(w, 1.0)
        ends.append(IsotonicRegression().fit(S, Y, W).predict([asked])[0])
    return ends


@given(seed=st.integers(0, 10**6), n=st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_same_as_two_isotonic_fits(seed, n):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 12, size=n) / 3.0
    y = (rng.random(n) < s / 4).astype(float)
    w = rng.integers(1, 3, size=n).astype(float)
    asked = np.concatenate([[-1.0, 9.0], rng.integers(0, 24, size=6) / 6.0])  # at scores, between, outside
    p0, p1 = VennAbersCalibrator().fit(s, y, w).interval(asked)
    assert_allclose(np.column_stack([p0, p1]), [by_the_book(s, y, w, a) for a in asked], atol=1e-12)
    assert (p0 <= p1 + 1e-15).all()


def test_one_number_lies_between_the_bounds_and_rises_with_the_score():
    rng = np.random.default_rng(4)
    s = rng.normal(size=500)
    y = (rng.random(500) < 1 / (1 + np.exp(-s))).astype(float)
    model = VennAbersCalibrator().fit(s, y)
    asked = np.linspace(-4, 4, 200)
    p0, p1 = model.interval(asked)
    p = model.predict(asked)
    assert ((p0 <= p) & (p <= p1)).all()
    assert (np.diff(p) >= -1e-12).all()
    assert_allclose(p, p1 / (1 - p0 + p1))


def test_the_bounds_close_as_calibration_rows_grow():
    rng = np.random.default_rng(8)
    widths = []
    for n in (50, 500, 5000):
        s = rng.normal(size=n)
        y = (rng.random(n) < 1 / (1 + np.exp(-s))).astype(float)
        p0, p1 = VennAbersCalibrator().fit(s, y).interval(np.linspace(-1, 1, 50))
        widths.append((p1 - p0).mean())
    assert widths[0] > widths[1] > widths[2]
