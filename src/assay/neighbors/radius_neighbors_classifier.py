"""Neighbours within a radius: the classes of all rows that are near enough vote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.learner import python_label
from assay.core.parameters import Any_
from assay.core.stored import AnyArray, Plain
from assay.core.targets import side_by_side
from assay.errors import DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.neighbors.neighbor_classifier import NeighborClassifier
from assay.neighbors.neighbor_learner import RadiusNeighbors
from assay.neighbors.weights import Neighborhoods
from assay.types import MetricLike, RandomState, TableLike

__all__ = ["RadiusNeighborsClassifier"]


class RadiusNeighborsClassifier(RadiusNeighbors, NeighborClassifier):
    r"""Answer with the class that most of the training rows within a radius have.

    .. math:: P(c \mid x) = \frac{\sum_{i: D(x, x_i) \le r} w_i [y_i = c]}{\sum_{i: D(x, x_i) \le r} w_i} \quad (1)

    Where rows are dense many vote, and where they are sparse few; a row without any is an outlier, and what is
    answered then is up to ``outlier_label``.

    Cost: fit O(n d), with a tree O(n d log n); predict O(n d) a row, in few columns with a tree about O(d log n);
    memory O(n d), the rows are kept.

    Parameters
    ----------
    radius : float, default 1.0
        r; rows at exactly this distance are in.
    weights : "uniform", "distance", "squared_exponential", a kernel's name, a function, or None
        As in `KNeighborsClassifier`; a function gets an array of arrays of distances.
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        How neighbours are looked for: it steers the time, not the answer.
    leaf_size : int, default 30
        Rows in a leaf of a tree.
    p : float, default 2
        The exponent of "minkowski".
    metric : str, callable or Metric, default "minkowski"
        How far rows are apart; see `KNeighborsClassifier`.
    outlier_label : label, list of labels (one a target), "most_frequent" or None, default None
        What rows without neighbours get: this label, the most frequent one, or (None) an error. A label that training
        did not have gets a posterior of zeros, with a warning.
    metric_params : dict, default None
        More arguments of the metric.
    n_jobs : int, default None
        Accepted; the machine's threads are used where the work is large, and the answer does not depend on them.
    tie : "first", "nearest", "weight" or "random", default "first"
        Which of the classes with equally many votes is answered; see `KNeighborsClassifier`.
    bandwidth : float, default None
        The width of the kernels; None takes the radius.
    random_state : seed, default None
        For ``tie="random"``.

    Attributes
    ----------
    classes_ : (K,) labels; a list of such for several targets
    outlier_label_ : list of labels, one a target, or None
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int     outputs_2d_ : bool

    Examples
    --------
    >>> from assay.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(radius=1.0, outlier_label="b")
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).predict([[0.5], [9.0]])
    array(['a', 'b'], dtype='<U1')

    See Also
    --------
    KNeighborsClassifier, ParzenClassifier, RadiusNeighborsRegressor

    References
    ----------
    - Fix, E. and Hodges, J. L. (1951). Discriminatory analysis, nonparametric discrimination: consistency
      properties. Technical report 4, USAF School of Aviation Medicine.
    - Devroye, L., Györfi, L. and Lugosi, G. (1996). A Probabilistic Theory of Pattern Recognition. Springer.
    """

    card = Card(
        "radius neighbours",
        "the rows within a radius vote",
        also=("radius neighbors",),
        scale=True,
        settings={"outlier_label": "most_frequent"},
        learns=("the classes of the nearest training rows", "none: rows are stored", "none", "stored"),
    )
    accepts = {**RadiusNeighbors.accepts, **NeighborClassifier.voting, "outlier_label": Any_()}
    stored = {"outlier_label_": Plain() | AnyArray("*")}

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: MetricLike = "minkowski",
        outlier_label: Any = None,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        tie: str = "first",
        bandwidth: float | None = None,
        random_state: RandomState = None,
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.tie = tie
        self.bandwidth = bandwidth
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        super()._learn(X, y, w)
        self.outlier_label_ = self._outlier_labels()

    def _outlier_labels(self) -> list[Any] | None:
        """One label for each target, of the kind its classes are."""
        who, label, targets = type(self).__name__, self.outlier_label, self._targets
        if label is None:
            return None
        if isinstance(label, str) and label == "most_frequent":
            return [labels[np.bincount(codes).argmax()] for labels, codes in targets]
        outliers = list(label) if isinstance(label, (list, tuple, np.ndarray)) else [label] * len(targets)
        if len(outliers) != len(targets):
            raise ParameterError(
                f"{who}: The length of outlier_label: {outliers} is inconsistent with the output length: "
                f"{len(targets)}."
            )
        for label, (labels, _) in zip(outliers, targets):
            kind = labels.dtype.kind
            alike = isinstance(label, str) == (kind in "US") and np.append(labels, label).dtype.kind == kind
            if np.ndim(label) or not alike:
                raise ParameterError(
                    f"{who}: The dtype of outlier_label {label!r} is inconsistent with classes {labels.tolist()[:5]} "
                    "in y; it is supposed to be a scalar of the same kind."
                )
        return outliers

    def _share(self, near: Neighborhoods, votes: np.ndarray, output: int) -> np.ndarray:
        empty = near.empty
        total = votes.sum(axis=1, keepdims=True)
        share = votes / np.where(total > 0, total, 1.0)
        if empty.any():
            share[np.ix_(empty, np.flatnonzero(self._targets[output][0] == self._label(near, output)))] = 1.0
        return share

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class with most votes; rows without neighbours get ``outlier_label``. None: the training rows."""
        near, votes = self._votes(self._admit_to_answer(X))
        columns = []
        for o, (labels, _) in enumerate(self._targets):
            answer = labels[self._winners(near, votes[o], o)]
            if near.empty.any():
                label = self._label(near, o)
                answer = answer.astype(np.append(labels, label).dtype)
                answer[near.empty] = label
            columns.append(answer)
        return side_by_side(columns) if self.outputs_2d_ else columns[0]

    def _choose(self, X: Any) -> np.ndarray:
        """Codes of the answers; those of rows without neighbours only if their label is a class."""
        near, votes = self._votes(X)
        chosen = []
        for o, (labels, _) in enumerate(self._targets):
            winners = self._winners(near, votes[o], o)
            if near.empty.any():
                winners[near.empty] = np.argmax(labels == self._label(near, o))
            chosen.append(winners)
        return np.column_stack(chosen) if self.outputs_2d_ else chosen[0]

    def _label(self, near: Neighborhoods, output: int) -> Any:
        """What rows without neighbours are called (with a warning if no class is), or an error that names them."""
        if self.outlier_label_ is None:
            rows = np.flatnonzero(near.empty)
            shown = ", ".join(map(str, rows[:10])) + (", ..." if len(rows) > 10 else "")
            raise DegenerateError(
                f"{type(self).__name__}: No neighbors found for test samples {shown}: no training row is within radius "
                f"{self.radius:g}. Use a larger radius, give rows without neighbours a label (outlier_label), or drop "
                "them."
            )
        label = self.outlier_label_[output]
        if not np.any(self._targets[output][0] == label):
            warn_user(
                f"{type(self).__name__}: Outlier label {label} is not in training classes. All class probabilities "
                "of outliers will be assigned with 0.",
                DegenerateWarning,
            )
        return label

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        block, near = super()._explain_block(X, rows), self._neighbourhoods(X)
        if self.outputs_2d_ or not near.empty.any():
            return block
        label = python_label(self._label(near, 0))
        note = f"No row is within radius {self.radius:g}: outlier_label answers."

        def sections(i: int) -> list[Section]:
            votes = block.reasons.sections(i)
            return [replace(votes[0], note=note)] if near.empty[i] else votes

        answers = [label if alone else answer for alone, answer in zip(near.empty, block.answers)]
        return replace(block, answers=answers, reasons=Reasons(sections))
