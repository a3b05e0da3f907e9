"""The native code that grows rules against its twin, and what holds for every split and every rule."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.rules.covering._growth as _growth
from assay.rulebase.measures import foil_gain, irep_value, rule_value
from assay.rules.covering.growing import ABOVE, BELOW, EQUAL, ClassRows, RankedTable, best_prefix
from assay.tables import Column, Schema
from assay.tables.data import load_charity_donors

CHARITY = load_charity_donors()


# ------------------------------------------------------------------ twins


def candidates(x, nominal):
    """[(kind, cut)] of one column in the order of the native code, and (candidates, n) which rows meet each."""
    values = np.unique(x[~np.isnan(x)])
    if nominal:
        return [(EQUAL, v) for v in values], x == values[:, None]
    low, high = values[:-1, None], values[1:, None]
    met = np.stack([x <= low, x >= high], axis=1).reshape(-1, len(x))
    return [
        (kind, float(f"{(a + b) / 2:.15g}")) for a, b in zip(low[:, 0], high[:, 0]) for kind in (BELOW, ABOVE)
    ], met


def rule_by_the_book(X, positive, w, nominal, min_positive=0.0, correction=0.0, most=99):
    """[(column, kind, cut)] of the conditions of largest gain, until no negative row is covered."""
    inside, rule, c = np.ones(len(X), bool), [], correction
    while len(rule) < most:
        P, T = w[inside & positive].sum(), w[inside].sum()
        if P in (0, T):
            break
        best, choice, left = 0.0, None, 0.0
        for j in range(X.shape[1]):
            offers, met = candidates(np.where(inside, X[:, j], np.nan), nominal[j])
            p, t = met @ (w * positive), met @ w
            gains = (
                foil_gain(P, T - P, p, t - p)
                if c == 0
                else p * np.log2((p + c) / (t + c) * (T + c) / (P + c))
            )
            for (kind, cut), gain, stays in zip(offers, gains, p):
                if gain > best * (1 + 1e-10) and gain > 1e-12 * P:
                    best, choice, left = gain, (j, kind, cut), stays
        if choice is None or left < min_positive:
            break
        rule.append(choice)
        j, kind, cut = choice
        inside &= X[:, j] == cut if kind == EQUAL else X[:, j] <= cut if kind == BELOW else X[:, j] > cut
    return rule


def depths_by_the_book(ranks, rows, draft):
    """How many of the leading conditions each row meets."""
    met = np.ones(len(rows), bool)
    depth = np.zeros(len(rows), int)
    for j, low, high in zip(draft.column, draft.low, draft.high):
        met &= (ranks[j, rows] >= low) & (ranks[j, rows] <= high)
        depth += met
    return depth


def mixed_table(seed, n, levels=6, with_missing=0.0, weighted=False):
    """Two columns of numbers (one with many ties), one of categories, labels that depend on all of them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, levels, n), rng.integers(0, 3, n), rng.normal(size=n)]
    ).astype(float)
    positive = (X[:, 0] + (X[:, 1] > levels / 2) - (X[:, 2] == 1) + rng.normal(size=n) > 0.5).astype(bool)
    X[rng.random(X.shape) < with_missing] = np.nan
    w = rng.integers(1, 5, n) / 4 if weighted else None
    schema = Schema([Column("a"), Column("b"), Column("c", "nominal", ("u", "v", "w")), Column("d")])
    return X, positive, w, schema


def grown(X, positive, w, schema, *, min_positive=0.0, most=None, **settings):
    table = RankedTable(X, schema, w, **settings)
    rows = ClassRows(table, np.arange(len(X)), positive)
    return table, rows, rows.grow(rows.state(np.arange(len(X))), None, min_positive, most)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 90),
    with_missing=st.sampled_from([0.0, 0.3]),
    weighted=st.booleans(),
    correction=st.sampled_from([0.0, 1.0]),
    min_positive=st.sampled_from([0.0, 2.0]),
)
def test_the_kernel_grows_the_rule_of_the_book(seed, n, with_missing, weighted, correction, min_positive):
    X, positive, w, schema = mixed_table(seed, n, with_missing=with_missing, weighted=weighted)
    table, _, draft = grown(X, positive, w, schema, correction=correction, min_positive=min_positive)
    twin = rule_by_the_book(
        X, positive, np.ones(n) if w is None else w, [False, False, True, False], min_positive, correction
    )
    assert list(draft.column) == [j for j, _, _ in twin]
    assert list(draft.kind) == [kind for _, kind, _ in twin]
    ours = [low if kind == EQUAL else cut for kind, low, cut in zip(draft.kind, draft.low, draft.cut)]
    assert ours == [cut for _, _, cut in twin]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [6, 3000])
def test_stretches_that_are_passed_over_hold_no_better_cut(weighted, levels):
    """Thousands of rows: the native code looks closely at a few stretches only."""
    for seed in range(3):
        X, positive, w, schema = mixed_table(seed, 1500, levels=levels, with_missing=0.05, weighted=weighted)
        _, _, draft = grown(X, positive, w, schema, most=2)
        twin = rule_by_the_book(
            X, positive, np.ones(len(X)) if w is None else w, [False, False, True, False], most=2
        )
        assert [(j, k) for j, k, _ in twin] == list(zip(draft.column, draft.kind))
        assert [c for _, k, c in twin if k != EQUAL] == [
            c for k, c in zip(draft.kind, draft.cut) if k != EQUAL
        ]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    with_missing=st.sampled_from([0.0, 0.3]),
    midpoint=st.booleans(),
    weighted=st.booleans(),
)
def test_ranks_numbers_and_conditions_cover_the_same_rows(seed, with_missing, midpoint, weighted):
    X, positive, w, schema = mixed_table(seed, 120, with_missing=with_missing, weighted=weighted)
    table, rows, draft = grown(X, positive, w, schema, midpoint=midpoint, most=4)
    covered = np.ones(len(X), bool)
    for condition in table.conditions(draft):
        covered &= condition.covers(X)
    assert_array_equal(rows.covers(draft), covered)
    among = np.arange(0, 120, 2)
    depth, w = depths_by_the_book(table.ranks, among, draft), np.ones(120) if w is None else w
    p, n = rows.prefix_counts(draft, among)
    assert_array_equal(p, [w[among[positive[among] & (depth >= m)]].sum() for m in range(len(draft) + 1)])
    assert_array_equal(n, [w[among[~positive[among] & (depth >= m)]].sum() for m in range(len(draft) + 1)])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), with_missing=st.sampled_from([0.0, 0.2]))
def test_a_row_of_weight_two_is_two_rows_while_growing(seed, with_missing):
    X, positive, _, schema = mixed_table(seed, 70, with_missing=with_missing)
    times = np.random.default_rng(seed).integers(1, 4, 70)
    weighed = grown(X, positive, times.astype(float), schema, min_positive=2)
    repeated = grown(np.repeat(X, times, axis=0), np.repeat(positive, times), None, schema, min_positive=2)
    assert weighed[0].words(weighed[2]) == repeated[0].words(repeated[2])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_cuts_at_values_do_not_depend_on_the_scale_of_numbers(seed):
    X, positive, w, schema = mixed_table(seed, 80)
    bent = X.copy()
    bent[:, [0, 1, 3]] = np.exp(X[:, [0, 1, 3]])
    _, rows, plain = grown(X, positive, w, schema, midpoint=False)
    _, others, curved = grown(bent, positive, w, schema, midpoint=False)
    assert_array_equal(rows.covers(plain), others.covers(curved))
    assert_array_equal(plain.low, curved.low)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_of_many_categories(weighted):
    rng = np.random.default_rng(4)
    code = np.minimum(rng.geometric(0.01, 3000) - 1, 399)
    positive = rng.random(3000) < rng.random(400)[code]
    w = rng.integers(1, 5, 3000) / 4 if weighted else np.ones(3000)
    schema = Schema([Column("town", "nominal", tuple(range(400)))])
    _, _, draft = grown(code[:, None].astype(float), positive, w if weighted else None, schema)
    twin = rule_by_the_book(code[:, None].astype(float), positive, w, [True])
    assert [(0, EQUAL, float(draft.low[0]))] == twin


def test_a_cut_lies_between_its_neighbours_whatever_the_numbers():
    for a, b in [(1.0, np.nextafter(1.0, 2)), (-1.7e308, 1.7e308), (1.6e308, 1.7e308), (0.0, 5e-324)]:
        X = np.array([[a], [b]])
        for positive in ([True, False], [False, True]):
            _, rows, draft = grown(X, np.array(positive), None, Schema.numeric(1))
            assert a <= draft.cut[0] < b
            assert_array_equal(rows.covers(draft), positive)


def test_cuts_have_no_digits_that_only_rounding_made():
    assert (0.07 + 0.08) / 2 != 0.075
    table, _, draft = grown(np.array([[0.07], [0.08]]), np.array([True, False]), None, Schema.numeric(1))
    assert table.words(draft) == "x0 <= 0.075"


def test_a_rule_ends_where_nothing_can_be_gained():
    X = np.zeros((6, 2))
    _, rows, draft = grown(X, np.arange(6) < 3, None, Schema.numeric(2))  # equal rows, two classes
    assert len(draft) == 0 and rows.covers(draft).all()
    _, rows, draft = grown(np.full((4, 1), np.nan), np.arange(4) < 2, None, Schema.numeric(1))
    assert len(draft) == 0
    _, rows, draft = grown(
        np.arange(4.0)[:, None], np.ones(4, bool), None, Schema.numeric(1)
    )  # nothing to tell
    assert len(draft) == 0


def test_missing_values_meet_no_condition():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    _, rows, draft = grown(X, np.array([True, False, True, True]), None, Schema.numeric(1))
    assert_array_equal(rows.covers(draft), [True, False, False, False])


def test_most_and_min_positive_end_the_growth():
    X, positive, w, schema = mixed_table(7, 300)
    _, rows, whole = grown(X, positive, w, schema)
    assert len(whole) > 3
    for most in (0, 1, 3):
        _, _, short = grown(X, positive, w, schema, most=most)
        assert len(short) == most
        assert_array_equal(short.cut, whole.cut[:most])
    _, rows, wide = grown(X, positive, w, schema, min_positive=20)
    assert 0 < len(wide) < len(whole)
    assert np.count_nonzero(rows.covers(wide) & positive) >= 20


# ------------------------------------------------------------------ oracles


@pytest.mark.capability("IML-9-26")
def test_first_conditions_of_the_charity_donors():
    """Greedy by FOIL gain: Salary > 55500 for donors; Salary <= 46000, gain 4.550014, for the others."""
    for label, words, gain in [("Y", "Salary > 55500", 4.372346), ("N", "Salary <= 46000", 4.550014)]:
        positive = np.asarray(CHARITY.y) == label
        table, rows, draft = grown(CHARITY.X.values, positive, None, CHARITY.X.schema)
        assert table.words(draft).lower() == words.lower()
        native = _growth.grow(
            order=table.order,
            state=rows.state(np.arange(11)),
            w=np.empty(0),
            logs=table._logs,
            nominal=table.nominal,
            start=table.start,
            values=table.values,
            scratch=np.empty(22, np.uint64),
            min_positive=0.0,
            max_conditions=9,
            c=0.0,
            midpoint=True,
        )
        assert_allclose(native[5], [gain], atol=5e-7)


@pytest.mark.capability("IML-9-28", "DC-55")
def test_last_conditions_are_dropped_by_the_value_on_the_pruning_rows():
    """Hand-made: prefixes cover (10, 10), (7, 3), (3, 2), (1, 0) pruning rows; (p - n)/(p + n) is 0, 0.4, 0.2, 1."""
    p, n = np.array([10, 7, 3, 1]), np.array([10, 3, 2, 0])
    assert_allclose(rule_value(p, n), [0, 0.4, 0.2, 1])
    assert rule_value(7, 3) == 0.4
    assert best_prefix(rule_value(p, n)) == 3
    assert best_prefix(rule_value(p[:3], n[:3])) == 1
    assert best_prefix(irep_value(p, n, 10, 10)) == 1  # IREP's (p + N - n)/(P + N): 0.5, 0.7, 0.55, 0.55
    assert best_prefix([0.0, 0.0]) == 0  # equal values: the shortest


@pytest.mark.capability("DC-55")
def test_counts_of_prefixes_of_the_charity_rule():
    """{} covers 6 and 5, Age > 50 covers 5 and 1, Age > 50 and Salary > 50000 covers 5 and 0 (book, Fig. 10.5)."""
    table = RankedTable(CHARITY.X.values, CHARITY.X.schema)
    age, salary = [list(map(str.lower, CHARITY.X.schema.names)).index(name) for name in ("age", "salary")]
    rows = ClassRows(table, np.arange(11), np.asarray(CHARITY.y) == "Y")
    one = rows.grow(rows.state(np.arange(11)))
    ranks = [
        np.count_nonzero(np.unique(CHARITY.X.values[:, j]) <= cut) for j, cut in [(age, 50), (salary, 50000)]
    ]
    draft = type(one)(
        np.array([age, salary], np.int32),
        np.array([ABOVE, ABOVE], np.int32),
        np.array(ranks, np.int32),
        np.array([10, 10], np.int32),
        np.array([50.0, 50000.0]),
    )
    p, n = rows.prefix_counts(draft, np.arange(11))
    assert_array_equal(p, [6, 5, 5])
    assert_array_equal(n, [5, 1, 0])
    assert best_prefix(rule_value(p, n)) == 2
    assert table.words(draft).lower() == "age > 50 and salary > 50000"


# ------------------------------------------------------------------ splits


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 200), share=st.floats(0.05, 0.95), seed=st.integers(0, 2**40))
def test_a_split_takes_its_share_of_either_side_exactly(n, share, seed):
    rng = np.random.default_rng(n)
    positive = rng.random(2 * n) < 0.3
    among = np.sort(rng.choice(2 * n, n, replace=False))
    table = RankedTable(rng.normal(size=(2 * n, 1)), Schema.numeric(1))
    rows = ClassRows(table, np.arange(2 * n), positive)
    state, held = rows.split(among, share, seed)
    P = np.count_nonzero(positive[among])
    assert np.count_nonzero(positive[held]) == min(round(share * P), max(P - 1, 0))
    assert np.count_nonzero(~positive[held]) == round(share * (n - P))
    kept = np.setdiff1d(among, held)
    assert_array_equal(np.flatnonzero(state), kept)
    assert_array_equal(state[kept], 1 + positive[kept])


def test_every_row_is_as_likely_to_be_held_out():
    """12 of 36 rows, 4000 times: each 1333 times on average, standard deviation 30."""
    positive = np.arange(36) < 18
    rows = ClassRows(RankedTable(np.zeros((36, 1)), Schema.numeric(1)), np.arange(36), positive)
    times, pairs = np.zeros(36), 0
    for seed in range(4000):
        _, held = rows.split(np.arange(36), 1 / 3, 7919 * seed)
        times[held] += 1
        pairs += np.isin([0, 1], held).all()
    assert np.abs(times - 4000 / 3).max() < 5 * 30
    assert abs(pairs - 4000 * (6 * 5) / (18 * 17)) < 5 * math.sqrt(
        4000 * 0.098 * 0.902
    )  # not bound to neighbours


def test_narrowed_columns_are_the_sorted_columns_without_the_others():
    X, positive, w, schema = mixed_table(3, 60, with_missing=0.2)
    table = RankedTable(X, schema)
    rows = np.arange(0, 60, 3)
    narrow = table.narrowed(table.order, rows)
    for j in range(4):
        whole = table.order[j]
        assert_array_equal(narrow[j], whole[np.isin(whole & 0xFFFFFFFF, rows)])
    assert table.narrowed(table.order, np.arange(55)) is table.order


def test_kernels_refuse_arrays_that_do_not_fit():
    X, positive, _, schema = mixed_table(0, 20)
    table, rows, draft = grown(X, positive, None, schema)
    with pytest.raises(ValueError, match="columns"):
        _growth.grow(
            order=table.order,
            state=rows.state(np.arange(20)),
            w=np.empty(0),
            logs=table._logs,
            nominal=table.nominal[:2],
            start=table.start,
            values=table.values,
            scratch=table._scratch,
            min_positive=0.0,
            max_conditions=9,
            c=0.0,
            midpoint=True,
        )
    with pytest.raises(ValueError, match="shapes"):
        _growth.grow(
            order=table.order,
            state=rows.state(np.arange(20)),
            w=np.empty(0),
            logs=table._logs,
            nominal=table.nominal,
            start=table.start,
            values=table.values,
            scratch=table._scratch[:3],
            min_positive=0.0,
            max_conditions=9,
            c=0.0,
            midpoint=True,
        )
    with pytest.raises(ValueError, match="column"):
        nine, none = np.array([9], np.int32), np.zeros(1, np.int32)
        _growth.covers(table.ranks, np.arange(20), nine, none, none, np.empty(20, np.uint8))
    with pytest.raises(ValueError, match="shapes"):
        _growth.prefix_counts(
            ranks=table.ranks,
            rows=rows.rows,
            among=rows.rows,
            positive=rows.flags,
            w=rows.weights,
            column=draft.column,
            low=draft.low,
            high=draft.high,
            counts=np.empty((2, 3)),
        )
    with pytest.raises(ValueError, match="rows"):
        _growth.narrow(table.order, np.zeros(20, np.uint8), np.empty((4, 3), np.uint64))
