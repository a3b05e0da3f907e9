"""The description length of changing rule sets against the formulas and against the numbers of the books."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay.rules.covering._description_length as _description_length
from assay.rulebase.measures import exception_bits, rule_bits
from assay.rules.covering.description_length import RuleSetLength
from assay.rules.covering.growing import ClassRows, RankedTable
from assay.tables import Schema
from assay.tables.data import load_charity_donors


def rows_of(positive, w=None):
    table = RankedTable(np.zeros((len(positive), 1)), Schema.numeric(1), w)
    return ClassRows(table, np.arange(len(positive)), np.asarray(positive, bool))


def rows_and_cover(c, u, fp, fn):
    """c covered rows, fp of them negative, and u others, fn of them positive; and which are covered."""
    positive = np.r_[np.arange(c) >= fp, np.arange(u) < fn]
    return rows_of(positive), np.arange(c + u) < c


@pytest.mark.capability("IML-9-30", "DC-44")
def test_the_charity_donors():
    """Oracle: derived from the formulas, class not Donor, share 5/11, 44 possible conditions."""
    charity = load_charity_donors()
    age, salary = charity.X.values.T
    table = RankedTable(charity.X.values, charity.X.schema)
    assert table.n_tests == 44
    rows = ClassRows(table, np.arange(11), np.asarray(charity.y) == "N")
    length = RuleSetLength(rows, share=5 / 11)
    assert_allclose(length.bits, 16.111237, atol=5e-7)
    assert_allclose(rule_bits(1, 44), 3.442803, atol=5e-7)
    assert_allclose(length.with_more(age <= 50, 1), 14.544371, atol=5e-7)
    assert_allclose(length.with_more(salary <= 50000, 1), 11.411826, atol=5e-7)
    length.append(age <= 50, 1)
    assert_allclose(length.with_other(0, age <= 50, salary <= 50000, 1), 11.411826, atol=5e-7)
    assert_allclose(length.without(0, age <= 50), 16.111237, atol=5e-7)
    rows, covered = rows_and_cover(6, 5, 2, 1)  # more rows are covered than not
    assert_allclose(RuleSetLength(rows, 5 / 11).with_more(covered, 0), 12.957485, atol=5e-7)


@pytest.mark.capability("IML-9-30")
@pytest.mark.parametrize(
    ("c", "u", "fp", "fn", "bits"),
    [(40, 60, 4, 6, 53.706478), (60, 40, 4, 6, 52.421403), (0, 100, 0, 40, 118.851021)],
)
def test_printed_exceptions(c, u, fp, fn, bits):
    rows, covered = rows_and_cover(c, u, fp, fn)
    length = RuleSetLength(rows, share=0.5, n_tests=20)
    assert_allclose(length.with_more(covered, 0), bits, atol=5e-7)
    for size, more in [(1, 2.863970), (2, 5.189956), (3, 7.555333)]:
        assert_allclose(length.with_more(covered, size), bits + more, atol=1e-6)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 60), share=st.floats(0, 1), weighted=st.booleans())
def test_the_kernel_counts_and_codes_as_numpy_does(seed, n, share, weighted):
    rng = np.random.default_rng(seed)
    positive, hits = rng.random(n) < rng.random(), rng.integers(0, 3, n).astype(np.int32)
    plus, minus = rng.random(n) < 0.3, (rng.random(n) < 0.3) & (hits > 0)
    w = rng.integers(1, 9, n) / 4
    for more in (plus, np.empty(0, bool)):
        for less in (minus, np.empty(0, bool)):
            covered = hits + (more if len(more) else 0) - (less if len(less) else np.zeros(n, int)) > 0
            one = w if weighted else np.ones(n)
            p, fp = one[covered & positive].sum(), one[covered & ~positive].sum()
            P, N = one[positive].sum(), one[~positive].sum()
            ours = _description_length.exceptions(
                hits=hits,
                plus=more.view(np.uint8),
                minus=less.view(np.uint8),
                positive=positive.view(np.uint8),
                w=w if weighted else np.empty(0),
                P=P,
                N=N,
                rho=share,
            )
            assert_allclose(ours, exception_bits(p + fp, P + N - p - fp, fp, P - p, share), rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), weighted=st.booleans())
def test_a_predicted_change_is_the_change_made(seed, weighted):
    rng = np.random.default_rng(seed)
    rows = rows_of(rng.random(40) < 0.4, rng.integers(1, 5, 40) / 2 if weighted else None)
    length, masks, sizes = RuleSetLength(rows, 0.4, n_tests=30), [], []
    for _ in range(12):
        mask, size, kind = rng.random(40) < 0.3, int(rng.integers(1, 6)), rng.integers(3)
        if kind == 0 or not masks:
            foretold = length.with_more(mask, size)
            length.append(mask, size)
            masks.append(mask), sizes.append(size)
        elif kind == 1:
            at = int(rng.integers(len(masks)))
            foretold = length.with_other(at, masks[at], mask, size)
            length.replace(at, masks[at], mask, size)
            masks[at], sizes[at] = mask, size
        else:
            at = int(rng.integers(len(masks)))
            foretold = length.without(at, masks[at])
            length.delete(at, masks[at])
            del masks[at], sizes[at]
        fresh = RuleSetLength(rows, 0.4, n_tests=30)
        for one, m in zip(masks, sizes):
            fresh.append(one, m)
        assert_allclose([foretold, length.bits], fresh.bits, rtol=1e-12)
        assert length.sizes == sizes


def test_every_set_of_rules_has_a_length():
    """No row of a class, all rows covered, only errors, a share that expects the impossible: finite all the same."""
    for positive in (np.zeros(7, bool), np.ones(7, bool), np.arange(7) < 1):
        for share in (0.0, 0.5, 1.0):
            length = RuleSetLength(rows_of(positive), share)
            for covered in (np.zeros(7, bool), np.ones(7, bool), ~positive):
                assert np.isfinite(length.with_more(covered, 3))


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="shapes"):
        _description_length.exceptions(
            hits=np.zeros(3, np.int32),
            plus=np.zeros(2, np.uint8),
            minus=np.zeros(0, np.uint8),
            positive=np.zeros(3, np.uint8),
            w=np.empty(0),
            P=1.0,
            N=2.0,
            rho=0.5,
        )
