"""What must not be overlooked in a comparison: findings grouped by kind, the worst first, then notes about the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.evaluate.finding import SEVERITIES, Finding, dropped, listed

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["face_of", "grouped", "remarks"]

ALWAYS_SHOWN = ("imbalance", "task")  # notes about the data that stand under every table
MOST_NAMED = 20  # columns of one kind that are named
MOST_OPTIONS = 5  # columns whose options are spelt out


def face_of(result: Comparison) -> str:
    """Where the comparison was asked for: "command line" or "python"; remedies are those for that place."""
    return "command line" if "command" in result.settings else "python"


def grouped(findings: Iterable[Finding], one_by_one: int = 4) -> list[Finding]:
    """The findings, most severe first; of many of one kind the first few, and one that names the other columns.

    >>> from assay.evaluate import Finding
    >>> from assay.evaluate.remarks import grouped
    >>> many = [Finding("odd", "note", f"c{i}", f"column c{i} is odd.") for i in range(6)]
    >>> [f.sentence for f in grouped(many, one_by_one=2)]
    ['column c0 is odd.', 'the same holds for 5 more columns: c1, c2, c3, c4, c5.']
    """
    ordered = sorted(findings, key=lambda f: SEVERITIES.index(f.severity))
    shown: list[Finding] = []
    for code, severity in dict.fromkeys((f.code, f.severity) for f in ordered):
        alike = [f for f in ordered if (f.code, f.severity) == (code, severity)]
        apart = len(alike) <= one_by_one or not all(f.columns for f in alike)
        few = alike if apart else alike[: max(one_by_one - 1, 1)]
        shown += few
        others = [name for f in alike[len(few) :] for name in f.columns]
        if others:
            many = f"the same holds for {len(others)} more column{'' if len(others) == 1 else 's'}"
            options = "--drop" in few[0].command and len(others) <= MOST_OPTIONS
            command = f"The options: {dropped(*others)}." if options else ""
            shown.append(
                Finding(code, severity, tuple(others), f"{many}: {listed(others, MOST_NAMED)}.", "", command)
            )
    return shown


def remarks(result: Comparison, rope: float | None = None, most: int = 5) -> list[tuple[str, str]]:
    """(severity, sentence) of everything that stands under the table of a comparison, the worst first.

    Errors and warnings about the data, and that classes are uneven; with a ``rope`` also reasons to doubt the result
    (see :func:`assay.evaluate.doubts.doubts`), but for what the table or its conclusion says already; then notes about
    the run. What does not fit is counted.

    Parameters
    ----------
    rope : the difference that does not matter; None leaves the doubts out
    most : how many findings are shown in full
    """
    face = face_of(result)
    about_data = [f for f in result.data.findings if f.severity != "note" or f.code in ALWAYS_SHOWN]
    about_result = [] if rope is None else _doubts(result, rope)
    findings = grouped([*about_data, *about_result], one_by_one=2)
    shown = findings[:most]
    shown += [f for f in findings[most:] if f.code in ALWAYS_SHOWN]
    lines = [(f.severity, f.said(face)) for f in shown]
    if len(findings) > len(shown):
        where = "see --report FILE" if face == "command line" else "see the report"
        hidden = [f for f in findings if f not in shown]
        kinds = listed(dict.fromkeys(f.code for f in hidden), 8)
        count = "1 more finding" if len(hidden) == 1 else f"{len(hidden)} more findings"
        lines.append((hidden[0].severity, f"{count} ({kinds}): {where}."))
    return lines + [("note", note) for note in result.notes]


def _doubts(result: Comparison, rope: float) -> list[Finding]:
    """Reasons to doubt the result that neither the table nor its conclusion tells."""
    from assay.evaluate.doubts import doubts
    from assay.evaluate.learned import learned

    already_said = {"failed-learner"}
    who = learned(result)
    finished = [s for s in result.ranking() if not s.failure and s.mean == s.mean]
    if who is not None and who.nothing_shown and len(finished) > 1:  # the conclusion says so
        already_said |= {"no-better-than-majority", "no-better-than-baseline"}
    return [f for f in doubts(result, rope=rope) if f.code not in already_said]
