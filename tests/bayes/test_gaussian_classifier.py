"""What all Gaussian classifiers share: ways of adding up, exported scores, samples, failed fits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from assay.bayes import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    SharedDiagonalNB,
    SingularCovarianceError,
    UnivariateGaussianClassifier,
)
from assay.bayes.gaussian_classifier import by_rows, class_priors
from assay.core import sums
from assay.errors import DegenerateError, ParameterError

MAKERS = {
    "naive": GaussianNB,
    "shared diagonal": SharedDiagonalNB,
    "linear": LinearDiscriminantAnalysis,
    "linear, lsqr, priors": lambda: LinearDiscriminantAnalysis(solver="lsqr", priors=[0.2, 0.3, 0.5]),
    "linear, eigen": lambda: LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    "quadratic": QuadraticDiscriminantAnalysis,
    "regularised": RegularizedDiscriminantAnalysis,
    "nearest mean": NearestMean,
    "mahalanobis": lambda: NearestMean(metric="mahalanobis", priors="empirical"),
    "univariate": UnivariateGaussianClassifier,
}
FITTED = ("theta_", "var_", "epsilon_", "class_prior_", "means_", "priors_", "covariance_", "coef_", "xbar_",
          "variance_", "scalings_", "explained_variance_ratio_", "thresholds_")  # fmt: skip
IRIS, KINDS = load_iris(return_X_y=True)


def far_rows(seed, offset, n=120, d=3, K=3):
    """Three clouds of unit spread or so, far from zero, with weights some of which are 0."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(2 * K) % K, rng.integers(0, K, n - 2 * K))
    shape = np.eye(d) + rng.uniform(-0.25, 0.25, size=(d, d))  # far from singular
    X = rng.normal(size=(n, d)) @ shape + rng.normal(size=(K, d), scale=2)[y] + offset
    w = rng.choice([0.0, 1.0, 2.5], n)
    w[: 2 * K] = 1.0
    return X, y, w


def assert_same_model(a, b):
    for name in FITTED:
        if hasattr(b, name):
            here, there = np.asarray(getattr(a, name)), np.asarray(getattr(b, name))
            assert_allclose(here, there, rtol=1e-10, atol=1e-10 * np.abs(there).max(initial=0), err_msg=name)


@pytest.mark.parametrize("made", MAKERS)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    offset=st.sampled_from([0.0, 1e3, 1e6]),
    pieces=st.integers(2, 9),
    order=st.randoms(use_true_random=False),
)
def test_memory_stream_and_parts_in_any_order_give_one_model(made, seed, offset, pieces, order):
    X, y, w = far_rows(seed, offset)
    whole = MAKERS[made]().fit(X, y, w)
    cuts = list(np.array_split(np.arange(len(y)), pieces))
    order.shuffle(cuts)
    streamed = MAKERS[made]().fit_blocks([(X[rows], y[rows], w[rows]) for rows in cuts])
    parts = MAKERS[made]()
    for rows in cuts:
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=w[rows])
    assert_same_model(streamed, whole)
    assert_same_model(parts, whole)


@pytest.mark.parametrize("made", MAKERS)
def test_rows_cut_for_threads_give_the_same_model(made, monkeypatch):
    X, y, w = far_rows(1, 1e6, n=4000)
    whole = MAKERS[made]().fit(X, y, w)
    monkeypatch.setattr(sums, "ONE_BLOCK_BYTES", 1000)
    monkeypatch.setattr(sums, "BLOCK_BYTES", 1 << 13)
    assert_same_model(MAKERS[made]().fit(X, y, w), whole)


@pytest.mark.parametrize("made", ["naive", "linear", "quadratic"])
def test_dask_partitions_give_the_same_model(made):
    da = pytest.importorskip("dask.array", reason="the dask extra is not installed")
    X, y, w = far_rows(2, 1e6)
    chunked = MAKERS[made]().fit(*(da.from_array(a, chunks=(37, *a.shape[1:])) for a in (X, y, w)))
    assert_same_model(chunked, MAKERS[made]().fit(X, y, w))


@pytest.mark.capability("IML-5-11", "IML-5-12", "IML-5-13", "IML-5-14", "IML-5-15", "IML-5-21")
@pytest.mark.parametrize("made", [made for made in MAKERS if made != "univariate"])
def test_exported_scores_differ_as_the_log_posteriors_do(made):
    model = MAKERS[made]().fit(IRIS, KINDS)
    d = model.discriminants()
    log = model.predict_log_proba(IRIS)
    scores = d(IRIS)
    assert_allclose(scores - scores[:, :1], log - log[:, :1], rtol=1e-7, atol=1e-7)
    W, w, w0 = d.log_odds(2, 1)
    odds = IRIS @ w + w0 + (0 if W is None else np.einsum("ia,ab,ib->i", IRIS, W, IRIS))
    assert_allclose(odds, log[:, 2] - log[:, 1], rtol=1e-7, atol=1e-7)
    assert d.names == ["x0", "x1", "x2", "x3"] and d.w.shape == (3, 4) and d.w0.shape == (3,)


@pytest.mark.parametrize("made", [made for made in MAKERS if "priors" not in made])
def test_two_classes_export_the_scores_of_the_log_odds(made):
    model = MAKERS[made]().fit(IRIS[50:], KINDS[50:])
    X = IRIS[50:, :1] if made == "univariate" else IRIS[50:]
    scores, log = model.discriminants()(X), model.predict_log_proba(IRIS[50:])
    assert_allclose(scores[:, 1] - scores[:, 0], log[:, 1] - log[:, 0], rtol=1e-8, atol=1e-8)
    joint = model.predict_joint_log_proba(IRIS[50:])
    assert_allclose(joint[:, 1] - joint[:, 0], log[:, 1] - log[:, 0], rtol=1e-8, atol=1e-8)


def test_log_odds_of_an_unknown_class_are_refused():
    with pytest.raises(ParameterError, match=r"no class 'blue'. Classes: \[0, 1, 2\]"):
        GaussianNB().fit(IRIS, KINDS).discriminants().log_odds(0, "blue")


@pytest.mark.parametrize("made", MAKERS)
def test_a_model_of_its_own_samples_is_nearly_itself(made):
    model = MAKERS[made]().fit(IRIS, KINDS)
    X, y = model.sample(60_000, random_state=0)
    d = 1 if made == "univariate" else 4
    assert X.shape == (60_000, d) and set(y) == {0, 1, 2}
    priors = model._prior()
    assert_allclose(np.bincount(y) / len(y), priors, atol=0.01)
    for k in range(3):
        assert_allclose(X[y == k].mean(axis=0), model._means[k], atol=0.03)
    if hasattr(model, "var_"):
        assert_allclose(np.array([X[y == k].var(axis=0) for k in range(3)]), model.var_, rtol=0.05)
    elif made in ("linear", "mahalanobis"):
        pooled = sum(np.cov(X[y == k].T) * priors[k] for k in range(3))
        whole = np.linalg.inv(model._whitener @ model._whitener.T)
        assert_allclose(pooled, whole, atol=0.01)
    elif made in ("quadratic", "regularised"):
        for k in range(3):
            own = np.linalg.inv(model._whiteners[k].T @ model._whiteners[k])
            assert_allclose(np.cov(X[y == k].T), own, atol=0.02)
    again = model.sample(60_000, random_state=0)
    assert_array_equal(again[0], X)
    assert_array_equal(again[1], y)


def test_samples_of_a_singular_model_stay_in_its_space():
    X = np.column_stack([IRIS, IRIS[:, 0] + IRIS[:, 1]])
    A, _ = LinearDiscriminantAnalysis().fit(X, KINDS).sample(500, random_state=1)
    gap = A[:, 4] - A[:, 0] - A[:, 1]
    assert np.abs(gap).max() < 1e-6
    with pytest.raises(ParameterError, match="n_samples must be a whole number from 1 up, got 0"):
        GaussianNB().fit(IRIS, KINDS).sample(0)


@pytest.mark.parametrize(
    "again", ["predict", "predict_proba", "decision_function", "discriminants", "sample"]
)
def test_a_failed_fit_leaves_no_model_behind(again):
    model = QuadraticDiscriminantAnalysis().fit(IRIS, KINDS)
    with pytest.raises(SingularCovarianceError):
        model.fit(np.column_stack([IRIS[:, :3], IRIS[:, 0]]), KINDS)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(model, again)(*([IRIS] if again not in ("discriminants", "sample") else []))
    assert model.fit(IRIS, KINDS).score(IRIS, KINDS) > 0.9


def test_parts_that_do_not_suffice_yet_complain_at_prediction():
    model = QuadraticDiscriminantAnalysis()
    model.partial_fit(IRIS[:60], KINDS[:60], classes=[0, 1, 2])  # ten rows of class 1, none of class 2
    assert_array_equal(model.predict_proba(IRIS[:5])[:, 2], 0)
    model.partial_fit(IRIS[100:103], KINDS[100:103])
    with pytest.raises(NotFittedError, match=r"class 2 is not full rank.*call partial_fit with more rows"):
        model.predict(IRIS)
    model.partial_fit(np.vstack([IRIS[60:100], IRIS[103:]]), np.append(KINDS[60:100], KINDS[103:]))
    assert_same_model(model, QuadraticDiscriminantAnalysis().fit(IRIS, KINDS))


@pytest.mark.parametrize("made", [made for made in MAKERS if "priors" not in made])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore::assay.errors.DegenerateWarning")
def test_rows_beyond_all_reason_get_probabilities_all_the_same(made, classes):
    """Largest floats: the winner is clear, or the prior is given with a warning; never NaN."""
    model = MAKERS[made]().fit(IRIS[: 50 * classes], KINDS[: 50 * classes])
    rng = np.random.default_rng(0)
    X = rng.choice([-1.7e308, 1e200, 0.0, 1.7e308], size=(60, 4))
    for P in (model.predict_proba(X), np.exp(model.predict_log_proba(X))):
        assert_allclose(P.sum(axis=1), 1, rtol=1e-12)
        assert (P >= 0).all()
    assert set(model.predict(X)) <= set(range(classes))


@pytest.mark.parametrize("made", MAKERS)
def test_a_first_part_that_weighs_nothing_adds_nothing(made):
    model = MAKERS[made]().partial_fit(IRIS, KINDS, classes=[0, 1, 2], sample_weight=np.zeros(150))
    with pytest.raises(NotFittedError, match="partial_fit with more rows"):
        model.predict(IRIS)
    w = np.random.default_rng(0).uniform(0.5, 2, 150)
    model.partial_fit(IRIS, KINDS, sample_weight=w)
    whole = MAKERS[made]().fit(IRIS, KINDS, w)
    assert_allclose(model.predict_proba(IRIS), whole.predict_proba(IRIS), atol=1e-12)


def test_categories_become_indicators_with_their_own_names():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0, 7.0, 9.0], "taste": list("aabbab")})
    model = LinearDiscriminantAnalysis().fit(frame, list("nnnyyy"))
    story = model.explain(frame.tail(1))
    assert [row[0] for row in story.sections[0].rows] == [
        "at the centre",
        "size",
        "taste=a",
        "taste=b",
        "sum",
    ]
    assert story.row == {"size": 9.0, "taste": "b"} and story.answer == "y"
    assert "taste=b" in str(story) and "Log odds of y against n" in story.to_html()


def test_priors_are_checked_and_scaled():
    classes, count = np.array(["a", "b"]), np.array([1.0, 3.0])
    assert_allclose(class_priors("M", None, count, classes), [0.25, 0.75])
    with pytest.raises(
        ParameterError, match=r"Number of priors must match number of classes \(2: a, b\), got 3"
    ):
        class_priors("M", [0.2, 0.2, 0.6], count, classes)
    with pytest.raises(ParameterError, match="non-negative, got -1"):
        class_priors("M", [-1, 2], count, classes)
    with pytest.warns(UserWarning, match="Renormalizing"):
        assert_allclose(class_priors("M", [2, 2], count, classes), [0.5, 0.5])
    with pytest.raises(DegenerateError, match=r"class b has prior 0\.5 but no row"):
        class_priors("M", [0.5, 0.5], np.array([4.0, 0.0]), classes)


def test_large_tables_are_scored_in_blocks():
    X = np.random.default_rng(0).normal(size=(200_000, 3))
    sizes = []

    def score(block, out):
        sizes.append(len(block))
        out[:] = block[:, :2]

    assert_array_equal(by_rows(score, X, 2), X[:, :2])
    assert sum(sizes) == 200_000 and len(sizes) == 3
