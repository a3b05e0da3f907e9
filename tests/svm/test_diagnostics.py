"""Diagnostics of machines: worked examples, duality, the conditions of an optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

from assay.errors import DataError
from assay.svm import SVC, NuSVC, margin_diagnostics
from assay.tables.data import load_charity_donors

# Oracle: worked by hand (Introduction to Machine Learning, 13.3).
LINE, SIDES = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]]), np.array([-1, -1, 1, 1, -1])


def charity():
    data = load_charity_donors()
    X = np.asarray(data.X, dtype=float)
    return X / [50, 50000] if X[:, 1].max() > 1000 else X / [50, 50], np.asarray(data.y)


@pytest.mark.capability("IML-13-03")
def test_slack_and_status_of_the_worked_example():
    model = SVC(C=0.5, kernel="linear").fit(LINE, SIDES)
    report = margin_diagnostics(model, LINE, SIDES)
    assert_allclose(report.slack, [0, 0, 2 / 3, 0, 5 / 3], atol=1e-9)
    assert report.status.tolist() == [
        "outside",
        "on the margin",
        "inside the margin",
        "on the margin",
        "misclassified",
    ]
    assert_allclose(report.alpha, [0, 11 / 36, 0.5, 11 / 36, 0.5], atol=1e-9)
    facts = report.machines[0]
    assert_allclose([facts.primal, facts.dual], 25 / 18, rtol=1e-9)
    assert (facts.support_vectors, facts.free, facts.margin_errors, facts.misclassified) == (4, 2, 2, 1)
    assert_allclose([facts.slack, facts.margin, facts.support_share], [7 / 3, 3.0, 0.8], rtol=1e-9)


@pytest.mark.capability("IML-13-04")
def test_the_range_of_a_bias_that_nothing_fixes():
    model = SVC(C=0.1, kernel="linear").fit(LINE, SIDES)
    facts = margin_diagnostics(model, LINE, SIDES).machines[0]
    assert facts.free == 0 and facts.dual == pytest.approx(0.36875)
    assert_allclose(facts.bias_range, (-0.75, -0.5), rtol=1e-9)


@pytest.mark.capability("DC-77", "DC-78")
def test_hard_margin_of_the_donors():
    X, y = charity()
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    report = margin_diagnostics(model, X, y)
    facts = report.machines[0]
    assert_allclose(model.coef_, [[8.196721, 9.836066]], rtol=1e-6)
    assert_allclose(model.intercept_, [-18.049180], rtol=1e-6)
    assert_allclose([facts.primal, facts.dual], 81.967213, rtol=1e-7)
    assert_allclose(facts.margin, 0.156205, rtol=1e-5)
    assert_allclose(report.alpha[report.alpha > 0], [81.967213] * 2, rtol=1e-7)
    assert facts.gap == pytest.approx(0, abs=1e-6) and facts.kkt_violation < 1e-6
    names = load_charity_donors().X
    if hasattr(names, "index"):
        assert len(model.support_) == 2


@pytest.mark.capability("DC-81")
@pytest.mark.parametrize(
    ("C", "w", "b", "objective"),
    [
        (1, [1.034611, 1.890824], -2.833747, 6.163711),
        (10, [25 / 14, 50 / 14], -4.892857, 22.614796),
        (100, [8.196721, 9.836066], -18.049180, 81.967213),
    ],
)
def test_soft_margin_of_the_donors(C, w, b, objective):
    X, y = charity()
    model = SVC(C=C, kernel="linear").fit(X, y)
    assert_allclose(model.coef_[0], w, rtol=1e-6)
    assert_allclose(model.intercept_, [b], rtol=1e-6)
    facts = margin_diagnostics(model, X, y).machines[0]
    assert_allclose([facts.primal, facts.dual], objective, rtol=1e-6)
    assert model.score(X, y) == (1 if C == 100 else 10 / 11)


@pytest.mark.parametrize(
    "model",
    [
        SVC(C=3),
        SVC(kernel="linear", C=0.2),
        SVC(loss="squared_hinge"),
        SVC(fit_intercept=False),
        NuSVC(nu=0.2),
    ],
    ids=str,
)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_at_the_optimum_nothing_is_violated_and_there_is_no_gap(model, load):
    X, y = load(return_X_y=True)
    X = scale(X)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    report = margin_diagnostics(model.fit(X, y, sample_weight=w), X, y, sample_weight=w)
    for facts in report.machines:
        assert facts.kkt_violation < 1e-6
        assert abs(facts.gap) < 1e-6 * facts.primal
        assert facts.misclassified <= facts.margin_errors <= facts.support_vectors
    frame = report.to_frame()
    assert len(frame) == len(report.row) and "misclassified" in str(report)
    if load is load_breast_cancer:
        wrong = np.flatnonzero(model.predict(X) != y)
        assert_array_equal(report.row[report.status == "misclassified"], wrong)


@pytest.mark.capability("IML-13-06")
def test_the_share_of_support_vectors_bounds_the_error_of_rows_left_out():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    for C in (0.01, 1.0, 100.0):
        facts = margin_diagnostics(SVC(C=C).fit(X, y), X, y).machines[0]
        assert facts.loo_error <= facts.support_share == facts.support_vectors / facts.rows


def test_other_rows_than_those_of_training_are_refused():
    model = SVC().fit(LINE, SIDES)
    with pytest.raises(DataError, match="X has 3 rows, but the machine was fitted to 5"):
        margin_diagnostics(model, LINE[:3], SIDES[:3])


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_other_rows_than_the_training_rows_are_noticed(kernel):
    X, y = LINE, SIDES
    table = X @ X.T if kernel == "precomputed" else X
    model = SVC(C=0.5, kernel=kernel).fit(table, y)
    with pytest.raises(DataError, match="not what it was fitted to"):
        margin_diagnostics(model, table, -y)
    if kernel == "linear":
        with pytest.raises(DataError, match="not what it was fitted to"):
            margin_diagnostics(model, 2 * table, y)
        with pytest.raises(DataError, match="not what it was fitted to"):
            margin_diagnostics(SVC(kernel=kernel).fit(csr_matrix(X), y), csr_matrix(X + 1), y)
