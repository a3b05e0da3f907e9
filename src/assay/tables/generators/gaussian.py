"""Gaussian classes, and mixed tables whose columns are independent in each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from assay.errors import ParameterError
from assay.tables.data.dataset import Dataset
from assay.tables.schema import Column, Schema
from assay.tables.table import Table
from assay.types import Codes, Floats, RandomState

__all__ = ["make_gaussian_classes", "make_mixed", "two_gaussians_error"]


def make_gaussian_classes(
    n: int | Sequence[int] = 200,
    means: ArrayLike = ((-1.0, 0.0), (1.0, 0.0)),
    covariances: ArrayLike = 1.0,
    priors: Sequence[float] | None = None,
    classes: Sequence[Any] | None = None,
    random_state: RandomState = None,
) -> Dataset:
    """Draw rows from one Gaussian a class.

    Parameters
    ----------
    n : number of rows, their classes drawn by ``priors``; or one number for each class
    means : (K, d)
    covariances : a variance for all columns, a (d, d) matrix for all classes, or (K, d, d)
    priors : (K,) probabilities of the classes; None for equal ones
    classes : (K,) names of the classes; None for 0, 1, ...
    random_state : seed

    Returns
    -------
    Dataset, with ``bayes_error`` for two classes of equal covariance

    Examples
    --------
    Means two standard deviations apart: the best rule errs with probability Phi(-1).

    >>> from assay.tables.generators import make_gaussian_classes
    >>> make_gaussian_classes(100, means=[[0.0], [2.0]], random_state=0)
    gaussian_classes: 100 rows, 1 column (1 numeric)
      target class: 0 51, 1 49
      smallest possible error 0.1587
    """
    random = check_random_state(random_state)
    M = np.atleast_2d(np.asarray(means, dtype=np.float64))
    K, d = M.shape
    S = _covariances(covariances, K, d)
    p = _probabilities("priors", priors, K)
    labels = _labels(classes, K)
    y = _draw_classes(n, p, random)
    roots = [_root(S[k]) for k in range(K)]
    Z = random.standard_normal((len(y), d))
    X = np.empty_like(Z)
    for k in range(K):
        X[y == k] = M[k] + Z[y == k] @ roots[k].T
    error = None
    if K == 2 and np.array_equal(S[0], S[1]):
        gap = M[1] - M[0]
        distance = float(gap @ np.linalg.pinv(S[0]) @ gap) ** 0.5
        error = two_gaussians_error(distance, p[1])
    schema = Schema([Column(f"x{j + 1}") for j in range(d)])
    return Dataset(
        "gaussian_classes",
        Table(X, schema),
        np.array(labels)[y],
        "class",
        labels,
        "Gaussian classes.",
        bayes_error=error,
    )


def make_mixed(
    n: int | Sequence[int] = 200,
    nominal: Mapping[str, Any] | None = None,
    numeric: Mapping[str, Any] | None = None,
    priors: Sequence[float] | None = None,
    classes: Sequence[Any] | None = None,
    random_state: RandomState = None,
) -> Dataset:
    """Draw rows with nominal and numeric columns that are independent of each other in each class.

    Naive Bayes is the right model for such rows.

    Parameters
    ----------
    n : number of rows, or one number for each class
    nominal : column name to (K, categories) probabilities, one row for each class
    numeric : column name to (K,) means; the standard deviation is 1
    priors : (K,) probabilities of the classes; None for equal ones
    classes : (K,) names of the classes; None for 0, 1, ...
    random_state : seed

    Returns
    -------
    Dataset, for two classes with ``bayes_error``, which is exact: a sum over all combinations of categories

    Examples
    --------
    >>> from assay.tables.generators import make_mixed
    >>> make_mixed(50, nominal={"colour": [[0.9, 0.1], [0.3, 0.7]]}, numeric={"size": [0, 1]}, random_state=0)
    mixed: 50 rows, 2 columns (1 numeric, 1 nominal)
      target class: 0 20, 1 30
      smallest possible error 0.1823
    """
    random = check_random_state(random_state)
    if nominal is None and numeric is None:
        nominal = {"colour": [[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]], "shape": [[0.8, 0.2], [0.4, 0.6]]}
        numeric = {"size": [0.0, 1.5]}
    tables = {name: np.asarray(t, dtype=np.float64) for name, t in (nominal or {}).items()}
    means = {name: np.asarray(m, dtype=np.float64) for name, m in (numeric or {}).items()}
    sizes = {len(t) for t in (*tables.values(), *means.values())}
    if len(sizes) != 1:
        raise ParameterError("make_mixed: every column needs one row of numbers for each class.")
    K = sizes.pop()
    for name, table in tables.items():
        if table.ndim != 2 or (table < 0).any() or not np.allclose(table.sum(axis=1), 1):
            raise ParameterError(f"make_mixed: the rows of {name!r} must be probabilities that sum to 1.")
    p = _probabilities("priors", priors, K)
    labels = _labels(classes, K)
    y = _draw_classes(n, p, random)
    columns, values = [], []
    for name, table in tables.items():
        below = np.cumsum(table, axis=1)[:, :-1]
        values.append((random.random_sample(len(y))[:, None] > below[y]).sum(axis=1).astype(np.float64))
        columns.append(Column(name, "nominal", tuple(f"{name}{c}" for c in range(table.shape[1]))))
    for name, mean in means.items():
        values.append(mean[y] + random.standard_normal(len(y)))
        columns.append(Column(name))
    error = _mixed_error(list(tables.values()), list(means.values()), p) if K == 2 else None
    X = Table(np.column_stack(values), Schema(columns))
    return Dataset(
        "mixed", X, np.array(labels)[y], "class", labels, "Independent columns.", bayes_error=error
    )


def two_gaussians_error(distance: float, prior: float = 0.5) -> float:
    r"""The error of the best rule between two Gaussians of equal covariance.

    .. math:: \pi\,\Phi\left(-\tfrac\Delta2 - \tfrac1\Delta\ln\tfrac{\pi}{1-\pi}\right)
              + (1-\pi)\,\Phi\left(-\tfrac\Delta2 + \tfrac1\Delta\ln\tfrac{\pi}{1-\pi}\right)

    with the Mahalanobis distance :math:`\Delta` of the means and the prior :math:`\pi` of either class.

    >>> from assay.tables.generators import two_gaussians_error
    >>> round(two_gaussians_error(2.0), 6)
    0.158655
    """
    from scipy.special import ndtr

    if distance <= 0 or prior in (0.0, 1.0):
        return float(min(prior, 1 - prior))
    tilt = np.log(prior / (1 - prior)) / distance
    return float(prior * ndtr(-distance / 2 - tilt) + (1 - prior) * ndtr(-distance / 2 + tilt))


def _mixed_error(tables: list[np.ndarray], means: list[np.ndarray], p: np.ndarray) -> float:
    """In each combination of categories two Gaussians are left, with the priors of that combination."""
    distance = float(np.sqrt(sum((m[1] - m[0]) ** 2 for m in means)))
    error = 0.0
    for cell in product(*(range(t.shape[1]) for t in tables)):
        joint = p * np.prod([t[:, c] for t, c in zip(tables, cell)], axis=0) if cell else p
        total = joint.sum()
        if total > 0:
            error += total * two_gaussians_error(distance, float(joint[1] / total))
    return float(error)


def _draw_classes(n: int | Sequence[int], p: np.ndarray, random: Any) -> np.ndarray:
    if np.ndim(n) == 0:
        drawn: Codes = random.choice(len(p), size=int(n), p=p)  # type: ignore[arg-type]
        return drawn
    counts = np.asarray(n)
    if len(counts) != len(p):
        raise ParameterError(f"n gives {len(counts)} numbers of rows for {len(p)} classes.")
    return np.repeat(np.arange(len(p)), counts)


def _covariances(covariances: Any, K: int, d: int) -> np.ndarray:
    S = np.asarray(covariances, dtype=np.float64)
    if S.ndim == 0:
        S = S * np.eye(d)
    if S.shape == (d, d):
        S = np.broadcast_to(S, (K, d, d))
    if S.shape != (K, d, d):
        raise ParameterError(
            f"covariances must be a number, a ({d}, {d}) matrix or ({K}, {d}, {d}) matrices, got shape {S.shape}."
        )
    return S


def _root(S: Floats) -> Floats:
    """A matrix R with R R^T = S; S may be singular."""
    values, vectors = np.linalg.eigh(S)
    if not np.allclose(S, S.T) or values[0] < -1e-10 * max(1.0, values[-1]):
        raise ParameterError("A covariance must be symmetric, without negative eigenvalues.")
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


def _probabilities(name: str, values: Sequence[float] | None, K: int) -> np.ndarray:
    p = np.full(K, 1 / K) if values is None else np.asarray(values, dtype=np.float64)
    if p.shape != (K,) or (p < 0).any() or not np.isclose(p.sum(), 1):
        raise ParameterError(f"{name} must be {K} probabilities that sum to 1, got {values!r}.")
    shares: Floats = p / p.sum()
    return shares


def _labels(classes: Sequence[Any] | None, K: int) -> tuple[Any, ...]:
    labels = tuple(range(K)) if classes is None else tuple(classes)
    if len(set(labels)) != K:
        raise ParameterError(f"classes must be {K} different names, got {classes!r}.")
    return labels
