"""Cochran's Q: statsmodels, McNemar for two, size, agreement on every row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.stats.significance.cochran_q import cochran_q
from assay.stats.significance.mcnemar import discordant, mcnemar


@pytest.mark.parametrize("k", [2, 3, 6])
def test_same_as_statsmodels(k):
    """Peer: statsmodels 0.15, cochrans_q."""
    from statsmodels.stats.contingency_tables import cochrans_q

    right = np.random.default_rng(k).random((80, k)) < np.linspace(0.7, 0.9, k)
    ours, theirs = cochran_q(right), cochrans_q(right.astype(float))
    assert_allclose([ours.statistic, ours.p, ours.df], [theirs.statistic, theirs.pvalue, theirs.df])
    turned = cochran_q(~right)
    assert_allclose([turned.statistic, turned.p], [ours.statistic, ours.p])


def test_two_learners_are_mcnemars():
    right = np.random.default_rng(0).random((60, 2)) < [0.7, 0.85]
    e01, e10, _ = discordant(np.ones(60, dtype=bool), right[:, 0], right[:, 1])
    result = mcnemar(e01, e10, "uncorrected")
    assert_allclose([cochran_q(right).statistic, cochran_q(right).p], [result.statistic, result.p])


def test_size_by_simulation():
    rng, worlds = np.random.default_rng(1), 2000
    easy = rng.random((worlds, 60, 1))
    right = rng.random((worlds, 60, 4)) < 0.5 + 0.5 * easy
    size = np.mean([cochran_q(r).rejected for r in right])
    assert abs(size - 0.05) < 4 * np.sqrt(0.05 * 0.95 / worlds)


def test_agreement_and_few_rows():
    same = cochran_q([[1, 1, 1], [0, 0, 0]])
    assert same.p == 1 and "agree" in same.why
    assert "rough" in cochran_q([[1, 0, 1], [0, 0, 1], [1, 1, 1]]).why


@pytest.mark.parametrize("wrong", [[[1], [0]], [[0.5, 1]], [1, 0], [[1, np.nan]], []])
def test_wrong_input_is_named(wrong):
    with pytest.raises(DataError, match="cochran_q"):
        cochran_q(wrong)


def test_what_is_neither_0_nor_1_is_shown():
    with pytest.raises(DataError, match="got 2 among the values"):
        cochran_q([[1, 2]])
    with pytest.raises(DataError, match="got one column"):
        cochran_q([[1], [0]])
