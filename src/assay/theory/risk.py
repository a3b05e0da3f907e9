"""Empirical risk, and the hypothesis of a list that has the least of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.types import TableLike, Weights

__all__ = ["ErmResult", "empirical_risk", "erm"]

RowLoss = Callable[[Any, Any], Any]


def empirical_risk(
    truth: ArrayLike,
    answer: ArrayLike,
    *,
    loss: RowLoss | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""The mean loss of a hypothesis on a sample; without a loss, the share of wrong answers.

    .. math:: \hat R(h) = \frac1N \sum_i I[h(x_i) \ne y_i]

    It is computed from the training rows. The goal is the risk on new rows; the bounds of this room limit how
    far apart the two can be.

    Parameters
    ----------
    truth, answer : (n,) labels
    loss : function (truth, answer) giving (n,) losses, default None for the 0/1 loss
    sample_weight : (n,) weights, not negative, default None

    Examples
    --------
    >>> from assay.theory import empirical_risk
    >>> empirical_risk([0, 1, 1, 0], [0, 1, 0, 0])
    0.25
    >>> empirical_risk([1.0, 2.0], [1.5, 2.0], loss=lambda y, a: (y - a) ** 2)
    0.125
    """
    who = "empirical_risk"
    y, a = np.asarray(truth), np.asarray(answer)
    if y.ndim != 1 or not len(y):
        raise DataError(f"{who}: truth must be a non-empty column of labels, got shape {y.shape}.")
    if a.shape != y.shape:
        raise DataError(f"{who}: answer must have one label per row, {len(y)}, got shape {a.shape}.")
    if loss is not None and not callable(loss):
        raise ParameterError(f"{who}: loss must be a function of truth and answer, got {loss!r}.")
    losses = np.asarray(y != a if loss is None else loss(y, a), dtype=np.float64)
    if losses.shape != y.shape or not np.isfinite(losses).all():
        raise DataError(f"{who}: the loss must give one finite number per row, {len(y)}, got {losses.shape}.")
    return float(np.average(losses, weights=check_weights(sample_weight, len(y), who)))


@dataclass(frozen=True)
class ErmResult:
    """Result of empirical risk minimisation.

    Attributes
    ----------
    index : int
        Which hypothesis of the list; of several with the same least risk the first.
    hypothesis : that hypothesis
    risk : its empirical risk
    risks : (H,) of all of them
    ties : the numbers of all hypotheses with the least risk, the chosen one included
    """

    index: int
    hypothesis: Any
    risk: float
    risks: NDArray[np.float64]
    ties: tuple[int, ...]


def erm(
    hypotheses: Sequence[Any],
    X: TableLike,
    y: ArrayLike,
    *,
    loss: RowLoss | None = None,
    sample_weight: Weights | None = None,
) -> ErmResult:
    r"""Empirical risk minimisation over a list: the hypothesis with the least mean loss on the sample.

    .. math:: \hat h = \arg\min_{h \in H} \hat R(h)

    With probability at least 1 - delta its true risk exceeds that of the best hypothesis of the list by no more
    than ``erm_excess(len(hypotheses), n, delta)``.

    Parameters
    ----------
    hypotheses : list of functions of X, or of fitted classifiers (their ``predict`` is called)
    X : the rows, as the hypotheses take them
    y : (n,) labels
    loss, sample_weight : as for ``empirical_risk``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.theory import erm
    >>> x = np.array([0.1, 0.4, 0.6, 0.9])
    >>> result = erm([lambda x, t=t: x >= t for t in (0.0, 0.5, 1.0)], x, [False, False, True, True])
    >>> result.index, result.risk, result.risks
    (1, 0.0, array([0.5, 0. , 0.5]))

    See Also
    --------
    empirical_risk, erm_excess

    References
    ----------
    - Shalev-Shwartz, S. and Ben-David, S. (2014). Understanding Machine Learning. Cambridge University Press.
    """
    if not len(hypotheses):
        raise ParameterError("erm: the list of hypotheses is empty; give at least one.")
    risks = np.array(
        [empirical_risk(y, _answer(h, X), loss=loss, sample_weight=sample_weight) for h in hypotheses]
    )
    best = risks.min()
    ties = np.flatnonzero(risks <= best + 1e-12 * max(1.0, abs(best)))  # equal but for rounding
    first = int(ties[0])
    return ErmResult(first, hypotheses[first], float(risks[first]), risks, tuple(int(i) for i in ties))


def _answer(hypothesis: Any, X: Any) -> Any:
    predict = hypothesis.predict if hasattr(hypothesis, "predict") else hypothesis
    if not callable(predict):
        raise ParameterError(
            f"erm: a hypothesis must be a function or have predict, got {type(predict).__name__}."
        )
    return predict(X)
