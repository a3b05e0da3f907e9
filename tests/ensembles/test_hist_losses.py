"""Losses of histogram boosting: values by the formula, derivatives by differences, constants that are best."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logsumexp
from sklearn._loss.loss import HalfBinomialLoss, HalfGammaLoss, HalfMultinomialLoss, HalfPoissonLoss

from assay.ensembles.hist_bins import find_bins
from assay.ensembles.hist_growing import Boosting, Limits
from assay.ensembles.hist_losses import HistLoss

NAMES = ("squared_error", "absolute_error", "quantile", "poisson", "gamma", "binomial")


def losses_by_the_book(name, f, y, q=0.3):
    return {
        "squared_error": (f - y) ** 2 / 2,
        "absolute_error": np.abs(f - y),
        "quantile": np.where(y >= f, q * (y - f), (1 - q) * (f - y)),
        "poisson": np.exp(f) - y * f,
        "gamma": f + y * np.exp(-f),
        "binomial": np.logaddexp(0, f) - y * f,
    }[name]


def sample(name, n=5000):
    rng = np.random.default_rng(3)
    f = rng.normal(size=n) * (8 if name == "binomial" else 1)
    y = (rng.random(n) < 0.4).astype(float) if name == "binomial" else rng.gamma(2.0, size=n)
    return f, y, rng.random(n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_mean_loss_is_that_of_the_formula(name, weighted):
    f, y, w = sample(name)
    expected = np.average(losses_by_the_book(name, f, y), weights=w if weighted else None)
    found = HistLoss(name, quantile=0.3).mean(f[None], y, w if weighted else None)
    assert_allclose(found, expected, rtol=1e-12)


def test_multinomial_loss_is_that_of_the_formula():
    rng = np.random.default_rng(0)
    f, y, w = rng.normal(size=(4, 300)) * 5, rng.integers(0, 4, 300), rng.random(300)
    expected = logsumexp(f, axis=0) - f[y, np.arange(300)]
    loss = HistLoss("multinomial", classes=4)
    assert_allclose(loss.mean(f, y.astype(float), None), expected.mean(), rtol=1e-12)
    assert_allclose(loss.mean(f, y.astype(float), w), np.average(expected, weights=w), rtol=1e-12)


@pytest.mark.parametrize("scores", [[-800.0, 800.0], [-40.0, 40.0], [0.0, -0.0]])
def test_log_loss_of_extreme_scores_is_exact(scores):
    y = np.array([0.0, 1.0])
    found = HistLoss("binomial").mean(np.array([scores]), y, None)
    assert_allclose(found, np.mean(np.logaddexp(0, [scores[0], -scores[1]])), rtol=1e-12, atol=1e-17)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_no_constant_has_less_loss_than_the_start(name, weighted):
    _, y, w = sample(name)
    w = w if weighted else None
    loss = HistLoss(name, quantile=0.3)
    start = loss.start(y, w)[0]
    best = loss.mean(np.full((1, len(y)), start), y, w)
    for step in (-0.1, -0.01, 0.01, 0.1):
        assert loss.mean(np.full((1, len(y)), start + step), y, w) >= best - 1e-12


def test_start_is_scikit_learns():
    _, y, w = sample("poisson")
    labels, classes = (y > 2).astype(float), np.minimum(y.astype(int), 3).astype(float)
    for weights in (None, w):
        for loss, peer, target in (
            (HistLoss("poisson"), HalfPoissonLoss(), y),
            (HistLoss("gamma"), HalfGammaLoss(), y),
            (HistLoss("binomial"), HalfBinomialLoss(), labels),
            (HistLoss("multinomial", classes=4), HalfMultinomialLoss(n_classes=4), classes),
        ):
            expected = np.ravel(peer.fit_intercept_only(target, weights))
            assert_allclose(loss.start(target, weights), expected, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["squared_error", "poisson", "gamma", "binomial"])
def test_a_leaf_says_the_newton_step(name, weighted):
    """Gradient and curvature of the native code, by differences of the formula."""
    f, y, w = sample(name, 400)
    f = f / 4
    side = np.arange(400) % 2
    raw = f[None].copy()
    bins = find_bins(side[:, None].astype(float), np.zeros(1, int), 255)
    boosting = Boosting(
        bins,
        bins.codes(side[:, None].astype(float)),
        y,
        w if weighted else None,
        raw,
        HistLoss(name),
        Limits(),
        np.zeros(1),
    )
    tree = boosting.round(1.0, [0])[0]
    assert len(tree.leaf) == 2
    e = 1e-4
    up, at, down = (losses_by_the_book(name, f + s, y) for s in (e, 0, -e))
    g, h = (up - down) / (2 * e), (up - 2 * at + down) / e**2
    weights = w if weighted else np.ones(400)
    for k, leaf in enumerate(tree.leaf):
        rows = side == k
        expected = -(weights * g)[rows].sum() / (weights * h)[rows].sum()
        assert_allclose(tree.number[leaf], expected, rtol=1e-5)
        assert_allclose(raw[0, rows], f[rows] + tree.number[leaf], rtol=1e-12)


def test_leaves_of_classes_are_newton_steps():
    rng = np.random.default_rng(1)
    f, y = rng.normal(size=(3, 300)), rng.integers(0, 3, 300)
    side = (np.arange(300) % 2).astype(float)
    raw = f.copy()
    bins = find_bins(side[:, None], np.zeros(1, int), 255)
    loss = HistLoss("multinomial", classes=3)
    boosting = Boosting(
        bins, bins.codes(side[:, None]), y.astype(float), None, raw, loss, Limits(), np.zeros(1)
    )
    trees = boosting.round(1.0, [0, 1, 2])
    p = np.exp(f - logsumexp(f, axis=0))
    for k, tree in enumerate(trees):
        for s, leaf in enumerate(tree.leaf):
            rows = side == s
            g, h = (p[k] - (y == k))[rows].sum(), (p[k] * (1 - p[k]))[rows].sum()
            assert_allclose(tree.number[leaf], -g / h, rtol=1e-6)


def test_probabilities_of_the_kernel_are_expits():
    """The vector exponential, over its whole range, by way of one leaf: g = p - y and h = p (1 - p)."""
    for score in (-30.0, -3.3, -1e-9, 0.0, 0.7, 12.0, 30.0):
        y = np.repeat([0.0, 1.0], 40)
        x = np.repeat([0.0, 1.0], 40)[:, None]
        raw = np.full((1, 80), score)
        bins = find_bins(x, np.zeros(1, int), 255)
        w = np.full(80, 1e13 if abs(score) > 5 else 1.0)  # so that the curvature is enough to split
        tree = Boosting(bins, bins.codes(x), y, w, raw, HistLoss("binomial"), Limits(), np.zeros(1)).round(
            1.0, [0]
        )[0]
        p = expit(score)
        newton = np.array([-1 / (1 - p), 1 / p])
        bounded = np.copysign(np.log1p(np.abs(newton)), newton)  # where the curvature has vanished
        assert_allclose(tree.number[tree.leaf], np.where(np.abs(newton) > 100, bounded, newton), rtol=1e-6)


@pytest.mark.parametrize("name", ["absolute_error", "quantile"])
def test_leaf_values_of_losses_with_corners(name):
    residuals, w = np.array([3.0, 1.0, 2.0, 10.0]), np.array([1.0, 1.0, 1.0, 5.0])
    loss = HistLoss(name, quantile=0.25)
    assert loss.leaf_value(residuals, None) == (2.5 if name == "absolute_error" else 1.75)
    assert loss.leaf_value(residuals, w) == (10.0 if name == "absolute_error" else 2.0)
