"""Histogram gradient boosting: many small trees, each a Newton step on binned columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Classifier, Regressor
from assay.core.parameters import Any_, Choice, Range
from assay.core.scores import softmax
from assay.core.targets import encode_labels, label_codes, numeric_target
from assay.ensembles.class_weights import times_class_weights, weights_of_classes
from assay.ensembles.hist_learner import HistBoosting
from assay.ensembles.hist_losses import HistLoss
from assay.errors import DataError, ParameterError
from assay.types import ClassWeight, RandomState, Scoring, TableLike

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]


class HistGradientBoostingClassifier(HistBoosting, Classifier):
    r"""Classify by a sum of small trees, each a Newton step on the log-loss.

    The scores F start at the log odds of the class shares. Each round takes gradient and curvature of the loss at
    every row and grows a tree whose leaves lower its second-order approximation the most; a split of sums (G, H)
    into left and right is worth its gain, the node with the largest gain is split first, and a leaf has the value v:

    .. math:: g_i = p_i - y_i,\qquad h_i = p_i(1-p_i),\qquad p_i = \frac1{1+e^{-F(x_i)}}          \quad (1)

    .. math:: \mathrm{gain} = \frac{G_L^2}{H_L+\lambda} + \frac{G_R^2}{H_R+\lambda}
              - \frac{G^2}{H+\lambda},\qquad v = -\frac{G}{H+\lambda}                            \quad (2)

    .. math:: F \leftarrow F + \eta\,v_{\mathrm{leaf}(x)}                                        \quad (3)

    The training loss falls with every round. A Newton step v trusts the curvature where it stands; where few rows of a
    leaf are wrong and all others sure, that has vanished and :math:`\eta v` is too long by orders of magnitude. Since
    the third derivative of the log-loss is at most the second, a step t lowers the loss of a leaf by at least
    :math:`|G|t - H(e^t-t-1)` (Bach 2010, Self-concordant analysis for logistic regression, Proposition 1). A step that
    does not lower it by a tenth of :math:`|G|\eta v`, by this bound or in truth, is replaced by the bound's best,

    .. math:: t = \mathrm{sign}(v)\,\ln(1+|v|)                                                       \quad (4)

    and the trees of several classes, which are grown side by side, are shortened where together they raise the loss
    (:mod:`assay.ensembles.damping`). Other leaves follow (2) and (3) exactly.

    More than two classes have a score each, p is their softmax, and a round grows one tree for each class. Quick,
    hard to beat on tables of many rows, and indifferent to the columns' scales.

    Splits are sought on bins: numbers are cut at up to 254 quantiles, categories are bins, of columns with more
    than ``max_bins`` categories those with fewer than 10 rows share one. A nominal column is split after sorting
    its bins by G / (H + 10). Missing values (and categories unseen in training) go to the side that training found
    better, or to the side with more rows where none was missing. Gradients are added up as whole numbers, so the
    model is the same for any number of threads; leaves' values come from the rows' own curvatures. A drop-in for
    scikit-learn's class of this name, which on numeric data grows the same trees but for ties; other than there,
    text columns and columns of any number of categories are taken as they are, and infinite values are refused.

    From blocks on disk (``fit_blocks``) and from Dask collections (``fit``) it grows the same trees to the last bit:
    what is added up over rows is a whole number or an exact sum, and rows are drawn (for bins, above 200,000 rows)
    by their number. The rows stay where they are; only histograms and a few sums travel (docs/scaling.md). What differs
    there: rows that early stopping judges by are held out by their number and the seed, about a share
    ``validation_fraction`` of them, and not by class; ``scoring`` must be "loss"; ``warm_start`` is for memory.

    One class alone is always the answer. Constant columns are never tested, nor are columns without a value.

    Cost: fit O(n d log n) to find the bins, then O(T C n d depth) for T rounds of C = 1 tree for two classes, else K;
    predict O(T C depth) a row; memory O(n d) bytes for the bins and O(n K) to fit, O(T C leaves) kept.

    Parameters
    ----------
    loss : "log_loss"
    learning_rate : float, default 0.1
        :math:`\eta` in (3): the share of each step that is taken. Smaller needs more rounds and often ends better.
    max_iter : int, default 100
        The most rounds; there are that many trees, for more than two classes one for each.
    max_leaf_nodes : int or None, default 31
        The most leaves of a tree; None means any number.
    max_depth : int or None, default None
        The most tests on a way down; None means any number.
    min_samples_leaf : int, default 20
        The least rows of a leaf.
    l2_regularization : float, default 0
        :math:`\lambda` in (2).
    max_features : float, default 1
        The share of columns, drawn anew for each node, among which its split is looked for.
    max_bins : int from 2 to 255, default 255
        The most bins of a numeric column.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns
        Which columns are nominal. "from_dtype" takes the table's word for it: text and categories are, numbers are
        not. None: there are none. Ordered categories are split by their order.
    monotonic_cst : dict of name to sign, or a sign for each column, default None
        1: the score may only grow with the column, -1: only fall, 0: either; two classes only.
    interaction_cst : "pairwise", "no_interactions" or lists of columns, default None
        Groups of columns that may be tested on the same way down; columns of no list form one more group.
    warm_start : bool, default False
        Whether another ``fit`` adds rounds up to ``max_iter`` to those that are there.
    early_stopping : "auto" or bool, default "auto"
        Whether to stop when the score has not grown by ``tol`` in ``n_iter_no_change`` rounds; "auto": if there are
        more than 10,000 rows.
    scoring : "loss", a scorer's name, a function (model, X, y), or None for the model's own score; default "loss"
    validation_fraction : share or number of rows to judge by, default 0.1; None judges by the training rows
    n_iter_no_change : int, default 10
        Rounds without a better score after which to stop.
    tol : float, default 1e-7
        By how much a better score is better.
    verbose : accepted for compatibility; progress shows itself in terminals and notebooks
    random_state : seed of the rows set aside, of the sample that bins are found from (above 200,000 rows), and of
        ``max_features``
    class_weight : dict of class to weight, "balanced", or None
        What the rows of each class count, beside ``sample_weight``.

    Attributes
    ----------
    classes_ : (K,)
    n_iter_ : int, rounds done      n_trees_per_iteration_ : int, 1 for two classes, else K
    do_early_stopping_ : bool      is_categorical_ : (d,) bool, or None if there is no nominal column
    train_score_, validation_score_ : (n_iter_ + 1,)
        Scores before the first round and after each; empty without early stopping.
    history_ : list of dict, one a round
        ``iteration``, ``leaves``, ``depth`` and, with early stopping, the scores.
    feature_importances_ : (d,) share of all gains that tests on each column brought
    baseline_ : scores before the first tree      trees_ : BoostedTrees

    Examples
    --------
    Two bins of two rows; the first step from p = 1/2 is -G / H = 1 / 0.5, of which a tenth is taken each round:

    >>> from assay.ensembles import HistGradientBoostingClassifier
    >>> model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=1)
    >>> model = model.fit([[0.0], [0.0], [1.0], [1.0]], ["no", "no", "yes", "yes"])
    >>> model.decision_function([[0.0], [1.0]])
    array([-0.2,  0.2])
    >>> print(model.explain([[1.0]]))
    HistGradientBoostingClassifier answers yes (probability 0.5498)
    for the row x0 = 1
    <BLANKLINE>
    What each column adds
      column  value  contribution
      x0      1               0.2
      base                      0
      sum                     0.2
      Shapley values: the base is the log odds of yes when ...
    <BLANKLINE>
    Posterior
      no   0.4502
      yes  0.5498

    See Also
    --------
    GradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier

    References
    ----------
    - Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics
      29(5), 1189-1232. doi:10.1214/aos/1013203451
    - Chen, T. and Guestrin, C. (2016). XGBoost: a scalable tree boosting system. ACM SIGKDD Conference, 785-794.
      doi:10.1145/2939672.2939785
    - Ke, G., Meng, Q., Finley, T., Wang, T., Chen, W., Ma, W., Ye, Q. and Liu, T.-Y. (2017). LightGBM: a highly
      efficient gradient boosting decision tree. Advances in Neural Information Processing Systems 30, 3146-3154.
    - Bach, F. (2010). Self-concordant analysis for logistic regression. Electronic Journal of Statistics 4,
      384-414. doi:10.1214/09-EJS521
    """

    card = Card(
        "boosting",
        "small trees, each mending what the others miss",
        also=("gradient boosting",),
        suits="any",
        settings={"random_state": 0},
        learns=(
            "a sum of trees",
            "log loss (+ squared leaf values)",
            "one tree after the other, on gradients",
            "greedy",
        ),
    )
    accepts = {
        "loss": Choice("log_loss"),
        **HistBoosting.accepts,
        "class_weight": Choice("balanced")
        | Any_("a dict of class to weight", lambda v: isinstance(v, dict))
        | None,
    }

    def __init__(
        self,
        loss: str = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: ArrayLike | str | None = "from_dtype",
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Sequence[int]] | str | None = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: Scoring | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: bool | int = 0,
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight

    def _target(self, y: Any, n: int, first: bool) -> np.ndarray:
        who = type(self).__name__
        if first:
            self.classes_, codes = encode_labels(y, n, who)
        else:
            codes = label_codes(y, self.classes_, n, who)
        return codes.astype(np.float64)

    def _loss(self) -> HistLoss:
        K = len(self.classes_)
        return HistLoss("binomial") if K <= 2 else HistLoss("multinomial", classes=K)

    def _final_weights(self, w: np.ndarray | None, y: np.ndarray) -> np.ndarray | None:
        codes = y.astype(np.intp)
        each = self._class_weights(np.bincount(codes, minlength=len(self.classes_)))
        return w if each is None else times_class_weights(w, each[codes], type(self).__name__)

    def _class_weights(self, counts: np.ndarray) -> np.ndarray | None:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, dict):
            return weights_of_classes(self.class_weight, self.classes_, type(self).__name__)
        each: np.ndarray = counts.sum() / (len(counts) * np.maximum(counts, 1))
        return each

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        return self._probabilities(self._raw(X))

    def _choose(self, X: np.ndarray) -> np.ndarray:
        return self._winners(self._raw(X))

    def _probabilities(self, raw: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(raw), 1))
        if raw.shape[1] > 1:
            return softmax(raw.copy())
        p = np.empty((len(raw), 2))
        small = np.exp(-np.abs(raw[:, 0]))
        p[:, 1] = np.where(raw[:, 0] >= 0, 1.0, small) / (1.0 + small)
        p[:, 0] = np.where(raw[:, 0] >= 0, small, 1.0) / (1.0 + small)
        return p

    def _winners(self, raw: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.zeros(len(raw), dtype=np.intp)
        return (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else np.argmax(raw, axis=1)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the log odds of the second class, or (n, K) the score of each class."""
        raw = self._raw(self._admit(X))
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """``decision_function`` after each round."""
        for raw in self._staged(X):
            yield raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """``predict_proba`` after each round."""
        for raw in self._staged(X):
            yield self._probabilities(raw)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """``predict`` after each round."""
        for raw in self._staged(X):
            yield self.classes_[self._winners(raw)]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        raw = self._raw(X)
        if raw.shape[1] == 1:
            return self._add_up(X, rows, [f"the log odds of {self.classes_[-1]}"], np.zeros(len(raw), int))
        return self._add_up(X, rows, [f"the score of {c}" for c in self.classes_], np.argmax(raw, axis=1))


class HistGradientBoostingRegressor(HistBoosting, Regressor):
    r"""Predict a number by a sum of small trees, each a Newton step on the loss.

    The score F starts at the constant with the least loss. Each round takes gradient and curvature of the loss at
    every row and grows a tree whose leaves lower its second-order approximation the most:

    .. math:: g_i = \frac{\partial L(y_i, F)}{\partial F},\qquad h_i = \frac{\partial^2 L(y_i, F)}{\partial F^2}
              \qquad\text{at } F(x_i)                                                             \quad (1)

    .. math:: \mathrm{gain} = \frac{G_L^2}{H_L+\lambda} + \frac{G_R^2}{H_R+\lambda}
              - \frac{G^2}{H+\lambda},\qquad v = -\frac{G}{H+\lambda}                            \quad (2)

    .. math:: F \leftarrow F + \eta\,v_{\mathrm{leaf}(x)}                                        \quad (3)

    =================  ===========================================  =====================
    loss               L(y, F)                                      prediction
    =================  ===========================================  =====================
    squared_error      (F - y)^2 / 2                                F, the mean
    absolute_error     abs(F - y)                                   F, the median
    quantile           (y - F) (q - [y < F])                        F, the q-quantile
    poisson            e^F - y F                                    e^F, the mean
    gamma              F + y e^-F                                   e^F, the mean
    =================  ===========================================  =====================

    Absolute error and quantile have no curvature: there h is 1, and a leaf has the median (quantile) of its
    residuals, as far as monotonic constraints let it.

    The training loss falls with every round, for any learning rate: a step that does not lower the loss of its leaf by
    a tenth of :math:`|G|\eta v` is replaced by v for the squared error, by :math:`\mathrm{sign}(v)\ln(1+|v|)` for
    poisson and gamma, and by at most the whole way to a quantile of least loss for the others; trees under monotonic
    constraints are shortened as a whole.

    Splits are sought on bins: numbers are cut at up to 254 quantiles, categories are bins, of columns with more
    than ``max_bins`` categories those with fewer than 10 rows share one. A nominal column is split after sorting
    its bins by G / (H + 10). Missing values (and categories unseen in training) go to the side that training found
    better, or to the side with more rows where none was missing. Gradients are added up as whole numbers, so the
    model is the same for any number of threads; leaves' values come from the rows' own curvatures. A drop-in for
    scikit-learn's class of this name, which on numeric data grows the same trees but for ties; other than there,
    text columns and columns of any number of categories are taken as they are, and infinite values are refused.

    From blocks on disk (``fit_blocks``) and from Dask collections (``fit``) it grows the same trees to the last bit:
    what is added up over rows is a whole number or an exact sum, and rows are drawn (for bins, above 200,000 rows)
    by their number. The rows stay where they are; only histograms and a few sums travel (docs/scaling.md).
    Medians and quantiles in leaves are found by passes over the digits of the residuals. What differs
    there: rows that early stopping judges by are held out by their number and the seed, about a share
    ``validation_fraction`` of them; ``scoring`` must be "loss"; ``warm_start`` is for memory.

    Cost: fit O(n d log n) to find the bins, then O(T n d depth) for T rounds; predict O(T depth) a row; memory O(n d)
    bytes for the bins to fit, O(T leaves) kept.

    Parameters
    ----------
    loss : "squared_error", "absolute_error", "quantile", "poisson" or "gamma", default "squared_error"
        Poisson needs y from 0 up, gamma y above 0.
    quantile : float between 0 and 1, default None
        q of the quantile loss.
    learning_rate : float, default 0.1
        :math:`\eta` in (3): the share of each step that is taken. Smaller needs more rounds and often ends better.
    max_iter : int, default 100
        The most rounds; there are that many trees.
    max_leaf_nodes : int or None, default 31
        The most leaves of a tree; None means any number.
    max_depth : int or None, default None
        The most tests on a way down; None means any number.
    min_samples_leaf : int, default 20
        The least rows of a leaf.
    l2_regularization : float, default 0
        :math:`\lambda` in (2).
    max_features : float, default 1
        The share of columns, drawn anew for each node, among which its split is looked for.
    max_bins : int from 2 to 255, default 255
        The most bins of a numeric column.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns
        Which columns are nominal. "from_dtype" takes the table's word for it: text and categories are, numbers are
        not. None: there are none. Ordered categories are split by their order.
    monotonic_cst : dict of name to sign, or a sign for each column, default None
        1: the score may only grow with the column, -1: only fall, 0: either.
    interaction_cst : "pairwise", "no_interactions" or lists of columns, default None
        Groups of columns that may be tested on the same way down; columns of no list form one more group.
    warm_start : bool, default False
        Whether another ``fit`` adds rounds up to ``max_iter`` to those that are there.
    early_stopping : "auto" or bool, default "auto"
        Whether to stop when the score has not grown by ``tol`` in ``n_iter_no_change`` rounds; "auto": if there are
        more than 10,000 rows.
    scoring : "loss", a scorer's name, a function (model, X, y), or None for the model's own score; default "loss"
    validation_fraction : share or number of rows to judge by, default 0.1; None judges by the training rows
    n_iter_no_change : int, default 10
        Rounds without a better score after which to stop.
    tol : float, default 1e-7
        By how much a better score is better.
    verbose : accepted for compatibility; progress shows itself in terminals and notebooks
    random_state : seed of the rows set aside, of the sample that bins are found from (above 200,000 rows), and of
        ``max_features``

    Attributes
    ----------
    n_iter_ : int, rounds done      n_trees_per_iteration_ : int, always 1
    do_early_stopping_ : bool      is_categorical_ : (d,) bool, or None if there is no nominal column
    train_score_, validation_score_ : (n_iter_ + 1,)
        Scores before the first round and after each; empty without early stopping.
    history_ : list of dict, one a round
        ``iteration``, ``leaves``, ``depth`` and, with early stopping, the scores.
    feature_importances_ : (d,) share of all gains that tests on each column brought
    baseline_ : scores before the first tree      trees_ : BoostedTrees

    Examples
    --------
    The mean is 4 and the residuals -4 and 4; each round takes a tenth of what is left:

    >>> from assay.ensembles import HistGradientBoostingRegressor
    >>> model = HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=1).fit([[1.0], [2.0]], [0.0, 8.0])
    >>> [prediction.round(4) for prediction in model.staged_predict([[2.0]])]
    [array([4.4]), array([4.76]), array([5.084])]

    See Also
    --------
    GradientBoostingRegressor, HistGradientBoostingClassifier, RandomForestRegressor

    References
    ----------
    - Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics
      29(5), 1189-1232. doi:10.1214/aos/1013203451
    - Chen, T. and Guestrin, C. (2016). XGBoost: a scalable tree boosting system. ACM SIGKDD Conference, 785-794.
      doi:10.1145/2939672.2939785
    - Ke, G., Meng, Q., Finley, T., Wang, T., Chen, W., Ma, W., Ye, Q. and Liu, T.-Y. (2017). LightGBM: a highly
      efficient gradient boosting decision tree. Advances in Neural Information Processing Systems 30, 3146-3154.
    """

    card = Card(
        "boosting",
        "small trees, each fitted to what the others leave over",
        also=("gradient boosting",),
        settings={"random_state": 0},
        suits="any",
        learns=(
            "a sum of trees",
            "squared, absolute or another error (+ squared leaf values)",
            "one tree after the other, on gradients",
            "greedy",
        ),
    )
    accepts = {
        "loss": Choice("squared_error", "absolute_error", "gamma", "poisson", "quantile"),
        "quantile": Range(0, 1) | None,
        **HistBoosting.accepts,
    }

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: ArrayLike | str | None = "from_dtype",
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Sequence[int]] | str | None = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: Scoring | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: bool | int = 0,
        random_state: RandomState = None,
    ):
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def _target(self, y: Any, n: int, first: bool) -> np.ndarray:
        who = type(self).__name__
        target = numeric_target(y, n, who)
        if target.ndim != 1:
            raise DataError(
                f"{who}: y should be a 1d array, got an array of shape {target.shape}. Fit one model for each column."
            )
        if len(target):
            self._check_range(target.min(), target.sum())
        return np.ascontiguousarray(target)

    def _check_range(self, least: float, total: float) -> None:
        who = type(self).__name__
        if self.loss == "gamma" and not least > 0:
            raise DataError(f"{who}: loss='gamma' requires strictly positive y.")
        if self.loss == "poisson" and not (least >= 0 and total > 0):
            raise DataError(f"{who}: loss='poisson' requires non-negative y and sum(y) > 0.")

    def _loss(self) -> HistLoss:
        if self.loss != "quantile":
            return HistLoss(self.loss)
        if self.quantile is None or not 0 < self.quantile < 1:
            raise ParameterError(
                f"{type(self).__name__}: quantile must be a number between 0 and 1 when loss='quantile', got "
                f"{self.quantile!r}."
            )
        return HistLoss("quantile", quantile=float(self.quantile))

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return self._loss().response(self._raw(X)[:, 0])

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """``predict`` after each round."""
        for raw in self._staged(X):
            yield self._loss().response(raw[:, 0])

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        of = "the logarithm of the answer" if self.loss in ("poisson", "gamma") else "the answer"
        return self._add_up(X, rows, [of], np.zeros(len(X), int))
