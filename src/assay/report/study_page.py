"""One HTML page for a study: learners over many data sets, their ranks, which of them differ, and the steps A to G."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate.describe import Description
from assay.evaluate.digits import shown_metric
from assay.evaluate.records import plain
from assay.experiments.conclusion import Conclusion
from assay.experiments.study import Study
from assay.metrics import Measure
from assay.report.page import checked_path, dress, legible, template
from assay.report.rank_diagram import rank_diagram
from assay.report.ranking import MAX_PAIRS
from assay.report.settings import FORMAT
from assay.report.size import within_size
from assay.stats.significance.test_result import shown_confidence, shown_p
from assay.tables.whole_files import write_whole

__all__ = ["render_study", "write_study"]


@dataclass(frozen=True)
class _Limits:
    """How much of everything the page holds: data sets, learners in tables, in pairs, metrics, embedded JSON."""

    data: int
    learners: int
    pairs: int
    metrics: int
    embedded: bool = True


_LIMITS = (
    _Limits(300, 40, MAX_PAIRS, 20),
    _Limits(150, 30, MAX_PAIRS, 4),
    _Limits(100, 24, 16, 2, False),
    _Limits(40, 12, 8, 1, False),
)


def write_study(study: Study, path: str | Path) -> Path:
    """Write the page of a study; returns its path.

    Examples
    --------
    >>> import tempfile
    >>> from assay.experiments import Experiment
    >>> from assay.report import write_study
    >>> study = Experiment(["majority", "lda"], ["iris", "wine"], design="3-fold").run()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_study(study, folder + "/study.html").name
    'study.html'
    """
    path = checked_path(path)
    return write_whole(path, render_study(study))


def render_study(study: Study) -> str:
    """The page as text. Names are escaped everywhere.

    >>> from assay.experiments import Experiment
    >>> from assay.report import render_study
    >>> study = Experiment(["majority", "lda"], ["iris", "wine"], design="5-fold").run()
    >>> render_study(study).lstrip()[:15]
    '<!doctype html>'
    """
    conclusion, reason = _concluded(study)
    order = _order(study, conclusion)
    parts = dict(
        dress(),
        title=f"{study.name}: {_counted(study.learners, 'learner')} on {_counted(study.data, 'data set')}",
        conclusion=conclusion.sentences if conclusion else [reason],
        metric=study.metrics[0],
        sure=shown_confidence(study.alpha),
        tiles=_tiles(study, conclusion),
        diagram=_diagram(study, conclusion),
        effects=_effects(study),
        notes=study.notes,
        checklist=study.checklist,
        design=study.manifest.design_words,
        versions=_versions(study),
        settings=_settings(study),
    )

    @cache
    def numbers(metric: str) -> tuple[np.ndarray, np.ndarray]:
        return study.table(metric), study.intervals(metric)

    def rendered(limits: _Limits) -> str:
        first, *others = study.metrics
        limited = {
            "table": _table(study, conclusion, order, limits, first, *numbers(first.name)),
            "others": [
                _table(study, None, order, limits, m, *numbers(m.name)) for m in others[: limits.metrics - 1]
            ],
            "hidden_metrics": [m.name for m in study.metrics[limits.metrics :]],
            "pairs": _pairs(conclusion, limits.pairs),
            "embedded": _embedded(study, conclusion, limits),
        }
        return str(template("study.html").render(**parts, **limited))

    return legible(within_size(rendered, _LIMITS, [study.name, *study.learners, *study.data]))


def _counted(things: list[str], word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"


def _concluded(study: Study) -> tuple[Conclusion | None, str]:
    try:
        return study.conclusion(), ""
    except ParameterError as error:  # nothing has run yet
        return None, f"{error.what[:1].upper()}{error.what[1:]}"


def _order(study: Study, conclusion: Conclusion | None) -> list[int]:
    """The learners, best first: by average rank, then by mean."""
    if conclusion is None:
        return list(range(len(study.learners)))
    means = study.metrics[0].sign * study.table()
    finite = np.isfinite(means)
    centre = np.where(finite, means, 0.0).sum(axis=0) / np.maximum(finite.sum(axis=0), 1)
    centre[~finite.any(axis=0)] = np.inf
    return np.lexsort((centre, np.round(np.nan_to_num(conclusion.ranks, nan=np.inf), 9))).tolist()


def _tiles(study: Study, conclusion: Conclusion | None) -> list[tuple[str, str, str]]:
    cells = sum(len(column) for by_learner in study.cells.values() for column in by_learner.values())
    failed = len({learner for _, learner in study.failures})
    tiles = [
        (
            f"{len(study.data):,}",
            "data sets",
            f"{len(conclusion.data)} count" if conclusion else "none counts yet",
        ),
        (f"{len(study.learners):,}", "learners", f"{failed} failed somewhere" if failed else "none failed"),
        (f"{cells - study.missing:,}", "runs", f"{study.missing:,} missing" if study.missing else "complete"),
    ]
    if conclusion is not None and np.isfinite(conclusion.ranks).any():
        tiles.insert(
            0,
            (
                f"{np.nanmin(conclusion.ranks):.2f}",
                f"average rank of {conclusion.best}",
                "1 is best everywhere",
            ),
        )
    return tiles


def _diagram(study: Study, conclusion: Conclusion | None) -> dict[str, Any] | None:
    """The critical-difference diagram, of three learners or more on two data sets or more."""
    if conclusion is None or len(conclusion.data) < 2:
        return None
    ranked = np.flatnonzero(np.isfinite(conclusion.ranks))
    if len(ranked) < 3:
        return None
    names, ranks = [study.learners[k] for k in ranked], conclusion.ranks[ranked]
    groups: list[list[int]] = []
    test, distance = "", None
    if conclusion.pairs is not None:
        place = {name: i for i, name in enumerate(names)}
        groups = [
            [place[conclusion.pairs.names[j]] for j in g if conclusion.pairs.names[j] in place]
            for g in conclusion.pairs.groups
        ]
        test = conclusion.pairs.method
        distance = None if np.isnan(conclusion.pairs.critical) else conclusion.pairs.critical
    label = f"Average ranks over {len(conclusion.data)} data sets; best: {conclusion.best}, {np.nanmin(ranks):.2f}"
    return {"plot": rank_diagram(names, ranks, groups, label, distance), "test": test, "joined": bool(groups)}


def _table(
    study: Study,
    conclusion: Conclusion | None,
    order: list[int],
    limits: _Limits,
    m: Measure,
    means: np.ndarray,
    intervals: np.ndarray,
) -> dict[str, Any]:
    """Data sets by learners: mean and interval, the best of a data set marked."""
    listed = order[: limits.learners]
    rows = []
    for i, data in enumerate(study.data[: limits.data]):
        losses = np.round(m.sign * means[i], 12)
        best = np.nanmin(losses) if np.isfinite(losses).any() else np.nan
        like = m.sign * best  # sets the decimals of the row
        cells = []
        for k in listed:
            low, high = intervals[i, k]
            failed = (data, study.learners[k]) in study.failures
            cells.append(
                {
                    "mean": shown_metric(m, means[i, k], like) or ("failed" if failed else "–"),
                    "interval": ""
                    if np.isnan(low)
                    else " – ".join(shown_metric(m, v, like) for v in (low, high)),
                    "best": bool(losses[k] == best),
                }
            )
        rows.append({"data": data, "cells": cells, "about": _about(study.manifest.blocks[i].about)})
    return {
        "metric": m,
        "names": [study.learners[k] for k in listed],
        "rows": rows,
        "ranks": None
        if conclusion is None
        else ["–" if np.isnan(r) else f"{r:.2f}" for r in conclusion.ranks[listed]],
        "letters": None if conclusion is None else [conclusion.letters[k] for k in listed],
        "hidden": max(0, len(study.data) - limits.data),
        "hidden_learners": max(0, len(order) - limits.learners),
    }


def _about(data: Description) -> str:
    """Rows, columns and classes of a data set in a few words."""
    classes = f", {len(data.classes)} classes" if data.classes else ""
    return f"{data.rows:,} rows, {len(data.columns):,} columns{classes}"


def _pairs(conclusion: Conclusion | None, limit: int) -> dict[str, Any] | None:
    """Which pairs differ, by the post-hoc test after Friedman's."""
    if conclusion is None or conclusion.pairs is None or len(conclusion.pairs.names) < 3:
        return None
    post = conclusion.pairs
    listed = post.order[:limit].tolist()
    rows = []
    for i in listed:
        cells: list[dict[str, str] | None] = []
        for j in listed:
            p = post.adjusted[i, j]
            if i == j or np.isnan(p):
                cells.append(None)
                continue
            ahead = (
                post.centre[i] < post.centre[j] if post.better == "lower" else post.centre[i] > post.centre[j]
            )
            kind = ("ahead" if ahead else "behind") if post.differ[i, j] else ""
            cells.append(
                {"gap": f"{post.difference[i, j]:+.2f}".replace("-", "−"), "p": shown_p(p), "kind": kind}
            )
        rows.append({"learner": post.names[i], "cells": cells})
    names = [post.names[i] for i in listed]
    return {"names": names, "rows": rows, "method": post.method, "all": len(names) == len(post.names)}


def _effects(study: Study) -> list[dict[str, Any]]:
    """The effect of each factor, for every learner whose settings vary."""
    families = dict.fromkeys(e["family"] for e in study.manifest.learners if e.get("factors"))
    summaries = []
    for family in families:
        try:
            effects = study.effects(family)
        except ParameterError:  # nothing to estimate from
            continue
        terms = [
            {
                "name": t.name,
                "levels": ", ".join(
                    f"{level}: {shown_metric(study.metrics[0], mean)}"
                    for level, mean in zip(t.levels, t.means)
                ),
                "df": t.df,
                "F": "none" if np.isnan(t.test.p) else f"{t.test.statistic:.2f}",
                "p": "none" if np.isnan(t.test.p) else shown_p(t.test.p),
                "kind": "best-text" if t.test.rejected else "",
            }
            for t in effects.terms
        ]
        best = ", ".join(f"{k} = {v}" for k, v in effects.best.items())
        summaries.append({"family": family, "terms": terms, "best": best, "notes": effects.notes})
    return summaries


def _versions(study: Study) -> str:
    sessions = study.manifest.sessions
    return ", ".join(f"{k} {v}" for k, v in sessions[-1]["versions"].items()) if sessions else "unknown"


def _settings(study: Study) -> dict[str, Any]:
    """Everything that decides the numbers of a study, as plain data."""
    manifest = study.manifest
    return {
        "format": FORMAT,
        "kind": "study",
        "name": manifest.name,
        "data": [
            {"name": b.name, "rows": b.about.rows, "design": b.design, "fingerprint": b.print}
            for b in manifest.blocks
        ],
        "learners": plain(manifest.learners),
        "design": manifest.design,
        "metrics": [m.name for m in manifest.metrics],
        "alpha": manifest.alpha,
        "seed": manifest.seed,
        "sessions": plain(manifest.sessions),
    }  # fmt: skip


def _embedded(study: Study, conclusion: Conclusion | None, limits: _Limits) -> dict[str, Any]:
    """The numbers of the page as JSON."""
    return {
        "learners": study.learners,
        "data": study.data,
        "means": {m.name: plain(study.table(m.name)) for m in study.metrics if limits.embedded},
        "ranks": None if conclusion is None else plain(conclusion.ranks),
        "sentences": [] if conclusion is None else conclusion.sentences,
    }
