"""Discriminative patterns as columns."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2_contingency
from sklearn.feature_selection import mutual_info_classif
from sklearn.pipeline import make_pipeline

from assay.errors import DataError
from assay.linear import LogisticRegression
from assay.rules.associative.class_association_rules import class_association_rules
from assay.rules.associative.pattern_features import PatternFeatures, pattern_relevance
from assay.tables.data import load_breast_cancer_ljubljana, load_charity_donors

CUTS = {"Age": [50], "Salary": [50000]}


@pytest.mark.capability("DC-64")
def test_patterns_of_the_charity_table_ranked_by_gain():
    """Gains by hand from the entropies of DC 10.2 and ex 2, H = 0.994030: {old, rich} leaves 6/11 x 0.650022, {rich}
    and {poor} leave 0.376519, {old} and {young} 0.682707."""
    data = load_charity_donors()
    features = PatternFeatures(min_support=2, cuts=CUTS, coverage=9).fit(data.X, data.y)
    gain = dict(zip(features.get_feature_names_out(), features.relevance_))
    assert next(iter(gain)) == "Age > 50 AND Salary > 50000"
    assert_allclose(gain["Age > 50 AND Salary > 50000"], 0.994030 - 6 / 11 * 0.650022, atol=1e-6)
    assert_allclose([gain["Salary > 50000"], gain["Salary <= 50000"]], 0.994030 - 0.376519, atol=1e-6)
    assert_allclose([gain["Age > 50"], gain["Age <= 50"]], 0.994030 - 0.682707, atol=1e-6)
    assert "Age <= 50 AND Salary <= 50000" not in gain  # {poor} alone is sure
    few = PatternFeatures(min_support=2, cuts=CUTS, n_features=2).fit(data.X, data.y)
    assert_array_equal(few.transform(data.X), np.column_stack(few.patterns_.covers(data.X).T).astype(float))
    assert few.transform([[60, 60000], [20, 20000]]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("K", [2, 3])
def test_relevance_as_others_compute_it(K):
    """Peers: scikit-learn's mutual information (in nats), SciPy's chi-square; growth rates counted anew."""
    rng = np.random.default_rng(K)
    y = rng.integers(0, K, 200)
    held = rng.random((200, 6)) < 0.2 + 0.2 * y[:, None] * rng.random(6)
    counts = np.array([np.bincount(y[h], minlength=K) for h in held.T])
    totals = np.bincount(y, minlength=K)
    nats = mutual_info_classif(held, y, discrete_features=True)
    assert_allclose(pattern_relevance(counts, totals), nats / np.log(2), atol=1e-12)
    chi = [chi2_contingency(np.array([c, totals - c]), correction=False).statistic / 200 for c in counts]
    assert_allclose(pattern_relevance(counts, totals, "chi_square"), chi, rtol=1e-12)
    growth = [max(h[y == k].mean() / h[y != k].mean() for k in range(K)) for h in held.T]
    assert_allclose(
        pattern_relevance(counts, totals, "growth_rate"), [g / (1 + g) for g in growth], rtol=1e-12
    )
    assert pattern_relevance([[3, 0]], [5, 5], "growth_rate").tolist() == [1.0]  # in one class only


def selected_by_the_book(rules, X, y, coverage):
    """Every step looks at every set that is left: relevance less what the most similar taken set has of it."""
    classes = list(rules.classes)
    held = [rule.covers(X) for rule in rules]
    totals = np.array([(y == c).sum() for c in classes])
    counts = np.array([[(h & (y == c)).sum() for c in classes] for h in held])
    S = pattern_relevance(counts, totals)
    home = [
        max(range(len(classes)), key=lambda k: (round(c[k] / totals[k], 12), totals[k], -k)) for c in counts
    ]
    rank = sorted(range(len(held)), key=lambda r: (-round(S[r], 12), len(rules[r].conditions), r))
    H = np.array(held, float)
    shared, size = H @ H.T, H.sum(axis=1)
    repeats = shared / (size[:, None] + size - shared) * np.minimum(S[:, None], S)
    times, taken = np.zeros(len(y), int), []
    left = [r for r in rank if S[r] > 0]
    while left and (times < coverage).any():
        worth = np.round(S[left] - (repeats[np.ix_(left, taken)].max(axis=1) if taken else 0.0), 12)
        best = left[int(np.argmax(worth))]  # among equals the first in rank
        if worth.max() <= 0:
            break
        left.remove(best)
        right = held[best] & (y == classes[home[best]])
        if (times[right] < coverage).any():
            taken.append(best)
            times[right] += 1
    return [rules[r].conditions for r in taken]


@pytest.mark.capability("DC-64")
@pytest.mark.parametrize("coverage", [1, 3])
def test_patterns_are_selected_as_the_parameters_define(coverage):
    data = load_breast_cancer_ljubljana()
    y = np.asarray(data.y)
    features = PatternFeatures(min_support=0.1, max_length=2, coverage=coverage).fit(data.X, y)
    rules = class_association_rules(
        data.X, y, min_support=0.1, min_confidence=0.0, max_length=2, support="antecedent"
    )
    # sets of equal relevance and length stand in the order of the table
    rules = type(rules)(
        tuple(sorted(rules, key=lambda r: [(c.column, c.codes or (), c.low) for c in r.conditions])),
        rules.schema,
        rules.classes,
        policy="votes",
    )
    wanted = selected_by_the_book(rules, rules.block(data.X), y, coverage)
    assert [rule.conditions for rule in features.patterns_] == wanted
    assert len(wanted) > 5


def test_a_linear_learner_sees_a_combination_of_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["a", "b"], (300, 3)), columns=["u", "v", "w"])
    y = X["u"] == X["v"]
    alone = LogisticRegression().fit(X, y).score(X, y)
    with_patterns = make_pipeline(PatternFeatures(min_length=2), LogisticRegression()).fit(X, y).score(X, y)
    assert alone < 0.65
    assert with_patterns == 1.0


def test_weights_count_as_rows_and_the_rest_of_the_table_may_be_missing():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y, w = np.nan_to_num(X[:, 0]) > rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    weighed = PatternFeatures().fit(X, y, sample_weight=w)
    repeated = PatternFeatures().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert str(weighed) == str(repeated)
    assert len(weighed.patterns_) > 1
    assert set(np.unique(weighed.transform(X))) == {0.0, 1.0}


def test_without_classes_there_is_nothing_to_tell_apart():
    with pytest.raises(DataError, match="PatternFeatures requires y to be passed"):
        PatternFeatures().fit([[1.0], [2.0]])


def test_no_pattern_at_all_is_a_table_without_columns():
    features = PatternFeatures().fit([[1.0], [2.0], [1.0]], [0, 0, 0])
    assert features.transform([[1.0]]).shape == (1, 0)
    assert features.get_feature_names_out().tolist() == []
