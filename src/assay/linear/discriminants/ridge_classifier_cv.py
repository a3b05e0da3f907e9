"""Ridge classifier that chooses its penalty by leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.stored import Boolean, FloatArray
from assay.core.sums import Block, Rows, Source
from assay.linear.discriminants.label_table import LabelTable
from assay.linear.discriminants.ridge_classifier import RidgeClassifier, class_weights, signs
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.regression.least_squares import weights_of
from assay.linear.regression.ridge_cv import RidgeCV
from assay.linear.regression.ridge_search import RidgeSearch
from assay.types import ClassWeight, Scoring, Splitter

__all__ = ["RidgeClassifierCV"]


class RidgeClassifierCV(LabelTable, RidgeSearch, LinearClassifier, Discriminant):
    """The ridge classifier with the penalty of the smallest leave-one-out error.

    Ridge regression on +1 for the class and -1 for all others (see `RidgeClassifier`), with the penalty chosen from
    the left-out residuals of all rows, which follow from one eigendecomposition without any refit (see `RidgeCV`).
    Where y is a table of 0 and 1, each column is a label of its own.

    Cost: fit O(n d^2 + d^3 + n d K), and O(n min(n, d) K) for each penalty; predict O(d K) a row; memory O(n d + d^2)
    to fit, O(d K) kept.

    Parameters
    ----------
    alphas : array of penalties, default (0.1, 1.0, 10.0)
        All above 0.
    fit_intercept : bool, default True
        Whether there is a constant.
    scoring : str, function or None, default None
        What the left-out scores are judged by, as in scikit-learn, such as "accuracy"; None: the mean squared residual.
        (For two classes scikit-learn passes the scorer no classes to compare with; here it gets them.)
    cv : None, int, splitter or iterable, default None
        None: leave-one-out; else cross-validation by ``GridSearchCV``. A splitter of groups gets those of
        ``fit(X, y, groups=...)``.
    class_weight : dict of label to weight, "balanced" or None, default None
        What the rows of each class count, besides ``sample_weight``.
    store_cv_results : bool, default False
        Whether to keep ``cv_results_``.

    Attributes
    ----------
    coef_ : (d,) for two classes, as in scikit-learn, else (K, d)      intercept_ : (1,) or (K,)
    alpha_ : float      best_score_ : float
    cv_results_ : (n, 1 or K, penalties)
        Weighted squared residuals, or left-out scores if there is ``scoring``.

    Examples
    --------
    >>> from assay.linear import RidgeClassifierCV
    >>> model = RidgeClassifierCV(alphas=[0.1, 100.0]).fit([[-2.0], [-1.0], [1.0], [2.0]], ["a", "a", "b", "b"])
    >>> model.alpha_, model.predict([[-0.5], [0.5]]).tolist()
    (0.1, ['a', 'b'])

    See Also
    --------
    RidgeClassifier, RidgeCV

    References
    ----------
    - Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
      Technometrics 12(1), 55-67.
    - Golub, G. H., Heath, M. and Wahba, G. (1979). Generalized cross-validation as a method for choosing a good
      ridge parameter. Technometrics 21(2), 215-223.
    """

    card = Card(
        "ridge cv",
        "ridge on coded classes, its penalty by leave-one-out",
        scale=True,
        learns=(
            "linear scores",
            "squared error of -1 and 1 + squared weights",
            "a Cholesky factor or a singular value decomposition",
            "analytic",
        ),
    )
    multiclass = "one-vs-rest"

    kept_in_single = ("coef_", "intercept_")
    accepts = {
        name: RidgeClassifier.accepts[name] if name == "class_weight" else RidgeCV.accepts[name]
        for name in ("alphas", "fit_intercept", "scoring", "cv", "class_weight", "store_cv_results")
    }
    stored = {
        "multilabel_": Boolean(),
        "_factors": FloatArray("K") | None,
        "coef_": FloatArray("p") | FloatArray("*", "p"),
    }

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Scoring | None = None,
        cv: Splitter | None = None,
        class_weight: ClassWeight = None,
        store_cv_results: bool = False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    def _survey_classes(self, source: Source) -> None:
        self._factors = None
        if self.class_weight is not None:
            K = len(self.classes_)

            def count(block: Block) -> np.ndarray:
                return np.bincount(block.y if block.w is None else block.y[block.w > 0], minlength=K)

            rows = source.add_up(count)
            self._factors = class_weights(type(self).__name__, self.class_weight, self.classes_, rows)

    def _numbers_of(self, block: Block) -> tuple[Any, np.ndarray, np.ndarray | None]:
        w = block.w
        if self._factors is not None:
            w = self._factors[block.y] if w is None else w * self._factors[block.y]
        return block.X, signs(len(self.classes_))[block.y], w

    def _score(self, guess: np.ndarray, job: Any) -> Any:
        from sklearn.metrics import check_scoring

        itself = _Scored(self.classes_)
        judge = check_scoring(itself, scoring=self.scoring)
        scores = guess[:, 0] if guess.shape[1] == 1 else guess
        return judge(itself, scores, self.classes_[job.codes], **self._score_metadata(job))

    def _search(self, rows: Rows, alphas: np.ndarray) -> None:
        model = RidgeClassifier(fit_intercept=self.fit_intercept, class_weight=self.class_weight)
        self._grid_search(model, rows, self.classes_[rows.y], alphas)

    def _default_scorer(self) -> Any:
        from sklearn.metrics import accuracy_score, make_scorer

        return make_scorer(accuracy_score)

    def _label_regressor(self) -> RidgeCV:
        names = ("alphas", "fit_intercept", "scoring", "cv", "store_cv_results")
        return _LabelSearch(**{name: getattr(self, name) for name in names})

    def _publish(self, W: np.ndarray, b: np.ndarray) -> None:
        self.coef_, self.intercept_ = weights_of(W), b


class _LabelSearch(RidgeCV):
    """The penalty for a table of -1 and +1, judged by the labels that follow from the scores."""

    def _score(self, guess: np.ndarray, job: Any) -> Any:
        from sklearn.metrics import check_scoring

        itself = _Labelled()
        judge = check_scoring(itself, scoring=self.scoring)
        return judge(itself, guess, (job.Y > 0).astype(np.int64), **self._score_metadata(job))

    def _keep_sums(self, sums: Callable[[], Any]) -> None:
        pass  # a table of labels has no predictive distribution

    def _search(self, rows: Rows, alphas: np.ndarray) -> None:
        model = RidgeClassifier(fit_intercept=self.fit_intercept)
        self._grid_search(model, rows, (rows.y > 0).astype(np.int64), alphas)

    def _default_scorer(self) -> Any:
        from sklearn.metrics import accuracy_score, make_scorer

        return make_scorer(accuracy_score)


class _Labelled(BaseEstimator):
    """A classifier whose scores of the labels are what it is given."""

    _estimator_type = "classifier"

    def fit(self, X: Any, y: Any) -> Any:
        """Nothing to learn."""
        return self

    def decision_function(self, X: Any) -> Any:
        """X."""
        return X

    def predict(self, X: Any) -> Any:
        """The labels with a score above 0."""
        return (X > 0).astype(np.int64)


class _Scored(BaseEstimator):
    """A classifier whose scores are what it is given."""

    _estimator_type = "classifier"

    def __init__(self, classes: Any):
        self.classes = classes
        self.classes_ = classes

    def fit(self, X: Any, y: Any) -> Any:
        """Nothing to learn."""
        return self

    def decision_function(self, X: Any) -> Any:
        """X."""
        return X

    def predict(self, X: Any) -> Any:
        """The class that the scores X choose."""
        return self.classes_[(X > 0).astype(int) if X.ndim == 1 else X.argmax(axis=1)]
