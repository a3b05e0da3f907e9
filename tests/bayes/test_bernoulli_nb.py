"""Bernoulli naive Bayes: documents, donors, spam, parity with scikit-learn, blocks, degenerate tables."""

from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB as Peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from assay.bayes import BernoulliNB, CategoricalNB
from assay.errors import DataError, DegenerateWarning, ParameterError

# IML 5.7: documents over four words, classes 0 and 1.
DOCUMENTS = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]], dtype=float)
KIND = np.array([0, 0, 0, 1, 1])

# DC Table 10.1: age above 50, salary above 50,000, donor.
CHARITY = np.array(
    [(0, 0), (0, 0), (0, 1), (0, 1), (0, 0), (1, 1), (1, 1), (1, 1), (1, 0), (1, 1), (1, 1)], dtype=float
)
DONOR = np.array(list("NNYNNYYYNYY"))


@pytest.mark.capability("IML-5-23")
def test_documents_with_laplace_smoothing():
    model = BernoulliNB().fit(DOCUMENTS, KIND)
    assert_allclose(
        np.exp(model.feature_log_prob_), [[0.8, 0.6, 0.2, 0.4], [0.25, 0.5, 0.75, 0.5]], rtol=1e-12
    )
    query = np.array([[0, 1, 0, 1], [1, 1, 0, 0]])
    assert_allclose(model.predict_proba(query)[0], [0.551328, 0.448672], atol=5e-7)
    assert_allclose(model.predict_proba(query)[1], [0.956744, 0.043256], atol=5e-7)
    joint = model.predict_joint_log_proba(query)
    assert_allclose(np.exp(joint[0] - model.class_log_prior_), [0.0384, 0.046875], rtol=1e-12)
    assert_allclose(joint, [[-3.770523, -3.976562], [-1.978764, -5.075174]], atol=5e-7)
    # Linear in x; for 0101 the weights of the two words cancel, so the score is the intercept.
    assert_allclose(model.intercept_, [-3.770523, -3.976562], atol=5e-7)
    weights = [[1.386294, 0.405465, -1.386294, -0.405465], [-1.098612, 0, 1.098612, 0]]
    assert_allclose(model.coef_, weights, atol=5e-7)
    assert_allclose(query @ model.coef_.T + model.intercept_, joint, rtol=1e-12)


@pytest.mark.capability("IML-5-23", "BC-40")
def test_documents_without_smoothing():
    model = BernoulliNB(alpha=0).fit(DOCUMENTS, KIND)
    assert_allclose(np.exp(model.feature_log_prob_), [[1, 2 / 3, 0, 1 / 3], [0, 1 / 2, 1, 1 / 2]], rtol=1e-12)
    assert_allclose(np.exp(model.class_log_prior_), [3 / 5, 2 / 5], rtol=1e-12)
    joint = model.predict_joint_log_proba([[0, 1, 0, 1], [1, 1, 0, 0]])
    assert np.isneginf(joint[0]).all()  # likelihood 0 under both classes
    assert_allclose(np.exp(joint[1]), [3 / 5 * 4 / 9, 0], rtol=1e-12)  # p of 0 and 1, evaluated directly
    with pytest.warns(DegenerateWarning, match="probability zero"):
        assert_allclose(model.predict_proba([[0, 1, 0, 1]]), [[0.6, 0.4]])


@pytest.mark.capability("BC-40")
def test_parameters_are_relative_frequencies_and_there_are_2d_plus_1():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 10)).astype(float), rng.integers(0, 2, 60)
    model = BernoulliNB(alpha=0).fit(X, y)
    assert_allclose(np.exp(model.feature_log_prob_), [X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)])
    assert model.feature_log_prob_.size + len(model.classes_) - 1 == 2 * 10 + 1
    x = np.array([[0, 1, 1, 0, 1, 0, 0, 1, 0, 0]])
    p = np.exp(model.feature_log_prob_)
    joint = np.exp(model.class_log_prior_) * np.prod(np.where(x, p, 1 - p), axis=1)
    assert_allclose(model.predict_proba(x)[0], joint / joint.sum(), rtol=1e-10)


@pytest.mark.capability("BC-42", "BC-44")
def test_laplace_smoothing_of_the_toy_set():
    X, y = [[1, 0], [1, 0], [0, 1], [0, 1]], [1, 1, 0, 0]
    model = BernoulliNB().fit(X, y)
    assert_allclose(np.exp(model.feature_log_prob_), [[1 / 4, 3 / 4], [3 / 4, 1 / 4]], rtol=1e-12)
    assert_allclose(model.predict_proba([[0, 0], [1, 0]])[:, 1], [0.5, 0.9], rtol=1e-12)
    # The posterior mean of p under a uniform prior, Beta(1, 1): Beta(1 + ones, 1 + zeros) has mean
    # (1 + ones) / (2 + rows), and alpha is the parameter of any symmetric Beta prior.
    ones, rows = np.array([2.0, 0.0]), 2.0
    for alpha in (1.0, 0.5, 3.0):
        bayes = (alpha + ones) / (2 * alpha + rows)
        assert_allclose(np.exp(BernoulliNB(alpha=alpha).fit(X, y).feature_log_prob_[1]), bayes, rtol=1e-12)


@pytest.mark.capability("BC-43")
def test_zero_over_zero_is_reported():
    model = BernoulliNB(alpha=0).fit([[1, 0], [1, 0], [0, 1], [0, 1]], [1, 1, 0, 0])
    with pytest.warns(DegenerateWarning, match="1 row.* probability zero under every class"):
        posterior = model.predict_proba([[0, 0], [1, 0]])
    assert_array_equal(posterior[1], [0, 1])
    with pytest.warns(DegenerateWarning):
        assert "evidence is 0" in str(model.explain([[0, 0]]))


@pytest.mark.capability("DC-67")
def test_donors_as_categories_and_as_bits():
    cells = np.array([[1, 1], [0, 1], [0, 0], [1, 0]], dtype=float)
    model = BernoulliNB().fit(CHARITY, DONOR)
    assert_allclose(model.predict_proba(cells)[:, 1], [0.906076, 0.562603, 0.068468, 0.355359], atol=5e-7)
    categorical = CategoricalNB().fit(CHARITY, DONOR)
    assert_allclose(model.predict_proba(cells), categorical.predict_proba(cells), rtol=1e-12)
    plain = BernoulliNB(alpha=0).fit(CHARITY, DONOR)
    assert_allclose(plain.predict_proba(cells)[:, 1], [25 / 26, 5 / 9, 0, 0], rtol=1e-12, atol=0)
    section = plain.explain(cells[:1]).sections[1]
    assert [row[2] for row in section.rows] == [F(1, 26), F(25, 26)]


@pytest.mark.capability("C3-12")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix, csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_posterior_as_scikit_learn(load, container, weighted):
    """Peer: BernoulliNB of scikit-learn; dense and sparse, with and without weights, priors and threshold."""
    X, y = load(return_X_y=True)
    X = X / X.mean(axis=0).clip(1e-9)
    K = y.max() + 1
    w = np.random.default_rng(0).uniform(0, 3, len(y)) if weighted else None
    given = {"binarize": 1.0}
    if weighted:
        given |= {"alpha": 0.3, "class_prior": np.arange(1, K + 1) / (K * (K + 1) / 2)}
    table = container(X)
    ours, peer = BernoulliNB(**given).fit(table, y, w), Peer(**given).fit(table, y, w)
    assert_allclose(ours.predict_proba(table), peer.predict_proba(table), atol=1e-8)
    assert_allclose(ours.feature_count_, peer.feature_count_, rtol=1e-10)
    assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_, rtol=1e-10)
    assert_array_equal(ours.predict(table), peer.predict(table))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_memory_stream_and_partial_fit_in_any_order_agree(seed, blocks, sparse):
    rng = np.random.default_rng(seed)
    X, y, w = rng.integers(0, 2, (40, 5)).astype(float), rng.integers(0, 3, 40), rng.uniform(0.1, 2, 40)
    y[:3] = [0, 1, 2]
    table = csr_matrix(X) if sparse else X
    parts = np.array_split(rng.permutation(40), blocks)
    whole = BernoulliNB(alpha=0.2).fit(table, y, w)
    stream = BernoulliNB(alpha=0.2).fit_blocks([(table[p], y[p], w[p]) for p in parts])
    steps = BernoulliNB(alpha=0.2)
    for p in parts:
        steps.partial_fit(table[p], y[p], classes=[0, 1, 2], sample_weight=w[p])
    for other in (stream, steps):
        assert_allclose(other.feature_log_prob_, whole.feature_log_prob_, rtol=1e-10)
        assert_allclose(other.class_log_prior_, whole.class_log_prior_, rtol=1e-10)


def test_text_becomes_one_column_for_each_category_also_late_ones():
    model = BernoulliNB().partial_fit([["b"], ["a"]], [0, 1], classes=[0, 1])
    model.partial_fit([["c"]], [1])
    assert model.design_.names == ["x0=a", "x0=b", "x0=c"]
    assert_array_equal(model.feature_count_, [[0, 1, 0], [1, 0, 1]])


MAILS = pd.Series(
    [
        "win money now", "cheap money win win", "win a prize now", "cheap cheap pills", "money prize",
        "meeting at noon with the team", "lunch at noon on monday", "notes of the meeting",
        "the report at noon", "report and notes",
    ]
)  # fmt: skip
SPAM = np.array([1] * 5 + [0] * 5)


@pytest.mark.capability("BC-46")
def test_spam_by_words_that_are_there_and_by_clipped_counts():
    binary = make_pipeline(CountVectorizer(max_features=200), BernoulliNB()).fit(MAILS, SPAM)
    assert_array_equal(binary.predict(MAILS), SPAM)
    new = ["win a cheap prize", "notes at lunch on monday"]
    assert_array_equal(binary.predict(new), [1, 0])
    assert sorted(np.unique(binary[:-1].transform(MAILS).toarray())) == [0, 1, 2]  # win win: binarised inside
    clip = FunctionTransformer(
        lambda counts: np.minimum(counts.toarray(), 2)
    )  # M = 3 values: 0, 1, 2 or more
    clipped = make_pipeline(CountVectorizer(), clip, CategoricalNB(min_categories=3)).fit(MAILS, SPAM)
    assert_array_equal(clipped.predict(MAILS), SPAM)
    assert_array_equal(clipped.predict(new), [1, 0])
    assert clipped[-1].n_categories_.max() == 3
    # A lost good mail is ten times as dear: call it spam only above 10/11.
    sure = binary.predict_proba(MAILS)[:, 1] > 10 / 11
    assert 0 < sure.sum() <= 5 and not sure[SPAM == 0].any()


def test_words_that_tell_most_are_explained_first():
    binary = make_pipeline(CountVectorizer(), BernoulliNB()).fit(MAILS, SPAM)
    words = binary[0].transform(["win money"])
    sections = binary[-1].explain(words).sections
    assert "more are not shown" in sections[0].note and len(sections[0].rows) == 17
    names = binary[0].get_feature_names_out()
    assert {names[int(row[0][1:])] for row in sections[0].rows[1:3]} == {"win", "money"}


def test_degenerate_tables_have_an_answer():
    constant = BernoulliNB().fit([[1, 0], [1, 0], [1, 0]], [0, 0, 1])
    assert_allclose(constant.predict([[1, 0]]), [0])
    alone = BernoulliNB(alpha=0).fit([[1, 0], [0, 0]], ["a", "a"])
    assert_array_equal(alone.predict_proba([[1, 0]]), [[1]])
    unweighted = BernoulliNB(alpha=0).fit([[1], [0], [1]], [0, 1, 2], sample_weight=[1, 1, 0])
    assert_array_equal(unweighted.predict_proba([[1], [0]]), [[1, 0, 0], [0, 1, 0]])


def test_numbers_other_than_0_and_1_are_refused_without_a_threshold():
    assert_allclose(
        BernoulliNB(binarize=None).fit(DOCUMENTS, KIND).feature_log_prob_,
        BernoulliNB().fit(DOCUMENTS, KIND).feature_log_prob_,
    )
    for table in (DOCUMENTS * 2, csr_matrix(DOCUMENTS * 2)):
        with pytest.raises(DataError, match="binarize=None X must hold only 0 and 1, and it holds 2"):
            BernoulliNB(binarize=None).fit(table, KIND)
        with pytest.raises(DataError, match="only 0 and 1"):
            BernoulliNB(binarize=None).fit(DOCUMENTS, KIND).predict(table)


def test_a_pseudo_count_for_each_column():
    model = BernoulliNB(alpha=[1, 0, 1, 0]).fit(DOCUMENTS, KIND)
    expected = [[0.8, 2 / 3, 0.2, 1 / 3], [0.25, 0.5, 0.75, 0.5]]
    assert_allclose(np.exp(model.feature_log_prob_), expected, rtol=1e-12)
    with pytest.raises(ParameterError, match="got 2 values for 4 columns"):
        BernoulliNB(alpha=[1, 1]).fit(DOCUMENTS, KIND)
    with pytest.raises(ParameterError, match="alpha must be greater than 0"):
        BernoulliNB(alpha=[1, 1, 1, -1]).fit(DOCUMENTS, KIND)
    with pytest.warns(UserWarning, match="setting alpha = 1.0e-10"):
        BernoulliNB(alpha=0, force_alpha=False).fit(DOCUMENTS, KIND)


def test_rows_drawn_from_the_model_lead_back_to_it():
    model = BernoulliNB().fit(DOCUMENTS, KIND)
    X, y = model.sample(20_000, random_state=0)
    again = BernoulliNB(alpha=0).fit(X, y)
    assert_allclose(np.exp(again.feature_log_prob_), np.exp(model.feature_log_prob_), atol=0.02)
    assert_array_equal(model.sample(5, random_state=3)[0], model.sample(5, random_state=3)[0])
