"""What the two multilayer perceptrons share: parameters, ways of learning, answers and reasons."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Reasons, dense_block
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Accepted, Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer, Object, Plain, Scalar, Text
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.neural.backpropagation import AdaptiveRate
from assay.neural.category_columns import CategoryColumns
from assay.neural.checkpoint import Checkpoint, State, fingerprint
from assay.neural.constant_answer import (
    LARGE_COLUMN,
    error_of,
    error_of_constant,
    largest_column,
    rows_to_look_at,
)
from assay.neural.dense_net import HIDDEN, OPTIMIZERS, Data, DenseNet, native, with_categories
from assay.neural.held_out import SPLITS, drawn_rows, held_out
from assay.neural.input_scaling import InputScaling
from assay.neural.integrated_gradients import integrated_gradients
from assay.neural.members import Layers, Members, mean_output
from assay.neural.mlp_from_blocks import ColumnSums, learn_from_blocks
from assay.neural.own_loss import OwnLoss
from assay.neural.schedules import SCHEDULES, rates_of
from assay.neural.unit_normalization import NORMALIZATIONS, UnitNormalization

__all__ = ["Epoch", "MultilayerPerceptron", "Optimizer", "units_that_weigh"]

STOCHASTIC = ("sgd", "adam", "adamw", "rmsprop")
USUAL_BATCH = 200  # rows of a batch, if there are as many
FEWEST_FOR_VALIDATION = 2
SMALLEST_RATE = 1e-6  # of learning_rate="adaptive"
STOPPED_BY_US = 99  # SciPy's status where the callback ended the search
UNITS_NAMED = 5  # hidden units that an explanation names
RESUMED = (  # attributes that change with every pass
    "n_iter_",
    "t_",
    "loss_",
    "loss_curve_",
    "best_loss_",
    "validation_scores_",
    "best_validation_score_",
    "_no_improvement_count",
)
DIVERGED = 1e3  # times the error before learning, beyond which answers are worse than none
NO_BETTER = 0.999  # of the error of a constant answer
HARMFUL = 2.0  # times the errors before learning and of a constant answer, beyond which a fit has done harm


@dataclass(frozen=True)
class Epoch:
    """One pass over the rows, as ``history_`` keeps it.

    Attributes
    ----------
    number : of the pass, from 1
    loss : mean over the batches of loss and penalty, each before its step
    rate : the learning rate at the end of the pass
    score : of the validation rows: accuracy or R2; None without
    """

    number: int
    loss: float
    rate: float
    score: float | None = None
    stored = {"number": Integer()}


@dataclass
class Optimizer:
    """Where the optimiser stands: its learning rate, its steps, and the moments of the gradients."""

    learning_rate: float = 0.0
    t: int = 0
    moment: np.ndarray = field(default_factory=lambda: np.zeros(0))
    square: np.ndarray = field(default_factory=lambda: np.zeros(0))
    stored = {
        "t": Integer(),
        "moment": FloatArray("q", finite=True),
        "square": FloatArray("q", finite=True),
    }


@dataclass(frozen=True)
class Goal:
    """What is learned: classes (codes) or numbers of each row, and the kind of output that goes with it."""

    output: str
    loss: Any
    width: int
    codes: np.ndarray | None = None
    numbers: np.ndarray | None = None
    stratify: np.ndarray | None = None
    parameter: float = 0.0

    def take(self, rows: np.ndarray) -> Goal:
        """The goal of some rows."""
        from dataclasses import replace

        return replace(
            self,
            codes=None if self.codes is None else self.codes[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
            stratify=None,
        )

    def truth(self, dtype: Any) -> np.ndarray:
        """(n, K) the targets of each output; a 1 for the class of a row."""
        if self.numbers is not None:
            return np.ascontiguousarray(self.numbers, dtype=dtype)
        return np.eye(self.width, dtype=dtype)[self.codes]


class MultilayerPerceptron(PassLearner):
    """Mixin of the multilayer perceptrons; stands before the base of classifiers or regressors.

    From blocks the stochastic solvers go on from block to block, in as many passes as ``tol`` asks for: a sequence, not
    a sum, so what is learned depends on how the rows are cut. "lbfgs" adds up gradients and gives the same from memory,
    blocks and Dask.
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})
    alternative_for_missing = "Set missing='indicator' to learn from them too."
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "hidden_layer_sizes": Any_(
            "a whole number from 1 up, or a list of such",
            lambda v: all(
                isinstance(h, (int, np.integer)) and not isinstance(h, bool) and h >= 1
                for h in (v if np.iterable(v) else [v])
            ),
        ),
        "activation": Choice(*HIDDEN)
        | Any_(
            f"one of {', '.join(map(repr, HIDDEN))}, or a list with one for each hidden layer",
            lambda v: not isinstance(v, str) and np.iterable(v) and all(name in HIDDEN for name in v),
        ),
        "solver": Choice("lbfgs", *STOCHASTIC),
        "alpha": Range(0),
        "batch_size": Choice("auto") | Count(),
        "learning_rate": Choice(*SCHEDULES) | Any_("an AdaptiveRate", lambda v: isinstance(v, AdaptiveRate)),
        "learning_rate_init": Range(0, open="low"),
        "power_t": Range(0),
        "max_iter": Count(),
        "shuffle": Flag(),
        "random_state": Seed(),
        "tol": Range(0),
        "verbose": Count(0) | Flag(),
        "warm_start": Flag(),
        "momentum": Range(0, 1),
        "nesterovs_momentum": Flag(),
        "early_stopping": Flag(),
        "validation_fraction": Range(0, 1, open="high"),
        "beta_1": Range(0, 1, open="high"),
        "beta_2": Range(0, 1, open="high"),
        "epsilon": Range(0, open="low"),
        "n_iter_no_change": Count() | Any_("infinity", lambda v: isinstance(v, float) and v == math.inf),
        "max_fun": Count(),
        "dropout": Range(0, 1, open="high")
        | Any_(
            "a share for each hidden layer",
            lambda v: not isinstance(v, str) and np.iterable(v) and all(0 <= share < 1 for share in v),
        ),
        "normalization": Choice(*NORMALIZATIONS) | None,
        "clip": Range(0, open="low") | None,
        "average": Count() | None,
        "scale": Choice("standard", "robust") | None,
        "missing": Choice("refuse", "indicator"),
        "validation_split": Choice(*SPLITS),
        "category_size": Count() | None,
        "members": Count(),
    }
    stored = {
        "coefs_": Each(FloatArray("*", "*", finite=True) | FloatArray("k", "*", "*", finite=True)),
        "intercepts_": Each(FloatArray("*", finite=True) | FloatArray("k", "*", finite=True)),
        "embeddings_": Each(FloatArray("*", "*", finite=True) | FloatArray("k", "*", "*", finite=True)),
        "category_columns_": Object(CategoryColumns),
        "normalizations_": Each(Object(UnitNormalization)),
        "out_activation_": Text("identity", "logistic", "softmax", "exp"),
        "n_layers_": Integer(low=2),
        "loss_": Scalar(),
        "best_loss_": Scalar() | None,
        "loss_curve_": Plain(),
        "validation_scores_": Plain(),
        "best_validation_score_": Scalar() | None,
        "t_": Integer(),
        "scaling_": Object(InputScaling),
        "baseline_": FloatArray("*", finite=True),
        "history_": Each(Object(Epoch)),
        "_no_improvement_count": Integer(),
        "_optimizer": Object(Optimizer),
    }

    hidden_layer_sizes: Any
    activation: Any
    solver: str
    alpha: float
    batch_size: Any
    learning_rate: str | AdaptiveRate
    learning_rate_init: float
    power_t: float
    max_iter: int
    shuffle: bool
    random_state: Any
    tol: float
    verbose: Any
    warm_start: bool
    momentum: float
    nesterovs_momentum: bool
    early_stopping: bool
    validation_fraction: float
    beta_1: float
    beta_2: float
    epsilon: float
    n_iter_no_change: float
    max_fun: int
    dropout: Any
    normalization: str | None
    clip: float | None
    average: int | None
    scale: str | None
    missing: str
    validation_split: str
    category_size: int | None
    members: int
    history_: list[Epoch]
    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    normalizations_: list[UnitNormalization]
    best_loss_: float | None
    best_validation_score_: float | None
    validation_scores_: list[float] | None
    _needed: ClassVar[tuple[str, ...]] = (
        "coefs_",
        "intercepts_",
        "n_layers_",
        "n_outputs_",
        "out_activation_",
    )
    _smoothing: float = 0.0
    _validation: Any = None
    _groups: Any = None
    _checkpoint: Any = None
    _optimizer: Optimizer

    # ------------------------------------------------------------------ tables

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "indicator"
        return tags

    def _remember(self, schema: Any) -> None:
        super()._remember(schema)
        if self.category_size is not None and not self.design_.plain:
            del self.design_  # categories stay as they are

    def _numbers(self, table: Any, design: Any) -> Any:
        """The block of the base, codes of categories included if they are embedded; missing values pass if
        ``missing="indicator"``."""
        if self.missing != "indicator" or table.complete:
            return super()._numbers(table, design)
        self._refuse_sparse(table)
        return table.values if design is None or design.plain else design.expand(table.values)

    @property
    def _prepares(self) -> bool:
        return self.scale is not None or self.missing == "indicator"

    def _scaled(self, X: Any) -> Any:
        """The numbers as the first layer sees them, then the codes of the categories that are embedded."""
        if not hasattr(self, "category_columns_"):
            return self.scaling_.apply(X) if hasattr(self, "scaling_") else X
        numbers, codes = self.category_columns_.apply(X)
        return np.hstack([self.scaling_.apply(numbers) if hasattr(self, "scaling_") else numbers, codes])

    def _learn_inputs(self, X: Any, w: np.ndarray | None) -> None:
        """How columns become inputs, from the rows of a fit."""
        for name in ("category_columns_", "scaling_"):
            self.__dict__.pop(name, None)
        numbers = X
        if not hasattr(self, "design_"):
            self.category_columns_ = CategoryColumns.learn(X, self.schema_, w)
            numbers = self.category_columns_.apply(X)[0]
        if self._prepares:
            self.scaling_ = InputScaling.learn(
                numbers, self.scale, self.missing == "indicator", type(self).__name__
            )

    def _levels(self) -> list[int]:
        """Codes of each column that is embedded."""
        columns = vars(self).get("category_columns_")
        return [] if columns is None else [int(level) for level in columns.levels]

    def _check_stored(self) -> None:
        if not all(hasattr(self, name) for name in self._needed):
            return  # not fitted
        self._check_members()
        numbers = self._width_in()
        if hasattr(self, "category_columns_"):
            self.category_columns_.check(self.n_features_in_)
            numbers = len(self.category_columns_.numbers)
        if hasattr(self, "scaling_"):
            if len(self.scaling_.center) != numbers:
                raise ValueError("scaling_ is not of the columns of the model")
            numbers = len(self.scaling_)
        if hasattr(self, "baseline_") and len(self.baseline_) != numbers:
            raise ValueError("baseline_ is not of the inputs of the model")
        for network in self._networks:
            self._check_network(network, numbers)

    def _check_members(self) -> None:
        """Raise unless all parts are of as many members."""
        weights = [*self.coefs_, *vars(self).get("embeddings_", [])]
        several = bool(weights) and weights[0].ndim == 3
        if not self.coefs_ or {part.ndim for part in weights} != {2 + several}:
            raise ValueError("coefs_ and intercepts_ are no layers that follow each other")
        if {part.ndim for part in self.intercepts_} != {1 + several}:
            raise ValueError("coefs_ and intercepts_ are no layers that follow each other")
        counts = {part.shape[0] for part in (*weights, *self.intercepts_)} if several else {1}
        if len(counts) != 1 or 0 in counts:
            raise ValueError("coefs_ and intercepts_ are not of as many members")
        if len(self._normalizations) not in (0, min(counts) * (len(self.coefs_) - 1)):
            raise ValueError("normalizations_ has not one for each hidden layer")

    def _check_network(self, network: Layers, numbers: int) -> None:
        sizes = [W.shape for W in network.coefs]
        chained = all(a[1] == b[0] for a, b in itertools.pairwise(sizes))
        if not chained or [b.shape for b in network.intercepts] != [(s[1],) for s in sizes]:
            raise ValueError("coefs_ and intercepts_ are no layers that follow each other")
        if len(sizes) != self.n_layers_ - 1 or sizes[-1][1] != self.n_outputs_:
            raise ValueError("coefs_ does not have the layers and outputs of the model")
        widths = {table.shape[1] for table in network.tables}
        if [len(table) for table in network.tables] != self._levels() or len(widths) > 1:
            raise ValueError("embeddings_ does not have the categories of the columns")
        if sizes[0][0] != numbers + sum(table.shape[1] for table in network.tables):
            raise ValueError("coefs_ does not have the inputs of the model")
        self._names_of_activations(len(sizes) - 1)
        for each, size in zip(network.normalizations, sizes):
            each.check(size[1])

    @property
    def _normalizations(self) -> list[UnitNormalization]:
        """Of the hidden layers, member after member; none in models without."""
        return vars(self).get("normalizations_", [])

    @property
    def _networks(self) -> list[Layers]:
        """The members."""
        coefs, intercepts, tables = self.coefs_, self.intercepts_, vars(self).get("embeddings_", [])
        if coefs[0].ndim == 2:
            return [Layers(coefs, intercepts, self._normalizations, tables)]
        hidden = len(coefs) - 1
        of_member = [[part[m] for part in coefs] for m in range(len(coefs[0]))]
        return [
            Layers(
                weights,
                [part[m] for part in intercepts],
                self._normalizations[m * hidden : (m + 1) * hidden],
                [part[m] for part in tables],
            )
            for m, weights in enumerate(of_member)
        ]

    def _publish(self, net: Members) -> None:
        """Keep the weights to answer with; of several members with a first axis for them."""
        networks = net.layers(net.theta)
        self.normalizations_ = [each for network in networks for each in network.normalizations]
        parts = [[*network.coefs, *network.intercepts, *network.tables] for network in networks]
        whole = parts[0] if len(parts) == 1 else [np.stack(of) for of in zip(*parts)]
        L = len(networks[0].coefs)
        self.coefs_, self.intercepts_, tables = whole[:L], whole[L : 2 * L], whole[2 * L :]
        self.__dict__.pop("embeddings_", None)
        if tables:
            self.embeddings_ = tables

    def _width_in(self) -> int:
        return len(self.design_.names) if hasattr(self, "design_") else self.n_features_in_

    # ------------------------------------------------------------------ parameters

    def _sizes_of_hidden(self) -> list[int]:
        sizes = self.hidden_layer_sizes
        return [int(size) for size in (sizes if np.iterable(sizes) else [sizes])]

    def _names_of_activations(self, layers: int) -> list[str]:
        if isinstance(self.activation, str):
            return [self.activation] * layers
        names = list(self.activation)
        if len(names) != layers:
            raise ParameterError(
                f"{type(self).__name__}: activation has {len(names)} names for {layers} hidden layers. "
                "Give one for each."
            )
        return names

    def _shares_left_out(self, layers: int) -> list[float]:
        """Of the inputs of each layer; those of the first are never left out."""
        if not np.iterable(self.dropout):
            return [0.0, *[float(self.dropout)] * layers]
        shares = [float(share) for share in self.dropout]
        if len(shares) != layers:
            raise ParameterError(
                f"{type(self).__name__}: dropout has {len(shares)} shares for {layers} hidden layers. "
                "Give one for each."
            )
        return [0.0, *shares]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.normalization == "batch" and self.solver == "lbfgs":
            raise ParameterError(
                f"{type(self).__name__}: normalization='batch' needs batches, lbfgs takes all rows at a time. Set "
                "solver='adam', or normalization='layer'."
            )
        steps = {"dropout": np.any(self.dropout), "clip": self.clip, "average": self.average}
        for name in [name for name, value in steps.items() if value]:
            if self.solver == "lbfgs":
                raise ParameterError(
                    f"{type(self).__name__}: {name}={getattr(self, name)!r} is for the solvers "
                    f"{', '.join(STOCHASTIC)}; lbfgs goes by steps of its own over all rows. Leave it out, or set "
                    "solver='adam'."
                )
        if isinstance(self.learning_rate, AdaptiveRate) and self.solver == "lbfgs":
            raise ParameterError(
                f"{type(self).__name__}: an AdaptiveRate is for the solvers {', '.join(STOCHASTIC)}; lbfgs has no "
                "learning rate. Set solver='sgd'."
            )

    # ------------------------------------------------------------------ learning

    def _train(self, X: Any, goal: Goal, w: np.ndarray | None, incremental: bool = False) -> None:
        """Learn from a block of numbers: begin, descend, and publish the weights."""
        fresh = not hasattr(self, "coefs_") or (not self.warm_start and not incremental)
        if fresh or self._prepares != hasattr(self, "scaling_"):
            self._learn_inputs(X, w)
        inputs = self._scaled(X)
        random = random_state_of(self.random_state)
        file, left = self._resumed(X, goal, w, random)
        first = random.get_state(legacy=False)
        net = self._networks_for(inputs, goal)
        if fresh:
            self._draw_weights(net, random)
            self._reset()
        else:
            self._continue_from(net)
            self.history_ = vars(self).get("history_", [])
        if not incremental or not hasattr(self, "baseline_"):
            self.baseline_ = _column_means(inputs[:, : inputs.shape[1] - len(self._levels())], w)
        with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
            before = 0.0 if incremental else self._error(net, inputs, goal)
            if self.solver == "lbfgs":
                self._minimize(net, inputs, goal, w)
            else:
                run = _Run(file, left, first)
                self._descend(net, inputs, goal, w, random, incremental, run)
            after = 0.0 if incremental or not np.isfinite(net.theta).all() else self._error(net, inputs, goal)
        self._finish(net, before, after, X, goal, incremental)

    def _finish(
        self, net: Members, before: float, after: float, X: Any, goal: Goal, incremental: bool = False
    ) -> None:
        """Publish the weights, if they are of use."""
        if not np.isfinite(net.theta).all():
            raise DegenerateError(
                f"{type(self).__name__}: Solver produced non-finite parameter weights. The input data may contain "
                f"large values and need to be preprocessed. {self._likely_cause(X, goal)}"
            )
        if not incremental:
            self._judge_end(before, after, X, goal)
        self._publish(net)

    def _networks_for(self, inputs: Any, goal: Goal) -> Members:
        """Networks of the parameters' shape, without weights."""
        hidden, levels = self._sizes_of_hidden(), self._levels()
        width = self.category_size or 1
        sizes = [inputs.shape[1] + (width - 1) * len(levels), *hidden, goal.width]
        self.n_outputs_, self.n_layers_, self.out_activation_ = goal.width, len(sizes), goal.output

        def make() -> DenseNet:
            return DenseNet(
                sizes,
                self._names_of_activations(len(hidden)),
                "identity" if callable(goal.loss) else goal.output,
                "given" if callable(goal.loss) else goal.loss,
                parameter=goal.parameter,
                divisor=goal.width if self.solver != "lbfgs" else 1.0,
                dropout=self._shares_left_out(len(hidden)),
                normalization=self.normalization if hidden else None,
                levels=levels,
                category_width=width,
                dtype=np.float32 if inputs.dtype == np.float32 else np.float64,
            )

        return Members(make, self.members)

    def _error(self, net: Members, inputs: Any, goal: Goal) -> float:
        """On some rows; 0 where the loss aims at something else than classes or means."""
        if callable(goal.loss) or goal.loss in ("hinge", "quantile", "poisson"):
            return 0.0
        rows = rows_to_look_at(inputs.shape[0])
        part = goal.take(rows)
        outputs = self._values_at(net, net.theta, inputs[rows], goal.output)
        return error_of(outputs, part.codes, part.numbers)

    def _values_at(self, net: Members, theta: np.ndarray, inputs: Any, output: str) -> np.ndarray:
        """(n, K) the outputs of networks that still learn."""
        return mean_output(net.layers(theta), inputs, self._names_of_activations(len(net.sizes) - 2), output)

    def _judge_end(self, before: float, after: float, X: Any, goal: Goal) -> None:
        """Refuse a fit that diverged, and warn of one that brought harm, or nothing while a column or a target is
        large."""
        part = goal.take(rows_to_look_at(X.shape[0]))
        constant = error_of_constant(part.codes, part.numbers)
        who = type(self).__name__
        if not (math.isfinite(after) and after <= DIVERGED * max(before, constant, 1.0)):
            raise DegenerateError(
                f"{who}: the error grew to {after:.3g} from {before:.3g} before learning. "
                f"{self._likely_cause(X, goal)}"
            )
        cause = self._large_values(X, goal)
        if not cause and after > HARMFUL * max(before, constant) > 0:
            cause = self._likely_cause(X, goal)
        if cause and after >= NO_BETTER * constant > 0:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{who} learned no more than a constant answer knows (error {after:.3g}, of a constant "
                f"{constant:.3g}). {cause}",
                ConvergenceWarning,
            )

    def _large_values(self, X: Any, goal: Goal) -> str:
        """A sentence on the column or the target with the largest values; empty if all are of common size."""
        numbers = self.category_columns_.numbers if hasattr(self, "category_columns_") else None
        if self.scale is None and (numbers is None or len(numbers)):
            j, largest = largest_column(X if numbers is None else X[:, numbers])
            if largest > LARGE_COLUMN:
                j = j if numbers is None else int(numbers[j])
                return f"Column {self._names[j]} has values up to {largest:.3g}: set scale='standard'."
        if goal.codes is None and not getattr(self, "scale_target", True):
            most = float(np.abs(goal.numbers).max())  # type: ignore[arg-type]
            if most > LARGE_COLUMN:
                return f"Targets have values up to {most:.3g}: set scale_target=True."
        return ""

    def _likely_cause(self, X: Any, goal: Goal) -> str:
        """Why a fit diverged, as a sentence."""
        return (
            self._large_values(X, goal)
            or f"Lower learning_rate_init (now {self.learning_rate_init:g}), or set clip=1."
        )

    def _draw_weights(self, net: Members, random: np.random.RandomState) -> None:
        """Uniform weights by the sizes of the two layers that they join (Glorot and Bengio 2010); numbers of categories
        are normal, those of missing ones 0."""
        names = self._names_of_activations(len(net.sizes) - 2)
        for network in net.layers(net.theta):
            for l, (W, b) in enumerate(zip(network.coefs, network.intercepts)):
                name = names[min(l, len(names) - 1)] if names else "identity"
                bound = math.sqrt((2.0 if name == "logistic" else 6.0) / sum(W.shape))
                W[:] = random.uniform(-bound, bound, W.shape)
                b[:] = random.uniform(-bound, bound, b.shape)
            for table in network.tables:
                table[:-1] = random.normal(0, 1 / math.sqrt(table.shape[1]), table[:-1].shape)

    def _continue_from(self, net: Members) -> None:
        """Take over the weights of before, which must fit the data and the parameters."""
        expected = [(a, b) for a, b in itertools.pairwise(net.sizes)]
        networks = self._networks
        if len(networks) != len(net.nets):
            raise DataError(
                f"{type(self).__name__}: the model of before has {len(networks)} members, members is {len(net.nets)}. "
                "Set warm_start=False, or leave members as it was."
            )
        shapes = [np.shape(W) for W in networks[0].coefs]
        if shapes != expected or [len(table) for table in networks[0].tables] != self._levels():
            raise DataError(
                f"{type(self).__name__}: the weights of before are of the shapes {shapes}, the data and the parameters "
                f"ask for {expected}. Set warm_start=False, or leave hidden_layer_sizes and the columns as they were."
            )
        before = self._normalizations[0].kind if self._normalizations else None
        if before != net.nets[0].normalization:
            raise DataError(
                f"{type(self).__name__}: the hidden units of before have normalization={before!r}, now it is "
                f"{net.nets[0].normalization!r}. Set warm_start=False, or leave normalization as it was."
            )
        for each, of in zip(net.nets, networks):
            each.begin_at(of.coefs, of.intercepts, of.normalizations, of.tables)

    def _reset(self) -> None:
        self.n_iter_, self.t_ = 0, 0
        self.history_ = []
        if self.solver != "lbfgs":
            self.loss_curve_: list[float] = []
            self._no_improvement_count = 0
            watched = self.early_stopping or self._validation is not None
            self.validation_scores_ = [] if watched else None
            self.best_validation_score_ = -math.inf if watched else None
            self.best_loss_ = None if watched else math.inf
            return
        for name in ("validation_scores_", "best_validation_score_"):
            self.__dict__.pop(name, None)  # of a fit before

    def _begin_to_watch(self) -> None:
        """Nothing has been judged yet."""
        self._no_improvement_count, self.validation_scores_, self.best_validation_score_ = 0, [], -math.inf

    def _data(self, net: Members, X: Any, goal: Goal, w: np.ndarray | None) -> tuple[Data, OwnLoss | None]:
        """Rows and targets as native code takes them; those of a loss of your own are its slopes."""
        first = net.nets[0]
        if not callable(goal.loss):
            return first.data(X, goal.codes, goal.numbers, w, self._smoothing), None
        own_loss = OwnLoss(goal.loss, goal.truth(net.dtype), w, type(self).__name__)
        return first.data(X, numbers=own_loss.slopes, weight=w), own_loss

    def _minimize(self, net: Members, X: Any, goal: Goal, w: np.ndarray | None) -> None:
        """L-BFGS over all rows; rows of your own judge each step, if there are any."""
        data, own_loss = self._data(net, X, goal, w)
        judge = None if self._validation is None else self._set_aside(X, goal, w, None)[3]
        self._minimize_by(net, lambda theta: net.value_gradient(data, own_loss, self.alpha, theta), judge)

    def _minimize_by(self, net: Members, value_gradient: Any, judge: Any) -> None:
        """L-BFGS by a function of the parameters that gives the objective and its gradient."""
        from sklearn.exceptions import ConvergenceWarning

        keeper = _Keeper(net, None)
        self.history_ = []

        best: list[Any] = [math.inf, net.theta.copy()]
        slopes = np.zeros(len(net.theta))

        def objective(theta: np.ndarray) -> float:
            value, grad = value_gradient(theta)
            if value < best[0]:
                best[:] = value, theta.copy()
            slopes[:] = grad
            return float(value)

        try:
            result = self._minimum(objective, slopes, net, judge, keeper)
        except KeyboardInterrupt:
            self._interrupted()
            net.theta[:], self.loss_, self.n_iter_ = best[1], best[0] / self.members, len(self.history_)
            keeper.settle(best=judge is not None)
            return
        net.theta[:] = result.x
        self.loss_, self.n_iter_ = float(result.fun) / self.members, min(int(result.nit), self.max_iter)
        keeper.settle(best=judge is not None)
        if result.status not in (0, STOPPED_BY_US) and np.isfinite(result.fun):
            limit = "max_fun" if result.nfev >= self.max_fun else "max_iter"
            warn_user(
                f"{type(self).__name__}: lbfgs failed to converge after {result.nit} iteration(s) (status="
                f"{result.status}): {result.message}. Raise {limit}, or scale the columns (scale='standard').",
                ConvergenceWarning,
            )

    def _minimum(self, objective: Any, slopes: np.ndarray, net: Members, judge: Any, keeper: _Keeper) -> Any:
        """SciPy's result; it asks for the gradient ``slopes`` where it has just asked for the objective."""
        from scipy.optimize import minimize

        if judge is not None:
            self._begin_to_watch()
        with progress(self.max_iter, f"{type(self).__name__}: steps of L-BFGS") as bar:

            def watch(intermediate_result: Any) -> None:
                number, score = len(self.history_) + 1, None
                self.loss_ = float(intermediate_result.fun) / self.members
                if judge is not None:
                    net.theta[:] = intermediate_result.x
                    score = judge(keeper.theta)
                self.history_.append(Epoch(number, self.loss_, 1.0, score))
                bar.advance()
                if self.verbose:
                    print(f"Iteration {number}, loss = {self.loss_:.8f}")
                if score is not None:
                    self._count(score, keeper)
                    if self._no_improvement_count > self.n_iter_no_change:
                        raise StopIteration

            return minimize(
                objective,
                net.theta.astype(np.float64),
                method="L-BFGS-B",
                jac=lambda _: slopes,
                callback=watch,
                options={"maxfun": self.max_fun, "maxiter": self.max_iter, "gtol": self.tol},
            )

    def _interrupted(self) -> None:
        warn_user(
            f"{type(self).__name__}: Training interrupted by user. The best weights so far are kept.",
            UserWarning,
        )

    def _descend(
        self,
        net: Members,
        X: Any,
        goal: Goal,
        w: np.ndarray | None,
        random: np.random.RandomState,
        incremental: bool,
        run: _Run,
    ) -> None:
        """Passes over the rows in batches until nothing gets better."""
        who = type(self).__name__
        if incremental and self.early_stopping:
            raise ParameterError(
                f"{who}: partial_fit does not support early_stopping=True, since it makes one pass."
            )
        X, goal, w, judge = self._set_aside(X, goal, w, random)
        (data, own_loss), n = self._data(net, X, goal, w), X.shape[0]
        batch_size = self._batch_rows(n)
        state, rule = self._begin_steps(net, incremental), self._rule()
        order, epochs = np.arange(n), 1 if incremental else self.max_iter
        batches = -(-n // batch_size)
        seed = int(random.randint(2**31)) if any(self._shares_left_out(len(net.sizes) - 2)) else 0
        keeper = self._keeper(net)
        self.n_iter_ = 0
        if run.left is not None:
            order = self._go_on(run.left, net, state, keeper, random)
        try:
            with progress(epochs, f"{who}: passes over the rows") as bar:
                if self.n_iter_:
                    bar.advance(self.n_iter_)
                for number in range(self.n_iter_ + 1, epochs + 1):
                    if self.shuffle:
                        mixed = np.arange(n)
                        random.shuffle(mixed)
                        order = order[mixed]
                    rates = rates_of(self._schedule, state.learning_rate, number, epochs, batches)
                    loss = net.epoch(
                        data,
                        own_loss,
                        rule,
                        order,
                        batch_size,
                        rates,
                        state.moment,
                        state.square,
                        state.t,
                        seed,
                    )
                    state.t += batches
                    ends = self._after_pass(number, n, loss, float(rates[-1]), judge, keeper, state)
                    bar.advance()
                    if ends:
                        break
                    if number == self.max_iter and not incremental:
                        self._unfinished()
                    elif run.file:
                        run.file.write(self._state(run, net, state, keeper, random, order))
            run.file.remove()
        except KeyboardInterrupt:
            self._interrupted()
        keeper.settle(best=judge is not None)

    def _begin_steps(self, net: Members, incremental: bool = False) -> Optimizer:
        """Where the optimiser begins, or goes on."""
        state = vars(self).get("_optimizer", Optimizer())
        if not incremental or len(state.moment) != len(net.theta) or state.moment.dtype != net.dtype:
            state = Optimizer(self.learning_rate_init, 0, np.zeros_like(net.theta), np.zeros_like(net.theta))
        self._optimizer = state
        return state

    def _keeper(self, net: Members) -> _Keeper:
        return _Keeper(net, self.average)

    def _after_pass(
        self, number: int, n: int, loss: float, rate: float, judge: Any, keeper: _Keeper, state: Optimizer
    ) -> bool:
        """Note what a pass over n rows brought, and change the rate; whether it was the last."""
        self.loss_, self.n_iter_, self.t_ = loss, number, self.t_ + n
        self.loss_curve_.append(loss)
        keeper.add(number)
        score = None if judge is None else judge(keeper.theta)
        self.history_.append(Epoch(len(self.history_) + 1, loss, rate, score))
        self._report(score)
        self._count(score, keeper)
        if self.learning_rate == "invscaling" and self.solver == "sgd":
            state.learning_rate = self.learning_rate_init / (self.t_ + 1) ** self.power_t
        if isinstance(self.learning_rate, AdaptiveRate):
            state.learning_rate = self.learning_rate.changed(state.learning_rate, self.loss_curve_)
        if self._no_improvement_count > self.n_iter_no_change:
            slows = self.solver == "sgd" and self.learning_rate == "adaptive"
            if not slows or state.learning_rate <= SMALLEST_RATE:
                return True
            state.learning_rate /= 5.0
            self._no_improvement_count = 0
        return not math.isfinite(loss)  # more passes do not bring it back

    # ------------------------------------------------------------------ blocks

    def _learn_from(self, source: Source) -> None:
        self.__dict__.pop("target_names_", None)
        try:
            learn_from_blocks(self, source)
        finally:
            self.__dict__.pop("_class_factors", None)
            self.__dict__.pop("_smoothing", None)

    def _fit_on_dask(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, validation: Any, checkpoint: Any
    ) -> Any:
        """Learn from the partitions of a Dask collection."""
        self._check_parameters()
        in_memory = {"groups": groups, "validation": validation, "checkpoint": checkpoint}
        for name in [name for name, value in in_memory.items() if value is not None]:
            raise ParameterError(
                f"{type(self).__name__}: {name} needs the rows in memory, X is a Dask collection. Leave it out."
            )
        self._fit_dask(X, y, sample_weight)
        return self

    def _sums_of_target(self, y: np.ndarray, w: np.ndarray | None) -> tuple[ColumnSums, np.ndarray]:
        """Of a block: means and squares of numbers, and the weight of the rows of each class."""
        raise TypeError(f"{type(self).__name__} must define _sums_of_target")

    def _learn_from_survey(self, classes: np.ndarray, target: ColumnSums) -> None:
        """Keep what the sums over all blocks say of the target."""

    def _goal_of_block(self, y: np.ndarray) -> Goal:
        """What is learned of the rows of a block."""
        raise TypeError(f"{type(self).__name__} must define _goal_of_block")

    def _weights_of_block(self, block: Block) -> np.ndarray | None:
        """What the rows of a block count."""
        return block.w

    @property
    def _schedule(self) -> str:
        """The rates within a pass."""
        return self.learning_rate if isinstance(self.learning_rate, str) else "constant"

    def _state(
        self,
        run: _Run,
        net: Members,
        optimizer: Optimizer,
        keeper: _Keeper,
        random: np.random.RandomState,
        order: np.ndarray,
    ) -> State:
        """Everything that the passes to come depend on."""
        arrays = {
            "theta": net.theta,
            "moment": optimizer.moment,
            "square": optimizer.square,
            "order": order,
        }
        arrays |= {
            name: part for name, part in (("mean", keeper.mean), ("best", keeper.best)) if part is not None
        }
        state = State(
            arrays,
            {
                "rate": optimizer.learning_rate,
                "steps": optimizer.t,
                "averaged": keeper.passes,
                "history": [[e.number, e.loss, e.rate, e.score] for e in self.history_],
                **{name: getattr(self, name) for name in RESUMED},
            },
        )
        add_random_state(state, run.first, "first")
        add_random_state(state, random.get_state(legacy=False), "now")
        return state

    def _go_on(
        self,
        left: State,
        net: Members,
        optimizer: Optimizer,
        keeper: _Keeper,
        random: np.random.RandomState,
    ) -> np.ndarray:
        """Take over what a killed fit left; the order of the rows in its last pass."""
        arrays, plain = left.arrays, left.plain
        net.theta[:] = arrays["theta"]
        optimizer.moment[:], optimizer.square[:] = arrays["moment"], arrays["square"]
        optimizer.learning_rate, optimizer.t = plain["rate"], plain["steps"]
        keeper.mean, keeper.best, keeper.passes = arrays.get("mean"), arrays.get("best"), plain["averaged"]
        self.history_ = [Epoch(*record) for record in plain["history"]]
        for name in RESUMED:
            setattr(self, name, plain[name])
        set_random_state(random, left, "now")
        return arrays["order"]

    def _unfinished(self) -> None:
        from sklearn.exceptions import ConvergenceWarning

        if self.learning_rate not in ("cosine", "one_cycle", "cycles"):  # these end with the last pass
            warn_user(
                f"{type(self).__name__}: Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the "
                "optimization hasn't converged yet. Raise max_iter or tol, or scale the columns.",
                ConvergenceWarning,
            )

    def _report(self, score: float | None) -> None:
        if self.verbose:
            print(f"Iteration {self.n_iter_}, loss = {self.loss_:.8f}")
            if score is not None:
                print(f"Validation score: {score:f}")

    def _count(self, score: float | None, keeper: _Keeper) -> None:
        """How many passes in turn brought no improvement; keep the weights of the best score."""
        if score is None or self.best_validation_score_ is None or self.validation_scores_ is None:
            best = math.inf if self.best_loss_ is None else self.best_loss_
            self._no_improvement_count += 1 if self.loss_ > best - self.tol else -self._no_improvement_count
            self.best_loss_ = min(best, self.loss_)
            return
        self.validation_scores_.append(score)
        worse = score < self.best_validation_score_ + self.tol
        self._no_improvement_count += 1 if worse else -self._no_improvement_count
        if score > self.best_validation_score_:
            self.best_validation_score_ = score
            keeper.keep_best()

    def _rule(self) -> Any:
        """The numbers of the native Rule."""
        sgd = self.solver == "sgd"
        name = "nesterov" if sgd and self.nesterovs_momentum else self.solver
        return native.Rule(
            optimizer=OPTIMIZERS[name],
            alpha=float(self.alpha),
            first=float(self.momentum if sgd else self.beta_1),
            second=float(self.beta_2),
            epsilon=float(self.epsilon),
            clip=float(self.clip or 0.0),
        )

    def _batch_rows(self, n: int) -> int:
        if self.batch_size == "auto":
            return min(USUAL_BATCH, n)
        if self.batch_size > n:
            warn_user(
                f"{type(self).__name__}: Got `batch_size` less than 1 or larger than sample size. It is going to be "
                f"clipped to {n}.",
                UserWarning,
            )
        return min(int(self.batch_size), n)

    def _set_aside(
        self, X: Any, goal: Goal, w: np.ndarray | None, random: np.random.RandomState | None
    ) -> tuple[Any, Goal, np.ndarray | None, Any]:
        """The rows to learn from, and a function of the parameters that scores the validation rows."""
        if self._validation is not None:
            others, truth = self._validation
            return X, goal, w, self._judge(self._scaled(others), truth, None)
        if not self.early_stopping or random is None:
            return X, goal, w, None
        train, test = self._divided(X.shape[0], goal, random)
        if len(test) < FEWEST_FOR_VALIDATION:
            raise DataError(
                f"{type(self).__name__}: The validation set is too small. Increase 'validation_fraction' or the size "
                "of your dataset."
            )
        weights = (None, None) if w is None else (w[train], w[test])
        judge = self._judge(X[test], goal.take(test), weights[1])
        return X[train], goal.take(train), weights[0], judge

    def _divided(self, n: int, goal: Goal, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Rows to learn from and to judge by; a plain draw is scikit-learn's."""
        if self._groups is not None or self.validation_split == "last":
            return held_out(
                n,
                self.validation_fraction,
                np.random.default_rng(random.randint(2**31)),
                type(self).__name__,
                groups=self._groups,
                split=self.validation_split,
            )
        return drawn_rows(n, self.validation_fraction, random, goal.stratify, type(self).__name__)

    def _watched_by(self, groups: Any, validation: Any, checkpoint: Any) -> None:
        """Refuse groups where no rows are set aside, and a checkpoint of what cannot go on."""
        if groups is not None and (validation is not None or not self.early_stopping):
            raise ParameterError(
                f"{type(self).__name__}: groups say which rows are set aside together, which early_stopping=True does "
                "and a validation set of your own does not. Leave groups out, or set early_stopping=True."
            )
        if groups is not None and self.solver == "lbfgs":
            raise ParameterError(
                f"{type(self).__name__}: groups are for the solvers {', '.join(STOCHASTIC)}; lbfgs sets no rows aside. "
                "Give validation=(X, y), which it heeds, or set solver='adam'."
            )
        if checkpoint is not None and self.solver == "lbfgs":
            raise ParameterError(
                f"{type(self).__name__}: checkpoint is for the solvers {', '.join(STOCHASTIC)}; lbfgs cannot go on in "
                "the middle."
            )
        self._groups, self._checkpoint = groups, checkpoint

    def _let_go(self) -> None:
        """Forget what was given to one fit alone."""
        self.__dict__.pop("_validation", None)
        self.__dict__.pop("_groups", None)
        self.__dict__.pop("_checkpoint", None)

    def _resumed(
        self, X: Any, goal: Goal, w: np.ndarray | None, random: np.random.RandomState
    ) -> tuple[Checkpoint, State | None]:
        """The file of the fit, and the state that a killed one left; ``random`` is where that one began."""
        who = type(self).__name__
        if self._checkpoint is None:
            return Checkpoint(None, who, ""), None
        parameters = {name: v for name, v in self.get_params(deep=False).items() if name != "verbose"}
        arrays = [X, goal.codes, goal.numbers, w]
        if self._groups is not None:
            arrays.append(np.unique(np.asarray(self._groups), return_inverse=True)[1])
        if self._validation is not None:
            others, truth = self._validation
            arrays += [others, truth.codes, truth.numbers]
        file = Checkpoint(self._checkpoint, who, fingerprint({"learner": who, **parameters}, *arrays))
        state = file.read()
        if state is not None:
            set_random_state(random, state, "first")
        return file, state

    def _judge(self, X: Any, goal: Goal, w: np.ndarray | None) -> Any:
        def score(net: Members, theta: np.ndarray) -> float:
            outputs = self._values_at(net, theta, X, goal.output)
            return self._score_of(outputs, goal, w) if np.isfinite(outputs).all() else math.nan

        return lambda pair: score(*pair)

    def _score_of(self, outputs: np.ndarray, goal: Goal, w: np.ndarray | None) -> float:
        raise TypeError(f"{type(self).__name__} must define _score_of")

    # ------------------------------------------------------------------ answers

    def _outputs(self, X: Any) -> np.ndarray:
        """(n, K) the values of the output units, the mean over the members."""
        names = self._names_of_activations(len(self.coefs_) - 1)
        return mean_output(self._networks, self._scaled(X), names, self.out_activation_)

    def hidden(self, X: Any, layer: int = -1) -> np.ndarray:
        """(n, H) the values of the units of a hidden layer: a nonlinear map of the rows to H dimensions.

        Units of several members stand side by side.

        Parameters
        ----------
        X : table
        layer : int, default -1
            Which hidden layer, from 0 on; -1 is the last.
        """
        names, inputs = (
            self._names_of_activations(len(self.coefs_) - 1),
            self._scaled(self._admit_to_answer(X)),
        )
        layers = len(self.coefs_) - 1
        if not -layers <= layer < layers:
            raise ParameterError(
                f"{type(self).__name__}.hidden: layer must be from 0 to {layers - 1}, or from the end, "
                f"got {layer}."
            )
        values = [
            network.values(inputs, names, self.out_activation_, keep=True)[:-1][layer]
            for network in self._networks
        ]
        return values[0] if len(values) == 1 else np.hstack(values)

    @property
    def n_parameters_(self) -> int:
        """How many weights, biases, gains, shifts and numbers of categories there are: for one hidden layer
        H (d + 1) + K (H + 1)."""
        gains = sum(each.gain.size + each.shift.size for each in self._normalizations)
        parts = [*self.coefs_, *self.intercepts_, *vars(self).get("embeddings_", [])]
        return sum(part.size for part in parts) + gains

    def _contributions_of(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, p, K) what each column adds to the (mean) scores, and (K,) the scores at the baseline."""
        names = self._names_of_activations(len(self.coefs_) - 1)
        each = [self._contributions_to(network, inputs, names) for network in self._networks]
        if len(each) == 1:
            return each[0]
        return np.mean([adds for adds, _ in each], axis=0), np.mean([base for _, base in each], axis=0)

    def _contributions_to(
        self, network: Layers, inputs: np.ndarray, names: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        layers = network.coefs, network.intercepts, names, network.normalizations
        columns, start = vars(self).get("category_columns_"), self.baseline_
        if columns is not None:
            inputs, start = (
                with_categories(inputs, network.tables),
                columns.mean_inputs(start, network.tables),
            )
        adds, base = integrated_gradients(inputs, start, *layers)
        numbers = len(self.baseline_)
        if hasattr(self, "scaling_"):
            gathered = self.scaling_.gathered(adds[:, :numbers])
            adds = np.concatenate([gathered, adds[:, numbers:]], axis=1)
        if columns is not None:
            adds = columns.gathered(adds, network.tables[0].shape[1])
        return adds, base

    def _unit_reasons(self, X: Any, outputs: Sequence[str], chosen: np.ndarray) -> Reasons:
        """The columns' contributions by integrated gradients, and the hidden units that weigh most in the score."""
        inputs, networks = dense_block(self._scaled(X)), self._networks
        names = self._names_of_activations(len(self.coefs_) - 1)
        values = [network.values(inputs, names, "identity", keep=True) for network in networks]
        k, below = len(networks), [with_categories(inputs, network.tables) for network in networks]
        last = np.hstack([each[-2] if len(each) > 1 else rows for each, rows in zip(values, below)])
        V = np.concatenate([network.coefs[-1] for network in networks]) / k
        biases = np.mean([network.intercepts[-1] for network in networks], axis=0)
        scores = np.mean([each[-1] for each in values], axis=0)
        units = None
        if k > 1:
            units = [f"unit {h} of member {m}" for m in range(k) for h in range(len(V) // k)]

        def sections(i: int) -> list[Section]:
            o = int(chosen[i])
            return [
                units_that_weigh(last[i], V[:, o], float(biases[o]), float(scores[i, o]), outputs[o], units)
            ]

        def contributions(rows: np.ndarray) -> Any:
            adds, base = self._contributions_of(inputs[rows])
            return self._contributions(adds, base, outputs, chosen[rows])

        return Reasons(sections, contributions)


@dataclass(frozen=True)
class _Run:
    """The file of a fit, the state it was found with, and the source of random numbers as it was at first."""

    file: Checkpoint
    left: State | None
    first: Any


def add_random_state(state: State, source: Any, name: str) -> None:
    """Put the state of a RandomState into that of a fit."""
    state.arrays[f"{name}_key"] = source["state"]["key"]
    state.plain[name] = [
        source["bit_generator"],
        int(source["state"]["pos"]),
        int(source["has_gauss"]),
        float(source["gauss"]),
    ]


def set_random_state(random: np.random.RandomState, state: State, name: str) -> None:
    """Bring a RandomState to where it was."""
    kind, position, drawn, normal = state.plain[name]
    key = state.arrays[f"{name}_key"]
    random.set_state((kind, key, position, drawn, normal))


class _Keeper:
    """The parameters to answer with: those of now, their mean over passes, or the best so far."""

    def __init__(self, net: Members, average: int | None):
        self.net, self.average = net, average
        self.mean: np.ndarray | None = None
        self.best: np.ndarray | None = None
        self.passes = 0

    def add(self, number: int) -> None:
        if self.average is not None and number >= self.average:
            self.passes += 1
            if self.mean is None:
                self.mean = self.net.theta.copy()
            else:
                self.mean += (self.net.theta - self.mean) / self.passes

    @property
    def theta(self) -> tuple[Members, np.ndarray]:
        return self.net, self.net.theta if self.mean is None else self.mean

    def keep_best(self) -> None:
        self.best = self.theta[1].copy()

    def settle(self, best: bool) -> None:
        """Write the parameters to answer with into the network."""
        chosen = self.best if best and self.best is not None else self.theta[1]
        if chosen is not self.net.theta:
            self.net.theta[:] = chosen


def units_that_weigh(
    values: np.ndarray,
    weights: np.ndarray,
    bias: float,
    total: float,
    output: str,
    names: Sequence[str] | None = None,
) -> Section:
    """The hidden units whose values times weights are the largest parts of a score.

    Parameters
    ----------
    values, weights : (H,) of the units of the last hidden layer, and to the score
    bias, total, output : of the score, the score itself, and what it is
    names : of the units; None counts them
    """
    adds = values * weights
    order = np.argsort(-np.abs(adds), kind="stable")[:UNITS_NAMED]
    lines: list[list[Any]] = [
        [f"unit {h}" if names is None else names[h], float(values[h]), float(weights[h]), float(adds[h])]
        for h in order
    ]
    note = (
        f"All {len(adds)} units of the last hidden layer together: {float(adds.sum()):.6g}, bias {bias:.6g}, "
        f"{output}: {total:.6g}."
    )
    return Section("Hidden units that weigh most", ["unit", "value", "weight", "product"], lines, note)


def _column_means(X: Any, w: np.ndarray | None) -> np.ndarray:
    """(p,) the (weighted) means of the inputs."""
    if w is None:
        return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    return np.asarray((w / w.sum()) @ X, dtype=np.float64).ravel()
