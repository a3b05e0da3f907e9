"""What the hidden units of a network with one input do, and the weights of any network."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.neural import Dense, Network
from assay.plots.canvas import axes_for, pyplot
from assay.plots.looks import FAINT, INK
from assay.plots.network_display import layers_of

__all__ = ["HiddenUnitsDisplay", "WeightsDisplay"]


class HiddenUnitsDisplay:
    """A network with one input and one hidden layer taken apart, in three panels over x.

    Left the weighted sums of the hidden units (lines), in the middle their values, right their values times the output
    weights, and the sum of these with the bias: the answer.

    Parameters
    ----------
    network : Network of two Dense layers, with one input and one output
    low, high : range of x
    points : (x, r) training rows to draw, or None

    Attributes
    ----------
    axes_, figure_ : after ``plot``      x, sums, values, parts, outputs : what is drawn

    Examples
    --------
    >>> from assay.neural import Dense, Network
    >>> from assay.plots import HiddenUnitsDisplay
    >>> net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0)
    >>> HiddenUnitsDisplay(net, -0.5, 0.5).values.shape
    (200, 2)

    See Also
    --------
    NetworkDisplay, TrainingDisplay
    """

    def __init__(
        self, network: Network, low: float, high: float, points: tuple[ArrayLike, ArrayLike] | None = None
    ):
        layers = getattr(network, "layers", [])
        if len(layers) != 2 or not all(isinstance(layer, Dense) for layer in layers):
            raise ParameterError(
                "HiddenUnitsDisplay: the network must have one hidden layer and Dense layers."
            )
        if tuple(network.input_shape) != (1,) or network.output_shape != (1,):
            raise ParameterError("HiddenUnitsDisplay: the network must have one input and one output.")
        self.points = None if points is None else tuple(np.asarray(p, dtype=float).ravel() for p in points)
        self.x = np.linspace(low, high, 200)
        column = self.x[:, None]
        first, last = network.parts
        self.sums = column @ first["W"] + first.get("b", 0.0)
        self.values = network.hidden(column)[0]
        self.parts = self.values * last["W"][:, 0]
        self.outputs = network.outputs(column)[:, 0]

    def plot(self, ax: Any = None) -> Self:
        """Draw the three panels on three axes."""
        if ax is None:
            plt = pyplot()
            _, ax = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
        self.axes_ = list(ax)
        self.figure_ = self.axes_[0].figure
        titles = "weighted sums", "values", "times output weights"
        for panel, curves, title in zip(self.axes_, (self.sums, self.values, self.parts), titles):
            for h in range(curves.shape[1]):
                panel.plot(self.x, curves[:, h], color=class_colour(h), lw=1.4, label=f"unit {h + 1}")
            panel.set(title=title, xlabel="x")
        last = self.axes_[2]
        last.plot(self.x, self.outputs, color=INK, lw=2, ls="--", label="sum")
        if self.points is not None:
            last.plot(*self.points, ".", color=FAINT, ms=4, zorder=0)
        last.legend(frameon=False, fontsize=8)
        return self


class WeightsDisplay:
    """A histogram of the weights of a network, biases aside, with the normal density of the same mean and spread.

    Weight decay is a normal prior: the histogram shows whether it fits.

    Parameters
    ----------
    weights : numbers

    Attributes
    ----------
    mean_, deviation_ : of the weights      ax_, figure_ : after ``plot``

    Examples
    --------
    >>> from assay.plots import WeightsDisplay
    >>> WeightsDisplay([-1.0, 1.0]).deviation_
    1.0

    See Also
    --------
    ComponentPicturesDisplay, NetworkDisplay
    """

    def __init__(self, weights: ArrayLike):
        self.weights = np.asarray(weights, dtype=float).ravel()
        if not len(self.weights):
            raise ParameterError("WeightsDisplay: there are no weights.")
        self.mean_, self.deviation_ = float(self.weights.mean()), float(self.weights.std())

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw the weights of a fitted multilayer perceptron or of a network of Dense layers."""
        return cls(np.concatenate([W.ravel() for W in layers_of(estimator)[0]])).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the histogram."""
        self.ax_ = ax = axes_for(ax, (5.5, 3.6))
        self.figure_ = ax.figure
        ax.hist(self.weights, bins="auto", density=True, color=class_colour(0), alpha=0.45)
        if self.deviation_ > 0:
            x = np.linspace(self.weights.min(), self.weights.max(), 200)
            z = (x - self.mean_) / self.deviation_
            density = np.exp(-(z**2) / 2) / (self.deviation_ * np.sqrt(2 * np.pi))
            ax.plot(x, density, color=INK, lw=1.4, label="normal density")
            ax.legend(frameon=False)
        ax.set(xlabel="weight", ylabel="density")
        return self
