"""Vector quantisation: rows as numbers of code words, colours and pictures in fewer bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.cluster.k_means import KMeans
from assay.core.parameters import Count, check
from assay.distances.lloyd import label_rows
from assay.errors import DataError, ParameterError
from assay.types import RandomState

__all__ = ["Quantized", "quantize_blocks", "quantize_colors", "quantize_vectors"]

LARGEST_SAMPLE = 20_000  # vectors that the code words are learned from
COLOR_BITS = 8  # of a channel


@dataclass(frozen=True)
class Quantized:
    """Vectors as codes: ``codes`` (n,), ``codebook`` (k, d), bits before and after, and what was lost.

    bits_per_vector : of a code, :math:`\\lceil\\log_2 k\\rceil`
    original_bits, coded_bits : int, those of the codebook included
    error : float, mean squared error of an entry      shape : of what was quantised
    """

    codes: np.ndarray
    codebook: np.ndarray
    shape: tuple[int, ...]
    original_bits: int
    coded_bits: int
    error: float
    block: int = 1

    @property
    def bits_per_vector(self) -> int:
        """Bits of one code."""
        return code_bits(len(self.codebook))

    @property
    def ratio(self) -> float:
        """How many times smaller it has become."""
        return self.original_bits / self.coded_bits

    def decode(self) -> np.ndarray:
        """The vectors, or the picture, from codes and codebook."""
        values = self.codebook[self.codes]
        if self.block == 1:
            return values.reshape(self.shape)
        height, width = self.shape
        c = self.block
        tiles = values.reshape(-(-height // c), -(-width // c), c, c)
        return tiles.transpose(0, 2, 1, 3).reshape(-(-height // c) * c, -(-width // c) * c)[:height, :width]

    def __str__(self) -> str:
        return (
            f"{len(self.codes)} vectors in {len(self.codebook)} code words: {self.bits_per_vector} bits each, ratio "
            f"{self.ratio:.4g}, mean squared error {self.error:.4g}."
        )


def code_bits(words: int) -> int:
    """Bits that number so many code words.

    >>> from assay.cluster.vector_quantizer import code_bits
    >>> code_bits(64), code_bits(65)
    (6, 7)
    """
    return max(int(np.ceil(np.log2(words))), 0) if words > 1 else 0


def quantize_vectors(
    X: Any, n_codes: int = 256, *, bits: int = 64, random_state: RandomState = 0
) -> Quantized:
    """Encode rows by the nearest of ``n_codes`` code words, which k-means learns (from 20,000 rows at most).

    Cost: that of :class:`KMeans`.

    Parameters
    ----------
    X : (n, d) numbers
    n_codes : int, default 256
    bits : int, default 64
        Of one number of X, and of the codebook.
    random_state : int, RandomState or None, default 0

    Examples
    --------
    >>> from assay.cluster import quantize_vectors
    >>> coded = quantize_vectors([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2, bits=8)
    >>> sorted(coded.codebook.ravel().tolist()), coded.original_bits, coded.coded_bits
    ([2.0, 11.0], 48, 22)

    See Also
    --------
    quantize_colors, quantize_blocks, KMeans

    References
    ----------
    - Linde, Y., Buzo, A. and Gray, R. M. (1980). An algorithm for vector quantizer design. IEEE Transactions on
      Communications 28(1), 84-95. doi:10.1109/TCOM.1980.1094577
    """
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise DataError("quantize_vectors: expected (n, d) finite numbers.")
    return _quantized(rows, rows.shape, n_codes, bits, random_state)


def _quantized(
    rows: np.ndarray, shape: Any, n_codes: int, bits: int, random_state: Any, block: int = 1
) -> Quantized:
    check("quantize", {"n_codes": Count(1)}, {"n_codes": n_codes})
    different = np.unique(rows[: LARGEST_SAMPLE * 4], axis=0)
    k = min(n_codes, len(different))
    rng = np.random.default_rng(0)
    sample = (
        rows if len(rows) <= LARGEST_SAMPLE else rows[rng.choice(len(rows), LARGEST_SAMPLE, replace=False)]
    )
    if len(different) <= n_codes and len(rows) <= LARGEST_SAMPLE * 4:
        book = different
    else:
        book = KMeans(min(k, len(sample)), random_state=random_state).fit(sample).cluster_centers_
    codes, loss = label_rows(np.ascontiguousarray(rows), None, book)
    n, d = rows.shape
    return Quantized(
        codes.astype(np.int64),
        np.asarray(book, dtype=np.float64),
        tuple(shape),
        int(np.prod(shape)) * bits,
        n * code_bits(len(book)) + len(book) * d * bits,
        loss / (n * d),
        block,
    )


def quantize_colors(image: Any, n_colors: int = 256, *, random_state: RandomState = 0) -> Quantized:
    """A picture (height, width, channels) of 8-bit colours in fewer of them.

    From 24 bits a pixel to :math:`\\lceil\\log_2 k\\rceil`; with the table of colours the ratio of n pixels is
    :math:`24n / (n\\lceil\\log_2 k\\rceil + 24k)`.

    Cost: that of :class:`KMeans` on 20,000 pixels, and O(n k) for the others.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import quantize_colors
    >>> image = np.random.default_rng(0).integers(0, 256, (100, 100, 3))
    >>> coded = quantize_colors(image, 64)
    >>> coded.bits_per_vector, coded.decode().shape, round(coded.ratio, 3)
    (6, (100, 100, 3), 3.9)

    See Also
    --------
    quantize_blocks, quantize_vectors
    """
    pixels = np.asarray(image, dtype=np.float64)
    if pixels.ndim != 3 or not pixels.size or not np.isfinite(pixels).all():
        raise DataError("quantize_colors: expected a picture (height, width, channels) of finite numbers.")
    return _quantized(pixels.reshape(-1, pixels.shape[2]), pixels.shape, n_colors, COLOR_BITS, random_state)


def quantize_blocks(
    image: Any, n_codes: int = 256, block: int = 2, *, random_state: RandomState = 0
) -> Quantized:
    """A grey picture (height, width) of 8 bits in blocks of c by c pixels, each one of k code words.

    The ratio of n pixels is :math:`8n / (\\tfrac n{c^2}\\lceil\\log_2 k\\rceil + 8kc^2)`; a picture whose sides are no
    multiples of c is filled up with its last row and column.

    Cost: that of :class:`KMeans`.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import quantize_blocks
    >>> image = np.random.default_rng(0).integers(0, 256, (64, 64))
    >>> coded = quantize_blocks(image, 16, block=2)
    >>> coded.decode().shape, round(coded.ratio, 4) == round(8 * 4096 / (1024 * 4 + 8 * 16 * 4), 4)
    ((64, 64), True)

    See Also
    --------
    quantize_colors, quantize_vectors
    """
    grey = np.asarray(image, dtype=np.float64)
    if grey.ndim != 2 or not grey.size or not np.isfinite(grey).all():
        raise DataError("quantize_blocks: expected a picture (height, width) of finite numbers.")
    if block < 1:
        raise ParameterError("block must be a whole number from 1 up", who="quantize_blocks", got=block)
    height, width = grey.shape
    filled = np.pad(grey, ((0, -height % block), (0, -width % block)), mode="edge")
    tiles = filled.reshape(filled.shape[0] // block, block, -1, block).transpose(0, 2, 1, 3)
    return _quantized(tiles.reshape(-1, block * block), grey.shape, n_codes, COLOR_BITS, random_state, block)
