import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import assay
from assay.errors import ParameterError
from assay.rulebase.measures import exception_bits, rule_bits
from assay.rules import SequentialCoveringClassifier
from assay.rules.covering.measure import MEASURES
from assay.tables.data import load_charity_donors, load_iris, load_wine

CHARITY = load_charity_donors()
X, Y = CHARITY.X, np.asarray(CHARITY.y)


def noisy(n=300, d=3, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d))
    clean = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int)
    return X, np.where(draw.random(n) < 0.1, 1 - clean, clean)


@pytest.mark.capability("DC-42")
def test_the_two_lists_of_10_4_2_1_get_all_eleven_people_right():
    rarest = SequentialCoveringClassifier().fit(X, Y)
    assert str(rarest) == "R1: IF Salary <= 46000 THEN N\nR2: IF Age <= 40.5 THEN N\nELSE Y"
    assert [rule.n for rule in rarest.rules_] == [4, 1] and rarest.score(X, Y) == 1
    assert [round(growth.value, 6) for growth in rarest.history_] == [4.550014, 2.807355]
    donors = SequentialCoveringClassifier(order=["Y"]).fit(X, Y)
    assert str(donors) == "R1: IF Salary > 55500 THEN Y\nR2: IF Age > 61 THEN Y\nELSE N"
    assert [rule.n for rule in donors.rules_] == [5, 1] and donors.score(X, Y) == 1
    assert [round(growth.value, 6) for growth in donors.history_] == [4.372346, 2.584963]


@pytest.mark.capability("DC-42")
def test_rules_of_a_class_stand_together_the_rarest_first():
    wine = load_wine()
    model = SequentialCoveringClassifier().fit(wine.X, wine.y)
    answers = [rule.answer for rule in model.rules_]
    order = list(dict.fromkeys(answers))
    counts = {label: int((np.asarray(wine.y) == label).sum()) for label in np.unique(wine.y)}
    assert answers == sorted(answers, key=order.index)
    assert [*order, model.rules_.default] == sorted(counts, key=counts.get)


@pytest.mark.capability("DC-43")
def test_by_quality_the_next_rule_is_the_one_of_highest_confidence():
    """Each rule is at least as sure, on the rows it was learned on, as the best rule of any other class there."""
    X, y = noisy()
    model = SequentialCoveringClassifier(order="quality", measure="laplace", max_conditions=2).fit(X, y)
    assert len(model.rules_) > 2
    left = np.ones(len(y), bool)
    for rule in model.rules_:
        alone = [
            SequentialCoveringClassifier(measure="laplace", max_conditions=2, order=[k, 1 - k])
            .fit(X[left], y[left])
            .rules_
            for k in (0, 1)
        ]
        sure = max(base[0].accuracy for base in alone if len(base))
        assert rule.accuracy == sure
        left &= ~rule.covers(X)
    rest = np.bincount(y[left], minlength=2)
    assert model.rules_.default == (int(rest.argmax()) if left.any() else int(np.bincount(y).argmax()))


@pytest.mark.capability("DC-44")
def test_a_class_is_done_when_few_of_its_rows_are_left():
    X, y = noisy()
    for least in (1, 10, 30):
        model = SequentialCoveringClassifier(min_uncovered=least, max_error=None).fit(X, y)
        left = np.bincount(y, minlength=2)[1]
        for rule in model.rules_:
            assert left >= least  # or no rule would have been learned
            left -= int(rule.correct)
        assert left < least
    assert (
        SequentialCoveringClassifier(min_uncovered=3).fit(CHARITY.X, Y).n_rules_ == 1
    )  # one N is left, Jane


@pytest.mark.capability("DC-44")
def test_a_class_is_done_when_the_next_rule_errs_too_often():
    X, y = noisy()
    whole = np.round(X)  # equal rows with different labels
    for limit in (0.5, 0.1):
        model = SequentialCoveringClassifier(max_error=limit).fit(whole, y)
        assert model.n_rules_ and all(1 - rule.accuracy <= limit for rule in model.rules_)
    free = SequentialCoveringClassifier(max_error=None).fit(whole, y)
    assert max(1 - rule.accuracy for rule in free.rules_) > 0.5
    # on rows set aside: none of them may be covered with more errors than that
    model = SequentialCoveringClassifier(max_error=0.0, validation_fraction=0.3, random_state=1).fit(X, y)
    more = SequentialCoveringClassifier(max_error=1.0, validation_fraction=0.3, random_state=1).fit(X, y)
    assert model.n_rules_ < more.n_rules_


@pytest.mark.capability("DC-44")
def test_a_class_is_done_when_the_description_grows():
    """Lengths of all beginnings of the long list: the short list is the one up to the least length."""
    X, y = noisy()
    long = SequentialCoveringClassifier(max_error=None).fit(X, y)
    short = SequentialCoveringClassifier(max_error=None, mdl_bits=1e9).fit(X, y)
    q, own, lengths, theory = 2.0 * X.size, y == 1, [], 0.0
    covered = np.zeros(len(y), bool)
    for rule in (None, *long.rules_):
        if rule is not None:
            covered |= rule.covers(X)
            theory += rule_bits(
                sum(1 + (np.isfinite(c.low) and np.isfinite(c.high)) for c in rule.conditions), q
            )
        wrong = (covered & ~own).sum(), (~covered & own).sum()
        lengths.append(theory + exception_bits(covered.sum(), (~covered).sum(), *wrong, own.mean()))
    least = int(np.argmin(lengths))
    assert 0 < least < len(long.rules_)
    assert [r.conditions for r in short.rules_] == [r.conditions for r in long.rules_.rules[:least]]
    assert len(short.history_) == least
    # a small allowance stops where the length has first grown by more than that
    tight = SequentialCoveringClassifier(max_error=None, mdl_bits=0).fit(X, y)
    grew = next(i for i in range(1, len(lengths)) if lengths[i] > min(lengths[:i]))
    assert tight.n_rules_ == int(np.argmin(lengths[:grew]))


@pytest.mark.capability("IML-9-26")
@pytest.mark.parametrize("measure", ["foil", "laplace", "entropy", "likelihood-ratio"])
def test_a_noiseless_dnf_is_recovered(measure):
    """IML 9.5: (x1 and x2) or (x3 and x4), the 64 rows of six binary inputs ten times: two rules and no error."""
    bits = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(float)
    y = (bits[:, 0] * bits[:, 1] + bits[:, 2] * bits[:, 3] > 0).astype(int)
    X = np.tile(bits, (10, 1))
    model = SequentialCoveringClassifier(measure=measure, order=[1]).fit(X, np.tile(y, 10))
    assert_array_equal(model.predict(bits), y)
    assert {tuple(sorted(c.column for c in rule.conditions)) for rule in model.rules_} == {(0, 1), (2, 3)}
    named = pd.DataFrame({f"x{j}": np.where(bits[:, j] > 0, "yes", "no") for j in range(6)})
    assert_array_equal(
        SequentialCoveringClassifier(measure=measure, order=[1]).fit(named, y).predict(named), y
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("beam", [1, 3])
def test_clean_data_are_learned_without_error_whatever_the_measure(measure, beam):
    iris = load_iris()
    model = SequentialCoveringClassifier(measure=measure, beam=beam).fit(iris.X, iris.y)
    # weighted relative accuracy prefers coverage, and stops before the last rows
    assert model.score(iris.X, iris.y) >= (0.9 if measure == "wracc" else 0.97)


@given(seed=st.integers(0, 2**32 - 1), order=st.sampled_from(["class", "quality"]))
@settings(max_examples=20, deadline=None)
def test_counts_of_the_list_are_those_of_the_rows_that_reach_each_rule(seed, order):
    draw = np.random.default_rng(seed)
    X, y = draw.integers(0, 4, (40, 3)).astype(float), draw.integers(0, 3, 40)
    X[draw.random(X.shape) < 0.1] = np.nan
    w = draw.integers(0, 3, 40).astype(float)
    if not w.any():
        return
    model = SequentialCoveringClassifier(order=order).fit(X, y, sample_weight=w)
    rows = np.repeat(np.arange(40), w.astype(int))
    again = SequentialCoveringClassifier(order=order).fit(X[rows], y[rows])
    if len(again.classes_) == len(model.classes_):
        assert str(again) == str(model)  # weights are repetitions
    first = model.rules_.firing(X)
    for r, rule in enumerate(model.rules_):
        assert rule.n == w[first == r].sum() > 0
    assert len(model.history_) == model.n_rules_


def test_many_classes():
    draw = np.random.default_rng(0)
    X = draw.uniform(size=(1200, 2))
    y = (X[:, 0] * 20).astype(int) * 20 + (X[:, 1] * 15).astype(int)
    model = SequentialCoveringClassifier().fit(X, y)
    assert len(model.classes_) > 250 and model.score(X, y) > 0.97


def test_an_order_of_strange_classes_is_refused():
    with pytest.raises(
        ParameterError, match=r"order must name each of the classes \['N', 'Y'\] at most once"
    ):
        SequentialCoveringClassifier(order=["Y", "Q"]).fit(X, Y)
    with pytest.raises(ParameterError, match="order must be one of 'class', 'quality' or a list of labels"):
        SequentialCoveringClassifier(order="luck").fit(X, Y)


def test_history_survives_a_file(tmp_path):
    model = SequentialCoveringClassifier().fit(X, Y)
    assay.save(model, tmp_path / "model.assay")
    assert assay.load(tmp_path / "model.assay").history_ == model.history_
