"""The price of a leaf by cross-validation."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier as Peer

from assay.tables.data import load_breast_cancer, load_german_credit, load_iris
from assay.trees.cart_classifier import CARTClassifier
from assay.trees.decision_tree_regressor import DecisionTreeRegressor
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.pruning import AlphaChoice, choose_alpha, cost_complexity, cost_complexity_path
from assay.trees.pruning.cross_validated import _losses


def test_the_error_of_a_price_is_that_of_trees_grown_and_cut_one_by_one():
    """The same numbers from scratch: fit every fold, cut at the geometric middle, count the errors left out."""
    X, y = load_breast_cancer().X.values[:, :6], load_breast_cancer().codes
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    model = ID3Classifier(criterion="gini").fit(X, y)
    choice = choose_alpha(model, X, y, cv=folds)
    path = cost_complexity_path(model.tree_)
    assert_array_equal(choice.alphas, path.alphas)
    wrong = np.zeros((len(y), len(path.alphas)))
    for train, test in folds:
        grown = ID3Classifier(criterion="gini").fit(X[train], y[train]).tree_
        for s in range(len(path.alphas)):
            price = np.sqrt(path.alphas[s] * path.alphas[s + 1]) if s + 1 < len(path.alphas) else np.inf
            wrong[test, s] = cost_complexity(grown, price).predict(X[test]).argmax(axis=1) != y[test]
    assert_allclose(choice.errors, wrong.mean(axis=0), rtol=1e-12)
    p = choice.errors  # of zeros and ones
    assert_allclose(choice.standard_errors, np.sqrt(p * (1 - p) / len(y)), rtol=1e-9)
    assert choice.best == np.flatnonzero(p == p.min())[-1]
    allowed = p[choice.best] + choice.standard_errors[choice.best]
    assert p[choice.chosen] <= allowed and (p[choice.chosen + 1 :] > allowed).all()
    assert choice.alpha == path.alphas[choice.chosen]


@pytest.mark.parametrize(
    "learner", [ID3Classifier(), DecisionTreeRegressor(), DecisionTreeRegressor(missing="spread")]
)
@pytest.mark.parametrize("with_missing", [False, True])
def test_losses_are_those_of_the_pruned_trees(learner, with_missing):
    """For each price: prune, predict, add up. Rows that are spread over leaves have no single path."""
    random = np.random.default_rng(4)
    X, w = random.random((90, 2)), random.uniform(0.5, 2, 90)
    codes = ((X[:, 0] > 0.5) ^ (random.random(90) < 0.2)).astype(int)
    X[random.random(X.shape) < 0.2 * with_missing] = np.nan
    y = codes if isinstance(learner, ID3Classifier) else codes + random.normal(0, 0.1, 90)
    tree = learner.fit(X[:60], y[:60]).tree_
    alphas = cost_complexity_path(tree, "impurity").alphas
    prices = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)
    wanted = []
    for price in prices:
        said = cost_complexity(tree, price, "impurity").predict(X[60:])
        lost = said.argmax(axis=1) != y[60:] if y is codes else (said[:, 0] - y[60:]) ** 2
        wanted.append((w[60:] @ lost, w[60:] @ lost.astype(float) ** 2))
    assert len(prices) > 3
    assert_allclose(_losses(tree, X[60:], y[60:], w[60:], None, prices, "impurity"), wanted, rtol=1e-10)


def test_as_good_as_scikit_learn_with_a_searched_price():
    """Peer: DecisionTreeClassifier with the ccp_alpha of least cross-validated error, scikit-learn 1.9."""
    X, y = load_breast_cancer().X.values, load_breast_cancer().codes
    folds = list(StratifiedKFold(5, shuffle=True, random_state=1).split(X, y))
    ours, theirs = np.zeros(len(y)), np.zeros(len(y))
    for train, test in folds:
        model = CARTClassifier(random_state=0).fit(X[train], y[train])
        ours[test] = model.predict(X[test]) != y[test]
        peer = Peer(random_state=0, ccp_alpha=0.01).fit(X[train], y[train])
        theirs[test] = peer.predict(X[test]) != y[test]
    assert abs(ours.mean() - theirs.mean()) <= 2 * np.sqrt(((ours - theirs) ** 2).sum()) / len(y)


def test_no_standard_error_takes_the_least_error():
    data = load_german_credit()
    model = ID3Classifier(max_depth=3).fit(data.X, data.y)
    least, careful = (choose_alpha(model, data.X, data.y, within=c, random_state=0, cv=5) for c in (0, 1))
    assert_array_equal(least.errors, careful.errors)
    assert least.chosen == least.best == careful.best <= careful.chosen
    assert careful.leaves[careful.chosen] <= least.leaves[least.chosen]


def test_weights_count_as_repeated_rows_do():
    random = np.random.default_rng(0)
    X, y = random.random((60, 2)), random.integers(0, 2, 60)
    times = random.integers(1, 3, 60)
    again = np.repeat(np.arange(60), times)
    fold = np.arange(60) % 3
    once = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    repeated = [(np.flatnonzero(fold[again] != k), np.flatnonzero(fold[again] == k)) for k in range(3)]
    one = choose_alpha(ID3Classifier().fit(X, y, times), X, y, times, cv=once)
    many = choose_alpha(ID3Classifier().fit(X[again], y[again]), X[again], y[again], cv=repeated)
    assert_allclose(one.errors, many.errors, rtol=1e-12)
    assert_allclose(one.standard_errors, many.standard_errors, rtol=1e-9)
    assert one.chosen == many.chosen


def test_frames_with_text_and_classes_that_a_fold_lacks():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.choice(list("uvw"), 60), "b": random.random(60)})
    y = np.where(X["a"] == "u", "yes", "no").astype(object)
    y[0] = "rare"
    choice = choose_alpha(ID3Classifier().fit(X, y), X, y, cv=KFold(5))
    assert choice.errors.min() >= 1 / 60 - 1e-12  # the rare row is never known
    assert choice.leaves[choice.best] == 3


def test_a_single_leaf_leaves_no_choice():
    choice = choose_alpha(ID3Classifier().fit([[1.0], [1.0]], ["a", "b"]), [[1.0], [1.0]], ["a", "b"])
    assert isinstance(choice, AlphaChoice) and choice.alpha == 0 and choice.chosen == 0


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_folds(seed):
    data = load_iris()
    model = ID3Classifier().fit(data.X, data.y)
    a, b = (choose_alpha(model, data.X, data.y, random_state=seed) for _ in range(2))
    assert_array_equal(a.errors, b.errors)
