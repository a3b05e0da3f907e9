"""A study as data: tidy records for any tool that reads tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from assay.experiments.study import Study

__all__ = ["as_arrow", "tidy"]

_OWN = ("data", "learner", "family", "repetition", "fold", "metric", "value", "fit_seconds", "predict_seconds",
        "n_train", "n_test", "failure")  # fmt: skip


def tidy(study: Study) -> list[dict[str, Any]]:
    """One dict per data set, learner, split and metric that was run, always in the same order.

    The levels of the learners' factors have columns of their own, None for a learner without that factor.
    """
    factors = factor_columns(study)
    rows = []
    for block in study.manifest.blocks:
        for entrant in study.manifest.learners:
            levels = {column: entrant["factors"].get(factor) for factor, column in factors.items()}
            for j, cell in enumerate(study.cells[block.name][entrant["name"]]):
                if cell is None:
                    continue
                repetition, fold, n_train = block.places[j]
                for m in study.metrics:
                    value = cell.values.get(m.name, np.nan)
                    rows.append(
                        {
                            "data": block.name,
                            "learner": entrant["name"],
                            "family": entrant["family"],
                            "repetition": repetition,
                            "fold": fold,
                            "metric": m.name,
                            "value": None if np.isnan(value) else value,
                            "fit_seconds": None if cell.failure else cell.fit_seconds,
                            "predict_seconds": None if cell.failure else cell.predict_seconds,
                            "n_train": n_train,
                            "n_test": len(block.tests[j]),
                            "failure": cell.failure,
                            **levels,
                        }
                    )
    return rows


def factor_columns(study: Study) -> dict[str, str]:
    """Of each factor, the name of its column: its own, or with an underscore if a record has such a column."""
    names = dict.fromkeys(factor for e in study.manifest.learners for factor in e["factors"])
    return {name: f"{name}_" if name in _OWN else name for name in names}


def as_arrow(study: Study) -> Any:
    """The records as a pyarrow Table; a factor whose levels are not all numbers, or all of one kind, becomes text."""
    import pyarrow as pa

    kinds = {
        **dict.fromkeys(("data", "learner", "family", "metric", "failure"), pa.string()),
        **dict.fromkeys(("repetition", "fold", "n_train", "n_test"), pa.int64()),
        **dict.fromkeys(("value", "fit_seconds", "predict_seconds"), pa.float64()),
    }
    columns = {name: pa.array([row[name] for row in study.records], kinds[name]) for name in _OWN}
    for column in factor_columns(study).values():
        levels = [row[column] for row in study.records]
        types = {type(v) for v in levels if v is not None}
        if types == {int, float}:
            levels = [None if v is None else float(v) for v in levels]
        elif len(types) > 1 or types & {list, dict}:
            levels = [None if v is None else str(v) for v in levels]
        columns[column] = pa.array(levels)
    return pa.table(columns)
