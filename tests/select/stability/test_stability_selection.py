"""Stability selection and shadow columns: bounds from the papers, noise, parity, mixed tables."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.ensembles import RandomForestClassifier, RandomForestRegressor
from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression
from assay.select import (
    RFE,
    AllRelevantSelection,
    SelectByLassoPath,
    StabilitySelection,
    expected_false_bound,
    selection_frequency,
)
from assay.select.stability.resamples import complementary_halves, drawn_rows

rng = np.random.default_rng(0)
WIDE = rng.normal(size=(100, 60))
WIDE_NUMBERS = 2 * WIDE[:, 3] - 2 * WIDE[:, 8] + rng.normal(size=100)
MIXED = pd.DataFrame(
    {
        "noise": rng.normal(size=150),
        "town": np.array(["Bern", "Rome", "Oslo"])[np.arange(150) % 3],
        "other": rng.normal(size=150),
        "more": rng.normal(size=150),
    }
)
CLASS = np.where((MIXED["town"] == "Oslo") ^ (rng.random(150) < 0.1), "yes", "no")


def test_the_bounds_of_the_papers():
    """Meinshausen and Buehlmann (2010), Theorem 1: q^2 / ((2 pi - 1) p); Shah and Samworth (2013), Theorem 2."""
    assert_allclose(expected_false_bound(10, 100, 0.9, 50, "none"), 100 / (0.8 * 100))
    assert_allclose(expected_false_bound(10, 100, 0.6, 50), 1 / (2 * (0.2 - 0.01)))
    assert_allclose(expected_false_bound(10, 100, 0.9, 50), 4 * (0.1 + 0.01) / 1.02)
    assert expected_false_bound(10, 100, 0.505, 50) == expected_false_bound(10, 100, 0.505, 50, "none")


def test_halves_come_in_pairs_without_a_common_row_and_keep_the_classes():
    codes = np.repeat([0, 1, 2], [31, 20, 10])
    halves = complementary_halves(codes, 5, np.random.default_rng(0))
    for a, b in zip(halves[::2], halves[1::2]):
        assert len(a) == len(b) == 30 and not set(a) & set(b)
        assert abs(np.bincount(codes[a], minlength=3) - np.array([15.5, 10, 5])).max() <= 1
    again = drawn_rows(codes, 3, "bootstrap", np.random.default_rng(0))
    assert [np.bincount(codes[rows]).tolist() for rows in again] == [[31, 20, 10]] * 3


def test_it_finds_what_matters_and_says_what_may_be_false():
    selector = StabilitySelection(expected_false=0.5, random_state=0).fit(WIDE, WIDE_NUMBERS)
    assert selector.selected_ == ["x3", "x8"]
    assert 0 < selector.bound_ <= 0.5
    assert_allclose(selector.frequencies_[[3, 8]], 1.0)
    assert "useless columns" in str(selector.show()) and "halves" in selector.reasons()[0]["why"]


def test_one_thread_or_two_give_the_same_frequencies():
    one, two = (
        StabilitySelection(n_pairs=5, random_state=1, n_jobs=j).fit(WIDE, WIDE_NUMBERS) for j in (1, 2)
    )
    assert_array_equal(one.frequencies_, two.frequencies_)


def test_on_noise_fewer_columns_are_kept_than_the_bound_allows():
    """15 tables of 40 useless columns: 0.5 false columns are allowed on average, and nearly none is kept."""
    kept = []
    for seed in range(15):
        draws = np.random.default_rng(seed)
        X, y = draws.normal(size=(60, 40)), draws.integers(0, 2, 60)
        kept.append(
            StabilitySelection(expected_false=0.5, n_pairs=10, random_state=seed).fit(X, y).support_.sum()
        )
    assert np.mean(kept) <= 0.3


def test_any_selector_may_choose_from_the_halves():
    selector = StabilitySelection(SelectByLassoPath(3), n_pairs=5, random_state=0).fit(WIDE, WIDE_NUMBERS)
    plain = StabilitySelection(n_features=3, n_pairs=5, random_state=0).fit(WIDE, WIDE_NUMBERS)
    assert_array_equal(selector.frequencies_, plain.frequencies_)
    around = StabilitySelection(RFE(LogisticRegression(), n_features_to_select=1), n_pairs=4, random_state=0)
    assert around.fit(MIXED, CLASS).selected_ == ["town"]


@pytest.mark.parametrize("importance", ["gain", "permutation"])
def test_shadows_find_all_that_is_relevant_copies_and_nominal_columns_included(importance, tmp_path):
    frame = MIXED.assign(copy=(MIXED["town"] == "Oslo") + 0.3 * np.random.default_rng(1).normal(size=150))
    selector = AllRelevantSelection(
        RandomForestClassifier(60, max_depth=5), importance=importance, random_state=0
    ).fit(frame, CLASS)
    assert selector.selected_ == ["town", "copy"]
    assert selector.n_rounds_ < 60 and "shadow" in selector.reasons()[0]["why"]
    assay.save(selector, tmp_path / "s.assay")
    assert assay.load(tmp_path / "s.assay").selected_ == ["town", "copy"]


def test_shadows_confirm_nothing_on_noise():
    """12 tables of 8 useless columns, and 12 with a strong one beside them; alpha is 0.05."""
    false = {"classes": 0, "numbers": 0}
    for seed in range(12):
        draws = np.random.default_rng(seed)
        X, y = draws.normal(size=(80, 8)), draws.integers(0, 2, 80)
        forest = RandomForestClassifier(20, max_depth=4)
        false["classes"] += AllRelevantSelection(forest, random_state=seed).fit(X, y).support_.any()
        forest, numbers = RandomForestRegressor(20, max_depth=4), 3 * X[:, 3] + draws.normal(size=80)
        kept = AllRelevantSelection(forest, random_state=seed).fit(X, numbers).selected_
        false["numbers"] += kept != ["x3"]
    assert max(false.values()) <= 2


def test_a_coin_decides_as_in_the_original():
    """Kursa and Rudnicki: of 9 columns at level 0.05 / 18, 9 of 9 hits and 0 of 9 are decisive, 8 and 1 are not."""
    selector = AllRelevantSelection(test="coin")
    selector.hits_, selector.rounds_ = np.array([9, 8, 1, 0, 5, 5, 5, 5, 5]), np.full(9, 9)
    yes, no = selector._verdicts()
    assert_array_equal(np.flatnonzero(yes), [0])
    assert_array_equal(np.flatnonzero(no), [3])


def test_shadows_for_numbers_with_missing_values():
    X = WIDE[:, :10].copy()
    y = 3 * X[:, 3] + np.random.default_rng(0).normal(size=100)
    X[::9, 3] = np.nan
    assert AllRelevantSelection(RandomForestRegressor(30), random_state=0, n_rounds=30).fit(
        X, y
    ).selected_ == ["x3"]


def test_how_often_each_column_is_chosen():
    result = selection_frequency(SelectByLassoPath(3), WIDE, WIDE_NUMBERS, resamples=20)
    assert result.selections.shape == (20, 60) and (result.selections.sum(axis=1) == 3).all()
    assert_allclose(result.frequency, result.selections.mean(axis=0))
    assert result.frequency[[3, 8]].tolist() == [1.0, 1.0]
    assert (result.low <= result.frequency).all() and (result.frequency <= result.high).all()
    assert result.chosen[[3, 8]].all() and result.table()[0]["column"] == "x3"
    again = selection_frequency(SelectByLassoPath(3), WIDE, WIDE_NUMBERS, resamples=20, n_jobs=1)
    assert_array_equal(again.selections, result.selections)


def test_a_selector_of_scikit_learn_and_other_resamples():
    import sklearn.feature_selection as peer

    y = WIDE_NUMBERS > 0
    result = selection_frequency(peer.SelectKBest(k=2), WIDE, y, resamples=10, how="bootstrap")
    assert result.frequency[[3, 8]].min() >= 0.9 and "bootstrap" in str(result)
    assert result.to_dict()["resamples"] == 10 and "<table>" in result._repr_html_()
    assert selection_frequency(SelectByLassoPath(1), MIXED, CLASS, resamples=4).table()[0]["column"] == "town"


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match=r"threshold must be a number above 0\.5"):
        StabilitySelection(threshold=0.5).fit(WIDE, WIDE_NUMBERS)
    with pytest.raises(DataError, match="too few for halves"):
        StabilitySelection().fit(WIDE[:5], WIDE_NUMBERS[:5])
    with pytest.raises(ParameterError, match="how must be one of"):
        selection_frequency(SelectByLassoPath(1), WIDE, WIDE_NUMBERS, how="jackknife")
    with pytest.raises(ParameterError, match="selector must choose columns"):
        selection_frequency(LogisticRegression(), WIDE, WIDE_NUMBERS)
    with pytest.raises(ParameterError, match='importance="permutation" needs a forest'):
        AllRelevantSelection(LogisticRegression(), importance="permutation").fit(WIDE, WIDE_NUMBERS > 0)
