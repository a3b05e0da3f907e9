"""Power of each test: the probability that it rejects, given the true difference and n values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from assay.stats.distributions.tails import at_least, at_most, noncentral_t
from assay.stats.significance.binomial_test import log_binomial

__all__ = ["POWERS", "Setting", "approximate_n"]


NODES = 10_000


@dataclass(frozen=True)
class Setting:
    """What the power depends on besides the difference and n."""

    sd: float
    ratio: float
    p0: float
    disagree: float
    alpha: float
    alternative: str

    @property
    def beyond(self) -> float:
        """The level of one tail."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha


def z_power(difference: float, n: float, s: Setting) -> float:
    """A mean of values whose standard deviation is known."""
    shift = difference * np.sqrt(n) / s.sd
    critical = -ndtri(s.beyond)
    return _sides(float(ndtr(shift - critical)), float(ndtr(-shift - critical)), s)


def t_power(difference: float, n: float, s: Setting) -> float:
    """One sample or pairs; ``ratio`` widens the standard error for splits that share rows."""
    return _noncentral(difference / (s.sd * np.sqrt(1 / n + s.ratio)), n - 1, s)


def two_sample_t_power(difference: float, n: float, s: Setting) -> float:
    """Two means of n values each, with one variance for both."""
    return _noncentral(difference / (s.sd * np.sqrt(2 / n)), 2 * n - 2, s)


def binomial_power(difference: float, n: float, s: Setting) -> float:
    """Of the exact test, without approximation."""
    k, rows = _support(int(n), s.p0), int(n)
    if s.alternative == "greater":
        rejected = at_least(k, rows, s.p0) <= s.alpha
    elif s.alternative == "less":
        rejected = at_most(k, rows, s.p0) <= s.alpha
    else:  # outcomes in order of their likelihood, until they fill alpha; ties go together
        log_null = log_binomial(k, n, s.p0)
        order = np.argsort(log_null)
        filled = np.cumsum(np.exp(log_null[order]))
        p = filled[np.searchsorted(log_null[order], log_null + 1e-7, side="right") - 1]
        rejected = p <= s.alpha
    return _hit(k, rejected, rows, s.p0 + difference, s)


def proportion_power(difference: float, n: float, s: Setting) -> float:
    """Of the test by the normal approximation; its power itself is exact."""
    k = _support(int(n), s.p0)
    z = (k / n - s.p0) / np.sqrt(s.p0 * (1 - s.p0) / n)
    critical = -ndtri(s.beyond)
    sides = {"greater": z >= critical, "less": z <= -critical}
    rejected = sides.get(s.alternative, np.abs(z) >= critical)
    return _hit(k, rejected, int(n), s.p0 + difference, s)


def mcnemar_power(difference: float, n: float, s: Setting) -> float:
    """Of the exact test: over the number of rows that exactly one learner gets wrong, then its split.

    Where that number spreads over more than NODES, so many of them stand for all.
    """
    share = (s.disagree + difference) / 2 / s.disagree  # of those rows, the part of the first learner
    reach = 9 * np.sqrt(n * s.disagree * (1 - s.disagree)) + 9
    first, last = max(0, int(n * s.disagree - reach)), min(int(n), int(n * s.disagree + reach))
    split = np.unique(np.linspace(first, last, min(last - first + 1, NODES)).astype(np.int64))
    if last < 10_000:
        conditional = _rejection_by_split(1 << (last + 1).bit_length(), share, s.beyond, s.alternative)[split]
    else:
        conditional = _rejection_probability(split, share, s.beyond, s.alternative)
    weight = np.exp(log_binomial(split, n, s.disagree))
    if last - first >= NODES:  # nodes stand for what lies between them
        weight /= weight.sum()
    return min(1.0, float(weight @ conditional))


@lru_cache(maxsize=4)
def _rejection_by_split(size: int, share: float, beyond: float, alternative: str) -> np.ndarray:
    """The same for many n, so a search over n computes it once."""
    return _rejection_probability(np.arange(size), share, beyond, alternative)


def _rejection_probability(split: np.ndarray, share: float, beyond: float, alternative: str) -> np.ndarray:
    """Power of the sign test on so many rows, of which the first learner gets ``share`` wrong on average."""
    few = _critical(split, beyond)  # rejected if one learner has at most so many of them; -1: never
    up, down = at_least(split - few, split, share), at_most(few, split, share)
    return {"greater": up, "less": down}.get(alternative, up + down)


POWERS: dict[str, Callable[[float, float, Setting], float]] = {
    "z": z_power,
    "t": t_power,
    "two-sample t": two_sample_t_power,
    "binomial": binomial_power,
    "proportion": proportion_power,
    "mcnemar": mcnemar_power,
}


def approximate_n(test: str, difference: float, power: float, s: Setting) -> float:
    r"""n by the normal approximation, :math:`n = ((z_\alpha \sigma_0 + z_\beta \sigma_1) / \delta)^2`."""
    if test in ("binomial", "proportion"):
        p1 = s.p0 + difference
        null, other = np.sqrt(s.p0 * (1 - s.p0)), np.sqrt(p1 * (1 - p1))
    elif test == "mcnemar":
        null, other = np.sqrt(s.disagree), np.sqrt(max(s.disagree - difference**2, 0.0))
    else:
        null = other = s.sd * (np.sqrt(2) if test == "two-sample t" else 1.0)
    root = -ndtri(s.beyond) * null + ndtri(power) * other
    return float((max(root, 0.0) / difference) ** 2)


def _sides(up: float, down: float, s: Setting) -> float:
    return {"greater": up, "less": down}.get(s.alternative, up + down)


def _noncentral(shift: float, df: float, s: Setting) -> float:
    critical = float(stdtrit(df, 1 - s.beyond))
    return _sides(1 - noncentral_t(critical, df, shift), 1 - noncentral_t(critical, df, -shift), s)


def _support(n: int, p: float) -> np.ndarray:
    """The outcomes, without those below 1e-16 under the hypothesis where n is large; ends stand for them."""
    reach = 9 * np.sqrt(n * p * (1 - p)) + 40
    return np.arange(max(0, int(n * p - reach)), min(n, int(n * p + reach)) + 1)


def _hit(k: np.ndarray, rejected: np.ndarray, n: int, p1: float, s: Setting) -> float:
    """Probability of the rejected outcomes under p1: two tails around what is kept."""
    kept = k[~rejected]
    if len(kept) == 0:
        return 1.0
    down, up = float(at_most(kept[0] - 1, n, p1)), float(at_least(kept[-1] + 1, n, p1))
    return _sides(up, down, s)


def _critical(split: np.ndarray, beyond: float) -> np.ndarray:
    """The largest c with P(X <= c) <= beyond for X ~ Bin(split, 1/2); -1 where there is none."""
    middle, reach = split // 2, (20 * np.sqrt(split)).astype(np.int64)  # P is below 1e-300 further out
    low, high = np.maximum(middle - reach - 1, -1), np.maximum(split, 0)
    while (high - low > 1).any():  # low keeps the promise, high breaks it or is not yet known
        middle = np.maximum((low + high) // 2, 0)
        good = at_most(middle, split, 0.5) <= beyond
        low, high = np.where(good & (high - low > 1), middle, low), np.where(good, high, middle)
    return low
