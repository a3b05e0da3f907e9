"""One pass over the rows: class weights, means and spreads of the columns, and a sample of every class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np

import assay.linear.logistic._logistic as _logistic
from assay.core.sums import Block, Rows, Source

__all__ = ["Columns", "RowSample", "Survey", "survey"]

NO_VALUES = np.empty(0)


@dataclass
class RowSample:
    """Up to ``quota`` rows of each class, drawn at random; two samples add up to one of all their rows.

    Every row has a random key, and those with the smallest keys stay. The keys of a block are drawn as the smallest
    of as many uniform numbers as the class has rows, so rows that have no chance cost nothing.

    Attributes
    ----------
    X : (m, d), y : (m,), w : (m,) or None      the rows
    key : (m,)                                  count : (K,) rows of each class that were drawn from
    """

    quota: int
    X: Any
    y: np.ndarray
    w: np.ndarray | None
    key: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, block: Block, K: int, quota: int) -> RowSample:
        """The sample of one block; the same block gives the same sample."""
        y = np.asarray(block.y)
        count = np.bincount(y, minlength=K)
        if count.max(initial=0) <= quota:
            key = np.zeros(len(y))
            return cls(quota, block.X, y, block.w, key, count)
        rng = np.random.default_rng([len(y), crc32(y[:1000].tobytes()), _mark(block.X)])
        kept, keys = [], []
        for k in range(K):
            of_class = np.flatnonzero(y == k)
            m = min(quota, len(of_class))
            if m < len(of_class):  # the m smallest of len(own) uniform numbers, one after another
                gaps = np.log(rng.random(m)) / np.arange(len(of_class), len(of_class) - m, -1)
                keys.append(-np.expm1(np.cumsum(gaps)))
                of_class = rng.choice(of_class, m, replace=False, shuffle=True)
            else:
                keys.append(rng.random(m))
            kept.append(of_class)
        rows, key = np.concatenate(kept), np.concatenate(keys)
        order = np.argsort(rows)
        rows = rows[order]
        return cls(
            quota, block.X[rows], y[rows], None if block.w is None else block.w[rows], key[order], count
        )

    def __add__(self, other: RowSample) -> RowSample:
        K = len(self.count)
        y = np.concatenate((self.y, other.y))
        key = np.concatenate((_keys(self), _keys(other)))
        kept = np.ones(len(y), dtype=bool)
        for k in range(K):
            of_class = np.flatnonzero(y == k)
            if len(of_class) > self.quota:
                kept[of_class[np.argpartition(key[of_class], self.quota)[self.quota :]]] = False
        X = _stack(self.X, other.X)
        w = None
        if self.w is not None or other.w is not None:
            w = np.concatenate([np.ones(len(s.y)) if s.w is None else s.w for s in (self, other)])[kept]
        return RowSample(self.quota, X[kept], y[kept], w, key[kept], self.count + other.count)

    @property
    def complete(self) -> bool:
        """Whether every row is here."""
        return len(self.y) == int(self.count.sum())

    def rows(self, class_weight: np.ndarray | None = None) -> Rows:
        """The sample as a source of rows, which weigh as much as those that they stand for."""
        here = np.bincount(self.y, minlength=len(self.count))
        factor = self.count / np.maximum(here, 1)
        if class_weight is not None:
            factor = factor * class_weight
        w = factor[self.y]
        return Rows(self.X, self.y, w if self.w is None else w * self.w)


@dataclass
class Columns:
    """Where the columns lie and how far they spread: total weight, (d,) means, (d,) squared deviations."""

    total: float
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def of(cls, X: Any, w: np.ndarray | None) -> Columns:
        """Of one block; nothing cancels, since the first row is subtracted before."""
        n, d = X.shape
        first, second = np.zeros(d), np.zeros(d)
        total = float(n if w is None else w.sum())
        share = 1.0 / total if total > 0 else 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(X, np.ndarray):
                near = np.array(X[0], dtype=np.float64)
                X = (
                    X
                    if X.flags.c_contiguous and X.dtype in (np.float32, np.float64)
                    else np.array(X, np.float64)
                )
                _logistic.columns(X, NO_VALUES if w is None else w, near, first, second)
            else:
                near, weights = np.zeros(d), np.ones(n) if w is None else w
                first[:] = X.T @ weights
                second[:] = X.multiply(X).T @ weights
            scatter = np.maximum(second - first * (first * share), 1e-14 * second)
        return cls(total, near + first * share, scatter)

    def __add__(self, other: Columns) -> Columns:
        total = self.total + other.total
        share = other.total / total if total > 0 else 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            gap = other.mean - self.mean
            between = gap * gap * (self.total * share)
            return Columns(total, self.mean + gap * share, self.scatter + other.scatter + between)


@dataclass
class Survey:
    """What is known of all rows after one pass.

    Attributes
    ----------
    weight : (K,) of the classes      columns : Columns      sample : RowSample
    """

    weight: np.ndarray
    columns: Columns
    sample: RowSample | None

    def __add__(self, other: Survey) -> Survey:
        sample = None if self.sample is None or other.sample is None else self.sample + other.sample
        return Survey(self.weight + other.weight, self.columns + other.columns, sample)


def survey(source: Source, K: int, quota: int) -> Survey:
    """Look at all rows once, keeping up to ``quota`` of each class."""
    in_memory = isinstance(source, Rows)
    sums = source.add_up(partial(_survey_part, K=K, quota=0 if in_memory else quota))
    if isinstance(source, Rows):
        sums.sample = RowSample.of(Block(source.X, source.y, source.w), K, quota)
    return sums


def _survey_part(block: Block, K: int, quota: int) -> Survey:
    weight = np.bincount(block.y, weights=block.w, minlength=K).astype(np.float64)
    return Survey(weight, Columns.of(block.X, block.w), RowSample.of(block, K, quota) if quota else None)


def _keys(sample: RowSample) -> np.ndarray:
    """Of a block that was kept whole the keys are drawn when it meets others."""
    if len(sample.key) and not sample.key.any():
        return np.random.default_rng([len(sample.y), _mark(sample.X)]).random(len(sample.y))
    return sample.key


def _mark(X: Any) -> int:
    """A number that differs where the first rows do."""
    first = X[:2] if isinstance(X, np.ndarray) else X.data[:100]
    return crc32(np.ascontiguousarray(first).tobytes())


def _stack(a: Any, b: Any) -> Any:
    if isinstance(a, np.ndarray):
        return np.concatenate((a, b))
    from scipy.sparse import vstack

    return vstack((a, b), format="csr")
