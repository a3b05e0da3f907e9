import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.densities.kernels import KERNELS
from assay.smoothers import _local_fits
from assay.smoothers.local_smoother import _powers

NEAREST = -1


def window_by_the_book(apart, prior, kind, h, k, own):
    """(n,) the weights of the rows."""
    left = prior.copy()
    if own >= 0:
        left[own] = max(left[own] - 1, 0.0)
    order = np.argsort(apart, kind="stable")
    order = order[left[order] > 0]
    if k:
        sums = np.cumsum(left[order])
        h = apart[order[min(np.searchsorted(sums, k * (1 - 1e-12)), len(order) - 1)]]
    if kind == NEAREST:
        v = np.zeros(len(apart))
        for t in order:
            v[t] = min(left[t], k - v.sum())
            if v.sum() >= k:
                break
        return v
    if h == 0:
        return left * (apart == 0)
    kernel = list(KERNELS.values())[kind]
    logs = kernel._logs(apart / h)
    shift = logs[left > 0].max() if np.isinf(kernel.support) else 0.0
    return left * np.exp(logs - shift)


def fit_by_the_book(X, y, v, at, degree):
    """The weighted polynomial at one place, by least squares; the median for -1."""
    if not v.sum() > 0:
        return np.nan
    if degree == -1:
        order = np.argsort(y, kind="stable")
        sums, half = np.cumsum(v[order]), v.sum() / 2
        low, high = y[order][sums >= half - 1e-12][0], y[order][sums > half + 1e-12][0]
        return (low + high) / 2
    powers = _powers(X.shape[1], degree)
    middle, size = X[v > 0].mean(axis=0), np.ptp(X[v > 0], axis=0) + 1e-9
    F = np.prod(((X - middle) / size)[:, None, :] ** powers, axis=2)
    f = np.prod(((at - middle) / size)[None, :] ** powers, axis=1)
    root = np.sqrt(v)
    return f @ np.linalg.lstsq(root[:, None] * F, root * y, rcond=None)[0]


def on_line(X, y, prior, Q, own, h, k, kind, degree):
    order = np.argsort(X[:, 0], kind="stable")
    place = np.argsort(order)
    out, S = np.empty(len(Q)), np.zeros((len(Q), len(X)))
    own = np.where(own >= 0, place[own], -1)
    counts = prior[order] if (prior != 1).any() else np.zeros(0)
    _local_fits.on_line(
        x=X[order, 0],
        y=y[order],
        count=counts,
        prior=counts,
        order=order,
        queries=Q[:, 0].copy(),
        left_out=own,
        how=_local_fits.Fit(h=h, k=k, kind=kind, degree=degree, powers=_powers(1, degree)),
        estimate=out,
        weights=S,
    )
    return out, S


def in_space(X, y, prior, Q, own, h, k, kind, degree):
    out, S = np.empty(len(Q)), np.zeros((len(Q), len(X)))
    apart = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
    counts = prior if (prior != 1).any() else np.zeros(0)
    _local_fits.in_space(
        x=X,
        y=y,
        count=counts,
        prior=counts,
        queries=Q,
        distances=apart,
        left_out=own,
        how=_local_fits.Fit(h=h, k=k, kind=kind, degree=degree, powers=_powers(X.shape[1], degree)),
        estimate=out,
        weights=S,
    )
    return out, S


def in_lists(X, y, prior, Q, own, h, k, kind, degree):
    """All rows are on each list, from near to far."""
    out, S = np.empty(len(Q)), np.zeros((len(Q), len(X)))
    apart = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
    rows = np.argsort(apart, axis=1, kind="stable")
    start = np.arange(len(Q) + 1) * len(X)
    counts = prior if (prior != 1).any() else np.zeros(0)
    _local_fits.in_lists(
        x=X,
        y=y,
        count=counts,
        prior=counts,
        queries=Q,
        start=start,
        rows=rows.ravel(),
        distances=np.take_along_axis(apart, rows, axis=1).ravel(),
        left_out=own,
        how=_local_fits.Fit(h=h, k=k, kind=kind, degree=degree, powers=_powers(X.shape[1], degree)),
        estimate=out,
        weights=S,
    )
    return out, S


@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 3),
    weighted=st.booleans(),
    left_out=st.booleans(),
    kind=st.integers(-1, len(KERNELS) - 1),
    degree=st.integers(-1, 2),
    neighbours=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_the_kernel_does_what_the_book_says(seed, d, weighted, left_out, kind, degree, neighbours):
    random = np.random.default_rng(seed)
    n, q = 30, 7
    X = random.normal(size=(n, d)).round(3)
    y = random.normal(size=n)
    prior = random.integers(0, 4, n).astype(float) if weighted else np.ones(n)
    own = random.permutation(n)[:q] if left_out else np.full(q, -1)
    Q = X[own] if left_out else random.normal(size=(q, d))
    k, h = (12.0, 1.0) if neighbours or kind == NEAREST else (0.0, 2.5)
    apart = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
    ways = (on_line, in_space, in_lists) if d == 1 else (in_space, in_lists)
    windows = [window_by_the_book(apart[i], prior, kind, h, k, own[i]) for i in range(q)]
    expected = [fit_by_the_book(X, y, v, at, degree) for v, at in zip(windows, Q)]
    for way in ways:
        out, S = way(X, y, prior, Q, own, h, k, kind, degree)
        enough = [
            np.isnan(e) or degree < 2 or np.linalg.matrix_rank(X[v > 1e-6]) >= d
            for v, e in zip(windows, expected)
        ]
        sure = np.array(enough) & np.array([(v > 1e-6).sum() > 12 or degree < 1 for v in windows])
        assert_allclose(out[sure], np.array(expected)[sure], rtol=1e-6, atol=1e-6)
        there = ~np.isnan(out)
        assert_allclose(S[there] @ y, out[there], rtol=1e-9, atol=1e-9)
        assert_allclose(S[there].sum(axis=1), 1, rtol=1e-9)
        assert (S[~there] == 0).all()


@pytest.mark.parametrize("way", [on_line, in_space])
def test_a_window_with_one_distinct_x_has_its_mean(way):
    X, y = np.array([[1.0], [1.0], [1.0], [5.0]]), np.array([1.0, 2.0, 6.0, 50.0])
    for degree in (1, 2):
        out, S = way(X, y, np.ones(4), np.array([[1.5]]), np.array([-1]), 1.0, 0.0, 1, degree)
        assert_allclose(out, [3.0], rtol=1e-14)
        assert_allclose(S, [[1 / 3, 1 / 3, 1 / 3, 0]], rtol=1e-14)


@pytest.mark.parametrize("way", [on_line, in_space, in_lists])
@pytest.mark.parametrize("degree", [1, 2])
def test_equal_x_whose_mean_is_rounded_have_no_slope(way, degree):
    y = np.random.default_rng(0).normal(size=25)
    out, S = way(
        np.full((25, 1), 0.03), y, np.ones(25), np.array([[-7.0]]), np.array([-1]), 100.0, 0.0, 1, degree
    )
    assert_allclose(out, [y.mean()], rtol=1e-12)
    assert_allclose(S, np.full((1, 25), 0.04), rtol=1e-12)


@pytest.mark.parametrize("degree", [1, 2])
def test_two_distinct_x_determine_a_line_and_no_parabola(degree):
    X, y = np.array([[0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 3.0])
    out, _ = on_line(X, y, np.ones(3), np.array([[0.5]]), np.array([-1]), 5.0, 0.0, 1, degree)
    assert_allclose(out, [1.0], rtol=1e-12)


def test_columns_that_say_the_same_are_counted_once():
    random = np.random.default_rng(0)
    x = random.normal(size=(40, 1))
    y, at = random.normal(size=40), np.array([[0.3]])
    twice, _ = in_space(np.c_[x, x], y, np.ones(40), np.c_[at, at], np.array([-1]), 2.0, 0.0, 0, 1)
    once, _ = in_space(x, y, np.ones(40), at, np.array([-1]), 2.0 / np.sqrt(2), 0.0, 0, 1)
    assert_allclose(twice, once, rtol=1e-9)


def test_arrays_that_do_not_fit_are_refused():
    X, y = np.zeros((4, 1)), np.zeros(4)
    with pytest.raises(ValueError, match="rows do not fit"):
        in_space(X, y[:3], np.ones(4), X, np.full(4, -1), 1.0, 0.0, 0, 0)
    out, S, none = np.empty(1), np.zeros((0, 0)), np.zeros(0)
    how = _local_fits.Fit(h=1.0, k=0.0, kind=0, degree=0, powers=np.zeros((1, 1), np.int64))
    rows = {
        "y": y,
        "count": none,
        "prior": none,
        "left_out": np.array([-1]),
        "how": how,
        "estimate": out,
        "weights": S,
    }
    for start, row in (([0, 5], 0), ([0, 1], 9)):
        lists = {"start": np.array(start), "rows": np.array([row]), "distances": np.zeros(1)}
        with pytest.raises(ValueError, match=r"lists do not fit|not there"):
            _local_fits.in_lists(x=X, queries=X[:1], **lists, **rows)
    with pytest.raises(ValueError, match="not there"):
        _local_fits.on_line(x=X[:, 0], queries=np.zeros(1), order=np.array([0, 1, 2, 9]), **rows)
