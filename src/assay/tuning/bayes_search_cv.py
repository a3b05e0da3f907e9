"""Bayesian search over the parameters of any estimator, with scikit-learn's results."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV

from assay.core.parameters import Accepted, Any_, Choice, Count, Seed, check
from assay.errors import ParameterError, warn_user
from assay.tuning.acquisition import ACQUISITIONS
from assay.tuning.bayesian_optimization import BayesianOptimization
from assay.tuning.space import Space

__all__ = ["BayesSearchCV"]


class BayesSearchCV(BaseSearchCV):
    """Search over parameters of an estimator by cross-validation, each setting suggested by those before it.

    A drop-in for scikit-learn's ``RandomizedSearchCV``: the same parameters, and the same attributes after fit, from
    fewer fits (:class:`BayesianOptimization`). Several settings at a time (``n_points``) are fitted in parallel. For
    the honest error of a tuned learner, and for tables as they are: :class:`Tuned` and :func:`nested`. A setting with
    which no fit succeeds gives a ``FitFailedWarning`` and is in ``optimization_.history``, not in ``cv_results_``.

    Cost: ``n_iter`` times folds fits of the estimator, and O(n_iter^3) for the suggestions, mostly some hundredths of a
    second each.

    Parameters
    ----------
    estimator : estimator with fit
    param_distributions : dict
        Parameters and what they may be: ``Real(low, high, log=True)``, ``Whole(low, high)``, ``Category(values)``, a
        list of values, a tuple of two numbers, or a distribution of scipy.stats.
    n_iter : int, default 30
        Settings that are tried.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score : as scikit-learn's
        A setting whose score is not a number counts as one that failed. With several scores, ``refit`` names the one
        that is maximised.
    random_state : int or None, default None
    n_points : int, default 1
        Settings that are suggested together.
    acquisition : "ei", "ucb", "thompson" or "noisy ei", default "ei"

    Attributes
    ----------
    cv_results_ : dict of arrays      best_estimator_, best_score_, best_params_, best_index_ : as scikit-learn's
    optimization_ : BayesianOptimization, with the history and what mattered (``optimization_.explain()``)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.svm import SVC
    >>> from assay.tuning import BayesSearchCV, Real
    >>> search = BayesSearchCV(SVC(), {"C": Real(0.01, 100.0, log=True)}, n_iter=8, random_state=0)
    >>> search = search.fit(*load_iris(return_X_y=True))
    >>> bool(search.best_score_ > 0.95), len(search.cv_results_["params"])
    (True, 8)

    See Also
    --------
    Tuned, nested, BayesianOptimization

    References
    ----------
    - Snoek, J., Larochelle, H. and Adams, R. P. (2012). Practical Bayesian optimization of machine learning algorithms.
      Advances in Neural Information Processing Systems 25, 2951-2959.
    """

    accepts: ClassVar[dict[str, Accepted | None]] = {
        "estimator": Any_(),
        "param_distributions": Any_(),
        "n_iter": Count(1),
        "random_state": Seed(),
        "n_points": Count(1),
        "acquisition": Choice(*ACQUISITIONS),
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 30,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        n_points: int = 1,
        acquisition: str = "ei",
    ):
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.random_state = random_state
        self.n_points = n_points
        self.acquisition = acquisition
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def fit(self, X: Any, y: Any = None, **params: Any) -> BayesSearchCV:
        """Search on splits of these rows, then fit the best setting to all of them."""
        check(type(self).__name__, self.accepts, {name: getattr(self, name) for name in self.accepts})
        self._space()
        return super().fit(X, y, **params)

    def _space(self) -> Space:
        try:
            return Space(self.param_distributions)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    def _run_search(self, evaluate_candidates: Any) -> None:
        search = BayesianOptimization(
            self._space(), acquisition=self.acquisition, random_state=self.random_state
        )
        score = f"mean_test_{self.refit}" if isinstance(self.refit, str) else "mean_test_score"
        recorded, failed = 0, 0
        while recorded + failed < self.n_iter:
            settings = search.ask(min(self.n_points, self.n_iter - recorded - failed))
            try:
                results = evaluate_candidates(settings)
            except ValueError as error:
                failed += len(settings)
                if not str(error).lstrip().startswith("All the ") or failed == self.n_iter:
                    raise
                for setting in settings:
                    search.tell(setting, None, failure="all fits failed")
                warn_user(f"All fits of {settings} failed: {error}", FitFailedWarning)
                continue
            if score not in results:
                raise ParameterError(
                    f"{type(self).__name__}: with several scores refit must name the one to maximise, got "
                    f"{self.refit!r}."
                )
            seconds = results["mean_fit_time"] + results["mean_score_time"]
            for i, setting in enumerate(settings, start=recorded):
                search.tell(setting, -float(results[score][i]), seconds=float(seconds[i]))
            recorded += len(settings)
        self.optimization_ = search
