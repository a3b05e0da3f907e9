"""How the belief about a Gaussian's mean moves: shared by normal-gamma, normal-inverse-Wishart and classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["updated_mean"]


def updated_mean(kappa: Any, mean: Any, n: Any, centre: Any) -> tuple[Any, Any, Any]:
    r"""The belief about a mean, worth κ rows, after n rows whose mean is ``centre``; arrays go together.

    .. math:: \kappa' = \kappa + n, \qquad m' = \frac{\kappa m + n\bar x}{\kappa'}, \qquad
              \frac{\kappa n}{\kappa'}                                                              \quad (1)

    The last is how much the squared distance between :math:`\bar x` and m adds to the scatter. An infinite κ is a known
    mean; nothing at all (κ = n = 0) leaves m as it is.

    >>> from assay.stats.bayesian.normal_update import updated_mean
    >>> updated_mean(1.0, 4.0, 5.0, 6.0)
    (6.0, 5.666666666666667, 0.8333333333333334)
    """
    total = kappa + n
    # the share of the data; 1 - share stays exact where the prior outweighs them
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isinf(total) | (np.asarray(total) == 0), 0.0, np.divide(n, total))
        pull = np.where(np.isinf(kappa), n, share * np.where(np.isinf(kappa), 0.0, kappa))
    shifted = mean + share * (np.asarray(centre) - mean)
    if np.ndim(shifted) == 0:
        return float(total), float(shifted), float(pull)
    return total, shifted, pull
