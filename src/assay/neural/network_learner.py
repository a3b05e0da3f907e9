"""What learners around a network of any layers share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Reasons
from assay.core.parallel import in_threads, one_blas_thread
from assay.core.parameters import Accepted, Any_, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Object, Plain
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.neural.arguments import are_counts
from assay.neural.checkpoint import Checkpoint, State, fingerprint
from assay.neural.constant_answer import (
    LARGE_COLUMN,
    error_of,
    error_of_constant,
    largest_column,
    rows_to_look_at,
)
from assay.neural.held_out import drawn_rows
from assay.neural.input_scaling import InputScaling
from assay.neural.integrated_gradients import along_paths
from assay.neural.layers.dense import Dense
from assay.neural.layers.layer import Layer
from assay.neural.layers.other import Embedding
from assay.neural.mlp import NO_BETTER, Epoch, add_random_state, set_random_state, units_that_weigh
from assay.neural.network import Network
from assay.neural.penalties import is_bias
from assay.types import PathLike, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["NetworkLearner"]

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # of Adam
ROWS_AT_ONCE = 1024  # rows of an answer whose values are in memory


class NetworkLearner(_Learner):
    """Mixin of learners around a :class:`~assay.neural.Network`: Adam in batches, early stopping, answers."""

    accepts: ClassVar[dict[str, Accepted | None]] = {
        "layers": Any_(
            "a list of layers, such as [Dense(32, 'relu')], or None",
            lambda v: v is None or (np.iterable(v) and all(isinstance(layer, Layer) for layer in v)),
        ),
        "input_shape": Any_(
            "a list of whole numbers from 1 up, or None",
            lambda v: v is None or are_counts(v),
        ),
        "learning_rate_init": Range(0, open="low"),
        "alpha": Range(0),
        "batch_size": Count(),
        "max_iter": Count(),
        "early_stopping": Flag(),
        "validation_fraction": Range(0, 1, open="both"),
        "n_iter_no_change": Count(),
        "tol": Range(0),
        "scale": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "network_": Object(Network),
        "scaling_": Object(InputScaling),
        "baseline_": FloatArray("*", finite=True),
        "history_": Each(Object(Epoch)),
        "validation_scores_": Plain(),
    }

    layers: Sequence[Layer] | None
    input_shape: Sequence[int] | None
    learning_rate_init: float
    alpha: float
    batch_size: int
    max_iter: int
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    tol: float
    scale: bool
    random_state: Any
    network_: Network
    scaling_: InputScaling
    baseline_: np.ndarray
    history_: list[Epoch]
    _checkpoint: PathLike | None = None

    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        *,
        checkpoint: PathLike | None = None,
    ) -> Self:
        """Learn from the rows of X and their targets y.

        Parameters
        ----------
        X : array, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) labels or numbers
        sample_weight : (n,) what each row counts; None counts each once
        checkpoint : path of a file that keeps the state of the fit, written every few seconds and removed at the end.
            If the process is killed, the same call goes on from there and ends with the same weights.
        """
        self._checkpoint = checkpoint
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_checkpoint", None)

    def _train(
        self,
        X: np.ndarray,
        target: np.ndarray,
        w: np.ndarray | None,
        output: Dense,
        error: str,
        stratify: np.ndarray | None = None,
    ) -> None:
        """Learn targets (n, K) by passes in batches with a rate that falls along half a cosine."""
        who = type(self).__name__
        random = random_state_of(self.random_state)
        parameters = {
            name: repr(v) for name, v in self.get_params(deep=False).items() if name != "random_state"
        }
        path = self._checkpoint
        mark = "" if path is None else fingerprint({"learner": who, **parameters}, X, target, w)
        file = Checkpoint(path, who, mark)
        left = file.read()
        if left is not None:
            set_random_state(random, left, "first")
        first = random.get_state(legacy=False)
        inputs = self._prepared(X, fitting=True)
        self.baseline_ = np.average(inputs, axis=0, weights=w)
        shape = self._input_shape(inputs.shape[1])
        layers = [Dense(32, "relu")] if self.layers is None else list(self.layers)
        generator = np.random.default_rng(random.randint(2**31))
        net = Network([*layers, output], shape, generator)
        if net.output_shape != (output.units,):
            raise ParameterError(f"{who}: the layers give outputs of the shape {net.output_shape}.")
        train, judge = self._set_aside(len(inputs), random, stratify)
        biases, n = is_bias(net), len(train)
        moment, square = np.zeros_like(net.theta), np.zeros_like(net.theta)
        best, waited, t = (-math.inf, net.theta.copy()), 0, 0
        rate = self.learning_rate_init
        self.history_, self.network_ = [], net
        batches = -(-n // self.batch_size)
        weights = np.ones(len(inputs)) if w is None else w
        if left is not None:
            net.theta[:], moment, square = (left.arrays[name] for name in ("theta", "moment", "square"))
            best, waited, t = (
                (left.plain["best"], left.arrays["best"]),
                left.plain["waited"],
                left.plain["steps"],
            )
            self.history_ = [Epoch(*record) for record in left.plain["history"]]
            set_random_state(random, left, "now")
            generator.bit_generator.state = left.plain["generator"]
        done = len(self.history_)
        try:
            with (
                np.errstate(over="ignore", invalid="ignore"),
                one_blas_thread(),
                progress(self.max_iter, f"{who}: passes") as bar,
            ):
                if done:
                    bar.advance(done)
                for number in range(done + 1, self.max_iter + 1):
                    order, total = train[random.permutation(n)], 0.0
                    for at in range(0, n, self.batch_size):
                        rows = order[at : at + self.batch_size]
                        mass = float(weights[rows].sum())
                        if not mass > 0:
                            continue
                        value, grad = net.value_gradient(
                            inputs[rows], target[rows], error, weights[rows], random=generator
                        )
                        total += value
                        grad = grad / mass + np.where(biases, 0.0, self.alpha / mass * net.theta)
                        share = t / (self.max_iter * batches)
                        rate = self.learning_rate_init * (1 + math.cos(math.pi * share)) / 2
                        t += 1
                        moment = BETA_1 * moment + (1 - BETA_1) * grad
                        square = BETA_2 * square + (1 - BETA_2) * grad**2
                        corrected = rate * math.sqrt(1 - BETA_2**t) / (1 - BETA_1**t)
                        net.theta -= corrected * moment / (np.sqrt(square) + EPSILON)
                    loss = total / float(weights[train].sum())
                    if not np.isfinite(net.theta).all():
                        raise DegenerateError(
                            f"{who}: the weights left the finite numbers in pass {number}. Set scale=True, or lower "
                            f"learning_rate_init (now {self.learning_rate_init:g})."
                        )
                    score = (
                        None if judge is None else self._judged(inputs[judge], target[judge], weights[judge])
                    )
                    self.history_.append(Epoch(number, loss, rate, score))
                    bar.advance()
                    value = -loss if score is None else score
                    waited = 0 if value > best[0] + self.tol else waited + 1
                    if value > best[0]:
                        best = value, net.theta.copy()
                    if waited >= self.n_iter_no_change and judge is not None:
                        break
                    if file:
                        state = State(
                            {"theta": net.theta, "moment": moment, "square": square, "best": best[1]}
                        )
                        state.plain = {
                            "best": best[0],
                            "waited": waited,
                            "steps": t,
                            "history": [[e.number, e.loss, e.rate, e.score] for e in self.history_],
                            "generator": generator.bit_generator.state,
                        }
                        add_random_state(state, first, "first")
                        add_random_state(state, random.get_state(legacy=False), "now")
                        file.write(state)
            file.remove()
        except KeyboardInterrupt:
            warn_user(f"{who}: Training interrupted by user. The best weights so far are kept.", UserWarning)
        self.n_iter_ = len(self.history_)
        if judge is not None:
            net.theta[:] = best[1]
        self._judge_end(X, inputs, target, error)

    def _judge_end(self, X: np.ndarray, inputs: np.ndarray, target: np.ndarray, error: str) -> None:
        """Warn of a fit that brought nothing while a column is large."""
        j, largest = largest_column(X)
        if self.scale or largest <= LARGE_COLUMN:
            return
        rows = rows_to_look_at(len(X))
        codes = target[rows].argmax(axis=1) if error == "cross_entropy" else None
        after = error_of(self.network_.outputs(inputs[rows]), codes, target[rows])
        constant = error_of_constant(codes, target[rows])
        if after >= NO_BETTER * constant > 0:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{type(self).__name__} learned no more than a constant answer knows (error {after:.3g}, of a constant "
                f"{constant:.3g}). Column {self._names[j]} has values up to {largest:.3g}: set scale=True.",
                ConvergenceWarning,
            )

    def _judged(self, X: np.ndarray, target: np.ndarray, w: np.ndarray) -> float:
        raise TypeError(f"{type(self).__name__} must define _judged")

    def _set_aside(
        self, n: int, random: np.random.RandomState, stratify: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        if not self.early_stopping:
            return np.arange(n), None
        if n < 4:
            raise DataError(
                f"{type(self).__name__}: The validation set is too small. Give more rows, or early_stopping=False."
            )
        return drawn_rows(n, self.validation_fraction, random, stratify, type(self).__name__)

    def _input_shape(self, columns: int) -> tuple[int, ...]:
        if self.input_shape is None:
            return (columns,)
        shape = tuple(int(k) for k in self.input_shape)
        if math.prod(shape) != columns:
            raise DataError(
                f"{type(self).__name__}: input_shape {shape} has {math.prod(shape)} numbers, X has {columns} columns."
            )
        return shape

    def _prepared(self, X: Any, fitting: bool = False) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        if fitting and self.scale:
            self.scaling_ = InputScaling.learn(X, "standard", False, type(self).__name__)
        elif fitting:
            self.__dict__.pop("scaling_", None)
        return self.scaling_.apply(X) if hasattr(self, "scaling_") else X

    def _outputs(self, X: Any) -> np.ndarray:
        inputs = self._prepared(X)
        blocks = [inputs[at : at + ROWS_AT_ONCE] for at in range(0, max(len(inputs), 1), ROWS_AT_ONCE)]
        with one_blas_thread():  # in_threads sees to it for several blocks alone
            return np.concatenate(in_threads(self.network_.outputs, blocks))

    # ------------------------------------------------------------------ reasons

    def _unit_reasons(
        self, X: Any, outputs: Sequence[str], chosen: np.ndarray, factors: np.ndarray, shift: np.ndarray
    ) -> Reasons:
        """The columns' contributions by integrated gradients, and the hidden units that weigh most in the score.

        Parameters
        ----------
        outputs : phrases      chosen : (n,) which of them explains a row      factors, shift : (K,) of the scores
        """
        net, inputs = self.network_, self._prepared(X)
        W = net.parts[-1]["W"] * factors
        bias = net.parts[-1]["b"] * factors + shift

        def sections(i: int) -> list[Section]:
            k = int(chosen[i])
            units = net.run(inputs[i : i + 1])[1][-1][0][0]  # what the last layer takes
            total = float(units @ W[:, k] + bias[k])
            return [units_that_weigh(units, W[:, k], float(bias[k]), total, outputs[k])]

        def contributions(rows: np.ndarray) -> Any:
            if any(isinstance(layer, Embedding) for layer in net.layers):
                return None  # numbers of categories have no gradient
            start = self.baseline_ if hasattr(self, "baseline_") else np.zeros(inputs.shape[1])
            adds, base = along_paths(inputs[rows], start, self._scores_at, self._slopes_at)
            return self._contributions(adds * factors, base * factors + shift, outputs, chosen[rows])

        return Reasons(sections, contributions)

    def _scores_at(self, inputs: np.ndarray) -> np.ndarray:
        """(n, K) the scores of the last layer before its activation."""
        scores: np.ndarray = self.network_.run(inputs)[1][-1][1]
        return scores

    def _slopes_at(self, inputs: np.ndarray) -> np.ndarray:
        """(n, p, K) the derivatives of these scores by the inputs."""
        net = self.network_
        memories = net.run(inputs)[1]
        K = net.output_shape[0]
        slopes = np.empty((*inputs.shape, K))
        for k in range(K):
            towards = np.zeros((len(inputs), K))
            towards[:, k] = 1.0
            slopes[:, :, k] = net.backward(memories, towards, through_output=False)[0].reshape(inputs.shape)
        return slopes

    def _check_stored(self) -> None:
        if "network_" not in vars(self) or not hasattr(self, "n_features_in_"):
            return
        columns = len(self.design_.names) if hasattr(self, "design_") else self.n_features_in_
        if math.prod(self.network_.input_shape) != columns:
            raise ValueError("network_ does not take the columns of the model")
        if hasattr(self, "scaling_") and len(self.scaling_) != columns:
            raise ValueError("scaling_ is not of the columns of the model")
        if hasattr(self, "baseline_") and len(self.baseline_) != columns:
            raise ValueError("baseline_ is not of the columns of the model")
        last = self.network_.layers[-1]
        if not isinstance(last, Dense) or not last.bias:
            raise ValueError("network_ does not end with a dense layer")
