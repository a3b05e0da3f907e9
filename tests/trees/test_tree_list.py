"""Many trees in one set of arrays: bit for bit, and safe to open."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.trees.decision_tree_regressor import DecisionTreeRegressor
from assay.trees.growing import grow, rank_columns
from assay.trees.tree import Tree
from assay.trees.tree_list import TreeList


def some_trees(seed, count):
    rng = np.random.default_rng(seed)
    X = np.column_stack((rng.normal(size=40), rng.integers(40, size=40), rng.integers(3, size=40)))
    columns = rank_columns(X, np.array([0, 40, 3], np.int32))
    return [
        grow(
            columns,
            rng.normal(size=40),
            n_classes=0,
            criterion="squared_error",
            max_depth=int(rng.integers(1, 5)),
        )
        for _ in range(count)
    ]


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999), count=st.integers(1, 6))
def test_the_trees_come_back_bit_for_bit(seed, count):
    trees = some_trees(seed, count)
    kept = TreeList.of(trees)
    assert len(kept) == count and TreeList.of(kept) is kept
    for tree, again in zip(trees, kept, strict=True):
        for field in fields(Tree):
            if field.name != "surrogates":
                assert_array_equal(getattr(again, field.name), getattr(tree, field.name), strict=True)
        again.check()
    assert_array_equal(kept.roots, np.cumsum([0] + [t.node_count for t in trees]))


def test_trees_with_surrogates_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    tree = DecisionTreeRegressor(missing="surrogate").fit(X, X[:, 0]).tree_
    with pytest.raises(ValueError, match="surrogates"):
        TreeList.of([tree])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: {"sizes": kept.sizes + 1},
        lambda kept: {"sizes": kept.sizes[:-1]},
        lambda kept: {"sizes": kept.sizes * 1.0},
        lambda kept: {"sizes": np.array([0, kept.sizes.sum()]), "words": np.array([0, kept.words.sum()])},
        lambda kept: {"words": -kept.words - 1},
        lambda kept: {"child": kept.child[::-1].copy()},
        lambda kept: {"feature": kept.feature + 7},
        lambda kept: {"kind": kept.kind[:-1]},
    ],
)
def test_arrays_that_do_not_make_up_trees_are_refused(spoil):
    kept = TreeList.of(some_trees(1, 2))
    kept._check_stored()
    with pytest.raises(ValueError, match="Tree"):
        replace(kept, **spoil(kept))._check_stored()
