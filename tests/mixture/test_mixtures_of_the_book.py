"""Mixtures: oracles of the textbook for EM, Gaussians of all forms, ones and zeros, factors, classes, few labels."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.mixture import GaussianMixture as Peer

from assay.cluster import KMeans
from assay.errors import AssayError, DegenerateError
from assay.mixture import (
    BernoulliMixture,
    FactorAnalyzerMixture,
    GaussianMixture,
    MixedMixture,
    MixtureClassifier,
    MixturePrior,
    SemiSupervisedMixture,
    choose_mixture,
    expectation_maximization,
)

IRIS, SPECIES = load_iris(return_X_y=True)
SEVEN = np.array([-2.0, -1, 0, 4, 5, 6, 8])[:, None]
BITS = np.array(
    [[int(c) for c in row] for row in ("11100", "11000", "11100", "00011", "00111", "01011")], dtype=float
)


def gaussian(**settings):
    options = {"reg_covar": 0.0, "tol": 1e-10, "max_iter": 3000, "random_state": 0, **settings}
    return GaussianMixture(**options)


@pytest.mark.capability("IML-7-12")
def test_a_likelihood_that_falls_is_found_out():
    values = iter([1.0, 2.0, 1.5])
    with pytest.raises(DegenerateError, match=r"fell from 2 to 1\.5 in iteration 3"):
        expectation_maximization(lambda state: (state, next(values)), 0, tol=0.1)
    run = expectation_maximization(lambda m: ((m + 2) / 2, -((m - 2) ** 2)), 0.0, tol=1e-12)
    assert (np.diff(run.history) >= 0).all() and run.converged


@pytest.mark.capability("IML-7-12")
def test_no_step_of_any_mixture_lowers_the_likelihood():
    models = [
        *(
            gaussian(n_components=3, covariance_type=c)
            for c in ("full", "tied", "diag", "spherical", "tied_spherical")
        ),
        FactorAnalyzerMixture(3, max_iter=300, tol=1e-3, random_state=0),
        FactorAnalyzerMixture(3, n_factors=2, noise="spherical", random_state=0),
        MixedMixture(3, random_state=0),
        BernoulliMixture(3, binarize=3.0, random_state=0),
    ]
    for model in models:
        steps = np.diff(model.fit(IRIS).lower_bounds_)
        assert (steps >= -1e-9 * max(abs(model.lower_bounds_[-1]), 1)).all(), model


@pytest.mark.capability("IML-7-13")
def test_one_step_of_the_worked_example():
    start = {
        "weights_init": [0.5, 0.5],
        "means_init": [[0.0], [5.0]],
        "precisions_init": [[[1.0]], [[1.0]]],
    }
    with pytest.warns(match="did not converge"):
        one = GaussianMixture(2, reg_covar=0, max_iter=1, tol=0, **start).fit(SEVEN)
    assert_allclose(one.lower_bounds_[0] * 7, -19.284040, atol=5e-7)
    assert_allclose(one.weights_, [0.428650397, 0.571349603], atol=1e-9)
    assert_allclose(one.means_[:, 0], [-0.999072603, 5.750237171], atol=1e-9)
    assert_allclose(one.covariances_.ravel(), [0.671192509, 2.187409578], atol=1e-9)
    assert_allclose(one.score(SEVEN) * 7, -15.669449791, atol=1e-8)
    one.weights_, one.means_ = np.array([0.5, 0.5]), np.array([[0.0], [5.0]])
    one.covariances_ = one.precisions_cholesky_ = np.ones((2, 1, 1))  # the start again
    assert_allclose(one.predict_proba([[0.0], [4.0]])[[0, 1], [1, 0]], [0.000004, 0.000553], atol=5e-7)
    with pytest.warns(match="did not converge"):
        two = GaussianMixture(2, reg_covar=0, max_iter=2, tol=0, **start).fit(SEVEN)
    assert_allclose(two.score(SEVEN) * 7, -15.669399120, atol=1e-9)
    end = GaussianMixture(2, reg_covar=0, max_iter=500, tol=1e-14, **start).fit(SEVEN)
    assert_allclose(end.score(SEVEN) * 7, -15.669399110, atol=1e-9)
    assert_allclose(end.weights_[0], 0.428449, atol=1e-6)
    assert_allclose(end.means_[:, 0], [-1.000278, 5.748759], atol=1e-6)
    assert_allclose(end.covariances_.ravel(), [0.666579, 2.194212], atol=1e-6)


@pytest.mark.capability("IML-7-13", "IML-7-14", "IML-7-15")
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("full", {1: -379.9146, 2: -214.3547, 3: -180.1855}),
        ("tied", {2: -296.4476, 3: -256.354}),
        ("diag", {2: -386.1853, 3: -307.1776}),
        ("spherical", {2: -478.5591, 3: -384.3141}),
        ("tied_spherical", {3: -401.8022}),
    ],
)
def test_likelihoods_of_iris(kind, expected):
    for k, value in expected.items():
        model = gaussian(n_components=k, covariance_type=kind).fit(IRIS)
        assert_allclose(model.score(IRIS) * 150, value, atol=6e-4 if kind == "tied" else 6e-5)
    if kind == "full":
        assert_allclose(np.sort(model.weights_), [0.299193, 1 / 3, 0.367473], atol=1e-5)
        found = np.array([np.bincount(model.predict(IRIS[c == SPECIES]), minlength=3) for c in range(3)])
        order = found.argmax(axis=1)  # versicolor: 45 in its own group, 5 with virginica
        assert found[:, order].tolist() == [[50, 0, 0], [0, 45, 5], [0, 0, 50]]
    if kind == "diag":  # a random start finds a better optimum than that of k-means
        better = GaussianMixture(
            3,
            covariance_type=kind,
            reg_covar=0,
            init_params="random",
            tol=1e-10,
            max_iter=3000,
            random_state=0,
        ).fit(IRIS)
        assert_allclose(better.score(IRIS) * 150, -306.8605, atol=6e-5)
        assert_allclose(np.sort(better.weights_), [0.305147, 1 / 3, 0.361520], atol=2e-5)
    if kind == "tied_spherical":
        assert_allclose(model.covariances_, 0.133094, atol=5e-7)


@pytest.mark.capability("IML-7-15")
def test_equal_weights_and_one_variance_become_k_means():
    model = gaussian(n_components=3, covariance_type="tied_spherical", equal_weights=True).fit(IRIS)
    assert_allclose(model.score(IRIS) * 150, -404.2926, atol=6e-5)
    assert_allclose(model.weights_, 1 / 3)
    centers = KMeans(3, n_init=5, random_state=0).fit(IRIS)
    gaps = ((IRIS[:, None] - centers.cluster_centers_[None]) ** 2).sum(axis=2)
    soft = np.exp(-(gaps - gaps.min(axis=1, keepdims=True)) / (2 * 0.005**2))
    assert_array_equal((soft / soft.sum(axis=1, keepdims=True)).round(6).argmax(axis=1), centers.labels_)
    with pytest.raises(AssayError, match="prior"):
        gaussian(n_components=2, equal_weights=True, prior=MixturePrior()).fit(IRIS)


def test_parity_with_scikit_learn_for_the_forms_it_has():
    for kind in ("full", "tied", "diag", "spherical"):
        peer = Peer(3, covariance_type=kind, random_state=0).fit(IRIS)
        assert_allclose(
            GaussianMixture(3, covariance_type=kind, random_state=0).fit(IRIS).bic(IRIS), peer.bic(IRIS)
        )


@pytest.mark.capability("IML-7-18")
def test_a_prior_keeps_a_component_from_collapsing_on_a_repeated_point():
    X = np.vstack([np.zeros((20, 2)), np.random.default_rng(0).normal(5, 1, (30, 2))])
    model = GaussianMixture(2, prior=MixturePrior(), random_state=0).fit(X)
    assert np.isfinite(model.score(X)) and np.linalg.eigvalsh(model.covariances_).min() > 1e-6


@pytest.mark.capability("IML-7-17")
def test_ones_and_zeros_of_the_worked_example():
    start = [[0.6, 0.6, 0.6, 0.4, 0.4], [0.4, 0.4, 0.4, 0.6, 0.6]]
    model = BernoulliMixture(2, probabilities_init=start, tol=1e-10).fit(BITS)
    assert_allclose(model.lower_bounds_[:3], [-19.550385, -13.676410, -9.976235], atol=5e-7)
    with pytest.warns(match="still rose"):
        one = BernoulliMixture(2, probabilities_init=start, max_iter=1).fit(BITS)
    assert_allclose(one.weights_[0], 0.518701, atol=5e-7)
    assert_allclose(one.probabilities_[0], [0.815724, 0.889167, 0.641295, 0.184276, 0.184276], atol=5e-7)
    one.weights_, one.probabilities_ = np.array([0.5, 0.5]), np.array(start)
    shares = [0.883636, 0.771429, 0.883636, 0.116364, 0.228571, 0.228571]
    assert_allclose(one.predict_proba(BITS)[:, 0], shares, atol=1e-6)
    assert_allclose(model.log_likelihood_, -9.887511, atol=5e-7)
    assert_allclose(model.weights_, 0.5, atol=1e-4)
    assert_allclose(model.probabilities_, [[1, 1, 2 / 3, 0, 0], [0, 1 / 3, 1 / 3, 1, 1]], atol=1e-4)
    smooth = BernoulliMixture(2, probabilities_init=start, alpha=1.0).fit(BITS)
    assert smooth.probabilities_.min() > 0 and smooth.probabilities_.max() < 1
    rows, labels = model.sample(50)
    assert rows.shape == (50, 5) and set(labels.tolist()) <= {0, 1}
    with pytest.raises(AssayError, match="other than 0 and 1"):
        BernoulliMixture(2, binarize=None).fit(IRIS)


def test_missing_values_are_left_out_of_the_product():
    table = pd.DataFrame({"a": [0.0, 0.2, None, 5.0, 5.2, 4.9], "b": ["x", "x", "x", "y", "y", None]})
    model = MixedMixture(2, random_state=0).fit(table)
    assert len(set(model.predict(table)[:3].tolist())) == 1 == len(set(model.predict(table)[3:].tolist()))
    row = pd.DataFrame({"a": [np.nan], "b": ["y"]})
    y = model.schema_[1].categories.index("y")
    expected = model.weights_ * model.tables_[0][:, y]
    assert_allclose(model.predict_proba(row)[0], expected / expected.sum(), rtol=1e-9)
    nothing = pd.DataFrame({"a": [np.nan], "b": [None]}, dtype=object)
    assert_allclose(model.predict_proba(nothing.astype({"a": float}))[0], model.weights_, rtol=1e-9)
    number = pd.DataFrame({"a": [1.0], "b": [None]}).astype({"b": object})
    joint = model.weights_ * norm.pdf(1.0, model.means_[:, 0], np.sqrt(model.variances_[:, 0]))
    assert_allclose(np.exp(model.score_samples(number)), joint.sum(), rtol=1e-9)


def test_mixed_mixtures_of_numbers_are_diagonal_gaussian_ones():
    ours = MixedMixture(3, floor=1e-12, n_init=1, tol=1e-9, random_state=0).fit(IRIS)
    peer = gaussian(n_components=3, covariance_type="diag").fit(IRIS)
    assert_allclose(ours.log_likelihood_, peer.score(IRIS) * 150, atol=0.4)  # one of two nearby optima
    blocks = MixedMixture(3, n_init=1, random_state=0).fit_blocks([IRIS[:60], IRIS[60:]])
    assert_allclose(
        blocks.log_likelihood_, MixedMixture(3, n_init=1, random_state=0).fit(IRIS).log_likelihood_, rtol=1e-8
    )


@pytest.mark.capability("IML-7-19")
def test_factor_analysers_of_iris():
    model = FactorAnalyzerMixture(3, tol=1e-5, random_state=0).fit(IRIS)
    assert_allclose(model.log_likelihood_, -195.600, atol=3e-3)
    assert model.noise_variances_.min() > 0.009  # the floor is not active
    single = FactorAnalyzerMixture(1, tol=1e-4).fit(IRIS)  # slow towards the end
    assert_allclose(single.log_likelihood_, -422.378, atol=0.1)
    assert single.log_likelihood_ < -422.378


@pytest.mark.capability("IML-7-20")
def test_principal_components_of_iris():
    for k, q, value in ((1, 2, -404.9628), (3, 1, -218.8476), (3, 2, -201.8321)):
        model = FactorAnalyzerMixture(k, n_factors=q, noise="spherical", tol=1e-8, random_state=0).fit(IRIS)
        assert_allclose(model.log_likelihood_, value, atol=6e-5)


@pytest.mark.capability("IML-7-01")
def test_with_all_labels_the_estimates_are_those_of_the_classes():
    model = SemiSupervisedMixture(reg_covar=0).fit(IRIS, SPECIES)
    for c in range(3):
        part = IRIS[c == SPECIES]
        assert_allclose(model.weights_[c], 1 / 3, rtol=1e-12)
        assert_allclose(model.means_[c], part.mean(axis=0), rtol=1e-12)
        assert_allclose(model.covariances_[c], np.cov(part.T, bias=True), rtol=1e-9)
    mixture = gaussian(n_components=3).fit(IRIS)

    density = sum(
        w * multivariate_normal(m, S).pdf(IRIS[:5])
        for w, m, S in zip(mixture.weights_, mixture.means_, mixture.covariances_)
    )
    assert_allclose(mixture.score_samples(IRIS[:5]), np.log(density), rtol=1e-9)
    rows, labels = mixture.sample(4000)
    assert_allclose(rows.mean(axis=0), IRIS.mean(axis=0), atol=0.15)
    assert_allclose(np.bincount(labels) / 4000, mixture.weights_, atol=0.03)


def test_rows_without_labels_help_where_classes_are_groups():
    X, y = make_blobs(200, 2, centers=[[0, 0], [4, 0]], random_state=0)
    y = y.astype(object)
    partly = np.full(200, None, dtype=object)
    few = [int(np.flatnonzero(y == c)[0]) for c in (0, 1)]
    for i in few:
        partly[i] = y[i]
    model = SemiSupervisedMixture(covariance_type="tied").fit(X, partly)
    assert model.score(X, y.astype(int)) > 0.95
    assert_allclose(
        SemiSupervisedMixture().fit(X).log_likelihood_, gaussian().fit(X).score(X) * 200, rtol=1e-5
    )


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical", "tied_spherical"])
def test_some_labels_weights_and_missing_values(kind):
    rng = np.random.default_rng(0)
    partly, w = np.where(rng.uniform(size=150) < 0.1, SPECIES, -1), rng.integers(1, 4, 150)
    model = SemiSupervisedMixture(covariance_type=kind, reg_covar=0).fit(IRIS, partly)
    rises = np.diff(model.lower_bounds_)
    assert (rises >= -1e-9).all() and model.score(IRIS, SPECIES) > 0.88
    state = np.log(model.weights_), model.means_
    logs = np.column_stack([
        state[0][k] + multivariate_normal(state[1][k], model._form.of_component(model.covariances_, k, 4)).logpdf(IRIS)
        for k in range(3)
    ])  # fmt: skip
    logs[(partly[:, None] >= 0) & (partly[:, None] != np.arange(3))] = -np.inf
    assert_allclose(model.log_likelihood_, logsumexp(logs, axis=1).sum(), atol=1e-4)  # a step before
    heavy = SemiSupervisedMixture(covariance_type=kind).fit(IRIS, partly, sample_weight=w)
    copies = SemiSupervisedMixture(covariance_type=kind).fit(np.repeat(IRIS, w, axis=0), np.repeat(partly, w))
    assert_allclose(heavy.means_, copies.means_, rtol=1e-10)
    assert_allclose(heavy.covariances_, copies.covariances_, rtol=1e-8)
    incomplete = np.where(rng.uniform(size=IRIS.shape) < 0.2, np.nan, IRIS)
    model = SemiSupervisedMixture(covariance_type=kind, reg_covar=0).fit(incomplete, partly)
    assert (np.diff(model.lower_bounds_) >= -1e-9).all() and model.score(incomplete, SPECIES) > 0.85
    assert_allclose(model.predict_proba(np.full((1, 4), np.nan))[0], model.weights_, rtol=1e-9)
    assert "log joint density" in str(model.explain(incomplete[:1]))


def test_without_labels_a_semi_supervised_mixture_is_the_mixture():
    incomplete = np.where(np.random.default_rng(0).uniform(size=IRIS.shape) < 0.2, np.nan, IRIS)
    model = SemiSupervisedMixture(3, tol=1e-8, random_state=0).fit(incomplete)
    peer = GaussianMixture(3, tol=1e-10, max_iter=1000, random_state=0).fit(incomplete)
    assert_allclose(model.score(incomplete), peer.score(incomplete), rtol=1e-6)
    with pytest.raises(AssayError, match="'x1' has no value"):
        SemiSupervisedMixture().fit([[1.0, np.nan], [2.0, np.nan]])
    with pytest.raises(AssayError, match="no row has a label"):
        model.score(incomplete, [None] * 150)


@pytest.mark.capability("IML-7-21")
def test_groups_of_many_rows_and_labels_of_few():
    """Two rings: group all rows without labels, then name each group by the few rows that have one."""
    X, y = make_circles(400, noise=0.04, factor=0.4, random_state=0)
    labelled = np.r_[np.flatnonzero(y == 0)[:20], np.flatnonzero(y == 1)[:20]]
    groups = KMeans(16, n_init=5, random_state=0).fit(X)
    codes = groups.codes(X[labelled])
    from sklearn.linear_model import LogisticRegression

    stage = LogisticRegression(C=100.0).fit(codes, y[labelled])
    plain = LogisticRegression(C=100.0).fit(X[labelled], y[labelled])
    assert stage.score(groups.codes(X), y) > 0.9 > plain.score(X, y) + 0.2
    soft = GaussianMixture(8, random_state=0).fit(X)
    assert_allclose(soft.predict_proba(X).sum(axis=1), 1)


@pytest.mark.capability("IML-7-23")
def test_classes_of_one_gaussian_are_quadratic_discriminants():
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA

    model = MixtureClassifier(1).fit(IRIS, SPECIES)
    assert (model.predict(IRIS) == SPECIES).sum() == 147
    assert_array_equal(model.predict(IRIS), QDA().fit(IRIS, SPECIES).predict(IRIS))


@pytest.mark.capability("IML-7-23")
def test_the_number_of_components_of_each_class_is_chosen_by_folds():
    rng = np.random.default_rng(0)
    two_modes = np.concatenate([rng.normal(-6, 1, 80), rng.normal(6, 1, 80)])
    X = np.concatenate([two_modes, rng.normal(0, 1, 120)])[:, None]
    y = np.repeat([0, 1], [160, 120])
    model = MixtureClassifier("auto", max_components=3, folds=3, random_state=0).fit(X, y)
    assert model.n_components_[0] >= 2
    assert model.score(X, y) > MixtureClassifier(1).fit(X, y).score(X, y)
    with pytest.raises(AssayError, match="one for each class"):
        MixtureClassifier([1, 2, 3]).fit(X, y)


def test_kind_and_size_of_a_mixture_in_one_call():
    choice = choose_mixture(IRIS, n_components=[1, 2, 3], n_init=1)
    assert (choice.records[0]["components"], choice.records[0]["kind"]) == (2, "full")
    assert len(choice.records) == 15 and "2 components, full" in str(choice)
    by_hand = Peer(2, random_state=0).fit(IRIS).bic(IRIS)
    assert_allclose(choice.records[0]["bic"], by_hand, rtol=1e-4)
    assert all(r["icl"] >= r["bic"] - 1e-9 for r in choice.records)
    X, _ = make_blobs(150, 2, centers=3, random_state=0)
    held_out = choose_mixture(
        X, n_components=[1, 3], kinds=["tied_spherical"], criterion="held-out", n_init=1
    )
    assert held_out.records[0]["components"] == 3


def test_few_rows_are_no_reason_for_many_components():
    """Sizes beyond the rows are not tried, and components as narrow as reg_covar keeps them do not win."""
    rng = np.random.default_rng(0)
    for n in (3, 5, 12):
        choice = choose_mixture(rng.normal(size=(n, 2)), n_init=1)
        assert all(record["components"] <= n for record in choice.records)
        assert np.linalg.eigvalsh(choice.model._form.of_component(choice.model.covariances_, 0, 2))[0] > 2e-6
    X = np.vstack([rng.normal(size=(40, 2)), np.full((10, 2), 9.0)])  # ten copies of a row
    kinds = {r["kind"] for r in choose_mixture(X, n_components=2, n_init=1).records}
    assert kinds == {"tied", "tied_spherical"}
    assert choose_mixture(X, n_components=1, kinds="full", criterion="held-out", cv=1000).records[0][
        "converged"
    ]
    for settings, message in (
        ({"n_components": []}, "one or more"), ({"kinds": "round"}, "kinds must be"), ({"cv": 1}, "cv must be"),
    ):  # fmt: skip
        with pytest.raises(AssayError, match=message):
            choose_mixture(X, **settings)
    with pytest.raises(AssayError, match="60 components take at least as many rows, got 50"):
        choose_mixture(X, n_components=[60, 70])
