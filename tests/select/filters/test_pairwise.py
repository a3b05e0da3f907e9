"""Associations of all pairs, and the selectors made of them: CFS, mRMR, redundancy."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import mutual_info_score

from assay import load, save
from assay.errors import ParameterError
from assay.select import CFSSelector, MRMRSelector, RedundancyFilter, feature_scores
from assay.select.filters.pairwise import association_matrix, information_matrix
from assay.tables import Table


def mixed(n=200, seed=0):
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
    frame["copy"] = 3 * frame["number"] - 1
    frame["same taste"] = frame["taste"].map({"sour": "a", "sweet": "b", "salt": "c"})
    return frame, y


def test_information_of_all_pairs_by_the_book():
    frame, y = mixed()
    frame = frame[["taste", "coin"]].copy()
    frame.loc[:20, "taste"] = None
    ours = information_matrix(Table.of(frame), y, None, 3, "mdl", "")
    columns = [frame["taste"].fillna("missing"), frame["coin"], y]
    for i, j in itertools.product(range(3), repeat=2):
        assert_allclose(ours[i, j], mutual_info_score(columns[i], columns[j]), atol=1e-12)


def test_associations_of_all_pairs_by_the_book():
    frame, y = mixed()
    frame.loc[:30, "noise"] = np.nan
    frame.loc[20:60, "number"] = np.nan
    table = Table.of(frame)
    ours = pd.DataFrame(association_matrix(table, y, None, 3, ""), [*frame, "y"], [*frame, "y"])
    known = frame[["number", "noise"]].dropna()
    assert_allclose(ours.loc["number", "noise"], abs(np.corrcoef(known.T)[0, 1]), rtol=1e-10)
    known = frame["noise"].notna()
    groups = frame["noise"][known].groupby(frame["taste"][known])
    total = ((frame["noise"] - frame["noise"].mean()) ** 2).sum()
    between = sum(len(g) * (g.mean() - frame["noise"].mean()) ** 2 for _, g in groups)
    assert_allclose(ours.loc["taste", "noise"], np.sqrt(between / total), rtol=1e-10)
    chi = feature_scores(frame[["taste"]], frame["coin"], "chi-squared").scores[0]
    assert_allclose(ours.loc["taste", "coin"], np.sqrt(chi / len(y)), rtol=1e-10)
    assert_allclose(ours.loc["taste", "same taste"], 1.0)
    assert_allclose(ours, ours.T)


def test_of_two_categories_all_measures_agree():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 100)) < 0.4
    numbers = pd.DataFrame({"a": a.astype(float), "b": b.astype(float)})
    texts = numbers.map({0.0: "no", 1.0: "yes"}.get)
    r = abs(np.corrcoef(a, b)[0, 1])
    for first, second in itertools.product((numbers, texts), repeat=2):
        table = Table.of(pd.DataFrame({"a": first["a"], "b": second["b"]}))
        assert_allclose(association_matrix(table, np.arange(100.0), None, None, "")[0, 1], r, rtol=1e-10)


def merit(relevance, redundancy, subset):
    k = len(subset)
    pairs = sum(redundancy[i, j] for i, j in itertools.combinations(subset, 2))
    return sum(relevance[list(subset)]) / np.sqrt(k + 2 * pairs)


@pytest.mark.parametrize("measure", ["information", "correlation"])
def test_cfs_finds_the_best_of_all_subsets(measure):
    X, y = load_wine(return_X_y=True)
    model = CFSSelector(measure, patience=50).fit(X[:, :9], y)
    subsets = [s for k in range(1, 10) for s in itertools.combinations(range(9), k)]
    merits = [merit(model.relevance_, model.redundancy_, s) for s in subsets]
    assert_allclose(model.merit_, max(merits), rtol=1e-12)
    assert tuple(model.get_support(indices=True)) == subsets[int(np.argmax(merits))]


@pytest.mark.capability("DC-10")
def test_a_duplicate_is_dropped():
    frame, y = mixed()
    for selector in (MRMRSelector(2), RedundancyFilter()):
        chosen = set(selector.fit(frame, y).selected_)
        assert len(chosen & {"number", "copy"}) == 1 and len(chosen & {"taste", "same taste"}) == 1


@pytest.mark.capability("DC-10")
def test_the_better_of_two_tied_columns_is_kept():
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    good = y + 0.3 * rng.normal(size=100)
    X = np.column_stack([good + 0.2 * rng.normal(size=100), good])
    model = RedundancyFilter(0.8).fit(X, y)
    assert model.get_support().tolist() == [False, True] and model.tied_to_.tolist() == [1, -1]
    assert RedundancyFilter(1.0).fit(X, y).get_support().all()
    by_gini = RedundancyFilter(0.8, score_func="gini").fit(X, y)
    assert by_gini.get_support().sum() == 1 and "scores better" in by_gini.reasons()[0]["why"]


@pytest.mark.parametrize("form", ["difference", "quotient"])
def test_mrmr_takes_columns_by_its_formula(form):
    X, y = load_wine(return_X_y=True)
    model = MRMRSelector(5, form=form, bins=4).fit(X, y)
    taken = [int(np.argmax(model.relevance_))]
    while len(taken) < 5:
        shared = model.redundancy_[:, taken].mean(axis=1)
        worth = model.relevance_ - shared if form == "difference" else model.relevance_ / shared
        worth[taken] = -np.inf
        taken.append(int(np.argmax(worth)))
    assert model.ranking_.tolist() == taken
    assert "taken as number 1" in model.reasons()[taken[0]]["why"]


def test_weights_are_repeats_and_units_do_not_matter():
    frame, y = mixed(80)
    frame = frame.drop(columns=["copy", "same taste"])  # of copies rounding decides which is kept
    w = np.random.default_rng(1).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), w)
    for model in (CFSSelector(), CFSSelector("correlation"), MRMRSelector(2), RedundancyFilter()):
        weighed = model.fit(frame, y, sample_weight=w)
        relevance, support = weighed.relevance_, weighed.get_support()
        again = model.fit(frame.iloc[rows], y[rows])
        assert_allclose(again.relevance_, relevance, rtol=1e-9, atol=1e-12)
        assert (again.get_support() == support).all()
    iris, kinds = load_iris(return_X_y=True)
    for scale in (1e-150, 1e150):
        merits = [CFSSelector("correlation").fit(X, kinds).merit_ for X in (iris * scale, iris)]
        assert_allclose(*merits)


def test_a_target_of_numbers_constant_and_empty_columns():
    frame, _ = mixed()
    target = frame["number"] + np.where(frame["taste"] == "sour", 2.0, 0.0)
    frame["constant"], frame["empty"] = 1.0, np.nan
    model = CFSSelector().fit(frame, target)
    assert model.measure_ == "correlation" and {"number", "taste"} & set(model.selected_)
    assert not {"constant", "empty"} & set(model.selected_)
    with pytest.raises(ParameterError, match="the measure 'information' is for classes"):
        CFSSelector("information").fit(frame, target)
    with pytest.warns(UserWarning, match="greater than the 8 columns"):
        assert MRMRSelector(9).fit(frame, target).get_support().all()


def test_noise_keeps_nothing_and_models_can_be_saved(tmp_path):
    rng = np.random.default_rng(0)
    assert CFSSelector().fit(rng.normal(size=(200, 5)), np.arange(200) % 2).selected_ == []
    frame, y = mixed()
    for model in (CFSSelector(), MRMRSelector(2), RedundancyFilter()):
        save(model.fit(frame, y), tmp_path / "model.assay")
        assert load(tmp_path / "model.assay").selected_ == model.selected_
