"""Explanations of machines: their numbers add up to the score."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.svm import SVC, SVR, NuSVC

DATA = load_iris(as_frame=True)
X, Y = DATA.data.set_index(pd.Index([f"flower {i}" for i in range(150)])), DATA.target_names[DATA.target]


@pytest.mark.parametrize(
    "model", [SVC(C=0.3), SVC(kernel="linear"), NuSVC(nu=0.3), SVC(C=0.3, multi_class="ovr")], ids=str
)
def test_support_vectors_of_the_closest_pair_are_named_and_add_up(model):
    model.set_params(decision_function_shape="ovr" if model.multi_class == "ovr" else "ovo").fit(X, Y)
    explanation = model.explain(X.iloc[[70]])
    spoke = explanation.sections[1]
    assert spoke.columns == ["index", "class", "coefficient", "kernel", "contribution"]
    for name, label, coefficient, kernel, contribution in spoke.rows:
        place = int(name.removeprefix("flower "))
        assert Y[place] == label and place in model.support_
        assert_allclose(contribution, coefficient * kernel)
    assert explanation.answer == model.predict(X.iloc[[70]])[0]
    scores = model.decision_function(X.iloc[[70]])[0]
    names = [model._machine_name(p) for p in range(3)]
    told = next(p for p in range(3) if names[p] in spoke.note)
    assert f"is {scores[told]:.6g}." in spoke.note
    assert explanation.sections[2].columns[2] == f"index {spoke.rows[0][0]}"


def test_all_support_vectors_add_up_to_the_score():
    some = np.r_[0:20, 50:70]
    model = SVC(gamma=0.5, C=0.1).fit(X.iloc[some], Y[some])
    assert len(model.support_) > 8
    row = X.iloc[[60]]
    section = model.explain(row).sections[0]
    shown = sum(line[-1] for line in section.rows)
    rest = float(section.note.split(" add ")[1].split(";")[0])
    assert_allclose(shown + rest + model.intercept_[0], model.decision_function(row)[0], atol=1e-5)


@pytest.mark.parametrize("model", [SVC(kernel="linear"), SVR(kernel="linear")], ids=str)
def test_columns_add_up_to_the_score_of_the_linear_kernel(model):
    frame = X.assign(kind=np.where(DATA.target % 2, "odd", "even"))
    two = np.arange(100)
    target = Y[two] if isinstance(model, SVC) else DATA.target.to_numpy()[two]
    model.fit(frame.iloc[two], target)
    known = model.explain(frame.iloc[two]).contributions()
    values, base = known.of_answers()
    score = model.decision_function if isinstance(model, SVC) else model.predict
    assert values.shape == (100, 5) and list(known.columns) == list(frame.columns)
    assert_allclose(values.sum(axis=1) + base, score(frame.iloc[two]), atol=1e-9)


def test_the_view_of_a_model_names_its_machines():
    view = str(SVC(kernel="linear").fit(X, Y).show())
    assert "versicolor against virginica" in view and "petal width (cm)" in view
    assert "error rate, each row judged by the others" in view
    assert "judged" not in str(SVC(probability=False).fit(X, Y).show())
