"""Metrics by name: the peer's numbers, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.metrics import DistanceMetric
from sklearn.metrics.pairwise import haversine_distances, nan_euclidean_distances

from assay.distances import Metric, metric_of
from assay.distances.metric import METRICS
from assay.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(30, 6)), RNG.normal(size=(40, 6))
SCIPY = {
    "euclidean": {}, "l2": "euclidean", "manhattan": "cityblock", "cityblock": {}, "l1": "cityblock",
    "chebyshev": {}, "infinity": "chebyshev", "sqeuclidean": {}, "cosine": {}, "correlation": {},
    "braycurtis": {}, "canberra": {},
}  # fmt: skip


@pytest.mark.parametrize("name", SCIPY)
def test_same_numbers_as_scipy(name):
    theirs = SCIPY[name] or name
    assert_allclose(metric_of(name).between(A, B), cdist(A, B, theirs), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "name", ["hamming", "matching", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]
)
def test_same_numbers_as_scipy_for_yes_and_no(name):
    rows = RNG.random((50, 7)) < 0.4
    rows[0] = rows[1] = False  # two rows without any yes
    expected = cdist(rows, rows, "hamming" if name == "matching" else name)
    assert_allclose(metric_of(name).between(rows, rows), np.nan_to_num(expected), rtol=1e-12)


def test_same_numbers_as_scikit_learn_on_the_earth_and_with_gaps():
    places = RNG.uniform(-1.5, 1.5, (20, 2))
    assert_allclose(metric_of("haversine").between(places, places), haversine_distances(places), atol=1e-12)
    gaps = np.where(RNG.random(A.shape) < 0.3, np.nan, A)
    gaps[3], gaps[4] = [1.0, *[np.nan] * 5], [np.nan, *[1.0] * 5]
    result, expected = metric_of("nan_euclidean").between(gaps, gaps), nan_euclidean_distances(gaps)
    # the peer computes a^2 + b^2 - 2ab, which loses digits of small distances
    assert_allclose(result[np.isfinite(expected)], expected[np.isfinite(expected)], rtol=1e-9)
    assert result[3, 4] == np.inf  # no column in common: scikit-learn says NaN


@pytest.mark.parametrize(
    "name", [name for name in METRICS if name not in ("precomputed", "discriminant", "vdm")]
)
def test_pairs_are_the_diagonal(name):
    X = np.abs(A[:, :2]) if name == "haversine" else A
    metric = metric_of(name).learn(X)
    assert_allclose(
        metric.paired(X[:5], X[5:10]), np.diag(metric.between(X[:5], X[5:10])), rtol=1e-12, atol=1e-15
    )
    assert (metric.between(X, X) >= 0).all()


@pytest.mark.parametrize(
    "name", [n for n in METRICS if n not in ("precomputed", "discriminant", "vdm", "haversine")]
)
def test_threads_and_blocks_do_not_change_distances(name, monkeypatch):
    metric = metric_of(name).learn(A)
    whole = metric.between(A, B)
    monkeypatch.setattr("assay.distances.metric.BLOCK", 100)
    assert_allclose(metric.between(A, B), whole, rtol=1e-13, atol=1e-13)


def test_a_metric_is_itself_and_a_function_is_called_with_its_arguments():
    metric = metric_of("cosine")
    assert metric_of(metric) is metric
    scaled = metric_of(lambda a, b, c: c * abs(a - b).sum(), metric_params={"c": 2.0})
    assert_allclose(scaled.between(A, B), 2 * cdist(A, B, "cityblock"), rtol=1e-12)
    assert isinstance(scaled, Metric)
    with pytest.raises(DataError, match="gave NaN"):
        metric_of(lambda a, b: np.nan).between(A, B)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_object_of_scikit_learn_that_knows_all_pairs(dtype):
    metric = metric_of(DistanceMetric.get_metric("canberra", dtype=dtype))
    assert_allclose(
        metric.between(A, B), cdist(A, B, "canberra"), rtol=1e-4 if dtype == np.float32 else 1e-12
    )
    assert metric.paired(A[:3], B[:3]).shape == (3,)


def test_wrong_names_and_arguments_are_refused():
    with pytest.raises(ParameterError, match=r"metric must be one of 'minkowski'.*got 'euclid'"):
        metric_of("euclid")
    with pytest.raises(ParameterError, match="'cosine' has no parameter 'w'; it has none"):
        metric_of("cosine", metric_params={"w": [1.0]})
    with pytest.raises(ParameterError, match="'euclidean' has no parameter 'p'; it has w"):
        metric_of("euclidean", metric_params={"p": 3})
    with pytest.raises(ParameterError, match="p must be a number above 0"):
        metric_of("minkowski", p=0)
    with pytest.raises(DataError, match="haversine: rows are latitude and longitude"):
        metric_of("haversine").between(A, B)
    with pytest.raises(DataError, match="have 6 columns, those of B 2"):
        metric_of("euclidean").between(A, B[:, :2])
    with pytest.raises(DataError, match="tables of one shape"):
        metric_of("euclidean").paired(A, B)


def test_the_exponent_may_stand_among_the_arguments():
    """As in scikit-learn, metric_params={'p': 3} says it as well as p=3."""
    assert_allclose(
        metric_of("minkowski", metric_params={"p": 3}).between(A, B),
        cdist(A, B, "minkowski", p=3),
        rtol=1e-12,
    )


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e200, 1e308])
def test_directions_of_very_long_and_very_short_rows(scale):
    far = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.5, 0.0, 0.0]]) * scale
    near = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    expected = [[0, 1, 2], [1, 1, 1]]
    assert_allclose(metric_of("cosine").between(near, far), expected, atol=1e-15)
    assert_allclose(metric_of("cosine").between(csr_matrix(near), csr_matrix(far)), expected, atol=1e-15)
    assert_allclose(metric_of("correlation").between(near, far), [[0, 1.5, 2], [1, 1, 1]], atol=1e-10)


def test_a_row_of_zeros_has_no_direction():
    assert_allclose(metric_of("cosine").between([[0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]), [[1, 1]])


@pytest.mark.parametrize("name", [name for name in METRICS if "sparse" not in metric_of(name).takes])
def test_sparse_rows_are_refused_by_a_distance_of_dense_ones(name):
    X = np.random.default_rng(0).uniform(size=(6, 2))
    known = metric_of(name).learn(X, np.arange(6) % 2)
    for answer in (known.between, known.paired):
        with pytest.raises(DataError, match=r"sparse rows were passed.*Use X.toarray\(\)"):
            answer(csr_matrix(X), csr_matrix(X))
    if known != metric_of(name):  # it learns from the rows
        with pytest.raises(DataError, match=r"sparse rows were passed.*Use X.toarray\(\)"):
            metric_of(name).learn(csr_matrix(X), np.arange(6) % 2)
