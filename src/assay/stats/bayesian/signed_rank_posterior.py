"""The Bayesian signed-rank test: two learners over many data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.stats.bayesian.rope_posterior import RopePosterior, check_rope
from assay.stats.checks import is_number, is_whole
from assay.stats.significance.differences import DIGITS, paired_differences
from assay.types import RandomState

__all__ = ["signed_rank_posterior"]

AT_ONCE = 1_000_000  # numbers in one block of draws


def signed_rank_posterior(
    first: Any,
    second: Any = None,
    *,
    rope: float = 0.01,
    prior: float = 0.5,
    draws: int = 50_000,
    random_state: RandomState = 0,
) -> RopePosterior:
    r"""The probability that one learner is practically better on most data sets like these.

    The differences z over n data sets get random weights, a Dirichlet process with one pseudo-observation
    at 0 of strength ``prior``; each draw of the weights gives the probabilities of a mean of two data sets:

    .. math:: w \sim Dir(s, 1, \dots, 1), \qquad
              \theta_{right} = \sum_{i,j} w_iw_j [z_i + z_j > 2r], \quad
              \theta_{left} = \sum_{i,j} w_iw_j [z_i + z_j < -2r]                                \quad (1)

    :math:`\theta_{within}` is the rest, and a pair exactly on the edge counts half. The answer is the share
    of draws in which each of the three is the largest (Benavoli et al. 2014).

    Parameters
    ----------
    first : (n,) values of the first learner; or differences, if second is None
    second : (n,) values of the second learner on the same data sets
    rope : float
        r, the largest difference that does not matter.
    prior : float
        s; the weight of the pseudo-observation, in data sets.
    draws : int
    random_state : None, int or Generator

    Returns
    -------
    RopePosterior with ``samples``, the three thetas of every draw

    Examples
    --------
    >>> from assay.stats import signed_rank_posterior
    >>> result = signed_rank_posterior([.02, -.01, .05, .03, .04, -.015, .06, .025, .07, .035], rope=0.01)
    >>> round(result.right, 2), result.decision()
    (1.0, 'right')

    See Also
    --------
    wilcoxon_signed_rank, hierarchical_t

    References
    ----------
    - Benavoli, A., Corani, G., Mangili, F., Zaffalon, M. and Ruggeri, F. (2014). A Bayesian Wilcoxon signed-rank
      test based on the Dirichlet process. International Conference on Machine Learning, 1026-1034.
    - Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
      multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18(77), 1-36.
    """
    who = "signed_rank_posterior"
    rope = check_rope(rope, who)
    if not (is_number(prior) and prior > 0) or not is_whole(draws, 1):
        raise ParameterError(
            f"prior must be above 0 and draws a whole number from 1, got {prior!r} and {draws!r}.", who=who
        )
    z = np.append(paired_differences(first, second, who), 0.0)
    largest = max(float(np.abs(z).max()), rope)
    unit = 10.0 ** (np.floor(np.log10(largest)) - DIGITS) if largest else 1.0
    z, edge = np.rint(z / unit), np.rint(2 * rope / unit)  # whole numbers, so that an edge is an edge
    order = np.argsort(z, kind="stable")
    strength = np.where(order == len(z) - 1, prior, 1.0)
    z = z[order]
    # of each z_i, how many z_j come before the edge, and how many up to it
    edges = [(np.searchsorted(z, e - z, "left"), np.searchsorted(z, e - z, "right")) for e in (-edge, edge)]
    rng = as_generator(random_state, who)
    blocks = np.array_split(np.arange(draws), max(1, draws * len(z) // AT_ONCE))
    samples = np.concatenate([_thetas(rng.standard_gamma(strength, (len(b), len(z))), edges) for b in blocks])
    wins = np.bincount(samples.argmax(axis=1), minlength=3) / draws
    why = "" if z.any() else "All differences are zero."
    left, within, right = (float(v) for v in wins)
    if not rope and not z.any():  # argmax would take the first of equals
        left, right = 0.5, 0.5
    return RopePosterior(left, within, right, rope, "Bayesian signed-rank test", samples=samples, why=why)


def _thetas(gamma: np.ndarray, edges: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """(draws, 3) left, within, right of (1): cumulated weights stand for the inner sum."""
    w = gamma / gamma.sum(axis=1, keepdims=True)
    up_to = np.concatenate([np.zeros((len(w), 1)), np.cumsum(w, axis=1)], axis=1)
    (low_before, low_upto), (high_before, high_upto) = edges
    left = np.sum(w * (up_to[:, low_before] + up_to[:, low_upto]), axis=1) / 2
    right = 1 - np.sum(w * (up_to[:, high_before] + up_to[:, high_upto]), axis=1) / 2
    return np.column_stack([left, np.maximum(1 - left - right, 0.0), right])
