"""Normal-inverse-Wishart: belief about the mean and the covariance of a Gaussian.

`update(X)` returns the posterior, an object of the same class; `bayes` and
`map` are point estimates, `density(estimate)` the distribution of a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import multigammaln, stdtrit

from assay.core.stored import FloatArray, Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.bayesian.normal_update import updated_mean
from assay.stats.checks import as_matrix, as_numbers, as_points, one_of, tail_of
from assay.stats.distributions.multivariate_gaussian import MultivariateGaussian
from assay.stats.distributions.student import MultivariateStudent
from assay.stats.multivariate.covariance import as_covariance, factor
from assay.stats.significance.summary import squarable

REMEDY = "Believe in some variance for every column, or add rows."


class NormalInverseWishart(ConjugateModel):
    r"""Conjugate prior of the mean and covariance of a Gaussian, with its strength in rows.

    :math:`\Sigma \sim \mathrm{IW}(\nu, \Psi)` and :math:`\mu|\Sigma \sim N(m, \Sigma/\kappa)`.
    After n rows with mean :math:`\bar x` and scatter S,

    .. math::
       \kappa' &= \kappa + n, \quad \nu' = \nu + n, \quad m' = \frac{\kappa m + n\bar x}{\kappa + n} \\
       \Psi' &= \Psi + S + \frac{\kappa n}{\kappa + n}(\bar x - m)(\bar x - m)^T                 \quad (1)

    The joint mode (MAP) is :math:`(m, \Psi/(\nu+d+2))`, the Bayes estimate of
    the covariance :math:`\Psi/(\nu-d-1)`, and the next row follows a
    multivariate t. The same belief, in words of the precision
    :math:`\Lambda = \Sigma^{-1}`, is normal-Wishart: :math:`\Lambda \sim
    \mathrm{Wishart}(\nu, V)` with :math:`V = \Psi^{-1}` (`from_wishart`, `V`). With few
    rows the posterior keeps to the prior, so that a
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
    >>> mean, cov = prior.update([[2.0, 2.0]]).map
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
        self.kappa, self.nu = as_numbers(who, kappa=kappa, nu=d + 2 if nu is None else nu)
        if not 0 <= self.kappa < np.inf:
            raise ParameterError(f"kappa must not be negative, got {kappa}.", who=who)
        if not -(d + 2) <= self.nu < np.inf:
            raise ParameterError(f"nu must be at least -(d + 2) = {-(d + 2)}, got {nu}.", who=who)

    @classmethod
    def flat(cls, d: int) -> NormalInverseWishart:
        """The improper prior that is worth no rows: its MAP is maximum likelihood."""
        return cls(np.zeros(d), np.zeros((d, d)), kappa=0.0, nu=-(d + 2))

    @classmethod
    def jeffreys(cls, d: int) -> NormalInverseWishart:
        r"""The improper prior :math:`|\Sigma|^{-(d+1)/2}`, whose posterior gives the classical intervals."""
        return cls(np.zeros(d), np.zeros((d, d)), kappa=0.0, nu=-1.0)

    @classmethod
    def from_wishart(
        cls, mean: ArrayLike, V: ArrayLike, *, kappa: float = 1.0, nu: float | None = None
    ) -> NormalInverseWishart:
        r"""The belief in words of the precision: :math:`\Lambda \sim \mathrm{Wishart}(\nu, V)`, mean :math:`\nu V`."""
        who = "NormalInverseWishart"
        L = factor(as_covariance(V, len(as_points(mean, who)), who), who, "V must be positive definite.")
        return cls(mean, _inverse_of_factor(L), kappa=kappa, nu=nu)

    @property
    def V(self) -> NDArray[np.float64]:
        """The scale of the Wishart distribution of the precision: the inverse of ``scale``."""
        return _inverse_of_factor(factor(self.scale, "NormalInverseWishart", REMEDY))

    def update(self, X: ArrayLike, weights: ArrayLike | None = None) -> NormalInverseWishart:
        """The posterior after n rows, (n, d); a weight of 2 counts a row twice."""
        who = "NormalInverseWishart"
        rows = squarable(as_matrix(X, who), who)
        if rows.shape[1] != len(self.mean):
            raise DataError(f"expected rows of {len(self.mean)} values, got shape {rows.shape}.", who=who)
        w = check_weights(weights, len(rows), who, "weights")
        w = np.ones(len(rows)) if w is None else w
        n = float(w.sum())
        centre = np.average(rows, axis=0, weights=w)
        R, gap = rows - centre, centre - self.mean
        kappa, mean, pull = updated_mean(self.kappa, self.mean, n, centre)
        scale = self.scale + R.T @ (R * w[:, None]) + pull * np.outer(gap, gap)  # (1)
        return NormalInverseWishart(mean, (scale + scale.T) / 2, kappa=kappa, nu=self.nu + n)

    @property
    def map(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and covariance at the joint mode of the belief."""
        return self.mode("covariance")

    def mode(self, of: str = "covariance") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""Mean and covariance where the density of (mean, covariance) is highest, or that of (mean, precision).

        A mode moves when the scale is bent: the divisors of :math:`\Psi` are :math:`\nu+d+2` and :math:`\nu-d`.
        """
        one_of(of, ("covariance", "precision"), "NormalInverseWishart", "of")
        d = len(self.mean)
        return self.mean, self._covariance(self.nu + d + 2 if of == "covariance" else self.nu - d, "no mode")

    @property
    def bayes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Expected mean and covariance."""
        return self.mean, self._covariance(self.nu - len(self.mean) - 1, "no expected covariance")

    @property
    def proper(self) -> bool:
        return self.kappa > 0 and self.nu > len(self.mean) - 1 and bool((np.diag(self.scale) > 0).all())

    @property
    def marginal_mean(self) -> MultivariateStudent:
        """Belief about the mean, whatever the covariance."""
        self._require_proper("distribution of the mean")
        dof = self.nu - len(self.mean) + 1
        return MultivariateStudent(self.mean, self.scale / (self.kappa * dof), dof)

    @property
    def var(self) -> NDArray[np.float64]:
        """(d,) variances of the belief about the mean."""
        return self.marginal_mean.var

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Central credible intervals of the mean, column by column: (d,) lower and (d,) upper ends."""
        tail = tail_of(level, "NormalInverseWishart")
        belief = self.marginal_mean
        half = -stdtrit(belief.dof, tail) * np.sqrt(np.diag(belief.shape))
        return self.mean - half, self.mean + half

    def hpd(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Shortest credible intervals of the mean, column by column: of a t they are the central ones."""
        return self.interval(level)

    def logpdf(self, mean: ArrayLike, cov: ArrayLike) -> float:  # type: ignore[override]
        """Log density of the belief at a mean, (d,), and a covariance, (d, d)."""
        self._require_proper("density")
        who, d = "NormalInverseWishart", len(self.mean)
        S = as_covariance(cov, d, who)
        L = factor(S, who, "The density is that of an invertible covariance.")
        log_det = 2 * float(np.sum(np.log(np.diag(L))))
        trace = float(np.sum(solve_triangular(L, factor(self.scale, who, REMEDY), lower=True) ** 2))
        log_mean = float(MultivariateGaussian(self.mean, S / self.kappa).logpdf(as_points(mean, who)))
        inside = -0.5 * ((self.nu + d + 1) * log_det + trace)
        return log_mean + inside - self._log_normaliser() + d / 2 * np.log(2 * np.pi / self.kappa)

    def _draws(self, n: int, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n, d) means and (n, d, d) covariances, by Bartlett's decomposition."""
        d = len(self.mean)
        A = np.tril(random.standard_normal((n, d, d)), -1)
        A[:, np.arange(d), np.arange(d)] = np.sqrt(random.chisquare(self.nu - np.arange(d), (n, d)))
        C = factor(self.scale, "NormalInverseWishart", REMEDY)
        roots = C @ np.linalg.inv(A).transpose(0, 2, 1)  # the covariance is root times its transpose
        means = self.mean + np.einsum("nij,nj->ni", roots, random.standard_normal((n, d))) / np.sqrt(
            self.kappa
        )
        return means, roots @ roots.transpose(0, 2, 1)

    def density(self, estimate: str = "predictive") -> MultivariateGaussian | MultivariateStudent:
        """The next row: a t ("predictive"), or a Gaussian with the estimated parameters."""
        self._check_estimate(estimate)
        if estimate != "predictive":
            return MultivariateGaussian(*(self.map if estimate == "map" else self.bayes))
        dof = self.nu - len(self.mean) + 1
        if dof <= 0 or self.kappa == 0:
            raise DegenerateError(
                f"NormalInverseWishart: kappa {self.kappa:g}, nu {self.nu:g} predict nothing; add rows."
            )
        return MultivariateStudent(self.mean, self.scale * (self.kappa + 1) / (self.kappa * dof), dof)

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> MultivariateGaussian:
        return MultivariateGaussian().fit(x, weights)

    def _log_normaliser(self) -> float:
        L = factor(self.scale, "NormalInverseWishart", REMEDY)
        d, log_det = len(self.mean), 2 * np.sum(np.log(np.diag(L)))
        wishart = self.nu * d / 2 * np.log(2) + multigammaln(self.nu / 2, d) - self.nu / 2 * log_det
        return float(wishart + d / 2 * np.log(2 * np.pi / self.kappa))

    def _log_base(self, x: ArrayLike, weights: ArrayLike | None) -> float:
        n = len(np.asarray(x)) if weights is None else np.sum(weights)
        return -0.5 * float(n) * len(self.mean) * float(np.log(2 * np.pi))

    def _covariance(self, divisor: float, lack: str) -> NDArray[np.float64]:
        if divisor <= 0:
            raise DegenerateError(
                f"NormalInverseWishart: {lack} with nu = {self.nu:g}; raise nu or add rows."
            )
        return self.scale / divisor

    def __repr__(self) -> str:
        return f"NormalInverseWishart(d={len(self.mean)}, kappa={self.kappa:g}, nu={self.nu:g})"


def _inverse_of_factor(L: NDArray[np.float64]) -> NDArray[np.float64]:
    inverse = solve_triangular(L, np.eye(len(L)), lower=True)
    return inverse.T @ inverse
