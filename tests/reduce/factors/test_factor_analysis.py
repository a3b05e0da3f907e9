"""Factor analysis: methods, likelihoods, rotations, scores, warnings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import FactorAnalysis as Peer

import assay
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.reduce import (
    FactorAnalysis,
    ProbabilisticPCA,
    factors_beside_known,
    rotate_by_angle,
    rotate_loadings,
)
from assay.reduce.factors.factor_fits import (
    _Specific,
    by_em,
    by_principal_axes,
    by_principal_components,
    deviance,
)
from assay.tables.data import load_iris

IRIS = load_iris().X.values
V = np.array([[0.9, 0], [0.8, 0.1], [0.1, 0.7], [0, 0.6]])
PSI = np.array([0.19, 0.35, 0.5, 0.64])
S = np.array([[1, 0.72, 0.09, 0], [0.72, 1, 0.15, 0.06], [0.09, 0.15, 1, 0.42], [0, 0.06, 0.42, 1]])
PC = np.array([[0.858475, 0.352982], [0.886947, 0.268426], [0.422851, -0.726814], [0.292834, -0.798312]])


def rows_with(covariance, n=50):
    """Rows whose covariance matrix, divisor n, is exactly that."""
    Z = np.random.default_rng(0).normal(size=(n, len(covariance)))
    Z -= Z.mean(axis=0)
    root = np.linalg.cholesky(Z.T @ Z / n)
    return Z @ np.linalg.inv(root).T @ np.linalg.cholesky(covariance).T


def up_to_signs(a, b, atol):
    for x, y in zip(a.T, b.T):
        assert_allclose(x * np.sign(x @ y), y, rtol=0, atol=atol)


@pytest.mark.capability("IML-6-21")
@pytest.mark.filterwarnings("ignore:.*do not determine them")  # two factors of four columns, as in the source
def test_principal_component_method():
    assert_allclose(V @ V.T + np.diag(PSI), S)
    assert_allclose(np.linalg.eigvalsh(S)[::-1], [1.788209, 1.362209, 0.572775, 0.276807], rtol=0, atol=5e-7)
    fit = by_principal_components(S, 2)
    up_to_signs(fit.V, PC, 5e-7)
    assert_allclose(fit.psi, [0.138423, 0.141272, 0.292939, 0.276946], rtol=0, atol=5e-7)
    model = FactorAnalysis(2, method="principal").fit(rows_with(S))
    up_to_signs(model.components_.T, PC, 5e-7)
    assert_allclose(model.communalities_, [0.861577, 0.858728, 0.707061, 0.723054], rtol=0, atol=5e-7)
    assert_allclose(model.noise_variance_, fit.psi, atol=1e-9)


@pytest.mark.capability("IML-6-22")
def test_expectation_and_maximisation_comes_near_the_maximum_after_thousands_of_steps():
    em = by_em(np.cov(IRIS.T, bias=True), 1, 0.0, 10_000)
    after = [-75 * (4 * np.log(2 * np.pi) + em.deviance[step]) for step in (1000, 10_000)]
    assert_allclose(after, [-422.448, -422.385], rtol=0, atol=5e-4)


@pytest.mark.capability("IML-6-22")
def test_maximum_likelihood_on_iris_with_its_heywood_cases():
    with pytest.warns(DegenerateWarning, match="petal length.*Heywood"):
        one = FactorAnalysis(1).fit(load_iris().X)
    assert_allclose(one.loglike_[-1], -422.377635, rtol=0, atol=5e-6)
    assert_allclose(one.components_[0], [0.7195, -0.1861, 1.7594, 0.7315], rtol=0, atol=5e-5)
    with pytest.warns(DegenerateWarning) as warned:
        two = FactorAnalysis(2).fit(IRIS)
    assert [("Heywood" in str(w.message), "do not determine" in str(w.message)) for w in warned] == [
        (True, False), (False, True)
    ]  # fmt: skip
    assert_allclose(two.loglike_[-1], -389.106020, rtol=0, atol=5e-6)
    covariance = np.cov(IRIS.T, bias=True)
    em = by_em(covariance, 2, 0.0, 20_000)  # from the principal-component start: a local maximum, slowly
    value = -75 * (4 * np.log(2 * np.pi) + em.deviance[-1])
    assert -389.8734 - 0.02 < value < -389.8733
    assert np.all(np.diff(em.deviance) < 1e-12)


def test_the_maximum_is_no_lower_than_scikit_learns_and_the_density_is_right():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) @ rng.normal(size=(3, 12)) + rng.normal(size=(400, 12)) * rng.uniform(
        0.5, 1.5, 12
    )
    ours, theirs = FactorAnalysis(3).fit(X), Peer(3, tol=1e-10, max_iter=5000).fit(X)
    assert ours.loglike_[-1] >= theirs.loglike_[-1] - 1e-6
    assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-4)
    assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-3)
    assert_allclose(ours.score_samples(X).sum(), ours.loglike_[-1], rtol=1e-12)
    assert_allclose(ours.get_covariance() @ ours.get_precision(), np.eye(12), atol=1e-10)
    assert ours.p_value_ > 0.001 and FactorAnalysis(1).fit(X).p_value_ < 1e-12  # three suffice, one does not
    units = FactorAnalysis(3).fit(X * 10.0 ** np.arange(-6, 6))
    assert_allclose(
        np.abs(units.transform(X * 10.0 ** np.arange(-6, 6))), np.abs(ours.transform(X)), atol=1e-4
    )


@pytest.mark.capability("IML-6-24")
@pytest.mark.filterwarnings("ignore:.*do not determine them")  # two factors of four columns, as in the source
def test_score_weights():
    model = FactorAnalysis(2, method="principal").fit(rows_with(S))
    model.components_ = V.T
    expected = [[0.671046, -0.096197], [0.318004, 0.065540], [-0.000098, 0.544534], [-0.019039, 0.367363]]
    assert_allclose(model.score_weights("sample"), expected, rtol=0, atol=5e-7)
    model.noise_variance_ = PSI
    assert_allclose(model.score_weights("model"), expected, rtol=0, atol=5e-7)  # S = VV' + Psi here


@pytest.mark.capability("IML-6-25")
def test_rotations():
    turned = rotate_loadings(PC)
    best = np.array(
        [[0.928198, 0.005054], [0.922860, -0.084007], [0.119222, -0.832374], [-0.028124, -0.849860]]
    )
    up_to_signs(turned.loadings, best, 2e-6)
    criterion = np.sum(np.mean(turned.loadings**4, axis=0) - np.mean(turned.loadings**2, axis=0) ** 2)
    assert_allclose(criterion, 0.304304, rtol=0, atol=5e-7)
    kaiser = np.array(
        [[0.928211, 0.000269], [0.922415, -0.088763], [0.114930, -0.832978], [-0.032504, -0.849704]]
    )
    up_to_signs(rotate_loadings(PC, kaiser=True).loadings, kaiser, 2e-6)
    random = np.random.default_rng(0).normal(size=(9, 4))
    for method in ("varimax", "quartimax"):
        rotation = rotate_loadings(random, method)
        assert_allclose(rotation.loadings @ rotation.loadings.T, random @ random.T, atol=1e-12)
        assert_allclose(rotation.matrix.T @ rotation.matrix, np.eye(4), atol=1e-12)
    oblique = rotate_loadings(random, "promax")
    assert_allclose(
        oblique.loadings @ oblique.correlation @ oblique.loadings.T, random @ random.T, atol=1e-10
    )
    assert_allclose(np.diag(oblique.correlation), 1)
    assert_allclose(rotate_by_angle(PC, 30) @ rotate_by_angle(PC, 30).T, PC @ PC.T, atol=1e-12)


@pytest.mark.parametrize("rotation", ["varimax", "quartimax", "promax"])
def test_a_rotation_changes_neither_the_model_nor_its_density(rotation):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 7)) + rng.normal(size=(300, 7))
    plain, turned = FactorAnalysis(2).fit(X), FactorAnalysis(2, rotation=rotation).fit(X)
    assert_allclose(turned.get_covariance(), plain.get_covariance(), atol=1e-9)
    assert_allclose(turned.score_samples(X), plain.score_samples(X), atol=1e-8)
    assert_allclose(turned.get_covariance() @ turned.get_precision(), np.eye(7), atol=1e-9)
    assert_allclose(turned.communalities_, plain.communalities_, atol=1e-9)


@pytest.mark.capability("IML-6-26")
def test_a_known_factor_is_regressed_out_first():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4000, 2))
    X = Z @ V.T + rng.normal(size=(4000, 4)) * np.sqrt(PSI)
    known = Z[:, :1]
    loadings = np.linalg.lstsq(known, X, rcond=None)[0]
    rest = FactorAnalysis(1, method="axes", max_iter=5000).fit(X - known @ loadings)
    assert_allclose(loadings[0], V[:, 0], atol=0.05)
    assert_allclose(np.abs(rest.components_[0]), V[:, 1], atol=0.12)


def test_principal_axes_settle_where_they_reproduce_the_covariances():
    fit = by_principal_axes(S, 2, 1e-12, 20_000)
    assert fit.converged
    off = ~np.eye(4, dtype=bool)
    assert_allclose((fit.V @ fit.V.T)[off], S[off], atol=1e-5)
    assert deviance(S, V, PSI) < fit.deviance[0]


def test_blocks_and_parts_give_the_same_and_files_keep_it(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 8)) + 1.5 * rng.normal(size=(400, 8))
    whole = FactorAnalysis(2).fit(X)
    parts = FactorAnalysis(2).partial_fit(X[:90]).partial_fit(X[90:])
    blocks = FactorAnalysis(2).fit_blocks([X[:50], X[50:]])
    for other in (parts, blocks):
        assert_allclose(other.get_covariance(), whole.get_covariance(), atol=1e-7)
    w = rng.integers(0, 3, 400)
    weighted, repeated = (
        FactorAnalysis(2).fit(X, sample_weight=w),
        FactorAnalysis(2).fit(np.repeat(X, w, axis=0)),
    )
    assert_allclose(weighted.get_covariance(), repeated.get_covariance(), atol=1e-7)
    assay.save(whole, tmp_path / "f.assay")
    np.testing.assert_array_equal(assay.load(tmp_path / "f.assay").transform(X), whole.transform(X))
    assert "factors suffice" in str(whole.show())


def test_awkward_tables_and_wrong_input():
    X = np.column_stack([IRIS, np.full(150, 3.0)])
    model = FactorAnalysis(method="ml").fit(X)
    assert np.isfinite(model.transform(X)).all() and model.noise_variance_.min() > 0
    with pytest.raises(DataError, match="more than the 4 columns"):
        FactorAnalysis(5).fit(IRIS)
    with pytest.raises(DataError, match="dimension"):
        FactorAnalysis(1, noise_variance_init=[1.0]).fit(IRIS)
    with pytest.raises(DegenerateError, match="1 sample"):
        FactorAnalysis(1).fit(IRIS[:1])
    with pytest.raises(ParameterError, match="varimax"):
        rotate_loadings(PC, "varimaks")
    with pytest.raises(DataError, match="two factors"):
        rotate_by_angle(np.eye(3), 10)


@pytest.mark.parametrize("scale", [1e-150, 1e-80, 1e80, 1e150])
@pytest.mark.parametrize("method", ["ml", "em", "axes", "principal"])
def test_factors_and_densities_do_not_depend_on_the_scale(method, scale):
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 2)) @ random.normal(size=(2, 8)) + 0.5 * random.normal(size=(300, 8))
    settings = {"method": method, "max_iter": 3000, "tol": 1e-8}
    model = FactorAnalysis(2, **settings).fit(X)
    scaled = FactorAnalysis(2, **settings).fit(X * scale)
    np.testing.assert_allclose(scaled.transform(X * scale), model.transform(X), atol=1e-7)
    density = scaled.score_samples(X * scale) + 8 * np.log(scale)
    np.testing.assert_allclose(density, model.score_samples(X), atol=1e-7)
    np.testing.assert_allclose(scaled.get_precision() * scale * scale, model.get_precision(), atol=1e-7)


def test_slope_and_curvature_of_the_deviance_are_its_differences():
    random = np.random.default_rng(0)
    R, x, e = np.corrcoef(random.normal(size=(6, 30))), np.log(random.uniform(0.2, 0.9, 6)), 1e-5
    point = _Specific.of(R, x, 2)
    pairs = [(_Specific.of(R, x + e * step, 2), _Specific.of(R, x - e * step, 2)) for step in np.eye(6)]
    np.testing.assert_allclose(
        point.slope, [(a.deviance - b.deviance) / (2 * e) for a, b in pairs], atol=1e-8
    )
    np.testing.assert_allclose(
        point.curvature(), [(a.slope - b.slope) / (2 * e) for a, b in pairs], atol=1e-8
    )


@pytest.mark.parametrize("model", [FactorAnalysis(1), FactorAnalysis(1, method="em"), ProbabilisticPCA(1)])
def test_squares_that_vanish_are_refused(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 1)) + rng.normal(size=(40, 4))
    assert np.isfinite(model.fit(X * 1e-150).transform(X * 1e-150)).all()
    with pytest.raises(DegenerateError, match="underflow"):
        model.fit(X * 1e-160)


@pytest.mark.capability("IML-6-26")
@pytest.mark.parametrize("method", ["axes", "ml"])
@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_the_second_factor_is_recovered_when_the_first_is_given(method, unit):
    """Rows whose moments are exactly those of the constructed V: the loadings are those of both factors."""
    joint = np.block([[np.ones((1, 1)), V[:, :1].T], [V[:, :1], S]])
    rows = rows_with(joint, 60) + 5.0
    beside = factors_beside_known(rows[:, 1:], unit * rows[:, 0], method=method, max_iter=20_000, tol=1e-12)
    assert_allclose(unit * beside.known_loadings[:, 0], V[:, 0], atol=1e-9)
    assert_allclose(np.abs(beside.further.components_[0]), V[:, 1], atol=1e-5)
    assert_allclose(beside.further.noise_variance_, PSI, atol=1e-5)
    assert_allclose(beside.shares, np.column_stack([V**2, PSI]), atol=1e-5)  # the columns have variance 1
    known = unit * rows[:, 0]
    assert_allclose(beside.residuals(rows[:, 1:], known).T @ (known - known.mean()), 0, atol=1e-9)
    assert beside.transform(rows[:, 1:], known).shape == (60, 1)


def test_known_factors_that_determine_each_other_or_do_not_fit():
    rows = rows_with(S)
    twice = factors_beside_known(rows, np.column_stack([rows[:, 0]] * 2), method="principal")
    assert_allclose(twice.known_loadings[:, 0], twice.known_loadings[:, 1])
    assert_allclose(twice.known_loadings.sum(axis=1), S[:, 0], atol=1e-12)
    constant = factors_beside_known(rows, np.ones(50), method="principal")
    assert not constant.known_loadings.any()
    with pytest.raises(DataError, match="X has 50 rows, known has 49"):
        factors_beside_known(rows, rows[:49, 0])
    with pytest.raises(DataError, match="4 columns and 1 known factors, got 4 and 2"):
        constant.transform(rows, rows[:, :2])
