"""Distances that count the classes: the ends of the scale, cross-validation, and embeddings inside."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from assay.errors import DataError, ParameterError
from assay.reduce import (
    PCA,
    ClassicalMDS,
    ClassInformedEmbedding,
    Isomap,
    LocallyLinearEmbedding,
    class_informed_distances,
)

X, Y = load_iris(return_X_y=True)


@pytest.mark.capability("IML-6-35")
def test_no_share_is_the_embedding_itself():
    informed = ClassInformedEmbedding(alpha=0.0).fit(X, Y)
    plain = ClassicalMDS(metric="precomputed").fit(squareform(pdist(X)))
    assert_allclose(informed.embedding_, plain.embedding_, atol=1e-9)


def test_too_few_rows_for_the_folds_are_named():
    for n in (1, 4):
        with pytest.raises(DataError, match=f"needs at least 5 rows, got {n}"):
            ClassInformedEmbedding().fit(X[:n], Y[:n])
        assert ClassInformedEmbedding(alpha=0.5).fit(X[:n], Y[:n]).transform(X[:2]).shape[0] == 2
    assert ClassInformedEmbedding(cv=2, random_state=0).fit(X[49:53], Y[49:53]).embedding_.shape == (4, 2)
    lopsided = squareform(pdist(X[:9])) + np.eye(9, k=1)
    with pytest.raises(DataError, match="ClassInformedEmbedding: Array must be symmetric"):
        ClassInformedEmbedding(metric="precomputed").fit(lopsided, Y[:9])


@pytest.mark.capability("IML-6-35")
def test_the_whole_share_makes_every_class_one_point():
    informed = ClassInformedEmbedding(alpha=1.0).fit(X, Y)
    for label in range(3):
        assert_allclose(informed.embedding_[label == Y].std(axis=0), 0, atol=1e-9)
    apart = pdist(informed.embedding_[::50])
    assert_allclose(apart, pdist(X).mean(), rtol=1e-9)


@pytest.mark.capability("IML-6-35")
@pytest.mark.parametrize("inner", [Isomap(n_neighbors=60), LocallyLinearEmbedding(n_neighbors=60)])
def test_classes_move_apart(inner):
    """The spread between classes as a share of all grows with alpha."""
    shares = []
    for alpha in (0.0, 0.2):
        Z = ClassInformedEmbedding(inner, alpha=alpha).fit(X, Y).embedding_
        within = sum(((Z[label == Y] - Z[label == Y].mean(axis=0)) ** 2).sum() for label in range(3))
        shares.append(1 - within / ((Z - Z.mean(axis=0)) ** 2).sum())
    assert shares[1] > shares[0]


@pytest.mark.capability("IML-6-35")
def test_the_share_is_chosen_by_cross_validation():
    """A column of noise ten times as wide hides the classes: knowing them helps held-out rows."""
    random = np.random.RandomState(0)
    noisy = np.c_[X[50:, 2:], random.normal(0, 1.0, (100, 2))]
    model = ClassInformedEmbedding(random_state=0).fit(noisy, Y[50:])
    assert model.alpha_ == max(model.cv_scores_, key=lambda a: (model.cv_scores_[a], -a))
    assert model.cv_scores_[model.alpha_] >= model.cv_scores_[0.0]
    again = ClassInformedEmbedding(random_state=0).fit(noisy, Y[50:])
    assert again.cv_scores_ == model.cv_scores_
    assert_allclose(model.transform(noisy), model.embedding_, atol=1e-9)


def test_distances_of_classes_can_be_given():
    D, C = squareform(pdist(X[::25])), np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0.0]])
    informed = class_informed_distances(D, Y[::25], 0.25, C)
    assert_allclose(informed, 0.75 * D + 0.25 * C[np.ix_(Y[::25], Y[::25])])


def test_what_is_refused():
    with pytest.raises(DataError, match="requires y to be passed"):
        ClassInformedEmbedding().fit(X)
    with pytest.raises(ParameterError, match=r"symmetric \(3, 3\) matrix"):
        ClassInformedEmbedding(class_distances=np.ones((2, 2)), alpha=0.5).fit(X, Y)
    with pytest.raises(ParameterError, match="takes metric='precomputed'"):
        ClassInformedEmbedding(PCA(), alpha=0.5).fit(X, Y)
