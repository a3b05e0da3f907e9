"""Explanations of a whole table: the reasoning about each row, and what each column contributes, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from assay.core.explanation import Explanation, Section
from assay.core.model_view import ModelView
from assay.core.parameters import check_count
from assay.errors import ParameterError
from assay.sentence import in_notebook
from assay.tables import RowNames, Table
from assay.types import Label, RowIndex

__all__ = ["Contributions", "Explanations", "Reasons", "RowValues", "dense_block"]

COLUMNS_NAMED = 3  # those that contribute most, in a line of the summary
ROWS_PRINTED = 10


@dataclass(frozen=True)
class Contributions:
    """What each column adds to each output of a model, for the rows of a block.

    For each row and output the base plus the sum over the columns is what the model answers there.

    Parameters
    ----------
    values : (n, d, V)
    base : (V,) or (n, V) the outputs when nothing is known of the row
    columns : d names
    outputs : V phrases that say what is added up, such as "the probability of yes"
    chosen : (n,) which output explains the answer to each row
    """

    values: np.ndarray
    base: np.ndarray
    columns: Sequence[str]
    outputs: Sequence[str]
    chosen: np.ndarray

    def of_answers(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, d) what each column adds to the output that explains the answer, and (n,) its base."""
        rows = np.arange(len(self.values))
        bases = np.broadcast_to(self.base, (len(rows), self.values.shape[2]))
        return self.values[rows, :, self.chosen], bases[rows, self.chosen]

    def take(self, rows: np.ndarray) -> Contributions:
        """The contributions of some rows."""
        base = self.base[rows] if self.base.ndim == 2 else self.base
        return replace(self, values=self.values[rows], base=base, chosen=self.chosen[rows])


def _no_sections(i: int) -> list[Section]:
    return []


def _no_contributions(rows: np.ndarray) -> None:
    return None


@dataclass(frozen=True)
class Reasons:
    """A learner's reasoning about the rows of a block: what all need is computed, the tables are made when asked for.

    Parameters
    ----------
    sections : function of a row number
        The steps of the reasoning about that row.
    contributions : function of an array of row numbers
        What each column contributes there; None where the mathematics is no sum over columns.
    """

    sections: Callable[[int], list[Section]] = _no_sections
    contributions: Callable[[np.ndarray], Contributions | None] = _no_contributions

    def then(self, more: Callable[[int], list[Section]]) -> Reasons:
        """These reasons with further sections behind them."""
        return replace(self, sections=lambda i: [*self.sections(i), *more(i)])


class RowValues(Sequence[dict[str, Any]]):
    """The rows of a table in its own values, each a dict by column that is made when it is asked for.

    >>> from assay.core.explanations import RowValues
    >>> from assay.tables import Table
    >>> RowValues(Table.of({"size": [1.5, None], "taste": ["sour", "sweet"]}))[1]
    {'size': None, 'taste': 'sweet'}
    """

    def __init__(self, table: Table):
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, i: Any) -> Any:
        return self.table.row(i)


def dense_block(X: Any) -> np.ndarray:
    """A block of numbers as an array, also if it was sparse."""
    return X if isinstance(X, np.ndarray) else X.toarray()


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Sequence[Explanation]):
    """Why a learner answers as it does, for each row of a table.

    A sequence of :class:`Explanation`, one for each row. Everything that needs the model was computed when the
    learner explained; the texts of a row are made when the row is asked for. ``print`` it or look at it in a notebook
    for a summary, ``to_frame`` gives the contributions of the columns.

    Parameters
    ----------
    learner : str, or one for each row
    answers : n labels or numbers
    rows : n dicts, the values of each row by column
    reasons : Reasons
    classes, posterior : K labels and (n, K) their probabilities; None for a learner without
    names : RowNames

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.linear import LinearRegression
    >>> X = pd.DataFrame({"age": [1.0, 2.0, 4.0], "size": [0.0, 1.0, 0.0]}, index=["ann", "bob", "cy"])
    >>> explanations = LinearRegression().fit(X, [3.0, 8.0, 9.0]).explain(X)
    >>> len(explanations), round(explanations[2].answer, 6)
    (3, 9.0)
    >>> explanations.to_frame().round(6)[["answer", "base", "age", "size"]]
         answer  base  age  size
    ann     3.0   1.0  2.0   0.0
    bob     8.0   1.0  4.0   3.0
    cy      9.0   1.0  8.0   0.0
    """

    learner: str | Sequence[str]
    answers: Sequence[Any]
    rows: Sequence[dict[str, Any]]
    reasons: Reasons = field(default_factory=Reasons)
    classes: Sequence[Any] | None = None
    posterior: np.ndarray | None = None
    names: RowNames = field(default_factory=RowNames)

    def __len__(self) -> int:
        return len(self.answers)

    @overload
    def __getitem__(self, i: int) -> Explanation: ...
    @overload
    def __getitem__(self, i: slice) -> Explanations: ...
    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return self.take(np.arange(len(self))[i])
        place = range(len(self))[i]
        posterior: dict[Any, float] = {}
        if self.posterior is not None and self.classes is not None:
            posterior = dict(zip(self.classes, map(float, self.posterior[place])))
        sections = self.reasons.sections(place)
        row = self.rows[place]
        return Explanation(self._who(place), self.answers[place], posterior, row, sections, (self, place))

    def __iter__(self) -> Iterator[Explanation]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has equal explanations in the same order."""
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other))
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: the tables of every row, since functions cannot be stored."""
        every = np.arange(len(self))
        sections = [explanation.sections for explanation in self]
        known = self.reasons.contributions(every)
        kept = Reasons(sections.__getitem__, _no_contributions if known is None else known.take)
        return {**self.__dict__, "rows": list(self.rows), "reasons": kept}

    def one_or_all(self) -> Explanation | Explanations:
        """The explanation of a single row as such, those of several as they are."""
        return self[0] if len(self) == 1 else self

    def take(self, rows: RowIndex) -> Explanations:
        """The explanations of some rows, by their numbers from 0."""
        some = np.asarray(rows, dtype=np.int64)
        places, names = some.tolist(), self.names
        who = self.learner if isinstance(self.learner, str) else [self.learner[i] for i in places]
        return replace(
            self,
            learner=who,
            answers=[self.answers[i] for i in places],
            rows=_Some(self.rows, places),
            reasons=Reasons(
                lambda i: self.reasons.sections(places[i]), lambda r: self.reasons.contributions(some[r])
            ),
            posterior=None if self.posterior is None else self.posterior[some],
            names=names.take(some),
        )

    def then(self, who: str, more: Callable[[int], list[Section]], **changes: Any) -> Explanations:
        """What a learner around this one makes of it: further sections, and its own answers or posterior."""
        learner = (
            f"{who} of {self.learner}"
            if isinstance(self.learner, str)
            else [f"{who} of {inner}" for inner in self.learner]
        )
        return replace(self, learner=learner, reasons=self.reasons.then(more), **changes)

    def contributions(self) -> Contributions | None:
        """What each column adds to the outputs of the model; None for a learner whose answer is no such sum."""
        return self.reasons.contributions(np.arange(len(self)))

    def to_columns(self, output: Label = None) -> dict[str, Any]:
        """The columns of :meth:`to_frame` by name, each with one entry for each row."""
        known = self.contributions()
        if output is not None:
            known = self._with_output(known, output)
        facts: dict[str, Any] = {"answer": list(self.answers)}
        if self._believed is not None:
            facts["probability"] = self._believed
        if known is None:
            return facts
        values, base = known.of_answers()
        facts["of"], facts["base"] = [known.outputs[k] for k in known.chosen], base
        columns = {_unlike(name, set(known.columns)): entries for name, entries in facts.items()}
        return columns | dict(zip(known.columns, values.T))

    def to_frame(self, output: Label = None) -> Any:
        """A pandas frame with one line for each row: its answer, and what each column contributes to it.

        The columns are ``answer``, ``probability`` (of the answer, for a learner that has it) and, where the answer
        is a sum over the columns (linear models, naive Bayes, trees and their ensembles), ``of`` (what is added up),
        ``base`` and one column for each of the table's; base and contributions sum to what ``of`` says. The index is
        that of the explained frame.

        Parameters
        ----------
        output : class label, default None
            The class whose score or probability is explained, the same for all rows; None takes for each row the
            output that decided its answer. For models with one output, such as log odds, there is no choice.
        """
        import pandas as pd

        return pd.DataFrame(self.to_columns(output), index=self._index)

    def show(self, limit: int | None = 50) -> ModelView:
        """A line for each of the first rows: the answer, its probability, and the columns that contribute most.

        Parameters
        ----------
        limit : int or None, default 50
            The most rows that are shown; None shows all.
        """
        check_count("Explanations.show", "limit", limit, none=True)
        n = len(self) if limit is None else min(limit, len(self))
        known = self.reasons.contributions(np.arange(n)) if n else None
        believed = self._believed
        heads = [self.names.head, "answer"] + ([] if believed is None else ["probability"])
        lines = [
            [
                self.names.label(i),
                _in_words(self.answers[i]),
                *([] if believed is None else [float(believed[i])]),
            ]
            for i in range(n)
        ]
        if known is not None:
            heads.append("columns that contribute most")
            values, _ = known.of_answers()
            for line, adds in zip(lines, values):
                order = [j for j in np.argsort(-np.abs(adds), kind="stable")[:COLUMNS_NAMED] if adds[j] != 0]
                line.append(", ".join(f"{known.columns[j]} {adds[j]:+.3g}" for j in order))
        more = f"{len(self) - n} more rows are not shown." if n < len(self) else ""
        who = self.learner if isinstance(self.learner, str) else "several learners"
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        facts = ["Each row's reasoning: print(explanations[i]); all contributions: explanations.to_frame()."]
        return ModelView(f"{rows} explained by {who}", facts, [Section("Answers", heads, lines, more)])

    def __str__(self) -> str:
        return str(self.show(ROWS_PRINTED))

    __repr__ = __str__

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data that JSON can hold, as :meth:`Explanation.to_dict` gives it for each row."""
        return [explanation.to_dict() for explanation in self]

    def to_html(self) -> str:
        """The summary as a piece of HTML, as notebooks show it."""
        return self.show().to_html()

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html())

    @property
    def _index(self) -> Any:
        """That of the frame that was explained, or the places of the rows from 0."""
        labels = self.names.labels
        return labels if labels is None or self.names.indexed else np.asarray(labels) - 1

    def _who(self, i: int) -> str:
        return self.learner if isinstance(self.learner, str) else self.learner[i]

    @property
    def _believed(self) -> np.ndarray | None:
        """(n,) the probability of each answer, NaN where it has none; None for a learner without probabilities."""
        if self.posterior is None or self.classes is None:
            return None
        place = {label: k for k, label in enumerate(self.classes)}
        which = [-1 if isinstance(a, list) else place.get(a, -1) for a in self.answers]
        chosen = self.posterior[np.arange(len(which)), which] if which else np.zeros(0)
        return np.where(np.array(which, int) < 0, np.nan, chosen)

    def _with_output(self, known: Contributions | None, wanted: Any) -> Contributions:
        """The contributions to the output of one class, whatever the answers are."""
        labels = list(self.classes or ())
        if known is None or not 1 < len(known.outputs) == len(labels):
            raise ParameterError(
                f"to_frame: {self._who(0) if len(self) else 'the learner'} has no contributions to each class; "
                f"leave output={wanted!r} out."
            )
        if wanted not in labels:
            raise ParameterError(
                f"to_frame: output must be one of {', '.join(map(repr, labels))}, got {wanted!r}."
            )
        return replace(known, chosen=np.full(len(self), labels.index(wanted)))


class _Some(Sequence[Any]):
    """Some items of a sequence, by their places."""

    def __init__(self, whole: Sequence[Any], places: list[int]):
        self.whole, self.places = whole, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, i: Any) -> Any:
        return self.whole[self.places[i]]


def _unlike(name: str, taken: set[str]) -> str:
    """The name, with a line below it for each column of the table that is called so."""
    while name in taken:
        name += "_"
    return name


def _in_words(answer: Any) -> Any:
    return ", ".join(map(str, answer)) if isinstance(answer, list) else answer
