"""Subgradient steps on the primal: they come near the dual's value, by batches and row by row."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from assay.svm import SubgradientSVC
from assay.tables.data import load_charity_donors


def charity():
    data = load_charity_donors()
    return np.asarray(data.X, dtype=float) / [50.0, 50000.0], np.asarray(data.y)


@pytest.mark.capability("DC-83")
@pytest.mark.parametrize("rule", ["batch", "stochastic"])
@pytest.mark.parametrize("average", [False, True])
def test_the_objective_approaches_the_dual_value(rule, average):
    X, y = charity()
    model = SubgradientSVC(rule=rule, average=average, max_iter=1500, random_state=0).fit(X, y)
    assert 6.163711 - 1e-6 <= model.objective_ <= 6.163711 * 1.002
    best = [step.best for step in model.history_]
    assert (np.diff(best) <= 0).all() and best[0] == 11.0  # w = 0: every row pays 1
    assert model.history_[-1].iteration == 1500 == model.n_iter_
    objectives = [step.objective for step in model.history_]
    assert (np.diff(objectives) > 0).any()  # a subgradient step is no descent step
    assert (model.predict(X) == y).sum() == 10


def test_one_batch_step_by_hand():
    """From w = 0 every row pulls: w = C sum y x, b = C sum y, at the rate 1."""
    X, y = charity()
    s = np.where(y == "Y", 1.0, -1.0)
    model = SubgradientSVC(C=0.1, max_iter=1, average=True).fit(X, y)
    assert_allclose(model.coef_[0], 0.1 * s @ X, rtol=1e-12)
    assert_allclose(model.intercept_[0], 0.1 * s.sum(), rtol=1e-12)


def test_a_batch_of_all_rows_is_the_batch_rule():
    X, y = charity()
    batch = SubgradientSVC(max_iter=20).fit(X, y)
    stochastic = SubgradientSVC(rule="stochastic", batch_size=11, max_iter=20, random_state=0).fit(
        sp.csr_array(X), y
    )
    assert_allclose(stochastic.coef_, batch.coef_, rtol=1e-9)


@pytest.mark.parametrize("schedule, rate", [("inverse", 1.0), ("root", 0.1), ("constant", 0.002)])
def test_schedules_and_weights(schedule, rate):
    X, y = charity()
    weight = np.r_[np.ones(9), 0.0, 2.0]
    order = [*range(9), 10, 10]
    settings = {"schedule": schedule, "rate": rate, "max_iter": 300, "fit_intercept": False}
    weighted = SubgradientSVC(**settings).fit(X, y, weight)
    repeated = SubgradientSVC(**settings).fit(X[order], y[order])
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    assert weighted.intercept_[0] == 0
    assert weighted.history_[-1].rate == pytest.approx(
        rate / {"inverse": 300, "root": 300**0.5, "constant": 1}[schedule]
    )
