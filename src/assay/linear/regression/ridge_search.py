r"""The penalty of ridge regression by leave-one-out, for many penalties at the price of one.

With the eigenvectors of the scatter, :math:`S=V\Lambda V^T`, and rows :math:`z_i=V^T(x_i-m)`, the residual of row i
in the fit without row i is, for a penalty :math:`\alpha`,

.. math:: e_i(\alpha) = \frac{y_i-\hat y_i}{1-h_i},\qquad
          h_i = \frac{v_i}{n} + v_i\sum_j \frac{z_{ij}^2}{\lambda_j+\alpha}                             \quad (1)

(without the constant there is no :math:`v_i/n`, and S is about zero; a penalised constant is the weight of one more
column, of ones, without a constant). With fewer rows than columns the same comes from
the eigenvectors of the n by n matrix of the rows' products, :math:`QMQ^T`: with :math:`c = QDQ^Ty` and
:math:`D = (M+\alpha I)^{-1}`,

.. math:: e_i(\alpha) = c_i\,/\,(QDQ^T)_{ii}                                                          \quad (2)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.routing import PassesOn, routing_enabled
from assay.core.stored import FloatArray, Scalar, TableRows
from assay.core.sum_learner import PassLearner
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, ParameterError
from assay.linear.regression.least_squares import EPS, Answer, intercept_kind, solve
from assay.linear.regression.least_squares_sums import Triangle, problem_of, summarize

__all__ = ["RidgeSearch"]

Floats = NDArray[np.float64]


class RidgeSearch(PassesOn, PassLearner):
    """Mixin: choose the penalty, then fit.

    Subclasses define ``_score(guess, job)``, ``_search(rows, alphas)``, ``_default_scorer()`` and ``_publish(W, b)``.
    """

    _has_scorer = True
    stored = {
        "coef_": FloatArray("p") | FloatArray("o", "p") | TableRows("o", "p"),
        "intercept_": Scalar() | FloatArray("o"),
        "alpha_": Scalar() | FloatArray("*"),
        "best_score_": Scalar() | FloatArray("*"),
        "cv_results_": FloatArray("*", "*") | FloatArray("*", "*", "*"),
    }

    alphas: Any
    fit_intercept: bool
    scoring: Any
    cv: Any
    store_cv_results: bool
    alpha_per_target: bool = False
    penalize_intercept: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        who, least = type(self).__name__, ("> 0" if self.cv is None else ">= 0")
        if np.asarray(self.alphas).dtype.kind not in "fiu":
            i = next((i for i, a in enumerate(self.alphas) if isinstance(a, str)), 0)
            raise ParameterError(f"{who}: alphas[{i}] must be an instance of float, not str.")
        for i, alpha in enumerate(np.ravel(np.asarray(self.alphas, dtype=object))):
            if not np.isfinite(float(alpha)) or alpha < 0 or (alpha == 0 and self.cv is None):
                name = "alphas" if np.size(self.alphas) == 1 else f"alphas[{i}]"
                raise ParameterError(f"{who}: {name} == {alpha}, must be {least}.0.")
        if self.cv is None and "groups" in self._metadata.given:
            raise ParameterError(
                f"{who}: cv=None leaves out single rows, so groups are not kept together. Set cv to a splitter of "
                "groups, such as GroupKFold(5)."
            )
        if self.cv is not None and self.store_cv_results:
            raise ParameterError(f"{who}: cv!=None and store_cv_results=True are incompatible.")
        if self.cv is not None and self.alpha_per_target:
            raise ParameterError(f"{who}: cv!=None and alpha_per_target=True are incompatible.")

    def _learn_from(self, source: Source) -> None:
        for name in ("cv_results_", "alpha_", "best_score_"):
            self.__dict__.pop(name, None)
        alphas = np.ravel(np.asarray(self.alphas, dtype=np.float64))
        if self.cv is not None:
            self._search(self._in_memory(source, "cv"), alphas)
            return
        rows = self.scoring is not None or self.store_cv_results
        if rows:
            self._in_memory(source, "scoring and store_cv_results")
        job: _Wide | _Tall
        if isinstance(source, Rows) and source.X.shape[0] <= source.X.shape[1]:
            job = _Wide(self, source, alphas)
        else:
            job = _Tall(self, source, alphas)
        self._choose_alpha(job.errors(rows), job, alphas)
        self._keep_sums(job.sums)
        self._publish(*job.answer(self.alpha_))

    @np.errstate(over="ignore", invalid="ignore")
    def _choose_alpha(self, errors: Floats, job: Any, alphas: Floats) -> None:
        """Set ``alpha_`` and ``best_score_`` from (A, n, q) errors, or from (A, q) sums of their squares."""
        if errors.ndim == 2:
            scores = -errors / job.rows
        elif self.scoring is None:
            squares = job.v[:, None] * errors**2
            scores = -squares.mean(axis=1)
            self._keep(squares)
        else:
            guesses = job.Y - errors
            scores = np.array([self._score(guess, job) for guess in guesses])
            self._keep(guesses)
        if not (self.alpha_per_target and errors.shape[-1] > 1):
            scores = scores.mean(axis=1) if scores.ndim == 2 else scores
        best = scores.argmax(axis=0)
        self.alpha_ = alphas[best] if scores.ndim == 2 else float(alphas[best])
        self.best_score_ = scores.max(axis=0) if scores.ndim == 2 else float(scores.max())

    def _keep_sums(self, sums: Callable[[], Any]) -> None:
        """What else a learner may want of the rows."""

    def _keep(self, results: Floats) -> None:
        """(A, n, q) as ``cv_results_``, (n, q, A), or (n, A) for one target."""
        if self.store_cv_results:
            table = np.moveaxis(results, 0, -1)
            self.cv_results_ = np.ascontiguousarray(table if getattr(self, "_several", True) else table[:, 0])

    def _grid_search(self, model: Any, rows: Rows, y: Any, alphas: Floats) -> None:
        """Cross-validate the penalties, and keep what the best one gives."""
        from sklearn.model_selection import GridSearchCV

        metadata = dict(self._metadata.given)
        if rows.w is not None:
            metadata["sample_weight"] = rows.w
        if routing_enabled():
            model.set_fit_request(sample_weight=True)
        scoring = self._scorer() if routing_enabled() else self.scoring
        search = GridSearchCV(model, {"alpha": alphas}, cv=self.cv, scoring=scoring).fit(
            rows.X, y, **metadata
        )
        best = search.best_estimator_
        self.alpha_, self.best_score_ = float(best.alpha), float(search.best_score_)
        self.coef_, self.intercept_ = best.coef_, best.intercept_
        self._keep_sums(lambda: best._sums)

    def _scorer(self) -> Any:
        from sklearn.metrics import check_scoring

        if self.scoring is not None:
            return check_scoring(self, scoring=self.scoring)
        scorer = self._default_scorer()
        return scorer.set_score_request(sample_weight=True) if routing_enabled() else scorer

    def _score_metadata(self, job: Any) -> dict[str, Any]:
        """What a scorer of the left-out predictions is given besides."""
        if routing_enabled():
            metadata = dict(self._metadata.scorer.score)
            return metadata | ({"sample_weight": job.v} if "sample_weight" in metadata else {})
        return {} if job.v is None or (job.v == 1).all() else {"sample_weight": job.v}

    def _default_scorer(self) -> Any:
        raise TypeError(f"{type(self).__name__} must define _default_scorer")

    def _in_memory(self, source: Source, why: str) -> Rows:
        if not isinstance(source, Rows):
            raise DataError(
                f"{type(self).__name__}: {why} needs all rows in memory. Use fit, or leave it out."
            )
        return source

    def _numbers_of(self, block: Block) -> tuple[Any, Floats, Floats | None]:
        """X, targets (n, q), weights."""
        return block.X, np.asarray(block.y).reshape(block.X.shape[0], -1), block.w

    def _survey_classes(self, source: Source) -> None:
        """What must be known of the classes before their targets and weights are."""

    def _score(self, guess: Floats, job: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _score")

    def _search(self, rows: Rows, alphas: Floats) -> None:
        raise TypeError(f"{type(self).__name__} must define _search")

    def _publish(self, W: Floats, b: Floats) -> None:
        raise TypeError(f"{type(self).__name__} must define _publish")


class _Tall:
    """More rows than columns: (1), in two passes over the rows."""

    def __init__(self, learner: RidgeSearch, source: Source, alphas: Floats):
        self.learner, self.source, self.alphas = learner, source, alphas
        self.intercept = intercept_kind(learner.fit_intercept, learner.penalize_intercept)
        learner._survey_classes(source)
        d = len(learner._names)
        self._summed = source.add_up(self._sums)
        self.problem = problem_of(self._summed._full(), d)
        self.problem.check(type(learner).__name__, learner._names)
        p = self.problem
        if self.intercept == "free":
            S, C = p.S, p.C
        else:
            S, C = p.S + p.n * np.outer(p.mean, p.mean), p.C + p.n * np.outer(p.mean, p.target)
        if self.intercept == "penalised":
            S = p.n * np.block([[S / p.n, p.mean[:, None]], [p.mean, np.ones((1, 1))]])
            C = np.vstack((C, p.n * p.target))
        values, self.V = np.linalg.eigh(S)
        self.D = 1 / (np.maximum(values, 0.0)[:, None] + alphas)  # (d, A)
        self.B = (self.V.T @ C)[:, None, :] * self.D[:, :, None]  # (d, A, q) weights of z

    def _sums(self, block: Block) -> Any:
        return summarize(*self.learner._numbers_of(block))

    def sums(self) -> Any:
        """Of all rows."""
        return self._summed

    def errors(self, rows: bool) -> Floats:
        """(A, n, q) if the rows are needed, else (A, q) sums of v e^2."""
        if not rows:
            total = self.source.add_up(lambda block: _Total(self._squares(block), block.X.shape[0]))
            self.rows = total.rows
            return total.squares
        assert isinstance(self.source, Rows)
        from assay.core.parallel import in_threads

        parts = in_threads(self._errors, self.source.blocks())
        _, self.Y, w = self.learner._numbers_of(Block(self.source.X, self.source.y, self.source.w))
        self.v = np.ones(len(self.Y)) if w is None else w
        self.codes = self.source.y
        return np.concatenate(parts, axis=1)

    @np.errstate(over="ignore", invalid="ignore")
    def _squares(self, block: Block) -> Floats:
        _, _, w = self.learner._numbers_of(block)
        squares = self._errors(block) ** 2
        return squares.sum(axis=1) if w is None else np.einsum("n,anq->aq", w, squares)

    @np.errstate(over="ignore", invalid="ignore")
    def _errors(self, block: Block) -> Floats:
        X, Y, w = self.learner._numbers_of(block)
        p, centred = self.problem, self.intercept == "free"
        if not centred:
            Z = np.asarray(X @ self.V[: X.shape[1]]) + self.V[X.shape[1] :].sum(axis=0)
        elif isinstance(X, np.ndarray):
            Z = (X - p.mean) @ self.V  # first the difference: columns may be far from zero
        else:
            Z = np.asarray(X @ self.V) - p.mean @ self.V
        q, A = Y.shape[1], len(self.alphas)
        fitted = (Z @ self.B.reshape(len(self.V), A * q)).reshape(len(Z), A, q)
        np.multiply(Z, Z, out=Z)
        h = Z @ self.D + (1 / p.n if centred else 0.0)
        if w is not None:
            h *= w[:, None]
        residual = (Y - p.target if centred else Y)[:, None, :] - fitted
        return np.moveaxis(residual / np.maximum(1 - h, EPS)[:, :, None], 1, 0)  # (1)

    def answer(self, alpha: Any) -> tuple[Floats, Floats]:
        chosen = np.broadcast_to(np.asarray(alpha, dtype=np.float64), self.problem.C.shape[1])
        return _gather(chosen, lambda a: solve(self.problem, a, self.intercept, False, self._again))

    def _again(self, scale: Floats) -> Triangle:
        p = self.problem

        def look(block: Block) -> Triangle:
            X, Y, w = self.learner._numbers_of(block)
            return Triangle.of(X, Y, w, p.mean, scale, p.target)

        return self.source.add_up(look)


class _Wide:
    """No more rows than columns: (2)."""

    def __init__(self, learner: RidgeSearch, source: Rows, alphas: Floats):
        learner._survey_classes(source)
        self.learner, self.alphas, self.codes = learner, alphas, source.y
        X, self.Y, self.w = learner._numbers_of(Block(source.X, source.y, source.w))
        self.X = (X if isinstance(X, np.ndarray) else X.toarray()).astype(np.float64, copy=False)
        self.v = np.ones(len(self.X)) if self.w is None else self.w
        self.rows = len(self.X)
        self.intercept = intercept_kind(learner.fit_intercept, learner.penalize_intercept)

    def sums(self) -> Any:
        """Of all rows, which are few."""
        return summarize(self.X, self.Y, self.w)

    def errors(self, rows: bool) -> Floats:
        """(A, n, q)"""
        v, n = self.v, float(self.v.sum())
        root = np.sqrt(v)
        with np.errstate(over="ignore", invalid="ignore"):
            centred = self.intercept == "free"
            mean, target = (v @ self.X / n, v @ self.Y / n) if centred else (0.0, 0.0)
            Z, T = root[:, None] * (self.X - mean), root[:, None] * (self.Y - target)
            K = Z @ Z.T + (np.outer(root, root) if self.intercept == "penalised" else 0.0)
        if not np.isfinite(K).all() or not np.isfinite(T).all():
            raise DataError(
                f"{type(self.learner).__name__}: the squares of X or y are too large to be added up. Divide by a power "
                "of ten."
            )
        if centred:  # the constant's direction, not penalised: set apart as the largest and then left out
            K += (2 * np.trace(K) + 1) / n * np.outer(root, root)
        values, Q = np.linalg.eigh(K)
        D = 1 / (np.maximum(values, 0.0)[:, None] + self.alphas)
        if centred:
            D[-1] = 0.0
        c = np.einsum("ij,ja,jq->aiq", Q, D, Q.T @ T, optimize=True)
        diagonal = (Q * Q) @ D
        scaled = np.divide(c, np.maximum(diagonal, 1e-300).T[:, :, None])  # (2), times the root of the weight
        weighted = root > 0
        self.dual, self.Z, self.mean, self.target, self.root = c, Z, mean, target, root
        if weighted.all():
            return scaled / root[:, None]
        errors = np.empty_like(scaled)
        errors[:, weighted] = scaled[:, weighted] / root[weighted, None]
        for a, alpha in enumerate(self.alphas):  # a row that weighs nothing is left out already
            W, b = self.answer(alpha)
            errors[a, ~weighted] = self.Y[~weighted] - self.X[~weighted] @ W - b
        return errors

    def answer(self, alpha: Any) -> tuple[Floats, Floats]:
        chosen = np.broadcast_to(np.asarray(alpha, dtype=np.float64), self.Y.shape[1])
        place = [int(np.flatnonzero(self.alphas == a)[0]) for a in chosen]
        dual = np.column_stack([self.dual[a, :, k] for k, a in enumerate(place)])
        W = self.Z.T @ dual
        if self.intercept == "free":
            return W, self.target - self.mean @ W
        return W, self.root @ dual if self.intercept == "penalised" else np.zeros(W.shape[1])


class _Total:
    """Sums of squared errors, and how many rows there were."""

    def __init__(self, squares: Floats, rows: int):
        self.squares, self.rows = squares, rows

    def __add__(self, other: _Total) -> _Total:
        return _Total(self.squares + other.squares, self.rows + other.rows)


def _gather(alphas: Floats, fit: Callable[[float], Answer]) -> tuple[Floats, Floats]:
    """Weights and constants, each output from the fit with its own penalty."""
    answers = {a: fit(a) for a in np.unique(alphas).tolist()}
    W = np.column_stack([answers[a].weights[:, k] for k, a in enumerate(alphas.tolist())])
    return W, np.array([answers[a].constant[k] for k, a in enumerate(alphas.tolist())])
