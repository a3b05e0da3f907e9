"""Student t of one and of several variables: a Gaussian whose variance or covariance is not quite known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, stdtrit

from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_numbers, as_points
from assay.stats.distributions.density import Density
from assay.stats.multivariate.covariance import as_covariance, factor, square_root, squared_norms
from assay.types import RandomState


class StudentT(Density):
    r"""Student's t around a centre: a bell with heavier tails the fewer the degrees of freedom.

    .. math:: p(x) = \frac{\Gamma(\frac{\nu+1}2)}{\Gamma(\frac\nu2)\sqrt{\nu\pi s^2}}
                     \left[1 + \frac{(x-\mu)^2}{\nu s^2}\right]^{-(\nu+1)/2}                         \quad (1)

    It is the predictive distribution of the next number when mean and variance of a Gaussian are both believed, not
    known (`NormalGamma`), and a robust prior of a mean. It is not fitted.

    Parameters
    ----------
    mean : float      shape : float, above 0
        The squared scale :math:`s^2`; the variance is larger, by the factor :math:`\nu/(\nu-2)`.
    dof : float, above 0

    Examples
    --------
    One degree of freedom: the Cauchy density, 1/pi at its centre.

    >>> from assay.stats import StudentT
    >>> round(float(StudentT(0, 1, dof=1).pdf(0)), 6)
    0.31831
    """

    stored = {"mean": Scalar(), "shape": Scalar(low=0), "dof": Scalar(low=0, finite=True)}

    def __init__(self, mean: float = 0.0, shape: float = 1.0, dof: float = 3.0):
        mean, shape, dof = as_numbers("StudentT", mean=mean, shape=shape, dof=dof)
        if not np.isfinite(mean) or not 0 < shape < np.inf or not 0 < dof < np.inf:
            raise ParameterError(
                f"StudentT: mean must be finite, shape and dof above 0, got {mean:g}, {shape:g} and {dof:g}."
            )
        self.mean = float(mean)
        self.shape = float(shape)
        self.dof = float(dof)

    @property
    def var(self) -> float:
        """The variance; exists for more than 2 degrees of freedom."""
        if self.dof <= 2:
            raise DegenerateError(f"StudentT: no finite variance with {self.dof:g} degrees of freedom.")
        return self.shape * self.dof / (self.dof - 2)

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        squares = (as_points(x, "StudentT") - self.mean) ** 2 / self.shape
        norm = (
            gammaln((self.dof + 1) / 2) - gammaln(self.dof / 2) - 0.5 * np.log(self.dof * np.pi * self.shape)
        )
        return norm - (self.dof + 1) / 2 * np.log1p(squares / self.dof)  # (1)

    def quantile(self, p: ArrayLike) -> NDArray[np.float64]:
        """The number below which the share p lies."""
        return self.mean + np.sqrt(self.shape) * stdtrit(self.dof, np.asarray(p, dtype=float))

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[np.float64]:
        rng = as_generator(random_state, type(self).__name__)
        return self.mean + np.sqrt(self.shape) * rng.standard_t(self.dof, n)


class MultivariateStudent(Density):
    r"""Elliptic like the Gaussian, with heavier tails the fewer the degrees of freedom.

    .. math:: p(x) = \frac{\Gamma(\frac{\nu+d}2)}{\Gamma(\frac\nu2)(\nu\pi)^{d/2}|\Sigma|^{1/2}}
                     \left[1 + \tfrac1\nu (x-\mu)^T\Sigma^{-1}(x-\mu)\right]^{-(\nu+d)/2}           \quad (1)

    It is the predictive distribution of the next row when mean and covariance
    of a Gaussian are both believed, not known (`NormalInverseWishart`). It is
    not fitted; it follows from a belief.

    Parameters
    ----------
    mean : (d,)      shape : (d, d)      dof : float, above 0

    Examples
    --------
    One variable, one degree of freedom: the Cauchy density, 1/pi at its centre.

    >>> round(float(MultivariateStudent([0], [[1]], dof=1).pdf([0.0])), 6)
    0.31831
    """

    stored = {
        "mean": FloatArray("d"),
        "shape": FloatArray("d", "d"),
        "dof": Scalar(low=0, finite=True),
    }

    def __init__(self, mean: ArrayLike, shape: ArrayLike, dof: float):
        self.mean = as_points(mean, "MultivariateStudent")
        self.shape = as_covariance(shape, len(self.mean), "MultivariateStudent")
        if not 0 < dof < np.inf:
            raise ParameterError(f"MultivariateStudent: dof must be above 0, got {dof}.")
        self.dof = float(dof)

    @property
    def cov(self) -> NDArray[np.float64]:
        """Covariance, (d, d); exists for more than 2 degrees of freedom."""
        if self.dof <= 2:
            raise DegenerateError(
                f"MultivariateStudent: no finite covariance with {self.dof:g} degrees of freedom."
            )
        return self.shape * self.dof / (self.dof - 2)

    @property
    def var(self) -> NDArray[np.float64]:
        return np.diag(self.cov).copy()

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        x, d = as_points(x, "MultivariateStudent"), len(self.mean)
        if x.ndim not in (1, 2) or x.shape[-1] != d:
            raise DataError(f"MultivariateStudent: expected rows of {d} values, got shape {x.shape}.")
        L = factor(self.shape, "MultivariateStudent", "Believe in some variance for every column.")
        squares = squared_norms(L, np.atleast_2d(x - self.mean))
        norm = gammaln((self.dof + d) / 2) - gammaln(self.dof / 2) - d / 2 * np.log(self.dof * np.pi)
        logs = norm - np.sum(np.log(np.diag(L))) - (self.dof + d) / 2 * np.log1p(squares / self.dof)  # (1)
        return logs if x.ndim == 2 else logs[0]

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[np.float64]:
        rng = as_generator(random_state, type(self).__name__)
        z = rng.standard_normal((n, len(self.mean))) @ square_root(self.shape).T
        return self.mean + z / np.sqrt(rng.chisquare(self.dof, n) / self.dof)[:, None]
