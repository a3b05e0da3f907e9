"""A regressor by a network of any layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.explanations import Reasons, RowValues
from assay.core.stored import FloatArray
from assay.neural.input_scaling import target_scale
from assay.neural.layers.dense import Dense
from assay.neural.layers.layer import Layer
from assay.neural.network_learner import NetworkLearner
from assay.types import RandomState

__all__ = ["NetworkRegressor"]


class NetworkRegressor(NetworkLearner, Regressor):
    r"""Predict numbers by a network of layers that you choose; a linear output for each target is added.

    Trained by Adam on the squared error of targets that are given mean 0 and deviation 1, with a rate that falls along
    half a cosine. For dense layers :class:`MLPRegressor` is faster.

    Cost: fit three times that of the layers forward, for each row and pass; predict that of the layers a row; memory
    O(m v) for batches of m rows and v values of all layers.

    Parameters
    ----------
    layers, input_shape, learning_rate_init, alpha, batch_size, max_iter : see NetworkClassifier
    early_stopping, validation_fraction, n_iter_no_change, tol, scale, random_state : see NetworkClassifier

    Attributes
    ----------
    network_ : Network      history_ : list of Epoch      n_iter_ : int      target_center_, target_spread_ : (K,)

    Examples
    --------
    One step ahead of a sine by a recurrent layer:

    >>> import numpy as np
    >>> from assay.neural import NetworkRegressor, Recurrent, lagged_windows
    >>> X, y = lagged_windows(np.sin(0.5 * np.arange(120)), 6, ahead=1)
    >>> model = NetworkRegressor([Recurrent(4)], (6, 1), learning_rate_init=0.02, random_state=0)
    >>> bool(model.fit(X, y).score(X, y) > 0.99)
    True

    See Also
    --------
    NetworkClassifier, MLPRegressor, Network

    References
    ----------
    - Elman, J. L. (1990). Finding structure in time. Cognitive Science 14, 179-211. doi:10.1207/s15516709cog1402_1
    """

    card = Card(
        "network regression",
        "a network of layers that you choose",
        settings={"random_state": 0},
        learns=(
            "a network of given layers",
            "squared error + squared weights",
            "Adam or another stochastic gradient descent",
            "local",
        ),
    )
    stored = {
        "target_center_": FloatArray("*", finite=True),
        "target_spread_": FloatArray("*", low=0, finite=True),
    }

    def __init__(
        self,
        layers: Sequence[Layer] | None = None,
        input_shape: Sequence[int] | None = None,
        *,
        learning_rate_init: float = 0.001,
        alpha: float = 0.0001,
        batch_size: int = 32,
        max_iter: int = 50,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-4,
        scale: bool = False,
        random_state: RandomState = None,
    ):
        self.layers = layers
        self.input_shape = input_shape
        self.learning_rate_init = learning_rate_init
        self.alpha = alpha
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.scale = scale
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        Y = y[:, None] if y.ndim == 1 else y
        self.target_center_, self.target_spread_ = target_scale(Y, w)
        scaled = (Y - self.target_center_) / self.target_spread_
        self._train(X, scaled, w, Dense(Y.shape[1]), "squared_error")

    def _judged(self, X: np.ndarray, target: np.ndarray, w: np.ndarray) -> float:
        errors = ((self.network_.outputs(X) - target) ** 2).mean(axis=1)
        return -float(np.average(errors, weights=w if w.any() else None))

    def _check_stored(self) -> None:
        super()._check_stored()
        if {"network_", "target_center_", "target_spread_"} <= vars(self).keys():
            K = self.network_.output_shape
            if (len(self.target_center_),) != K or (len(self.target_spread_),) != K:
                raise ValueError("network_ does not have an output for each target")

    def _predict(self, X: Any) -> np.ndarray:
        answers = self._outputs(X) * self.target_spread_ + self.target_center_
        return answers[:, 0] if answers.shape[1] == 1 else answers

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        K = len(self.target_center_)
        phrases = ["the answer"] if K == 1 else [f"the answer for {name}" for name in self._target_names(K)]
        chosen = np.zeros(X.shape[0], dtype=np.int64)
        return self._unit_reasons(X, phrases, chosen, self.target_spread_, self.target_center_)
