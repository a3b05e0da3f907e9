"""Gradient descent of logistic outputs: rates, batches, stopping, history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core.learner import Classifier
from assay.core.parameters import Any_, Array, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer, Object
from assay.errors import DegenerateError, ParameterError, warn_user
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.logistic.logistic_outputs import Outputs
from assay.optimize.gradient_descent import Backtracking, Bisection, gradient_descent
from assay.optimize.objective import Record
from assay.types import RandomState

__all__ = ["GradientOutputs", "Snapshot"]

UNFINISHED = {
    "iterations": "before the gradient was small. Raise max_iter, bring the columns to one scale, or use "
    "LogisticRegression, which takes Newton steps.",
    "stuck": "where no step along the gradient lowers E any more, although the gradient is not small. Bring the "
    "columns to one scale, raise tol, or use LogisticRegression, which takes Newton steps.",
    "diverged": "before a step that overflowed. Lower rate, or bring the columns to one scale.",
}

SEARCHES = {"search": Bisection(), "backtracking": Backtracking()}


@dataclass(frozen=True)
class Snapshot:
    """One iteration as ``history_`` keeps it.

    Attributes
    ----------
    iteration : from 0, the start
    value : E, the error that is descended on, over all rows
    errors : how many rows (or outputs, if classes do not exclude each other) are on the wrong side, or what they weigh
    weights : (outputs, D + 1) the constant first, if this iteration is kept
    """

    iteration: int
    value: float
    errors: float
    weights: np.ndarray | None = None
    stored = {
        "iteration": Integer(),
        "weights": FloatArray("*", "*") | None,
    }


class GradientOutputs(LinearClassifier, Classifier):
    """Base of LogisticDiscriminant and IndependentSigmoids: how they descend. Not for direct use."""

    accepts = {
        "rate": Choice(*SEARCHES) | Range(0, open="low") | Array(1, low=0, open="low"),
        "error": Choice("cross_entropy", "squared_error"),
        "batch_size": Count() | None,
        "schedule": Choice("constant", "inverse"),
        "max_iter": Count(),
        "start": Choice("zero", "random") | Array(1) | Array(2),
        "stop": Choice("gradient", "errors"),
        "tol": Range(0),
        "patience": Count(),
        "snapshots": Any_("numbers of iterations", lambda v: _whole_numbers(v)),
        "fit_intercept": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "coef_": FloatArray("K | 1", "p") | FloatArray("*", "p"),
        "intercept_": FloatArray("*"),
        "history_": Each(Object(Snapshot)),
    }

    def __init__(
        self,
        rate: Any = "search",
        *,
        error: str = "cross_entropy",
        batch_size: int | None = None,
        schedule: str = "constant",
        max_iter: int = 1000,
        start: ArrayLike | None = "zero",
        stop: str = "gradient",
        tol: float = 1e-4,
        patience: int = 100,
        snapshots: ArrayLike | None = (),
        fit_intercept: bool = True,
        random_state: RandomState = None,
    ):
        self.rate = rate
        self.error = error
        self.batch_size = batch_size
        self.schedule = schedule
        self.max_iter = max_iter
        self.start = start
        self.stop = stop
        self.tol = tol
        self.patience = patience
        self.snapshots = snapshots
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _descend(self, outputs: Outputs) -> None:
        """Learn ``coef_`` and ``intercept_``; returns the history."""
        rng, diary = random_state_of(self.random_state), _Diary(self.snapshots, self.stop, self.patience)
        W = self._start(outputs.shape, rng)
        way = self._whole if self.batch_size is None else self._batches
        W, reason = way(outputs, W, diary, rng)
        if not np.isfinite(W).all():
            raise DegenerateError(
                f"{type(self).__name__}: the weights overflowed. Scale the columns first, or lower rate."
            )
        self.history_ = diary.history
        self.n_iter_ = self.history_[-1].iteration
        if reason not in ("gradient", "watch"):
            self._warn_unfinished(reason)
        self.coef_, self.intercept_ = W[:, 1:].copy(), W[:, 0].copy()

    def _whole(self, outputs: Outputs, W: np.ndarray, diary: _Diary, rng: Any) -> tuple[np.ndarray, str]:
        """All rows a step: the general optimiser does it."""
        if isinstance(self.rate, str):
            if self.schedule != "constant":
                raise ParameterError(
                    f"{type(self).__name__}: schedule={self.schedule!r} needs a number as rate, not a search."
                )
            rate: Any = SEARCHES[self.rate]
        else:
            rate = fixed = np.repeat(self._rates(len(W)), W.shape[1])
            if self.schedule == "inverse":

                def rate(t: int) -> np.ndarray:
                    return fixed / t

        def watch(record: Record) -> bool:
            weights = np.asarray(record.weights).reshape(W.shape)
            tired = diary.note(record.iteration, record.value, outputs.errors, weights)
            return tired or outputs.steepest <= self.tol

        optimum = gradient_descent(outputs, W.ravel(), rate, tol=0.0, max_iter=self.max_iter, watch=watch)
        return optimum.w.reshape(W.shape), optimum.reason

    def _batches(self, outputs: Outputs, W: np.ndarray, diary: _Diary, rng: Any) -> tuple[np.ndarray, str]:
        """Some rows a step, in a fresh random order each epoch."""
        if isinstance(self.rate, str):
            raise ParameterError(
                f"{type(self).__name__}: rate must be a number with batch_size={self.batch_size}; a line search needs "
                "all rows."
            )
        rates = self._rates(len(W))
        rows = np.arange(outputs.X.shape[0]) if outputs.w is None else np.flatnonzero(outputs.w)
        size = min(int(self.batch_size or 1), len(rows))
        with progress(self.max_iter, "epochs") as bar:
            for epoch in range(self.max_iter + 1):
                with np.errstate(over="ignore", invalid="ignore"):
                    value, _ = outputs.value_gradient(W.ravel())
                if not np.isfinite(value):
                    return np.full_like(W, np.nan), "diverged"
                if diary.note(epoch, value, outputs.errors, W):
                    return W, "watch"
                if outputs.steepest <= self.tol:
                    return W, "gradient"
                if epoch < self.max_iter:
                    falling = rates / (epoch + 1) if self.schedule == "inverse" else rates
                    outputs.epoch(W, rng.permutation(rows), size, falling)
                    bar.advance()
        return W, "iterations"

    def _rates(self, C: int) -> np.ndarray:
        """(C,) a rate for each output."""
        rates = np.asarray(self.rate, dtype=np.float64)
        if rates.ndim and len(rates) != C:
            raise ParameterError(
                f"{type(self).__name__}: rate must be one number or {C}, one for each output, got {len(rates)}."
            )
        return np.ascontiguousarray(np.broadcast_to(rates, C))

    def _start(self, shape: tuple[int, int], rng: Any) -> np.ndarray:
        if isinstance(self.start, str):
            W = np.zeros(shape) if self.start == "zero" else rng.uniform(-0.01, 0.01, shape)
        else:
            W = np.atleast_2d(np.array(self.start, dtype=np.float64))
            if W.shape != shape:
                raise ParameterError(
                    f"{type(self).__name__}: start must be {shape[0]} x {shape[1]} weights, the constants first, got "
                    f"{' x '.join(map(str, W.shape))}."
                )
        if not self.fit_intercept:
            W[:, 0] = 0.0
        return W

    def _warn_unfinished(self, reason: str) -> None:
        last = self.history_[-1]
        message = f"{type(self).__name__} stopped after {last.iteration} iterations at E = {last.value:.6g}"
        if last.errors == 0:
            message += (
                ", no row being wrong: the classes are separable, and the weights would grow for ever. Use "
                "stop='errors', or a penalty as in LogisticRegression(C=1)."
            )
        else:
            message += f" with {last.errors:g} error{'' if last.errors == 1 else 's'}, {UNFINISHED[reason]}"
        warn_user(message, ConvergenceWarning)


class _Diary:
    """Keeps the history, and sees when the number of errors has stopped falling."""

    def __init__(self, snapshots: Any, stop: str, patience: int):
        self.snapshots, self.stop, self.patience = frozenset(snapshots), stop, patience
        self.history: list[Snapshot] = []
        self.best, self.since = np.inf, 0

    def note(self, iteration: int, value: float, errors: float, W: np.ndarray) -> bool:
        """Add an iteration; whether to stop."""
        kept = W.copy() if iteration in self.snapshots else None
        self.history.append(Snapshot(iteration, float(value), errors, kept))
        self.since = 0 if errors < self.best else self.since + 1
        self.best = min(self.best, errors)
        return self.stop == "errors" and (errors == 0 or self.since >= self.patience)


def _whole_numbers(v: Any) -> bool:
    listed = isinstance(v, (list, tuple, set, frozenset, range, np.ndarray))
    return listed and all(isinstance(i, (int, np.integer)) for i in v)
