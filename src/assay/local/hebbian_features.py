"""Hebbian learning: units that come to respond to the direction in which rows vary most."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import assay.local._hebbian as _hebbian
from assay.core import Card, Transformer
from assay.core.fitting import observed
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Plain, Scalar
from assay.core.targets import check_weights
from assay.distances.squared_rows import SquaredRows
from assay.errors import DegenerateError, ParameterError
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["HebbianFeatures"]


class HebbianFeatures(SquaredRows, Transformer):
    r"""Principal components learned row by row, by units whose weights grow with what they respond to.

    .. math:: b = m^T x, \qquad m \leftarrow m + \eta\, b\,(x - b\,m)                                       \quad (1)

    Hebb's rule, :math:`\Delta m = \eta b x`, grows without bound. Oja's rule (1) forgets as much as it learns, and ends
    at the first principal direction with length one; further units see what those before leave over (Sanger 1989).
    ``rule="hebb"`` brings the weights of one unit back to length one after each step instead. Rows are centred, and
    rates are in units of their mean square, so that they need no scale.

    Cost: fit O(n d c) a pass for c units; transform O(c d) a row; memory O(c d).

    Parameters
    ----------
    n_components : int, default 1
        Units; Hebb's rule has one.
    rule : "oja" or "hebb", default "oja"
    learning_rate : float, default 0.1
        :math:`\eta` at first; it falls as one over the passes.
    max_iter : int, default 100
        Passes over all rows.
    tol : float, default 1e-5
        Passes end when no unit turns by more.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    components_ : (c, p)      mean_ : (p,)      n_iter_ : int
    history_ : list of dicts, one a pass: pass, rate, turn

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import HebbianFeatures
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) * [3.0, 1.0]
    >>> model = HebbianFeatures(random_state=0).fit(X)
    >>> bool(abs(model.components_[0, 0]) > 0.99), bool(abs(np.linalg.norm(model.components_) - 1) < 0.01)
    (True, True)

    See Also
    --------
    PCA, OnlineKMeans, winner_take_all

    References
    ----------
    - Oja, E. (1982). Simplified neuron model as a principal component analyzer. Journal of Mathematical Biology 15(3),
      267-273. doi:10.1007/BF00275687
    - Sanger, T. D. (1989). Optimal unsupervised learning in a single-layer linear feedforward neural network. Neural
      Networks 2(6), 459-473. doi:10.1016/0893-6080(89)90044-0
    """

    card = Card(
        "hebbian features",
        "principal directions, learned row by row",
        also=("oja", "hebb", "online pca"),
        scale=True,
        settings={"random_state": 0},
    )
    accepts = {
        "n_components": Count(1),
        "rule": Choice("oja", "hebb"),
        "learning_rate": Range(0, 1, open="low"),
        "max_iter": Count(1),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {
        "components_": FloatArray("c", "p", finite=True),
        "mean_": FloatArray("p", finite=True),
        "history_": Each(Plain(dict)),
        "_square": Scalar(low=0, finite=True),
    }

    def __init__(
        self,
        n_components: int = 1,
        *,
        rule: str = "oja",
        learning_rate: float = 0.1,
        max_iter: int = 100,
        tol: float = 1e-5,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.rule = rule
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        draw = random_state_of(self.random_state)
        self._begin(X, w, draw)
        counted = np.arange(len(X)) if w is None else np.flatnonzero(w > 0)
        self.history_ = list[dict[str, Any]]()
        for step in range(self.max_iter):
            end_if_abandoned()
            before = self.components_.copy()
            rate = self.learning_rate / (step + 1)
            self._visit(X, w, draw.permutation(counted), rate)
            turn = float(np.abs(self.components_ - before).max())
            self.history_.append({"pass": step + 1, "rate": rate, "turn": turn})
            if turn <= self.tol:
                break
        self.n_iter_ = len(self.history_)

    def _begin(self, X: np.ndarray, w: np.ndarray | None, draw: np.random.RandomState) -> None:
        who, d = type(self).__name__, X.shape[1]
        if self.n_components > d:
            raise ParameterError(
                f"{who}: n_components must be at most the {d} columns, got {self.n_components}."
            )
        if self.rule == "hebb" and self.n_components > 1:
            raise ParameterError(f'{who}: Hebb\'s rule has one unit. Take rule="oja" for several.')
        self.mean_ = np.average(X, axis=0, weights=w)
        self._square = float(np.average(((X - self.mean_) ** 2).sum(axis=1), weights=w))
        first = draw.normal(size=(self.n_components, d))
        self.components_ = np.ascontiguousarray(first / np.linalg.norm(first, axis=1, keepdims=True))

    def _visit(self, X: np.ndarray, w: np.ndarray | None, order: np.ndarray, rate: float) -> None:
        unit = float(np.sqrt(self._square)) or 1.0
        units = self.components_.copy()
        rows, weight = (
            np.ascontiguousarray((X - self.mean_) / unit),
            np.empty(0) if w is None else w / w.max(),
        )
        _hebbian.learn(rows, weight, order, units, rate, self.rule == "oja")
        if not np.isfinite(units).all():
            raise DegenerateError(f"{type(self).__name__}: weights left all bounds. Lower learning_rate.")
        self.components_ = units

    @observed
    def partial_fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Visit the rows of X once, in their order; means and the unit of rates are those of the first call."""
        who = type(self).__name__
        first = "components_" not in vars(self)
        if first:
            self._check_parameters()
        values = self._admit(X, fitting=first)
        w = check_weights(sample_weight, values, who)
        if first:
            self._begin(values, w, random_state_of(self.random_state))
            self.n_iter_, self.history_ = 0, []
        self._visit(values, w, np.arange(len(values)), float(self.learning_rate))
        self.n_iter_ += 1
        return self

    def _transform(self, X: Any) -> np.ndarray:
        return (X - self.mean_) @ self.components_.T

    def _names_out(self) -> list[str]:
        return [f"hebbian{c}" for c in range(len(self.components_))]
