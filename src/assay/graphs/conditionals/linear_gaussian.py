"""Linear Gaussian conditional: a number whose mean is linear in its parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray
from assay.errors import DataError
from assay.graphs.conditionals.conditional import numbers_given
from assay.tables import Column

__all__ = ["LinearGaussianConditional"]


@dataclass(frozen=True, eq=False)
class LinearGaussianConditional:
    r"""A number that is normal around a linear function of its parents that are numbers.

    .. math:: x \mid u, j \sim N(a_j + b_j^T u,\ \sigma_j^2)                                       \quad (1)

    j is the configuration of the parents with states; without such parents there is one line.

    Parameters
    ----------
    intercept : float or (q,), a value for each configuration
    weights : (p,) or (q, p), a value for each parent that is a number
    variance : float or (q,)

    Examples
    --------
    >>> from assay.graphs import LinearGaussianConditional
    >>> price = LinearGaussianConditional(2.0, [0.5], 1.0)
    >>> price.mean_and_variance(0, [4.0])
    (4.0, 1.0)

    See Also
    --------
    BayesianNetwork, TableConditional

    References
    ----------
    - Lauritzen, S. L. (1992). Propagation of probabilities, means, and variances in mixed graphical association models.
      Journal of the American Statistical Association 87, 1098-1108. doi:10.1080/01621459.1992.10476265
    """

    intercept: Any = 0.0
    weights: Any = ()
    variance: Any = 1.0
    stored = {
        "intercept": FloatArray("q", finite=True),
        "weights": FloatArray("q", "*", finite=True),
        "variance": FloatArray("q", low=0, finite=True),
    }

    def __post_init__(self) -> None:
        who = "LinearGaussianConditional"
        intercept = numbers_given(self.intercept, who, "intercept").ravel()
        variance = numbers_given(self.variance, who, "variance").ravel()
        weights = np.atleast_2d(numbers_given(self.weights, who, "weights"))
        q = max(len(intercept), len(variance), len(weights) if weights.size else 1)
        weights = weights if weights.size else np.zeros((q, weights.shape[1]))
        object.__setattr__(self, "intercept", np.array(np.broadcast_to(intercept, (q,))))
        object.__setattr__(self, "variance", np.array(np.broadcast_to(variance, (q,))))
        object.__setattr__(self, "weights", np.array(np.broadcast_to(weights, (q, weights.shape[1]))))

    def mean_and_variance(self, configuration: int, numbers: Sequence[float]) -> tuple[float, float]:
        """Of one configuration of the parents with states, and values of the parents that are numbers."""
        j = configuration
        return float(self.intercept[j] + self.weights[j] @ np.asarray(numbers, float)), float(
            self.variance[j]
        )

    def n_parameters(self, column: Column, parents: Sequence[Column]) -> int:
        """How many free numbers it has."""
        return self.weights.size + self.intercept.size + self.variance.size

    def check(self, column: Column, parents: Sequence[Column], who: str) -> None:
        """Raise a DataError that names the node if the conditional does not fit it."""
        states = [p for p in parents if p.coded]
        q, p = int(np.prod([len(s.categories) for s in states], dtype=np.int64)), len(parents) - len(states)
        if self.weights.shape != (q, p):
            raise DataError(
                f"{who}: node {column.name!r} needs {q} x {p} weights (configurations of its parents with states, "
                f"parents that are numbers), got {self.weights.shape[0]} x {self.weights.shape[1]}."
            )
        if not (np.isfinite(self.weights).all() and np.isfinite(self.intercept).all()):
            raise DataError(f"{who}: node {column.name!r} has a weight that is not finite.")
        if not (np.isfinite(self.variance).all() and (self.variance >= 0).all()):
            raise DataError(f"{who}: the variance of node {column.name!r} must be a number from 0 up.")
