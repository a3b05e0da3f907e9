import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.core.persistence import load, save
from assay.ensembles import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
from assay.errors import DataError
from assay.trees import DecisionTreeRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
Y = X[:, 0] ** 2 + rng.normal(size=120) * (0.2 + (X[:, 1] > 0))
NEW = rng.normal(size=(40, 3))


def weights_by_the_book(forest, X, new, w=None):
    """(q, n) the weights of quantile regression forests, tree by tree and row by row."""
    here, there = forest.apply(X), forest.apply(new)
    bags = forest.estimators_samples_
    total = np.zeros((len(new), len(X)))
    for t in range(here.shape[1]):
        counts = np.bincount(bags[t], minlength=len(X)) * (1.0 if w is None else w)
        for q in range(len(new)):
            inside = counts * (here[:, t] == there[q, t])
            total[q] += inside / inside.sum()
    return total / here.shape[1]


@pytest.mark.parametrize(
    ("forest", "weighted"),
    [
        (RandomForestRegressor(15, min_samples_leaf=5, keep_targets=True, random_state=0), False),
        (RandomForestRegressor(15, min_samples_leaf=5, keep_targets=True, random_state=0), True),
        (ExtraTreesRegressor(15, min_samples_leaf=5, keep_targets=True, random_state=0), False),
        (ExtraTreesRegressor(15, min_samples_leaf=5, keep_targets=True, random_state=0), True),
    ],
)
def test_distribution_has_the_weights_of_the_book(forest, weighted):
    w = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    forest.fit(X, Y, w)
    W = weights_by_the_book(forest, X, NEW, None if forest.bootstrap else w)
    ours = forest.predict_distribution(NEW)
    assert_allclose(ours.mean, W @ Y, rtol=1e-9)
    assert_allclose(ours.mean, forest.predict(NEW), rtol=1e-9)
    y = np.full(len(NEW), 0.7)
    assert_allclose(ours.cdf(y), (W * (Y <= 0.7)).sum(axis=1), atol=1e-9)
    order = np.argsort(Y)
    cumulative = np.cumsum(W[:, order], axis=1)
    for p in (0.05, 0.5, 0.95):
        expected = Y[order][(cumulative < p - 1e-9).sum(axis=1)]
        assert_array_equal(ours.quantile(p), expected)


def test_pure_leaves_need_no_targets_kept():
    bare = RandomForestRegressor(12, random_state=0).fit(X, Y)
    kept = RandomForestRegressor(12, keep_targets=True, random_state=0).fit(X, Y)
    assert "leaf_targets_" not in vars(bare)
    assert_allclose(bare.predict_interval(NEW), kept.predict_interval(NEW), rtol=1e-12)
    assert_allclose(
        bare.predict_distribution(NEW).crps(Y[:40]), kept.predict_distribution(NEW).crps(Y[:40]), rtol=1e-9
    )


def test_leaves_of_several_targets_ask_for_them():
    forest = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(X, Y)
    assert not hasattr(forest, "predict_distribution")
    assert not hasattr(RandomForestRegressor(5, random_state=0).fit(X, Y).compact(), "predict_distribution")
    twice = RandomForestRegressor(5, random_state=0).fit(
        np.repeat(X[:20], 6, axis=0), Y
    )  # equal rows, other targets
    assert not hasattr(twice, "predict_distribution")
    with pytest.raises(AttributeError) as error:
        forest.predict_distribution(X)
    assert "keep_targets=True" in str(error.value.__cause__)


def test_one_tree_answers_with_the_targets_of_its_leaf():
    tree = DecisionTreeRegressor(min_samples_leaf=20, keep_targets=True).fit(X, Y)
    leaf, at = tree.apply(X), tree.apply(NEW)
    ours = tree.predict_distribution(NEW)
    for q in range(len(NEW)):
        inside = np.sort(Y[leaf == at[q]])
        assert_allclose(
            ours.quantile([0.1, 0.9])[q], [inside[int(np.ceil(p * len(inside))) - 1] for p in (0.1, 0.9)]
        )
    assert not hasattr(DecisionTreeRegressor().fit(X, Y), "predict_interval")


def test_bagged_trees_mix_their_leaves():
    bags = BaggingRegressor(
        DecisionTreeRegressor(min_samples_leaf=9, keep_targets=True), 7, random_state=0
    ).fit(X, Y)
    forest = bags.predict_distribution(NEW)
    assert_allclose(forest.mean, bags.predict(NEW), rtol=1e-9)
    parts = [member.predict_distribution(NEW).cdf(np.full(40, 0.3)) for member in bags.estimators_]
    assert_allclose(forest.cdf(np.full(40, 0.3)), np.mean(parts, axis=0), rtol=1e-9)
    pure = BaggingRegressor(n_estimators=7, random_state=0).fit(X, Y)
    assert_allclose(pure.predict_distribution(NEW).mean, pure.predict(NEW), rtol=1e-12)
    assert not hasattr(BaggingRegressor(n_estimators=3, combine="median").fit(X, Y), "predict_distribution")


def test_kept_targets_survive_a_file_and_a_tampered_one_is_refused(tmp_path):
    forest = RandomForestRegressor(6, min_samples_leaf=4, keep_targets=True, random_state=0).fit(X, Y)
    save(forest, tmp_path / "f.assay")
    assert_array_equal(load(tmp_path / "f.assay").predict_interval(NEW), forest.predict_interval(NEW))
    forest.leaf_targets_.rows[0] = 10**6
    with pytest.raises(ValueError, match="rows has values that are not below 120"):
        save(forest, tmp_path / "g.assay")


def test_targets_are_kept_of_one_target_only():
    with pytest.raises(DataError, match="of one target"):
        RandomForestRegressor(3, keep_targets=True).fit(X, np.column_stack([Y, Y]))
