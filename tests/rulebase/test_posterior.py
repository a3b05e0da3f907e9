"""Who decides where several rules cover a row."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.rulebase import posterior as rule_posterior
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import POLICIES, Rule, RuleBase
from assay.tables import Column, Schema

SCHEMA = Schema([Column("x"), Column("job", "nominal", ("A", "B"))])
RULES = (
    Rule((Condition(0, high=5.0),), "no", 10, 20, (9, 1), 9),
    Rule((Condition(0, low=2.0),), "yes", 8, 20, (2, 6), 6),
    Rule((Condition(0, low=3.0), Condition(1, codes=(0,))), "yes", 4, 20, (1, 3), 3),
)
BASE = RuleBase(RULES, SCHEMA, ("no", "yes"), "no", totals=(11, 9), default_counts=(1, 0))
ROWS = {"x": [1.0, 2.5, 4.0, 4.0, 6.0, None], "job": ["A", "A", "A", "B", "B", "A"]}


def policy(name, **more):
    return replace(BASE, policy=name, **more).predict(ROWS).tolist()


@pytest.mark.capability("DC-37")
def test_the_first_rule_of_a_list_decides():
    assert policy("first") == ["no", "no", "no", "no", "yes", "no"]
    assert_allclose(BASE.posterior(ROWS)[0], [10 / 12, 2 / 12])  # counts plus one each


@pytest.mark.capability("DC-38")
def test_rules_vote():
    """Row 2 has one vote for no and two for yes; a tie goes to the first class."""
    assert policy("votes") == ["no", "no", "yes", "no", "yes", "no"]
    assert_allclose(replace(BASE, policy="votes").posterior(ROWS)[2], [1 / 3, 2 / 3])
    confident = replace(BASE, policy="confidence").posterior(ROWS)
    no, yes, more = 10 / 12, 7 / 10, 4 / 6  # Laplace's estimates
    assert_allclose(confident[2, 1], (yes + more) / (no + yes + more), rtol=1e-12)
    assert policy("confidence") == ["no", "no", "yes", "no", "yes", "no"]
    shares = replace(BASE, policy="support").posterior(ROWS)
    assert_allclose(shares[2, 1], (7 / 22 + 4 / 22) / (10 / 22 + 7 / 22 + 4 / 22), rtol=1e-12)
    product = replace(BASE, policy="product").posterior(ROWS)[3]
    assert_allclose(product[1], (7 / 22 * yes) / (7 / 22 * yes + 10 / 22 * no), rtol=1e-12)


def test_rules_vote_by_how_much_they_and_their_class_go_together():
    """Row 2: chi-square^2 / max chi-square of all three rules; R1 covers 9 of 11 no and 1 of 9 yes."""
    chi = 20 * (9 * 8 - 1 * 2) ** 2 / (10 * 10 * 11 * 9)
    most = 20 * (10 * 9 - 0 * 1) ** 2 / (10 * 10 * 11 * 9)
    weighed = replace(BASE, policy="chi_square")
    assert_allclose(weighed._ballots[0], [chi**2 / most, 0], rtol=1e-12)
    votes = weighed._ballots.sum(axis=0)
    assert_allclose(weighed.posterior(ROWS)[2], votes / votes.sum(), rtol=1e-12)
    assert weighed.predict(ROWS).tolist() == ["no", "no", "no", "no", "yes", "no"]


@pytest.mark.parametrize("top, yes", [(None, (7 / 10 + 4 / 6) / 2), (2, (7 / 10 + 4 / 6) / 2), (1, 7 / 10)])
def test_the_class_with_the_most_confident_rules_on_average(top, yes):
    mean = replace(
        BASE, policy="laplace", top=top, rules=RULES[::-1]
    )  # the most confident vote wherever they stand
    assert_allclose(mean.posterior(ROWS)[2], np.array([10 / 12, yes]) / (10 / 12 + yes), rtol=1e-12)
    assert mean.predict(ROWS).tolist() == ["no", "no", "no", "no", "yes", "no"]


@pytest.mark.parametrize("totals, answer", [((11, 9), "no"), ((9, 11), "yes"), ((), "no")])
@pytest.mark.parametrize("name", ["chi_square", "laplace"])
def test_equal_votes_go_to_the_larger_class(name, totals, answer):
    two = tuple(Rule((Condition(0, low=0.0),), c, 4, 20, n, 3) for c, n in (("no", (3, 1)), ("yes", (1, 3))))
    base = replace(BASE, rules=two, policy=name, totals=totals)
    if name == "chi_square":  # rules of one's own, equally strong
        base = replace(base, rules=tuple(replace(rule, n=0, counts=(), correct=None) for rule in two))
    assert base.predict(ROWS).tolist()[:5] == [answer] * 5
    run: dict = {}
    exec(base.to_python(), run)
    assert run["predict"]({"x": 1.0, "job": "A"}) == answer


def test_class_counts_add_up():
    assert_allclose(replace(BASE, policy="counts").posterior(ROWS)[2], [12 / 22, 10 / 22])


def test_the_most_confident_rule_decides():
    """Laplace: 10/12, 7/10, 4/6."""
    assert policy("best") == ["no", "no", "no", "no", "yes", "no"]
    sure = replace(RULES[2], counts=(0, 40), correct=40)
    assert replace(BASE, rules=(*RULES[:2], sure), policy="best").predict(ROWS).tolist()[2] == "yes"


@pytest.mark.capability("DC-60")
def test_the_first_m_rules_vote():
    assert policy("votes", top=1) == policy("first")
    assert policy("votes", top=2) == ["no", "no", "no", "no", "yes", "no"]
    assert policy("votes", top=3) == policy("votes")


def test_a_row_that_no_rule_covers_gets_the_default():
    base = replace(BASE, rules=RULES[1:], default="yes", default_counts=(4, 0))
    for name in POLICIES:
        one = replace(base, policy=name)
        assert one.predict(ROWS)[0] == "yes" and one.posterior(ROWS)[0].argmax() == 1


def test_an_unmeasured_rule_is_sure_and_an_unmeasured_vote_counts():
    base = RuleBase((Rule((), "yes"),), SCHEMA, ("no", "yes"), "no")
    for name in POLICIES:
        assert replace(base, policy=name).posterior(ROWS)[0].tolist() == [0.0, 1.0]


def test_numbers():
    rules = (Rule((Condition(0, high=5.0),), 1.0, n=3), Rule((Condition(0, low=2.0),), 4.0, n=1))
    base = RuleBase(rules, SCHEMA, default=9.0)
    assert base.predict(ROWS).tolist() == [1, 1, 1, 1, 4, 9]
    assert replace(base, policy="votes").predict(ROWS).tolist() == [1, 2.5, 2.5, 2.5, 4, 9]
    assert replace(base, policy="support").predict(ROWS).tolist() == [1, 1.75, 1.75, 1.75, 4, 9]
    with pytest.raises(ValueError, match="no class probabilities"):
        base.posterior(ROWS)


def test_choices_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="policy must be one of first, votes"):
        replace(BASE, policy="loudest")
    with pytest.raises(ValueError, match="policy must be one of first, votes, support"):
        RuleBase((), SCHEMA, policy="counts")
    with pytest.raises(ValueError, match="top must be None or a whole number from 1, got 0"):
        replace(BASE, top=0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.integers(0, 2), st.lists(st.floats(0, 99), min_size=3, max_size=3)),
        max_size=6,
    ),
    st.sampled_from(POLICIES),
    st.sampled_from([None, 1, 2]),
    st.sampled_from([0.0, 1.0]),
)
def test_posteriors_are_probabilities_whose_largest_is_the_answer(rules, policy, top, smoothing):
    made = tuple(
        Rule((Condition(0, low=t),), "abc"[k], sum(counts), 300, tuple(counts), counts[k])
        for t, k, counts in rules
    )
    base = RuleBase(made, Schema.numeric(1), tuple("abc"), "b", policy=policy, top=top, smoothing=smoothing)
    X = np.linspace(-1.5, 1.5, 13)[:, None]
    p = base.posterior(X)
    assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert (p >= 0).all()
    assert (np.array(list("abc"))[p.argmax(axis=1)] == base.predict(X)).all()


def test_pieces_of_rows_answer_alike(monkeypatch):
    rng = np.random.default_rng(0)
    rules = tuple(
        Rule((Condition(0, low=t),), "ab"[i % 2], 3, 9, (i % 4 / 3, 2.7), 2.0)
        for i, t in enumerate(rng.random(40))
    )
    X = rng.random((300, 1))
    for policy in POLICIES:
        base = RuleBase(rules, Schema.numeric(1), ("a", "b"), "a", policy=policy)
        whole = base.posterior(X)
        monkeypatch.setattr(rule_posterior, "CELLS", 400)
        assert (base.posterior(X) == whole).all()  # to the last bit
        monkeypatch.undo()
