"""The trace of a search: for every round, every candidate with its scores, and which one was taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.model_view import ModelView
from assay.core.stored import Boolean, Each, FloatArray, Integer, Object, Plain, Text

__all__ = ["Round", "Trace"]


@dataclass(frozen=True)
class Round:
    """One round of a search: the columns held before, the candidates, and what was done.

    Attributes
    ----------
    kind : "start" (a subset is scored, nothing moves), "add", "remove", or "try" for whole subsets
    base : numbers of the columns before the round, in ascending order
    candidates : for each candidate the columns that it adds, removes, or of which it consists ("try", "start")
    scores : (m, folds) their scores, higher is better; NaN where the learner failed or the candidate was given up
    chosen : the place of the best candidate
    accepted : whether the search went on from it; with a note, on trial
    models : subsets scored so far, this round included; one that is asked for again counts once
    note : why the search went on or stopped, in a sentence; may be empty
    given_up : places of the candidates that fell too far behind to be scored on all folds
    """

    kind: str
    base: tuple[int, ...]
    candidates: tuple[tuple[int, ...], ...]
    scores: np.ndarray
    chosen: int
    accepted: bool
    models: int
    note: str = ""
    given_up: tuple[int, ...] = ()
    stored = {
        "kind": Text("start", "add", "remove", "try"),
        "base": Plain(tuple),
        "candidates": Plain(tuple),
        "scores": FloatArray("*", "f"),
        "chosen": Integer(low=0),
        "accepted": Boolean(),
        "models": Integer(low=0),
        "note": Text(),
        "given_up": Plain(tuple),
    }

    @property
    def means(self) -> np.ndarray:
        """(m,) the mean score of each candidate; -inf where one of its folds has none."""
        means = self.scores.mean(axis=1)
        return np.where(np.isnan(means), -np.inf, means)

    def mean(self, i: int) -> float:
        """The mean score of candidate i, of one that was given up over the folds before."""
        return float(np.nanmean(self.scores[i])) if i in self.given_up else float(self.means[i])

    def subset(self, i: int) -> tuple[int, ...]:
        """The columns of candidate i."""
        move = self.candidates[i]
        if self.kind == "add":
            return tuple(sorted({*self.base, *move}))
        return tuple(j for j in self.base if j not in move) if self.kind == "remove" else move

    @property
    def after(self) -> tuple[int, ...]:
        """The columns held after the round."""
        return self.subset(self.chosen) if self.accepted else self.base


@dataclass(frozen=True, repr=False)
class Trace:
    """What a search did: its rounds, in order.

    Printing shows, for every round, the best candidate and the subset after it; ``table`` has every candidate.

    Attributes
    ----------
    rounds : list of Round
    names : names of the columns
    measure : what was measured      sign : 1, or -1 where the measure is lower for better: it is sign times the score
    selected : numbers of the columns that the search chose

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.trace import Round, Trace
    >>> first = Round("add", (), ((0,), (1,)), np.array([[0.7, 0.8], [0.9, 1.0]]), 1, True, 2)
    >>> trace = Trace([first], ["age", "height"], "accuracy", 1, (1,))
    >>> trace
    Search over 2 columns by accuracy: 2 subsets scored, 1 column chosen
      round  change    accuracy  taken  columns after
          1  + height      0.95  yes    height
    Chosen: height.
    >>> trace.table()[0]
    {'round': 1, 'kind': 'add', 'columns': ['age'], 'accuracy': 0.75, 'folds': [0.7, 0.8], 'chosen': False}
    """

    rounds: list[Round]
    names: list[str]
    measure: str
    sign: int
    selected: tuple[int, ...] = field(default=())
    stored = {
        "rounds": Each(Object(Round)),
        "names": Each(Text()),
        "measure": Text(),
        "sign": Integer(low=-1, high=1),
        "selected": Plain(tuple),
    }

    @property
    def models(self) -> int:
        """How many subsets were scored, each by one model for every fold; one that came up again counts once."""
        return self.rounds[-1].models if self.rounds else 0

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)

    def table(self) -> list[dict[str, Any]]:
        """One record for every candidate of every round: its columns, mean, the value of each fold, whether chosen.

        Values are those of the measure, so that an error is an error. The mean of a candidate that was given up is over
        the folds before; the values of the others are NaN.
        """
        return [
            {
                "round": number,
                "kind": r.kind,
                "columns": self._named(r.candidates[i]),
                self.measure: float(np.round(self.sign * r.mean(i), 12)),
                "folds": (self.sign * r.scores[i]).tolist(),
                "chosen": r.accepted and i == r.chosen,
            }
            for number, r in enumerate(self.rounds, 1)
            for i in range(len(r.candidates))
        ]

    def path(self) -> list[dict[str, Any]]:
        """One record for every round: the columns after it, their number, and the mean and values of the measure."""
        records, held = [], None
        for r in self.rounds:
            held = r.scores[r.chosen] if r.accepted or held is None else held
            records.append(
                {
                    "columns": self._named(r.after),
                    "size": len(r.after),
                    self.measure: float(np.round(self.sign * held.mean(), 12)),
                    "folds": (self.sign * held).tolist(),
                    "kind": r.kind,
                    "accepted": r.accepted,
                }
            )
        return records

    def why(self, j: int) -> str:
        """A sentence on what became of column j: when it came or went, with which value, or that it never did.

        >>> import numpy as np
        >>> from assay.select.trace import Round, Trace
        >>> first = Round("add", (), ((0,), (1,)), np.array([[0.7], [0.9]]), 1, True, 2)
        >>> Trace([first], ["age", "height"], "accuracy", 1, (1,)).why(1)
        'added in round 1: accuracy 0.9'
        """
        inside = j in self.selected
        moved = self._moved(j, "add" if inside else "remove")
        if moved:
            return moved
        judged = self._judged(j, "remove" if inside else "add")
        return judged or ("in the chosen subset" if inside else "not in the chosen subset")

    def _moved(self, j: int, kind: str) -> str:
        """In which round column j was added or removed at last, and what that led to."""
        for number, r in reversed(list(enumerate(self.rounds, 1))):
            if r.kind == kind and r.accepted and j in r.candidates[r.chosen]:
                value = self.sign * r.means[r.chosen]
                return (
                    f"{'added' if kind == 'add' else 'removed'} in round {number}: {self.measure} {value:.4g}"
                )
        return ""

    def _judged(self, j: int, kind: str) -> str:
        """What the last round said in which column j alone could have been added or removed, and was not."""
        for number, r in reversed(list(enumerate(self.rounds, 1))):
            if r.kind == kind and (j,) in r.candidates:
                i = r.candidates.index((j,))
                value = f"{self.sign * r.mean(i):.4g}"
                words = "never added: {} {} with it" if kind == "add" else "kept: {} {} without it"
                scored, folds = np.count_nonzero(~np.isnan(r.scores[i])), r.scores.shape[1]
                on = f" on {scored} of {folds} folds" if i in r.given_up else ""
                return f"{words.format(self.measure, value)}{on} in round {number}"
        return ""

    def show(self, limit: int | None = 50) -> ModelView:
        """The rounds as a view that prints, becomes HTML in a notebook, or plain data (``to_dict``)."""
        return ModelView("Trace", [self._headline() + "."], [self.section()], limit)

    def section(self, title: str = "Search") -> Section:
        """The rounds as a section of a larger view."""
        signs = {"add": "+ ", "remove": "- ", "start": "", "try": ""}
        rows = [
            [
                number,
                signs[r.kind] + (", ".join(self._named(r.candidates[r.chosen])) or "(no column)"),
                float(self.sign * r.means[r.chosen]),
                ("on trial" if r.note else "yes") if r.accepted else "no",
                ", ".join(self._named(r.after)) or "(no column)",
            ]
            for number, r in enumerate(self.rounds, 1)
        ]
        chosen = f"Chosen: {', '.join(self._named(self.selected)) or 'no column'}."
        note = f"{next((r.note for r in reversed(self.rounds) if r.note), '')} {chosen}".strip()
        return Section(title, ["round", "change", self.measure, "taken", "columns after"], rows, note)

    def __str__(self) -> str:
        from assay.core.explanation import text_table

        section = self.section()
        body = text_table(section.columns, section.rows)
        return "\n".join(filter(None, (self._headline(), body, section.note)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def _headline(self) -> str:
        k, m = len(self.selected), self.models
        return (
            f"Search over {len(self.names)} columns by {self.measure}: {m} subset{'' if m == 1 else 's'} scored, "
            f"{k} column{'' if k == 1 else 's'} chosen"
        )

    def _named(self, columns: tuple[int, ...]) -> list[str]:
        return [self.names[j] for j in columns]
