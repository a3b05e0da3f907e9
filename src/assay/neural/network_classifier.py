"""A classifier by a network of any layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import python_labels
from assay.neural.layers.dense import Dense
from assay.neural.layers.layer import Layer
from assay.neural.network_learner import NetworkLearner
from assay.types import RandomState

__all__ = ["NetworkClassifier"]


class NetworkClassifier(NetworkLearner, Classifier):
    r"""Classify by a network of layers that you choose; an output unit for each class is added (softmax).

    For pictures (:class:`Convolution`), sequences (:class:`LSTM`) and other layers than dense ones; for dense layers
    :class:`MLPClassifier` is faster. Trained by Adam on the cross-entropy, with a rate that falls along half a cosine.

    Cost: fit three times that of the layers forward, for each row and pass; predict that of the layers a row; memory
    O(m v) for batches of m rows and v values of all layers.

    Parameters
    ----------
    layers : list of layers or None, default None
        The hidden layers; None is [Dense(32, "relu")].
    input_shape : list of int or None, default None
        What a row is reshaped to: (8, 8, 1) for a picture, (20, 3) for 20 steps of 3 numbers; None leaves it as it is.
    learning_rate_init : float, default 0.001
        Rate of the first step.
    alpha : float, default 0.0001
        Penalty on squared weights; biases are free.
    batch_size : int, default 32
    max_iter : int, default 50
        Passes over the rows.
    early_stopping : bool, default False
        Set ``validation_fraction`` of the rows aside, stop when ``n_iter_no_change`` passes in turn raise their
        accuracy by less than ``tol``, keep the best weights.
    validation_fraction, n_iter_no_change, tol : defaults 0.1, 10, 0.0001
    scale : bool, default False
        Give the columns mean 0 and deviation 1 inside the model.
    random_state : default None

    Attributes
    ----------
    network_ : Network      history_ : list of Epoch      classes_ : (K,)      n_iter_ : int

    Examples
    --------
    >>> from assay.neural import Convolution, Flatten, MaxPooling, NetworkClassifier
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(n_class=3, return_X_y=True)
    >>> layers = [Convolution(4, 3, "relu"), MaxPooling(2), Flatten()]
    >>> model = NetworkClassifier(layers, (8, 8, 1), learning_rate_init=0.01, max_iter=5, random_state=0)
    >>> bool(model.fit(X / 16, y).score(X / 16, y) > 0.95)
    True

    See Also
    --------
    NetworkRegressor, MLPClassifier, Network

    References
    ----------
    - LeCun, Y., Bottou, L., Bengio, Y. and Haffner, P. (1998). Gradient-based learning applied to document recognition.
      Proceedings of the IEEE 86, 2278-2324. doi:10.1109/5.726791
    """

    card = Card(
        "network",
        "a network of layers that you choose",
        settings={"random_state": 0},
        learns=(
            "a network of given layers",
            "log loss + squared weights",
            "Adam or another stochastic gradient descent",
            "local",
        ),
    )

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

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        self._train(X, np.eye(K)[y], w, Dense(K, "softmax"), "cross_entropy", stratify=y)

    def _judged(self, X: np.ndarray, target: np.ndarray, w: np.ndarray) -> float:
        right = self.network_.outputs(X).argmax(axis=1) == target.argmax(axis=1)
        return float(np.average(right, weights=w if w.any() else None))

    def _check_stored(self) -> None:
        super()._check_stored()
        if {"network_", "classes_"} <= vars(self).keys() and self.network_.output_shape != (
            len(self.classes_),
        ):
            raise ValueError("network_ does not have an output for each class")

    def _posterior(self, X: Any) -> np.ndarray:
        return self._outputs(X)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        phrases = [f"the score of {label}" for label in python_labels(self.classes_)]
        K = len(phrases)
        return self._unit_reasons(X, phrases, self._choose(X), np.ones(K), np.zeros(K))
