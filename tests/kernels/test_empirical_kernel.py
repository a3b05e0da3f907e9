"""Similarities as kernels by comparison with templates."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import assay
from assay.distances import metric_of
from assay.errors import DataError, ParameterError
from assay.kernels import (
    EditSimilarity,
    EmpiricalKernel,
    Linear,
    Nystroem,
    Sigmoid,
    Spectrum,
    choose_templates,
)
from assay.kernels.templates import distances_between
from assay.neighbors import SimilarityFeatures

X, y = load_iris(return_X_y=True)
WORDS = ["cat", "hat", "cart", "dog", "fog", "frog", "statistics", "static", "", "a"]


@pytest.mark.capability("IML-13-22")
@pytest.mark.parametrize("templates", ["random", "centers", "covering", "by class"])
@pytest.mark.parametrize(
    ("similarity", "rows", "classes"),
    [
        (EditSimilarity(), WORDS, [len(w) > 3 for w in WORDS]),
        (Sigmoid(gamma=2.0, coef0=1.0), X / 10, y),
        (metric_of("manhattan"), X, y),
        (lambda a, b: float(len(a) - 2 * len(b)), WORDS, [len(w) > 3 for w in WORDS]),
    ],
    ids=["edit", "sigmoid", "distance", "function"],
)
def test_any_similarity_is_made_a_kernel(similarity, rows, classes, templates):
    """Oracle: IML 13.7, the kernel matrix is always positive semidefinite."""
    for m in (None, 4):
        kernel = EmpiricalKernel(similarity, templates=templates, n_templates=m).learn(
            rows, np.array(classes)
        )
        K = kernel(rows)
        assert (K == K.T).all() and np.linalg.eigvalsh(K)[0] > -1e-10 * K.max()
        assert len(kernel.templates_) == (m or len(rows))
        phi = kernel.feature_map(rows)
        assert_allclose(phi @ phi.T, K, rtol=1e-9, atol=1e-12)


def test_the_similarities_themselves_are_not_positive_semidefinite():
    """Else the test above would show nothing."""
    words = ["".join(letters) for n in range(1, 6) for letters in itertools.product("ab", repeat=n)]
    for kernel, rows in ((EditSimilarity(), words), (Sigmoid(gamma=2.0, coef0=1.0), X / 10)):
        assert not kernel.psd and np.linalg.eigvalsh(kernel(rows))[0] < -1e-4


def radius(chosen):
    return distances_between(metric_of("euclidean"), X, X[chosen]).min(axis=1).max()


def test_a_covering_leaves_no_row_far_away():
    metric, random = metric_of("euclidean"), np.random.RandomState(0)
    covering = radius(choose_templates(metric, X, 8, "covering"))
    assert all(covering < radius(choose_templates(metric, X, 8, "random", random=random)) for _ in range(20))


def test_central_rows_are_near_their_groups():
    metric, random = metric_of("euclidean"), np.random.RandomState(0)

    def mean_distance(chosen):
        return distances_between(metric, X, X[chosen]).min(axis=1).mean()

    centers = mean_distance(choose_templates(metric, X, 6, "centers"))
    assert all(
        centers < mean_distance(choose_templates(metric, X, 6, "random", random=random)) for _ in range(20)
    )


def test_every_class_has_its_share_of_templates():
    few = np.r_[0:50, 50:55, 100:101]  # 50, 5 and 1 rows of the classes
    chosen = choose_templates(metric_of("euclidean"), X[few], 12, "by class", y[few])
    assert np.bincount(y[few][chosen]).tolist() == [10, 1, 1] and (np.diff(chosen) > 0).all()
    with pytest.raises(DataError, match="by class"):
        choose_templates(Linear(), X, 3, "by class")


def test_similarity_features_take_kernels_of_objects(tmp_path):
    model = SimilarityFeatures(EditSimilarity(), n_landmarks=4, landmarks="covering").fit(WORDS)
    Z = model.transform(WORDS)
    assert_allclose(Z, EditSimilarity()(WORDS, [WORDS[i] for i in model.landmarks_]))
    assert len(model.get_feature_names_out()) == 4
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(WORDS), Z, rtol=0)
    numbers = SimilarityFeatures(Linear(), n_landmarks=3, landmarks="by class", random_state=0).fit(X, y)
    assert sorted(y[numbers.landmarks_]) == [0, 1, 2] and numbers.transform(X).shape == (150, 3)


def test_an_empirical_kernel_is_saved_with_its_templates(tmp_path):
    kernel = EmpiricalKernel(Spectrum(2).normalized(), n_templates=3)
    model = Nystroem(kernel, n_components=3, random_state=0).fit(WORDS)
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(WORDS), model.transform(WORDS), rtol=0)


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match="learn"):
        EmpiricalKernel("rbf")(X)
    with pytest.raises(ParameterError, match="templates must be one of"):
        EmpiricalKernel("rbf", templates="some")
