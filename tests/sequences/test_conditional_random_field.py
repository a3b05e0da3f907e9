"""Conditional random field: the objective by enumeration, its gradient, CRFsuite's answers, inputs of all kinds."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import DataError, ParameterError
from assay.optimize.orthantwise import orthantwise
from assay.sequences import ConditionalRandomField, Sequences, _features
from assay.sequences.conditional_random_field import _Loss
from assay.sequences.features import features_of

rng = np.random.default_rng(0)
TEXT = [
    "the/D old/A dog/N saw/V a/D cat/N",
    "a/D man/N walks/V",
    "we/P saw/V the/D man/N walk/V the/D dog/N",
    "old/A men/N walk/V",
    "the/D saw/N is/V old/A",
    "they/P walk/V",
]


def rows_of(line):
    words = [pair.split("/")[0] for pair in line.split()]
    return [
        {"word": word, "ends": word[-1], "before": words[t - 1] if t else "-", "length": len(word) / 4}
        for t, word in enumerate(words)
    ]


X, Y = [rows_of(line) for line in TEXT], [[pair.split("/")[1] for pair in line.split()] for line in TEXT]


def test_native_scores_and_gradients_are_sparse_products():
    for L in (2, 9, 40):
        rows, names, _ = features_of(X)
        n, F = len(rows.begin) - 1, len(names)
        dense = np.zeros((n, F))
        for t in range(n):
            for i in range(rows.begin[t], rows.begin[t + 1]):
                dense[t, rows.feature[i]] += rows.value[i]
        W, R = rng.normal(size=(F, L)), rng.normal(size=(n, L))
        S, G = np.empty((n, L)), np.ones((F, L))
        _features.scores(rows.begin, rows.feature, rows.value, W, S)
        _features.gradient(rows.begin, rows.feature, rows.value, R, G)
        assert_allclose(S, dense @ W, atol=1e-12)
        assert_allclose(G, 1 + dense.T @ R, atol=1e-12)


def test_likelihood_and_marginals_equal_sums_over_all_labellings():
    model = ConditionalRandomField(c2=0.3, all_possible_states=True, all_possible_transitions=True).fit(X, Y)
    offsets, frames, _, _ = model._potentials(X[1:2], None)
    scores, L = frames.logs()[:, : len(model.classes_)], len(model.classes_)
    T = len(scores)
    paths = list(product(range(L), repeat=T))
    points = np.array(
        [
            sum(scores[t, k] for t, k in enumerate(path))
            + sum(model.transitions_[a, b] for a, b in pairwise(path))
            for path in paths
        ]
    )
    logs = points - logsumexp(points)
    wanted = tuple(model.classes_.tolist().index(label) for label in Y[1])
    assert_allclose(model.log_likelihoods(X[1:2], Y[1:2])[0], logs[paths.index(wanted)], rtol=1e-10)
    assert_array_equal(model.predict(X[1:2]), model.classes_[list(paths[int(logs.argmax())])])
    marginals = np.zeros((T, L))
    for path, p in zip(paths, np.exp(logs)):
        marginals[np.arange(T), path] += p
    assert_allclose(model.predict_proba(X[1:2]), marginals, atol=1e-10)
    explained = model.explain(X[1:2])
    assert explained.answer == " ".join(model.predict(X[1:2]))
    assert_allclose(explained.row["log probability"], logs.max(), rtol=1e-9)
    total = -model.log_likelihoods(X, Y).sum()
    penalty = 0.3 * (np.sum(model.coef_**2) + np.sum(model.transitions_**2))
    assert_allclose(model.objective_, total + penalty, rtol=1e-10)
    assert offsets[-1] == T


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.0, 1.5, 1.0, 3.0])])
def test_gradient_is_that_of_the_value(weights):
    rows, names, _ = features_of(X)
    labels = np.unique([label for part in Y for label in part])
    codes = np.searchsorted(labels, [label for part in Y for label in part])
    loss = _Loss(rows, codes, len(labels), len(names), weights, ConditionalRandomField(c2=0.1))
    at = 0.3 * rng.normal(size=loss.size)
    assert check_grad(lambda w: loss.value_gradient(w)[0], lambda w: loss.value_gradient(w)[1], at) < 1e-4


@pytest.mark.parametrize(
    ("c1", "c2", "loss", "active"), [(0.5, 0.1, 18.913002, 27), (1.0, 0.0, 25.203147, 19)]
)
def test_absolute_penalty_ends_where_crfsuite_does(c1, c2, loss, active):
    """Peer: python-crfsuite, lbfgs with c1, run to rest, written down; weights of 0 are not counted as active."""
    model = ConditionalRandomField(c1=c1, c2=c2, tol=1e-12).fit(X, Y)
    assert_allclose(model.objective_, loss, rtol=1e-5)
    weights = np.concatenate([model.coef_.ravel(), model.transitions_.ravel()])
    assert (weights != 0).sum() <= active
    at = -model.log_likelihoods(X, Y).sum() + c1 * np.abs(weights).sum() + c2 * np.sum(weights**2)
    assert_allclose(model.objective_, at, rtol=1e-10)


def test_absolute_penalty_ends_where_no_weight_wants_to_move():
    """The derivatives of the smooth part: -c1 sign(w) where a weight is not 0, within -c1 to c1 where it is."""
    rows, names, _ = features_of(X)
    flat = [label for part in Y for label in part]
    labels = np.unique(flat)
    loss = _Loss(
        rows, np.searchsorted(labels, flat), len(labels), len(names), None, ConditionalRandomField(c2=0.1)
    )
    w = orthantwise(loss, np.zeros(loss.size), 0.7, tol=1e-7, max_iter=5000).w
    g = loss.value_gradient(w)[1]
    assert (w == 0).any() and (w != 0).any()
    assert_allclose(g[w != 0], -0.7 * np.sign(w[w != 0]), atol=1e-6)
    assert (np.abs(g[w == 0]) <= 0.7 + 1e-6).all()


def test_weights_of_sequences_are_copies():
    twice = ConditionalRandomField(c2=0.1, tol=1e-12).fit(X + X[:1], Y + Y[:1])
    weighed = ConditionalRandomField(c2=0.1, tol=1e-12).fit(X, Y, sample_weight=[2, 1, 1, 1, 1, 1])
    assert_allclose(weighed.objective_, twice.objective_, rtol=1e-9)


def test_same_optimum_as_crfsuite():
    """Peer: python-crfsuite 0.9.12 (CRFsuite 0.12, lbfgs), written down; the tests do not install it."""
    model = ConditionalRandomField(c2=0.1, tol=1e-12).fit(X, Y)
    some = {
        ("word:the", "D"): 1.654833,
        ("length", "N"): 0.025158,
        ("before:the", "N"): 0.84791,
    }
    assert_allclose(model.objective_, 5.919298, atol=2e-5)
    labels = model.classes_.tolist()
    for (feature, label), value in some.items():
        assert_allclose(model.coef_[model.features_.index(feature), labels.index(label)], value, atol=2e-3)
    assert_allclose(model.transitions_[labels.index("D"), labels.index("N")], 1.948896, atol=2e-3)
    assert (model.coef_ != 0).sum() == 47
    everything = ConditionalRandomField(
        c2=0.1, tol=1e-12, all_possible_states=True, all_possible_transitions=True
    ).fit(X, Y)
    assert_allclose(everything.objective_, 4.827857, atol=2e-5)
    assert_array_equal(model.predict(X), np.concatenate(Y))


def test_tables_lists_and_frames(tmp_path):
    state = np.repeat([0, 1, 0, 1, 0], 30)
    table = pd.DataFrame(
        {
            "who": np.repeat([0, 1, 2], 50),
            "t": np.tile(np.arange(50), 3),
            "x": state + 0.5 * rng.normal(size=150),
        }
    )
    table["kind"] = np.where(rng.random(150) < 0.8, np.where(state, "up", "down"), None)
    S = Sequences.of(table, id="who", order="t")
    model = ConditionalRandomField(c2=0.1).fit(S, state)
    assert model.features_ == ["bias", "x", "kind:down", "kind:up"]
    assert model.score(S, state) > 0.9
    assay.save(model, tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").predict_proba(S), model.predict_proba(S))
    listed = ConditionalRandomField().fit([[["a", "b"], ["c"]], [["c"]]], [["u", "v"], ["v"]])
    assert listed.features_ == ["a", "b", "c"]
    assert listed.predict([[["a"], ["c"], ["new"]]]).shape == (3,)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ConditionalRandomField(c2=-1).fit(X, Y), ParameterError, "c2 must be"),
        (lambda: ConditionalRandomField().fit(X, Y[:-1]), DataError, "6 sequences and y 5"),
        (
            lambda: ConditionalRandomField().fit(X, [part[:1] for part in Y]),
            DataError,
            "sequence 0 differs first",
        ),
        (
            lambda: ConditionalRandomField().fit([[{"a": np.nan}]], [["u"]]),
            DataError,
            "'a' of row 0 of sequence 0",
        ),
        (
            lambda: ConditionalRandomField().fit([[{"a": {}}]], [["u"]]),
            DataError,
            "is a dict, expected a number",
        ),
        (lambda: ConditionalRandomField().fit(X, Y, sample_weight=[1]), DataError, "sample_weight must be 6"),
        (
            lambda: ConditionalRandomField().fit(X, Y).log_likelihoods(X[:1], [["?"] * 6]),
            DataError,
            "'\\?' was not",
        ),
    ],
)
def test_what_does_not_fit_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_one_label_and_steps_that_do_not_suffice():
    alone = ConditionalRandomField().fit([[["a"], ["b"]]], [["u", "u"]])
    assert_array_equal(alone.predict([[["b"]]]), ["u"])
    with pytest.warns(ConvergenceWarning, match="stopped after 2 steps"):
        ConditionalRandomField(max_iter=2).fit(X, Y)
