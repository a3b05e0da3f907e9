"""Stress majorisation: the steps by the book, breast cancer, order alone, new rows, and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import manifold
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from assay.errors import DataError, ParameterError
from assay.reduce import MDS, ClassicalMDS, smacof
from assay.reduce.embedding.majorization import majorize, pulled

DIGITS = load_digits().data


def majorize_by_the_book(D, Z):
    """One Guttman transform: Z <- B(Z) Z / n."""
    apart = cdist(Z, Z)
    B = -np.divide(D, apart, out=np.zeros_like(D), where=apart > 0)
    np.fill_diagonal(B, 0.0)
    np.fill_diagonal(B, -B.sum(axis=1))
    return B @ Z / len(Z)


@pytest.mark.parametrize("n", [2, 3, 17, 900])
def test_a_step_is_the_guttman_transform(n):
    random = np.random.RandomState(0)
    D = squareform(pdist(random.normal(size=(n, 5))))
    Z = random.normal(size=(n, 3))
    delta = D[np.triu_indices(n, 1)]
    pull = pulled(delta, np.ascontiguousarray(Z.T))
    assert_allclose(pull.T.T / n, majorize_by_the_book(D, Z), atol=1e-12)
    assert_allclose(pull.stress, ((pdist(Z) - delta) ** 2).sum(), rtol=1e-12)
    assert_allclose(pull.squares, (pdist(Z) ** 2).sum(), rtol=1e-12)


@pytest.mark.parametrize("power", [1.0, 2.0, 1.5])
def test_the_gradient_of_weighted_stress(power):
    random = np.random.RandomState(1)
    delta, Z = pdist(random.normal(size=(9, 4))), random.normal(size=(9, 2))
    delta[3] = 0.0  # of no weight

    def stress(Z):
        w = np.zeros_like(delta)
        np.divide(1.0, delta**power, out=w, where=delta > 0)
        return (w * (pdist(Z) - delta) ** 2).sum()

    pull = pulled(delta, np.ascontiguousarray(Z.T), power, slopes=True)
    assert_allclose(pull.stress, stress(Z), rtol=1e-12)
    slope = 2 * (pull.S - pull.T).T
    for i, j in np.ndindex(Z.shape):
        step = np.zeros_like(Z)
        step[i, j] = 1e-6
        assert_allclose(slope[i, j], (stress(Z + step) - stress(Z - step)) / 2e-6, rtol=1e-6, atol=1e-7)


@pytest.mark.capability("C3-72")
def test_breast_cancer_from_the_classical_start():
    """855040.66 after 1 step, 645010.86 after 10; the end is at 556752.9942."""
    X = load_breast_cancer().data
    start = np.ascontiguousarray(ClassicalMDS().fit_transform(X))
    run = majorize(pdist(X), start, 500, 0.0, None)
    assert_allclose([run.history[0], run.history[9]], [855040.66, 645010.86], atol=0.006)
    assert 556752.99 < run.stress < 556755
    assert (np.diff(run.history) <= 0).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"random_state": 0},
        {"init": "classical_mds"},
        {"random_state": 1, "metric_mds": False},
        {"random_state": 2, "n_init": 3, "normalized_stress": True, "n_components": 3},
        {"random_state": 3, "metric": "cityblock", "max_iter": 20, "eps": 1e-9},
        {"init": "classical_mds", "metric_mds": False, "normalized_stress": False},
    ],
)
def test_same_run_as_scikit_learn(settings):
    """Peer: MDS, scikit-learn 1.9: the same starts, steps and stops."""
    X = DIGITS[:70] + np.random.RandomState(0).normal(0, 0.1, (70, 64))  # no equal distances but for rounding
    ours, peer = MDS(**settings).fit(X), manifold.MDS(**{"init": "random", **settings}).fit(X)
    assert ours.n_iter_ == peer.n_iter_
    assert_allclose(ours.stress_, peer.stress_, rtol=1e-7)
    assert_allclose(ours.embedding_, peer.embedding_, atol=1e-5)


def test_order_alone_is_kept_exactly_where_distances_are_bent():
    X = np.random.RandomState(0).normal(size=(30, 2))
    bent = squareform(np.exp(pdist(X)))
    of_order = MDS(metric="precomputed", metric_mds=False, init="classical_mds", eps=1e-12, max_iter=3000)
    of_distances = MDS(metric="precomputed", init="classical_mds", normalized_stress=True)
    assert of_order.fit(bent).stress_ < 0.02 < of_distances.fit(bent).stress_


@pytest.mark.capability("IML-6-48")
@pytest.mark.parametrize("extension", ["auto", "stress"])
def test_new_rows(extension):
    X = load_iris().data
    mds = MDS(init="classical_mds", extension=extension, eps=1e-12, max_iter=3000).fit(X[::2])
    assert_allclose(mds.transform(X[100:101]), mds.embedding_[50:51], atol=1e-9)
    new = X[1::2]
    error = abs(cdist(mds.transform(new), mds.embedding_) - cdist(new, X[::2])).mean()
    assert error < 0.1
    if extension == "stress":
        weights = MDS(init="classical_mds", eps=1e-12, max_iter=3000).fit(X[::2])
        stress = [
            ((cdist(m.transform(new), m.embedding_) - cdist(new, X[::2])) ** 2).sum() for m in (mds, weights)
        ]
        assert stress[0] < stress[1]


def test_same_result_with_one_and_two_threads(monkeypatch):
    X = np.random.RandomState(0).normal(size=(1100, 4))
    runs = []
    for count in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", count)
        runs.append(MDS(random_state=0, max_iter=3).fit_transform(X))
    assert (runs[0] == runs[1]).all()


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_distances_of_any_size(scale):
    D = squareform(pdist(DIGITS[:20]))
    plain, scaled = (smacof(D * s, random_state=0)[0] for s in (1.0, scale))
    assert_allclose(scaled / scale, smacof(D * 1.0, init=plain, max_iter=1)[0], rtol=0.2, atol=20)
    assert np.isfinite(scaled).all()


def test_what_is_refused():
    with pytest.raises(DataError, match="symmetric"):
        smacof([[0, 1, 2], [1, 0, 1], [3, 1, 0]])
    with pytest.raises(ParameterError, match=r"init matrix should be of shape \(3, 2\)"):
        smacof([[0, 1, 2], [1, 0, 1], [2, 1, 0]], init=np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="order alone"):
        MDS(metric_mds=False, extension="stress").fit(DIGITS[:10])
    with pytest.raises(ParameterError, match="extension must be one of 'auto', 'weights', 'stress'"):
        MDS(extension="nearest").fit(DIGITS[:10])
    with pytest.raises(DataError, match="above 0"):
        MDS(metric_mds=False).fit(np.ones((4, 2)))


def test_points_that_all_coincide():
    mds = MDS(random_state=0).fit(np.ones((5, 2)))
    assert_allclose(mds.embedding_ - mds.embedding_[0], 0, atol=1e-9)
    assert mds.stress_ < 1e-12
