"""Why a Gaussian process answers so: training rows by their weight, terms of the kernel, columns by their relevance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core import Regressor
from assay.core.cases import MOST_CASES, beside, values_beside
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.model_view import Part
from assay.kernels import Kernel, Sum
from assay.kernels.kernel_learner import KernelLearner
from assay.kernels.on_columns import OnColumns
from assay.kernels.stationary import OfDistance
from assay.processes.routes.route import Route
from assay.processes.routes.support import Support
from assay.tables.rows import take_rows

__all__ = [
    "ReasonsOfRegression",
    "point_label",
    "relevance",
    "relevance_of_columns",
    "shares_of_terms",
    "spoken_rows",
    "terms_at",
    "terms_of_sum",
]

SHOWN = 8  # training rows in an explanation
NORMAL_95 = 1.959963984540054


def terms_of_sum(kernel: Kernel) -> list[Kernel]:
    """The kernels that a kernel is the sum of.

    >>> from assay.kernels import RBF, WhiteKernel
    >>> from assay.processes.reasons import terms_of_sum
    >>> terms_of_sum(2.0 * RBF() + RBF(9.0) + WhiteKernel())
    [1.41**2 * RBF(length_scale=1), RBF(length_scale=9), WhiteKernel(noise_level=1)]
    """
    return [*terms_of_sum(kernel.k1), *terms_of_sum(kernel.k2)] if isinstance(kernel, Sum) else [kernel]


def relevance(kernel: Kernel, X: Any) -> list[tuple[int, float, float]]:
    """Columns with a length scale of their own: place, length scale, and relevance, the most relevant first.

    The relevance is the standard deviation of the column divided by its length scale: below 0.1 the answers hardly
    change over the range of the column.

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.reasons import relevance
    >>> relevance(RBF([1.0, 10.0]), np.array([[-1.0, -1.0], [1.0, 1.0]]))
    [(0, 1.0, 1.0), (1, 10.0, 0.1)]
    """
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind != "f":
        return []
    scales: dict[int, float] = {}

    def gather(part: Kernel, columns: np.ndarray) -> None:
        if isinstance(part, OnColumns) and not isinstance(part.columns, str):
            gather(part.kernel, columns[np.asarray(part.columns, dtype=np.int64)])
        elif isinstance(part, OfDistance) and np.size(part._scale()) == len(columns):
            for j, scale in zip(columns, np.atleast_1d(part._scale())):
                scales[int(j)] = min(scales.get(int(j), np.inf), float(scale))
        else:
            for inner in part._parts().values():
                gather(inner, columns)

    gather(kernel, np.arange(X.shape[1]))
    sd = np.nanstd(X, axis=0)
    lines = [(j, scale, float(sd[j]) / scale) for j, scale in scales.items()]
    return sorted(lines, key=lambda line: -line[2])


def shares_of_terms(kernel: Kernel, X: Any) -> list[Part]:
    """The terms of a sum by their share of the variance, on average over these rows."""
    terms = terms_of_sum(kernel)
    if len(terms) < 2:
        return []
    sizes = [float(np.mean(term.diagonal(X))) for term in terms]
    total = sum(sizes) or 1.0
    lines: list[list[Any]] = [[repr(term), size / total] for term, size in zip(terms, sizes)]
    return [Section("Terms by share of variance", ["term", "share"], lines)]


def relevance_of_columns(kernel: Kernel, X: Any, names: list[str] | None) -> list[Part]:
    """The columns with a length scale of their own, by their relevance over these rows."""
    columns = relevance(kernel, X)
    if not columns or names is None:
        return []
    lines: list[list[Any]] = [[names[j], scale, share] for j, scale, share in columns]
    note = "Relevance: standard deviation of the column divided by its length scale."
    return [Section("Columns by relevance", ["column", "length scale", "relevance"], lines, note)]


def point_label(i: int) -> int:
    """What a point that stands for rows is called."""
    return i + 1


def spoken_rows(
    support: Support, scale: float, base: float, head: str, label: Callable[[int], Any]
) -> tuple[Section, np.ndarray]:
    """The rows or points by their weights in the mean of the first target, and the places of those that are shown.

    Parameters
    ----------
    support : Support      scale, base : what targets were divided by and what was taken away before
    head : what the rows are called      label : the name of the row of a number
    """
    weights, levels = support.weights, support.levels[:, 0] * scale
    votes, values = weights * levels, support.similarities
    order = np.argsort(-np.abs(weights), kind="stable")[:SHOWN]
    lines: list[list[Any]] = [
        [
            label(int(support.places[j])),
            float(values[j]),
            float(weights[j]),
            float(levels[j] + base),
            float(votes[j]),
        ]
        for j in order
    ]
    level = "function" if support.points else "target"
    others = len(weights) - len(order)
    kind = "points" if support.points else "rows"
    more = f"{others} more {kind} add {float(votes.sum() - votes[order].sum()):.6g}; " if others else ""
    about = f"A contribution is the weight times the {level} less the mean of the targets. " if base else ""
    added = f"{more}the mean of the targets adds {base:.6g}: " if base else more
    note = f"{added}the answer is {float(votes.sum()) + base:.6g}."
    heads = [head, "kernel", "weight", "function there" if support.points else "target", "contribution"]
    title = "Inducing points by weight" if support.points else "Training rows by weight"
    return Section(title, heads, lines, about + note[:1].upper() + note[1:]), order


def terms_at(support: Support, scale: float) -> list[Section]:
    """What each term of a sum adds to the mean and to the variance before any target was seen."""
    terms = [(term, float(term.diagonal(support.x)[0])) for term in terms_of_sum(support.kernel)]
    terms = [(term, size) for term, size in terms if size > 0]
    if len(terms) < 2:
        return []
    total, c = sum(size for _, size in terms), np.ascontiguousarray(support.coefficients[:, :1])
    lines: list[list[Any]] = [
        [repr(term), float(term.combine(support.x, support.rows, c)[0, 0]) * scale, size / total]
        for term, size in terms
    ]
    return [Section("Terms of the kernel", ["term", "adds to the mean", "share of prior variance"], lines)]


class ReasonsOfRegression(KernelLearner, Regressor):
    """What ``explain`` and ``show`` say of a Gaussian process regression."""

    route_: Route
    y_mean_: np.ndarray
    y_scale_: np.ndarray

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        mean, variance = self.route_.moments(X)
        latent = np.maximum(variance.reshape(len(mean), -1) - self._noise_of(X)[:, None], 0.0)
        noisy = variance.reshape(len(mean), -1) + self._mean_noise
        mean = mean * self.y_scale_ + self.y_mean_
        latent, noisy = (np.sqrt(v) * self.y_scale_ for v in (latent, noisy))

        def sections(i: int) -> list[Section]:
            names = self._target_names(mean.shape[1]) if mean.shape[1] > 1 else ["the target"]
            lines: list[list[Any]] = [
                [name, float(m), float(f), float(s), float(m - NORMAL_95 * s), float(m + NORMAL_95 * s)]
                for name, m, f, s in zip(names, mean[i], latent[i], noisy[i])
            ]
            heads = ["of", "mean", "sd of the function", "sd with noise", "from", "to"]
            note = "From and to: the interval that holds 95 % of such targets, by the model."
            return [
                Section("Answer and uncertainty", heads, lines, note),
                *self._spoken(X[i : i + 1], rows[i]),
            ]

        return Reasons(sections)

    def _spoken(self, x: Any, row: dict[str, Any]) -> list[Section]:
        """The rows or points by their weights in the mean of the first target, and the terms of the kernel."""
        support, scale, base = self.route_.support(x), float(self.y_scale_[0]), float(self.y_mean_[0])
        label = point_label if support.points else self._label
        section, order = spoken_rows(
            support, scale, base, "point" if support.points else self._cases.head, label
        )
        places = support.places[order[:MOST_CASES]]
        stored = take_rows(support.rows, order[:MOST_CASES])
        parts = [section]
        if "schema_" in vars(self) and not support.points:
            parts += beside(self, row, stored, places.tolist())
        elif "schema_" in vars(self) and not (isinstance(stored, np.ndarray) and stored.dtype == object):
            names = [f"point {int(j) + 1}" for j in places]
            parts += values_beside(self.schema_, getattr(self, "design_", None), row, stored, names)
        return parts + terms_at(support, scale)

    def _label(self, i: int) -> Any:
        """What a training row is called; rows of later calls of partial_fit by their numbers."""
        names = self._cases
        return names.label(i) if names.labels is None or i < len(names.labels) else i + 1

    # ---------------------------------------------------------------- the model

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            ["training rows", len(self.route_.Y)],
            ["log evidence", round(self.log_marginal_likelihood_value_, 6)],  # type: ignore[attr-defined]
        ]
        facts = [f"Kernel: {self.kernel_!r}.", f"Computed: {self.method_}."]  # type: ignore[attr-defined]
        facts.append(f"Parameters: {self.choice_.sentence}.")  # type: ignore[attr-defined]
        if jitter := self.route_.jitter:
            facts.append(
                f"Jitter: {jitter:.3g} was added to the diagonal, the covariance matrix was singular."
            )
        process = Section("Process", ["what", "value"], lines, " ".join(facts))
        names = self._names if "schema_" in vars(self) else None
        columns = relevance_of_columns(self.kernel_, self.route_.X, names)
        return [process, *shares_of_terms(self.kernel_, self.route_.X), *columns]

    def _noise_of(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _noise_of")

    @property
    def _mean_noise(self) -> float:
        raise TypeError(f"{type(self).__name__} must define _mean_noise")
