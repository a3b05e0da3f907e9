"""Base class of Gaussian mixtures: the EM loop as sums over rows, and what every mixture answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.exceptions import ConvergenceWarning

import assay.mixture._em as _em
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Contributions, Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.moments import ClassScatter, class_scatter
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.scores import softmax, winner
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import Boolean, Each, FloatArray, Scalar
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Block, Rows, Source, is_dask
from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.mixture.column_ranges import ColumnRanges
from assay.mixture.components import FORMS, CovarianceForm, Estimates, Moments
from assay.mixture.starts import STARTS, start
from assay.types import TableLike, Target, Weights

__all__ = ["MIXTURE_PARAMETERS", "MixtureLearner", "Run", "row_moments", "start_rows"]

START_ROWS = (
    50_000  # of a stream or a cluster, drawn at random when there are more, that the start is made of
)
COLUMNS_EXPLAINED = 10  # in the explanation of a row: those that add most to its distance

MIXTURE_PARAMETERS = {
    "n_components": Count(1),
    "covariance_type": Choice("full", "tied", "diag", "spherical"),
    "tol": Range(0),
    "reg_covar": Range(0, open="high"),
    "max_iter": Count(0),
    "n_init": Count(1),
    "init_params": Choice(*STARTS),
    "random_state": Seed(),
    "warm_start": Flag(),
    "verbose": Flag() | Count(0),
    "verbose_interval": Count(1),
}


class MixtureLearner(WithoutTarget, DensityMixin, Learner):
    """A mixture of Gaussians, learned by alternating two steps; what differs is what a state is and how it follows.

    Subclasses write ``_maximise(estimates, state)``, which makes a state (an object with ``means`` and ``roots``),
    ``_constants(state)``, the part of the log joint density that is no distance, ``_bound(before, state, moments)``,
    ``_adopt_state(state)``, and ``_state()``, its inverse.
    """

    stored = {
        "weights_": FloatArray("c", low=0),
        "means_": FloatArray("c", "p", finite=True),
        "covariances_": FloatArray("c", "p", "p")
        | FloatArray("p", "p")
        | FloatArray("c", "p")
        | FloatArray("c"),
        "precisions_": FloatArray("c", "p", "p")
        | FloatArray("p", "p")
        | FloatArray("c", "p")
        | FloatArray("c"),
        "precisions_cholesky_": FloatArray("c", "p", "p")
        | FloatArray("p", "p")
        | FloatArray("c", "p")
        | FloatArray("c"),
        "converged_": Boolean(),
        "lower_bound_": Scalar(),
        "lower_bounds_": Each(Scalar()),
    }
    keeps_row_names: ClassVar[bool] = False
    n_components: int
    covariance_type: str
    tol: float
    reg_covar: float
    max_iter: int
    n_init: int
    init_params: str
    random_state: Any
    warm_start: bool
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    precisions_: np.ndarray
    precisions_cholesky_: np.ndarray

    def _check_stored(self) -> None:
        if "means_" not in vars(self):
            return
        shape = self._form.shape(*self.means_.shape)
        for name in ("covariances_", "precisions_", "precisions_cholesky_"):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{type(self).__name__}: {name} must have the shape {shape}.")

    @property
    def _form(self) -> CovarianceForm:
        return FORMS[self.covariance_type]

    # ------------------------------------------------------------------ learning

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Find the components among the rows of X; y is ignored.

        Parameters
        ----------
        X : array, or pandas, polars, pyarrow frame, (n, d); or a Dask collection
        y : ignored
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._check_parameters()
        if is_dask(X):
            self._fit_dask(X, None, sample_weight)
            return self
        values = self._admit(X, fitting=True)
        self._learn(values, None, check_weights(sample_weight, values, type(self).__name__))
        return self

    def fit_predict(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> np.ndarray:
        """(n,) the component of each row of X, after learning from these rows."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _learn_from(self, source: Source) -> None:
        who, n = type(self).__name__, source.count()
        if n < max(2, self.n_components):
            raise DataError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                f"n_samples = {n}"
                if n >= 2
                else f"a mixture needs at least two rows, got n_samples = {n}.",
                who=who,
            )
        warm = self.warm_start and hasattr(self, "converged_")
        self._check_ranges(source.add_up(ColumnRanges.of_block))
        self._prepare_prior(source)
        draw = random_state_of(self.random_state)
        best = None
        for _ in range(1 if warm else self.n_init):
            first = self._state() if warm else self._start(source, n, draw)
            run = self._search(source, first, self.lower_bound_ if warm else -np.inf)
            if best is None or run.bound > best.bound:
                best = run
        assert best is not None
        self._keep(best)

    def _keep(self, run: Run) -> None:
        self._adopt_state(run.state)
        self.precisions_ = self._form.precisions(self.precisions_cholesky_)
        self.converged_, self.n_iter_, self.lower_bound_ = run.converged, len(run.bounds), run.bound
        self.lower_bounds_ = run.bounds
        self.history_ = [{"iteration": i, "lower_bound": b} for i, b in enumerate(run.bounds, 1)]
        if not run.converged and self.max_iter > 0:
            warn_user(
                f"{type(self).__name__}: Best performing initialization did not converge. Try different init "
                "parameters, or increase max_iter, tol, or check for degenerate data.",
                ConvergenceWarning,
            )

    def _search(self, source: Source, state: Any, bound: float) -> Run:
        """From a start to the end."""
        return self._improve(source, state, bound, self.max_iter, self.tol)

    def _improve(self, source: Source, state: Any, bound: float, steps: int, tol: float) -> Run:
        """Expectation and maximisation by turns, until the bound changes by less than ``tol``."""
        bounds: list[float] = []
        estimates = None
        for _ in range(steps):
            moments = self._expect(source, state)
            estimates = self._form.estimates(moments, state.means)
            after, last = self._maximise(estimates, state), bound
            bound, state = self._bound(state, after, moments), after
            bounds.append(bound)
            if abs(bound - last) < tol:
                return Run(state, bound, bounds, True, estimates)
        return Run(state, bound, bounds, False, estimates)

    def _expect(self, source: Source, state: Any) -> Moments:
        form, constants = self._form, self._constants(state)
        moments = source.add_up(
            lambda block: form.expect(_numbers(block.X), block.w, state.means, state.roots, constants)
        )
        return self._possible(moments)

    def _possible(self, moments: Moments) -> Moments:
        """The sums of a step, or an error if some rows have no density."""
        if not np.isfinite(moments.log_evidence):
            raise DegenerateError(
                f"{type(self).__name__}: some rows are so far from all components that their density is 0. "
                "Scale the columns, or raise reg_covar."
            )
        return moments

    def _start(self, source: Source, n: int, draw: np.random.RandomState) -> Any:
        X, _, w = start_rows(source, n, draw)
        return self._begin(self._first_estimates(X, w, draw))

    def _first_estimates(self, X: np.ndarray, w: Any, draw: np.random.RandomState) -> Estimates:
        return self._form.estimates_of(X, start(self.init_params, X, w, self.n_components, draw))

    def _check_ranges(self, ranges: ColumnRanges) -> None:
        """Refuse columns that cannot be learned from, and name those that ``reg_covar`` hides."""
        who = type(self).__name__
        ranges.refuse_without_squares(self._names, who)
        ranges.warn_below(self.reg_covar, "reg_covar", self._names, who)

    def _prepare_prior(self, source: Source) -> None:
        """What the learner has to know of all rows before the first step."""

    def _begin(self, estimates: Estimates) -> Any:
        return self._maximise(estimates, None)

    def _maximise(self, estimates: Estimates, state: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _maximise")

    def _constants(self, state: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _constants")

    def _bound(self, before: Any, state: Any, moments: Moments) -> float:
        raise TypeError(f"{type(self).__name__} must define _bound")

    def _adopt_state(self, state: Any) -> None:
        raise TypeError(f"{type(self).__name__} must define _adopt_state")

    def _state(self) -> Any:
        raise TypeError(f"{type(self).__name__} must define _state")

    # ------------------------------------------------------------------ answers

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable component of each row."""
        return winner(self._log_joint(self._admit(X)))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability of each component, given the row."""
        joint = self._log_joint(self._admit(X))
        beyond = ~np.isfinite(joint.max(axis=1))
        if not beyond.any():
            return softmax(joint)
        warn_user(
            f"{type(self).__name__}: {int(beyond.sum())} row(s) are so far away that every component has probability "
            "zero there; they are answered by the weights of the components.",
            DegenerateWarning,
        )
        joint[beyond] = np.log(np.maximum(self.weights_, np.finfo(float).tiny))
        return softmax(joint)

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the logarithm of the density at each row."""
        joint = np.ascontiguousarray(self._log_joint(self._admit(X)), dtype=np.float64)
        out = np.empty(len(joint))
        _em.log_sums(joint, out)
        return out

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean of the log densities of the rows."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Rows drawn from the mixture (n_samples, p), and the component of each; components come one after another."""
        self._ready()
        if not Count(1).holds(n_samples):
            raise ParameterError(
                f"Invalid value for 'n_samples': {n_samples!r}. The sampling requires at least one sample.",
                who=type(self).__name__,
            )
        draw = random_state_of(self.random_state)
        counts = draw.multinomial(n_samples, self.weights_)
        d = self.means_.shape[1]
        parts = []
        for k, (mean, count) in enumerate(zip(self.means_, counts)):
            covariance = self._form.of_component(self.covariances_, k, d)
            if self.covariance_type in ("full", "tied"):
                parts.append(draw.multivariate_normal(mean, covariance, int(count)))
            else:
                parts.append(mean + draw.standard_normal(size=(int(count), d)) * np.sqrt(np.diag(covariance)))
        return np.vstack(parts), np.repeat(np.arange(len(counts)), counts)

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        """(n, K) the log of weight times density, or what stands for it in a variational posterior."""
        state = self._state()
        return self._form.quadratic(X, state.means, state.roots, self._constants(state))

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its component: an Explanation for one row, Explanations for several.

        Weights, distances and probabilities of the components, and what each column adds to the squared distance from
        the nearest one.
        """
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        joint = self._log_joint(X)
        answers = winner(joint)
        labels = list(range(len(self.means_)))
        return Explanations(
            type(self).__name__,
            answers.tolist(),
            rows,
            self._component_reasons(X, joint, answers),
            labels,
            softmax(joint.copy()),
        )

    def _gaps(self, X: np.ndarray, k: int) -> np.ndarray:
        """(n, p) how far rows are from the mean of component k."""
        return X - self.means_[k]

    def _component_reasons(self, X: np.ndarray, joint: np.ndarray, answers: np.ndarray) -> Reasons:
        K, d = self.means_.shape
        precisions = [self._form.of_component(self.precisions_, k, d) for k in range(K)]
        evidence = logsumexp(joint, axis=1)

        def terms(rows: Any, k: int) -> np.ndarray:
            gaps = self._gaps(X[rows], k)
            return gaps * (gaps @ precisions[k])  # they sum to the squared distance

        def sections(i: int) -> list[Section]:
            order = np.argsort(-joint[i], kind="stable")
            lines = [
                [
                    int(k),
                    float(self.weights_[k]),
                    float(np.sqrt(max(terms([i], k).sum(), 0.0))),
                    float(np.exp(joint[i, k] - evidence[i])),
                ]
                for k in order
            ]
            k = int(answers[i])
            parts = terms([i], k)[0]
            spread = np.sqrt(np.diag(self._form.of_component(self.covariances_, k, d)))
            columns = [
                [self._names[j], _known(X[i, j]), float(self.means_[k, j]), float(spread[j]), float(parts[j])]
                for j in np.argsort(-parts, kind="stable")[:COLUMNS_EXPLAINED]
            ]
            return [
                Section(
                    "Components",
                    ["component", "weight", "distance", "probability"],
                    lines,
                    f"Log density of the row: {evidence[i]:.6g}.",
                ),
                Section(
                    f"Columns: the squared distance from component {k}",
                    ["column", "value", "mean", "deviation", "adds"],
                    columns,
                ),
            ]

        def contributions(some: np.ndarray) -> Contributions:
            values = np.stack([-0.5 * terms(some, k) for k in range(K)], axis=2)
            base = joint[some] - values.sum(axis=1)
            outputs = [f"the log joint density of component {k}" for k in range(K)]
            return self._contributions(values, base, outputs, answers[some])

        return Reasons(sections, contributions)

    def _model_parts(self) -> list[Part]:
        K, d = self.means_.shape
        names = self._names
        spreads = [
            np.sqrt(np.diag(self._form.of_component(self.covariances_, k, d))).tolist() for k in range(K)
        ]
        order = np.argsort(-self.weights_, kind="stable").tolist()
        shares = [[k, float(self.weights_[k])] for k in order]
        means = [
            [names[j], k, float(self.means_[k, j]), spreads[k][j]] for k in order for j in range(len(names))
        ]
        ended = "converged" if self.converged_ else "did not converge"
        return [
            Section(
                "Components", ["component", "weight"], shares, f"{ended}, bound {self.lower_bound_:.6g}."
            ),
            Section("Means and deviations", ["column", "component", "mean", "deviation"], means),
        ]


@dataclass(frozen=True)
class Run:
    """One start followed for some steps: the state, its bound, the bounds on the way, and the estimates behind it."""

    state: Any
    bound: float
    bounds: list[float]
    converged: bool
    estimates: Any


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _numbers(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X, dtype=np.float64)


def start_rows(source: Source, n: int, draw: np.random.RandomState) -> Block:
    """The rows that a start is made of: all, or as many of a long stream as memory likes."""
    if isinstance(source, Rows):
        return Block(_numbers(source.X), source.y, source.w)
    share = min(1.0, START_ROWS / n)
    seed = draw.randint(LARGEST_SEED) if share < 1 else 0

    def some(block: Block) -> list[Block]:
        X = _numbers(block.X)
        kept = np.random.RandomState(seed).uniform(size=len(X)) < share if share < 1 else slice(None)
        y, w = (None if part is None else np.asarray(part)[kept] for part in (block.y, block.w))
        return [Block(X[kept], y, w)]

    parts = source.add_up(some)
    X, y, w = zip(*parts)
    weights = None  # a block without weights counts each row once
    if any(part is not None for part in w):
        weights = np.concatenate([np.ones(len(x)) if v is None else v for x, v in zip(X, w)])
    return Block(np.concatenate(X), None if y[0] is None else np.concatenate(y), weights)


def row_moments(source: Source, joined: Callable[[Block], Block] = lambda block: block) -> ClassScatter:
    """Weight, mean and scatter of all rows, as those of one class; ``joined`` makes the rows of a block."""

    def summarize(block: Block) -> ClassScatter:
        rows = joined(block)
        X = _numbers(rows.X)
        return class_scatter(X, np.zeros(len(X), dtype=np.int64), rows.w, 1, pooled=False)

    return source.add_up(summarize)
