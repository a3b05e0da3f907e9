"""The first half of the page: ranking, differences, all pairs, all measures, times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.evaluate import Comparison, Standing
from assay.evaluate.show import duration, shown_value
from assay.learners import KIND_OF_TASK, learners
from assay.plots.scale import Scale
from assay.report.methods import shown_rope, usual_test
from assay.report.numbers import shown_number
from assay.report.rank_diagram import average_ranks, rank_diagram
from assay.report.svg import MARGIN, axis, share_bar, whisker
from assay.stats.significance.test_result import shown_p

__all__ = ["differences", "interval", "measures", "pairs", "ranked", "ranks", "tiles", "times"]

PLOT = 380.0  # width of the plots in tables, in their own units
MAX_PAIRS = 24  # learners in the matrix of all pairs
MOST_WRITTEN = 1e9  # up to which a whole number is written in full
EQUAL_PROBABILITY = 0.95  # from which on two learners are called practically equal


def interval(result: Comparison, s: Standing, metric: str | None = None, between: str = " – ") -> str:
    """The ends of a learner's interval; nothing where there is none."""
    if np.isnan(s.low):
        return ""
    return between.join(shown_value(result, v, metric) for v in (s.low, s.high))


def tiles(result: Comparison) -> list[tuple[str, str, str]]:
    """(number, what it counts, remark) of each tile."""
    d, best = result.data, next((s for s in result.ranking() if not s.failure and not np.isnan(s.mean)), None)
    entries = [
        (f"{d.rows:,}", "rows", f"{d.missing:,} missing values" if d.missing else "no missing value"),
        (f"{len(d.columns):,}", "columns", ", ".join(f"{n} {kind}" for kind, n in d.kinds.items())),
        _target_tile(result),
        (f"{len(result.places):,}", "splits", result.design.name),
    ]
    if best is not None:
        what = f"{result.metrics[0].name} of {best.learner}"
        entries.insert(0, (shown_value(result, best.mean), what, interval(result, best, between=" to ")))
    return entries


def _target_tile(result: Comparison) -> tuple[str, str, str]:
    """How many classes there are, or from where to where the numbers go."""
    d = result.data
    if d.measured is None:
        return f"{len(d.classes):,}", "classes", f"of {d.target}"
    low, high = (_whole(float(v or 0.0)) for v in (d.measured.low, d.measured.high))
    return f"{low} to {high}", f"range of {d.target}", f"mean {shown_number(float(d.measured.mean or 0.0))}"


def _whole(value: float) -> str:
    """An end of a range, a whole number without decimals."""
    return f"{value:,.0f}" if value.is_integer() and abs(value) < MOST_WRITTEN else shown_number(value)


def _kind(s: Standing, i: int) -> str:
    return "best" if i == 0 else "level" if s.level else "worse"


def ranked(result: Comparison) -> dict[str, Any]:
    """The ranking: a whisker, a mean, an interval and letters for each learner."""
    m = result.metrics[0]
    standings = [s for s in result.ranking() if not s.failure]
    values = {s.learner: result.values(s.learner) for s in standings}
    reach = [(s.mean, s.low, s.high, *_middle(values[s.learner])) for s in standings if not np.isnan(s.mean)]
    scale = Scale.over(_near(reach), PLOT, m.bounds, MARGIN)
    rows = []
    for i, s in enumerate(standings):
        ends = interval(result, s, between=" to ")
        label = ", ".join(filter(None, (f"{s.learner}: {shown_value(result, s.mean)}", ends)))
        rows.append(
            {
                "kind": _kind(s, i),
                "learner": s.learner,
                "about": about(result, s.learner),
                "prepared": s.prepared,
                "plot": whisker(scale, s.mean, s.low, s.high, values[s.learner], _kind(s, i), label=label),
                "mean": shown_value(result, s.mean),
                "interval": interval(result, s) or "none",
                "letters": s.letters,
            }
        )
    off = any(s.mean < scale.low or s.mean > scale.high for s in standings)
    return {"axis": axis(scale), "rows": rows, "off": off}


def about(result: Comparison, name: str) -> str:
    """What a learner of that short name is, in a line; nothing for one that the user named."""
    entry = learners(KIND_OF_TASK[result.task]).get(name)
    return entry.summary if entry else ""


def _middle(values: np.ndarray) -> np.ndarray:
    """The 10th and 90th percentile over the splits."""
    return np.percentile(values[np.isfinite(values)], [10, 90])


def _near(reach: Sequence[tuple[float, ...]]) -> list[float]:
    """The values the scale covers: all, unless the last learners are so far off that the others shrink to dots."""
    for n in range(len(reach) - 1, 1, -1):
        near, whole = [v for r in reach[:n] for v in r], [v for r in reach[: n + 1] for v in r]
        if np.nanmax(near) - np.nanmin(near) >= 0.4 * (np.nanmax(whole) - np.nanmin(whole)):
            return whole
    return [v for r in reach[:2] for v in r]  # also when there are fewer than two


def _measured(result: Comparison) -> list[Standing]:
    return [s for s in result.ranking() if not s.failure and not np.isnan(s.mean)]


def ranks(result: Comparison) -> dict[str, Any] | None:
    """The diagram of average ranks over the splits; its bars are the letters of the ranking."""
    standings = _measured(result)
    values = np.array([result.values(s.learner) for s in standings]).T
    if len(standings) < 3 or len(values) < 2 or not np.isfinite(values).all(axis=1).any():
        return None
    average = average_ranks(values, result.metrics[0].better)
    used = sorted({letter for s in standings for letter in _letters(s.letters)})
    groups = [[i for i, s in enumerate(standings) if letter in _letters(s.letters)] for letter in used]
    best = int(np.argmin(average))
    label = f"Average ranks by {result.metrics[0].name}; best: {standings[best].learner}, {average[best]:.2f}"
    plot = rank_diagram([s.learner for s in standings], average, groups, label)
    test = usual_test(result)
    return {"plot": plot, "test": "" if test is None else test.test}


def _letters(text: str) -> list[str]:
    """Single letters, each with the digits behind it: "ab1" is a and b1."""
    letters: list[str] = []
    for c in text:
        if c.isdigit() and letters:
            letters[-1] += c
        else:
            letters.append(c)
    return letters


def differences(result: Comparison, rope: float | None) -> dict[str, Any] | None:
    """Every learner against the best one, with the region of differences that do not matter."""
    standings = _measured(result)
    if len(standings) < 2:
        return None
    best, others = standings[0], standings[1:]
    reach: list[tuple[float, ...]] = [
        (0.0, s.difference, s.difference_low, s.difference_high) for s in others
    ]
    if rope is not None:
        reach[0] = (*reach[0], rope)
    scale = Scale.over(_near(reach), PLOT, margin=MARGIN)
    rows = []
    for s in others:
        verdict = result.test(s.learner, best.learner)
        rows.append(
            {
                "kind": _kind(s, 1),
                "learner": s.learner,
                "plot": whisker(
                    scale, s.difference, s.difference_low, s.difference_high,
                    kind=_kind(s, 1), zero=0.0, label=str(verdict), region=rope,
                ),
                "difference": shown_value(result, s.difference, sign=True),
                "p": "none" if np.isnan(s.p) else shown_p(s.p).removeprefix("p = ").removeprefix("p "),
                "verdict": "not significantly worse" if s.level else "significantly worse",
                "size": _size(result, s.learner, best.learner, rope),
                "effect": _effect(result, s.learner, best.learner),
                "sentence": str(verdict),
            }
        )  # fmt: skip
    sized = any(row["size"] for row in rows)
    return {
        "best": best.learner,
        "axis": axis(scale),
        "rows": rows,
        "rope": rope,
        "region": "" if rope is None else shown_rope(result, rope),
        "sized": sized,
    }


def _size(result: Comparison, learner: str, best: str, rope: float | None) -> str:
    """How probable it is that the difference matters, given what the splits showed (Corani and Benavoli 2015)."""
    finite = np.isfinite(result.values(learner) - result.values(best))
    if rope is None or finite.sum() < 2:
        return ""
    try:
        posterior = result.bayes(learner, best, rope=rope)
    except DataError:  # numbers so large that their squares are out of range
        return ""
    worse, better = posterior.right, posterior.left
    if result.metrics[0].better == "higher":
        worse, better = better, worse
    if posterior.within >= EQUAL_PROBABILITY:
        return "practically equal"
    shares = [(worse, "worse"), (posterior.within, "equal"), (better, "better")]
    return "practically " + ", ".join(f"{word} {p:.0%}" for p, word in shares if p >= 0.005)


def _effect(result: Comparison, learner: str, best: str) -> str:
    """How large the difference is beside the spread over the splits, in a sentence; "" where that has no meaning."""
    try:
        effect = result.effect(learner, best)
    except DataError:
        return ""
    sentence = str(effect)
    return sentence[:1].upper() + sentence[1:] if np.isfinite(effect.value) else ""


def pairs(result: Comparison) -> dict[str, Any] | None:
    """All pairs: the row's measure minus the column's, and the adjusted p."""
    names = [s.learner for s in _measured(result)][:MAX_PAIRS]
    if len(names) < 3:
        return None
    better = result.metrics[0].better
    rows = []
    for a in names:
        cells: list[dict[str, str] | None] = []
        for b in names:
            if a == b:
                cells.append(None)
                continue
            verdict = result.test(a, b)
            gap = verdict.result.estimate
            ahead = gap < 0 if better == "lower" else gap > 0
            kind = ("ahead" if ahead else "behind") if verdict.significant else ""
            p = "no test" if np.isnan(verdict.adjusted) else shown_p(verdict.adjusted)
            cells.append({"gap": shown_value(result, gap, sign=True), "p": p, "kind": kind})
        rows.append({"learner": a, "cells": cells})
    return {"names": names, "rows": rows, "all": len(names) == len(_measured(result))}


def measures(result: Comparison) -> dict[str, Any] | None:
    """All metrics of all learners, if there is more than one."""
    if len(result.metrics) < 2:
        return None
    rows = []
    for s in result.ranking():
        if s.failure:
            continue
        cells = []
        for m in result.metrics:
            standing = next(t for t in result.ranking(m.name) if t.learner == s.learner)
            first = result.ranking(m.name)[0].learner == s.learner
            cells.append(
                {
                    "mean": shown_value(result, standing.mean, m.name),
                    "interval": interval(result, standing, m.name),
                    "letters": standing.letters,
                    "kind": "best" if first else "level" if standing.level else "worse",
                }
            )
        rows.append({"learner": s.learner, "cells": cells})
    return {"heads": result.metrics, "rows": rows}


def times(result: Comparison) -> list[dict[str, Any]]:
    """Seconds to fit and to predict, with bars."""
    standings = [s for s in result.ranking() if not s.failure]
    longest_fit = max((s.fit_seconds for s in standings), default=1.0) or 1.0
    longest_predict = max((s.predict_seconds for s in standings), default=1.0) or 1.0
    return [
        {
            "learner": s.learner,
            "fit": duration(s.fit_seconds),
            "fit_bar": share_bar(s.fit_seconds / longest_fit),
            "predict": duration(s.predict_seconds),
            "predict_bar": share_bar(s.predict_seconds / longest_predict),
        }
        for s in standings
    ]
