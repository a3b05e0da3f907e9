"""One strong network for raw tables: numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from assay.core import Card, Regressor
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Accepted, Choice, Range
from assay.core.stored import FloatArray
from assay.core.targets import check_weights, numeric_target
from assay.errors import DataError
from assay.neural.held_out import rows_and_targets
from assay.neural.input_scaling import target_scale
from assay.neural.tabular_descent import TabularGoal
from assay.neural.tabular_net import TabularNet
from assay.types import Labels, PathLike, RandomState, TableLike, Target, Weights

__all__ = ["TabularNetRegressor"]


class TabularNetRegressor(TabularNet, Regressor):
    r"""Predict numbers from raw tables by an ensemble of networks that share their weights.

    Inputs, members and learning are those of :class:`TabularNetClassifier`; the answer is the members' mean,

    .. math:: \hat y(x) = \mu + \sigma\,\tfrac1M\sum_m (a_{L-1}^m V^m + c^m)                           \quad (1)

    with targets scaled inside by their mean :math:`\mu` and standard deviation :math:`\sigma` (counts, with
    ``loss="poisson"``, are not: there the mean of the members' exponentials answers).

    Cost: fit O(n M (D H + H^2)) a pass for D inputs and H units a layer; predict O(M (D H + H^2)) a row; memory
    O(n D + D H + H^2).

    Parameters
    ----------
    loss : default "squared_error"
        "squared_error", "absolute_error" (medians), "huber", "quantile" or "poisson" (counts).
    hidden_layer_sizes : list of int, default (128, 128)
        Units of each hidden layer.
    members : int, default 8
        Networks of the ensemble.
    quantile : float, default 0.5
        Which one, of ``loss="quantile"``.
    delta : float, default 1
        Where "huber" turns from squares to straight lines, in standard deviations of y.
    embedding : "auto", "periodic" or None, default "auto"
        Of numbers, by waves: of none, of all, or by the rows. "auto" embeds columns of at least 32 distinct values (two
        for each of 16 waves; fewer have nothing to tell apart), up to 200 of them, from 500 rows to learn from on (100
        for each such column, if that is less). Of fewer rows folds say whether: where waves of some column explain what
        the network without them misses (an F test), and the network with them is better on the rows left out.
    learning_rate_init : float, default 0.003
        The highest learning rate.
    alpha : float, default 0.01
        Decay of the weights.
    dropout : float, default 0
        Share of the hidden units that is left out of a step at random.
    batch_size : int or "auto", default "auto"
        Rows of a step; "auto" takes 256, or all if there are fewer.
    max_iter : int or "auto", default "auto"
        Passes over the rows at most; "auto": 524288 / n, from 16 to 128; below 500 rows of
        which none are set aside, 128, or 64 from 257 on.
    early_stopping : bool or "auto", default "auto"
        Set rows aside, keep the best pass by their loss. Without, all passes are made and the last is kept.
        "auto" does so from 500 rows on, or where ``groups`` or ``validation_split="last"`` say which. From 40 to 499
        rows, networks are learned that each leave out a quarter, until 100 rows are judged: they say after which of the
        rate's cycles to end; then the network learns from all rows. Of fewer than 40 rows, or where what is asked
        for leaves fewer than 4 to judge, all passes are made.
    validation_fraction : float, default 0.15
        Share of the rows that is set aside.
    validation_split : "random" or "last", default "random"
        Which rows: at random, or the last, for rows in the order of time. See also ``groups`` of fit.
    random_state : default None
        Seed of the first weights, the orders, the rows set aside and the units left out.
    verbose : bool, default False
        Print the losses of each pass; long fits show a progress bar anyway.

    Attributes
    ----------
    n_iter_ : passes made      best_iter_ : the pass whose weights are kept
    history_ : list of Epoch (number, loss, rate, score: minus the loss of the rows set aside)
    network_ : TabularNetwork, with all parameters      inputs_ : TabularInputs, how columns are read
    target_center_, target_spread_ : (K,) mean and deviation of the targets
    n_parameters_ : how many numbers were learned      baseline_ : (D,) mean inputs, where explanations begin

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import TabularNetRegressor
    >>> x = np.linspace(0, 1, 200)
    >>> model = TabularNetRegressor(random_state=0).fit(x[:, None], np.sin(6 * x))
    >>> bool(np.abs(model.predict(x[:, None]) - np.sin(6 * x)).max() < 0.1)
    True

    See Also
    --------
    TabularNetClassifier, MLPRegressor, HistGradientBoostingRegressor

    References
    ----------
    - Wen, Y., Tran, D. and Ba, J. (2020). BatchEnsemble: an alternative approach to efficient ensemble and lifelong
      learning. International Conference on Learning Representations. arXiv:2002.06715
    - Gorishniy, Y., Kotelnikov, A. and Babenko, A. (2025). TabM: advancing tabular deep learning with
      parameter-efficient ensembling. International Conference on Learning Representations. arXiv:2410.24210
    - Holzmüller, D., Grinsztajn, L. and Steinwart, I. (2024). Better by default: strong pre-tuned MLPs and boosted
      trees on tabular data. Advances in Neural Information Processing Systems 37. arXiv:2407.04491
    """

    card = Card(
        "tabular net",
        "an ensemble of networks that share their weights, for raw tables",
        also=("tabular network", "tabm"),
        settings={"random_state": 0},
        learns=(
            "networks of layers that share weights",
            "squared error, or another loss, + squared weights",
            "AdamW",
            "local",
        ),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        **TabularNet.accepts,
        "loss": Choice("squared_error", "absolute_error", "huber", "quantile", "poisson"),
        "quantile": Range(0, 1, open="both"),
        "delta": Range(0, open="low"),
    }
    stored = {
        "target_center_": FloatArray("*", finite=True),
        "target_spread_": FloatArray("*", finite=True),
    }

    def __init__(
        self,
        loss: str = "squared_error",
        hidden_layer_sizes: Sequence[int] = (128, 128),
        members: int = 8,
        *,
        quantile: float = 0.5,
        delta: float = 1.0,
        embedding: str | None = "auto",
        learning_rate_init: float = 0.003,
        alpha: float = 0.01,
        dropout: float = 0.0,
        batch_size: int | str = "auto",
        max_iter: int | str = "auto",
        early_stopping: bool | str = "auto",
        validation_fraction: float = 0.15,
        validation_split: str = "random",
        random_state: RandomState = None,
        verbose: bool | int = False,
    ):
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.members = members
        self.quantile = quantile
        self.delta = delta
        self.embedding = embedding
        self.learning_rate_init = learning_rate_init
        self.alpha = alpha
        self.dropout = dropout
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.validation_split = validation_split
        self.random_state = random_state
        self.verbose = verbose

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
        X : array, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) numbers, or (n, K) of several targets
        sample_weight : (n,) what each row counts; None counts each once
        groups : (n,) labels; rows of one group are set aside together
        validation : (X, y) that judge the passes, in place of rows set aside
        checkpoint : path of a file that keeps the state of the fit, written every few seconds and removed at the end.
            If the process is killed, the same call goes on from there and ends with the same weights.
        """
        self._check_parameters()
        who = type(self).__name__
        values = self._admit(X, fitting=True)
        target = numeric_target(y, values.shape[0], who)
        self._remember_targets(y)
        w = check_weights(sample_weight, values, who)
        y_table = target[:, None] if target.ndim == 1 else target
        center, spread = target_scale(y_table, w)
        counts = self.loss == "poisson"
        self.target_center_ = np.zeros_like(center) if counts else center
        self.target_spread_ = np.ones_like(spread) if counts else spread
        others = None
        if validation is not None:
            rows, targets = rows_and_targets(validation, who)
            block = self._admit(rows)
            others = block, self._goal(numeric_target(targets, block.shape[0], who))
        self._train(values, self._goal(target, center), w, groups, others, checkpoint)
        learned = y_table if w is None else y_table[w > 0]
        if not counts:  # one number alone is the answer, whatever the networks drew
            self.target_spread_ = np.where((learned == learned[0]).all(axis=0), 0.0, self.target_spread_)
        return self

    def _goal(self, y: np.ndarray, mean: np.ndarray | None = None) -> TabularGoal:
        y = y[:, None] if y.ndim == 1 else y
        start = None
        if self.loss == "poisson":
            if (y < 0).any():
                raise DataError(
                    f"{type(self).__name__}: loss='poisson' needs targets from 0 up, got {y.min():g}. Use another loss."
                )
            start = None if mean is None else np.log(np.maximum(mean, 1e-10))
        scaled = (y - self.target_center_) / self.target_spread_
        output = "exp" if self.loss == "poisson" else "identity"
        parameter = {"huber": self.delta, "quantile": self.quantile}.get(self.loss, 0.0)
        return TabularGoal(output, self.loss, y.shape[1], numbers=scaled, parameter=parameter, start=start)

    def _loss_of(self, outputs: np.ndarray, goal: TabularGoal, w: np.ndarray | None) -> float:
        assert goal.numbers is not None
        y, residual = goal.numbers, outputs - goal.numbers
        size = np.abs(residual)
        if self.loss == "squared_error":
            losses = residual**2 / 2
        elif self.loss == "absolute_error":
            losses = size
        elif self.loss == "huber":
            losses = np.where(size <= self.delta, residual**2 / 2, self.delta * (size - self.delta / 2))
        elif self.loss == "quantile":
            losses = np.where(residual > 0, (1 - self.quantile) * size, self.quantile * size)
        else:
            losses = outputs - y * np.log(np.maximum(outputs, 1e-300))
        return float(np.average(losses.sum(axis=1), weights=w))

    def _check_stored(self) -> None:
        super()._check_stored()
        if "network_" not in vars(self):
            return
        for name in ("target_center_", "target_spread_"):
            if len(vars(self).get(name, ())) != int(self.network_.sizes[-1]):
                raise ValueError(f"{name} does not have one number for each target")
        if self.network_.output not in ("identity", "exp"):
            raise ValueError("network_ does not give numbers")

    def _predict(self, X: Any) -> np.ndarray:
        outputs = self._outputs(X) * self.target_spread_ + self.target_center_
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def _in_outputs(self, adds: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return adds * self.target_spread_, base * self.target_spread_ + self.target_center_

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        K = int(self.network_.sizes[-1])
        inputs = self.network_.first_inputs(self.inputs_.apply(X)).astype(np.float64)
        each = (
            self._members_on(inputs, self.network_.output)[:, :, 0] * self.target_spread_[0]
            + self.target_center_[0]
        )
        word = "the mean logarithm of the answers" if self.network_.output == "exp" else "the answer"
        phrases = [word] if K == 1 else [f"{word} for {name}" for name in self._target_names(K)]
        return self._reasons_of(X, phrases, np.zeros(len(X), dtype=np.int64), each)
