"""What the class of a row would say of the scores behind the classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from assay.processes.classification.latent_process import LatentProcess
from assay.processes.classification.predictive import averaged_logistic

__all__ = ["Information", "mutual_information"]

NODES = 32  # of Gauss and Hermite, for log odds of a small spread
EQUAL_STEPS_FROM_SD = 1.0  # from this spread on they are exact, too
STEPS = np.linspace(-40.0, 40.0, 161)  # of log odds; beyond them classes are certain


def mutual_information(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    r"""(q,) what a class says of log odds f ~ N(mean, variance), in nats: 0 if they are known, :math:`\ln 2` at most.

    .. math:: I = H\left(\int \sigma(f) N(f; m, v)\, df\right) - \int H(\sigma(f)) N(f; m, v)\, df \quad (1)

    with :math:`H(p) = -p \ln p - (1 - p) \ln(1 - p)`: the uncertainty of the class, without what would be left of it
    if f were known.

    >>> import numpy as np
    >>> from assay.processes.classification.information import mutual_information
    >>> mutual_information(np.array([0.0, 0.0, 3.0]), np.array([0.0, 9.0, 9.0])).round(3)
    array([0.   , 0.333, 0.237])

    References
    ----------
    - Houlsby, N., Huszár, F., Ghahramani, Z. and Lengyel, M. (2011). Bayesian active learning for classification and
      preference learning. arXiv:1112.5745.
    """
    sd = np.sqrt(np.maximum(variance, 0.0))
    p = averaged_logistic(mean, variance)
    known = np.empty(len(mean))
    x, w = np.polynomial.hermite_e.hermegauss(NODES)
    narrow = sd < EQUAL_STEPS_FROM_SD
    known[narrow] = _entropy(mean[narrow, None] + sd[narrow, None] * x) @ (w / w.sum())
    wide = ~narrow
    z = (STEPS - mean[wide, None]) / sd[wide, None]
    density = np.exp(-0.5 * z**2) * ((STEPS[1] - STEPS[0]) / np.sqrt(2.0 * np.pi))
    known[wide] = density @ _entropy(STEPS) / sd[wide]
    with np.errstate(divide="ignore"):
        return np.maximum(_entropy(np.log(p) - np.log1p(-p)) - known, 0.0)


def _entropy(f: np.ndarray) -> np.ndarray:
    """Of a class with the log odds f; of certain ones 0."""
    size = np.minimum(np.abs(f), 745.0)
    return np.log1p(np.exp(-size)) + size * expit(-size)


class Information:
    r"""What the class of each row would say of the scores, given the training rows and rows that will be asked first.

    The class of a row to be asked is not known, so its log odds keep their mean m; their curvature
    :math:`w = p(1 - p)` at m joins that of the training rows, and lowers the variances by
    :math:`c^2 / (v + 1/w)`, c the covariance with that row. Of several processes the informations are added.

    Parameters
    ----------
    processes : of two classes, or one for each
    X : the training rows

    Cost: O(n^2) a row, and O(n d) for each row asked before.
    """

    def __init__(self, processes: list[LatentProcess], X: Any):
        self.processes, self.X = processes, X
        self.asked: list[list[_Asked]] = [[] for _ in processes]

    def __call__(self, Q: Any) -> np.ndarray:
        """(q,) the information of each row, in nats."""
        return np.sum(
            [mutual_information(*self._moments(k, Q)[:2]) for k in range(len(self.processes))], axis=0
        )

    def variance(self, Q: Any) -> np.ndarray:
        """(q,) the variances of the log odds, added up over the processes."""
        return np.sum([self._moments(k, Q)[1] for k in range(len(self.processes))], axis=0)

    def ask(self, row: Any) -> None:
        """Take a row for asked."""
        for k, process in enumerate(self.processes):
            mean, variance, factors = self._moments(k, row)
            p = float(expit(mean[0]))
            weight = max(p * (1.0 - p), np.finfo(float).tiny)
            S = process._rows_of(self.X)
            column = process.mode.root * process.kernel_.between(S, row)[:, 0]
            solved = process.mode.root * _solve(process.mode.L, column)
            earlier = np.array([factor[0] for factor in factors])
            self.asked[k].append(_Asked(row, solved, earlier, float(np.sqrt(variance[0] + 1.0 / weight))))

    def _moments(self, k: int, Q: Any) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Means and variances of the log odds of a process, and the factors of the rows asked before."""
        process = self.processes[k]
        mean, variance = process.mean_and_covariance(self.X, Q)
        factors: list[np.ndarray] = []
        for row, solved, earlier, scale in self.asked[k]:
            between = process.kernel_.between(Q, row)[:, 0]
            covariance = between - process.kernel_.combine(Q, process._rows_of(self.X), solved[:, None])[:, 0]
            for factor, before in zip(factors, earlier):
                covariance -= factor * before
            factors.append(covariance / scale)
            variance = np.maximum(variance - factors[-1] ** 2, 0.0)
        return mean, variance, factors


class _Asked(NamedTuple):
    """A row to be asked: B^-1 times its kernel values, its factors of the rows before it, and its own deviation."""

    row: Any
    solved: np.ndarray
    earlier: np.ndarray
    scale: float


def _solve(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """B^-1 b, by the lower factor of B."""
    from scipy.linalg.lapack import dpotrs

    return dpotrs(L, b, lower=1)[0]
