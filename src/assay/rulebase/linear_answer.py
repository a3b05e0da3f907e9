"""Answers that are linear functions of the row, for rules of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import Each, Plain
from assay.core.words import column_word, label_word, number, shorter
from assay.rulebase.conditions import weighted_sum
from assay.tables import Schema

__all__ = ["LinearAnswer"]


@dataclass(frozen=True)
class LinearAnswer:
    r"""A linear answer :math:`b + \sum_t w_t z_t`, each z a column's number or whether it is of a category.

    A row in which one of these columns is missing has no such sum; it gets ``otherwise``.

    Parameters
    ----------
    intercept : float
    terms : tuple of (column, code or None, weight)
        The column's value, or with a code 1 where the column is of that category, else 0. The sum is taken in this
        order.
    otherwise : float
        The answer for rows with missing values: the mean of the rows that the rule learned from.

    Examples
    --------
    >>> from assay.rulebase.linear_answer import LinearAnswer
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("size"), Column("colour", "nominal", ("blue", "red"))])
    >>> answer = LinearAnswer(60.0, ((0, None, -2.0), (1, 1, 5.0)), 40.0)
    >>> answer.words(schema)
    "60 - 2 size + 5 [colour = 'red']"
    >>> answer.words(schema, missing=True)
    "60 - 2 size + 5 [colour = 'red'] or 40 if missing"
    >>> answer.values(np.array([[10.0, 1.0], [10.0, 0.0], [np.nan, 0.0]]))
    array([45., 40., 40.])
    """

    intercept: float
    terms: tuple[tuple[int, int | None, float], ...] = ()
    otherwise: float = 0.0
    stored = {"terms": Each(Plain(tuple))}

    @classmethod
    def of_design(cls, schema: Schema, coef: np.ndarray, intercept: float, otherwise: float) -> LinearAnswer:
        """The function whose coefficients belong to the columns of ``Design(schema)``; zeros are left out.

        Parameters
        ----------
        coef : (D,) one for each number or rank, one for each category of a nominal column
        """
        places: list[tuple[int, int | None]] = []
        for j, column in enumerate(schema):
            codes = range(len(column.categories)) if column.kind == "nominal" else (None,)
            places += [(j, code) for code in codes]
        terms = tuple((*place, float(c)) for place, c in zip(places, coef, strict=True) if c)
        return cls(float(intercept), terms, float(otherwise))

    def values(self, X: np.ndarray) -> np.ndarray:
        """(n,) the answers for the rows of a float block."""
        total = np.full(X.shape[0], float(self.intercept))
        for j, code, weight in self.terms:
            x = np.asarray(X[:, j], np.float64)
            total += weight * (x if code is None else np.where(np.isnan(x), np.nan, x == code))
        return np.where(np.isnan(total), self.otherwise, total)

    def columns(self) -> tuple[int, ...]:
        """The columns that it uses."""
        return tuple(dict.fromkeys(j for j, _, _ in self.terms))

    def words(self, schema: Schema, digits: int | None = None, missing: bool = False) -> str:
        """The sum in the columns' names; without ``digits``, numbers read back as exactly those that are applied.

        Parameters
        ----------
        missing : bool, default False
            Say what rows with missing values get, too.
        """
        if missing and self.terms:
            return f"{self.words(schema, digits)} or {number(self.otherwise)} if missing"
        names = []
        for j, code, weight in self.terms:
            name = column_word(schema[j].name)
            if code is not None:
                name = f"[{name} = {label_word(schema[j].categories[code])}]"
            names.append((weight, name))
        start = number(self.intercept) if digits is None else shorter(self.intercept, digits)
        if not names:
            return start
        text = weighted_sum(names, digits)
        if self.intercept == 0:
            return text
        return f"{start} - {text[1:]}" if text.startswith("-") else f"{start} + {text}"
