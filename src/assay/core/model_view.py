"""A fitted learner to look at: its tree, rules, coefficients, priors or importances, as text, as data, as HTML.

``Learner.show`` and the notebook view show what :func:`model_parts` finds: a model that prints
itself (trees, rules, tables of naive Bayes), coefficients, class priors, means of classes, importances of columns,
the models inside. A learner with more to say overrides ``_model_parts``.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from assay.core.explanation import Section, html_table, text_table
from assay.sentence import in_notebook
from assay.tables.schema import moment

__all__ = [
    "ModelView",
    "Part",
    "TextBlock",
    "coefficient_section",
    "importance_section",
    "model_facts",
    "model_parts",
]

CLASSES_NAMED = 8  # of more classes the headline gives the number only
CLASSES_AS_COLUMNS = 12  # a table with more classes has a row, not a column, for each
SETTINGS_LENGTH = 60  # characters of one setting in the headline
_IN_THE_FACTS = ("schema_", "design_", "classes_", "n_features_in_", "feature_names_in_", "estimators_")
MODELS_INSIDE = 3  # of more inner models only the kinds are counted


@dataclass(frozen=True)
class TextBlock:
    """A part of a model that is text, such as a tree or rules; ``html`` is its drawing for pages."""

    title: str
    text: str
    html: str = ""
    note: str = ""


Part = Section | TextBlock


@dataclass(frozen=True, repr=False)
class ModelView:
    """What a fitted learner has learned: a headline and parts.

    ``print`` it for text, ``to_dict`` gives plain data, a notebook shows it as HTML.

    Parameters
    ----------
    learner : str
        The name of the class.
    facts : list of str
        Sentences: classes, columns, settings that are not the defaults.
    parts : list of Section and TextBlock
    limit : int or None
        The most rows of a table and lines of a text that are shown; None shows all.

    Examples
    --------
    >>> from assay.linear import LinearRegression
    >>> print(LinearRegression().fit({"age": [1.0, 2.0, 3.0]}, [3.0, 5.0, 7.0]).show())
    LinearRegression
    Learned from 1 column.
    <BLANKLINE>
    Coefficients
      column       coefficient
      (intercept)            1
      age                    2
    """

    learner: str
    facts: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    limit: int | None = None

    def __str__(self) -> str:
        blocks = ["\n".join([self.learner, *self.facts])]
        for part in map(self._cut, self.parts):
            if isinstance(part, TextBlock):
                body = "\n".join(f"  {line}" for line in part.text.splitlines())
            else:
                body = text_table(part.columns, part.rows)
            blocks.append(f"{part.title}\n{body}" + (f"\n  {part.note}" if part.note else ""))
        return "\n\n".join(blocks)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold, all rows of it whatever the limit is; fractions become text like '4/7'."""
        return {
            "learner": self.learner,
            "facts": list(self.facts),
            "parts": [
                {"title": part.title, "text": part.text, "note": part.note}
                if isinstance(part, TextBlock)
                else {
                    "title": part.title,
                    "columns": list(part.columns),
                    "rows": [[_plain(cell) for cell in row] for row in part.rows],
                    "note": part.note,
                }
                for part in self.parts
            ],
        }

    def to_html(self) -> str:
        """The view as a piece of HTML, without style sheets or scripts of its own."""
        html = [f'<div class="assay-model"><h4>{escape(self.learner)}</h4>']
        html += [f"<p>{escape(fact)}</p>" for fact in self.facts]
        for part in self.parts:
            if isinstance(part, Section) or not part.html:  # a drawing says itself what it leaves out
                part = self._cut(part)
            if isinstance(part, Section):
                html.append(html_table(part.title, part.columns, part.rows, part.note))
                continue
            note = f"<p>{escape(part.note)}</p>" if part.note else ""
            html.append(f"<h5>{escape(part.title)}</h5>{part.html or _preformatted(part.text)}{note}")
        return "\n".join(html) + "</div>"

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html())

    def _cut(self, part: Part) -> Part:
        """The part with as many rows or lines as the limit allows, and a note of how many more there are."""
        lines: Sequence[Any] = part.text.splitlines() if isinstance(part, TextBlock) else part.rows
        if self.limit is None or len(lines) <= self.limit:
            return part
        what = "lines" if isinstance(part, TextBlock) else "rows"
        more = f"{len(lines) - self.limit} more {what} are not shown."
        note = f"{part.note} {more}".strip()
        if isinstance(part, TextBlock):
            return TextBlock(part.title, "\n".join(lines[: self.limit]), part.html, note)
        return Section(part.title, part.columns, list(lines[: self.limit]), note)


def model_parts(model: Any) -> list[Part]:
    """What a fitted learner has to show, by the names of its attributes; a model that prints itself shows that."""
    if type(model).__str__ not in (object.__str__, BaseEstimator.__str__):
        text = str(model).removeprefix(f"{model!r}\n").strip("\n")
        return [TextBlock("Model", text, model._model_html())]
    parts: list[Part] = [
        part
        for make in (_priors, coefficient_section, _centres, importance_section)
        if (part := make(model)) is not None
    ]
    parts += _inner_parts(model)
    return parts or [_attributes(model)]


def coefficient_section(model: Any) -> Section | None:
    """The coefficients of a linear model by column, the intercept first; None for a model without."""
    weights, names = _attribute(model, "coef_"), _column_names(model)
    if weights is None or names is None:
        return None
    weights = np.asarray(weights.toarray() if hasattr(weights, "toarray") else weights, dtype=float)
    weights = weights.reshape(-1, weights.shape[-1])
    intercept = _attribute(model, "intercept_")
    outputs = len(weights)
    if weights.shape[1] != len(names):
        return None
    offsets = np.zeros(outputs) if intercept is None else np.broadcast_to(np.ravel(intercept), outputs)
    classes = getattr(model, "classes_", None)
    note = ""
    if classes is not None and not isinstance(classes, list) and outputs == 1 and len(classes) == 2:
        heads, note = (
            ["coefficient"],
            f"A positive score speaks for {classes[1]}, a negative one for {classes[0]}.",
        )
    elif classes is not None and not isinstance(classes, list) and outputs == len(classes):
        labels = getattr(model, "multilabel_", False)
        heads = [f"label {label}" if labels else str(label) for label in classes]
    else:
        heads = ["coefficient"] if outputs == 1 else [f"output {k}" for k in range(outputs)]
    first = [["(intercept)", *offsets.tolist()]] if intercept is not None else []
    strongest = np.argsort(-np.abs(weights).max(axis=0), kind="stable")
    order = range(len(names)) if len(names) <= 20 else strongest.tolist()
    if len(names) > 20:
        note = f"{note} The largest coefficients come first.".strip()
    rows = first + [[names[j], *weights[:, j].tolist()] for j in order]
    return _wide("Coefficients", "column", heads, rows, note)


def importance_section(model: Any) -> Section | None:
    """The importances of the columns, the greatest first; None for a model without."""
    shares = _attribute(model, "feature_importances_")
    names = getattr(getattr(model, "schema_", None), "names", None)
    if shares is None or names is None or len(shares) != len(names):
        return None
    order = np.argsort(-np.asarray(shares), kind="stable").tolist()
    note = "Shares of the improvement that the splits of each column made on the training rows."
    rows = [[names[j], float(shares[j])] for j in order]
    return Section("Importance of columns", ["column", "importance"], rows, note)


def model_facts(model: Any) -> list[str]:
    """Sentences of the headline: classes, columns, settings that are not the defaults."""
    facts = []
    classes = getattr(model, "classes_", None)
    columns = getattr(model, "n_features_in_", None)
    if isinstance(classes, list):
        facts.append(f"Predicts {len(classes)} outputs.")
    elif classes is not None and getattr(model, "multilabel_", False):
        facts.append(f"Says of each of {len(classes)} labels whether a row has it.")
    elif classes is not None:
        named = ", ".join(map(str, classes)) if len(classes) <= CLASSES_NAMED else "..."
        facts.append(f"Tells {len(classes)} classes apart: {named}.")
    if columns is not None:
        facts.append(f"Learned from {columns} column{'s' if columns != 1 else ''}.")
    settings = _settings(model._learner_of_settings() if hasattr(model, "_learner_of_settings") else model)
    if settings:
        facts.append(f"Settings: {', '.join(settings)}.")
    return facts


def _settings(model: Any) -> list[str]:
    """The parameters that differ from the defaults, as ``name=value``."""
    try:
        defaults = {name: p.default for name, p in inspect.signature(type(model)).parameters.items()}
        parameters = model.get_params(deep=False)
    except (TypeError, ValueError):
        return []
    changed = []
    for name, value in parameters.items():
        text = repr(value) if not isinstance(value, BaseEstimator) else type(value).__name__
        if text != repr(defaults.get(name)):
            text = " ".join(text.split())
            changed.append(
                f"{name}={text if len(text) <= SETTINGS_LENGTH else text[: SETTINGS_LENGTH - 3] + '...'}"
            )
    return changed


def _attribute(model: Any, name: str) -> Any:
    """A fitted attribute, or None where there is none, or where it does not apply to these settings."""
    try:
        return getattr(model, name, None)
    except (ValueError, TypeError, NotImplementedError):
        return None


def _column_names(model: Any) -> list[str] | None:
    """The names of the columns that the mathematics sees."""
    try:
        return list(model._names)
    except AttributeError:
        return None


def _date_columns(model: Any) -> set[str]:
    """The names of the columns that hold dates, as days since 1970."""
    return {column.name for column in getattr(model, "schema_", ()) if column.date}


def _priors(model: Any) -> Section | None:
    classes = getattr(model, "classes_", None)
    for name in ("class_prior_", "priors_", "class_log_prior_"):
        values = _attribute(model, name)
        if values is not None and classes is not None and np.shape(values) == np.shape(classes):
            shares = np.exp(values) if name == "class_log_prior_" else np.asarray(values, dtype=float)
            rows = [[str(label), float(share)] for label, share in zip(classes, shares)]
            return Section("Class priors", ["class", "probability"], rows)
    return None


def _centres(model: Any) -> Section | None:
    """The mean of each column within each class."""
    classes, names = getattr(model, "classes_", None), _column_names(model)
    for name in ("theta_", "means_", "centroids_"):
        means = _attribute(model, name)
        if (
            isinstance(means, np.ndarray)
            and means.ndim == 2
            and classes is not None
            and not isinstance(classes, list)
            and names is not None
            and means.shape == (len(classes), len(names))
        ):
            dates = _date_columns(model)
            rows = [
                [name, *(moment(round(v)) if name in dates else v for v in column)]
                for name, column in zip(names, means.T.astype(float).tolist())
            ]
            return _wide("Means by class", "column", [str(label) for label in classes], rows, "")
    return None


def _inner_parts(model: Any) -> list[Part]:
    """The parts of the models inside, each named."""
    inside: list[tuple[str, Any]] = []
    for name in ("steps_", "estimator_", "best_estimator_"):
        value = vars(model).get(name)
        inside += [(type(v).__name__, v) for v in (value if isinstance(value, list) else [value])]
    inside = [(name, inner) for name, inner in inside if hasattr(inner, "_model_parts") and _is_fitted(inner)]
    members = None
    if not hasattr(type(model), "estimators_"):  # forests unpack theirs only when they are asked for
        members = vars(model).get("estimators_", vars(model).get("calibrated_classifiers_"))
    parts: list[Part] = []
    for name, inner in inside:
        parts += [_retitled(part, name) for part in inner._model_parts()]
    if members is not None and not inside:
        parts += _member_parts(model, np.ravel(np.array(members, dtype=object)).tolist())
    return parts


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _member_parts(model: Any, members: list[Any]) -> list[Part]:
    """A few models inside are shown one by one, many are counted by kind."""
    kinds = [member.shown_as if hasattr(member, "shown_as") else type(member).__name__ for member in members]
    counts = [[kind, kinds.count(kind)] for kind in dict.fromkeys(kinds)]
    parts: list[Part] = [Section("Models inside", ["kind", "number"], counts)]
    if len(members) <= MODELS_INSIDE:
        for label, member in zip(_member_names(model, len(members)), members):
            if hasattr(member, "_model_parts") and _is_fitted(member):
                parts += [_retitled(part, label) for part in member._model_parts()]
    return parts


def _member_names(model: Any, m: int) -> list[str]:
    """What each of m models inside is called: by its class or its pair of classes, or else by its number."""
    classes, how = getattr(model, "classes_", None), getattr(model, "multiclass", None)
    if classes is not None and how == "one-vs-rest" and len(classes) == m:
        return [str(label) for label in classes]
    pairs = list(combinations(classes, 2)) if classes is not None and how == "one-vs-one" else []
    if pairs and len(pairs) == m:
        return [f"{a} (0) against {b} (1)" for a, b in pairs]
    return [str(i + 1) for i in range(m)]


def _retitled(part: Part, name: str) -> Part:
    title = f"{name}: {part.title[:1].lower()}{part.title[1:]}"
    if isinstance(part, TextBlock):
        return TextBlock(title, part.text, part.html, part.note)
    return Section(title, part.columns, part.rows, part.note)


def _attributes(model: Any) -> Section:
    """What fit made, by name: numbers and short values as they are, arrays by their shape."""
    rows = []
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and not name.startswith("_") and name not in _IN_THE_FACTS:
            rows.append([name, _brief(value)])
    return Section("Fitted attributes", ["attribute", "value"], rows)


def _brief(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim:
        return f"array of {' x '.join(map(str, value.shape))}"
    if isinstance(value, (list, tuple, dict, set)) and len(str(value)) > SETTINGS_LENGTH:
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        return value.item()
    if value is None or isinstance(value, (int, float, str, list, tuple, dict, set)):
        return value if isinstance(value, (int, float, str)) else str(value)
    return type(value).__name__


def _wide(title: str, corner: str, heads: list[str], rows: list[list[Any]], note: str) -> Section:
    """A table with a column for each head; with many heads, one row for each pair."""
    if len(heads) <= CLASSES_AS_COLUMNS:
        return Section(title, [corner, *heads], rows, note)
    long = [[row[0], head, value] for row in rows for head, value in zip(heads, row[1:])]
    return Section(title, [corner, "class", "value"], long, note)


def _plain(cell: Any) -> Any:
    return str(cell) if isinstance(cell, Fraction) else cell


def _preformatted(text: str) -> str:
    return f'<pre style="overflow-x:auto">{escape(text)}</pre>'
