"""The terms of a linear score, by the columns of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.linear.affine import length
from assay.tables import Design

__all__ = ["nearest_section", "sum_of_terms", "terms_section"]

MAX_TERMS = 12  # terms that are listed one by one


def gathered(design: Design, x: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(d, k) weight and (d, k) product of each column of the user's table; weights is (D, k) over the design.

    The indicators of a nominal column are one term: the weight of the category that is there, 0 for the reference.
    """
    d = len(design.schema)
    product = np.zeros((d, weights.shape[1]))
    np.add.at(product, design.source, x[:, None] * weights)
    weight = product.copy()
    numeric = [column.kind != "nominal" for column in design.schema]
    for j, source in enumerate(design.source):
        if numeric[source]:
            weight[source] = weights[j]
    return weight, product


def _shown_value(design: Design, j: int, value: Any, x: np.ndarray) -> Any:
    """A value in the user's words; a category that has an order with its number, which the weight multiplies."""
    if design.schema[j].kind != "ordinal" or value is None:
        return value
    return f"{value} ({x[np.flatnonzero(design.source == j)[0]]:g})"


def terms_section(
    title: str,
    design: Design,
    row: dict[str, Any],
    x: np.ndarray,
    weights: np.ndarray,
    constants: np.ndarray,
    heads: list[str],
    note: str = "",
) -> Section:
    """Which column adds what to the score, largest first.

    Parameters
    ----------
    title, note : of the section
    design : how the learner's numbers came from the user's columns
    row : the row in the user's words
    x : (D,) the row as the mathematics sees it
    weights : (D, k), constants : (k,) of k scores; the last one decides the order of the terms
    heads : k names for them; one score alone also shows the weights
    """
    weight, product = gathered(design, x, weights)
    single = weights.shape[1] == 1
    order = np.argsort(-np.abs(product[:, -1]), kind="stable")
    rows: list[list[Any]] = []
    for j in order[:MAX_TERMS]:
        name = design.schema[int(j)].name
        shown = [float(weight[j, 0])] if single else []
        rows.append([name, _shown_value(design, int(j), row.get(name), x), *shown, *product[j].tolist()])
    blank = [""] if single else []
    if len(order) > MAX_TERMS:
        remainder = product[order[MAX_TERMS:]].sum(axis=0)
        rows.append([f"{len(order) - MAX_TERMS} more columns", "", *blank, *remainder.tolist()])
    rows.append(["constant", "", *blank, *constants.tolist()])
    rows.append(["sum", "", *blank, *(product.sum(axis=0) + constants).tolist()])
    columns = ["term", "value", *(["weight"] if single else []), *heads]
    return Section(title, columns, rows, note)


def sum_of_terms(
    learner: Any,
    title: str,
    X: Any,
    rows: RowValues,
    weights: np.ndarray,
    constants: np.ndarray,
    heads: list[str],
    outputs: list[str],
) -> Reasons:
    """The reasons of a learner that adds up terms: the section of each row, and the contributions of its columns."""

    def sections(i: int) -> list[Section]:
        x = dense_block(X[i : i + 1])[0].astype(np.float64)
        return [terms_section(title, learner.design_, rows[i], x, weights, constants, heads)]

    def contributions(some: np.ndarray) -> Contributions:
        values = dense_block(X[some])[:, :, None] * weights
        return learner._contributions(values, constants, outputs, np.zeros(len(some), int))

    return Reasons(sections, contributions)


def nearest_section(
    design: Design, row: dict[str, Any], x: np.ndarray, normal: np.ndarray, score: float, other: Any
) -> Section | None:
    """The nearest point where the answer turns into ``other``, moving the columns of numbers only.

    Each column counts in its own unit, so the distance compares rows, but columns only if these are on one scale.
    """
    free = np.array([design.schema[int(j)].kind == "numeric" for j in design.source])
    w = np.where(free, normal, 0.0)
    size = float(length(w))
    if size == 0.0 or not np.isfinite(size):
        return None
    step = -(score / size) * (w / size)
    order = [int(j) for j in np.argsort(-np.abs(step), kind="stable") if step[j] != 0][:MAX_TERMS]
    rows = [[design.names[j], float(x[j]), float(x[j] + step[j]), float(step[j])] for j in order]
    distance = abs(score) / size
    note = f"At a distance of {distance:.4g}, columns in their own units, the answer would turn into {other}"
    hidden = int((step != 0).sum()) - len(rows)
    if hidden > 0:
        note += f" ({hidden} more columns move less)"
    note += ", the categories staying as they are." if not free.all() else "."
    return Section("Nearest point on the boundary", ["column", "here", "there", "change"], rows, note)
