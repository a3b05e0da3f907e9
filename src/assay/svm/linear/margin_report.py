"""How the training rows of a linear machine lie: margins, slacks, multipliers, and how far it is from its dual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.stored import FloatArray
from assay.types import Target

__all__ = ["MarginReport", "margin_status"]

Floats = NDArray[np.float64]

STATUS = ("outside", "on the margin", "inside the margin", "misclassified")
EDGE = 1e-6  # how near to 1 a margin counts as 1


@dataclass(frozen=True)
class MarginReport:
    r"""The rows of a machine with weights w, constant b, multipliers :math:`\alpha` and price C of slack.

    With :math:`m_i = y_i(w^Tx_i+b)` and :math:`\xi_i = (1-m_i)_+` the primal objective is
    :math:`\tfrac12\lVert w\rVert^2+C\sum\xi_i` and the dual one :math:`\sum\alpha_i-\tfrac12\lVert\sum\alpha_iy_ix_i
    \rVert^2`; at the optimum they agree, :math:`\alpha_i(m_i-1+\xi_i)=0` and :math:`(C-\alpha_i)\xi_i=0`.

    Attributes
    ----------
    margin, slack, alpha : (n,) m, xi and the multipliers
    violation : (n,) by how much each row breaks the conditions of the optimum
    primal, dual : the objectives; without a price of slack (C infinite) the primal one has none
    balance : the sum of alpha y, which is 0 at the optimum of a machine with a constant

    See Also
    --------
    HardMarginSVC, ProjectedGradientSVC, margin_diagnostics

    References
    ----------
    - Cortes, C. and Vapnik, V. (1995). Support-vector networks. Machine Learning 20, 273-297.
      doi:10.1007/BF00994018
    """

    margin: Floats
    slack: Floats
    alpha: Floats
    violation: Floats
    primal: float
    dual: float
    balance: float
    stored = {
        "margin": FloatArray("*"),
        "slack": FloatArray("*"),
        "alpha": FloatArray("*"),
        "violation": FloatArray("*"),
    }

    @classmethod
    def of(
        cls,
        X: Any,
        y: Target,
        coef: Floats,
        intercept: float,
        alpha: Floats,
        C: float | Floats = np.inf,
    ) -> MarginReport:
        """Where the rows lie, and whether weights and multipliers belong to the optimum.

        Parameters
        ----------
        X : (n, d) numbers, dense or sparse      y : (n,) -1 and +1
        coef, intercept : (d,) and a number      alpha : (n,) multipliers
        C : price of slack, one or (n,); infinite for a hard margin

        Examples
        --------
        >>> import numpy as np
        >>> from assay.svm import MarginReport
        >>> X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
        >>> print(MarginReport.of(X, y, np.array([0.5, 0.5]), -2.0, np.array([0.25, 0.0, 0.25])))
        3 rows: 1 outside, 2 on the margin; 2 support vectors.
        Primal 0.250000, dual 0.250000, gap 0; largest violation 0.
        """
        s = np.asarray(y, dtype=np.float64)
        margin = s * (np.asarray(X @ coef).ravel() + intercept)
        slack = np.maximum(0.0, 1.0 - margin)
        w = np.asarray((alpha * s) @ X).ravel()
        price = np.broadcast_to(np.asarray(C, dtype=np.float64), s.shape)
        paid = np.where(np.isfinite(price), price, 0.0)
        primal = 0.5 * float(coef @ coef) + float(paid @ slack)
        dual = float(alpha.sum()) - 0.5 * float(w @ w)
        at_rest = np.where(
            alpha > 0, np.maximum(margin - 1.0, 0.0), 0.0
        )  # a multiplier above 0 on the margin alone
        short = np.where(alpha < price, slack, 0.0)  # slack at the price alone
        return cls(margin, slack, alpha, np.maximum(at_rest, short), primal, dual, float(alpha @ s))

    @property
    def gap(self) -> float:
        """Primal minus dual objective: from 0 up, and 0 at the optimum."""
        return self.primal - self.dual

    @property
    def status(self) -> list[str]:
        """Of each row: "outside", "on the margin", "inside the margin" or "misclassified"."""
        return margin_status(self.margin).tolist()

    @property
    def support_share(self) -> float:
        """The share of support vectors: no less than the leave-one-out error."""
        return float(np.mean(self.alpha > 0))

    def __str__(self) -> str:
        status = self.status
        counts = ", ".join(f"{status.count(word)} {word}" for word in STATUS if word in status)
        return (
            f"{len(status)} rows: {counts}; {int((self.alpha > 0).sum())} support vectors.\n"
            f"Primal {self.primal:.6f}, dual {self.dual:.6f}, gap {self.gap:.2g}; "
            f"largest violation {self.violation.max(initial=0.0):.2g}."
        )


def margin_status(margin: Floats) -> np.ndarray:
    """(n,) "outside", "on the margin", "inside the margin" or "misclassified", by y f, to six digits.

    >>> import numpy as np
    >>> from assay.svm.linear.margin_report import margin_status
    >>> margin_status(np.array([1.5, 1.0, 0.0, -0.1])).tolist()
    ['outside', 'on the margin', 'inside the margin', 'misclassified']
    """
    return np.array(STATUS)[np.select([margin > 1 + EDGE, margin >= 1 - EDGE, margin >= -EDGE], [0, 1, 2], 3)]
