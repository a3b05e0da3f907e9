"""Summary of the posterior of a linear model: means, standard deviations, credible intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.explanation import html_table, text_table
from assay.errors import ParameterError
from assay.sentence import in_notebook

__all__ = ["PosteriorTable"]

Floats = NDArray[np.float64]
COLUMNS = ("mean", "sd", "lower", "upper", "above_zero")


@dataclass(frozen=True, repr=False)
class PosteriorTable:
    """What the rows leave to believe about each weight; ``print`` it, or take it as data.

    Attributes
    ----------
    learner : its name
    terms : m names: the constant and the columns (with the class before it, of more than two classes)
    mean, sd : (m,)      lower, upper : (m,) ends of the central credible intervals
    above_zero : (m,) the probability that the weight is above 0
    level : of the intervals
    measures : dict of what describes the whole model: evidence, precisions

    Examples
    --------
    >>> from assay.linear import BayesianRidge
    >>> table = BayesianRidge().fit([[1.0], [2], [3], [4], [5]], [1.0, 2.5, 3.0, 4.5, 5.0]).summary()
    >>> table["x0"]["mean"].round(3), table.terms
    (np.float64(0.992), ['constant', 'x0'])
    """

    learner: str
    terms: list[str]
    mean: Floats
    sd: Floats
    lower: Floats
    upper: Floats
    above_zero: Floats
    level: float
    measures: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, term: str) -> dict[str, float]:
        """One row as a dict, by its term."""
        if term not in self.terms:
            raise ParameterError(f"PosteriorTable: {term!r} is not here. Terms: {', '.join(self.terms)}.")
        at = self.terms.index(term)
        return {column: getattr(self, column)[at] for column in COLUMNS}

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, as lists; ``pandas.DataFrame(table.to_dict())`` makes a frame of them."""
        return {"term": list(self.terms), **{c: getattr(self, c).tolist() for c in COLUMNS}}

    def __str__(self) -> str:
        parts = [
            f"{self.learner}: posterior, with credible intervals of {100 * self.level:g} %",
            text_table(self._heads(), self._cells()),
        ]
        if self.measures:
            parts.append(text_table(["measure", "value"], [[k, v] for k, v in self.measures.items()]))
        return "\n\n".join(parts)

    __repr__ = __str__

    def to_html(self) -> str:
        """The tables as a piece of HTML, without style or scripts."""
        fit = html_table("Model", ["measure", "value"], [[k, v] for k, v in self.measures.items()], "")
        return f"{html_table(self.learner, self._heads(), self._cells(), '')}{fit if self.measures else ''}"

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html())

    def _heads(self) -> list[str]:
        tail = 50 * (1 - self.level)
        return ["term", "mean", "sd", f"{tail:g} %", f"{100 - tail:g} %", "P(above 0)"]

    def _cells(self) -> list[list[Any]]:
        numbers = zip(*(getattr(self, column).tolist() for column in COLUMNS))
        return [[term, *row] for term, row in zip(self.terms, numbers)]
