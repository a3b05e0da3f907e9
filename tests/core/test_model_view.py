"""What a fitted learner shows of itself: text, data, HTML, and what a notebook draws."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.decide import CalibratedClassifierCV, DecisionRule
from assay.ensembles import BaggingClassifier, OneVsOneClassifier, OneVsRestClassifier, RandomForestClassifier
from assay.errors import ParameterError
from assay.linear import LogisticRegression
from assay.neighbors import KNeighborsClassifier
from assay.prepare import Prepared
from assay.rules import RipperClassifier
from assay.tables.data import load_german_credit, load_iris
from assay.trees import C45Classifier

X, y = load_iris()
TWO = np.asarray(y) != "setosa"


def part(model, title):
    return next(p for p in model.show(None).to_dict()["parts"] if p["title"] == title)


def test_a_tree_and_rules_show_what_they_print():
    for model in (C45Classifier().fit(X, y), RipperClassifier(random_state=0).fit(X, y)):
        assert part(model, "Model")["text"] == str(model)
        assert all(line in str(model.show()) for line in str(model).splitlines())


def test_coefficients_are_those_of_the_model_by_column_and_class():
    model = LogisticRegression(max_iter=1000).fit(X, y)
    shown = part(model, "Coefficients")
    assert shown["columns"] == ["column", "setosa", "versicolor", "virginica"]
    names, numbers = [row[0] for row in shown["rows"]], np.array([row[1:] for row in shown["rows"]])
    assert names == ["(intercept)", *X.schema.names]
    assert_allclose(numbers, np.vstack([model.intercept_, model.coef_.T]), rtol=0)


def test_two_classes_have_one_column_and_a_sentence_that_says_for_whom_it_speaks():
    shown = part(LogisticRegression(max_iter=1000).fit(X[TWO], np.asarray(y)[TWO]), "Coefficients")
    assert shown["columns"] == ["column", "coefficient"]
    assert shown["note"] == "A positive score speaks for virginica, a negative one for versicolor."


def test_indicators_of_categories_have_their_names():
    frame = pd.DataFrame({"job": ["cook", "nurse", "clerk", "cook"], "age": [1.0, 2.0, 3.0, 4.0]})
    model = LogisticRegression().fit(frame, [0, 1, 0, 1])
    assert [row[0] for row in part(model, "Coefficients")["rows"]][1:] == model.design_.names


def test_many_columns_come_by_size_and_the_limit_counts_the_rest():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(80, 60))
    model = LogisticRegression().fit(wide, wide[:, 7] > 0)
    sizes = [abs(row[1]) for row in part(model, "Coefficients")["rows"][1:]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 60
    assert "51 more rows are not shown." in str(model.show(10))


def test_priors_and_means_of_gaussian_classes():
    model = GaussianNB().fit(X, y)
    assert [row[1] for row in part(model, "Class priors")["rows"]] == model.class_prior_.tolist()
    means = np.array([row[1:] for row in part(model, "Means by class")["rows"]])
    assert_allclose(means, model.theta_.T, rtol=0)


def test_importances_come_by_size():
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    rows = part(model, "Importance of columns")["rows"]
    order = np.argsort(-model.feature_importances_, kind="stable")
    assert rows == [[X.schema.names[j], model.feature_importances_[j]] for j in order]


def test_a_prepared_learner_shows_the_learner_and_its_preparation():
    model = Prepared(LogisticRegression(max_iter=1000), scale=True).fit(X, y)
    assert model.show().learner == "LogisticRegression (with preparation)"
    assert "standard deviations" in part(model, "Coefficients")["note"]
    assert [row[1] for row in part(model, "Scaling")["rows"]] == model.steps_[-1].mean_.tolist()
    assert [row[1] for row in part(model, "Imputation")["rows"]] == model.steps_[0].statistics_.tolist()


def test_wrappers_show_the_models_inside():
    rule = DecisionRule(C45Classifier().fit(X, y), reject=0.2).fit(X, y)
    assert "petal width (cm) <= 0.6" in str(rule.show())
    assert part(CalibratedClassifierCV(GaussianNB(), cv=5).fit(X, y), "Models inside")["rows"][0][1] == 5
    each = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(X, y)
    assert part(each, "setosa: coefficients")["columns"] == ["column", "coefficient"]
    bags = BaggingClassifier(n_estimators=4, random_state=0).fit(X, y)
    assert part(bags, "Models inside")["rows"] == [["DecisionTreeClassifier", 4]]


def test_settings_that_are_not_the_defaults_are_named():
    facts = KNeighborsClassifier(n_neighbors=3).fit(X, y).show().facts
    assert facts[-1] == "Settings: n_neighbors=3."
    assert not any("Settings" in fact for fact in LinearDiscriminantAnalysis().fit(X, y).show().facts)


def test_before_fit_there_is_nothing_to_show_and_a_wrong_limit_is_refused():
    with pytest.raises(NotFittedError, match="GaussianNB"):
        GaussianNB().show()
    with pytest.raises(ParameterError, match="limit must be a whole number from 1 up or None, got 0"):
        GaussianNB().fit(X, y).show(0)


def test_names_are_escaped_in_html():
    frame = pd.DataFrame({"<b>": [1.0, 2.0, 3.0, 4.0]})
    html = LogisticRegression().fit(frame, ["<i>", "b", "<i>", "b"]).show().to_html()
    assert "&lt;b&gt;" in html and "<b>" not in html and "<i>" not in html


def test_a_notebook_draws_the_model_after_fit():
    model = NaiveBayes()
    assert "assay-model" not in model._repr_mimebundle_()["text/html"]
    drawn = model.fit(X, y)._repr_mimebundle_()["text/html"]
    assert model.show().to_html() in drawn and model.show().to_html() in model._repr_html_()


def test_a_large_tree_is_drawn_on_some_two_screens_and_counts_what_it_leaves_out():
    credit = load_german_credit()
    view = C45Classifier().fit(credit.X, credit.y).show()
    hidden = int(re.search(r"(\d+) of \d+ nodes are not drawn", view.to_html())[1])
    height = int(re.search(r'<svg[^>]* height="(\d+)"', view.to_html())[1])
    assert hidden > 0 and height < 2000
    assert "more lines are not shown" in str(view) and "more lines" not in view.to_html()


def test_data_of_a_view_goes_through_json():
    view = Prepared(GaussianNB()).fit(X, y).show()
    assert json.loads(json.dumps(view.to_dict()))["facts"] == view.facts


def test_models_inside_a_calibrated_one_are_named():
    rows, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]] * 2, ["a", "a", "a", "b", "b", "b"] * 2
    view = CalibratedClassifierCV(GaussianNB(), cv=2).fit(rows, y).show()
    assert view.parts[0].rows == [["GaussianNB, calibrated (sigmoid)", 2]]


def test_models_inside_are_named_by_what_they_tell_apart():
    """Three classes and three models inside, which are of a class each, of a pair each, or of none in particular."""
    data = load_iris()

    def titles(model):
        return [part.title.split(":")[0] for part in model.fit(data.X, data.y).show().parts[1:]]

    assert titles(OneVsRestClassifier(C45Classifier())) == ["setosa", "versicolor", "virginica"]
    assert titles(OneVsOneClassifier(C45Classifier())) == [
        "setosa (0) against versicolor (1)", "setosa (0) against virginica (1)", "versicolor (0) against virginica (1)"
    ]  # fmt: skip
    assert titles(BaggingClassifier(C45Classifier(), n_estimators=3, random_state=0)) == ["1", "2", "3"]
