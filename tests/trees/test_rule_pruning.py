"""Rules without the conditions that do not help: the book's example, hand-worked limits, and properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier as PeerTree

from assay.errors import DataError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.shortening import single_conditions, without_needless
from assay.tables import Column, Schema
from assay.trees.rule_pruning import pessimistic_error, shortened, simplify, useful
from assay.trees.rules import rules_of
from assay.trees.tree import Tree


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 200), st.data())
def test_the_limit_makes_so_few_errors_as_improbable_as_asked(n, data):
    e = data.draw(st.integers(0, n - 1))
    confidence = data.draw(st.sampled_from([0.05, 0.25, 0.5]))
    assert_allclose(binom.cdf(e, n, pessimistic_error(e, n, confidence)), confidence, atol=1e-9)


def test_limits_at_the_ends():
    """No error among n: 1 - 0.25^(1/n), as in Quinlan's examples 0.206 (n = 6), 0.143 (9) and 0.75 (1)."""
    assert_allclose(
        pessimistic_error([0, 0, 0], [6, 9, 1]), 1 - 0.25 ** (1 / np.array([6, 9, 1])), rtol=1e-12
    )
    assert pessimistic_error(5, 5) == pessimistic_error(0, 0) == 1.0


def figure_9_6_rows():
    """Everybody of job type A has 0.4, whatever the age; the others follow the tree of IML figure 9-6."""
    rows, y = [], []
    for age in (20.0, 30.0, 38.0, 39.0, 45.0, 60.0):
        for years in (1.0, 2.0, 3.0, 9.0):
            for job in range(3):
                rows.append([age, years, job])
                y.append([0.4, 0.3, 0.2][job] if age <= 38.5 or job == 0 else 0.8 if years > 2.5 else 0.6)
    return np.array(rows), np.array(y)


@pytest.mark.capability("IML-9-24")
def test_rule_3_of_figure_9_6_loses_the_age():
    """IML 9.4: R3 becomes R3', IF job-type = 'A' THEN y = 0.4; the other rules keep both conditions."""
    tree = Tree.of(
        {"feature": 0, "threshold": 38.5, "children": [
            {"feature": 2, "children": [{"value": 0.4, "n": 12}, {"value": 0.3, "n": 12}, {"value": 0.2, "n": 12}]},
            {"feature": 1, "threshold": 2.5, "children": [{"value": 0.6, "n": 18}, {"value": 0.8, "n": 18}]},
        ]},
        [0, 0, 3],
    )  # fmt: skip
    schema = Schema([Column("age"), Column("years-in-job"), Column("job-type", "nominal", ("A", "B", "C"))])
    X, y = figure_9_6_rows()
    table = {"age": X[:, 0], "years-in-job": X[:, 1], "job-type": np.array(list("ABC"))[X[:, 2].astype(int)]}
    simple = simplify(rules_of(tree, schema), table, y)
    told = {rule.premise(schema): rule.answer for rule in simple}
    assert "job-type = 'A'" in told and told["job-type = 'A'"] == pytest.approx(0.4, abs=1e-12)
    assert "age <= 38.5 AND job-type = 'B'" in told and "age <= 38.5 AND job-type = 'C'" in told
    assert len(simple) == 5
    assert str(simple).splitlines()[0] == "R1: IF job-type = 'A' THEN y = 0.4"  # the surest first
    assert simple[0].error == pytest.approx(0, abs=1e-12) and simple[0].support == pytest.approx(1 / 3)


def test_a_useless_condition_goes_and_a_useful_one_stays():
    rng = np.random.default_rng(0)
    X = rng.random((200, 3))
    y = np.where(X[:, 0] > 0.5, "b", "a")
    rule = Rule((Condition(2, high=0.9), Condition(0, low=0.5), Condition(1, 0.1, 0.8)), "b")
    simple = simplify(RuleBase((rule,), Schema.numeric(3), ("a", "b")), X, y)
    assert str(simple) == "R1: IF x0 > 0.5 THEN b\nELSE a"
    assert simple[0].accuracy == 1.0 and simple[0].n == np.sum(y == "b")


def test_one_end_of_an_interval_can_go():
    X = np.arange(100.0)[:, None]
    y = np.where(X[:, 0] > 40, 1, 0)
    simple = simplify(RuleBase((Rule((Condition(0, 40.0, 70.0),), 1),), Schema.numeric(1), (0, 1)), X, y)
    assert simple[0].conditions == (Condition(0, low=40.0),)


def test_equal_rules_are_kept_once_and_empty_ones_become_the_default():
    X = np.arange(40.0)[:, None] @ np.ones((1, 2))
    y = np.where(X[:, 0] > 20, "b", "a")
    rules = (
        Rule((Condition(0, low=20.0), Condition(1, high=30.0)), "b"),
        Rule((Condition(0, low=20.0), Condition(1, low=30.0)), "b"),
        Rule((Condition(1, high=50.0),), "a"),
    )
    simple = simplify(RuleBase(rules, Schema.numeric(2), ("a", "b")), X, y)
    assert str(simple) == "R1: IF x0 > 20 THEN b\nELSE a"


def test_a_rule_that_does_harm_is_dropped():
    X = np.array([[0.0, 0], [1, 0], [2, 0], [3, 1], [4, 1], [5, 1]])
    y = np.array(["a", "a", "a", "b", "b", "b"])
    rules = (Rule((Condition(1, high=0.5),), "b"), Rule((Condition(0, high=2.5),), "a"))
    simple = simplify(RuleBase(rules, Schema.numeric(2), ("a", "b")), X, y)
    assert (simple.predict(X) == y).all() and len(simple) == 1


def assay_tree(peer):
    """A peer's tree as ours, to have real rules."""
    t = peer.tree_
    inner = t.children_left >= 0
    parent, branch = np.full(t.node_count, -1), np.zeros(t.node_count, int)
    parent[t.children_left[inner]] = parent[t.children_right[inner]] = np.flatnonzero(inner)
    branch[t.children_right[inner]] = 1
    return Tree.assemble(
        parent=parent, branch=branch, feature=t.feature, kind=inner, threshold=t.threshold,
        missing=np.where(inner, 0, -1), values=t.value[:, 0], impurity=t.impurity, n_node_samples=t.n_node_samples,
        weighted_n_node_samples=t.weighted_n_node_samples, n_categories=np.zeros(t.n_features, int),
    )  # fmt: skip


@pytest.mark.capability("IML-9-24")
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_simpler_rules_of_real_trees_are_fewer_and_nearly_as_good_on_new_rows(load):
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    train = np.random.default_rng(1).permutation(len(y)) % 3 > 0
    peer = PeerTree(random_state=0).fit(X[train], y[train])
    base = rules_of(assay_tree(peer), Schema.numeric(X.shape[1]), range(y.max() + 1))
    assert (base.predict(X) == peer.predict(X)).all()  # before: exactly the tree
    simple = simplify(base, X[train], y[train])
    assert sum(len(r.conditions) for r in simple) < 0.8 * sum(len(r.conditions) for r in base)
    error = {
        name: np.mean(b.predict(X[~train]) != y[~train]) for name, b in (("tree", base), ("rules", simple))
    }
    assert error["rules"] <= error["tree"] + 0.03
    assert np.mean(simple.predict(X[train]) != y[train]) < 0.05


def test_weights_count_like_repeated_rows():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (80, 2)).astype(float)
    y = np.where((X[:, 0] > 1.5) ^ (rng.random(80) < 0.2), 1, 0)
    w = rng.integers(0, 3, 80)
    rules = (Rule((Condition(0, low=1.5), Condition(1, high=2.5)), 1), Rule((Condition(0, high=1.5),), 0))
    base = RuleBase(rules, Schema.numeric(2), (0, 1))
    weighted, repeated = (
        simplify(base, X, y, sample_weight=w),
        simplify(base, X.repeat(w, axis=0), y.repeat(w)),
    )
    assert weighted == repeated


def test_what_does_not_fit_is_refused():
    base = RuleBase((Rule((), 0),), Schema.numeric(1), (0, 1))
    with pytest.raises(DataError, match="2 rows, y has 1"):
        simplify(base, [[0.0], [1.0]], [0])
    with pytest.raises(ValueError, match="confidence must be a number between 0 and 1, got 2"):
        simplify(base, [[0.0]], [0], confidence=2)


# Oracle: DC 10.4.3, upper limits of the error rate at a confidence of 0.25, six digits.
@pytest.mark.capability("DC-55")
def test_the_limits_of_the_book():
    assert_allclose(pessimistic_error([0, 0, 1], [6, 1, 16]), [0.206299, 0.75, 0.159611], atol=5e-7)


def random_rules(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (40, 3)).astype(float)
    y, w = rng.integers(0, 2, 40), rng.integers(1, 4, 40).astype(float)
    conditions = tuple(Condition(j, *sorted(rng.choice(5, 2, replace=False) - 0.5)) for j in range(3))
    return X, y, w, Rule(conditions, 1)


@pytest.mark.capability("DC-55")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.25, 0.1, None]))
def test_counting_in_one_pass_drops_what_trying_each_would(seed, confidence):
    """Twin: the greedy order of without_needless, which asks for an estimate of every set of covered rows."""
    X, y, w, rule = random_rules(seed)
    parts = [part for condition in rule.conditions for part in single_conditions(condition)]
    failed = [~part.covers(X) for part in parts]

    def estimate(rows, size):
        n, errors = w[rows].sum(), w[rows & (y != 1)].sum()
        if confidence is not None:
            return float(pessimistic_error(errors, n, confidence))
        return errors / n if n else 1.0

    kept, error = without_needless(failed, len(y), estimate)
    found, short = shortened(rule, X, y, w, confidence)
    assert found == pytest.approx(error, abs=1e-9)
    covered = np.ones(len(y), bool)
    for p in kept:
        covered &= ~failed[p]
    assert estimate(short.covers(X), 0) == pytest.approx(error, abs=1e-9)
    assert sum(len(single_conditions(c)) for c in short.conditions) == len(kept)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 25))
def test_rules_that_do_harm_are_dropped_the_worst_first(seed, R, n):
    rng = np.random.default_rng(seed)
    covered, answers, y = rng.random((n, R)) < 0.5, rng.integers(0, 3, R), rng.integers(0, 3, n)
    w = rng.integers(1, 4, n).astype(float)
    prior = np.bincount(y, w, minlength=3)

    def errors(stays, default_of):
        left = ~covered[:, default_of].any(axis=1)
        rest = np.bincount(y[left], w[left], minlength=3)
        default = np.lexsort((-prior, -rest))[0]
        said = [next((answers[r] for r in stays if covered[i, r]), default) for i in range(n)]
        return w[np.array(said) != y].sum()

    stays = list(range(R))
    while stays:  # the default stays as it is while one rule is tried
        change = [errors([r for r in stays if r != one], stays) - errors(stays, stays) for one in stays]
        if min(change) >= 0:
            break
        del stays[int(np.argmin(change))]
    assert np.flatnonzero(useful(covered, answers, y, w, 3)).tolist() == stays
