"""Multivariate Student t: a Gaussian whose covariance is not quite known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_points
from assay.stats.distributions.density import Density
from assay.stats.multivariate.covariance import as_covariance, factor, square_root, squared_norms
from assay.types import RandomState


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
