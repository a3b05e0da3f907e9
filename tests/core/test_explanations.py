"""Explanations of a whole table: the same as of its rows, and contributions that add up to what the model answers."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.bayes import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    LaplaceNB,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from assay.core import Explanation, Explanations
from assay.core.explanation import Section
from assay.core.explanations import Reasons
from assay.ensembles import (
    BaggingClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from assay.neighbors import KNeighborsClassifier
from assay.outliers import GaussianOutliers
from assay.prepare import Prepared
from assay.smoothers import AdditiveModel
from assay.tables.data import load_weather
from assay.trees import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor

IRIS, KIND = load_iris(return_X_y=True)
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
FRAME = pd.DataFrame(IRIS, columns=NAMES, index=pd.Index([f"f{i}" for i in range(150)], name="flower"))
SOME = FRAME.iloc[::10]


def forest():
    return RandomForestClassifier(5, random_state=0).fit(FRAME, KIND)


def totals(explanations, output=None):
    """Base and contributions of each row together."""
    frame = explanations.to_frame(output)
    return frame[["base", *NAMES]].sum(axis=1).to_numpy()


def of_answer(values, explanations):
    return np.asarray(values)[np.arange(len(values)), explanations.to_frame()["answer"].to_numpy()]


# ---------------------------------------------------------------- contributions add up


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(5, random_state=0),
        BaggingClassifier(n_estimators=4, max_features=0.6, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_contributions_of_trees_sum_to_the_probability_of_the_answer(model):
    told = model.fit(FRAME, KIND).explain(SOME)
    assert_allclose(totals(told), of_answer(model.predict_proba(SOME), told), atol=1e-12)
    assert_allclose(totals(told), told.to_frame()["probability"], atol=1e-12)
    for k in range(3):
        assert_allclose(totals(told, k), model.predict_proba(SOME)[:, k], atol=1e-12)
    assert told.to_frame(1)["of"].unique().tolist() == ["the probability of 1"]


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
        HistGradientBoostingClassifier(max_iter=4, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_contributions_sum_to_the_score_of_the_answer(model):
    told = model.fit(FRAME, KIND).explain(SOME)
    scores = model.decision_function(SOME)
    shift = totals(told, 0) - scores[:, 0]  # a score may be shifted by what is the same for all classes
    assert_allclose(totals(told), of_answer(scores, told) + shift, atol=1e-8)


@pytest.mark.parametrize(
    "model", [GaussianNB(), LaplaceNB(), NaiveBayes()], ids=lambda model: type(model).__name__
)
def test_contributions_of_naive_bayes_sum_to_the_log_joint_probability(model):
    told = model.fit(FRAME, KIND).explain(SOME)
    assert_allclose(totals(told), of_answer(model.predict_joint_log_proba(SOME), told), rtol=1e-10)


@pytest.mark.parametrize(
    "model", [CategoricalNB(), NaiveBayes(families="categorical"), BernoulliNB(binarize=3.0), MultinomialNB()]
)
def test_contributions_of_counts_sum_to_the_log_joint_probability(model):
    whole = FRAME.round()
    told = model.fit(whole, KIND).explain(whole.iloc[::10])
    assert_allclose(
        totals(told), of_answer(model.predict_joint_log_proba(whole.iloc[::10]), told), rtol=1e-10
    )


@pytest.mark.parametrize(
    "model",
    [
        Ridge(),
        DecisionTreeRegressor(max_depth=3),
        RandomForestRegressor(4, random_state=0),
        GradientBoostingRegressor(n_estimators=4),
        HistGradientBoostingRegressor(max_iter=4),
        AdditiveModel(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_contributions_of_regressors_sum_to_the_answer(model):
    told = model.fit(FRAME, IRIS @ [1.0, -2.0, 0.5, 3.0]).explain(SOME)
    assert_allclose(totals(told), model.predict(SOME), rtol=1e-9, atol=1e-9)
    assert set(told.to_frame()["of"]) == {"the answer"}


def test_two_classes_have_one_score_which_is_that_of_the_second():
    model = LogisticRegression().fit(FRAME.iloc[:100], KIND[:100])
    told = model.explain(FRAME.iloc[40:60])
    assert_allclose(totals(told), model.decision_function(FRAME.iloc[40:60]), rtol=1e-9)
    assert set(told.to_frame()["of"]) == {"the score of 1"}
    with pytest.raises(ParameterError, match="no contributions to each class; leave output=1 out"):
        told.to_frame(1)


def test_indicators_are_gathered_in_the_column_that_they_came_from():
    weather = load_weather()
    model = Prepared(LogisticRegression()).fit(weather.X, weather.y)
    told = model.explain(weather.X)
    frame = told.to_frame()
    assert list(frame.columns) == ["answer", "probability", "of", "base", *weather.X.schema.names]
    total = frame[["base", *weather.X.schema.names]].sum(axis=1)
    assert_allclose(total, model.estimator_.decision_function(model._prepared(weather.X)), rtol=1e-9)


def test_the_squared_distance_of_an_outlier_is_the_sum_over_its_columns():
    model = GaussianOutliers(random_state=0, n_starts=20).fit(FRAME)
    told = model.explain(SOME)
    apart = SOME.to_numpy() - model.location_
    assert_allclose(totals(told), np.einsum("ni,ij,nj->n", apart, model.precision_, apart), rtol=1e-9)


def test_trees_whose_leaves_answer_other_numbers_than_they_hold_have_no_contributions():
    model = C45Classifier().fit(FRAME, KIND)
    smoothed = KNeighborsClassifier().fit(FRAME, KIND)
    assert smoothed.explain(SOME).contributions() is None
    assert list(smoothed.explain(SOME).to_frame().columns) == ["answer", "probability"]
    assert model.explain(SOME).contributions() is not None


# ---------------------------------------------------------------- the frame and its index


def test_the_frame_has_the_index_of_the_rows_that_were_explained():
    frame = forest().explain(SOME).to_frame()
    assert frame.index.equals(SOME.index) and frame.index.name == "flower"
    two = SOME.set_index(
        pd.MultiIndex.from_arrays([range(15), list("abcdefghijklmno")], names=["n", "letter"])
    )
    assert forest().explain(two).to_frame().index.equals(two.index)
    assert forest().explain(IRIS[:4]).to_frame().index.tolist() == [0, 1, 2, 3]
    assert forest().explain(IRIS[:9])[3:5].to_frame().index.tolist() == [3, 4]
    assert forest().explain(SOME)[3:5].to_frame().index.tolist() == ["f30", "f40"]


def test_the_frame_of_a_polars_frame_counts_from_zero():
    told = forest().explain(pl.DataFrame(SOME.to_dict("list")))
    assert told.to_frame().index.tolist() == list(range(15))
    assert told == forest().explain(SOME)


def test_columns_of_the_table_keep_their_names_beside_those_of_the_frame():
    odd = FRAME.set_axis(["answer", "base", "of", "probability"], axis=1)
    frame = LogisticRegression().fit(odd, KIND).explain(odd.iloc[:3]).to_frame()
    assert list(frame.columns) == [
        "answer_",
        "probability_",
        "of_",
        "base_",
        "answer",
        "base",
        "of",
        "probability",
    ]
    assert frame["answer_"].tolist() == [0, 0, 0]


def test_an_output_that_is_no_class_is_refused():
    told = forest().explain(SOME)
    with pytest.raises(ParameterError, match="output must be one of 0, 1, 2, got 'setosa'"):
        told.to_frame("setosa")
    with pytest.raises(ParameterError, match="KNeighborsClassifier has no contributions to each class"):
        KNeighborsClassifier().fit(FRAME, KIND).explain(SOME).to_frame(0)


# ---------------------------------------------------------------- no rows, one row, some rows


def test_one_row_is_one_explanation_which_has_a_frame_too():
    model = forest()
    one = model.explain(FRAME.loc[["f7"]])
    assert isinstance(one, Explanation)
    several = model.explain(FRAME.loc[["f7", "f9"]])
    assert isinstance(several, Explanations)
    pd.testing.assert_frame_equal(one.to_frame(), several.to_frame().iloc[:1])
    alone = Explanation("L", "a", {"a": 0.75, "b": 0.25}, {"x": 1.0})
    assert alone.to_frame().to_dict("list") == {"answer": ["a"], "probability": [0.75]}


def test_no_rows_get_the_sentence_that_predict_gives():
    for model in (forest(), LogisticRegression().fit(FRAME, KIND), KNeighborsClassifier().fit(FRAME, KIND)):
        with pytest.raises(ValueError, match="while a minimum of 1 is required"):
            model.explain(FRAME.iloc[:0])
    nothing = forest().explain(SOME)[:0]
    assert len(nothing) == 0 and list(nothing) == [] and nothing.to_dict() == []
    assert len(nothing.to_frame()) == 0 and "0 rows explained" in str(nothing)


def test_rows_are_counted_as_in_a_list():
    told = forest().explain(SOME)
    assert told[-1] == told[14] and told[2:4][1] == told[3] and len(told[::5]) == 3
    assert [e.row["petal width"] for e in told] == SOME["petal width"].tolist()
    with pytest.raises(IndexError):
        told[15]
    with pytest.raises(DataError):
        forest().explain(FRAME.drop(columns="petal width"))


def test_a_sparse_table_gets_the_explanations_of_a_dense_one():
    model = LogisticRegression().fit(IRIS, KIND)
    dense, sparse = model.explain(IRIS[:7]), model.explain(sp.csr_array(IRIS[:7]))
    assert_allclose(sparse.contributions().values, dense.contributions().values)
    assert [str(e) for e in sparse] == [str(e) for e in dense]


# ---------------------------------------------------------------- what was explained stays


def test_a_later_fit_does_not_change_what_was_explained():
    for model in (forest(), KNeighborsClassifier().fit(FRAME, KIND), LogisticRegression().fit(FRAME, KIND)):
        told = model.explain(SOME)
        before = [e.to_dict() for e in model.explain(SOME)]
        model.fit(FRAME * -3, KIND[::-1])
        assert told.to_dict() == before


def test_explanations_can_be_pickled():
    for model in (forest(), KNeighborsClassifier().fit(FRAME, KIND)):
        told = model.explain(SOME)
        back = pickle.loads(pickle.dumps(told))
        assert back == told
        pd.testing.assert_frame_equal(back.to_frame(), told.to_frame())
        one = pickle.loads(pickle.dumps(told[3]))
        assert one == told[3]
        pd.testing.assert_frame_equal(one.to_frame(), told[3].to_frame())


# ---------------------------------------------------------------- as people see them


def test_the_summary_has_a_line_for_each_row_with_its_strongest_columns():
    X = pd.DataFrame({"age": [1.0, 2.0, 4.0], "size": [0.0, 1.0, 0.0]}, index=["ann", "bob", "cy"])
    told = LinearRegression().fit(X, [3.0, 8.0, 9.0]).explain(X)
    assert str(told).splitlines() == [
        "3 rows explained by LinearRegression",
        "Each row's reasoning: print(explanations[i]); all contributions: explanations.to_frame().",
        "",
        "Answers",
        "  index  answer  columns that contribute most",
        "  ann         3  age +2",
        "  bob         8  age +4, size +3",
        "  cy          9  age +8",
    ]


def test_only_the_first_rows_are_shown_unless_asked_for_more():
    told = forest().explain(FRAME)
    assert "140 more rows are not shown." in str(told)
    assert "100 more rows are not shown." in told.to_html() and "f49" in told.to_html()
    assert "f149" in str(told.show(None)) and "f149" not in str(told.show())
    for limit in (0, -1, 2.5, True, "all"):
        with pytest.raises(ParameterError, match="limit must be a whole number from 1 up or None"):
            told.show(limit)


def test_names_that_want_to_be_code_stay_text():
    hostile = "<script>alert('x')</script>"
    odd = FRAME.rename(columns={"petal width": hostile}).rename(index={"f0": hostile})
    page = LogisticRegression().fit(odd, KIND).explain(odd.iloc[:2]).to_html()
    assert "<script" not in page and "&lt;script&gt;" in page


def test_to_dict_can_be_written_as_json():
    told = forest().explain(SOME)
    assert json.loads(json.dumps(told.to_dict()))[3]["answer"] == told[3].answer


def test_reasons_are_made_when_a_row_is_asked_for():
    asked = []
    reasons = Reasons(lambda i: asked.append(i) or [Section("S", ["a"], [[i]])])
    told = Explanations("L", ["x", "y"], [{}, {}], reasons)
    assert told.to_frame()["answer"].tolist() == ["x", "y"] and asked == []
    assert told.then("W", lambda i: [Section("T", ["b"], [[i]])])[1].learner == "W of L"
    assert asked == [1]
    assert replace(told, learner=["L", "M"])[1].learner == "M"


def test_a_generalized_linear_model_adds_up_its_linear_predictor():
    counts = np.random.default_rng(0).poisson(np.exp(0.3 * IRIS[:, 0]))
    model = PoissonRegressor().fit(FRAME, counts)
    told = model.explain(SOME)
    assert set(told.to_frame()["of"]) == {"the linear predictor"}
    assert_allclose(totals(told), np.log(model.predict(SOME)), rtol=1e-9)
    assert told[3].sections[-1].title == "From the linear predictor to the mean"
