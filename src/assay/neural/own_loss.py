"""Losses of your own for a multilayer perceptron: a function that gives losses and slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.neural.dense_net import Data, DenseNet

__all__ = ["OwnLoss"]


class OwnLoss:
    r"""A loss of scores o and targets y of some rows, :math:`(\ell_i)` and :math:`(\partial\ell_i/\partial o_{ik})`.

    The scores of a batch come from native code, the slopes from the function, and native code brings them back to the
    weights; units that a step leaves out are the same on both ways.

    Parameters
    ----------
    function : of scores (m, K) and targets (m, K); gives losses (m,) and slopes (m, K)
    truth : (n, K) targets of all rows      w : (n,) weights of the rows, or None      who : for the messages

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.own_loss import OwnLoss
    >>> truth = np.array([[1.0], [2.0]])
    >>> squares = OwnLoss(lambda o, y: (((o - y) ** 2 / 2).sum(axis=1), o - y), truth, None, "example")
    >>> squares.mean(np.arange(2), np.array([[3.0], [2.0]]))
    1.0
    >>> squares.slopes
    array([[2.],
           [0.]])
    """

    def __init__(
        self,
        function: Callable[[np.ndarray, np.ndarray], Any],
        truth: np.ndarray,
        w: np.ndarray | None,
        who: str,
    ):
        self.function, self.truth, self.w, self.who = function, truth, w, who
        self.slopes = np.zeros_like(truth, order="C")

    def mean(self, rows: np.ndarray, scores: np.ndarray) -> float:
        """The mean loss of rows with those scores; their slopes are kept."""
        answer = self.function(scores, self.truth[rows])
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise DataError(
                f"{self.who}: the function loss must give two arrays, losses of the rows and slopes of their scores, "
                f"got {type(answer).__name__}."
            )
        losses, slopes = (np.asarray(part, dtype=np.float64) for part in answer)
        if losses.shape != rows.shape or slopes.shape != scores.shape:
            raise DataError(
                f"{self.who}: the function loss gave losses and slopes of the shapes {losses.shape} and "
                f"{slopes.shape}, expected {rows.shape} and {scores.shape}."
            )
        if np.isfinite(scores).all() and not (np.isfinite(losses).all() and np.isfinite(slopes).all()):
            bad = "slope" if np.isfinite(losses).all() else "loss"
            raise DataError(
                f"{self.who}: the function loss gave a {bad} that is no finite number, for finite answers from "
                f"{scores.min():.6g} to {scores.max():.6g}. Guard its logarithms and divisions."
            )
        self.slopes[rows] = slopes
        w = None if self.w is None else self.w[rows]
        return float(losses.mean()) if w is None else float(w @ losses / w.sum()) if w.any() else 0.0

    def epoch(
        self,
        net: DenseNet,
        data: Data,
        rule: Any,
        order: np.ndarray,
        batch_size: int,
        rates: np.ndarray,
        moment: np.ndarray,
        square: np.ndarray,
        t: int,
        seed: int = 0,
    ) -> float:
        """As :meth:`DenseNet.epoch`, whose targets are the slopes."""
        total = 0.0
        for k, at in enumerate(range(0, len(order), batch_size)):
            rows = order[at : at + batch_size]
            loss = self.mean(rows, net.scores(data, rows, net.theta, t + k, seed))
            loss += net.epoch(data, rule, rows, batch_size, rates[k : k + 1], moment, square, t + k, seed)
            total += len(rows) * loss
        return total / len(order)

    def value_gradient(
        self, net: DenseNet, data: Data, alpha: float, theta: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """As :meth:`DenseNet.value_gradient`, whose targets are the slopes."""
        every = np.arange(data.n)
        loss = self.mean(every, net.scores(data, every, theta))
        penalty, grad = net.value_gradient(data, alpha, theta)
        return loss + penalty, grad
