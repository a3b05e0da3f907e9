"""A bound for one classifier, by the rows it was tested on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from assay.errors import ParameterError
from assay.theory._checks import counts, plain, share

__all__ = ["holdout_bound"]


def holdout_bound(errors: ArrayLike, n: ArrayLike, delta: ArrayLike = 0.05) -> Any:
    r"""What the risk is at most, with probability 1 - delta, after so many errors on n rows not used in learning.

    .. math:: \max\{p : P(\mathrm{Bin}(n, p) \le k) \ge \delta\}

    the inverse of the binomial tail (Langford 2005), which is the upper end of the one-sided interval of Clopper and
    Pearson: for one classifier nothing tighter holds for every distribution. It is void if the rows took part in
    learning or in choosing among learners.

    Parameters
    ----------
    errors : k, whole numbers from 0 to n
    n : rows tested

    Examples
    --------
    Three hundred rows without an error: the rule of three says 3/300.

    >>> from assay.theory import holdout_bound
    >>> round(holdout_bound(0, 300), 5), round(holdout_bound(10, 100), 5)
    (0.00994, 0.16372)

    See Also
    --------
    hoeffding_epsilon, assay.stats.proportion_interval

    References
    ----------
    - Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the American
      Statistical Association 58(301), 13-30. doi:10.1080/01621459.1963.10500830
    """
    who = "holdout_bound"
    k, n, delta = counts(errors, who, "errors", 0), counts(n, who, "n"), share(delta, who, "delta")
    if not np.all(k <= n):
        raise ParameterError(f"{who}: errors must be at most n, the rows tested.")
    inside = np.minimum(k, n - 1)
    return plain(np.where(k == n, 1.0, betaincinv(inside + 1, n - inside, 1 - delta)))
