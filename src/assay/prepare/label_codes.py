"""Classes as numbers, as signs and as unit vectors, there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import encode_labels, label_codes
from assay.errors import DataError
from assay.tables.row_names import row_name

__all__ = ["LabelCodes"]


@dataclass(frozen=True, eq=False)
class LabelCodes:
    """The classes of a target in their order, and the codes that formulas want for them.

    Learners take labels as they are, so this is for work by hand: class k is the number k, one of the signs -1 and +1
    if there are two classes, or the unit vector with its 1 in place k.

    Parameters
    ----------
    classes : (K,) labels; `LabelCodes.of` collects them from a target, sorted

    Examples
    --------
    >>> from assay.prepare import LabelCodes
    >>> codes = LabelCodes.of(["no", "yes", "no"])
    >>> codes.signs(["yes", "no"])
    array([ 1, -1])
    >>> codes.one_hot(["yes", "no"])
    array([[0., 1.],
           [1., 0.]])
    >>> codes.from_one_hot([[0, 1], [1, 0]]).tolist()
    ['yes', 'no']
    """

    classes: np.ndarray

    @classmethod
    def of(cls, y: Any) -> LabelCodes:
        """The classes that a target has."""
        return cls(encode_labels(y, len(y), "LabelCodes")[0])

    def numbers(self, y: Any) -> np.ndarray:
        """(n,) 0 to K - 1; for two classes the 0 and 1 of most formulas."""
        return label_codes(y, self.classes, len(y), "LabelCodes")

    def signs(self, y: Any) -> np.ndarray:
        """(n,) -1 for the first of two classes, +1 for the second."""
        self._two()
        return 2 * self.numbers(y) - 1

    def one_hot(self, y: Any) -> np.ndarray:
        """(n, K) rows of the unit matrix."""
        return np.eye(len(self.classes))[self.numbers(y)]

    def from_numbers(self, codes: ArrayLike) -> np.ndarray:
        """(n,) the labels of numbers 0 to K - 1."""
        codes, K = np.asarray(codes), len(self.classes)
        if codes.ndim != 1 or not np.isin(codes, np.arange(K)).all():
            raise DataError(f"LabelCodes: expected a list of whole numbers from 0 to {K - 1}.")
        return self.classes[codes.astype(np.int64)]

    def from_signs(self, codes: ArrayLike) -> np.ndarray:
        """(n,) the labels of -1 and +1."""
        self._two()
        codes = np.asarray(codes)
        if codes.ndim != 1 or not np.isin(codes, (-1, 1)).all():
            raise DataError("LabelCodes: expected a list of -1 and +1.")
        return self.classes[(codes > 0).astype(np.int64)]

    def from_one_hot(self, codes: ArrayLike) -> np.ndarray:
        """(n,) the labels of unit vectors."""
        codes = np.asarray(codes)
        K = len(self.classes)
        if codes.ndim != 2 or codes.shape[1] != K:
            raise DataError(f"LabelCodes: expected rows of {K} numbers, got shape {codes.shape}.")
        bad = ~(np.isin(codes, (0, 1)).all(axis=1) & ((codes == 1).sum(axis=1) == 1))
        if bad.any():
            i = int(np.argmax(bad))
            raise DataError(f"LabelCodes: {row_name(i)} is {codes[i].tolist()}, expected one 1 among zeros.")
        return self.classes[codes.argmax(axis=1)]

    def _two(self) -> None:
        if len(self.classes) != 2:
            raise DataError(
                f"LabelCodes: signs are for two classes, there are {len(self.classes)}. Use one_hot."
            )
