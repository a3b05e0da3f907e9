from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.stats import bayes_error, bayes_rule_from_counts, minimum_error_rule, rule_error


@pytest.mark.capability("C3-08")
@given(counts=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_no_rule_beats_the_minimum_error_rule(counts):
    total = sum(map(sum, counts))
    if not total:
        counts, total = [[1, 0, 0]], 1
    joint = np.array([[F(c, total) for c in row] for row in counts])
    best = rule_error(joint)
    assert best == rule_error(joint, minimum_error_rule(joint))
    every_rule = product(range(3), repeat=len(joint))
    assert min(rule_error(joint, np.array(rule)) for rule in every_rule) == best


@pytest.mark.capability("C3-08")
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_nor_does_a_random_rule(seed):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(12)).reshape(4, 3)
    rule = rng.dirichlet(np.ones(3), size=4)
    assert rule_error(joint, rule) >= rule_error(joint) - 1e-12


def test_a_random_rule_errs_in_proportion():
    joint = np.array([[F(3, 10), F(1, 10)], [F(2, 10), F(4, 10)]])
    # always the better class in the first row, a coin in the second: right with 3/10 + (2/10 + 4/10)/2
    assert rule_error(joint, [[1, 0], [F(1, 2), F(1, 2)]]) == F(4, 10)
    assert_allclose(rule_error(joint.astype(float), [[1, 0], [0.5, 0.5]]), 0.4)
    assert rule_error(joint, np.eye(2, dtype=int)) == rule_error(joint, [0, 1]) == F(3, 10)


@pytest.mark.capability("IML-3-03")
def test_error_at_x_and_on_average():
    assert_allclose(bayes_error([[0.9, 0.1], [1 / 3, 2 / 3]]), [0.1, 1 / 3])
    # apples by taste: sweet 2 : 1, sour-sweet 4 : 3, so 1 + 3 of 10 are lost
    apples = bayes_rule_from_counts({"Fuji": {"sweet": 2, "sour": 4}, "Guoguang": {"sweet": 1, "sour": 3}})
    assert list(bayes_error(apples.posterior)) == [F(1, 3), F(3, 7)]
    assert apples.mean_error == rule_error(apples.joint) == F(2, 5)


def test_bad_rules_and_tables_are_refused():
    joint = [[0.3, 0.1], [0.2, 0.4]]
    with pytest.raises(ValueError, match="sum to"):
        rule_error([[0.3, 0.1]])
    with pytest.raises(ValueError, match="0 to 1"):
        rule_error(joint, [0, 2])
    with pytest.raises(ValueError, match="2 class numbers"):
        rule_error(joint, [0])
    with pytest.raises(ValueError, match="random rule"):
        rule_error(joint, [[0.5, 0.4], [1, 0]])
    with pytest.raises(ValueError, match="not negative"):
        minimum_error_rule([[-0.1, 1.1]])
