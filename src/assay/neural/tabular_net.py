"""What the two tabular networks share: parameters with defaults by the number of rows, learning, answers, reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

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
from assay.neural.tabular_descent import Block, Descent, Pace, TabularGoal
from assay.neural.tabular_folds import FEWEST_TO_FOLD, TEMPERATURES, Course, Folds, softened
from assay.neural.tabular_inputs import TabularInputs
from assay.neural.tabular_network import TabularNetwork
from assay.types import PathLike

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["TabularGoal", "TabularNet"]

Judges = tuple[Block, TabularGoal, np.ndarray | None]  # rows that judge a pass

WAVES, WIDTH, CATEGORY_WIDTH = 16, 3, 8  # of the embeddings of numbers and of categories
MOST_EMBEDDED = 200  # columns of numbers beyond which they are not embedded
FEWEST_EMBEDDED = 500  # rows to learn from, below which waves mostly learn noise (docs/networks.md)
FEWEST_OF_COLUMN = 100  # such rows for each column of numbers, if that is less
USUAL_BATCH = 256  # rows of a step, if there are as many
FEWEST_PASSES, MOST_PASSES = 16, 128
ROWS_OF_ALL_PASSES = 2**19  # rows that all passes together see, within these bounds
UNJUDGED_STEPS = 128  # of usual batches, in all passes over few rows of which none are set aside
ENOUGH_TO_SET_ASIDE = 500  # rows from which early_stopping="auto" sets some aside; of fewer, folds judge
FEWEST_ROWS_TO_JUDGE = 4  # below, no rows are set aside
DIVERGED = 1e3  # times the loss of the first pass


@dataclass(frozen=True)
class _Run:
    """The file of a fit, the state it was found with, the seed it began with, and what folds chose."""

    file: Checkpoint
    left: State | None
    seed: int
    course: Course

    def state(self, descent: Descent) -> State:
        """What a killed fit goes on from."""
        state = descent.state()
        return State(state.arrays, {**state.plain, "seed": self.seed, "course": asdict(self.course)})


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
        self.inputs_ = TabularInputs.learn(X if w is None or w.all() else X[w > 0], self.schema_)
        block = self.inputs_.apply(X)
        learn, judge = self._divided(len(X), goal, w, random, groups, validation)
        if validation is not None:
            others: Judges | None = (self.inputs_.apply(validation[0]), validation[1], None)
        else:
            of_judge = tuple(part[judge] for part in block)
            others = (of_judge, goal.take(judge), None if w is None else w[judge])  # type: ignore[assignment]
        if not len(others[0][0]):  # type: ignore[index]
            others = None
        with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
            few = others is None and FEWEST_TO_FOLD <= len(learn) < ENOUGH_TO_SET_ASIDE
            if few and self._may_fold(groups):
                drawn = np.random.default_rng([first_seed, 1])  # so that a resumed fit need not draw it again
                course = self._course(block, goal, w, learn, drawn, left)
            else:
                course = Course(self._waved(len(learn)))
            if course is not None:
                run = _Run(file, left, first_seed, course)
                self._descend(block, goal, w, learn, others, random, run)
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
        few = len(rows) < ENOUGH_TO_SET_ASIDE and self._may_fold(groups)
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

    def _may_fold(self, groups: Any) -> bool:
        """Whether folds may judge: not where it was said which rows are to be set aside."""
        return self.early_stopping == "auto" and groups is None and self.validation_split != "last"

    def _course(
        self,
        block: Block,
        goal: TabularGoal,
        w: np.ndarray | None,
        learn: np.ndarray,
        random: np.random.Generator,
        left: State | None,
    ) -> Course | None:
        """What folds say of few rows; None after Ctrl-C, with the network that made most passes."""
        if left is not None:
            return Course(**left.plain["course"])
        fine, p = self.inputs_.fine, len(self.inputs_.numbers)
        folds = Folds(
            block,
            goal,
            w,
            learn,
            random,
            lambda waved: self._drawn_network(goal, random, waved),
            lambda n: self._pace(n, False),
            self._loss_of,
        )
        candidate = fine if self.embedding == "auto" and fine <= MOST_EMBEDDED else 0
        total = len(folds.parts) * self._pace(len(learn), False).epochs * (2 if candidate else 1)
        try:
            with progress(total, f"{type(self).__name__}: passes over parts of the rows") as bar:
                return folds.course(p if self.embedding == "periodic" else 0, candidate, bar.advance)
        except KeyboardInterrupt:
            self._interrupted()
            net, done = self._drawn_network(goal, random, 0), []
            if folds.descent is not None:
                net, done = folds.descent.net, folds.descent.history
            if not np.isfinite(net.theta).all():
                self._refuse()
            self.network_, self.history_, self.n_iter_ = net, done, len(done)
            self.best_iter_ = max(1, len(done))
            return None

    def _waved(self, n: int) -> int:
        """How many columns of numbers are embedded by waves where no folds say it."""
        fine = self.inputs_.fine
        if self.embedding == "periodic":
            return len(self.inputs_.numbers)
        enough = n >= min(FEWEST_EMBEDDED, FEWEST_OF_COLUMN * fine) and fine <= MOST_EMBEDDED
        return fine if self.embedding == "auto" and enough else 0

    def _drawn_network(self, goal: TabularGoal, random: np.random.Generator, waved: int) -> TabularNetwork:
        network = TabularNetwork(
            len(self.inputs_.numbers),
            self.inputs_.plain_width,
            self.inputs_.tables.astype(np.int64),
            WAVES if waved else 0,
            WIDTH if waved else 0,
            CATEGORY_WIDTH,
            self.members,
            np.array([*self.hidden_layer_sizes, goal.width], dtype=np.int64),
            goal.output,
            goal.loss,
            float(goal.parameter),
            waved=waved,
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
        others: Judges | None,
        random: np.random.Generator,
        run: _Run,
    ) -> None:
        """Passes in cycles of the rate; the parameters of the pass that judged best are kept."""
        net, pace = (
            self._drawn_network(goal, random, run.course.waved),
            self._pace(len(learn), others is not None),
        )
        self.network_ = net
        descent = Descent(net, pace, block, goal, w, learn, random)
        if run.left is not None:
            descent.restore(run.left)
        self.history_ = descent.history
        last = pace.ends[run.course.cycle]
        try:
            with progress(last, f"{type(self).__name__}: passes over the rows") as bar:
                if self.history_:
                    bar.advance(len(self.history_))
                while len(self.history_) < last:
                    loss, rate = descent.advance()
                    judged = None if others is None else self._loss_of(net.answers(others[0]), *others[1:])
                    if not descent.sound(loss):
                        descent.best = math.inf if others is None else descent.best
                        break  # more passes do not bring them back
                    descent.keep(loss, rate, judged)
                    self._say(self.history_[-1])
                    bar.advance()
                    if judged is not None and descent.brought_nothing():
                        break
                    if run.file:
                        run.file.write(run.state(descent))
            run.file.remove()
        except KeyboardInterrupt:
            self._interrupted()
            if not self.history_ and np.isfinite(net.theta).all():
                descent.best, descent.kept = 0.0, net.theta.copy()  # in the middle of the first pass
        first = self.history_[0].loss if self.history_ else 0.0
        if not descent.best < DIVERGED * max(first, 1.0):
            self._refuse()
        net.theta[:] = descent.kept
        self.best_iter_, self.n_iter_ = descent.best_iter, len(self.history_)
        try:
            self._soften(others, run.course.temperature)
        except KeyboardInterrupt:
            self._interrupted()

    def _soften(self, others: Judges | None, temperature: float) -> None:
        """Divide the scores of classes by the temperature of the folds, or by that which the judging rows like best."""
        if others is not None and self.network_.output == "softmax":
            losses = [
                self._loss_of(softened(self.network_, T).answers(others[0]), *others[1:])
                for T in TEMPERATURES
            ]
            temperature = float(TEMPERATURES[int(np.argmin(losses))])
        if temperature != 1.0:
            self.network_ = softened(self.network_, temperature)

    def _say(self, record: Epoch) -> None:
        if self.verbose:
            judged = "" if record.score is None else f", validation {-record.score:.6f}"
            print(f"Pass {record.number}, loss = {record.loss:.6f}{judged}")

    def _interrupted(self) -> None:
        who = type(self).__name__
        warn_user(f"{who}: Training interrupted by user. The best weights so far are kept.", UserWarning)

    def _refuse(self) -> NoReturn:
        raise DegenerateError(
            f"{type(self).__name__}: the loss grew beyond all bounds. Lower learning_rate_init (now "
            f"{self.learning_rate_init:g})."
        )

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

    def _pace(self, n: int, judged: bool) -> Pace:
        """The passes over n rows to learn from."""
        batch = min(USUAL_BATCH if self.batch_size == "auto" else int(self.batch_size), n)
        if self.max_iter != "auto":
            epochs = int(self.max_iter)
        elif not judged and n < ENOUGH_TO_SET_ASIDE:
            epochs = max(FEWEST_PASSES, UNJUDGED_STEPS // -(-n // USUAL_BATCH))
        else:
            epochs = int(np.clip(ROWS_OF_ALL_PASSES // n, FEWEST_PASSES, MOST_PASSES))
        return Pace(epochs, batch, self.learning_rate_init, self.alpha, self.dropout)

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
        if net.embedded > net.numbers or (net.embedded and not net.waves):
            raise ValueError("network_ does not have waves for the numbers it embeds")
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
        for j, source in enumerate(
            self.inputs_.sources(net.width, net.category_width, net.embedded).tolist()
        ):
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
