"""Categorical naive Bayes: the apples, parity with scikit-learn, blocks, degenerate tables."""

from fractions import Fraction as F

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import CategoricalNB as Peer

from assay.bayes import CategoricalNB
from assay.errors import DataError, DegenerateWarning, ParameterError, SchemaWarning
from assay.tables import Design, Table

# C3, Table 3-1: base colour, shape, taste, variety of ten apples.
APPLES = pd.DataFrame(
    [
        ("yellow", "round", "sweet", "Fuji"),
        ("yellow-green", "oblate", "sour-sweet", "Fuji"),
        ("green", "oblate", "sour-sweet", "Guoguang"),
        ("yellow-green", "round", "sweet", "Fuji"),
        ("green", "oblate", "sour-sweet", "Guoguang"),
        ("yellow-green", "oblate", "sour-sweet", "Guoguang"),
        ("yellow", "round", "sour-sweet", "Fuji"),
        ("yellow-green", "oblate", "sour-sweet", "Fuji"),
        ("green", "oblate", "sweet", "Guoguang"),
        ("yellow-green", "oblate", "sour-sweet", "Fuji"),
    ],
    columns=["colour", "shape", "taste", "variety"],
)
X, y = APPLES.drop(columns="variety"), APPLES["variety"]
SOUR = pd.DataFrame({"colour": ["yellow-green"], "shape": ["oblate"], "taste": ["sour-sweet"]})
NEVER = pd.DataFrame({"colour": ["green"], "shape": ["round"], "taste": ["sweet"]})

# DC Table 10.1: age above 50, salary above 50,000, donor.
CHARITY = np.array(
    [(0, 0), (0, 0), (0, 1), (0, 1), (0, 0), (1, 1), (1, 1), (1, 1), (1, 0), (1, 1), (1, 1)], dtype=float
)
DONOR = np.array(list("NNYNNYYYNYY"))


def joints(explanation):
    """Exact joint and posterior of each class, as the explanation shows them."""
    rows = explanation.sections[1].rows
    return [row[1] for row in rows], [row[2] for row in rows]


@pytest.mark.capability("C3-11")
@pytest.mark.parametrize(
    ("alpha", "row", "joint", "posterior"),
    [
        (0, SOUR, [F(2, 15), F(3, 40)], F(16, 25)),
        (1, SOUR, [F(5, 48), F(4, 63)], F(105, 169)),
        (1, NEVER, [F(1, 80), F(4, 315)], F(63, 127)),
    ],
)
def test_apples_in_exact_fractions(alpha, row, joint, posterior):
    model = CategoricalNB(alpha=alpha).fit(X, y)
    result, posteriors = joints(model.explain(row))
    assert result == joint
    assert posteriors == [posterior, 1 - posterior]
    assert_allclose(model.predict_proba(row)[0, 0], float(posterior), rtol=1e-12)


@pytest.mark.capability("C3-15")
def test_laplace_tables_of_the_apples():
    model = CategoricalNB().fit(X, y)
    colour, shape, taste = (np.exp(table) for table in model.feature_log_prob_)
    assert_allclose(colour, [[1 / 9, 3 / 9, 5 / 9], [4 / 7, 1 / 7, 2 / 7]], rtol=1e-12)
    assert_allclose(shape, [[1 / 2, 1 / 2], [5 / 6, 1 / 6]], rtol=1e-12)
    assert_allclose(taste, [[5 / 8, 3 / 8], [2 / 3, 1 / 3]], rtol=1e-12)
    assert_array_equal(model.category_count_[0], [[0, 2, 4], [3, 0, 1]])
    assert_array_equal(model.n_categories_, [3, 2, 2])


@pytest.mark.capability("BC-41")
@pytest.mark.parametrize("alpha", [0, 1, 2.5])
def test_probabilities_of_each_column_and_class_sum_to_one(alpha):
    rng = np.random.default_rng(3)
    M, C = (2, 3, 5, 7), 4  # mixed cardinalities, four classes
    codes = np.column_stack([rng.integers(0, m, 400) for m in M]).astype(float)
    label = rng.integers(0, C, 400)
    model = CategoricalNB(alpha=alpha).fit(codes, label)
    for j, m in enumerate(M):
        p = np.exp(model.feature_log_prob_[j])
        assert p.shape == (C, m)
        assert_allclose(p.sum(axis=1), np.ones(C), rtol=1e-12)
        own = [[np.mean(codes[label == k, j] == v) for v in range(m)] for k in range(C)]
        if alpha == 0:
            assert_allclose(p, own, rtol=1e-12)
    assert_allclose(np.exp(model.class_log_prior_).sum(), 1, rtol=1e-12)


def test_colour_and_taste_given_the_class():
    """C3 3.5, discussion 2: the product of two tables, here as differences of log joints from the prior."""
    model = CategoricalNB(alpha=0).fit(X[["colour", "taste"]], y)
    cells = pd.DataFrame(
        {
            "colour": ["yellow"] * 2 + ["yellow-green"] * 2 + ["green"] * 2,
            "taste": ["sweet", "sour-sweet"] * 3,
        }
    )
    likelihood = np.exp(model.predict_joint_log_proba(cells) - model.class_log_prior_)
    assert_allclose(likelihood[:, 0], [1 / 9, 2 / 9, 2 / 9, 4 / 9, 0, 0], rtol=1e-12)
    assert_allclose(likelihood[:, 1], [0, 0, 1 / 16, 3 / 16, 3 / 16, 9 / 16], rtol=1e-12)


@pytest.mark.capability("C3-06")
def test_a_row_that_no_class_allows_is_answered_by_the_prior_with_a_warning():
    model = CategoricalNB(alpha=0).fit(X, y)
    assert np.isneginf(model.predict_joint_log_proba(NEVER)).all()
    with pytest.warns(DegenerateWarning, match="probability zero under every class"):
        assert_allclose(model.predict_proba(NEVER), [[0.6, 0.4]])
    with pytest.warns(DegenerateWarning):
        note = model.explain(NEVER).sections[1].note
    assert "evidence is 0" in note


@pytest.mark.capability("DC-66", "DC-70")
def test_charity_donors():
    cells = np.array([[1, 1], [0, 1], [0, 0], [1, 0]], dtype=float)
    plain = CategoricalNB(alpha=0).fit(CHARITY, DONOR)
    assert_allclose(plain.predict_proba(cells)[:, 1], [25 / 26, 5 / 9, 0, 0], rtol=1e-12, atol=0)
    assert joints(plain.explain(cells[:1]))[1][1] == F(25, 26)
    smooth = CategoricalNB().fit(CHARITY, DONOR).predict_proba(cells)
    assert_allclose(smooth[:, 1], [0.906076, 0.562603, 0.068468, 0.355359], atol=5e-7)
    assert_allclose(smooth.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.capability("IML-5-24", "IML-5-25")
def test_colour_and_size_as_categories_and_as_dummies():
    rows = pd.DataFrame(
        {"colour": ["red", "red", "blue", "green", "green", "blue", "red"], "size": list("SLSLSLL")}
    )
    label, query = list("AAABBBB"), pd.DataFrame({"colour": ["red", "green"], "size": ["L", "S"]})
    model = CategoricalNB(alpha=0).fit(rows, label)
    joint, posterior = joints(model.explain(query.iloc[[0]]))
    assert joint == [F(2, 21), F(3, 28)] and posterior == [F(8, 17), F(9, 17)]
    assert_allclose(np.exp(model.predict_joint_log_proba(query))[1], [0, 1 / 14], rtol=1e-12)
    smooth = CategoricalNB().fit(rows, label)
    assert_allclose(smooth.predict_proba(query)[0], [0.440559, 0.559441], atol=5e-7)
    assert_allclose(np.exp(smooth.predict_joint_log_proba(query))[0], [0.0857143, 0.1088435], atol=5e-8)
    # Dummies z_jk, one 1 for each attribute: sum_jk z_jk log p_jk + log P is the same score (IML 5-33).
    dummies = np.array([[0, 0, 1, 1, 0], [0, 1, 0, 0, 1]])  # blue, green, red, L, S
    design = Design(smooth.schema_)
    assert_array_equal(design.expand(Table.like(query, smooth.schema_).values), dummies)
    weights = np.concatenate([table.T for table in smooth.feature_log_prob_])
    assert_allclose(dummies @ weights + smooth.class_log_prior_, smooth.predict_joint_log_proba(query))


def discretised(load):
    data, target = load(return_X_y=True)
    edges = np.quantile(data, [0.25, 0.5, 0.75], axis=0)
    return (data[:, :, None] > edges.T).sum(axis=2).astype(float), target


@pytest.mark.capability("C3-11")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_posterior_as_scikit_learn(load, weighted):
    """Peer: CategoricalNB of scikit-learn, codes as numbers, with and without weights and priors."""
    codes, target = discretised(load)
    K = target.max() + 1
    given = (
        {"alpha": 0.5, "class_prior": np.arange(1, K + 1) / (K * (K + 1) / 2), "min_categories": 6}
        if weighted
        else {}
    )
    w = np.random.default_rng(0).uniform(0, 3, len(target)) if weighted else None
    ours, peer = CategoricalNB(**given).fit(codes, target, w), Peer(**given).fit(codes.astype(int), target, w)
    assert_allclose(ours.predict_proba(codes), peer.predict_proba(codes.astype(int)), atol=1e-8)
    assert_allclose(
        ours.predict_joint_log_proba(codes), peer.predict_joint_log_proba(codes.astype(int)), rtol=1e-10
    )
    assert_array_equal(ours.predict(codes), peer.predict(codes.astype(int)))
    assert_array_equal(ours.n_categories_, peer.n_categories_)
    for a, b in zip(ours.category_count_, peer.category_count_):
        assert_allclose(a, b, rtol=1e-10)


def test_text_codes_and_any_frame_give_the_same_model():
    codes = np.column_stack([X[name].astype("category").cat.codes for name in X]).astype(float)
    expected = CategoricalNB().fit(codes, y).predict_proba(codes)
    assert_allclose(CategoricalNB().fit(X, y).predict_proba(X), expected, rtol=1e-12)
    frame = pl.from_pandas(X)
    assert_allclose(CategoricalNB().fit(frame, y).predict_proba(frame), expected, rtol=1e-12)
    shuffled = X[["taste", "colour", "shape"]]  # columns are matched by name
    assert_allclose(CategoricalNB().fit(X, y).predict_proba(shuffled), expected, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_memory_stream_and_partial_fit_in_any_order_agree(seed, blocks, text):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (40, 3)).astype(float)
    codes[rng.random(codes.shape) < 0.1] = np.nan
    label, w = rng.integers(0, 3, 40), rng.uniform(0.1, 2, 40)
    table = pd.DataFrame(codes, columns=list("abc"))
    if text:
        table["c"] = pd.Series(
            np.array(["p", "q", "r", "s"])[np.nan_to_num(codes[:, 2]).astype(int)], dtype="str"
        )
    parts = np.array_split(rng.permutation(40), blocks)
    whole = CategoricalNB(alpha=0.3).fit(table, label, w)
    stream = CategoricalNB(alpha=0.3).fit_blocks([(table.iloc[p], label[p], w[p]) for p in parts])
    steps = CategoricalNB(alpha=0.3)
    for p in parts:
        steps.partial_fit(table.iloc[p], label[p], classes=[0, 1, 2], sample_weight=w[p])
    if len(whole.classes_) < 3:
        return
    for other in (stream, steps):
        assert_allclose(other.class_count_, whole.class_count_, rtol=1e-10)
        for a, b in zip(other.feature_log_prob_, whole.feature_log_prob_):
            assert_allclose(a, b, rtol=1e-10)


def test_a_category_that_comes_late_finds_its_place():
    model = CategoricalNB().partial_fit([["b", "x"]], [0], classes=[0, 1])
    model.partial_fit([["a", "x"], ["c", "y"]], [1, 1])
    assert model.schema_[0].categories == ("a", "b", "c")
    assert_array_equal(model.category_count_[0], [[0, 1, 0], [1, 0, 1]])
    assert_array_equal(model.category_count_[1], [[1, 0], [1, 1]])


def test_missing_entries_and_unseen_categories_are_left_out():
    model = CategoricalNB().fit(X, y)
    taste = CategoricalNB().fit(X[["taste"]], y)
    with_missing = pd.DataFrame({"colour": ["blue"], "shape": [None], "taste": ["sweet"]})
    with pytest.warns(SchemaWarning, match="colour.*'blue'"):
        assert_allclose(
            model.predict_proba(with_missing), taste.predict_proba(with_missing[["taste"]]), rtol=1e-12
        )
    with pytest.warns(SchemaWarning):
        assert "Left out, since missing: colour, shape" in str(model.explain(with_missing))
    codes = CategoricalNB().fit([[0, 1], [1, 0], [1, 1]], [0, 0, 1])
    with pytest.warns(SchemaWarning, match="'x1' has the code 5"):
        assert_allclose(codes.predict_proba([[1, 5]]), codes.predict_proba([[1, np.nan]]), rtol=1e-12)


def test_missing_values_in_training_do_not_count():
    table = np.array([[0, 1], [np.nan, 1], [1, np.nan], [0, 0]])
    model = CategoricalNB(alpha=0).fit(table, [0, 0, 0, 1])
    assert_allclose(np.exp(model.feature_log_prob_[0]), [[0.5, 0.5], [1, 0]])
    assert_allclose(np.exp(model.feature_log_prob_[1]), [[0, 1], [1, 0]])


def test_a_column_without_entries_says_nothing():
    table = np.column_stack([[0, 0, 1, 1], np.full(4, np.nan)])
    model = CategoricalNB().fit(table, [0, 0, 1, 1])
    alone = CategoricalNB().fit(table[:, :1], [0, 0, 1, 1])
    assert_array_equal(model.predict_proba(table), alone.predict_proba(table[:, :1]))


def test_rows_of_weight_zero_and_a_class_of_one_row():
    table, label = np.array([[0, 1], [1, 0], [1, 1], [0, 0]], dtype=float), [0, 0, 1, 2]
    model = CategoricalNB().fit(table, label, sample_weight=[1, 1, 1, 0])
    assert_array_equal(model.class_count_, [2, 1, 0])
    assert np.isneginf(model.class_log_prior_[2]) and model.predict_proba(table)[:, 2].max() == 0
    with pytest.raises(ValueError, match=r"[Ww]eights"):
        CategoricalNB().fit(table, label, sample_weight=np.zeros(4))


def test_one_class_is_always_the_answer():
    model = CategoricalNB(alpha=0).fit([[0], [1]], ["only", "only"])
    assert_array_equal(model.predict_proba([[0], [1]]), [[1], [1]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, -1]], r"Negative values in data passed to CategoricalNB \(input X\): row 1, column x1 is -1"),
        ([[0, 1e9]], "x1 has the number 1e\\+09, expected codes"),
    ],
)
def test_what_is_no_code_is_refused(table, message):
    with pytest.raises(DataError, match=message):
        CategoricalNB().fit(table, [0])


def test_the_whole_part_of_a_number_is_its_code_with_a_warning():
    with pytest.warns(SchemaWarning, match="column x0 has 2 numbers that are not whole"):
        model = CategoricalNB().fit([[0.5], [1.9], [1.0]], [0, 1, 1])
    assert_array_equal(model.category_count_[0], [[1, 0], [0, 2]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": -1}, "alpha must be a number from 0 up"),
        ({"alpha": np.inf}, "alpha must be a number from 0 up, got inf"),
        ({"class_prior": [0.5, 0.6]}, "class_prior must be a list of probabilities"),
        ({"class_prior": [0.2, 0.3, 0.5]}, "got 3 priors for 2 classes"),
        ({"min_categories": 1.5}, "integral type"),
        ({"min_categories": 0}, "min_categories must be from 1 up"),
        ({"min_categories": [2, 2]}, r"should have shape \(3,\)"),
    ],
)
def test_parameters_that_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        CategoricalNB(**given).fit(X, y)


def test_rows_drawn_from_the_model_lead_back_to_it():
    model = CategoricalNB().fit(X, y)
    table, label = model.sample(20_000, random_state=0)
    again = CategoricalNB().fit(table, label)
    assert_allclose(np.exp(again.class_log_prior_), np.exp(model.class_log_prior_), atol=0.02)
    for a, b in zip(again.feature_log_prob_, model.feature_log_prob_):
        assert_allclose(np.exp(a), np.exp(b), atol=0.02)
    codes = CategoricalNB().fit(CHARITY, DONOR).sample(5, random_state=1)[0]
    assert codes.shape == (5, 2) and set(np.unique(codes)) <= {0.0, 1.0}
