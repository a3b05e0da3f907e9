"""compare: the same splits for all, everything learned inside the fold, nothing silent."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.decide import DecisionRule
from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling
from assay.metrics import Measure
from assay.tables.data import load_breast_cancer, load_german_credit, load_iris, load_wine

rng = np.random.default_rng(4)
n = 60
MIXED = pd.DataFrame(
    {
        "size": np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n).round(2)),
        "taste": rng.choice(["sour", "sweet", None], size=n, p=[0.5, 0.4, 0.1]),
        "count": rng.integers(0, 9, size=n),
    }
)
MIXED.loc[17, "taste"] = "bitter"  # unseen in the fold that tests this row
LABELS = np.where(rng.random(n) < 0.2, "no", np.where(MIXED["count"] > 4, "yes", "no"))
TEN = Resampling.of("10-fold")


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted with."""

    seen: list = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Spy.seen.append((type(X), np.array(X) if isinstance(X, np.ndarray) else X, y))
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


class Stumbles(ClassifierMixin, BaseEstimator):
    """Raises at the given call of fit."""

    calls = 0

    def __init__(self, at=1, error=ValueError):
        self.at = at
        self.error = error

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Stumbles.calls += 1
        if Stumbles.calls == self.at:
            raise self.error("no  luck\nhere")
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


@pytest.fixture(autouse=True)
def forget():
    Spy.seen = []
    Stumbles.calls = 0


def numbers(result):
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in result.records]


def test_the_values_are_those_of_a_plain_loop_over_the_splits():
    X, y = load_breast_cancer()
    result = compare([GaussianNB()], X.values, y, design="2x5", random_state=3)
    codes = np.unique(y, return_inverse=True)[1]
    by_hand = [
        np.mean(GaussianNB().fit(X.values[s.train], y[s.train]).predict(X.values[s.test]) != y[s.test])
        for s in Resampling.of("2x5").splits(codes, 3)
    ]
    assert_allclose(result.values("GaussianNB"), by_hand, rtol=1e-12)


def test_categories_are_learned_in_the_fold_as_they_would_be_from_the_training_frame():
    """A rare category is unseen in some folds; the same as fitting on the frame's own rows."""
    codes = np.unique(LABELS, return_inverse=True)[1]
    result = compare([NaiveBayes()], MIXED, LABELS, design="10-fold", metrics=["log-loss"])
    truth = codes[:, None] == np.arange(2)
    by_hand = []
    with pytest.warns(UserWarning, match="bitter"):
        for s in TEN.splits(codes, 0):
            model = NaiveBayes().fit(MIXED.iloc[s.train], LABELS[s.train])
            by_hand.append(-np.log(model.predict_proba(MIXED.iloc[s.test])[truth[s.test]]).mean())
    assert_allclose(result.values("NaiveBayes"), by_hand, rtol=1e-9)
    assert result.notes == [
        "On 1 of 10 splits, test rows had categories that the training rows lack, in taste; they count as missing."
    ]


def test_pandas_polars_arrow_and_columns_give_the_same_numbers():
    arrow = pa.Table.from_pandas(MIXED, preserve_index=False)
    frames = [MIXED, pl.from_arrow(arrow), arrow, {name: list(MIXED[name]) for name in MIXED}]
    learners = ["majority", "naive bayes", "lda", KNeighborsClassifier()]
    found = [numbers(compare(learners, X, LABELS, metrics=["error", "auc"])) for X in frames]
    assert found[0] == found[1] == found[2] == found[3]


def test_missing_values_are_filled_with_the_mean_of_the_training_rows_alone():
    result = compare([Spy()], MIXED[["size"]], LABELS)
    codes = np.unique(LABELS, return_inverse=True)[1]
    raw = MIXED["size"].to_numpy()
    for split, (_, X, _) in zip(TEN.splits(codes, 0), Spy.seen):
        missing = np.isnan(raw[split.train])
        assert missing.any()
        assert_allclose(X[missing, 0], np.nanmean(raw[split.train]), rtol=1e-12)
    assert result.prepared == {"Spy": "imputed"}
    assert "imputed" in str(result)


def test_what_each_learner_needs_is_said():
    learners = {
        "nb": NaiveBayes(),
        "lda": LinearDiscriminantAnalysis(),
        "near": "nearest mean",
        "knn": KNeighborsClassifier(),
    }
    whole = MIXED.dropna()
    labels = LABELS[whole.index]
    assert compare(learners, MIXED, LABELS, design=5).prepared == {
        "nb": "", "lda": "imputed", "near": "imputed, scaled", "knn": "imputed, indicators"}  # fmt: skip
    assert compare(learners, whole, labels, design=5).prepared == {
        "nb": "", "lda": "", "near": "scaled", "knn": "indicators"}  # fmt: skip


def test_a_pipeline_gets_the_rows_as_they_came():
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["taste"]), (StandardScaler(), ["count"])
    )
    pipe = make_pipeline(steps, LogisticRegression())
    search = GridSearchCV(pipe, {"logisticregression__C": [0.1, 1.0]}, cv=2)
    whole = MIXED.fillna({"taste": "none"}).drop(columns="size")
    result = compare(
        {"pipe": pipe, "search": search, "spy": make_pipeline(Spy())}, whole, LABELS, design="3-fold"
    )
    assert result.failures == {}
    assert Spy.seen[0][0] is pd.DataFrame and list(Spy.seen[0][1].columns) == ["taste", "count"]
    assert result.prepared["pipe"] == "own pipeline"


def test_a_learner_that_fails_is_reported_and_the_others_go_on():
    result = compare([GaussianNB(), Stumbles(at=3)], *load_iris(), design="5-fold")
    assert result.failures == {"Stumbles": "failed on 1 of 5 splits. ValueError: no luck here"}
    assert result.finished == ["GaussianNB"] and result.best == "GaussianNB"
    last = result.ranking()[-1]
    assert last.learner == "Stumbles" and last.failure and np.isnan(last.mean)
    assert "Stumbles: failed on 1 of 5 splits. ValueError: no luck here" in str(result)
    values = [row["value"] for row in result.records if row["learner"] == "Stumbles"]
    assert values[2] is None and None not in values[:2]
    with pytest.raises(ParameterError, match="Stumbles failed on 1 of 5"):
        result.test("GaussianNB", "Stumbles")


def test_when_all_fail_there_is_no_best():
    result = compare([Stumbles(at=1)], *load_iris(), design="holdout")
    assert "No learner finished." in str(result)
    with pytest.raises(ParameterError, match="no learner finished"):
        _ = result.best


def test_an_interruption_keeps_the_finished_splits():
    result = compare([GaussianNB(), Stumbles(at=4, error=KeyboardInterrupt)], *load_iris(), design="10-fold")
    assert len(result.places) == 3
    assert result.notes[-1] == "Interrupted after 3 of 10 splits; the result rests on these."
    assert "GaussianNB" in str(result)
    assert result.partial == "Interrupted after 3 of 10 splits" == result.to_dict()["partial"]
    assert str(result).startswith("PARTIAL RESULT. Interrupted after 3 of 10 splits. ")
    assert {len(result.values(name)) for name in result.learners} == {3}  # paired: the same splits for all
    Stumbles.calls = 0
    with pytest.raises(KeyboardInterrupt):
        compare([Stumbles(at=1, error=KeyboardInterrupt)], *load_iris())


def test_open_seeds_are_set_and_given_ones_kept():
    tree = DecisionTreeClassifier(max_features=1)
    runs = [compare([tree], *load_wine(), design="3-fold", random_state=seed).values("DecisionTreeClassifier")
            for seed in (1, 1, 2)]  # fmt: skip
    assert runs[0].tolist() == runs[1].tolist() != runs[2].tolist()
    assert tree.random_state is None and not hasattr(tree, "tree_")


def test_rows_without_a_class_are_left_out_with_a_note():
    y = pd.Series(LABELS, name="liked").astype(object)
    y[:7] = None
    result = compare(["majority", "naive bayes"], MIXED, y, design="5-fold")
    assert result.notes[0] == "7 of 60 rows have no liked and were left out."
    assert result.data.rows == 53 and result.data.target == "liked"
    same = compare(["majority", "naive bayes"], MIXED[7:], LABELS[7:], design="5-fold")
    assert [r["value"] for r in numbers(result)] == [r["value"] for r in numbers(same)]
    polars = compare(["majority"], pl.from_pandas(MIXED), pl.Series("liked", y.tolist()), design="5-fold")
    assert polars.notes[0] == result.notes[0]


@pytest.mark.parametrize(
    ("y", "words"),
    [(["a"] * 60, "all rows of class have the class a"), ([None] * 60, "no row of y has a value"),
     (np.arange(60), "60 distinct numbers in 60 rows"),
     (LABELS[:-1], "X has 60 rows, so y must have 60")],
)  # fmt: skip
def test_targets_that_are_no_classes_are_refused_in_words(y, words):
    with pytest.raises(DataError, match=words):
        compare(["majority"], MIXED, y)


def test_a_classifier_named_for_numbers_with_fractions_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"a classifier, for classes\. Name a regressor, for numbers"):
        compare(["majority"], MIXED, np.linspace(0, 1, 60))


def test_costs_and_rejection_by_hand():
    # 40 rows a, 20 rows b. Majority says P(a) = 2/3: saying a when b costs 5, so its risk is 5/3; saying b costs 2/3.
    y = np.repeat(["a", "b"], [40, 20])
    X = np.zeros((60, 1))
    result = compare(["majority"], X, y, design="5-fold", loss={("a", "b"): 5})
    assert [m.name for m in result.metrics] == ["error", "cost"]
    assert_allclose(
        result.values("majority", "cost"), 2 / 3, rtol=1e-12
    )  # b said to all, wrong on the a rows
    assert_allclose(result.values("majority", "error"), 1 / 3, rtol=1e-12)  # error is about the plain answers
    cautious = compare(
        ["majority"], X, y, design="5-fold", metrics=["cost"], loss={("a", "b"): 5}, reject=0.5
    )
    assert_allclose(cautious.values("majority", "cost"), 0.5, rtol=1e-12)
    assert_allclose(cautious.values("majority", "rejected"), 1.0)
    only = compare(["majority"], X, y, design="5-fold", reject=0.4)
    assert_allclose(only.values("majority", "cost"), 1 / 3, rtol=1e-12)  # 0/1 loss, risk 1/3 is below 0.4


def test_costs_of_each_row_follow_their_rows():
    y = np.repeat(["a", "b"], 20)
    costs = np.zeros((40, 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = np.arange(40) + 1, 1000
    result = compare(["majority"], np.zeros((40, 1)), y, design="4-fold", metrics=["cost"], loss=costs)
    codes = np.repeat([0, 1], 20)
    for split, value in zip(Resampling.of("4-fold").splits(codes, 0), result.values("majority")):
        b = split.test[codes[split.test] == 1]
        assert_allclose(value, (b + 1).sum() / len(split.test), rtol=1e-12)  # a is always the cheaper answer


def test_a_rule_that_rejects_by_itself_needs_a_price():
    rule = DecisionRule(GaussianNB(), reject=0.05)
    X, y = load_breast_cancer()
    result = compare({"careful": rule}, X, y, design="3-fold", reject=0.05)
    assert result.failures == {} and result.values("careful", "rejected").mean() > 0
    assert result.confusion("careful").shape == (2, 3)


def test_a_metric_that_needs_costs_says_so():
    with pytest.raises(ParameterError, match="the metric cost needs to know what answers cost"):
        compare(["majority"], *load_iris(), metrics=["cost"])
    with pytest.raises(ParameterError, match="actions that are no class"):
        compare(["majority"], *load_iris(), loss=np.ones((4, 3)))


@pytest.mark.parametrize(
    "wrong", [{"alpha": 0}, {"alpha": 1.2}, {"random_state": None}, {"random_state": -1}, {"design": "often"}]
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ParameterError, match="compare: "):
        compare(["majority"], *load_iris(), **wrong)


def test_none_takes_all_that_suit_the_table():
    all_numbers = compare(None, load_iris(), design="3-fold")
    assert {"majority", "naive bayes", "lda", "qda", "rda", "nearest mean", "c45"} <= set(
        all_numbers.learners
    )
    mixed = compare(None, load_german_credit(), design="3-fold")
    assert mixed.failures == {} and "qda" not in mixed.learners
    words = compare(None, MIXED[["taste"]], LABELS, design="3-fold")
    assert words.learners == [
        "majority",
        "naive bayes",
        "aode",
        "tan",
        "logistic",
        "knn",
        "c45",
        "ripper",
        "svm",
        "boosting",
        "forest",
    ]


def test_groups_stay_together_and_their_length_is_checked():
    groups = np.repeat(np.arange(12), 5)
    result = compare(["majority"], MIXED, LABELS, design="4-fold", groups=groups)
    for test in result.tests:
        rest = np.setdiff1d(np.arange(60), test)
        assert not set(groups[test]) & set(groups[rest])
    with pytest.raises(DataError, match="groups must have 60 entries"):
        compare(["majority"], MIXED, LABELS, groups=groups[:5])


def test_a_sparse_matrix_is_compared_too():
    X, y = load_iris()
    dense = compare([GaussianNB()], X.values, y, design="3-fold")
    sparse = compare([DecisionTreeClassifier(), "majority"], csr_array(X.values), y, design="3-fold")
    assert sparse.failures == {} and sparse.data.columns[0].kind == "sparse"
    refused = compare([GaussianNB()], csr_array(X.values), y, design="3-fold")
    assert "sparse data was passed" in refused.failures["GaussianNB"] and not dense.failures


def test_an_own_metric_takes_part():
    rows = Measure("rows", lambda seen: float(len(seen.truth)), "higher")
    result = compare(["majority"], load_iris(), metrics=["error", rows], design="5-fold")
    assert result.values("majority", "rows").tolist() == [30.0] * 5


def test_a_class_with_one_row_is_noted_and_nothing_breaks():
    y = np.array(["a"] * 29 + ["b"] * 30 + ["c"])
    result = compare(
        ["majority", "naive bayes"], MIXED, y, metrics=["error", "auc", "log-loss"], design="10-fold"
    )
    assert result.design.folds == 5 and result.failures == {}
    assert any("class c has 1 row" in note for note in result.notes)
    assert np.isfinite(result.values("naive bayes", "log-loss")).all()


@pytest.mark.parametrize(
    "setting", [{"reject": np.nan}, {"reject": -0.1}, {"reject": [0.1, 0.2]}, {"n_jobs": 0}]
)
def test_settings_without_meaning_are_refused_before_the_work(setting):
    with pytest.raises(ParameterError, match=f"compare: {next(iter(setting))} must be a number"):
        compare(["majority"], *load_iris(), **setting)
