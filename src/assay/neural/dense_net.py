r"""The parameters of a dense network in one vector, and the native passes over the rows that change them.

.. math:: a_0 = x,\quad a_l = f_l(a_{l-1}W_l + b_l),\quad
          E = \tfrac1m\sum_i v_i\,\ell(y_i, a_L(x_i)) + \tfrac{\alpha}{2m}\sum_l\lVert W_l\rVert^2 \quad (1)

over the m rows of a batch (with weights, m is their sum).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.neural._dense_net as native
from assay.core.csr import csr_arrays
from assay.core.parallel import in_threads, one_blas_thread
from assay.neural.activations import ACTIVATIONS, softmax_rows
from assay.neural.unit_normalization import NORMALIZATIONS, UnitNormalization

__all__ = ["HIDDEN", "LOSSES", "OPTIMIZERS", "DenseNet", "forward", "with_categories"]

# the numbers of the native code
HIDDEN = {
    name: code
    for code, name in enumerate(
        ("identity", "logistic", "tanh", "relu", "leaky_relu", "elu", "selu", "softplus")
    )
}
OUTPUTS = {"identity": 0, "logistic": 1, "softmax": 2, "exp": 3}
LOSSES = {
    name: code
    for code, name in enumerate(
        (
            "squared_error",
            "log_loss",
            "poisson",
            "absolute_error",
            "huber",
            "quantile",
            "focal",
            "hinge",
            "given",
        )
    )
}
OPTIMIZERS = {"sgd": 0, "nesterov": 1, "adam": 2, "adamw": 3, "rmsprop": 4}
PRODUCTS_AT_ONCE = 4 * 10**9  # of rows and weights in one native call, after which Ctrl-C is heard
PARTS = ("gain", "shift", "mean", "variance")  # of normalisations, in the order of the parameters
ROWS_AT_ONCE = 2048  # of an answer; the same whatever the number of threads, so that sums are
PRODUCTS_OF_ONE_THREAD = 9000  # of rows and weights of a layer, up to which BLAS takes one thread by itself


@dataclass(frozen=True)
class Data:
    """Rows and targets as native code takes them."""

    rows: Any
    targets: Any
    n: int


class DenseNet:
    """A dense network whose parameters lie in one vector: all weights, all biases, and what normalises.

    Parameters
    ----------
    sizes : of the layers, the columns of the table first
    activations : names, one for each hidden layer
    output : "identity", "logistic", "softmax" or "exp"
    loss : a name of ``LOSSES``; with a ``parameter`` if it needs one
    divisor : what losses of numbers are divided by
    dropout : shares of the inputs of each layer that are left out while learning
    normalization : "batch", "layer" or None, of the sums of hidden units
    levels, category_width : rows of the table of each column of categories, and numbers of a category; the last inputs
        of the first layer are those of the categories
    dtype : np.float64 or np.float32
    """

    def __init__(
        self,
        sizes: Sequence[int],
        activations: Sequence[str],
        output: str,
        loss: str,
        *,
        parameter: float = 0.0,
        divisor: float = 1.0,
        dropout: Sequence[float] | None = None,
        normalization: str | None = None,
        levels: Sequence[int] = (),
        category_width: int = 1,
        dtype: Any = np.float64,
    ):
        self.levels, self.category_width = np.array(levels, dtype=np.int64), int(category_width)
        self.sizes, self.dtype = tuple(int(size) for size in sizes), np.dtype(dtype)
        L = len(self.sizes) - 1
        self.shape = native.Shape(
            sizes=np.array(self.sizes, dtype=np.int64),
            activations=np.array([HIDDEN[name] for name in activations], dtype=np.int64),
            dropout=np.array(dropout if dropout is not None else [0.0] * L, dtype=np.float64),
            output=OUTPUTS[output],
            loss=LOSSES[loss],
            parameter=float(parameter),
            divisor=float(divisor),
            normalization=0 if normalization is None else NORMALIZATIONS[normalization],
            levels=self.levels,
            category_width=self.category_width,
        )
        self.normalization, hidden = normalization, sum(self.sizes[1:-1])
        self.n_weighted = sum(a * b for a, b in zip(self.sizes, self.sizes[1:])) + sum(self.sizes[1:])
        each = {None: 0, "layer": 2, "batch": 3}[normalization]
        self.n_normalized = self.n_weighted + each * hidden  # where the tables of categories begin
        self.theta = np.zeros(self.n_normalized + int(self.levels.sum()) * self.category_width, self.dtype)
        if normalization is not None:
            self.theta[self.n_weighted : self.n_weighted + hidden] = 1.0  # gains
            self.theta[self.n_weighted + 2 * hidden : self.n_normalized] = 1.0  # variances, if there are any

    def parts(self, theta: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The weights and the biases of each layer, as views of a vector."""
        coefs, intercepts, at = [], [], 0
        for a, b in zip(self.sizes, self.sizes[1:]):
            coefs.append(theta[at : at + a * b].reshape(a, b))
            at += a * b
        for b in self.sizes[1:]:
            intercepts.append(theta[at : at + b])
            at += b
        return coefs, intercepts

    def normalizations(self, theta: np.ndarray) -> list[UnitNormalization]:
        """That of each hidden layer; none without normalisation."""
        if self.normalization is None:
            return []
        cuts, batch = np.cumsum(self.sizes[1:-1]), self.normalization == "batch"
        learned = np.split(theta[self.n_weighted : self.n_normalized].astype(np.float64), 3 if batch else 2)
        parts, nothing = [np.split(part, cuts[:-1]) for part in learned], [np.zeros(0)] * len(cuts)
        columns = [parts[0], nothing, *parts[1:]] if batch else [*parts, nothing, nothing]
        return [UnitNormalization(self.normalization, *of) for of in zip(*columns)]

    def tables(self, theta: np.ndarray) -> list[np.ndarray]:
        """The numbers of the categories of each column, as views of a vector."""
        cuts = np.cumsum(self.levels * self.category_width)[:-1]
        parts = np.split(theta[self.n_normalized :], cuts) if len(self.levels) else []
        return [part.reshape(-1, self.category_width) for part in parts]

    def inputs(self, X: Any, theta: np.ndarray) -> Any:
        """What the first layer sees of rows: numbers, then those of their categories."""
        return with_categories(X, self.tables(theta))

    def begin_at(
        self,
        coefs: Sequence[np.ndarray],
        intercepts: Sequence[np.ndarray],
        normalizations: Sequence[UnitNormalization] = (),
        tables: Sequence[np.ndarray] = (),
    ) -> None:
        """Take over weights and biases, what was learned to normalise, and tables of categories."""
        learned = [[getattr(of, name) for of in normalizations] for name in PARTS]
        parts = [*coefs, *intercepts, *(part for some in learned for part in some), *tables]
        np.concatenate([np.ravel(part) for part in parts], out=self.theta, casting="same_kind")

    def data(
        self,
        X: Any,
        codes: np.ndarray | None = None,
        numbers: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        smoothing: float = 0.0,
    ) -> Data:
        """Rows (dense or sparse) with classes or numbers as native code takes them; the last columns are categories."""
        double, c = self.dtype == np.float64, len(self.levels)
        n, d = X.shape[0], X.shape[1] - c
        if isinstance(X, np.ndarray):
            parts: dict[str, Any] = {"dense": np.ascontiguousarray(X[:, :d], dtype=self.dtype)}
            parts |= dict.fromkeys(("value", "column", "start"))
        else:
            start, column, value = csr_arrays(X)
            parts = {
                "dense": None,
                "value": np.ascontiguousarray(value, dtype=self.dtype),
                "column": np.ascontiguousarray(column, dtype=np.int32),
                "start": np.ascontiguousarray(start, dtype=np.int64),
            }
        parts["codes"] = X[:, d:].astype(np.int32, order="C") if c else None
        parts["levels"] = self.levels if c else None
        rows = (native.Rows64 if double else native.Rows32)(**parts, n=n, d=d)
        targets = (native.Targets64 if double else native.Targets32)(
            codes=None if codes is None else np.ascontiguousarray(codes, dtype=np.int32),
            numbers=None if numbers is None else np.ascontiguousarray(numbers, dtype=self.dtype),
            weight=None if weight is None else np.ascontiguousarray(weight, dtype=self.dtype),
            smoothing=float(smoothing),
        )
        return Data(rows, targets, n)

    def epoch(
        self,
        data: Data,
        rule: Any,
        order: np.ndarray,
        batch_size: int,
        rates: np.ndarray,
        moment: np.ndarray,
        square: np.ndarray,
        t: int,
        seed: int = 0,
    ) -> float:
        """One pass over the rows in that order; the mean of (1) over the batches, each before its step."""
        run = native.epoch64 if self.dtype == np.float64 else native.epoch32
        calls = max(
            1, PRODUCTS_AT_ONCE // max(1, 3 * len(self.theta) * batch_size)
        )  # batches of a native call

        def batches(at: int) -> float:
            some: float = run(
                rows=data.rows,
                targets=data.targets,
                shape=self.shape,
                rule=rule,
                order=order[at * batch_size : (at + calls) * batch_size],
                most=batch_size,
                rates=rates[at : at + calls],
                theta=self.theta,
                moment=moment,
                square=square,
                t=t + at,
                seed=seed,
            )
            return some

        if calls >= len(rates):
            return batches(0)
        sizes = [
            len(order[at * batch_size : (at + calls) * batch_size]) for at in range(0, len(rates), calls)
        ]
        return sum(size * batches(k * calls) for k, size in enumerate(sizes)) / len(order)

    def scores(
        self, data: Data, rows: np.ndarray, theta: np.ndarray, t: int | None = None, seed: int = 0
    ) -> np.ndarray:
        """(m, K) the scores of some rows, with the units left out that step t + 1 of ``epoch`` leaves out, if any."""
        run = native.scores64 if self.dtype == np.float64 else native.scores32
        out = np.empty((len(rows), self.sizes[-1]), dtype=self.dtype)
        theta = np.ascontiguousarray(theta, dtype=self.dtype)
        run(rows=data.rows, shape=self.shape, chosen=rows, theta=theta, t=t, seed=seed, out=out)
        return out

    def value_gradient(self, data: Data, alpha: float, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """(1) over all rows, and its gradient."""
        run = native.gradient64 if self.dtype == np.float64 else native.gradient32
        theta = np.ascontiguousarray(theta, dtype=self.dtype)
        grad = np.empty_like(theta)
        value = run(data.rows, data.targets, self.shape, float(alpha), theta, grad)
        return value, grad


def with_categories(X: Any, tables: Sequence[np.ndarray]) -> Any:
    """Rows whose last columns are categories (codes), each replaced by the numbers that its table has for it.

    >>> import numpy as np
    >>> from assay.neural.dense_net import with_categories
    >>> with_categories(np.array([[0.5, 1.0], [0.7, 0.0]]), [np.array([[1.0, 2.0], [3.0, 4.0]])])
    array([[0.5, 3. , 4. ],
           [0.7, 1. , 2. ]])
    """
    if not tables:
        return X
    d = X.shape[1] - len(tables)
    numbers = [table[X[:, d + j].astype(np.int64)] for j, table in enumerate(tables)]
    return np.hstack([X[:, :d], *numbers]).astype(X.dtype, copy=False)


def forward(
    X: Any,
    coefs: Sequence[np.ndarray],
    intercepts: Sequence[np.ndarray],
    activations: Sequence[str],
    output: str,
    keep: bool = False,
    normalizations: Sequence[UnitNormalization] = (),
) -> list[np.ndarray]:
    """The values of the layers for some rows: all of them with ``keep``, else only the last."""
    n = X.shape[0]
    if not keep and n > ROWS_AT_ONCE:
        return [_in_blocks(X, coefs, intercepts, activations, output, normalizations)]
    if n * max(W.size for W in coefs) <= PRODUCTS_OF_ONE_THREAD:
        return _values(X, coefs, intercepts, activations, output, keep, normalizations)
    with one_blas_thread():
        return _values(X, coefs, intercepts, activations, output, keep, normalizations)


def _values(
    X: Any,
    coefs: Sequence[np.ndarray],
    intercepts: Sequence[np.ndarray],
    activations: Sequence[str],
    output: str,
    keep: bool,
    normalizations: Sequence[UnitNormalization],
) -> list[np.ndarray]:
    values, a = [], X
    for l, (W, b) in enumerate(zip(coefs, intercepts)):
        a = np.asarray(a @ W)
        if normalizations and l + 1 < len(coefs):
            a = normalizations[l].apply(a, b).astype(a.dtype, copy=False)
        else:
            a += b
        if l + 1 < len(coefs):
            name = activations[l]
            if name == "relu":
                np.maximum(a, 0, out=a)
            elif name != "identity":
                a = ACTIVATIONS[name].value(a)
        else:
            a = _linked(a, output)
        values.append(a)
    return values if keep else values[-1:]


def _in_blocks(
    X: Any,
    coefs: Sequence[np.ndarray],
    intercepts: Sequence[np.ndarray],
    activations: Sequence[str],
    output: str,
    normalizations: Sequence[UnitNormalization],
) -> np.ndarray:
    """The outputs for many rows: block by block in native code, the blocks on several threads."""
    net = DenseNet(
        [len(coefs[0]), *(W.shape[1] for W in coefs)],
        activations,
        "identity",
        "given",
        normalization=normalizations[0].kind if normalizations else None,
        dtype=np.float32 if np.result_type(X.dtype, *coefs) == np.float32 else np.float64,
    )
    net.begin_at(coefs, intercepts, normalizations)

    def answers(at: int) -> np.ndarray:
        block = X[at : at + ROWS_AT_ONCE]
        rows = np.arange(block.shape[0])
        return _linked(net.scores(net.data(block), rows, net.theta), output)

    with one_blas_thread():
        return np.concatenate(in_threads(answers, range(0, X.shape[0], ROWS_AT_ONCE)))


def _linked(scores: np.ndarray, output: str) -> np.ndarray:
    """What the output units say, from their weighted sums."""
    if output == "softmax":
        return softmax_rows(scores)
    return scores if output == "identity" else ACTIVATIONS[output].value(scores)
