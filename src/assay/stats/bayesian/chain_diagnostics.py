"""What draws are worth: split R-hat, effective sample size, the shortest interval that holds a share of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri

from assay.errors import DataError
from assay.stats.checks import as_points, one_of, tail_of

__all__ = ["effective_sample_size", "shortest_interval", "split_r_hat"]

Floats = NDArray[np.float64]
FEWEST_DRAWS = 4  # of a chain: halves of two draws are the shortest with a variance
KINDS = ("bulk", "tail", "mean")


def split_r_hat(draws: ArrayLike) -> Any:
    r"""Do the chains agree? Near 1 if they do; above 1.01, draw longer.

    Each chain is cut into halves, so that a drift within a chain counts too. With within-chain variance W and
    variance B/N of the means of N draws,

    .. math:: \hat R = \sqrt{\frac{N-1}N + \frac{B}{N W}}                                          \quad (1)

    of the normal scores of the ranks, once of the draws and once of their distances from the median; the larger
    counts, so that chains of one centre and different spread are noticed, and heavy tails do no harm. All draws
    equal: 1; chains that stand still at different values: infinite.

    Parameters
    ----------
    draws : (chains, draws, ...), at least 4 draws; one value for each place of the trailing shape

    Examples
    --------
    >>> from assay.stats import split_r_hat
    >>> rng = np.random.default_rng(0)
    >>> together = rng.normal(size=(4, 500))
    >>> bool(split_r_hat(together) < 1.01), bool(split_r_hat(together + [[0], [0], [0], [3]]) > 1.2)
    (True, True)

    See Also
    --------
    effective_sample_size, Draws

    References
    ----------
    - Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021). Rank-normalization, folding, and
      localization: an improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16(2), 667-718.
      doi:10.1214/20-BA1221
    """
    x, shape = _chains(draws, "split_r_hat")
    halves = _halves(x)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return _shaped(np.maximum(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(folded))), shape)


def effective_sample_size(draws: ArrayLike, kind: str = "bulk") -> Any:
    r"""How many independent draws would be worth as much.

    .. math:: \frac{S}{\tau}, \qquad \tau = 1 + 2\sum_{t=1}^{T}\hat\rho_t                          \quad (1)

    of S draws in all, with autocorrelations :math:`\hat\rho_t` over all split chains, summed over pairs of lags
    until a pair is negative and never rising (Geyer). Cost: O(S log S).

    Parameters
    ----------
    draws : (chains, draws, ...), at least 4 draws
    kind : "bulk", "tail" or "mean", default "bulk"
        Of the normal scores of the ranks; of the 5 % and 95 % quantiles, the worse of the two; of the draws as they
        are, for the error of their mean.

    Examples
    --------
    A chain that remembers half of its last value is worth a third of its draws:

    >>> from assay.stats import effective_sample_size
    >>> steps = np.random.default_rng(0).normal(size=(4, 5000))
    >>> for t in range(1, 5000):
    ...     steps[:, t] += 0.5 * steps[:, t - 1]
    >>> 0.3 < effective_sample_size(steps) / steps.size < 0.36
    True

    See Also
    --------
    split_r_hat, Draws

    References
    ----------
    - Geyer, C. J. (1992). Practical Markov chain Monte Carlo. Statistical Science 7(4), 473-483.
    - Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021). Rank-normalization, folding, and
      localization: an improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16(2), 667-718.
      doi:10.1214/20-BA1221
    """
    one_of(kind, KINDS, "effective_sample_size", "kind")
    x, shape = _chains(draws, "effective_sample_size")
    if kind == "tail":
        low, high = np.quantile(x, [0.05, 0.95], axis=(0, 1))
        return _shaped(np.minimum(_ess(_halves(1.0 * (x <= low))), _ess(_halves(1.0 * (x <= high)))), shape)
    halves = _halves(x)
    return _shaped(_ess(_normal_scores(halves) if kind == "bulk" else halves), shape)


def shortest_interval(draws: ArrayLike, level: float = 0.95) -> Floats:
    """The shortest interval that holds a share of draws: the highest posterior density region of one mode.

    Parameters
    ----------
    draws : (n, ...)
        The first axis is the draws; (2, ...) comes back, the lower and the upper ends.
    level : float between 0 and 1

    Examples
    --------
    >>> from assay.stats import shortest_interval
    >>> shortest_interval([0.0, 1.0, 1.1, 1.2, 9.0], level=0.5)
    array([1. , 1.2])

    See Also
    --------
    Draws

    References
    ----------
    - Chen, M.-H. and Shao, Q.-M. (1999). Monte Carlo estimation of Bayesian credible and HPD intervals. Journal of
      Computational and Graphical Statistics 8(1), 69-92.
    """
    tail_of(level, "shortest_interval")
    x = as_points(draws, "shortest_interval")
    if x.ndim < 1 or not x.size:
        raise DataError(f"expected draws along the first axis, got shape {x.shape}.", who="shortest_interval")
    x = np.sort(x, axis=0)
    inside = int(np.floor(level * len(x)))
    start = np.argmin(x[inside:] - x[: len(x) - inside], axis=0)[None]
    return np.concatenate([np.take_along_axis(x, start, 0), np.take_along_axis(x, start + inside, 0)])


def _chains(draws: ArrayLike, who: str) -> tuple[Floats, tuple[int, ...]]:
    """(chains, draws, m) and the trailing shape."""
    x = as_points(draws, who)
    if x.ndim < 2 or not x.size or x.shape[1] < FEWEST_DRAWS:
        raise DataError(
            f"expected (chains, draws, ...) with at least {FEWEST_DRAWS} draws, got shape {x.shape}.", who=who
        )
    return x.reshape(*x.shape[:2], -1), x.shape[2:]


def _shaped(values: Floats, shape: tuple[int, ...]) -> Any:
    return values.reshape(shape) if shape else float(values[0])


def _halves(x: Floats) -> Floats:
    """Twice as many chains of half the length; of an odd number the middle draw is left out."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def _normal_scores(x: Floats) -> Floats:
    """Normal quantiles of the ranks over all chains."""
    from scipy.stats import rankdata

    ranks = rankdata(x.reshape(-1, x.shape[2]), axis=0).reshape(x.shape)
    return ndtri((ranks - 0.375) / (x.shape[0] * x.shape[1] + 0.25))


def _r_hat(x: Floats) -> Floats:
    N = x.shape[1]
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)
    ratio = np.divide(between, within, out=np.where(between > 0, np.inf, 1 / N), where=within > 0)
    return np.sqrt((N - 1) / N + ratio)  # (1) of split_r_hat


def _ess(x: Floats) -> Floats:
    chains, N, _ = x.shape
    total = chains * N
    centred = x - x.mean(axis=1, keepdims=True)
    size = next_fast_len(2 * N, real=True)
    power = np.abs(rfft(centred, size, axis=1)) ** 2
    covariances = irfft(power, size, axis=1)[:, :N].mean(axis=0) / N  # (N, m) of all chains
    within = covariances[0] * N / (N - 1)
    variance = covariances[0] + x.mean(axis=1).var(axis=0, ddof=1)
    constant = np.ptp(x, axis=(0, 1)) == 0
    rho = 1 - (within - covariances) / np.where(constant, 1.0, variance)
    rho[0] = 1.0
    count = max(N - 3, 0) // 2 + 1  # pairs of lags with enough draws to estimate them
    pairs = rho[: 2 * count].reshape(count, 2, -1).sum(axis=1)
    kept = np.cumsum(pairs < 0, axis=0) == 0  # all before the first negative one
    kept[-1] = False
    summed = np.sum(np.minimum.accumulate(pairs, axis=0), axis=0, where=kept)
    tail = np.maximum(
        np.take_along_axis(rho, 2 * kept.sum(axis=0)[None], 0)[0], 0.0
    )  # the first lag not summed
    tau = np.maximum(-1 + 2 * summed + tail, 1 / np.log10(total))  # (1) of effective_sample_size
    return np.where(constant, float(total), total / tau)
