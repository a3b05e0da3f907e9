"""Why a Gaussian process by inducing points answers so: the points that speak, and how sure they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Regressor
from assay.core.cases import MOST_CASES, values_beside
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.model_view import Part
from assay.kernels.kernel_learner import KernelLearner
from assay.processes.noise import noise_variance, without_noise
from assay.processes.reasons import (
    NORMAL_95,
    point_label,
    relevance_of_columns,
    shares_of_terms,
    spoken_rows,
    terms_at,
)
from assay.processes.routes.collapsed_bound import PointsPosterior
from assay.processes.selection import Choice

__all__ = ["ReasonsOfPoints"]


class ReasonsOfPoints(KernelLearner, Regressor):
    r"""What ``explain`` and ``show`` say of a regression by inducing points.

    The mean is a weighted sum of the function's values at the points, :math:`m(x) = w^T f_Z` with
    :math:`w = K_{ZZ}^{-1} k_Z(x)`.
    """

    posterior_: PointsPosterior
    choice_: Choice
    lower_bound_: float
    upper_bound_: float
    y_mean_: float
    y_scale_: float
    alpha: float

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        posterior, scale, base = self.posterior_, float(self.y_scale_), float(self.y_mean_)
        mean, variance = posterior.moments(X)
        answer = mean[:, 0] * scale + base
        latent = np.sqrt(np.maximum(variance - noise_variance(posterior.kernel, X), 0.0)) * scale
        noisy = np.sqrt(variance + float(self.alpha)) * scale

        def sections(i: int) -> list[Section]:
            m, s = float(answer[i]), float(noisy[i])
            line: list[Any] = [m, float(latent[i]), s, m - NORMAL_95 * s, m + NORMAL_95 * s]
            heads = ["mean", "sd of the function", "sd with noise", "from", "to"]
            note = "From and to: the interval that holds 95 % of such targets, by the model."
            support = posterior.support(X[i : i + 1])
            spoken, order = spoken_rows(support, scale, base, "point", point_label)
            return [
                Section("Answer and uncertainty", heads, [line], note),
                spoken,
                *self._points_beside(rows[i], order[:MOST_CASES]),
                *terms_at(support, scale),
            ]

        return Reasons(sections)

    def _points_beside(self, row: dict[str, Any], places: np.ndarray) -> list[Section]:
        Z = self.posterior_.Z
        if "schema_" not in vars(self) or (isinstance(Z, np.ndarray) and Z.dtype == object):
            return []
        names = [f"point {int(j) + 1}" for j in places]
        return values_beside(self.schema_, getattr(self, "design_", None), row, Z[places], names)

    def _model_parts(self) -> list[Part]:
        Z = self.posterior_.Z
        lines: list[list[Any]] = [
            ["training rows", int(self.shape_fit_[0])],
            ["inducing points", int(Z.shape[0])],
            ["log evidence at least", round(float(self.lower_bound_), 6)],
            ["log evidence at most", round(float(self.upper_bound_), 6)],
        ]
        note = f"Kernel: {self.kernel_!r}. Parameters: {self.choice_.sentence}."
        if jitter := self.posterior_.L.jitter:
            note += (
                f" Jitter: {jitter:.3g} was added to the diagonal, the points' kernel matrix was singular."
            )
        names = self._names if "schema_" in vars(self) else None
        terms = shares_of_terms(self.kernel_, Z)
        return [
            Section("Process", ["what", "value"], lines, note),
            *terms,
            *relevance_of_columns(without_noise(self.kernel_), Z, names),
        ]
