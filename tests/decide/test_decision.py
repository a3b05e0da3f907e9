"""Minimum-risk decisions, rejection, ties. Oracles: IML 3.3 and exercise 3.4; apples of C3 3.1.1."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from assay.decide import decide, ties
from assay.errors import DataError, ParameterError

EXERCISE_4 = [[0, 10], [5, 0]]  # lambda_12 = 10, lambda_21 = 5


def posteriors(K=3, n=8):
    numbers = arrays(np.float64, (n, K), elements=st.floats(0.001, 1))
    return numbers.map(lambda a: a / a.sum(axis=1, keepdims=True))


def two(p):
    p = np.atleast_1d(np.asarray(p, dtype=float))
    return np.column_stack([p, 1 - p])


@pytest.mark.capability("IML-3-04")
def test_losses_of_10_and_5_put_the_threshold_at_two_thirds():
    risks = decide(two([0.25, 2 / 3]), EXERCISE_4).risks
    assert_allclose(risks, [[7.5, 1.25], [10 / 3, 10 / 3]], rtol=1e-12)  # 10 (1 - p) and 5 p
    assert_array_equal(decide(two([2 / 3 - 1e-9, 2 / 3 + 1e-9]), EXERCISE_4).chosen, [1, 0])


@pytest.mark.capability("IML-3-05")
def test_exercise_4_with_a_reject_cost_of_1_rejects_between_one_fifth_and_nine_tenths_ends_included():
    p = [0.19999, 0.2, 0.5, 0.9, 0.90001]
    assert_array_equal(decide(two(p), EXERCISE_4, reject=1).chosen, [1, -1, -1, -1, 0])


@pytest.mark.capability("IML-3-05")
def test_under_zero_one_loss_cost_0_rejects_all_and_cost_1_none():
    P = np.vstack([two([0.0, 0.1, 0.5, 1.0])])
    assert decide(P, reject=0).rejected.all()
    assert not decide(P, reject=1).rejected.any()
    assert not decide(np.full((1, 4), 0.25), reject=0.75 + 1e-9).rejected.any()  # 1 - 1/K is enough
    assert decide(np.full((1, 4), 0.25), reject=0.75).rejected.all()


def test_equality_rejects_whatever_the_rounding():
    p = np.arange(51, 100) / 100
    for v in p:  # 1 - 0.9 is 0.09999999999999998 in floating point
        assert decide(two(v), reject=round(1 - v, 2)).rejected[0]


@given(P=posteriors(), cost=st.floats(0.01, 0.99))
@settings(max_examples=50, deadline=None)
def test_under_zero_one_loss_a_class_is_taken_if_its_posterior_is_above_1_less_the_cost(P, cost):
    decision = decide(P, reject=cost)
    clear = np.abs(P.max(axis=1) - (1 - cost)) > 1e-9
    assert_array_equal(decision.rejected[clear], (P.max(axis=1) < 1 - cost)[clear])


@given(P=posteriors(), L=arrays(np.float64, (4, 3), elements=st.floats(-5, 5)))
@settings(max_examples=50, deadline=None)
def test_no_action_has_less_risk_than_the_chosen_one(P, L):
    decision = decide(P, L)
    by_hand = np.array([[sum(L[i, k] * P[t, k] for k in range(3)) for i in range(4)] for t in range(len(P))])
    assert_allclose(decision.risks, by_hand, atol=1e-12)
    assert (decision.risk <= by_hand.min(axis=1) + 1e-11).all()


@given(P=posteriors(), L=arrays(np.float64, (3, 3), elements=st.floats(0, 9)), c=st.floats(0.1, 50))
@settings(max_examples=30, deadline=None)
def test_money_in_cents_decides_like_money_in_euros(P, L, c):
    assert_array_equal(decide(P, L, reject=2.0).chosen, decide(P, L * c, reject=2.0 * c).chosen)


@pytest.mark.capability("BC-02")
def test_changing_the_loss_changes_labels_but_not_posteriors():
    P = two([0.6, 0.7, 0.95])
    plain, dear = decide(P), decide(P, EXERCISE_4, reject=1)
    assert_array_equal(plain.labels, [0, 0, 0])
    assert dear.labels.tolist() == ["reject", "reject", 0]
    assert_array_equal(plain.posterior, dear.posterior)


@pytest.mark.capability("C3-02")
def test_apples_by_maximum_posterior_normalised_or_not():
    joint = np.array([[4 / 10, 3 / 10], [3 / 10, 3 / 10]])  # sour-sweet; sour-sweet and oblate
    normalised = joint / joint.sum(axis=1, keepdims=True)
    decision = decide(normalised, classes=["Fuji", "Guoguang"])
    assert decision.labels.tolist() == ["Fuji", "Fuji"]  # a tie goes to the first class
    assert decision.ties == [("Fuji",), ("Fuji", "Guoguang")]
    assert ties(joint, ["Fuji", "Guoguang"]) == decision.ties
    assert_allclose(normalised[0, 0], float(F(4, 7)), rtol=1e-15)
    assert_array_equal(decision.tied, [False, True])


def test_ties_are_seen_through_rounding():
    p = 0.1 + 0.2  # not 0.3
    assert ties([[p, 0.3, 0.4 - (p - 0.3)]]) == [(2,)]
    assert ties([[0.3, p, 0.1]]) == [(0, 1)]
    assert decide([[0.35, 0.35 + 1e-16, 0.3]]).ties == [(0, 1)]


def test_a_tie_can_be_drawn_or_rejected():
    P = np.full((4000, 2), 0.5)
    drawn = decide(P, tie="random", random_state=7).chosen
    assert abs(drawn.mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)  # four standard errors
    assert_array_equal(drawn, decide(P, tie="random", random_state=7).chosen)
    again = decide(P, tie="random", random_state=np.random.default_rng(3)).chosen
    assert 0 < again.mean() < 1
    assert decide([[0.5, 0.5], [0.6, 0.4]], tie="reject").labels.tolist() == ["reject", 0]
    clear = decide([[0.6, 0.4]] * 50, tie="random", random_state=0)
    assert_array_equal(clear.chosen, 0)


def test_costs_that_differ_from_row_to_row():
    P = two([0.9, 0.9])
    costs = np.array([[[0, 1], [1, 0]], [[0, 100], [1, 0]]])  # in the second row a miss costs 100
    decision = decide(P, costs, reject=[0.05, 5.0])
    assert_array_equal(decide(P, costs).chosen, [0, 1])
    assert_array_equal(decision.chosen, [-1, 1])
    assert_allclose(decision.risk, [0.05, 0.9])


def test_actions_that_are_no_classes():
    loss = {("call", "no"): 1, ("call", "yes"): 2, ("no", "yes"): 10}
    decision = decide(two([0.95, 0.7, 0.01]), loss, classes=["no", "yes"])
    assert decision.labels.tolist() == ["no", "yes", "yes"]
    decision = decide(two([0.95, 0.8, 0.01]), {**loss, ("yes", "no"): 9}, classes=["no", "yes"])
    assert decision.labels.tolist() == ["no", "call", "yes"]


def test_the_type_of_labels_does_not_depend_on_the_rows():
    P = two([0.9, 0.8])
    assert decide(P).labels.dtype.kind == "i"
    assert decide(P, reject=1).labels.dtype == object
    assert decide(P, reject=1, reject_label=-1).labels.dtype.kind == "i"
    assert decide(two(0.5), reject=0.1, reject_label=-1).labels.tolist() == [-1]
    assert decide(P, reject=1, classes=["a", "b"]).labels.dtype.kind == "U"


def test_single_precision_posteriors_have_room_to_round():
    P = np.full((1, 1000), 1e-3, dtype=np.float32)
    P[0, 0] += np.float32(2e-4)
    assert decide(P).chosen[0] == 0
    with pytest.raises(DataError, match=r"sums to 1\.0002"):
        decide(P.astype(np.float64))


def test_new_priors_enter_before_the_loss():
    decision = decide([[0.9, 0.1]], priors=[0.01, 0.99], trained_priors=[0.5, 0.5])
    assert_array_equal(decision.chosen, [1])
    assert_allclose(decision.posterior, [[0.009 / 0.108, 0.099 / 0.108]], rtol=1e-12)


@pytest.mark.parametrize(
    ("posterior", "words"),
    [
        ([[0.5, 0.6]], "row 1 sums to 1.1, expected 1"),
        ([[0.5, 0.5], [np.nan, 1]], "row 2, class 0 is NaN"),
        ([[1.5, -0.5]], "row 1, class 1 is -0.5"),
        ([0.5, 0.5], "one row per case and one column per class, got shape \\(2,\\)"),
        ([["a", "b"]], "array of numbers"),
    ],
)
def test_what_is_no_posterior_is_told(posterior, words):
    with pytest.raises(DataError, match=words):
        decide(posterior)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reject": -0.1}, "a number from 0 up .*got -0.1"),
        ({"reject": np.nan}, "a number from 0 up"),
        ({"reject": "dear"}, "a number from 0 up"),
        ({"reject": [1, 2, 3]}, "one per row, 2"),
        ({"tie": "last"}, "tie must be one of 'first', 'random', 'reject', got 'last'"),
        ({"priors": [0.5, 0.5]}, "give trained_priors"),
        ({"trained_priors": [0.5, 0.5]}, "give priors as well"),
        ({"classes": ["a"]}, "2 columns of probabilities, but 1 classes"),
        ({"actions": ["a"]}, "there is no loss"),
        ({"loss": np.ones((3, 2, 2))}, "costs for 3 rows, the posterior has 2"),
    ],
)
def test_a_wrong_option_is_told(options, words):
    with pytest.raises(ParameterError, match=words):
        decide(two([0.3, 0.4]), **options)


def test_ties_of_nonsense_are_refused():
    with pytest.raises(DataError, match="none negative"):
        ties([[-1.0, 2.0]])
    with pytest.raises(ParameterError, match="2 columns, but 1 classes"):
        ties([[1.0, 2.0]], ["a"])
