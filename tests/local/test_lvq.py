"""Learning vector quantisation: the worked steps, the rules by the book, and what it learns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

import assay.local._lvq as _lvq
from assay.local import LVQClassifier
from assay.local.lvq_classifier import ALGORITHMS

rng = np.random.default_rng(0)


def rule_of(kind, rate, X, window=0.2, epsilon=0.2):
    return _lvq.LVQRule(kind=ALGORITHMS.index(kind), rate=rate, window=window, epsilon=epsilon,
                        low=np.full(X.shape[1], -1e9), high=np.full(X.shape[1], 1e9))  # fmt: skip


def native(X, y, M, label, kind, rate, visits):
    M, rates = M.copy(), np.full(len(M), rate)
    _lvq.learn(X=X, y=y, weight=np.empty(0), order=np.arange(len(X)), M=M, label=label, rates=rates,
               rule=rule_of(kind, rate, X), begin=0, visits=visits)  # fmt: skip
    return M


def by_the_book(X, y, M, label, kind, rate, visits, window=0.2, epsilon=0.2):
    M, rates = M.copy(), np.full(len(M), rate)
    for t, (x, c) in enumerate(zip(X, y)):
        d = ((x - M) ** 2).sum(axis=1)
        eta = rate * max(0, 1 - t / visits)
        order = np.argsort(d, kind="stable")
        i, right = order[0], label[order[0]] == c
        sign = 1 if right else -1
        if kind == "lvq1":
            M[i] += sign * eta * (x - M[i])
        elif kind == "olvq1":
            M[i] += sign * rates[i] * (x - M[i])
            rates[i] = min(rates[i] / (1 + sign * rates[i]), rate)
        elif kind == "glvq":
            p = min(np.flatnonzero(label == c), key=lambda h: d[h])
            q = min(np.flatnonzero(label != c), key=lambda h: d[h])
            mu = (d[p] - d[q]) / (d[p] + d[q])
            slope = np.exp(-mu) / (1 + np.exp(-mu)) ** 2
            dp, dq = d[p], d[q]
            M[p] += 2 * eta * slope * dq / (dp + dq) * (x - M[p])
            M[q] -= 2 * eta * slope * dp / (dp + dq) * (x - M[q])
        else:
            j = order[1]
            also = label[j] == c
            inside = np.sqrt(d[i] / d[j]) > (1 - window) / (1 + window)
            if right != also and inside:
                M[i] += sign * eta * (x - M[i])
                M[j] -= sign * eta * (x - M[j])
            elif kind == "lvq3" and right and also:
                M[i] += epsilon * eta * (x - M[i])
                M[j] += epsilon * eta * (x - M[j])
    return M


@pytest.mark.capability("IML-12-25")
def test_the_two_worked_steps():
    """Printed: prototypes 0 of A and 4 of B, rate 0.1; x = 1 of A, then 1.5 of B: -0.04 and 4."""
    M, label = np.array([[0.0], [4.0]]), np.array([0, 1])
    first = native(np.array([[1.0]]), np.array([0]), M, label, "lvq1", 0.1, 10**9)
    assert_allclose(first, [[0.1], [4.0]])
    both = native(np.array([[1.0], [1.5]]), np.array([0, 1]), M, label, "lvq1", 0.1, 10**9)
    assert_allclose(both, [[-0.04], [4.0]], atol=1e-9)


@pytest.mark.parametrize("kind", ALGORITHMS)
def test_the_native_rule_is_that_of_the_book(kind):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    M, label = rng.normal(size=(7, 3)), np.array([0, 0, 1, 1, 1, 2, 2])
    assert_allclose(
        native(X, y, M, label, kind, 0.3, 100), by_the_book(X, y, M, label, kind, 0.3, 100), rtol=1e-12
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_learns_wine_and_iris(algorithm):
    for load in (load_iris, load_wine):
        X, y = load(return_X_y=True)
        model = LVQClassifier(algorithm=algorithm, random_state=0).fit(scale(X)[::2], y[::2])
        assert model.score(scale(X)[1::2], y[1::2]) > 0.9
        assert len(model.prototypes_) == 9 and model.history_[-1]["epoch"] == 50


def test_prototypes_do_better_than_the_means_they_began_at():
    """Two classes whose means are the same: of one prototype each, means are no use; of four, they tell."""
    X = rng.normal(size=(300, 2)) * [3.0, 0.3]
    y = (np.floor(X[:, 0]) % 2).astype(int)
    few, more = (LVQClassifier(h, max_iter=100, random_state=0).fit(X, y) for h in (1, 6))
    assert few.score(X, y) < 0.7 < 0.85 < more.score(X, y)


def test_repelled_prototypes_stay_within_the_rows_and_scores_are_distances():
    X, y = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(50, 2))]), np.repeat([0, 1], 50)
    model = LVQClassifier(2, algorithm="lvq2.1", learning_rate=1.0, window=0.9, random_state=0).fit(X, y)
    assert (model.prototypes_ >= X.min(axis=0)).all() and (model.prototypes_ <= X.max(axis=0)).all()
    apart = np.sqrt(((X[:, None] - model.prototypes_) ** 2).sum(axis=2))
    score = apart[:, model.labels_ == 0].min(axis=1) - apart[:, model.labels_ == 1].min(axis=1)
    assert_allclose(model.decision_function(X), score, atol=1e-9)
    assert "prototype" in str(model.explain(X[:1]))


def test_rows_of_no_weight_are_no_rows():
    X, y = load_iris(return_X_y=True)
    w = np.r_[np.ones(100), np.zeros(50)]
    whole = LVQClassifier(2, random_state=0).fit(X, y, sample_weight=w)
    assert set(whole.predict(X)) <= {0, 1}
    one = LVQClassifier(random_state=0).fit([[1.0], [1.0], [1.0]], ["a", "a", "a"])
    assert (one.predict([[5.0]]) == ["a"]).all() and len(one.prototypes_) == 1
