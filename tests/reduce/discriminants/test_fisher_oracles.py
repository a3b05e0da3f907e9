"""Fisher's direction, scatter matrices and discriminant coordinates: the numbers of the books."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.pipeline import make_pipeline

from assay.bayes import FisherDiscriminant, LinearDiscriminantAnalysis
from assay.kernels import RBF, Linear
from assay.reduce import PCA, KernelPCA
from assay.stats import class_scatter, discriminant_directions, fisher_criterion, fisher_direction
from assay.svm import KernelFisherDiscriminant
from assay.tables.data import load_iris

X, Y = np.asarray(load_iris().X), load_iris().y
FIRST = np.array([[1, 2], [2, 3], [3, 3], [4, 5], [5, 5]], float)
SECOND = np.array([[1, 0], [2, 1], [3, 1], [3, 2], [5, 3], [6, 5]], float)
POINTS, CLASSES = np.vstack([FIRST, SECOND]), np.repeat([1, 2], [5, 6])


@pytest.mark.capability("IML-6-36")
def test_direction_criterion_and_threshold_of_eleven_points():
    s = class_scatter(POINTS, CLASSES)
    assert_allclose(s.means, [[3, 3.6], [10 / 3, 2]])
    assert_allclose(s.within, np.add([[10, 8], [8, 7.2]], [[52 / 3, 16], [16, 16]]))
    w = fisher_direction(*s.means, s.within)
    assert_allclose(w, [-0.793578, 0.889908], atol=5e-7)
    assert_allclose(w / np.linalg.norm(w), [-0.665557, 0.746347], atol=5e-7)
    assert_allclose(fisher_criterion(w, s.within, s.difference), 1.688379, atol=5e-7)
    assert_allclose(FIRST @ w, [0.986239, 1.082569, 0.288991, 1.275229, 0.481651], atol=5e-7)
    assert_allclose(SECOND @ w, [-0.793578, -0.697248, -1.490826, -0.600917, -1.298165, -0.311927], atol=5e-7)
    scaled = fisher_direction(*s.means, s.within / 9)
    assert_allclose(scaled, [-7.142202, 8.009174], atol=5e-7)
    assert_allclose(-0.5 * s.means.sum(axis=0) @ scaled + np.log(5 / 6), 0.008963, atol=5e-7)
    model = FisherDiscriminant(threshold="gaussian").fit(POINTS, -CLASSES)  # points from class 2 to class 1
    assert_allclose(model.direction_, [-0.665557, 0.746347], atol=5e-7)
    assert_allclose(model.criterion_, 1.688379, atol=5e-7)
    assert model.score(POINTS, -CLASSES) == 1


@pytest.mark.capability("IML-6-40")
def test_the_first_principal_component_separates_less():
    s = class_scatter(POINTS, CLASSES)
    first = PCA(n_components=1).fit(POINTS).components_[0]
    assert_allclose(first, [0.686891, 0.726761], atol=5e-7)
    assert_allclose(fisher_criterion(first, s.within, s.difference), 0.017757, atol=5e-7)


@pytest.mark.capability("IML-6-38")
def test_scatter_matrices_of_the_flowers():
    s = class_scatter(X, Y)
    upper = np.triu_indices(4)
    assert_allclose(
        s.within[upper],
        [38.9562, 13.63, 24.6246, 5.645, 16.962, 8.1208, 4.8084, 27.2226, 6.2718, 6.1566],
        atol=5e-5,
    )
    between = [63.212133, -19.952667, 165.2484, 71.279333, 11.344933, -57.2396, -22.932667, 437.1028, 186.774]
    assert_allclose(s.between[upper], [*between, 80.413333], atol=5e-7)
    assert_allclose(s.total, s.within + s.between, rtol=1e-12)
    W = discriminant_directions(s.within, s.between).directions
    assert_allclose(fisher_criterion(W, s.within, s.between), 32.191929 + 0.285391, atol=1e-5)
    product = fisher_criterion(W, s.within, s.between, kind="determinant")
    assert_allclose(product, 32.191929 * 0.285391, rtol=1e-5)
    assert_allclose(
        fisher_criterion(W @ [[2, 1], [0, 3]], s.within, s.between, "determinant"), product, rtol=1e-9
    )


@pytest.mark.capability("IML-6-37")
def test_discriminant_directions_with_either_grand_mean():
    d = discriminant_directions(class_scatter(X, Y).within, class_scatter(X, Y).between)
    assert_allclose(d.eigenvalues, [32.1919292, 0.2853910], atol=5e-8)
    unit = d.directions / np.linalg.norm(d.directions, axis=0)
    assert_allclose(np.abs(unit[:, 0]), [0.208742, 0.386204, 0.554012, 0.707350], atol=5e-7)
    assert_allclose(np.abs(unit[:, 1]), [0.006532, 0.586611, 0.252562, 0.769453], atol=5e-7)
    same = class_scatter(X, Y, grand_mean="unweighted")  # classes of one size
    assert_allclose(same.between, class_scatter(X, Y).between, atol=1e-9)
    some = slice(20, None)
    weighted, unweighted = (class_scatter(X[some], Y[some], grand_mean=g) for g in ("weighted", "unweighted"))
    assert_allclose(unweighted.mean, unweighted.means.mean(axis=0))
    gap = unweighted.means - unweighted.mean
    assert_allclose(unweighted.between, gap.T @ (gap * unweighted.counts[:, None]), rtol=1e-10)
    assert_allclose(weighted.total, weighted.within + weighted.between, rtol=1e-12)
    assert np.abs(unweighted.between - weighted.between).max() > 0.1


@pytest.mark.capability("C3-69")
def test_the_transform_of_three_classes():
    lda = LinearDiscriminantAnalysis().fit(X, Y)
    assert_allclose(lda.explained_variance_ratio_, [0.9912126, 0.0087874], atol=5e-8)
    assert lda.transform(X).shape == (150, 2) and lda.score(X, Y) == 0.98
    with pytest.raises(ValueError, match=r"min\(n_features, n_classes - 1\) = 2, got 3"):
        LinearDiscriminantAnalysis(n_components=3).fit(X, Y)
    source = class_scatter(X, Y, within="prior-weighted-scatter")
    values = discriminant_directions(source.within, source.between / 150).eigenvalues
    assert_allclose(values, [0.643838584, 0.00570782085], rtol=1e-8)
    wine, kinds = load_wine(return_X_y=True)
    s = class_scatter(wine, kinds)
    assert_allclose(
        discriminant_directions(s.within, s.between).eigenvalues, [9.08173944, 4.12846905], rtol=1e-8
    )
    doubled = class_scatter(wine, kinds, within="prior-weighted-scatter")
    assert_allclose(discriminant_directions(doubled.within, doubled.between).shares[0], 0.68427289, atol=5e-9)


@pytest.mark.capability("C3-70")
def test_coordinates_of_two_classes_along_the_discriminant():
    A, y = load_breast_cancer(return_X_y=True)
    lda = LinearDiscriminantAnalysis(n_components=1).fit(A, y)
    z = lda.transform(A)[:, 0]
    z = z if z[y == 1].mean() > 0 else -z
    expected = {0: (-5.890003, 0.967445, -2.403730, 1.255871), 1: (-1.137127, 3.936314, 1.427425, 0.814559)}
    for code, numbers in expected.items():
        part = z[y == code]
        assert_allclose([part.min(), part.max(), part.mean(), part.std(ddof=1)], numbers, atol=5e-6)
    assert_allclose(lda.score(A, y), 0.9648506, atol=5e-8)


@pytest.mark.capability("IML-6-39")
def test_components_first_where_the_scatter_within_is_singular():
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(60, 200)), np.repeat([0, 1, 2], 20)
    A[:, :2] += np.array([[0, 0], [6, 0], [0, 6]])[y]
    with pytest.raises(np.linalg.LinAlgError, match=r"singular|full rank"):
        LinearDiscriminantAnalysis(solver="eigen").fit(A, y)
    new = rng.normal(size=(300, 200))
    new[:, :2] += np.array([[0, 0], [6, 0], [0, 6]])[np.repeat([0, 1, 2], 100)]
    model = make_pipeline(PCA(n_components=5), LinearDiscriminantAnalysis()).fit(A, y)
    assert model.score(new, np.repeat([0, 1, 2], 100)) > 0.9
    assert model.transform(new).shape == (300, 2)


@pytest.mark.capability("IML-13-45")
def test_the_linear_kernel_gives_fishers_direction():
    kernel = KernelFisherDiscriminant(kernel="linear", ridge=1e-10).fit(POINTS, CLASSES)
    direction = kernel.dual_coef_[:, 0] @ POINTS
    expected = FisherDiscriminant().fit(POINTS, CLASSES).direction_
    assert_allclose(np.abs(direction @ expected) / np.linalg.norm(direction), 1, rtol=1e-8)


@pytest.mark.capability("IML-13-48")
def test_two_views_by_the_sum_of_their_kernels():
    one = KernelPCA(n_components=2, kernel=RBF(1.0)).fit(X[:, :2])
    equal = np.hstack([X[:, :2], X[:, :2]])
    both = KernelPCA(n_components=2, kernel=RBF(1.0).on([0, 1]) + RBF(1.0).on([2, 3])).fit(equal)
    assert_allclose(both.eigenvalues_, 2 * one.eigenvalues_, rtol=1e-9)
    assert_allclose(both.transform(equal), np.sqrt(2) * one.transform(X[:, :2]), atol=1e-7)
    assert_allclose(both.explained_variance_ratio_, one.explained_variance_ratio_, rtol=1e-9)
    joint = KernelPCA(n_components=2, kernel=Linear().on([0, 1]) + Linear().on([2, 3])).fit(X)
    plain = PCA(n_components=2).fit(X)  # dot products of parts of the columns add up to those of all
    assert_allclose(np.abs(joint.transform(X)), np.abs(plain.transform(X)), atol=1e-7)
