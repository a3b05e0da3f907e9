"""Normal-inverse-Wishart: belief about the mean and the covariance of a Gaussian.

`update(X)` returns the posterior, an object of the same class; `bayes()` and
`map()` are point estimates, `density(estimate)` the distribution of a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.stored import FloatArray, Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import ESTIMATES, as_matrix, as_points, one_of
from assay.stats.distributions.multivariate_gaussian import MultivariateGaussian
from assay.stats.distributions.student import MultivariateStudent
from assay.stats.multivariate.covariance import as_covariance


class NormalInverseWishart:
    r"""Conjugate prior of the mean and covariance of a Gaussian, with its strength in rows.

    :math:`\Sigma \sim \mathrm{IW}(\nu, \Psi)` and :math:`\mu|\Sigma \sim N(m, \Sigma/\kappa)`.
    After n rows with mean :math:`\bar x` and scatter S,

    .. math::
       \kappa' &= \kappa + n, \quad \nu' = \nu + n, \quad m' = \frac{\kappa m + n\bar x}{\kappa + n} \\
       \Psi' &= \Psi + S + \frac{\kappa n}{\kappa + n}(\bar x - m)(\bar x - m)^T                 \quad (1)

    The joint mode (MAP) is :math:`(m, \Psi/(\nu+d+2))`, the Bayes estimate of
    the covariance :math:`\Psi/(\nu-d-1)`, and the next row follows a
    multivariate t. With few rows the posterior keeps to the prior, so that a
    covariance is invertible even for one row; with many it tends to maximum
    likelihood, and under `flat` the MAP is maximum likelihood at once.

    Parameters
    ----------
    mean : (d,)
        Prior guess of the mean.
    scale : (d, d)
        Psi; for a guess C of the covariance that is worth nu rows, give nu C.
    kappa : float, not negative, default 1
        Number of rows the guess of the mean is worth.
    nu : float, default d + 2
        Degrees of freedom; above d - 1 for a proper prior, -(d + 2) is `flat`.

    Examples
    --------
    >>> prior = NormalInverseWishart([0, 0], np.eye(2))
    >>> mean, cov = prior.update([[2.0, 2.0]]).map()
    >>> mean, np.linalg.matrix_rank(cov)
    (array([1., 1.]), np.int64(2))

    See Also
    --------
    MultivariateGaussian, MultivariateStudent, NormalMean

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "mean": FloatArray("d"),
        "scale": FloatArray("d", "d"),
        "kappa": Scalar(low=0),
        "nu": Scalar(),
    }

    def __init__(self, mean: ArrayLike, scale: ArrayLike, *, kappa: float = 1.0, nu: float | None = None):
        who = "NormalInverseWishart"
        self.mean = as_points(mean, who)
        if self.mean.ndim != 1 or not len(self.mean):
            raise ParameterError(f"mean must be a vector, got shape {self.mean.shape}.", who=who)
        d = len(self.mean)
        self.scale = as_covariance(scale, d, who)
        self.kappa = float(kappa)
        self.nu = float(d + 2 if nu is None else nu)
        if not 0 <= self.kappa < np.inf:
            raise ParameterError(f"kappa must not be negative, got {kappa}.", who=who)
        if not -(d + 2) <= self.nu < np.inf:
            raise ParameterError(f"nu must be at least -(d + 2) = {-(d + 2)}, got {nu}.", who=who)

    @classmethod
    def flat(cls, d: int) -> NormalInverseWishart:
        """The improper prior that is worth no rows: its MAP is maximum likelihood."""
        return cls(np.zeros(d), np.zeros((d, d)), kappa=0.0, nu=-(d + 2))

    def update(self, X: ArrayLike, weights: ArrayLike | None = None) -> NormalInverseWishart:
        """The posterior after n rows, (n, d); a weight of 2 counts a row twice."""
        who = "NormalInverseWishart"
        rows = as_matrix(X, who)
        if rows.shape[1] != len(self.mean):
            raise DataError(f"expected rows of {len(self.mean)} values, got shape {rows.shape}.", who=who)
        w = check_weights(weights, len(rows), who, "weights")
        w = np.ones(len(rows)) if w is None else w
        n = float(w.sum())
        centre = np.average(rows, axis=0, weights=w)
        R, gap = rows - centre, centre - self.mean
        kappa = self.kappa + n
        scale = self.scale + R.T @ (R * w[:, None]) + self.kappa * n / kappa * np.outer(gap, gap)  # (1)
        mean = (self.kappa * self.mean + n * centre) / kappa
        return NormalInverseWishart(mean, (scale + scale.T) / 2, kappa=kappa, nu=self.nu + n)

    def map(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and covariance at the joint mode of the belief."""
        return self.mean, self._covariance(self.nu + len(self.mean) + 2, "no mode")

    def bayes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Expected mean and covariance."""
        return self.mean, self._covariance(self.nu - len(self.mean) - 1, "no expected covariance")

    def density(self, estimate: str = "predictive") -> MultivariateGaussian | MultivariateStudent:
        """The next row: a t ("predictive"), or a Gaussian with the estimated parameters."""
        one_of(estimate, ESTIMATES, "NormalInverseWishart", "estimate")
        if estimate != "predictive":
            return MultivariateGaussian(*(self.map() if estimate == "map" else self.bayes()))
        dof = self.nu - len(self.mean) + 1
        if dof <= 0 or self.kappa == 0:
            raise DegenerateError(
                f"NormalInverseWishart: kappa {self.kappa:g}, nu {self.nu:g} predict nothing; add rows."
            )
        return MultivariateStudent(self.mean, self.scale * (self.kappa + 1) / (self.kappa * dof), dof)

    def _covariance(self, divisor: float, lack: str) -> NDArray[np.float64]:
        if divisor <= 0:
            raise DegenerateError(
                f"NormalInverseWishart: {lack} with nu = {self.nu:g}; raise nu or add rows."
            )
        return self.scale / divisor

    def __repr__(self) -> str:
        return f"NormalInverseWishart(d={len(self.mean)}, kappa={self.kappa:g}, nu={self.nu:g})"
