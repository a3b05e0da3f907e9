"""Explanations of machines: their numbers add up to the score."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.kernels import (
    RBF,
    AdditiveChi2,
    DotProduct,
    Linear,
    Matern,
    MixedKernel,
    SquaresPlusLinear,
    kernel_of,
)
from assay.svm import (
    SVC,
    SVR,
    KernelFisherDiscriminant,
    KernelLogisticRegression,
    KernelRidge,
    NuSVC,
    OneClassClassifier,
    margin_diagnostics,
)

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


ADDITIVE = [
    RBF(0.7).on([0]) + 2.0 * Matern(1.5).on([2]) + Linear().on([1, 3]) + 0.5,
    SquaresPlusLinear(),
    DotProduct(2.0),
    MixedKernel(by="sum"),
    3.0 * MixedKernel("laplacian", by="sum", missing="category"),
]


@pytest.mark.parametrize("kernel", ADDITIVE, ids=str)
@pytest.mark.parametrize(
    "machine", [SVC, SVR, KernelRidge, KernelFisherDiscriminant], ids=lambda c: c.__name__
)
def test_columns_add_up_to_the_score_of_a_sum_over_columns(kernel, machine):
    two = np.arange(0, 100, 4)
    target = Y[two] if machine in (SVC, KernelFisherDiscriminant) else DATA.target.to_numpy()[two]
    model = machine(kernel=kernel).fit(X.iloc[two], target)
    score = getattr(model, "decision_function", model.predict)
    values, base = model.explain(X.iloc[two]).contributions().of_answers()
    assert values.shape == (25, 4)
    assert_allclose(values.sum(axis=1) + base, score(X.iloc[two]), atol=1e-8)


def test_a_column_of_its_own_kernel_adds_what_that_says():
    two = np.arange(100)
    model = SVC(kernel=RBF(0.7).on([1]) + Linear().on([3])).fit(X.iloc[two], Y[two])
    values, _ = model.explain(X.iloc[[3, 4]]).contributions().of_answers()
    S, x = model.support_vectors_, X.iloc[3].to_numpy()
    expected = model.dual_coef_[0] @ np.exp(-0.5 * ((S[:, 1] - x[1]) / 0.7) ** 2)
    assert_allclose(values[0], [0, expected, 0, x[3] * (model.dual_coef_[0] @ S[:, 3])], atol=1e-12)


@pytest.mark.parametrize(
    "kernel", ["rbf", MixedKernel(), RBF() + Linear(), Linear() * RBF().on([0])], ids=str
)
def test_a_kernel_that_is_no_sum_over_columns_has_no_contributions_of_columns(kernel):
    assert (
        kernel_of(kernel, gamma=1.0)
        .learn(X.to_numpy())
        .column_sums(X.to_numpy(), X.to_numpy(), np.ones((150, 1)))
        is None
    )


def test_chi_squared_distances_are_sums_over_columns():
    table, coef = X.to_numpy(), np.random.default_rng(0).normal(size=(150, 2))
    values, base = AdditiveChi2().column_sums(table, table, coef)
    a, b = table[:, None, 1], table[None, :, 1]
    assert_allclose(values[:, 1], -((a - b) ** 2 / (a + b)) @ coef, atol=1e-12)
    assert_allclose(values.sum(axis=1) + base, AdditiveChi2().combine(table, table, coef), atol=1e-12)


def test_a_missing_value_that_a_pair_ignores_leaves_no_sum_over_columns():
    table = X.to_numpy().copy()
    table[0, 0] = np.nan
    kernel = MixedKernel(by="sum", missing="ignore").learn(table)
    assert kernel.column_sums(table, table, np.ones((150, 1))) is None
    assert kernel.column_sums(table[1:], table[1:], np.ones((149, 1))) is not None


def test_a_training_row_is_told_what_the_machine_without_it_would_say():
    two = np.arange(100)
    model = SVC(C=0.1, kernel="linear").fit(X.iloc[two], Y[two])
    place = int(
        model.support_[
            np.argmax(np.abs(model.loo_scores_[0] - model.decision_function(X.iloc[model.support_])))
        ]
    )
    note = model.explain(X.iloc[[place]]).sections[0].note
    told = float(note.split("the score would be ")[1].split(" ")[0])
    assert f"training row flower {place}" in note
    report = margin_diagnostics(model, X.iloc[two], Y[two])
    assert_allclose(told, report.loo_score[report.row == place][0], rtol=1e-5)
    assert abs(told - model.decision_function(X.iloc[[place]])[0]) > 0.05
    assert "had the machine" not in model.explain(X.iloc[[place]] + 0.01).sections[0].note
    assert model.loo_scores_.shape == (1, len(model.support_))


def test_a_row_is_told_its_margin_and_slack():
    two = np.arange(100)
    model = SVC(C=0.1, kernel="linear").fit(X.iloc[two], Y[two])
    report = margin_diagnostics(model, X.iloc[two], Y[two])
    for place in model.support_.tolist():
        note = model.explain(X.iloc[[place]]).sections[0].note
        line = report.row == place
        margin, slack = report.margin[line][0], report.slack[line][0].round(9)
        assert f"margin {margin:.6g} ({report.status[line][0]}), slack {slack:.6g}; had the machine" in note
    outer = np.flatnonzero(np.abs(model.decision_function(X.iloc[two])) > 1.1)
    assert "The row lies outside the margin." in model.explain(X.iloc[outer[:1]]).sections[0].note
    without = SVC(C=0.1, kernel="linear", probability=False).fit(X.iloc[two], Y[two])
    note = without.explain(X.iloc[[int(without.support_[0])]]).sections[0].note
    assert "slack" in note and "had the machine" not in note


def test_rows_that_a_machine_has_not_seen_have_no_left_out_score():
    model = SVC().fit(X, Y)
    of_class = np.repeat(np.arange(3), model.n_support_)
    for p, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        assert np.array_equal(np.isnan(model.loo_scores_[p]), ~np.isin(of_class, pair))
    assert SVC(probability=False).fit(X, Y).loo_scores_ is None


def test_training_rows_add_up_to_the_prediction_of_kernel_ridge():
    target = DATA.data.to_numpy() @ np.array([[1.0, 0.5], [0, 1], [2, 0], [0, -1]])
    for y in (target[:, 0], target):
        model = KernelRidge(kernel="rbf", gamma=0.1).fit(X, y)
        explanation = model.explain(X.iloc[[5]])
        spoke = [s for s in explanation.sections if s.title.startswith("Training rows by")]
        assert len(spoke) == (1 if y.ndim == 1 else 2)
        for section, value in zip(spoke, np.atleast_1d(model.predict(X.iloc[[5]])[0])):
            assert section.rows[0][0].startswith("flower ")
            rest = float(section.note.split(" add ")[1].split(";")[0])
            assert_allclose(sum(line[-1] for line in section.rows) + rest, value, atol=1e-4)


@pytest.mark.parametrize("model", [KernelFisherDiscriminant(), KernelLogisticRegression()], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_reasons_of_kernel_classifiers_are_about_their_answer(model, classes):
    some = np.arange(0, 50 * classes, 3)
    model.fit(X.iloc[some], Y[some])
    row = X.iloc[[some[-1]]]
    section = next(s for s in model.explain(row).sections if "by what they contribute" in s.title)
    scores = model.decision_function(row)[0]
    about = "the log odds of versicolor" if classes == 2 else "the score of virginica"
    assert f"{about} is {np.max(scores):.6g}." in section.note


def test_reasons_of_a_one_class_classifier_add_up_to_its_density():
    model = OneClassClassifier().fit(X, Y)
    explanation = model.explain(X.iloc[[70]])
    classes, spoke = explanation.sections[-2:]
    k = [line[0] for line in classes.rows].index("versicolor")
    assert explanation.answer == "versicolor" and classes.rows[k][3] in ("inside", "outside")
    machine, x = model.machines_[k], X.iloc[[70]].to_numpy()
    total = float(machine.dual_coef_[0] @ machine.kernel_(machine.support_vectors_, x)[:, 0])
    assert f"add up to {total:.6g}" in spoke.note
    assert_allclose(np.exp(classes.rows[k][2]), total * classes.rows[k][1], rtol=1e-9)
