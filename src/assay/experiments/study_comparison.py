"""One data set of a study as a comparison, as if it had been run by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate import Comparison, Resampling
from assay.evaluate.run import remarks_on
from assay.experiments.folder import Block

if TYPE_CHECKING:
    from assay.experiments.study import Study

__all__ = ["compared"]


def compared(study: Study, block: Block) -> Comparison:
    """The learners on one data set, over the splits that all of them have finished."""
    by_learner = {k: v for k, v in study.cells[block.name].items() if any(c is not None for c in v)}
    J = len(block.tests)
    finished = (
        [j for j in range(J) if all(by_learner[k][j] is not None for k in by_learner)] if by_learner else []
    )
    if not finished:
        raise ParameterError(
            f"no split of {block.name} has been finished by every learner yet. Run the experiment on.",
            who="study",
        )
    cells = {k: [c for j in finished for c in [v[j]] if c is not None] for k, v in by_learner.items()}
    prefix = finished == list(range(len(finished)))  # a comparison makes its splits again in order
    result = Comparison(
        learners=list(by_learner),
        metrics=study.metrics,
        design=replace(Resampling.of(block.design), stratified=bool(block.labels)),
        alpha=study.alpha,
        data=block.about,
        classes=block.labels,
        truths=[block.truth[block.tests[j]] for j in finished],
        tests=[block.tests[j] for j in finished],
        places=[block.places[j] for j in finished],
        cells=cells,
        candidates={k: c for k, c in study.candidates.get(block.name, {}).items() if k in by_learner},
        notes=_notes(study, block, list(by_learner), len(finished)),
        settings=_settings(study, block.name),
        source=study.sources.get(block.name) if prefix else None,
    )
    result.notes += remarks_on(result)
    return result


def _notes(study: Study, block: Block, present: list[str], finished: int) -> list[str]:
    notes, J = list(block.notes), len(block.tests)
    if finished < J:
        notes.append(f"{finished} of {J} splits are finished; the result rests on these.")
    absent = [k for k in study.learners if k not in present]
    if absent:
        notes.append(f"Not run yet: {', '.join(absent)}.")
    return notes


def _settings(study: Study, data: str) -> dict[str, Any]:
    cells = (c for column in study.cells[data].values() for c in column if c is not None and not c.failure)
    sessions, source = study.manifest.sessions, study.sources.get(data)
    return {
        "seed": study.manifest.seed,
        "seconds": float(np.sum([c.fit_seconds + c.predict_seconds for c in cells])),
        "grouped": source is not None and source.groups is not None,
        "loss": None,
        "reject": None,
        "versions": sessions[-1]["versions"] if sessions else {},
    }
