"""Learning vector quantisation: prototypes of each class that rows attract and repel."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.local._lvq as _lvq
from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, Each, FloatArray, Plain
from assay.distances.extremes import refuse_extremes
from assay.distances.squared_rows import SquaredRows
from assay.local.units import squared_distances
from assay.types import RandomState

__all__ = ["LVQClassifier"]

ALGORITHMS = ("lvq1", "olvq1", "lvq2.1", "lvq3", "glvq")
PROTOTYPES_SHOWN = 10  # in an explanation, the nearest


class LVQClassifier(SquaredRows, Discriminant):
    r"""Classify by the nearest of some prototypes, which rows of their class attract and rows of others repel.

    .. math:: m \leftarrow m \pm \eta\,(x - m)                                                          \quad (1)

    for the nearest prototype m of a row x: towards it if their classes agree, away if not (LVQ1). "olvq1" gives each
    prototype its own rate; "lvq2.1" moves the two nearest where they disagree and the row lies in a window between
    them, "lvq3" also where both are right; "glvq" moves the nearest right and the nearest wrong one down the slope of
    the relative distance :math:`(d^+ - d^-)/(d^+ + d^-)`, which does not diverge. Prototypes begin at the means of
    groups of their class and stay within the range of the training rows; the rate falls to 0.

    Cost: fit O(n H d) an epoch for H prototypes; predict O(H d) a row; memory O(H d) kept.

    Parameters
    ----------
    n_prototypes : int, default 3
        Of each class; fewer where it has fewer distinct rows.
    algorithm : "lvq1", "olvq1", "lvq2.1", "lvq3" or "glvq", default "glvq"
    learning_rate : float, default 0.1
    max_iter : int, default 50
        Epochs: how often every row is shown.
    window : float between 0 and 1, default 0.2
        Of "lvq2.1" and "lvq3": how far from the middle of two prototypes a row may be.
    epsilon : float, default 0.2
        Of "lvq3": the share of the rate where both prototypes are right.
    start : "means" or "rows", default "means"
        Where prototypes begin: at the means of groups of their class, or at rows drawn at random.
    random_state : int, RandomState or None, default None
        Of the start and of the order in which rows are shown.

    Attributes
    ----------
    prototypes_ : (H, d)      labels_ : (H,) the number of each prototype's class
    history_ : list of dicts, one an epoch: epoch, error (of the training rows)      n_iter_ : int

    Examples
    --------
    >>> from assay.local import LVQClassifier
    >>> X = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]]
    >>> model = LVQClassifier(1, random_state=0).fit(X, list("aaabbb"))
    >>> model.predict([[3.0], [5.0]])
    array(['a', 'b'], dtype='<U1')

    See Also
    --------
    NearestClusterClassifier, RBFNetworkClassifier

    References
    ----------
    - Kohonen, T. (1990). The self-organizing map. Proceedings of the IEEE 78(9), 1464-1480. doi:10.1109/5.58325
    - Sato, A. and Yamada, K. (1996). Generalized learning vector quantization. Advances in Neural Information
      Processing Systems 8, 423-429.
    """

    card = Card(
        "lvq",
        "prototypes of each class that rows attract and repel",
        also=("learning vector quantisation", "learning vector quantization"),
        scale=True,
        settings={"random_state": 0},
        learns=(
            "the class of the nearest prototype",
            "relative distance to the nearest right and wrong prototype",
            "steps for each row, with a falling rate",
            "local",
        ),
    )
    accepts = {
        "n_prototypes": Count(1),
        "algorithm": Choice(*ALGORITHMS),
        "learning_rate": Range(0, 1, open="low"),
        "max_iter": Count(1),
        "window": Range(0, 1, open="both"),
        "epsilon": Range(0, 1),
        "start": Choice("means", "rows"),
        "random_state": Seed(),
    }
    stored = {
        "prototypes_": FloatArray("H", "p", finite=True),
        "labels_": CodeArray("H", below="K"),
        "history_": Each(Plain(dict)),
    }

    def __init__(
        self,
        n_prototypes: int = 3,
        *,
        algorithm: str = "glvq",
        learning_rate: float = 0.1,
        max_iter: int = 50,
        window: float = 0.2,
        epsilon: float = 0.2,
        start: str = "means",
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.algorithm = algorithm
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.window = window
        self.epsilon = epsilon
        self.start = start
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        X = np.ascontiguousarray(X, dtype=np.float64)
        refuse_extremes(X, type(self).__name__, self._names)
        draw = random_state_of(self.random_state)
        counted = np.arange(len(X)) if w is None else np.flatnonzero(w > 0)
        places, labels = [], []
        for k in range(len(self.classes_)):
            rows = counted[y[counted] == k]
            if len(rows):
                start = self._start(X[rows], None if w is None else w[rows], draw)
                places.append(start)
                labels += [k] * len(start)
        M, label = np.ascontiguousarray(np.vstack(places)), np.array(labels, dtype=np.int64)
        rule = _lvq.LVQRule(
            kind=ALGORITHMS.index(self.algorithm), rate=float(self.learning_rate), window=float(self.window),
            epsilon=float(self.epsilon), low=X[counted].min(axis=0), high=X[counted].max(axis=0),
        )  # fmt: skip
        weight = np.empty(0) if w is None else w / w[counted].max()
        rates, visits = np.full(len(M), float(self.learning_rate)), self.max_iter * len(counted)
        codes = np.ascontiguousarray(y, dtype=np.int64)
        self.history_ = list[dict[str, Any]]()
        for epoch in range(self.max_iter):
            end_if_abandoned()
            _lvq.learn(
                X=X, y=codes, weight=weight, order=draw.permutation(counted), M=M, label=label, rates=rates, rule=rule,
                begin=epoch * len(counted), visits=visits,
            )  # fmt: skip
            wrong = label[squared_distances(X[counted], M).argmin(axis=1)] != y[counted]
            self.history_.append({"epoch": epoch + 1, "error": float(np.mean(wrong))})
        self.prototypes_, self.labels_, self.n_iter_ = M, label, self.max_iter

    def _start(self, X: np.ndarray, w: np.ndarray | None, draw: np.random.RandomState) -> np.ndarray:
        from assay.cluster import KMeans

        distinct = np.unique(X, axis=0)
        H = min(self.n_prototypes, len(distinct))
        if self.start == "rows":
            return distinct[np.sort(draw.choice(len(distinct), H, replace=False))]
        centers: np.ndarray = KMeans(H, n_init=1, random_state=draw).fit(X, sample_weight=w).cluster_centers_
        return centers

    def _squares(self, X: Any) -> np.ndarray:
        return squared_distances(X, self.prototypes_)

    def _scores(self, X: Any) -> np.ndarray:
        """The distance to the nearest prototype of another class less that of the class itself."""
        apart, K = np.sqrt(self._squares(X)), len(self.classes_)
        nearest = np.full((len(X), K), np.inf)
        for h, k in enumerate(self.labels_):
            nearest[:, k] = np.minimum(nearest[:, k], apart[:, h])
        farthest = np.where(np.isfinite(nearest), nearest, -np.inf).max(axis=1, keepdims=True)
        scores = np.maximum(-nearest, -2 * farthest - 1)  # a class without rows comes last
        return scores[:, 1] - scores[:, 0] if K == 2 else scores

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        apart = np.sqrt(self._squares(X))
        names = self._names

        def sections(i: int) -> list[Section]:
            lines = [
                [str(self.classes_[self.labels_[h]]), int(h), float(apart[i, h]),
                 ", ".join(f"{n} {v:.4g}" for n, v in zip(names, self.prototypes_[h]))]
                for h in np.argsort(apart[i], kind="stable")[:PROTOTYPES_SHOWN]
            ]  # fmt: skip
            return [Section("The nearest prototypes", ["class", "prototype", "distance", "place"], lines)]

        return Reasons(sections)
