"""Kernels as sums of terms that native code knows: a variance times a profile of the scaled distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from assay.kernels import RBF, ConstantKernel, Kernel, Matern, Product, Sum, WhiteKernel

__all__ = ["Term", "Terms", "terms_of"]

CONSTANT, GAUSSIAN, MATERN_1, MATERN_3, MATERN_5 = range(5)  # as in given_neighbours.cpp
WHITE = -1
MOST_TERMS, MOST_COLUMNS = 16, 64  # of native code, as in given_neighbours.cpp
PROFILES = {0.5: MATERN_1, 1.5: MATERN_3, 2.5: MATERN_5, np.inf: GAUSSIAN}


class Term(NamedTuple):
    """A variance times a profile, and which parameters of the kernel they depend on.

    Attributes
    ----------
    kind : int      variance : float      scale : (d,) length scales
    factors : numbers of the entries of theta whose exponentials are factors of the variance
    scales : (d,) numbers of the entries of theta that are the logs of the length scales, -1 for one that is fixed
    """

    kind: int
    variance: float
    scale: np.ndarray
    factors: tuple[int, ...]
    scales: np.ndarray


@dataclass(frozen=True)
class Terms:
    """A kernel as a sum of terms, and its noise.

    Attributes
    ----------
    terms : list of Term, those of white noise apart      white : float, their variance
    """

    terms: list[Term]
    noise: list[Term] = field(default_factory=list)

    @property
    def white(self) -> float:
        return float(sum(term.variance for term in self.noise))

    @property
    def kinds(self) -> np.ndarray:
        return np.array([term.kind for term in self.terms], dtype=np.int64)

    @property
    def variances(self) -> np.ndarray:
        return np.array([term.variance for term in self.terms], dtype=np.float64)

    def scaled(self, X: np.ndarray) -> np.ndarray:
        """(n, t d) the rows divided by the length scales of each term."""
        return np.hstack([X / term.scale for term in self.terms]) if self.terms else np.zeros((len(X), 0))

    def gradient(self, p: int, by_white: float, by_variance: np.ndarray, by_scale: np.ndarray) -> np.ndarray:
        """(p,) derivatives by theta from those by the noise, by the logs of variances and of length scales."""
        out = np.zeros(p)
        for term, slope in zip(self.terms, by_variance):
            out[list(term.factors)] += slope
        for term in self.noise:
            out[list(term.factors)] += by_white * term.variance
        for term, slopes in zip(self.terms, by_scale):
            for j, slope in zip(term.scales, slopes):
                if j >= 0:
                    out[j] += slope
        return out


def terms_of(kernel: Kernel, d: int) -> Terms | None:
    """The terms of a kernel of d columns, or None if native code does not know it.

    >>> from assay.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel
    >>> from assay.processes.routes.terms import terms_of
    >>> terms = terms_of(ConstantKernel(4.0) * RBF([1.0, 2.0]) + WhiteKernel(0.5), 2)
    >>> terms.variances, terms.white, terms.terms[0].scales  # theta: constant, two length scales, noise
    (array([4.]), 0.5, array([1, 2]))
    >>> terms_of(DotProduct(), 2)
    """
    parts = _flat(kernel, 0, d)
    if parts is None:
        return None
    terms, noises = (
        [part for part in parts if part.kind != WHITE],
        [part for part in parts if part.kind == WHITE],
    )
    return Terms(terms, noises) if len(terms) <= MOST_TERMS and d <= MOST_COLUMNS else None


def _flat(kernel: Kernel, at: int, d: int) -> list[Term] | None:
    """The terms of a kernel whose theta begins at entry ``at``."""
    free, none = kernel.free > 0, np.full(d, -1)
    if isinstance(kernel, (ConstantKernel, WhiteKernel)):
        kind, value = (
            (CONSTANT, kernel.constant_value)
            if isinstance(kernel, ConstantKernel)
            else (WHITE, kernel.noise_level)
        )
        return [Term(kind, float(value), np.ones(d), (at,) if free else (), none)]
    if isinstance(kernel, (RBF, Matern)):
        kind = GAUSSIAN if isinstance(kernel, RBF) else PROFILES.get(float(kernel.nu), WHITE)
        scale = np.asarray(kernel._scale(), dtype=np.float64)
        if kind == WHITE or scale.size not in (1, d):
            return None
        scales = at + np.arange(d) % scale.size if free else none
        return [Term(kind, 1.0, np.broadcast_to(scale, (d,)).copy(), (), scales)]
    if not isinstance(kernel, (Sum, Product)):
        return None
    first = _flat(kernel.k1, at, d)
    second = _flat(kernel.k2, at + kernel.k1.free, d)
    if first is None or second is None:
        return None
    if isinstance(kernel, Sum):
        return first + second
    if not any(all(part.kind == CONSTANT for part in parts) for parts in (first, second)):
        return None
    return [
        (b if a.kind == CONSTANT else a)._replace(
            variance=a.variance * b.variance, factors=a.factors + b.factors
        )
        for a in first
        for b in second
    ]
