"""Columns in the order in which they enter the lasso."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from assay.core import Card
from assay.core.parallel import in_threads
from assay.core.parameters import Choice, Count
from assay.core.stored import FloatArray
from assay.evaluate.target import Target
from assay.select.embedded.lasso_order import LassoOrder, lasso_order
from assay.select.embedded.standard_block import Floats, StandardBlock, outputs_of, read_aim
from assay.select.selector import Selector
from assay.tables import Table

__all__ = ["SelectByLassoPath", "lasso_entries"]


class SelectByLassoPath(Selector):
    r"""Keep the columns that enter first when the penalty of the lasso falls.

    With all columns at unit variance, the weights that minimise
    :math:`\tfrac1{2n}\lVert y-Xw\rVert^2+\lambda\lVert w\rVert_1` are all zero for large lambda; as it falls, columns
    enter one by one. The path is followed exactly, from corner to corner. Classes are predicted as
    indicators, one for two of them, else one for each, and a column enters with the first of its indicators in the path
    of any class. Without ``n_features``, each path is cut where the extended Bayesian criterion of least squares

    .. math:: n\ln\frac{\mathrm{RSS}}n + k\ln n + 2\ln\binom Dk                                        \quad (1)

    with the k columns that are active, out of D, is least; where all columns are useless it keeps none.

    Cost: fit O(n D) for each corner of the path, of about min(n, D); transform O(1) a kept column; memory O(n D), D
    columns with indicators.

    Parameters
    ----------
    n_features : int or None, default None
        How many columns are kept, where the path ends as well; None follows it to its end and asks (1).
    task : "classification", "regression" or None, which goes by the target

    Attributes
    ----------
    entry_ : (d,) the penalty at which each column enters, in the units of a target of size 1; 0 if it never does

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import SelectByLassoPath
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(100, 6))
    >>> selector = SelectByLassoPath().fit(X, 3 * X[:, 5] + X[:, 2] + rng.normal(size=100))
    >>> selector.selected_, selector.order()[:2]
    (['x2', 'x5'], ['x5', 'x2'])

    See Also
    --------
    StabilitySelection, SelectFromModel, SelectByWeights

    References
    ----------
    - Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004). Least angle regression. Annals of Statistics
      32(2), 407-499. doi:10.1214/009053604000000067
    - Chen, J. and Chen, Z. (2008). Extended Bayesian information criteria for model selection with large model spaces.
      Biometrika 95(3), 759-771. doi:10.1093/biomet/asn034
    """

    card = Card("select by lasso path", "columns in the order in which they enter the lasso")
    takes = frozenset({"nominal"})
    accepts = {"n_features": Count(1) | None, "task": Choice("classification", "regression") | None}
    stored = {"entry_": FloatArray("d")}
    entry_: np.ndarray

    def __init__(self, n_features: int | None = None, *, task: str | None = None):
        self.n_features = n_features
        self.task = task

    def _read_target(self, y: Any, n: int) -> Target:
        return read_aim(y, n, type(self).__name__, self.task)

    def _choose(self, table: Table, target: Target, weights: np.ndarray | None) -> np.ndarray:
        block = StandardBlock.of(table, weights)
        paths = lasso_paths(block, outputs_of(target), self.n_features)
        self.entry_ = np.max([block.by_column(path.entry) for path in paths], axis=0)
        if self.n_features is not None:
            first = np.argsort(-self.entry_, kind="stable")[: self.n_features]
            return np.isin(np.arange(block.d), first) & (self.entry_ > 0)
        total = len(block.Z) if weights is None else float(weights.sum())
        return np.any([block.by_column(path.entry) >= _cut(path, total) for path in paths], axis=0)

    def order(self) -> list[str]:
        """The names of the columns in the order in which they enter; those that never do are left out."""
        self._ready()
        return [
            self.schema_[int(j)].name for j in np.argsort(-self.entry_, kind="stable") if self.entry_[j] > 0
        ]

    def _why(self, j: int) -> str:
        if not self.entry_[j]:
            return "does not enter" + ("" if self.n_features is None else " before the path ends")
        place = int(np.sum(self.entry_ > self.entry_[j]) + np.sum(self.entry_[:j] == self.entry_[j])) + 1
        return f"enters as number {place}, at a penalty of {self.entry_[j]:.4g}"


def lasso_paths(block: StandardBlock, Y: Floats, most: int | None = None) -> list[LassoOrder]:
    """The path of each output, until ``most`` columns of the table have entered."""
    root = None if block.w is None else np.sqrt(block.w / block.w.mean())
    Z = block.Z if root is None else block.Z * root[:, None]
    Y = Y - np.average(Y, axis=0, weights=block.w)
    Y = Y if root is None else Y * root[:, None]
    group = block.source if most is not None else None
    return in_threads(lambda y: lasso_order(Z, y, most, group), list(Y.T))


def lasso_entries(block: StandardBlock, Y: Floats, most: int) -> np.ndarray:
    """(d,) bool: the first ``most`` columns of the table that enter."""
    entry = np.max([block.by_column(path.entry) for path in lasso_paths(block, Y, most)], axis=0)
    first = np.argsort(-entry, kind="stable")[:most]
    return np.isin(np.arange(block.d), first) & (entry > 0)


def _cut(path: LassoOrder, n: float) -> float:
    """The penalty down to which columns enter the set with the least (1); infinite for no column."""
    D, k = len(path.entry), np.concatenate([[0], path.size])
    squares = np.concatenate([path.squares[:1], path.refitted])
    floor = max(float(squares[0]), 1e-300) * 1e-15
    ways = gammaln(D + 1) - gammaln(k + 1) - gammaln(D - k + 1)
    criterion = n * np.log(np.maximum(squares, floor) / n) + k * np.log(n) + 2 * ways  # (1)
    criterion[k > max(n / 2, 1)] = (
        np.inf
    )  # with as many columns as rows nothing is left over, whatever the columns
    return float(np.concatenate([[np.inf], path.penalty])[np.argmin(criterion)])
