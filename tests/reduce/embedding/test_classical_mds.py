"""Classical scaling: worked examples, the road map of Europe, PCA, new rows, and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from assay.errors import DataError, DegenerateWarning
from assay.reduce import PCA, ClassicalMDS, additive_constant, centred_products
from assay.tables.data import load_eurodist

RECTANGLE = np.array([[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, 3], [4, 5, 3, 0.0]])
STAR = np.array([[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0.0]])


def up_to_sign(A, B):
    return A * np.sign((A * B).sum(axis=0))


@pytest.mark.capability("IML-6-31")
def test_the_corners_of_a_rectangle():
    assert_allclose(centred_products(RECTANGLE)[0], [6.25, 1.75, -6.25, -1.75])
    mds = ClassicalMDS(4, metric="precomputed").fit(RECTANGLE)
    assert_allclose(mds.eigenvalues_, [16, 9, 0, 0], atol=1e-12)
    assert_allclose(squareform(pdist(mds.embedding_)), RECTANGLE, atol=1e-12)


@pytest.mark.capability("IML-6-31")
def test_a_right_triangle():
    mds = ClassicalMDS(3, metric="precomputed").fit(np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0.0]]))
    assert_allclose(mds.eigenvalues_, [12.964148, 3.702519, 0], atol=5e-7)


@pytest.mark.capability("IML-6-31")
def test_a_star_that_no_points_have():
    """Eigenvalues 2, 2, 0, -1/4; distances that are 0.366025 longer are those of points."""
    mds = ClassicalMDS(2, metric="precomputed").fit(STAR)
    assert_allclose(mds.spectrum_, [2, 2, 0, -0.25], atol=1e-12)
    with pytest.warns(DegenerateWarning, match="1 of 4 leading eigenvalues are negative"):
        all_axes = ClassicalMDS(4, metric="precomputed").fit(STAR)
    assert np.isfinite(all_axes.embedding_).all() and not all_axes.embedding_[:, 3].any()
    enlarged = ClassicalMDS(2, metric="precomputed", additive_constant=True).fit(STAR)
    assert_allclose(enlarged.additive_constant_, 0.366025, atol=5e-7)
    assert_allclose(enlarged.spectrum_, [2.799038, 2.799038, 0, 0], atol=5e-7)


@pytest.mark.capability("IML-6-31")
@pytest.mark.capability("IML-6-32")
def test_the_roads_of_europe():
    """Eigenvalues, coordinates and fit of the public table of 21 cities, as R's cmdscale gives them."""
    data = load_eurodist()
    cities, roads = data.row_names, data.X.values
    mds = ClassicalMDS(metric="precomputed").fit(roads)
    assert_allclose(mds.spectrum_[:4], [19538377.09, 11856555.33, 1528844.47, 1118741.95], atol=0.006)
    assert (mds.spectrum_ < 0).sum() == 9
    assert_allclose(mds.spectrum_[-1], -2251844.33, atol=0.006)
    assert_allclose(mds.goodness_of_fit_, [0.753754, 0.867913], atol=5e-7)
    Z = mds.embedding_ * np.sign(mds.embedding_[0])
    at = dict(zip(cities, Z.round(4).tolist()))
    places = {
        "Athens": [2290.2747, 1798.8029], "Barcelona": [-825.3828, 546.8115], "Lisbon": [-1935.0408, 49.1251],
        "Madrid": [-1423.3537, 305.8751], "Paris": [-156.8363, -211.1391], "Rome": [709.4133, 1109.3666],
        "Stockholm": [839.4459, -1836.7906], "Vienna": [911.2305, 205.9302], "Munich": [587.6757, 81.1822],
        "Copenhagen": [681.9315, -1108.6448],
    }  # fmt: skip
    assert {city: at[city] for city in places} == places
    assert_allclose(np.corrcoef(pdist(Z), squareform(roads, checks=False))[0, 1], 0.986015, atol=5e-7)
    assert_allclose(additive_constant(roads), 2132.6785, atol=5e-5)


@pytest.mark.capability("C3-71")
def test_breast_cancer_equals_principal_components():
    X = load_breast_cancer().data
    mds = ClassicalMDS(4).fit(X)
    assert_allclose(mds.eigenvalues_, [2.52068520e8, 4.15213684e6, 3.99777565e5, 3.10404831e4], rtol=5e-9)
    assert_allclose(mds.goodness_of_fit_[0], (mds.eigenvalues_ / mds.spectrum_.sum()).sum())
    two = ClassicalMDS(2, metric="precomputed").fit(squareform(pdist(X)))
    assert_allclose(two.eigenvalues_, mds.eigenvalues_[:2], rtol=1e-9)
    assert_allclose(two.goodness_of_fit_[1], 0.99822116, atol=5e-9)
    assert_allclose(
        abs(two.embedding_[:2]), [[1160.1425737, 293.91754364], [1269.12244319, 15.63018184]], rtol=1e-8
    )
    assert_allclose(centred_products(squareform(pdist(X)))[3, 17], -175269.4419875, rtol=1e-9)
    scores = PCA(2).fit_transform(X)
    assert_allclose(up_to_sign(two.embedding_, scores), scores, atol=1e-6)
    apart = pdist(two.embedding_)
    raw = ((apart - pdist(X)) ** 2).sum()
    assert_allclose(raw, 1490434.01, atol=0.006)
    assert_allclose(np.sqrt(raw / (apart**2).sum()), 0.0031973720, atol=5e-11)
    assert_allclose(np.sqrt(raw / (pdist(X) ** 2).sum()), 0.0031945270, atol=5e-11)


def test_iris_eigenvalues_are_those_of_the_covariance():
    X = load_iris().data
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    assert_allclose(ClassicalMDS(4).fit(X).eigenvalues_ / 149, values, rtol=1e-10)


@pytest.mark.capability("IML-6-48")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_training_rows_keep_their_coordinates(metric):
    X = load_digits().data[:120]
    mds = ClassicalMDS(3, metric=metric).fit(X)
    assert_allclose(mds.transform(X), mds.embedding_, atol=1e-9 * abs(mds.embedding_).max())


@pytest.mark.capability("IML-6-48")
def test_a_new_row_of_a_euclidean_table_is_projected():
    X = load_iris().data
    mds, pca = ClassicalMDS().fit(X[:100]), PCA(2).fit(X[:100])
    assert_allclose(
        up_to_sign(mds.transform(X[100:]), pca.transform(X[100:])), pca.transform(X[100:]), atol=1e-9
    )


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_same_coordinates_as_scikit_learn(metric):
    """Peer: ClassicalMDS, scikit-learn 1.9; not compared: eigenvalues below 0, of which it makes NaN."""
    X = load_digits().data[:200]
    peer, ours = manifold.ClassicalMDS(3, metric=metric).fit(X), ClassicalMDS(3, metric=metric).fit(X)
    assert_allclose(ours.eigenvalues_, peer.eigenvalues_, rtol=1e-9)
    assert_allclose(up_to_sign(ours.embedding_, peer.embedding_), peer.embedding_, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_distances_of_any_size(scale):
    mds = ClassicalMDS(2, metric="precomputed").fit(RECTANGLE * scale)
    assert_allclose(squareform(pdist(mds.embedding_ / scale)), RECTANGLE, rtol=1e-9, atol=1e-9)


def test_equal_rows_are_at_the_origin():
    """What taking the means away leaves of them is rounding, no axis."""
    same = np.tile(np.random.default_rng(0).normal(size=(1, 5)), (40, 1))
    mds = ClassicalMDS().fit(same)
    assert not mds.embedding_.any() and not mds.transform(same).any() and not mds.eigenvalues_.any()


def test_distances_must_be_symmetric():
    with pytest.raises(DataError, match="the distance of rows 1 and 2 is 4, that of 2 and 1 is 3"):
        ClassicalMDS(metric="precomputed").fit(RECTANGLE + np.eye(4, k=1))


def test_mixed_tables_with_missing_values():
    import pandas as pd

    table = pd.DataFrame({"size": [1.0, 2.0, None, 8.0, 9.0], "kind": ["a", "a", "b", "b", None]})
    mds = ClassicalMDS(metric="gower").fit(table)
    assert mds.embedding_.shape == (5, 2)
    assert np.isfinite(mds.transform(table)).all()


@pytest.mark.parametrize("far", [1e14, 1e100, 1e200])
def test_a_row_too_far_away_is_refused(far):
    X = load_iris().data
    mds = ClassicalMDS(2).fit(X)
    assert_allclose(mds.transform(1e6 * X[:3]), PCA(2).fit(X).transform(1e6 * X[:3]), rtol=1e-3)
    with pytest.raises(DataError, match=r"ClassicalMDS: row 2 lies .* its place is lost in rounding"):
        mds.transform([X[0], far * X[1]])
