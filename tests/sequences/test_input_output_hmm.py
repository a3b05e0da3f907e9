"""Models with inputs: input-output, Markov mixture of experts, autoregressive."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

import assay
from assay.errors import DataError, ParameterError
from assay.sequences import AutoregressiveHMM, GaussianHMM, InputOutputHMM, MarkovMixtureOfExperts

rng = np.random.default_rng(0)
ROWS = np.array([[0, 0.1], [1, 1.2], [2, 0.2], [1, 0.9]])  # input, output


def by_the_book(model=None):
    model = InputOutputHMM(2) if model is None else model
    model.startprob_ = np.array([0.5, 0.5])
    model.coef_, model.variances_ = np.array([[[0.0], [1.0]], [[2.0], [-1.0]]]), np.full((2, 1), 0.25)
    if isinstance(model, MarkovMixtureOfExperts):
        model.gates_ = np.array([[[0.5, 0.0], [1.0, -1.0]], [[0.0, 0.5], [-1.0, 1.0]]])
    else:
        model.transmat_ = np.array([[0.8, 0.2], [0.3, 0.7]])
    return model


@pytest.mark.capability("IML-15-14")
def test_input_output_oracle():
    # Oracle: IML 15.9.
    model = by_the_book()
    assert_allclose(model.score(ROWS), -2.99505155, atol=5e-9)
    gamma = model.predict_proba(ROWS)
    assert_allclose(gamma[:, 0], [0.99863655, 0.53422492, 0.00385858, 0.30192929], atol=5e-9)
    model.set_params(n_iter=1, init_params="", params="wc", min_covar=0.0).fit(ROWS)
    assert_allclose(model.coef_[:, 1, 0], [0.96755159, -0.81364104], atol=5e-9)
    assert_allclose(model.coef_[:, 0, 0], [0.10711806, 1.82964950], atol=5e-9)
    assert_allclose(model.variances_[:, 0], [0.01672364, 0.01353183], atol=5e-9)


@pytest.mark.capability("IML-15-14")
def test_without_slopes_it_is_the_gaussian_model():
    X = rng.normal(size=(50, 2))
    plain = GaussianHMM(3, random_state=0).fit(X[:, 1:])
    model = InputOutputHMM(3)
    model.startprob_, model.transmat_ = plain.startprob_, plain.transmat_
    model.coef_ = np.stack([plain.means_, np.zeros_like(plain.means_)], axis=1)
    model.variances_ = np.einsum("kii->ki", plain.covars_)
    assert_allclose(model.score(X), plain.score(X[:, 1:]), rtol=1e-12)


@pytest.mark.capability("IML-15-14")
def test_a_classifier_in_each_state():
    x, state = rng.uniform(-2, 2, 400), np.repeat([0, 1] * 4, 50)
    symbol = rng.random(400) < 1 / (1 + np.exp(-np.where(state == 0, 4 * x, -4 * x)))
    table = {"who": [0] * 400, "x": x, "y": np.where(symbol, "yes", "no")}
    X = assay.sequences.Sequences.of(table, id="who")
    model = InputOutputHMM(2, random_state=3, n_iter=60, tol=-np.inf).fit(X)
    history = [record["log_likelihood"] for record in model.history_]
    assert np.all(np.diff(history) > -1e-9)
    agree = np.mean(model.predict(X) == state)
    assert max(agree, 1 - agree) > 0.9
    slopes = np.sort(model.coef_[:, 1, 1] - model.coef_[:, 1, 0])
    assert slopes[0] < -2 and slopes[1] > 2


@pytest.mark.capability("IML-15-15")
def test_mixture_of_experts_oracle():
    # Oracle: IML 15.9.
    model = by_the_book(MarkovMixtureOfExperts(2))
    gates = model.transitions_at([0.0, 1.0])
    assert_allclose(gates[0], [[0.62245933, 0.37754067], [0.37754067, 0.62245933]], atol=5e-9)
    assert_allclose(gates[1], [[0.92414182, 0.07585818], [0.07585818, 0.92414182]], atol=5e-9)
    assert_allclose(model.score(ROWS), -2.71868560, atol=5e-9)
    assert_allclose(model.filter(ROWS)[-1], [0.01345645, 0.98654355], atol=5e-9)
    stream = model.stream()
    for row in ROWS:
        belief = stream.update(row)
    assert_allclose(belief, [0.01345645, 0.98654355], atol=5e-9)
    assert_allclose(stream.log_likelihood, -2.71868560, atol=5e-9)
    trellis = model.explain(ROWS).sections[0].rows
    assert [row[1] for row in trellis] == model.predict(ROWS).tolist()


@pytest.mark.capability("IML-15-15")
def test_gates_without_inputs_are_transitions():
    gates = by_the_book(MarkovMixtureOfExperts(2))
    A = np.array([[0.8, 0.2], [0.3, 0.7]])
    gates.gates_ = np.stack([np.log(A), np.zeros((2, 2))], axis=1)
    assert_allclose(gates.score(ROWS), by_the_book().score(ROWS), rtol=1e-12)


@pytest.mark.capability("IML-15-15")
def test_gates_are_learned_and_the_likelihood_never_falls(tmp_path):
    x = rng.uniform(-1, 1, 600)
    state = np.zeros(600, dtype=int)
    for t in range(1, 600):  # a positive input leads to state 1
        state[t] = int(x[t - 1] > 0) if rng.random() < 0.95 else state[t - 1]
    y = np.where(state == 0, 3.0, -3.0) + x + 0.3 * rng.normal(size=600)
    X = np.column_stack([x, y])
    model = MarkovMixtureOfExperts(2, random_state=0, n_iter=40, tol=-np.inf).fit(X)
    history = [record["log_likelihood"] for record in model.history_]
    assert np.all(np.diff(history) > -1e-8)
    high = int(np.argmin(model.coef_[:, 0, 0]))  # the state of -3
    assert (model.transitions_at([0.9])[0][:, high] > 0.8).all()
    assert (model.transitions_at([-0.9])[0][:, high] < 0.2).all()
    ahead = model.forecast(X, [0.5, 0.5])
    assert ahead.mean.shape == (2, 1) and ahead.states[1, high] > 0.8
    assay.save(model, tmp_path / "m.assay")
    assert assay.load(tmp_path / "m.assay").score(X) == model.score(X)
    outputs, _ = model.sample(x, random_state=0)
    assert outputs.shape == (600, 1)


@pytest.mark.capability("IML-15-16")
def test_order_zero_is_the_gaussian_model():
    X = rng.normal(size=(60, 2))
    plain = GaussianHMM(2, random_state=0).fit(X)
    model = AutoregressiveHMM(2, order=0)
    model.startprob_, model.transmat_ = plain.startprob_, plain.transmat_
    model.coef_, model.variances_ = plain.means_[:, None], np.einsum("kii->ki", plain.covars_)
    assert_allclose(model.score(X), plain.score(X), rtol=1e-12)
    assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.capability("IML-15-16")
def test_rows_depend_on_those_before_within_their_sequence():
    # By hand: one state, y_t = 0.5 y_t-1 + e, the first row of each sequence given.
    model = AutoregressiveHMM(1)
    model.startprob_, model.transmat_ = np.ones(1), np.ones((1, 1))
    model.coef_, model.variances_ = np.array([[[0.0], [0.5]]]), np.ones((1, 1))
    parts = [[1.0, 2.0, 0.5], [4.0, 2.0]]
    gaps = np.array([1.5, -0.5, 0.0])
    assert_allclose(model.score(parts), -0.5 * (gaps @ gaps) - 1.5 * np.log(2 * np.pi), rtol=1e-12)
    stream = model.stream()
    for value in parts[0]:
        stream.update([value])
    assert_allclose(stream.log_likelihood, -0.5 * (gaps[:2] @ gaps[:2]) - np.log(2 * np.pi), rtol=1e-12)


@pytest.mark.capability("IML-15-16")
def test_two_regimes_are_told_apart(tmp_path):
    y, state = [0.0, 0.1], np.repeat([0, 1, 0, 1], 100)
    for s in state:
        y.append((1.6 if s == 0 else -0.5) * y[-1] - (0.9 if s == 0 else 0.0) * y[-2] + rng.normal())
    X = np.array(y)
    model = AutoregressiveHMM(2, order=2, random_state=0, n_init=3).fit(X)
    agree = np.mean(model.predict(X)[2:] == state)
    assert max(agree, 1 - agree) > 0.9
    assert_allclose(np.sort(model.coef_[:, 1, 0]), [-0.5, 1.6], atol=0.15)
    ahead = model.forecast(X, 3)
    assert (ahead.low < ahead.mean).all() and (ahead.mean < ahead.high).all()
    drawn, states = model.sample(200, random_state=1, context=X[-2:])
    assert drawn.shape == (200, 1) and set(states) <= {0, 1}
    assay.save(model, tmp_path / "m.assay")
    assert assay.load(tmp_path / "m.assay").score(X) == model.score(X)


def test_densities_are_the_formula():
    rows = rng.normal(size=(7, 3))
    family = by_the_book().family_
    expected = rows[:, :1] @ family.coef[:, 1].T + family.coef[:, 0].T
    logs = -0.5 * (rows[:, [1]] - expected) ** 2 / 0.25 - 0.5 * np.log(2 * np.pi * 0.25)
    assert_allclose(family.log_density(rows[:, :2]), logs, rtol=1e-12)
    gates = by_the_book(MarkovMixtureOfExperts(2))
    logits = np.einsum("nq,iqj->nij", np.column_stack([np.ones(7), rows[:, 0]]), gates.gates_)
    assert_allclose(
        np.log(gates.transitions_at(rows[:, 0])), logits - logsumexp(logits, axis=2, keepdims=True)
    )


def test_missing_outputs_say_nothing_and_missing_inputs_of_gates_are_refused():
    gap = ROWS.copy()
    gap[2, 1] = np.nan
    model = by_the_book()
    alpha = model.filter(gap[:2])[-1] @ model.transmat_
    assert_allclose(model.filter(gap)[2], alpha, rtol=1e-12)
    gap[2, 0] = np.nan
    assert np.isfinite(model.score(gap))
    with pytest.raises(DataError, match="an input of row 2"):
        by_the_book(MarkovMixtureOfExperts(2)).score(gap)
    with pytest.raises(ParameterError, match="there is no column 'z'"):
        InputOutputHMM(2, inputs=["z"]).fit(ROWS)
    with pytest.raises(DataError, match="nothing to emit"):
        InputOutputHMM(2, inputs=[0, 1]).fit(ROWS)
