"""What a learner predicted for the test rows, and what really was: all that a measure can ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.metrics._inputs import Scored, numbers
from assay.tables.row_names import row_name

__all__ = ["Outcome"]

SAFE_SIZE = (1e-60, 1e60)  # numbers whose fourth powers, the variance of their squares, are well within range


@dataclass(frozen=True)
class Outcome:
    """Predictions for some rows, and the true values.

    Parameters
    ----------
    truth : (n,) class codes 0..K-1; for a regression (K = 0) numbers
    answer : (n,) class codes; -1 for a rejected row; for a regression numbers
    posterior : (n, K) or None for a learner without probabilities
    K : number of classes
    price : (n,) cost of the decision on each row, or None if no loss was given
    rejected : (n,) bool, or None if rejecting was not allowed
    weight : (n,) sample weights, or None
    labels : (K,) the classes' labels, or None for the codes themselves
    scores : (n,) of the second of two classes, larger where it is more likely; None takes the posterior
    lower, upper : (n,) the ends of a prediction interval of each number, or None
    coverage : nominal coverage of that interval, between 0 and 1
    distribution : predictive distribution of the rows (mean, sd, quantile, cdf, logpdf, crps, take, interval), or None
    columns : number of columns of X, for measures that allow for the size of a model; None if not known

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import Outcome, measures
    >>> outcome = Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]), None, 2)
    >>> measures()["error"].of(outcome), measures()["balanced error"].of(outcome)
    (0.25, 0.5)
    """

    truth: np.ndarray
    answer: np.ndarray
    posterior: np.ndarray | None
    K: int
    price: np.ndarray | None = None
    rejected: np.ndarray | None = None
    weight: np.ndarray | None = None
    labels: np.ndarray | None = None
    scores: np.ndarray | None = None
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    coverage: float | None = None
    distribution: Any = None
    columns: int | None = None

    @classmethod
    def of_numbers(
        cls,
        truth: Any,
        answer: Any,
        *,
        weight: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        coverage: float | None = None,
        distribution: Any = None,
        columns: int | None = None,
        who: str = "Outcome",
    ) -> Outcome:
        """Predicted numbers and true ones, read and checked.

        Parameters
        ----------
        truth, answer : (n,) finite numbers; an answer of None is the mean of the distribution, else the middle of the
            interval
        weight : (n,) sample weights
        lower, upper, coverage, distribution, columns : as above; lower and upper come together, lower <= upper

        Examples
        --------
        >>> from assay.metrics import Outcome
        >>> outcome = Outcome.of_numbers([3, 5], [2.5, 5], lower=[2, 4], upper=[4, 6], coverage=0.9)
        >>> outcome.K, outcome.truth, outcome.upper
        (0, array([3., 5.]), array([4., 6.]))
        """
        y = numbers(truth, who, "the truth")
        n = len(y)
        ends: list[np.ndarray | None] = [None, None]
        if (lower is None) != (upper is None):
            raise ParameterError("a prediction interval has two ends: give lower and upper.", who=who)
        if lower is not None:
            ends = list(interval_ends(lower, upper, n, who))
        if coverage is not None and not 0 < coverage < 1:
            raise ParameterError(f"coverage must be between 0 and 1, got {coverage!r}.", who=who)
        if answer is None:
            if distribution is None and ends[0] is None:
                raise ParameterError(
                    "there is no prediction: give numbers, an interval or a distribution.", who=who
                )
            answer = distribution.mean if distribution is not None else _middle(*ends)
        z = numbers(answer, who, "the prediction")
        if len(z) != n:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: {n} true values, {len(z)} predictions.",
                who=who,
            )
        w = check_weights(weight, n, who, squared=True)
        return cls(y, z, None, 0, weight=w, lower=ends[0], upper=ends[1], coverage=coverage,
                   distribution=distribution, columns=columns)  # fmt: skip

    @property
    def names(self) -> list[Any]:
        """The classes' labels, or their codes."""
        return list(range(self.K)) if self.labels is None else self.labels.tolist()

    @property
    def confusion(self) -> np.ndarray:
        """(K, K + 1) counts or weights, true by predicted class; the last column is of rejected rows."""
        return self._cells(self.weight)

    def _cells(self, weight: np.ndarray | None) -> np.ndarray:
        answer = self.answer if self.complete else np.where(self.answer < 0, self.K, self.answer)
        cells = np.bincount(
            self.truth * (self.K + 1) + answer, weights=weight, minlength=self.K * (self.K + 1)
        )
        return cells.reshape(self.K, self.K + 1)

    @property
    def complete(self) -> bool:
        """Whether no row is rejected."""
        return not (self.answer < 0).any()

    @property
    def square(self) -> np.ndarray:
        """(K + 1, K + 1) the confusion with an extra class for rejected rows."""
        return np.vstack([self.confusion, np.zeros(self.K + 1, dtype=np.int64)])

    @property
    def squared_weights(self) -> np.ndarray:
        """(K + 1, K + 1) like ``square``, of the rows' squared weights."""
        if self.weight is None:
            return self.square
        return np.vstack([self._cells(self.weight**2), np.zeros(self.K + 1)])

    def mean(self, values: np.ndarray) -> float:
        """The weighted mean over rows; NaN if all weights are 0."""
        if self.weight is None:
            return float(np.mean(values))
        return float(self.weight @ values) / self._total if self._total > 0 else float("nan")

    def mean_product(self, a: np.ndarray, b: np.ndarray) -> float:
        """The weighted mean over rows of a * b, without an array for it."""
        if self.weight is None:
            return float(a @ b) / len(a)
        return (
            float(np.einsum("i,i,i->", self.weight, a, b)) / self._total if self._total > 0 else float("nan")
        )

    @cached_property
    def _total(self) -> float:
        return float(np.sum(self.weight))  # type: ignore[arg-type]

    def rescaled(self, always: bool = False) -> tuple[Outcome, float]:
        """The numbers in another unit, a power of two, if they are so large or small that powers of them overflow.

        Parameters
        ----------
        always : for any size, so that the largest is between 1/2 and 1

        Returns
        -------
        outcome : truth, answer and the ends of intervals, divided by the unit; itself where the unit is 1
        unit : float

        >>> from assay.metrics import Outcome
        >>> outcome, unit = Outcome.of_numbers([0, 3e200], [1e200, 3e200]).rescaled()
        >>> float(outcome.truth.max()) < 1, float(outcome.truth.max()) * unit
        (True, 3e+200)
        """
        each = ("truth", "answer", "lower", "upper")
        present = {name: values for name in each if (values := getattr(self, name)) is not None}
        largest = max(_largest_size(values) for values in present.values())
        if largest == 0 or (not always and SAFE_SIZE[0] < largest < SAFE_SIZE[1]):
            return self, 1.0
        power = int(np.clip(np.frexp(largest)[1], -1021, 1023))
        half = power // 2  # 2.0**-power alone may be beyond the range of numbers
        scaled = {n: v * 2.0**-half * 2.0 ** (half - power) for n, v in present.items()}
        return replace(self, **scaled), 2.0**power

    def true_class_probability(self) -> np.ndarray | None:
        """(n,) the predicted probability of the true class; None without probabilities."""
        return None if self.posterior is None else self.posterior[np.arange(len(self.truth)), self.truth]

    def problems(self, positive: int = 1) -> list[Scored]:
        """The scores of the positive class of two, or of each of more classes against the rest.

        A class without positive or without negative weight is left out.
        """
        if self.scores is None and self.posterior is None:
            return []
        counted = self.truth if self.weight is None else self.truth[self.weight > 0]
        sizes = np.bincount(counted, minlength=self.K)
        class_codes = [positive] if self.K == 2 else range(self.K)
        return [
            Scored(self.truth == k, self._column(k), self.weight, k)
            for k in class_codes
            if 0 < sizes[k] < len(counted)
        ]

    def _column(self, k: int) -> np.ndarray:
        if self.scores is not None:
            return self.scores if k == 1 else -self.scores
        assert self.posterior is not None
        return self.posterior[:, k]

    def mean_over_classes(self, function: Callable[[Scored], float], positive: int = 1) -> float:
        """The function of the scores of each class, its mean if more than two classes; NaN if no class is left."""
        outcome = self
        if self.weight is not None and not self.weight.all():
            outcome = self.take(np.flatnonzero(self.weight))
        values = [function(scores) for scores in outcome.problems(positive)]
        return float(np.mean(values)) if values else float("nan")

    def take(self, rows: np.ndarray) -> Outcome:
        """Some of the rows."""
        each = ("truth", "answer", "posterior", "price", "rejected", "weight", "scores", "lower", "upper")
        present = {name: values[rows] for name in each if (values := getattr(self, name)) is not None}
        if self.distribution is not None:
            present["distribution"] = self.distribution.take(rows)
        return replace(self, **present)


def _largest_size(values: np.ndarray) -> float:
    """The largest absolute value, of those that are finite."""
    largest = max(float(values.max()), -float(values.min()))
    if np.isfinite(largest):
        return largest
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if len(finite) else 0.0


def _middle(low: Any, high: Any) -> np.ndarray:
    """(n,) the middle of each interval, or the end that is finite."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    return np.where(
        np.isfinite(middle), middle, np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0))
    )


def interval_ends(lower: Any, upper: Any, n: int, who: str) -> tuple[np.ndarray, np.ndarray]:
    """(n,) lower and upper ends of prediction intervals, checked; an end may be infinite, where nothing limits it."""
    low, high = (numbers(v, who, what, finite=False) for v, what in ((lower, "lower"), (upper, "upper")))
    for values, what in ((low, "lower"), (high, "upper")):
        if len(values) != n:
            raise DataError(f"{n} true values and {len(values)} of {what}.", who=who)
    crossed = low > high
    if crossed.any():
        row = int(np.argmax(crossed))
        raise DataError(
            f"the interval of {row_name(row)} ends before it begins: lower {low[row]:g}, upper {high[row]:g}.",
            who=who,
        )
    return low, high
