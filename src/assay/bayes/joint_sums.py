"""The sums of the full-joint Bayes classifier: one entry for each cell and class that occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.moments import ClassMoments, ClassScatter, class_moments, class_scatter
from assay.core.stored import Each, FloatArray, Integer
from assay.tables import Schema


@dataclass
class JointSums:
    """Weights, means and scatters of the cells that occur; a cell is one value of each discrete column.

    Attributes
    ----------
    class_count : (K,)     total weight of each class
    keys : (G, c + 1)      the values of the c discrete columns and the class, in ascending order
    count : (G,)           total weight
    mean : (G, q)          of the q continuous columns
    scatter : (G, q) squared deviations, or (G, q, q) with their products
    columns : c positions: where the discrete columns stand in the table
    """

    class_count: np.ndarray
    keys: np.ndarray
    count: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    columns: list[int]
    stored = {
        "class_count": FloatArray("K"),
        "keys": FloatArray("G", "*"),
        "count": FloatArray("G"),
        "mean": FloatArray("G", "q"),
        "scatter": FloatArray("G", "q") | FloatArray("G", "q", "q"),
        "columns": Each(Integer()),
    }

    def __add__(self, other: JointSums) -> JointSums:
        keys, place = distinct_rows(np.concatenate([self.keys, other.keys]))
        count_a, mean_a, scatter_a = self._spread(place[: len(self.keys)], len(keys))
        count_b, mean_b, scatter_b = other._spread(place[len(self.keys) :], len(keys))
        count = count_a + count_b  # above 0: a cell that occurs weighs something
        share, gap = count_b / count, mean_b - mean_a
        mean = np.where((count_a > 0)[:, None], mean_a + gap * share[:, None], mean_b)
        product = gap[:, :, None] * gap[:, None, :] if self.scatter.ndim == 3 else gap * gap
        between = (count_a * share).reshape((-1,) + (1,) * (product.ndim - 1)) * product
        return JointSums(
            self.class_count + other.class_count,
            keys,
            count,
            mean,
            scatter_a + scatter_b + between,
            self.columns,
        )

    def _spread(self, place: np.ndarray, G: int) -> list[np.ndarray]:
        """Count, mean and scatter in a longer list of cells, 0 where there is none."""
        parts = []
        for values in (self.count, self.mean, self.scatter):
            wide = np.zeros((G, *values.shape[1:]))
            wide[place] = values
            parts.append(wide)
        return parts

    def recode(self, old: Schema, new: Schema) -> JointSums:
        """The same sums by a schema with more categories."""
        keys = self.keys.copy()
        for c, j in enumerate(self.columns):
            if new[j].coded:
                place = np.array([new[j].categories.index(value) for value in old[j].categories], dtype=float)
                keys[:, c] = place[keys[:, c].astype(np.intp)]
        keys, place = distinct_rows(keys)
        count, mean, scatter = self._spread(place, len(keys))
        return JointSums(self.class_count, keys, count, mean, scatter, self.columns)


def joint_sums(
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray | None,
    K: int,
    discrete: list[int],
    continuous: list[int],
    full: bool,
) -> JointSums:
    """The sums of one block of complete rows; ``full`` keeps the products of continuous columns, too."""
    if w is not None and not w.all():  # a row that weighs nothing is not there
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
    q = len(continuous)
    keys, group = distinct_rows(np.column_stack([X[:, discrete], y]).astype(np.float64))
    class_count = np.bincount(y, weights=w, minlength=K).astype(np.float64)
    if not q or not len(y):
        count = np.bincount(group, weights=w, minlength=len(keys)).astype(np.float64)
        shape = (len(keys), q, q) if full else (len(keys), q)
        return JointSums(class_count, keys, count, np.zeros((len(keys), q)), np.zeros(shape), discrete)
    Z = np.ascontiguousarray(X[:, continuous], dtype=np.float64)
    group = np.ascontiguousarray(group, dtype=np.int64)
    if full:
        parts: ClassMoments | ClassScatter = class_scatter(Z, group, w, len(keys), pooled=False)
    else:
        parts = class_moments(Z, group, w, len(keys))
    return JointSums(class_count, keys, parts.count, parts.mean, parts.scatter, discrete)


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows in ascending order, and which of them each row is; NaN equals NaN.

    >>> import numpy as np
    >>> distinct_rows(np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]))
    (array([[0., 2.],
           [1., 0.]]), array([1, 0, 1]))
    """
    code = np.zeros(len(rows), dtype=np.int64)
    if not rows.shape[1]:
        return rows[:1], code
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        if len(values) > 1:  # ranks of ranks stay below n, whatever the number of columns
            code = np.unique(code * len(values) + place, return_inverse=True)[1]
    _, first, code = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], code
