r"""Stochastic gradient descent on a linear score: what ``SGDClassifier`` and ``SGDRegressor`` share.

.. math:: E(w, b) = \frac1n\sum_i v_i\,\ell(y_i, w^Tx_i + b)
          + \alpha\left(\tfrac{1-\rho}2\lVert w\rVert^2 + \rho\lVert w\rVert_1\right) \qquad (1)

A step looks at one batch of rows only, with the mean of their gradients, and a rate :math:`\eta_t` that mostly falls:

.. math:: w \leftarrow (1 - \eta_t(1-\rho)\alpha)\,w
          - \eta_t\,\frac1m\sum_{i\in\text{batch}} v_i\,\ell'(y_i, w^Tx_i+b)\,x_i \qquad (2)

and then moves every weight that the rows touched towards 0 by the absolute penalty that it still owes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

import assay.linear.gradient._sgd as _sgd
from assay.core.csr import csr_arrays
from assay.core.parameters import Accepted, Choice, Count, Flag, Range, Seed
from assay.core.progress import Progress
from assay.core.stored import Each, FloatArray, Integer, Object, Plain, Scalar
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.types import TableLike

__all__ = ["LOSSES", "RATES", "Aside", "Epoch", "StochasticDescent", "Visits", "Weights", "set_aside"]

# the numbers of the native code
LOSSES = {
    "hinge": 0,
    "perceptron": 1,
    "squared_hinge": 2,
    "log_loss": 3,
    "modified_huber": 4,
    "squared_error": 5,
    "huber": 6,
    "epsilon_insensitive": 7,
    "squared_epsilon_insensitive": 8,
}
RATES = {"constant": 0, "adaptive": 0, "optimal": 1, "invscaling": 2, "pa1": 3, "pa2": 4}
RARE_COLUMNS = (
    0.01  # over sparse rows the constant moves this much slower: every row has it, but not every column
)
_NONE = np.empty(0)
_NO_ROWS = np.empty(0, dtype=np.uint8)


@dataclass(frozen=True)
class Epoch:
    """One pass over the rows, as ``history_`` keeps it.

    Attributes
    ----------
    number : of the pass, from 1
    loss : mean loss of the rows, each as the pass came to it, without the penalty and without row weights
    rate : the base of the learning rate (falls only if it is "adaptive")
    score : of the rows set aside by ``early_stopping``, else None
    label : the positive class of this one-vs-rest problem; None with two classes
    """

    number: int
    loss: float
    rate: float
    score: float | None = None
    label: Any = None
    stored = {
        "number": Integer(),
        "label": Plain(),
    }


class Visits:
    """Some rows, and a pass over them; entries of a sparse row that name one column twice are added up before."""

    def __init__(self, X: TableLike):
        self.sparse = not isinstance(X, np.ndarray)
        self.epoch: Callable[..., tuple[float, float, int]] = (
            partial(_sgd.epoch_sparse, **dict(zip(("start", "column", "value"), _entries(X))))
            if self.sparse
            else partial(_sgd.epoch, X=np.ascontiguousarray(X))
        )


def _entries(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    arrays = csr_arrays(X)  # sound, or refused
    if X.has_canonical_format:
        return arrays
    X = X.copy()
    X.sum_duplicates()  # the length of a row is not that of its parts
    return csr_arrays(X)


@dataclass
class Aside:
    """Rows that are not learned from, and how well a score does on them.

    Attributes
    ----------
    skip : (n,) 1 for these rows      score : of some Weights
    """

    skip: np.ndarray
    score: Callable[[Weights], float]


@dataclass
class Weights:
    """One score on its way: its weights, and their mean over the steps if averaging is on."""

    coef: np.ndarray
    intercept: float = 0.0
    mean: np.ndarray | None = None
    mean_intercept: float = 0.0


class StochasticDescent(PassLearner):
    """Mixin of learners by stochastic gradient descent; stands before the linear mixin.

    From blocks the steps are those of ``partial_fit``, block after block in their order, in as many passes as ``tol``
    asks for: a sequence, not a sum, so what is learned depends on how the rows are cut. On Dask the weights travel from
    partition to partition; more workers make it no faster.
    """

    kept_in_single: ClassVar[tuple[str, ...]] = ("coef_",)
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "penalty": Choice("l2", "l1", "elasticnet") | None,
        "alpha": Range(0),
        "l1_ratio": Range(0, 1) | None,
        "fit_intercept": Flag(),
        "max_iter": Count(),
        "tol": Range(0) | None,
        "shuffle": Flag(),
        "verbose": Count(0) | Flag(),
        "epsilon": Range(0),
        "random_state": Seed(),
        "learning_rate": Choice("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"),
        "eta0": Range(0, open="low"),
        "power_t": Range(0),
        "early_stopping": Flag(),
        "validation_fraction": Range(0, 1, open="both"),
        "n_iter_no_change": Count(),
        "warm_start": Flag(),
        "average": Flag() | Count(),
        "batch_size": Count(),
    }
    stored = {
        "average_coef_": FloatArray("*", "p") | FloatArray("p"),
        "average_intercept_": FloatArray("*"),
        "standard_coef_": FloatArray("*", "p") | FloatArray("p"),
        "standard_intercept_": FloatArray("*"),
        "t_": Scalar(),
        "history_": Each(Object(Epoch)),
    }
    _passive_aggressive: ClassVar[str]  # the loss that goes with the rates pa1 and pa2

    loss: str
    penalty: str | None
    alpha: float
    l1_ratio: float | None
    fit_intercept: bool
    max_iter: int
    tol: float | None
    shuffle: bool
    epsilon: float
    random_state: Any
    learning_rate: str
    eta0: float
    power_t: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    warm_start: bool
    average: bool | int
    batch_size: int
    coef_: np.ndarray
    intercept_: np.ndarray
    t_: float
    n_iter_: int
    history_: list[Epoch]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        who = type(self).__name__
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise ParameterError(
                f"{who}: alpha must be > 0 since learning_rate is 'optimal', which is computed from it. Raise alpha, "
                "or use penalty=None with learning_rate='invscaling'."
            )
        if self.learning_rate in ("pa1", "pa2") and self.loss != self._passive_aggressive:
            raise ParameterError(
                f"{who}: learning_rate {self.learning_rate!r} only works with loss {self._passive_aggressive!r}, "
                f"got {self.loss!r}."
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(f"{who}: l1_ratio must be set when penalty is 'elasticnet', got None.")

    def _check_partial(self) -> None:
        self._check_parameters()
        if self.early_stopping:
            raise ParameterError(
                f"{type(self).__name__}: early_stopping should be False with partial_fit, which makes one pass only, "
                "and with blocks, of which no rows are set aside."
            )

    def _rule(self, sparse: bool, epochs: int) -> np.ndarray:
        """The numbers of the native Rule."""
        watch = epochs > 1 and self.tol is not None and not self.early_stopping
        share = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio, None: -1.0}[self.penalty]
        decay = float(self.fit_intercept) * (RARE_COLUMNS if sparse else 1.0)
        numbers = [
            LOSSES[self.loss],
            RATES[self.learning_rate],
            self.epsilon,
            self.alpha,
            share,
            self._rate(),
        ]
        numbers += [self.power_t, decay, int(self.average), self.batch_size, watch]
        return np.array(numbers, dtype=np.float64)

    def _rate(self) -> float:
        """The base of the learning rate; passes over blocks may have lowered it."""
        return float(vars(self).get("_lowered_rate", self.eta0))

    def _begin(self, R: int, d: int, coef_init: Any, intercept_init: Any) -> list[Weights]:
        """R scores where ``fit`` begins: at given weights, at those of before, or at 0."""
        before = " of warm_start" if self.warm_start and hasattr(self, "coef_") and coef_init is None else ""
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self._plain_coef() if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        coef, intercept = np.zeros((R, d)), np.zeros(R)
        for name, init, place in (
            ("coef_init", coef_init, coef),
            ("intercept_init", intercept_init, intercept),
        ):
            if init is None:
                continue
            values = np.asarray(init, dtype=np.float64)
            if values.shape != place.shape and not (R == 1 and values.size == place.size):
                raise ParameterError(
                    f"{type(self).__name__}: {name}{before} does not match the data, expected the shape {place.shape}, "
                    f"got {values.shape}."
                )
            if not np.isfinite(values).all():
                raise ParameterError(f"{type(self).__name__}: {name} must be finite numbers, got {init!r}.")
            place[:] = values.reshape(place.shape)
        mean = np.zeros((R, d)) if self.average else None
        return [Weights(coef[k], float(intercept[k]), None if mean is None else mean[k]) for k in range(R)]

    def _plain_coef(self) -> np.ndarray:
        """``coef_`` as an array, also after ``sparsify``."""
        return self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_

    def _resume(self, R: int, d: int) -> list[Weights]:
        """The R scores of d columns where ``partial_fit`` goes on."""
        coef = self._kept("standard_coef_", self._plain_coef(), (R, d))
        intercept = self._kept("standard_intercept_", self.intercept_, (R,))
        starts = [Weights(coef[k], float(intercept[k])) for k in range(R)]
        if self.average:
            mean = self._kept("average_coef_", coef, (R, d))
            mean_intercept = self._kept("average_intercept_", intercept, (R,))
            for k, weights in enumerate(starts):
                weights.mean, weights.mean_intercept = mean[k], float(mean_intercept[k])
        return starts

    def _kept(self, name: str, instead: Any, shape: tuple[int, ...]) -> np.ndarray:
        """A copy of what the model remembers; it may come from a stranger's file, and native code writes into it."""
        stored = getattr(self, name, instead)
        values = np.array(stored, dtype=np.float64, order="C")
        if values.size != math.prod(shape) or not np.isfinite(values).all():
            raise DataError(
                f"{type(self).__name__}: the model holds weights of shape {values.shape}, expected finite numbers of "
                f"shape {shape}. It was changed after fit, or its file is damaged: fit it anew."
            )
        return values.reshape(shape)

    def _publish(self, scores: list[Weights], passes: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Keep what ``partial_fit`` needs; the weights to answer with, (R, d) and (R,)."""
        self.n_iter_ = passes
        self.t_ += passes * -(-n // self.batch_size)
        coef = np.array([score.coef for score in scores])
        intercept = np.array([score.intercept for score in scores])
        if not self.average:
            for name in ("standard_coef_", "standard_intercept_", "average_coef_", "average_intercept_"):
                self.__dict__.pop(name, None)
            return coef, intercept
        self.standard_coef_, self.standard_intercept_ = coef, intercept
        self.average_coef_ = np.array([score.mean for score in scores])
        self.average_intercept_ = np.array([score.mean_intercept for score in scores])
        begun = int(self.average) <= self.t_ - 1
        return (self.average_coef_, self.average_intercept_) if begun else (coef, intercept)

    def _descend(
        self,
        rows: Visits,
        y: np.ndarray,
        w: np.ndarray | None,
        weights: Weights,
        epochs: int,
        seed: int,
        aside: Aside | None,
        bar: Progress,
        label: Any = None,
    ) -> list[Epoch]:
        """Passes over the rows until nothing gets better, changing ``weights``."""
        rule = self._rule(rows.sparse, epochs)
        order = np.arange(len(y), dtype=np.int32)
        paid = np.zeros(len(weights.coef)) if rule[4] > 0 else _NONE
        mean = _NONE if weights.mean is None else weights.mean
        state = np.array([weights.intercept, weights.mean_intercept, self.t_, 0.0, 0.0, 0.0])
        state[4], state[5] = weights.coef @ weights.coef, np.abs(weights.coef).sum()
        skip = _NO_ROWS if aside is None else aside.skip
        best, waited, history = math.inf, 0, []
        for number in range(1, epochs + 1):
            if self.shuffle:
                _sgd.shuffle(order, seed)
            loss, objective, n_seen = rows.epoch(
                y=y,
                weight=_NONE if w is None else w,
                skip=skip,
                order=order,
                rule=rule,
                state=state,
                w=weights.coef,
                mean=mean,
                paid=paid,
            )
            if not (math.isfinite(state[0]) and np.isfinite(weights.coef).all()):
                raise DegenerateError(
                    f"{type(self).__name__}: Floating-point under-/overflow occurred at epoch #{number}: the weights "
                    "grew beyond all bounds. Scale the columns first, for example with assay.prepare.StandardScaler, "
                    "or lower eta0."
                )
            weights.intercept, weights.mean_intercept = float(state[0]), float(state[1])
            score = None if aside is None else aside.score(weights)
            history.append(Epoch(number, loss / max(n_seen, 1), float(rule[5]), score, label))
            bar.advance()
            value = objective / max(n_seen, 1) if score is None else -score
            waited = waited + 1 if self.tol is not None and value > best - self.tol else 0
            best = min(best, value)
            if waited >= self.n_iter_no_change:
                if self.learning_rate != "adaptive" or rule[5] <= 1e-6:
                    break
                rule[5] /= 5.0
                waited = 0
        return history

    # ------------------------------------------------------------------ blocks

    def _forget(self) -> None:
        if self.warm_start and hasattr(self, "coef_"):
            return
        for name in ("coef_", "standard_coef_", "average_coef_", "t_"):
            self.__dict__.pop(name, None)

    def _visit(self, X: Any, y: np.ndarray, w: np.ndarray | None, count: np.ndarray | None) -> list[Epoch]:
        """One pass over a block, from where the weights are; ``count`` has the rows of each class in all blocks."""
        raise TypeError(f"{type(self).__name__} must define _visit")

    def _count(self, source: Source) -> np.ndarray | None:
        """(K,) the rows of each class, if the weights of the classes depend on them."""
        return None

    def _learn_from(self, source: Source) -> None:
        self._check_partial()
        count = self._count(source)
        best: dict[Any, float] = {}
        waited: dict[Any, int] = {}
        self.history_ = []
        try:
            for number in range(1, self.max_iter + 1):
                start: _Visited = (self, [])
                learner, visits = source.in_turn(partial(_visit_next, count=count), start)
                self.__dict__.update(vars(learner))  # on a cluster another copy has learned
                records = _of_pass(number, visits)
                self.history_.extend(records)
                for record in records:
                    stalled = record.loss > best.get(record.label, math.inf) - (self.tol or 0.0)
                    waited[record.label] = waited.get(record.label, 0) + 1 if stalled else 0
                    best[record.label] = min(best.get(record.label, math.inf), record.loss)
                if self.tol is None or min(waited.values()) < self.n_iter_no_change:
                    continue
                if self.learning_rate != "adaptive" or self._rate() <= 1e-6:
                    break
                self._lowered_rate = self._rate() / 5.0
                waited = dict.fromkeys(waited, 0)
        finally:
            self.__dict__.pop("_lowered_rate", None)
        self.n_iter_ = number
        self._complain()

    def _complain(self) -> None:
        """Say so if the passes ended before nothing got better."""
        if self.tol is not None and self.n_iter_ == self.max_iter:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{type(self).__name__}: stopped after max_iter={self.max_iter} passes, although no "
                f"{self.n_iter_no_change} passes in turn had brought less than tol={self.tol:g}. Raise max_iter, scale "
                "the columns, or raise tol.",
                ConvergenceWarning,
            )


_Visited = tuple[StochasticDescent, list[tuple[int, list[Epoch]]]]


def _visit_next(state: _Visited, block: Block, count: np.ndarray | None) -> _Visited:
    """The learner after one more block, and how many rows and which records each block so far had."""
    learner, visits = state
    records = learner._visit(block.X, block.y, block.w, count)
    return learner, [*visits, (block.X.shape[0], records)]


def _of_pass(number: int, visits: list[tuple[int, list[Epoch]]]) -> list[Epoch]:
    """One record of a pass for each score, with the mean loss over all blocks."""
    n = sum(height for height, _ in visits)
    return [
        Epoch(number, sum(height * r[k].loss for height, r in visits) / n, last.rate, None, last.label)
        for k, last in enumerate(visits[-1][1])
    ]


def set_aside(
    learner: StochasticDescent, y: np.ndarray, w: np.ndarray | None, stratified: bool
) -> np.ndarray:
    """(n,) 1 for the rows that ``early_stopping`` judges by, drawn as scikit-learn draws them."""
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    from assay.core.seeds import random_state_of

    seed = learner.random_state
    seed = random_state_of(seed) if isinstance(seed, np.random.Generator) else seed
    split = (StratifiedShuffleSplit if stratified else ShuffleSplit)(
        test_size=learner.validation_fraction, random_state=seed
    )
    skip = np.zeros(len(y), dtype=np.uint8)
    skip[next(split.split(np.zeros((len(y), 1)), y))[1]] = 1
    if w is not None and not w[skip > 0].any():
        raise DataError(
            f"{type(learner).__name__}: the sample weights for the validation set are all zero, consider using a "
            "different random state."
        )
    return skip
