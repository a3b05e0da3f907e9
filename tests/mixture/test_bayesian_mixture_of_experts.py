"""Mixture of regression experts: a bound that never falls and stays below the evidence, and answers that follow."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import gamma
from scipy.stats import t as student_t
from tests.calibration import assert_covers

from assay import load, save
from assay.errors import DataError
from assay.mixture import BayesianMixtureOfExperts
from assay.mixture.bayesian_mixture_of_experts import NOISE, WEAK

GATES = ["softmax", "gaussian"]


def valley(n=160, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 1))
    return x, np.abs(x[:, 0]) + 0.1 * rng.normal(size=n)


def planes(n=200, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] > 0, X @ [1.0, 2.0, 0.0], X @ [-1.0, 0.0, 2.0] + 1)
    return X, y + 0.2 * rng.normal(size=n)


@pytest.mark.capability("IML-16-23")
@pytest.mark.parametrize("K", [1, 2, 4])
@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("make", [valley, planes])
def test_the_bound_never_falls(make, gate, K):
    X, y = make()
    model = BayesianMixtureOfExperts(K, gate=gate, n_init=1, random_state=0).fit(X, y)
    assert (np.diff(model.lower_bounds_) > -1e-8 * abs(model.lower_bound_)).all()
    assert model.history_[-1]["lower_bound"] == model.lower_bound_


def log_evidence_of_one_line(X, y):
    """By quadrature over the precision of the weights, of which all else is closed."""
    n, p = X.shape

    def given(alpha):
        precision = alpha * np.eye(p) + X.T @ X
        coef = np.linalg.solve(precision, X.T @ y)
        a, b = NOISE[0] + n / 2, NOISE[1] + 0.5 * (y @ y - coef @ precision @ coef)
        value = 0.5 * p * np.log(alpha) - 0.5 * np.linalg.slogdet(precision)[1] - 0.5 * n * np.log(2 * np.pi)
        return value + NOISE[0] * np.log(NOISE[1]) - gammaln(NOISE[0]) + gammaln(a) - a * np.log(b)

    top = max(given(alpha) for alpha in np.logspace(-3, 3, 200))

    def density(log_alpha):
        alpha = np.exp(log_alpha)
        return np.exp(given(alpha) - top) * gamma(WEAK[0], scale=1 / WEAK[1]).pdf(alpha) * alpha

    return top + np.log(quad(density, -12, 8, limit=200)[0])


@pytest.mark.capability("IML-16-23")
def test_the_bound_of_one_expert_is_just_below_the_evidence():
    """The gap of mean field: weights, noise and the precision of the weights as if independent."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X @ [1.0, -1.0] + 0.5 * rng.normal(size=40)
    model = BayesianMixtureOfExperts(1, gate="gaussian", tol=1e-10, max_iter=500).fit(X, y)
    F = np.column_stack([np.ones(40), (X - X.mean(axis=0)) / X.std(axis=0)])
    exact = log_evidence_of_one_line(F, (y - y.mean()) / y.std())
    gate_alone = model.gate_.updated(model.gate_.sums(F, np.ones((40, 1)), np.ones(40)))[1]
    gap = exact - (model.lower_bound_ - gate_alone)
    assert 0 < gap < 0.5


@pytest.mark.parametrize("gate", GATES)
def test_each_expert_finds_its_line(gate):
    x, y = valley()
    model = BayesianMixtureOfExperts(2, gate=gate, random_state=0).fit(x, y)
    order = np.argsort(model.coef_[:, 0])
    assert_allclose(model.coef_[order, 0], [-1, 1], atol=0.06)
    assert_allclose(model.intercept_, 0, atol=0.06)
    assert_allclose(model.noise_sd_, 0.1, atol=0.03)
    assert_allclose(model.weights_.sum(), 1)
    assert model.score(x, y) > 0.95
    shares = model.predict_experts([[-1.5], [1.5]])
    assert (shares[[0, 1], order] > 0.9).all()


@pytest.mark.parametrize("gate", GATES)
def test_where_experts_disagree_the_distribution_has_two_peaks(gate):
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, (300, 1))
    y = np.where(rng.uniform(size=300) < 0.5, x[:, 0], -x[:, 0]) + 0.1 * rng.normal(size=300)
    model = BayesianMixtureOfExperts(2, gate=gate, n_init=5, random_state=0).fit(x, y)
    density = np.exp(model.predict_distribution(np.full((3, 1), 1.5)).logpdf([-1.5, 0.0, 1.5]))
    assert density[0] > 10 * density[1] < density[2]


@pytest.mark.parametrize("gate", GATES)
def test_intervals_of_new_rows_cover_what_they_say(gate):
    X, y = planes(400)
    Z, t = planes(1000, seed=9)
    model = BayesianMixtureOfExperts(2, gate=gate, random_state=0).fit(X, y)
    low, high = model.predict_interval(Z, 0.95).T
    assert 0.93 < np.mean((low <= t) & (t <= high)) < 0.975
    distribution = model.predict_distribution(Z)
    assert_allclose(distribution.mean, model.predict(Z), rtol=1e-9, atol=1e-9)


def line_intervals(model):
    """Intercepts and slopes (K, 2) in units of the table about the centre of x, and half of their 95 % t intervals."""
    experts, unit = model.experts_, model._unit
    deviations = np.sqrt(
        np.diagonal(experts.covariances, axis1=1, axis2=2) * (experts.b / experts.a)[:, None]
    )
    scale = np.array([unit[1], unit[1] / unit[0]])
    half = student_t.ppf(0.975, 2 * experts.a)[:, None] * deviations * scale
    return np.column_stack([model.intercept_ + model.coef_[:, 0] * model._center[0], model.coef_[:, 0]]), half


def lines_and_intervals(rng, x, lines, noise, labels, **settings):
    """The truth about the centre of x and intervals of all weights, experts in the order of the lines."""
    y = lines[labels, 0] + lines[labels, 1] * x + noise * rng.normal(size=len(x))
    model = BayesianMixtureOfExperts(2, random_state=0, **settings).fit(x[:, None], y)
    weights, half = line_intervals(model)
    truth = np.column_stack([lines[:, 0] + lines[:, 1] * model._center[0], lines[:, 1]])
    if np.sum((weights - truth) ** 2) > np.sum((weights[::-1] - truth) ** 2):
        weights, half = weights[::-1], half[::-1]
    return truth.ravel(), ((weights - half).ravel(), (weights + half).ravel())


@pytest.mark.capability("IML-16-23")
@pytest.mark.parametrize(("gate", "rounds"), [("gaussian", 800), ("softmax", 300)])
def test_intervals_of_weights_hold_the_truth_where_experts_are_apart(gate, rounds):
    """Then nearly no row has two experts, and mean field leaves nothing out."""

    def simulate(rng):
        lines = np.array([[0.0, -2.0], [0.0, 2.0]]) + rng.normal(0, 0.5, (2, 2))
        x = np.concatenate([rng.uniform(-3, -1, 150), rng.uniform(1, 3, 150)])
        return lines_and_intervals(rng, x, lines, 0.3, np.repeat([0, 1], 150), gate=gate, n_init=1)

    assert_covers(simulate, rounds=rounds)


def test_intervals_of_weights_are_too_narrow_where_experts_overlap():
    """Mean field takes rows' experts and lines for independent. Two parallel lines, three deviations apart."""

    def simulate(rng):
        lines = np.array([[0.8, 0.0], [-0.8, 0.0]]) + rng.normal(0, 0.2, (2, 2))
        x = rng.uniform(-2, 2, 150)
        labels = rng.integers(2, size=150)
        return lines_and_intervals(rng, x, lines, 0.5, labels, gate="softmax")

    rng, inside = np.random.default_rng(0), []
    for _ in range(60):
        truth, (low, high) = simulate(rng)
        inside.append((low <= truth) & (truth <= high))
    assert 0.65 < np.mean(inside) < 0.9


def test_experts_without_rows_do_no_harm():
    X, y = planes(300)
    model = BayesianMixtureOfExperts(6, gate="gaussian", concentration=0.1, random_state=0).fit(X, y)
    assert (model.weights_ < 0.01).sum() >= 2
    low, high = model.predict_interval(X, 0.95).T
    assert np.isfinite(high - low).all() and np.median(high - low) < 2
    assert np.mean((low <= y) & (y <= high)) > 0.9


@pytest.mark.parametrize("gate", GATES)
def test_blocks_weights_and_dask(gate):
    da = pytest.importorskip("dask.array")
    X, y = planes(120)
    w = np.arange(120) % 3 + 1.0
    settings = {"gate": gate, "n_init": 1, "random_state": 0, "max_iter": 1000}
    memory = BayesianMixtureOfExperts(2, **settings).fit(X, y, sample_weight=w)
    cuts = [slice(0, 50), slice(50, 120)]
    blocks = BayesianMixtureOfExperts(2, **settings).fit_blocks([(X[c], y[c], w[c]) for c in cuts])
    assert_allclose(blocks.coef_, memory.coef_, rtol=1e-7)
    cluster = BayesianMixtureOfExperts(2, **settings).fit(
        da.from_array(X, chunks=(50, 3)), da.from_array(y, chunks=50), da.from_array(w, chunks=50)
    )
    assert_allclose(cluster.coef_, memory.coef_, rtol=1e-7)
    repeated = BayesianMixtureOfExperts(2, **settings).fit(
        np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    )
    order, other = np.argsort(memory.coef_[:, 0]), np.argsort(repeated.coef_[:, 0])
    assert_allclose(memory.coef_[order], repeated.coef_[other], rtol=1e-6)


def test_units_do_not_matter():
    X, y = planes(150)
    settings = {"random_state": 0, "max_iter": 2000}
    plain = BayesianMixtureOfExperts(2, **settings).fit(X, y).predict(X)
    scaled = BayesianMixtureOfExperts(2, **settings).fit(1e3 * X + 5e4, 1e-3 * y - 7).predict(1e3 * X + 5e4)
    assert_allclose((scaled + 7) * 1e3, plain, rtol=1e-4, atol=1e-5)


def test_an_answer_is_explained_by_experts_and_columns():
    X, y = planes(150)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BayesianMixtureOfExperts(2, random_state=0).fit(frame, y)
    explanation = model.explain(frame.iloc[[3]])
    experts, terms = explanation.sections
    assert_allclose(sum(line[1] for line in experts.rows), 1)
    assert_allclose(sum(line[1] * line[2] for line in experts.rows), explanation.answer)
    assert_allclose(sum(line[3] for line in terms.rows), experts.rows[0][2])
    table = model.explain(frame.iloc[:4]).to_frame()
    assert_allclose(table[["base", "a", "b", "c"]].sum(axis=1), model.predict(frame.iloc[:4]))
    assert "expert 1" in str(model.show())


@pytest.mark.parametrize("gate", GATES)
def test_a_model_file_gives_the_model_back(tmp_path, gate):
    X, y = planes(80)
    model = BayesianMixtureOfExperts(2, gate=gate, random_state=0, max_iter=1000).fit(X, y)
    save(model, tmp_path / "model.assay")
    back = load(tmp_path / "model.assay")
    assert (back.predict(X) == model.predict(X)).all()
    assert (back.predict_interval(X) == model.predict_interval(X)).all()


def test_what_cannot_be_learned_is_refused():
    X, y = planes(20)
    with pytest.raises(DataError, match="one target"):
        BayesianMixtureOfExperts().fit(X, np.column_stack([y, y]))
    with pytest.raises(DataError, match="n_samples = 1"):
        BayesianMixtureOfExperts().fit(X[:1], y[:1])
    constant = BayesianMixtureOfExperts(2, random_state=0).fit(X, np.ones(20))
    assert_allclose(constant.predict(X), 1, atol=1e-6)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_targets_whose_squares_overflow_are_refused(gate, size):
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = size * np.where(np.arange(30) % 2, 1.0, -1.0)
    with pytest.raises(DataError, match="sums of their squares are no finite numbers"):
        BayesianMixtureOfExperts(gate=gate).fit(X, y)
