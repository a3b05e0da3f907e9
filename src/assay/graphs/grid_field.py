"""Pictures as fields: noise removed and covered parts filled in by what neighbouring pixels say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import assay.graphs._grid_field as _native
from assay.errors import DataError, ParameterError

__all__ = ["denoise"]

METHODS = ("icm", "max-product", "sum-product")
MOST_LABELS = 256


def denoise(
    image: ArrayLike,
    *,
    noise: float = 0.1,
    coupling: float = 1.0,
    covered: ArrayLike | None = None,
    method: str = "icm",
    max_iter: int = 50,
    tol: float = 1e-6,
) -> np.ndarray:
    r"""A picture of few colours without its noise, by a field in which neighbours like to be equal.

    With pixels x, observed y, labels -1 and 1, and 4 neighbours, the energy is

    .. math:: E = -J \sum_{i \sim j} x_i x_j - h \sum_i x_i y_i, \qquad h = \tfrac12 \ln\frac{1-\epsilon}{\epsilon}

    for a share :math:`\epsilon` of flipped pixels; more colours count equal and unequal neighbours in the same way.
    Covered
    pixels have no data term, and are filled in.

    Parameters
    ----------
    image : (H, W) array of few distinct values
    noise : float, the share of pixels that are wrong
    coupling : float, J
    covered : (H, W) of bool, which pixels are unknown
    method : "icm", "max-product" or "sum-product"
        Pixel by pixel from the picture as it is (a local optimum); or messages between neighbours, which are
        approximate, since a grid has cycles: the best labels, or the labels with the largest marginals.
    max_iter, tol : sweeps, and the change of messages at which they end

    Returns
    -------
    (H, W) array of the same values

    Examples
    --------
    >>> import numpy as np
    >>> from assay.graphs import denoise
    >>> picture = np.zeros((6, 6), int)
    >>> picture[:, 3:] = 1
    >>> noisy = picture.copy()
    >>> noisy[1, 1], noisy[4, 4] = 1, 0
    >>> bool((denoise(noisy) == picture).all())
    True

    References
    ----------
    - Besag, J. (1986). On the statistical analysis of dirty pictures. Journal of the Royal Statistical Society B 48,
      259-302. doi:10.1111/j.2517-6161.1986.tb01412.x
    - Geman, S. and Geman, D. (1984). Stochastic relaxation, Gibbs distributions, and the Bayesian restoration of
      images.
      IEEE Transactions on Pattern Analysis and Machine Intelligence 6, 721-741. doi:10.1109/TPAMI.1984.4767596
    """
    picture = np.asarray(image)
    if picture.ndim != 2 or not picture.size:
        raise DataError(f"denoise: image must have two dimensions, got the shape {picture.shape}.")
    if method not in METHODS:
        raise ParameterError(f"denoise: method must be one of {', '.join(METHODS)}, got {method!r}.")
    if not 0 < noise < 1 or not np.isfinite(coupling):
        raise ParameterError(
            f"denoise: noise must be between 0 and 1 and coupling finite, got {noise!r}, {coupling!r}."
        )
    hidden = _covered(covered, picture)
    if hidden.all():
        raise DataError("denoise: every pixel is covered.")
    values = np.unique(picture[~hidden])
    if len(values) > MOST_LABELS:
        raise DataError(
            f"denoise: the picture has {len(values)} colours, at most {MOST_LABELS} are labels. Cut it into fewer."
        )
    labels = np.minimum(np.searchsorted(values, picture), len(values) - 1)
    scores = np.zeros((picture.size, len(values)))
    wrong = noise / max(len(values) - 1, 1)
    right = np.log(1 - noise) - np.log(wrong)
    scores[np.arange(picture.size), labels.ravel()] = right
    scores[hidden.ravel()] = 0.0
    height, width = picture.shape
    if method == "icm":
        state = np.ascontiguousarray(_start(labels, hidden).ravel(), np.int64)
        _native.icm(scores, height, width, 2.0 * float(coupling), state, int(max_iter))
        return values[state].reshape(picture.shape)
    beliefs = np.empty_like(scores)
    _native.passing(
        weights=np.exp(scores - scores.max(axis=1, keepdims=True)),
        height=height,
        width=width,
        coupling=2.0 * float(coupling),
        largest=method == "max-product",
        rounds=int(max_iter),
        tolerance=float(tol),
        beliefs=beliefs,
    )
    return values[np.argmax(beliefs, axis=1)].reshape(picture.shape)


def _covered(covered: Any, picture: np.ndarray) -> np.ndarray:
    if covered is None:
        if picture.dtype.kind == "f":
            return np.isnan(picture)
        return np.zeros(picture.shape, bool)
    hidden = np.asarray(covered, bool)
    if hidden.shape != picture.shape:
        raise DataError(
            f"denoise: covered must have the shape {picture.shape} of the image, got {hidden.shape}."
        )
    return hidden


def _start(labels: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Covered pixels begin with the label of the nearest pixel that is known."""
    if not hidden.any():
        return labels
    from scipy.ndimage import distance_transform_edt

    nearest = distance_transform_edt(hidden, return_distances=False, return_indices=True)
    return labels[tuple(nearest)]
