"""Common principal components: axes, test, classifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ortho_group

from assay.bayes import QuadraticDiscriminantAnalysis
from assay.errors import DegenerateError
from assay.reduce import CommonPrincipalComponents, common_axes
from assay.tables.data import load_iris

X, Y = np.asarray(load_iris().X), load_iris().y

AXES = np.array(
    [
        [0.736653, 0.246786, 0.604748, 0.175268],
        [0.163968, 0.834608, -0.522106, -0.062842],
        [0.647073, -0.465519, -0.500236, -0.338160],
        [0.108410, -0.160680, -0.333840, 0.922486],
    ]
)
VARIANCES = np.array(
    [
        [0.146443, 0.125066, 0.027526, 0.010169],
        [0.484603, 0.055394, 0.074689, 0.010139],
        [0.692235, 0.075367, 0.067125, 0.053641],
    ]
)


@pytest.mark.capability("IML-6-18")
def test_axes_variances_and_statistic_of_the_flowers():
    model = CommonPrincipalComponents().fit(X, Y)
    assert_allclose(model.statistic_, 63.9099, atol=5e-5)
    assert model.test().df == 12 and model.test().rejected
    match = np.abs(model.components_ @ AXES.T).argmax(axis=0)
    assert sorted(match) == [0, 1, 2, 3]
    assert_allclose(np.abs(np.sum(model.components_[match] * AXES, axis=1)), 1, atol=1e-6)
    assert_allclose(np.abs(model.components_[match]), np.abs(AXES), atol=2e-6)
    assert_allclose(model.variances_[:, match], VARIANCES, atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_axes_that_are_common_are_found_and_not_rejected(seed):
    rng = np.random.default_rng(seed)
    C = ortho_group.rvs(5, random_state=seed)
    variances = rng.uniform(0.5, 9.0, (3, 5))
    result = common_axes(np.einsum("ij,kj,lj->kil", C, variances, C), [20, 30, 40])
    assert_allclose(result.statistic, 0, atol=1e-8)
    assert_allclose(np.abs(C.T @ result.axes).max(axis=0), 1, atol=1e-8)
    rows = np.vstack([rng.normal(size=(200, 5)) * np.sqrt(v) @ C.T for v in variances])
    model = CommonPrincipalComponents().fit(rows, np.repeat([0, 1, 2], 200))
    assert model.test(alpha=0.001).p > 0.001


def test_the_objective_never_grows_and_no_turn_improves_it():
    rng = np.random.default_rng(0)
    S = [np.cov(rng.normal(size=(30, 4)).T) for _ in range(3)]
    n = [29.0, 29.0, 29.0]
    result = common_axes(S, n)
    assert (np.diff(result.objective) <= 1e-12).all()

    def spread(C):
        return sum(m * (np.log(np.diag(C.T @ s @ C)).sum() - np.linalg.slogdet(s)[1]) for m, s in zip(n, S))

    assert_allclose(spread(result.axes), result.statistic, rtol=1e-10)
    for j in range(3):
        for angle in (-1e-3, 1e-3):
            turn = np.eye(4)
            turn[[j, j, j + 1, j + 1], [j, j + 1, j, j + 1]] = (
                np.cos(angle),
                -np.sin(angle),
                np.sin(angle),
                np.cos(angle),
            )
            assert spread(result.axes @ turn) > result.statistic


def test_one_class_has_its_own_axes_and_posteriors_are_gaussian():
    single = common_axes([np.cov(X.T)], [149])
    assert_allclose(single.statistic, 0, atol=1e-9)
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    assert_allclose(single.variances[0], values, rtol=1e-9)
    model = CommonPrincipalComponents().fit(X, Y)
    C = model.components_
    joint = np.column_stack(
        [
            -0.5 * np.sum(((X - m) @ C.T) ** 2 / v, axis=1) - 0.5 * np.log(v).sum()
            for m, v in zip(model.means_, model.variances_)
        ]
    )
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    assert_allclose(model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=1e-9)
    assert_allclose(model.transform(X), (X - X.mean(axis=0)) @ C.T, atol=1e-12)
    two = CommonPrincipalComponents(n_components=2).fit(X, Y)
    assert two.transform(X).shape == (150, 2)


def test_blocks_weights_and_units():
    whole = CommonPrincipalComponents().fit(X, Y)
    blocks = CommonPrincipalComponents().fit_blocks([(X[:70], Y[:70]), (X[70:], Y[70:])])
    assert_allclose(blocks.statistic_, whole.statistic_, rtol=1e-9)
    counts = np.random.default_rng(0).integers(1, 3, 150)
    weighted = CommonPrincipalComponents().fit(X, Y, sample_weight=counts)
    repeated = CommonPrincipalComponents().fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    assert_allclose(weighted.statistic_, repeated.statistic_, rtol=1e-9)
    for size in (1e-150, 1e150):
        scaled = CommonPrincipalComponents().fit(X * size, Y)
        assert_allclose(scaled.statistic_, whole.statistic_, rtol=1e-8)


def test_between_the_linear_and_the_quadratic_discriminant():
    rng = np.random.default_rng(1)
    C = ortho_group.rvs(6, random_state=1)
    variances = rng.uniform(0.2, 5.0, (2, 6))
    draw = lambda n: (  # noqa: E731
        np.vstack([rng.normal(size=(n, 6)) * np.sqrt(v) @ C.T for v in variances]),
        np.repeat([0, 1], n),
    )
    train, test = draw(15), draw(2000)
    assert CommonPrincipalComponents().fit(*train).score(*test) > QuadraticDiscriminantAnalysis().fit(
        *train
    ).score(*test)


def test_a_singular_class_is_an_error_that_says_what_to_do():
    with pytest.raises(DegenerateError, match="PCA first"):
        CommonPrincipalComponents().fit(np.column_stack([X, X[:, 0]]), Y)
    with pytest.raises(DegenerateError, match="singular"):
        common_axes([np.diag([1.0, 0.0]), np.eye(2)], [5, 5])


def test_variances_that_no_turn_can_mix_are_refused():
    far = np.array([np.diag([1e300, 1.0, 1e-300]), np.diag([2e300, 1.0, 1e-300])])
    with pytest.raises(DegenerateError, match="too far apart"):
        common_axes(far, [10, 10])
    wide = common_axes(np.array([np.diag([1e140, 1e-140]), np.diag([2e140, 3e-140])]), [10, 10])
    assert_allclose(wide.variances, [[1e140, 1e-140], [2e140, 3e-140]], rtol=1e-12)
