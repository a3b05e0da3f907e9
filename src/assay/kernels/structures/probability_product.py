"""The probability product kernel: how probable both rows are, by a generative model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Object
from assay.errors import ParameterError
from assay.kernels.explicit_kernel import ExplicitKernel
from assay.stats.distributions.density import Density
from assay.types import TableLike

__all__ = ["ProbabilityProduct", "log_densities"]


@dataclass(frozen=True, eq=False)
class ProbabilityProduct(ExplicitKernel):
    r"""Rows are alike if both are probable.

    .. math:: K(a, b) = p(a)\,p(b) \quad (1)

    with the density p of a fitted generative model: a density of ours, a naive Bayes or Gaussian classifier (p is then
    the sum over its classes), or anything with ``score_samples`` or ``logpdf``. The kernel matrix has rank one; add or
    multiply it with others. It is not the integral of two densities that the literature also calls by this name.

    Cost: that of p.

    Parameters
    ----------
    model : fitted generative model

    Examples
    --------
    >>> from assay.kernels import ProbabilityProduct
    >>> from assay.stats import Gaussian
    >>> ProbabilityProduct(Gaussian(0.0, 1.0))([[0.0]], [[0.0], [1.0]]).round(4)  # 0.3989 times 0.3989, 0.2420
    array([[0.1592, 0.0965]])

    See Also
    --------
    FisherKernel

    References
    ----------
    - Alpaydin, E. (2014). Introduction to Machine Learning, third edition. MIT Press, section 13.7.
    """

    model: Any
    stored = {"model": Object("sklearn.base.BaseEstimator", Density)}

    def feature_map(self, X: TableLike) -> np.ndarray:
        return np.exp(log_densities(self.model, X, "ProbabilityProduct"))[:, None]


def log_densities(model: Any, X: Any, who: str) -> np.ndarray:
    """(n,) log p of each row, whatever the model calls it.

    >>> from assay.kernels.structures.probability_product import log_densities
    >>> from assay.stats import Gaussian
    >>> log_densities(Gaussian(0.0, 1.0), [[0.0]], "ProbabilityProduct").round(4)
    array([-0.9189])
    """
    if hasattr(model, "score_samples"):
        return np.asarray(model.score_samples(X), dtype=np.float64)
    if hasattr(model, "_log_joint"):
        from scipy.special import logsumexp

        return logsumexp(model._log_joint(model._admit(X)), axis=1)
    if hasattr(model, "logpdf"):
        X = np.asarray(X, dtype=np.float64)
        return np.asarray(
            model.logpdf(X[:, 0] if X.ndim == 2 and X.shape[1] == 1 else X), dtype=np.float64
        ).ravel()
    raise ParameterError(
        f"{who}: model must be a fitted generative model, with score_samples or logpdf, got {type(model).__name__}."
    )
