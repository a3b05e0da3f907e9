"""One HTML page for one comparison: complete in itself, without network, smaller than a megabyte."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from assay.errors import ParameterError
from assay.evaluate import Comparison, Finding, OutOfFold, Residuals
from assay.evaluate.doubts import doubts
from assay.evaluate.pairs import usual_rope
from assay.evaluate.records import as_plain
from assay.evaluate.remarks import face_of, grouped
from assay.report import ranking, reproduce
from assay.report.curves import overview
from assay.report.desk import MAX_BYTES, desk, script, script_hash
from assay.report.learner_page import learner_pages
from assay.report.methods import methods, sources, why_this_test
from assay.report.model_part import columns_part
from assay.report.refits import Extras, extras
from assay.report.residual_panels import predictions_overview, target_part
from assay.report.settings import settings_of
from assay.report.size import within_size
from assay.report.steps import steps
from assay.report.summary import summary
from assay.report.svg import class_bar
from assay.stats.significance.test_result import shown_confidence
from assay.tables.whole_files import write_whole

__all__ = ["render_report", "write_report"]

MAX_CLASSES = 40  # classes in the legend of the class bar, and in the embedded confusion matrices
MAX_PER_KIND = 4  # findings of one kind listed one by one


@dataclass(frozen=True)
class _Limits:
    """How much of everything the page holds."""

    columns: int
    learners: int
    desk_bytes: int


_LIMITS = (
    _Limits(300, 24, MAX_BYTES),
    _Limits(300, 24, 110_000),
    _Limits(150, 14, 90_000),
    _Limits(60, 6, 40_000),
    _Limits(10, 0, 0),
)


def write_report(
    result: Comparison,
    path: str | Path,
    *,
    learning_curves: Any = "auto",
    explanations: Any = "auto",
    importance: Any = "auto",
    rope: float | str | None = "auto",
) -> Path:
    """Write the page; returns its path.

    Parameters
    ----------
    result : Comparison
    path : where to
    learning_curves : "auto", True or False
        Whether to refit learners on growing shares of the rows, and over the parameter that sets their complexity.
        "auto" does what takes about as long as the comparison, at most.
    explanations : "auto", True or False
        Whether to refit the best learners to explain their most confident errors.
    importance : "auto", True or False
        Whether to refit the best learner for the importance of the columns and for its model; "auto" as above.
    rope : float, "auto" or None
        Region of practical equivalence: a difference of the first metric up to this size does not matter. "auto" is
        0.01 for shares and other metrics of classes, and a hundredth of the best learner's value for metrics of
        numbers that are in units of the target; None leaves it out.

    Examples
    --------
    >>> import tempfile
    >>> from assay import compare
    >>> from assay.report import write_report
    >>> result = compare(["majority"], [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "b"] * 10, design="5-fold")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(result, folder + "/small.html").name
    'small.html'
    """
    path = checked_path(path)
    html = render_report(
        result, learning_curves=learning_curves, explanations=explanations, importance=importance, rope=rope
    )
    return write_whole(path, html)


def checked_path(path: str | Path) -> Path:
    """The path, if its folder exists; checked before the work, not after it."""
    path = Path(path)
    if not path.absolute().parent.is_dir():
        raise ParameterError(
            f"report: there is no folder {path.parent} to write {path.name} into; make it first."
        )
    if path.is_dir():
        raise ParameterError(
            f"report: {path} is a folder; give the name of a file, such as {path / 'report.html'}."
        )
    return path


def render_report(
    result: Comparison,
    *,
    learning_curves: Any = "auto",
    explanations: Any = "auto",
    importance: Any = "auto",
    rope: float | str | None = "auto",
) -> str:
    """The page as text. Names and labels of the data are escaped everywhere.

    >>> from assay import compare
    >>> from assay.report import render_report
    >>> from assay.tables.data import load_iris
    >>> page = render_report(compare(["majority", "lda"], *load_iris(), design="holdout"))
    >>> page.lstrip()[:15]
    '<!doctype html>'
    """
    if rope == "auto":
        rope = usual_rope(result)
    if rope is not None and not (isinstance(rope, (int, float)) and 0 <= rope < float("inf")):
        raise ParameterError(f'report: rope must be a number from 0 up, "auto" or None, got {rope!r}.')
    answers = {s.learner: result.out_of_fold(s.learner) for s in result.ranking() if not s.failure}
    refitted = extras(result, learning_curves, explanations, importance)
    parts = _parts(result, answers, refitted, rope)
    return legible(
        within_size(lambda limits: _rendered(result, answers, parts, limits), _LIMITS, _names(result))
    )


def template(name: str) -> Any:
    """A template of this room; whatever is put in is escaped."""
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    """Where templates are compiled, each once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def legible(html: str) -> str:
    """The page without invisible characters that turn the direction of all text after them, or that no page may hold.

    A name may hold such a character; shown, it would garble the sentence around it. The embedded JSON escapes it.

    >>> from assay.report.page import legible
    >>> legible("a \\u202e name")
    'a \ufffd name'
    """
    return html.translate(_TURNS)


_TURNS = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(9), 11, 12, *range(14, 32)], "\ufffd"
)


def dress() -> dict[str, Any]:
    """Style, script, and the policy that lets this script alone run."""
    code = script()
    return {
        "style": Markup((Path(__file__).parent / "page.css").read_text(encoding="utf-8")),
        "script": Markup(code),
        "script_hash": script_hash(code),
    }


def _parts(
    result: Comparison, answers: dict[str, OutOfFold], refitted: Extras, rope: float | None
) -> dict[str, Any]:
    """Everything on the page that does not depend on the limits."""
    sentences = methods(result, rope)
    findings = _findings(result, rope)
    return {
        "result": result,
        "version": result.settings["versions"].get("assay", ""),
        "title": _title(result),
        "metric": result.metrics[0],
        "sure": shown_confidence(result.alpha),
        "tiles": ranking.tiles(result),
        "ranking": ranking.ranked(result),
        "ranks": ranking.ranks(result),
        "differences": ranking.differences(result, rope),
        "pairs": ranking.pairs(result),
        "metrics": ranking.measures(result),
        "curves": overview(result, answers),
        "predictions": _predictions(result, answers, refitted),
        "target": target_part(result),
        "pages": learner_pages(result, answers, refitted, _LIMITS[0].learners),
        "times": ranking.times(result),
        "classes": class_bar(list(result.data.classes.items())[:200]) if result.classes else None,
        "legend": list(result.data.classes.items())[:MAX_CLASSES],
        "findings": [(f.severity, f.said(face_of(result))) for f in findings],
        "summary": summary(result, refitted.importance, findings),
        "columns_part": columns_part(refitted.importance),
        "model": refitted.model,
        "best": result.ranking()[0].learner if result.ranking() else "",
        "failures": result.failures,
        "notes": result.notes + refitted.notes,
        "methods": sentences,
        "sources": sources(sentences),
        "advice": why_this_test(result),
        "steps": steps(result),
        "python": reproduce.python_line(result),
        "command": reproduce.command_line(result),
        "settings": settings_of(result),
        "embedded": _embedded(result),
    }


def _predictions(
    result: Comparison, answers: dict[str, OutOfFold], refitted: Extras
) -> dict[str, Any] | None:
    """Predicted numbers of all learners side by side; None for classes."""
    if result.task != "regression":
        return None
    return predictions_overview(
        result, {name: Residuals.of_comparison(result, name) for name in answers}, refitted.predictive
    )


def _names(result: Comparison) -> list[str]:
    """Names given by the user: of the data, learners, classes and columns."""
    d = result.data
    return [d.name, d.target, *result.learners, *map(str, result.classes), *(c.name for c in d.columns)]


def _title(result: Comparison) -> str:
    L = len(result.learners)
    return f"{result.data.name}: {f'{L} learners compared' if L > 1 else result.learners[0]}"


def _rendered(
    result: Comparison, answers: dict[str, OutOfFold], parts: dict[str, Any], limits: _Limits
) -> str:
    pages = parts["pages"][: limits.learners]
    limited = {
        "pages": pages,
        "pages_left": len(answers) - len(pages),
        "desk": desk(result, answers, limits.desk_bytes) if limits.desk_bytes else None,
        "columns": result.data.columns[: limits.columns],
        "hidden_columns": max(0, len(result.data.columns) - limits.columns),
    }
    return str(template("page.html").render(**dress(), **(parts | limited)))


def _findings(result: Comparison, rope: float | None) -> list[Finding]:
    """Reasons to doubt the result, and oddities of the data; failed learners are listed elsewhere."""
    doubtful = [f for f in doubts(result, rope=rope or 0.0) if f.code != "failed-learner"]
    return grouped(doubtful + result.data.findings, MAX_PER_KIND)


def _embedded(result: Comparison) -> dict[str, Any]:
    """The numbers of the page as JSON, without the records of single splits."""
    omitted = {"records", "settings"} | ({"confusion"} if len(result.classes) > MAX_CLASSES else set())
    numbers = as_plain(result, without=omitted)
    return numbers | {"data": {k: v for k, v in numbers["data"].items() if k != "columns"}}
