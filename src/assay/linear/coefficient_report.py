"""Standardised coefficients: direction and size of each column's effect, on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from assay.core.explanation import cell_text, text_table
from assay.errors import DataError, ParameterError
from assay.sentence import in_notebook
from assay.types import Estimator, TableLike, Target

__all__ = ["CoefficientReport", "coefficient_report", "pruned"]

SCALES = ("standard", "range", "none")


@dataclass(frozen=True)
class CoefficientReport:
    """Columns by the size of their effect, the largest first; made by `coefficient_report`.

    names : the columns of the design      coef : (D, outputs) as learned
    spread : (D,) what each coefficient was multiplied by      scaled : (D, outputs) coefficient times spread
    size : (D,) length of a column's scaled coefficients      heads : names of the outputs or classes
    weak : (D,) whether a column is near zero      scale, tolerance : how that was judged
    """

    names: list[str]
    coef: np.ndarray
    spread: np.ndarray
    scaled: np.ndarray
    size: np.ndarray
    weak: np.ndarray
    heads: list[str]
    scale: str
    tolerance: float

    @property
    def kept(self) -> list[str]:
        """The columns that are not near zero, the largest first."""
        return [name for name, weak in zip(self.names, self.weak) if not weak]

    def _rows(self) -> tuple[list[str], list[list[Any]]]:
        single = self.scaled.shape[1] == 1
        columns = ["column", "effect", "coefficient", "scaled"] if single else ["column", *self.heads, "size"]
        rows: list[list[Any]] = []
        for j, name in enumerate(self.names):
            if single:
                value = float(self.scaled[j, 0])
                effect = "near zero" if self.weak[j] else "raises" if value > 0 else "lowers"
                rows.append([name, effect, float(self.coef[j, 0]), value])
            else:
                rows.append([name, *map(float, self.scaled[j]), float(self.size[j])])
        return columns, rows

    def __str__(self) -> str:
        columns, rows = self._rows()
        return f"{self._title}\n{text_table(columns, rows)}\n  {self._note}"

    @property
    def _title(self) -> str:
        per = {"standard": "per standard deviation", "range": "over the range", "none": "per unit"}[
            self.scale
        ]
        return f"Effect of each column, {per}"

    @property
    def _note(self) -> str:
        weak = [name for name, weak in zip(self.names, self.weak) if weak]
        if not weak:
            return f"No column is below {self.tolerance:g} of the largest."
        return f"Below {self.tolerance:g} of the largest, and candidates to leave out: {', '.join(weak)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold."""
        return {
            "scale": self.scale,
            "tolerance": self.tolerance,
            "outputs": list(self.heads),
            "columns": [
                {
                    "name": name,
                    "coefficient": self.coef[j].tolist(),
                    "scaled": self.scaled[j].tolist(),
                    "size": float(self.size[j]),
                    "near_zero": bool(self.weak[j]),
                }
                for j, name in enumerate(self.names)
            ],
        }

    def to_html(self) -> str:
        """The table as a piece of HTML, without style or scripts."""
        columns, rows = self._rows()
        head = "".join(f"<th>{escape(c)}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell_text(v))}</td>" for v in row) + "</tr>" for row in rows
        )
        return (
            f'<div class="assay-coefficients"><h5>{escape(self._title)}</h5><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table><p>{escape(self._note)}</p></div>"
        )

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html())


def coefficient_report(
    model: Estimator, X: TableLike, *, scale: str = "standard", tolerance: float = 0.05
) -> CoefficientReport:
    r"""Signs and sizes of the coefficients, made comparable.

    A coefficient is an effect per unit of its column, so coefficients of columns in different units cannot be
    compared. Multiplied by the spread of its column, each says what a typical difference of that column does:

    .. math:: \tilde w_j = w_j s_j                                                              \quad (1)

    This is the coefficient that the learner would have found on columns scaled to the same spread, if it has no
    penalty. Columns that carry the same information share their effect, so a small coefficient of one of them
    does not mean that the information is useless.

    Parameters
    ----------
    model : a fitted linear learner with ``coef_``      X : rows, such as the training rows
    scale : "standard" takes the standard deviation as spread, "range" largest less smallest value, "none" 1
    tolerance : columns whose size is below this share of the largest are called near zero

    Examples
    --------
    >>> from assay.linear import PolynomialRegressor
    >>> from assay.linear.coefficient_report import coefficient_report
    >>> X = [[0.0, 1000.0], [1.0, 3000.0], [2.0, 2000.0], [3.0, 4000.0]]
    >>> model = PolynomialRegressor(degree=1).fit(X, [0.0, 5.0, 10.0, 15.0])
    >>> print(coefficient_report(model, X))
    Effect of each column, per standard deviation
      column  effect     coefficient  scaled
      x0      raises               5    5.59
      x1      near zero            0       0
      Below 0.05 of the largest, and candidates to leave out: x1.
    """
    if scale not in SCALES or not 0 <= tolerance < 1:
        raise ParameterError(
            f"coefficient_report: scale must be one of {', '.join(SCALES)} and tolerance a number from 0 to below 1, "
            f"got {scale!r} and {tolerance!r}."
        )
    if not hasattr(model, "coef_"):
        raise DataError(
            f"coefficient_report: {type(model).__name__} has no coef_. Give a linear learner that is fitted."
        )
    values, names = _numbers(model, X)
    W = np.atleast_2d(np.asarray(_dense(model.coef_), dtype=np.float64)).T
    if len(W) != len(names):
        raise DataError(
            f"coefficient_report: {type(model).__name__} has {len(W)} coefficients for {len(names)} columns. Report on "
            "a learner that is linear in its columns."
        )
    spread = {
        "standard": lambda: values.std(axis=0),
        "range": lambda: values.max(axis=0) - values.min(axis=0),
        "none": lambda: np.ones(len(names)),
    }[scale]()
    scaled = W * spread[:, None]  # (1)
    size = np.sqrt(np.sum(scaled**2, axis=1)) if scaled.shape[1] > 1 else np.abs(scaled[:, 0])
    size = np.where(size > 1e-13 * size.max(initial=0.0), size, 0.0)  # rounding of a coefficient that is zero
    scaled, W = np.where(size[:, None] > 0, scaled, 0.0), np.where(size[:, None] > 0, W, 0.0)
    order = np.argsort(-size, kind="stable")
    weak = size <= tolerance * size.max(initial=0.0)
    return CoefficientReport(
        [names[j] for j in order], W[order], spread[order], scaled[order], size[order], weak[order],
        _heads(model, W.shape[1]), scale, tolerance,
    )  # fmt: skip


def pruned(
    model: Any, X: Any, y: Target, *, scale: str = "standard", tolerance: float = 0.05
) -> tuple[Any, list[str]]:
    """The learner fitted again without the columns whose coefficients are near zero, and the names of those kept.

    A nominal column stays if one of its categories matters. X is a frame, an array or a sparse matrix; the new
    learner wants the kept columns only.

    Examples
    --------
    >>> from assay.linear import PolynomialRegressor, pruned
    >>> X = np.array([[0.0, 10.0], [1.0, 30.0], [2.0, 20.0], [3.0, 40.0]])
    >>> model = PolynomialRegressor(degree=1).fit(X, [0.0, 5.0, 10.0, 15.0])
    >>> smaller, kept = pruned(model, X, [0.0, 5.0, 10.0, 15.0])
    >>> kept, smaller.coef_.round(9)
    (['x0'], array([5.]))
    """
    from sklearn.base import clone

    report = coefficient_report(model, X, scale=scale, tolerance=tolerance)
    design = getattr(model, "design_", None)
    _, names = _numbers(model, X)
    place = [names.index(name) for name in report.kept]
    columns = sorted(set(place if design is None else design.source[place].tolist()))
    if not columns:
        raise DataError(
            "pruned: every coefficient is zero, so no column would be left. The target may be constant."
        )
    labels = [model.schema_[j].name for j in columns] if design is not None else [names[j] for j in columns]
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        subset = X.select(labels) if hasattr(X, "select") and not hasattr(X, "iloc") else X[labels]
    else:
        subset = X.tocsr()[:, columns] if hasattr(X, "tocsr") else np.asarray(X)[:, columns]
    return clone(model).fit(subset, y), labels


def _numbers(model: Any, X: Any) -> tuple[np.ndarray, list[str]]:
    """The rows as the learner's mathematics sees them, and the names of those columns."""
    if hasattr(model, "_admit"):
        values, names = model._admit(X), list(model._names)
    else:
        values = X
        names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(np.shape(X)[1])]))
    return np.asarray(_dense(values), dtype=np.float64), names


def _dense(values: Any) -> Any:
    return values.toarray() if hasattr(values, "toarray") else values


def _heads(model: Any, k: int) -> list[str]:
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) == k:
        return [str(c) for c in classes]
    return ["coefficient"] if k == 1 else [f"output {i}" for i in range(k)]
