"""Mixin of least-squares learners: sums, refinement where digits were lost, wide sparse tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import SumLearner
from assay.core.stored import FloatArray, Integer, Object, Scalar, TableRows
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, DegenerateError, warn_user
from assay.linear.compact import compact
from assay.linear.regression.least_squares import (
    Answer,
    intercept_kind,
    lsqr_centred,
    solve,
    solve_rows,
    weights_of,
)
from assay.linear.regression.least_squares_intervals import LeastSquaresIntervals
from assay.linear.regression.least_squares_sums import Floats, Problem, Sums, Triangle, problem_of, summarize
from assay.types import Labels, TableLike, Target, Weights

__all__ = ["LeastSquaresLearner", "SeveralOutputs"]

PRODUCT_COLUMNS = (
    100  # sparse columns (or rows) up to which products of all pairs are quicker than iterations
)
MAX_PRODUCT_COLUMNS = 4000  # from which there are too many
PATIENCE = 200  # iterations, where products are possible, too


@dataclass
class Unsummed:
    """In place of sums where the rows were too wide to be added up."""

    columns: int
    stored = {"columns": Integer()}

    def __add__(self, other: Any) -> Any:
        raise DataError(
            f"The products of all pairs of {self.columns} columns were not added up by fit, so that rows cannot be "
            "added. Fit all rows at once, or use SGDRegressor or SGDClassifier."
        )


class LeastSquaresLearner(SumLearner):
    """Mixin: squared error with a penalty, from sums; stands before the mixins of linear scores.

    The learner sets ``coef_`` and ``intercept_`` in ``_publish(answer)``, and may define: ``_alphas(q)``, the penalty
    of each output; ``_coding(weights)``, the targets (K, q) of classes; ``_class_weights(rows)``, (K,) or None.
    """

    stored = {"_sums": Object(Sums, Unsummed)}

    fit_intercept: bool
    positive: bool = False
    penalize_intercept: bool = False
    tol: float
    _sums: Any
    _classes_matter: ClassVar[bool] = False

    @property
    def _intercept(self) -> str:
        return intercept_kind(self.fit_intercept, self.penalize_intercept)

    def _alphas(self, q: int) -> Floats:
        return np.zeros(q)

    def _coding(self, count: Floats) -> Floats | None:
        return None

    def _class_weights(self, rows: np.ndarray) -> Floats | None:
        return None

    def _publish(self, W: Floats, b: Floats, rank: int, loose: int) -> None:
        raise TypeError(f"{type(self).__name__} must define _publish")

    @property
    def _pooled(self) -> bool:
        return True

    def _summarize(self, X: Any, y: Any, w: Any) -> Sums:
        return summarize(X, y, w, len(self.classes_) if self._classes_matter else 0, self._pooled)

    def _learn_from(self, source: Source) -> None:
        if isinstance(source, Rows):
            source = Rows(compact(source.X), source.y, source.w)
            n, d = source.X.shape
            if not isinstance(source.X, np.ndarray) and min(n, d) > PRODUCT_COLUMNS and not self.positive:
                steps = getattr(self, "max_iter", None) if min(n, d) > MAX_PRODUCT_COLUMNS else PATIENCE
                if self._iterate(source.X, source.y, source.w, steps):
                    return
            if n <= d:
                self._sums = self._summarize(source.X, source.y, source.w)
                self._solve(self._sums)
                return
        self._sums = source.add_up(self._summarize_block)
        self._solve(self._sums, source)

    def _solve(self, sums: Sums, source: Source | None = None) -> None:
        if sums.kept is not None:
            codes, weights = self._codes(np.asarray(sums.kept.y), sums.kept.w)
            X, Y, w = self._rows_of(Block(*sums.kept), codes, weights)
            self._weighed(0.0 if w is None else w.sum(), w is None)
            self._settle(
                [solve_rows(X, Y, w, a, self._intercept, self.positive) for a in self._penalties(Y)], Y
            )
            return
        moments = sums.moments
        assert moments is not None
        self._weighed(float(moments.count.sum()), False)
        codes = self._coding(moments.count)
        weights = None if codes is None else self._class_weights(moments.rows)
        d = len(self._names)
        problem = problem_of(moments, d, codes, weights)
        problem.check(type(self).__name__, self._names)

        def again(scale: Floats) -> Triangle:
            assert source is not None
            return source.add_up(_Look(self, codes, weights, problem, scale))

        look = None if source is None else _once(again)
        Y = problem.target[None]
        penalties = self._penalties(Y)
        self._settle([solve(problem, a, self._intercept, self.positive, look) for a in penalties], Y)

    def _weighed(self, total: float, everything: bool) -> None:
        if not everything and not total > 0:
            raise DegenerateError(f"{type(self).__name__}: no row so far weighs anything.")

    def _codes(self, y: np.ndarray, w: Floats | None) -> tuple[Floats | None, Floats | None]:
        if not self._classes_matter:
            return None, None
        K = len(self.classes_)
        rows = np.bincount(y if w is None else y[w > 0], minlength=K)
        return self._coding(np.bincount(y, w, K).astype(np.float64)), self._class_weights(rows)

    def _rows_of(
        self, block: Block, codes: Floats | None, weights: Floats | None
    ) -> tuple[Any, Floats, Floats | None]:
        """A block as rows, numbers to predict (n, q), and weights."""
        if codes is None:
            return block.X, block.y.reshape(len(block.y), -1), block.w
        w = block.w if weights is None else weights[block.y] * (1.0 if block.w is None else block.w)
        return block.X, codes[block.y], w

    def _penalties(self, Y: Floats) -> list[float]:
        """The distinct penalties of the outputs, in order."""
        return np.unique(self._alphas(Y.shape[1])).tolist()

    def _settle(self, answers: list[Answer], Y: Floats) -> None:
        """Each output from the answer to its own penalty."""
        alphas = self._alphas(Y.shape[1])
        place = np.searchsorted(np.unique(alphas), alphas)
        W = np.column_stack([answers[p].weights[:, k] for k, p in enumerate(place)])
        b = np.array([answers[p].constant[k] for k, p in enumerate(place)])
        self._publish(W, b, answers[0].rank, answers[0].loose)

    def _iterate(self, X: Any, y: np.ndarray, w: Floats | None, steps: int | None) -> bool:
        """Sparse rows by LSQR: they are never centred, nor multiplied with each other. Whether the answer will do."""
        codes, weights = self._codes(y, w)
        X, Y, w = self._rows_of(Block(X, y, w), codes, weights)
        root = np.ones(X.shape[0]) if w is None else np.sqrt(w)
        columns = zip(self._alphas(Y.shape[1]), Y.T)
        results = [lsqr_centred(X, t, root, float(a), self._intercept, self.tol, steps) for a, t in columns]
        settled = all(good for _, _, good in results)
        if not settled and min(X.shape) <= MAX_PRODUCT_COLUMNS:
            return False
        if not settled:
            warn_user(
                f"{type(self).__name__}: LSQR did not settle for this sparse table of {X.shape[0]} rows and "
                f"{X.shape[1]} columns. Raise max_iter or tol, or use Ridge with a larger alpha.",
                ConvergenceWarning,
            )
        self._sums = Unsummed(X.shape[1])
        W = np.column_stack([w for w, _, _ in results])
        self._publish(W, np.array([b for _, b, _ in results]), min(X.shape), 0)
        return True

    def partial_fit(
        self,
        X: TableLike,
        y: Target | None = None,
        classes: Labels | None = None,
        sample_weight: Weights | None = None,
    ) -> Self:
        self.__dict__.pop("singular_", None)
        return super().partial_fit(X, y, classes, sample_weight)

    partial_fit.__doc__ = SumLearner.partial_fit.__doc__


class _Look:
    """One block's part of the triangle that ``solve`` needs."""

    def __init__(
        self, learner: Any, codes: Floats | None, weights: Floats | None, problem: Problem, scale: Floats
    ):
        self.learner, self.codes, self.weights, self.problem, self.scale = (
            learner,
            codes,
            weights,
            problem,
            scale,
        )

    def __call__(self, block: Block) -> Triangle:
        X, Y, w = self.learner._rows_of(block, self.codes, self.weights)
        return Triangle.of(X, Y, w, self.problem.mean, self.scale, self.problem.target)


def _once(look: Any) -> Any:
    """The triangle for several penalties, from one look at the rows; scales differ by constant columns only."""
    known: dict[bytes, Triangle] = {}

    def remembered(scale: Floats) -> Triangle:
        key = scale.tobytes()
        if key not in known:
            known[key] = look(scale)
        return known[key]

    return remembered


class SeveralOutputs(LeastSquaresLearner, LeastSquaresIntervals):  # type: ignore[misc]
    """Mixin of regressors: one target, or a table of targets, also of a single column."""

    stored = {
        "coef_": FloatArray("p") | FloatArray("o", "p") | TableRows("o", "p"),
        "intercept_": Scalar() | FloatArray("o"),
    }

    coef_: np.ndarray
    intercept_: Any
    _column_stays: ClassVar[bool] = True  # whether a table of one target has a table of weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        return tags

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their numbers y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) numbers, or (n, outputs)
        sample_weight : (n,) what each row counts; None counts each once
        """
        column = getattr(y, "shape", ())[1:] == (1,) and not hasattr(y, "__dask_graph__")
        if column:
            y = np.asarray(y)[:, 0]
        super().fit(X, y, sample_weight)
        if column:
            self.coef_ = self.coef_[None] if self._column_stays else self.coef_
            self.intercept_ = np.atleast_1d(self.intercept_) if self.fit_intercept else 0.0
        return self

    def _publish(self, W: Floats, b: Floats, rank: int, loose: int) -> None:
        single = W.shape[1] == 1
        self.coef_ = weights_of(W)
        self.intercept_ = (b[0] if single else b) if self.fit_intercept else 0.0
        self._keep_rank(rank, loose)

    def _keep_rank(self, rank: int, loose: int) -> None:
        """What else follows from the answer."""

    def _no_distribution(self) -> str:
        if self.positive:
            return (
                "weights that may not be negative have no simple predictive distribution. Wrap it: "
                f"ConformalRegressor({type(self).__name__}(positive=True))."
            )
        return super()._no_distribution()

    def _noise_penalty(self) -> float:
        return float(self._alphas(1)[0])
