"""Winner-take-all by lateral inhibition: a small network that finds the largest of its inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError

__all__ = ["winner_take_all"]


def winner_take_all(
    values: ArrayLike, inhibition: float | None = None, max_iter: int = 100_000
) -> np.ndarray:
    r"""(steps, k) the activations of units that inhibit each other until one is left; the last row has it at one.

    .. math:: b_i \leftarrow \max\Big(0,\; b_i - \varepsilon\sum_{l \ne i} b_l\Big)                         \quad (1)

    All units step at once. Values begin above 0 (the least is subtracted where some are below); of equal maxima the
    first stays, since they would die together.

    Parameters
    ----------
    values : (k,) numbers
    inhibition : float from 0 to 1 / k, default half of it
    max_iter : steps at most; the closer the two largest, the more are needed

    Examples
    --------
    >>> from assay.local import winner_take_all
    >>> winner_take_all([1.0, 3.0, 2.0])[-1].tolist()
    [0.0, 1.0, 0.0]

    See Also
    --------
    OnlineKMeans, HebbianFeatures

    References
    ----------
    - Maass, W. (2000). On the computational power of winner-take-all. Neural Computation 12(11), 2519-2535.
      doi:10.1162/089976600300014827
    """
    b = np.array(values, dtype=np.float64)
    if b.ndim != 1 or not b.size or not np.isfinite(b).all():
        raise DataError("winner_take_all: values must be a list of finite numbers.")
    k = len(b)
    epsilon = 0.5 / k if inhibition is None else float(inhibition)
    if not (0 < epsilon < 1 / k or (k == 1 and 0 < epsilon <= 1)):
        raise ParameterError(
            f"winner_take_all: inhibition must be between 0 and 1 / {k}, got {inhibition!r}."
        )
    winner = int(np.argmax(b))
    if b.min() < 0 or b[winner] == 0:
        b = b - b.min()
    b[(b == b[winner]) & (np.arange(k) != winner)] = 0.0
    if b[winner] == 0:  # all are equal
        b[winner] = 1.0
    b = b / b[winner]  # steps are linear, so that the unit does not matter
    steps = [b]
    while (b > 0).sum() > 1:
        if len(steps) > max_iter:
            raise ParameterError(
                f"winner_take_all: several units are left after {max_iter} steps; the largest values are too close. "
                "Raise max_iter or inhibition."
            )
        b = np.maximum(0.0, b - epsilon * (b.sum() - b))
        steps.append(b)
    return np.array([*steps, (b > 0).astype(np.float64)])
