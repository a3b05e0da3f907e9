from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.rulebase.conditions import Condition
from assay.rulebase.measures import class_entropy, foil_gain, laplace, likelihood_ratio, m_estimate
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.measure import BOTH_WAYS, MEASURES, RuleMeasure
from assay.tables import Column, Schema
from assay.tables.data import load_charity_donors

CHARITY = load_charity_donors()
X, DONOR = CHARITY.X.values, np.array([list(CHARITY.classes).index(label) for label in CHARITY.y])


def value_by_the_book(name, counts, target, prior, before, parent, total):
    """The measure of class weights by the functions of rulebase.measures."""
    k = int(np.argmax(counts)) if target is None else target
    p, n = counts[k], counts.sum() - counts[k]
    if name in BOTH_WAYS and target is not None and not p > prior[k] * (p + n) * (1 + 1e-12):
        return -np.inf
    if name in ("entropy", "gini") and target is not None and p < counts.max():
        return -np.inf
    return {
        "accuracy": lambda: p / (p + n),
        "laplace": lambda: laplace(p, n, len(counts)),
        "m-estimate": lambda: m_estimate(p, n, prior[k]),
        "foil": lambda: before + foil_gain(parent[k], parent.sum() - parent[k], p, n),
        "likelihood-ratio": lambda: likelihood_ratio(counts, prior),
        "entropy": lambda: -class_entropy(counts),
        "gini": lambda: ((counts / counts.sum()) ** 2).sum() - 1,
        "wracc": lambda: (p - prior[k] * (p + n)) / total,
    }[name]()


def best_by_the_book(X, schema, y, w, K, rows, name, target, prior, before=0.0):
    """Every candidate of every column by plain sums, the best first: (value, coverage, column, condition, counts)."""
    result = []
    parent = np.bincount(y[rows], w[rows], minlength=K)
    for j, column in enumerate(schema):
        x = X[rows, j]
        seen = np.unique(x[~np.isnan(x)])
        if column.kind == "nominal":
            tests = [Condition(j, codes=(int(code),)) for code in seen]
        else:
            cuts = [(a / 2 + b / 2) for a, b in pairwise(seen)]
            tests = [test for c in cuts for test in (Condition(j, high=c), Condition(j, low=c))]
        for test in tests:
            inside = test.covers(X[rows])
            counts = np.bincount(y[rows[inside]], w[rows[inside]], minlength=K)
            if inside.all() or (target is not None and counts[target] <= 0):
                continue
            value = value_by_the_book(name, counts, target, prior, before, parent, w.sum())
            if value > -np.inf:
                result.append((value, counts.sum(), j, test, counts))
    return sorted(result, key=lambda one: (-round(one[0], 10), -round(one[1], 10)))


def mixed_table(seed, n=60, K=3, with_missing=True):
    draw = np.random.default_rng(seed)
    X = np.column_stack(
        [draw.normal(size=n).round(1), draw.integers(0, 4, n), draw.normal(size=n), draw.integers(0, 3, n)]
    ).astype(float)
    if with_missing:
        X[draw.random(X.shape) < 0.1] = np.nan
    schema = Schema(
        [
            Column("a"),
            Column("b", "nominal", tuple("pqrs")),
            Column("c"),
            Column("d", "ordinal", tuple("xyz")),
        ]
    )
    return X, schema, draw.integers(0, K, n), draw


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("target", [None, 1])
def test_the_kernel_finds_the_candidates_of_its_twin(name, weighted, target):
    if name == "foil" and target is None:
        target = 0
    for seed in range(4):
        X, schema, y, draw = mixed_table(seed, K=2 + seed % 3)
        K = 2 + seed % 3
        w = draw.uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
        table = CandidateTable(X, schema, y, w if weighted else None, K)
        rows = table.rows if seed % 2 else np.flatnonzero(draw.random(len(y)) < 0.4).astype(np.int32)
        prior = np.bincount(y, w, minlength=K) / w.sum()
        twin = best_by_the_book(X, schema, y, w, K, rows, name, target, prior, before=0.25)
        offers = table.best(rows, RuleMeasure(name), target, prior, most=200, before=0.25)
        ours = list(offers)
        assert len(ours) == len(twin) > 5
        assert_allclose([c.value for c in ours], [t[0] for t in twin], rtol=1e-9, atol=1e-10)
        assert_allclose([c.coverage for c in ours], [t[1] for t in twin], rtol=1e-12)
        for candidate in ours:
            covered = table.narrowed(rows, candidate)
            assert_array_equal(covered, rows[table.condition(candidate).covers(X[rows])])
            assert_allclose(candidate.counts, np.bincount(y[covered], w[covered], minlength=K), rtol=1e-12)
        if not weighted:  # without rounding ties are ties, and go to the first column and the first cut
            assert [table.condition(c) for c in ours] == [t[3] for t in twin]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_for_one_of_many_classes_is_that_of_the_twin(name, weighted):
    """With many classes and few candidates asked for, the native code tells only the target from the others."""
    for seed in range(6):
        X, schema, y, draw = mixed_table(seed, n=90, K=15)
        w = draw.uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
        table = CandidateTable(X, schema, y, w if weighted else None, 15)
        prior = np.bincount(y, w, minlength=15) / w.sum()
        twin = best_by_the_book(X, schema, y, w, 15, table.rows, name, 3, prior, before=0.25)
        ours = list(table.best(table.rows, RuleMeasure(name), 3, prior, most=1 + seed % 3, before=0.25))
        assert_allclose([c.value for c in ours[:1]], [t[0] for t in twin[:1]], rtol=1e-9, atol=1e-10)
        for candidate in ours:
            covered = table.narrowed(table.rows, candidate)
            assert_allclose(candidate.counts, np.bincount(y[covered], w[covered], minlength=15), rtol=1e-12)
        if not weighted:
            assert [table.condition(c) for c in ours[:1]] == [t[3] for t in twin[:1]]


@pytest.mark.parametrize("name", ["entropy", "laplace"])
def test_the_best_significant_candidate_is_that_of_the_twin(name):
    for seed in range(8):
        X, schema, y, _ = mixed_table(seed, n=120, K=2)
        y = np.where(np.nan_to_num(X[:, 0]) > 0.5, y | (np.arange(120) % 3 > 0), y)
        table = CandidateTable(X, schema, y, None, 2)
        prior = table.shares()
        twin = best_by_the_book(X, schema, y, np.ones(120), 2, table.rows, name, None, prior)
        significant = [one for one in twin if likelihood_ratio(one[4], prior) > 3.841459]
        result = table.best(
            table.rows, RuleMeasure(name), None, prior, most=1, threshold=3.841459
        ).significant
        assert (result is None) == (not significant)
        if significant:
            assert table.condition(result) == significant[0][3]


@pytest.mark.parametrize("width", [3, 250])
def test_few_and_many_values_large_and_small_sets_take_different_ways_to_the_same_counts(width):
    draw = np.random.default_rng(1)
    X = draw.integers(0, width, (400, 2)).astype(float)
    y = draw.integers(0, 2, 400)
    table, prior = CandidateTable(X, Schema.numeric(2), y, None, 2), np.array([0.5, 0.5])
    for share in (1.0, 0.3, 0.05):
        rows = table.rows[draw.random(400) < share]
        twin = best_by_the_book(X, Schema.numeric(2), y, np.ones(400), 2, rows, "wracc", 1, prior)
        ours = list(table.best(rows, RuleMeasure("wracc"), 1, prior, most=20))
        top = {(t[3], t[1]) for t in twin if t[0] > ours[4].value + 1e-12}
        assert top == {(table.condition(c), c.coverage) for c in ours[:5] if c.value > ours[4].value + 1e-12}
        assert_allclose(ours[0].value, twin[0][0], rtol=1e-12)


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_rows_taken_away_are_as_if_they_had_never_been_there(data):
    seed = data.draw(st.integers(0, 10_000))
    X, schema, y, draw = mixed_table(seed, n=30, K=2)
    gone = np.flatnonzero(draw.random(30) < 0.4)
    stay = np.setdiff1d(np.arange(30), gone)
    table, small = CandidateTable(X, schema, y, None, 2), CandidateTable(X[stay], schema, y[stay], None, 2)
    table.without(gone)
    prior = small.shares()
    assert_allclose(table.shares(), prior, rtol=1e-12)
    a = [small.condition(c) for c in small.best(small.rows, RuleMeasure("laplace"), 0, prior, most=9)]
    b = [table.condition(c) for c in table.best(table.rows, RuleMeasure("laplace"), 0, prior, most=9)]
    assert a == b
    table.again(np.arange(30))
    whole = CandidateTable(X, schema, y, None, 2)
    a = [whole.condition(c) for c in whole.best(whole.rows, RuleMeasure("laplace"), 0, prior, most=9)]
    b = [table.condition(c) for c in table.best(table.rows, RuleMeasure("laplace"), 0, prior, most=9)]
    assert a == b


@pytest.mark.capability("DC-48")
def test_the_likelihood_ratio_without_a_look_at_the_direction_picks_the_other_class():
    table = CandidateTable(X, CHARITY.X.schema, DONOR, None, 2)
    for over, words, counts, value in (
        (True, "Salary > 55500", [0, 5], 6.061358),
        (False, "Salary <= 46000", [4, 0], 6.307659),
    ):
        measure = RuleMeasure("likelihood-ratio", over_represented=over)
        best = table.best(table.rows, measure, 1, table.shares()).first
        assert table.condition(best).words(CHARITY.X.schema) == words
        assert_array_equal(best.counts, counts)
        assert best.value == pytest.approx(value, abs=5e-7)


def test_a_cut_between_neighbouring_floats_lies_between_them():
    low = 1.0
    for x in ([low, np.nextafter(low, 2)], [5e-324, 1e-323], [-1.7e308, 1.7e308], [0.0, 5e-324]):
        table = CandidateTable(np.array(x)[:, None], Schema.numeric(1), np.array([0, 1]), None, 2)
        cut = table.cut(0, 0, 1)
        assert x[0] <= cut < x[1]


def test_threads_do_not_change_what_is_found(monkeypatch):
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(500, 9)), draw.integers(0, 2, 500)
    table = CandidateTable(X, Schema.numeric(9), y, None, 2)
    one = list(table.best(table.rows, RuleMeasure("foil"), 1, table.shares(), most=3))
    monkeypatch.setattr("assay.rules.covering.candidates.WORTH_A_THREAD", 1)
    several = list(table.best(table.rows, RuleMeasure("foil"), 1, table.shares(), most=3))
    assert [(c.column, c.kind, c.low, c.value) for c in one] == [
        (c.column, c.kind, c.low, c.value) for c in several
    ]
