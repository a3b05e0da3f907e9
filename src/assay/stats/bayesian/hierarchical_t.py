"""The Bayesian hierarchical correlated t test: two learners over the splits of many data sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammainccinv, gammaln, stdtr

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.stats.bayesian.rope_posterior import RopePosterior, check_rope
from assay.stats.checks import is_number, is_whole
from assay.stats.significance.summary import NO_SPREAD, sample
from assay.types import RandomState

__all__ = ["HierarchicalPosterior", "hierarchical_t"]

CHAINS, WARM_UP = 100, 200
TAILS = np.geomspace(0.2, 200, 48)  # degrees of freedom between data sets that are considered


@dataclass(frozen=True)
class HierarchicalPosterior(RopePosterior):
    """A RopePosterior for new data sets, with estimates for the observed ones.

    Attributes
    ----------
    estimates : (q,) the mean difference on each data set, drawn towards the others as far as it is uncertain
    low, high : (q,) their central 95 % intervals
    centre : (low, high)
        The central 95 % interval of the middle of all data sets.
    """

    estimates: np.ndarray = field(default_factory=lambda: np.zeros(0))
    low: np.ndarray = field(default_factory=lambda: np.zeros(0))
    high: np.ndarray = field(default_factory=lambda: np.zeros(0))
    centre: tuple[float, float] = (np.nan, np.nan)


def hierarchical_t(
    differences: ArrayLike,
    *,
    ratio: float = 0.0,
    rope: float = 0.01,
    draws: int = 20_000,
    random_state: RandomState = 0,
) -> HierarchicalPosterior:
    r"""The probability that one learner is practically better on the next data set, from splits of many.

    On data set i the J differences have mean :math:`\mu_i`, deviation :math:`\sigma_i` and, because the
    splits share rows, the correlation :math:`\rho = n_{test}/(n_{test} + n_{train})`; the data sets themselves
    scatter around a centre:

    .. math:: \bar d_i \sim N\left(\mu_i,\ \sigma_i^2\left(\tfrac{1-\rho}{J} + \rho\right)\right), \qquad
              \frac{SS_i}{\sigma_i^2 (1-\rho)} \sim \chi^2_{J-1}, \qquad
              \mu_i \sim t_\nu(\mu_0, \sigma_0)                                                   \quad (1)

    with flat priors of :math:`\mu_0, \sigma_0, \sigma_i` and the prior of :math:`\nu` of Corani et al. (2017).
    Each draw of :math:`(\mu_0, \sigma_0, \nu)` gives the probabilities of left, within and right on a new
    data set; the answer is the share of draws in which each is the most probable. Drawn by Gibbs sampling:
    every step has a closed form, and :math:`\nu` is drawn from a grid.

    Parameters
    ----------
    differences : (q, J) table, or a list of q samples, q from 3
        First learner minus second on the splits of each data set.
    ratio : float
        Test rows per training row: 1/9 for 10-fold cross-validation, also if repeated.
    rope : float
        The largest difference that does not matter.
    draws : int
    random_state : None, int or Generator

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats import hierarchical_t
    >>> means = np.array([.03, .02, .04, .03, .01, .05])
    >>> folds = means[:, None] + np.random.default_rng(0).normal(0, .02, (6, 10))
    >>> result = hierarchical_t(folds, ratio=1 / 9, rope=0.01, draws=4000)
    >>> result.decision()
    'right'

    See Also
    --------
    correlated_t, signed_rank_posterior

    References
    ----------
    - Corani, G., Benavoli, A., Demšar, J., Mangili, F. and Zaffalon, M. (2017). Statistical comparison of
      classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
      doi:10.1007/s10994-017-5641-9
    - Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
      multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18(77), 1-36.
    """
    who = "hierarchical_t"
    rope = check_rope(rope, who)
    if not is_number(ratio) or ratio < 0 or not is_whole(draws, 1):
        raise ParameterError(f"ratio must be from 0 and draws from 1, got {ratio!r} and {draws!r}.", who=who)
    m, SS, J, why = _moments(differences, who)
    unit = float(np.sqrt(np.mean(SS / (J - 1))))
    rho = ratio / (1 + ratio)
    state = _sample(m / unit, SS / unit**2 / (1 - rho), J, (1 - rho) / J + rho, draws, random_state)
    mu0, sigma0, nu, mu = state[0] * unit, state[1] * unit, state[2], state[3] * unit
    left, right = stdtr(nu, (-rope - mu0) / sigma0), stdtr(nu, (mu0 - rope) / sigma0)
    samples = np.column_stack([left, np.maximum(1 - left - right, 0.0), right])
    worse, same, better = (np.bincount(samples.argmax(axis=1), minlength=3) / len(samples)).tolist()
    bounds = np.quantile(mu, [0.025, 0.975], axis=0)
    middle = float(np.quantile(mu0, 0.025)), float(np.quantile(mu0, 0.975))
    return HierarchicalPosterior(
        worse, same, better, rope, "Bayesian hierarchical t test", samples=samples, why=why,
        estimates=mu.mean(axis=0), low=bounds[0], high=bounds[1], centre=middle,
    )  # fmt: skip


def _moments(differences: Any, who: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """(q,) means, sums of squares and numbers of splits; a data set without spread gets the least of the others."""
    if not hasattr(differences, "__len__") or isinstance(differences, (str, dict)) or len(differences) < 3:
        raise DataError("needs the differences of at least 3 data sets. For one: correlated_t.", who=who)
    rows = [sample(d, who, what="splits") for d in differences]
    J = np.array([len(d) for d in rows], dtype=np.float64)
    m = np.array([d.mean() for d in rows])
    SS = np.array([np.sum((d - d.mean()) ** 2) for d in rows])
    flat = np.sqrt(SS / (J - 1)) <= NO_SPREAD * np.array([np.abs(d).max() for d in rows])
    if flat.all():
        raise DataError("on no data set do the differences vary. Over means: signed_rank_posterior.", who=who)
    if not flat.any():
        return m, SS, J, ""
    least = np.min((SS / (J - 1))[~flat])
    why = f"{int(flat.sum())} of {len(rows)} data sets have no spread; they were given the smallest of the others."
    return m, np.where(flat, least * (J - 1), SS), J, why


def _sample(
    m: np.ndarray, B: np.ndarray, J: np.ndarray, c: np.ndarray, draws: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draws of mu0, sigma0, nu and (draws, q) mu; many chains side by side, in units of a typical spread."""
    rng, q = as_generator(random_state, "hierarchical_t"), len(m)
    rounds = -(-draws // CHAINS)
    widest = 1000 * max(float(m.std(ddof=1)), 1e-3)
    mu = m + rng.normal(size=(CHAINS, q)) * np.sqrt(B / np.maximum(J - 1, 1) * c)
    mu0, sigma0 = mu.mean(axis=1), np.maximum(mu.std(axis=1, ddof=1), 1e-3)
    kept: list[tuple[np.ndarray, ...]] = []
    for step in range(WARM_UP + rounds):
        nu = _drawn_tails((mu - mu0[:, None]) / sigma0[:, None], rng)  # with the weights summed out
        squares = ((mu - mu0[:, None]) / sigma0[:, None]) ** 2
        weight = rng.standard_gamma((nu[:, None] + 1) / 2, (CHAINS, q)) * 2 / (nu[:, None] + squares)
        precision = 1 / _inverse_gamma((J - 1) / 2, (B + (m - mu) ** 2 / c) / 2, rng) / c
        prior = weight / sigma0[:, None] ** 2
        mu = (precision * m + prior * mu0[:, None]) / (precision + prior)
        mu += rng.normal(size=mu.shape) / np.sqrt(precision + prior)
        total = weight.sum(axis=1)
        mu0 = np.sum(weight * mu, axis=1) / total + rng.normal(size=CHAINS) * sigma0 / np.sqrt(total)
        half_squares = np.sum(weight * (mu - mu0[:, None]) ** 2, axis=1) / 2
        # with a flat prior of sigma0 up to the widest, its precision is a gamma cut off below
        shape = (q - 1) / 2
        share = rng.uniform(size=CHAINS) * gammaincc(shape, half_squares / widest**2)
        sigma0 = np.sqrt(half_squares / gammainccinv(shape, share))
        if step >= WARM_UP:
            kept.append((mu0, sigma0, nu, mu))
    columns = [np.concatenate(v)[:draws] for v in zip(*kept)]
    return columns[0], columns[1], columns[2], columns[3]


def _inverse_gamma(shape: np.ndarray, rate: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """sigma_i squared, given all else: a flat prior of sigma_i makes it an inverse gamma."""
    return rate / rng.standard_gamma(np.broadcast_to(shape, rate.shape))


def _drawn_tails(u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(chains,) degrees of freedom, from the likelihood of the standardised means u on the grid."""
    half = (TAILS + 1) / 2
    constant = gammaln(half) - gammaln(TAILS / 2) - 0.5 * np.log(TAILS)
    log = u.shape[1] * constant - half * np.sum(np.log1p(u[:, :, None] ** 2 / TAILS), axis=1)
    p = np.exp(log - log.max(axis=1, keepdims=True)) * _tail_prior()
    below = np.cumsum(p, axis=1)
    return TAILS[(below < rng.uniform(size=(len(u), 1)) * below[:, -1:]).sum(axis=1)]


@lru_cache(maxsize=1)
def _tail_prior() -> np.ndarray:
    """nu ~ Gamma(a, rate b), a from 0.5 to 5 and b from 0.05 to 0.15 evenly; times the width of the grid."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    a = (0.5 + 4.5 * (nodes + 1) / 2)[:, None, None]
    b = (0.05 + 0.10 * (nodes + 1) / 2)[None, :, None]
    density = np.exp(a * np.log(b) - gammaln(a) + (a - 1) * np.log(TAILS) - b * TAILS)
    return np.einsum("a,b,abt->t", weights, weights, density) * np.gradient(TAILS)
