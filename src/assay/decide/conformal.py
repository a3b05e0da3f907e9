"""Conformal prediction: sets of classes that contain the truth as often as promised."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.meta_estimator import Routed
from assay.core.parameters import Any_, Choice, Flag, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, IntArray, Integer, Object
from assay.core.targets import EncodedLabels, label_codes
from assay.decide._meta import MetaClassifier, folds, is_fitted, posterior_of
from assay.decide.conformity import aps_score, conformal_quantile, lac_score, p_values
from assay.decide.reasoning import inner_reasoning
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.tables.rows import take_rows
from assay.types import Estimator, RandomState, Splitter, TableLike, Target

__all__ = ["ConformalClassifier"]


class ConformalClassifier(MetaClassifier):
    r"""Say a set of classes that misses the truth in a share alpha of cases at most.

    How strange a class k looks for a row x is a number :math:`s(x,k)` made from the posterior. With the numbers
    :math:`s_i = s(x_i,y_i)` of n rows that the classifier did not learn from,

    .. math:: p_k(x) = \frac{\#\{i : s_i \ge s(x,k)\} + 1}{n+1}, \qquad
              \Gamma(x) = \{k : p_k(x) > \alpha\}                                             \quad (1)

    which is :math:`s(x,k) \le q` with q the :math:`\lceil(n+1)(1-\alpha)\rceil`-th smallest :math:`s_i`. If new
    rows and calibration rows are exchangeable, :math:`P(y\in\Gamma(x)) \ge 1-\alpha` for any classifier, good or
    bad; a bad one pays with large sets.

    Cost: fit cv times the estimator, and O(n log n); predict O(cv) times the estimator, and O(K log n) a row; memory
    O(n) for the calibration scores, and cv estimators kept.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``; default None is Gaussian naive Bayes
    alpha : share of misses allowed, default 0.1
    nonconformity : "lac" (default), "aps", or a function from (n, K) posteriors to (n, K) strangeness
        "lac" is :math:`1 - P(k|x)`: the smallest sets on average. "aps" is the probability of all classes
        before k, most probable first, and a random part of that of k: larger sets, adapted to the row.
    cv : share of rows to calibrate on (default 0.3: split conformal), int, splitter or splits
        (cross-conformal: each row is scored by the fold that left it out; every row is used, and the guarantee
        is :math:`1-2\alpha` in theory, about :math:`1-\alpha` in practice), or "prefit" (a fitted estimator,
        calibrated on all rows given)
    class_conditional : default False
        Compare a class only with calibration rows of that class (Mondrian): the promise then holds for each
        class, not only on average, at the price of larger sets for rare classes.
    allow_empty : default True
        An empty set means that no class looks normal: the row is strange. False puts the most probable class
        into it, which can only raise the coverage.
    random_state : seed of the split, and of the random part in "aps"
        A fitted model repeats itself: the same table has the same sets.

    Attributes
    ----------
    classes_ : (K,)
    estimators_ : list of fitted classifiers, one per fold
    calibration_scores_ : list, per fold, of the sorted :math:`s_i`: one array, or one per class
    n_calibration_ : (K,) calibration rows that each class is compared with

    Notes
    -----
    ``fit`` takes no weights: weighted rows are not exchangeable. With alpha below 1/(n+1) every set is full,
    and a ``DegenerateWarning`` says so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.decide import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(alpha=0.05, random_state=0).fit(X, y)
    >>> model.predict_set(X[[0, 60, 100]])
    array([[ True, False, False],
           [False,  True, False],
           [False, False,  True]])
    >>> model.predict_set(X[[52]], alpha=0.03)  # a flower between two kinds
    array([[False,  True,  True]])

    See Also
    --------
    set_coverage : how often sets hold the true class, and how large they are

    References
    ----------
    - Vovk, V., Gammerman, A. and Shafer, G. (2005). Algorithmic Learning in a Random World. Springer.
    - Sadinle, M., Lei, J. and Wasserman, L. (2019). Least ambiguous set-valued classifiers with bounded error levels.
      Journal of the American Statistical Association 114(525), 223-234. doi:10.1080/01621459.2017.1395341
    - Romano, Y., Sesia, M. and Candès, E. J. (2020). Classification with valid and adaptive coverage. Advances in
      Neural Information Processing Systems 33, 3581-3591.
    """

    card = Card(
        "conformal",
        "sets of classes that miss the truth at most as often as asked",
        wraps=True,
        settings={"random_state": 0},
    )
    accepts = {
        "estimator": Any_("a classifier, or None"),
        "alpha": Range(0, 1, open="both"),
        "nonconformity": Choice("lac", "aps") | Function(),
        "cv": Any_(),
        "class_conditional": Flag(),
        "allow_empty": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "estimators_": Each(Object(BaseEstimator), "f"),
        "calibration_scores_": Each(Each(FloatArray("*")), "f"),
        "n_calibration_": IntArray("K", low=0),
        "seed_": Integer(),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        alpha: float = 0.1,
        *,
        nonconformity: Any = "lac",
        cv: Splitter | float | str = 0.3,
        class_conditional: bool = False,
        allow_empty: bool = True,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.nonconformity = nonconformity
        self.cv = cv
        self.class_conditional = class_conditional
        self.allow_empty = allow_empty
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, **fit_params: Any) -> Self:
        """Fit on some rows, calibrate on others; X reaches the classifier as it is."""
        who = type(self).__name__
        model = self._fitted_estimator() if isinstance(self.cv, str) and self.cv == "prefit" else None
        values, target, _ = self._start(X, y, fitted=model)
        codes = target.codes
        self.estimators_, self.calibration_scores_ = [], []
        if model is None:
            routed = Routed(fit_params, {}, {})
            parts = [
                (self._fit_part(values, target, None, routed, train), test)
                for train, test in self._splits(X, target)
            ]
        else:
            self.classes_ = np.asarray(model.classes_)
            codes = label_codes(target, self.classes_, len(target), who)
            parts = [(model, np.arange(len(target)))]
        random = random_state_of(self.random_state)
        used = np.concatenate([rows for _, rows in parts])
        for model, rows in parts:
            strange = self._strangeness(
                posterior_of(model, take_rows(values, rows), self.classes_, who), random
            )
            self.estimators_.append(model)
            self.calibration_scores_.append(
                self._sorted(strange[np.arange(len(rows)), codes[rows]], codes[rows])
            )
        self.seed_ = int(random.randint(2**31 - 1))  # new rows draw their own random parts
        K = len(self.classes_)
        counts = np.bincount(codes[used], minlength=K)
        self.n_calibration_ = counts if self.class_conditional else np.full(K, len(used))
        self._warn_if_full()
        return self

    def p_values(self, X: TableLike) -> np.ndarray:
        """(n, K) the p-values (1): how normal each class would look for each row."""
        return self._ask(X)[1]

    def predict_set(self, X: TableLike, alpha: float | None = None) -> np.ndarray:
        """(n, K) bool, whether each class is in the set; ``alpha`` replaces that of the constructor."""
        level = self.alpha if alpha is None else alpha
        if not (isinstance(level, (int, float)) and 0 < level < 1):
            raise ParameterError(
                f"{type(self).__name__}: alpha must be a number above 0 below 1, got {level!r}."
            )
        posterior, p = self._ask(X)
        return self._sets(posterior, p, level)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the wrapped classifier's posterior (the mean over the folds)."""
        return self._ask(X)[0]

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable class alone."""
        posterior = self.predict_proba(X)
        answers: np.ndarray = self.classes_[np.argmax(posterior, axis=1)]
        return answers

    def quantile(self, alpha: float | None = None) -> np.ndarray:
        """(K,) the largest strangeness that is still in the set, by split conformal; inf if all are."""
        check_is_fitted(self)
        if len(self.estimators_) > 1:
            raise ParameterError(f"{type(self).__name__}: folds have no common quantile; use p_values.")
        level = self.alpha if alpha is None else alpha
        scores = self.calibration_scores_[0]
        return np.array(
            [
                conformal_quantile(scores[k if self.class_conditional else 0], 1 - level)
                for k in range(len(self.classes_))
            ]
        )

    def _explain_table(self, X: Any) -> Explanations:
        X = self._admit(X)
        posterior, p = self._ask(X)
        sets, names = self._sets(posterior, p, self.alpha), self.classes_.tolist()
        heads, note = ["class", "p-value", "in the set"], f"In the set: p-value above {self.alpha:g}."

        def prediction_set(i: int) -> list[Section]:
            lines = [[str(v), float(p[i, k]), "yes" if sets[i, k] else "no"] for k, v in enumerate(names)]
            return [Section("Prediction set", heads, lines, note)]

        answers = ["{" + ", ".join(str(v) for v, member in zip(names, row) if member) + "}" for row in sets]
        inner = inner_reasoning(self.estimators_[0], X, len(p), asked=len(self.estimators_) == 1)
        return inner.then(
            type(self).__name__, prediction_set, answers=answers, classes=names, posterior=posterior
        )

    def _asked(self) -> Any:
        models = vars(self).get("estimators_")
        return models[0] if models else super()._asked()

    def _fitted_estimator(self) -> Any:
        """The classifier that came fitted."""
        model = self._template()
        if not is_fitted(model):
            raise NotFittedError(
                f"{type(self).__name__}: cv='prefit' needs a fitted classifier, {type(model).__name__} is not."
            )
        return model

    def _ask(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        X = self._admit(X)
        posteriors = [posterior_of(m, X, self.classes_, type(self).__name__) for m in self.estimators_]
        strange = [self._strangeness(P, np.random.RandomState(self.seed_)) for P in posteriors]
        return np.mean(posteriors, axis=0), p_values(strange, self.calibration_scores_, self.n_calibration_)

    def _sets(self, posterior: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
        sets = p > alpha  # (1)
        if not self.allow_empty:
            empty = np.flatnonzero(~sets.any(axis=1))
            sets[empty, posterior[empty].argmax(axis=1)] = True
        return sets

    def _strangeness(self, posterior: np.ndarray, random: np.random.RandomState) -> np.ndarray:
        if self.nonconformity == "lac":
            return lac_score(posterior)
        if self.nonconformity == "aps":
            return aps_score(posterior, random.random_sample(len(posterior)))
        strange = np.asarray(self.nonconformity(posterior), dtype=np.float64)
        if strange.shape != posterior.shape or np.isnan(strange).any():
            raise DataError(
                f"{type(self).__name__}: nonconformity must return one number (not NaN) per row and class, "
                f"{posterior.shape}, got shape {strange.shape}."
            )
        return strange

    def _sorted(self, s: np.ndarray, codes: np.ndarray) -> list[np.ndarray]:
        if not self.class_conditional:
            return [np.sort(s)]
        return [np.sort(s[codes == k]) for k in range(len(self.classes_))]

    def _splits(self, X: Any, target: EncodedLabels) -> list[tuple[np.ndarray, np.ndarray]]:
        cv = self.cv
        if isinstance(cv, float):
            if not 0 < cv < 1:
                raise ParameterError(
                    f"{type(self).__name__}: cv as a share must be above 0 and below 1, got {cv}."
                )
            from sklearn.model_selection import StratifiedShuffleSplit

            counts = np.bincount(target.codes)
            if counts.min() < 2:
                raise DataError(
                    f"{type(self).__name__}: to learn and to calibrate takes 2 rows of each class; "
                    "one class has 1 sample."
                )
            held = max(len(counts), round(cv * len(target)))
            cv = StratifiedShuffleSplit(
                1, test_size=min(held, len(target) - len(counts)), random_state=self.random_state
            )
        return folds(cv, X, target, type(self).__name__)

    def _warn_if_full(self) -> None:
        least = int(self.n_calibration_.min())
        if self.alpha * (least + 1) < 1:
            which = (
                f"class {self.classes_[int(self.n_calibration_.argmin())]!r}"
                if self.class_conditional
                else "every class"
            )
            warn_user(
                f"{type(self).__name__}: {least} calibration rows are too few for alpha={self.alpha:g}, so {which} is "
                f"in every set. Calibrate on {int(np.ceil(1 / self.alpha)) - 1} rows at least, or raise alpha.",
                DegenerateWarning,
            )
