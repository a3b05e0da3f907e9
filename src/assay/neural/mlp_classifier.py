"""Multilayer perceptron for classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from assay.core import Card, Classifier
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import python_labels
from assay.core.parameters import Accepted, Any_, Choice, Function, Range
from assay.core.sums import Block, is_dask
from assay.core.targets import check_weights, encode_labels, is_table, label_codes, plain_values
from assay.errors import DataError, ParameterError
from assay.neural.backpropagation import AdaptiveRate
from assay.neural.class_weights import times_class_weight
from assay.neural.held_out import rows_and_targets
from assay.neural.mlp import STOCHASTIC, Goal, MultilayerPerceptron
from assay.neural.mlp_from_blocks import ColumnSums
from assay.types import ClassWeight, Labels, PathLike, RandomState, TableLike, Target, Weights

__all__ = ["MLPClassifier"]


def _is_stochastic(model: Any) -> bool:
    if model.solver not in STOCHASTIC:
        raise AttributeError(
            f"{type(model).__name__}: partial_fit is only available for stochastic optimizers. {model.solver} is not "
            "stochastic: use solver='adam'."
        )
    return True


class MLPClassifier(MultilayerPerceptron, Classifier):
    r"""Classify by layers of units: each a weighted sum of the layer before it, bent by an activation function.

    .. math:: z_l = f_l(z_{l-1}W_l + b_l),\quad z_0 = x,\quad
              P(k \mid x) = \frac{e^{o_k}}{\sum_j e^{o_j}},\quad o = z_{L-1}W_L + b_L                  \quad (1)

    (for two classes one output, :math:`1/(1+e^{-o})`). The weights fall along the gradient of the mean cross-entropy
    plus :math:`\frac{\alpha}{2m}\sum_l\|W_l\|^2`, which backpropagation brings from the outputs to the first layer. One
    hidden layer with enough units approximates any boundary. Scale the columns (``scale="standard"``): one rate serves
    all of them.

    The same seed gives scikit-learn's weights. Beyond scikit-learn: activations and dropout for each layer, weights of
    classes, missing values, learned numbers for categories, scaling inside the model, "adamw" and "rmsprop", schedules,
    clipping, averaged weights, ensembles, a validation set of your own, ``history_``, ``hidden`` and ``explain``.

    Cost: fit O(n (d H + H K)) a pass; predict O(d H + H K) a row; memory O(d H + H K + m (d + H))
    for batches of m rows.

    Parameters
    ----------
    hidden_layer_sizes : int or list of int, default (100,)
        Units of each hidden layer.
    activation : default "relu"
        Of the hidden units: "identity", "logistic", "tanh", "relu", "leaky_relu", "elu", "selu", "softplus"; a list has
        one for each hidden layer.
    solver : default "adam"
        "adam", "adamw" (the penalty shrinks the weights themselves), "rmsprop", "sgd" (with momentum), "lbfgs" (all
        rows at a time; quick on small data).
    alpha : float, default 0.0001
        Strength of the penalty on the weights; biases are free.
    batch_size : int or "auto", default "auto"
        Rows of a step; "auto" takes 200, or all if there are fewer.
    learning_rate : default "constant"
        "constant"; "invscaling" (:math:`\eta/t^p`) and "adaptive" (a fifth each time nothing improves) for "sgd";
        "cosine", "one_cycle" and "cycles" (four times up and down) fall to 0 over ``max_iter`` passes, for all
        stochastic solvers; so is an :class:`AdaptiveRate`, which grows while the loss falls and shrinks when it does
        not.
    learning_rate_init : float, default 0.001
        The learning rate.
    power_t : float, default 0.5
        p of "invscaling".
    max_iter : int, default 200
        Passes over the rows (steps of "lbfgs") at most.
    shuffle : bool, default True
        A new order of the rows in each pass.
    random_state : default None
        Seed of the first weights, the orders, the validation rows and the units left out.
    tol : float, default 1e-4
        Stop when ``n_iter_no_change`` passes in turn improve the loss (or the validation score) by less.
    verbose : bool, default False
        Print the loss of each pass; long fits show a progress bar anyway.
    warm_start : bool, default False
        Begin at the weights of the last fit.
    momentum : float, default 0.9
        Of "sgd".
    nesterovs_momentum : bool, default True
        Look ahead along the momentum.
    early_stopping : bool, default False
        Set ``validation_fraction`` of the rows aside, stop when their accuracy does not rise, keep the best weights;
        not with "lbfgs", which heeds the ``validation`` of fit alone.
    validation_fraction : float, default 0.1
        Share of the rows that ``early_stopping`` sets aside.
    beta_1, beta_2, epsilon : float, defaults 0.9, 0.999, 1e-8
        Of "adam" and "adamw": memory of the gradients, of their squares, and what is added to the divisor.
    n_iter_no_change : int or infinity, default 10
        See ``tol``.
    max_fun : int, default 15000
        Evaluations of "lbfgs" at most.
    class_weight : dict of label to weight, "balanced" or None, default None
        What the rows of each class count, besides ``sample_weight``.
    dropout : float or list, default 0
        Share of the units of each hidden layer that is left out of a step at random.
    label_smoothing : float, default 0
        Share of each label's probability that is spread over all classes (three or more).
    normalization : "batch", "layer" or None, default None
        Give the weighted sums of the hidden units mean 0 and deviation 1, times a gain that is learned: over the rows
        of a batch, or over the units of a row.
    clip : float or None, default None
        Longest gradient of a step.
    average : int or None, default None
        Answer with the mean of the weights over the passes from this one on.
    scale : "standard", "robust" or None, default None
        Scale the columns inside the model: by mean and deviation, or median and quartiles.
    missing : "refuse" or "indicator", default "refuse"
        "indicator": missing values become 0 after scaling, beside a column that says so, whose weight is learned.
    loss : "log_loss", "focal", "hinge" or a function, default "log_loss"
        "focal": :math:`-(1-p)^\gamma\log p` of the true class, where easy rows count less; "hinge": scores of the true
        class have to lead by 1, and probabilities are no more than an order. A function of scores (m, K) and targets
        (m, K) of 0 and 1 gives the losses (m,) of a batch and their slopes (m, K) along the scores; for two classes K
        is 1 and the score the log odds of the second.
    gamma : float, default 2
        Of "focal": how much less easy rows count; 0 is "log_loss".
    validation_split : "random" or "last", default "random"
        Which rows ``early_stopping`` sets aside; the last, for rows in the order of time.
    category_size : int or None, default None
        None gives each category of a nominal column an indicator; a number learns that many numbers for each category,
        and for missing and unseen ones.
    members : int, default 1
        Networks that learn in the same passes, from first weights of their own; the mean of their answers counts.

    Attributes
    ----------
    coefs_, intercepts_ : lists of W_l (d_l, d_l+1) and b_l; with several members these have a first axis for them
    n_parameters_ : how many numbers were learned      embeddings_ : with ``category_size``, (categories + 1, size) for
        each nominal column, the last row for missing and unseen ones
    classes_ : (K,)      n_layers_, n_outputs_ : int      out_activation_ : "logistic" or "softmax"
    history_ : list of Epoch (number, loss, rate, score)      loss_curve_ : the losses
    loss_, best_loss_ : of the last pass and of the best      n_iter_ : passes made      t_ : rows seen
    validation_scores_, best_validation_score_ : with early stopping
    baseline_ : (p,) means of the inputs, where explanations begin

    Examples
    --------
    >>> from assay.neural import MLPClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = MLPClassifier(4, "tanh", solver="lbfgs", random_state=1).fit(X, y)
    >>> model.predict(X)
    array(['no', 'yes', 'yes', 'no'], dtype='<U3')
    >>> model.n_parameters_
    17

    See Also
    --------
    MLPRegressor, NetworkClassifier, Perceptron

    References
    ----------
    - Rumelhart, D. E., Hinton, G. E. and Williams, R. J. (1986). Learning representations by back-propagating errors.
      Nature 323, 533-536. doi:10.1038/323533a0
    - Kingma, D. P. and Ba, J. (2015). Adam: a method for stochastic optimization. International Conference on Learning
      Representations. arXiv:1412.6980
    """

    card = Card(
        "mlp",
        "layers of units, fitted by backpropagation",
        also=("multilayer perceptron", "neural network"),
        scale=True,
        settings={"random_state": 0},
        learns=(
            "a network of layers",
            "log loss + squared weights",
            "Adam, stochastic gradient descent or L-BFGS",
            "local",
        ),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        **MultilayerPerceptron.accepts,
        "class_weight": Any_(
            "None, 'balanced' or a dict of label to weight",
            lambda v: v is None or v == "balanced" or isinstance(v, dict),
        ),
        "label_smoothing": Range(0, 1, open="high"),
        "loss": Choice("log_loss", "focal", "hinge") | Function(),
        "gamma": Range(0),
    }

    def __init__(
        self,
        hidden_layer_sizes: int | Sequence[int] = (100,),
        activation: str | Sequence[str] = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: int | str = "auto",
        learning_rate: str | AdaptiveRate = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: RandomState = None,
        tol: float = 1e-4,
        verbose: bool | int = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: float = 10,
        max_fun: int = 15000,
        class_weight: ClassWeight = None,
        dropout: float | Sequence[float] = 0.0,
        label_smoothing: float = 0.0,
        normalization: str | None = None,
        clip: float | None = None,
        average: int | None = None,
        scale: str | None = None,
        missing: str = "refuse",
        loss: str | Callable[[np.ndarray, np.ndarray], Any] = "log_loss",
        gamma: float = 2.0,
        validation_split: str = "random",
        category_size: int | None = None,
        members: int = 1,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.class_weight = class_weight
        self.dropout = dropout
        self.label_smoothing = label_smoothing
        self.normalization = normalization
        self.clip = clip
        self.average = average
        self.scale = scale
        self.missing = missing
        self.loss = loss
        self.gamma = gamma
        self.validation_split = validation_split
        self.category_size = category_size
        self.members = members

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.label_smoothing and self.loss != "log_loss":
            raise ParameterError(
                f"{type(self).__name__}: label_smoothing is for loss='log_loss', got loss={self.loss!r}. Set it to 0."
            )

    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        *,
        groups: Labels | None = None,
        validation: tuple[TableLike, Target] | None = None,
        checkpoint: PathLike | None = None,
    ) -> Self:
        """Learn from the rows of X and their classes y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) class labels of any kind, or (n, K) zeros and ones: which of K labels each row has
        sample_weight : (n,) what each row counts; None counts each once
        groups : (n,) labels; with ``early_stopping``, rows of one group are set aside together
        validation : (X, y) by whose accuracy the passes stop and the best weights are kept, in place of rows set aside
        checkpoint : path of a file that keeps the state of the fit, written every few seconds and removed at the end.
            If the process is killed, the same call goes on from there and ends with the same weights.
        """
        before = vars(self).get("classes_")
        if is_dask(X):
            return self._fit_on_dask(X, y, sample_weight, groups, validation, checkpoint)
        try:
            return self._fit_either(X, y, sample_weight, groups, validation, checkpoint, before)
        finally:
            self._let_go()

    @all_or_nothing
    def _fit_either(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        validation: Any,
        checkpoint: Any,
        before: Any,
    ) -> Self:
        self._check_parameters()
        self._watched_by(groups, validation, checkpoint)
        who = type(self).__name__
        values = self._admit(X, fitting=True)
        goal = self._goal_of(y, values.shape[0])
        goes_on = self.warm_start and before is not None and hasattr(self, "coefs_")
        if goes_on and set(before.tolist()) != set(self.classes_.tolist()):
            raise DataError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. "
                f"Previously got {before}, `y` has {self.classes_}",
                who=who,
            )
        if validation is not None:
            rows, targets = rows_and_targets(validation, who)
            others = self._admit(rows)
            self._validation = others, self._goal_of(targets, others.shape[0], self.classes_)
        self._learn_goal(values, goal, check_weights(sample_weight, values, who))
        return self

    def partial_fit(
        self, X: TableLike, y: Target, sample_weight: Weights | None = None, classes: Labels | None = None
    ) -> Self:
        """Make one pass over some more rows.

        Parameters
        ----------
        X, y, sample_weight : as in fit
        classes : all class labels; needed in the first call, since the rows may lack some
        """
        who, first = type(self).__name__, "classes_" not in vars(self)
        self._check_parameters()
        several = is_table(y, who)
        if first and classes is None and not several:
            raise ParameterError(f"{who}: classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ParameterError(
                f"{who}: `classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"{who}: class_weight 'balanced' is not supported for partial_fit, which does not know how many rows "
                "of each class will come. Give the weights as a dict."
            )
        values = self._admit(X, fitting="schema_" not in vars(self))
        known = np.unique(np.asarray(classes)) if first and not several else vars(self).get("classes_")
        goal = self._goal_of(y, values.shape[0], known)
        self._learn_goal(values, goal, check_weights(sample_weight, values, who), incremental=True)
        return self

    partial_fit = available_if(_is_stochastic)(partial_fit)

    def _goal_of(self, y: Any, n: int, classes: np.ndarray | None = None) -> Goal:
        """What the network learns of y; sets ``classes_``."""
        who = type(self).__name__
        if is_table(y, who):
            return self._several_labels(y, n)
        if classes is None:
            self.classes_, codes = encode_labels(y, n, who)
        else:
            self.classes_, codes = classes, label_codes(y, classes, n, who)
        return self._goal_of_codes(codes)

    def _goal_of_codes(self, codes: np.ndarray) -> Goal:
        K = len(self.classes_)
        if K > 2:
            return Goal("softmax", self.loss, K, codes=codes, parameter=self.gamma)
        numbers = (codes == 1)[:, None]
        return Goal(
            "logistic", self.loss, 1, codes=codes, numbers=numbers, stratify=numbers, parameter=self.gamma
        )

    def _several_labels(self, y: Any, n: int) -> Goal:
        who, table = type(self).__name__, np.asarray(plain_values(y))
        if table.shape[0] != n:
            raise DataError(f"X has {n} rows and y has {table.shape[0]}.", who=who)
        if not np.isin(table, (0, 1)).all():
            raise DataError(
                "y has several columns with values other than 0 and 1. Several labels of a row are columns of zeros "
                "and ones; of targets with more classes, fit one model each.",
                who=who,
            )
        self.classes_ = np.arange(table.shape[1])
        return Goal(
            "logistic", self.loss, table.shape[1], numbers=table.astype(np.float64), parameter=self.gamma
        )

    def _learn_goal(self, X: Any, goal: Goal, w: np.ndarray | None, incremental: bool = False) -> None:
        if self.class_weight is not None:
            w = self._weighed(goal, w)
        self._smoothing = self.label_smoothing if goal.output == "softmax" else 0.0
        try:
            self._train(X, goal, w, incremental)
        finally:
            self.__dict__.pop("_smoothing", None)

    def _sums_of_target(self, y: np.ndarray, w: np.ndarray | None) -> tuple[ColumnSums, np.ndarray]:
        mass = np.bincount(y, weights=w, minlength=len(self.classes_)).astype(np.float64)
        return ColumnSums.of(np.zeros((len(y), 0))), mass

    def _learn_from_survey(self, classes: np.ndarray, target: ColumnSums) -> None:
        if self.class_weight is not None:
            who, codes = type(self).__name__, np.arange(len(classes))
            weighed = times_class_weight(self.class_weight, self.classes_, codes, classes, who)
            self._class_factors = np.divide(weighed, classes, out=np.zeros_like(classes), where=classes > 0)
        self._smoothing = self.label_smoothing if len(self.classes_) > 2 else 0.0

    def _goal_of_block(self, y: np.ndarray) -> Goal:
        return self._goal_of_codes(np.asarray(y))

    def _weights_of_block(self, block: Block) -> np.ndarray | None:
        factors = vars(self).get("_class_factors")
        if factors is None:
            return block.w
        weighed: np.ndarray = factors[block.y] if block.w is None else block.w * factors[block.y]
        return weighed

    def _weighed(self, goal: Goal, w: np.ndarray | None) -> np.ndarray:
        who = type(self).__name__
        if goal.codes is None:
            raise ParameterError(f"{who}: class_weight is for one label a row; y has several columns.")
        return times_class_weight(self.class_weight, self.classes_, goal.codes, w, who)

    def _score_of(self, outputs: np.ndarray, goal: Goal, w: np.ndarray | None) -> float:
        if goal.codes is None:
            right = ((outputs > 0.5) == goal.numbers).all(axis=1)
        elif goal.output == "softmax":
            right = outputs.argmax(axis=1) == goal.codes
        else:
            right = (outputs[:, 0] > 0.5) == goal.codes
        return float(np.average(right, weights=w))

    def _check_stored(self) -> None:
        super()._check_stored()
        if not all(hasattr(self, name) for name in (*self._needed, "classes_")):
            return
        K = len(self.classes_)
        if self.n_outputs_ != (1 if K <= 2 and not self._labels_many else K):
            raise ValueError("coefs_ does not have an output for each class")

    @property
    def _labels_many(self) -> bool:
        """Whether a row has several labels."""
        return self.out_activation_ == "logistic" and self.n_outputs_ > 1

    def _posterior(self, X: Any) -> np.ndarray:
        outputs = self._outputs(X)
        if self.n_outputs_ > 1:
            return outputs
        if len(self.classes_) == 1:
            return np.ones_like(outputs)
        return np.hstack([1 - outputs, outputs])

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable class, the first among equals; (n, K) zeros and ones for several labels a row."""
        self._ready()
        if self._labels_many:
            return (self._outputs(self._admit_to_answer(X)) > 0.5).astype(np.int64)
        return super().predict(X)

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        if not self._labels_many:
            return super()._explain_block(X, rows)
        labels = [np.flatnonzero(row > 0.5).tolist() for row in self._outputs(X)]
        return Explanations(type(self).__name__, labels, rows, self._reasons(X, rows))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        posterior = self._posterior(X)
        labels = python_labels(self.classes_)
        if self.n_outputs_ == 1:
            phrases = [f"the log odds of {labels[-1]}"]
            chosen = np.zeros(X.shape[0], dtype=np.int64)
        else:
            phrases = [f"the score of {label}" for label in labels]
            chosen = posterior.argmax(axis=1)
        return self._unit_reasons(X, phrases, chosen)
