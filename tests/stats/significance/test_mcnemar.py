"""McNemar's test against worked numbers, statsmodels, and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.mcnemar import discordant, mcnemar


@pytest.mark.capability("IML-19-11")
@pytest.mark.parametrize(
    ("pair", "corrected", "uncorrected", "exact"),
    [((15, 5), (4.05, 0.04417134), (5, 0.02534732), 0.04138947),
     ((25, 10), (5.6, 0.01796048), None, 0.01667385),
     ((6, 4), (0.1, 0.75182963), None, 0.75390625)],
)  # fmt: skip
def test_mcnemar_in_its_three_forms(pair, corrected, uncorrected, exact):
    # Oracle: IML 19.11.1.
    result = mcnemar(*pair, "corrected")
    assert_allclose((result.statistic, result.p), corrected, atol=5e-9)
    assert result.rejected == (result.statistic > 3.84145882)
    assert_allclose(mcnemar(*pair, "exact").p, exact, atol=5e-9)
    if uncorrected:
        result = mcnemar(*pair, "uncorrected")
        assert_allclose((result.statistic, result.p), uncorrected, atol=5e-9)
    assert mcnemar(*pair) == mcnemar(*pair, "exact" if sum(pair) < 25 else "corrected")


@pytest.mark.parametrize("method", ["auto", "exact", "mid-p", "corrected", "uncorrected"])
def test_without_disagreement_or_with_even_disagreement_says_one(method):
    none, even = mcnemar(0, 0, method), mcnemar(20, 20, method)
    assert (none.statistic, none.p) == (0.0, 1.0) and "No row" in none.why
    assert (even.statistic, even.p) == (0.0, 1.0)


@pytest.mark.parametrize("pair", [(15, 5), (3, 0), (40, 22), (7, 7), (0, 6)])
def test_same_as_statsmodels(pair):
    """Peer: statsmodels 0.15. Equal counts are left out of the corrected form: the peer gives 1 / (2 e)."""
    from statsmodels.stats.contingency_tables import mcnemar as peer

    table = [[50, pair[0]], [pair[1], 20]]
    assert_allclose(mcnemar(*pair, "exact").p, peer(table, exact=True).pvalue, rtol=1e-12)
    theirs = peer(table, exact=False, correction=False)
    result = mcnemar(*pair, "uncorrected")
    assert_allclose((result.statistic, result.p), (theirs.statistic, theirs.pvalue), rtol=1e-12)
    if pair[0] != pair[1]:
        theirs = peer(table, exact=False, correction=True)
        result = mcnemar(*pair, "corrected")
        assert_allclose((result.statistic, result.p), (theirs.statistic, theirs.pvalue), rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    e01=st.integers(0, 40), e10=st.integers(0, 40), method=st.sampled_from(["exact", "mid-p", "corrected"])
)
def test_the_sides_add_up_and_turning_the_learners_turns_the_sides(e01, e10, method):
    more, fewer = (mcnemar(e01, e10, method, alternative=a, n=100) for a in ("greater", "less"))
    both = mcnemar(e01, e10, method, n=100)
    assert_allclose(both.p, min(1.0, 2 * min(more.p, fewer.p)) if e01 + e10 else 1.0, rtol=1e-12)
    back = mcnemar(e10, e01, method, alternative="less", n=100)
    assert_allclose(
        (back.p, back.estimate, back.low, back.high), (more.p, -more.estimate, -more.high, -more.low)
    )
    if method == "mid-p" and e01 + e10:
        assert_allclose(more.p + fewer.p, 1, rtol=1e-12)


@pytest.mark.parametrize(("p01", "p10"), [(0.05, 0.05), (0.10, 0.02), (0.02, 0.0)])
@pytest.mark.parametrize("n", [40, 200])
def test_the_interval_covers_the_difference(n, p01, p10):
    worlds = 2000
    cells = np.random.default_rng(3).multinomial(n, [p01, p10, 1 - p01 - p10], worlds)
    bounds = [(r.low, r.high) for r in (mcnemar(int(a), int(b), n=n) for a, b, _ in cells)]
    low, high = np.array(bounds).T
    covered = np.mean((low <= p01 - p10) & (p01 - p10 <= high))
    assert covered >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / worlds)  # 0.935


def test_the_exact_test_keeps_its_level():
    # sum over the number of rows that differ, without simulation: n = 30, both err alone with 0.2
    from scipy.stats import binom

    size = 0.0
    for split in range(31):
        counts = np.arange(split + 1)
        rejected = [mcnemar(int(k), int(split - k), "exact").rejected for k in counts]
        size += binom.pmf(split, 30, 0.4) * np.sum(binom.pmf(counts, split, 0.5)[rejected])
    assert 0.01 < size <= 0.05


def test_counting_from_answers():
    truth = np.array([0, 1, 1, 0, 2])
    assert discordant(truth, [0, 1, 1, 1, 2], [1, 1, 0, 1, 2]) == (0, 2, 5)
    with pytest.raises(DataError, match="one length"):
        discordant(truth, [0, 1], [0, 1])


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [((1, 2, "approximate"), {}, "method"), ((-1, 2), {}, "only_first"), ((1, 2.5), {}, "only_second"),
     ((3, 4), {"n": 5}, "at least the 7 rows"), ((3, 4), {"alpha": 0}, "alpha"),
     ((3, 4), {"alternative": "more"}, "alternative")],
)  # fmt: skip
def test_wrong_input_is_named(arguments, options, words):
    with pytest.raises((ParameterError, DataError), match=words):
        mcnemar(*arguments, **options)


def test_text_is_not_compared_with_numbers():
    with pytest.raises(DataError, match="of one kind"):
        discordant([1, 2], ["1", "2"], [1, 2])


def test_more_rows_than_an_integer_of_32_bits_holds():
    """z = 2, as the normal test has it."""
    result = mcnemar(5_000_100_000, 4_999_900_000, "exact")
    assert_allclose(result.p, mcnemar(5_000_100_000, 4_999_900_000, "uncorrected").p, rtol=1e-4)
