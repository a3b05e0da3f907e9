"""Mixin of linear classifiers: scores, geometry, and the terms of a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.scores import logistic, softmax
from assay.core.stored import FloatArray, Scalar, TableRows
from assay.errors import DataError, ParameterError
from assay.linear.affine import affine, length
from assay.linear.hyperplane import Hyperplane
from assay.linear.late_look import admit_to_answer, affine_scores, weight_rows
from assay.linear.terms import nearest_section, terms_section
from assay.types import Label, TableLike

if TYPE_CHECKING:
    from assay.core.learner import Classifier as _Classifier
else:
    _Classifier = object  # a mixin: it stands before a classifier's base

__all__ = ["LinearClassifier"]


class LinearClassifier(_Classifier):
    r"""Mixin of classifiers with :math:`g(x) = Wx + w_0`; stands before ``Classifier`` or ``Discriminant``.

    The learner sets ``coef_`` and ``intercept_``: one row for two classes, :math:`g>0` being the second, else one row
    a class, the largest winning. A learner over ``Classifier`` names in ``link`` the function from scores to
    probabilities: "softmax" (for two classes the logistic function), or "sigmoid" (each class its own, then
    normalised).
    """

    stored = {
        "coef_": FloatArray("K | 1", "p") | TableRows("K | 1", "p"),
        "intercept_": Scalar() | FloatArray("K | 1"),
    }

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})
    link: ClassVar[str | None] = None

    coef_: Any
    intercept_: np.ndarray

    _admit_to_answer = admit_to_answer
    _affine = affine_scores
    _weight_rows = weight_rows

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the score of the second class for two classes, else (n, K)."""
        return self._scores(self._admit_to_answer(X))

    def weights(self, label: Label | None = None) -> list[tuple[str, float]]:
        """The columns of ``design_`` and their weights in the score of a class, the largest first.

        Sizes are comparable only if all columns are on one scale; signs give the direction.

        Parameters
        ----------
        label : the class; None for the second of two
        """
        plane = self.hyperplane(label)
        order = np.argsort(-np.abs(plane.normal), kind="stable")
        return [(self._names[j], float(plane.normal[j])) for j in order]

    def hyperplane(self, label: Label | None = None, against: Any = None) -> Hyperplane:
        """Where the score is 0.

        Parameters
        ----------
        label : the class on the positive side; None for the second of two
        against : the class that it is compared with; None for all others (whose score is then 0)
        """
        check_is_fitted(self)
        W, b = self._rows()
        K = len(self.classes_)
        if label is None:
            if K > 2:
                raise ParameterError(
                    f"{type(self).__name__}: hyperplane needs label, one of {self.classes_.tolist()}."
                )
            label = self.classes_[-1 if against is None or K < 2 else 1 - self._number(against)]
        k = self._number(label)
        if against is None and K == 2:
            other = 1 - k  # what is not of one class is of the other
        elif against is None:
            return Hyperplane(W[k], float(b[k]))
        else:
            other = self._number(against)
        if other == k:
            raise ParameterError(f"{type(self).__name__}: against must be another class than {label!r}.")
        return Hyperplane(W[k] - W[other], float(b[k] - b[other]))

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a sparse matrix: less memory where most weights are 0; answers stay as they are."""
        check_is_fitted(self)
        from scipy.sparse import csr_matrix

        self.coef_ = csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array again."""
        check_is_fitted(self)
        self.coef_ = self._dense(self.coef_)
        return self

    def signed_distance(self, X: TableLike) -> np.ndarray:
        """The Euclidean distance of each row from g = 0, positive where g is: (n,) or (n, K) like the scores."""
        check_is_fitted(self)
        W = self._dense(self._weight_rows())
        size = length(W)[:, None]
        if not size.all():
            raise DataError(
                f"{type(self).__name__}: all weights of a score are 0, so there is no hyperplane."
            )
        distance = affine(self._admit(X), W / size, self.intercept_ / size[:, 0])
        return distance[:, 0] if distance.shape[1] == 1 else distance

    def project(self, X: TableLike) -> np.ndarray:
        """(n, D) the nearest point at which another class would win as well, in the columns of ``design_``."""
        values = self._dense(self._admit(X))
        W, b = self._rows()
        scores = values @ W.T + b
        winner = scores.argmax(axis=1)
        projected, nearest = np.empty_like(values), np.full(len(values), np.inf)
        for k in range(len(W)):
            for other in range(len(W)):
                mine = winner == k
                if other == k or not mine.any() or not (W[k] - W[other]).any():
                    continue
                plane = Hyperplane(W[k] - W[other], float(b[k] - b[other]))
                rows = np.flatnonzero(mine)
                distance = np.abs(plane.distance(values[rows]))
                closer = distance < nearest[rows]
                projected[rows[closer]] = plane.project(values[rows[closer]])
                nearest[rows[closer]] = distance[closer]
        if not np.isfinite(nearest).all():
            raise DataError(f"{type(self).__name__}: all weights are 0, so there is no boundary.")
        return projected

    def _scores(self, X: Any) -> np.ndarray:
        table = self._score_table(X)
        return table[:, 0] if table.shape[1] == 1 else table

    def _score_table(self, X: Any) -> np.ndarray:
        """(n, rows of coef_)"""
        return self._affine(X)

    def _choose(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        if scores.ndim == 2:
            return np.argmax(scores, axis=1)
        return (scores > 0).astype(np.int64) if len(self.classes_) > 1 else np.zeros(len(scores), np.int64)

    def _posterior(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if scores.ndim == 1:
            return logistic(scores).astype(scores.dtype, copy=False)
        if self.link == "softmax":
            return softmax(scores).astype(scores.dtype, copy=False)
        from scipy.special import expit

        each = expit(scores)
        total = each.sum(axis=1, keepdims=True)
        return np.divide(each, total, out=np.full_like(each, 1 / each.shape[1]), where=total > 0)

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(K, D) and (K,): one score a class, also for two classes."""
        W = self._dense(self._weight_rows())
        if len(W) > 1 or len(self.classes_) == 1:
            return W, self.intercept_
        return np.vstack((np.zeros_like(W), W)), np.append(0.0, self.intercept_)

    def _number(self, label: Any) -> int:
        places = np.flatnonzero(self.classes_ == label)
        if not len(places):
            raise ParameterError(
                f"{type(self).__name__}: label must be one of {self.classes_.tolist()}, got {label!r}."
            )
        return int(places[0])

    @staticmethod
    def _dense(X: Any) -> np.ndarray:
        return X if isinstance(X, np.ndarray) else X.toarray()

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        W, b = self._rows()
        if len(W) < 2:
            return Reasons()
        answers, two = self._choose(X), len(W) == 2

        def sections(i: int) -> list[Section]:
            x, best = dense_block(X[i : i + 1])[0].astype(np.float64), int(answers[i])
            g = W @ x + b
            second = int(np.argmax(np.where(np.arange(len(g)) == best, -np.inf, g)))
            label, other = (str(self.classes_[k]) for k in (best, second))
            if two:
                weights, constants, heads = (W[1] - W[0])[:, None], b[1:] - b[0], ["product"]
                gap = float(g[1] - g[0])
                title = f"Terms of the score (above 0: {self.classes_[1]})"
            else:
                pair = [best, second]
                weights = np.column_stack((W[pair].T, W[best] - W[second]))
                constants = np.array([b[best], b[second], b[best] - b[second]])
                heads, gap = [label, other, "difference"], float(g[best] - g[second])
                title = f"Terms of the scores of {label} and, next to it, {other}"
            note = self._odds(gap, label, other)
            terms = terms_section(title, self.design_, rows[i], x, weights, constants, heads, note)
            lead = float(g[best] - g[second])
            nearest = nearest_section(self.design_, rows[i], x, W[best] - W[second], lead, other)
            return [terms] + ([nearest] if nearest else [])

        def contributions(some: np.ndarray) -> Contributions:
            V, c = (W[1:] - W[:1], b[1:] - b[:1]) if two else (W, b)
            outputs = [f"the score of {label}" for label in self.classes_[-len(V) :]]
            chosen = np.zeros(len(some), int) if two else answers[some]
            return self._contributions(dense_block(X[some])[:, :, None] * V.T, c, outputs, chosen)

        return Reasons(sections, contributions)

    @property
    def _has_odds(self) -> bool:
        """Whether the difference of two scores is the logarithm of the odds of their classes."""
        return self.link == "softmax"

    def _odds(self, gap: float, label: str, other: str) -> str:
        """A sentence on what the score means."""
        if not self._has_odds:
            return ""
        odds = f"= {np.exp(abs(gap)):.4g}" if abs(gap) < 700.0 else "> 1e+304"
        return f"The odds of {label} against {other} are exp({abs(gap):.4g}) {odds} to 1."
