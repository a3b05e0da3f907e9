"""Bounds for classifiers drawn at random, by how far they moved from a prior (PAC-Bayes)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.theory._checks import counts, not_negative, plain, rate, share
from assay.theory.concentration import binary_kl

__all__ = ["kl_inverse", "pac_bayes_bound"]


def kl_inverse(risk: ArrayLike, budget: ArrayLike) -> Any:
    r"""The largest p with :math:`\mathrm{kl}(\hat r \| p) \le` budget: what a risk of r may really be.

    By bisection, to about 1e-17; never above Pinsker's :math:`\hat r + \sqrt{budget/2}`.

    >>> from assay.theory import kl_inverse
    >>> round(kl_inverse(0.0, 0.01), 5), round(kl_inverse(0.1, 0.01), 5)
    (0.00995, 0.14768)

    See Also
    --------
    chernoff, pac_bayes_bound

    References
    ----------
    - Boucheron, S., Lugosi, G. and Massart, P. (2013). Concentration Inequalities. Oxford University Press.
    """
    who = "kl_inverse"
    r, b = np.broadcast_arrays(rate(risk, who, "risk"), not_negative(budget, who, "budget"))
    low: NDArray[np.float64] = np.array(r, dtype=np.float64)
    high = np.ones_like(low)
    for _ in range(60):
        middle = (low + high) / 2
        within = binary_kl(r, middle) <= b
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return plain(low)


def pac_bayes_bound(risk: ArrayLike, divergence: ArrayLike, n: ArrayLike, delta: ArrayLike = 0.05) -> Any:
    r"""What the risk of a randomised classifier is at most, with probability 1 - delta, for every posterior at once.

    .. math:: \mathrm{kl}(\hat R(Q) \| R(Q)) \le \frac1n \left(KL(Q \| P) + \ln\frac{2 \sqrt n}\delta\right)

    (Seeger 2002, Maurer 2004), solved for R(Q). The classifier draws a hypothesis from Q for every row; P is any
    distribution over hypotheses fixed before the sample is seen.

    Parameters
    ----------
    risk : the mean empirical risk of hypotheses drawn from Q
    divergence : KL(Q || P) in nats
    n : training rows

    Examples
    --------
    >>> from assay.theory import pac_bayes_bound
    >>> round(pac_bayes_bound(0.1, 5.0, 1000), 4)
    0.1531

    See Also
    --------
    kl_inverse, finite_class_bound

    References
    ----------
    - McAllester, D. A. (1999). Some PAC-Bayesian theorems. Machine Learning 37, 355-363.
      doi:10.1023/A:1007618624809
    """
    who = "pac_bayes_bound"
    kl, n, delta = (
        not_negative(divergence, who, "divergence"),
        counts(n, who, "n"),
        share(delta, who, "delta"),
    )
    return kl_inverse(rate(risk, who, "risk"), (kl + np.log(2 * np.sqrt(n)) - np.log(delta)) / n)
