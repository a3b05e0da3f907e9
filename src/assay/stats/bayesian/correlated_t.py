"""The Bayesian correlated t test: two learners over the splits of one data set."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.rope_posterior import RopePosterior, check_rope
from assay.stats.checks import is_number
from assay.stats.significance.summary import NO_SPREAD, Summary, sample

__all__ = ["correlated_t"]


def correlated_t(differences: ArrayLike, *, ratio: float = 0.0, rope: float = 0.01) -> RopePosterior:
    r"""The probability that the first of two learners is worse, practically equal, or better.

    Differences over J splits of one data set are correlated, because the splits share rows; with the
    correlation :math:`\rho = n_{test} / (n_{test} + n_{train})` the posterior of the mean difference is

    .. math:: \mu \sim t_{J-1}\left(\bar d,\ \left(\tfrac1J + \tfrac{\rho}{1-\rho}\right) S^2\right), \qquad
              \tfrac{\rho}{1-\rho} = n_{test}/n_{train}                                         \quad (1)

    (Corani and Benavoli 2015). Unlike a p-value it can show that two learners are practically equal.

    Parameters
    ----------
    differences : (J,) first learner minus second, one per split; or a Summary of them
    ratio : float
        Test rows per training row: 1/9 for 10-fold cross-validation, also if repeated.
    rope : float
        The largest difference that does not matter.

    Returns
    -------
    RopePosterior; its ``density`` is (1)

    Examples
    --------
    >>> from assay.stats import correlated_t
    >>> result = correlated_t([.03, .00, .03, .01, .01, .01, .04, .02, .01, .04], ratio=1 / 9, rope=0.05)
    >>> round(result.within, 4), result.decision()
    (0.9994, 'equal')

    See Also
    --------
    paired_t, hierarchical_t, signed_rank_posterior

    References
    ----------
    - Corani, G. and Benavoli, A. (2015). A Bayesian approach for comparing cross-validated algorithms on multiple
      data sets. Machine Learning 100, 285-304. doi:10.1007/s10994-015-5486-z
    - Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
      multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18(77), 1-36.
    """
    who = "correlated_t"
    rope = check_rope(rope, who)
    if not is_number(ratio) or ratio < 0:
        raise ParameterError(
            f"ratio must be a number from 0 (test rows per training row), got {ratio!r}.", who=who
        )
    if isinstance(differences, Summary):
        s, constant = differences, differences.constant
    else:
        d = sample(differences, who, what="splits")
        s = Summary.of(d)
        constant = s.sd <= NO_SPREAD * float(np.abs(d).max())
    if s.n < 2:
        raise DataError(f"needs at least 2 splits, got {s.n}.", who=who)
    name, df = "Bayesian correlated t test", s.n - 1
    if constant:
        return _without_spread(s.mean, rope, name, df)
    scale = float(s.sd * np.sqrt(1 / s.n + ratio))  # (1)
    left, right = float(stdtr(df, (-rope - s.mean) / scale)), float(stdtr(df, (s.mean - rope) / scale))
    return RopePosterior(left, max(0.0, 1 - left - right), right, rope, name, s.mean, scale, df)


def _without_spread(mean: float, rope: float, name: str, df: float) -> RopePosterior:
    """All probability at one point; at zero without a region, half to either side."""
    left, right = (float(mean < -rope), float(mean > rope)) if mean or rope else (0.5, 0.5)
    why = "The difference is the same on every split, which says nothing about how sure one can be."
    return RopePosterior(left, 1 - left - right, right, rope, name, mean, 0.0, df, why=why)
