"""The first page of a report: the answer, the best learner, what it equals, what matters, what to be careful about."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evaluate import Comparison, Finding, PermutationImportance
from assay.evaluate.learned import learned
from assay.evaluate.remarks import face_of
from assay.evaluate.show import conclusion
from assay.report.ranking import number
from assay.stats.significance.test_result import shown_confidence

__all__ = ["summary"]

MOST_INLINE = 4  # learners that the answer itself names
MOST_LEVEL = 8  # learners that are named as not significantly worse
MOST_COLUMNS = 5  # columns that are named as important
MOST_CAREFUL = 4  # findings that are told on the first page


def summary(
    result: Comparison, importance: PermutationImportance | None, findings: list[Finding]
) -> dict[str, Any]:
    """The lines of the summary: (head, sentence) each, and what to be careful about.

    Parameters
    ----------
    importance : of the best learner, or None if it was not computed
    findings : all that was found, the worst first
    """
    lines = (
        [("Partial result", f"{result.partial}; everything on this page rests on these.")]
        if result.partial
        else []
    )
    lines.append(("Answer", _answer(result)))
    known = [s for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    if known:
        lines.append(("Best learner", _best(result, known[0])))
        level = [s.learner for s in known[1:] if s.level]
        if len(known) > 1:
            lines.append(("Not significantly worse", _listed(level, MOST_LEVEL) or "None of the others."))
        lines += [("Without looking at a column", text) for text in _blind(result)]
    if importance is not None:
        lines.append(("What matters", _matters(importance)))
    best = known[0].learner if known else ""
    about = sorted(findings, key=lambda f: (f.severity == "note", f.learner not in ("", best)))
    serious = [f for f in about if f.severity != "note"]
    careful = [(f.severity, f.said(face_of(result))) for f in (serious or about)[:MOST_CAREFUL]]
    return {"lines": lines, "careful": careful, "more": len(findings) - len(careful)}


def _answer(result: Comparison) -> str:
    """The conclusion; where it would list many learners, how many there are, since they are listed below."""
    said, known = conclusion(result), [s for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    level = [s for s in known[1:] if s.level]
    if "not significantly worse: " not in said or len(level) < MOST_INLINE:
        return said
    best, name = known[0].learner, result.metrics[0].name
    return f"{best} has the best {name} of {len(known)} learners; {len(level)} of them are not significantly worse."


def _best(result: Comparison, s: Any) -> str:
    m = result.metrics[0]
    said = f"{s.learner}: {m.name} {number(s.mean)}"
    if not np.isnan(s.low):
        said += f", {shown_confidence(result.alpha)} interval {number(s.low)} to {number(s.high)}"
    others = [
        f"{other.name} {number(t.mean)}"
        for other in result.metrics[1:]
        for t in result.ranking(other.name)
        if t.learner == s.learner
    ]
    return (
        said
        + (f"; {', '.join(others)}" if others else "")
        + f" ({result.design.name}, {len(result.places)} splits)"
    )


def _blind(result: Comparison) -> list[str]:
    """What the learner that looks at no column has, if one takes part."""
    who = learned(result)
    if who is None or not who.reference:
        return []
    s = next(s for s in result.ranking() if s.learner == who.reference)
    return [f"{s.learner}: {result.metrics[0].name} {number(s.mean)}"]


def _matters(found: PermutationImportance) -> str:
    """The columns whose loss is significant, with it; else that none is, and which lead."""
    by_name = {row["column"]: row["importance"] for row in found.table()}
    chosen = found.matters
    if chosen:
        told = [f"{name} ({by_name[name]:+.4f})" for name in chosen]
        them = "it" if len(chosen) == 1 else "each of them"
        said = f"{_listed(told, MOST_COLUMNS)}: what {found.learner} loses in {found.metric} without {them}"
        rest = len(found.names) - len(chosen)
        others = (
            f"; {rest} other column{' is' if rest == 1 else 's are'} not significantly missed" if rest else ""
        )
        return f"{said}{others}."
    lead = [name for name in by_name if by_name[name] > 0][:3]
    return "No single column is significantly missed" + (
        f"; largest losses: {', '.join(lead)}." if lead else "."
    )


def _listed(names: list[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
