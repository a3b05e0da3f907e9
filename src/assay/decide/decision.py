"""Decisions: from what is believed to what is done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import random_state_of
from assay.decide.losses import LossMatrix, as_loss
from assay.decide.priors import adjust_priors
from assay.errors import DataError, ParameterError
from assay.tables.row_names import row_name
from assay.types import Bools, Codes, Floats, Label, Losses, RandomState, Scores

__all__ = ["Decision", "check_posterior", "decide", "ties"]

TIE = 1e-12  # risks closer than this, relative to the largest loss, count as equal
TIES = ("first", "random", "reject")


@dataclass(frozen=True)
class Decision:
    """What was decided for n rows, and on what grounds.

    Attributes
    ----------
    actions : tuple of A names
    chosen : (n,) number of the action taken, -1 where the row was rejected
    risks : (n, A) expected loss of each action
    best : (n, A) bool, which actions share the least risk; more than one True in a row is a tie
    posterior : (n, K) what was believed, after a change of priors
    reject : what it costs to reject: None, a number, or (n,) numbers
    reject_label : what a rejected row is called
    may_reject : whether the rule can reject at all
    """

    actions: tuple[Any, ...]
    chosen: np.ndarray
    risks: np.ndarray
    best: np.ndarray
    posterior: np.ndarray
    reject: ArrayLike | str | None = None
    reject_label: Label = "reject"
    may_reject: bool = False

    @property
    def rejected(self) -> np.ndarray:
        """(n,) whether no action was taken."""
        return self.chosen < 0

    @property
    def tied(self) -> np.ndarray:
        """(n,) whether several actions share the least risk."""
        several: Bools = self.best.sum(axis=1) > 1
        return several

    @property
    def ties(self) -> list[tuple[Any, ...]]:
        """For each row the actions that share the least risk; one name if there is no tie."""
        return [tuple(self.actions[i] for i in np.flatnonzero(row)) for row in self.best]

    @property
    def labels(self) -> np.ndarray:
        """(n,) names of the actions taken.

        The type does not depend on the rows: that of the actions if no row can be rejected or if
        ``reject_label`` is of their kind (text beside text, a number beside numbers), else object.
        """
        names = [*self.actions, self.reject_label] if self.may_reject else list(self.actions)
        taken: np.ndarray = name_array(names)[self.chosen]  # -1 is the last name
        return taken

    @property
    def risk(self) -> np.ndarray:
        """(n,) the expected loss of what was decided; a rejected row costs ``reject``.

        Rows rejected for a tie, without a cost of rejecting, count with the least risk of the tied actions.
        """
        taken = np.take_along_axis(self.risks, np.maximum(self.chosen, 0)[:, None], axis=1)[:, 0]
        cost = self.risks.min(axis=1) if self.reject is None else np.broadcast_to(self.reject, taken.shape)
        return np.where(self.rejected, cost, taken)

    def __len__(self) -> int:
        return len(self.chosen)


def decide(
    posterior: Scores,
    loss: Losses | LossMatrix | str | None = None,
    reject: ArrayLike | str | None = None,
    priors: Any = None,
    trained_priors: Any = None,
    *,
    classes: Iterable[Any] | None = None,
    actions: Iterable[Any] | None = None,
    tie: str = "first",
    reject_label: Label = "reject",
    random_state: RandomState = None,
) -> Decision:
    r"""Take the action of least expected loss, or none.

    With posterior :math:`P(C_k|x)` and :math:`\lambda_{ik}` the loss of action i when the truth is class k,

    .. math:: R(\alpha_i|x) = \sum_k \lambda_{ik} P(C_k|x), \qquad
              \alpha^* = \arg\min_i R(\alpha_i|x)                                             \quad (1)

    Under the 0/1 loss this is the most probable class. With a cost of rejecting :math:`\lambda`, the action
    is taken only if it is strictly better,

    .. math:: R(\alpha^*|x) < \lambda,                                                        \quad (2)

    so a row whose least risk equals the cost is rejected: under the 0/1 loss, cost 0 rejects all rows and
    cost 1 none. Risks that differ by less than 1e-12 of the largest loss count as equal, so that rounding
    decides neither ties nor (2). Cost: O(n A K).

    Parameters
    ----------
    posterior : (n, K) probabilities; each row sums to 1
    loss : None, dict {(predicted, true): cost}, (A, K) or (n, A, K) array
        See :func:`as_loss`. None is the 0/1 loss.
    reject : cost of rejecting, a number from 0 up or one per row, default None (never reject)
    priors : (K,) class priors where the rule is used, if they differ from those of training
    trained_priors : (K,) class priors behind the posterior; needed with ``priors``
    classes, actions : names; default 0 to K - 1, and the classes
    tie : "first", "random" or "reject"
        Among equal risks: the first action, a random one, or none of them.
    reject_label : what a rejected row is called
    random_state : seed for ``tie="random"``

    Returns
    -------
    Decision

    Examples
    --------
    Wrongly saying 0 costs 10, wrongly saying 1 costs 5, so 0 needs a probability above 2/3; when asking costs
    1, it needs more than 9/10, and 1 needs more than 4/5:

    >>> from assay.decide import decide
    >>> posterior = [[0.6, 0.4], [0.7, 0.3], [0.95, 0.05], [0.1, 0.9]]
    >>> decide(posterior, [[0, 10], [5, 0]]).labels
    array([1, 0, 0, 1])
    >>> careful = decide(posterior, [[0, 10], [5, 0]], reject=1)
    >>> careful.labels
    array(['reject', 'reject', 0, 1], dtype=object)
    >>> careful.risks
    array([[4.  , 3.  ],
           [3.  , 3.5 ],
           [0.5 , 4.75],
           [9.  , 0.5 ]])

    Ties go to the first class, and can be asked for:

    >>> even = decide([[0.5, 0.5], [0.9, 0.1]], classes=["a", "b"])
    >>> even.labels, even.ties
    (array(['a', 'a'], dtype='<U1'), [('a', 'b'), ('a',)])

    See Also
    --------
    DecisionRule : the same around a classifier

    References
    ----------
    - Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on Information Theory
      16(1), 41-46. doi:10.1109/TIT.1970.1054406
    - Elkan, C. (2001). The foundations of cost-sensitive learning. International Joint Conference on Artificial
      Intelligence, 973-978.
    """
    P = check_posterior(posterior, "decide")
    n, K = P.shape
    names = tuple(range(K)) if classes is None else tuple(classes)
    if len(names) != K:
        raise ParameterError(f"decide: {K} columns of probabilities, but {len(names)} classes.")
    if tie not in TIES:
        raise ParameterError(f"decide: tie must be one of {', '.join(map(repr, TIES))}, got {tie!r}.")
    if priors is not None:
        P = adjust_priors(P, priors, trained_priors)
    elif trained_priors is not None:
        raise ParameterError(
            "decide: trained_priors say where the posterior comes from; give priors as well."
        )
    table = as_loss(loss, names, actions, "decide")
    if loss is None and actions is not None:
        raise ParameterError("decide: actions name the rows of a loss array; there is no loss.")
    risks = _risks(P, table, plain=loss is None)
    slack = TIE * _scale(table)
    least = risks.min(axis=1)
    best = risks <= (least + slack)[:, None]
    chosen = best.argmax(axis=1) if tie != "random" else _draw(best, random_state)
    cost = _check_reject(reject, n)
    if cost is not None:
        chosen[~(least < cost - slack)] = -1  # (2)
    if tie == "reject":
        chosen[best.sum(axis=1) > 1] = -1
    return Decision(
        table.actions, chosen, risks, best, P, cost, reject_label, cost is not None or tie == "reject"
    )


def ties(posterior: Scores, classes: Iterable[Any] | None = None) -> list[tuple[Any, ...]]:
    """For each row the classes that share the largest posterior, or joint probability: any scores above 0.

    >>> from assay.decide import ties
    >>> ties([[0.3, 0.3, 0.1], [0.2, 0.5, 0.3]], classes=["Fuji", "Guoguang", "Gala"])
    [('Fuji', 'Guoguang'), ('Guoguang',)]
    """
    P = np.asarray(posterior, dtype=np.float64)
    if P.ndim != 2 or not P.size or np.isnan(P).any() or (P < 0).any():
        raise DataError(f"ties: expected (n, K) probabilities, none negative, got shape {P.shape}.")
    names = tuple(range(P.shape[1])) if classes is None else tuple(classes)
    if len(names) != P.shape[1]:
        raise ParameterError(f"ties: {P.shape[1]} columns, but {len(names)} classes.")
    best = P.max(axis=1, keepdims=True) * (1 - TIE) <= P
    return [tuple(names[k] for k in np.flatnonzero(row)) for row in best]


def check_posterior(posterior: Scores, who: str) -> np.ndarray:
    """(n, K) float64 probabilities; anything else is a DataError that names the row."""
    try:
        P = np.asarray(posterior, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{who}: the posterior must be an array of numbers, got {type(posterior).__name__}."
        ) from None
    if P.ndim != 2 or P.shape[1] == 0:
        raise DataError(
            f"{who}: the posterior must have one row per case and one column per class, got shape {P.shape}."
        )
    if P.size and not P.min() >= 0:  # NaN is not either
        i, k = np.argwhere(~(P >= 0))[0]
        what = "is NaN" if np.isnan(P[i, k]) else f"is {P[i, k]:g}; probabilities are not negative"
        raise DataError(f"{who}: the posterior of {row_name(i)}, class {k} {what}.")
    total = P @ np.ones(P.shape[1])
    room = 1e-3 if getattr(posterior, "dtype", None) in (np.float32, np.float16) else 1e-6
    off = np.abs(total - 1) > room
    if off.any():
        i = int(np.argmax(off))
        raise DataError(
            f"{who}: the posterior of {row_name(i)} sums to {total[i]:g}, expected 1. Divide each row by its sum, "
            "or calibrate the scores first."
        )
    return P


def name_array(names: Iterable[Any]) -> np.ndarray:
    """Names as an array: text or numbers if all are of that kind, else objects."""
    names = [v.item() if isinstance(v, np.generic) else v for v in names]
    kinds = {type(v) for v in names}
    if kinds == {str} or kinds == {bool} or kinds <= {int, float}:
        return np.array(names)
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects


def _risks(P: Floats, table: LossMatrix, plain: bool) -> Floats:
    if plain:
        return np.maximum(1.0 - P, 0.0)
    if table.per_row and len(table.costs) != len(P):
        raise ParameterError(
            f"decide: the loss has costs for {len(table.costs)} rows, the posterior has {len(P)}."
        )
    risks: Floats = np.einsum("nak,nk->na", table.costs, P) if table.per_row else P @ table.costs.T  # (1)
    return risks


def _scale(table: LossMatrix) -> Any:
    size = np.abs(table.costs).max(axis=(-2, -1))
    return np.maximum(size, np.finfo(np.float64).tiny)


def _check_reject(reject: Any, n: int) -> Any:
    if reject is None:
        return None
    try:
        cost = np.asarray(reject, dtype=np.float64)
    except (TypeError, ValueError):
        cost = np.array(np.nan)
    if cost.shape not in ((), (n,)) or np.isnan(cost).any() or (cost < 0).any():
        raise ParameterError(
            f"decide: reject is what it costs to reject a row, a number from 0 up (or one per row, {n}), "
            f"got {reject!r}."
        )
    return float(cost) if cost.ndim == 0 else cost


def _draw(best: np.ndarray, random_state: Any) -> np.ndarray:
    """One of the True entries of each row, all equally likely."""
    if isinstance(random_state, np.random.Generator):
        u = random_state.random(len(best))
    else:
        u = random_state_of(random_state).random_sample(len(best))
    rank = np.cumsum(best, axis=1)
    drawn: Codes = (rank > np.floor(u * rank[:, -1])[:, None]).argmax(axis=1)
    return drawn
