"""One strong network for raw tables: classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from assay.core import Card, Classifier
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import python_labels
from assay.core.parameters import Accepted, Any_, Range
from assay.core.targets import check_weights, encode_labels, label_codes
from assay.neural.class_weights import times_class_weight
from assay.neural.held_out import rows_and_targets
from assay.neural.tabular_descent import TabularGoal
from assay.neural.tabular_net import TabularNet
from assay.types import ClassWeight, Labels, PathLike, RandomState, TableLike, Target, Weights

__all__ = ["TabularNetClassifier"]

LEAST_PROBABILITY = 1e-7  # of which a logarithm is taken


class TabularNetClassifier(TabularNet, Classifier):
    r"""Classify raw tables by an ensemble of networks that share their weights, with defaults for any number of rows.

    Numbers, categories and missing values go in as they are. Numbers are scaled by median and quartiles, clipped
    smoothly and embedded by waves of learned frequencies; categories have indicators (up to 9) or learned numbers; a
    missing number is a learned value beside a flag. Each member m of the ensemble has its own scales, biases and output
    layer, and all share the weights:

    .. math:: a_l^m = \max(0,\ (a_{l-1}^m \circ r_l^m)W_l + b_l^m),\qquad
              P(k \mid x) = \tfrac1M\sum_m \mathrm{softmax}(a_{L-1}^m V^m + c^m)_k                  \quad (1)

    The sum of the members' cross-entropies falls by AdamW, with a rate that rises and falls in four cycles, each twice
    as long as the one before. From 500 rows on, a share of them judges each pass; the best is kept, and a cycle that
    brought nothing is the last. Of fewer rows, folds judge the ends of the cycles. The rows that judge also choose how
    far the scores are softened: the temperature, from 1 to 8, by which they are divided. The number of passes depends
    on that of the rows.

    Cost: fit O(n M (D H + H^2)) a pass for D inputs and H units a layer; predict O(M (D H + H^2)) a row; memory
    O(n D + D H + H^2).

    Parameters
    ----------
    hidden_layer_sizes : list of int, default (128, 128)
        Units of each hidden layer.
    members : int, default 8
        Networks of the ensemble.
    embedding : "auto", "periodic" or None, default "auto"
        Of numbers, by waves: of none, of all, or by the rows. "auto" embeds columns of at least 32 distinct values (two
        for each of 16 waves; fewer have nothing to tell apart), up to 200 of them, from 500 rows to learn from on (100
        for each such column, if that is less). Of fewer rows folds say whether: where waves of some column explain what
        the network without them misses (an F test), and the network with them is better on the rows left out.
    learning_rate_init : float, default 0.003
        The highest learning rate.
    alpha : float, default 0.01
        Decay of the weights.
    dropout : float, default 0.1
        Share of the hidden units that is left out of a step at random.
    batch_size : int or "auto", default "auto"
        Rows of a step; "auto" takes 256, or all if there are fewer.
    max_iter : int or "auto", default "auto"
        Passes over the rows at most; "auto": 524288 / n, from 16 to 128; below 500 rows of
        which none are set aside, 128, or 64 from 257 on.
    early_stopping : bool or "auto", default "auto"
        Set rows aside, keep the best pass by their cross-entropy. Without, all passes are made and the last is kept.
        "auto" does so from 500 rows on, or where ``groups`` or ``validation_split="last"`` say which. From 40 to 499
        rows, networks are learned that each leave out a quarter, until 100 rows are judged: they say after which of the
        rate's cycles to end, and by which temperature to divide the scores; then the network learns from all rows.
        Of fewer than 40 rows, or where what is asked for leaves fewer than 4 to judge, all passes are made.
    validation_fraction : float, default 0.15
        Share of the rows that is set aside.
    validation_split : "random" or "last", default "random"
        Which rows: some of each class at random, or the last, for rows in the order of time. ``groups`` of fit keep
        rows together.
    label_smoothing : float, default 0
        Share of each label's probability that is spread over all classes. It makes probabilities less extreme; raise it
        where labels are wrong now and then.
    class_weight : dict of label to weight, "balanced" or None, default None
        What the rows of each class count, besides ``sample_weight``.
    random_state : default None
        Seed of the first weights, the orders, the rows set aside and the units left out.
    verbose : bool, default False
        Print the losses of each pass; long fits show a progress bar anyway.

    Attributes
    ----------
    classes_ : (K,)      n_iter_ : passes made      best_iter_ : the pass whose weights are kept
    history_ : list of Epoch (number, loss, rate, score: minus the cross-entropy of the rows set aside)
    network_ : TabularNetwork, with all parameters      inputs_ : TabularInputs, how columns are read
    n_parameters_ : how many numbers were learned      baseline_ : (D,) mean inputs, where explanations begin

    Examples
    --------
    >>> from assay.neural import TabularNetClassifier
    >>> from assay.tables.data import load_weather
    >>> weather = load_weather()
    >>> model = TabularNetClassifier(random_state=0).fit(weather.X, weather.y)
    >>> model.predict(weather.X[:3])
    array(['no', 'no', 'yes'], dtype='<U3')

    See Also
    --------
    TabularNetRegressor, MLPClassifier, HistGradientBoostingClassifier

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
        learns=("networks of layers that share weights", "log loss + squared weights", "AdamW", "local"),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        **TabularNet.accepts,
        "label_smoothing": Range(0, 1, open="high"),
        "class_weight": Any_(
            "None, 'balanced' or a dict of label to weight",
            lambda v: v is None or v == "balanced" or isinstance(v, dict),
        ),
    }

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] = (128, 128),
        members: int = 8,
        *,
        embedding: str | None = "auto",
        learning_rate_init: float = 0.003,
        alpha: float = 0.01,
        dropout: float = 0.1,
        batch_size: int | str = "auto",
        max_iter: int | str = "auto",
        early_stopping: bool | str = "auto",
        validation_fraction: float = 0.15,
        validation_split: str = "random",
        label_smoothing: float = 0.0,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        verbose: bool | int = False,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.members = members
        self.embedding = embedding
        self.learning_rate_init = learning_rate_init
        self.alpha = alpha
        self.dropout = dropout
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.validation_split = validation_split
        self.label_smoothing = label_smoothing
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

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
        """Learn from the rows of X and their classes y.

        Parameters
        ----------
        X : array, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) class labels of any kind
        sample_weight : (n,) what each row counts; None counts each once
        groups : (n,) labels; rows of one group are set aside together
        validation : (X, y) that judge the passes, in place of rows set aside
        checkpoint : path of a file that keeps the state of the fit, written every few seconds and removed at the end.
            If the process is killed, the same call goes on from there and ends with the same weights.
        """
        self._check_parameters()
        who = type(self).__name__
        values = self._admit(X, fitting=True)
        self.classes_, codes = encode_labels(y, values.shape[0], who)
        w = check_weights(sample_weight, values, who)
        if self.class_weight is not None:
            w = times_class_weight(self.class_weight, self.classes_, codes, w, who)
        others = None
        if validation is not None:
            rows, targets = rows_and_targets(validation, who)
            block = self._admit(rows)
            others = block, self._goal(label_codes(targets, self.classes_, block.shape[0], who))
        self._train(values, self._goal(codes), w, groups, others, checkpoint)
        return self

    def _goal(self, codes: np.ndarray) -> TabularGoal:
        return TabularGoal(
            "softmax", "log_loss", len(self.classes_), codes=codes, smoothing=float(self.label_smoothing)
        )

    def _loss_of(self, outputs: np.ndarray, goal: TabularGoal, w: np.ndarray | None) -> float:
        chances = outputs[np.arange(len(outputs)), goal.codes]
        return float(np.average(-np.log(np.maximum(chances, LEAST_PROBABILITY)), weights=w))

    def _posterior(self, X: Any) -> np.ndarray:
        return self._outputs(X)

    def _check_stored(self) -> None:
        super()._check_stored()
        if not all(name in vars(self) for name in ("network_", "classes_")):
            return
        if int(self.network_.sizes[-1]) != len(self.classes_) or self.network_.output != "softmax":
            raise ValueError("network_ does not have an output for each class")

    def _in_outputs(self, adds: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if len(self.classes_) != 2:
            return adds, base
        return adds[:, :, 1:] - adds[:, :, :1], base[1:] - base[:1]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        labels = python_labels(self.classes_)
        winners = self._posterior(X).argmax(axis=1)
        inputs = self.network_.first_inputs(self.inputs_.apply(X)).astype(np.float64)
        each = self._members_on(inputs, "softmax")[:, np.arange(len(X)), winners]
        if len(labels) == 2:
            return self._reasons_of(
                X, [f"the log odds of {labels[1]}"], np.zeros(len(X), dtype=np.int64), each
            )
        return self._reasons_of(X, [f"the score of {label}" for label in labels], winners, each)
