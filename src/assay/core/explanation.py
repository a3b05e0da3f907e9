"""What an explanation is: the learner's own reasoning about one row, as text, as data, as HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.words import one_line
from assay.sentence import in_notebook
from assay.types import Label

if TYPE_CHECKING:
    from assay.core.explanations import Explanations


__all__ = ["Explanation", "Section", "cell_text", "html_table", "text_table"]


@dataclass(frozen=True)
class Section:
    """One step of the reasoning: a title, a small table, and perhaps a sentence under it.

    Cells are text, numbers, or exact fractions.
    """

    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


@dataclass(frozen=True)
class Explanation:
    """Why a learner answers as it does, for one row.

    ``print`` it for text, call ``to_dict`` for plain data, and a notebook shows it as HTML.

    Examples
    --------
    >>> from assay.core import Explanation
    >>> from assay.core.explanation import Section
    >>> steps = Section("Joint probability", ["class", "prior", "x0", "joint"],
    ...                 [["a", 0.5, 0.2, 0.1], ["b", 0.5, 0.6, 0.3]])
    >>> print(Explanation("NaiveBayes", "b", {"a": 0.25, "b": 0.75}, {"x0": 1.0}, [steps]))
    NaiveBayes answers b (probability 0.75)
    for the row x0 = 1
    <BLANKLINE>
    Joint probability
      class  prior   x0  joint
      a        0.5  0.2    0.1
      b        0.5  0.6    0.3
    <BLANKLINE>
    Posterior
      a  0.25
      b  0.75
    """

    learner: str
    answer: Any
    posterior: dict[Any, float] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)
    source: tuple[Explanations, int] | None = field(  # the block of explanations and the place in it
        default=None, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            "source": None if self.source is None else (self.source[0].take([self.source[1]]), 0),
        }

    def to_frame(self, output: Label = None) -> Any:
        """A pandas frame of one line: the answer and what each column contributes, as for several rows."""
        return self.block.to_frame(output)

    @property
    def block(self) -> Explanations:
        """The explanations of a table with this row alone."""
        from assay.core.explanations import Explanations, Reasons

        if self.source is not None:
            whole, place = self.source
            return whole.take([place])
        posterior = np.array([list(self.posterior.values())]) if self.posterior else None
        reasons, classes = Reasons(lambda i: self.sections), list(self.posterior)
        return Explanations(self.learner, [self.answer], [self.row], reasons, classes, posterior)

    def to_dict(self) -> dict[str, Any]:
        """Plain data (text, numbers, lists, dicts) that JSON can hold; fractions become text like '4/7'."""
        return {
            "learner": self.learner,
            "answer": self.answer,
            "posterior": {str(k): float(p) for k, p in self.posterior.items()},
            "row": dict(self.row),
            "sections": [
                {
                    "title": s.title,
                    "columns": list(s.columns),
                    "rows": [[str(v) if isinstance(v, Fraction) else v for v in row] for row in s.rows],
                    "note": s.note,
                }
                for s in self.sections
            ],
        }

    def __str__(self) -> str:
        sure = f" (probability {cell_text(self.posterior[self.answer])})" if self._believed else ""
        parts = [f"{self.learner} answers {self._said}{sure}"]
        if self.row:
            cells = ", ".join(f"{name} = {cell_text(value)}" for name, value in list(self.row.items())[:12])
            parts[0] += f"\nfor the row {cells}" + (", ..." if len(self.row) > 12 else "")
        shown = self._likely()
        for section in self.sections:
            parts.append(f"{section.title}\n" + text_table(*self._cut(section, shown)))
            if section.note:
                parts[-1] += f"\n  {section.note}"
        if self.posterior:
            rows = [[str(label), p] for label, p in self.posterior.items()]
            parts.append("Posterior\n" + text_table(None, [rows[k] for k in shown]))
            if len(shown) < len(rows):
                parts[-1] += f"\n  ... and {len(rows) - len(shown)} classes that are less probable"
        return "\n\n".join(parts)

    @property
    def _said(self) -> str:
        """The answer as people read it: a class as it is called, numbers with the digits that count."""
        if self._believed:
            return str(self.answer)
        if isinstance(self.answer, list):
            return ", ".join(map(cell_text, self.answer))
        return cell_text(self.answer) if isinstance(self.answer, float) else str(self.answer)

    @property
    def _believed(self) -> bool:
        """Whether the answer has a probability; several numbers, which are a list, have none."""
        return not isinstance(self.answer, list) and self.answer in self.posterior

    def _likely(self) -> list[int]:
        """Which classes the text shows: all, or of more than 20 the answer and the 8 most probable."""
        labels = list(self.posterior)
        if len(labels) <= 20:
            return list(range(len(labels)))
        best = sorted(range(len(labels)), key=lambda k: -self.posterior[labels[k]])[:8]
        return sorted({*best, *(k for k, label in enumerate(labels) if label == self.answer)})

    def _cut(self, section: Section, shown: list[int]) -> tuple[list[str], list[list[Any]]]:
        """Columns and rows of a section, without the classes that are not shown."""
        columns, rows, labels = section.columns, section.rows, [str(label) for label in self.posterior]
        K = len(labels)
        if len(shown) == K:
            return columns, rows
        if [str(row[0]) for row in rows] == labels:
            return columns, [rows[k] for k in shown]
        start = next((j for j in range(len(columns) - K + 1) if columns[j : j + K] == labels), None)
        if start is None:
            return columns, rows
        keep = [*range(start), *(start + k for k in shown), *range(start + K, len(columns))]
        return [columns[j] for j in keep], [[row[j] for j in keep] for row in rows]

    def to_html(self) -> str:
        """The explanation as a piece of HTML, without style or scripts."""
        sure = (
            f" <span>(probability {cell_text(self.posterior[self.answer])})</span>" if self._believed else ""
        )
        html = [
            f'<div class="assay-explanation"><h4>{escape(self.learner)} answers {escape(self._said)}{sure}</h4>'
        ]
        if self.row:
            html.append(html_table("The row", ["column", "value"], [[k, v] for k, v in self.row.items()], ""))
        html += [html_table(s.title, s.columns, s.rows, s.note) for s in self.sections]
        if self.posterior:
            html.append(
                html_table(
                    "Posterior", ["class", "probability"], [[k, p] for k, p in self.posterior.items()], ""
                )
            )
        return "\n".join(html) + "</div>"

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html())


def cell_text(value: Any) -> str:
    """A cell as people read it.

    Four significant digits, yet never fewer than stand before the point; fractions as fractions; text in one line of
    at most 60 characters.

    >>> from assay.core.explanation import cell_text
    >>> cell_text(0.123456), cell_text(10299.0), cell_text(1013.25), cell_text("two\\nlines"), cell_text(None)
    ('0.1235', '10299', '1013', 'two\\\\nlines', 'missing')
    """
    if value is None:
        return "missing"
    if isinstance(value, float):
        value += 0.0  # no minus before a zero
        return f"{value:.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"
    return one_line(str(value)[:61], 60)


def text_table(columns: list[str] | None, rows: list[list[Any]]) -> str:
    """Rows of cells as aligned text, columns of numbers (and blanks) to the right.

    >>> from assay.core.explanation import text_table
    >>> print(text_table(["class", "share"], [["yes", 0.25], ["no", 0.75]]))
      class  share
      yes     0.25
      no      0.75
    """
    cells = [[cell_text(v) for v in row] for row in rows]
    heads = [columns] if columns else []
    width = (
        [max(len(r[j]) for r in heads + cells) for j in range(len((heads + cells)[0]))]
        if heads + cells
        else []
    )
    number = [
        all(isinstance(row[j], (int, float, Fraction)) or row[j] == "" for row in rows)
        for j in range(len(width))
    ]
    return "\n".join(
        "  "
        + "  ".join(v.rjust(w) if right else v.ljust(w) for v, w, right in zip(row, width, number)).rstrip()
        for row in heads + cells
    )


def html_table(title: str, columns: list[str], rows: list[list[Any]], note: str) -> str:
    """Rows of cells as an HTML table under a title, a sentence below it.

    >>> from assay.core.explanation import html_table
    >>> html_table("Shares", ["class"], [["a < b"]], "")
    '<h5>Shares</h5><table><thead><tr><th>class</th></tr></thead><tbody><tr><td>a &lt; b</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(c)}</th>" for c in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell_text(v))}</td>" for v in row) + "</tr>" for row in rows
    )
    foot = f"<p>{escape(note)}</p>" if note else ""
    return f"<h5>{escape(title)}</h5><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"
