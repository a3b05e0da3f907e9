"""Where EM starts on numbers, as hmmlearn does: centres by k-means, the covariance of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.seeds import LARGEST_SEED
from assay.errors import DataError, DegenerateWarning, warn_user
from assay.sequences.sequences import Sequences

__all__ = ["by_kind", "covariance_of", "means_of", "numbers_only", "warn_of_small_variances"]

KMEANS_STARTS = 10
LARGEST = 1e150  # beyond, squares are infinite
LARGEST_DEFAULT = 1e-2  # of what is added to variances: more was chosen, to smooth, and is not warned of


def numbers_only(X: Sequences, who: str) -> None:
    """Refuse categories, and numbers that cannot be squared."""
    if X.schema.coded.any():
        name = X.schema.names[int(np.argmax(X.schema.coded))]
        raise DataError(f"column {name!r} holds categories. For columns of both kinds: MixedHMM.", who=who)
    values = X.values
    if values.size and values.min() >= -LARGEST and values.max() <= LARGEST:  # False with missing entries
        return
    large = np.abs(values) > LARGEST
    if large.any():
        row, j = (int(i[0]) for i in np.nonzero(large))
        raise DataError(
            f"column {X.schema.names[j]!r} has {X.values[row, j]:.3g} in row {row} (counted from 0), "
            "whose square is not a number any more.",
            who=who,
            remedy="Scale the column.",
        )


def warn_of_small_variances(
    X: np.ndarray, names: Sequence[str], who: str, parameter: str, value: float, share: float = 1.0
) -> None:
    """A DegenerateWarning that names the columns whose variance is below what a parameter makes of it.

    ``share`` of the value is added to the variance of each state; 1 of a value below which no variance goes.
    """
    if not 0 < value <= LARGEST_DEFAULT or not len(X):
        return
    observed = ~np.isnan(X).all(axis=0)
    variances = np.zeros(X.shape[1])
    with np.errstate(over="ignore", under="ignore"):
        variances[observed] = np.nanvar(X[:, observed], axis=0)
    lost = np.flatnonzero((variances > 0) & (variances < value * share))
    if len(lost):
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        effect = f"adds {value * share:.3g} to each variance" if share != 1 else "lets no variance be smaller"
        warn_user(
            f"{who}: column {names[lost[0]]}{more} has variance {variances[lost[0]]:.3g}, and {parameter}={value:g} "
            f"{effect}, which hides the states. Scale the columns first, StandardScaler, or lower {parameter}.",
            DegenerateWarning,
        )


def means_of(X: np.ndarray, K: int, seed: Any, who: str, names: Sequence[str] | None = None) -> np.ndarray:
    """(K, d) centres by k-means of the rows without missing entries; repeated ones are moved a little apart."""
    from sklearn.cluster import KMeans

    observed = X[~np.isnan(X).any(axis=1)]
    if not len(observed):
        absent = np.isnan(X).all(axis=0)
        if absent.any():
            j = int(np.argmax(absent))
            raise DataError(
                f"column {(names[j] if names else j)!r} is missing in every row, so nothing can be learned of it.",
                who=who,
                remedy="Leave it out.",
            )
        observed = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(LARGEST_SEED))
    distinct = len(np.unique(observed, axis=0)) if len(observed) <= 10 * K else K
    if distinct < K:  # too few rows for so many groups
        centers = np.resize(observed, (K, observed.shape[1])).astype(np.float64)
        spread = np.maximum(observed.std(axis=0), 1e-3 * (1 + np.abs(observed).max(axis=0)))
        return centers + spread * 0.1 * (np.arange(K)[:, None] / K)
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than groups
        model = KMeans(n_clusters=K, random_state=seed, n_init=KMEANS_STARTS).fit(observed)
    return model.cluster_centers_.astype(np.float64)


def covariance_of(X: np.ndarray, added: float) -> np.ndarray:
    """(d, d) the covariance of all rows, with something added to the variances."""
    observed = X[~np.isnan(X).any(axis=1)]
    d = X.shape[1]
    if len(observed) < 2:
        variances = np.nanvar(X, axis=0) if len(X) > 1 else np.zeros(d)
        return np.diag(np.where(variances > 0, variances, 1.0)) + added * np.eye(d)
    return np.atleast_2d(np.cov(observed.T)) + added * np.eye(d)


def by_kind(matrix: np.ndarray, kind: str, K: int) -> np.ndarray:
    """One covariance for all states, in the form that a kind has."""
    d = len(matrix)
    if kind == "spherical":
        return np.full((K, d), matrix.mean())
    if kind == "diag":
        return np.tile(np.diag(matrix), (K, 1))
    return matrix if kind == "tied" else np.tile(matrix, (K, 1, 1))
