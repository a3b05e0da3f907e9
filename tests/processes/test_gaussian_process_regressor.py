"""Gaussian process regression: oracles, closed forms against refits, parity with scikit-learn, awkward data."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.gaussian_process.kernels as peer_kernels
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor as Peer
from tests.calibration import assert_calibrated

import assay
from assay.errors import DataError, ParameterError
from assay.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Linear,
    Matern,
    MixedKernel,
    Spectrum,
    WhiteKernel,
)
from assay.processes import (
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    SparseGaussianProcessRegressor,
)

X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, -1.0])
KERNEL = ConstantKernel(1.0) * RBF([1.0, 1.0, 1.0]) + WhiteKernel(0.1)


def noisy_waves(n=40, d=3, seed=0):
    random = np.random.default_rng(seed)
    rows = random.uniform(-2, 2, size=(n, d))
    return rows, np.sin(2 * rows[:, 0]) + 0.5 * rows[:, 1] + random.normal(0, 0.1, n)


# ---------------------------------------------------------------- oracles


@pytest.mark.capability("IML-16-24")
@pytest.mark.parametrize(
    ("degree", "mean", "variance"), [(1, 8.87179487, 2.20512821), (2, 12.54805726, 5.37832311)]
)
def test_a_linear_kernel_is_bayesian_regression(degree, mean, variance):
    """Oracle: x = (0, 1, 2, 3), r = (1, 3, 4, 8), alpha = beta = 1, inputs (1, x) or (1, x, x^2), at x = 4."""
    features, r = np.vander(X[:, 0], degree + 1, increasing=True), [1.0, 3.0, 4.0, 8.0]
    model = GaussianProcessRegressor(Linear(), alpha=1.0).fit(features, r)
    at = np.vander([4.0], degree + 1, increasing=True)
    assert_allclose(model.predict(at), mean, atol=5e-9)
    assert_allclose(model.variances(at).noisy, variance, atol=5e-9)
    own = GaussianProcessRegressor(lambda A, B: A @ B.T, alpha=1.0).fit(features, r)  # a function of the user
    assert_allclose(own.predict(at), mean, atol=5e-9)


@pytest.mark.capability("IML-16-24")
def test_latent_and_noisy_variance_of_the_worked_example():
    model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(X, y)
    variances = model.variances([[1.5], [2.0], [5.0]])
    assert_allclose(variances.noisy, [0.49872749, 0.19062321, 1.09999990], atol=5e-9)
    assert_allclose(variances.noisy - variances.latent, 0.1, rtol=1e-12)
    distribution = model.predict_distribution([[1.5]])
    assert_allclose(distribution.sd**2, 0.49872749, atol=5e-9)
    assert_allclose(model.log_marginal_likelihood(), -4.75962729, atol=5e-9)
    assert_allclose(model.alpha_, [-0.11362717, 0.92356171, -0.00173737, -0.90915881], atol=5e-9)
    assert_allclose(model.L_ @ model.L_.T, RBF(0.5)(X) + 0.1 * np.eye(4), atol=1e-14)


def test_noise_of_a_white_kernel_is_noise_and_not_function():
    """Noise in the kernel and noise in alpha are the same model; the function's variance is named apart."""
    white = GaussianProcessRegressor(RBF(0.5) + WhiteKernel(0.1), alpha=0.0, optimizer=None).fit(X, y)
    plain = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(X, y)
    assert_allclose(white.variances([[1.5]]), plain.variances([[1.5]]), rtol=1e-12)


# ---------------------------------------------------------------- closed forms


@pytest.mark.capability("IML-16-26")
@pytest.mark.parametrize("normalised", [False, True])
def test_leave_one_out_is_a_refit_without_the_row(normalised):
    rows, target = noisy_waves(15)
    kernel = RBF([1.0, 2.0, 3.0]) + WhiteKernel(0.05)
    model = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=normalised).fit(rows, target)
    mean, sd = model.leave_one_out()
    z = (target - model.y_mean_) / model.y_scale_
    for i in range(15):
        kept = np.arange(15) != i
        without = GaussianProcessRegressor(kernel, optimizer=None).fit(rows[kept], z[kept])
        answer, spread = without.predict(rows[[i]], return_std=True)
        assert_allclose((mean[i] - model.y_mean_) / model.y_scale_, answer, rtol=1e-7)
        assert_allclose(sd[i] / model.y_scale_, spread, rtol=1e-7)


def test_leaving_out_folds_is_a_refit_without_each():
    rows, target = noisy_waves(20)
    model = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows, target)
    folds = np.array_split(np.random.default_rng(0).permutation(20), 4)
    mean, sd = model.leave_out(folds)
    for fold in folds:
        kept = np.setdiff1d(np.arange(20), fold)
        answer, spread = (
            GaussianProcessRegressor(KERNEL, optimizer=None)
            .fit(rows[kept], target[kept])
            .predict(rows[fold], return_std=True)
        )
        assert_allclose(mean[fold], answer, rtol=1e-8)
        assert_allclose(sd[fold], spread, rtol=1e-8)


@pytest.mark.parametrize("normalised", [False, True])
def test_rows_in_two_parts_make_the_model_of_all_rows(normalised):
    rows, target = noisy_waves(30)
    parts = GaussianProcessRegressor(KERNEL, optimizer=None, normalize_y=False).fit(rows[:18], target[:18])
    parts.partial_fit(rows[18:25], target[18:25]).partial_fit(rows[25:], target[25:])
    whole = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows, target)
    assert_allclose(
        parts.predict(rows, return_std=True), whole.predict(rows, return_std=True), rtol=1e-9, atol=1e-9
    )
    assert_allclose(parts.log_marginal_likelihood_value_, whole.log_marginal_likelihood_value_, rtol=1e-10)
    assert "row 30" in str(parts.explain(rows[29:])) or " 30 " in str(parts.explain(rows[29:]))


@pytest.mark.parametrize("method", ["exact", "vecchia", "inducing"])
def test_rows_to_answer_may_be_sparse_where_the_training_rows_were_dense_and_the_other_way(method):
    rows, target = noisy_waves(30)
    dense = GaussianProcessRegressor(KERNEL, method=method, optimizer=None).fit(rows, target)
    expected = dense.predict(rows, return_std=True)
    assert_allclose(dense.predict(csr_matrix(rows), return_std=True), expected)
    assert str(dense.explain(csr_matrix(rows)[:1])) == str(dense.explain(rows[:1]))
    if method != "vecchia":  # whose neighbours are of dense rows
        sparse = GaussianProcessRegressor(KERNEL, method=method, optimizer=None).fit(csr_matrix(rows), target)
        assert_allclose(sparse.predict(rows, return_std=True), expected, atol=1e-8)
        more = dense.partial_fit(csr_matrix(rows[:3]), target[:3]).predict(rows)
        assert_allclose(sparse.partial_fit(rows[:3], target[:3]).predict(rows), more, atol=1e-8)


def test_partial_fit_of_targets_with_missing_values_and_of_noise_by_rows():
    rows, target = noisy_waves(20)
    Y = np.column_stack([target, 10 * target])
    Y[15:, 1] = np.nan
    first = GaussianProcessRegressor(KERNEL, optimizer=None, normalize_y=True).fit(rows[:10], Y[:10])
    first.partial_fit(rows[10:], Y[10:], noise=np.full(10, 0.1))
    alone = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows[:10], first.y_train_[:10, 1])
    alone.partial_fit(rows[10:15], first.y_train_[10:15, 1], noise=np.full(5, 0.1) / first.y_scale_[1] ** 2)
    expected = alone.predict(rows) * first.y_scale_[1] + first.y_mean_[1]
    assert_allclose(first.predict(rows)[:, 1], expected, rtol=1e-9)


# ---------------------------------------------------------------- choice of parameters


@pytest.mark.parametrize("selection", ["evidence", "loo"])
def test_the_gradient_vanishes_at_the_chosen_parameters(selection):
    rows, target = noisy_waves()
    model = GaussianProcessRegressor(KERNEL, selection=selection).fit(rows, target)
    route, theta = model.route_, model.kernel_.theta
    judge = route.log_evidence if selection == "evidence" else route.log_pseudo_likelihood
    inside = (theta > model.kernel_.bounds[:, 0] + 1e-6) & (theta < model.kernel_.bounds[:, 1] - 1e-6)
    assert model.choice_.converged and inside.sum() >= 4
    assert np.abs(judge(theta)[1][inside]).max() < 1e-3


def test_the_slope_of_the_leave_one_out_likelihood():
    rows, target = noisy_waves()
    model = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows, np.column_stack([target, target**2]))
    theta, judge = KERNEL.theta, model.route_.log_pseudo_likelihood
    mean, sd = model.leave_one_out()
    by_rows = -0.5 * ((model.y_train_ - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi))
    assert_allclose(judge(theta)[0], by_rows.sum(), rtol=1e-10)
    for k in range(len(theta)):
        step = 1e-5 * np.eye(len(theta))[k]
        assert_allclose(
            judge(theta)[1][k], (judge(theta + step)[0] - judge(theta - step)[0]) / 2e-5, rtol=1e-5
        )


def test_priors_keep_parameters_from_their_bounds():
    """Pure noise: the evidence sends length scales to their bounds, the maximum of the posterior does not."""
    random = np.random.default_rng(2)
    rows, target = random.normal(size=(30, 3)), random.normal(size=30)
    free = GaussianProcessRegressor(KERNEL).fit(rows, target)
    held = GaussianProcessRegressor(KERNEL, selection="map").fit(rows, target)
    assert "bound" in free.choice_.sentence
    assert "bound" not in held.choice_.sentence and held.choice_.converged
    assert "bound" in str(free.show())


def test_the_subset_of_rows_leads_to_the_same_parameters():
    rows, target = noisy_waves(700)
    kernel = ConstantKernel(1.0) * RBF([1.0, 1.0, 1.0]) + WhiteKernel(0.1)
    ours = GaussianProcessRegressor(kernel).fit(rows, target)
    peer = Peer(1.0 * peer_kernels.RBF([1.0] * 3) + peer_kernels.WhiteKernel(0.1))
    with warnings.catch_warnings(action="ignore"):  # of bounds
        peer.fit(rows[:60], target[:60])
    small = GaussianProcessRegressor(kernel).fit(rows[:60], target[:60])
    assert small.log_marginal_likelihood_value_ > peer.log_marginal_likelihood_value_ - 1e-3
    assert ours.choice_.evaluations < 20
    assert np.abs(ours.route_.log_evidence(ours.kernel_.theta)[1]).max() < 0.1


def test_leave_one_out_needs_the_matrix():
    with pytest.raises(ParameterError, match="method='exact'"):
        GaussianProcessRegressor(selection="loo", method="vecchia").fit(X, y)


def test_a_function_of_the_user_chooses():
    def grid(objective, start, bounds):
        thetas = [np.array([t]) for t in np.linspace(-1, 1, 21)]
        values = [objective(t, eval_gradient=False) for t in thetas]
        return thetas[int(np.argmin(values))], min(values)

    model = GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=grid).fit(X, y)
    assert np.round(model.kernel_.theta * 10, 6) % 1 == 0


# ---------------------------------------------------------------- parity


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("several", [False, True])
def test_same_answers_as_scikit_learn(several, normalised):
    """Peer: scikit-learn 1.9.1, diabetes, 80 rows; noise by rows, fixed and chosen parameters."""
    rows, target = load_diabetes(return_X_y=True)
    rows, target = rows[:80] * 20, target[:80] / 50
    target = np.column_stack([target, target**2]) if several else target
    alpha = np.linspace(0.1, 0.3, 80)
    for optimizer in (None, "fmin_l_bfgs_b"):
        ours = GaussianProcessRegressor(2.0 * RBF(2.0) + WhiteKernel(0.1), alpha=alpha, optimizer=optimizer)
        theirs = 2.0 * peer_kernels.RBF(2.0) + peer_kernels.WhiteKernel(0.1)
        peer = Peer(theirs, alpha=alpha, optimizer=optimizer, normalize_y=normalised)
        with warnings.catch_warnings(action="ignore"):  # of bounds
            peer.fit(rows, target)
        ours.set_params(normalize_y=normalised).fit(rows, target)
        gain = ours.log_marginal_likelihood_value_ - peer.log_marginal_likelihood_value_
        assert gain > -1e-6
        if gain > 1e-6:  # its search ended at a bound
            assert optimizer is not None
            continue
        tolerance = 1e-9 if optimizer is None else 1e-4
        for extra in ({"return_std": True}, {"return_cov": True}):
            for a, b in zip(ours.predict(rows[:9], **extra), peer.predict(rows[:9], **extra)):
                assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_scikit_learns_kernels_are_taken_and_draws_have_its_shape():
    theirs = peer_kernels.ConstantKernel(2.0) * peer_kernels.Matern(nu=1.5)
    model = GaussianProcessRegressor(theirs).fit(X, y)
    assert model.kernel_ == model.kernel_.with_theta(model.kernel_.theta)
    assert model.sample_y(X, 5).shape == Peer(theirs).fit(X, y).sample_y(X, 5).shape


# ---------------------------------------------------------------- tables, objects, targets


def test_a_raw_table_with_categories_and_missing_values():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": random.uniform(20, 60, 60),
            "city": random.choice(["Bern", "Rome"], 60),
            "size": random.normal(size=60),
        }
    )
    target = np.sin(frame["age"] / 6) + (frame["city"] == "Rome") * 3.0 + random.normal(0, 0.1, 60)
    frame.loc[::7, "size"] = np.nan
    model = GaussianProcessRegressor("auto", normalize_y=True, selection="map").fit(frame, target)
    assert model.score(frame, target) > 0.95
    assert_allclose(model.leave_one_out()[0], target, atol=1.2)
    mixed = GaussianProcessRegressor(ConstantKernel() * MixedKernel() + WhiteKernel()).fit(frame, target)
    assert mixed.score(frame, target) > 0.9
    text = str(model.explain(frame.iloc[[0]]))
    assert "Training rows by weight" in text and "city" in text
    assert "relevance" in str(model.show())


@pytest.mark.parametrize("normalised", [False, True])
def test_reasons_add_up_to_the_answer(normalised):
    """Weights times targets over all rows, and terms of the kernel, give the mean; shares of variance give 1."""
    rows, target = noisy_waves(8)
    kernel = RBF([1.0, 2.0, 3.0]) + 0.5 * Linear() + WhiteKernel(0.05)
    model = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=normalised).fit(rows, target)
    _, by_row, _, by_term = model.explain(rows[:1]).sections
    answer = model.predict(rows[:1])[0]
    assert_allclose(sum(line[-1] for line in by_row.rows) + model.y_mean_[0], answer, rtol=1e-9)
    assert_allclose(sum(line[1] for line in by_term.rows) + model.y_mean_[0], answer, rtol=1e-9)
    assert_allclose(sum(line[2] for line in by_term.rows), 1.0)


BY_METHODS = 1.5 * Matern(0.8, nu=2.5) + 0.5 * Matern(3.0, nu=1.5) + WhiteKernel(0.05)


def on_a_line(method, n=100):
    random = np.random.default_rng(4)
    rows = random.uniform(0, 9, (n, 1))
    target = 3.0 + np.sin(2 * rows[:, 0]) + 0.2 * random.normal(size=n)
    model = GaussianProcessRegressor(BY_METHODS, method=method, optimizer=None, normalize_y=True)
    return model.fit(rows, target), rows


@pytest.mark.parametrize("method", ["line", "vecchia", "inducing"])
def test_reasons_of_each_method_add_up_to_the_answer(method):
    """All rows that are shown and those that are not; the terms of the kernel; values beside the row's own."""
    model, rows = on_a_line(method)
    answer = model.predict(rows[:1])[0]
    _, spoken, beside, by_term = model.explain(rows[:1]).sections
    told = re.search(r"(\d+) more \w+ add (\S+); the mean .* adds \S+: the answer is (\S+)\.", spoken.note)
    shown = sum(line[-1] for line in spoken.rows)
    assert_allclose(shown + float(told[2]) + model.y_mean_[0], answer, rtol=1e-5)
    assert_allclose(float(told[3]), answer, rtol=1e-5)
    assert_allclose(sum(line[1] for line in by_term.rows) + model.y_mean_[0], answer, rtol=1e-9)
    assert_allclose([line[2] for line in by_term.rows], [0.75, 0.25])
    assert beside.columns[:2] == ["column", "this row"]
    assert spoken.title.startswith("Inducing points" if method == "inducing" else "Training rows")


@pytest.mark.parametrize("method", ["line", "vecchia", "inducing"])
def test_derivatives_of_each_method(method):
    model, _ = on_a_line(method)
    at = np.array([[0.33], [4.5], [20.0]])
    slopes, spreads = model.predict_gradient(at)
    rise = model.predict(at + 1e-5) - model.predict(at - 1e-5)
    wider = model.variances(at + 1e-5).latent - model.variances(at - 1e-5).latent
    assert_allclose(slopes[:, 0], rise / 2e-5, rtol=1e-4, atol=1e-6)
    assert_allclose(spreads[:, 0], wider / 2e-5, rtol=1e-4, atol=1e-6)


def test_reasons_and_derivatives_where_targets_are_missing():
    rows, target = noisy_waves(30)
    Y = np.column_stack([target, target**2, -target])
    Y[20:, 1] = Y[:5, 0] = Y[:5, 2] = np.nan
    model = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows, Y)
    alone = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows[:20], Y[:20, 1])
    slopes, spreads = model.predict_gradient(rows[:2])
    expected = alone.predict_gradient(rows[:2])
    assert slopes.shape == spreads.shape == (2, 3, 3)
    assert_allclose(slopes[..., 1], expected[0], rtol=1e-8)
    assert_allclose(spreads[..., 1], expected[1], rtol=1e-8, atol=1e-12)
    shown = model.explain(rows[:1]).sections[1]
    assert min(line[0] for line in shown.rows) > 5  # rows without the first target say nothing of it
    total = sum(line[-1] for line in shown.rows) + float(re.search(r"add (\S+);", shown.note)[1])
    assert_allclose(total, model.predict(rows[:1])[0, 0], rtol=1e-4)


def test_strings_by_a_kernel_of_strings():
    words = ["abab", "abba", "baba", "cccc", "cdcd", "dcdc"]
    model = GaussianProcessRegressor(Spectrum(2).normalized(), alpha=0.01).fit(words, [0, 0, 0, 1, 1, 1])
    assert model.predict(["ababab", "cdcdcd"]).round(1).tolist() == [0.0, 1.0]
    assert model.predict(["abab"], return_std=True)[1] < 0.2


def test_several_targets_of_which_some_are_missing():
    rows, target = noisy_waves(30)
    Y = np.column_stack([target, target**2, -target])
    Y[20:, 1] = np.nan
    model = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows, Y)
    alone = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows[:20], Y[:20, 1])
    both = GaussianProcessRegressor(KERNEL, optimizer=None).fit(rows, Y[:, [0, 2]])
    mean, sd = model.predict(rows, return_std=True)
    assert_allclose(mean[:, 1], alone.predict(rows), rtol=1e-9)
    assert_allclose(mean[:, [0, 2]], both.predict(rows), rtol=1e-9)
    assert (sd[25:, 1] > sd[25:, 0]).all()
    total = alone.log_marginal_likelihood_value_ + both.log_marginal_likelihood_value_
    assert_allclose(model.log_marginal_likelihood_value_, total, rtol=1e-10)
    assert np.isnan(model.leave_one_out()[0][20:, 1]).all()
    assert GaussianProcessRegressor(KERNEL).fit(rows, Y).choice_.converged


def test_noise_by_rows_in_units_of_the_target():
    rows, target = noisy_waves(30)
    noise = np.where(np.arange(30) < 15, 1e-4, 100.0)
    for normalised in (False, True):
        model = GaussianProcessRegressor(RBF([1.0, 2.0, 9.0]), optimizer=None, normalize_y=normalised)
        residual = np.abs(model.fit(rows, target, noise=noise).predict(rows) - target)
        assert residual[:15].max() < 0.02 < 0.2 < residual[15:].max()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([1.0, np.nan, 2.0, 3.0], "NaN in 1 of 4 rows"),
        ([1.0, np.inf, 2.0, 3.0], "infinity"),
        ([[1.0, np.nan]] * 4, "target 2 of 2 has no values"),
        ([1.0, 2.0], "X has 4 rows"),
        (["a", "b", "c", "d"], "GaussianProcessClassifier"),
        (None, "requires y to be passed"),
    ],
)
def test_targets_that_cannot_be_used_are_refused(target, words):
    with pytest.raises(DataError, match=words):
        GaussianProcessRegressor().fit(X, target)


def test_a_precomputed_kernel_is_refused_with_what_to_use_instead():
    with pytest.raises(ParameterError, match="KernelRidge"):
        GaussianProcessRegressor("precomputed").fit(np.eye(4), y)


# ---------------------------------------------------------------- derivatives


@pytest.mark.parametrize(
    "kernel",
    [
        2.0 * RBF([0.7, 1.5, 2.0]) + WhiteKernel(0.1),
        Matern([0.7, 1.5, 2.0], nu=2.5) * (DotProduct(0.5) ** 2),
        RBF().on([0, 2]) + Linear() + MixedKernel(),
    ],
    ids=repr,
)
def test_derivatives_of_mean_and_variance(kernel):
    rows, target = noisy_waves(20)
    model = GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None, normalize_y=True).fit(rows, target)
    at = np.array([[0.3, -0.7, 1.1]])
    mean_slope, variance_slope = model.predict_gradient(at)
    for j in range(3):
        step = 1e-5 * np.eye(3)[j]
        rise = model.predict(at + step) - model.predict(at - step)
        spread = model.variances(at + step).latent - model.variances(at - step).latent
        assert_allclose(mean_slope[0, j], rise[0] / 2e-5, rtol=1e-4, atol=1e-6)
        assert_allclose(variance_slope[0, j], spread[0] / 2e-5, rtol=1e-4, atol=1e-6)


# ---------------------------------------------------------------- awkward data


def test_equal_rows_without_noise_get_the_jitter_and_it_is_reported():
    rows = np.repeat(X, 3, axis=0)
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.0, optimizer=None).fit(rows, np.repeat(y, 3))
    assert 0 < model.jitter_ < 1e-8
    assert "Jitter: " in str(model.show())
    mean, sd = model.predict(rows, return_std=True)
    assert_allclose(mean, np.repeat(y, 3), atol=1e-4)
    assert (sd >= 0).all() and (sd < 1e-3).all()


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_rows(n):
    model = GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(), normalize_y=True).fit(
        X[:n], y[:n]
    )
    mean, sd = model.predict(X, return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(sd).all() and (sd >= 0).all()


def test_a_target_without_spread():
    for normalised in (False, True):
        model = GaussianProcessRegressor(KERNEL, normalize_y=normalised, selection="map")
        model.fit(noisy_waves()[0], np.full(40, 7.0))
        assert_allclose(model.predict(noisy_waves()[0]), 7.0, rtol=1e-3)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_huge_and_tiny_numbers(scale):
    rows, target = noisy_waves()
    model = GaussianProcessRegressor("auto", normalize_y=True, selection="map").fit(
        rows * scale, target / scale
    )
    plain = GaussianProcessRegressor("auto", normalize_y=True, selection="map").fit(rows, target)
    assert_allclose(model.predict(rows * scale) * scale, plain.predict(rows), rtol=1e-3, atol=1e-3)


def test_a_function_that_is_no_kernel_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="not positive definite"):
        GaussianProcessRegressor(lambda A, B: -((A[:, None] - B[None]) ** 2).sum(axis=2)).fit(X, y)


def test_values_that_overflow_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="no finite numbers"):
        GaussianProcessRegressor(DotProduct(1e9, "fixed") ** 60, alpha=0.1).fit(X, y)


# ---------------------------------------------------------------- calibration and storage


def test_intervals_hold_as_often_as_they_say():
    """Targets drawn from the model: 95 % intervals hold 93 to 97 % of 2,000 new targets."""
    random = np.random.default_rng(0)
    inside = 0
    for _ in range(50):
        rows = random.uniform(-3, 3, size=(70, 2))
        C = RBF([1.0, 2.0])(rows) + 0.1 * np.eye(70)
        target = np.linalg.cholesky(C) @ random.normal(size=70)
        model = GaussianProcessRegressor(RBF([1.0, 2.0]) + WhiteKernel(0.1), optimizer=None).fit(
            rows[:30], target[:30]
        )
        low, high = model.predict_interval(rows[30:], 0.95).T
        inside += int(((low <= target[30:]) & (target[30:] <= high)).sum())
    assert 0.93 < inside / 2000 < 0.97


@pytest.mark.parametrize("method", ["exact", "line", "vecchia", "inducing"])
def test_the_posterior_is_calibrated(method):
    """Functions and targets drawn from the model: the truth's ranks among draws of the posterior are uniform."""
    kernel = 2.0 * Matern(1.5, nu=1.5) + WhiteKernel(0.2)

    def simulate(random):
        x = random.uniform(-3, 3, size=(27, 1))
        f = np.linalg.cholesky(kernel.k1(x) + 1e-10 * np.eye(27)) @ random.normal(size=27)
        model = GaussianProcessRegressor(kernel, optimizer=None, method=method)
        model.fit(x[:25], f[:25] + np.sqrt(0.2) * random.normal(size=25))
        mean, covariance = model.predict(x[25:], return_cov=True)
        covariance = covariance - 0.2 * np.eye(2)  # of the function: WhiteKernel counts as part of it
        return f[25:], random.multivariate_normal(mean, covariance, 99, check_valid="ignore")

    assert_calibrated(simulate, rounds=120, bins=5)


def test_the_posterior_of_targets_with_gaps_noise_of_rows_and_further_rows_holds_the_truth():
    random, inside = np.random.default_rng(0), []
    kernel = RBF([1.0, 2.0])
    for _ in range(150):
        rows, noise = random.uniform(-2, 2, size=(40, 2)), random.gamma(2.0, 0.1, size=40)
        f = np.linalg.cholesky(kernel(rows) + 1e-9 * np.eye(40)) @ random.normal(size=(40, 2))
        Y = f + np.sqrt(noise)[:, None] * random.normal(size=(40, 2))
        Y[random.uniform(size=Y.shape) < 0.3] = np.nan
        model = GaussianProcessRegressor(kernel, optimizer=None).fit(rows[:20], Y[:20], noise=noise[:20])
        mean, sd = model.partial_fit(rows[20:30], Y[20:30], noise=noise[20:30]).predict(
            rows[30:], return_std=True
        )
        inside.append(np.abs(f[30:] - mean) < 1.96 * sd)
    assert 0.93 < np.mean(inside) < 0.97


def test_leave_one_out_intervals_hold_the_targets():
    random, inside = np.random.default_rng(0), []
    kernel = 2.0 * Matern([1.0, 2.0], nu=2.5) + WhiteKernel(0.2)
    for _ in range(60):
        rows = random.uniform(-3, 3, size=(40, 2))
        target = np.linalg.cholesky(kernel(rows)) @ random.normal(size=40)
        mean, sd = GaussianProcessRegressor(kernel, optimizer=None).fit(rows, target).leave_one_out()
        inside.append(np.abs(target - mean) < 1.96 * sd)
    assert 0.93 < np.mean(inside) < 0.97


@pytest.mark.parametrize("several", [False, True])
def test_a_stored_model_gives_the_same_answers_and_learns_on(tmp_path, several):
    rows, target = noisy_waves()
    Y = np.column_stack([target, np.where(np.arange(40) < 30, target, np.nan)]) if several else target
    model = GaussianProcessRegressor(KERNEL).fit(rows, Y)
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert (again.predict(rows, return_std=True)[1] == model.predict(rows, return_std=True)[1]).all()
    more = [m.partial_fit(rows[:3] + 0.1, Y[:3]).predict(rows) for m in (again, model)]
    assert_allclose(more[0], more[1], rtol=1e-12)


# ---------------------------------------------------------------- mistakes of users


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.leave_one_out(),
        lambda model: model.leave_out([[0]]),
        lambda model: model.predict_distribution(X),
        lambda model: model.predict_interval(X),
        lambda model: model.explain(X),
        lambda model: model.log_marginal_likelihood(),
        lambda model: model.jitter_,
    ],
)
def test_what_needs_a_fit_says_so(ask):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(GaussianProcessRegressor())


@pytest.mark.parametrize("targets", [1, 2])
def test_derivatives_have_an_axis_for_targets_only_if_there_are_several(targets):
    rows, target = noisy_waves(12)
    model = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None)
    means, variances = model.fit(rows, np.repeat(target[:, None], targets, axis=1)).predict_gradient(rows[:2])
    assert means.shape == variances.shape == ((2, 3) if targets == 1 else (2, 3, 2))


@pytest.mark.parametrize(
    ("folds", "words"),
    [
        ([[99]], "places of rows"),
        ([[-1]], "places of rows"),
        ([[0.5]], "places of rows"),
        ([([0, 1], [2])], "test rows"),
        ([[0, 0]], "row 0 is in the folds more than once"),
        ([[0, 1], [1, 2]], "row 1 is in the folds more than once"),
    ],
)
def test_folds_that_are_none_are_refused(folds, words):
    rows, target = noisy_waves(12)
    model = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(rows, target)
    with pytest.raises(DataError, match=words):
        model.leave_out(folds)


def test_a_fold_may_be_a_mask_of_all_rows():
    rows, target = noisy_waves(12)
    model = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(rows, target)
    assert_allclose(model.leave_out([np.arange(12) < 3]), model.leave_out([[0, 1, 2]]))


def test_folds_by_a_method_that_has_none_are_refused_in_a_sentence():
    rows, target = noisy_waves(12)
    model = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None, method="vecchia").fit(rows, target)
    with pytest.raises(DataError, match="method='exact' alone"):
        model.leave_out([[0, 1]])


@pytest.mark.parametrize("method", ["exact", "inducing"])
def test_a_further_row_may_lack_one_of_several_targets(method):
    rows, target = noisy_waves(21)
    targets = np.column_stack([target, -target])
    targets[20, 1] = np.nan
    kernel = 1.0 * RBF() + WhiteKernel(0.1)
    whole = GaussianProcessRegressor(kernel, optimizer=None, method=method).fit(rows, targets)
    parts = GaussianProcessRegressor(kernel, optimizer=None, method=method).fit(rows[:20], targets[:20])
    parts.partial_fit(rows[20:], targets[20:])
    assert_allclose(parts.predict(rows), whole.predict(rows), atol=1e-8)
    assert parts.method_.split(";")[0] == whole.method_.split(";")[0]


@pytest.mark.parametrize("scale", [1e300, 1e150, 1e-150, 1e-300])
def test_normalised_targets_of_any_scale_have_the_same_answers(scale):
    rows, target = noisy_waves(15)
    model = GaussianProcessRegressor(RBF() + WhiteKernel(0.1), normalize_y=True, optimizer=None)
    mean, sd = model.fit(rows, target).predict(rows, return_std=True)
    interval = model.predict_interval(rows)
    scaled_mean, scaled_sd = model.fit(rows, target * scale).predict(rows, return_std=True)
    assert_allclose(scaled_mean / scale, mean, rtol=1e-6, atol=1e-9)
    assert_allclose(scaled_sd / scale, sd, rtol=1e-6)
    assert_allclose(model.predict_interval(rows) / scale, interval, rtol=1e-6, atol=1e-9)


def test_targets_whose_squares_overflow_are_refused_with_advice():
    rows, target = noisy_waves(15)
    with pytest.raises(DataError, match="normalize_y=True"):
        GaussianProcessRegressor(RBF() + WhiteKernel()).fit(rows, target * 1e150)


def test_complex_targets_are_refused():
    rows, target = noisy_waves(15)
    with pytest.raises(DataError, match="y must hold numbers"):
        GaussianProcessRegressor(RBF()).fit(rows, target + 1j)


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_noise_that_is_no_variance_is_named_with_its_row(wrong):
    rows, target = noisy_waves(5)
    noise = np.array([0.1, 0.1, wrong, 0.1, 0.1])
    with pytest.raises(DataError, match=f"got {wrong:g} in row 3"):
        GaussianProcessRegressor(RBF()).fit(rows, target, noise=noise)


def test_an_optimizer_that_returns_nothing_usable_ends_in_a_sentence():
    rows, target = noisy_waves(15)
    start = 1.0 * RBF() + WhiteKernel(0.1)
    model = GaussianProcessRegressor(
        start, random_state=0, optimizer=lambda objective, theta, bounds: (theta * np.nan, np.nan)
    ).fit(rows, target)
    assert not model.choice_.converged and "stopped after" in model.choice_.sentence
    assert_allclose(model.log_marginal_likelihood_value_, model.log_marginal_likelihood(model.kernel_.theta))
    with pytest.raises(ParameterError, match="must return 3 parameters"):
        GaussianProcessRegressor(start, optimizer=lambda objective, theta, bounds: (theta[:1], 0.0)).fit(
            rows, target
        )


def test_a_value_that_no_training_row_lacks_may_be_missing_in_a_new_row():
    rows, target = noisy_waves(20)
    table = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(d=np.array(["u", "v"])[np.arange(20) % 2])
    model = GaussianProcessRegressor("auto", optimizer=None).fit(table, target)
    missing, mean = table[:3].copy(), table[:3].copy()
    missing.loc[1, "b"], mean.loc[1, "b"] = np.nan, table["b"].mean()
    assert_allclose(model.predict(missing), model.predict(mean))
    assert "answers" in str(model.explain(missing[1:2]))


@pytest.mark.parametrize(
    "learner", [GaussianProcessRegressor, GaussianProcessClassifier, SparseGaussianProcessRegressor]
)
def test_rows_whose_distances_overflow_are_refused(learner):
    """They were fitted, with a log evidence of -inf and no word of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    with pytest.raises(
        DataError, match=r"X has values as large as .*squared distances are no finite numbers"
    ):
        learner().fit(1e200 * X, rng.integers(0, 2, 30))


@pytest.mark.parametrize("factor", [1e-50, 1e50, 1e59])
def test_the_unit_of_the_target_changes_nothing_but_the_unit(factor):
    X = np.linspace(0, 5, 30)[:, None]
    kernel = ConstantKernel(factor**2, "fixed") * RBF(1.0) + WhiteKernel(factor**2 / 100, "fixed")
    plain = ConstantKernel(1.0, "fixed") * RBF(1.0) + WhiteKernel(0.01, "fixed")
    other, one = (
        GaussianProcessRegressor(k, alpha=1e-10 * f * f).fit(X, f * np.sin(X[:, 0]))
        for k, f in ((kernel, factor), (plain, 1.0))
    )
    assert_allclose(other.predict(X), factor * one.predict(X), rtol=1e-5, atol=1e-6 * factor)


@pytest.mark.parametrize("unit", [1e20, 1e100, 1e148])
def test_rows_that_are_all_far_apart_are_fitted(unit):
    """No row says anything of another: predictions at the training rows are their targets."""
    X, y = np.linspace(0, 1, 20)[:, None] ** 2, np.linspace(1, 2, 20) ** 2
    model = GaussianProcessRegressor().fit(X * unit, y)
    np.testing.assert_allclose(model.predict(X * unit), y, rtol=1e-6)
