"""What networks of radial basis functions share: units, output weights, what they show and explain."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Learner
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Plain
from assay.distances.squared_rows import SquaredRows
from assay.errors import ParameterError, warn_user
from assay.local.placing import PLACES, SPREADS, placed_units
from assay.local.rbf_objective import RBFLayers, descend, hidden
from assay.local.units import SHAPES, Units
from assay.types import RandomState

__all__ = ["RBFNetwork"]

UNITS_SHOWN = 10  # in an explanation, the ones that say the most


class RBFNetwork(SquaredRows, Learner):
    """Learners of numbers and of classes whose hidden units are Gaussian bells."""

    accepts = {
        "n_units": Count(1),
        "units": Choice(*PLACES) | Array(2),
        "shape": Choice(*SHAPES),
        "spread": Choice(*SPREADS) | Range(0, open="both"),
        "normalize": Flag(),
        "direct": Flag(),
        "supervised": Flag(),
        "fit_intercept": Flag(),
        "alpha": Range(0, open="high"),
        "max_iter": Count(1),
        "tol": Range(0, open="high"),
        "random_state": Seed(),
    }
    stored = {
        "centers_": FloatArray("H", "p", finite=True),
        "spreads_": FloatArray("H") | FloatArray("H", "p") | FloatArray("H", "p", "p"),
        "weights_": FloatArray("O", "H", finite=True),
        "direct_weights_": FloatArray("O", "p", finite=True) | FloatArray("O", "0"),
        "intercept_": FloatArray("O", finite=True),
        "history_": Each(Plain(dict)),
    }
    kind: ClassVar[str]

    def __init__(
        self,
        n_units: int = 20,
        *,
        units: str | ArrayLike = "kmeans",
        shape: str = "spherical",
        spread: str | float = "neighbors",
        normalize: bool = False,
        direct: bool = False,
        supervised: bool = False,
        fit_intercept: bool = True,
        alpha: float = 1e-4,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.units = units
        self.shape = shape
        self.spread = spread
        self.normalize = normalize
        self.direct = direct
        self.supervised = supervised
        self.fit_intercept = fit_intercept
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn_layers(self, X: np.ndarray, target: np.ndarray, w: np.ndarray | None) -> None:
        who = type(self).__name__
        if self.supervised and self.shape == "full":
            raise ParameterError(
                f"{who}: supervised units have spreads of their own or one for each column; covariances cannot be "
                'moved. Take shape="diagonal", or supervised=False.'
            )
        draw = random_state_of(self.random_state)
        units = placed_units(X, w, self.units, self.n_units, self.shape, self.spread, draw, who)
        weight = np.ones(len(X)) if w is None else w
        K, H, d = target.shape[1], len(units), X.shape[1]
        net = RBFLayers(
            units, np.zeros((K, H)), np.zeros((K, d if self.direct else 0)), np.zeros(K), self.normalize
        )
        self.history_ = list[dict[str, Any]]()
        net, steps, done = self._output_layer(net, X, target, weight)
        if self.supervised:
            free = ("weights", "centers", "spreads", *self._free_constants())
            net, steps, done = descend(
                net, X, target, weight, self.kind, alpha=self.alpha, free=free, max_iter=self.max_iter, tol=self.tol,
                history=self.history_,
            )  # fmt: skip
        if not done:
            warn_user(
                f"{who} stopped after {steps} iterations before its error settled. Raise max_iter, or scale columns.",
                ConvergenceWarning,
            )
        self.n_iter_ = max(1, steps)
        self.centers_, self.spreads_ = net.units.centers, net.units.spreads
        self.weights_, self.direct_weights_, self.intercept_ = net.weights, net.direct, net.intercept

    def _free_constants(self) -> tuple[str, ...]:
        constant = self.fit_intercept and not (self.normalize and self.kind == "numbers")
        return (*(("direct",) if self.direct else ()), *(("intercept",) if constant else ()))

    def _output_layer(
        self, net: RBFLayers, X: np.ndarray, target: np.ndarray, weight: np.ndarray
    ) -> tuple[RBFLayers, int, bool]:
        """The network with the weights of its outputs fitted, the steps that took, and whether they came to an end."""
        raise TypeError(f"{type(self).__name__} must define _output_layer")

    @property
    def _layers(self) -> RBFLayers:
        return RBFLayers(
            Units(self.centers_, self.spreads_),
            self.weights_,
            self.direct_weights_,
            self.intercept_,
            self.normalize,
        )

    def parameter_count(self) -> int:
        """How many numbers were learned: centres, spreads and output weights."""
        d = self.centers_.shape[1]
        spreads = len(self.centers_) * d * (d + 1) // 2 if self.spreads_.ndim == 3 else self.spreads_.size
        constants = self.intercept_.size if "intercept" in self._free_constants() else 0
        return int(self.centers_.size + spreads + self.weights_.size + self.direct_weights_.size + constants)

    def _answer_of(self, X: Any) -> list[int]:
        """The output whose parts are shown for each row."""
        return [0] * len(X)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        net = self._layers
        F = hidden(net.units, X, net.normalize)
        outputs = self._answer_of(X)
        names = self._names

        def sections(i: int) -> list[Section]:
            k = outputs[i]
            parts = F[i] * net.weights[k]
            order = np.argsort(-np.abs(parts), kind="stable")[:UNITS_SHOWN]
            lines = [
                [f"unit {h}", ", ".join(f"{n} {v:.4g}" for n, v in zip(names, net.units.centers[h])),
                 float(F[i, h]), float(net.weights[k, h]), float(parts[h])]
                for h in order
            ]  # fmt: skip
            if net.direct.shape[1]:
                lines += [
                    [n, "direct", float(x), float(v), float(x * v)]
                    for n, x, v in zip(names, X[i], net.direct[k])
                ]
            lines.append(["constant", "", 1.0, float(net.intercept[k]), float(net.intercept[k])])
            return [Section("Units that respond", ["part", "centre", "activation", "weight", "adds"], lines)]

        return Reasons(sections)
