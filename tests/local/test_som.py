"""Self-organising maps: the worked step, the rule by the book, order on the map."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import assay.local._som as _som
from assay.errors import DataError, ParameterError
from assay.local import SelfOrganizingMap
from assay.local.lattice import Lattice
from assay.local.unit_map import map_errors, plane_units

rng = np.random.default_rng(0)


def shown(X, M, lattice, rate, sigma, bubble=False, last=None, visits=10**12):
    M = np.array(M, dtype=float)
    rate_last, sigma_last = last or (rate, sigma)
    rule = _som.MapRule(
        first_rate=rate, last_rate=rate_last, first_sigma=sigma, last_sigma=sigma_last, bubble=bubble
    )
    _som.learn(X=X, weight=np.empty(0), order=np.arange(len(X)), M=M, gap=lattice.gaps(bubble), rule=rule, begin=0,
               visits=visits)  # fmt: skip
    return M


def by_the_book(X, M, lattice, rates, sigmas, bubble, visits):
    M, gaps = M.copy(), lattice.gaps(bubble)
    for t, x in enumerate(X):
        rate, sigma = (a * (b / a) ** (t / visits) for a, b in (rates, sigmas))
        i = ((x - M) ** 2).sum(axis=1).argmin()
        inside = np.where(gaps[i] <= sigma, 1 - gaps[i] / (np.floor(sigma) + 1), 0)
        e = inside if bubble else np.exp(-gaps[i] / 2 / sigma**2)
        M += rate * e[:, None] * (x - M)
    return M


@pytest.mark.capability("IML-12-07")
def test_the_worked_step_on_a_chain():
    """Printed: chain 0..4, x = 10, rate 0.5, sigma 1: 0.001677, 1.049990, 2.541341, 5.122857, 7."""
    after = shown(np.array([[10.0]]), np.arange(5.0)[:, None], Lattice((1, 5), "chain"), 0.5, 1.0)
    assert_allclose(after[:, 0], [0.001677, 1.049990, 2.541341, 5.122857, 7.0], atol=5e-7)
    ring = shown(np.array([[10.0]]), np.arange(5.0)[:, None], Lattice((1, 5), "ring"), 0.5, 1.0)
    assert_allclose(ring[0, 0], 0.5 * np.exp(-0.5) * 10)  # the first is the last one's neighbour


@pytest.mark.capability("IML-12-08")
def test_without_neighbours_it_is_a_step_of_online_k_means():
    X, M, lattice = rng.normal(size=(30, 3)), rng.normal(size=(12, 3)), Lattice((3, 4), "grid")
    after = shown(X, M, lattice, 0.1, 1e-3)
    expected = M.copy()
    for x in X:
        i = ((x - expected) ** 2).sum(axis=1).argmin()
        expected[i] += 0.1 * (x - expected[i])
    assert_allclose(after, expected, rtol=1e-12)
    model = SelfOrganizingMap((3, 4), random_state=0).fit(X)
    units = model.predict(X)
    assert_array_equal(model.transform(X), np.column_stack(np.divmod(units, 4)))


@pytest.mark.parametrize("bubble", [False, True])
@pytest.mark.parametrize("topology", ["grid", "hexagonal", "chain", "ring"])
def test_the_native_rule_is_that_of_the_book(topology, bubble):
    lattice = Lattice((1, 12) if topology in ("chain", "ring") else (3, 4), topology)
    X, M = rng.normal(size=(40, 3)), rng.normal(size=(12, 3))
    native = shown(X, M, lattice, 0.5, 2.0, bubble, (0.05, 0.5), 40)
    assert_allclose(native, by_the_book(X, M, lattice, (0.5, 0.05), (2.0, 0.5), bubble, 40), atol=1e-5)


@pytest.mark.capability("IML-12-09")
def test_quality_counted_by_hand():
    """A grid of 2 x 2 at the corners of a square: a row between opposite corners is a break of the map."""
    model = SelfOrganizingMap((2, 2), random_state=0).fit(rng.normal(size=(20, 2)))
    model.units_ = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [0.9, 0.9]])  # unit 3 lies near unit 0
    rows = np.array([[0.1, 0.0], [0.42, 0.45], [1.0, 0.0]])
    assert_array_equal(model.predict(rows), [0, 0, 1])
    count, apart, breaks = map_errors(rows, None, model.units_, model._lattice.adjacent())
    assert_allclose([count, breaks], [3, 1])  # of the second row, units 0 and 3 share no link
    assert_allclose(apart, 0.1 + np.hypot(0.42, 0.45))
    assert_allclose(model.hits(rows), [[2, 1], [0, 0]])
    apart = [1.0, 1.0, np.hypot(5, 5), np.hypot(4.1, 4.1), np.hypot(0.1, 0.9)]
    pairs = [(0, 2), (0, 4), (2, 3), (3, 4)]  # the two links of each unit
    expected = np.reshape([(apart[i] + apart[j]) / 2 for i, j in pairs], (2, 2))
    assert_allclose(model.distance_map(), expected)


@pytest.mark.parametrize("training", ["online", "batch"])
@pytest.mark.parametrize("start", ["plane", "rows"])
def test_a_map_unfolds_on_a_square(training, start):
    X = rng.uniform(size=(800, 2))
    model = SelfOrganizingMap((6, 6), training=training, start=start, random_state=1).fit(X)
    assert model.topographic_error_ < 0.2 and model.quantization_error_ < 0.12
    errors = [step["quantization_error"] for step in model.history_]
    assert errors[-1] < errors[0]


def test_a_batch_pass_is_a_weighted_mean_and_weights_are_copies():
    X, w = rng.normal(size=(50, 2)), rng.integers(1, 4, 50)
    settings = {"shape": (3, 3), "training": "batch", "max_iter": 5}
    heavy = SelfOrganizingMap(**settings).fit(X, sample_weight=w)
    M = plane_units(
        np.average(X, axis=0, weights=w), np.cov(X.T, fweights=w, bias=True), Lattice((3, 3), "grid")
    )
    for step in range(5):
        sigma = 1.5 * (0.3 / 1.5) ** (step / 4)
        near = np.exp(-Lattice((3, 3), "grid").gaps() / 2 / sigma**2)
        unit = ((X[:, None] - M) ** 2).sum(axis=2).argmin(axis=1)
        e = near[:, unit] * w
        M = e @ X / e.sum(axis=1, keepdims=True)
    assert_allclose(heavy.units_, M, rtol=1e-9)
    copies = SelfOrganizingMap(**settings).fit(np.repeat(X, w, axis=0))
    assert_allclose(heavy.units_, copies.units_, rtol=1e-9)
    assert_allclose(heavy.quantization_error_, copies.quantization_error_, rtol=1e-9)
    assert_allclose(heavy.topographic_error_, copies.topographic_error_)


@pytest.mark.parametrize("start", ["plane", "rows"])
@pytest.mark.parametrize("topology", ["grid", "ring"])
def test_memory_blocks_and_dask_give_the_same_batch_map(topology, start):
    da = pytest.importorskip("dask.array")
    X, w = rng.normal(size=(90, 3)), np.arange(90) % 3 * 1.0  # a third of the rows do not count
    settings = {"shape": 9 if topology == "ring" else (3, 3), "topology": topology, "start": start}
    model = SelfOrganizingMap(**settings, training="batch", max_iter=6, random_state=0)
    whole = clone(model).fit(X, sample_weight=w)
    blocks = clone(model).fit_blocks([(X[a : a + 40], None, w[a : a + 40]) for a in range(0, 90, 40)])
    dask = clone(model).fit(da.from_array(X, chunks=(40, 3)), sample_weight=da.from_array(w, chunks=40))
    for other in (blocks, dask):
        assert_allclose(other.units_, whole.units_, rtol=1e-8, atol=1e-10)
        assert_allclose(other.quantization_error_, whole.quantization_error_)
        assert_allclose(other.topographic_error_, whole.topographic_error_)
        assert_allclose(other.history_[-1]["quantization_error"], whole.history_[-1]["quantization_error"])


def test_online_learning_from_blocks_shows_them_in_turn():
    da = pytest.importorskip("dask.array")
    X = rng.uniform(size=(600, 2))
    blocks = SelfOrganizingMap((5, 5), random_state=0).fit_blocks([(X[a : a + 200],) for a in (0, 200, 400)])
    assert blocks.topographic_error_ < 0.2 and blocks.quantization_error_ < 0.15
    dask = SelfOrganizingMap((5, 5), random_state=0).fit(da.from_array(X, chunks=(200, 2)))
    assert_allclose(dask.units_, blocks.units_, rtol=1e-9)
    with pytest.raises(DataError, match="no row counts"):
        SelfOrganizingMap(random_state=0).fit(X, sample_weight=np.zeros(600))


@pytest.mark.capability("IML-12-39")
@pytest.mark.parametrize("seed", range(12))
def test_a_ring_tours_points_on_a_circle(seed):
    """Whichever points they are, also where two share a unit."""
    turn = np.sort(np.random.default_rng(seed).uniform(0, 2 * np.pi, 20))
    cities = np.column_stack([np.cos(turn), np.sin(turn)])
    model = SelfOrganizingMap(60, topology="ring", max_iter=300, random_state=0).fit(cities)
    tour = model.tour(cities)
    around = np.roll(tour, -tour.tolist().index(0))
    assert around.tolist() in (list(range(20)), [0, *range(19, 0, -1)])


def test_rows_of_one_unit_are_toured_along_the_way():
    """A chain of four units through forty points of a line passes them from one end to the other."""
    x = np.random.default_rng(1).permutation(40)[:, None] / 40.0
    model = SelfOrganizingMap(4, topology="chain", max_iter=30, random_state=0).fit(x)
    steps = np.diff(x[model.tour(x), 0])
    assert_allclose(abs(steps), 1 / 40, rtol=1e-9)
    one = SelfOrganizingMap(1, topology="ring", random_state=0).fit(x)
    assert_array_equal(one.tour(x), np.arange(40))
    with pytest.raises(ParameterError, match="'ring' or 'chain'"):
        SelfOrganizingMap((2, 2), random_state=0).fit(x).tour(x)


def test_odd_maps():
    one = SelfOrganizingMap((1, 1), random_state=0).fit([[1.0, 2.0]])
    assert_allclose(one.units_, [[1.0, 2.0]])
    assert one.topographic_error_ == 0
    same = SelfOrganizingMap((3, 3), random_state=0).fit(np.ones((5, 2)))
    assert_allclose(same.units_, 1.0)
    with pytest.raises(DataError, match="too large to be squared"):
        SelfOrganizingMap(random_state=0).fit([[1e300], [0.0]])
    for settings, message in (
        ({"shape": (0, 3)}, "shape must be"), ({"shape": (2, 3), "topology": "ring"}, "a ring has one number"),
        ({"sigma": -1.0}, "sigma"), ({"topology": "torus"}, "topology"), ({"shape": "wide"}, "shape must be"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            SelfOrganizingMap(**settings).fit([[1.0], [2.0]])
