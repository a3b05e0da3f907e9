"""Several networks of one shape that learn in the same passes over the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.neural.dense_net import Data, DenseNet, forward, with_categories
from assay.neural.own_loss import OwnLoss
from assay.neural.unit_normalization import UnitNormalization

__all__ = ["Layers", "Members", "mean_output"]

PRODUCTS_WORTH_THREADS = 10**7  # of rows and weights, below which members learn one after the other


@dataclass(frozen=True)
class Layers:
    """The weights of one network.

    Attributes
    ----------
    coefs, intercepts : of the layers      normalizations : of the hidden layers, or none
    tables : numbers of the categories of each column that is embedded, or none
    """

    coefs: Sequence[np.ndarray]
    intercepts: Sequence[np.ndarray]
    normalizations: Sequence[UnitNormalization] = ()
    tables: Sequence[np.ndarray] = ()

    def values(self, X: Any, activations: Sequence[str], output: str, keep: bool = False) -> list[np.ndarray]:
        """The values of the layers for some rows: all of them with ``keep``, else only the last."""
        inputs = with_categories(X, self.tables)
        return forward(inputs, self.coefs, self.intercepts, activations, output, keep, self.normalizations)


def mean_output(networks: Sequence[Layers], X: Any, activations: Sequence[str], output: str) -> np.ndarray:
    """(n, K) the mean of what the networks answer.

    >>> import numpy as np
    >>> from assay.neural.members import Layers, mean_output
    >>> lines = [Layers([np.array([[slope]])], [np.zeros(1)]) for slope in (1.0, 2.0)]
    >>> mean_output(lines, np.array([[10.0]]), [], "identity")
    array([[15.]])
    """
    total = networks[0].values(X, activations, output)[0]
    if len(networks) == 1:
        return total
    for network in networks[1:]:
        total = total + network.values(X, activations, output)[0]
    mean: np.ndarray = total / total.dtype.type(len(networks))
    return mean


class Members:
    """Networks of one shape side by side; all their parameters lie in one vector, one network after the other.

    Each learns from the same batches in the same order; they differ by their first weights and by the units that are
    left out. What is learned does not depend on the number of threads.

    Parameters
    ----------
    make : function that gives a network      count : how many

    Attributes
    ----------
    nets : list of DenseNet, whose parameters are views of ``theta``      theta : (count P,)
    """

    def __init__(self, make: Callable[[], DenseNet], count: int):
        self.nets = [make() for _ in range(count)]
        self.theta = np.concatenate([net.theta for net in self.nets])
        for net, part in zip(self.nets, self.of(self.theta)):
            net.theta = part
        self.dtype, self.sizes = self.nets[0].dtype, self.nets[0].sizes

    def of(self, vector: np.ndarray) -> list[np.ndarray]:
        """A vector like ``theta`` network by network, as views."""
        return list(vector.reshape(len(self.nets), -1))

    def layers(self, theta: np.ndarray) -> list[Layers]:
        """The networks with these parameters."""
        return [
            Layers(*net.parts(part[: net.n_weighted]), net.normalizations(part), net.tables(part))
            for net, part in zip(self.nets, self.of(theta))
        ]

    def epoch(
        self,
        data: Data,
        own_loss: OwnLoss | None,
        rule: Any,
        order: np.ndarray,
        batch_size: int,
        rates: np.ndarray,
        moment: np.ndarray,
        square: np.ndarray,
        t: int,
        seed: int,
    ) -> float:
        """One pass over the rows in that order by every network; the mean of their objectives."""
        moments, squares = self.of(moment), self.of(square)

        def one(m: int) -> float:
            net, steps = self.nets[m], (moments[m], squares[m], t, seed + m)
            if own_loss is None:
                return net.epoch(data, rule, order, batch_size, rates, *steps)
            return own_loss.epoch(net, data, rule, order, batch_size, rates, *steps)

        each = range(len(self.nets))
        if own_loss is None and len(order) * len(self.nets[0].theta) > PRODUCTS_WORTH_THREADS:
            return float(np.mean(in_threads(one, each)))
        return float(np.mean([one(m) for m in each])) if len(self.nets) > 1 else one(0)

    def value_gradient(
        self, data: Data, own_loss: OwnLoss | None, alpha: float, theta: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """The sum of the objectives of all networks, and its gradient."""
        values, grads = [], []
        for net, part in zip(self.nets, self.of(theta)):
            value, grad = (
                net.value_gradient(data, alpha, part)
                if own_loss is None
                else own_loss.value_gradient(net, data, alpha, part)
            )
            values.append(value)
            grads.append(grad)
        return (values[0], grads[0]) if len(values) == 1 else (float(sum(values)), np.concatenate(grads))
