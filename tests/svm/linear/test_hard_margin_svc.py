"""The hard margin: the books' tables, the conditions of the optimum, and classes that overlap."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, DegenerateError
from assay.svm import HardMarginSVC, LinearSVC, MarginReport
from assay.tables.data import load_charity_donors


def charity():
    data = load_charity_donors()
    return np.asarray(data.X, dtype=float) / [50.0, 50000.0], np.asarray(data.y), list(data.row_names)


@pytest.mark.capability("DC-77", "DC-78")
def test_charity_table():
    X, y, names = charity()
    model = HardMarginSVC().fit(X, y)
    assert_allclose(model.coef_[0], [8.196721, 9.836066], atol=1e-6)
    assert_allclose([model.intercept_[0], model.margin_], [-18.049180, 0.156205], atol=1e-6)
    assert [names[i] for i in model.support_] == ["Allen", "Jane"]
    assert_allclose(model.alpha_[model.support_], 81.967213, atol=1e-6)
    report = model.report_
    assert_allclose([report.primal, report.dual], 81.967213, atol=1e-6)
    assert abs(report.gap) < 1e-8 and report.violation.max() < 1e-9 and abs(report.balance) < 1e-9


@pytest.mark.capability("IML-13-01")
def test_three_points_of_the_book():
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), ["+", "+", "-"]
    model = HardMarginSVC().fit(X, y)
    flip = -1 if model.classes_[1] == "-" else 1
    assert_allclose(flip * model.coef_[0], [0.5, 0.5], atol=1e-9)
    assert_allclose(flip * model.intercept_[0], -2, atol=1e-9)
    assert_allclose(model.alpha_, [0.25, 0, 0.25], atol=1e-9)
    assert_allclose([model.report_.dual, model.margin_], [0.25, 2 * np.sqrt(2)], atol=1e-9)
    fewer = HardMarginSVC().fit(X[[0, 2]], ["+", "-"])  # (4, 3) is no support vector
    assert_allclose(fewer.coef_, model.coef_, atol=1e-9)


@pytest.mark.capability("IML-13-02", "DC-77")
def test_overlapping_classes_are_refused_with_the_way_out():
    with pytest.raises(DataError, match=r"no plane separates.*soft margin: overlap='soft', LinearSVC"):
        HardMarginSVC().fit([[0, 0], [1, 1], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    with pytest.raises(DataError, match="no plane separates"):  # through the origin only
        HardMarginSVC(fit_intercept=False).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DataError, match="tells two classes apart"):
        HardMarginSVC().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(DataError, match="separates two classes, y has 3"):
        HardMarginSVC().fit([[0.0], [1.0], [2.0]], [0, 1, 2])


@pytest.mark.capability("DC-80")
def test_without_a_constant_there_is_no_equation():
    """A constant feature 1 in place of the constant: the same as the machine whose intercept is penalised."""
    X, y, _ = charity()
    model = HardMarginSVC(fit_intercept=False).fit(np.column_stack((X, np.ones(11))), y)
    assert abs(model.report_.balance) > 1e-3 and abs(model.report_.gap) < 1e-7
    soft = LinearSVC(loss="hinge", C=1e5, tol=1e-8).fit(X, y)
    assert_allclose(model.coef_[0], [*soft.coef_[0], soft.intercept_[0]], rtol=1e-5)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("constant", [True, False])
def test_the_conditions_of_the_optimum(seed, constant):
    """Whole numbers, so that many rows lie on the margin at once."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(80, 2 + seed % 3)).astype(float)
    side = X @ rng.integers(1, 3, X.shape[1]) + (0.5 if constant else 0.0)
    X, side = X[side != 0], side[side != 0]
    s = np.where(side > 0, 1, -1)
    model = HardMarginSVC(fit_intercept=constant).fit(X, s)
    report = MarginReport.of(X, s, model.coef_[0], model.intercept_[0], model.alpha_)
    assert report.margin.min() >= 1 - 1e-9
    assert report.violation.max() < 1e-8
    assert abs(report.gap) <= 1e-8 * report.primal
    assert_allclose(model.alpha_.sum(), model.coef_[0] @ model.coef_[0], rtol=1e-8)
    others = np.setdiff1d(np.arange(len(s)), model.support_)
    fewer = np.sort(np.r_[model.support_, others[::2]])  # any rows but support vectors may go
    again = HardMarginSVC(fit_intercept=constant).fit(X[fewer], s[fewer])
    assert_allclose(again.coef_, model.coef_, atol=1e-7)


def test_sparse_rows_weights_and_files(tmp_path):
    import assay

    X, y, _ = charity()
    model = HardMarginSVC().fit(X, y)
    assert_allclose(HardMarginSVC().fit(sp.csr_array(X), y).coef_, model.coef_, rtol=1e-8)
    weight = np.ones(11)
    weight[2] = 0.0  # without Allen
    assert_allclose(
        HardMarginSVC().fit(X, y, weight).coef_,
        HardMarginSVC().fit(X[weight > 0], y[weight > 0]).coef_,
        rtol=1e-8,
    )
    assay.save(model, tmp_path / "m.assay")
    again = assay.load(tmp_path / "m.assay")
    assert_array_equal(again.alpha_, model.alpha_)
    assert str(again.report_) == str(model.report_)


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_overlapping_classes_may_have_the_soft_margin(C):
    X, y, _ = charity()
    y = np.where(np.arange(11) == 0, "Y", y)  # Nancy gives, too
    model = HardMarginSVC(overlap="soft", C=C).fit(X, y)
    assert abs(model.report_.gap) < 1e-6 and model.report_.violation.max() < 1e-6
    assert abs(model.report_.balance) < 1e-6
    assert_allclose(model.coef_[0], ((model.alpha_ * np.where(y == "Y", 1, -1)) @ X), atol=1e-9)


@pytest.mark.parametrize("unit", [1e-100, 1e-20, 1e-3, 1e20, 1e100])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_unit_of_the_columns_changes_the_unit_of_the_weights_alone(unit, form):
    X = np.array([[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.0], [2.0, -1.0], [1.5, 3.0]])
    y, mixed = [0, 0, 1, 1, 1], [0, 1, 0, 1, 0]
    model = HardMarginSVC().fit(form(X * unit), y)
    assert_allclose(model.coef_ * unit, [[0.96, -0.16]], rtol=1e-9)  # by hand: rows 2 and 3 carry it
    assert_allclose(model.intercept_, [0.04], rtol=1e-9)
    assert_array_equal(model.predict(form(X * unit)), y)
    soft = HardMarginSVC(overlap="soft", C=1 / unit**2).fit(form(X * unit), mixed)
    assert_allclose(soft.coef_ * unit, [[-4.0, -12.0]], rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-170, 1e160])
def test_a_margin_beyond_numbers_is_refused(unit):
    with pytest.raises(DegenerateError, match="Scale them first"):
        HardMarginSVC().fit(np.array([[-1.0], [1.0]]) * unit, [0, 1])
