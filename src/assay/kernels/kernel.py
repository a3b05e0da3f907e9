"""Base class of the kernel functions: fitted once to a table, then evaluated for many pairs of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

import assay.kernels._vector as _vector
from assay.core.parallel import in_threads
from assay.core.stored import Kind
from assay.errors import DataError, ParameterError
from assay.kernels.admitted import alike, finite_rows
from assay.kernels.gram_rows import GramRows, KernelRows, PreparedRows
from assay.kernels.parameters import Parameter, check_parameter, parameter_of, shown, value_key
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

if TYPE_CHECKING:
    from assay.kernels.algebra import Exponentiation, Product, Sum
    from assay.kernels.normalized import Normalized
    from assay.kernels.on_columns import OnColumns
    from assay.tables import Schema

__all__ = ["OBJECTS", "Kernel", "mirror"]

OBJECTS = frozenset({"objects"})  # what a kernel takes that compares objects and no tables
SPARSE = frozenset({"sparse"})
PAIRS_A_BLOCK = 1 << 20  # pairs of rows in one piece of work
GRAM_ROWS_A_BLOCK = (
    128  # what such a block of a kernel matrix computes left of its diagonal is computed twice
)
GRAM_ROWS_AT_ONCE = 512  # up to this many rows a kernel matrix is one block


@dataclass(frozen=True, eq=False)
class Kernel:
    r"""A similarity of two rows that is an inner product of their images in some space of features.

    .. math:: K(a, b) = \langle\phi(a), \phi(b)\rangle \quad (1)

    A kernel is immutable: ``learn`` returns a new one, fitted to the training rows. Kernels add, multiply and have
    powers: ``2.0 * RBF(3.0) + Linear() ** 2``. Two kernels with equal parameters are equal.

    A new kernel writes ``_block``, and ``diagonal`` if that is known without pairs. If it has positive parameters that
    a search may change, it names them in ``searched``, has a field ``<name>_bounds`` for each, and writes
    ``_derivatives``.
    """

    takes: ClassVar[frozenset[str]] = frozenset()  # of "nominal", "missing", "sparse", "objects"
    precomputed: ClassVar[bool] = False  # whether rows are values of the kernel already
    function: ClassVar[bool] = False  # whether it is the user's own code, which threads do not speed up
    of_numbers: ClassVar[bool] = True  # whether rows that it takes in no other way must be finite numbers
    stationary: ClassVar[bool] = False  # whether K(a, b) depends on a - b alone
    additive: ClassVar[bool] = False  # whether it is a sum over columns, of the same kernel of each
    psd: ClassVar[bool] = True  # whether all its matrices are positive semidefinite, whatever the rows
    searched: ClassVar[tuple[str, ...]] = ()  # parameters that theta holds the logs of, in alphabetical order
    stored: ClassVar[Mapping[str, Kind] | None] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):  # or dataclass would write one of its own
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for name in self.searched:
            value, bounds = getattr(self, name), getattr(self, f"{name}_bounds")
            if name != "gamma" or not (
                value is None or isinstance(value, str)
            ):  # "scale" and "auto" are gammas
                object.__setattr__(self, name, check_parameter(type(self).__name__, name, value, bounds))

    def psd_on(self, columns: int) -> bool:
        """Whether all its matrices of rows of so many numbers are positive semidefinite.

        >>> from assay.kernels import ExpSineSquared
        >>> ExpSineSquared().psd_on(1), ExpSineSquared().psd_on(2)
        (True, False)
        """
        return self.psd

    @property
    def name(self) -> str:
        """Its name in `kernel_of`."""
        return type(self).__name__.lower()

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Kernel:
        """The kernel fitted to the training rows X, their targets y and weights w."""
        return self._with_parts(lambda part: part.learn(X, y, w))

    def with_schema(self, schema: Schema) -> Kernel:
        """The kernel for tables of that schema: names of columns become numbers, and kinds of columns are known."""
        return self._with_parts(lambda part: part.with_schema(schema))

    # ---------------------------------------------------------------- values

    def __call__(self, A: PointsLike, B: PointsLike | None = None) -> np.ndarray:
        """(n, m) the values for all pairs of rows of A and of B; without B those of A among themselves."""
        if self.of_numbers and self.takes <= SPARSE:
            A, B = finite_rows(A, self.name), None if B is None else finite_rows(B, self.name)
            if B is not None:
                A, B = (alike(A, B), B) if hasattr(B, "tocsr") else (A, alike(B, A))
        return self.gram(A) if B is None else self.between(A, B)

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        """(n, m) the values for all pairs of rows of A and of B."""
        A, B = self._prepared(A), self._prepared(B)
        n, m = row_count(A, self.name), row_count(B, self.name)
        self._check_widths(A, B)
        out = np.empty((n, m))
        size = max(1, PAIRS_A_BLOCK // max(m, 1))

        def some(start: int) -> None:
            out[start : start + size] = self._block(A[start : start + size], B)

        in_threads(some, range(0, n, size), 1 if self.function else None)
        return out

    def gram(self, A: PointsLike) -> np.ndarray:
        """(n, n) the kernel matrix of the rows of A, exactly symmetric."""
        A = self._prepared(A)
        n = row_count(A, self.name)
        K, size = np.empty((n, n)), n if n <= GRAM_ROWS_AT_ONCE else GRAM_ROWS_A_BLOCK
        size = max(1, min(size, PAIRS_A_BLOCK // max(n, 1)))

        def some(start: int) -> None:
            K[start : start + size, start:] = self._block(A[start : start + size], A[start:])

        in_threads(some, range(0, n, size), 1 if self.function else None)
        mirror(K)
        return K

    def diagonal(self, A: PointsLike) -> np.ndarray:
        """(n,) K(a, a) for each row of A."""
        A = self._prepared(A)
        return np.array(
            [self._block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(row_count(A, self.name))]
        )

    def gram_rows(self, X: TableLike) -> GramRows:
        """Rows of the kernel matrix of the training rows, computed when they are asked for."""
        if self._noisy:
            from assay.kernels.constant import NoisyRows

            return NoisyRows(self, X)
        return PreparedRows(self, X) if self.takes == OBJECTS else KernelRows(self, X)

    def combine(self, Q: PointsLike, S: PointsLike, coef: np.ndarray) -> np.ndarray:
        """(q, k) sum_j coef[j] K(q, s_j) for (m, k) coefficients of the rows of S; blocks of Q at a time."""
        Q, S = self._prepared(Q), self._prepared(S)
        q, m = row_count(Q, self.name), row_count(S, self.name)
        self._check_widths(Q, S)
        out = np.empty((q, coef.shape[1]))
        size = max(1, PAIRS_A_BLOCK // max(m, 1))
        for start in range(0, q, size):
            out[start : start + size] = self._block(Q[start : start + size], S) @ coef
        return out

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """(q, d, k) what each column adds to ``combine``, and (k,) what is the same for all rows.

        None, unless the kernel is a sum over columns of kernels that see one column each. Any kernel is, of one column.
        """
        if self.precomputed or getattr(Q, "ndim", 0) != 2:
            return None
        base = np.zeros(coef.shape[1])
        if Q.shape[1] == 1:
            return self.combine(Q, S, coef)[:, None], base
        if not self.additive:
            return None
        columns = ([j] for j in range(Q.shape[1]))
        return np.stack([self.combine(Q[:, j], S[:, j], coef) for j in columns], axis=1), base

    def feature_map(self, X: TableLike) -> np.ndarray:
        """(n, r) the images of (1), for a kernel whose space of features has few dimensions."""
        raise TypeError(
            f"{type(self).__name__} has no feature map of few columns. For an approximate one: Nystroem or RBFSampler."
        )

    # ---------------------------------------------------------------- parameters

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All positive parameters with their bounds, those of nested kernels after its own."""
        parameters = [parameter_of(name, *self._searched(name)) for name in self.searched]
        for place, part in self._parts().items():
            parameters += [
                parameter._replace(name=f"{place}__{parameter.name}") for parameter in part.parameters
            ]
        return tuple(parameters)

    @property
    def theta(self) -> np.ndarray:
        """(p,) the logs of the parameters that are not fixed."""
        free = [parameter.values for parameter in self.parameters if not parameter.fixed]
        return np.log(np.concatenate(free)) if free else np.zeros(0)

    @cached_property
    def free(self) -> int:
        """p, the number of entries of theta."""
        count = 0
        for name in self.searched:
            value, bounds = self._searched(name)
            count += 0 if isinstance(bounds, str) else np.size(value)
        return count + sum(part.free for part in self._parts().values())

    @property
    def bounds(self) -> np.ndarray:
        """(p, 2) the bounds of theta."""
        free = [parameter.bounds for parameter in self.parameters if parameter.bounds is not None]
        with np.errstate(divide="ignore"):
            return np.log(np.concatenate(free)) if free else np.zeros((0, 2))

    @property
    def theta_names(self) -> list[str]:
        """p names, one for each entry of theta."""
        return [label for parameter in self.parameters if not parameter.fixed for label in parameter.labels]

    def with_theta(self, theta: ArrayLike) -> Self:
        """The kernel with these logs of its free parameters.

        >>> import numpy as np
        >>> from assay.kernels import RBF, ConstantKernel
        >>> kernel = ConstantKernel(4.0) * RBF(2.0)
        >>> kernel.theta_names, kernel.with_theta(np.log([9.0, 0.5]))
        (['k1__constant_value', 'k2__length_scale'], 3**2 * RBF(length_scale=0.5))
        """
        theta = np.asarray(theta, dtype=np.float64).ravel()
        if len(theta) != self.free:
            raise ParameterError(
                f"{self!r}: theta must have {self.free} entries ({', '.join(self.theta_names) or 'none are free'}), "
                f"got {len(theta)}."
            )
        return self._with_theta(theta)

    def _with_theta(self, theta: np.ndarray) -> Self:
        values: dict[str, Any] = {}
        at = 0
        for name in self.searched:
            value, bounds = self._searched(name)
            if isinstance(bounds, str):
                continue
            if isinstance(value, float) or not np.ndim(value):
                k = 1
                values[name] = new = float(np.exp(theta[at]))
                sound = 0.0 < new < np.inf
            else:
                k = np.size(value)
                values[name] = each = np.exp(theta[at : at + k])
                sound = bool(each.min() > 0.0 and each.max() < np.inf)
            if not sound:
                check_parameter(type(self).__name__, name, values[name], bounds)
            at += k
        inner = self._inner
        changed = self._with_values(values)
        changed.__dict__["_inner"] = inner

        def share(part: Kernel) -> Kernel:
            nonlocal at
            p = part.free
            at += p
            return part._with_theta(theta[at - p : at]) if p else part

        result = changed._with_parts(share)
        result.__dict__["free"] = len(theta)
        return result

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments by name; with ``deep`` also those of nested kernels, as ``k1__length_scale``."""
        params = {f.name: getattr(self, f.name) for f in fields(self) if not f.name.endswith("_")}
        if deep:
            for place, part in self._parts().items():
                params |= {f"{place}__{name}": value for name, value in part.get_params().items()}
        return params

    def with_params(self, **params: Any) -> Self:
        """The kernel with other arguments, nested ones by names such as ``k1__length_scale``.

        >>> from assay.kernels import RBF
        >>> (RBF() + RBF()).with_params(k2__length_scale=3.0)
        RBF(length_scale=1) + RBF(length_scale=3)
        """
        values: dict[str, Any] = {}
        nested: dict[str, dict[str, Any]] = {}
        names, parts = {f.name for f in fields(self) if not f.name.endswith("_")}, self._parts()
        for name, value in params.items():
            if name in names:
                values[name] = value
                continue
            place = next((place for place in parts if name.startswith(f"{place}__")), None)
            if place is None:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(sorted(self.get_params()))}."
                )
            nested.setdefault(place, {})[name.removeprefix(f"{place}__")] = value
        changed = replace(self, **values)
        places = iter(changed._parts())
        return changed._with_parts(lambda part: part.with_params(**nested.get(next(places), {})))

    def set_params(self, **params: Any) -> Self:
        """Change arguments of this very object: for scikit-learn's searches, which clone first. Else: `with_params`."""
        changed = self.with_params(**params)
        self.__dict__.clear()  # what was derived from the old arguments, too
        for field in fields(self):
            object.__setattr__(self, field.name, getattr(changed, field.name))
        return self

    # ---------------------------------------------------------------- derivatives

    def gradient(self, A: PointsLike) -> np.ndarray:
        """(p, n, n) the derivatives of the kernel matrix of the rows of A by theta."""
        A = self._prepared(A)
        n = row_count(A, self.name)
        out = np.empty((self.free, n, n))
        size = max(1, PAIRS_A_BLOCK // max(n, 1))

        def some(start: int) -> None:
            for k, slope in enumerate(self._derivatives(A[start : start + size], A)):
                out[k, start : start + size] = slope

        in_threads(some, range(0, n, size) if len(out) else [], 1 if self.function else None)
        return out

    def parameter_sums(self, A: PointsLike, W: np.ndarray, *, symmetric: bool = False) -> np.ndarray:
        r"""(p,) sums of the derivatives of the kernel matrix by theta with the weights W (n, n).

        .. math:: g_k = \sum_{ij} W_{ij} \frac{\partial K_{ij}}{\partial\theta_k} \quad (2)

        Rows are taken in blocks, so the (p, n, n) array of `gradient` is never there. Where W is known to be
        ``symmetric``, pairs below the diagonal blocks are counted with those above it.
        """
        A = self._prepared(A)
        n, p = row_count(A, self.name), self.free
        if np.shape(W) != (n, n):
            raise DataError(f"parameter_sums: W must have the shape {(n, n)}, got {np.shape(W)}.")
        size = max(1, PAIRS_A_BLOCK // max(n, 1))
        half = symmetric and n > GRAM_ROWS_AT_ONCE
        size = min(size, 2 * GRAM_ROWS_A_BLOCK) if half else size

        def some(start: int) -> np.ndarray:
            stop = min(start + size, n)
            if not half:
                return self._derivative_sums(A[start:stop], A, W[start:stop])
            sums = self._derivative_sums(A[start:stop], A[start:stop], W[start:stop, start:stop])
            if stop < n:
                sums = sums + 2.0 * self._derivative_sums(A[start:stop], A[stop:], W[start:stop, stop:])
            return sums

        sums = in_threads(some, range(0, n, size) if p else [], 1 if self.function else None)
        return np.sum(sums, axis=0) if sums else np.zeros(p)

    def gram_and_sums(self, A: PointsLike) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The kernel matrix of the rows of A, and the function of symmetric weights W that gives the sums (2).

        What both need is computed once for few rows, for which preparing them takes longer than their values.
        """
        few = row_count(A, self.name) <= GRAM_ROWS_AT_ONCE
        if few and type(self).gram is Kernel.gram:
            return self._square_and_sums(self._prepared(A))
        return self.gram(A), lambda W: self.parameter_sums(A, W, symmetric=True)

    def _square_and_sums(self, A: Any) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        K = np.array(self._block(A, A))
        mirror(K)
        return K.copy(), lambda W: self._derivative_sums(A, A, W, K)

    def between_and_sums(
        self, A: PointsLike, B: PointsLike
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """(n, m) the values for all pairs of rows of A and of B, and the function of weights (n, m) that gives (2).

        >>> import numpy as np
        >>> from assay.kernels import RBF
        >>> K, sums = RBF().between_and_sums(np.array([[0.0]]), np.array([[1.0], [2.0]]))
        >>> K.round(4), sums(np.ones((1, 2))).round(4)  # exp(-1/2) + 4 exp(-2)
        (array([[0.6065, 0.1353]]), array([1.1479]))
        """
        A, B = self._prepared(A), self._prepared(B)
        self._check_widths(A, B)
        K = np.array(self._block(A, B))
        return K, lambda W: self._derivative_sums(A, B, W, K) if self.free else np.zeros(0)

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        """(p, n) the derivatives of the diagonal by theta."""
        A, p = self._prepared(A), self.free
        n = row_count(A, self.name)
        slopes = [
            [s[0, 0] for s in self._derivatives(A[i : i + 1], A[i : i + 1])] for i in range(n if p else 0)
        ]
        return np.array(slopes).reshape(-1, p).T if p else np.zeros((0, n))

    # ---------------------------------------------------------------- algebra

    def __add__(self, other: Any) -> Sum:
        from assay.kernels.algebra import Sum, term

        return Sum(self, term(other)) if _is_term(other) else NotImplemented

    def __radd__(self, other: Any) -> Sum:
        from assay.kernels.algebra import Sum, term

        return Sum(term(other), self) if _is_term(other) else NotImplemented

    def __mul__(self, other: Any) -> Product:
        from assay.kernels.algebra import Product, term

        return Product(self, term(other)) if _is_term(other) else NotImplemented

    def __rmul__(self, other: Any) -> Product:
        from assay.kernels.algebra import Product, term

        return Product(term(other), self) if _is_term(other) else NotImplemented

    def __pow__(self, exponent: float) -> Exponentiation:
        from assay.kernels.algebra import Exponentiation

        return Exponentiation(self, exponent)

    def on(self, columns: Sequence[str | int]) -> OnColumns:
        """The kernel of some columns: numbers, names, or the name of one view if rows are a mapping of views."""
        from assay.kernels.on_columns import OnColumns

        return OnColumns(self, columns)

    def normalized(self) -> Normalized:
        r"""The cosine in its space of features, :math:`K(a,b) / \sqrt{K(a,a)\,K(b,b)}`."""
        from assay.kernels.normalized import Normalized

        return Normalized(self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> Any:
        """Something hashable that is the same for equal kernels."""
        return value_key(self)

    def __repr__(self) -> str:
        inside = []
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
            if not field.name.endswith(("_bounds", "_")) and (
                number or field.name in self.searched or value_key(value) != value_key(field.default)
            ):
                inside.append(f"{field.name}={shown(value)}")
        return f"{type(self).__name__}({', '.join(inside)})"

    # ---------------------------------------------------------------- what kernels write

    def _prepared(self, X: Any) -> Any:
        """The rows as ``_block`` wants them."""
        return X

    def _block(self, A: Any, B: Any) -> np.ndarray:
        """(n, m) the values for prepared rows."""
        raise TypeError(f"{type(self).__name__} must define _block")

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> Sequence[np.ndarray]:
        """p matrices (n, m): the derivatives by theta for prepared rows, whose values are K."""
        if self.free:
            raise TypeError(f"{type(self).__name__} must define _derivatives")
        return ()

    def _derivative_sums(self, A: Any, B: Any, W: np.ndarray, K: np.ndarray | None = None) -> np.ndarray:
        """(p,) the sums (2) for prepared rows."""
        return np.array([np.einsum("ij,ij->", W, slope) for slope in self._derivatives(A, B, K)])

    def _searched(self, name: str) -> tuple[Any, Any]:
        """The value and the bounds of a parameter that theta may hold."""
        value, bounds = getattr(self, name), getattr(self, f"{name}_bounds")
        if value is None or isinstance(value, str):
            if isinstance(bounds, str):
                return np.nan, bounds
            raise ParameterError(
                f"{type(self).__name__}: {name}={value!r} is not known before the kernel learns from rows. Give a "
                "number, or call learn(X)."
            )
        return value, bounds

    def _with_values(self, values: Mapping[str, Any]) -> Self:
        return self._changed(values) if values else self

    def _changed(self, values: Mapping[str, Any]) -> Self:
        """The kernel with other values of some fields, which are known to be acceptable: no check, which takes time."""
        changed = object.__new__(type(self))
        changed.__dict__.update({name: getattr(self, name) for name in _field_names(type(self))}, **values)
        return changed

    # ---------------------------------------------------------------- kernels inside it

    def _parts(self) -> dict[str, Kernel]:
        """The kernels that it is made of, by the names of their places."""
        return self._places

    @cached_property
    def _places(self) -> dict[str, Kernel]:
        parts: dict[str, Kernel] = {}
        for name in self._inner:
            value = getattr(self, name)
            if isinstance(value, Kernel):
                parts[name] = value
            else:
                parts |= {f"{name}__{i}": part for i, part in enumerate(value)}
        return parts

    def _with_parts(self, change: Callable[[Kernel], Kernel]) -> Self:
        """The kernel with each of the kernels inside it changed, in the order of `_parts`."""
        inner = self._inner
        if not inner:
            return self
        values: dict[str, Any] = {}
        for name in inner:
            value = getattr(self, name)
            values[name] = change(value) if isinstance(value, Kernel) else tuple(map(change, value))
        changed = self._changed(values)
        changed.__dict__["_inner"] = inner
        return changed

    @cached_property
    def _inner(self) -> tuple[str, ...]:
        """The fields that hold kernels."""
        held = []
        for name in _field_names(type(self)):
            value = getattr(self, name)
            if isinstance(value, Kernel) or (
                isinstance(value, tuple) and value and isinstance(value[0], Kernel)
            ):
                held.append(name)
        return tuple(held)

    @property
    def _noisy(self) -> bool:
        """Whether a row is more similar to itself than to another row of the same values."""
        return any(part._noisy for part in self._parts().values())

    def _check_widths(self, A: Any, B: Any) -> None:
        """Refuse prepared rows of different numbers of columns."""
        if (
            len(getattr(A, "shape", ())) == 2
            and len(getattr(B, "shape", ())) == 2
            and A.shape[1] != B.shape[1]
        ):
            raise DataError(
                f"{self.name}: the rows of A have {A.shape[1]} columns, those of B {B.shape[1]}; expected as many."
            )


_names_by_class: dict[type, tuple[str, ...]] = {}


def _field_names(cls: type) -> tuple[str, ...]:
    """The names of a kernel's fields, which `dataclasses.fields` gathers anew at each call."""
    if cls not in _names_by_class:
        _names_by_class[cls] = tuple(field.name for field in fields(cls))
    return _names_by_class[cls]


def _is_term(value: Any) -> bool:
    """Whether a value can be added to a kernel or multiply it."""
    return isinstance(value, (Kernel, int, float, np.number)) and not isinstance(value, bool)


def mirror(K: np.ndarray) -> None:
    """Make K exactly symmetric: what is above the diagonal also stands below.

    >>> import numpy as np
    >>> from assay.kernels.kernel import mirror
    >>> K = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> mirror(K)
    >>> K
    array([[1., 2.],
           [2., 3.]])
    """
    if K.flags.c_contiguous and K.dtype in (np.float32, np.float64):
        _vector.mirror(K)
        return
    n, size = len(K), 256
    for start in range(0, n, size):
        stop = min(start + size, n)
        corner = K[start:stop, start:stop]
        np.copyto(corner, corner.T.copy(), where=np.tri(stop - start, k=-1, dtype=bool))
        K[stop:, start:stop] = K[start:stop, stop:].T
