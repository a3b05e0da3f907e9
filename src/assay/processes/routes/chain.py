"""Kernels of one column as chains of states: what happens from one point of a line to the next."""

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial
from typing import Any, NamedTuple

import numpy as np

import assay.processes.routes._matern_chain as _native
from assay.errors import ParameterError
from assay.kernels import (
    RBF,
    ConstantKernel,
    ExpSineSquared,
    Harmonic,
    Kernel,
    Laplacian,
    Matern,
    OnColumns,
    Product,
    Sum,
    WhiteKernel,
)

__all__ = ["Link", "Slopes", "links_of", "no_chain"]

LARGEST_STATE = 32  # of a chain: its work grows with the cube
SMOOTHEST = 3.5  # the largest nu; beyond it the entries of a state differ by too many powers of ten
FARTHEST = 800.0  # in units of 1 / lambda, from which on exp(-z) is 0 in arithmetic


class Memory:
    """Arrays that one evaluation takes in some order, and the next one in the same order again.

    New memory is given page by page, which costs more than the arithmetic of a pass over it.

    Examples
    --------
    >>> from assay.processes.routes.chain import Memory
    >>> memory = Memory()
    >>> first = memory.begin().take(3, 2)
    >>> memory.begin().take(3, 2) is first
    True
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.taken = 0

    def begin(self) -> Memory:
        """From now on arrays are taken from the first on."""
        self.taken = 0
        return self

    def take(self, *shape: int) -> np.ndarray:
        """An array of that shape with any content."""
        k = self.taken
        self.taken += 1
        if k == len(self.arrays):
            self.arrays.append(np.empty(shape))
        elif self.arrays[k].shape != shape:
            self.arrays[k] = np.empty(shape)
        return self.arrays[k]


class Slopes(NamedTuple):
    """Derivatives of a function by the parts of a link.

    Attributes
    ----------
    A, Q : (n, s, s)      P : (s, s)      white : float
    """

    A: np.ndarray
    Q: np.ndarray
    P: np.ndarray
    white: float


class Link:
    r"""A kernel on a line by a state s of few numbers, whose first (or the sum of several) is the function's value.

    .. math:: s_i = A_i s_{i-1} + N(0, Q_i), \quad s_0 \sim N(0, P), \quad K(x_i, x_j) = h^T A_i \cdots A_{j+1} P h
              \quad (1)

    A and Q are functions of the gaps between sorted points, P is the covariance of the state at any point, so that
    :math:`Q = P - APA^T`; but where gaps are small that difference has no digits, and each link knows a better way.

    Attributes
    ----------
    A, Q : (n, s, s) for each gap      P : (s, s)      h : (s,)
    white : float
        Variance of independent noise.
    """

    A: np.ndarray
    Q: np.ndarray
    P: np.ndarray
    h: np.ndarray
    white: float = 0.0

    @property
    def variance(self) -> float:
        """The kernel of a point with itself, without noise."""
        return float(self.h @ self.P @ self.h)

    def sums(self, by: Slopes) -> list[float]:
        """The derivatives by the kernel's theta of a function whose derivatives by the parts are ``by``."""
        raise TypeError(f"{type(self).__name__} must define sums")


class MaternLink(Link):
    r"""Matern's kernel with nu = p + 1/2: the value and its first p derivatives, each divided by a power of lambda.

    .. math:: A(z) = e^{-z} \sum_{k \le p} \frac{z^k}{k!} N^k, \quad z = \lambda\,(x_i - x_{i-1}), \quad
              \lambda = \frac{\sqrt{2\nu}}\ell, \quad
              Q(z) = q \int_0^z g(u) g(u)^T du \quad (1)

    with N the companion matrix of :math:`(1 + D)^{p+1}` plus the identity, and g the last column of A. The integrals
    are incomplete gamma functions :math:`\Gamma_k(2z)`; the one of the highest order comes from its series, the others
    by additions of positive numbers, so that all entries of Q have their digits however small the gap.
    """

    def __init__(self, p: int, rate: float, gaps: np.ndarray, free: bool, memory: Memory | None = None):
        s, n = p + 1, len(gaps)
        memory = memory or Memory()
        self.tables, self.free = _matern_tables(p), free
        self.z = np.multiply(gaps, rate, out=memory.take(n))
        np.minimum(self.z, FARTHEST, out=self.z)
        self.A, self.Q = memory.take(n, s, s), memory.take(n, s, s)
        _native.links(self.tables.native, self.z, self.A.reshape(-1, s * s), self.Q.reshape(-1, s * s))
        self.P = self.tables.integrals.sum(axis=0).reshape(s, s)
        self.h = np.eye(s)[0]

    def sums(self, by: Slopes) -> list[float]:
        if not self.free:
            return []
        s = len(self.h)
        by_A, by_Q = (np.ascontiguousarray(part).reshape(-1, s * s) for part in (by.A, by.Q))
        return [
            -_native.sum_of_slopes(self.tables.native, self.z, by_A, by_Q)
        ]  # z falls with the length scale


class HarmonicLink(Link):
    r"""A wave of any size and phase: a point that turns round, by the angle :math:`2 \pi (x_i - x_{i-1}) / p`."""

    def __init__(self, period: float, gaps: np.ndarray, free: bool):
        self.angles, self.free = gaps * (2.0 * np.pi / period), free
        cosine, sine = np.cos(self.angles), np.sin(self.angles)
        self.A = np.stack([cosine, -sine, sine, cosine], axis=1).reshape(-1, 2, 2)
        self.Q = np.zeros_like(self.A)
        self.P, self.h = np.eye(2), np.array([1.0, 0.0])

    def sums(self, by: Slopes) -> list[float]:
        if not self.free:
            return []
        of_angle = (by.A[:, 1, 0] - by.A[:, 0, 1]) * self.A[:, 0, 0]
        of_angle -= (by.A[:, 0, 0] + by.A[:, 1, 1]) * self.A[:, 1, 0]
        return [-float(self.angles @ of_angle)]  # the angle falls with the period


class ConstantLink(Link):
    """A constant: one state that never changes."""

    def __init__(self, value: float, gaps: np.ndarray, free: bool):
        n = len(gaps)
        self.A, self.Q = np.ones((n, 1, 1)), np.zeros((n, 1, 1))
        self.P, self.h, self.free = np.full((1, 1), value), np.ones(1), free

    def sums(self, by: Slopes) -> list[float]:
        return [float(by.P[0, 0] * self.P[0, 0])] if self.free else []


class WhiteLink(Link):
    """Independent noise: no state at all."""

    def __init__(self, level: float, gaps: np.ndarray, free: bool):
        n = len(gaps)
        self.A, self.Q = np.zeros((n, 0, 0)), np.zeros((n, 0, 0))
        self.P, self.h, self.white, self.free = np.zeros((0, 0)), np.zeros(0), level, free

    def sums(self, by: Slopes) -> list[float]:
        return [by.white * self.white] if self.free else []


class SumLink(Link):
    """A sum: the states side by side."""

    def __init__(self, first: Link, second: Link):
        self.first, self.second = first, second
        self.A, self.Q = _beside(first.A, second.A), _beside(first.Q, second.Q)
        self.P = _beside(first.P[None], second.P[None])[0]
        self.h = np.concatenate([first.h, second.h])
        self.white = first.white + second.white

    def sums(self, by: Slopes) -> list[float]:
        k = len(self.first.h)
        return self.first.sums(Slopes(by.A[:, :k, :k], by.Q[:, :k, :k], by.P[:k, :k], by.white)) + (
            self.second.sums(Slopes(by.A[:, k:, k:], by.Q[:, k:, k:], by.P[k:, k:], by.white))
        )


class ScaledLink(Link):
    """A kernel times a constant."""

    def __init__(
        self, factor: float, free: bool, inner: Link, factor_first: bool, memory: Memory | None = None
    ):
        self.factor, self.free, self.inner, self.factor_first = factor, free, inner, factor_first
        self.memory = memory or Memory()
        self.A, self.P, self.h = inner.A, factor * inner.P, inner.h
        self.Q = np.multiply(inner.Q, factor, out=self.memory.take(*inner.Q.shape))
        self.white = factor * inner.white

    def sums(self, by: Slopes) -> list[float]:
        c = self.factor
        by_Q = np.multiply(by.Q, c, out=self.memory.take(*by.Q.shape))
        inner = self.inner.sums(Slopes(by.A, by_Q, c * by.P, c * by.white))
        if not self.free:
            return inner
        slope = np.vdot(by.Q, self.Q) + np.vdot(by.P, self.P) + by.white * self.white
        return [float(slope), *inner] if self.factor_first else [*inner, float(slope)]


class ProductLink(Link):
    r"""A product: all products of a state of one with a state of the other.

    .. math:: A = A_1 \otimes A_2, \quad P = P_1 \otimes P_2, \quad
              Q = Q_1 \otimes P_2 + (P_1 - Q_1) \otimes Q_2 \quad (1)
    """

    def __init__(self, first: Link, second: Link):
        self.first, self.second = first, second
        self.left = first.P - first.Q  # A_1 P_1 A_1'
        self.A = _kron(first.A, second.A)
        self.Q = _kron(first.Q, second.P[None]) + _kron(self.left, second.Q)
        self.P = np.kron(first.P, second.P)
        self.h = np.kron(first.h, second.h)
        self.white = (
            first.white * second.variance + second.white * first.variance + first.white * second.white
        )

    def sums(self, by: Slopes) -> list[float]:
        k1, k2 = self.first, self.second
        s, t = len(k1.h), len(k2.h)
        A, Q = by.A.reshape(-1, s, t, s, t), by.Q.reshape(-1, s, t, s, t)
        P = by.P.reshape(s, t, s, t)
        with_Q2 = np.einsum("nikjl,nkl->nij", Q, k2.Q)
        by_k1 = Slopes(
            np.einsum("nikjl,nkl->nij", A, k2.A),
            np.einsum("nikjl,kl->nij", Q, k2.P) - with_Q2,
            with_Q2.sum(axis=0)
            + np.einsum("ikjl,kl->ij", P, k2.P)
            + by.white * k2.white * np.outer(k1.h, k1.h),
            by.white * (k2.variance + k2.white),
        )
        by_k2 = Slopes(
            np.einsum("nikjl,nij->nkl", A, k1.A),
            np.einsum("nikjl,nij->nkl", Q, self.left),
            np.einsum("nikjl,nij->kl", Q, k1.Q)
            + np.einsum("ikjl,ij->kl", P, k1.P)
            + by.white * k1.white * np.outer(k2.h, k2.h),
            by.white * (k1.variance + k1.white),
        )
        return k1.sums(by_k1) + k2.sums(by_k2)


def links_of(kernel: Kernel, gaps: np.ndarray, memory: Memory | None = None) -> Link:
    """The chain of a kernel for the gaps between sorted points; `no_chain` says whether there is one.

    It stands in ``memory``, if there is one, until that is used for another.

    >>> import numpy as np
    >>> from assay.kernels import Matern
    >>> from assay.processes.routes.chain import links_of
    >>> links_of(Matern(nu=0.5), np.array([0.0, 1.0])).A[:, 0, 0].round(6)  # exp(-gap)
    array([1.      , 0.367879])
    """
    free = kernel.free > 0
    if isinstance(kernel, OnColumns):
        return links_of(kernel.kernel, gaps, memory)
    if isinstance(kernel, Matern):
        p = int(kernel.nu - 0.5)
        rate = float(np.sqrt(2.0 * kernel.nu) / np.ravel(kernel.length_scale)[0])
        return MaternLink(p, rate, gaps, free, memory)
    if isinstance(kernel, Laplacian):
        return _LaplacianLink(0, float(kernel.gamma), gaps, free, memory)  # type: ignore[arg-type]
    if isinstance(kernel, Harmonic):
        return HarmonicLink(float(kernel.periodicity), gaps, free)
    if isinstance(kernel, ConstantKernel):
        return ConstantLink(float(kernel.constant_value), gaps, free)
    if isinstance(kernel, WhiteKernel):
        return WhiteLink(float(kernel.noise_level), gaps, free)
    if not isinstance(kernel, (Sum, Product)):
        raise ParameterError(f"{_refusal(kernel)}.")
    k1, k2 = kernel.k1, kernel.k2
    if isinstance(kernel, Sum):
        return SumLink(links_of(k1, gaps, memory), links_of(k2, gaps, memory))
    if isinstance(k1, ConstantKernel):
        return ScaledLink(float(k1.constant_value), k1.free > 0, links_of(k2, gaps, memory), True, memory)
    if isinstance(k2, ConstantKernel):
        return ScaledLink(float(k2.constant_value), k2.free > 0, links_of(k1, gaps, memory), False, memory)
    return ProductLink(links_of(k1, gaps, memory), links_of(k2, gaps, memory))


def no_chain(kernel: Kernel) -> str | None:
    """None if the kernel of one column is a chain of states, else a sentence why not.

    >>> from assay.kernels import RBF, Matern
    >>> from assay.processes.routes.chain import no_chain
    >>> no_chain(2.0 * Matern(nu=2.5) + Matern(nu=0.5))
    >>> no_chain(RBF())
    'RBF(length_scale=1) is no chain of states: Matern(nu=2.5) is nearly as smooth, and is one'
    """
    if isinstance(kernel, OnColumns):
        return no_chain(kernel.kernel) if list(np.ravel(kernel.columns)) == [0] else _refusal(kernel)
    if isinstance(kernel, Matern):
        fits = kernel.nu <= SMOOTHEST and float(kernel.nu - 0.5).is_integer()
        return None if fits and np.size(kernel.length_scale) == 1 else _refusal(kernel)
    if isinstance(kernel, Laplacian):
        return _refusal(kernel) if kernel.gamma is None or isinstance(kernel.gamma, str) else None
    if isinstance(kernel, (ConstantKernel, Harmonic, WhiteKernel)):
        return None
    if isinstance(kernel, (Sum, Product)):
        refusal = no_chain(kernel.k1) or no_chain(kernel.k2)
        if refusal is None and (s := len(links_of(kernel, np.zeros(1)).h)) > LARGEST_STATE:
            refusal = f"{kernel!r} needs {s} states, and at most {LARGEST_STATE} are worth it"
        return refusal
    return _refusal(kernel)


def _refusal(kernel: Kernel) -> str:
    if isinstance(kernel, RBF):
        return f"{kernel!r} is no chain of states: Matern(nu=2.5) is nearly as smooth, and is one"
    if isinstance(kernel, ExpSineSquared):
        return (
            f"{kernel!r} is no chain of states; Harmonic(periodicity) is one, and a sum of some has any shape"
        )
    return f"{kernel!r} is no chain of states, as Matern kernels of nu = 1/2, 3/2, 5/2 and 7/2 are"


class _LaplacianLink(MaternLink):
    """exp(-gamma |x - x'|): Matern's kernel of nu = 1/2, but its parameter is the rate."""

    def sums(self, by: Slopes) -> list[float]:
        return [-slope for slope in super().sums(by)]


class _Tables(NamedTuple):
    """What (1) of a Matern kernel needs of its order, as matrices for (n, k) powers of z."""

    powers: np.ndarray  # (s, s s)   N^k / k!
    slopes: np.ndarray  # (s, s s)   (N - I) N^k / k!
    outer: np.ndarray  # (2p + 1, s s)   q g g' without its exponential
    integrals: np.ndarray  # (2p + 1, s s)   Q by the incomplete gamma functions
    native: Any  # the same, as the compiled code reads them


@lru_cache(maxsize=8)
def _matern_tables(p: int) -> _Tables:
    s = p + 1
    companion = np.eye(s, k=1)
    companion[-1] = [-comb(s, k) for k in range(s)]
    powers = np.array([np.linalg.matrix_power(companion + np.eye(s), k) / factorial(k) for k in range(s)])
    outer = np.zeros((2 * p + 1, s, s))
    for k in range(s):
        for j in range(s):
            outer[k + j] += np.outer(powers[k, :, -1], powers[j, :, -1])
    integrals = outer * np.array([factorial(k) / 2.0 ** (k + 1) for k in range(2 * p + 1)])[:, None, None]
    q = 1.0 / integrals.sum(axis=0)[0, 0]  # so that the kernel is 1 at 0
    slopes = np.array([companion @ power for power in powers])
    parts = {"powers": powers, "slopes": slopes, "outer": q * outer, "integrals": q * integrals}
    flat = {name: np.ascontiguousarray(a.reshape(len(a), s * s)) for name, a in parts.items()}
    return _Tables(**flat, native=_native.Matern(**flat))


def _beside(first: Any, second: Any) -> np.ndarray:
    """(n, s + t, s + t) two matrices on the diagonal of one."""
    s, t = first.shape[1], second.shape[1]
    if not s or not t:
        return second if not s else first
    out = np.zeros((len(first), s + t, s + t))
    out[:, :s, :s], out[:, s:, s:] = first, second
    return out


def _kron(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    n, s, t = max(len(first), len(second)), first.shape[1], second.shape[1]
    return (first[:, :, None, :, None] * second[:, None, :, None, :]).reshape(n, s * t, s * t)
