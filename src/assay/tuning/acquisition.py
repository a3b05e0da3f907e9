"""What a try of a setting promises: improvement expected, a confident bound, or a draw from the posterior."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.tuning.surrogate import Surrogate

__all__ = ["ACQUISITIONS", "log_expected_improvement"]

CONFIDENCE = 2.0  # standard deviations below the mean that the confidence bound hopes for
NOISY_DRAWS = 16  # of the values at the settings tried, over which noisy improvement is averaged
POINTS_OF_A_DRAW = 800  # candidates of which Thompson sampling draws the function

Acquisition = Callable[[Surrogate, np.ndarray, np.random.Generator], np.ndarray]


def log_expected_improvement(mean: np.ndarray, sd: np.ndarray, best: float) -> np.ndarray:
    r"""(n,) the log of :math:`E[\max(0, b - f)]` for :math:`f \sim N(m, s^2)`, exact also where it underflows.

    .. math:: EI = s\,(\phi(z) + z\Phi(z)), \quad z = (b - m) / s

    >>> import numpy as np
    >>> from assay.tuning.acquisition import log_expected_improvement
    >>> np.exp(log_expected_improvement(np.array([0.0]), np.array([1.0]), 0.0)).round(6)  # 1 / sqrt(2 pi)
    array([0.398942])
    """
    from scipy.special import erfcx, ndtr

    z = (best - mean) / sd
    density = -0.5 * z * z - 0.5 * np.log(2 * np.pi)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log(np.exp(density) + z * ndtr(z))
        ratio = np.sqrt(np.pi / 2) * erfcx(-z / np.sqrt(2))  # of the distribution function to the density
        far = density + np.where(z < -1e3, -2 * np.log(np.abs(z)), np.log1p(z * ratio))
    return np.log(sd) + np.where(z > -1.0, near, far)


def expected_improvement(model: Surrogate, units: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Below the best value that is expected at a setting tried: noise of its measurement does not count."""
    mean, sd = model.mean_and_sd(units)
    return log_expected_improvement(mean, sd, float(model.expected().min()))


def confidence_bound(model: Surrogate, units: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """What is hoped for: two standard deviations below the mean."""
    mean, sd = model.mean_and_sd(units)
    return CONFIDENCE * sd - mean


def thompson(model: Surrogate, units: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One draw of the function: a setting is tried as often as it is likely to be the best."""
    worth = np.full(len(units), -np.inf)
    some = random.permutation(len(units))[:POINTS_OF_A_DRAW]
    worth[some] = -model.draws(units[some], 1, random)[0]
    return worth


def noisy_expected_improvement(
    model: Surrogate, units: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Expected improvement, averaged over what the values at the settings tried may be without their noise."""
    draws = (model.draws(model.units, NOISY_DRAWS, random) - model.mean) / model.scale
    exact = model._factor(1e-6)
    k = model.covariances(units)
    means = exact.solve(draws.T).T @ k
    sd = model.sd(exact, k)
    each = [log_expected_improvement(mean, sd, float(draw.min())) for mean, draw in zip(means, draws)]
    return np.logaddexp.reduce(each, axis=0) - np.log(len(each))


ACQUISITIONS: dict[str, Acquisition] = {
    "ei": expected_improvement,
    "ucb": confidence_bound,
    "thompson": thompson,
    "noisy ei": noisy_expected_improvement,
}
