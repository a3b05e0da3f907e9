"""Choice of a covariance structure: five Gaussian classifiers cross-validated in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.bayes.gaussian_classifier import GaussianClassifier
from assay.bayes.gaussian_nb import GaussianNB
from assay.bayes.linear_discriminant import LinearDiscriminantAnalysis
from assay.bayes.low_rank import few_rows
from assay.bayes.nearest_mean import NearestMean
from assay.bayes.quadratic_discriminant import QuadraticDiscriminantAnalysis
from assay.bayes.shared_diagonal_nb import SharedDiagonalNB
from assay.core import Card, Classifier
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Learner
from assay.core.parameters import Any_, Count, Seed, Simplex
from assay.core.seeds import random_state_of
from assay.core.stored import Object, Plain, Text
from assay.core.sums import Block, Rows
from assay.errors import DegenerateError
from assay.types import Priors, RandomState

_STRUCTURES = ("spherical", "shared diagonal", "diagonal", "shared", "full")


def _splits_rows(cv: Any) -> bool:
    return hasattr(cv, "split") or (isinstance(cv, (list, tuple)) and len(cv) > 0)


def covariance_parameters(structure: str, d: int, K: int) -> int:
    r"""How many numbers the covariances of K classes in d columns take; the K d means come on top.

    "spherical" 1, "shared diagonal" d, "diagonal" K d, "shared" d (d + 1) / 2, "full" K d (d + 1) / 2.

    >>> from assay.bayes import covariance_parameters
    >>> [covariance_parameters(s, 10, 3) for s in ("spherical", "shared diagonal", "shared", "full")]
    [1, 10, 55, 165]
    """
    full = d * (d + 1) // 2
    return {"spherical": 1, "shared diagonal": d, "diagonal": K * d, "shared": full, "full": K * full}[
        structure
    ]


class GaussianClassifierCV(Classifier):
    r"""Choose the covariance structure of a Gaussian classifier by cross-validated error.

    A simple structure may be biased, a rich one has a large variance with few rows. The
    candidates, from few parameters to many:

    ================== ================================ =========================================
    structure          covariance of class k            learner
    ================== ================================ =========================================
    "spherical"        :math:`s^2 I`                    `NearestMean` with class shares as priors
    "shared diagonal"  :math:`\mathrm{diag}(s_j^2)`     `SharedDiagonalNB`
    "diagonal"         :math:`\mathrm{diag}(s_{kj}^2)`  `GaussianNB`
    "shared"           :math:`S`                        `LinearDiscriminantAnalysis`
    "full"             :math:`S_k`                      `QuadraticDiscriminantAnalysis`
    ================== ================================ =========================================

    The fewest errors win, of equals the fewest parameters. A structure that the rows of some fold cannot
    determine (a singular covariance) is out, and ``cv_results_`` says why. Each fold is summed up once; the
    sums of the training rows are those of the other folds, so ten folds cost little more than one fit.

    Cost: fit O(n d^2) for the sums, then cv + 1 times O(d^3 K) for each structure, and cv times O(n d^2 K) to judge
    them, with fewer rows than columns cv times O(n^2 d); predict that of the chosen structure, at most O(d^2 K) a row;
    memory O(cv d^2 K) to fit, O(d^2 K) kept, with fewer rows than columns O(n d).

    Parameters
    ----------
    structures : list of the names above, default None
        The candidates; None takes all.
    cv : int, a scikit-learn splitter, or a list of (train, test) row numbers, default 10
        How many folds, each with its share of each class; or the training and test rows.
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares.
    random_state : None, int or RandomState, default 0
        Deals the rows into folds.

    Attributes
    ----------
    structure_ : str, the best      best_estimator_ : its learner, fitted to all rows
    cv_results_ : list of dicts: structure, parameters, error, standard_error, reason

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.bayes import GaussianClassifierCV
    >>> model = GaussianClassifierCV().fit(*load_iris(return_X_y=True))
    >>> model.structure_
    'shared'
    >>> [(r["structure"], r["parameters"]) for r in model.cv_results_]
    [('spherical', 1), ('shared diagonal', 4), ('diagonal', 12), ('shared', 10), ('full', 30)]

    See Also
    --------
    QuadraticDiscriminantAnalysis, LinearDiscriminantAnalysis, RegularizedDiscriminantAnalysis

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "gaussian cv",
        "the covariance structure of Gaussian classes by cross-validation",
        learns=(
            "a Gaussian of each class, structure of the covariances chosen",
            "log loss on held-out rows",
            "moments, and a search over the structures",
            "global",
        ),
    )
    accepts = {
        "structures": Any_(
            f"None or a list of names among {', '.join(_STRUCTURES)}",
            lambda v: (
                v is None or (isinstance(v, (list, tuple)) and len(v) > 0 and set(v) <= set(_STRUCTURES))
            ),
        ),
        "cv": Count(2) | Any_("a splitter or a list of (train, test) row numbers", _splits_rows),
        "priors": Simplex() | None,
        "random_state": Seed(),
    }
    stored = {
        "best_estimator_": Object(Learner, K="K"),
        "cv_results_": Plain(list),
        "structure_": Text(),
    }

    def __init__(
        self,
        structures: Any = None,
        *,
        cv: int = 10,
        priors: Priors | None = None,
        random_state: RandomState = 0,
    ):
        self.structures = structures
        self.cv = cv
        self.priors = priors
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if len(y) < 2:
            raise DegenerateError(f"{type(self).__name__}: cannot cross-validate with n_samples = {len(y)}.")
        rows = Block(X, y, w)
        self.cv_results_, best = [], None
        for structure in self.structures or _STRUCTURES:
            learner = self._prepared(structure)
            lessons, total = self._fold_sums(learner, rows)
            record = _validate(learner, lessons, rows)
            size = covariance_parameters(structure, X.shape[1], len(self.classes_))
            self.cv_results_.append({"structure": structure, "parameters": size, **record})
            place = (record["error"], size)
            if not record["reason"] and (best is None or place < best[0]):
                best = place, structure, total
        if best is None:
            raise DegenerateError(
                f"{type(self).__name__}: no structure fits. {self.cv_results_[0]['reason']}"
            )
        _, self.structure_, sums = best
        self.best_estimator_ = self._prepared(self.structure_)
        self.best_estimator_._sums = sums
        self.best_estimator_._solve(sums)

    def _fold_sums(self, learner: Any, rows: Block) -> tuple[Iterable[tuple[Any, np.ndarray]], Any]:
        """For each fold the sums of its training rows and its test rows; and the sums of all rows."""

        sums_rows = isinstance(learner, (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis))
        wide = sums_rows and few_rows(Rows(*rows), len(self.classes_)) is not None

        def summed(chosen: Any) -> Any:
            part = Block(*(None if column is None else column[chosen] for column in rows))
            return few_rows(Rows(*part), len(self.classes_)) if wide else learner._summarize(*part)

        if not isinstance(self.cv, (int, np.integer)):
            splits = self.cv.split(rows.X, rows.y) if hasattr(self.cv, "split") else self.cv
            return ((summed(train), test) for train, test in splits), summed(slice(None))
        # the rows of each class, shuffled, are dealt one after another
        shuffled = random_state_of(self.random_state).permutation(len(rows.y))
        dealt = shuffled[np.argsort(rows.y[shuffled], kind="stable")]
        folds = [np.sort(dealt[f :: self.cv]) for f in range(min(self.cv, len(dealt)))]
        if wide:  # rows are kept in place of their scatter matrices, so there is nothing to add up
            every = np.arange(len(rows.y))
            return ((summed(np.setdiff1d(every, fold)), fold) for fold in folds), summed(slice(None))
        parts = [summed(fold) for fold in folds]
        training = [reduce(add, parts[:f] + parts[f + 1 :]) for f in range(len(parts))]
        return list(zip(training, folds)), reduce(add, parts)

    def _prepared(self, structure: str) -> GaussianClassifier:
        """The structure's learner with everything in place but its sums."""
        empirical = "empirical" if self.priors is None else self.priors
        learner = {
            "spherical": NearestMean(priors=empirical),
            "shared diagonal": SharedDiagonalNB(priors=self.priors),
            "diagonal": GaussianNB(priors=self.priors),
            "shared": LinearDiscriminantAnalysis(priors=self.priors),
            "full": QuadraticDiscriminantAnalysis(priors=self.priors),
        }[structure]
        learner = clone(learner)
        learner.classes_ = self.classes_
        learner._remember(self.schema_)
        return learner

    def _posterior(self, X: Any) -> np.ndarray:
        return self.best_estimator_._posterior(X)

    def _choose(self, X: Any) -> np.ndarray:
        return self.best_estimator_._choose(X)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        return self.best_estimator_._reasons(X, rows)


def _validate(learner: Any, lessons: Iterable[tuple[Any, np.ndarray]], rows: Block) -> dict[str, Any]:
    """Error and its standard error over folds; or the reason why there is none."""
    errors = []
    for sums, test in lessons:
        try:
            learner._solve(sums)
            wrong = learner._choose(rows.X[test]) != rows.y[test]
        except DegenerateError as error:
            return {"error": np.nan, "standard_error": np.nan, "reason": str(error)}
        weight = np.ones(len(wrong)) if rows.w is None else rows.w[test]
        if weight.sum() > 0:
            errors.append(float(np.average(wrong, weights=weight)))
    spread = float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else np.nan
    return {"error": float(np.mean(errors)), "standard_error": spread, "reason": ""}
