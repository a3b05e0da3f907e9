r"""The negative binomial's alpha of largest likelihood, the means being given."""

from __future__ import annotations

import numpy as np

from assay.core.sums import Block
from assay.linear.generalized.deviance_objective import DevianceObjective, means, split

__all__ = ["most_likely_alpha"]

STEPS = 60
SMALLEST, LARGEST = 1e-8, 1e8  # between them lies alpha; at the smallest the family is Poisson's


def most_likely_alpha(objective: DevianceObjective, v: np.ndarray, start: float) -> float:
    r"""The alpha at which the log likelihood has no slope; Newton's steps in :math:`\ln\alpha`, one pass each.

    With k = 1/alpha the derivatives of a row's log likelihood by k are

    .. math:: \psi(y+k)-\psi(k)+\ln\frac{k}{k+\mu}+1-\frac{y+k}{k+\mu},\qquad
              \psi'(y+k)-\psi'(k)+\frac1k-\frac{2}{k+\mu}+\frac{y+k}{(k+\mu)^2}               \quad (1)
    """
    from scipy.special import digamma, polygamma

    w, b = objective.outside(v)

    def slopes(k: float) -> tuple[float, float]:
        def part(block: Block) -> np.ndarray:
            y, offset = split(block.y)
            weight = np.ones(len(y)) if block.w is None else block.w
            mu = means(np.asarray(block.X @ w) + (b + offset), objective.family, objective.link)
            assert mu is not None  # a fit ends where all means are possible
            first = digamma(y + k) - digamma(k) + np.log(k / (k + mu)) + 1 - (y + k) / (k + mu)
            second = polygamma(1, y + k) - polygamma(1, k) + 1 / k - 2 / (k + mu) + (y + k) / (k + mu) ** 2
            return np.array([weight @ first, weight @ second])

        first, second = objective.source.add_up(part)  # (1)
        return float(first), float(second)

    t, low, high = -np.log(start), -np.log(LARGEST), -np.log(SMALLEST)
    for _ in range(STEPS):
        k = np.exp(t)
        first, second = slopes(k)
        g, h = first * k, second * k * k + first * k
        low, high = (t, high) if g > 0 else (low, t)
        step = -g / h if h < 0 else np.sign(g)
        new = t + float(np.clip(step, -3.0, 3.0))
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - t) < 1e-10:
            t = new
            break
        t = new
    return float(np.exp(-t))
