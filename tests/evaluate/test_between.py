"""Between and within: equal learners never differ, unequal ones differ by more than the luck of splits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeClassifier

from assay.errors import DataError
from assay.evaluate.between import between_and_within
from assay.tables.data import load_iris, load_wine


@pytest.mark.capability("IML-2-21")
@pytest.mark.parametrize("learner", ["lda", "naive bayes", DecisionTreeClassifier(max_features=2)])
def test_identical_learners_give_no_significant_difference(learner):
    found = between_and_within(learner, learner, load_wine())
    assert found.between == 0 and found.paired == 0 and found.result.p == 1 and not found.result.rejected
    assert found.within[0] > 0


@pytest.mark.capability("IML-2-21")
def test_learners_of_equal_worth_rarely_differ():
    """Trees that look at the columns in another order: at level 5 %, more than 5 of 20 would be beyond luck."""
    X, y = load_wine()
    rejected = 0
    for seed in range(20):
        a, b = (
            DecisionTreeClassifier(max_depth=2, max_features=3, random_state=s) for s in (seed, seed + 50)
        )
        rejected += between_and_within(a, b, X, y, "10xholdout", random_state=seed).result.rejected
    assert rejected <= 5


def test_the_numbers_are_means_and_spreads_over_the_same_splits():
    found = between_and_within(
        "lda", DecisionTreeClassifier(max_depth=1), load_iris(), design="10xholdout(0.25)"
    )
    v, w = (found.comparison.values(name) for name in found.names)
    assert_allclose(found.means, [v.mean(), w.mean()])
    assert_allclose(found.within, [v.std(ddof=1), w.std(ddof=1)])
    assert_allclose([found.between, found.paired], [(v - w).mean(), (v - w).std(ddof=1)])
    t = found.between / (found.paired * np.sqrt(1 / 10 + 38 / 112))
    assert_allclose(found.result.statistic, t, rtol=1e-9)
    assert "between them" in str(found) and found.result.rejected


def test_one_split_has_no_spread_and_a_failure_is_told():
    with pytest.raises(DataError, match="shows no spread"):
        between_and_within("lda", "majority", load_iris(), design="holdout")
    with pytest.raises(DataError, match="max_depth"):
        between_and_within("lda", DecisionTreeClassifier(max_depth=-1), load_iris())
