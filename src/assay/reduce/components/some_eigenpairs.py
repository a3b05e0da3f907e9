"""Some eigenvalues of a symmetric matrix and their vectors, however many of them are equal."""

from __future__ import annotations

import numpy as np

__all__ = ["some_eigenpairs"]


def some_eigenpairs(S: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues of the ranks ``first`` to ``last``, the smallest has rank 0, and (n, last - first + 1) vectors.

    The routine for a part of the eigenvalues can lose those that are equal to within rounding, as all but one of a
    centred unit matrix are; then all are computed.

    >>> import numpy as np
    >>> from assay.reduce.components.some_eigenpairs import some_eigenpairs
    >>> values, vectors = some_eigenpairs(np.eye(60) - 1 / 60, 58, 59)      # 60 points, all of them equally far apart
    >>> values.round(6), vectors.shape
    (array([1., 1.]), (60, 2))
    """
    from scipy.linalg import eigh

    values, vectors = eigh(S, subset_by_index=[first, last], driver="evr", check_finite=False)
    if len(values) == last - first + 1:
        return values, vectors
    values, vectors = np.linalg.eigh(S)
    return values[first : last + 1], vectors[:, first : last + 1]
