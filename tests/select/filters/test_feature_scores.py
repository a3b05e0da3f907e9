"""Scores of columns: the numbers of the charity table, relations between scores, raw tables, weights, extremes."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import feature_selection
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from assay.errors import AssayError, DataError, ParameterError
from assay.select import chi2, f_classif, f_oneway, f_regression, feature_scores, r_regression
from assay.tables.data import load_charity_donors

CHARITY = load_charity_donors()
AGE, SALARY = CHARITY.X.values.T
DONOR = CHARITY.y
OLD_AND_RICH = pd.DataFrame(
    {"Age>50": np.where(AGE > 50, "yes", "no"), "Salary>50000": np.where(SALARY > 50000, "yes", "no")}
)
CATEGORIES = ("gini", "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty")
ALL = ("f", "fisher", "mutual information", *CATEGORIES)


def mixed(n=120, seed=0, missing=True):
    """A number, an ordinal and two nominal columns, noise among them, some values missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n) + y,
            "noise": rng.normal(size=n),
            "taste": np.array(["sour", "sweet", "salt"])[
                np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
            ],
            "coin": rng.choice(["heads", "tails"], n),
        }
    )
    if missing:
        frame.loc[rng.random(n) < 0.15, "number"] = np.nan
        frame.loc[rng.random(n) < 0.15, "taste"] = None
    return frame, np.array(["a", "b", "c"])[y]


@pytest.mark.capability("DC-06")
def test_gini_index_of_the_charity_table():
    assert_allclose(feature_scores(OLD_AND_RICH, DONOR, "gini").scores, [0.296970, 0.155844], atol=5e-7)
    assert feature_scores(OLD_AND_RICH, DONOR, "gini").better == "lower"
    bins = feature_scores(CHARITY.X, DONOR, "gini", bins=2).scores  # numbers by bins
    assert bins.shape == (2,) and (bins > 0).all() and (bins < 0.5).all()


@pytest.mark.capability("DC-07")
def test_entropy_of_the_charity_table():
    assert_allclose(feature_scores(OLD_AND_RICH, DONOR, "entropy").scores, [0.682707, 0.376519], atol=5e-7)


@pytest.mark.capability("DC-09")
def test_fisher_score_of_the_charity_table_and_its_relation_to_f():
    fisher = feature_scores(CHARITY.X, DONOR, "fisher")
    scores = dict(zip(fisher.names, fisher.scores))
    assert_allclose([scores["Age"], scores["Salary"]], [0.661227, 1.957666], atol=5e-7)
    donor = np.asarray(DONOR) == np.asarray(DONOR)[np.argmax(AGE)]
    moments = [(AGE, [37.8, 54.5], [13.317657, 6.626965]), (SALARY, [37600, 63333.33], [10307.279, 8076.028])]
    for column, means, spreads in moments:  # of those who gave nothing and of the donors, divided by n
        groups = sorted((column[~donor], column[donor]), key=np.mean)
        assert_allclose([g.mean() for g in groups], means, rtol=1e-6)
        assert_allclose([g.std() for g in groups], spreads, rtol=1e-6)
    f = feature_scores(CHARITY.X, DONOR, "f")
    assert_allclose(f.scores, fisher.scores * (11 - 2) / (2 - 1), rtol=1e-12)
    assert fisher.best(1) == ["Salary"]


def test_fisher_of_a_column_without_spread():
    X = np.array([[1.0, 5.0, 0.0], [1.0, 5.0, 1.0], [2.0, 5.0, 0.0], [2.0, 5.0, 1.0]])
    assert_allclose(feature_scores(X, [0, 0, 1, 1], "fisher").scores, [np.inf, 0.0, 0.0])


def test_two_categories_score_as_their_indicator():
    """F and the Fisher score of a nominal column of two categories are those of its 0/1 column."""
    frame, y = mixed(missing=False)
    indicator = (frame[["coin"]] == "heads").astype(float)
    for score in ("f", "fisher"):
        ours = feature_scores(frame[["coin"]], y, score)
        assert_allclose(ours.scores, feature_scores(indicator, y, score).scores, rtol=1e-10)
    assert_allclose(feature_scores(frame[["coin"]], y, "f").p_values, f_classif(indicator, y)[1], rtol=1e-10)


def test_f_of_categories_is_pillais_trace_of_their_indicators():
    frame, y = mixed(missing=False)
    Z = pd.get_dummies(frame["taste"]).to_numpy(float)[:, 1:]
    Y = pd.get_dummies(pd.Series(y)).to_numpy(float)[:, 1:]
    Z, Y = Z - Z.mean(0), Y - Y.mean(0)
    trace = np.trace(np.linalg.solve(Z.T @ Z, Z.T @ Y) @ np.linalg.solve(Y.T @ Y, Y.T @ Z))
    n, s = len(y), 2
    expected = (s * (n - 3 - 2 + s)) / 4 * trace / (s - trace)
    assert_allclose(feature_scores(frame[["taste"]], y, "f").scores, expected, rtol=1e-10)


def test_chi_squared_of_categories_is_that_of_scipy():
    frame, y = mixed(missing=False)
    ours = feature_scores(frame[["taste", "coin"]], y, "chi-squared")
    for j, name in enumerate(("taste", "coin")):
        peer = stats.chi2_contingency(pd.crosstab(frame[name], y), correction=False)
        assert_allclose([ours.scores[j], ours.p_values[j]], [peer.statistic, peer.pvalue], rtol=1e-9)


def test_a_missing_category_is_a_value_or_left_out():
    X = pd.DataFrame({"a": ["u", "u", "v", "v", None, None]})
    y = [0, 0, 1, 1, 2, 2]
    assert feature_scores(X, y, "gini").scores == 0.0
    assert feature_scores(X, y, "gini", missing="leave out").scores == 0.0
    ratio = feature_scores(X, y, "gain ratio", missing="leave out").scores  # the gain of four rows of six
    assert_allclose(ratio, 4 / 6)
    assert_allclose(feature_scores(X, y, "gain ratio").scores, 1.0)
    assert_allclose(feature_scores(X, y, "mutual information").scores, np.log(3))
    assert_allclose(feature_scores(X, y, "mutual information", missing="leave out").scores, np.log(2))


@pytest.mark.parametrize("bins", ["mdl", 4, ("width", 4)])
@pytest.mark.parametrize("score", [*ALL, "relieff"])
def test_a_row_of_weight_two_is_two_rows(score, bins):
    if bins != "mdl" and score not in ("gini", "chi-squared"):
        return
    frame, y = mixed(60)
    w = np.random.default_rng(1).integers(0, 3, 60)
    again = feature_scores(frame.iloc[np.repeat(np.arange(60), w)], np.repeat(y, w), score, bins=bins)
    weighed = feature_scores(frame, y, score, sample_weight=w, bins=bins)
    assert_allclose(weighed.scores, again.scores, rtol=1e-9, atol=1e-12)
    if again.p_values is not None:
        assert_allclose(weighed.p_values, again.p_values, rtol=1e-7, atol=1e-300)


@pytest.mark.parametrize("score", ["f", "correlation", "mutual information", "relieff"])
def test_a_row_of_weight_two_is_two_rows_for_a_target_of_numbers(score):
    frame, _ = mixed(60)
    target = frame["noise"] + np.where(frame["taste"] == "sour", 1.5, 0.0)
    w = np.random.default_rng(1).integers(0, 3, 60)
    rows = np.repeat(np.arange(60), w)
    again = feature_scores(frame.iloc[rows], target.iloc[rows], score, task="regression")
    weighed = feature_scores(frame, target, score, sample_weight=w, task="regression")
    assert_allclose(weighed.scores, again.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("score", [*ALL, "relieff"])
def test_noise_comes_last(score):
    frame, y = mixed(300, missing=False)
    order = [feature_scores(frame, y, score).names[j] for j in feature_scores(frame, y, score).order]
    assert set(order[:2]) == {"number", "taste"}


def test_a_target_of_numbers_and_categories_is_an_analysis_of_variance():
    frame, _ = mixed(missing=False)
    target = frame["noise"] + np.where(frame["taste"] == "sour", 1.0, 0.0)
    ours = feature_scores(frame, target, "f", task="regression")
    groups = [target[frame["taste"] == v] for v in ("sour", "sweet", "salt")]
    peer = stats.f_oneway(*groups)
    j = ours.names.index("taste")
    assert_allclose([ours.scores[j], ours.p_values[j]], [peer.statistic, peer.pvalue], rtol=1e-9)
    r = feature_scores(frame, target, "correlation", task="regression").scores
    assert_allclose(r[:2], np.abs(r_regression(frame[["number", "noise"]], target)), rtol=1e-12)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_same_scores_as_scikit_learn(load):
    """Peer: scikit-learn 1.9; its F comes from sums of squares, so that digits are lost far from zero."""
    X, y = load(return_X_y=True)
    for ours, peer in ((f_classif, feature_selection.f_classif), (chi2, feature_selection.chi2)):
        for a, b in zip(ours(X, y), peer(X, y)):
            assert_allclose(a, b, rtol=1e-6, atol=1e-290)


@pytest.mark.parametrize("center", [True, False])
def test_same_correlations_as_scikit_learn(center):
    X, y = load_diabetes(return_X_y=True)
    assert_allclose(
        r_regression(X, y, center=center), feature_selection.r_regression(X, y, center=center), rtol=1e-9
    )
    for a, b in zip(f_regression(X, y, center=center), feature_selection.f_regression(X, y, center=center)):
        assert_allclose(a, b, rtol=1e-8)


def test_far_from_zero_nothing_is_lost():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    exact = np.round(X * 1024) / 1024
    assert_allclose(f_classif(exact + 2.0**30, y)[0], f_classif(exact, y)[0], rtol=1e-9)
    target = np.round(rng.normal(size=60) * 1024) / 1024
    assert_allclose(r_regression(exact + 2.0**30, target + 2.0**30), r_regression(exact, target), rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("score", [*ALL, "relieff"])
def test_the_unit_does_not_matter(score, scale):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    assert_allclose(feature_scores(X * scale, y, score).scores, feature_scores(X, y, score).scores, rtol=1e-9)


@pytest.mark.parametrize("score", ["f", "fisher"])
def test_squares_that_overflow_are_refused_by_name(score):
    """No score of NaN, no column called constant: the sums of squares of b are infinite."""
    rng = np.random.default_rng(0)
    table, y = pd.DataFrame(rng.normal(size=(40, 2)) * [1, 1e200], columns=["a", "b"]), np.arange(40) % 2
    with pytest.raises(DataError, match="column b has numbers too large to be squared"):
        feature_scores(table, y, score)
    with pytest.raises(DataError, match="f_regression: column b has numbers too large"):
        f_regression(table, y)
    assert np.isinf(feature_scores(table.assign(b=y * 1e200), y, score).scores[1])  # constant in each class


def test_a_target_whose_squares_overflow_is_refused():
    """Its F was 0 in every column, p 1, although the first column is the target."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    for score in (f_regression, r_regression, lambda X, y: feature_scores(X, y, "f")):
        with pytest.raises(DataError, match="y has numbers too large to be squared"):
            score(X, X[:, 0] * 1e200)
    assert_allclose(r_regression(X, X[:, 0] * 1e150)[0], 1, rtol=1e-12)


def test_squares_that_vanish_are_no_perfect_line():
    """The squares of 1e-200 are 0: nothing is known of such a column, where its F was the largest number."""
    X, y = np.random.default_rng(0).normal(size=(40, 2)) * [1, 1e-200], np.arange(40) % 2
    f, p = f_regression(X, y)
    assert (f[1], p[1]) == (0.0, 1.0) and f[0] > 0


@pytest.mark.parametrize("score", [*ALL, "relieff"])
def test_constant_and_empty_columns_and_few_rows_get_an_answer_or_a_sentence(score):
    X = np.column_stack([np.full(6, 3.0), np.full(6, np.nan), np.arange(6.0)])
    y = [0, 1, 0, 1, 0, 1]
    scores = feature_scores(X, y, score).scores
    assert scores.shape == (3,) and not np.isinf(scores[:2]).any()
    for rows, classes in (
        ([[1.0, 2.0]], ["a"]),
        ([[1.0], [2.0]], ["a", "a"]),
        ([[1.0, 2.0, 3.0]] * 2, ["a", "b"]),
    ):
        try:
            assert feature_scores(rows, classes, score).scores.shape == (len(rows[0]),)
        except AssayError as error:
            assert str(error)


def test_f_oneway_of_samples():
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=(n, 2)) + n / 10 for n in (5, 8, 3)]
    for a, b in zip(f_oneway(*samples), stats.f_oneway(*samples)):
        assert_allclose(a, b, rtol=1e-10)
    with pytest.raises(DataError, match="two samples or more"):
        f_oneway(samples[0])


def test_what_cannot_be_scored_is_said():
    frame, y = mixed()
    with pytest.raises(ParameterError, match="there is no score 'ginny'"):
        feature_scores(frame, y, "ginny")
    with pytest.raises(ParameterError, match="the score 'gini' is for a target of classes"):
        feature_scores(frame, np.linspace(0, 1, 120), "gini", task="regression")
    with pytest.raises(DataError, match="column 'taste' holds categories, expected counts"):
        feature_scores(frame, y, "chi2")
    with pytest.raises(DataError, match="column 'taste' holds categories, expected numbers"):
        f_regression(frame, np.arange(120.0))
    with pytest.raises(ParameterError, match="bins must be"):
        feature_scores(frame, y, "gini", bins=1)
    with pytest.raises(DataError, match="missing values, expected counts"):
        chi2([[np.nan, 1.0], [2.0, 3.0]], [0, 1])


def test_the_result_is_a_table():
    frame, y = mixed()
    result = feature_scores(frame, y, "f")
    records = result.table()
    assert [r["rank"] for r in records] == [1, 2, 3, 4] and records[0]["f"] == result.scores.max()
    assert str(result).splitlines()[1].split()[1] == records[0]["column"] and "<pre>" in result._repr_html_()


def test_information_of_rounded_numbers_is_the_same_from_weights_and_repeats():
    """Rows share distances here: one that differs in its last digit is counted, or not."""
    table, kinds = load_wine(return_X_y=True)
    counts = np.random.default_rng(0).integers(0, 3, len(table))
    for target in (kinds, table[:, 0]):
        weighted = feature_scores(table[:, 1:], target, "mutual information", sample_weight=counts)
        repeated = feature_scores(
            np.repeat(table[:, 1:], counts, axis=0), np.repeat(target, counts), "mutual information"
        )
        assert_allclose(weighted.scores, repeated.scores, rtol=1e-9, atol=1e-12)
