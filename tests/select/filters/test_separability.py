"""Class separability of subsets: Iris, monotone, units, categories, no spread within classes."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.errors import DataError, ParameterError
from assay.select import SeparabilitySelector, class_separability, feature_scores, separability_scores

X, Y = load_iris(return_X_y=True)


@pytest.mark.capability("IML-6-09")
def test_iris_by_all_four_columns():
    assert_allclose(class_separability(X, Y), 32.4773, atol=5e-5)


@pytest.mark.capability("IML-6-09")
def test_subsets_by_the_book_in_both_forms():
    for subset in ((1,), (0, 2), (1, 2, 3), (0, 1, 2, 3)):
        Z = X[:, subset]
        parts = [Z[k == Y] for k in range(3)]
        within = sum((p - p.mean(0)).T @ (p - p.mean(0)) for p in parts)
        between = sum(50 * np.outer(p.mean(0) - Z.mean(0), p.mean(0) - Z.mean(0)) for p in parts)
        trace = np.trace(np.linalg.solve(within, between))
        log_ratio = np.log(np.linalg.det(within + between) / np.linalg.det(within))
        assert_allclose(separability_scores(X, Y).scores([subset]), [[trace]], rtol=1e-9)
        assert_allclose(separability_scores(X, Y, "determinant").scores([subset]), [[log_ratio]], rtol=1e-9)


@pytest.mark.parametrize("form", ["trace", "determinant"])
def test_no_column_lowers_it_and_no_unit_changes_it(form):
    scores = separability_scores(X, Y, form)
    chain = scores.scores([(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]).ravel()
    assert (np.diff(chain) > 0).all() and scores.monotone
    moved = separability_scores(X * [1e150, 1e-150, 1e3, 1] + [0, 0, 1e6, 0], Y, form)
    assert_allclose(moved.scores([(0, 1, 2, 3)]), scores.scores([(0, 1, 2, 3)]), rtol=1e-6)


def test_of_one_column_it_is_the_fisher_score():
    single = separability_scores(X, Y).scores([(j,) for j in range(4)]).ravel()
    assert_allclose(single, feature_scores(X, Y, "fisher").scores, rtol=1e-10)


def test_a_nominal_column_is_one_feature_and_weights_are_repeats():
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(
        c=np.array(["u", "v", "w"])[(X[:, 2] * 3).astype(int) % 3]
    )
    scores = separability_scores(frame, Y)
    assert scores.d == 3
    assert_allclose(scores.scores([(2,)])[0, 0], feature_scores(frame, Y, "fisher").scores[2], rtol=1e-9)
    w = np.arange(150) % 3
    rows = np.repeat(np.arange(150), w)
    assert_allclose(
        class_separability(frame, Y, sample_weight=w),
        class_separability(frame.iloc[rows], Y[rows]),
        rtol=1e-9,
    )


def test_directions_without_spread():
    doubled = np.column_stack([X, X[:, 0]])
    assert_allclose(class_separability(doubled, Y), class_separability(X, Y), rtol=1e-6)
    assert class_separability(np.column_stack([X, Y]), Y) == np.inf
    assert class_separability(np.full((6, 1), 3.0), [0, 0, 1, 1, 2, 2]) == 0.0
    with pytest.raises(DataError, match="missing"):
        class_separability([[np.nan], [1.0]], [0, 1])


@pytest.mark.capability("IML-6-09")
@pytest.mark.parametrize("search", ["branch and bound", "exhaustive", "floating"])
def test_the_selector_finds_the_best_subset(search):
    best = max(itertools.combinations(range(4), 2), key=lambda s: separability_scores(X, Y).scores([s])[0, 0])
    model = SeparabilitySelector(2, search=search).fit(X, Y)
    assert tuple(model.get_support(indices=True)) == best
    assert_allclose(model.separability_, separability_scores(X, Y).scores([best])[0, 0], rtol=1e-12)
    assert "Search over 4 columns" in str(model.trace_)


def test_the_selector_is_a_sum():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        e=np.array(["u", "v"])[(X[:, 0] * 10).astype(int) % 2]
    )
    order = np.random.default_rng(0).permutation(150)
    frame, y = frame.iloc[order], Y[order]
    whole = SeparabilitySelector(3).fit(frame, y)
    parts = (
        SeparabilitySelector(3)
        .partial_fit(frame[:50], y[:50], classes=[0, 1, 2])
        .partial_fit(frame[50:], y[50:])
    )
    blocks = SeparabilitySelector(3).fit_blocks([(frame[:70], y[:70]), (frame[70:], y[70:])])
    for model in (parts, blocks):
        assert model.selected_ == whole.selected_
        assert_allclose(model.separability_, whole.separability_, rtol=1e-10)
    with pytest.raises(ParameterError, match="n_features must be at most the number of columns, 5; got 9"):
        SeparabilitySelector(9).fit(frame, y)


def test_squares_that_overflow_are_refused_and_classes_far_apart_are_not():
    far = X * [1, 1, 1e200, 1]
    with pytest.raises(DataError, match="column x2 has numbers too large to be squared"):
        SeparabilitySelector(2).fit(far, Y)
    with pytest.raises(DataError, match="separability_scores: column x2"):
        separability_scores(far, Y)
    apart = np.column_stack(
        [X[:, 0], Y * 1e200]
    )  # nothing varies within, and the squares of the means overflow
    assert np.isinf(separability_scores(apart, Y).scores([(1,)])[0, 0])
