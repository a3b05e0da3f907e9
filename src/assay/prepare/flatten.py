"""Signals and pictures as rows of numbers, and back."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError

__all__ = ["Flattened", "flatten"]


@dataclass(frozen=True)
class Flattened:
    """Rows made of arrays of one shape; see :func:`flatten`.

    Attributes
    ----------
    values : (n, d) one row for each signal or picture
    shape : the shape of each
    """

    values: np.ndarray
    shape: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """(d,) the place of each column: "3,17" is row 3, column 17 of a picture; of a signal "x3"."""
        if len(self.shape) == 1:
            return [f"x{j}" for j in range(self.shape[0])]
        return [",".join(map(str, place)) for place in np.ndindex(self.shape)]

    def restore(self, rows: ArrayLike) -> np.ndarray:
        """Rows of shape ``(m, *shape)``, such as components or reconstructions, as signals or pictures again."""
        rows = np.atleast_2d(np.asarray(rows))
        if rows.shape[1] != prod(self.shape):
            raise DataError(
                f"Flattened.restore: expected rows of {prod(self.shape)} numbers, as the shape {self.shape} has; got "
                f"{rows.shape[1]}."
            )
        return rows.reshape(len(rows), *self.shape)


def flatten(signals: Any) -> Flattened:
    """Make one row of each signal or picture, in the order in which NumPy stores it (rows of pixels, then colours).

    Learners take rows of numbers: a signal of 220 samples has 220 columns, a grey picture of 64 x 64 pixels 4,096, in
    three colours 12,288. The shape is kept, so that components, means and reconstructions can be shown as pictures.

    Cost: one copy at most.

    Parameters
    ----------
    signals : (n, ...) array, or a sequence of n arrays of one shape

    Returns
    -------
    Flattened
        ``values`` (n, d), ``shape``, ``names``; ``restore(rows)`` goes back.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.prepare import flatten
    >>> pictures = np.arange(24).reshape(2, 3, 4)
    >>> flat = flatten(pictures)
    >>> flat.values.shape, flat.names[5], bool((flat.restore(flat.values) == pictures).all())
    ((2, 12), '1,1', True)

    See Also
    --------
    assay.reduce.PCA
    """
    if not hasattr(signals, "shape"):
        parts = [np.asarray(signal) for signal in signals]
        shapes = {part.shape for part in parts}
        if len(shapes) > 1:
            raise DataError(
                f"flatten: signals must be of one shape, got {', '.join(map(str, sorted(shapes)[:4]))}. Cut or "
                "resample them first."
            )
        signals = np.stack(parts) if parts else np.empty((0, 0))
    block = np.asarray(signals)
    if block.ndim < 2 or block.dtype.kind not in "biuf":
        raise DataError(
            f"flatten: expected numbers of the shape (n, ...), got {block.dtype} of the shape {block.shape}."
        )
    return Flattened(block.reshape(len(block), prod(block.shape[1:])), block.shape[1:])
