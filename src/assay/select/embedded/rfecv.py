"""Recursive feature elimination that asks cross-validation how many columns to keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.meta_estimator import takes_tables
from assay.core.parameters import Any_, Count, Function, Instance
from assay.core.stored import AnyArray, Mapped
from assay.errors import warn_user
from assay.select.embedded.elimination import EliminationPath, eliminate
from assay.select.embedded.rfe import Eliminates
from assay.select.subsets.folds import Folds, Part, seen_by
from assay.tables import Table
from assay.tables.rows import take_columns
from assay.types import Estimator, Scoring, Splitter, TableLike, Target, Weights

__all__ = ["RFECV"]


class RFECV(Eliminates):
    """Recursive elimination with the number of columns that does best on held-out rows.

    On the training rows of every fold columns are dropped as :class:`RFE` drops them, and each model is scored on the
    test rows of the fold. The number of columns with the best mean score, the smallest of equals, is what elimination
    with all rows goes down to. The best mean looks better than it is, since it was chosen; for the honest error see
    ``compare`` with the selector in a pipeline, or ``assay select``.

    Folds run in threads on parts of one checked table. Least squares is solved from sums that are made once a fold,
    and logistic regression begins each round with the weights of the last.

    Cost: fit (folds + 1) d / step times the learner; transform O(1) a kept column, predict that of the learner; memory
    O(folds (n d + d^2 / step)) and that of the learner.

    Parameters
    ----------
    estimator : a learner with ``coef_`` or ``feature_importances_`` after fit
    step : int or float, default 1
        How many go in a round; a number below 1 is a share of all columns.
    min_features_to_select : int, default 1
        The fewest columns that are tried.
    cv : int, splitter or list of (training rows, test rows), default None
        None is 5 folds; with classes the folds are stratified.
    scoring : str, function or None, default None
        A scorer of scikit-learn or a measure of ours, by name or itself; None is the accuracy of classes, the R2 of
        numbers.
    verbose : int, default 0
    n_jobs : int or None, default None
        Threads, or processes where the estimator is not of this library; None is as many as help.
    importance_getter : str or function, default "auto"
        Where the importances are, as in :class:`RFE`.

    Attributes
    ----------
    cv_results_ : dict
        "n_features", "mean_test_score", "std_test_score" and, for each fold k, "split{k}_test_score",
        "split{k}_ranking" and "split{k}_support"; the fewest columns first.
    support_ : (d,) bool, the kept columns      n_features_ : int, how many these are
    ranking_ : (d,) 1 for kept columns, 2 for those that went last, ...
    estimator_ : fitted to the kept columns      classes_ : of a classifier

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import Ridge
    >>> from assay.select import RFECV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> selector = RFECV(Ridge()).fit(X, 3 * X[:, 2] - 2 * X[:, 4] + rng.normal(size=60))
    >>> selector.selected_, selector.cv_results_["n_features"]
    (['x2', 'x4'], array([1, 2, 3, 4, 5, 6]))

    See Also
    --------
    RFE, SelectFromModel

    References
    ----------
    - Guyon, I., Weston, J., Barnhill, S. and Vapnik, V. (2002). Gene selection for cancer classification using support
      vector machines. Machine Learning 46, 389-422. doi:10.1023/A:1012487302797
    """

    card = Card("rfecv", "drops the weakest columns, as many as cross-validation says", wraps=True)
    accepts = {
        **Eliminates.accepts,
        "min_features_to_select": Count(1),
        "cv": Any_(),
        "scoring": Function() | Instance(str, words="a word") | None,
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, Integral)),
    }
    stored = {"cv_results_": Mapped(AnyArray("*") | AnyArray("*", "*"))}
    cv_results_: dict[str, np.ndarray]

    def __init__(
        self,
        estimator: Estimator,
        *,
        step: float = 1,
        min_features_to_select: int = 1,
        cv: Splitter | None = None,
        scoring: Scoring | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        importance_getter: str | Callable[..., Any] = "auto",
    ):
        self.estimator = estimator
        self.step = step
        self.min_features_to_select = min_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.importance_getter = importance_getter

    @all_or_nothing
    def fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None, **params: Any
    ) -> Self:
        """Choose how many columns to keep by cross-validation, then drop the others.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) the classes or the numbers to predict
        sample_weight : (n,) what each row counts; None counts each once
        params : further arguments: ``groups`` for the splitter, others for the estimator's ``fit``
        """
        self._check_parameters()
        routed = self._routed(sample_weight, params)
        fits = self._fits(X, y, sample_weight, routed)
        d = fits.d
        if self.min_features_to_select > d:
            warn_user(
                f"{type(self).__name__}: Found min_features_to_select={self.min_features_to_select} > n_features={d}. "
                "There will be no feature selection and all features will be kept.",
                UserWarning,
            )
        fewest = min(self.min_features_to_select, d)
        folds = Folds.of(
            self._template(),
            fits.X,
            fits.y,
            self.cv,
            self._scorer(),
            fits.w,
            who=type(self).__name__,
            fit_params=fits.params,
            split_params=routed.split,
            score_params=routed.score,
        )
        score = self._quick_score(folds) or folds.scorer

        def one(part: Part) -> EliminationPath:
            params = dict(part.fit_params)
            w = params.pop("sample_weight", None)
            training = replace(fits, X=part.X_train, y=part.y_train, w=w, params=params)

            def judge(model: Any, columns: np.ndarray) -> float:
                X_test = take_columns(part.X_test, columns)
                X_test = seen_by(model, X_test) if isinstance(X_test, Table) else X_test
                return float(score(model, X_test, part.y_test, **part.score_params))

            return eliminate(training, self._importances, fewest, self._step(d), judge, self._tell)

        paths = self._each(one, folds.parts, self.n_jobs)
        scores = np.array([path.scores for path in paths])[:, ::-1]
        sizes = np.array(paths[0].sizes)[::-1]
        best = int(sizes[np.argmax(scores.sum(axis=0))])
        self._keep(self._eliminate(fits, best))
        self.cv_results_ = {
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            **{f"split{k}_test_score": values for k, values in enumerate(scores)},
            **{f"split{k}_ranking": path.rankings[::-1] for k, path in enumerate(paths)},
            **{f"split{k}_support": path.supports[::-1] for k, path in enumerate(paths)},
            "n_features": sizes,
        }
        return self

    def score(self, X: TableLike, y: Target, **params: Any) -> float:
        """The score by ``scoring`` of the estimator's answers to the kept columns of X."""
        from assay.core.routing import routing_enabled

        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            params = dict(process_routing(self, "score", **params)["scorer"].score)
        return float(self._scorer()(self, X, y, **params))

    def _scorer(self) -> Callable[..., float]:
        """A function of (model, X, y), higher for better."""
        from sklearn.metrics import get_scorer, get_scorer_names

        from assay.evaluate.scorers import scorer_of

        wanted = self.scoring
        if wanted is None:
            wanted = "accuracy" if is_classifier(self.estimator) else "r2"
        if isinstance(wanted, str) and wanted not in get_scorer_names():
            return scorer_of(wanted)
        return get_scorer(wanted)

    def _quick_score(self, folds: Folds) -> Callable[..., float] | None:
        """The usual score of a learner of ours, without the checks of answers that it has just given."""
        classes = is_classifier(self.estimator)
        usual = self.scoring in (None, "accuracy" if classes else "r2")
        if not usual or not takes_tables(self._template()) or folds.weights is not None or folds.score_params:
            return None
        if np.ndim(np.asarray(folds.y)) != 1:
            return None
        return _accuracy if classes else _r2


def _accuracy(model: Any, X: Any, y: np.ndarray) -> float:
    return float(np.mean(model.predict(X) == y))


def _r2(model: Any, X: Any, y: np.ndarray) -> float:
    if len(y) < 2:
        return float("nan")
    gap, total = y - model.predict(X), y - y.mean()
    squares, spread = float(gap @ gap), float(total @ total)
    return 1 - squares / spread if spread else float(squares == 0)
