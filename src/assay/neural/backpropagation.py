"""Backpropagation by the book, to watch: online and batch, momentum, an adaptive rate, snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import Accepted, Count, Flag, Instance, Range, check
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.core.stored import Integer, Scalar
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.neural.arguments import check_penalties, finite_numbers
from assay.neural.network import Network
from assay.neural.output_errors import OutputError, output_error
from assay.types import RandomState

__all__ = ["AdaptiveRate", "Pass", "Penalty", "Training", "backpropagation", "minimize_error"]


class Penalty(Protocol):
    """What is added to the error: a weight prior, or a hint about the outputs."""

    def value_gradient(self, network: Network) -> tuple[float, np.ndarray]:
        """Its value for the network as it stands, and its gradient by ``theta``."""
        ...


@dataclass(frozen=True)
class Pass:
    """One pass over the rows.

    Attributes
    ----------
    number : from 1      rate : learning factor during the pass
    error : sum over the rows after the pass, penalties included      validation : of the validation rows, or None
    """

    number: int
    rate: float
    error: float
    validation: float | None = None


@dataclass(frozen=True)
class AdaptiveRate:
    r"""The learning factor grows by a constant while the error falls, and shrinks by a share when it does not.

    .. math:: \Delta\eta = +a \text{ if } \bar E_{\text{new}} < \bar E_{\text{old}}, \text{ else } -b\eta \quad (1)

    with means of E over ``window`` passes, compared once every ``window`` passes.

    >>> from assay.neural import AdaptiveRate
    >>> rule = AdaptiveRate(a=0.01, b=0.1, window=1)
    >>> rule.changed(0.2, [5.0, 4.0]), rule.changed(0.2, [4.0, 5.0])
    (0.21000000000000002, 0.18)
    """

    a: float = 0.01
    b: float = 0.1
    window: int = 5
    stored = {"a": Scalar(), "b": Scalar(), "window": Integer(low=1)}

    def __post_init__(self) -> None:
        for name, value, fits, words in (
            ("a", self.a, 0 <= self.a < np.inf, "a number from 0 up"),
            ("b", self.b, 0 <= self.b < 1, "a number from 0 to below 1"),
            ("window", self.window, self.window >= 1, "a whole number from 1 up"),
        ):
            if not fits:
                raise ParameterError(f"{name} must be {words}", who="AdaptiveRate", got=value)

    def changed(self, rate: float, errors: Sequence[float]) -> float:
        """The factor after these passes."""
        passes, w = len(errors), self.window
        if passes < 2 * w or passes % w:
            return rate
        new, old = np.mean(errors[-w:]), np.mean(errors[-2 * w : -w])
        return rate + self.a if new < old else rate - self.b * rate


@dataclass
class Training:
    """What happened while a network learned.

    Attributes
    ----------
    network : with the weights at the end (or the best ones)
    history : list of Pass      snapshots : weights after the passes that were asked for, by number
    steps : changes of the weights at the last step (momentum)      best : number of the pass whose weights are kept
    """

    network: Network
    history: list[Pass] = field(default_factory=list)
    snapshots: dict[int, np.ndarray] = field(default_factory=dict)
    steps: np.ndarray = field(default_factory=lambda: np.zeros(0))
    best: int = 0

    def at(self, number: int) -> Network:
        """The network as it was after that pass."""
        if number not in self.snapshots:
            raise ParameterError(
                f"Training.at: there is no snapshot of pass {number}; snapshots are of {sorted(self.snapshots)}."
            )
        made = self.network.copy()
        made.theta[:] = self.snapshots[number]
        return made


ACCEPTED: dict[str, Accepted | None] = {
    "momentum": Range(0, 1, open="high"),
    "rate": Range(0, open="low"),
    "epochs": Count(0),
    "online": Flag(),
    "adapt": Instance(AdaptiveRate, words="an AdaptiveRate(...), or None") | None,
}


def backpropagation(
    network: Network,
    X: ArrayLike,
    target: ArrayLike,
    *,
    error: str | OutputError = "squared_error",
    rate: float = 0.1,
    epochs: int = 100,
    online: bool = True,
    momentum: float = 0.0,
    adapt: AdaptiveRate | None = None,
    penalties: Sequence[Penalty] = (),
    snapshots: Sequence[int] = (),
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    random_state: RandomState = None,
) -> Training:
    r"""Train a network by gradient descent, row by row (online) or over all rows at once (batch).

    .. math:: \Delta w^t = -\eta\,\frac{\partial E^t}{\partial w} + \alpha\,\Delta w^{t-1} \quad (1)

    Online, rows come in a new random order in each pass, E is that of one row, and all layers change after the row's
    gradient is known. In batch mode E is summed over the rows. Penalties count once a pass: online, each row carries
    1/n of them. With ``validation`` the weights of the pass with the least validation error are kept at the end. Ctrl-C
    ends the training with what there is.

    Parameters
    ----------
    network : changed in place
    X, target : (n, ...) rows and (n, K) targets
    error : "squared_error", "cross_entropy", "binary_entropy" or an OutputError
    rate : learning factor eta
    epochs : passes over the rows
    online : whether the weights change after each row
    momentum : alpha, from 0 to below 1
    adapt : AdaptiveRate or None
    penalties : what is added to the error, such as WeightDecay(0.01)
    snapshots : numbers of passes after which the weights are kept
    validation : (X, target) whose error is followed
    random_state : seed of the orders

    Returns
    -------
    Training

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Dense, Network, backpropagation
    >>> x = np.linspace(-0.5, 0.5, 40)[:, None]
    >>> net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0, start=0.01)
    >>> training = backpropagation(net, x, np.sin(6 * x), epochs=150, snapshots=[50], random_state=0)
    >>> training.history[19].error > training.history[149].error
    True

    See Also
    --------
    minimize_error, gradient_check, MLPRegressor

    References
    ----------
    - Rumelhart, D. E., Hinton, G. E. and Williams, R. J. (1986). Learning representations by back-propagating errors.
      Nature 323, 533-536. doi:10.1038/323533a0
    """
    who = "backpropagation"
    check(
        who,
        ACCEPTED,
        {"momentum": momentum, "rate": rate, "epochs": epochs, "online": online, "adapt": adapt},
    )
    check_penalties(penalties, who)
    if isinstance(snapshots, (str, bytes)) or not np.iterable(snapshots):
        raise ParameterError("snapshots must be a list of numbers of passes", who=who, got=snapshots)
    kept_after = set(finite_numbers(list(snapshots), who, "snapshots").ravel().tolist())
    random = as_generator(random_state, who)
    x, r = _rows_and_targets(network, X, target, who)
    others = None if validation is None else _rows_and_targets(network, *validation, who)
    judged, n = output_error(error, who), len(x)
    training, step = Training(network), np.zeros_like(network.theta)
    batches = [[i] for i in range(n)] if online else [list(range(n))]
    errors: list[float] = []
    best = np.inf, network.theta.copy(), 0
    try:
        with np.errstate(over="ignore", invalid="ignore"), progress(epochs, "backpropagation") as bar:
            for number in range(1, epochs + 1):
                order = random.permutation(n) if online else np.arange(n)
                for rows in batches:
                    some = order[rows]
                    _, grad = network.value_gradient(x[some], r[some], judged, random=random)
                    for penalty in penalties:
                        grad = grad + penalty.value_gradient(network)[1] * (len(some) / n)
                    step = -rate * grad + momentum * step  # (1)
                    network.theta += step
                total = _error_of(network, x, r, judged, penalties)
                if not np.isfinite(total):
                    raise DegenerateError(
                        f"{who}: the error left the finite numbers in pass {number} at rate {rate:g}. Lower the "
                        "rate, or scale the columns of X."
                    )
                errors.append(total)
                judged_rows = None if others is None else _error_of(network, *others, judged, ())
                training.history.append(Pass(number, rate, total, judged_rows))
                if judged_rows is not None and judged_rows < best[0]:
                    best = judged_rows, network.theta.copy(), number
                if number in kept_after:
                    training.snapshots[number] = network.theta.copy()
                if adapt is not None:
                    rate = adapt.changed(rate, errors)
                bar.advance()
    except KeyboardInterrupt:
        warn_user(f"{who}: interrupted in pass {len(errors) + 1}; the passes so far are kept.", UserWarning)
    training.steps = step
    if errors and validation is not None:
        network.theta[:], training.best = best[1], best[2]
    return training


def _rows_and_targets(
    network: Network, X: ArrayLike, target: ArrayLike, who: str
) -> tuple[np.ndarray, np.ndarray]:
    x = network._rows(X)
    if not len(x):
        raise DataError(f"{who}: X has no rows to learn from.")
    return x, network._of_outputs(target, len(x), "target")


def _error_of(
    network: Network, X: np.ndarray, target: np.ndarray, error: OutputError, penalties: Sequence[Penalty]
) -> float:
    total = float(error.value(network.outputs(X), target).sum())
    return total + sum(penalty.value_gradient(network)[0] for penalty in penalties)


def minimize_error(
    network: Network,
    X: ArrayLike,
    target: ArrayLike,
    *,
    error: str | OutputError = "squared_error",
    penalties: Sequence[Penalty] = (),
    max_iter: int = 1000,
    tol: float = 1e-8,
) -> Training:
    """Train a network to a minimum of the error over all rows by L-BFGS, a second-order method.

    Ctrl-C stops the search and what it is part of; the network has the best weights so far.

    Parameters
    ----------
    network : changed in place
    X, target, error, penalties : as in backpropagation
    max_iter, tol : steps at most; largest entry of the gradient to stop at

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Dense, Network, minimize_error
    >>> X, r = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0], [1], [1], [0]])
    >>> net = Network([Dense(2, "tanh"), Dense(1, "logistic")], 2, random_state=2)
    >>> _ = minimize_error(net, X, r, error="binary_entropy", max_iter=100)
    >>> net.outputs(X).round(2).ravel()
    array([0., 1., 1., 0.])

    See Also
    --------
    backpropagation
    """
    from assay.optimize import lbfgs

    check("minimize_error", {"max_iter": Count(0), "tol": Range(0)}, {"max_iter": max_iter, "tol": tol})
    check_penalties(penalties, "minimize_error")
    x, r = _rows_and_targets(network, X, target, "minimize_error")
    judged = output_error(error, "minimize_error")
    training = Training(network)
    best = np.inf, network.theta.copy()

    class Objective:
        def value_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
            network.theta[:] = theta
            value, grad = network.value_gradient(x, r, judged)
            for penalty in penalties:
                more, slope = penalty.value_gradient(network)
                value, grad = value + more, grad + slope
            nonlocal best
            if value < best[0]:
                best = value, theta.copy()
            return value, grad

    try:
        optimum = lbfgs(Objective(), network.theta.copy(), tol=tol, max_iter=max_iter)  # type: ignore[arg-type]
    except KeyboardInterrupt:
        network.theta[:] = best[1]
        raise
    network.theta[:] = optimum.w
    training.history = [Pass(k, 1.0, float(record.value)) for k, record in enumerate(optimum.history)]
    return training
