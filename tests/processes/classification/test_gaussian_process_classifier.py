"""Gaussian process classification: oracles, scikit-learn's behaviour, weights, explanations, model files."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import GaussianProcessClassifier as Peer
from sklearn.gaussian_process.kernels import RBF as PeerRBF
from sklearn.gaussian_process.kernels import CompoundKernel

import assay
from assay.core.persistence import load, save
from assay.errors import DataError, DegenerateError, ParameterError
from assay.kernels import RBF, ConstantKernel, DotProduct, MixedKernel
from assay.processes import GaussianProcessClassifier
from assay.tables.data import load_iris

LINE, SIDES = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])

X = np.linspace(0, 10, 30)[:, None]
Q = np.array([[2.0], [4.0], [5.5], [6.5], [7.5]])
WAVE = np.sin(X).ravel()
y = (WAVE > 0).astype(int)
y3 = np.digitize(WAVE, [-0.35, 0.35])
FIXED = RBF(1.0, "fixed")
FREE = [
    RBF(0.1),
    RBF(1.0, (1e-3, 1e3)),
    ConstantKernel(1.0, (1e-2, 1e2)) * RBF(1.0, (1e-3, 1e3)),
]


@pytest.mark.capability("IML-16-25")
def test_worked_example():
    """Oracle: the printed numbers of the worked example with K = 4 exp(-d^2 / 2)."""
    model = GaussianProcessClassifier(4.0 * RBF(1.0), optimizer=None).fit(LINE, SIDES)
    process = model.base_estimator_
    assert_allclose(process.f_cached, [-1.35057061, -1.25647230, 1.25647230, 1.35057061], atol=5e-9)
    assert_allclose(model.log_marginal_likelihood_value_, -2.48299308, atol=5e-9)
    mean, variance = model.latent_mean_and_variance([[0.5], [1.5]])
    assert_allclose(mean, [0.72549193, 1.46782846], atol=5e-9)
    assert_allclose(variance, [2.58227246, 1.98708272], atol=5e-9)
    p = model.predict_proba([[0.5], [1.5], [0.0], [6.0]])[:, 1]
    assert_allclose(
        p[:2], [0.62188536, 0.74701164], atol=1.5e-8
    )  # the mixture of normal curves is good to 6e-9
    assert_allclose(p[2], 0.5, atol=1e-15)
    assert_allclose(p[3], 0.50004, atol=5e-6)
    quick = clone(model).set_params(predictive="probit").fit(LINE, SIDES).predict_proba([[0.5], [1.5]])[:, 1]
    assert_allclose(quick, [0.62508939, 0.75027572], atol=5e-9)


def test_few_parameters_are_first_chosen_on_a_quarter_of_few_rows():
    """Two parameters on 50 of 200 rows; six want 150 rows, and are chosen on all 200 at once."""
    random = np.random.default_rng(0)
    A = random.normal(size=(200, 5))
    b = np.sin(2 * A[:, 0]) + A[:, 1] * A[:, 2] + 0.5 * random.normal(size=200) > 0
    spent = {}
    for scale in (1.0, np.ones(5)):
        model = GaussianProcessClassifier(1.0 * RBF(scale)).fit(A, b)
        spent[np.ndim(scale)] = model.processes_[0].choice.evaluations
        at_bound = np.isclose(model.kernel_.theta, model.kernel_.bounds.T, atol=1e-9).any(axis=0)
        _, slope = model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)
        assert (np.abs(slope) < 0.02)[~at_bound].all()
    assert spent[0] <= 7 < spent[1]


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
@pytest.mark.parametrize("classes", [2, 3])
def test_same_answers_as_scikit_learn(classes, multi_class):
    """Peer: GaussianProcessClassifier, scikit-learn 1.9, on flowers, with parameters chosen by the evidence.

    Its probabilities are 1e-3 off (five error functions for the logistic curve), and so are ours from theirs. The
    evidence of one of three classes has two maxima, and the searches end in different ones: classes are compared.
    """
    A, b = (np.asarray(part) for part in load_iris())
    keep = np.isin(b, np.unique(b)[-classes:])
    A, b = A[keep][::2], b[keep][::2]
    ours = GaussianProcessClassifier(1.0 * RBF(1.0), multi_class=multi_class).fit(A, b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parameters at their bounds
        peer = Peer(1.0 * PeerRBF(1.0), multi_class=multi_class).fit(A, b)
    assert_array_equal(ours.predict(A), peer.predict(A))
    if multi_class == "one_vs_rest":
        fixed = GaussianProcessClassifier(3.0 * RBF(2.0), optimizer=None).fit(A, b)
        theirs = Peer(3.0 * PeerRBF(2.0), optimizer=None).fit(A, b)
        assert_allclose(fixed.predict_proba(A), theirs.predict_proba(A), atol=1e-3)
        assert_allclose(fixed.log_marginal_likelihood(), theirs.log_marginal_likelihood(), rtol=1e-9)
    if classes == 2:
        assert ours.log_marginal_likelihood() >= peer.log_marginal_likelihood() - 1e-3
        assert_allclose(ours.kernel_.theta, peer.kernel_.theta, atol=0.02)
        for mine, its in zip(ours.latent_mean_and_variance(A), peer.latent_mean_and_variance(A)):
            assert_allclose(mine, its, rtol=0.02, atol=0.02)


# What scikit-learn's own tests of its classifier ask for


@pytest.mark.parametrize("kernel", [FIXED, *FREE])
def test_predict_consistent_with_probabilities(kernel):
    model = GaussianProcessClassifier(kernel).fit(X, y)
    assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > 0.5)
    mean, variance = model.latent_mean_and_variance(X)
    assert mean.shape == variance.shape == (30,)
    assert (variance >= 0).all()


def drawn_classes(random, n, K):
    """Rows, scores drawn from the process, and classes drawn from them."""
    rows = random.uniform(-3, 3, size=(n, 1))
    L = np.linalg.cholesky(2.0 * RBF(1.0)(rows) + 1e-8 * np.eye(n))
    f = L @ random.normal(size=(n, K))
    p = softmax(f, axis=1) if K > 1 else np.column_stack([1 - expit(f), expit(f)])
    return rows, f, (random.uniform(size=n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)


def test_intervals_of_the_log_odds_hold_the_truth():
    """Log odds drawn from the process: 95 % intervals of its approximation hold 93 to 97 % of 3,000 of them."""
    random, inside = np.random.default_rng(0), []
    for _ in range(150):
        rows, f, classes = drawn_classes(random, 80, 1)
        model = GaussianProcessClassifier(ConstantKernel(2.0) * RBF(1.0), optimizer=None)
        mean, variance = model.fit(rows[:60], classes[:60]).latent_mean_and_variance(rows[60:])
        inside.append(np.abs(f[60:, 0] - mean) < 1.96 * np.sqrt(variance))
    assert 0.93 < np.mean(inside) < 0.97


def test_intervals_of_the_scores_of_several_classes_hold_the_truth():
    random, inside = np.random.default_rng(0), []
    for _ in range(100):
        rows, f, classes = drawn_classes(random, 80, 3)
        if len(np.unique(classes[:60])) < 3:
            continue
        model = GaussianProcessClassifier(2.0 * RBF(1.0), optimizer=None, multi_class="softmax")
        mean, variance = model.fit(rows[:60], classes[:60]).latent_mean_and_variance(rows[60:])
        inside.append(np.abs(f[60:] - mean) < 1.96 * np.sqrt(variance))
    assert 0.93 < np.mean(inside) < 0.97


@pytest.mark.parametrize(("K", "multi_class"), [(1, "one_vs_rest"), (3, "softmax")])
def test_probabilities_are_as_often_right_as_they_say(K, multi_class):
    """New rows with a probability of about p for a class have it in a share p, or are a little surer than they say.

    The mode of skew log odds lies nearer to 0 than their mean, so that Laplace's approximation is too careful at the
    ends of the scale, more so with more classes.
    """
    random, said, came = np.random.default_rng(0), [], []
    for _ in range(300):
        rows, _, classes = drawn_classes(random, 60, K)
        if len(np.unique(classes[:40])) < max(K, 2):
            continue
        model = GaussianProcessClassifier(
            ConstantKernel(2.0) * RBF(1.0), optimizer=None, multi_class=multi_class
        )
        said.append(model.fit(rows[:40], classes[:40]).predict_proba(rows[40:]).ravel())
        came.append((classes[40:, None] == np.arange(max(K, 2))).ravel())
    p, hit = np.concatenate(said), np.concatenate(came)
    fifths = np.minimum((5 * p).astype(int), 4)
    off = np.array([hit[fifths == k].mean() - p[fifths == k].mean() for k in range(5)])
    assert np.abs(off[1:4]).max() < 0.04
    assert -0.05 < off[0] < 0.02 and -0.02 < off[4] < 0.05


@pytest.mark.parametrize("kernel", FREE)
def test_evidence_improves_to_a_local_maximum(kernel):
    model = GaussianProcessClassifier(kernel).fit(X, y)
    theta = model.kernel_.theta
    value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    assert value > model.log_marginal_likelihood(kernel.theta)
    assert_allclose(value, model.log_marginal_likelihood(), atol=1e-7)
    at_bound = np.isclose(theta, model.kernel_.bounds.T, atol=1e-9).any(axis=0)
    assert ((np.abs(gradient) < 1e-2) | at_bound).all()


@pytest.mark.parametrize("length_scale", [0.05, 0.5, 2.0, 30.0])
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_gradient_of_the_evidence(length_scale, multi_class):
    kernel = 1.7 * RBF([length_scale, 3.0]) + DotProduct(0.5)
    A = np.column_stack([X[:, 0], np.cos(3 * X[:, 0])])
    model = GaussianProcessClassifier(kernel, multi_class=multi_class, optimizer=None).fit(A, y3)
    theta = kernel.theta
    _, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    steps = 1e-4 * np.eye(len(theta))
    up, down = ([model.log_marginal_likelihood(theta + sign * step) for step in steps] for sign in (1, -1))
    assert_allclose(gradient, np.subtract(up, down) / 2e-4, rtol=1e-4, atol=1e-4)


def test_more_starts_never_end_lower():
    rng = np.random.RandomState(0)
    A = rng.randn(25, 2) * 2 - 1
    b = (np.sin(A).sum(axis=1) + np.sin(3 * A).sum(axis=1)) > 0
    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * RBF([1e-3, 1e-3], [(1e-4, 1e2)] * 2)
    values = [
        GaussianProcessClassifier(kernel, n_restarts_optimizer=k, random_state=0)
        .fit(A, b)
        .log_marginal_likelihood()
        for k in range(4)
    ]
    assert (np.diff(values) > -1e-7).all()


def test_own_optimizer():
    def optimizer(objective, initial, bounds):
        rng = np.random.RandomState(0)
        tried = [initial] + [
            rng.uniform(np.maximum(-2, bounds[:, 0]), np.minimum(1, bounds[:, 1])) for _ in range(10)
        ]
        values = [objective(theta, eval_gradient=False) for theta in tried]
        return tried[int(np.argmin(values))], min(values)

    model = GaussianProcessClassifier(FREE[2], optimizer=optimizer).fit(X, y3)
    assert len(model.kernel_.theta) == 6  # those of three processes
    chosen = model.log_marginal_likelihood(model.kernel_.theta)
    assert chosen >= model.log_marginal_likelihood(FREE[2].theta)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_several_classes(multi_class):
    model = GaussianProcessClassifier(FREE[2], multi_class=multi_class).fit(X, y3)
    p = model.predict_proba(Q)
    assert_allclose(p.sum(axis=1), 1)
    assert_array_equal(p.argmax(axis=1), model.predict(Q))
    assert model.score(X, y3) > 0.95
    again = GaussianProcessClassifier(FREE[2], multi_class=multi_class, n_jobs=2).fit(X, y3)
    assert_array_equal(again.predict_proba(Q), p)
    mean, variance = model.latent_mean_and_variance(Q)
    assert mean.shape == variance.shape == (5, 3)


def test_pairs_have_no_probabilities():
    model = GaussianProcessClassifier(FIXED, multi_class="one_vs_one").fit(X, y3)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as error:
        model.predict_proba(Q)
    assert "one_vs_one multi-class mode does not support" in str(error.value.__cause__)
    explanation = model.explain(Q[:1])
    assert explanation.answer == model.predict(Q[:1])[0]
    assert "log odds of 1 against 0" in str(explanation)


# Beyond scikit-learn's


def test_softmax_of_two_classes_with_half_the_kernel_is_the_binary_model():
    """Scores f_0 and f_1 of variance k make log odds of variance 2 k."""
    from assay.processes.classification.softmax_laplace import find_softmax_mode

    mode = find_softmax_mode((2.0 * RBF(1.0))(LINE), np.eye(2)[SIDES])
    binary = GaussianProcessClassifier(4.0 * RBF(1.0), optimizer=None).fit(LINE, SIDES).base_estimator_
    assert_allclose(mode.f[:, 1] - mode.f[:, 0], binary.f_cached, atol=1e-8)
    assert_allclose(mode.log_evidence, binary.mode.log_evidence, atol=1e-9)


def test_softmax_evidence_and_covariance_by_the_full_matrices():
    from assay.processes.classification.softmax_laplace import find_softmax_mode, latent_covariance

    rng = np.random.default_rng(1)
    n, K = 12, 3
    A, t, w = rng.normal(size=(n, 2)), np.eye(K)[rng.integers(0, K, n)], rng.uniform(0.5, 2, n)
    kernel = 1.7 * RBF([1.1, 0.7])
    C = kernel(A)
    mode = find_softmax_mode(C, t, w)
    whole, W = np.kron(np.eye(K), C), np.zeros((n * K, n * K))
    for i in range(n):
        places = i + n * np.arange(K)
        W[np.ix_(places, places)] = w[i] * (np.diag(mode.pi[i]) - np.outer(mode.pi[i], mode.pi[i]))
    fit = w @ np.log((t * mode.pi).sum(axis=1)) - 0.5 * np.sum(mode.a * mode.f)
    evidence = fit - 0.5 * np.linalg.slogdet(np.eye(n * K) + whole @ W)[1]
    assert_allclose(mode.log_evidence, evidence, atol=1e-9)
    k = kernel(A, [[0.3, 0.1]])
    ks = np.kron(np.eye(K), k)
    covariance = np.eye(K) * 1.7 - ks.T @ np.linalg.solve(np.eye(n * K) + W @ whole, W) @ ks
    assert_allclose(latent_covariance(mode.E, mode.L, k, np.array([1.7]))[0], covariance, atol=1e-10)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_leave_one_out_is_close_to_fits_without_each_row(multi_class):
    kernel = 2.0 * RBF(0.8)
    model = GaussianProcessClassifier(kernel, optimizer=None, multi_class=multi_class).fit(X, y3)
    left_out = model.leave_one_out()
    each = [
        clone(model).fit(np.delete(X, i, 0), np.delete(y3, i)).predict_proba(X[i : i + 1])[0]
        for i in range(len(X))
    ]
    assert_allclose(left_out, each, atol=0.03)
    assert np.abs(left_out - model.predict_proba(X)).max() > 0.1  # which saw the rows


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_weights_count_rows_and_zero_leaves_them_out(multi_class):
    w = np.random.default_rng(0).integers(0, 3, len(X))
    kernel = 2.0 * RBF(0.8)
    made = GaussianProcessClassifier(kernel, multi_class=multi_class)
    weighted = clone(made).fit(X, y3, sample_weight=w)
    repeated = clone(made).fit(np.repeat(X, w, 0), np.repeat(y3, w))
    assert_allclose(weighted.predict_proba(Q), repeated.predict_proba(Q), atol=2e-4)
    few = clone(made).set_params(optimizer=None).fit(X[w > 0], y3[w > 0])
    without = clone(made).set_params(optimizer=None).fit(X, y3, sample_weight=(w > 0).astype(float))
    assert_allclose(without.predict_proba(Q), few.predict_proba(Q), rtol=1e-12)
    assert without.leave_one_out().shape == (30, 3)


def test_separable_data_and_duplicates_stay_finite():
    A = np.repeat(LINE, 5, axis=0)
    model = GaussianProcessClassifier(1.0 * RBF(1.0)).fit(A, np.repeat(SIDES, 5))
    p = model.predict_proba([[-2.0], [0.0], [2.0]])
    assert np.isfinite(p).all()
    assert_allclose(p[1], 0.5, atol=1e-9)
    assert p[2, 1] > 0.7  # the evidence likes steep curves, about which little is known


def test_sparse_and_dense_rows_have_the_same_answers():
    dense = GaussianProcessClassifier(FIXED).fit(X, y)
    sparse = GaussianProcessClassifier(FIXED).fit(scipy.sparse.csr_matrix(X), y)
    for model, rows in (
        (sparse, Q),
        (sparse, scipy.sparse.csr_matrix(Q)),
        (dense, scipy.sparse.csr_matrix(Q)),
    ):
        assert_allclose(model.predict_proba(rows), dense.predict_proba(Q), rtol=1e-9)
        assert_array_equal(model.predict(rows), dense.predict(Q))
    assert "class" in str(sparse.explain(Q[:1]))


def test_warm_start_ends_where_a_cold_one_does():
    cold = GaussianProcessClassifier(FIXED).fit(X, y)
    warm = GaussianProcessClassifier(FIXED, warm_start=True).fit(X, y)
    again = warm.fit(X, y).base_estimator_.mode
    assert again.iterations < cold.base_estimator_.mode.iterations
    assert_allclose(again.f, cold.base_estimator_.f_cached, atol=1e-8)


def test_map_selection_keeps_parameters_of_flat_evidence_near_the_prior():
    A = np.column_stack([X[:, 0], np.random.default_rng(0).normal(size=30)])  # the second column says nothing
    kernel = 1.0 * RBF([1.0, 1.0])
    evidence = GaussianProcessClassifier(kernel).fit(A, y).kernel_.theta
    prior = GaussianProcessClassifier(kernel, selection="map").fit(A, y).kernel_.theta
    assert np.exp(prior[2]) < 0.5 * np.exp(evidence[2])


def test_mixed_tables_with_missing_values():
    import pandas as pd

    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=60), "colour": rng.choice(["red", "green"], 60)})
    labels = np.where((table["size"] > 0) ^ (table["colour"] == "red"), "yes", "no")
    table.loc[3, "size"] = np.nan
    model = GaussianProcessClassifier(4.0 * MixedKernel()).fit(table, labels)
    assert model.score(table, labels) > 0.9
    text = str(model.explain(table.iloc[[5]]))
    assert "Training rows by what they contribute" in text
    assert "log odds of yes" in text


def test_explanation_adds_up_to_the_latent_mean():
    model = GaussianProcessClassifier(1.0 * RBF(0.7) + 0.5 * DotProduct(1.0)).fit(X, y)
    explanation = model.explain(Q[:1])
    scores, rows, terms, _ = explanation.sections
    mean, variance = model.latent_mean_and_variance(Q[:1])
    assert_allclose(scores.rows[0][1:], [mean[0], np.sqrt(variance[0])])
    assert_allclose(sum(line[1] for line in terms.rows), mean[0])
    assert len(rows.rows) == 8
    shown = str(model.show())
    assert "log evidence" in shown
    assert "converged after" in shown


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one", "softmax"])
def test_model_files(tmp_path, multi_class):
    model = GaussianProcessClassifier(1.0 * RBF(0.7), multi_class=multi_class).fit(X, y3)
    save(model, tmp_path / "m.assay")
    for copy in (load(tmp_path / "m.assay"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(copy.predict(Q), model.predict(Q))
        for ours, its in zip(copy.latent_mean_and_variance(Q), model.latent_mean_and_variance(Q)):
            assert_array_equal(ours, its)
        evidence = copy.log_marginal_likelihood(model.kernel_.theta)
        assert_allclose(evidence, model.log_marginal_likelihood(), rtol=1e-8)


@pytest.mark.parametrize(
    ("made", "labels", "weight", "words"),
    [
        ({}, np.zeros(30), None, "requires 2 or more distinct classes.*only class 0"),
        ({}, y, np.where(y == 1, 0.0, 1.0), "requires 2 or more distinct classes.*only class 0"),
        ({}, y3, np.where(y3 == 1, 0.0, 1.0), "no row with a weight above 0: 1"),
        ({"kernel": CompoundKernel([])}, y, None, "kernel cannot be a CompoundKernel"),
        ({"kernel": "precomputed"}, y, None, "no values of new rows with themselves"),
        ({"multi_class": "ovr"}, y, None, "multi_class must be"),
    ],
)
def test_wrong_input_gets_a_sentence(made, labels, weight, words):
    with pytest.raises((DataError, ParameterError), match=words):
        GaussianProcessClassifier(**made).fit(X, labels, sample_weight=weight)


def test_indefinite_kernels_are_refused():
    with pytest.raises(ValueError, match="negative eigenvalues"):
        GaussianProcessClassifier(lambda A, B: -9.0 * (A @ B.T)).fit(X, y)


def test_wrong_theta_is_refused():
    model = GaussianProcessClassifier(FREE[2]).fit(X, y3)
    with pytest.raises(ParameterError, match="must be either 2 or 6"):
        model.log_marginal_likelihood(np.zeros(3))
    with pytest.raises(ParameterError, match="Gradient can only be evaluated"):
        model.log_marginal_likelihood(eval_gradient=True)


def test_a_mode_that_was_not_reached_is_told():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = GaussianProcessClassifier(multi_class="softmax")
    with pytest.warns(ConvergenceWarning, match="Divide the sample weights by their mean"):
        model.fit(X, y, sample_weight=np.full(30, 1e10))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y, sample_weight=np.full(30, 1e8))  # far from usual, but reached


@pytest.mark.parametrize("weight", [1e8, 1e12])
def test_large_weights_have_a_mode_that_the_classes_fix(weight):
    """A factor in float32 has no digits left for them; that in float64 has."""
    X, y = (np.asarray(part) for part in load_iris())
    heavy = GaussianProcessClassifier(optimizer=None).fit(
        X[:140], y[:140], sample_weight=np.full(140, weight)
    )
    assert np.mean(heavy.predict(X[:140]) == y[:140]) > 0.95


def test_weights_beyond_the_arithmetic_are_named():
    X, y = (np.asarray(part) for part in load_iris())
    with pytest.raises(DegenerateError, match=r"sample weights as large as .* Divide them by their mean"):
        GaussianProcessClassifier(optimizer=None).fit(X, y, sample_weight=np.full(150, 1e300))


def test_a_softmax_whose_spread_contradicts_its_mode_warns_and_answers_by_the_mode(tmp_path):
    X, y = (np.asarray(part) for part in load_iris())
    model = GaussianProcessClassifier(1e6 * RBF(1.0), multi_class="softmax", optimizer=None)
    with pytest.warns(ConvergenceWarning, match="Laplace's approximation does not hold"):
        model.fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.98
    p = model.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert p.max() < 0.6  # scores of 13 beside a spread of 1000
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").predict_proba(X), p, rtol=0)


@pytest.mark.parametrize("variance", [1e8, 1e10, 1e12])
def test_a_softmax_of_any_variance_finds_its_mode(variance):
    """Newton's steps from 0 have no digits there, those from the mode of a smaller variance have."""
    X, y = (np.asarray(part)[::2] for part in load_iris())
    model = GaussianProcessClassifier(variance * RBF(1.0), multi_class="softmax", optimizer=None)
    with pytest.warns(ConvergenceWarning, match="Laplace's approximation does not hold"):
        model.fit(X, y)
    mode = model.processes_[0].mode
    assert mode.converged and np.mean(model.predict(X) == y) > 0.98
    assert_allclose(mode.pi + mode.a, model.processes_[0].t, atol=1e-8)  # the gradient vanishes


def test_a_kernel_made_for_the_table_takes_it_as_it_is(tmp_path):
    """One length scale for each column of numbers, and one part for categories and columns with gaps."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": 1000 * random.normal(size=80),
            "city": random.choice(["Bern", "Rome", "Oslo"], 80),
            "age": random.normal(size=80),
        }
    )
    inside = (table["city"] == "Rome") | (table["size"] > 800)
    table.loc[3, "age"] = np.nan
    model = GaussianProcessClassifier("auto", selection="map").fit(table, np.where(inside, "in", "out"))
    assert "Matern" in str(model.kernel_) and "MixedKernel" in str(model.kernel_)
    assert "White" not in str(model.kernel_)  # classes have no noise of their own
    assert model.score(table, np.where(inside, "in", "out")) > 0.97
    query = table.iloc[:2].copy()
    query["size"] = [np.nan, table["size"].mean()]  # what no training row lacks is taken as their mean
    query.loc[:, ["city", "age"]] = table.loc[0, ["city", "age"]].to_numpy()
    p = model.predict_proba(query)
    assert_allclose(p[0], p[1])
    save(model, tmp_path / "model.assay")
    assert_array_equal(load(tmp_path / "model.assay").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("multi_class", ["two", "one_vs_rest", "one_vs_one", "softmax"])
@pytest.mark.parametrize(
    "kernel", [2.0 * RBF([0.7, 2.0]), RBF(1.0) + DotProduct(0.5)], ids=["distance", "sum"]
)
def test_derivatives_of_the_scores(multi_class, kernel):
    """Twin: central differences of means and variances."""
    A = np.column_stack([X[:, 0], np.cos(3 * X[:, 0])])
    settings = {} if multi_class == "two" else {"multi_class": multi_class}
    model = GaussianProcessClassifier(kernel, optimizer=None, **settings).fit(A, y3 if settings else y)
    at = np.array([[2.3, 0.1], [4.7, -0.5], [20.0, 3.0]])
    means, spreads = model.predict_gradient(at)
    assert means.shape == spreads.shape == ((3, 2, 3) if settings else (3, 2))
    for j in range(2):
        step = 1e-5 * np.eye(2)[j]
        high, low = (model.latent_mean_and_variance(at + side * step) for side in (1, -1))
        assert_allclose(means[:, j], (high[0] - low[0]) / 2e-5, rtol=1e-5, atol=1e-7)
        assert_allclose(spreads[:, j], (high[1] - low[1]) / 2e-5, rtol=1e-4, atol=1e-6)


def test_derivatives_are_of_tables_of_numbers():
    sparse = GaussianProcessClassifier(RBF(), optimizer=None).fit(scipy.sparse.csr_matrix(X), y)
    with pytest.raises(DataError, match="dense tables of numbers"):
        sparse.predict_gradient(X[:2])
    gaps = np.where(np.arange(30)[:, None] == 3, np.nan, X)
    with pytest.raises(DataError, match="without gaps"):
        GaussianProcessClassifier(MixedKernel(), optimizer=None).fit(gaps, y).predict_gradient([[np.nan]])
    with pytest.raises(NotFittedError):
        GaussianProcessClassifier().predict_gradient(X)
