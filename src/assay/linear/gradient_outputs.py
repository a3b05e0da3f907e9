"""Linear scores, put through sigmoids or a softmax, and moved towards targets of 0 and 1 by gradient descent."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

import assay.linear._logistic_discriminant as _kernel
from assay.core.learner import Classifier
from assay.core.parameters import Any_, Array, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.scores import softmax
from assay.core.seeds import random_state_of
from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.linear_classifier import LinearClassifier
from assay.optimize.gradient_descent import Backtracking, Bisection, gradient_descent
from assay.optimize.objective import Record

__all__ = ["GradientOutputs", "Outputs", "Snapshot"]

SEARCHES = {"search": Bisection(), "backtracking": Backtracking()}


@dataclass(frozen=True)
class Snapshot:
    """One iteration as ``history_`` keeps it.

    Attributes
    ----------
    iteration : from 0, the start
    value : E, the error that is descended on, over all rows
    errors : how many rows (or outputs, if classes do not exclude each other) are on the wrong side, or what they weigh
    weights : (outputs, D + 1) the constant first, if this iteration was asked for
    """

    iteration: int
    value: float
    errors: float
    weights: np.ndarray | None = None


class Outputs:
    r"""The error of C outputs as a function of their weights, an objective for ``gradient_descent``.

    .. math:: E = -\sum_i\sum_kr_{ik}\ln y_{ik},\qquad
              E = -\sum_i\sum_k r_{ik}\ln y_{ik} + (1-r_{ik})\ln(1-y_{ik}),\qquad
              E = \tfrac12\sum_i\sum_k(r_{ik} - y_{ik})^2                                             \quad (1)

    of softmax outputs, of independent sigmoids, and their squared error; the gradients by the scores are
    :math:`y - r`, :math:`y - r` and :math:`(y - r)\,y\,(1 - y)`.

    Parameters
    ----------
    X : (n, D) array or CSR      R : (n, C) targets      w : None or (n,) weights
    softmax, squared, bias : bool      exclusive : bool, whether just one class is right

    Attributes
    ----------
    errors, steepest : of the weights seen last: how many rows are wrong (or what they weigh), and the largest entry
        of the gradient, each divided by the root mean square of its column, so that units do not matter
    """

    def __init__(
        self,
        X: Any,
        R: np.ndarray,
        w: np.ndarray | None,
        *,
        softmax: bool,
        squared: bool,
        bias: bool,
        exclusive: bool,
    ):
        self.X, self.R, self.w = X, np.ascontiguousarray(R, dtype=np.float64), w
        self.softmax, self.squared, self.bias, self.exclusive = softmax, squared, bias, exclusive
        self.errors, self.steepest = 0.0, np.inf  # of the weights seen last
        self.size = np.append(1.0, _sizes(X, w))
        if isinstance(X, np.ndarray):
            self._parts: tuple[Any, ...] = (np.ascontiguousarray(X, dtype=np.float64),)
            self._epoch: Any = _kernel.dense
        else:
            X = X.tocsr()
            if len(X.indices) and not 0 <= X.indices.min() <= X.indices.max() < X.shape[1]:
                raise DataError(f"The sparse matrix has entries outside of its {X.shape[1]} columns.")
            pointers = X.indptr.astype(X.indices.dtype, copy=False)
            self._parts = (X.data.astype(np.float64, copy=False), X.indices, pointers)
            self._epoch = _kernel.sparse

    @property
    def shape(self) -> tuple[int, int]:
        """Outputs, and weights of each."""
        return self.R.shape[1], self.X.shape[1] + 1

    def value_gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """E of (1), and its gradient as a vector of all weights, output after output, the constant first."""
        W = w.reshape(self.shape)
        scores = np.asarray(self.X @ W[:, 1:].T) + W[:, 0]
        self.errors = self._wrong(scores)
        each, pull = self._each(scores)
        if self.w is not None:
            each, pull = each * self.w[:, None], pull * self.w[:, None]
        G = np.empty(self.shape)
        G[:, 1:] = (self.X.T @ pull).T
        G[:, 0] = pull.sum(axis=0) if self.bias else 0.0
        self.steepest = float((np.abs(G) / self.size).max())
        return float(each.sum()), G.ravel()

    def _each(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, C) the terms of E, and their derivatives by the scores."""
        R = self.R
        if self.softmax:
            top = scores - scores.max(axis=1, keepdims=True)
            logs = top - np.log(np.exp(top).sum(axis=1, keepdims=True))
            return -R * logs, softmax(scores) - R
        y = expit(scores)
        if self.squared:
            return (R - y) ** 2 / 2, (y - R) * y * (1 - y)
        return np.logaddexp(0.0, np.where(R > 0, -scores, scores)), y - R

    def _wrong(self, scores: np.ndarray) -> float:
        """How many rows (outputs) are on the wrong side, or what they weigh."""
        if self.exclusive and scores.shape[1] > 1:
            wrong = scores.argmax(axis=1) != self.R.argmax(axis=1)
        else:
            wrong = ((scores > 0) != (self.R > 0)).sum(axis=1)
        return int(wrong.sum()) if self.w is None else float(wrong @ self.w)

    def epoch(self, W: np.ndarray, order: np.ndarray, size: int, rates: np.ndarray) -> None:
        """Pass over the rows in batches, moving W after each."""
        weight = np.empty(0) if self.w is None else self.w
        scratch = np.empty((size, len(W)))
        flags = (self.softmax, self.squared, self.bias)
        self._epoch(*self._parts, self.R, weight, order, size, rates, *flags, W, scratch)


def _whole_numbers(v: Any) -> bool:
    listed = isinstance(v, (list, tuple, set, frozenset, range, np.ndarray))
    return listed and all(isinstance(i, (int, np.integer)) for i in v)


def _sizes(X: Any, w: np.ndarray | None) -> np.ndarray:
    """(D,) the root mean square of each column; 1 for a column of zeros."""
    w = np.ones(X.shape[0]) if w is None else w
    with np.errstate(over="ignore"):
        squares = X * X if isinstance(X, np.ndarray) else X.multiply(X)
        root = np.sqrt(np.asarray(squares.T @ w) / w.sum())
    return np.where((root > 0) & np.isfinite(root), root, 1.0)


class GradientOutputs(LinearClassifier, Classifier):
    """Base of LogisticDiscriminant and IndependentSigmoids: how they descend. Not for direct use."""

    accepts = {
        "rate": Choice(*SEARCHES) | Range(0, open="low") | Array(1, low=0),
        "error": Choice("cross_entropy", "squared_error"),
        "batch_size": Count() | None,
        "schedule": Choice("constant", "inverse"),
        "max_iter": Count(),
        "start": Choice("zero", "random") | Any_("an array of weights", lambda v: np.ndim(v) in (1, 2)),
        "stop": Choice("gradient", "errors"),
        "tol": Range(0),
        "patience": Count(),
        "snapshots": Any_("numbers of iterations", lambda v: _whole_numbers(v)),
        "fit_intercept": Flag(),
        "random_state": Seed(),
    }

    rate: Any
    error: str
    batch_size: int | None
    schedule: str
    max_iter: int
    start: Any
    stop: str
    tol: float
    patience: int
    snapshots: Any
    fit_intercept: bool
    random_state: Any

    def _descend(self, outputs: Outputs) -> None:
        """Learn ``coef_`` and ``intercept_``; tell the history."""
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
            self._say_unfinished()
        self.coef_, self.intercept_ = W[:, 1:].copy(), W[:, 0].copy()

    def _whole(self, outputs: Outputs, W: np.ndarray, diary: _Diary, rng: Any) -> tuple[np.ndarray, str]:
        """All rows a step: the general optimiser does it."""
        if isinstance(self.rate, str):
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

        found = gradient_descent(outputs, W.ravel(), rate, tol=0.0, max_iter=self.max_iter, watch=watch)
        return found.w.reshape(W.shape), found.reason

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

    def _say_unfinished(self) -> None:
        last = self.history_[-1]
        said = f"{type(self).__name__} stopped after {last.iteration} iterations at E = {last.value:.6g}"
        if last.errors == 0:
            said += (
                ", no row being wrong: the classes are separable, and the weights would grow for ever. Use "
                "stop='errors', or a penalty as in LogisticRegression(C=1)."
            )
        else:
            said += (
                f" with {last.errors:g} errors, before the gradient was small. Raise max_iter, bring the columns to "
                "one scale, or use LogisticRegression, which takes Newton steps."
            )
        warnings.warn(said, ConvergenceWarning, stacklevel=6)


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
