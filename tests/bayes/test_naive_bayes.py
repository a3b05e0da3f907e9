"""Naive Bayes on mixed tables: families, densities, missing values, blocks in any order, what it shows."""

import copy
from fractions import Fraction as F

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as Peer

from assay.bayes import BernoulliNB, CategoricalNB, GaussianNB, NaiveBayes
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, SchemaWarning
from assay.stats import Bernoulli, Categorical, Density, Gaussian

# C3, Table 3-1.
APPLES = pd.DataFrame(
    [
        ("yellow", "round", "sweet", 190, "Fuji"),
        ("yellow-green", "oblate", "sour-sweet", 260, "Fuji"),
        ("green", "oblate", "sour-sweet", 150, "Guoguang"),
        ("yellow-green", "round", "sweet", 200, "Fuji"),
        ("green", "oblate", "sour-sweet", 210, "Guoguang"),
        ("yellow-green", "oblate", "sour-sweet", 170, "Guoguang"),
        ("yellow", "round", "sour-sweet", 200, "Fuji"),
        ("yellow-green", "oblate", "sour-sweet", 230, "Fuji"),
        ("green", "oblate", "sweet", 180, "Guoguang"),
        ("yellow-green", "oblate", "sour-sweet", 240, "Fuji"),
    ],
    columns=["colour", "shape", "taste", "weight", "variety"],
)
y = APPLES["variety"]
SCALES = pd.DataFrame({"taste": ["sour-sweet"] * 3, "weight": [180.0, 200.0, 220.0]})


def mixed(n, seed=0, with_missing=0.15):
    """A table with a number, text, a bit and missing values; and its classes."""
    rng = np.random.default_rng(seed)
    label = rng.choice(["no", "yes"], n)
    label[:2] = ["no", "yes"]
    shift = label == "yes"
    table = pd.DataFrame(
        {
            "size": rng.normal(100 + 2 * shift, 1.5),
            "tone": np.where(rng.random(n) < 0.3 + 0.4 * shift, "dark", rng.choice(["light", "grey"], n)),
            "flag": (rng.random(n) < 0.2 + 0.5 * shift).astype(float),
        }
    )
    for name in table:
        table.loc[rng.random(n) < with_missing, name] = None if name == "tone" else np.nan
    return table, label


@pytest.mark.capability("C3-09")
def test_taste_and_weight_of_apples():
    model = NaiveBayes(alpha=0, var_smoothing=0).fit(APPLES[["taste", "weight"]], y)
    assert_allclose(model.predict_proba(SCALES)[:, 0], [0.2461462, 0.5893863, 0.8873431], atol=5e-8)
    assert model.families_ == {"taste": "categorical", "weight": "gaussian"}
    assert_allclose(model.theta_.ravel(), [220, 177.5], rtol=1e-12)
    assert_allclose(model.var_.ravel(), [1900 / 3, 468.75], rtol=1e-12)
    likelihoods = model.explain(SCALES.iloc[[0]]).sections[0].rows
    assert likelihoods[0][2:] == [F(3, 5), F(2, 5)] and likelihoods[1][2:] == [F(2, 3), F(3, 4)]
    assert_allclose(likelihoods[2][2], norm.pdf(180, 220, np.sqrt(1900 / 3)), rtol=1e-12)


@pytest.mark.capability("C3-09")
def test_three_families_in_one_model_multiply():
    table, label = mixed(80, with_missing=0)
    model = NaiveBayes(var_smoothing=0).fit(table, label)
    assert model.families_ == {"size": "gaussian", "tone": "categorical", "flag": "bernoulli"}
    parts = [
        GaussianNB(var_smoothing=0).fit(table[["size"]], label).predict_joint_log_proba(table[["size"]]),
        CategoricalNB().fit(table[["tone"]], label).predict_joint_log_proba(table[["tone"]]),
        BernoulliNB().fit(table[["flag"]], label).predict_joint_log_proba(table[["flag"]]),
    ]
    expected = sum(parts) - 2 * np.log(model.class_prior_)
    assert_allclose(model.predict_joint_log_proba(table), expected, rtol=1e-10)


def test_columns_of_counts_alone_are_explained_in_fractions():
    X = APPLES[["colour", "shape", "taste"]]
    query = pd.DataFrame({"colour": ["yellow-green"], "shape": ["oblate"], "taste": ["sour-sweet"]})
    rows = NaiveBayes(alpha=0).fit(X, y).explain(query).sections[1].rows
    assert [row[1:] for row in rows] == [[F(2, 15), F(16, 25)], [F(3, 40), F(9, 25)]]
    assert_allclose(NaiveBayes().fit(X, y).predict_proba(query)[0, 0], 105 / 169, rtol=1e-12)


@pytest.mark.capability("DC-69")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_a_gaussian_plug_in_is_gaussian_naive_bayes(load):
    X, kind = load(return_X_y=True)
    peer = Peer().fit(X, kind).predict_proba(X)
    assert_allclose(NaiveBayes("gaussian").fit(X, kind).predict_proba(X), peer, atol=1e-8)
    plain = Peer(var_smoothing=0).fit(X, kind).predict_proba(X)
    for density in (Gaussian(), Gaussian, lambda: Gaussian()):
        assert_allclose(NaiveBayes(density).fit(X, kind).predict_proba(X), plain, atol=1e-8)
    w = np.random.default_rng(0).uniform(0.1, 3, len(kind))
    plain = Peer(var_smoothing=0).fit(X, kind, w).predict_proba(X)
    assert_allclose(NaiveBayes(Gaussian()).fit(X, kind, w).predict_proba(X), plain, atol=1e-8)
    assert_allclose(
        NaiveBayes("gaussian", var_smoothing=0).fit(X, kind, w).predict_proba(X), plain, atol=1e-8
    )


class Exponential(Density):
    """A density that the library does not have."""

    def __init__(self, rate=1.0):
        self.rate = rate

    def fit(self, x, weights=None):
        self.rate = 1 / np.average(x, weights=weights)
        return self

    def logpdf(self, x):
        return np.log(self.rate) - self.rate * np.asarray(x)

    def sample(self, n, random_state=None):
        return random_state.exponential(1 / self.rate, n)


@pytest.mark.capability("DC-69")
def test_a_density_of_ones_own():
    """Waiting times with means 1 and 4: exponential classes cross at (4/3) ln 4."""
    table = pd.DataFrame({"wait": [0.5, 1.5, 2.0, 6.0], "kind": ["a", "b", "a", "b"]})
    family = Exponential()
    model = NaiveBayes({"wait": family}).fit(table, ["quick", "quick", "slow", "slow"])
    assert family.rate == 1.0  # each class has a copy of its own
    assert [density.rate for density in model.densities_["wait"]] == [1.0, 0.25]
    assert model.families_ == {"wait": "Exponential", "kind": "categorical"}
    crossing = pd.DataFrame({"wait": [4 / 3 * np.log(4)], "kind": [pd.NA]}, dtype=object).astype(
        {"wait": float}
    )
    assert_allclose(model.predict_proba(crossing), [[0.5, 0.5]], rtol=1e-12)
    assert_allclose(model.explain(table.iloc[[0]]).sections[0].rows[1][2], np.exp(-0.5), rtol=1e-12)
    assert "Exponential(rate=0.25)" in str(model)


def test_densities_of_discrete_columns_see_the_columns_own_values():
    X = APPLES[["taste"]]
    density = Categorical(categories=["sour-sweet", "sweet"], alpha=1)
    model = NaiveBayes({"taste": density}).fit(X, y)
    assert_allclose(model.predict_proba(X), CategoricalNB().fit(X, y).predict_proba(X), rtol=1e-12)
    bits = np.array([[0.0], [1], [1], [0]])
    ours = NaiveBayes(Bernoulli(alpha=1)).fit(bits, [0, 0, 1, 1])
    assert_allclose(
        ours.predict_proba(bits), BernoulliNB().fit(bits, [0, 0, 1, 1]).predict_proba(bits), rtol=1e-12
    )


@pytest.mark.filterwarnings(
    "ignore:.*has no entry in class:assay.errors.DegenerateWarning"
)  # of a block so far
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
def test_memory_stream_and_partial_fit_in_any_order_agree(seed, blocks, density):
    table, label = mixed(60, seed)
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.1, 2, 60)
    given = {"families": {"size": Gaussian(floor=1e-6)} if density else "auto", "alpha": 0.5}
    parts = np.array_split(rng.permutation(60), blocks)
    whole = NaiveBayes(**copy.deepcopy(given)).fit(table, label, w)
    stream = NaiveBayes(**given).fit_blocks([(table.iloc[p], label[p], w[p]) for p in parts])
    steps = NaiveBayes(**given)
    for p in parts:
        steps.partial_fit(table.iloc[p], label[p], classes=["no", "yes"], sample_weight=w[p])
    for other in (stream, steps):
        assert other.families_ == whole.families_
        assert_allclose(other.class_prior_, whole.class_prior_, rtol=1e-10)
        assert_allclose(other.theta_, whole.theta_, rtol=1e-10)
        assert_allclose(other.var_, whole.var_, rtol=1e-10)
        for a, b in zip(other.feature_log_prob_, whole.feature_log_prob_):
            assert_allclose(a, b, rtol=1e-10)
        assert_allclose(
            other.predict_joint_log_proba(table), whole.predict_joint_log_proba(table), rtol=1e-10
        )


def joint_by_the_book(table, label, row):
    """log P(k) + the sum over the entries that are there, entry by entry."""
    out = []
    for k in np.unique(label):
        total = np.log(np.mean(label == k))
        for name, value in row.items():
            if pd.isna(value):
                continue
            column = table[name].dropna()
            own = column[label[column.index] == k]
            if name == "size":
                total += norm.logpdf(value, own.mean(), own.std(ddof=0))
            else:
                total += np.log(((own == value).sum() + 1) / (len(own) + column.nunique()))
        out.append(total)
    return out


def test_missing_values_are_left_out_in_learning_and_in_predicting():
    table, label = mixed(100, seed=4, with_missing=0.3)
    model = NaiveBayes(var_smoothing=0).fit(table, label)
    joint = model.predict_joint_log_proba(table)
    for i in range(100):
        assert_allclose(joint[i], joint_by_the_book(table, label, table.iloc[i]), rtol=1e-10)
    frame = pl.from_pandas(table)
    again = NaiveBayes(var_smoothing=0).fit(frame, label)
    assert_allclose(again.predict_joint_log_proba(frame), joint, rtol=1e-12)
    empty = pd.DataFrame({"size": [np.nan], "tone": pd.Series([None], dtype="str"), "flag": [np.nan]})
    assert_allclose(model.predict_proba(empty), [model.class_prior_], rtol=1e-12)
    assert "Left out, since missing: size, tone, flag" in str(model.explain(empty))


def test_a_column_of_missing_values_alone_is_ignored():
    table, label = mixed(50, with_missing=0)
    empty = table.assign(void=np.nan, ghost=pd.Series([None] * 50, dtype="str"))
    model = NaiveBayes().fit(empty, label)
    assert model.families_["void"] == "none"
    assert_array_equal(model.predict_proba(empty), NaiveBayes().fit(table, label).predict_proba(table))
    assert "Left out (all missing, or constant): void" in str(model)
    dense = NaiveBayes({"void": Gaussian()}).fit(empty, label)
    assert dense.families_["void"] == "none"


def test_unseen_categories_and_impossible_codes_are_missing():
    table, label = mixed(50, with_missing=0)
    model = NaiveBayes().fit(table, label)
    known = table.iloc[[0]].assign(tone=pd.Series([None], dtype="str"), flag=np.nan)
    with pytest.warns(SchemaWarning) as told:
        strange = model.predict_proba(table.iloc[[0]].assign(tone="pink", flag=0.5))
    assert_allclose(strange, model.predict_proba(known), rtol=1e-12)
    assert sorted(str(w.message).split(": ")[1][:13] for w in told) == ["column 'tone'", "column flag h"]


def test_a_class_without_entries_or_variance_takes_them_from_all():
    X = np.array([[1.0, 5.0], [2.0, 6.0], [np.nan, 7.0], [np.nan, 7.0]])
    with pytest.warns(DegenerateWarning) as told:
        model = NaiveBayes(var_smoothing=0).fit(X, [0, 0, 1, 1])
    assert ["no entry in class 1" in str(w.message) for w in told] == [True, False]
    assert ["variance 0 in class 1" in str(w.message) for w in told] == [False, True]
    assert_allclose(model.theta_[1], [1.5, 7.0])
    assert_allclose(model.var_[1], [0.25, np.var([5, 6, 7, 7])])
    with pytest.warns(DegenerateWarning, match="column x0 has no entry in class 1"):
        NaiveBayes({0: Gaussian()}).fit(X, [0, 0, 1, 1])


def test_constant_columns_one_class_and_weights_of_zero():
    constant = NaiveBayes("gaussian").fit([[3.0], [3.0], [3.0]], [0, 0, 1])
    assert constant.families_ == {"x0": "none"}
    assert_allclose(constant.predict_proba([[3.0], [9.0]]), [[2 / 3, 1 / 3]] * 2, rtol=1e-12)
    assert_array_equal(NaiveBayes().fit([[1.0], [2.5]], ["a", "a"]).predict_proba([[9.0]]), [[1]])
    table, label = mixed(50)
    w = np.r_[np.ones(40), np.zeros(10)]
    weighted, fewer = (
        NaiveBayes(var_smoothing=0).fit(table, label, w),
        NaiveBayes(var_smoothing=0).fit(table[:40], label[:40]),
    )
    assert_allclose(weighted.predict_proba(table), fewer.predict_proba(table), rtol=1e-10)
    # A weight of 2 counts a row twice.
    twice = NaiveBayes(var_smoothing=0).fit(pd.concat([table, table[:20]]), np.r_[label, label[:20]])
    heavy = NaiveBayes(var_smoothing=0).fit(table, label, np.r_[np.full(20, 2.0), np.ones(30)])
    assert_allclose(heavy.predict_joint_log_proba(table), twice.predict_joint_log_proba(table), rtol=1e-10)


@pytest.mark.capability("C3-06", "BC-43")
def test_zero_evidence_is_reported_or_raised():
    X, label = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]), [1, 1, 0, 0]
    model = NaiveBayes(alpha=0).fit(X, label)
    with pytest.warns(DegenerateWarning, match="prior is given instead"):
        assert_allclose(model.predict_proba([[0, 0]]), [[0.5, 0.5]])
    with pytest.raises(DegenerateError, match="probability zero under every class"):
        NaiveBayes(alpha=0, zero_evidence="raise").fit(X, label).predict_proba([[0, 0]])


def test_priors_can_be_given():
    table, label = mixed(60)
    even, tilted = (
        NaiveBayes(priors=[1 - p, p]).fit(table, label).predict_log_proba(table) for p in (0.5, 0.9)
    )
    assert_allclose(np.diff(tilted) - np.diff(even), np.full((60, 1), np.log(9)), rtol=1e-8)


@pytest.mark.parametrize(
    ("families", "error", "message"),
    [
        ("poisson", ParameterError, "families must be one of"),
        ({"weight": 3}, ParameterError, "families must be one of"),
        ({"height": "gaussian"}, ParameterError, "families names 'height'. Columns: colour, weight"),
        (
            {"colour": "gaussian"},
            ParameterError,
            "column 'colour' holds 3 categories, so it cannot be gaussian",
        ),
        ({"colour": "bernoulli"}, ParameterError, "cannot be bernoulli"),
        ({"weight": "bernoulli"}, DataError, "weight is declared bernoulli and holds other numbers"),
        (
            {"weight": "categorical"},
            DataError,
            "weight is declared categorical and holds 1 numbers that are not whole",
        ),
    ],
)
def test_families_that_do_not_fit_are_refused(families, error, message):
    table = APPLES[["colour", "weight"]].astype({"weight": float})
    table.loc[0, "weight"] += 0.5
    with pytest.raises(error, match=message):
        NaiveBayes(families).fit(table, y)


def test_codes_can_be_declared_categorical():
    codes = np.array([[0.0], [2], [2], [1]])
    ours = NaiveBayes("categorical").fit(codes, [0, 0, 1, 1])
    assert_allclose(
        ours.predict_proba(codes), CategoricalNB().fit(codes, [0, 0, 1, 1]).predict_proba(codes), rtol=1e-12
    )
    with pytest.warns(
        SchemaWarning, match="column x0 held whole numbers from 0 to 2 in fit, and has 7 in row 1"
    ):
        assert_allclose(ours.predict_proba([[7]]), [[0.5, 0.5]])
    with pytest.raises(DataError, match="categorical and holds -1"):
        NaiveBayes("categorical").fit([[-1.0], [0]], [0, 1])


def test_the_model_prints_its_tables_in_the_columns_own_names():
    model = NaiveBayes(alpha=0, var_smoothing=0).fit(APPLES[["taste", "weight"]], y)
    assert model.tables_["weight"]["Fuji"]["mean"] == pytest.approx(220)
    assert model.tables_["taste"]["Guoguang"]["sweet"] == pytest.approx(0.25)
    text = str(model)
    assert "taste (categorical)" in text and "weight (gaussian)" in text and "Guoguang" in text
    assert str(NaiveBayes(alpha=2)) == "NaiveBayes(alpha=2)"


def test_a_late_category_and_a_late_number_change_the_family():
    model = NaiveBayes().partial_fit([["b", 0.0], ["b", 1.0]], [0, 1], classes=[0, 1])
    assert model.families_ == {"x0": "categorical", "x1": "bernoulli"}
    model.partial_fit([["a", 2.0], ["b", 3.0]], [1, 0])
    assert model.families_ == {"x0": "categorical", "x1": "gaussian"}
    whole = NaiveBayes().fit([["b", 0.0], ["b", 1.0], ["a", 2.0], ["b", 3.0]], [0, 1, 1, 0])
    rows = [["a", 1.5], ["b", 0.5]]
    assert_allclose(model.predict_proba(rows), whole.predict_proba(rows), rtol=1e-10)
    density = NaiveBayes({"x0": Categorical(categories=["a", "b", "c"], alpha=1)})
    density.partial_fit([["b"], ["c"]], [0, 1], classes=[0, 1]).partial_fit([["a"], ["b"]], [1, 0])
    assert_allclose(density.densities_["x0"][0].p, [1 / 5, 3 / 5, 1 / 5])


@pytest.mark.capability("IML-5-23")
def test_columns_are_ranked_by_mutual_information():
    """Class and a: the class itself, ln 2; b: independent, 0; c: nearly the class; z: a Gaussian gap."""
    table = pd.DataFrame(
        {
            "b": ["u", "v"] * 4,
            "a": ["p"] * 4 + ["q"] * 4,
            "c": ["p"] * 3 + ["q"] * 5,
            "z": [0, 1.5, 0, 1.5, 1, 2.5, 1, 2.5],
        }
    )
    ranked = NaiveBayes().fit(table, [0] * 4 + [1] * 4).informativeness()
    assert list(ranked) == ["a", "c", "z", "b"]
    assert ranked["a"] == pytest.approx(np.log(2)) and ranked["b"] == pytest.approx(0, abs=1e-12)
    p = np.array([[3, 1], [0, 4]]) / 8
    outer = p.sum(axis=1, keepdims=True) * p.sum(axis=0)
    expected = np.sum(p[p > 0] * np.log(p[p > 0] / outer[p > 0]))
    assert ranked["c"] == pytest.approx(expected, rel=1e-12)


def test_a_density_is_ranked_by_its_rows():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 4000)
    X = rng.normal(3.0 * label[:, None], 1.0, (4000, 1))
    by_moments = NaiveBayes().fit(X, label).informativeness()["x0"]
    by_rows = NaiveBayes(Gaussian()).fit(X, label).informativeness()["x0"]
    assert by_rows == pytest.approx(by_moments, abs=0.01)


def test_rows_drawn_from_the_model_lead_back_to_it():
    table, label = mixed(300)
    model = NaiveBayes().fit(table, label)
    X, kind = model.sample(30_000, random_state=0)
    again = NaiveBayes().fit(X, kind)
    assert again.families_ == model.families_
    assert_allclose(again.class_prior_, model.class_prior_, atol=0.01)
    assert_allclose(again.theta_, model.theta_, atol=0.05)
    assert_allclose(again.var_, model.var_, atol=0.1)
    for a, b in zip(again.feature_log_prob_, model.feature_log_prob_):
        assert_allclose(np.exp(a), np.exp(b), atol=0.02)
    numbers = (
        NaiveBayes().fit(*load_iris(return_X_y=True)).sample(7, random_state=np.random.default_rng(1))[0]
    )
    assert isinstance(numbers, np.ndarray) and numbers.shape == (7, 4)
    waits = NaiveBayes({"w": Exponential()}).fit(pd.DataFrame({"w": [1.0, 2.0, 8.0, 9.0]}), [0, 0, 1, 1])
    assert waits.sample(100, random_state=0)[0]["w"].min() >= 0


@pytest.mark.parametrize(
    "rows", [[[1e300], [-1e300], [0.5]], [[1e158], [2e158]]]
)  # in a class, among classes
def test_numbers_too_large_to_be_squared_are_refused(rows):
    with pytest.raises(DataError, match="too large to be squared"):
        NaiveBayes().fit(rows, [0, 0, 1][-len(rows) :])


def test_variances_too_small_to_divide_by_count_as_none():
    X = np.array([[1e-156], [2e-156], [0.0], [3e-156]])
    model = NaiveBayes().fit(X, [0, 0, 1, 1])
    assert model.families_ == {"x0": "none"}
    assert_allclose(model.predict_proba(X), np.full((4, 2), 0.5), rtol=1e-12)


def test_a_table_without_numbers_has_a_row_of_no_means_for_each_class_and_can_be_saved(tmp_path):
    from assay import load, save

    model = NaiveBayes().fit({"taste": ["sweet", "sour", "sweet"]}, ["yes", "no", "yes"])
    assert model.theta_.shape == model.var_.shape == (2, 0)
    save(model, tmp_path / "taste.assay")
    back = load(tmp_path / "taste.assay")
    assert back.predict({"taste": ["sour"]}).tolist() == ["no"]
