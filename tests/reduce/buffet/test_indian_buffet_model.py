"""Binary features: oracles of the textbook, the exact posterior of a small table, calibration, native rows."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from tests.calibration import assert_calibrated

from assay import load, save
from assay.errors import DataError
from assay.reduce import IndianBuffetModel, IndianBuffetProcess, left_ordered
from assay.reduce.buffet import _binary_features
from assay.reduce.buffet.indian_buffet_model import FeatureSampler
from assay.reduce.buffet.linear_gaussian import feature_posterior, feature_values, log_likelihood

Z = np.array([[1, 1], [1, 0], [0, 1]])
X = np.array([[1.0, 2.0], [0.5, 1.5], [0.7, 0.2]])


@pytest.mark.capability("IML-16-32")
def test_likelihood_and_values_of_the_textbook():
    assert_allclose(log_likelihood(X, Z, 0.5, 1.0), -7.05744308, atol=5e-9)
    covariance = 0.25 * np.eye(3) + Z @ Z.T
    expected = sum(multivariate_normal(np.zeros(3), covariance).logpdf(column) for column in X.T)
    assert_allclose(log_likelihood(X, Z, 0.5, 1.0), expected, rtol=1e-12)
    assert_allclose(
        feature_values(X, Z, 0.5, 1.0), [[0.41230769, 1.39692308], [0.57230769, 0.35692308]], atol=5e-9
    )
    nothing = multivariate_normal(np.zeros(6), 0.25 * np.eye(6)).logpdf(X.ravel())
    assert_allclose(log_likelihood(X, np.zeros((3, 0)), 0.5, 1.0), nothing)


@pytest.mark.capability("IML-16-32")
def test_a_long_run_has_the_exact_posterior_of_a_small_table():
    """All classes of three rows with at most 4 columns, 2 of each of the 7 patterns: all but 0.3 % of the posterior."""
    buffet, sizes, small = IndianBuffetProcess(0.5), {}, X[:, :1]
    patterns = np.array(list(itertools.product((0, 1), repeat=3)))[1:]
    for times in itertools.product(range(3), repeat=7):
        if sum(times) > 4:
            continue
        matrix = np.repeat(patterns, times, axis=0).T.reshape(3, -1)
        p = np.exp(buffet.log_probability(matrix) + log_likelihood(small, matrix, 0.5, 1.0))
        same = float((matrix[0] & matrix[1]).any()) if matrix.size else 0.0
        sizes.setdefault(matrix.shape[1], []).append((p, same))
    total = sum(p for values in sizes.values() for p, _ in values)
    exact = [sum(p for p, _ in sizes[K]) / total for K in range(4)]
    shared = sum(p * s for values in sizes.values() for p, s in values) / total
    sampler = FeatureSampler(
        small.copy(), 0.5, 0.5, 1.0, variance_scale=1.0, random_state=np.random.default_rng(0)
    )
    counts, together, draws = np.zeros(40), 0.0, 10_000
    for _ in range(draws):
        sampler.sweep()
        counts[sampler.Z.shape[1]] += 1
        together += bool((sampler.Z[0] & sampler.Z[1]).any())
    assert_allclose(counts[:4] / draws, exact, atol=0.015)
    assert_allclose(together / draws, shared, atol=0.015)


@pytest.mark.parametrize("sampled", [False, True], ids=["scales known", "scales sampled"])
def test_the_posterior_is_calibrated(sampled):
    def simulate(rng):
        alpha, noise, scale = 1.0, 0.7, 1.2
        if sampled:
            alpha = rng.gamma(1.0, 1.0) + 1e-6
            noise, scale = np.sqrt(1.0 / rng.gamma(1.0, 1.0, 2))
        truth = IndianBuffetProcess(alpha).sample(5, rng)
        rows = truth @ rng.normal(0, scale, (truth.shape[1], 2)) + rng.normal(0, noise, (5, 2))
        known = (None, None, None) if sampled else (alpha, noise, scale)
        sampler = FeatureSampler(rows, *known, variance_scale=1.0, random_state=rng)
        draws = []
        for s in range(20 + 19 * 4):
            sampler.sweep()
            if s >= 20 and (s - 20) % 4 == 3:
                more = [sampler.alpha, sampler.noise, sampler.feature_scale] if sampled else []
                draws.append([sampler.Z.shape[1], sampler.Z.sum(), *more])
        return [truth.shape[1], truth.sum(), *([alpha, noise, scale] if sampled else [])], draws

    assert_calibrated(simulate, rounds=75, bins=5)


def row_posterior_by_the_book(x, H, mu, odds, noise):
    combinations = np.array(list(itertools.product((0, 1), repeat=len(odds))))
    variance = noise * (1 + np.einsum("ck,kl,cl->c", combinations, H, combinations))
    residual = ((x - combinations @ mu) ** 2).sum(axis=1)
    logs = combinations @ odds - len(x) / 2 * np.log(variance) - residual / (2 * variance)
    p = np.exp(logs - logs.max())
    return p @ combinations / p.sum()


@pytest.mark.parametrize("K", [1, 4, 11])
def test_features_of_new_rows_have_their_exact_probabilities(K):
    """Eleven are sampled, fewer are gone through."""
    rng = np.random.default_rng(K)
    A = rng.normal(0, 1.0, (K, 5))
    features = (rng.random((60, K)) < 0.4).astype(float)
    rows = features @ A + rng.normal(0, 0.8, (60, 5))
    H, mu = feature_posterior(rows, features, 0.8, 1.0)
    odds, new, out = rng.normal(-1, 0.5, K), np.ascontiguousarray(rows[:6]), np.zeros((6, K))
    _binary_features.responsibilities(
        X=new,
        H=H,
        mu=mu,
        odds=odds,
        noise=0.64,
        sweeps=20_000,
        random=np.arange(1, 5, dtype=np.uint64),
        out=out,
    )
    expected = [row_posterior_by_the_book(x, H, mu, odds, 0.64) for x in new]
    assert_allclose(out, expected, atol=1e-10 if K <= 10 else 0.02)


def test_the_native_rows_keep_their_sums():
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 1, (30, 4))
    sampler = FeatureSampler(rows, 2.0, 0.5, 1.0, variance_scale=1.0, random_state=rng)
    sampler.sweep()
    K = sampler.Z.shape[1]
    wide = K + 48
    H, mu = feature_posterior(rows, sampler.Z.astype(float), 0.5, 1.0)
    arrays = {"Z": np.zeros((30, wide), np.uint8), "m": np.zeros(wide, np.int64), "H": np.zeros((wide, wide))}
    arrays |= {"mu": np.zeros((wide, 4))}
    arrays["Z"][:, :K], arrays["m"][:K], arrays["H"][:K, :K], arrays["mu"][:K] = (
        sampler.Z,
        sampler.Z.sum(axis=0),
        H,
        mu,
    )
    scales = _binary_features.Scales(noise=0.25, ratio=0.25, alpha=2.0)
    last, K = _binary_features.sweep(X=rows, **arrays, K=K, scales=scales, random=sampler.words, first=0)
    assert last == 30
    now = arrays["Z"][:, :K].astype(float)
    assert_array_equal(arrays["m"][:K], now.sum(axis=0))
    H, mu = feature_posterior(rows, now, 0.5, 1.0)
    assert_allclose(arrays["H"][:K, :K], H, atol=1e-8)
    assert_allclose(arrays["mu"][:K], mu, atol=1e-8)
    assert not arrays["Z"][:, K:].any()


@pytest.mark.capability("IML-16-32")
def test_true_features_are_found():
    rng = np.random.default_rng(0)
    features = (rng.random((120, 3)) < 0.35).astype(int)
    A = np.array([[3.0, 0, 0, 3, 0, 0], [0, 3, 0, 0, 3, 0], [0, 0, 3, 0, 0, 3]])
    rows = features @ A + rng.normal(0, 0.5, (120, 6))
    model = IndianBuffetModel(n_sweeps=120, n_chains=3, random_state=1).fit(rows)
    assert model.n_components_ == 3
    assert_array_equal(left_ordered(model.features_), left_ordered(features))
    assert_allclose(model.noise_, 0.5, rtol=0.15)
    order = [int(np.abs(model.components_ - a).sum(axis=1).argmin()) for a in A]
    new = model.transform(rows)[:, order]
    assert np.abs(new - features).max() < 0.05
    assert_allclose(model.inverse_transform(model.transform(rows)), features @ A, atol=0.8)
    assert model.draws_["n_features"].shape == (3, 60)
    assert "share of rows" in str(model.show())


def test_a_row_is_explained_by_its_features():
    rng = np.random.default_rng(0)
    A = np.array([[3.0, 0, 0, 3], [0, 3, 3, 0]])
    rows = (rng.random((60, 2)) < 0.5) @ A + rng.normal(0, 0.3, (60, 4))
    model = IndianBuffetModel(n_sweeps=60, random_state=0).fit(rows)
    first = int(np.abs(model.components_ - A[0]).sum(axis=1).argmin())
    reasons = model.explain([A[0]])
    features, values = reasons.sections
    assert reasons.answer == f"feature {first}"
    assert features.rows[0][0] == first and features.rows[0][1] > 0.99
    assert_allclose([row[1] for row in values.rows], sorted(A[0], reverse=True))
    parts = np.array([row[1:] for row in values.rows], dtype=float)
    assert_allclose(parts[:, 1] + parts[:, 2], parts[:, 0])
    assert model.explain([np.zeros(4)]).answer == "no feature"
    both, none = model.explain([A.sum(axis=0), np.zeros(4)])
    assert (both.answer, none.answer) == ("feature 0 + feature 1", "no feature")


def test_it_survives_a_file_and_threads_change_nothing(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = (rng.random((40, 2)) < 0.5) @ rng.normal(0, 3, (2, 4)) + rng.normal(0, 0.5, (40, 4))
    make = IndianBuffetModel(n_sweeps=30, n_chains=2, random_state=0)
    model = make.fit(rows)
    save(model, tmp_path / "model.assay")
    assert_array_equal(load(tmp_path / "model.assay").transform(rows), model.transform(rows))
    monkeypatch.setenv("ASSAY_NUM_THREADS", "2")
    assert_array_equal(make.fit(rows).features_, model.features_)


def test_awkward_tables():
    make = IndianBuffetModel(n_sweeps=20, random_state=0)
    assert make.fit([[1.0, 2.0]]).transform([[1.0, 2.0]]).shape[0] == 1  # one row
    assert make.fit(np.full((10, 1), 5.0)).transform([[5.0]]).shape[0] == 1  # one column, all the same
    large = make.fit(np.random.default_rng(0).normal(0, 1e6, (20, 3)))
    assert np.isfinite(large.components_).all()
    with pytest.raises(DataError, match="all values are 0"):
        make.fit(np.zeros((4, 2)))
    with pytest.raises(DataError, match="all values are 0, or too large"):
        make.fit([[1e300, 1.0], [2.0, 3.0]])
    make.fit(np.random.default_rng(0).normal(size=(20, 3)))
    for answer in (make.transform, make.explain):
        with pytest.raises(DataError, match="row 2 has values too large to be squared"):
            answer([[0.0, 0.0, 0.0], [0.0, 1e200, 0.0]])
    with pytest.raises(DataError, match="missing value"):
        make.fit([[1.0, np.nan]])
