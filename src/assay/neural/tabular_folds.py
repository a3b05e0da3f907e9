"""Of few rows: by folds, how long a tabular network learns, how far its scores are softened, and whether by waves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtrc

from assay.neural.tabular_descent import Block, Descent, Pace, TabularGoal
from assay.neural.tabular_network import TabularNetwork

__all__ = ["Course", "Folds", "curves_left", "softened"]

FOLDS = 4
FEWEST_TO_FOLD = 40  # rows: ten in each fold
ENOUGH_JUDGED = 100  # rows, after which no more folds are learned
ENOUGH_LEFT = 0.2  # of the log loss of a constant answer; where less is left, no curve is looked for
TEMPERATURES = 2.0 ** (np.arange(7) / 2)  # from 1 to 8; scores are never sharpened
FREQUENCIES = np.arange(1, 5) / 4  # turns over one quartile distance, of the waves that are looked for
LEAST_ANSWER = 1e-7  # of which a logarithm is taken
DOUBT = 0.05  # chance to see a curve where none is left, over all columns and outputs


@dataclass(frozen=True)
class Course:
    """What folds chose.

    Attributes
    ----------
    waved : columns that are embedded by waves      cycle : of the rate after which learning ends; -1 is the last
    temperature : what scores are divided by      loss : of the rows that judged
    """

    waved: int
    cycle: int = -1
    temperature: float = 1.0
    loss: float = math.inf


class Folds:
    r"""Networks that each learn without a part of the rows, which judges them at the end of each cycle of the rate.

    Parameters
    ----------
    block, goal, w : rows, what is learned of them, and what each counts (None: 1)
    rows : numbers of those that learn or judge      random : generator of the parts
    draw : gives a new network with so many columns embedded by waves      pace : gives that of n rows
    loss_of : the loss of answers, their goal and their weights
    """

    def __init__(
        self,
        block: Block,
        goal: TabularGoal,
        w: np.ndarray | None,
        rows: np.ndarray,
        random: np.random.Generator,
        draw: Callable[[int], TabularNetwork],
        pace: Callable[[int], Pace],
        loss_of: Callable[[np.ndarray, TabularGoal, np.ndarray | None], float],
    ):
        self.block, self.goal, self.w, self.rows, self.random = block, goal, w, rows, random
        self.draw, self.pace, self.loss_of = draw, pace, loss_of
        self.parts = parts_of(rows, random, goal.codes)
        self.descent: Descent | None = None  # the last one that made all passes, or else the one at work

    def course(self, waved: int, fine: int, after_pass: Callable[[], None]) -> Course:
        """The best course with so many columns embedded by waves; or with ``fine`` of them, if curves are left without,
        and the loss is clearly lower with."""
        if not self.parts:  # a class for each row
            return Course(waved)
        plain, answers = self._course(waved, after_pass)
        judged = np.concatenate(self.parts)
        if (
            not fine
            or not math.isfinite(plain.loss)
            or plain.loss < ENOUGH_LEFT * self._loss_of_constant(judged)
        ):
            return plain
        known = answers  # that the answers are too sure, or not sure enough, is no curve of a column
        if self.goal.output == "softmax":
            known = np.hstack([answers, np.log(np.maximum(answers, LEAST_ANSWER))])
        if not curves_left(
            self.block[0][judged, :fine], self._errors(answers, judged), known, self._weights(judged)
        ):
            return plain
        other, others = self._course(fine, after_pass)
        gain, weights = self._losses(answers, judged) - self._losses(others, judged), self._weights(judged)
        mean = np.average(gain, weights=weights)
        doubt = math.sqrt(np.average((gain - mean) ** 2, weights=weights) / len(gain))
        return other if mean > doubt else plain  # by more than one standard error

    def _loss_of_constant(self, rows: np.ndarray) -> float:
        """That of the classes' shares; 0 for numbers, whose losses have no common bottom."""
        if self.goal.codes is None:
            return 0.0
        shares = np.bincount(self.goal.codes[rows], self._weights(rows), self.goal.width)
        constant = np.broadcast_to(shares / shares.sum(), (len(rows), self.goal.width))
        return self.loss_of(constant, self.goal.take(rows), self._weights(rows))

    def _losses(self, answers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(m,) the losses of answers, row by row."""
        each = range(len(rows))
        return np.array(
            [self.loss_of(answers[i : i + 1], self.goal.take(rows[i : i + 1]), None) for i in each]
        )

    def _course(self, waved: int, after_pass: Callable[[], None]) -> tuple[Course, np.ndarray]:
        """The best cycle and temperature with so many columns embedded, and the answers to the rows that judged."""
        temperatures = TEMPERATURES if self.goal.output == "softmax" else TEMPERATURES[:1]
        losses: Any = 0.0
        answers = []
        for judge in self.parts:
            learn = np.setdiff1d(self.rows, judge)
            each, of_part = self._fold(waved, learn, judge, temperatures, after_pass)
            weights = self._weights(judge)
            losses = losses + each * (len(judge) if weights is None else weights.sum())
            answers.append(of_part)
        total = np.where(np.isnan(losses), math.inf, losses)
        together = np.concatenate(answers, axis=2)
        if not np.isfinite(total).any():  # the learning diverged, and will again
            return Course(waved), together[-1, 0]
        cycle, at = np.unravel_index(int(np.argmin(total)), total.shape)
        counted = self._weights(np.concatenate(self.parts))
        mean = float(total[cycle, at]) / (sum(map(len, self.parts)) if counted is None else counted.sum())
        return Course(waved, int(cycle), float(temperatures[at]), mean), together[cycle, at]

    def _fold(
        self,
        waved: int,
        learn: np.ndarray,
        judge: np.ndarray,
        temperatures: np.ndarray,
        after_pass: Callable[[], None],
    ) -> tuple[np.ndarray, np.ndarray]:
        """(cycles, temperatures) the losses of one part of the rows, and (cycles, temperatures, m, K) the answers."""
        net, pace = self.draw(waved), self.pace(len(learn))
        random = np.random.default_rng(self.random.integers(2**63))
        descent = Descent(net, pace, self.block, self.goal, self.w, learn, random)
        self.descent = self.descent or descent
        others, goal, w = (
            tuple(part[judge] for part in self.block),
            self.goal.take(judge),
            self._weights(judge),
        )
        losses = np.full((len(pace.ends), len(temperatures)), math.inf)
        answers = np.zeros((*losses.shape, len(judge), self.goal.width))
        for number in range(1, pace.epochs + 1):
            loss, rate = descent.advance()
            descent.keep(loss, rate, None)
            after_pass()
            for cycle in [c for c, end in enumerate(pace.ends) if end == number]:
                each = [softened(net, T).answers(others) for T in temperatures]  # type: ignore[arg-type]
                losses[cycle], answers[cycle] = [self.loss_of(some, goal, w) for some in each], each
        self.descent = descent
        return losses, answers

    def _weights(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self.w is None else self.w[rows]

    def _errors(self, answers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(m, K) what the answers miss."""
        if self.goal.numbers is not None:
            return self.goal.numbers[rows] - answers
        return np.eye(self.goal.width)[self.goal.codes[rows]] - answers  # type: ignore[index]


def parts_of(rows: np.ndarray, random: np.random.Generator, codes: np.ndarray | None) -> list[np.ndarray]:
    """Parts of the rows that judge, a quarter of them each, until enough do; classes in proportion, and a class of one
    row in none.

    >>> import numpy as np
    >>> from assay.neural.tabular_folds import parts_of
    >>> [len(part) for part in parts_of(np.arange(400), np.random.default_rng(0), None)]
    [100]
    """
    order = random.permutation(rows)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
    parts = [order[k::FOLDS] for k in range(FOLDS)]
    if codes is not None:
        counts = np.bincount(codes[rows])
        parts = [part[counts[codes[part]] > 1] for part in parts]
    enough = int(np.searchsorted(np.cumsum([len(part) for part in parts]), ENOUGH_JUDGED)) + 1
    return [part for part in parts[:enough] if len(part)]


def softened(net: TabularNetwork, temperature: float) -> TabularNetwork:
    """The same network with its scores divided by a temperature."""
    from dataclasses import replace

    other = replace(net, theta=net.theta.copy())
    parts = other.parts()
    for name in ("V", "c"):
        parts[name][:] /= temperature
    return other


def curves_left(
    values: np.ndarray, errors: np.ndarray, known: np.ndarray, w: np.ndarray | None = None
) -> bool:
    r"""Whether waves of some column explain what answers miss: an F test for each column and output, by Bonferroni.

    .. math:: F = \frac{(S_0 - S_1)/8}{S_1/(n - q - 9)} \quad (1)

    with the squares :math:`S_0` that least squares on the q columns ``known`` leave of the errors, and :math:`S_1`
    those that are left with four cosines and four sines of a column besides.

    Parameters
    ----------
    values : (n, p) scaled numbers, NaN where missing      errors : (n, K)
    known : (n, q) what may explain errors without being news, such as the answers themselves
    w : (n,) weights; None counts each once

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.tabular_folds import curves_left
    >>> random = np.random.default_rng(0)
    >>> x, noise = random.normal(size=(100, 2)), random.normal(size=(100, 1))
    >>> curves_left(x, noise, x), curves_left(x, noise + 2 * np.sin(5 * x[:, :1]), x)
    (False, True)
    """
    n, terms = len(values), 2 * len(FREQUENCIES)
    root = np.ones((n, 1)) if w is None else np.sqrt(w / w.mean())[:, None]
    base, target = root * np.hstack([np.ones((n, 1)), known]), root * errors
    free = n - terms - int(np.linalg.matrix_rank(base))
    if free <= terms:
        return False
    before = _left_over(base, target)
    least = DOUBT / (values.shape[1] * errors.shape[1])
    for x in np.nan_to_num(values, nan=0.0).T.astype(np.float64):
        turns = 2 * np.pi * np.outer(x, FREQUENCIES)
        after = _left_over(np.hstack([base, root * np.cos(turns), root * np.sin(turns)]), target)
        with np.errstate(divide="ignore", invalid="ignore"):
            F = ((before - after) / terms) / (after / free)
        chances = fdtrc(terms, free, np.nan_to_num(np.maximum(F, 0), nan=0.0, posinf=1e300))
        if (chances < least)[before > 1e-20 * n].any():
            return True
    return False


def _left_over(basis: np.ndarray, target: np.ndarray) -> np.ndarray:
    """(K,) the squares that least squares on a basis leave of the columns of a target."""
    left: np.ndarray = ((target - basis @ np.linalg.lstsq(basis, target)[0]) ** 2).sum(axis=0)
    return left
