"""Gaussian naive Bayes: books' numbers, scikit-learn's answers, and the ends of the world."""

import warnings

import numpy as np
import pytest
import sklearn.naive_bayes
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from assay.bayes import GaussianNB, NaiveBayes
from assay.bayes import _gaussian_nb as native
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.stats import Gaussian

LOADERS = [load_iris, load_wine, load_breast_cancer, load_digits]


def log_joint_by_the_book(X, mean, precision, offset):
    """offset_k - 1/2 sum_j (x_ij - mean_kj)^2 precision_kj, in NumPy."""
    gap = X[:, None, :].astype(np.float64) - mean
    return offset - 0.5 * np.sum(gap * gap * precision, axis=2)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 90),
    d=st.integers(1, 40),
    K=st.integers(1, 4),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_the_kernel_agrees_with_numpy(seed, n, d, K, dtype):
    rng = np.random.default_rng(seed)
    X, mean = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(K, d))
    precision, offset = rng.uniform(0.1, 10, size=(K, d)), rng.normal(size=K)
    offset[0] = -np.inf if seed % 3 == 0 else offset[0]
    out = np.empty((n, K))
    native.log_joint(X, mean, precision, offset, out)
    assert_allclose(out, log_joint_by_the_book(X, mean, precision, offset), rtol=1e-13, atol=1e-13)


# Oracle: C3 master table, row 1, printed to the last digit; the split is the book's.
@pytest.mark.capability("C3-10")
def test_breast_cancer_scores_of_the_book():
    X, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
    model = GaussianNB().fit(train, y_train)
    assert model.score(train, y_train) == 0.9406593406593406
    assert model.score(test, y_test) == 0.9736842105263158
    assert_allclose(model.epsilon_, 3.118e-4, rtol=1e-3)
    assert_array_equal(model.predict(test[:2]), [0, 1])


# Oracle: C3 3.1.2, plain maximum likelihood: 31 and 5 errors, raw or standardised.
@pytest.mark.capability("C3-10")
@pytest.mark.parametrize("scaled", [False, True])
def test_breast_cancer_errors_without_smoothing(scaled):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X) if scaled else X
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
    model = GaussianNB(var_smoothing=0).fit(train, y_train)
    assert (model.predict(train) != y_train).sum() == 31
    assert (model.predict(test) != y_test).sum() == 5


# Oracle: C3 3.1.2: epsilon exceeds 6 and 9 of the 30 variances; as a floor, not added, it leaves 30 and 4 errors.
@pytest.mark.capability("C3-10")
def test_breast_cancer_errors_with_a_variance_floor():
    X, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
    epsilon = GaussianNB().fit(train, y_train).epsilon_
    plain = GaussianNB(var_smoothing=0).fit(train, y_train)
    assert_array_equal((plain.var_ < epsilon).sum(axis=1), [6, 9])
    floored = NaiveBayes(Gaussian(floor=epsilon)).fit(train, y_train)
    assert (floored.predict(train) != y_train).sum() == 30
    assert (floored.predict(test) != y_test).sum() == 4
    assert_array_equal(floored.predict(test[:2]), [0, 1])


CHARITY = [
    (21, 37000, "N"), (27, 41000, "N"), (43, 61000, "Y"), (38, 55000, "N"), (44, 30000, "N"), (51, 56000, "Y"),
    (53, 70000, "Y"), (56, 74000, "Y"), (59, 25000, "N"), (61, 68000, "Y"), (63, 51000, "Y"),
]  # fmt: skip


# Oracle: DC 10.5.1, population variances.
@pytest.mark.capability("DC-68")
def test_charity_donor_of_the_book():
    X, y = np.array([row[:2] for row in CHARITY], float), [row[2] for row in CHARITY]
    model = GaussianNB(var_smoothing=0).fit(X, y)
    assert_allclose(model.predict_proba([[52, 52000]])[0, 1], 0.833792, atol=5e-7)
    assert model.score(X, y) == 1.0


T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


# Oracle: IML 5.5, table of T5 at (5, 4), row "different, diagonal"; the scores leave out -ln 2 pi.
@pytest.mark.capability("IML-5-14")
def test_different_diagonals_of_the_book():
    model = GaussianNB(var_smoothing=0).fit(T5, T5_CLASS)
    g = model.predict_joint_log_proba([[5, 4]])[0] + np.log(2 * np.pi)
    assert_allclose(g, [-2.716606, -1.799483], atol=5e-7)
    assert_allclose(model.predict_proba([[5, 4]]), [[0.285544, 0.714456]], atol=5e-7)
    assert_allclose(model.discriminants()([[5, 4]])[0], g, atol=1e-12)
    assert_array_equal(model.predict(T5), T5_CLASS)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tilted", [False, True])
@pytest.mark.parametrize("load", LOADERS)
def test_same_posterior_as_scikit_learn(load, tilted, weighted):
    """Peer: GaussianNB, scikit-learn 1.9. Digits have constant columns."""
    X, y = load(return_X_y=True)
    shares = np.arange(1.0, y.max() + 2)
    priors = shares / shares.sum() if tilted else None
    w = np.random.default_rng(5).uniform(0.1, 3, len(y)) if weighted else None
    peer = sklearn.naive_bayes.GaussianNB(priors=priors).fit(X, y, w)
    ours = GaussianNB(priors=priors).fit(X, y, w)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=0, atol=1e-8)
    assert_allclose(ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-9)
    assert_array_equal(ours.predict(X), peer.predict(X))
    for name in ("theta_", "var_", "epsilon_", "class_count_", "class_prior_", "classes_"):
        assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-10, atol=1e-13)


def test_float32_gives_the_answer_of_the_same_numbers_in_float64():
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    assert_allclose(
        GaussianNB().fit(X, y).predict_proba(X),
        GaussianNB().fit(X.astype(float), y).predict_proba(X),
        rtol=1e-12,
    )


def test_blocks_on_threads_give_the_answer_of_single_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 20_000)
    X = rng.normal(size=(20_000, 9)) + y[:, None]
    model = GaussianNB().fit(X, y)
    some = rng.integers(0, len(X), 50)
    assert_array_equal(model.predict_proba(X)[some], np.vstack([model.predict_proba(X[[i]]) for i in some]))


def test_far_from_zero_the_answers_stay():
    """Moving all data by 1e6 changes the log odds by rounding of the data alone."""
    X, y = load_iris(return_X_y=True)
    X = np.round(X * 1024) / 1024  # exact also after the move
    here, there = GaussianNB().fit(X, y), GaussianNB().fit(X + 2.0**20, y)
    assert_allclose(there.predict_log_proba(X + 2.0**20), here.predict_log_proba(X), rtol=1e-8)


def test_epsilon_of_parts_is_that_of_the_whole():
    """Other than scikit-learn, whose epsilon is that of the last part."""
    X, y = load_wine(return_X_y=True)
    whole = GaussianNB(var_smoothing=0.1).fit(X, y)
    parts = GaussianNB(var_smoothing=0.1)
    for rows in np.array_split(np.random.default_rng(2).permutation(len(y)), 5):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    assert_allclose(parts.epsilon_, whole.epsilon_, rtol=1e-12)
    assert_allclose(parts.var_, whole.var_, rtol=1e-12)


def test_a_column_without_variance_is_named_when_nothing_is_added():
    X = [[1.0, 5.0], [1.0, 6.0], [2.0, 5.0], [3.0, 7.0]]
    with pytest.raises(DegenerateError, match=r"column x0 has variance 0 in class a.*var_smoothing"):
        GaussianNB(var_smoothing=0).fit(X, ["a", "a", "b", "b"])
    assert np.isfinite(GaussianNB().fit(X, ["a", "a", "b", "b"]).predict_proba(X)).all()


def test_constant_columns_throughout_leave_the_prior():
    with pytest.warns(DegenerateWarning, match="every column is constant"):
        model = GaussianNB().fit(np.ones((4, 2)), [0, 0, 0, 1])
    assert_allclose(model.predict_proba([[1, 1], [5, 0]]), [[0.75, 0.25]] * 2)


def test_a_class_with_one_row_lives_from_the_added_variance():
    model = GaussianNB(var_smoothing=0.5).fit([[0.0], [2.0], [7.0]], [0, 0, 1])
    assert_allclose(model.var_[1], model.epsilon_)
    assert_array_equal(model.predict([[1.0], [6.0]]), [0, 1])


def test_one_class_is_always_the_answer():
    model = GaussianNB().fit([[0.0], [1.0]], ["only", "only"])
    assert_array_equal(model.predict([[-100.0]]), ["only"])
    assert_array_equal(model.predict_proba([[3.0]]), [[1.0]])


def test_a_class_without_weight_is_never_the_answer_and_nothing_warns():
    X, y = np.array([[0.0], [1.0], [9.0], [10.0]]), [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianNB().fit(X, y, sample_weight=[1, 1, 0, 0])
        assert_array_equal(model.predict(X), [0, 0, 0, 0])
        assert_array_equal(model.predict_proba(X)[:, 1], 0)
        assert_array_equal(model.predict_log_proba(X)[:, 1], -np.inf)
    with pytest.raises(DegenerateError, match=r"class 1 has prior 0.5 but no row"):
        GaussianNB(priors=[0.5, 0.5]).fit(X, y, sample_weight=[1, 1, 0, 0])


def test_a_prior_of_zero_rules_a_class_out():
    model = GaussianNB(priors=[0, 1]).fit([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1])
    assert_array_equal(model.predict([[0.0]]), [1])
    assert_array_equal(model.predict_proba([[0.0]]), [[0, 1]])


def test_a_row_beyond_all_densities_gets_the_prior_and_a_warning():
    model = GaussianNB().fit([[0.0], [1.0], [0.0], [1.5], [2.0]], [0, 0, 1, 1, 1])
    with pytest.warns(DegenerateWarning, match="1 row"):
        assert_allclose(model.predict_proba([[1e200]]), [[0.4, 0.6]])


def test_numbers_too_large_to_square_are_refused():
    with pytest.raises(DataError, match="too large"):
        GaussianNB().fit([[1e300], [-1e300], [0.0]], [0, 0, 1])


@pytest.mark.parametrize("priors", [[0.5, 0.6], [-0.5, 1.5], [1.0], [0.2, 0.3, 0.5]])
def test_priors_that_do_not_fit_are_refused(priors):
    with pytest.raises(ParameterError, match=r"GaussianNB.*priors"):
        GaussianNB(priors=priors).fit([[0.0], [1.0]], [0, 1])


def test_an_explanation_adds_up_to_the_posterior():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = GaussianNB().fit(X, y)
    story = model.explain(X.iloc[[100]])
    terms, evidence, odds = story.sections
    names = [row[0] for row in terms.rows]
    assert names == ["log prior", *X.columns, "sum"]
    joint = np.array(terms.rows[-1][2:])
    assert_allclose(joint, model.predict_joint_log_proba(X.iloc[[100]])[0], rtol=1e-12)
    assert_allclose(np.exp(joint - evidence.rows[0][1]), model.predict_proba(X.iloc[[100]])[0], rtol=1e-9)
    assert odds.title == "Log odds of 2 against 1"
    assert_allclose(odds.rows[-1][1], joint[2] - joint[1], rtol=1e-12)
