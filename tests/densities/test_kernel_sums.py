import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.densities._kernel_sums as _kernel_sums
from assay.densities.kernel_sums import GEOMETRIES, SHAPES, KernelSums
from assay.densities.kernels import KERNELS, Kernel, kernel_of
from assay.errors import DataError

NAMES = list(KERNELS)


def by_the_book(X, w, narrow, geometry, Q, kernel, h, cut=np.inf, own=None):
    """The sums as they are written, one pair at a time."""
    out = np.zeros(len(Q))
    for i, q in enumerate(Q):
        for t, x in enumerate(X):
            if own is not None and own[i] == t:
                continue
            gap = np.abs(q - x) * (1.0 if narrow is None else narrow[t]) / h[i]
            if geometry == "product":
                out[i] += w[t] * np.prod(np.where(gap <= cut, kernel.profile(gap), 0.0))
                continue
            u = np.linalg.norm(gap, {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}[geometry])
            out[i] += w[t] * kernel.profile(u) * (u <= cut)
    return out


def some_points(seed, n, d, q=12):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(n, d)),
        rng.uniform(0.5, 2, n),
        rng.uniform(0.5, 2, n),
        1.5 * rng.normal(size=(q, d)),
    )


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_adds_up_what_the_formula_says(name, geometry):
    X, w, narrow, Q = some_points(1, 120, 3, q=6)
    rng = np.random.default_rng(2)
    h, own = rng.uniform(0.5, 2, len(Q)), rng.integers(-1, len(X), len(Q))
    for s, cut in ((None, np.inf), (narrow, np.inf), (narrow, 0.8)):
        ours = KernelSums(X, w, s, geometry).log_sums(Q, KERNELS[name], h, cut=cut, leave_out=own)
        book = by_the_book(X, w, s, geometry, Q, KERNELS[name], h, cut, own)
        assert_allclose(np.exp(ours), book, rtol=1e-9, atol=1e-13)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 900),
    d=st.integers(1, 5),
    name=st.sampled_from(NAMES),
    geometry=st.sampled_from(GEOMETRIES),
    h=st.floats(0.05, 5),
    rtol=st.sampled_from([0.0, 1e-6, 1e-2, 0.3]),
    atol=st.sampled_from([0.0, 1e-3, 5.0]),
)
@settings(max_examples=80, deadline=None)
def test_the_error_keeps_within_the_tolerances(seed, n, d, name, geometry, h, rtol, atol):
    X, w, narrow, Q = some_points(seed, n, d)
    points = KernelSums(X, w, narrow if seed % 2 else None, geometry)
    exact = np.exp(points._in_logarithms(Q, KERNELS[name], np.full(len(Q), h), np.inf, np.full(len(Q), -1)))
    ours = np.exp(points.log_sums(Q, KERNELS[name], h, rtol=rtol, atol=atol))
    assert np.all(np.abs(ours - exact) <= atol + max(rtol, 1e-11) * exact + 1e-12 * w.sum())


def test_tolerances_are_used():
    X, w, _, Q = some_points(0, 5000, 2, q=50)
    points = KernelSums(X, w)
    exact, rough = (np.exp(points.log_sums(Q, kernel_of("gaussian"), 0.5, rtol=r)) for r in (0, 0.1))
    wrong = np.abs(rough / exact - 1)
    assert 1e-6 < wrong.max() <= 0.1


@given(seed=st.integers(0, 10**6), n=st.integers(1, 700), d=st.integers(1, 4), levels=st.integers(0, 4))
@settings(max_examples=40, deadline=None)
def test_every_row_has_one_place_and_lies_in_the_boxes_of_its_nodes(seed, n, d, levels):
    levels = min(levels, int(np.log2(n)))
    X = np.round(np.random.default_rng(seed).normal(size=(n, d)), 1)  # with equal numbers
    nodes = (2 << levels) - 1
    order, lo, hi = np.empty(n, np.int64), np.empty((nodes, d)), np.empty((nodes, d))
    _kernel_sums.grow(X, levels, order, lo, hi)
    assert_array_equal(np.sort(order), np.arange(n))
    weights, packed, mass = np.arange(1.0, n + 1)[order], np.empty(n * d), np.empty(nodes)
    _kernel_sums.pack(X, order, weights, levels, packed, mass)
    todo = [(0, 0, n)]
    while todo:
        node, a, b = todo.pop()
        assert_array_equal(lo[node], X[order[a:b]].min(axis=0))
        assert_array_equal(hi[node], X[order[a:b]].max(axis=0))
        assert_allclose(mass[node], weights[a:b].sum())
        if 2 * node + 2 < nodes:
            mid = a + (b - a) // 2
            todo += [(2 * node + 1, a, mid), (2 * node + 2, mid, b)]
        else:
            assert_array_equal(packed[a * d : b * d].reshape(d, b - a).T, X[order[a:b]])


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("name", ["gaussian", "exponential", "logistic"])
def test_sums_too_small_for_a_number_are_right_in_their_logarithm(name, geometry):
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    far = np.array([[1e3, 0.0], [-3e4, 1.0]])
    ours = KernelSums(X, np.ones(2), None, geometry).log_sums(far, kernel_of(name), 0.1)
    for i, q in enumerate(far):
        gap = np.abs(q - X) / 0.1
        if geometry == "product":
            logs = kernel_of(name).log_profile(gap).sum(axis=1)
        else:
            order = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}[geometry]
            logs = kernel_of(name).log_profile(np.linalg.norm(gap, order, axis=1))
        assert_allclose(ours[i], np.logaddexp(*logs), rtol=1e-12)
        assert ours[i] < -740  # smaller than any number


def test_kernels_that_end_do_so_at_their_width_exactly():
    points = KernelSums(np.array([[0.0], [0.3]]), np.ones(2))
    for h in (0.1, 0.3, 0.7):
        for name in NAMES:
            if np.isinf(KERNELS[name].support):
                continue
            at, before = np.exp(points.log_sums(np.array([[-h], [-np.nextafter(h, 0)]]), KERNELS[name], h))
            assert at == 0 and (name != "box" or before == 1)


def test_a_cut_keeps_what_lies_on_it():
    points = KernelSums(np.array([[0.0]]), np.ones(1))
    sums = np.exp(points.log_sums(np.array([[3.0], [3.0000001]]), kernel_of("gaussian"), 1.0, cut=3.0))
    assert_allclose(sums, [np.exp(-4.5), 0], rtol=1e-12)


def test_the_users_own_kernel_and_widths_whose_squares_are_no_numbers():
    box = KERNELS["box"]
    own = Kernel("own", 1.0, box.log_profile, box.log_radial, 0.5)
    X, w, _, Q = some_points(3, 40, 2)
    points = KernelSums(X, w)
    assert_allclose(np.exp(points.log_sums(Q, own, 0.7)), np.exp(points.log_sums(Q, box, 0.7)))
    on_it = np.exp(points.log_sums(X[:1], box, 1e-200))
    assert_allclose(on_it, w[:1])
    assert_allclose(points.log_sums(Q, kernel_of("gaussian"), 1e200), np.log(w.sum()))


def test_numbers_as_large_as_they_come_give_no_nan():
    points = KernelSums(np.array([[1e300], [-1e300]]), np.ones(2))
    for name in NAMES:
        assert not np.isnan(points.log_sums(np.array([[0.0], [1e300]]), KERNELS[name], 1.0)).any()


def test_the_answer_does_not_depend_on_the_number_of_threads(monkeypatch):
    X, w, _, Q = some_points(4, 3000, 2, q=300)
    result = []
    for number in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", number)
        result.append(KernelSums(X, w).log_sums(Q, kernel_of("gaussian"), 0.3, rtol=1e-3))
    assert_array_equal(*result)


def test_arrays_that_do_not_belong_together_are_refused():
    X, w, _, Q = some_points(5, 300, 2)
    levels, order = 5, np.empty(300, np.int64)
    lo, hi = np.empty((63, 2)), np.empty((63, 2))
    _kernel_sums.grow(X, levels, order, lo, hi)
    weights, packed, mass = w[order].astype(float), np.empty(600), np.empty(63)
    _kernel_sums.pack(X, order, weights, levels, packed, mass)
    tree = {
        "packed": packed, "weights": weights, "narrow": np.empty(0), "lo": lo, "hi": hi, "mass": mass,
        "narrow_box": np.empty((0, 2)), "levels": levels,
    }  # fmt: skip
    good = {
        "Q": Q, "h": np.ones(len(Q)), "left_out": np.full(len(Q), -1), "shape": 0, "geometry": 0, "cut": np.inf,
        "atol": 0.0, "rtol": 0.0, "out": np.empty(len(Q)),
    }  # fmt: skip
    _kernel_sums.sums(tree=_kernel_sums.BoxTree(**tree), **good)
    for name, bad in (("packed", packed[:-1]), ("weights", weights[:-1]), ("narrow", weights[:-1]), ("lo", lo[:-1]),
                      ("mass", mass[:-1]), ("levels", levels + 1), ("levels", -1)):  # fmt: skip
        with pytest.raises(ValueError, match="kernel sums"):
            _kernel_sums.sums(tree=_kernel_sums.BoxTree(**{**tree, name: bad}), **good)
    for name, bad in (("h", good["h"][:-1]), ("left_out", good["left_out"][:-1]), ("shape", 10), ("geometry", 4),
                      ("out", good["out"][:-1])):  # fmt: skip
        with pytest.raises(ValueError, match="kernel sums"):
            _kernel_sums.sums(tree=_kernel_sums.BoxTree(**tree), **{**good, name: bad})
    with pytest.raises(ValueError, match="leaf"):
        _kernel_sums.grow(X[:3], 2, np.empty(3, np.int64), np.empty((7, 2)), np.empty((7, 2)))
    with pytest.raises(ValueError, match="no such row"):
        wild = np.full(300, 10**9)
        _kernel_sums.pack(X, wild, w, 0, np.empty(600), np.empty(1))


def test_points_that_do_not_belong_together_are_refused():
    X, w, _, Q = some_points(5, 30, 2)
    for points in (
        KernelSums(X[:0], w[:0]),
        KernelSums(X, w[:-1]),
        KernelSums(X, w, w[:-1]),
        KernelSums(X[:, :1], w),
    ):
        with pytest.raises(DataError, match="kernel sums"):
            points.log_sums(Q, kernel_of("gaussian"), 1.0)


def test_the_numbers_of_the_kernels():
    assert set(SHAPES) == set(KERNELS)


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("name", ["gaussian", "exponential", "biweight"])
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_sums_do_not_depend_on_the_unit_of_the_points(name, geometry, scale):
    X, w, narrow, Q = some_points(5, 150, 2)
    kernel = kernel_of(name)
    plain = KernelSums(X, w, narrow, geometry).log_sums(Q, kernel, 0.5)
    scaled = KernelSums(scale * X, w, narrow, geometry).log_sums(scale * Q, kernel, 0.5 * scale)
    assert_allclose(scaled, plain, rtol=1e-9)


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("power", [-700, 700])
def test_weights_of_any_size_shift_the_logarithm_alone(geometry, power):
    X, w, _, Q = some_points(6, 150, 2)
    Q[:4] *= 100  # where the sums are too small for a number
    plain = KernelSums(X, w, None, geometry).log_sums(Q, kernel_of("gaussian"), 0.5)
    heavy = KernelSums(X, np.ldexp(w, power), None, geometry).log_sums(Q, kernel_of("gaussian"), 0.5)
    assert plain.min() < -1000
    assert_allclose(heavy, plain + power * np.log(2), rtol=1e-12)
