"""Two groups of classes, and Fisher's direction between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.stats.multivariate.scatter import fisher_direction
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.superclasses import (
    class_sums,
    exchange,
    fisher_weights,
    group_classes,
    two_means,
)

# Four means: a and c close together, b and d close together, far from those.
MEANS = np.array([[0.0, 0.0], [10.0, 9.0], [1.0, 0.5], [9.0, 10.0]])


def clouds(seed=0, n=40, means=MEANS):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(n, 2)) * 0.5 + mean for mean in means])
    return NodeRows(X, np.repeat(np.arange(len(means)), n), np.ones(n * len(means)), len(means))


@pytest.mark.parametrize("how", ["exchange", "2-means"])
@pytest.mark.capability("IML-9-36")
def test_of_four_well_separated_means_the_nearest_pairs_are_grouped(how):
    assert_array_equal(two_means(MEANS, np.ones(4)), [False, True, False, True])
    rows = clouds()
    high = group_classes(rows, how)
    assert_array_equal(high, np.isin(rows.y, [1, 3]))


@pytest.mark.capability("IML-9-36")
def test_a_move_that_helps_is_made():
    """Start: the mean at 4 is nearer to 0 than to 9; the judge wants it on the other side, and one more move."""
    means = np.array([[0.0], [9.0], [4.0], [1.0]])
    wanted = np.array([False, True, True, False])
    judged = []

    def judge(group):
        judged.append(group.copy())
        return float(min(np.sum(group != wanted), np.sum(group == wanted)))

    found = exchange(means, judge)
    assert_array_equal(found, wanted)
    assert_array_equal(judged[0], [False, True, False, False])
    assert not any(group.all() or not group.any() for group in judged)


def test_weighted_means_draw_the_centre():
    """With equal weights 4 belongs to 0 and 5; once 9 weighs little and 4 much, its centre stays at 9."""
    means = np.array([[0.0], [5.2], [9.0]])
    assert_array_equal(two_means(means, np.array([1.0, 1.0, 1.0])), [False, True, True])
    assert_array_equal(two_means(means, np.array([1.0, 1e-6, 1.0])), [False, True, True])


def test_equal_means_still_make_two_groups():
    rows = NodeRows(
        np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]),
        np.array([0, 0, 1, 1, 2]),
        np.ones(5),
        3,
    )
    for how in ("exchange", "2-means"):
        high = group_classes(rows, how)
        assert high.any() and not high.all()


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_groups_do_not_depend_on_the_order_of_classes(seed):
    rng = np.random.default_rng(seed)
    rows = clouds(seed, n=15, means=rng.normal(size=(5, 2)) * 4)
    place = rng.permutation(5)
    other = NodeRows(rows.X, place[rows.y], rows.w, 5)
    assert_array_equal(group_classes(rows), group_classes(other))


def test_fishers_direction_of_two_classes():
    """Against assay.stats: S_W^-1 (m1 - m0) on the standardised columns."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    rows = NodeRows(X, y, np.ones(80), 2)
    Z = rows.standard
    means = [Z[y == k].mean(axis=0) for k in (0, 1)]
    within = sum((Z[y == k] - means[k]).T @ (Z[y == k] - means[k]) for k in (0, 1))
    wanted = fisher_direction(means[1], means[0], within)
    found = fisher_weights(class_sums(rows), np.array([False, True]))
    assert_allclose(found / np.linalg.norm(found), wanted / np.linalg.norm(wanted), rtol=1e-8)


def test_fishers_direction_of_groups_follows_from_the_sums_of_classes():
    rows = clouds(3)
    high = np.array([False, True, False, True])
    pooled = NodeRows(rows.X, high[rows.y].astype(int), rows.w, 2)
    assert_allclose(
        fisher_weights(class_sums(rows), high),
        fisher_weights(class_sums(pooled), np.array([False, True])),
        rtol=1e-8,
    )


@pytest.mark.capability("IML-9-37")
def test_where_the_scatter_is_singular_principal_components_take_over():
    """Twice the same column, and a constant: the direction is that of the single column."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(60, 2))
    y = (x.sum(axis=1) > 0).astype(int)
    X = np.column_stack((x, x[:, 0], np.ones(60)))
    sums = class_sums(NodeRows(X, y, np.ones(60), 2))
    assert sums.basis is not None
    w = fisher_weights(sums, np.array([False, True]))
    assert_allclose(w[0], w[2], rtol=1e-6)
    assert_allclose(w[3], 0, atol=1e-9)
    plain = fisher_weights(class_sums(NodeRows(x, y, np.ones(60), 2)), np.array([False, True]))
    assert_allclose((w[0] + w[2]) / w[1], plain[0] / plain[1], rtol=1e-3)


def test_a_column_that_gives_the_classes_away_is_used():
    """No scatter within the classes at all, and yet the direction is the one between them."""
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 1.0], [2.0, 1.0]])
    w = fisher_weights(
        class_sums(NodeRows(X, np.array([0, 0, 1, 1]), np.ones(4), 2)), np.array([False, True])
    )
    assert w[0] > 0 and abs(w[1]) < 1e-9 * w[0]
