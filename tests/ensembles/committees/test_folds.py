"""Folds of committees: groups stay together, blocks follow time, rows without an answer are left out."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit

from assay import compare
from assay.bayes import GaussianNB
from assay.ensembles import DynamicSelectionClassifier, StackingClassifier, StackingRegressor, VotingRegressor
from assay.ensembles.committees.folds import folds_of
from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression, Ridge
from assay.neighbors import KNeighborsClassifier
from assay.select import EnsembleSelectionClassifier, ModelLibrary
from assay.trees import DecisionTreeClassifier

X, y = load_iris(return_X_y=True)
MEMBERS = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]


def spread_out(folds):
    return [(train.tolist(), test.tolist()) for train, test in folds]


def test_a_number_of_folds_stratifies_as_scikit_learn():
    assert spread_out(folds_of(4, X, y, True, "")) == spread_out(StratifiedKFold(4).split(X, y))
    assert spread_out(folds_of(None, X, y, False, "")) == spread_out(KFold(5).split(X))


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("cv", [3, None])
def test_a_number_of_folds_keeps_groups_together(cv, classes):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, len(y)).astype(str)
    folds = folds_of(cv, X, y if classes else X[:, 0], classes, "", {"groups": groups})
    assert len(folds) == (cv or 5)
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
    assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(len(y)))
    if classes:  # the shares of the classes are as even as whole groups allow
        shares = np.array([np.bincount(y[test], minlength=3) / len(test) for _, test in folds])
        assert abs(shares - 1 / 3).max() < 0.25


def test_a_number_of_folds_follows_time():
    """Oracle: scikit-learn's splits by time of the rows in order; rows of one moment are answered for together."""
    times = np.random.default_rng(1).permutation(len(y))
    order = np.argsort(times)
    folds = folds_of(4, X, X[:, 0], False, "", {"times": times})
    expected = [(order[a].tolist(), order[b].tolist()) for a, b in TimeSeriesSplit(4).split(X)]
    assert spread_out(folds) == expected
    assert spread_out(folds_of(TimeSeriesSplit(4), X, X[:, 0], False, "", {"times": times})) == expected
    days = np.array(["2024-05-01", "2024-05-03", "2024-05-02", "2024-05-03", "2024-05-03", "2024-05-04"])
    for train, test in folds_of(2, X[:6], X[:6, 0], False, "", {"times": days}):
        assert max(days[train]) < min(days[test])


@pytest.mark.capability("IML-17-14")
def test_stacking_by_groups_and_times_without_a_splitter():
    groups, times = np.arange(len(y)) % 7, np.random.default_rng(0).permutation(len(y))
    by_group = StackingClassifier(MEMBERS, cv=3).fit(X, y, groups=groups)
    same = StackingClassifier(MEMBERS, cv=folds_of(3, X, y, True, "", {"groups": groups})).fit(X, y)
    assert_array_equal(by_group.predict_proba(X), same.predict_proba(X))
    with pytest.raises(AssertionError):
        assert_array_equal(
            by_group.predict_proba(X), StackingClassifier(MEMBERS, cv=3).fit(X, y).predict_proba(X)
        )
    Z, t = load_diabetes(return_X_y=True)
    when = np.random.default_rng(0).permutation(len(t))
    order = np.argsort(when)
    timed = StackingRegressor([("ridge", Ridge(0.1))], LinearRegression(), cv=4).fit(Z, t, times=when)
    sorted_ = StackingRegressor([("ridge", Ridge(0.1))], LinearRegression(), cv=TimeSeriesSplit(4)).fit(
        Z[order], t[order]
    )
    assert_allclose(timed.final_estimator_.coef_, sorted_.final_estimator_.coef_, rtol=1e-9)
    for make in (DynamicSelectionClassifier, EnsembleSelectionClassifier):
        assert make(MEMBERS, cv=3).fit(X, y, times=times).score(X, y) > 0.9
    weighed = VotingRegressor([("a", Ridge(0.1)), ("b", Ridge(10.0))], weights="simplex", cv=3)
    assert weighed.fit(Z, t, times=when).weights_[0] > 0.5


def test_groups_of_a_comparison_reach_the_folds_of_a_committee():
    """A group has its own noise in the columns: whoever learned from rows of the group knows the others."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    Z = rng.normal(size=(30, 3))[groups] + 0.01 * rng.normal(size=(120, 3))
    labels = rng.integers(0, 2, 30)[groups]
    seen = []

    class Watched(KNeighborsClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(np.asarray(X).copy())
            return super().fit(X, y)

    model = StackingClassifier([("near", Watched(1)), ("bayes", GaussianNB())], cv=3)
    compare([model, "majority"], Z, labels, design="3-fold", groups=groups)
    centre = {tuple(row): g for row, g in zip(Z, groups)}
    inner = [rows for rows in seen if len(rows) < 78]
    assert inner
    for rows in inner:  # whole groups, never some rows of one
        counts = np.bincount([centre[tuple(row)] for row in rows])
        assert set(counts[counts > 0]) == {4}


def test_times_of_a_comparison_reach_the_folds_of_a_committee():
    """The first column is the day: whoever answers for a row within the folds has learned from earlier ones alone."""
    days = np.random.default_rng(0).permutation(120)
    Z = np.column_stack([days, np.random.default_rng(1).normal(size=120)]).astype(float)
    labels = np.random.default_rng(2).integers(0, 2, 120)
    seen, asked = [], []

    class Watched(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(np.asarray(X)[:, 0].max())
            return super().fit(X, y, sample_weight)

        def predict_proba(self, X):
            asked.append((seen[-1], np.asarray(X)[:, 0].min()))
            return super().predict_proba(X)

    model = StackingClassifier([("one", Watched()), ("two", GaussianNB())], cv=3)
    compare([model, "majority"], Z, labels, design="2-time", times=days)
    assert len(asked) >= 2 * 3
    assert all(learned < answered for learned, answered in asked)


def test_with_metadata_routing_groups_go_where_they_are_asked_for():
    groups = np.arange(len(y)) % 7
    plain = StackingClassifier(MEMBERS, cv=3).fit(X, y, groups=groups).predict_proba(X)
    split = StackingClassifier(MEMBERS, cv=GroupKFold(3)).fit(X, y, groups=groups).predict_proba(X)
    with sklearn.config_context(enable_metadata_routing=True):
        assert_array_equal(StackingClassifier(MEMBERS, cv=3).fit(X, y, groups=groups).predict_proba(X), plain)
        routed = StackingClassifier(MEMBERS, cv=GroupKFold(3)).fit(X, y, groups=groups)
        assert_array_equal(routed.predict_proba(X), split)
        inner = StackingClassifier(MEMBERS, cv=GroupKFold(3)).set_fit_request(groups=True)
        outer = StackingClassifier([("inner", inner)], cv=3).fit(X, y, groups=groups)
        assert outer.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("make", "beside", "words"),
    [
        (lambda: StackingClassifier(MEMBERS, cv="3-fold"), {}, "cv must be .* or 'prefit', got '3-fold'"),
        (lambda: StackingClassifier(MEMBERS), {"groups": np.arange(9)}, "groups must have 150 entries"),
        (lambda: StackingClassifier(MEMBERS), {"groups": np.zeros(150)}, "need as many groups, there is 1"),
        (
            lambda: StackingClassifier(MEMBERS, cv=4),
            {"groups": np.arange(150) % 3},
            "4 folds of whole groups",
        ),
        (
            lambda: StackingClassifier(MEMBERS),
            {"times": np.arange(150)},
            "are all of class 0; members cannot",
        ),
        (
            lambda: StackingClassifier(MEMBERS),
            {"times": ["soon"] * 150},
            "times must be numbers, dates or ISO",
        ),
        (lambda: StackingClassifier(MEMBERS), {"times": np.zeros(150)}, "at 1 moments. Lower cv"),
        (lambda: StackingClassifier(MEMBERS), {"times": np.r_[np.nan, :149]}, "times is missing in 1 of 150"),
        (
            lambda: StackingClassifier(MEMBERS),
            {"times": np.arange(150), "groups": np.arange(150)},
            "Give times or groups, not both",
        ),
        (lambda: StackingClassifier(MEMBERS), {"days": np.arange(150)}, "fit got days"),
    ],
)
def test_what_makes_no_folds_is_said(make, beside, words):
    with pytest.raises((DataError, ParameterError), match=words):
        make().fit(X, y, **beside)


def test_a_library_takes_times():
    when = np.random.default_rng(0).permutation(len(y))
    order = np.argsort(when)
    shuffled = ModelLibrary(dict(MEMBERS), inner="3-time").fit(X, y, times=when)
    in_order = ModelLibrary(dict(MEMBERS), inner="3-time").fit(X[order], y[order])
    assert shuffled.single == pytest.approx(in_order.single, rel=1e-9)
    assert_array_equal(np.sort(order[in_order.rows_]), shuffled.rows_)
