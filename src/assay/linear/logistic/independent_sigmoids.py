"""Independent sigmoids: multi-label classification with one logistic output per label."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues, dense_block
from assay.core.fitting import all_or_nothing
from assay.core.learner import python_labels
from assay.core.stored import Boolean
from assay.core.targets import check_weights, plain_values
from assay.errors import DataError, ParameterError
from assay.linear.hyperplane import Hyperplane
from assay.linear.logistic.gradient_outputs import GradientOutputs
from assay.linear.logistic.logistic_outputs import Outputs
from assay.linear.terms import terms_section
from assay.types import Label, TableLike, Target, Weights

__all__ = ["IndependentSigmoids"]


class IndependentSigmoids(GradientOutputs):
    r"""K independent logistic outputs, one per label (multi-label classification).

    .. math:: y_k = \mathrm{sigmoid}(w_k^Tx + w_{k0}),\qquad
              \Delta w_k = \eta\sum_i(r_{ik} - y_{ik})\,\bigl[y_{ik}(1 - y_{ik})\bigr]\,x_i             \quad (1)

    with targets r of 0 and 1, the factor in brackets for the squared error only. With y an (n, K)
    table of 0 and 1 a row may have none of the labels, or several; the answers are such tables. With y one label a
    row, the outputs are scaled to sum 1 and the largest wins; a softmax, ``LogisticDiscriminant``, uses that sum while
    learning.

    Cost: fit O(n d K) a pass; predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    rate : "search", "backtracking", float or array (K,), default "search"
        eta: the best one along the gradient by bisection, a good one by halving, a number, or one for each label.
    error : {"cross_entropy", "squared_error"}, default "cross_entropy"
    batch_size : int, default None
        Rows of a step, 1 for one row at a time; None takes all.
    schedule : {"constant", "inverse"}, default "constant"
        "inverse" divides the rate by the number of the iteration.
    max_iter : int, default 1000
        Most passes over the rows.
    start : {"zero", "random"} or array (outputs, d + 1), default "zero"
        Where to begin, the constants first; "random" draws from -0.01 to 0.01.
    stop : {"gradient", "errors"}, default "gradient"
        Stop when no entry of the gradient is above ``tol``, or also when the number of wrong outputs is 0 or has not
        fallen for ``patience`` iterations.
    tol : float, default 1e-4
        Of the gradient, each entry divided by the root mean square of its column.
    patience : int, default 100
    snapshots : numbers of iterations, default none
        Whose weights the history keeps; 0 is the start.
    fit_intercept : bool, default True
    random_state : seed of the start and of the order of the rows

    Attributes
    ----------
    coef_ : (K, D)      intercept_ : (K,)
    classes_ : (K,) the labels: the names of the columns of y, else 0, 1, ...
    multilabel_ : whether y was a table
    n_iter_ : iterations made      history_ : list of Snapshot, the start first

    Examples
    --------
    The first label for large numbers, the second for numbers from 2 up, and none of them for 0 and 1:

    >>> from assay.linear import IndependentSigmoids
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]]
    >>> model = IndependentSigmoids(stop="errors").fit(X, y)
    >>> model.predict([[0.5], [2.2], [3.5]])
    array([[0, 0],
           [0, 1],
           [1, 1]])

    See Also
    --------
    LogisticRegression, LogisticDiscriminant

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "independent sigmoids",
        "one logistic output for each label, labels need not exclude each other",
        scale=True,
        learns=(
            "a linear score behind a logistic function for each class",
            "log loss of each class, or squared error",
            "gradient descent",
            "global",
        ),
    )
    multiclass = "one-vs-rest"
    stored = {"multilabel_": Boolean()}

    link = "sigmoid"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their labels y: (n, K) of 0 and 1, or (n,) one label a row."""
        R = None if y is None else _table(y)
        self.multilabel_ = R is not None
        if R is None:
            return super().fit(X, y, sample_weight)
        self._check_parameters()
        values = self._admit(X, fitting=True)
        if len(R) != values.shape[0]:
            raise DataError(f"{type(self).__name__}: X has {values.shape[0]} rows and y has {len(R)}.")
        if not np.isin(R, (0, 1)).all():
            raise DataError(f"{type(self).__name__}: y must be a table of 0 and 1, or one label a row.")
        names = getattr(y, "column_names", getattr(y, "columns", None))  # of pyarrow, of pandas and polars
        self.classes_ = np.arange(R.shape[1]) if names is None else np.array([str(name) for name in names])
        self._train(values, R, check_weights(sample_weight, values))
        return self

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        if K == 1:
            raise DataError(f"{type(self).__name__} tells classes apart, y has 1 class ({self.classes_[0]}).")
        self._train(X, y[:, None] == (np.arange(K) if K > 2 else np.array([1])), w)

    def _train(self, X: Any, R: np.ndarray, w: np.ndarray | None) -> None:
        squared = self.error == "squared_error"
        self._descend(
            Outputs(
                X,
                R,
                w,
                who=type(self).__name__,
                softmax=False,
                squared=squared,
                bias=self.fit_intercept,
                exclusive=not self.multilabel_,
            )
        )

    def predict(self, X: TableLike) -> np.ndarray:
        """(n, K) of 0 and 1, each label that is more probable than not; (n,) labels if y was one label a row."""
        if not getattr(self, "multilabel_", False):
            return super().predict(X)
        return (self._score_table(self._admit(X)) > 0).astype(np.int64)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the log odds of each label; (n,) of the second of two classes if y was one label a row."""
        values = self._admit(X)
        return self._score_table(values) if self.multilabel_ else self._scores(values)

    def hyperplane(self, label: Label | None = None, against: Any = None) -> Hyperplane:
        """Where a label is as probable as not; two classes of one label a row meet in one plane."""
        if not getattr(self, "multilabel_", False):
            return super().hyperplane(label, against)
        if label is None or against is not None:
            raise ParameterError(
                f"{type(self).__name__}: labels do not exclude each other; hyperplane needs one of "
                f"{self.classes_.tolist()}, and nothing against it."
            )
        k = self._number(label)
        return Hyperplane(self._dense(self.coef_)[k], float(self.intercept_[k]))

    def project(self, X: TableLike) -> np.ndarray:
        """(n, D) the nearest point at which another class would win as well, if y was one label a row."""
        if getattr(self, "multilabel_", False):
            raise ParameterError(
                f"{type(self).__name__}: labels do not exclude each other, so none wins. Use hyperplane(label).project."
            )
        return super().project(X)

    def _posterior(self, X: Any) -> np.ndarray:
        return expit(self._score_table(X)) if self.multilabel_ else super()._posterior(X)

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        if not self.multilabel_:
            return super()._explain_block(X, rows)
        P, labels = self._posterior(X), python_labels(self.classes_)
        answers = [[label for label, probable in zip(labels, p) if probable > 0.5] for p in P]
        return Explanations(type(self).__name__, answers, rows, self._label_terms(X, rows, labels), labels, P)

    def _label_terms(self, X: Any, rows: RowValues, labels: list[Any]) -> Reasons:
        def sections(i: int) -> list[Section]:
            x = dense_block(X[i : i + 1])[0].astype(np.float64)
            return [
                terms_section(
                    f"Terms of the log odds of {label}",
                    self.design_,
                    rows[i],
                    x,
                    w[:, None],
                    np.array([b]),
                    ["product"],
                )
                for label, w, b in zip(labels, self.coef_, self.intercept_)
            ]

        return Reasons(sections)


def _table(y: Any) -> np.ndarray | None:
    """y as (n, K), or None if it is one label a row."""
    if hasattr(y, "toarray"):
        return y.toarray()
    values = np.asarray(plain_values(y))
    return values if values.ndim == 2 and values.shape[1] > 1 and values.dtype.kind in "biuf" else None
