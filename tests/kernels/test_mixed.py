"""Kernels of mixed tables: numbers, categories, ordered categories and missing values."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import assay
from assay.distances import Gower
from assay.errors import DataError, ParameterError
from assay.kernels import RBF, MixedKernel, check_gram, kernel_of, repair_gram
from assay.tables import Table

RNG = np.random.default_rng(0)
N = 60
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(40, 12, N),
        "city": RNG.choice(["Rome", "Oslo", "Lima", "Bern"], N, p=[0.5, 0.3, 0.15, 0.05]),
        "size": pd.Categorical(RNG.choice(["S", "M", "L"], N), categories=["S", "M", "L"], ordered=True),
        "income": RNG.lognormal(3, 1, N),
        "same": 7.0,
    }
)
TABLE = Table.of(FRAME)
X = TABLE.values
MISSING = np.where(RNG.random(X.shape) < 0.25, np.nan, X)
CHOICES = list(
    itertools.product(
        ("rbf", "laplacian", "triangle"),
        ("mismatch", "equality", "frequency"),
        ("product", "sum", "both"),
        ("average", "category"),
    )
)


def fitted(*choices, rows=MISSING, **more):
    return MixedKernel(*choices, **more).with_schema(TABLE.schema).learn(rows)


def by_the_book(kernel, A, B):
    """The definition, pair by pair: an expectation over the training values where one is missing."""
    d = len(kernel._active)

    def column(j, a, b, m):
        v, p = kernel._values(j)
        if np.isnan(a) or np.isnan(b):
            if kernel.missing == "category":
                return float(np.isnan(a) and np.isnan(b))
            first = list(zip(v, p)) if np.isnan(a) else [(a, 1.0)]
            second = list(zip(v, p)) if np.isnan(b) else [(b, 1.0)]
            return sum(p * q * column(j, s, t, m) for s, p in first for t, q in second)
        e = kernel.exponent_[j] * kernel.gamma / m
        if kernel.kinds[j] == 1:
            shares = dict(zip(v, p))
            return {
                "mismatch": 1.0 if a == b else np.exp(-e),
                "equality": float(a == b),
                "frequency": 1.0 if a == b else np.sqrt(shares.get(a, 0) * shares.get(b, 0)),
            }[kernel.categories]
        away = abs(a - b)
        return {
            "rbf": np.exp(-e * away**2),
            "laplacian": np.exp(-e * away),
            "triangle": max(0.0, 1 - e * away),
        }[kernel.numbers]

    def value(a, b):
        product = np.prod([column(j, a[j], b[j], d) for j in kernel._active])
        mean = np.mean([column(j, a[j], b[j], 1) for j in kernel._active])
        return {"product": product, "sum": mean, "both": (product + mean) / 2}[kernel.by]

    return np.array([[value(a, b) for b in B] for a in A])


@pytest.mark.parametrize("choices", CHOICES, ids="-".join)
def test_values_by_the_definition(choices):
    kernel = fitted(*choices, gamma=1.3)
    expected = by_the_book(kernel, MISSING[:6], MISSING[6:14])
    assert_allclose(kernel(MISSING[:6], MISSING[6:14]), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("choices", CHOICES, ids="-".join)
def test_matrices_are_positive_semidefinite_with_missing_values(choices):
    kernel = fitted(*choices)
    assert kernel.psd
    for rows in (MISSING, X, np.vstack([MISSING, MISSING * 3])):
        K = kernel(rows)
        assert (K == K.T).all()
        assert check_gram(K, tol=1e-9).psd
        assert_allclose(np.diag(K), kernel.diagonal(rows), rtol=1e-12)


@pytest.mark.parametrize("choices", CHOICES, ids="-".join)
def test_gradients_are_differences(choices):
    kernel = fitted(*choices, gamma=0.7)
    rows = MISSING[:15]
    step = 1e-6
    expected = (
        kernel.with_theta(kernel.theta + step)(rows) - kernel.with_theta(kernel.theta - step)(rows)
    ) / (2 * step)
    assert_allclose(kernel.gradient(rows)[0], expected, rtol=1e-5, atol=1e-8)


def test_complete_products_are_gaussian_kernels_of_a_design_in_native_code(monkeypatch):
    kernel = fitted(rows=X)
    expected = by_the_book(kernel, X[:8], X[8:20])
    assert kernel._designs(X) is not None and kernel._designs(MISSING) is None
    assert_allclose(kernel(X[:8], X[8:20]), expected, rtol=1e-10)
    coef = RNG.normal(size=(12, 2))
    assert_allclose(kernel.combine(X[:8], X[8:20], coef), expected @ coef, rtol=1e-9)
    out = np.empty((3, N))
    kernel.gram_rows(X).fill(np.array([4, 0, 9]), None, out)
    assert_allclose(out, kernel(X)[[4, 0, 9]], rtol=1e-10)
    monkeypatch.setattr("assay.kernels.mixed.INDICATORS_LIMIT", 1)  # column by column
    assert_allclose(kernel(X[:8], X[8:20]), expected, rtol=1e-10)


@pytest.mark.parametrize("missing", ["average", "category", "ignore"])
def test_missing_values_in_products_change_factors_of_the_native_product(missing, monkeypatch):
    far = MISSING.copy()
    far[3, 0] = 1e5  # the factor of this column is 0: then column by column
    for rows in (MISSING, far):
        kernel = fitted(missing=missing, rows=MISSING, gamma=1.7)
        K, between = kernel(rows), kernel(rows[:7], rows[7:])
        assert kernel._from_designs(MISSING, MISSING) is not None
        assert (kernel._from_designs(rows, rows) is None) == (rows is far)
        monkeypatch.setattr(MixedKernel, "_has_design", False)  # column by column
        assert_allclose(K, kernel(rows), rtol=1e-11, atol=1e-300)
        assert_allclose(between, kernel(rows[:7], rows[7:]), rtol=1e-11, atol=1e-300)
        monkeypatch.undo()


def test_numbers_alone_are_the_gaussian_kernel_of_standardised_columns():
    rows = RNG.normal(size=(50, 3)) * [1.0, 10.0, 0.1]
    scaled = rows / rows.std(axis=0)
    expected = RBF(gamma=1 / 3)(scaled)  # gamma="scale" of columns of variance 1
    assert_allclose(MixedKernel().learn(rows)(rows), expected, rtol=1e-12)


def test_the_log_similarity_of_two_training_rows_is_minus_two_on_average():
    for numbers in ("rbf", "laplacian"):
        kernel = fitted(numbers, rows=X)
        assert abs(np.log(kernel(X)).mean() + 2) < 0.1


@pytest.mark.parametrize("gaps", [False, True])
def test_gowers_similarity_is_one_minus_gowers_distance(gaps):
    rows = MISSING if gaps else X
    kernel = MixedKernel("triangle", "equality", "sum", "ignore").with_schema(TABLE.schema).learn(rows)
    active = kernel._active
    coded = np.array([c.kind == "nominal" for c in TABLE.schema])[active]
    D = Gower(coded).learn(rows[:, active]).between(rows[:, active], rows[:, active])
    assert_allclose(kernel(rows), 1 - D, atol=1e-12)
    assert not kernel.psd
    if not gaps:
        named = kernel_of("gower", schema=TABLE.schema).learn(rows)
        assert_allclose(named(rows), kernel(rows))
        assert named.name == "gower" and named.psd and check_gram(kernel(rows)).psd


def test_gower_with_missing_values_may_be_indefinite_and_is_repaired_openly():
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((40, 3)) < 0.5, np.nan, rng.integers(0, 3, (40, 3)))
    kernel = MixedKernel("triangle", "equality", "sum", "ignore").learn(rows)
    report = check_gram(kernel(rows))
    assert not report.psd
    repaired = repair_gram(kernel(rows))
    assert check_gram(repaired.K).psd and "clipped" in repaired.sentence
    assert check_gram(kernel_of("gower").learn(rows)(rows)).psd  # a missing value is an average one


def test_unseen_categories_are_missing_and_columns_without_spread_do_not_count():
    kernel = fitted(rows=X)
    assert kernel.exponent_[4] == 0
    other = X.copy()
    other[:, 4] = 99.0
    assert_allclose(kernel(other), kernel(X))
    rows = Table.like(FRAME.head(3).assign(city=["Rome", "Paris", None]), TABLE.schema)
    K = kernel(rows.unseen_as_missing().values, X)
    assert np.isfinite(K).all() and np.isnan(rows.unseen_as_missing().values[1:, 1]).all()
    assert_allclose(MixedKernel().learn(np.ones((4, 2)))(np.ones((4, 2))), 1.0)


def test_weights_count_rows():
    w = RNG.integers(0, 3, N).astype(float)
    few = MixedKernel(kinds=[0, 1], by="sum").learn(X[:20, :2], w=w[:20])
    twice = MixedKernel(kinds=[0, 1], by="sum").learn(np.repeat(X[:20, :2], w[:20].astype(int), axis=0))
    assert_allclose(few(MISSING[:, :2]), twice(MISSING[:, :2]), rtol=1e-10)


def test_a_mixed_kernel_is_a_value_and_is_stored(tmp_path):
    kernel = fitted("laplacian", "frequency", "both")
    assay.save(kernel, tmp_path / "k.assay")
    again = assay.load(tmp_path / "k.assay")
    assert again == kernel
    assert_allclose(again(MISSING), kernel(MISSING))
    fresh = clone(kernel)
    assert fresh.exponent_ is None and fresh.numbers == "laplacian"
    with pytest.raises(DataError, match=r"Call learn\(X\)"):
        fresh(X)
    with pytest.raises(DataError, match="5 columns"):
        kernel(X[:, :2])


def test_parts_of_mixed_tables_join_the_algebra():
    kernel = MixedKernel().on(["city", "size"]) + 0.5 * RBF(gamma="scale").on(["age", "income"])
    learned = kernel.with_schema(TABLE.schema).learn(X)
    rows = X.copy()
    rows[3, 1] = np.nan
    expected = MixedKernel(kinds=[1, 2]).learn(X[:, [1, 2]])(rows[:, [1, 2]]) + 0.5 * RBF(
        gamma="scale"
    ).learn(X[:, [0, 3]])(rows[:, [0, 3]])
    assert_allclose(learned(rows), expected, rtol=1e-12)
    assert {"nominal", "missing"} <= learned.takes
    with pytest.raises(ValueError, match="'city' holds categories"):
        RBF().on(["city"]).with_schema(TABLE.schema)


@pytest.mark.parametrize("kernel", ["mixed", "gower", MixedKernel("laplacian", by="both")])
def test_a_machine_learns_from_a_raw_table(kernel, tmp_path):
    from assay.svm import SVR

    frame = FRAME.copy()
    target = frame["age"] / 10 + (frame["city"] == "Rome") * 3.0
    frame.loc[::7, "age"] = np.nan
    frame.loc[::5, "city"] = None
    model = SVR(kernel=kernel, C=10.0).fit(frame, target)
    assert model.score(frame, target) > 0.5
    assay.save(model, tmp_path / "svr.assay")
    assert_allclose(assay.load(tmp_path / "svr.assay").predict(frame), model.predict(frame))
    named = SVR(kernel=RBF(gamma="scale").on(["income"]) + MixedKernel().on(["city"])).fit(frame, target)
    assert np.isfinite(named.predict(frame)).all()


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "LandmarkSVC", "KernelLogisticRegression"])
def test_classifiers_know_which_columns_are_categories(name):
    import assay.svm

    frame = FRAME.copy()
    y = np.where((frame["age"] > 40) ^ (frame["city"] == "Rome"), "yes", "no")
    frame.loc[::7, "age"] = np.nan
    frame.loc[::5, "city"] = None
    model = getattr(assay.svm, name)(kernel="mixed").fit(frame, y)
    assert model.kernel_.kinds.tolist() == [0, 1, 2, 0, 0]
    assert model.score(frame, y) > 0.75


@pytest.mark.parametrize(
    "make",
    [
        lambda: MixedKernel("gauss"),
        lambda: MixedKernel(by="mean"),
        lambda: MixedKernel(missing="drop"),
        lambda: MixedKernel(kinds=[0, 5]),
        lambda: MixedKernel(gamma=-1.0),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()
