"""Networks whose size is found by search: units added or removed, layers added or removed, cascades."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from assay.core.parameters import Accepted, Any_, Count, Range, check
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.neural.arguments import are_counts, check_penalties, finite_numbers
from assay.neural.backpropagation import Penalty, minimize_error
from assay.neural.layers.dense import Dense
from assay.neural.network import Network
from assay.neural.output_errors import OutputError, output_error
from assay.types import RandomState

__all__ = [
    "CascadeNetwork",
    "Search",
    "cascade_correlation",
    "dynamic_node_creation",
    "hill_climb",
    "prune",
    "search_architecture",
]

State = TypeVar("State")
Move = Callable[[Any], Any]

CANDIDATES = 8  # units that compete for a place in a cascade
FIRST_WEIGHTS = 0.5  # deviation of the random weights of a new unit


GROWTH: dict[str, Accepted | None] = {
    "goal": Range(),
    "most": Count(0),
    "max_iter": Count(),
    "candidates": Count(),
    "price": Range(0),
    "start": Any_("a list of whole numbers from 1 up", lambda v: are_counts(v) and len(v) > 0),
}


@dataclass
class Search(Generic[State]):
    """The way of a search: the state at its end, and every state that was accepted.

    Attributes
    ----------
    state : the last      badness : of each state on the way, falling      moves : the move that led to each
    path : the states
    """

    state: State
    badness: list[float] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    path: list[State] = field(default_factory=list)


def hill_climb(
    start: State,
    moves: dict[str, Move],
    badness: Callable[[State], float],
    *,
    goal: float = -math.inf,
    most: int = 20,
) -> Search[State]:
    """Search among states: try every move, go to the best neighbour, stop when none is better.

    Parameters
    ----------
    start : a state, such as a trained network
    moves : names and functions that make a neighbour of a state, or None where the move is not possible
    badness : what is to become small, such as the validation error, or a mix of it and the size
    goal : stop as soon as the badness is no larger
    most : steps at most

    Returns
    -------
    Search

    Examples
    --------
    >>> from assay.neural import hill_climb
    >>> search = hill_climb(0, {"up": lambda s: s + 1, "down": lambda s: s - 1}, lambda s: (s - 3) ** 2)
    >>> search.path, search.moves
    ([0, 1, 2, 3], ['up', 'up', 'up'])

    See Also
    --------
    search_architecture, dynamic_node_creation, cascade_correlation
    """
    check("hill_climb", {"goal": Range(), "most": Count(0)}, {"goal": goal, "most": most})
    search = Search(start, [badness(start)], [], [start])
    for _ in range(most):
        if search.badness[-1] <= goal:
            break
        neighbours = [(name, move(search.state)) for name, move in moves.items()]
        judged = [(badness(state), name, state) for name, state in neighbours if state is not None]
        if not judged:
            break
        value, name, state = min(judged, key=lambda entry: entry[0])
        if not value < search.badness[-1]:
            break
        search.state = state
        search.badness.append(value)
        search.moves.append(name)
        search.path.append(state)
    return search


def _with_more_units(net: Network, l: int, random: np.random.Generator, units: int = 1) -> Network:
    """The network with more units in its hidden layer l: random inputs, no influence on the outputs yet."""
    layers = list(net.layers)
    old: Any = layers[l]
    layers[l] = Dense(old.units + units, old.activation, old.bias)
    made = Network(layers, net.input_shape)
    for k, (new, before) in enumerate(zip(made.parts, net.parts)):
        for name, view in new.items():
            view[...] = 0.0
            view[tuple(slice(0, size) for size in before[name].shape)] = before[name]
            if k == l:
                view[..., old.units :] = FIRST_WEIGHTS * random.normal(size=(*view.shape[:-1], units))
    return made


def _without_unit(net: Network, l: int, unit: int) -> Network | None:
    """The network without one unit of its hidden layer l."""
    old: Any = net.layers[l]
    if old.units <= 1:
        return None
    layers = list(net.layers)
    layers[l] = Dense(old.units - 1, old.activation, old.bias)
    arrays = []
    for k, before in enumerate(net.parts):
        for name, view in before.items():
            if k == l:
                view = np.delete(view, unit, axis=-1)
            elif k == l + 1 and name == "W":
                view = np.delete(view, unit, axis=0)
            arrays.append(view)
    return Network(layers, net.input_shape).load(*arrays)


def dynamic_node_creation(
    X: ArrayLike,
    target: ArrayLike,
    *,
    activation: str = "logistic",
    output: str = "identity",
    error: str | OutputError = "squared_error",
    goal: float = 0.01,
    most: int = 10,
    max_iter: int = 300,
    random_state: RandomState = None,
) -> Search[Network]:
    """Grow one hidden layer: begin with one unit, train, and add a unit while the error is too large.

    All weights go on from where they stand; a new unit has random inputs and no influence at first, so that the
    training error never rises. It is a :func:`hill_climb` with one move.

    Parameters
    ----------
    X, target : (n, d) rows and (n, K) targets
    activation, output : of the hidden and of the output units
    error : see Network.value_gradient
    goal : mean error of a row to stop at
    most : units added at most
    max_iter : steps of each training
    random_state : seed of new weights

    Returns
    -------
    Search of networks

    Examples
    --------
    >>> from assay.neural import dynamic_node_creation
    >>> X, r = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> search = dynamic_node_creation(X, r, random_state=0)
    >>> (search.state.outputs(X).ravel() > 0.5).astype(int)
    array([0, 1, 1, 0])

    References
    ----------
    - Ash, T. (1989). Dynamic node creation in backpropagation networks. Connection Science 1, 365-375.
      doi:10.1080/09540098908915647
    """
    limits: dict[str, Any] = {"goal": goal, "most": most, "max_iter": max_iter}
    check("dynamic_node_creation", GROWTH, limits)
    x, r, judged = _checked(X, target, error, "dynamic_node_creation")
    random = as_generator(random_state, "dynamic_node_creation")

    def trained(net: Network) -> Network:
        minimize_error(net, x, r, error=judged, max_iter=max_iter)
        return net

    first = trained(Network([Dense(1, activation), Dense(r.shape[1], output)], x.shape[1], random))
    return hill_climb(
        first,
        {"add a unit": lambda net: trained(_with_more_units(net, 0, random))},
        lambda net: float(judged.value(net.outputs(x), r).mean()),
        goal=goal,
        most=most,
    )


def _checked(X: Any, target: Any, error: Any, who: str) -> tuple[np.ndarray, np.ndarray, OutputError]:
    x, r = finite_numbers(X, who, "X"), finite_numbers(target, who, "target")
    r = r[:, None] if r.ndim == 1 else r
    if x.ndim != 2 or r.ndim != 2 or len(x) != len(r) or not len(x):
        raise DataError(
            f"{who}: X must have two axes and as many rows as target, one or more, got {x.shape} and {r.shape}."
        )
    return x, r, output_error(error, who)


@dataclass
class CascadeNetwork:
    r"""A cascade: every hidden unit sees the inputs and all hidden units before it; linear outputs see all of them.

    Attributes
    ----------
    units : list of the incoming weights of each hidden unit: bias, inputs, earlier units
    V : (1 + d + H, K) weights of the outputs      error : mean squared error of the training rows after each unit
    """

    units: list[np.ndarray]
    V: np.ndarray
    error: list[float] = field(default_factory=list)

    def features(self, X: ArrayLike) -> np.ndarray:
        """(n, 1 + d + H) ones, inputs and the values of the hidden units."""
        x = np.asarray(X, dtype=np.float64)
        F = np.column_stack([np.ones(len(x)), x])
        for w in self.units:
            F = np.column_stack([F, expit(F @ w)])
        return F

    def outputs(self, X: ArrayLike) -> np.ndarray:
        """(n, K)"""
        return self.features(X) @ self.V


def cascade_correlation(
    X: ArrayLike,
    target: ArrayLike,
    *,
    goal: float = 0.01,
    most: int = 10,
    candidates: int = CANDIDATES,
    max_iter: int = 200,
    only_new: bool = False,
    random_state: RandomState = None,
) -> CascadeNetwork:
    r"""Grow a cascade of hidden units, each trained alone to follow the errors that are left, then frozen.

    .. math:: S = \sum_i\left|\sum_t(z^t-\bar z)(e_i^t-\bar e_i)\right|,\quad
              \frac{\partial S}{\partial w_j} = \sum_i\text{sign}_i\sum_t(e_i^t-\bar e_i)z^t(1-z^t)I_j^t \quad (1)

    Candidates climb (1) from random weights; the best joins, and the output weights follow by least squares, so that
    the training error never rises. Earlier units stay as they are: each step is a shallow problem, whose inputs are
    known numbers.

    Parameters
    ----------
    X, target : (n, d) rows and (n, K) targets (0 and 1 for two classes)
    goal : mean squared error to stop at
    most : hidden units at most
    candidates : units that compete for each place
    max_iter : steps of a candidate
    only_new : bool, default False
        Fit the output weights of the new unit (and the biases) alone.
    random_state : seed of first weights

    Examples
    --------
    >>> from assay.neural import cascade_correlation
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> net = cascade_correlation(X, [0, 1, 1, 0], random_state=0)
    >>> (net.outputs(X).ravel() > 0.5).astype(int), len(net.units)
    (array([0, 1, 1, 0]), 1)

    References
    ----------
    - Fahlman, S. E. and Lebiere, C. (1990). The cascade-correlation learning architecture. Advances in Neural
      Information Processing Systems 2, 524-532.
    """
    from assay.optimize import lbfgs

    limits: dict[str, Any] = {"goal": goal, "most": most, "max_iter": max_iter, "candidates": candidates}
    check("cascade_correlation", GROWTH, limits)
    x, r, _ = _checked(X, target, "squared_error", "cascade_correlation")
    random = as_generator(random_state, "cascade_correlation")
    F = np.column_stack([np.ones(len(x)), x])
    net = CascadeNetwork([], np.linalg.lstsq(F, r, rcond=None)[0])
    net.error.append(float(((r - F @ net.V) ** 2).mean()))
    while len(net.units) < most and net.error[-1] > goal:
        e = r - F @ net.V
        e = e - e.mean(axis=0)

        class Correlation:
            def value_gradient(
                self, w: np.ndarray, F: np.ndarray = F, e: np.ndarray = e
            ) -> tuple[float, np.ndarray]:
                z = expit(F @ w)
                s = z @ e
                slope = F.T @ ((e @ np.sign(s)) * z * (1 - z))
                return -float(np.abs(s).sum()), -slope

        optima = [
            lbfgs(Correlation(), 2 * random.normal(size=F.shape[1]), tol=1e-6, max_iter=max_iter)  # type: ignore[arg-type]
            for _ in range(candidates)
        ]
        best = min(optima, key=lambda optimum: optimum.value)
        net.units.append(best.w)
        z = expit(F @ best.w)
        if only_new:
            free = np.column_stack([np.ones(len(x)), z])
            change = np.linalg.lstsq(free, r - F @ net.V, rcond=None)[0]
            net.V = np.vstack([net.V, change[1]])
            net.V[0] += change[0]
            F = np.column_stack([F, z])
        else:
            F = np.column_stack([F, z])
            net.V = np.linalg.lstsq(F, r, rcond=None)[0]
        net.error.append(float(((r - F @ net.V) ** 2).mean()))
    return net


def search_architecture(
    X: ArrayLike,
    target: ArrayLike,
    validation: tuple[ArrayLike, ArrayLike],
    *,
    start: Sequence[int] = (1,),
    activation: str = "tanh",
    output: str = "identity",
    error: str | OutputError = "squared_error",
    penalties: Sequence[Penalty] = (),
    price: float = 0.0,
    most: int = 10,
    max_iter: int = 200,
    random_state: RandomState = None,
) -> Search[Network]:
    """Find sizes of hidden layers by hill climbing: add or remove a unit of any layer, add or remove a layer.

    Every neighbour is trained on the rows; the best by validation error plus ``price`` for each weight is gone to, as
    long as it is better.

    Parameters
    ----------
    X, target : rows to train on      validation : (X, target) to judge by
    start : sizes of the hidden layers where the search begins
    activation, output, error, penalties : of the networks and their training
    price : what one weight costs, against the mean validation error of a row
    most : steps at most
    max_iter : steps of each training
    random_state : seed of first weights

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import search_architecture
    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> r = np.sin(3 * x)
    >>> search = search_architecture(x[::2], r[::2], (x[1::2], r[1::2]), most=2, random_state=0)
    >>> all(a > b for a, b in zip(search.badness, search.badness[1:]))
    True

    See Also
    --------
    hill_climb, dynamic_node_creation, cascade_correlation
    """
    who = "search_architecture"
    check(who, GROWTH, {"most": most, "max_iter": max_iter, "price": price, "start": start})
    check_penalties(penalties, who)
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise ParameterError("validation must be a pair, (X, target)", who=who, got=validation)
    x, r, judged = _checked(X, target, error, who)
    x_val, r_val, _ = _checked(*validation, error, who)
    random = as_generator(random_state, "search_architecture")

    def trained(net: Network) -> Network:
        minimize_error(net, x, r, error=judged, penalties=penalties, max_iter=max_iter)
        return net

    def made(sizes: Sequence[int]) -> Network:
        hidden = [Dense(size, activation) for size in sizes]
        return trained(Network([*hidden, Dense(r.shape[1], output)], x.shape[1], random))

    def sizes_of(net: Network) -> list[int]:
        return [layer.units for layer in net.layers[:-1] if isinstance(layer, Dense)]

    def more_units(net: Network) -> Network | None:
        choices = [trained(_with_more_units(net, l, random)) for l in range(len(net.layers) - 1)]
        return min(choices, key=badness, default=None)

    def fewer_units(net: Network) -> Network | None:
        choices = [
            smaller
            for l in range(len(net.layers) - 1)
            if (smaller := _without_unit(net, l, _least_unit(net, l))) is not None
        ]
        return min(map(trained, choices), key=badness, default=None)

    def badness(net: Network) -> float:
        return float(judged.value(net.outputs(x_val), r_val).mean()) + price * net.n_parameters

    moves: dict[str, Move] = {
        "add a unit": more_units,
        "remove a unit": fewer_units,
        "add a layer": lambda net: made([*sizes_of(net), sizes_of(net)[-1]]),
        "remove a layer": lambda net: made(sizes_of(net)[:-1]) if len(net.layers) > 2 else None,
    }
    return hill_climb(made(start), moves, badness, most=most)


def _least_unit(net: Network, l: int) -> int:
    """The hidden unit of layer l whose outgoing weights are smallest."""
    return int(np.argmin((net.parts[l + 1]["W"] ** 2).sum(axis=1)))


def prune(network: Network, share: float) -> Network:
    """A copy of a network of Dense layers without its smallest weights, and without units that no longer matter.

    Parameters
    ----------
    network : trained
    share : float
        Share of the weights (biases aside), the smallest by absolute value, that become 0. A hidden unit without
        outgoing weights is removed; one without incoming weights is a constant and joins the next biases.

    Examples
    --------
    >>> from assay.neural import Dense, Network, prune
    >>> net = Network([Dense(2, "tanh"), Dense(1)], 1).load([[1.0, 0.001]], [0.0, 0.2], [[2.0], [0.002]], [0.5])
    >>> prune(net, 0.5).n_parameters
    4
    """
    check("prune", {"share": Range(0, 1, open="high")}, {"share": share})
    if not all(isinstance(layer, Dense) and layer.bias for layer in network.layers):
        raise ParameterError("prune: the network must have Dense layers with biases only.")
    made = network.copy()
    sizes = np.concatenate([np.abs(part["W"]).ravel() for part in made.parts])
    limit = np.sort(sizes)[int(share * len(sizes)) - 1] if int(share * len(sizes)) else -1.0
    for part in made.parts:
        part["W"][np.abs(part["W"]) <= limit] = 0.0
    for l in range(len(made.layers) - 2, -1, -1):
        layer: Any = made.layers[l]
        for unit in range(layer.units - 1, -1, -1):
            part, after = made.parts[l], made.parts[l + 1]
            silent = not after["W"][unit].any()
            constant = not part["W"][:, unit].any()
            if not (silent or constant):
                continue
            if constant and not silent:
                value = made.layers[l].forward(part, np.zeros((1, part["W"].shape[0])))[0][0, unit]
                after["b"] += value * after["W"][unit]
            smaller = _without_unit(made, l, unit)
            made = made if smaller is None else smaller
    return made
