"""Linear classifiers by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Classifier, Discriminant
from assay.core.available import available_if
from assay.core.explanations import Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import python_label
from assay.core.parallel import in_threads
from assay.core.parameters import Accepted, Any_, Choice, Count
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.sums import Source
from assay.core.targets import check_weights, label_codes
from assay.errors import DataError, ParameterError
from assay.linear.discriminants.ridge_classifier import class_weights
from assay.linear.gradient.sgd import LOSSES, Aside, Epoch, StochasticDescent, Visits, Weights, set_aside
from assay.linear.linear_classifier import LinearClassifier
from assay.types import ClassWeight, Labels, RandomState, TableLike, Target

__all__ = ["SGDClassifier"]

_MAX_ITERATIONS = np.iinfo(np.int32).max


def _believes(self: Any) -> bool:
    if self.loss not in ("log_loss", "modified_huber"):
        raise AttributeError(
            f"{type(self).__name__}: probability estimates are not available for loss={self.loss!r}; use "
            "loss='log_loss', or calibrate the scores with assay.decide.CalibratedClassifierCV."
        )
    return True


class SGDClassifier(StochasticDescent, LinearClassifier, Discriminant):
    r"""Linear classifiers by stochastic gradient descent.

    The loss selects the model: "hinge" a linear support-vector machine, "log_loss" logistic regression,
    "perceptron" the perceptron. All of them are one score with another activation: its sign is the hard answer, and
    its logistic function, for "log_loss", the soft one. With labels -1 and +1

    .. math:: E(w, b) = \frac1n\sum_i v_i\,\ell(y_i, w^Tx_i + b)
              + \alpha\left(\tfrac{1-\rho}2\lVert w\rVert^2 + \rho\lVert w\rVert_1\right)             \quad (1)

    falls by steps that look at one row (or one batch) each:

    .. math:: w \leftarrow (1 - \eta_t(1-\rho)\alpha)\,w - \eta_t\,v_i\,\ell'(y_i, w^Tx_i+b)\,x_i     \quad (2)

    More than two classes: each against the rest, on several threads. Scale the columns before (StandardScaler); one
    rate serves all of them. The same seed gives the same weights as scikit-learn, order of the rows included, except
    where it judges ``early_stopping`` (it scores unscaled weights), and averages under an absolute penalty.

    ``fit_blocks`` makes passes of ``partial_fit`` over the blocks in their order, until their mean loss falls by less
    than ``tol``. On Dask it visits one partition after the other in the same way (more workers make it no faster).

    Cost: fit O(n d K) a pass, for two classes O(n d); predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    loss : default "hinge"
        "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", or a loss of the residual y - s:
        "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive".
    penalty : "l2", "l1", "elasticnet" or None, default "l2"
        Which norm is penalised: rho = 0, 1, ``l1_ratio``.
    alpha : float, default 0.0001
        Strength of the penalty, for each row: a ridge of :math:`\frac\lambda2\lVert w\rVert^2` against the *sum* of
        the losses is alpha = lambda / n.
    l1_ratio : float or None, default 0.15
        rho of "elasticnet".
    fit_intercept : bool, default True
        Whether there is a constant b; it is not penalised.
    max_iter : int, default 1000
        Passes over the rows at most.
    tol : float or None, default 1e-3
        Stop when ``n_iter_no_change`` passes in turn improved (1), or the score of the rows set aside, by less.
        None: make ``max_iter`` passes.
    shuffle : bool, default True
        Visit the rows in a new order in each pass.
    verbose : int, default 0
        Accepted for scikit-learn's sake; long fits show a progress bar, ``history_`` keeps the losses.
    epsilon : float, default 0.1
        Where the losses of the residual begin to count, or (huber) to grow as a straight line.
    n_jobs : int or None, default None
        Threads at most, over the classes; None for all that the surroundings allow. The answer is the same.
    random_state : default None
        Seed of the orders, and of the rows set aside.
    learning_rate : default "optimal"
        "optimal": :math:`1/(\alpha(t_0+t-1))` with :math:`t_0=\alpha^{-3/4}`; "constant": eta0; "invscaling": eta0 /
        t^power_t; "adaptive": eta0, a fifth of it each time the passes stop improving; "pa1", "pa2": passive-aggressive
        steps (with "hinge"), which repair the row's loss, at most eta0, or damped by 1 / (2 eta0).
    eta0 : float, default 0.01
        See ``learning_rate``.
    power_t : float, default 0.5
        See ``learning_rate``; from 0 up.
    early_stopping : bool, default False
        Set ``validation_fraction`` of the rows aside and stop when their accuracy does not rise any more.
    validation_fraction : float, default 0.1
        Share of the rows that ``early_stopping`` sets aside.
    n_iter_no_change : int, default 5
        See ``tol``.
    class_weight : dict of label to weight, "balanced" or None, default None
        What the rows of each class count, besides ``sample_weight``.
    warm_start : bool, default False
        Begin at the weights of the last fit.
    average : bool or int, default False
        Answer with the mean of the weights over all steps, or over those from this number on.
    batch_size : int, default 1
        Rows of a step, whose gradients are averaged; t counts steps.

    Attributes
    ----------
    coef_ : (1, d) for two classes, else (K, d)      intercept_ : (1,) or (K,)
    n_iter_ : passes made, the most of all classes      t_ : 1 + steps made
    history_ : list of Epoch (number, loss, rate, score, label), one more with each partial_fit
    standard_coef_, standard_intercept_, average_coef_, average_intercept_ : both sides of ``average``

    Examples
    --------
    >>> from assay.linear import SGDClassifier
    >>> X, y = [[-2.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, 1.0]], ["left", "left", "right", "right"]
    >>> model = SGDClassifier(loss="log_loss", alpha=0.01, random_state=0).fit(X, y)
    >>> model.predict([[-0.8, -1.0], [3.0, 0.5]])
    array(['left', 'right'], dtype='<U5')
    >>> model.history_[-1].loss < model.history_[0].loss
    True

    See Also
    --------
    SGDRegressor, Perceptron, LogisticRegression

    References
    ----------
    - Bottou, L. (2012). Stochastic gradient descent tricks. In Neural Networks: Tricks of the Trade, second
      edition, 421-436. Springer.
    - Xu, W. (2011). Towards optimal one pass large scale learning with averaged stochastic gradient descent.
      arXiv:1107.2490.
    """

    card = Card(
        "sgd",
        "a linear machine with margin, one row at a time",
        scale=True,
        settings={"random_state": 0},
        learns=(
            "linear scores",
            "hinge, log or another loss + penalty",
            "stochastic gradient descent",
            "global",
        ),
    )
    multiclass = "one-vs-rest"

    accepts: ClassVar[dict[str, Accepted | None]] = {
        "loss": Choice(*LOSSES),
        **StochasticDescent.accepts,
        "n_jobs": Count(1) | Count(-1024, -1) | None,
        "class_weight": Any_(
            "None, 'balanced' or a dict of label to weight",
            lambda v: v is None or v == "balanced" or isinstance(v, dict),
        ),
    }
    link = "sigmoid"
    _passive_aggressive = "hinge"

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int = 1,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size

    def fit(  # type: ignore[override]  # coef_init comes third, as in scikit-learn
        self,
        X: TableLike,
        y: Target,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from the rows of X and their classes y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) class labels of any kind
        coef_init, intercept_init : weights to begin at, shaped like ``coef_`` and ``intercept_``; None for 0
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._first = coef_init, intercept_init
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._first

    def partial_fit(
        self, X: TableLike, y: Target, classes: Labels | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Make one pass over some more rows; if it fails, the model stays as it was.

        Parameters
        ----------
        X, y, sample_weight : as in fit
        classes : all class labels; needed in the first call, since the rows may lack some
        """
        take = SGDClassifier._take if hasattr(self, "coef_") else all_or_nothing(SGDClassifier._take)
        return take(self, X, y, classes, sample_weight)

    def _take(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """One block of rows."""
        who, first = type(self).__name__, not hasattr(self, "coef_")
        self._check_partial()
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"{who}: class_weight 'balanced' is not supported for partial_fit, which does not know how many rows "
                "of each class will come. Give the weights as a dict."
            )
        if first and classes is None:
            raise ParameterError(f"{who}: classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ParameterError(
                f"{who}: classes={classes!r} is not the same as on last call to partial_fit."
            )
        values = self._admit(X, fitting=first)
        if first:
            self.classes_ = np.unique(classes)
            self.history_ = []
        codes = label_codes(y, self.classes_, values.shape[0], who)
        self.history_.extend(self._visit(values, codes, check_weights(sample_weight, values)))
        return self

    def _visit(
        self, X: Any, y: np.ndarray, w: np.ndarray | None, count: np.ndarray | None = None
    ) -> list[Epoch]:
        shape, first = (self._width(), X.shape[1]), not hasattr(self, "coef_")
        if first:
            self.t_ = 1.0
        scores = self._begin(*shape, None, None) if first else self._resume(*shape)
        return self._advance(X, y, w, scores, 1, count)

    def _count(self, source: Source) -> np.ndarray | None:
        K = len(self.classes_)
        if not isinstance(self.class_weight, str):
            return None
        return source.add_up(lambda block: np.bincount(block.y, minlength=K))

    @available_if(_believes)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the posterior of each class, for the losses "log_loss" and "modified_huber" only.

        "modified_huber": (clip(score, -1, 1) + 1) / 2. More than two classes are normalised to add up to 1.
        """
        return self._posterior(self._admit(X))

    @available_if(_believes)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the posterior, for the same losses."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        scores = self._begin(self._width(), X.shape[1], *self._first)
        self.t_ = 1.0
        self.history_ = self._advance(X, y, w, scores, self.max_iter)
        self._complain()

    def _width(self) -> int:
        K = len(self.classes_)
        if K < 2:
            raise DataError(
                f"{type(self).__name__}: the number of classes has to be greater than one; y has {K} class, "
                f"{self.classes_.tolist()}."
            )
        return 1 if K == 2 else K

    def _advance(
        self,
        X: Any,
        y: np.ndarray,
        w: np.ndarray | None,
        scores: list[Weights],
        epochs: int,
        count: np.ndarray | None = None,
    ) -> list[Epoch]:
        """Passes over the rows for each score, and what follows from them; one record for each."""
        rows, R = Visits(X), len(scores)
        count = np.bincount(y, minlength=len(self.classes_)) if count is None else count
        factors = class_weights(type(self).__name__, self.class_weight, self.classes_, count)
        seeds, skip = self._draw(y, w, R)

        def learn(k: int) -> list[Any]:
            positive = y == (k if R > 1 else 1)
            signs = np.where(positive, 1.0, -1.0)
            weights = w
            if factors is not None:
                class_factor = np.where(positive, factors[k if R > 1 else 1], 1.0 if R > 1 else factors[0])
                weights = class_factor if w is None else w * class_factor
            aside = None if skip is None else Aside(skip, _accuracy(X, positive, w, skip))
            label = python_label(self.classes_[k]) if R > 1 else None
            return self._descend(rows, signs, weights, scores[k], epochs, seeds[k], aside, bar, label)

        with progress(None, f"{type(self).__name__}: passes over the rows") as bar:
            histories = in_threads(learn, range(R), self.n_jobs if X.shape[0] * X.shape[1] > 20_000 else 1)
        passes = max(len(history) for history in histories)
        self.coef_, self.intercept_ = self._publish(scores, passes, X.shape[0])
        return [record for history in histories for record in history]

    def _draw(self, y: np.ndarray, w: np.ndarray | None, R: int) -> tuple[list[int], np.ndarray | None]:
        """The seeds of the orders and the rows set aside, drawn as scikit-learn draws them, and when."""
        drawn = random_state_of(self.random_state)
        if R == 1:
            drawn.randint(1, _MAX_ITERATIONS)
        skip = set_aside(self, y, w, stratified=True) if self.early_stopping else None
        if R == 1:
            return [int(drawn.randint(_MAX_ITERATIONS))], skip
        states = [np.random.RandomState(seed) for seed in drawn.randint(_MAX_ITERATIONS, size=R)]
        for state in states:
            state.randint(1, _MAX_ITERATIONS)
        return [int(state.randint(_MAX_ITERATIONS)) for state in states], skip

    def _posterior(self, X: Any) -> np.ndarray:
        if self.loss != "modified_huber":
            return super()._posterior(X)
        share = (np.clip(self._score_table(X), -1.0, 1.0) + 1.0) / 2.0
        if share.shape[1] == 1:
            return np.column_stack((1.0 - share, share))
        total = share.sum(axis=1, keepdims=True)
        return np.divide(share, total, out=np.full_like(share, 1 / share.shape[1]), where=total > 0)

    @property
    def _has_odds(self) -> bool:
        return self.loss == "log_loss" and len(self.classes_) == 2

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        believes = self.loss in ("log_loss", "modified_huber")
        return (Classifier if believes else Discriminant)._explain_block(self, X, rows)


def _accuracy(X: Any, positive: np.ndarray, w: np.ndarray | None, skip: np.ndarray) -> Any:
    """The share of the rows set aside that a score answers right."""
    rows = np.flatnonzero(skip)
    some, truth = X[rows], positive[rows]
    share = None if w is None else w[rows] / w[rows].sum()

    def score(weights: Weights) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            right = (np.asarray(some @ weights.coef) + weights.intercept > 0) == truth
        return float(right.mean() if share is None else right @ share)

    return score
