r"""Errors of the outputs of a network, summed over the rows.

==================  =====================================================  ===============  ===================
name                E                                                      made for         dE/da there
==================  =====================================================  ===============  ===================
"squared_error"     :math:`\tfrac12\sum_i(r_i-y_i)^2`                      "identity"       y - r
"cross_entropy"     :math:`-\sum_i r_i\log y_i`                            "softmax"        y - r
"binary_entropy"    :math:`-\sum_i[r_i\log y_i + (1-r_i)\log(1-y_i)]`      "logistic"       y - r
==================  =====================================================  ===============  ===================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from assay.errors import ParameterError

__all__ = ["OUTPUT_ERRORS", "BinaryEntropy", "CrossEntropy", "OutputError", "SquaredError", "output_error"]

SMALLEST = 1e-300  # probability of which a logarithm is taken


@dataclass(frozen=True)
class OutputError:
    """An error of outputs y against targets r: its value for each row, and its slope dE/dy."""

    made_for: ClassVar[str] = ""

    def value(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """(n,) the error of each row."""
        raise TypeError(f"{type(self).__name__} must define value")

    def slope(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """dE/dy"""
        raise TypeError(f"{type(self).__name__} must define slope")


def _by_row(errors: np.ndarray) -> np.ndarray:
    return errors.reshape(len(errors), -1).sum(axis=1)


@dataclass(frozen=True)
class SquaredError(OutputError):
    """Half the squared difference, for numbers."""

    made_for = "identity"

    def value(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """(n,)"""
        return _by_row((r - y) ** 2 / 2)

    def slope(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """y - r"""
        return y - r


@dataclass(frozen=True)
class CrossEntropy(OutputError):
    """Cross-entropy of K classes, targets with a 1 for the class of a row."""

    made_for = "softmax"

    def value(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """(n,)"""
        return -_by_row(xlogy(r, np.maximum(y, SMALLEST)))

    def slope(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """-r / y"""
        return -r / np.maximum(y, SMALLEST)


@dataclass(frozen=True)
class BinaryEntropy(OutputError):
    """Cross-entropy of two classes, for each output by itself; targets 0 and 1."""

    made_for = "logistic"

    def value(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """(n,)"""
        return -_by_row(xlogy(r, np.maximum(y, SMALLEST)) + xlogy(1 - r, np.maximum(1 - y, SMALLEST)))

    def slope(self, y: np.ndarray, r: np.ndarray) -> np.ndarray:
        """-r / y + (1 - r) / (1 - y)"""
        return -r / np.maximum(y, SMALLEST) + (1 - r) / np.maximum(1 - y, SMALLEST)


OUTPUT_ERRORS: dict[str, OutputError] = {
    "squared_error": SquaredError(),
    "cross_entropy": CrossEntropy(),
    "binary_entropy": BinaryEntropy(),
}


def output_error(error: str | OutputError, who: str = "output_error") -> OutputError:
    """The error of that name; one of your own is taken as it is.

    >>> import numpy as np
    >>> from assay.neural.output_errors import output_error
    >>> output_error("squared_error").value(np.array([[1.0]]), np.array([[3.0]]))
    array([2.])
    """
    if isinstance(error, str):
        if error not in OUTPUT_ERRORS:
            raise ParameterError(
                f"error must be one of {', '.join(map(repr, OUTPUT_ERRORS))}, or an OutputError",
                who=who,
                got=error,
            )
        return OUTPUT_ERRORS[error]
    if not all(hasattr(error, name) for name in ("value", "slope", "made_for")):
        raise ParameterError(
            f"error must be one of {', '.join(map(repr, OUTPUT_ERRORS))}, or an OutputError",
            who=who,
            got=error,
        )
    return error
