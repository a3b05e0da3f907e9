"""PART: Weka's lists on real tables, a recursive twin of the partial tree, and what it does where data are odd."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import assay.rules.from_trees._partial_tree as _partial_tree
from assay.errors import DataError
from assay.rules.from_trees.part_classifier import PartClassifier
from assay.tables import Column, Schema, Table
from assay.tables.data import (
    load_breast_cancer,
    load_breast_cancer_ljubljana,
    load_contact_lenses,
    load_german_credit,
    load_iris,
    load_weather,
    load_wine,
)
from assay.trees.multiway import SplitRules, root_offers
from assay.trees.pruning import upper_errors

# Peer: PART of Weka 3.6.14, defaults, on the same tables: rules with the default, and training rows that are right.
WEKA = {
    "weather": (lambda: load_weather(numeric=False), 3, 12),
    "weather with numbers": (load_weather, 4, 12),
    "lenses": (load_contact_lenses, 4, 22),
    "iris": (load_iris, 3, 146),
    "wine": (load_wine, 5, 176),
    "breast cancer": (load_breast_cancer, 7, 565),
    "credit": (load_german_credit, 78, 897),
}


@pytest.mark.parametrize("name", WEKA)
def test_as_many_rules_and_as_many_right_as_weka(name):
    """Not compared: missing values, where Weka's rules cover rows in part and ours as a whole or not at all."""
    load, rules, right = WEKA[name]
    data = load()
    model = PartClassifier().fit(data.X, data.y)
    assert model.n_rules_ + 1 == rules
    assert int((model.predict(data.X) == data.y).sum()) == right


@pytest.mark.parametrize(
    ("settings", "rules", "right"),
    [
        ({"pruning": None}, 158, 984),
        ({"nominal": "one-vs-rest"}, 89, 959),
        ({"confidence": 0.05}, 57, 870),
    ],
)
def test_as_weka_with_other_settings(settings, rules, right):
    """Peer: PART -U, -B and -C 0.05 of Weka 3.6.14 on the German credit data."""
    credit = load_german_credit()
    model = PartClassifier(**settings).fit(credit.X, credit.y)
    assert (model.n_rules_ + 1, int((model.predict(credit.X) == credit.y).sum())) == (rules, right)


def test_the_lists_of_small_tables_in_words():
    """As Weka prints them."""
    lenses, iris = load_contact_lenses(), load_iris()
    assert str(PartClassifier().fit(lenses.X, lenses.y)).splitlines() == [
        "R1: IF tear-prod-rate = 'reduced' THEN none",
        "R2: IF astigmatism = 'no' THEN soft",
        "R3: IF spectacle-prescrip = 'myope' THEN hard",
        "ELSE none",
    ]
    assert str(PartClassifier().fit(iris.X, iris.y)).splitlines() == [
        "R1: IF petal width (cm) <= 0.6 THEN setosa",
        "R2: IF petal width (cm) <= 1.7 AND petal length (cm) <= 4.9 THEN versicolor",
        "ELSE virginica",
    ]


def best_leaf_by_the_book(X, n_categories, y, K, rules, prune):
    """(path, leaf?, size, errors) of the best leaf of a partial tree: recursion in the words of the paper."""
    counts = np.bincount(y, minlength=K).astype(float)
    n, e = counts.sum(), counts.sum() - counts.max()
    leaf = ([], True, n, float(upper_errors(n, e)))
    if e == 0 or n < 2 * rules.min_leaf:
        return leaf
    offers = root_offers(X, n_categories, y, None, K, rules)
    many = [r + 1e-6 >= 0.3 * best_leaf_by_the_book.n for r in n_categories]
    whole = all(r and m for r, m in zip(n_categories, many))
    gains = [o.gain for o, r, m in zip(offers, n_categories, many) if o and not (r and m and not whole)]
    if not gains:
        return leaf
    best, j = 1e-6, -1
    for at, o in enumerate(offers):
        if o and o.gain >= np.mean(gains) - 1e-3 and o.ratio > best:
            best, j = o.ratio + 1e-6, at
    if j < 0:
        return leaf
    side = X[:, j].astype(int) if n_categories[j] else (X[:, j] > offers[j].threshold).astype(int)
    parts = [np.flatnonzero(side == b) for b in range(offers[j].branches)]

    def entropy(rows):
        p = np.bincount(y[rows], minlength=K) / len(rows)
        return -(p[p > 0] * np.log2(p[p > 0])).sum()

    enough = [b for b, rows in enumerate(parts) if len(rows) >= max(rules.min_leaf, 1)]
    order = sorted(enough, key=lambda b: (max(round(entropy(parts[b]), 6), 0), b))
    seen = {}
    for b in order:
        seen[b] = best_leaf_by_the_book(X[parts[b]], n_categories, y[parts[b]], K, rules, prune)
        if not seen[b][1]:
            break
    if all(s[1] for s in seen.values()) and len(seen) == len(order):
        small = [
            np.bincount(y[rows], minlength=K) for b, rows in enumerate(parts) if b not in seen and len(rows)
        ]
        errors = sum(s[3] for s in seen.values())
        errors += sum(float(upper_errors(c.sum(), c.sum() - c.max())) for c in small)
        if prune and leaf[3] <= errors + 0.1 + 1e-6:
            return leaf
    chosen = min(seen, key=lambda b: (-seen[b][2], b))
    return ([(j, chosen), *seen[chosen][0]], False, seen[chosen][2], 0.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers(2, 4), st.booleans(), st.integers(0, 10**6))
def test_the_kernel_finds_the_leaf_of_the_book(n, K, prune, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 8, n), rng.integers(0, 2, n)]).astype(float)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, K, n), (X[:, 0] + X[:, 1] > 4).astype(int))
    schema = Schema(
        [Column("a", "nominal", ("p", "q", "r")), Column("b"), Column("c", "nominal", ("s", "t"))]
    )
    rules = SplitRules(
        "gain_ratio", average=True, correction=True, tenth=True, useless=False, min_leaf=2, tolerance=1e-6
    )
    classes, y = np.unique(y, return_inverse=True)
    best_leaf_by_the_book.n = n
    path, _, size, _ = best_leaf_by_the_book(X, schema.category_counts(), y, len(classes), rules, prune)
    model = PartClassifier(pruning="error-based" if prune else None).fit(Table(X, schema, True), y)
    if not path:
        assert model.n_rules_ == 0
        return
    first = model.rules_[0]
    assert first.n == size
    assert [c.column for c in first.conditions] == list(dict.fromkeys(j for j, _ in path))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 50), st.integers(0, 10**6))
def test_rows_that_stay_keep_their_order(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, n)
    order = np.argsort(x, kind="stable")
    lists = (x[order].astype(np.uint64) << np.uint64(32) | order.astype(np.uint64))[None]
    codes, kept = rng.integers(0, 3, (2, n)).astype(np.int32), rng.integers(0, 2, n).astype(np.uint8)
    m = int(kept.sum())
    out, left = np.empty((1, m), np.uint64), np.empty((2, m), np.int32)
    _partial_tree.keep(lists, codes, kept, out, left)
    assert_array_equal(left, codes[:, kept > 0])
    y = x[kept > 0]
    entries = (out[0] & np.uint64(0xFFFFFFFF)).astype(int)
    assert_array_equal(y[entries], out[0] >> np.uint64(32))
    assert sorted(entries) == list(range(m)) and (np.diff(y[entries]) >= 0).all()


@pytest.mark.parametrize(
    "settings", [{}, {"nominal": "one-vs-rest"}, {"threshold": "midpoint"}, {"pruning": None}]
)
@pytest.mark.parametrize("load", [load_german_credit, load_breast_cancer_ljubljana, load_wine])
def test_rules_cover_rows_as_they_were_counted(load, settings):
    data = load()
    model = PartClassifier(**settings).fit(data.X, data.y)
    first = model.rules_.firing(data.X)
    counts = np.bincount(first[first >= 0], minlength=model.n_rules_)
    assert_array_equal(counts, [rule.n for rule in model.rules_])
    assert (counts > 0).all()
    assert all(rule.correct == max(rule.counts) for rule in model.rules_)


def test_pruning_shortens_the_list():
    credit = load_german_credit()
    size = {
        name: PartClassifier(pruning=p, confidence=c, random_state=0).fit(credit.X, credit.y).n_rules_
        for name, p, c in [("none", None, 0.25), ("some", "error-based", 0.25), ("more", "error-based", 0.01)]
    }
    assert size["none"] > size["some"] > size["more"]
    held = PartClassifier(pruning="reduced-error", random_state=0).fit(credit.X, credit.y)
    assert 0 < held.n_rules_ < size["none"]
    again = PartClassifier(pruning="reduced-error", random_state=0).fit(credit.X, credit.y)
    assert str(held) == str(again)


def test_held_out_rows_decide_what_is_pruned():
    """Noise that the growing rows happen to show is not borne out by rows that were held out."""
    rng = np.random.default_rng(0)
    schema = Schema([Column(f"x{j}", "nominal", tuple("pqrst")) for j in range(5)])
    X, y = Table(rng.integers(0, 5, (600, 5)).astype(float), schema, True), rng.integers(0, 2, 600)
    believing = PartClassifier(pruning=None).fit(X, y).n_rules_
    assert PartClassifier(pruning="reduced-error", random_state=0).fit(X, y).n_rules_ < believing / 3


def test_weights_are_repeated_rows():
    iris = load_iris()
    w = np.random.default_rng(1).integers(1, 4, len(iris.y))
    values = iris.X.values
    weighted = PartClassifier().fit(values, iris.y, sample_weight=w.astype(float))
    repeated = PartClassifier().fit(np.repeat(values, w, axis=0), np.repeat(iris.y, w))
    assert str(weighted) == str(repeated)


def test_missing_values_meet_no_rule():
    X = np.column_stack([np.repeat([0.0, 1.0], 20), np.arange(40.0)])
    X[::7, 0] = np.nan
    y = np.repeat(["a", "b"], 20)
    model = PartClassifier().fit(X, y)
    assert model.rules_.firing([[np.nan, np.nan]])[0] == -1
    assert np.isfinite(model.predict_proba(X)).all() and model.score(X, y) >= 0.9
    empty = PartClassifier().fit(np.column_stack([np.full(40, np.nan), X[:, 1]]), y)
    assert empty.score(np.column_stack([np.full(40, np.nan), X[:, 1]]), y) == 1.0


def test_odd_tables():
    assert PartClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[3.0]])[0] == "a"
    assert PartClassifier().fit([[1.0]], ["a"]).n_rules_ == 0
    constant = PartClassifier().fit(np.ones((6, 2)), list("aaabbb"))
    assert constant.n_rules_ == 0 and constant.predict([[1, 1]])[0] == "a"
    many = PartClassifier().fit(np.repeat(np.arange(300.0), 3)[:, None], np.repeat(np.arange(300), 3))
    assert many.score(np.arange(300.0)[:, None], np.arange(300)) > 0.9
    huge = PartClassifier(min_samples_leaf=1).fit([[-1e308]] * 3 + [[1e308]] * 3, list("aaabbb"))
    assert huge.score([[-1e308], [1e308]], ["a", "b"]) == 1.0
    light = PartClassifier().fit([[1.0], [1.0], [2.0], [2.0]], list("aabb"), sample_weight=[1, 1, 0, 0])
    assert light.predict([[2.0]])[0] == "a"


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match="PartClassifier: confidence must be a number above 0"):
        PartClassifier(confidence=0.0).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DataError, match="at most 65535 classes"):
        PartClassifier().fit(np.arange(70000.0)[:, None], np.arange(70000))
