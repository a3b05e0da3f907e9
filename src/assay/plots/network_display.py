"""A dense network as units and connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import axes_for, names_of
from assay.plots.looks import FAINT, INK
from assay.types import Axes, Estimator

__all__ = ["NetworkDisplay", "layers_of"]

MOST_UNITS = 14  # of a layer that are drawn; of more, the first and the last with dots between
THICKEST = 3.5  # points, of the largest weight
LETTER = 0.045  # width of a letter of a name, as a share of the width of the network


def layers_of(model: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The weights and biases of a multilayer perceptron, or of a network of Dense layers."""
    if hasattr(model, "coefs_"):
        if any(np.ndim(W) == 3 for W in model.coefs_):
            raise ParameterError(
                f"NetworkDisplay: {type(model).__name__} has {len(model.coefs_[0])} members. Draw one of them, "
                "NetworkDisplay([W[0] for W in model.coefs_], [b[0] for b in model.intercepts_])."
            )
        return [np.asarray(W) for W in model.coefs_], [np.asarray(b) for b in model.intercepts_]
    net = getattr(model, "network_", model)
    parts = getattr(net, "parts", None)
    if not isinstance(parts, list) or any(
        set(part) - {"W", "b"} or "W" not in part or part["W"].ndim != 2 for part in parts
    ):
        raise ParameterError(
            f"NetworkDisplay: {type(model).__name__} is no fitted multilayer perceptron and no network of Dense layers."
        )
    return [p["W"] for p in parts], [p.get("b", np.zeros(p["W"].shape[1])) for p in parts]


class NetworkDisplay:
    """Units as circles, bias units as squares, connections as lines: the thicker, the larger the weight.

    Positive weights have the first colour and full lines, negative ones the second and broken lines. Small networks
    show the weights as numbers.

    Parameters
    ----------
    coefs, intercepts : lists of (inputs, units) weights and (units,) biases of each layer
    names : of the inputs
    outputs : names of the outputs
    activations : values of all units, layer by layer, inputs first, which shade the units

    Attributes
    ----------
    ax_, figure_ : after ``plot``      places_ : list of (units, 2) where the units of each layer are drawn

    Examples
    --------
    >>> from assay.neural import boolean_network
    >>> from assay.plots import NetworkDisplay
    >>> NetworkDisplay.of(boolean_network([0, 1, 1, 0])).sizes
    [2, 2, 1]

    See Also
    --------
    TrainingDisplay, HiddenUnitsDisplay
    """

    def __init__(
        self,
        coefs: Sequence[ArrayLike],
        intercepts: Sequence[ArrayLike],
        names: Sequence[str] = (),
        outputs: Sequence[str] = (),
        activations: Sequence[ArrayLike] = (),
    ):
        self.coefs = [np.asarray(W, dtype=float) for W in coefs]
        self.intercepts = [np.asarray(b, dtype=float) for b in intercepts]
        self.sizes = [W.shape[0] for W in self.coefs] + [self.coefs[-1].shape[1]]
        self.names, self.outputs = list(map(str, names)), list(map(str, outputs))
        self.activations = [np.asarray(a, dtype=float).ravel() for a in activations]

    @classmethod
    def of(cls, model: Any, row: ArrayLike | None = None) -> Self:
        """The display of a perceptron or a network, not drawn yet; ``row`` shades the units by its values."""
        coefs, intercepts = layers_of(model)
        names = names_of(model, coefs[0].shape[0]) if hasattr(model, "schema_") else ()
        classes = getattr(model, "classes_", ())
        outputs = [str(c) for c in classes] if len(classes) == coefs[-1].shape[1] else ()
        values: list[Any] = []
        if row is not None:
            x = np.atleast_2d(np.asarray(row, dtype=float))
            if hasattr(model, "coefs_"):
                layers = [model.hidden(x, l) for l in range(len(coefs) - 1)]
                values = [x, *layers, model._outputs(model._admit(x))]
            else:
                values = [x, *model.run(x)[0]]
        return cls(coefs, intercepts, names, outputs, values)

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, row: ArrayLike | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw a fitted multilayer perceptron, or a network of Dense layers."""
        return cls.of(estimator, row).plot(ax)

    def plot(self, ax: Axes | None = None, *, numbers: bool | None = None) -> Self:
        """Draw the network from left to right.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        numbers : whether weights are written at their lines; None where there are at most 12
        """
        tallest = max(min(size, MOST_UNITS) for size in self.sizes) + 1
        self.ax_ = ax = axes_for(ax, (1.9 * len(self.sizes) + 1.5, 0.55 * tallest + 1.0))
        self.figure_ = ax.figure
        if numbers is None:
            numbers = sum(W.size + b.size for W, b in zip(self.coefs, self.intercepts)) <= 12
        shown = [self._shown(size) for size in self.sizes]
        self.places_ = [
            np.column_stack([np.full(len(units), float(l)), (len(units) - 1) / 2 - np.arange(len(units))])
            for l, units in enumerate(shown)
        ]
        largest = max(
            max(float(np.abs(W).max(initial=0)), float(np.abs(b).max(initial=0)))
            for W, b in zip(self.coefs, self.intercepts)
        )
        for l, (W, b) in enumerate(zip(self.coefs, self.intercepts)):
            bias = np.array([float(l), self.places_[l][:, 1].max() + 1.0])
            for k, unit in enumerate(shown[l + 1]):
                self._line(bias, self.places_[l + 1][k], float(b[unit]), largest, numbers)
                for i, before in enumerate(shown[l]):
                    self._line(
                        self.places_[l][i], self.places_[l + 1][k], float(W[before, unit]), largest, numbers
                    )
            ax.plot(*bias, marker="s", ms=11, mfc="white", mec=FAINT, zorder=3)
            ax.annotate(
                "+1", (bias[0], bias[1]), ha="center", va="center", fontsize=6.5, color=FAINT, zorder=4
            )
        for l, units in enumerate(shown):
            self._units(l, units)
        ax.set_axis_off()
        ax.margins(0.12, 0.12)
        last = len(self.sizes) - 1
        left, right = (max(map(len, texts), default=2) for texts in (self.names, self.outputs))
        share = LETTER * last  # the axes are about as wide as there are layers
        ax.set_xlim(-0.2 - share * left, last + 0.2 + share * right)
        return self

    @staticmethod
    def _shown(size: int) -> list[int]:
        if size <= MOST_UNITS:
            return list(range(size))
        half = MOST_UNITS // 2
        return [*range(half), *range(size - half, size)]

    def _line(self, start: np.ndarray, end: np.ndarray, weight: float, largest: float, numbers: bool) -> None:
        if weight == 0 or largest == 0:
            return
        width = THICKEST * abs(weight) / largest
        look = {"color": class_colour(0 if weight > 0 else 1), "ls": "-" if weight > 0 else "--"}
        self.ax_.plot(*zip(start, end), lw=max(width, 0.3), alpha=0.8, zorder=1, **look)
        if numbers:
            x, y = start + 0.28 * (end - start)
            self.ax_.annotate(
                f"{weight:.3g}",
                (x, y),
                ha="center",
                va="center",
                fontsize=7.5,
                zorder=2,
                bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.85},
            )

    def _units(self, l: int, units: list[int]) -> None:
        last = len(self.sizes) - 1
        values = self.activations[l] if self.activations else None
        reach = float(np.abs(values).max(initial=0)) if values is not None else 0.0
        for place, unit in zip(self.places_[l], units):
            share = abs(float(values[unit])) / reach if values is not None and reach > 0 else 0.0
            colour = "white" if not share else class_colour(0 if values is None or values[unit] > 0 else 1)
            self.ax_.plot(*place, marker="o", ms=17, mfc="white", mec=INK, zorder=3)
            if share:
                self.ax_.plot(
                    *place, marker="o", ms=17, mfc=colour, mec=INK, alpha=0.15 + 0.7 * share, zorder=3
                )
            if l in (0, last):
                given_names = self.names if l == 0 else self.outputs
                text = (
                    given_names[unit] if unit < len(given_names) else ("x" if l == 0 else "y") + str(unit + 1)
                )
                side = {"xytext": (-14 if l == 0 else 14, 0), "textcoords": "offset points"}
                self.ax_.annotate(
                    text, place, ha="right" if l == 0 else "left", va="center", fontsize=9, **side
                )
        if self.sizes[l] > MOST_UNITS:
            self.ax_.annotate("...", (float(l), 0.0), ha="center", va="center", zorder=5, fontsize=11)
