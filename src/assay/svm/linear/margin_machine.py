"""What linear machines of the textbook share: two classes, multipliers of the training rows, and their report."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core.stored import CodeArray, FloatArray, Object, Scalar
from assay.errors import DataError
from assay.linear.sign_classifier import SignClassifier
from assay.svm.linear.margin_report import MarginReport

__all__ = ["MarginMachine", "bias", "check_squares", "signed_rows"]

LARGEST_VALUE = 1e145  # sums of squares, and their products with multipliers, are numbers still


class MarginMachine(SignClassifier):
    """Base of machines of two classes with one multiplier for each training row.

    Attributes
    ----------
    coef_ : (1, d)      intercept_ : (1,)
    alpha_ : (n,) the multipliers      support_ : (m,) rows with one above 0
    margin_ : the distance between the two lines f = -1 and f = +1
    report_ : MarginReport of the training rows
    """

    stored = {
        "alpha_": FloatArray("*", finite=True),
        "support_": CodeArray("*"),
        "margin_": Scalar(),
        "report_": Object(MarginReport),
    }
    remedy_for_more: ClassVar[str] = "For more: LinearSVC, or OneVsRestClassifier around it."
    fit_intercept: bool

    alpha_: np.ndarray
    support_: np.ndarray
    margin_: float
    report_: MarginReport

    def _keep(self, X: Any, s: np.ndarray, alpha: np.ndarray, b: float, C: float | np.ndarray) -> None:
        """Set the attributes that follow from the multipliers."""
        w = np.asarray((alpha * s) @ X).ravel()
        size = float(np.linalg.norm(w))
        self.coef_, self.intercept_ = w[None], np.array([b])
        self.alpha_, self.support_ = alpha, np.flatnonzero(alpha > 0)
        self.margin_ = 2.0 / size if size > 0 else float("inf")
        self.report_ = MarginReport.of(X, s, w, b, alpha, C)


def signed_rows(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """X as float64, dense or CSR, and -1 for the first class, +1 for the second."""
    X = X.astype(np.float64, copy=False)
    return (np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X.tocsr()), np.where(y > 0, 1.0, -1.0)


def check_squares(X: Any, who: str) -> None:
    """Refuse numbers whose squares overflow."""
    values = X if isinstance(X, np.ndarray) else X.data
    if not np.abs(values).max(initial=0.0) < LARGEST_VALUE:
        raise DataError(
            f"{who}: X has values too large to be squared. Divide their columns by some power of ten."
        )


def bias(scores: np.ndarray, s: np.ndarray, alpha: np.ndarray, C: float | np.ndarray) -> float:
    r"""The constant of scores :math:`w^Tx_i`: the mean of :math:`y_i-w^Tx_i` over multipliers between 0 and C.

    Without such a row the conditions of the optimum leave an interval, of which the middle is taken.

    >>> import numpy as np
    >>> from assay.svm.linear.margin_machine import bias
    >>> scores, s = 0.25 * np.array([-2.0, -1.0, 1.0, 2.0, 1.5]), np.array([-1.0, -1.0, 1.0, 1.0, -1.0])
    >>> bias(scores, s, np.array([0.0, 0.1, 0.1, 0.1, 0.1]), 0.1)
    -0.625
    """
    free = (alpha > 0) & (alpha < C)
    if free.any():
        return float((s - scores)[free].mean())
    # alpha = 0 asks for a margin of 1 or more, alpha = C for 1 or less
    at_least = np.where(alpha > 0, s < 0, s > 0)
    low, high = (s - scores)[at_least], (s - scores)[~at_least]
    if not len(low) or not len(high):
        return float(low.max() if len(low) else high.min())
    return float(0.5 * (low.max() + high.min()))
