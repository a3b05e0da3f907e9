"""What the two tabular networks share: parameters with defaults by the number of rows, learning, answers, reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Reasons
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Accepted, Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer, Object
from assay.errors import DegenerateError, ParameterError, warn_user
from assay.neural.checkpoint import Checkpoint, State, fingerprint
from assay.neural.dense_net import forward
from assay.neural.held_out import SPLITS, held_out
from assay.neural.integrated_gradients import integrated_gradients
from assay.neural.mlp import Epoch
from assay.neural.schedules import cycle_ends, rates_of
from assay.neural.tabular_inputs import TabularInputs
from assay.neural.tabular_network import TabularNetwork
from assay.types import PathLike

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["TabularGoal", "TabularNet"]

Block = tuple[np.ndarray, np.ndarray, np.ndarray]

WAVES, WIDTH, CATEGORY_WIDTH = 16, 3, 8  # of the embeddings of numbers and of categories
MOST_EMBEDDED = 200  # columns of numbers beyond which they are not embedded
FEWEST_EMBEDDED = 500  # rows to learn from, below which waves mostly learn noise (docs/networks.md)
FEWEST_OF_COLUMN = 100  # such rows for each column of numbers, if that is less
USUAL_BATCH = 256  # rows of a step, if there are as many
FEWEST_PASSES, MOST_PASSES = 16, 128
ROWS_OF_ALL_PASSES = 2**19  # rows that all passes together see, within these bounds
UNJUDGED_STEPS = 128  # steps of all passes over few rows of which none judge
FEWEST_ROWS_TO_JUDGE = 4  # below, no rows are set aside
DIVERGED = 1e3  # times the loss of the first pass
ROWS_AT_ONCE = 2**14  # rows of one native call, after which Ctrl-C is heard


@dataclass(frozen=True)
class TabularGoal:
    """What is learned of each row: classes (codes) or numbers, and the kind of output that goes with it."""

    output: str
    loss: str
    width: int
    codes: np.ndarray | None = None
    numbers: np.ndarray | None = None
    parameter: float = 0.0
    smoothing: float = 0.0
    start: np.ndarray | None = None  # (K,) the first output, before its link

    def targets(self, rows: np.ndarray, w: np.ndarray | None) -> Any:
        """The goal of some rows as native code takes it."""
        return TabularNetwork.targets(
            None if self.codes is None else self.codes[rows],
            None if self.numbers is None else self.numbers[rows],
            None if w is None else w[rows],
            self.smoothing,
        )


@dataclass(frozen=True)
class _Run:
    """The file of a fit, the state it was found with, and the seed it began with."""

    file: Checkpoint
    left: State | None
    seed: int


class TabularNet(_Learner):
    """Mixin of the tabular networks; stands before the base of classifiers or regressors."""

    takes: ClassVar[frozenset[str]] = frozenset({"nominal", "missing"})
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "hidden_layer_sizes": Any_(
            "a list of whole numbers from 1 up",
            lambda v: (
                not isinstance(v, str)
                and np.iterable(v)
                and len(list(v)) > 0
                and all(isinstance(h, (int, np.integer)) and not isinstance(h, bool) and h >= 1 for h in v)
            ),
        ),
        "members": Count(),
        "embedding": Choice("auto", "periodic") | None,
        "learning_rate_init": Range(0, open="low"),
        "alpha": Range(0),
        "dropout": Range(0, 0.99),
        "batch_size": Choice("auto") | Count(),
        "max_iter": Choice("auto") | Count(),
        "early_stopping": Choice("auto") | Flag(),
        "validation_fraction": Range(0, 1, open="both"),
        "validation_split": Choice(*SPLITS),
        "random_state": Seed(),
        "verbose": Count(0) | Flag(),
    }
    stored = {
        "inputs_": Object(TabularInputs),
        "network_": Object(TabularNetwork),
        "baseline_": FloatArray("*", finite=True),
        "best_iter_": Integer(low=1),
        "history_": Each(Object(Epoch)),
    }

    _enough_to_set_aside: ClassVar[int]  # rows from which early_stopping="auto" sets some aside
    hidden_layer_sizes: Sequence[int]
    members: int
    embedding: str | None
    learning_rate_init: float
    alpha: float
    dropout: float
    batch_size: Any
    max_iter: Any
    early_stopping: Any
    validation_fraction: float
    validation_split: str
    random_state: Any
    verbose: Any
    inputs_: TabularInputs
    network_: TabularNetwork
    baseline_: np.ndarray
    history_: list[Epoch]

    # ------------------------------------------------------------------ learning

    def _train(
        self,
        X: np.ndarray,
        goal: TabularGoal,
        w: np.ndarray | None,
        groups: Any = None,
        validation: tuple[np.ndarray, TabularGoal] | None = None,
        checkpoint: PathLike | None = None,
    ) -> None:
        """Learn from a block of numbers and codes."""
        if w is not None:  # only what rows count beside each other matters
            w = w / w.max()
            w /= w[w > 0].mean()
        first_seed = int(random_state_of(self.random_state).randint(2**31))
        file, left = self._resumed(checkpoint, X, goal, w, groups, validation)
        if left is not None:
            first_seed = left.plain["seed"]
        random = np.random.default_rng(first_seed)
        self.inputs_ = TabularInputs.learn(X, self.schema_)
        block = self.inputs_.apply(X)
        learn, judge = self._divided(len(X), goal, w, random, groups, validation)
        self.network_ = self._drawn_network(goal, random, len(learn))
        others = (
            (self.inputs_.apply(validation[0]), validation[1], None)
            if validation is not None
            else (
                tuple(part[judge] for part in block),
                goal_of_rows(goal, judge),
                None if w is None else w[judge],
            )
        )
        with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
            run = _Run(file, left, first_seed)
            self._descend(block, goal, w, learn, others if len(others[0][0]) else None, random, run)
        first = self.network_.first_inputs(block).astype(np.float64)
        self.baseline_ = np.average(first, axis=0, weights=w)

    def _divided(
        self,
        n: int,
        goal: TabularGoal,
        w: np.ndarray | None,
        random: np.random.Generator,
        groups: Any,
        validation: Any,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows to learn from and rows to judge by; rows without weight do neither."""
        who = type(self).__name__
        rows = np.arange(n) if w is None else np.flatnonzero(w > 0)
        if groups is not None and (validation is not None or not self.early_stopping):
            raise ParameterError(
                f"{who}: groups say which rows are set aside together; with a validation set of your own, or "
                "early_stopping=False, none are. Leave groups out."
            )
        few = self.early_stopping == "auto" and len(rows) < self._enough_to_set_aside and groups is None
        nothing = rows[:0]
        if validation is not None or not self.early_stopping or few:
            return rows, nothing
        learn, judge = held_out(
            len(rows),
            self.validation_fraction,
            random,
            who,
            None if goal.codes is None else goal.codes[rows],
            None if groups is None else np.asarray(groups)[rows],
            self.validation_split,
        )
        if len(judge) < FEWEST_ROWS_TO_JUDGE or not len(learn):
            return rows, nothing
        return rows[learn], rows[judge]

    def _drawn_network(self, goal: TabularGoal, random: np.random.Generator, n: int) -> TabularNetwork:
        p = len(self.inputs_.numbers)
        enough = n >= min(FEWEST_EMBEDDED, FEWEST_OF_COLUMN * p) and p <= MOST_EMBEDDED
        embeds = self.embedding == "periodic" or (self.embedding == "auto" and enough)
        network = TabularNetwork(
            p,
            self.inputs_.plain_width,
            self.inputs_.tables.astype(np.int64),
            WAVES if embeds else 0,
            WIDTH if embeds else 0,
            CATEGORY_WIDTH,
            self.members,
            np.array([*self.hidden_layer_sizes, goal.width], dtype=np.int64),
            goal.output,
            goal.loss,
            float(goal.parameter),
        )
        network.draw(random)
        if goal.start is not None:
            network.parts()["c"][:] = goal.start
        return network

    def _descend(
        self,
        block: Block,
        goal: TabularGoal,
        w: np.ndarray | None,
        learn: np.ndarray,
        others: tuple[Block, TabularGoal, np.ndarray | None] | None,
        random: np.random.Generator,
        run: _Run,
    ) -> None:
        """Passes in cycles of the rate; the parameters of the pass that judged best are kept."""
        who, net, n = type(self).__name__, self.network_, len(learn)
        rows, rule = net.rows(block), net.rule(self.alpha, clip=1.0)
        targets = goal.targets(np.arange(len(block[0])), w)
        batch = self._batch_rows(n)
        epochs = self._passes(n, -(-n // batch), others is not None)
        batches, moment, square = -(-n // batch), np.zeros_like(net.theta), np.zeros_like(net.theta)
        seed, ends, before = int(random.integers(2**31)), set(cycle_ends(epochs)), math.inf
        best, kept = math.inf, net.theta.copy()
        self.history_, self.best_iter_ = [], 1
        if run.left is not None:
            arrays, plain = run.left.arrays, run.left.plain
            net.theta[:], kept = arrays["theta"], arrays["kept"]
            moment[:], square[:] = arrays["moment"], arrays["square"]
            best, before, self.best_iter_ = plain["best"], plain["before"], plain["best_iter"]
            self.history_ = [Epoch(*record) for record in plain["history"]]
            random.bit_generator.state = plain["random"]
        done = len(self.history_)
        calls = max(1, ROWS_AT_ONCE // batch)  # batches of a native call
        try:
            with progress(epochs, f"{who}: passes over the rows") as bar:
                if done:
                    bar.advance(done)
                for number in range(done + 1, epochs + 1):
                    order = learn[random.permutation(n)]
                    rates = rates_of("cycles", self.learning_rate_init, number, epochs, batches)
                    loss = 0.0
                    for at in range(0, batches, calls):
                        part = order[at * batch : (at + calls) * batch]
                        t = (number - 1) * batches + at
                        steps = rates[at : at + calls]
                        loss += len(part) * net.epoch(
                            rows, targets, rule, part, batch, steps, moment, square, t, self.dropout, seed
                        )
                    loss /= n
                    judged = None if others is None else self._loss_of(net.answers(others[0]), *others[1:])
                    if not (np.isfinite(net.theta).all() and math.isfinite(loss)):
                        best = math.inf if others is None else best
                        break  # more passes do not bring them back
                    self.history_.append(
                        Epoch(number, loss, float(rates.max()), None if judged is None else -judged)
                    )
                    if self.verbose:
                        print(
                            f"Pass {number}, loss = {loss:.6f}"
                            + (f", validation {judged:.6f}" if judged else "")
                        )
                    bar.advance()
                    if judged is None or judged < best:
                        best, self.best_iter_ = (judged if judged is not None else loss), number
                        kept[:] = net.theta
                    if judged is not None and number in ends:
                        if not best < before:  # a cycle that brought nothing
                            break
                        before = best
                    if run.file:
                        arrays = {"theta": net.theta, "kept": kept, "moment": moment, "square": square}
                        plain = {
                            "best": best,
                            "before": before,
                            "best_iter": self.best_iter_,
                            "history": [[e.number, e.loss, e.rate, e.score] for e in self.history_],
                            "random": random.bit_generator.state,
                            "seed": run.seed,
                        }
                        run.file.write(State(arrays, plain))
            run.file.remove()
        except KeyboardInterrupt:
            warn_user(f"{who}: Training interrupted by user. The best weights so far are kept.", UserWarning)
            if not self.history_ and np.isfinite(net.theta).all():
                best, kept[:] = 0.0, net.theta  # in the middle of the first pass
        first = self.history_[0].loss if self.history_ else 0.0
        if not best < DIVERGED * max(first, 1.0):
            raise DegenerateError(
                f"{who}: the loss grew beyond all bounds. Lower learning_rate_init (now {self.learning_rate_init:g})."
            )
        net.theta[:] = kept
        self.n_iter_ = len(self.history_)

    def _resumed(
        self, path: PathLike | None, X: np.ndarray, goal: TabularGoal, w: Any, groups: Any, validation: Any
    ) -> tuple[Checkpoint, State | None]:
        """The file of the fit, and the state that a killed one left."""
        who = type(self).__name__
        if path is None:
            return Checkpoint(None, who, ""), None
        parameters = {name: v for name, v in self.get_params(deep=False).items() if name != "verbose"}
        arrays = [X, goal.codes, goal.numbers, w]
        if groups is not None:
            arrays.append(np.unique(np.asarray(groups), return_inverse=True)[1])
        if validation is not None:
            arrays += [validation[0], validation[1].codes, validation[1].numbers]
        file = Checkpoint(path, who, fingerprint({"learner": who, **parameters}, *arrays))
        return file, file.read()

    def _batch_rows(self, n: int) -> int:
        return min(USUAL_BATCH if self.batch_size == "auto" else int(self.batch_size), n)

    def _passes(self, n: int, batches: int, judged: bool) -> int:
        if self.max_iter != "auto":
            return int(self.max_iter)
        if not judged and n < self._enough_to_set_aside:
            return max(FEWEST_PASSES, UNJUDGED_STEPS // batches)
        return int(np.clip(ROWS_OF_ALL_PASSES // n, FEWEST_PASSES, MOST_PASSES))

    def _loss_of(self, outputs: np.ndarray, goal: TabularGoal, w: np.ndarray | None) -> float:
        raise TypeError(f"{type(self).__name__} must define _loss_of")

    # ------------------------------------------------------------------ answers

    def _check_stored(self) -> None:
        if not all(name in vars(self) for name in ("inputs_", "network_", "n_features_in_", "schema_")):
            return  # not fitted
        inputs, net = self.inputs_, self.network_
        inputs.check(self.n_features_in_)
        counts = self.schema_.category_counts(ordered=False)
        if not np.array_equal(inputs.levels, counts[np.concatenate([inputs.indicated, inputs.embedded])]):
            raise ValueError("inputs_ does not have the categories of the columns")
        expected = (len(inputs.numbers), inputs.plain_width)
        if (net.numbers, net.plain) != expected or not np.array_equal(net.levels, inputs.tables):
            raise ValueError("network_ does not take the inputs of the model")
        if len(net.sizes) < 2 or len(net.theta) != net.n_parameters or net.theta.dtype != np.float32:
            raise ValueError("network_ does not have the parameters of its layers")
        if "baseline_" in vars(self) and len(self.baseline_) != net.inputs:
            raise ValueError("baseline_ is not of the inputs of the network")

    def _outputs(self, X: np.ndarray) -> np.ndarray:
        """(n, K) the mean of the members' answers."""
        with one_blas_thread():
            return self.network_.answers(self.inputs_.apply(X))

    @property
    def n_parameters_(self) -> int:
        """How many numbers the network has learned."""
        return self.network_.n_parameters

    def _members_on(self, inputs: np.ndarray, output: str) -> np.ndarray:
        """(k, n, K) what each member says of rows, as the first layer sees them."""
        relus = ["relu"] * (len(self.network_.sizes) - 1)
        members = range(self.network_.members)
        return np.stack([forward(inputs, *self.network_.member(m), relus, output)[0] for m in members])

    def _mean_contributions(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, d, K) what each column adds to the members' mean score, by integrated gradients, and (K,) the base."""
        net = self.network_
        relus = ["relu"] * (len(net.sizes) - 1)
        adds, base = np.zeros((len(inputs), net.inputs, int(net.sizes[-1]))), np.zeros(int(net.sizes[-1]))
        for m in range(net.members):
            of_member, start = integrated_gradients(inputs, self.baseline_, *net.member(m), relus)
            adds += of_member / net.members
            base += start / net.members
        gathered = np.zeros((len(inputs), self.n_features_in_, adds.shape[2]))
        for j, source in enumerate(self.inputs_.sources(net.width, net.category_width).tolist()):
            gathered[:, source] += adds[:, j]
        return gathered, base

    def _reasons_of(
        self, X: np.ndarray, outputs: Sequence[str], chosen: np.ndarray, spread: np.ndarray
    ) -> Reasons:
        """Contributions of the columns, and the members' own answers ``spread`` (k, n)."""
        inputs = self.network_.first_inputs(self.inputs_.apply(X)).astype(np.float64)

        def sections(i: int) -> list[Section]:
            each = spread[:, i]
            lines: list[list[Any]] = [[f"member {m}", float(value)] for m, value in enumerate(each)]
            note = f"Mean {each.mean():.6g}, from {each.min():.6g} to {each.max():.6g}."
            return [Section("Answers of the members", ["member", "answer"], lines, note)]

        def contributions(rows: np.ndarray) -> Any:
            adds, base = self._in_outputs(*self._mean_contributions(inputs[rows]))
            return self._contributions(adds, base, outputs, chosen[rows])

        return Reasons(sections, contributions)

    def _in_outputs(self, adds: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Contributions to scores as those to what is explained."""
        return adds, base


def goal_of_rows(goal: TabularGoal, rows: np.ndarray) -> TabularGoal:
    """The goal of some rows."""
    from dataclasses import replace

    return replace(
        goal,
        codes=None if goal.codes is None else goal.codes[rows],
        numbers=None if goal.numbers is None else goal.numbers[rows],
    )
