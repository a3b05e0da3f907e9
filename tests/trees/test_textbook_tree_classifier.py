"""The textbook's classification tree: its worked examples, its options, and scikit-learn's tree beside it."""

import inspect
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.errors import ParameterError
from assay.tables.data import load_apples, load_breast_cancer_ljubljana
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float), np.array([0, 1, 1, 0])
# IML 9.2.1: class 1 iff x > 5, and x = 3 mislabelled.
NOISY = np.arange(1.0, 11)[:, None], np.array([0, 0, 1, 0, 0, 1, 1, 1, 1, 1])
EIGHT = pd.DataFrame(
    {
        "id": [f"r{i}" for i in range(1, 9)],
        "colour": ["red"] * 3 + ["blue"] * 3 + ["green"] * 2,
        "size": [1.0, 2.0, 3.5, 1.5, 4.0, 5.0, 2.5, 4.5],
    }
)
SIGN = np.array(["+", "+", "-", "+", "-", "-", "+", "-"])


@pytest.mark.capability("IML-9-13")
def test_growing_stops_below_an_impurity_or_above_a_share():
    X, y = NOISY
    full = TextbookTreeClassifier().fit(X, y)
    assert full.get_n_leaves() == 4
    root, left = full.history_[:2]
    assert (root.split.threshold, left.split.threshold) == (5.5, 2.5)  # 2.5 and 3.5 tie
    assert_allclose([root.after, left.after], [0.360964, 0.550978], atol=5e-7)
    for stopped in (
        TextbookTreeClassifier(impurity_threshold=0.75).fit(X, y),
        TextbookTreeClassifier(purity_threshold=0.8).fit(X, y),
        TextbookTreeClassifier(min_share=0.6).fit(X, y),
        TextbookTreeClassifier(max_depth=1).fit(X, y),
    ):
        assert stopped.get_n_leaves() == 2
        assert_allclose(stopped.predict_proba([[5.0], [6.0]]), [[0.8, 0.2], [0, 1]])


@pytest.mark.capability("IML-9-13")
def test_a_purer_threshold_never_gives_a_smaller_tree():
    X, y = load_wine(return_X_y=True)
    sizes = [
        TextbookTreeClassifier(impurity_threshold=t).fit(X, y).get_n_leaves() for t in (0, 0.2, 0.5, 1.0, 2)
    ]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 1


def test_the_corner_of_a_grid_is_cut_out_by_two_tests():
    """IML Fig. 9-1: class 2 iff both coordinates exceed 0.5, on a grid of 20 by 20 points."""
    grid = (np.arange(20) + 0.5) / 20
    X = np.array([[a, b] for a in grid for b in grid])
    model = TextbookTreeClassifier().fit(X, (X > 0.5).all(axis=1))
    assert [s.split.column for s in model.history_] == [0, 1] and model.get_n_leaves() == 3
    assert_allclose([s.split.threshold for s in model.history_], [0.5, 0.5], rtol=1e-15)


def test_xor_grows_although_no_split_gains():
    model = TextbookTreeClassifier().fit(*XOR)
    assert model.history_[0].after == 1.0 and model.get_n_leaves() == 4 and len(model.history_) == 3
    assert_array_equal(model.predict(XOR[0]), XOR[1])


@pytest.mark.capability("IML-9-11")
def test_penalties_turn_the_choice_from_the_row_number_to_the_size():
    first = {
        p: TextbookTreeClassifier(penalty=p).fit(EIGHT, SIGN).history_[0] for p in (None, "gain ratio", 0.05)
    }
    assert {p: step.split.column for p, step in first.items()} == {None: 0, "gain ratio": 2, 0.05: 2}
    by_ratio = [s.score for s in first["gain ratio"].tried]
    assert_allclose(by_ratio, [1 / 3, 0.039249, 1], atol=5e-7)
    by_branch = [s.score for s in first[0.05].tried]
    assert_allclose(by_branch, [1 - 8 * 0.05, 0.061278 - 3 * 0.05, 1 - 2 * 0.05], atol=5e-7)
    without_size = TextbookTreeClassifier().fit(EIGHT[["colour", "id"]], SIGN)
    assert without_size.history_[0].split.column == 1  # useless, but pure


@pytest.mark.capability("IML-9-42")
def test_a_ternary_split_finds_the_class_in_the_middle():
    x = np.arange(0, 6.5, 0.5)[:, None]
    y = ((x > 2) & (x < 4)).ravel()
    two = TextbookTreeClassifier(max_depth=1).fit(x, y).history_[0]
    three = TextbookTreeClassifier(numeric="ternary").fit(x, y)
    assert two.impurity == pytest.approx(0.779350, abs=5e-7)
    assert (two.split.threshold, two.after) == (2.25, pytest.approx(0.587344, abs=5e-7))
    step = three.history_[0]
    assert (step.split.threshold, step.split.second, step.after) == (2.25, 3.75, 0.0)
    assert three.get_n_leaves() == 3 and three.score(x, y) == 1.0
    assert_array_equal(three.predict([[2.25], [2.26], [3.75], [3.76]]), [False, True, True, False])


@pytest.mark.capability("IML-9-42")
def test_twelve_thresholds_make_66_pairs():
    from assay.trees.criterion_table import criterion_table

    x = np.arange(0, 6.5, 0.5)[:, None]
    assert len(criterion_table(x, x.ravel() > 2)) == 12
    assert len(criterion_table(x, x.ravel() > 2, numeric="ternary")) == 66


@pytest.mark.capability("IML-9-10")
def test_apples_are_split_by_colour_first():
    apples = load_apples()
    model = TextbookTreeClassifier().fit(apples.X, apples.y)
    step = model.history_[0]
    assert apples.X.schema.names[step.split.column] == "colour"
    assert_allclose(step.split.decrease, 0.6099865470, atol=5e-11)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_every_split_is_as_good_as_scikit_learns(load, criterion):
    """Peer: DecisionTreeClassifier 1.9, given the rows of each node of ours. It keeps X in single precision.

    Not compared: which of several equally good splits is taken, for the peer draws lots.
    """
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    ours = TextbookTreeClassifier(criterion=criterion).fit(X, y)
    reached = ours.decision_path(X).toarray().astype(bool)
    assert ours.history_ and ours.score(X, y) == 1.0
    for step in ours.history_:
        rows = reached[:, step.node]
        peer = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X[rows], y[rows]).tree_
        assert step.impurity == pytest.approx(peer.impurity[0], abs=1e-12)
        after = peer.n_node_samples[1:] @ peer.impurity[1:] / peer.n_node_samples[0]
        assert step.after == pytest.approx(after, abs=1e-12)


def test_criteria_of_ones_own_and_risk():
    X, y = load_iris(return_X_y=True)
    own = TextbookTreeClassifier(criterion=lambda p: 1 - (p**2).sum(axis=-1)).fit(X, y)
    gini = TextbookTreeClassifier(criterion="gini").fit(X, y)
    assert_array_equal(own.tree_.threshold, gini.tree_.threshold)
    loss = 1 - np.eye(3)
    risk = TextbookTreeClassifier(criterion="risk", loss=loss, max_depth=2).fit(X, y)
    error = TextbookTreeClassifier(criterion="error", max_depth=2).fit(X, y)
    assert_array_equal(risk.tree_.threshold, error.tree_.threshold)
    with pytest.raises(ParameterError, match="3 columns"):
        TextbookTreeClassifier(criterion="risk", loss=[[0, 1], [1, 0]]).fit(X, y)
    with pytest.raises(ParameterError, match="needs loss"):
        TextbookTreeClassifier(criterion="risk").fit(X, y)


@pytest.mark.capability("IML-9-08")
def test_a_loss_moves_the_split_to_where_it_pays():
    # Up to 2: 3 a, 1 b. Above: 2 a, 2 b. Missing a b costs 9 times as much as missing an a.
    X = np.array([[1.0], [1], [2], [2], [3], [3], [4], [4]])
    y = np.array(list("aaabaabb"))
    plain = TextbookTreeClassifier(criterion="error", max_depth=1).fit(X, y).history_[0]
    dear = TextbookTreeClassifier(criterion="risk", loss=[[0, 9], [1, 0]], max_depth=1).fit(X, y).history_[0]
    assert (plain.split.threshold, plain.after) == (3.5, 1 / 8)
    # at 1.5 the two rows below cost nothing and of six above three a cost 1 each: 3/8; at 3.5: five a of six, 5/8
    assert (dear.split.threshold, dear.after) == (1.5, 3 / 8)


def test_categories_that_a_node_lacks_answer_as_the_node():
    X = pd.DataFrame({"k": list("aabbc"), "x": [0.0, 1, 0, 1, 0]})
    y = [0, 0, 0, 1, 1]
    model = TextbookTreeClassifier().fit(X, y)
    tree = model.tree_
    assert tree.n_node_samples[0] == 5 and model.get_n_leaves() >= 3
    nested = TextbookTreeClassifier().fit(
        pd.DataFrame({"x": [0.0, 0, 0, 9, 9, 9, 9], "k": list("aab") + list("abcc")}), [0, 0, 0, 0, 1, 1, 1]
    )
    empty = nested.tree_.n_node_samples == 0
    assert_allclose(nested.tree_.values[empty], nested.tree_.values[nested.tree_.parent[empty]])


@pytest.mark.parametrize("missing", ["spread", "heaviest"])
@pytest.mark.parametrize("nominal", ["n-way", "binary grouping", "one-vs-rest"])
def test_missing_values_and_categories_of_real_rows(nominal, missing):
    """Breast cancer (Ljubljana): nine nominal columns, nine missing values."""
    data = load_breast_cancer_ljubljana()
    model = TextbookTreeClassifier(nominal=nominal, missing=missing, min_share=0.05).fit(data.X, data.y)
    posterior = model.predict_proba(data.X)
    assert_allclose(posterior.sum(axis=1), 1.0)
    assert model.score(data.X, data.y) > 0.75
    model.tree_.check()


def test_a_row_without_its_value_is_spread_over_the_branches():
    X, y = np.array([[1.0], [1], [1], [2], [np.nan]]), np.array([0, 0, 0, 1, 1])
    model = TextbookTreeClassifier(max_depth=1).fit(X, y)
    tree = model.tree_
    assert_allclose(tree.weighted_n_node_samples, [5, 3.75, 1.25])  # 3 : 1, and the last row alike
    assert_allclose(tree.values, [[3 / 5, 2 / 5], [3 / 3.75, 0.75 / 3.75], [0, 1]])
    assert_allclose(model.predict_proba([[np.nan]]), [[3 / 5, 2 / 5]])  # the mixture is the node again
    heavy = TextbookTreeClassifier(max_depth=1, missing="heaviest").fit(X, y)
    assert_allclose(heavy.predict_proba([[np.nan]]), [[3 / 4, 1 / 4]])


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_weights_count_as_repetitions(seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.integers(0, 5, (25, 3)).astype(float), rng.integers(0, 3, 25), rng.integers(0, 3, 25)
    y[:3], w[:3] = [0, 1, 2], 1
    weighted = TextbookTreeClassifier().fit(X, y, sample_weight=w)
    repeated = TextbookTreeClassifier().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_array_equal(weighted.tree_.threshold, repeated.tree_.threshold)
    assert_allclose(weighted.tree_.values, repeated.tree_.values, atol=1e-12)


def test_growth_can_be_replayed():
    X, y = load_iris(return_X_y=True)
    model = TextbookTreeClassifier().fit(X, y)
    stages = list(model.staged_trees())
    assert [t.n_leaves for t in stages] == list(range(1, model.get_n_leaves() + 1))
    errors = [np.mean(t.predict(X).argmax(axis=1) != y) for t in stages]
    assert errors[0] == pytest.approx(2 / 3) and errors[-1] == 0
    assert_array_equal(stages[-1].threshold, model.tree_.threshold)
    assert len(model.growth().splitlines()) == len(model.history_) + 1


def test_the_history_is_saved_with_the_model(tmp_path):
    model = TextbookTreeClassifier(nominal="binary grouping").fit(EIGHT, SIGN)
    assay.save(model, tmp_path / "model.assay")
    assert assay.load(tmp_path / "model.assay").history_ == model.history_


def test_a_chain_of_any_depth_grows_without_recursion():
    """Alternating classes: by error rate all cuts tie, the lowest wins, and the tree is one long chain.

    The chain is deeper than the recursion limit, which is lowered so that a short chain is: growing it takes time
    quadratic in the depth.
    """
    n = 300
    x, y = np.arange(float(n))[:, None], np.arange(n) % 2
    TextbookTreeClassifier(criterion="error").fit(x[:4], y[:4]).score(
        x[:4], y[:4]
    )  # imports nest deeply, once
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + n // 2)
    try:
        model = TextbookTreeClassifier(criterion="error").fit(x, y)
        assert model.get_depth() == n - 1 and model.score(x, y) == 1.0
    finally:
        sys.setrecursionlimit(usual)


def test_rows_that_no_test_separates_make_a_leaf():
    flat = TextbookTreeClassifier().fit(np.zeros((5, 1)), [0, 0, 0, 1, 1])
    assert flat.get_n_leaves() == 1
    assert_allclose(flat.predict_proba([[3.0]]), [[0.6, 0.4]])


OPTIONS = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["entropy", "gini", "error"]),
        "penalty": st.sampled_from([None, "gain ratio", 0.1]),
        "nominal": st.sampled_from(["n-way", "binary grouping", "one-vs-rest"]),
        "numeric": st.sampled_from(["binary", "ternary"]),
        "candidates": st.sampled_from(["midpoints", "boundary", "equal-depth"]),
        "max_candidates": st.integers(1, 5),
        "max_categories": st.integers(2, 4),
        "max_depth": st.sampled_from([None, 3]),
        "missing": st.sampled_from(["spread", "heaviest"]),
    }
)


@given(OPTIONS, st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_with_any_options_the_tree_is_whole_and_loses_no_row(options, seed):
    rng = np.random.default_rng(seed)
    n = 40
    frame = pd.DataFrame(
        {
            "k": rng.choice(["a", "b", "c", "d", "e", None], n),
            "x": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 6, n)),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True
            ),
        }
    )
    y, w = rng.integers(0, 3, n), rng.uniform(0.1, 2, n)
    model = TextbookTreeClassifier(**options).fit(frame, y, sample_weight=w)
    tree = model.tree_
    tree.check()
    below = np.zeros(tree.node_count)
    np.add.at(below, tree.parent[1:], tree.weighted_n_node_samples[1:])
    inner = ~tree.is_leaf
    assert_allclose(below[inner], tree.weighted_n_node_samples[inner], rtol=1e-9)
    mixture = np.zeros_like(tree.values)
    np.add.at(mixture, tree.parent[1:], tree.weighted_n_node_samples[1:, None] * tree.values[1:])
    assert_allclose(mixture[inner], (tree.weighted_n_node_samples[:, None] * tree.values)[inner], atol=1e-9)
    assert_array_equal([step.node for step in model.history_], np.flatnonzero(inner))
    posterior = model.predict_proba(frame)
    assert_allclose(posterior.sum(axis=1), 1, atol=1e-9)
    assert str(model) and model.explain(frame.iloc[[0]]).sections


def test_ordered_categories_are_cut_between_neighbours():
    grades = pd.Categorical(["low", "mid", "high"] * 4, ["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"grade": grades})
    model = TextbookTreeClassifier().fit(frame, np.asarray(grades) == "high")
    assert model.get_n_leaves() == 2 and model.tree_.threshold[0] == 1.5
    assert_array_equal(model.predict(frame), np.asarray(grades) == "high")


def test_look_ahead_and_penalty_exclude_each_other():
    with pytest.raises(ParameterError, match="penalty must be None"):
        TextbookTreeClassifier(look_ahead=2, penalty="gain ratio").fit(*XOR)
