"""OneR: Weka's rules on real tables, its intervals by the book, and what it does where data are odd."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.rules._one_r as _one_r
from assay.rules.one_r_classifier import OneRClassifier
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


def buckets_by_the_book(values, least):
    """values: (K,) class weights of each distinct number, in ascending order."""
    merged = []
    for i, c in enumerate(values):
        if merged and (merged[-1][0].max() < least or c.argmax() == merged[-1][0].argmax()):
            merged[-1] = (merged[-1][0] + c, i)
        else:
            merged.append((c.copy(), i))
    joined = []
    for c, i in merged:
        if joined and joined[-1][0] == c.argmax():
            joined[-1] = (c.argmax(), i)
        else:
            joined.append((c.argmax(), i))
    return [i for _, i in joined], [k for k, _ in joined]


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0, 3.0, 6.0]),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_the_kernel_cuts_as_the_book_does(n, K, least, seed, weighted):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, max(n // 3, 1), n))
    y = rng.integers(0, K, n).astype(np.int32)
    w = rng.integers(1, 5, n) / 2 if weighted else None
    ends = np.append(np.flatnonzero(np.diff(x)) + 1, n)
    last, top = _one_r.buckets(ends, y, w, K, least)
    starts = np.append(0, ends[:-1])
    counts = [
        np.bincount(y[a:b], None if w is None else w[a:b], minlength=K).astype(float)
        for a, b in zip(starts, ends)
    ]
    assert (last.tolist(), top.tolist()) == buckets_by_the_book(counts, least)


# Peer: OneR of Weka 3.6.14 on the same tables: the column, the cuts, and how many training rows are right.
WEKA = {
    "weather": (load_weather, "outlook", None, 10),
    "iris": (load_iris, "petal width (cm)", [0.8, 1.75], 144),
    "lenses": (load_contact_lenses, "tear-prod-rate", None, 17),
    "breast cancer": (load_breast_cancer, "worst radius", [16.32, 16.439999999999998, 16.795], 526),
    "wine": (load_wine, "flavanoids", [0.975, 2.31, 3.745], 148),
    "Ljubljana": (load_breast_cancer_ljubljana, "inv-nodes", None, 208),
    "credit": (
        load_german_credit,
        "credit_amount",
        [
            "718",
            "759.5",
            "883",
            "922",
            "938",
            "979.5",
            "1206.5",
            "1223.5",
            "1263",
            "1282.5",
            "1821.5",
            "1865.5",
            "3913.5",
            "3969",
            "4049.5",
            "4329.5",
            "4726",
            "5024",
            "6322.5",
            "6564",
            "6750",
            "6917.5",
            "7760.5",
            "8109.5",
            "9340.5",
            "10331.5",
            "11191",
        ],
        743,
    ),
}


@pytest.mark.parametrize("name", WEKA)
def test_same_rules_as_weka(name):
    load, column, cuts, right = WEKA[name]
    data = load()
    model = OneRClassifier().fit(data.X, data.y)
    assert model.schema_[model.column_].name == column == model.ranking()[0][0]
    assert int((model.predict(data.X) == data.y).sum()) == right == len(data.y) - model.errors_.min()
    if cuts is not None:
        result = [rule.conditions[0].high for rule in model.rules_][:-1]
        assert_allclose(result, np.array(cuts, float), rtol=1e-15)


def test_weather_in_words():
    weather = load_weather(numeric=False)
    model = OneRClassifier().fit(weather.X, weather.y)
    assert str(model).splitlines()[0] == "R1: IF outlook = 'sunny' THEN no"
    assert [name for name, _, _ in model.ranking()] == ["outlook", "humidity", "temperature", "windy"]
    text = str(model.explain(weather.X)[0])
    assert "outlook = 'sunny'" in text and "humidity" in text


def test_missing_is_a_value_of_its_own():
    X = np.array([[1.0], [1.0], [np.nan], [np.nan], [2.0]])
    model = OneRClassifier(min_bucket_size=1).fit(X, ["a", "a", "b", "b", "a"])
    assert str(model) == "R1: IF x0 is known THEN a\nR2: IF x0 is missing THEN b\nELSE a"
    assert_array_equal(model.predict([[np.nan], [7.0]]), ["b", "a"])
    assert model.errors_[0] == 0


def test_bucket_size_is_met_by_the_most_frequent_class():
    X, y = np.arange(12.0)[:, None], list("aabaabbbbbbb")
    assert OneRClassifier(min_bucket_size=4).fit(X, y).n_rules_ == 2
    assert OneRClassifier(min_bucket_size=1).fit(X, y).n_rules_ == 4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.integers(0, 6, (20, 3)).astype(float), rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    if len(np.unique(y[w > 0])) < len(np.unique(y)) or not w.any():
        return
    weighted = OneRClassifier(min_bucket_size=3).fit(X, y, sample_weight=w.astype(float))
    repeated = OneRClassifier(min_bucket_size=3).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert str(weighted) == str(repeated)
    assert_allclose(weighted.errors_, repeated.errors_, atol=1e-9)


def test_ordered_categories_are_cut_like_numbers():
    schema = Schema([Column("size", "ordinal", ("s", "m", "l", "xl"))])
    table = Table(np.array([[0.0], [1], [2], [3], [3]]), schema, True)
    model = OneRClassifier(min_bucket_size=1).fit(table, ["a", "a", "b", "b", "b"])
    assert str(model) == "R1: IF size <= 'm' THEN a\nR2: IF size > 'm' THEN b\nELSE b"


def test_odd_tables():
    one = OneRClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert_array_equal(one.predict([[5.0]]), ["a"])
    empty = OneRClassifier().fit([[np.nan, 1.0], [np.nan, 1.0]], ["a", "b"])
    assert_allclose(empty.errors_, [1, 1])
    many = OneRClassifier().fit(np.arange(300.0)[:, None], np.arange(300))
    assert many.n_rules_ >= 1 and len(many.classes_) == 300
    huge = OneRClassifier(min_bucket_size=1).fit([[-1.7e308], [1.7e308]], ["a", "b"])
    assert_array_equal(huge.predict([[-1.7e308], [1.7e308]]), ["a", "b"])
    nothing = OneRClassifier().fit([[1.0], [9.0]], ["a", "b"], sample_weight=[1.0, 0.0])
    assert_array_equal(nothing.predict([[9.0]]), ["a"])


def test_refuses_a_negative_bucket():
    with pytest.raises(ValueError, match="OneRClassifier: min_bucket_size must be"):
        OneRClassifier(min_bucket_size=-1).fit([[1.0]], ["a"])
