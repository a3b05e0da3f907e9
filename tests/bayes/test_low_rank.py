"""Fewer rows than columns: the Gram matrix of the rows gives what the covariance of the columns gives."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.special import log_softmax
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold

import assay
from assay.bayes import (
    FisherDirections,
    FisherDiscriminant,
    GaussianClassifierCV,
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from assay.bayes.covariance_estimates import BlendedRows
from assay.bayes.gaussian_classifier import SingularCovarianceError
from assay.bayes.linear_discriminant import _leading_directions
from assay.bayes.low_rank import LowRank, few_rows, whitening_of_rows
from assay.bayes.shared_covariance import whitening
from assay.core.moments import class_scatter, row_scatter
from assay.core.sums import Rows
from assay.errors import DegenerateError, PersistenceError

GIVEN = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3], store_covariance=True),
    LinearDiscriminantAnalysis(solver="lsqr"),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1.0, priors=[0.2, 0.5, 0.3]),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", priors=[0.2, 0.5, 0.3]),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3, n_components=1, priors=[0.2, 0.5, 0.3]),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(reg_param=0.3),
    QuadraticDiscriminantAnalysis(reg_param=1.0, store_covariance=True, priors=[0.2, 0.5, 0.3]),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.4),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    RegularizedDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(alpha=1.0, beta=0.0),
    RegularizedDiscriminantAnalysis(alpha=0.2, beta=0.8, priors=[0.2, 0.5, 0.3]),
    RegularizedDiscriminantAnalysis(alpha=0.2, beta=0.0),
    NearestMean(metric="mahalanobis"),
]


def wide_rows(n, d, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 20, d) + rng.normal(size=d) * 5
    X[:, :3] += 3 * np.eye(3)[y]
    w = rng.choice([0.0, 0.5, 1.0, 3.0], n) if weighted else None
    return X, y, w


def by_columns(model, X, y, w):
    """The same fit from scatter matrices: blocks are never taken as rows."""
    return model.fit_blocks([(X, y) if w is None else (X, y, w)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n, d", [(24, 60), (29, 30), (30, 30), (40, 30)])
@pytest.mark.parametrize("model", GIVEN, ids=str)
def test_same_answers_as_by_columns(model, n, d, weighted):
    X, y, w = wide_rows(n, d, weighted=weighted)
    X_new = wide_rows(17, d, seed=1)[0]
    auto = getattr(model, "shrinkage", None) == "auto"
    rows = assay_clone(model).fit(X, y, w)
    columns = by_columns(assay_clone(model), X, y, w) if not auto else fit_dense(assay_clone(model), X, y, w)
    assert_allclose(rows.decision_function(X_new), columns.decision_function(X_new), rtol=1e-6, atol=1e-6)
    assert_allclose(rows._log_joint(X_new), columns._log_joint(X_new), rtol=1e-6)
    assert_allclose(rows.predict_log_proba(X_new), columns.predict_log_proba(X_new), rtol=1e-6, atol=1e-6)
    ours, theirs = rows.discriminants(), columns.discriminants()
    assert_allclose(
        log_softmax(ours(X_new), axis=1), log_softmax(theirs(X_new), axis=1), rtol=1e-5, atol=1e-5
    )
    assert hasattr(rows, "covariance_") == hasattr(columns, "covariance_")
    if hasattr(columns, "covariance_"):
        assert_allclose(rows.covariance_, columns.covariance_, rtol=1e-8, atol=1e-8 * np.abs(X).max())
    if hasattr(columns, "scalings_") and hasattr(rows, "transform") and getattr(rows, "solver", "") != "lsqr":
        assert_allclose(np.abs(rows.transform(X_new)), np.abs(columns.transform(X_new)), rtol=1e-5, atol=1e-6)
        assert_allclose(rows.explained_variance_ratio_, columns.explained_variance_ratio_, rtol=1e-6)
    a, b = rows.explain(X_new[:1]), columns.explain(X_new[:1])
    assert str(a).splitlines()[:2] == str(b).splitlines()[:2]


def assay_clone(model):
    return type(model)(**model.get_params())


def fit_dense(model, X, y, w):
    """Ledoit and Wolf look at rows in memory twice; here they are kept from being few."""
    model.classes_ = np.unique(y)
    one = Rows(X, y, w)
    cut = type("Cut", (Rows,), {"blocks": one.blocks})(X, y, w)
    cut.X = _Lines(X)
    assert few_rows(cut, 3) is None
    model._check_parameters()
    from assay.tables import Table

    model._remember(Table.of(X, who="test").schema)
    model._learn_rows(cut)
    return model


class _Lines:
    """Rows that do not say that they are an array."""

    def __init__(self, X):
        self.X, self.shape = X, X.shape

    def __getitem__(self, which):
        return self.X[which]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("within", ["sum", "prior-weighted-scatter"])
@pytest.mark.parametrize("threshold", ["midpoint", "gaussian", "accuracy"])
def test_fishers_direction_from_rows(threshold, within, weighted):
    X, y, w = wide_rows(22, 50, weighted=weighted)
    y = y % 2
    rows = FisherDiscriminant(within, threshold).fit(X, y, w)
    columns = by_columns(FisherDiscriminant(within, threshold), X, y, w)
    assert_allclose(rows.direction_, columns.direction_, rtol=1e-6, atol=1e-8)
    assert_allclose(rows.criterion_, columns.criterion_, rtol=1e-7)
    assert_allclose(rows.threshold_, columns.threshold_, rtol=1e-7)
    assert_allclose(rows.decision_function(X), columns.decision_function(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("model", GIVEN, ids=str)
def test_rows_added_later_make_the_fit_of_all(model):
    if getattr(model, "shrinkage", None) == "auto":
        return  # has no partial_fit
    X, y, _ = wide_rows(24, 40)
    more, y_more, _ = wide_rows(60, 40, seed=2)
    model = assay_clone(model).fit(X, y).partial_fit(more, y_more)
    both = assay_clone(model).fit(np.r_[X, more], np.r_[y, y_more])
    assert_allclose(model.predict_log_proba(more), both.predict_log_proba(more), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("model", [GIVEN[0], GIVEN[2], GIVEN[3], GIVEN[10], GIVEN[13], GIVEN[14]], ids=str)
def test_files_and_samples(model, tmp_path):
    X, y, _ = wide_rows(24, 40)
    model = assay_clone(model).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert hasattr(again, "covariance_") == hasattr(model, "covariance_")
    drawn, labels = model.sample(6000, random_state=0)
    k = labels == model.classes_[0]
    assert_allclose(drawn[k].mean(axis=0), model.means_[0], atol=6 * X.std() / np.sqrt(k.sum()))
    dense = model.covariance_ if hasattr(model, "covariance_") else None
    if dense is not None and np.ndim(dense) == 2:
        assert_allclose(np.cov(drawn[k].T), dense, atol=0.12 * np.diag(dense).max())


@pytest.mark.parametrize("model", [*GIVEN[:11], *GIVEN[12:], NearestMean(), GaussianClassifierCV()], ids=str)
def test_no_matrix_of_columns_is_made(model):
    """30 rows of 2,000 columns: a matrix of all columns would take 32 MB."""
    X, y, _ = wide_rows(30, 2000)
    model = type(model)(
        **(model.get_params() | ({"store_covariance": False} if hasattr(model, "store_covariance") else {}))
    )
    tracemalloc.start()
    try:
        assert np.isfinite(model.fit(X, y).predict_proba(X)).all()
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()


def test_several_directions_are_found_without_a_matrix_of_columns(tmp_path):
    X, y, _ = wide_rows(30, 2000)
    tracemalloc.start()
    try:
        model = FisherDirections().fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert (again.transform(X) == model.transform(X)).all()
    assert_allclose(
        again.within_[:9, :9], by_columns(FisherDirections(), X[:, :9], y, None).within_, rtol=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_components", [2, None])
def test_several_directions_from_rows(n_components, weighted):
    X, y, w = wide_rows(20, 50, weighted=weighted)
    rows = FisherDirections(n_components).fit(X, y, w)
    columns = by_columns(FisherDirections(n_components), X, y, w)
    assert rows.directions_.shape == columns.directions_.shape
    assert_allclose(rows.directions_[:2], columns.directions_[:2], rtol=1e-5, atol=1e-7)
    assert_allclose(rows.criteria_[:2], columns.criteria_[:2], rtol=1e-6)
    assert_allclose(rows.within_, columns.within_, rtol=1e-9, atol=1e-9 * np.abs(columns.within_).max())


def test_structures_of_wide_rows_have_the_errors_of_plain_cross_validation():
    X, y, _ = wide_rows(40, 60)
    splits = list(StratifiedKFold(4).split(X, y))
    model = GaussianClassifierCV(cv=splits).fit(X, y)
    shared = model.cv_results_[3]
    lda = LinearDiscriminantAnalysis()
    plain = [np.mean(assay_clone(lda).fit(X[a], y[a]).predict(X[b]) != y[b]) for a, b in splits]
    assert_allclose(shared["error"], np.mean(plain), rtol=1e-12)
    assert "not full rank" in model.cv_results_[4]["reason"]
    by_folds = GaussianClassifierCV(["shared"], cv=5).fit(X, y)
    assert_allclose(by_folds.predict_proba(X), assay_clone(lda).fit(X, y).predict_proba(X), rtol=1e-9)


def test_principal_axes_of_wide_rows_are_made_when_asked_for():
    X, y, _ = wide_rows(24, 40)
    model = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto", store_covariance=True).fit(X, y)
    assert "rotations_" not in vars(model) and len(model.rotations_) == 3
    for covariance, axes, variances in zip(model.covariance_, model.rotations_, model.scalings_, strict=True):
        assert_allclose((axes * variances) @ axes.T, covariance, rtol=1e-8, atol=1e-9 * variances[0])


@pytest.mark.parametrize(
    "model, rank, advice",
    [
        (
            QuadraticDiscriminantAnalysis(),
            9,
            "It has 10 rows, no more than columns. Increase the value of `reg_param`",
        ),
        (QuadraticDiscriminantAnalysis(solver="eigen"), 9, "Increase the value of `shrinkage`"),
        (RegularizedDiscriminantAnalysis(alpha=0, beta=0.4), 27, r"Raise alpha\."),
        (RegularizedDiscriminantAnalysis(alpha=0, beta=0), 9, r"Raise alpha\."),
    ],
    ids=str,
)
def test_singular_covariances_are_refused_without_a_matrix_of_columns(model, rank, advice):
    X, y, _ = wide_rows(30, 2000)
    tracemalloc.start()
    try:
        with pytest.raises(SingularCovarianceError, match=rf"class 0 .*\(rank {rank} of 2000\)\. .*{advice}"):
            model.fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()


def test_too_few_rows_so_far_are_said_under_one_name():
    X, y, _ = wide_rows(30, 6)
    model = QuadraticDiscriminantAnalysis().partial_fit(X[:6], y[:6], classes=[0, 1, 2])
    with pytest.raises(
        NotFittedError, match=r"^QuadraticDiscriminantAnalysis: The covariance .*So far: call"
    ):
        model.predict(X)
    model.partial_fit(X[6:], y[6:])
    assert_allclose(
        model.predict_proba(X), QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-9
    )


@pytest.mark.parametrize("shrinkage", ["auto", 0.5, 1.0])
def test_directions_where_the_rows_span_too_few(shrinkage):
    """Three classes of the same rows, or a covariance that is a sphere: no direction is better than another."""
    X = np.random.default_rng(0).normal(size=(6, 40))
    model = LinearDiscriminantAnalysis("eigen", shrinkage).fit(np.vstack([X] * 3), np.repeat([0, 1, 2], 6))
    assert_allclose(model.predict_proba(X), 1 / 3, rtol=1e-9)
    V = model.scalings_[:, :2]
    assert model.transform(X).shape == (6, 2) and np.isfinite(model.explained_variance_ratio_).all()
    assert_allclose(V.T @ model.covariance_ @ V, np.eye(2), atol=1e-9)


def test_directions_by_lanczos_steps_are_those_of_all_columns():
    """Oracle: scipy.linalg.eigh of the two dense matrices."""
    rng = np.random.default_rng(2)
    within, total = (BlendedRows(rng.normal(size=(m, 30)), rng.uniform(0.5, 2, 30)) for m in (7, 9))
    values, vectors = _leading_directions(within, total, within.shape(), 4)
    S, T = within.dense(), total.dense()
    wanted, directions = eigh(T - S, S)
    assert_allclose(values, wanted[:-5:-1], rtol=1e-9)
    assert_allclose(np.abs(vectors), np.abs(directions[:, :-5:-1]), rtol=1e-6, atol=1e-9)
    shape = within.shape()
    assert_allclose(shape.inverse_diagonal, np.diag(np.linalg.inv(S)), rtol=1e-9)


def test_classes_that_are_points_are_refused_as_by_columns():
    X = np.repeat(np.random.default_rng(0).normal(size=(3, 20)), 3, axis=0)
    y = np.repeat([0, 1, 2], 3)
    for solver in ("svd", "lsqr"):
        with pytest.raises(DegenerateError, match="no column varies within a class"):
            LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    with pytest.raises(DegenerateError, match="singular"):
        LinearDiscriminantAnalysis(solver="eigen").fit(*wide_rows(12, 20)[:2])
    with pytest.raises(DegenerateError, match="not full rank"):
        QuadraticDiscriminantAnalysis(reg_param=1e-15).fit(*wide_rows(12, 20)[:2])


def test_deviations_are_what_the_scatter_is_made_of():
    X, y, w = wide_rows(25, 8, weighted=True)
    rows, full = row_scatter(X, y, w, 3), class_scatter(X, y, w, 3, pooled=False)
    assert_allclose(rows.scatter, full.scatter, rtol=1e-10, atol=1e-9)
    assert_allclose(rows.mean, full.mean, rtol=1e-14)
    one = class_scatter(X, np.zeros(25, np.int64), w, 1, pooled=True)
    assert_allclose(rows.pooled().scatter, one.scatter, rtol=1e-10, atol=1e-8)
    assert_allclose(rows.squares, np.diagonal(full.scatter.sum(axis=0)), rtol=1e-10)


def test_a_covariance_of_few_axes():
    rng = np.random.default_rng(0)
    F, scale = rng.normal(size=(5, 9)), rng.uniform(0.5, 2, 9)
    S = F.T @ F + 0.7 * np.diag(scale**2)
    low = LowRank.of_rows(F, 0.7, scale)
    assert_allclose(low.dense(), S, rtol=1e-10)
    assert_allclose(low.precision(), np.linalg.inv(S), rtol=1e-8, atol=1e-10)
    assert_allclose(low.log_det, np.linalg.slogdet(S)[1], rtol=1e-10)
    x = rng.normal(size=(4, 9))
    assert_allclose(low.squares(x), np.einsum("ij,jk,ik->i", x, np.linalg.inv(S), x), rtol=1e-9)
    root = low.deviations(np.eye(9))
    assert_allclose(root.T @ root, S, rtol=1e-9)
    P = whitening(F.T @ F)
    assert_allclose(
        whitening_of_rows(F).whitener @ whitening_of_rows(F).whitener.T, P @ P.T, rtol=1e-7, atol=1e-9
    )


@pytest.mark.parametrize("name", ["_scale", "_axes", "_along", "_sums"])
@pytest.mark.parametrize("model", [GIVEN[3], GIVEN[10], GIVEN[14]], ids=str)
def test_a_file_with_arrays_of_other_sizes_is_refused(model, name, tmp_path):
    X, y, _ = wide_rows(24, 40)
    model = assay_clone(model).fit(X, y)
    if name not in vars(model):
        assert name == "_scale"  # quadratic ones have none
        return
    if name == "_sums":
        model._sums.deviations = model._sums.deviations[:-1]
    elif isinstance(getattr(model, name), list):
        setattr(model, name, [a[:-1] for a in getattr(model, name)])
    else:
        setattr(model, name, getattr(model, name)[:-1])
    with pytest.raises(PersistenceError):
        assay.save(model, tmp_path / "model.assay")
        assay.load(tmp_path / "model.assay")
