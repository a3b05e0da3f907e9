"""Gaussian mixtures of rows with missing values: nothing is imputed, everything known is used."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from assay import load, save
from assay.errors import DataError
from assay.mixture import (
    BayesianGaussianMixture,
    DirichletProcessMixture,
    FactorAnalyzerMixture,
    GaussianMixture,
    MixtureClassifier,
    MixturePrior,
    choose_mixture,
)
from assay.mixture.components import FORMS
from assay.mixture.missing_values import KnownColumns, gaussian_of, patterns

TYPES = ["full", "tied", "diag", "spherical", "tied_spherical"]


def incomplete(n=240, d=3, K=3, seed=0, share=0.25, apart=4.0):
    draw = np.random.default_rng(seed)
    group = draw.integers(K, size=n)
    shapes = draw.normal(size=(K, d, d))
    X = draw.normal(size=(K, d))[group] * apart
    X = X + np.einsum("nij,nj->ni", shapes[group], draw.normal(size=(n, d)))
    X[draw.random(X.shape) < share] = np.nan
    return X


def step_by_the_book(X, w, weights, means, covariances):
    """One step of EM, row by row: responsibilities by what is known, conditional moments of the rest."""
    K, d = means.shape
    counts, first, second, total = np.zeros(K), np.zeros((K, d)), np.zeros((K, d, d)), 0.0
    for x, weight in zip(X, w):
        o, logs, moments = ~np.isnan(x), np.zeros(K), []
        for k in range(K):
            S, gap = covariances[k], x[o] - means[k][o]
            to_rest = S[np.ix_(~o, o)] @ np.linalg.inv(S[np.ix_(o, o)]) if o.any() else np.zeros((d, 0))
            logs[k] = np.log(weights[k])
            if o.any():
                logs[k] += multivariate_normal.logpdf(x[o], means[k][o], S[np.ix_(o, o)])
            row, rest = x.copy(), np.zeros((d, d))
            row[~o] = means[k][~o] + to_rest @ gap
            rest[np.ix_(~o, ~o)] = S[np.ix_(~o, ~o)] - to_rest @ S[np.ix_(o, ~o)]
            moments.append((row - means[k], rest))
        evidence = logsumexp(logs)
        total += weight * evidence
        for k, share in enumerate(weight * np.exp(logs - evidence)):
            gap, rest = moments[k]
            counts[k] += share
            first[k] += share * gap
            second[k] += share * (np.outer(gap, gap) + rest)
    return counts, first, second, total


@pytest.mark.parametrize("name", TYPES)
def test_the_sums_of_a_step_are_those_of_the_book(name):
    X, d, K = incomplete(60), 3, 2
    X[7] = np.nan  # nothing is known of this row
    form, draw = FORMS[name], np.random.default_rng(1)
    w, weights, means = draw.uniform(0.5, 2, 60), np.array([0.3, 0.7]), draw.normal(size=(K, d))
    matrices = np.array([A @ A.T + np.eye(d) for A in draw.normal(size=(K, d, d))])
    covariances = {
        "full": matrices,
        "tied": matrices[0],
        "diag": np.diagonal(matrices, axis1=1, axis2=2),
        "spherical": np.array([0.5, 2.0]),
        "tied_spherical": np.array([2.0, 2.0]),
    }[name]
    whole = np.array([form.of_component(covariances, k, d) for k in range(K)])
    counts, first, second, total = step_by_the_book(X, w, weights, means, whole)
    if name == "tied":
        second = second.sum(axis=0)
    elif name != "full":
        second = np.diagonal(second, axis1=1, axis2=2)
    ours = KnownColumns(form, np.log(weights), means, covariances).expect(X, w)
    assert_allclose(ours.counts, counts, rtol=1e-12)
    assert_allclose(ours.first, first, atol=1e-10)
    assert_allclose(ours.second, second, rtol=1e-10, atol=1e-10)
    assert_allclose(ours.log_evidence, total, rtol=1e-12)


def test_one_gaussian_with_one_incomplete_column_has_the_closed_solution():
    """Oracle: Anderson (1957), Maximum likelihood estimates for a multivariate normal distribution when some
    observations are missing, doi:10.1080/01621459.1957.10501379. With y missing in some rows, the regression of y on x
    of the complete rows carries the moments of all x over to y."""
    draw = np.random.default_rng(3)
    x = draw.normal(size=80)
    y = 2 * x + draw.normal(size=80)
    y[x > 0.3] = np.nan  # far from at random over all rows, at random given x
    seen = ~np.isnan(y)
    slope = np.cov(x[seen], y[seen], bias=True)[0, 1] / x[seen].var()
    mean = y[seen].mean() + slope * (x.mean() - x[seen].mean())
    variance = y[seen].var() + slope**2 * (x.var() - x[seen].var())
    model = GaussianMixture(reg_covar=0, tol=1e-14, max_iter=5000).fit(np.column_stack([x, y]))
    assert_allclose(model.means_[0], [x.mean(), mean], rtol=1e-5)
    expected = [[x.var(), slope * x.var()], [slope * x.var(), variance]]
    assert_allclose(model.covariances_[0], expected, rtol=1e-4)


@pytest.mark.parametrize("prior", [None, MixturePrior(2.0)])
@pytest.mark.parametrize("covariance_type", TYPES)
def test_the_likelihood_of_what_is_known_never_falls(covariance_type, prior):
    if prior is not None and covariance_type == "tied_spherical":
        pytest.skip("this kind has no prior")
    X = incomplete()
    model = GaussianMixture(
        3, covariance_type=covariance_type, prior=prior, reg_covar=0, tol=1e-9, max_iter=300, random_state=0
    ).fit(X)
    rises = np.diff(model.lower_bounds_)
    assert model.converged_ and len(rises) > 3
    assert (rises > -1e-10).all()
    if prior is None:  # the bound is that of the step before
        assert_allclose(model.score(X), model.lower_bound_, atol=1e-7)


def test_densities_are_those_of_the_known_columns():
    X = incomplete()
    model = GaussianMixture(3, random_state=0).fit(X)
    for x, ours in zip(X[:30], model.score_samples(X[:30])):
        o = ~np.isnan(x)
        logs = [
            np.log(weight) + (multivariate_normal.logpdf(x[o], m[o], S[np.ix_(o, o)]) if o.any() else 0.0)
            for weight, m, S in zip(model.weights_, model.means_, model.covariances_)
        ]
        assert_allclose(ours, logsumexp(logs), rtol=1e-10)
    assert_allclose(model.predict_proba([[np.nan] * 3]), [model.weights_])


def test_components_are_found_again_where_a_quarter_is_missing():
    X = incomplete(3000, apart=6.0)
    whole = GaussianMixture(3, random_state=0).fit(incomplete(3000, share=0.0, apart=6.0))
    some = GaussianMixture(3, random_state=0).fit(X)
    nearest = [int(np.argmin(((whole.means_ - mean) ** 2).sum(axis=1))) for mean in some.means_]
    assert sorted(nearest) == [0, 1, 2]
    assert_allclose(some.means_, whole.means_[nearest], atol=0.25)
    assert_allclose(some.covariances_, whole.covariances_[nearest], atol=0.6)


@pytest.mark.parametrize("prior", [None, MixturePrior(2.0)])
@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag"])
def test_memory_blocks_and_dask_give_the_same_model(covariance_type, prior):
    da = pytest.importorskip("dask.array")
    X, w = incomplete(90), np.arange(90) % 4 + 0.5
    X[:40] = np.nan_to_num(X[:40])  # a block without missing values
    model = GaussianMixture(2, covariance_type=covariance_type, prior=prior, random_state=0)
    memory = model.fit(X, sample_weight=w)
    means, covariances = memory.means_.copy(), memory.covariances_.copy()
    model.fit_blocks([(X[a : a + 40], None, w[a : a + 40]) for a in range(0, 90, 40)])
    assert_allclose(model.means_, means, rtol=1e-8)
    assert_allclose(model.covariances_, covariances, rtol=1e-7, atol=1e-10)
    model.fit(da.from_array(X, chunks=(40, 3)), sample_weight=da.from_array(w, chunks=40))
    assert_allclose(model.means_, means, rtol=1e-8)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("assay.core.sums.ONE_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr("assay.core.sums.BLOCK_BYTES", 1 << 10)
    X = incomplete(500)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "1")
    one = GaussianMixture(3, random_state=0).fit(X)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "2")
    two = GaussianMixture(3, random_state=0).fit(X)
    assert one.means_.tobytes() == two.means_.tobytes()
    assert one.covariances_.tobytes() == two.covariances_.tobytes()


def test_weights_count_rows():
    X, w = incomplete(60), np.arange(60) % 3 + 1.0
    start = {
        "means_init": np.nan_to_num(X[:3]),
        "weights_init": np.full(3, 1 / 3),
        "precisions_init": np.array([np.eye(3) / 9] * 3),
    }
    weighted = GaussianMixture(3, **start).fit(X, sample_weight=w)
    repeated = GaussianMixture(3, **start).fit(np.repeat(X, w.astype(int), axis=0))
    assert_allclose(weighted.means_, repeated.means_, rtol=1e-8)
    assert_allclose(weighted.lower_bound_, repeated.lower_bound_, rtol=1e-10)


def test_a_column_without_values_is_named_and_one_that_is_constant_is_not_refused():
    X = incomplete(60)
    X[:, 1] = np.nan
    with pytest.raises(DataError, match="'x1' has no value at all"):
        GaussianMixture(2).fit(X)
    with pytest.raises(DataError, match="'x1' has no value at all"):
        GaussianMixture(2).fit_blocks([(X[:30],), (X[30:],)])
    X[::2, 1] = 5.0
    model = GaussianMixture(2, random_state=0).fit(X)
    assert_allclose(model.means_[:, 1], 5.0)


def test_values_far_from_zero_and_float32_lose_nothing():
    X = incomplete(200)
    near = GaussianMixture(3, random_state=0, reg_covar=0).fit(X.astype(np.float32))
    far = GaussianMixture(3, random_state=0, reg_covar=0).fit(X + 1e7)
    assert_allclose(near.means_ + 1e7, far.means_, rtol=1e-12)
    assert_allclose(near.covariances_, far.covariances_, rtol=1e-4)


def test_a_class_without_values_in_a_column_is_named():
    X = incomplete(60)
    frame = pd.DataFrame(X, columns=["length", "width", "height"])
    y = np.repeat(["early", "late"], 30)
    frame.loc[y == "late", "width"] = np.nan
    with pytest.raises(DataError, match="no row of class 'late' has a value in column 'width'"):
        MixtureClassifier(2).fit(frame, y)
    frame.loc[59, "width"] = 1.0  # known in one fold alone: the folds that lack it do not choose
    model = MixtureClassifier("auto", random_state=0).fit(frame, y)
    assert model.predict_proba(frame).shape == (60, 2)
    assert np.isfinite(model.predict_proba(frame)).all()


def test_many_patterns_are_not_all_kept(monkeypatch):
    X = incomplete(200, d=6, share=0.4)
    whole = GaussianMixture(2, random_state=0).fit(X)
    monkeypatch.setattr("assay.mixture.missing_values.KEPT_NUMBERS", 500)
    few = GaussianMixture(2, random_state=0).fit(X)
    assert few.means_.tobytes() == whole.means_.tobytes()


def test_patterns_hold_every_row_once():
    X = incomplete(100, d=11, share=0.4)
    parts = list(patterns(X))
    assert np.array_equal(np.sort(np.concatenate([rows for _, rows in parts])), np.arange(100))
    for known, rows in parts:
        assert (~np.isnan(X[rows]) == known).all()
    assert len(parts) == len(np.unique(np.isnan(X), axis=0))


def test_the_gaussian_of_all_rows_is_that_of_complete_ones():
    from assay.core.sums import Rows

    X = incomplete(100, share=0.0)
    mean, covariance = gaussian_of(Rows(X), 3)
    assert_allclose(mean, X.mean(axis=0), rtol=1e-10)
    assert_allclose(covariance, np.cov(X.T, bias=True), rtol=1e-7)


def test_a_row_is_explained_by_what_is_known(tmp_path):
    X = incomplete()
    X[0] = [1.0, np.nan, 2.0]
    model = GaussianMixture(3, random_state=0).fit(X)
    explanation = model.explain(X[[0]])
    assert "missing" in str(explanation) and "nan" not in str(explanation)
    adds = {line[0]: line[-1] for line in explanation.sections[1].rows}
    assert abs(adds["x1"]) < 1e-9
    o, k = [0, 2], int(model.predict(X[[0]])[0])
    gap = X[0, o] - model.means_[k][o]
    squared = gap @ np.linalg.inv(model.covariances_[k][np.ix_(o, o)]) @ gap
    assert_allclose(sum(adds.values()), squared, rtol=1e-9)
    save(model, tmp_path / "m.assay")
    assert load(tmp_path / "m.assay").score_samples(X).tobytes() == model.score_samples(X).tobytes()


def test_choice_and_classes_take_missing_values_too():
    X = incomplete(200)
    assert choose_mixture(X, n_components=[1, 2, 3], kinds=["diag", "full"]).records[0]["components"] > 1
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    model = MixtureClassifier(2, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.85
    assert_allclose(model.predict_proba([[np.nan] * 3]), [model.class_prior_])


@pytest.mark.parametrize(
    "model",
    [
        BayesianGaussianMixture(n_components=2, random_state=0),
        FactorAnalyzerMixture(2, random_state=0),
        DirichletProcessMixture(n_sweeps=5, burn_in=5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_mixtures_that_need_all_values_name_the_column_and_the_remedy(model):
    frame = pd.DataFrame(incomplete(share=0.0)[:40], columns=["length", "width", "weight"])
    gappy = frame.copy()
    gappy.loc[3, "width"] = np.nan
    message = r"column width has 1 missing value \(NaN\).*SimpleImputer.*or drop the rows"
    with pytest.raises(DataError, match=message):
        model.fit(gappy)
    with pytest.raises(DataError, match=message):
        model.fit(frame).predict(gappy)
