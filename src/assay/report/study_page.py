"""One HTML page for a study: learners over many data sets, their ranks, who differs, and the steps A to G."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate.verdict import shown_p
from assay.experiments.conclusion import Conclusion
from assay.experiments.study import Study
from assay.report.page import dress, legible, template
from assay.report.rank_diagram import rank_diagram
from assay.report.ranking import number
from assay.report.settings import FORMAT
from assay.stats.test_result import shown_confidence

__all__ = ["render_study", "write_study"]

MOST_DATA = 300  # data sets listed
MOST_LEARNERS = 40  # learners in the table
MOST_PAIRS = 24  # learners in the matrix of all pairs


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
    path = Path(path)
    path.write_text(render_study(study), encoding="utf-8")
    return path


def render_study(study: Study) -> str:
    """The page as text. Names are escaped wherever they stand."""
    found, why = _concluded(study)
    m = study.metrics[0]
    order = _order(study, found)
    checklist = study.checklist
    return legible(
        template("study.html").render(
            **dress(),
            title=f"{study.name}: {len(study.learners)} learners on {len(study.data)} data sets",
            conclusion=found.sentences if found else [why],
            metric=m,
            sure=shown_confidence(study.alpha),
            tiles=_tiles(study, found),
            diagram=_diagram(study, found),
            table=_table(study, found, order),
            pairs=_pairs(found),
            others=[_table(study, None, order, other.name) for other in study.metrics[1:]],
            effects=_effects(study),
            notes=study.notes,
            checklist=checklist,
            design=study.manifest.design_words,
            versions=_versions(study),
            settings=_settings(study),
            embedded=_embedded(study, found),
        )
    )


def _concluded(study: Study) -> tuple[Conclusion | None, str]:
    try:
        return study.conclusion(), ""
    except ParameterError as error:  # nothing has run yet
        return None, str(error)


def _order(study: Study, found: Conclusion | None) -> list[int]:
    """The learners, best first: by average rank, then by mean."""
    if found is None:
        return list(range(len(study.learners)))
    means = study.metrics[0].sign * study.table()
    there = np.isfinite(means)
    centre = np.where(there, means, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    centre[~there.any(axis=0)] = np.inf
    return np.lexsort((centre, np.nan_to_num(found.ranks, nan=np.inf))).tolist()


def _tiles(study: Study, found: Conclusion | None) -> list[tuple[str, str, str]]:
    cells = sum(len(column) for own in study.cells.values() for column in own.values())
    failed = len(study.failures)
    tiles = [
        (f"{len(study.data):,}", "data sets", f"{len(found.data)} count" if found else "none counts yet"),
        (f"{len(study.learners):,}", "learners", f"{failed} failed somewhere" if failed else "none failed"),
        (f"{cells - study.missing:,}", "runs", f"{study.missing:,} missing" if study.missing else "complete"),
    ]
    if found is not None and np.isfinite(found.ranks).any():
        tiles.insert(
            0, (f"{np.nanmin(found.ranks):.2f}", f"average rank of {found.best}", "1 is best everywhere")
        )
    return tiles


def _diagram(study: Study, found: Conclusion | None) -> dict[str, Any] | None:
    """The critical-difference diagram, of three learners or more on two data sets or more."""
    if found is None or len(found.data) < 2:
        return None
    known = np.flatnonzero(np.isfinite(found.ranks))
    if len(known) < 3:
        return None
    names, ranks = [study.learners[k] for k in known], found.ranks[known]
    groups: list[list[int]] = []
    test, distance = "", None
    if found.pairs is not None:
        place = {name: i for i, name in enumerate(names)}
        groups = [
            [place[found.pairs.names[j]] for j in g if found.pairs.names[j] in place]
            for g in found.pairs.groups
        ]
        test = found.pairs.method
        distance = None if np.isnan(found.pairs.critical) else found.pairs.critical
    label = f"Average ranks over {len(found.data)} data sets; best: {found.best}, {np.nanmin(ranks):.2f}"
    return {"plot": rank_diagram(names, ranks, groups, label, distance), "test": test, "joined": bool(groups)}


def _table(
    study: Study, found: Conclusion | None, order: list[int], metric: str | None = None
) -> dict[str, Any]:
    """Data sets by learners: mean and interval, the best of a data set marked."""
    m = next(x for x in study.metrics if metric in (None, x.name))
    means, intervals = study.table(m.name), study.intervals(m.name)
    shown = order[:MOST_LEARNERS]
    rows = []
    for i, data in enumerate(study.data[:MOST_DATA]):
        own = np.round(m.sign * means[i], 12)
        best = np.nanmin(own) if np.isfinite(own).any() else np.nan
        cells = []
        for k in shown:
            low, high = intervals[i, k]
            failed = (data, study.learners[k]) in study.failures
            cells.append(
                {
                    "mean": number(means[i, k]) or ("failed" if failed else "–"),
                    "interval": "" if np.isnan(low) else f"{low:.3f} – {high:.3f}",
                    "best": bool(own[k] == best),
                }
            )
        about = study.manifest.blocks[i].about
        rows.append(
            {"data": data, "cells": cells, "about": f"{about.rows:,} rows, {len(about.columns):,} columns, "
             f"{len(about.classes)} classes"}
        )  # fmt: skip
    return {
        "metric": m,
        "names": [study.learners[k] for k in shown],
        "rows": rows,
        "ranks": None if found is None else [number(found.ranks[k])[:-2] or "–" for k in shown],
        "letters": None if found is None else [found.letters[k] for k in shown],
        "hidden": max(0, len(study.data) - MOST_DATA),
        "hidden_learners": max(0, len(order) - MOST_LEARNERS),
    }


def _pairs(found: Conclusion | None) -> dict[str, Any] | None:
    """Who differs from whom, by the test after Friedman's."""
    if found is None or found.pairs is None or len(found.pairs.names) < 3:
        return None
    post = found.pairs
    shown = post.order[:MOST_PAIRS].tolist()
    rows = []
    for i in shown:
        cells: list[dict[str, str] | None] = []
        for j in shown:
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
    return {"names": [post.names[i] for i in shown], "rows": rows, "method": post.method}


def _effects(study: Study) -> list[dict[str, Any]]:
    """Of every learner whose settings vary, what each factor does."""
    families = dict.fromkeys(e["family"] for e in study.manifest.learners if e.get("factors"))
    found = []
    for family in families:
        try:
            effects = study.effects(family)
        except ParameterError:  # nothing to estimate from
            continue
        terms = [
            {
                "name": t.name,
                "levels": ", ".join(f"{level}: {mean:.4f}" for level, mean in zip(t.levels, t.means)),
                "df": t.df,
                "F": "none" if np.isnan(t.test.p) else f"{t.test.statistic:.2f}",
                "p": "none" if np.isnan(t.test.p) else shown_p(t.test.p),
                "kind": "best-text" if t.test.rejected else "",
            }
            for t in effects.terms
        ]
        best = ", ".join(f"{k} = {v}" for k, v in effects.best.items())
        found.append({"family": family, "terms": terms, "best": best, "notes": effects.notes})
    return found


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
        "learners": [{k: _plain(v) for k, v in e.items()} for e in manifest.learners],
        "design": manifest.design,
        "metrics": [m.name for m in manifest.metrics],
        "alpha": manifest.alpha,
        "seed": manifest.seed,
        "sessions": [_plain(s) for s in manifest.sessions],
    }  # fmt: skip


def _embedded(study: Study, found: Conclusion | None) -> dict[str, Any]:
    """The numbers of the page for programs."""
    return {
        "learners": study.learners,
        "data": study.data,
        "means": {m.name: _plain(study.table(m.name)) for m in study.metrics},
        "ranks": None if found is None else _plain(found.ranks),
        "sentences": [] if found is None else found.sentences,
    }


def _plain(value: Any) -> Any:
    """Numbers, text, lists and dicts alone; what is not a number is None."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
