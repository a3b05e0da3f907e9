"""Pictures: brought to a normal form, and copied with small changes that leave their label as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Transformer
from assay.core.parameters import Accepted, Any_, Choice, Flag
from assay.errors import DataError, ParameterError
from assay.neural.arguments import are_counts, finite_numbers
from assay.types import Target

__all__ = ["ImageNormalizer", "virtual_examples"]

DESLANTS = 10  # rounds until no line of the picture moves
INK = 0.05  # share of the largest value from which on a pixel belongs to the figure


class ImageNormalizer(Transformer):
    r"""Bring pictures to a normal form: upright, of one size, in the middle.

    Each row is a picture of ``shape``, line by line. Slant: line y moves by :math:`-\alpha(y-\bar y)` with
    :math:`\alpha=\mu_{11}/\mu_{02}` of the moments of the ink, until no line moves. Size: the box around the figure is
    resampled (linear interpolation) until it fills the picture up to a margin. Place: by whole pixels, until the centre
    of the ink (or of the box) is in the middle. Pictures that differ by a shift become the same; a second
    application of ``center`` or ``size`` changes nothing.

    Cost: fit O(1); transform O(d) a row of d pixels; memory O(d).

    Parameters
    ----------
    shape : (height, width)
    center : "mass", "box" or None, default "mass"
    size : bool, default False
        Resample the figure to fill the picture.
    keep_aspect : bool, default True
        Let height and width grow alike.
    slant : bool, default False
    margin : int, default 0
        Empty pixels around a resampled figure.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import ImageNormalizer
    >>> a, b = np.zeros((5, 5)), np.zeros((5, 5))
    >>> a[0:2, 0:3], b[3:5, 2:5] = 1, 1
    >>> rows = np.array([a.ravel(), b.ravel()])
    >>> same = ImageNormalizer((5, 5)).fit_transform(rows)
    >>> bool((same[0] == same[1]).all())
    True

    See Also
    --------
    virtual_examples

    References
    ----------
    - LeCun, Y., Bottou, L., Bengio, Y. and Haffner, P. (1998). Gradient-based learning applied to document recognition.
      Proceedings of the IEEE 86, 2278-2324. doi:10.1109/5.726791
    """

    card = Card("image normalizer", "pictures upright, of one size, in the middle")
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "shape": Any_(
            "two whole numbers from 1 up, or None for a square",
            lambda v: v is None or (are_counts(v) and len(v) == 2),
        ),
        "center": Choice("mass", "box") | None,
        "size": Flag(),
        "keep_aspect": Flag(),
        "slant": Flag(),
        "margin": Any_(
            "a whole number from 0 up", lambda v: bool(isinstance(v, (int, np.integer)) and v >= 0)
        ),
    }

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        *,
        center: str | None = "mass",
        size: bool = False,
        keep_aspect: bool = True,
        slant: bool = False,
        margin: int = 0,
    ):
        self.shape = shape
        self.center = center
        self.size = size
        self.keep_aspect = keep_aspect
        self.slant = slant
        self.margin = margin

    def _shape(self, d: int) -> tuple[int, int]:
        if self.shape is None:
            side = round(d**0.5)
            return (side, side) if side * side == d else (1, d)
        h, w = (int(k) for k in self.shape)
        if h * w != d:
            raise DataError(f"ImageNormalizer: pictures of {h} x {w} have {h * w} columns, X has {d}.")
        if 2 * self.margin >= min(h, w):
            raise ParameterError(f"ImageNormalizer: a margin of {self.margin} leaves nothing of {h} x {w}.")
        return h, w

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        self._shape(X.shape[1])

    def _transform(self, X: Any) -> np.ndarray:
        h, w = self._shape(X.shape[1])
        pictures = np.asarray(X, dtype=np.float64).reshape(-1, h, w)
        return np.array([self._normal(picture).ravel() for picture in pictures]).reshape(len(X), -1)

    def _normal(self, picture: np.ndarray) -> np.ndarray:
        ink = np.maximum(picture, 0.0)
        if not ink.any():
            return picture.copy()
        if self.slant:
            picture = _upright(picture)
        if self.size:
            picture = self._resized(picture)
        return picture if self.center is None else _centred(picture, self.center)

    def _resized(self, picture: np.ndarray) -> np.ndarray:
        top, bottom, left, right = _box(picture)
        figure = picture[top : bottom + 1, left : right + 1]
        room = np.array(picture.shape) - 2 * self.margin
        factors = room / figure.shape
        if self.keep_aspect:
            factors = np.full(2, factors.min())
        rows, columns = np.clip(np.floor(np.array(figure.shape) * factors + 0.5).astype(int), 1, room)
        resized = _interpolated(_interpolated(figure, rows).T, columns).T
        made = np.zeros_like(picture)
        at = (np.array(picture.shape) - resized.shape) // 2
        made[at[0] : at[0] + rows, at[1] : at[1] + columns] = resized
        return made


def _interpolated(picture: np.ndarray, rows: int) -> np.ndarray:
    """The picture with that many lines, the first and the last as they are."""
    if len(picture) == rows:
        return picture
    at = np.linspace(0, len(picture) - 1, rows)
    low = np.minimum(at.astype(int), len(picture) - 1)
    high = np.minimum(low + 1, len(picture) - 1)
    share = (at - low)[:, None]
    return (1 - share) * picture[low] + share * picture[high]


def _box(picture: np.ndarray) -> tuple[int, int, int, int]:
    """First and last line and column with ink."""
    ink = picture > INK * picture.max()
    lines, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return int(lines[0]), int(lines[-1]), int(columns[0]), int(columns[-1])


def _centred(picture: np.ndarray, by: str) -> np.ndarray:
    """The picture moved by whole pixels."""
    middle = (np.array(picture.shape) - 1) / 2
    if by == "box":
        top, bottom, left, right = _box(picture)
        here = np.array([top + bottom, left + right]) / 2
    else:
        ink = np.maximum(picture, 0.0)
        ys, xs = np.indices(picture.shape)
        here = np.array([(ink * ys).sum(), (ink * xs).sum()]) / ink.sum()
    dy, dx = np.floor(middle - here + 0.5 + 1e-9).astype(int)
    return _moved(picture, int(dy), int(dx))


def _moved(picture: np.ndarray, dy: int, dx: int) -> np.ndarray:
    """The picture moved by whole pixels; what leaves it is lost."""
    made = np.zeros_like(picture)
    h, w = picture.shape
    if abs(dy) < h and abs(dx) < w:
        made[max(dy, 0) : h + min(dy, 0), max(dx, 0) : w + min(dx, 0)] = picture[
            max(-dy, 0) : h + min(-dy, 0), max(-dx, 0) : w + min(-dx, 0)
        ]
    return made


def _upright(picture: np.ndarray) -> np.ndarray:
    """The picture with its lines moved sideways until the ink leans no more."""
    for _ in range(DESLANTS):
        ink = np.maximum(picture, 0.0)
        ys, xs = np.indices(picture.shape)
        total = ink.sum()
        y0, x0 = (ink * ys).sum() / total, (ink * xs).sum() / total
        spread = (ink * (ys - y0) ** 2).sum()
        if spread <= 0:
            return picture
        lean = (ink * (ys - y0) * (xs - x0)).sum() / spread
        shifts = np.round(-lean * (np.arange(len(picture)) - y0)).astype(int)
        if not shifts.any():
            return picture
        picture = np.vstack([_moved(line[None, :], 0, int(shift)) for line, shift in zip(picture, shifts)])
    return picture


def virtual_examples(
    X: ArrayLike,
    y: Target,
    shape: Sequence[int],
    *,
    shifts: Sequence[tuple[int, int]] = ((0, 1), (0, -1), (1, 0), (-1, 0)),
    angles: Sequence[float] = (),
    factors: Sequence[float] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """Pictures and their copies, moved, turned and resized, with the same labels.

    Keep changes so small that the label stays true: a 'b' turned by half a circle is a 'q'.

    Parameters
    ----------
    X : (n, h w) pictures line by line      y : (n,) labels
    shape : (height, width)
    shifts : whole pixels (down, right)
    angles : degrees, counter-clockwise
    factors : of size, 1 for as it is

    Returns
    -------
    (m, h w) the pictures first, then the copies of all by each change, and (m,) labels

    Examples
    --------
    >>> from assay.neural import virtual_examples
    >>> more, labels = virtual_examples([[0, 1, 0, 0]], ["corner"], (2, 2), shifts=[(1, 0), (0, -1)])
    >>> more.tolist(), labels.tolist()
    ([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]], ['corner', 'corner', 'corner'])

    See Also
    --------
    ImageNormalizer, InvarianceHint, TangentHint
    """
    from scipy.ndimage import affine_transform

    who = "virtual_examples"
    if not are_counts(shape) or len(shape) != 2:
        raise ParameterError("shape must be two whole numbers from 1 up", who=who, got=shape)
    h, w = (int(k) for k in shape)
    rows, labels = finite_numbers(X, who, "X"), np.asarray(y)
    moves = finite_numbers(shifts, who, "shifts").reshape(-1)
    pairs = np.ndim(shifts) == 2 and np.shape(shifts)[1] == 2
    if (moves.size and not pairs) or (moves % 1 != 0).any():
        raise ParameterError("shifts must be pairs of whole pixels, (down, right)", who=who, got=shifts)
    for name, changes in (("angles", angles), ("factors", factors)):
        if finite_numbers(changes, who, name).ndim != 1:
            raise ParameterError(f"{name} must be a list of numbers", who=who, got=changes)
    if rows.ndim != 2 or rows.shape[1] != h * w:
        raise DataError(
            f"virtual_examples: pictures of {h} x {w} have {h * w} columns, X has the shape {rows.shape}."
        )
    if labels.shape[:1] != (len(rows),):
        raise DataError(f"virtual_examples: X has {len(rows)} rows and y the shape {labels.shape}.")
    if any(not factor > 0 for factor in factors):
        raise ParameterError("factors must be above 0", who="virtual_examples", got=list(factors))
    pictures = rows.reshape(-1, h, w)
    middle = (np.array([h, w]) - 1) / 2
    copies = [pictures]
    copies += [np.array([_moved(picture, dy, dx) for picture in pictures]) for dy, dx in shifts]
    maps = []
    for angle in angles:
        c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        maps.append(np.array([[c, s], [-s, c]]))
    maps += [np.eye(2) / factor for factor in factors]
    for A in maps:
        offset = middle - A @ middle
        copies.append(np.array([affine_transform(p, A, offset=offset, order=1) for p in pictures]))
    return np.concatenate(copies).reshape(-1, h * w), np.tile(labels, len(copies))
