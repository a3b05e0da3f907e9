"""Three parts: the choice is the arg-min on validation rows, and the test rows are looked at once."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from assay.errors import AssayError, ParameterError
from assay.evaluate.three_way import three_way
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.tables.data import load_breast_cancer, load_wine

rng = np.random.default_rng(0)
x = rng.uniform(0, 5, size=200)
CURVE = x[:, None] / 2.5 - 1, 2 * np.sin(1.5 * x) + rng.normal(size=200)
ORDERS = {str(k): make_pipeline(PolynomialFeatures(k), LinearRegression()) for k in range(1, 9)}


class Spy(DecisionTreeClassifier):
    seen: set = set()

    def fit(self, X, y):
        Spy.seen.update(X[:, 0])
        return super().fit(X, y)

    def predict(self, X):
        Spy.seen.update(X[:, 0])
        return super().predict(X)


@pytest.mark.capability("IML-2-19", "DC-107")
def test_the_chosen_order_has_the_smallest_validation_error_and_the_test_rows_are_untouched():
    rows = three_way(*CURVE)
    choice = rows.choose(ORDERS)
    assert choice.best == min(choice.validation, key=choice.validation.get)
    X, y = CURVE
    for k, pipe in ORDERS.items():
        model = pipe.fit(X[rows.building], y[rows.building])
        by_hand = np.mean((model.predict(X[rows.validation]) - y[rows.validation]) ** 2)
        assert_allclose(choice.validation[k], by_hand, rtol=1e-9)
    training = list(choice.training.values())
    assert all(b <= a + 1e-9 for a, b in pairwise(training))  # nested models
    assert rows.looks == 0
    final = rows.report(choice)
    both = np.sort(np.concatenate([rows.building, rows.validation]))
    model = ORDERS[choice.best].fit(X[both], y[both])
    errors = (model.predict(X[rows._test]) - y[rows._test]) ** 2
    assert_allclose(final.error, errors.mean(), rtol=1e-9)
    half = 2.0096 * errors.std(ddof=1) / np.sqrt(50)  # Student's t with 49 degrees of freedom
    assert_allclose([final.low, final.high], [final.error - half, final.error + half], rtol=1e-4)


@pytest.mark.capability("DC-107")
def test_no_learner_sees_a_test_row_before_the_report_and_a_second_look_is_refused():
    X, y = load_breast_cancer()
    table = np.column_stack([np.arange(569.0), X.values])
    Spy.seen = set()
    rows = three_way(table, y, (0.6, 0.2, 0.2), random_state=3)
    choice = rows.choose({f"depth {d}": Spy(max_depth=d, random_state=0) for d in (1, 3, 6)})
    assert not Spy.seen & set(rows._test.tolist())
    assert len(Spy.seen) == len(rows.building) + len(rows.validation)
    final = rows.report(choice)
    assert Spy.seen > set(rows._test.tolist()) and final.looks == 1
    assert (final.low, final.high) == wilson_interval(final.error, final.rows, 0.05)
    with pytest.raises(ParameterError, match="looked at already"):
        rows.report(choice)
    assert "look number 2" in str(rows.report(choice, again=True))
    assert "looked at 2 times" in repr(rows)


def test_parts_are_disjoint_stratified_and_of_the_size_that_was_asked():
    y = np.repeat([0, 1], [900, 100])
    rows = three_way(np.zeros((1000, 1)), y, (0.5, 0.3, 0.2))
    parts = [rows.building, rows.validation, rows._test]
    assert [len(p) for p in parts] == [500, 300, 200]
    assert [int(y[p].sum()) for p in parts] == [50, 30, 20]
    assert sorted(np.concatenate(parts)) == list(range(1000))
    groups = np.arange(1000) // 10
    grouped = three_way(np.zeros((1000, 1)), y, groups=groups)
    sets = [set(groups[p]) for p in (grouped.building, grouped.validation, grouped._test)]
    assert not (sets[0] & sets[1] or sets[0] & sets[2] or sets[1] & sets[2])


def test_the_rule_of_one_standard_error_takes_a_simpler_one():
    rows = three_way(*CURVE)
    smallest, simple = rows.choose(ORDERS), rows.choose(ORDERS, rule="one standard error")
    assert int(simple.best) <= int(smallest.best)
    assert simple.validation == smallest.validation
    X, y = CURVE
    own = rows.choose(ORDERS, error=lambda t, a: np.abs(t - a), refit=False)
    model = ORDERS[own.best].fit(X[rows.building], y[rows.building])
    assert_allclose(own.model.predict(X[:5]), model.predict(X[:5]))
    final = rows.report(own)
    assert_allclose(final.error, np.abs(model.predict(X[rows._test]) - y[rows._test]).mean(), rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: three_way(*load_wine(), shares=(0.5, 0.5, 0.5)), "add up to 1"),
     (lambda: three_way(*load_wine(), shares=(0.5, 0.5)), "three numbers"),
     (lambda: three_way(*load_wine(), shares="half"), "three numbers"),
     (lambda: three_way(np.zeros((2, 1)), [0, 1]), "cannot be divided|too few"),
     (lambda: three_way(CURVE[0][:5], CURVE[1]), "so y must have 5 entries in one column"),
     (lambda: three_way(*load_wine(), groups=np.arange(178) % 2), "too few groups"),
     (lambda: three_way(*load_wine()).choose(["lda"], rule="best"), "rule must be"),
     (lambda: three_way(*CURVE).choose(["lda"]), "Name a regressor"),
     (lambda: three_way(*CURVE).choose(ORDERS, error=lambda t, a: 0.0), "one finite number per row"),
     (lambda: three_way(*load_wine()).report(three_way(*load_wine()).choose(["lda"])), "these same rows")],
)  # fmt: skip
def test_what_cannot_be_divided_or_judged_is_refused(call, words):
    with pytest.raises(AssayError, match=words):
        call()
