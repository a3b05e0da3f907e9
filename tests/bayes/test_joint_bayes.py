"""The full-joint Bayes classifier: apples in cells, ties, degenerate cells, missing values, blocks in any order."""

from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from assay.bayes import CategoricalNB, JointBayes
from assay.bayes.joint_sums import joint_sums
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, SchemaWarning

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


def rule(explanation):
    """Exact joint and posterior of each class, as the explanation shows them."""
    rows = explanation.sections[1].rows
    return [row[1] for row in rows], [row[2] for row in rows]


@pytest.mark.capability("C3-03")
def test_one_feature_by_counting():
    model = JointBayes().fit(APPLES[["taste"]], y)
    explanation = model.explain(pd.DataFrame({"taste": ["sour-sweet"]}))
    assert rule(explanation) == ([F(4, 10), F(3, 10)], [F(4, 7), F(3, 7)])
    assert explanation.sections[0].rows[1][2:] == [F(4, 6), F(3, 4)]
    assert "7/10" in explanation.sections[1].note
    colour = JointBayes().fit(APPLES[["colour"]], y)  # C3 3.5, discussion 1
    posterior = colour.predict_proba(pd.DataFrame({"colour": ["yellow", "yellow-green", "green"]}))
    assert_allclose(posterior[:, 0], [1, 4 / 5, 0], rtol=1e-12)


@pytest.mark.capability("C3-03", "C3-02")
def test_two_features_and_their_tie():
    model = JointBayes().fit(APPLES[["taste", "shape"]], y)
    counts = {
        cell: {k: entry["count"] for k, entry in classes.items()} for cell, classes in model.cells_.items()
    }
    assert counts == {
        ("sweet", "round"): {"Fuji": 2},
        ("sweet", "oblate"): {"Guoguang": 1},
        ("sour-sweet", "round"): {"Fuji": 1},
        ("sour-sweet", "oblate"): {"Fuji": 3, "Guoguang": 3},
    }
    query = pd.DataFrame({"taste": ["sour-sweet"], "shape": ["oblate"]})
    assert_array_equal(model.predict_proba(query), [[0.5, 0.5]])  # exactly
    assert model.predict(query)[0] == "Fuji"  # the first of equals
    explanation = model.explain(query)
    assert rule(explanation)[0] == [F(3, 10), F(3, 10)]
    assert "Fuji and Guoguang tie" in explanation.sections[1].note
    # Contrast: naive Bayes has 1/5 and 3/10 for the same row, so Guoguang with 3/5.
    naive = CategoricalNB(alpha=0).fit(APPLES[["taste", "shape"]], y)
    assert rule(naive.explain(query)) == ([F(1, 5), F(3, 10)], [F(2, 5), F(3, 5)])


@pytest.mark.capability("C3-04", "C3-05")
@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_taste_and_weight(covariance):
    model = JointBayes(covariance)
    with pytest.warns(DegenerateWarning, match="class Guoguang has .* where taste = sweet"):
        model.fit(APPLES[["taste", "weight"]], y)
    assert_allclose(model.predict_proba(SCALES)[:, 0], [0.0757338, 0.4353955, 0.8546513], atol=5e-8)
    spread = "var" if covariance == "diagonal" else "covariance"
    cells = model.cells_
    for taste, variety, mean, var in [
        ("sweet", "Fuji", 195, 25),
        ("sour-sweet", "Fuji", 232.5, 468.75),
        ("sour-sweet", "Guoguang", 530 / 3, 622 + 2 / 9),
    ]:
        entry = cells[taste,][variety]
        assert_allclose([entry["mean"][0], entry[spread].ravel()[0]], [mean, var], rtol=1e-12)


@pytest.mark.capability("C3-05")
def test_a_single_apple_takes_the_spread_of_its_class_or_the_floor():
    with pytest.warns(DegenerateWarning):
        model = JointBayes().fit(APPLES[["taste", "weight"]], y)
    lone = model.cells_["sweet",]["Guoguang"]
    assert_allclose([lone["mean"][0], lone["var"][0]], [180, (3 * (622 + 2 / 9) + 0) / 4], rtol=1e-12)
    floored = JointBayes(var_floor=100.0).fit(APPLES[["taste", "weight"]], y)  # asked for: no warning
    assert floored.cells_["sweet",]["Guoguang"]["var"][0] == 100
    assert floored.cells_["sweet",]["Fuji"]["var"][0] == 100  # 25 is below it
    assert_allclose(floored.cells_["sour-sweet",]["Fuji"]["var"], [468.75])
    floored = JointBayes("full", var_floor=100.0).fit(APPLES[["taste", "weight"]], y)
    assert_allclose(floored.cells_["sweet",]["Guoguang"]["covariance"], [[100]])


@pytest.mark.capability("C3-06")
def test_a_row_that_no_class_allows():
    X = APPLES[["colour", "shape", "taste"]]
    never = pd.DataFrame({"colour": ["green"], "shape": ["round"], "taste": ["sweet"]})
    model = JointBayes().fit(X, y)
    with pytest.warns(DegenerateWarning, match="posterior is undefined; the prior is given instead"):
        assert_allclose(model.predict_proba(never), [[0.6, 0.4]])
    with pytest.raises(DegenerateError, match="probability zero under every class"):
        JointBayes(zero_evidence="raise").fit(X, y).predict(never)
    # With a pseudo-count for each of the 3 * 2 * 2 cells the posterior exists.
    smooth = JointBayes(alpha=1).fit(X, y)
    joint = [F(6, 10) * F(1, 18), F(4, 10) * F(1, 16)]
    assert rule(smooth.explain(never))[0] == joint
    assert_allclose(smooth.predict_proba(never)[0, 0], float(joint[0] / sum(joint)), rtol=1e-12)


@pytest.mark.parametrize(
    ("covariance", "peer"),
    [("diagonal", GaussianNB(var_smoothing=0)), ("full", QuadraticDiscriminantAnalysis())],
)
def test_numbers_alone_are_gaussian_classes(covariance, peer):
    """Peers on iris: GaussianNB, and QDA with its divisor n - 1 undone."""
    X, kind = load_iris(return_X_y=True)
    model = JointBayes(covariance).fit(X, kind)
    if covariance == "full":
        score = [
            multivariate_normal.logpdf(X, X[kind == k].mean(axis=0), np.cov(X[kind == k].T, bias=True))
            for k in range(3)
        ]
        posterior = np.exp(score - np.logaddexp.reduce(score, axis=0)).T
        assert_allclose(model.predict_proba(X), posterior, atol=1e-8)
        assert (model.predict(X) == peer.fit(X, kind).predict(X)).mean() > 0.98
    else:
        assert_allclose(model.predict_proba(X), peer.fit(X, kind).predict_proba(X), atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.sampled_from(["diagonal", "full"]))
def test_memory_stream_and_partial_fit_in_any_order_agree(seed, blocks, covariance):
    rng = np.random.default_rng(seed)
    n = 60
    table = pd.DataFrame(
        {
            "a": rng.choice(["p", "q"], n),
            "b": rng.choice(["u", "v", "w"], n),
            "z": rng.normal(1e3, 1, n),
            "t": rng.normal(size=n),
        }
    )
    label, w = rng.choice(["no", "yes"], n), rng.uniform(0.1, 2, n)
    label[:2] = ["no", "yes"]
    parts = np.array_split(rng.permutation(n), blocks)
    given = {"covariance": covariance, "alpha": 0.5, "var_floor": 0.01}
    whole = JointBayes(**given).fit(table, label, w)
    stream = JointBayes(**given).fit_blocks([(table.iloc[p], label[p], w[p]) for p in parts])
    steps = JointBayes(**given)
    for p in parts:
        steps.partial_fit(table.iloc[p], label[p], classes=["no", "yes"], sample_weight=w[p])
    for other in (stream, steps):
        assert_array_equal(other.joint_.keys, whole.joint_.keys)
        assert_allclose(other.joint_.count, whole.joint_.count, rtol=1e-10)
        assert_allclose(other.joint_.mean, whole.joint_.mean, rtol=1e-10)
        assert_allclose(other.joint_.spread, whole.joint_.spread, rtol=1e-10)
        assert_allclose(
            other.predict_joint_log_proba(table), whole.predict_joint_log_proba(table), rtol=1e-10
        )


def joint_by_the_book(model, table, label, row, alpha, widths):
    """log P(k, v, z) by going through the rows, one row with missing values at a time."""
    out = []
    for k in model.classes_:
        mine = table[label == k]
        total = 0.0
        for a in widths[0] if row["a"] is None else [row["a"]]:
            for b in widths[1] if row["b"] is None else [row["b"]]:
                cell = mine[(mine["a"] == a) & (mine["b"] == b)]
                share = (len(cell) + alpha) / (len(mine) + alpha * len(widths[0]) * len(widths[1]))
                z = cell["z"] if len(cell) else mine["z"]
                total += share * norm.pdf(row["z"], z.mean(), max(z.std(ddof=0), 0.1)) if share else 0.0
        out.append(np.log(total * len(mine) / len(table)) if total else -np.inf)
    return out


@pytest.mark.parametrize("alpha", [0, 1])
def test_a_missing_or_unseen_category_is_summed_out(alpha):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"a": rng.choice(["p", "q"], 30), "b": rng.choice(["u", "v", "w"], 30), "z": rng.normal(size=30)}
    )
    label = rng.choice(["no", "yes"], 30)
    model = JointBayes(alpha=alpha, var_floor=0.01).fit(table, label)
    for a, b in [("p", "u"), (None, "v"), ("q", None), (None, None)]:
        row = {"a": a, "b": b, "z": 0.3}
        frame = pd.DataFrame(
            {name: pd.Series([value], dtype="str" if name != "z" else "float") for name, value in row.items()}
        )
        expected = joint_by_the_book(model, table, label, row, alpha, [["p", "q"], ["u", "v", "w"]])
        assert_allclose(model.predict_joint_log_proba(frame)[0], expected, rtol=1e-10)
        explained = model.explain(frame)
        assert_allclose([r[1] for r in explained.sections[1].rows], np.exp(expected), rtol=1e-8)
    with pytest.warns(SchemaWarning, match="'new'"):
        strange = model.predict_joint_log_proba(pd.DataFrame({"a": ["new"], "b": ["u"], "z": [0.3]}))
    expected = joint_by_the_book(
        model, table, label, {"a": None, "b": "u", "z": 0.3}, alpha, [["p", "q"], ["u", "v", "w"]]
    )
    assert_allclose(strange[0], expected, rtol=1e-10)


def test_missing_values_are_refused_where_they_cannot_be_used():
    with_missing = pd.DataFrame({"taste": ["sweet", None], "weight": [1.0, 2.0]})
    message = "column taste has 1 missing value .* NaiveBayes takes them as they are. Prepared\\(JointBayes\\(\\)\\)"
    with pytest.raises(DataError, match=message):
        JointBayes().fit(with_missing, [0, 1])
    assert "column taste has 1 missing value" in JointBayes().why_not(with_missing)
    assert JointBayes().why_not(APPLES[["taste"]]) is None
    model = JointBayes(var_floor=1).fit(APPLES[["taste", "weight"]], y)
    with pytest.raises(DataError, match="column weight has 1 missing value"):
        model.predict(pd.DataFrame({"taste": ["sweet"], "weight": [np.nan]}))


def test_many_columns_keep_only_the_cells_that_occur():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 10, (200, 30)).astype(float)  # 10^30 possible cells
    model = JointBayes(discrete="all", alpha=1e-3).fit(table, rng.integers(0, 2, 200))
    assert len(model.joint_.keys) == 200
    assert model.score(table, model.predict(table)) == 1
    assert np.isfinite(model.predict_proba(table)).all()


def test_columns_can_be_declared_discrete():
    table = pd.DataFrame({"n": [1, 1, 2, 2, 2], "z": [0.0, 1.0, 0.0, 1.0, 2.0]})
    model = JointBayes(discrete=["n"]).fit(table, list("aabbb"))
    assert set(model.cells_) == {(1.0,), (2.0,)}
    assert_array_equal(model.predict(table), list("aabbb"))
    assert_array_equal(
        JointBayes(discrete=[0]).fit(table.to_numpy(), list("aabbb")).predict(table.to_numpy()), list("aabbb")
    )
    with pytest.raises(DataError, match="There is no column 'm'"):
        JointBayes(discrete=["m"]).fit(table, list("aabbb"))


def test_constant_columns_single_rows_zero_weights_and_one_class():
    constant = JointBayes().fit([[1.0, 5.0], [2.0, 5.0], [7.0, 5.0], [9.0, 5.0]], [0, 0, 1, 1])
    alone = JointBayes().fit([[1.0], [2.0], [7.0], [9.0]], [0, 0, 1, 1])
    assert_allclose(constant.predict_proba([[3.0, 6.0]]), alone.predict_proba([[3.0]]), rtol=1e-12)
    nothing = JointBayes("full").fit([[5.0], [5.0], [5.0]], [0, 0, 1])
    assert_allclose(nothing.predict_proba([[5.0]]), [[2 / 3, 1 / 3]], rtol=1e-12)
    with pytest.warns(DegenerateWarning, match="class 1 has variance 0;"):
        single = JointBayes().fit([[1.0], [2.0], [7.0]], [0, 0, 1])
    assert_array_equal(single.predict([[1.4], [7.1]]), [0, 1])
    weighted = JointBayes().fit(
        [[1.0], [2.0], [7.0], [9.0], [50.0]], [0, 0, 1, 1, 1], sample_weight=[1, 1, 1, 1, 0]
    )
    assert_allclose(weighted.predict_proba([[3.0]]), alone.predict_proba([[3.0]]), rtol=1e-12)
    one = JointBayes().fit([["a"], ["b"]], ["only", "only"])
    assert_array_equal(one.predict_proba([["a"]]), [[1]])
    with pytest.raises(ParameterError, match="got 3 priors for 2 classes"):
        JointBayes(priors=[0.2, 0.3, 0.5]).fit([["a"], ["b"]], [0, 1])


def test_priors_move_the_odds_and_nothing_else():
    X = APPLES[["taste", "shape"]]
    query = pd.DataFrame({"taste": ["sour-sweet"], "shape": ["oblate"]})
    assert_allclose(JointBayes(priors=[0.5, 0.5]).fit(X, y).predict_proba(query), [[0.4, 0.6]], rtol=1e-12)


def test_a_category_that_comes_late_finds_its_place():
    model = JointBayes().partial_fit([["b", "x"]], [0], classes=[0, 1])
    model.partial_fit([["a", "x"], ["c", "y"], ["b", "x"]], [1, 1, 0])
    assert {cell: {k: e["count"] for k, e in v.items()} for cell, v in model.cells_.items()} == {
        ("b", "x"): {0: 2}, ("a", "x"): {1: 1}, ("c", "y"): {1: 1},
    }  # fmt: skip


def test_cells_of_two_blocks_add_to_the_cells_of_both():
    rng = np.random.default_rng(1)
    X, label = np.column_stack([rng.integers(0, 3, 50), rng.normal(1e6, 1, (50, 2))]), rng.integers(0, 2, 50)
    both = joint_sums(X, label, None, 2, [0], [1, 2], True)
    total = joint_sums(X[:20], label[:20], None, 2, [0], [1, 2], True) + joint_sums(
        X[20:], label[20:], None, 2, [0], [1, 2], True
    )
    assert_array_equal(total.keys, both.keys)
    assert_allclose(total.mean, both.mean, rtol=1e-14)
    assert_allclose(total.scatter, both.scatter, rtol=1e-6, atol=1e-8)  # about means near 1e6


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_rows_drawn_from_the_model_lead_back_to_it(covariance):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {"a": rng.choice(["p", "q"], 200), "z": rng.normal(3, 2, 200), "t": rng.normal(size=200)}
    )
    model = JointBayes(covariance).fit(
        table, np.where(table["a"] == "p", "yes", rng.choice(["no", "yes"], 200))
    )
    X, label = model.sample(30_000, random_state=0)
    again = JointBayes(covariance).fit(X, label)
    assert_allclose(again.class_prior_, model.class_prior_, atol=0.01)
    assert_allclose(again.joint_.mean, model.joint_.mean, atol=0.1)
    assert_allclose(again.joint_.spread, model.joint_.spread, atol=0.25)


@pytest.mark.parametrize(
    "rows", [[[1e300], [-1e300], [0.5]], [[1e158], [2e158]]]
)  # in a class, among classes
def test_numbers_too_large_to_be_squared_are_refused(rows):
    with pytest.raises(DataError, match="too large to be squared"):
        JointBayes().fit(rows, [0, 0, 1][-len(rows) :])


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_variances_too_small_to_divide_by_count_as_none(covariance):
    X = np.array([[1e-156], [2e-156], [0.0], [3e-156]])
    assert_allclose(
        JointBayes(covariance).fit(X, [0, 0, 1, 1]).predict_proba(X), np.full((4, 2), 0.5), rtol=1e-12
    )
