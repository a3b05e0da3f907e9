"""Multilayer perceptron for numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from assay.core import Card, Regressor
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Accepted, Choice, Flag, Function, Range
from assay.core.stored import FloatArray
from assay.core.sums import is_dask
from assay.core.targets import check_weights, numeric_target
from assay.errors import DataError, ParameterError
from assay.neural.backpropagation import AdaptiveRate
from assay.neural.held_out import rows_and_targets
from assay.neural.input_scaling import target_scale
from assay.neural.mlp import Goal, MultilayerPerceptron
from assay.neural.mlp_classifier import _is_stochastic
from assay.neural.mlp_from_blocks import ColumnSums
from assay.types import Labels, PathLike, RandomState, TableLike, Target, Weights

__all__ = ["MLPRegressor"]

LOSSES = ("squared_error", "poisson", "absolute_error", "huber", "quantile")


class MLPRegressor(MultilayerPerceptron, Regressor):
    r"""Predict numbers by layers of units: each a weighted sum of the layer before it, bent by an activation function.

    .. math:: z_l = f_l(z_{l-1}W_l + b_l),\quad z_0 = x,\quad \hat y = z_{L-1}W_L + b_L                \quad (1)

    (with "poisson" :math:`e^{\hat y}`). The weights fall along the gradient of the mean loss plus
    :math:`\frac{\alpha}{2m}\sum_l\|W_l\|^2`; several targets share the hidden units. Scale the columns
    (``scale="standard"``) and targets that are far from 0 and 1 (``scale_target=True``).

    The same seed gives scikit-learn's weights ("lbfgs" with several targets aside, where its gradient is not that of
    its loss). Beyond scikit-learn: see :class:`MLPClassifier`, and the losses "absolute_error", "huber" and "quantile".

    Cost: fit O(n (d H + H K)) a pass; predict O(d H + H K) a row; memory O(d H + H K + m (d + H))
    for batches of m rows.

    Parameters
    ----------
    loss : default "squared_error"
        "squared_error", "poisson" (counts), "absolute_error" (the median), "huber", "quantile"; or a function of
        answers (m, K) and targets (m, K) that gives the losses (m,) of a batch and their slopes (m, K).
    hidden_layer_sizes, activation, solver, alpha, batch_size, learning_rate, learning_rate_init : see MLPClassifier
    power_t, max_iter, shuffle, random_state, tol, verbose, warm_start, momentum : see MLPClassifier
    nesterovs_momentum, validation_fraction, beta_1, beta_2, epsilon : see MLPClassifier
    n_iter_no_change, max_fun, dropout, normalization, clip, average, scale, missing : see MLPClassifier
    early_stopping : bool, default False
        Set ``validation_fraction`` of the rows aside, stop when their R2 does not rise, keep the best weights; not with
        "lbfgs", which heeds the ``validation`` of fit alone.
    quantile : float, default 0.5
        Which quantile the loss "quantile" asks for.
    delta : float, default 1
        The residual from which on the loss "huber" is a straight line.
    scale_target : bool, default False
        Learn from targets of mean 0 and deviation 1 ("poisson" aside), and answer in the units of y.
    validation_split : "random" or "last", default "random"
        Which rows ``early_stopping`` sets aside; the last, for rows in the order of time.
    category_size, members : see MLPClassifier

    Attributes
    ----------
    coefs_, intercepts_, n_parameters_, embeddings_ : see MLPClassifier
    n_layers_, n_outputs_ : int      out_activation_ : "identity" or "exp"
    history_, loss_curve_, loss_, best_loss_, n_iter_, t_, validation_scores_, best_validation_score_, baseline_ : see
        MLPClassifier
    target_center_, target_spread_ : (K,) with ``scale_target``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import MLPRegressor
    >>> x = np.linspace(-0.5, 0.5, 50)
    >>> model = MLPRegressor(hidden_layer_sizes=5, activation="tanh", solver="lbfgs", alpha=0, random_state=0)
    >>> bool(model.fit(x[:, None], np.sin(6 * x)).score(x[:, None], np.sin(6 * x)) > 0.99)
    True

    See Also
    --------
    MLPClassifier, NetworkRegressor

    References
    ----------
    - Rumelhart, D. E., Hinton, G. E. and Williams, R. J. (1986). Learning representations by back-propagating errors.
      Nature 323, 533-536. doi:10.1038/323533a0
    """

    card = Card(
        "mlp regression",
        "layers of units, fitted by backpropagation",
        also=("multilayer perceptron regression",),
        scale=True,
        settings={"random_state": 0, "scale_target": True},
        learns=(
            "a network of layers",
            "squared error + squared weights",
            "Adam, stochastic gradient descent or L-BFGS",
            "local",
        ),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "loss": Choice(*LOSSES) | Function(),
        **MultilayerPerceptron.accepts,
        "quantile": Range(0, 1, open="both"),
        "delta": Range(0, open="low"),
        "scale_target": Flag(),
    }
    stored = {
        "target_center_": FloatArray("*", finite=True),
        "target_spread_": FloatArray("*", low=0, finite=True),
    }

    def __init__(
        self,
        loss: str | Callable[[np.ndarray, np.ndarray], Any] = "squared_error",
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
        dropout: float | Sequence[float] = 0.0,
        normalization: str | None = None,
        clip: float | None = None,
        average: int | None = None,
        scale: str | None = None,
        missing: str = "refuse",
        quantile: float = 0.5,
        delta: float = 1.0,
        scale_target: bool = False,
        validation_split: str = "random",
        category_size: int | None = None,
        members: int = 1,
    ):
        self.loss = loss
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
        self.dropout = dropout
        self.normalization = normalization
        self.clip = clip
        self.average = average
        self.scale = scale
        self.missing = missing
        self.quantile = quantile
        self.delta = delta
        self.scale_target = scale_target
        self.validation_split = validation_split
        self.category_size = category_size
        self.members = members

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @all_or_nothing
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
        """Learn from the rows of X and their numbers y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) numbers, or (n, K) of several targets
        sample_weight : (n,) what each row counts; None counts each once
        groups : (n,) labels; with ``early_stopping``, rows of one group are set aside together
        validation : (X, y) by whose R2 the passes stop and the best weights are kept, in place of rows set aside
        checkpoint : path of a file that keeps the state of the fit, written every few seconds and removed at the end.
            If the process is killed, the same call goes on from there and ends with the same weights.
        """
        if is_dask(X):
            return self._fit_on_dask(X, y, sample_weight, groups, validation, checkpoint)
        try:
            self._fit(X, y, sample_weight, groups, validation, checkpoint)
        finally:
            self._let_go()
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, validation: Any, checkpoint: Any) -> None:
        self._check_parameters()
        self._watched_by(groups, validation, checkpoint)
        who = type(self).__name__
        values = self._admit(X, fitting=True)
        target = numeric_target(y, values.shape[0], who)
        self._remember_targets(y)
        w = check_weights(sample_weight, values, who)
        goal = self._goal_of(target, w, learn=not (self.warm_start and hasattr(self, "coefs_")))
        if validation is not None:
            rows, targets = rows_and_targets(validation, who)
            others = self._admit(rows)
            truth = numeric_target(targets, others.shape[0], who)
            self._validation = others, self._goal_of(truth, None, learn=False)
        self._train(values, goal, w)

    @available_if(_is_stochastic)
    def partial_fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Make one pass over some more rows.

        Parameters
        ----------
        X, y, sample_weight : as in fit
        """
        who, first = type(self).__name__, "schema_" not in vars(self)
        self._check_parameters()
        values = self._admit(X, fitting=first)
        target = numeric_target(y, values.shape[0], who)
        w = check_weights(sample_weight, values, who)
        self._train(values, self._goal_of(target, w, learn=not hasattr(self, "coefs_")), w, incremental=True)
        return self

    def _goal_of(self, y: np.ndarray, w: np.ndarray | None, learn: bool) -> Goal:
        """What the network learns of y; with ``learn`` the scale of the targets is that of these."""
        y = y[:, None] if y.ndim == 1 else y
        if self.loss == "poisson" and (y < 0).any():
            raise DataError(
                f"{type(self).__name__}: loss='poisson' needs targets from 0 up, got {y.min():g}. Use another loss.",
            )
        if self.scale_target and self.loss != "poisson":
            if learn:
                self.target_center_, self.target_spread_ = target_scale(y, w)
            y = (y - self.target_center_) / self.target_spread_
        elif learn:
            for name in ("target_center_", "target_spread_"):
                self.__dict__.pop(name, None)
        output = "exp" if self.loss == "poisson" else "identity"
        parameters: dict[Any, float] = {"huber": self.delta, "quantile": self.quantile}
        parameter = parameters.get(self.loss, 0.0)
        return Goal(output, self.loss, y.shape[1], numbers=y, parameter=parameter)

    def _sums_of_target(self, y: np.ndarray, w: np.ndarray | None) -> tuple[ColumnSums, np.ndarray]:
        return ColumnSums.of(y[:, None] if y.ndim == 1 else y, w), np.zeros(0)

    def _learn_from_survey(self, classes: np.ndarray, target: ColumnSums) -> None:
        for name in ("target_center_", "target_spread_"):
            self.__dict__.pop(name, None)
        if self.scale_target:
            deviation = target.deviation
            self.target_center_ = target.mean
            self.target_spread_ = np.where((deviation > 0) & np.isfinite(deviation), deviation, 1.0)

    def _goal_of_block(self, y: np.ndarray) -> Goal:
        return self._goal_of(np.asarray(y), None, learn=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.scale_target and self.loss == "poisson":
            raise ParameterError(
                f"{type(self).__name__}: scale_target is not for loss='poisson', whose targets are counts."
            )

    def _score_of(self, outputs: np.ndarray, goal: Goal, w: np.ndarray | None) -> float:
        from sklearn.metrics import r2_score

        return float(r2_score(goal.numbers, outputs, sample_weight=w))

    def _check_stored(self) -> None:
        super()._check_stored()
        for name in ("target_center_", "target_spread_"):
            if (
                hasattr(self, name)
                and hasattr(self, "n_outputs_")
                and len(getattr(self, name)) != self.n_outputs_
            ):
                raise ValueError(f"{name} does not have one number for each target")

    def _in_units(self, outputs: np.ndarray) -> np.ndarray:
        """Outputs in the units of y."""
        if hasattr(self, "target_spread_"):
            kind = outputs.dtype
            return (outputs * self.target_spread_ + self.target_center_).astype(kind, copy=False)
        return outputs

    def _predict(self, X: Any) -> np.ndarray:
        outputs = self._in_units(self._outputs(X))
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def _contributions_of(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        adds, base = super()._contributions_of(inputs)
        if hasattr(self, "target_spread_"):
            return adds * self.target_spread_, base * self.target_spread_ + self.target_center_
        return adds, base

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        word = "the logarithm of the answer" if self.out_activation_ == "exp" else "the answer"
        phrases = (
            [word]
            if self.n_outputs_ == 1
            else [f"{word} for {name}" for name in self._target_names(self.n_outputs_)]
        )
        return self._unit_reasons(X, phrases, np.zeros(X.shape[0], dtype=np.int64))
