"""The settings inside a page: what a program needs to repeat the comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.evaluate import Comparison
from assay.evaluate.records import as_plain
from assay.report import reproduce

__all__ = ["read_settings", "settings_of"]

FORMAT = 1
MAX_CLASSES = 1000  # listed with their rows
_OPENING, _CLOSING = '<script type="application/json" id="assay-settings">', "</script>"


def settings_of(result: Comparison) -> dict[str, Any]:
    """Everything that decides the numbers of a comparison, as plain data, with the calls that repeat it.

    Of many classes the first ones are listed; their number is in the description of the data.
    """
    whole = as_plain(result, without=("classes", "confusion", "ranking", "records"))
    whole["data"]["classes"] = dict(list(whole["data"]["classes"].items())[:MAX_CLASSES])
    about_target = {"number of classes": len(result.classes)}
    if result.task == "regression":
        measured = result.data.measured
        about_target = (
            {} if measured is None else {end: getattr(measured, end) for end in ("low", "high", "mean")}
        )
    return {
        "format": FORMAT,
        "kind": "comparison",
        "task": result.task,
        "data": {
            k: v for k, v in whole["data"].items() if k in ("name", "rows", "target", "classes") and v != {}
        }
        | {"columns": len(result.data.columns)}
        | about_target,
        "learners": {name: _constructor(result, name) for name in result.learners},
        "prepared": result.prepared,
        "design": whole["design"],
        "metrics": [m.name for m in result.metrics],
        "alpha": result.alpha,
        **whole["settings"],
        "python": reproduce.python_line(result),
        "command line": reproduce.command_line(result),
    }


def _constructor(result: Comparison, name: str) -> str:
    candidate = result.candidates.get(name)
    return "" if candidate is None else reproduce.spelled(candidate.learner)


def read_settings(path: str | Path) -> dict[str, Any]:
    """The settings inside a report: learners, design, metrics, costs, seed, versions, and the calls.

    Reads text and plain data alone: no script of the page is run, whoever wrote it.

    Parameters
    ----------
    path : the HTML file

    Examples
    --------
    >>> import tempfile
    >>> from assay import compare
    >>> from assay.report import read_settings
    >>> result = compare(["majority"], [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "b"] * 10, design="5-fold")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = read_settings(result.report(folder + "/small.html"))
    >>> settings["design"]["name"], settings["seed"], settings["learners"]
    ('5-fold', 0, {'majority': 'MajorityClassifier()'})
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(f"read_settings: {path} is not text; give the HTML file of a report.") from None
    _, opened, after = text.partition(_OPENING)
    block, closed, _ = after.partition(_CLOSING)
    if not (opened and closed):
        raise DataError(
            f"read_settings: {path} holds no settings; give an HTML file that write_report or report made."
        )
    try:
        settings = json.loads(block)
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"read_settings: the settings in {path} are damaged ({error}).") from None
    if not isinstance(settings, dict) or settings.get("format") != FORMAT:
        version = settings.get("format") if isinstance(settings, dict) else None
        raise DataError(
            f"read_settings: {path} has settings of format {version!r}, expected {FORMAT}; a newer version may read it."
        )
    return settings
