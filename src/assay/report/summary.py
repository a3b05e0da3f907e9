"""The summary of a report: conclusion, best learner, those not significantly worse, important columns, warnings."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evaluate import Comparison, Finding, PermutationImportance
from assay.evaluate.learned import learned
from assay.evaluate.remarks import face_of
from assay.evaluate.show import conclusion, shown_value
from assay.report.ranking import interval
from assay.stats.significance.test_result import shown_confidence

__all__ = ["summary"]

MAX_INLINE = 4  # learners that the conclusion itself names
MAX_LEVEL = 8  # learners that are named as not significantly worse
MAX_COLUMNS = 5  # columns that are named as important
MAX_FINDINGS = 4  # in the summary


def summary(
    result: Comparison, importance: PermutationImportance | None, findings: list[Finding]
) -> dict[str, Any]:
    """The lines of the summary: (head, sentence) each, and what to be careful about.

    Parameters
    ----------
    importance : of the best learner, or None if it was not computed
    findings : all findings, the most serious first
    """
    lines = (
        [("Partial result", f"{result.partial}; everything on this page rests on these.")]
        if result.partial
        else []
    )
    lines.append(("Answer", _answer(result)))
    finished = [s for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    if finished:
        lines.append(("Best learner", _best(result, finished[0])))
        level = [s.learner for s in finished[1:] if s.level]
        if len(finished) > 1:
            lines.append(("Not significantly worse", _listed(level, MAX_LEVEL) or "None of the others."))
        lines += [("Baseline without columns", text) for text in _baseline(result)]
    if importance is not None:
        lines.append(("What matters", _matters(importance)))
    best = finished[0].learner if finished else ""
    ordered = sorted(findings, key=lambda f: (f.severity == "note", f.learner not in ("", best)))
    serious = [f for f in ordered if f.severity != "note"]
    careful = [(f.severity, f.said(face_of(result))) for f in (serious or ordered)[:MAX_FINDINGS]]
    return {"lines": lines, "careful": careful, "more": len(findings) - len(careful)}


def _answer(result: Comparison) -> str:
    """The conclusion; where it would list many learners, how many there are, since they are listed below."""
    sentence, finished = (
        conclusion(result),
        [s for s in result.ranking() if not s.failure and not np.isnan(s.mean)],
    )
    level = [s for s in finished[1:] if s.level]
    if "not significantly worse: " not in sentence or len(level) < MAX_INLINE:
        return sentence
    best, name = finished[0].learner, result.metrics[0].name
    return f"{best} has the best {name} of {len(finished)} learners; {len(level)} of them are not significantly worse."


def _best(result: Comparison, s: Any) -> str:
    m = result.metrics[0]
    sentence = f"{s.learner}: {m.name} {shown_value(result, s.mean)}"
    if ends := interval(result, s, between=" to "):
        sentence += f", {shown_confidence(result.alpha)} interval {ends}"
    other_metrics = [
        f"{other.name} {shown_value(result, t.mean, other.name)}"
        for other in result.metrics[1:]
        for t in result.ranking(other.name)
        if t.learner == s.learner
    ]
    return (
        sentence
        + (f"; {', '.join(other_metrics)}" if other_metrics else "")
        + f" ({result.design.name}, {len(result.places)} splits)"
    )


def _baseline(result: Comparison) -> list[str]:
    """The metric of the baseline that looks at no column, if it takes part."""
    baseline = learned(result)
    if baseline is None or not baseline.reference:
        return []
    s = next(s for s in result.ranking() if s.learner == baseline.reference)
    return [f"{s.learner}: {result.metrics[0].name} {shown_value(result, s.mean)}"]


def _matters(importance: PermutationImportance) -> str:
    """The significant columns with their importances; else the three most important ones."""
    by_name = {row["column"]: row["importance"] for row in importance.table()}
    chosen = importance.matters
    if chosen:
        losses = [f"{name} ({importance.shown(by_name[name], sign=True)})" for name in chosen]
        them = "it" if len(chosen) == 1 else "each of them"
        listed = _listed(losses, MAX_COLUMNS)
        sentence = f"{listed}: what {importance.learner} loses in {importance.metric} without {them}"
        n_others = len(importance.names) - len(chosen)
        remainder = (
            f"; {n_others} other column{' is' if n_others == 1 else 's are'} not significantly missed"
            if n_others
            else ""
        )
        return f"{sentence}{remainder}."
    lead = [name for name in by_name if by_name[name] > 0][:3]
    return "No single column is significantly missed" + (
        f"; largest losses: {', '.join(lead)}." if lead else "."
    )


def _listed(names: list[str], limit: int) -> str:
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")
