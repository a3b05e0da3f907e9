"""The factor of inner products and squared distances, from a number or from the spread of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["gamma_of"]

SMALLEST_VARIANCE = 1e-300  # whose inverse is a number


def gamma_of(gamma: float | str | None, X: Any, who: str) -> float:
    r"""The number that gamma stands for.

    "scale" is :math:`1 / (d\,\mathrm{var}(X))` with the variance of all entries, 1 if they are constant; "auto" and
    None are :math:`1/d`.

    >>> import numpy as np
    >>> from assay.kernels.gamma import gamma_of
    >>> gamma_of("scale", np.array([[0.0, 2.0], [2.0, 0.0]]), "rbf"), gamma_of("auto", np.ones((3, 4)), "rbf")
    (0.5, 0.25)
    """
    if gamma is None or isinstance(gamma, str):
        d = max(X.shape[1], 1)
        if gamma in (None, "auto"):
            return 1.0 / d
        if gamma == "scale":
            variance = _variance(X)
            if 0 < d * variance < SMALLEST_VARIANCE:
                raise DataError(
                    f"{who}: the variance of the columns, {variance:.3g}, is too small for gamma='scale'. Scale the "
                    "columns first."
                )
            return 1.0 / (d * variance) if variance > 0 else 1.0
    elif np.isfinite(gamma) and gamma >= 0:
        return float(gamma)
    raise ParameterError(f"{who}: gamma must be 'scale', 'auto' or a number from 0, got {gamma!r}.")


def _variance(X: Any) -> float:
    if not hasattr(X, "tocsr"):
        n = X.size
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # as np.var does, without its look at all it might be given
            apart = X - np.add.reduce(X, axis=None, dtype=np.float64) / n
            variance = float(np.add.reduce(np.multiply(apart, apart, out=apart), axis=None) / n)
        return variance if variance == variance else np.inf
    mean = X.sum(dtype=np.float64) / np.prod(X.shape, dtype=np.float64)
    return float(X.multiply(X).sum(dtype=np.float64) / np.prod(X.shape, dtype=np.float64) - mean**2)
