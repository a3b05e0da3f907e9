"""One pair in one sentence."""

import numpy as np

from assay.evaluate import Verdict
from assay.evaluate.verdict import turned
from assay.metrics import measures
from assay.stats.significance.five_by_two import five_by_two_f
from assay.stats.significance.mcnemar import mcnemar
from assay.stats.significance.paired_t import paired_t
from assay.stats.significance.test_result import TestResult


def verdict(p=0.02, adjusted=0.06, difference=0.031, low=0.005, high=0.057, pairs=3):
    test = TestResult("corrected resampled t test", 2.5, p, 9, estimate=difference, low=low, high=high)
    return Verdict("tree", "bayes", measures()["error"], test, adjusted, pairs, 10, 0.05)


def test_significant_alone_but_not_among_all_pairs():
    said = verdict()
    assert not said.significant
    assert str(said) == (
        "tree has a higher error than bayes by 0.0310 (difference +0.0310, 95% interval +0.0050 to +0.0570); corrected "
        "resampled t test on 10 splits: p = 0.020, adjusted for 3 pairs p = 0.060: not significant at 0.05."
    )


def test_one_pair_needs_no_adjustment():
    said = str(verdict(adjusted=0.02, pairs=1))
    assert "adjusted" not in said and said.endswith("p = 0.020: significant at 0.05.")


def test_without_an_interval_none_is_invented():
    assert "interval" not in str(verdict(low=np.nan, high=np.nan))


def test_differences_that_cancel_make_no_learner_better():
    d = np.array([0.1, -0.2, 0.3, -0.1, -0.1])
    assert d.mean() != 0  # 1 / 10 is no binary fraction
    said = str(Verdict("tree", "bayes", measures()["error"], paired_t(d), 1.0, 1, 5, 0.05))
    assert said.startswith("tree and bayes have the same mean error (difference ")


def test_at_the_level_itself_it_is_significant():
    assert verdict(adjusted=0.05).significant and not verdict(adjusted=np.nan).significant


def test_seen_from_the_other_learner_signs_change_where_there_are_any():
    d = np.array([0.03, 0.01, 0.05, -0.01])
    back, other = turned(paired_t(d, alternative="greater")), paired_t(-d, alternative="less")
    assert back == other
    assert turned(mcnemar(15, 5, n=100)) == mcnemar(5, 15, n=100)
    pairs = np.outer([0.03, 0.02, 0.05, 0.01, 0.04], [1.0, 0.5])
    assert turned(five_by_two_f(pairs)).statistic == five_by_two_f(-pairs).statistic
