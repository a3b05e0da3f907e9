"""The description length of a set of rules that grows, shrinks and changes: RIPPER's measure of a good theory."""

from __future__ import annotations

import numpy as np

import assay.rules.covering._description_length as _description_length
from assay.rulebase.measures import rule_bits
from assay.rules.covering.growing import ClassRows

__all__ = ["RuleSetLength"]

_NONE = np.empty(0, bool)


class RuleSetLength:
    r"""Bits to code the rules of one class, and then the rows where they err.

    .. math:: L = \sum_r \tfrac12\bigl(\log_2^* m_r + S(q, m_r, m_r/q)\bigr)
                  + \text{exceptions}(c, u, fp, fn)                            \quad (1)

    for rules of :math:`m_r` of q possible conditions that together cover c rows, fp of them wrongly, and leave u, fn
    of them wrongly (:func:`assay.rulebase.measures.rule_bits`, :func:`assay.rulebase.measures.exception_bits`).
    How many rules cover each row is kept, so that a change costs one look at the rows.

    Parameters
    ----------
    rows : ClassRows
    share : float
        The expected share of false positives among the errors.
    n_tests : int or None
        q; None takes the table's.

    Attributes
    ----------
    hits : (m,) int32 how many of the rules cover each row      sizes : list of int, the rules' conditions
    bits : float, the length (1)

    Examples
    --------
    Not one of the five positives among eleven rows is covered:

    >>> import numpy as np
    >>> from assay.rules.covering.description_length import RuleSetLength
    >>> from assay.rules.covering.growing import ClassRows, RankedTable
    >>> from assay.tables import Schema
    >>> table = RankedTable(np.arange(11.0)[:, None], Schema.numeric(1))
    >>> rows = ClassRows(table, np.arange(11), np.arange(11) < 5)
    >>> length = RuleSetLength(rows, share=5 / 11)
    >>> round(length.bits, 6)
    16.111237
    >>> length.append(np.arange(11) < 5, 1)
    >>> length.bits < 16
    True
    """

    def __init__(self, rows: ClassRows, share: float, n_tests: int | None = None):
        self.rows, self.share = rows, float(share)
        self.n_tests = rows.table.n_tests if n_tests is None else n_tests
        self.hits = np.zeros(len(rows), np.int32)
        self.sizes: list[int] = []
        self._rule_bits: dict[int, float] = {}
        self._measure()

    def with_more(self, covered: np.ndarray, size: int) -> float:
        """The length with one more rule, given the rows that it covers."""
        return self._theory + self._of(size) + self._exceptions(plus=covered)

    def with_other(self, at: int, old: np.ndarray, new: np.ndarray, size: int) -> float:
        """The length with another rule at a place: which rows the old one covers and which the new one."""
        return self._theory + self._of(size) - self._of(self.sizes[at]) + self._exceptions(new, old)

    def without(self, at: int, covered: np.ndarray) -> float:
        """The length without the rule at a place, given the rows that it covers."""
        return self._theory - self._of(self.sizes[at]) + self._exceptions(minus=covered)

    def append(self, covered: np.ndarray, size: int) -> None:
        """Take one more rule."""
        self.hits += covered
        self.sizes.append(size)
        self._measure()

    def replace(self, at: int, old: np.ndarray, new: np.ndarray, size: int) -> None:
        """Exchange the rule at a place."""
        self.hits += new
        self.hits -= old
        self.sizes[at] = size
        self._measure()

    def delete(self, at: int, covered: np.ndarray) -> None:
        """Drop the rule at a place."""
        self.hits -= covered
        del self.sizes[at]
        self._measure()

    def _measure(self) -> None:
        self._theory = sum(map(self._of, self.sizes))
        self.bits = self._theory + self._exceptions()  # (1)

    def _of(self, size: int) -> float:
        if size not in self._rule_bits:
            self._rule_bits[size] = float(rule_bits(size, self.n_tests))
        return self._rule_bits[size]

    def _exceptions(self, plus: np.ndarray = _NONE, minus: np.ndarray = _NONE) -> float:
        rows = self.rows
        return _description_length.exceptions(
            hits=self.hits, plus=plus.view(np.uint8), minus=minus.view(np.uint8), positive=rows.flags, w=rows.weights,
            P=rows.P, N=rows.N, rho=self.share,
        )  # fmt: skip
