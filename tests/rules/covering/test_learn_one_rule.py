import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ParameterError
from assay.rulebase.conditions import Condition
from assay.rulebase.measures import foil_gain, laplace
from assay.rules import RuleMeasure, learn_one_rule
from assay.rules.covering.rule_growth import merged
from assay.tables.data import load_charity_donors, load_contact_lenses

CHARITY = load_charity_donors()
SCHEMA = CHARITY.X.schema


def greedy_by_the_book(X, y, target, measure):
    """Grow by trying every condition on the covered rows, in plain NumPy; numeric columns only."""
    inside, result, value = np.ones(len(y), bool), [], None
    while True:
        p0, n0 = (inside & (y == target)).sum(), (inside & (y != target)).sum()
        if n0 == 0:
            return result
        value = 0.0 if measure == "foil" else laplace(p0, n0)
        best = None
        for j in range(X.shape[1]):
            seen = np.unique(X[inside, j])
            for cut in (seen[:-1] / 2 + seen[1:] / 2).tolist():
                for test in (Condition(j, high=cut), Condition(j, low=cut)):
                    rows = inside & test.covers(X)
                    p, n = (rows & (y == target)).sum(), (rows & (y != target)).sum()
                    if not p:
                        continue
                    worth = float(foil_gain(p0, n0, p, n) if measure == "foil" else laplace(p, n))
                    rank = (round(worth, 10), p + n)
                    if worth > value + 1e-10 and (best is None or rank > best[0]):
                        best = rank, test, rows
        if best is None:
            return result
        result.append(best[1])
        inside = best[2]


@pytest.mark.capability("DC-45")
@pytest.mark.parametrize(
    "measure, value", [("foil", 4.372346), ("laplace", 6 / 7), ("likelihood-ratio", 6.061358)]
)
def test_the_first_conjunct_for_donors_is_salary_above_55500_and_the_rule_is_complete(measure, value):
    rule = learn_one_rule(CHARITY.X, CHARITY.y, "Y", measure=measure)
    assert [c.words(SCHEMA) for c in rule.conditions] == ["Salary > 55500"]
    assert rule.counts == (0.0, 5.0) and rule.value == pytest.approx(value, abs=5e-7)


@pytest.mark.capability("DC-45", "DC-48")
def test_without_over_representation_the_likelihood_ratio_takes_a_rule_of_the_other_class():
    rule = learn_one_rule(
        CHARITY.X, CHARITY.y, "Y", measure=RuleMeasure("likelihood-ratio", over_represented=False)
    )
    assert rule.conditions[0].words(SCHEMA) == "Salary <= 46000"
    assert rule.steps[0].tried[0].counts == (4.0, 0.0)
    assert rule.steps[0].tried[0].value == pytest.approx(6.307659, abs=5e-7)


@pytest.mark.capability("DC-45")
def test_the_step_remembers_what_was_not_taken():
    """DC 10.4.2.1: the gain of Salary > 50000 alone, (6, 1), is 3.912460; that cut covers the same as 46000."""
    step = learn_one_rule(CHARITY.X, CHARITY.y, "Y").steps[0]
    assert step.conditions == () and step.counts == (5.0, 6.0)
    assert [tried.taken for tried in step.tried] == [True, False]
    other = step.tried[1]
    assert other.condition.column == 0  # the best that the other column has
    assert other.value == pytest.approx(float(foil_gain(6, 5, other.counts[1], other.counts[0])))
    assert float(foil_gain(6, 5, 6, 1)) == pytest.approx(3.912460, abs=5e-7)


@pytest.mark.capability("DC-46")
@pytest.mark.parametrize("measure", ["foil", "laplace"])
def test_a_beam_of_one_is_greedy_growth(measure):
    for seed in range(15):
        draw = np.random.default_rng(seed)
        X, y = draw.normal(size=(40, 3)).round(1), draw.integers(0, 2, 40)
        y[X[:, 0] + X[:, 1] > 1] = 1
        rule = learn_one_rule(X, y, 1, measure=measure, beam=1)
        assert list(rule.conditions) == greedy_by_the_book(X, y, 1, measure)


@pytest.mark.capability("DC-46")
def test_a_beam_recovers_from_an_early_mistake():
    """Greedy growth is content with five donors; Salary > 46000 AND Age > 40.5 covers all six and nobody else."""
    rule = learn_one_rule(CHARITY.X, CHARITY.y, "Y", beam=5)
    assert [c.words(SCHEMA) for c in rule.conditions] == ["Salary > 46000", "Age > 40.5"]
    assert rule.counts == (0.0, 6.0)


@given(seed=st.integers(0, 2**32 - 1), beam=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_a_rule_covers_what_it_says_and_is_better_than_no_rule(seed, beam):
    draw = np.random.default_rng(seed)
    X, y = draw.integers(0, 5, (30, 3)).astype(float), draw.integers(0, 3, 30)
    w = draw.integers(0, 3, 30).astype(float)
    if len(np.unique(y)) < 3 or not w[y == 0].any():
        return
    rule = learn_one_rule(X, y, 0, measure="laplace", beam=beam, sample_weight=w)
    if rule is None:
        return
    inside = np.all([c.covers(X) for c in rule.conditions], axis=0)
    assert np.array_equal(inside, np.all([c.covers(X) for c in merged(rule.conditions)], axis=0))
    assert rule.counts == tuple(np.bincount(y[inside], w[inside], minlength=3))
    assert rule.value > rule.steps[0].value
    assert rule.value == pytest.approx(float(laplace(rule.counts[0], sum(rule.counts[1:]), 3)))
    values = [step.value for step in rule.steps]
    assert values == sorted(values)


def test_nominal_columns_missing_values_and_limits():
    lenses = load_contact_lenses()
    rule = learn_one_rule(lenses.X, lenses.y, "hard", max_conditions=1)
    assert len(rule.conditions) == 1
    rule = learn_one_rule(lenses.X, lenses.y, "hard", min_coverage=6)
    assert sum(rule.counts) >= 6
    X = np.array([[np.nan], [np.nan], [1.0], [2.0]])
    rule = learn_one_rule(X, ["a", "a", "b", "a"], "b")
    assert rule.counts == (0.0, 1.0)  # rows without a value meet no condition
    assert learn_one_rule(np.ones((4, 1)), ["a", "a", "b", "a"], "b") is None


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match="learn_one_rule: measure must be one of"):
        learn_one_rule(CHARITY.X, CHARITY.y, "Y", measure="luck")
    with pytest.raises(ParameterError, match=r"learn_one_rule: 'Z' is none of the classes \['N', 'Y'\]"):
        learn_one_rule(CHARITY.X, CHARITY.y, "Z")
