"""What displays ask of a comparison."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.plots.of_comparison import chosen_learners, positive_class, row_weights, scored

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
WEIGHT = RNG.integers(1, 5, 60)
TWO = compare(["lda", "majority"], X, X[:, 0] > 0, design="3-fold", sample_weight=WEIGHT)
THREE = compare(["lda"], X, np.digitize(X[:, 0], [-0.5, 0.5]), design="3-fold")
BARE = compare(["lda"], X, X[:, 0] > 0, design="3-fold", probabilities=False)


def test_of_two_classes_the_second_is_positive_unless_named():
    assert positive_class(TWO, None, "it") == 1
    assert positive_class(TWO, False, "it") == positive_class(TWO, "False", "it") == 0
    assert positive_class(THREE, "2", "it") == 2  # as a command line would give it
    with pytest.raises(ParameterError, match="it: there are 3 classes; name the one that counts as positive"):
        positive_class(THREE, None, "it")
    with pytest.raises(ParameterError, match=r"no class 7\. Classes: 0, 1, 2"):
        positive_class(THREE, 7, "it")


def test_learners_come_best_first_or_as_asked():
    assert chosen_learners(TWO, None, "it") == ["lda", "majority"]
    assert chosen_learners(TWO, ["majority", "lda"], "it") == ["majority", "lda"]
    assert chosen_learners(TWO, "majority", "it") == ["majority"]
    assert chosen_learners(TWO, "LinearDiscriminantAnalysis", "it") == ["lda"]
    with pytest.raises(ParameterError, match="no learner was asked for"):
        chosen_learners(TWO, [], "it")


def test_rows_keep_their_truth_score_and_weight():
    label, (first, second) = scored(TWO, None, None, "it")
    rows = TWO.out_of_fold("lda")
    assert str(label) == "True"
    assert (first.learner, second.learner) == ("lda", "majority")
    assert_array_equal(first.truth, X[:, 0] > 0)
    assert_array_equal(first.score, rows.posterior[:, 1])
    assert_array_equal(first.weight, WEIGHT)
    assert row_weights(THREE, np.arange(60)) is None


def test_a_comparison_without_probabilities_says_how_to_get_them():
    with pytest.raises(
        DataError, match=r"keeps no probabilities\. Run compare\(\.\.\., probabilities=True\)"
    ):
        scored(BARE, None, None, "it")
    with pytest.raises(DataError, match="lda gave no probabilities"):
        scored(BARE, "lda", None, "it")
