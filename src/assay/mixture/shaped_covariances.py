"""Covariances between the shared one and one for each component: size, form and axes shared or not.

What is shared is said by three letters, as R's mclust has them. A covariance is a volume, a shape and axes,

    Sigma_k = v_k D_k diag(a_k) D_k',      |diag(a_k)| = 1,   D_k orthogonal,

and each of the three is E, equal for all components, or V, variable; I stands for axes along the columns. EII, VII,
VVI, EEE and VVV are the "tied_spherical", "spherical", "diag", "tied" and "full" of ``components``; the other nine are
here.
"""

from __future__ import annotations

import numpy as np

from assay.mixture import components
from assay.mixture.components import CovarianceForm, Diagonal, Estimates, Full

__all__ = ["FORMS", "SHAPED", "AlongColumns", "EqualButForVolume", "OwnAxes", "SharedAxes"]

MOST_STEPS = 200  # of the inner iterations, each of which raises the likelihood
LEAST_CHANGE = 1e-12  # of variances, relative, that they go on for


def variances_of(
    squares: np.ndarray, counts: np.ndarray, volume: str, shape: str, before: np.ndarray | None = None
) -> np.ndarray:
    """(K, d) variances along the axes, from the sums of squares (K, d) along them.

    Of maximum likelihood, with volume and shape equal ("E") or variable ("V"). Where only the shape is equal, volumes
    and shape follow from each other, by turns, from the volumes of the variances ``before``.

    >>> import numpy as np
    >>> from assay.mixture.shaped_covariances import variances_of
    >>> squares, counts = np.array([[4.0, 1.0], [36.0, 9.0]]), np.array([1.0, 1.0])
    >>> variances_of(squares, counts, "E", "E").tolist()
    [[20.0, 5.0], [20.0, 5.0]]
    >>> variances_of(squares, counts, "V", "E").round(6).tolist()
    [[4.0, 1.0], [36.0, 9.0]]
    >>> variances_of(squares, counts, "E", "V").round(6).tolist()
    [[20.0, 5.0], [20.0, 5.0]]
    """
    K, d = squares.shape
    if shape == "E" and volume == "E":
        return np.tile(squares.sum(axis=0) / counts.sum(), (K, 1))
    if shape == "V":
        if volume == "V":
            return squares / counts[:, None]
        volumes = _volumes(squares)
        return squares / volumes[:, None] * (volumes.sum() / counts.sum())
    volumes = _volumes(squares / counts[:, None] if before is None else before)
    for _ in range(MOST_STEPS):
        pooled = (squares / volumes[:, None]).sum(axis=0)
        form = pooled / _volumes(pooled[None])
        last, volumes = volumes, (squares / form).sum(axis=1) / (d * counts)
        if not (np.abs(volumes - last) > LEAST_CHANGE * volumes).any():
            break
    return volumes[:, None] * form


def _volumes(values: np.ndarray) -> np.ndarray:
    """(K,) the geometric means of the rows."""
    with np.errstate(divide="ignore"):
        return np.exp(np.log(np.maximum(values, 0.0)).mean(axis=1))


class _Shaped(CovarianceForm):
    """What these forms share: their letters, and the numbers that are free."""

    def __init__(self, name: str):
        self.name = name
        self.volume, self.alike, self.axes = name[0], name[1], name[2]

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        return self.next_covariances(estimates, reg_covar, None)

    def next_covariances(
        self, estimates: Estimates, reg_covar: float, before: np.ndarray | None
    ) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # what is no number has collapsed
            return self._likeliest(self.widened(estimates, reg_covar), estimates.counts, before)

    def _likeliest(self, scatter: np.ndarray, counts: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _likeliest")

    def covariance_parameters(self, K: int, d: int) -> int:
        of_axes = {"I": 0, "E": 1, "V": K}[self.axes] * d * (d - 1) // 2
        return (K if self.volume == "V" else 1) + (K if self.alike == "V" else 1) * (d - 1) + of_axes


class AlongColumns(_Shaped, Diagonal):
    """EEI, VEI and EVI: variances of the columns, (K, d)."""

    def _likeliest(self, scatter: np.ndarray, counts: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        return variances_of(scatter, counts, self.volume, self.alike, before)


class _Matrices(_Shaped, Full):
    """Those with covariance matrices, (K, d, d)."""

    def roots(self, covariances: np.ndarray) -> np.ndarray:
        if not np.isfinite(covariances).all():
            covariances = np.full_like(covariances, np.nan)
        return super().roots(covariances)


class EqualButForVolume(_Matrices):
    """VEE: one matrix, times a volume for each component."""

    def _likeliest(self, scatter: np.ndarray, counts: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        d = scatter.shape[1]
        volumes = _determinants(scatter / counts[:, None, None] if before is None else before)
        for _ in range(MOST_STEPS):
            pooled = (scatter / volumes[:, None, None]).sum(axis=0)
            form = pooled / _determinants(pooled[None])
            if not np.isfinite(form).all():
                break
            last, volumes = volumes, np.einsum("kij,ji->k", scatter, np.linalg.pinv(form)) / (d * counts)
            if not (np.abs(volumes - last) > LEAST_CHANGE * volumes).any():
                break
        return volumes[:, None, None] * form


class OwnAxes(_Matrices):
    """EEV, VEV and EVV: each component has axes of its own, those of its scatter."""

    def _likeliest(self, scatter: np.ndarray, counts: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        if not np.isfinite(scatter).all():
            return scatter
        squares, axes = np.linalg.eigh(scatter)
        last = None if before is None else np.linalg.eigvalsh(before)
        variances = variances_of(np.maximum(squares, 0.0), counts, self.volume, self.alike, last)
        return np.einsum("kij,kj,klj->kil", axes, variances, axes)


class SharedAxes(_Matrices):
    """EVE and VVE: all components have the same axes D.

    Given the variances V_k along them, sum_k tr(W_k D V_k^-1 D') is lowered by a step that cannot raise it (Browne and
    McNicholas 2014): the singular vectors of F = sum_k V_k^-1 D' (w_k I - W_k), with w_k the largest eigenvalue of W_k.
    """

    def _likeliest(self, scatter: np.ndarray, counts: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        if not np.isfinite(scatter).all():
            return scatter
        axes = np.linalg.eigh((scatter if before is None else before).sum(axis=0))[1]
        largest = np.linalg.eigvalsh(scatter)[:, -1]
        beyond = largest[:, None, None] * np.eye(scatter.shape[1]) - scatter
        variances = self._along(axes, scatter, counts)
        for _ in range(MOST_STEPS):
            if not (np.isfinite(variances) & (variances > 0)).all():
                break
            F = ((axes / variances[:, None]).transpose(0, 2, 1) @ beyond).sum(axis=0)
            left, _, right = np.linalg.svd(F)
            axes = (left @ right).T
            last, variances = variances, self._along(axes, scatter, counts)
            if not (np.abs(variances - last) > 1e-9 * variances).any():
                break
        return np.einsum("ij,kj,lj->kil", axes, variances, axes)

    def _along(self, axes: np.ndarray, scatter: np.ndarray, counts: np.ndarray) -> np.ndarray:
        squares = (axes * (scatter @ axes)).sum(axis=1)
        return variances_of(np.maximum(squares, 0.0), counts, self.volume, self.alike)


def _determinants(matrices: np.ndarray) -> np.ndarray:
    """(K,) the d-th roots of the determinants."""
    sign, logs = np.linalg.slogdet(matrices)
    return np.where(sign > 0, np.exp(logs / matrices.shape[1]), 0.0)


SHAPED: dict[str, CovarianceForm] = {
    form.name: form
    for form in (
        *map(AlongColumns, ("EEI", "VEI", "EVI")),
        EqualButForVolume("VEE"),
        *map(SharedAxes, ("EVE", "VVE")),
        *map(OwnAxes, ("EEV", "VEV", "EVV")),
    )
}
FORMS: dict[str, CovarianceForm] = {**components.FORMS, **SHAPED}
