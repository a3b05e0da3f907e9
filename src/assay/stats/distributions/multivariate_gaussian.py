"""Multivariate Gaussian: an elliptic cloud around a mean vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.core.stored import Boolean, NumberArray, Plain, Scalar
from assay.errors import DataError, ParameterError
from assay.stats.checks import as_points
from assay.stats.distributions.density import Density
from assay.stats.distributions.gaussian import LOG_2PI, Gaussian
from assay.stats.multivariate.covariance import as_covariance, factor, square_root, squared_norms
from assay.stats.multivariate.moments import covariance, mean_vector
from assay.types import RandomState

REMEDY = "Give ridge > 0 and fit again, drop a column that others determine, or collect more rows."


class MultivariateGaussian(Density):
    r"""The normal distribution of d variables.

    .. math:: \log p(x) = -\tfrac d2\log 2\pi - \tfrac12\log|\Sigma| - \tfrac12\Delta^2(x), \qquad
              \Delta^2(x) = (x-\mu)^T\Sigma^{-1}(x-\mu)                                 \quad (1)

    where :math:`\Delta` is the Mahalanobis distance. Every linear map of the
    variables is normal again:

    .. math:: W^T x \sim N(W^T\mu,\; W^T\Sigma W)                                       \quad (2)

    Computed with a Cholesky factor, never with an inverse. A singular
    covariance can be held, projected and drawn from; it has no density, and
    asking for one is an error that names the rank.

    Parameters
    ----------
    mean : (d,), default None
    cov : (d, d), default None
        None is the identity.
    unbiased : bool, default False
        Let `fit` divide by the number of rows less 1 instead of by it.
    ridge : float, not negative, default 0
        Let `fit` add this share of the mean variance to every variance, which
        makes the covariance of any sample that varies at all invertible.

    Examples
    --------
    >>> cloud = MultivariateGaussian([1, -1], [[2.25, 1.8], [1.8, 4.0]])
    >>> round(float(cloud.pdf([2, 1])), 6)
    0.040082
    >>> cloud.project([1, -1])
    Gaussian(mean=2, var=2.65, unbiased=False, floor=0)
    """

    stored = {
        "mean": NumberArray("d") | Plain((list, tuple)) | None,
        "cov": NumberArray("d", "d") | Plain((list, tuple)) | None,
        "unbiased": Boolean(),
        "ridge": Scalar(low=0),
    }

    def __init__(
        self,
        mean: ArrayLike | None = None,
        cov: ArrayLike | None = None,
        *,
        unbiased: bool = False,
        ridge: float = 0.0,
    ):
        if not 0 <= ridge < np.inf:
            raise ParameterError(f"MultivariateGaussian: ridge must be finite and not negative, got {ridge}.")
        if mean is None and cov is not None:
            mean = np.zeros(len(np.atleast_2d(cov)))
        if mean is not None:
            mean = as_points(mean, "MultivariateGaussian")
            if mean.ndim != 1 or not len(mean):
                raise ParameterError(f"MultivariateGaussian: mean must be a vector, got shape {mean.shape}.")
            cov = np.eye(len(mean)) if cov is None else as_covariance(cov, len(mean), "MultivariateGaussian")
        self.mean = mean
        self.cov = cov
        self.unbiased = unbiased
        self.ridge = float(ridge)

    @property
    def var(self) -> NDArray[np.float64]:
        """Variance of each variable, (d,)."""
        return np.diag(self._parameters()[1]).copy()

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        self.mean = mean_vector(x, weights)
        S = covariance(x, weights, unbiased=self.unbiased)
        self.cov = S + self.ridge * np.trace(S) / len(S) * np.eye(len(S))
        return self

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        _, S = self._parameters()
        L = factor(S, "MultivariateGaussian", REMEDY)
        half_log_det = np.sum(np.log(np.diag(L)))
        return -0.5 * (len(S) * LOG_2PI + self._distances(x, L)) - half_log_det  # (1)

    def mahalanobis_sq(self, x: ArrayLike) -> NDArray[np.float64]:
        """Squared Mahalanobis distance of every row to the mean, the quadratic form in (1)."""
        return self._distances(x, factor(self._parameters()[1], "MultivariateGaussian", REMEDY))

    def mahalanobis(self, x: ArrayLike) -> NDArray[np.float64]:
        """Mahalanobis distance of every row to the mean."""
        return np.sqrt(self.mahalanobis_sq(x))

    def marginal(self, columns: int | Sequence[int]) -> Gaussian | MultivariateGaussian:
        """Distribution of some of the variables: a `Gaussian` for one column number, else multivariate."""
        m, S = self._parameters()
        if isinstance(columns, int | np.integer):
            return Gaussian(m[columns], S[columns, columns])
        keep = np.asarray(columns)
        return MultivariateGaussian(m[keep], S[np.ix_(keep, keep)])

    def project(self, W: ArrayLike) -> Gaussian | MultivariateGaussian:
        """Distribution of Wᵀx: a `Gaussian` for a vector (d,), multivariate for a matrix (d, k)."""
        m, S = self._parameters()
        W = as_points(W, "MultivariateGaussian")
        if W.ndim not in (1, 2) or len(W) != len(m):
            raise ParameterError(
                f"MultivariateGaussian: W must have {len(m)} rows, one per variable, got shape {W.shape}."
            )
        if W.ndim == 1:
            return Gaussian(float(W @ m), max(float(W @ S @ W), 0.0))  # (2)
        return MultivariateGaussian(W.T @ m, W.T @ S @ W)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[np.float64]:
        m, S = self._parameters()
        return (
            m
            + as_generator(random_state, type(self).__name__).standard_normal((n, len(m))) @ square_root(S).T
        )

    def _parameters(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.mean is None or self.cov is None:
            raise ParameterError("MultivariateGaussian: no parameters yet. Give mean and cov, or call fit.")
        return np.asarray(self.mean), np.asarray(self.cov)

    def _distances(self, x: ArrayLike, L: NDArray[np.float64]) -> NDArray[np.float64]:
        m, _ = self._parameters()
        x = as_points(x, "MultivariateGaussian")
        if x.ndim not in (1, 2) or x.shape[-1] != len(m):
            raise DataError(f"MultivariateGaussian: expected rows of {len(m)} values, got shape {x.shape}.")
        squares = squared_norms(L, np.atleast_2d(x - m))
        return squares if x.ndim == 2 else squares[0]


def mahalanobis_sq(x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> NDArray[np.float64]:
    r"""Squared Mahalanobis distance :math:`(x-\mu)^T\Sigma^{-1}(x-\mu)` of x, (d,) or (n, d), to a mean.

    >>> float(mahalanobis_sq([3, 4], [0, 0], [[9, 0], [0, 4]]))
    5.0
    """
    return MultivariateGaussian(mean, cov).mahalanobis_sq(x)


def mahalanobis(x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> NDArray[np.float64]:
    """Mahalanobis distance, the square root of `mahalanobis_sq`.

    >>> float(mahalanobis([3, 4], [0, 0], [[1, 0], [0, 1]]))
    5.0

    See Also
    --------
    mahalanobis_sq, MultivariateGaussian

    References
    ----------
    - Mahalanobis, P. C. (1936). On the generalised distance in statistics. Proceedings of the National Institute of
      Sciences of India 2(1), 49-55.
    """
    return np.sqrt(mahalanobis_sq(x, mean, cov))


def bivariate_logpdf(x: ArrayLike, mean: ArrayLike, sd: ArrayLike, rho: float) -> NDArray[np.float64]:
    r"""Log density of two correlated normal variables, in standard scores.

    .. math:: p = \frac1{2\pi\sigma_1\sigma_2\sqrt{1-\rho^2}}
                  \exp\left[-\frac{z_1^2 - 2\rho z_1 z_2 + z_2^2}{2(1-\rho^2)}\right],
              \qquad z_j = \frac{x_j-\mu_j}{\sigma_j}

    Contours are the ellipses where :math:`z_1^2 - 2\rho z_1z_2 + z_2^2` is
    constant; their long axis rises for rho > 0 and falls for rho < 0.

    >>> round(float(np.exp(bivariate_logpdf([2, 1], mean=[1, -1], sd=[1.5, 2], rho=0.6))), 6)
    0.040082
    """
    sd = as_points(sd, "bivariate_logpdf")
    if sd.shape != (2,) or not (sd > 0).all():
        raise ParameterError(f"bivariate_logpdf: sd must be two numbers above 0, got {sd}.")
    if not -1 < rho < 1:
        raise ParameterError(
            f"bivariate_logpdf: rho must lie between -1 and 1, both excluded, got {rho}. "
            "At -1 or 1 one variable determines the other: use a Gaussian of one of them."
        )
    z = (as_points(x, "bivariate_logpdf") - as_points(mean, "bivariate_logpdf")) / sd
    z1, z2 = z[..., 0], z[..., 1]
    left_over = 1 - rho**2
    return (
        -LOG_2PI
        - np.log(sd).sum()
        - 0.5 * np.log(left_over)
        - (z1**2 - 2 * rho * z1 * z2 + z2**2) / (2 * left_over)
    )
