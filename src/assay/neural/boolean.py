"""Networks of threshold units that compute Boolean functions and step functions, without learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import Count, check
from assay.errors import DataError, ParameterError
from assay.neural.arguments import finite_numbers
from assay.neural.layers.dense import Dense
from assay.neural.layers.other import CellwiseLinear
from assay.neural.network import Network

__all__ = ["boolean_network", "cell_network", "gate", "parity_network"]

GATES: dict[str, tuple[list[float], float]] = {
    "and": ([1.0, 1.0], -1.5),
    "or": ([1.0, 1.0], -0.5),
    "nand": ([-1.0, -1.0], 1.5),
    "nor": ([-1.0, -1.0], 0.5),
    "not": ([-1.0], 0.5),
}


def gate(name: str) -> Network:
    """One threshold unit, s(w.x + w0) with s(a) = 1 for a > 0, that computes a Boolean function.

    Parameters
    ----------
    name : "and", "or", "nand", "nor" or "not"

    Examples
    --------
    >>> from assay.neural import gate
    >>> gate("nand").outputs([[0, 0], [0, 1], [1, 0], [1, 1]]).ravel()
    array([1., 1., 1., 0.])

    See Also
    --------
    boolean_network, parity_network
    """
    if not isinstance(name, str) or name not in GATES:
        raise ParameterError(f"name must be one of {', '.join(map(repr, GATES))}", who="gate", got=name)
    w, bias = GATES[name]
    return Network([Dense(1, "threshold")], len(w)).load(np.array(w)[:, None], [bias])


def boolean_network(table: ArrayLike | Sequence[Sequence[int | None]], inputs: int | None = None) -> Network:
    r"""A network with one hidden layer for a truth table, or for a disjunction of conjunctions.

    Each conjunction is a hidden unit: weights +1 for positive literals, -1 for negated ones, bias
    :math:`-(q-\tfrac12)` for q positive literals; the output is their OR, bias :math:`-\tfrac12`. A table of d inputs
    needs a unit for each row that is true, up to :math:`2^d`: a memory, which does not generalise.

    Parameters
    ----------
    table : (2^d,) outputs 0 or 1 for the inputs 0...0 to 1...1 in counting order; or a list of conjunctions, each
        with 1 (positive), 0 (negated) or None (absent) for each input
    inputs : int
        d, for a list of conjunctions; a table says it itself.

    Examples
    --------
    >>> from assay.neural import boolean_network
    >>> boolean_network([0, 1, 1, 0]).outputs([[0, 0], [0, 1], [1, 0], [1, 1]]).ravel()
    array([0., 1., 1., 0.])
    >>> boolean_network([[1, None, 0]], inputs=3).outputs([[1, 0, 0], [1, 1, 1]]).ravel()  # x1 and not x3
    array([1., 0.])

    See Also
    --------
    parity_network, gate
    """
    if inputs is None:
        outputs = np.asarray(table)
        d = int(outputs.size).bit_length() - 1
        if outputs.ndim != 1 or outputs.size != 2**d or d < 1 or not np.isin(outputs, (0, 1)).all():
            raise DataError(
                "boolean_network: a truth table has 2, 4, 8, ... outputs 0 or 1; for conjunctions give inputs."
            )
        terms: Any = [bits for bits, true in zip(product((0, 1), repeat=d), outputs) if true]
    else:
        check("boolean_network", {"inputs": Count()}, {"inputs": inputs})
        rows = [list(row) if np.iterable(row) else [] for row in table] if np.iterable(table) else [[]]
        d, terms = inputs, rows
        if not all(len(term) == d and all(x is None or x in (0, 1) for x in term) for term in rows):
            raise DataError(f"boolean_network: each conjunction needs {d} entries: 1, 0 or None.")
    W = np.array([[{1: 1.0, 0: -1.0, None: 0.0}[literal] for literal in term] for term in terms]).reshape(
        -1, d
    )
    if not len(W):  # never true
        return Network([Dense(1, "threshold"), Dense(1, "threshold")], d).load(
            np.zeros((d, 1)), [-0.5], [[1.0]], [-0.5]
        )
    biases = -((W > 0).sum(axis=1) - 0.5)
    net = Network([Dense(len(W), "threshold"), Dense(1, "threshold")], d)
    return net.load(W.T, biases, np.ones((len(W), 1)), [-0.5])


def parity_network(d: int) -> Network:
    r"""Whether an odd number of d inputs is 1, by d hidden units that count: :math:`s(\sum_jx_j-k+\tfrac12)`.

    Output weights alternate, +1, -1, ...; the bias is :math:`-\tfrac12`. The sum makes it invariant under any order of
    the inputs.

    >>> from assay.neural import parity_network
    >>> parity_network(3).outputs([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]]).ravel()
    array([0., 1., 0., 1.])
    """
    check("parity_network", {"d": Count()}, {"d": d})
    k = np.arange(1, d + 1)
    net = Network([Dense(d, "threshold"), Dense(1, "threshold")], d)
    return net.load(np.ones((d, d)), 0.5 - k, np.where(k % 2 == 1, 1.0, -1.0)[:, None], [-0.5])


def cell_network(
    function: Callable[[np.ndarray], ArrayLike],
    edges: Sequence[ArrayLike],
    slopes: Callable[[np.ndarray], ArrayLike] | None = None,
) -> Network:
    r"""A network with two hidden layers that approximates a function by a constant (or a plane) in each cell of a grid.

    Hidden layer 1 has a threshold unit for each inner edge of the grid, layer 2 a unit for each cell, the AND of its
    bounds :math:`s(x-a)` and NOT :math:`s(x-b)`: cells are (a, b], the outermost reach on for ever. Output weights are
    the values at the centres: the error is at most the steepest slope times half the width of a cell.

    Parameters
    ----------
    function : of (m, d) points, gives (m,) values
    edges : for each of the d inputs the edges of the cells, ascending
    slopes : of (m, d) points, gives (m, d) derivatives: then the output is linear in each cell, and the error falls
        with the square of the width

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import cell_network
    >>> net = cell_network(lambda X: np.sin(6 * X[:, 0]), [np.linspace(-0.5, 0.5, 41)])
    >>> x = np.linspace(-0.5, 0.5, 1001)[:, None]
    >>> round(float(np.abs(net.outputs(x) - np.sin(6 * x)).max()), 4)
    0.0749
    """
    if not callable(function) or not (slopes is None or callable(slopes)):
        raise ParameterError("cell_network: function and slopes must be functions of (m, d) points.")
    grid = [finite_numbers(e, "cell_network", "edges") for e in edges] if np.iterable(edges) else []
    if not grid or any(e.ndim != 1 or len(e) < 2 or not (np.diff(e) > 0).all() for e in grid):
        raise ParameterError("cell_network: edges must be ascending numbers, at least two for each input.")
    d = len(grid)
    bounds = [(j, edge) for j, e in enumerate(grid) for edge in e[1:-1]]
    place = {(j, float(edge)): h for h, (j, edge) in enumerate(bounds)}
    W = np.zeros((d, max(len(bounds), 1)))
    b = np.zeros(max(len(bounds), 1))
    for h, (j, edge) in enumerate(bounds):
        W[j, h], b[h] = 1.0, -edge
    cells = list(product(*(list(pairwise(e)) for e in grid)))
    V, c = np.zeros((W.shape[1], len(cells))), np.zeros(len(cells))
    for k, cell in enumerate(cells):
        lows = [place[j, float(a)] for j, (a, _) in enumerate(cell) if (j, float(a)) in place]
        highs = [place[j, float(z)] for j, (_, z) in enumerate(cell) if (j, float(z)) in place]
        V[lows, k], V[highs, k] = 1.0, -1.0
        c[k] = -(len(lows) - 0.5)
    centres = np.array([[(a + z) / 2 for a, z in cell] for cell in cells])
    values = finite_numbers(function(centres), "cell_network", "the values of the function")
    if values.size != len(cells):
        raise DataError(
            f"cell_network: the function must give a value for each of {len(cells)} points, gave {values.size}."
        )
    values = values.reshape(len(cells))
    hidden = Dense(W.shape[1], "threshold"), Dense(len(cells), "threshold")
    if slopes is None:
        return Network([*hidden, Dense(1)], d).load(W, b, V, c, values[:, None], [0.0])
    steep = np.asarray(slopes(centres), dtype=np.float64).reshape(len(cells), d)
    U = np.column_stack([values - (steep * centres).sum(axis=1), steep])[:, :, None]
    return Network([CellwiseLinear(hidden)], d).load(W, b, V, c, U)
