"""Counts of all pairs of columns within each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import FloatArray, IntArray
from assay.errors import DataError
from assay.graphs.families import pair_cells

__all__ = ["PairCounts", "pair_counts"]

MOST_CELLS = 1 << 27  # of the counts of all pairs
BLOCK = 1 << 14  # rows of indicators in memory at a time


@dataclass
class PairCounts:
    """How often two states occur together in each class; they add.

    Attributes
    ----------
    class_count : (K,)      cards : (d,) states of each column
    cells : (K, S, S) weight of the rows with state a of one column and b of another, S = all states
    """

    class_count: np.ndarray
    cards: np.ndarray
    cells: np.ndarray
    stored = {
        "class_count": FloatArray("K", low=0),
        "cards": IntArray("d", low=1),
        "cells": FloatArray("K", "S", "S", low=0),
    }

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(self.class_count + other.class_count, self.cards, self.cells + other.cells)

    @property
    def start(self) -> np.ndarray:
        """(d + 1,) where the states of each column begin."""
        return np.concatenate([[0], np.cumsum(self.cards)]).astype(np.int64)

    def pair(self, i: int, j: int) -> np.ndarray:
        """(K, r_i, r_j) the counts of two columns."""
        s = self.start
        return self.cells[:, s[i] : s[i + 1], s[j] : s[j + 1]]

    def single(self, j: int) -> np.ndarray:
        """(K, r_j) the counts of one column."""
        return np.diagonal(self.pair(j, j), axis1=1, axis2=2)

    def class_information(self) -> np.ndarray:
        """(d,) the mutual information of each column and the class, in nats."""
        return np.array([_information(self.single(j)[None])[0] for j in range(len(self.cards))])

    def conditional_information(self) -> np.ndarray:
        """(d, d) the mutual information of each pair of columns given the class, in nats."""
        from scipy.special import xlogy

        start = self.start[:-1]
        block = np.add.reduceat(
            np.add.reduceat(self.cells, start, axis=1), start, axis=2
        )  # rows that have both
        rows = np.add.reduceat(self.cells, start, axis=2)  # (K, S, d) of a state, with the other column there
        columns = np.swapaxes(rows, 1, 2)
        total = np.maximum(block.sum(axis=0), 1e-300)

        def gathered(values: np.ndarray) -> np.ndarray:
            values = np.add.reduceat(values, start, axis=-2) if values.shape[-2] > len(start) else values
            return np.add.reduceat(values, start, axis=-1) if values.shape[-1] > len(start) else values

        # sum n_abk (ln n_abk + ln n_k - ln n_ak - ln n_bk), over the rows that have both columns
        terms = gathered(xlogy(self.cells, self.cells)).sum(axis=0) + xlogy(block, block).sum(axis=0)
        terms -= np.add.reduceat(xlogy(rows, rows), start, axis=1).sum(axis=0)
        terms -= np.add.reduceat(xlogy(columns, columns), start, axis=2).sum(axis=0)
        return np.maximum(terms / total, 0.0)


def _information(counts: np.ndarray) -> np.ndarray:
    """(m,) the mutual information of the two last axes of (m, K, r) counts."""
    from scipy.special import xlogy

    p = counts / np.maximum(counts.sum(axis=(1, 2), keepdims=True), 1e-300)
    a, b = p.sum(axis=2), p.sum(axis=1)
    value = xlogy(p, p).sum(axis=(1, 2)) - xlogy(a, a).sum(axis=1) - xlogy(b, b).sum(axis=1)
    return np.maximum(value, 0.0)


def pair_counts(
    codes: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, cards: np.ndarray, who: str
) -> PairCounts:
    """The counts of one block of codes, -1 where missing."""
    S = int(cards.sum())
    if K * S * S > MOST_CELLS:
        raise DataError(
            f"the counts of all pairs of {len(cards)} columns with {S:,} states in {K} classes would take "
            f"{K * S * S * 8 / 2**30:,.1f} GiB. Leave out columns with many categories, or use NaiveBayes.",
            who=who,
            code="too-large",
        )
    cells = pair_cells(codes, y, K, cards) if w is None else _weighted_cells(codes, y, w, K, cards)
    count = np.bincount(y, w, minlength=K).astype(np.float64)
    return PairCounts(count, np.asarray(cards, np.int64), cells)


def _weighted_cells(codes: np.ndarray, y: np.ndarray, w: np.ndarray, K: int, cards: np.ndarray) -> np.ndarray:
    """(K, S, S) the same of rows with weights, as a product of indicators."""
    S = int(cards.sum())
    start = np.concatenate([[0], np.cumsum(cards)[:-1]]).astype(np.int64)
    cells = np.zeros((K, S, S))
    for k in range(K):
        rows = np.flatnonzero(y == k)
        for a in range(0, len(rows), BLOCK):
            some = rows[a : a + BLOCK]
            hot = np.zeros((len(some), S))
            part = codes[some]
            i, j = np.nonzero(part >= 0)
            hot[i, part[i, j] + start[j]] = 1.0
            cells[k] += hot.T @ (hot * w[some, None])
    return cells
