"""Gaussian mixtures whose covariances share their volume, their shape or their axes: mclust's nine kinds in between."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay import load, save
from assay.errors import AssayError, DegenerateError
from assay.mixture import GaussianMixture, MixtureClassifier, MixturePrior, choose_mixture
from assay.mixture.components import Estimates
from assay.mixture.shaped_covariances import FORMS, SHAPED

IRIS, SPECIES = load_iris(return_X_y=True)
# mclust 5 (Scrucca, Fop, Murphy and Raftery 2016), mclustBIC(iris[, -5]), two components; its BIC has the other sign.
OF_MCLUST = {
    "EEI": -1042.9679, "VEI": -956.2823, "EVI": -1007.3082, "VEE": -656.3270, "EVE": -657.2263, "EEV": -644.5997,
    "VEV": -561.7285, "EVV": -658.3306,
}  # fmt: skip


def fitted(kind, K=2, X=IRIS, **settings):
    options = {"reg_covar": 0.0, "tol": 1e-9, "max_iter": 500, "random_state": 0, **settings}
    return GaussianMixture(K, covariance_type=kind, **options).fit(X)


def matrices(model):
    K, d = model.means_.shape
    return np.array([model._form.of_component(model.covariances_, k, d) for k in range(K)])


@pytest.mark.parametrize("kind", SHAPED)
def test_iris_has_the_criterion_of_mclust(kind):
    model = fitted(kind)
    if kind == "VVE":  # mclust ends a little lower there, at -605.1841
        assert_allclose(-model.bic(IRIS), -604.3858, atol=5e-4)
    else:
        assert_allclose(-model.bic(IRIS), OF_MCLUST[kind], atol=5e-4)
    assert (np.diff(model.lower_bounds_) >= -1e-12).all()


@pytest.mark.parametrize("kind", SHAPED)
def test_what_is_equal_is_equal_and_the_rest_is_not(kind):
    S = matrices(fitted(kind, 3, tol=1e-3))
    values, axes = np.linalg.eigh(S)
    volumes = np.exp(np.log(values).mean(axis=1))
    assert (np.ptp(volumes) < 1e-9 * volumes[0]) == (kind[0] == "E")
    if kind[2] == "I":
        assert not (S - S * np.eye(4)).any()
        shapes = np.diagonal(S, axis1=1, axis2=2) / volumes[:, None]
    else:
        shapes = values / volumes[:, None]
        together = np.einsum("kij,ljm->klim", S, S)
        commute = np.abs(together - together.transpose(0, 1, 3, 2)).max() < 1e-9  # the same axes
        assert commute == (kind[2] == "E")
    if kind[1:] != "VE":  # there the order of the axes is that of no component
        assert (np.ptp(shapes, axis=0).max() < 1e-7) == (kind[1] == "E")
    assert len(axes) == 3


@pytest.mark.parametrize("kind", SHAPED)
def test_a_step_finds_what_is_most_likely_nearby(kind):
    """No covariance of the same kind a little away from that of the step has a higher expected log likelihood."""
    draw = np.random.default_rng(1)
    root = draw.normal(size=(3, 3, 3))
    scatter = root @ root.transpose(0, 2, 1) * np.array([20.0, 5.0, 60.0])[:, None, None]
    counts, form = np.array([20.0, 30.0, 50.0]), SHAPED[kind]
    sums = np.diagonal(scatter, axis1=1, axis2=2).copy() if form.rank == 2 else scatter

    def likelihood(S):
        return -0.5 * sum(
            n * np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, W))
            for n, C, W in zip(counts, S, scatter)
        )

    estimates = Estimates(counts, np.zeros((3, 3)), sums)
    found = form.covariances(estimates, 0.0)
    S = np.array([form.of_component(found, k, 3) for k in range(3)])
    best = likelihood(S)
    for _ in range(30):
        moved = S * np.exp(0.02 * draw.normal(size=1 if kind[0] == "E" else 3))[:, None, None]
        if kind[2] == "E":  # a turn of all axes
            turn = np.linalg.qr(np.eye(3) + 0.02 * draw.normal(size=(3, 3)))[0]
            moved = turn @ moved @ turn.T
        assert likelihood(moved) <= best + 1e-9
    again = form.next_covariances(estimates, 0.0, found)
    assert_allclose(again, found, rtol=1e-4)
    values = np.linalg.eigvalsh(form.next_covariances(estimates, 0.5, None)) if form.rank == 3 else [[1.0]]
    assert np.min(values) > 0


def test_one_component_has_one_kind_of_each_axes():
    alike = {kind: fitted(kind, 1).score(IRIS) for kind in FORMS}
    for kind in SHAPED:
        assert_allclose(alike[kind], alike["diag" if kind[2] == "I" else "full"], rtol=1e-9)


def test_more_freedom_is_never_less_likely_in_a_step():
    """Letters that allow more, from the same shares of the rows."""
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 150)

    def likelihood(name):
        form = FORMS[name]
        estimates = form.estimates_of(IRIS, shares)
        S = form.covariances(estimates, 0.0)
        W = FORMS["full"].estimates_of(IRIS, shares)
        each = [form.of_component(S, k, 4) for k in range(3)]
        return -sum(
            n * np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, w))
            for n, C, w in zip(W.counts, each, W.scatter)
        )

    chains = ("tied_spherical EEI VEI diag", "EEI EVI diag full", "tied VEE VVE full", "tied EVE EVV full",
              "EEI tied EEV VEV full", "EVI EVE VVE", "spherical VEI VEV")  # fmt: skip
    for chain in chains:
        values = [likelihood(name) for name in chain.split()]
        assert (np.diff(values) >= -1e-8).all(), chain


@pytest.mark.parametrize("kind", ["VEI", "VEE", "EVE", "VEV"])
def test_blocks_missing_values_rows_as_they_come_and_files(kind, tmp_path):
    whole = fitted(kind, 2, reg_covar=1e-6, tol=1e-3)
    blocks = GaussianMixture(
        2, covariance_type=kind, means_init=whole.means_, weights_init=whole.weights_,
        precisions_init=whole.precisions_, tol=1e-6, max_iter=500,
    )  # fmt: skip
    memory = fitted(kind, 2, reg_covar=1e-6, tol=1e-6, means_init=whole.means_, weights_init=whole.weights_,
                    precisions_init=whole.precisions_)  # fmt: skip
    assert_allclose(blocks.fit_blocks([IRIS[:70], IRIS[70:]]).covariances_, memory.covariances_, rtol=1e-5)
    incomplete = np.where(np.random.default_rng(0).uniform(size=IRIS.shape) < 0.1, np.nan, IRIS)
    partial = fitted(kind, 2, incomplete)
    assert (np.diff(partial.lower_bounds_) >= -1e-9).all()
    assert_allclose(np.sort(partial.means_, axis=0), np.sort(whole.means_, axis=0), atol=0.15)
    online = whole.partial_fit(IRIS[::2])
    assert np.isfinite(online.score(IRIS)) and online.score(IRIS) > memory.score(IRIS) - 0.1
    save(memory, tmp_path / "m.assay")
    assert np.array_equal(load(tmp_path / "m.assay").score_samples(IRIS), memory.score_samples(IRIS))


def test_all_kinds_in_one_call_and_what_is_refused():
    choice = choose_mixture(IRIS, n_components=[2, 3], kinds="all", n_init=1, tol=1e-5)
    assert (choice.records[0]["kind"], choice.records[0]["components"]) == ("VEV", 2)
    assert len(choice.records) == 28
    assert MixtureClassifier(1, covariance_type="EEV").fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.95
    with pytest.raises(AssayError, match="covariance_type 'full', 'tied', 'diag', 'spherical' alone"):
        fitted("VEV", prior=MixturePrior())
    with pytest.raises(AssayError, match="covariance_type"):
        fitted("VVA")
    copies = np.vstack([np.zeros((20, 2)), np.random.default_rng(0).normal(5, 1, (30, 2))])
    for kind in SHAPED:
        try:
            assert np.isfinite(fitted(kind, 2, copies).score(copies)) and kind[0] == "E"
        except DegenerateError as error:
            assert "increase reg_covar" in str(error)
        assert np.isfinite(fitted(kind, 2, copies, reg_covar=1e-6).score(copies))


def test_a_precision_given_for_one_variance():
    model = fitted("tied_spherical", 2, precisions_init=[1.0, 1.0], max_iter=50)
    assert_allclose(model.precisions_, 1 / model.covariances_)
    with pytest.raises(AssayError, match="positive"):
        fitted("EEI", 2, precisions_init=-np.ones((2, 4)))
