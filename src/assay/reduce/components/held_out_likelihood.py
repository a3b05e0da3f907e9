"""How many components to keep: the number under which rows that were not in the fit are likeliest."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from assay.core.moments import ClassScatter, class_scatter
from assay.core.seeds import random_state_of
from assay.errors import DegenerateError, ParameterError
from assay.reduce.components.spectrum import spectrum_of_matrix
from assay.stats.checks import as_matrix
from assay.types import RandomState

__all__ = ["components_by_cross_validation"]

WHO = "components_by_cross_validation"


def components_by_cross_validation(
    X: ArrayLike, n_folds: int = 5, standardize: bool = False, random_state: RandomState = 0
) -> int:
    r"""The number of components with the largest likelihood in cross-validation; at least 1.

    The model of k components is the Gaussian with their variances and the same noise in all other directions. With the
    eigenvalues :math:`\lambda_i` and vectors :math:`v_i` of the training rows of a fold and the mean square
    :math:`q_i` of its test rows along :math:`v_i`, minus twice their mean log density is, but for a constant,

    .. math:: \sum_{i\le k}\Big(\log\lambda_i + \frac{q_i}{\lambda_i}\Big)
              + (d-k)\log\sigma_k^2 + \sum_{i>k}\frac{q_i}{\sigma_k^2}, \qquad
              \sigma_k^2 = \frac1{d-k}\sum_{i>k}\lambda_i                                        \quad (1)

    so that one decomposition a fold serves all k, and test rows enter by their sums of squares alone.

    Cost: O(n d^2 + folds d^3).

    Parameters
    ----------
    X : (n, d) numbers without missing values
    n_folds : int, from 2 to n, default 5
    standardize : bool, default False
        Whether to divide the columns by their standard deviations in the training rows, as ``PCA(standardize=True)``.
    random_state : int, Generator or None
        Which rows make a fold.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import components_by_cross_validation
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 3)) @ random.normal(size=(3, 10)) + 0.3 * random.normal(size=(200, 10))
    >>> components_by_cross_validation(X)
    3

    See Also
    --------
    PCA, parallel_analysis

    References
    ----------
    - Tipping, M. E. and Bishop, C. M. (1999). Probabilistic principal component analysis. Journal of the Royal
      Statistical Society B 61, 611-622.
    """
    values = as_matrix(X, WHO)
    n, d = values.shape
    if not 2 <= n_folds <= n:
        raise ParameterError(f"{WHO}: n_folds={n_folds} must lie between 2 and the {n} rows.")
    fold = random_state_of(random_state).permutation(n) % n_folds
    parts = [_scatter(values[fold == f]) for f in range(n_folds)]
    everything = spectrum_of_matrix(_unit_diagonal(reduce(add, parts), standardize)[0])
    solid = everything.values > d * np.finfo(float).eps * everything.values.max(initial=0.0)
    if not solid.any():
        raise DegenerateError(f"{WHO}: the rows are all the same, so there are no components.")
    losses = [
        _losses(reduce(add, parts[:f] + parts[f + 1 :]), parts[f], int(solid.sum()), standardize)
        for f in range(n_folds)
    ]
    most = min(map(len, losses))
    weights = np.bincount(fold)
    mean = np.average([loss[:most] for loss in losses], axis=0, weights=weights)
    return max(1, int(np.argmin(mean)))


def _scatter(X: np.ndarray) -> ClassScatter:
    return class_scatter(X, np.zeros(len(X), dtype=np.int64), None, 1, pooled=True)


def _unit_diagonal(sums: ClassScatter, standardize: bool) -> tuple[np.ndarray, np.ndarray]:
    """(d, d) the covariance matrix, of the columns divided by the scale (d,) that comes with it."""
    S = sums.scatter[0] / max(float(sums.count[0]) - 1, 1.0)
    scale = np.sqrt(np.diag(S)) if standardize else np.ones(len(S))
    scale[scale == 0] = 1.0
    return S / scale / scale[:, None], scale


def _losses(training: ClassScatter, test: ClassScatter, rank: int, standardize: bool) -> np.ndarray:
    """(K + 1,) (1) for k = 0 to K, as many as leave a noise; all directions lie in a space of that rank."""
    S, scale = _unit_diagonal(training, standardize)
    spectrum = spectrum_of_matrix(S)
    variances, V = spectrum.values[:rank], spectrum.vectors[:rank]
    shift = V @ ((test.mean[0] - training.mean[0]) / scale)
    squares = np.einsum("ij,ij->i", V / scale @ test.scatter[0], V / scale) / float(test.count[0]) + shift**2
    known = int(np.sum(variances > len(S) * np.finfo(float).eps * variances.max(initial=0.0)))
    k = np.arange(max(known, 1))  # components that leave one variance for the noise
    m = len(k)
    first = np.cumsum(np.append(0.0, np.log(variances[: m - 1]) + squares[: m - 1] / variances[: m - 1]))
    tail, ahead = (np.cumsum(terms[::-1])[::-1][:m] for terms in (variances, squares))  # sums over i > k
    noise = np.maximum(tail / (rank - k), np.finfo(float).tiny)
    return first + (rank - k) * np.log(noise) + ahead / noise + 2 * float(np.sum(np.log(scale)))
