"""Multilayer perceptrons of rows that do not fit in memory: passes over blocks in turn, or sums of gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.parallel import one_blas_thread
from assay.core.seeds import random_state_of
from assay.core.sums import Block, Source
from assay.errors import ParameterError
from assay.neural.category_columns import CategoryColumns
from assay.neural.constant_answer import ROWS_TO_LOOK_AT
from assay.neural.input_scaling import InputScaling
from assay.neural.members import Members
from assay.neural.schedules import rates_of

if TYPE_CHECKING:
    from assay.neural.mlp import MultilayerPerceptron

__all__ = ["ColumnSums", "Standing", "learn_from_blocks"]


@dataclass(frozen=True)
class ColumnSums:
    """Counts, means and squares of columns, without what is missing; they add up.

    Attributes
    ----------
    count, mean, scatter : (p,) of the values that are there, and the sum of their squared distances from the mean
    rows : of all, whether anything is missing

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.mlp_from_blocks import ColumnSums
    >>> whole = ColumnSums.of(np.array([[1.0], [2.0]])) + ColumnSums.of(np.array([[6.0], [np.nan]]))
    >>> whole.mean, whole.scatter, whole.rows
    (array([3.]), array([14.]), 4)
    """

    count: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    rows: int

    @classmethod
    def of(cls, X: np.ndarray, w: np.ndarray | None = None) -> ColumnSums:
        """Those of some rows, with weights or without."""
        known = ~np.isnan(X)
        mass = known.astype(np.float64) if w is None else known * np.asarray(w, dtype=np.float64)[:, None]
        count, values = mass.sum(axis=0), np.where(known, X, 0.0).astype(np.float64)
        some = np.where(count > 0, count, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = (mass / some * values).sum(axis=0)
            scatter = (mass * np.where(known, values - mean, 0.0) ** 2).sum(axis=0)
        return cls(count, mean, scatter, len(X))

    def __add__(self, other: ColumnSums) -> ColumnSums:
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        with np.errstate(over="ignore", invalid="ignore"):
            way = other.mean - self.mean
            scatter = self.scatter + other.scatter + way**2 * self.count * share
        return ColumnSums(count, self.mean + share * way, scatter, self.rows + other.rows)

    @property
    def deviation(self) -> np.ndarray:
        """(p,) with the divisor n; 0 for a column without values."""
        return np.sqrt(
            np.divide(self.scatter, self.count, out=np.zeros_like(self.mean), where=self.count > 0)
        )


@dataclass(frozen=True)
class _Survey:
    """What must be known of all rows before a network can learn from any."""

    numbers: ColumnSums
    target: ColumnSums
    classes: np.ndarray  # (K,) the weight of the rows of each
    single: bool  # whether all numbers are of single precision
    heights: list[int]
    some: Block  # rows to look at

    def __add__(self, other: _Survey) -> _Survey:
        return _Survey(
            self.numbers + other.numbers,
            self.target + other.target,
            self.classes + other.classes,
            self.single and other.single,
            self.heights + other.heights,
            self.some,
        )


@dataclass
class Standing:
    """Where a pass over blocks stands: parameters and moments, steps, and the rows and losses so far."""

    theta: np.ndarray
    moment: np.ndarray
    square: np.ndarray
    steps: int
    rows: int = 0
    loss: float = 0.0


@dataclass
class _Total:
    """Sums of losses and gradients over rows, and the rows' weight."""

    value: float
    grad: np.ndarray
    mass: float

    def __add__(self, other: _Total) -> _Total:
        return _Total(self.value + other.value, self.grad + other.grad, self.mass + other.mass)


def learn_from_blocks(model: MultilayerPerceptron, source: Source) -> None:
    """Learn from rows that come in blocks; the model knows its schema and its classes.

    The stochastic solvers visit the blocks one after the other and mix the rows of each: what is learned depends on how
    the rows are cut. "lbfgs" adds up the gradients of all blocks: what is learned does not.
    """
    _refuse_what_needs_all_rows(model)
    survey = source.add_up(partial(_look, model))
    model._learn_from_survey(survey.classes, survey.target)
    _prepare_inputs(model, source, survey)
    some = model._scaled(survey.some.X)
    inputs, goal = (
        some.astype(np.float32 if survey.single else np.float64),
        model._goal_of_block(survey.some.y),
    )
    random = random_state_of(model.random_state)
    fresh = not (model.warm_start and hasattr(model, "coefs_"))
    net = model._networks_for(inputs, goal)
    if fresh:
        model._draw_weights(net, random)
    else:
        model._continue_from(net)
    model._reset()
    with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
        before = model._error(net, inputs, goal)
        if model.solver == "lbfgs":
            weights = _is_weight(net)
            model._minimize_by(net, partial(_objective, model, source, weights, net.dtype), None)
        else:
            _descend(model, net, source, survey.heights, random)
        after = model._error(net, inputs, goal) if np.isfinite(net.theta).all() else 0.0
    model._finish(net, before, after, survey.some.X, goal)


def _refuse_what_needs_all_rows(model: MultilayerPerceptron) -> None:
    who = type(model).__name__
    if model.early_stopping and model.solver != "lbfgs":
        raise ParameterError(
            f"{who}: early_stopping=True sets rows aside, which needs them in memory; of blocks none are. Set it to "
            "False."
        )
    if model.scale == "robust":
        raise ParameterError(
            f"{who}: scale='robust' needs the rows in memory, since medians are no sums. Set scale='standard'."
        )


def _look(model: MultilayerPerceptron, block: Block) -> _Survey:
    X, y, w = block
    columns = CategoryColumns.of(model.schema_) if not hasattr(model, "design_") else None
    dense = isinstance(X, np.ndarray)
    numbers = (X if columns is None else columns.apply(X)[0]) if dense else np.zeros((X.shape[0], 0))
    target, mass = model._sums_of_target(y, w)
    rows = slice(ROWS_TO_LOOK_AT)
    return _Survey(
        ColumnSums.of(numbers),
        target,
        mass,
        X.dtype == np.float32,
        [X.shape[0]],
        Block(X[rows], y[rows], None),
    )


def _prepare_inputs(model: MultilayerPerceptron, source: Source, survey: _Survey) -> None:
    """Scaling, shares of categories and mean inputs, of all rows."""
    for name in ("category_columns_", "scaling_"):
        model.__dict__.pop(name, None)
    if not hasattr(model, "design_"):
        model.category_columns_ = CategoryColumns.of(model.schema_)
    if model._prepares:
        sums = survey.numbers
        model.scaling_ = InputScaling.of_sums(
            sums.mean, sums.deviation, sums.count, sums.rows, model.scale, model.missing == "indicator"
        )
    total = source.add_up(partial(_mean_inputs, model))
    levels, mass = model._levels(), max(total.mass, 1e-300)
    cut = len(total.grad) - sum(levels)
    model.baseline_ = total.grad[:cut] / mass
    if levels:
        model.category_columns_ = replace(model.category_columns_, shares=total.grad[cut:] / mass)


def _mean_inputs(model: MultilayerPerceptron, block: Block) -> _Total:
    """Weighted sums of the inputs of a block, and of the rows of each category."""
    inputs = model._scaled(block.X)
    weights, levels = model._weights_of_block(block), model._levels()
    w = np.ones(inputs.shape[0]) if weights is None else weights
    cut = inputs.shape[1] - len(levels)
    sums = [np.asarray(w @ inputs[:, :cut], dtype=np.float64).ravel()]
    for j, level in enumerate(levels):
        codes = inputs[:, cut + j].astype(np.int64)
        sums.append(np.bincount(codes, weights=w, minlength=level).astype(np.float64))
    return _Total(0.0, np.concatenate(sums), float(w.sum()))


def _descend(
    model: MultilayerPerceptron,
    net: Members,
    source: Source,
    heights: list[int],
    random: np.random.RandomState,
) -> None:
    """Passes over the blocks until nothing gets better."""
    n, state = sum(heights), model._begin_steps(net)
    seeds = random.randint(2**31, size=2)
    keeper, most = model._keeper(net), model._batch_rows(n)
    batches = sum(-(-height // most) for height in heights)
    at = Standing(net.theta.copy(), state.moment, state.square, 0)
    try:
        for number in range(1, model.max_iter + 1):
            rates = rates_of(model._schedule, state.learning_rate, number, model.max_iter, batches)
            at = source.in_turn(
                partial(_visit, model=model, number=number, rates=rates, most=most, seeds=seeds),
                replace(at, rows=0, loss=0.0),
            )
            net.theta[:], state.t = at.theta, at.steps
            if model._after_pass(number, n, at.loss / n, float(rates[-1]), None, keeper, state):
                break
        else:
            model._unfinished()
    except KeyboardInterrupt:
        model._interrupted()
    state.moment, state.square = at.moment, at.square
    keeper.settle(best=False)


def _visit(
    at: Standing,
    block: Block,
    model: MultilayerPerceptron,
    number: int,
    rates: np.ndarray,
    most: int,
    seeds: np.ndarray,
) -> Standing:
    """The networks after one more block."""
    inputs, goal = model._scaled(block.X), model._goal_of_block(block.y)
    net = model._networks_for(inputs.astype(at.theta.dtype, copy=False), goal)
    net.theta[:] = at.theta
    data, own_loss = model._data(net, inputs, goal, model._weights_of_block(block))
    h, first = inputs.shape[0], at.steps % len(rates)
    order = np.arange(h)
    if model.shuffle:
        np.random.default_rng([int(seeds[0]), number, at.rows]).shuffle(order)
    steps = rates[first : first + -(-h // most)]
    loss = net.epoch(
        data, own_loss, model._rule(), order, most, steps, at.moment, at.square, at.steps, int(seeds[1])
    )
    return replace(
        at, theta=net.theta.copy(), steps=at.steps + len(steps), rows=at.rows + h, loss=at.loss + h * loss
    )


def _objective(
    model: MultilayerPerceptron, source: Source, weights: np.ndarray, kind: Any, theta: np.ndarray
) -> tuple[float, np.ndarray]:
    """The objective over all blocks, and its gradient."""
    total = source.add_up(partial(_value_gradient, model, theta.astype(kind, copy=False)))
    mass = total.mass if total.mass > 0 else math.inf
    decayed = np.where(weights, theta, 0.0) * (model.alpha / mass)
    return float(total.value / mass + decayed @ theta / 2), total.grad / mass + decayed


def _value_gradient(model: MultilayerPerceptron, theta: np.ndarray, block: Block) -> _Total:
    inputs, goal, w = model._scaled(block.X), model._goal_of_block(block.y), model._weights_of_block(block)
    net = model._networks_for(inputs.astype(theta.dtype, copy=False), goal)
    value, grad = net.value_gradient(*model._data(net, inputs, goal, w), 0.0, theta)
    mass = float(inputs.shape[0] if w is None else w.sum())
    return _Total(mass * value, mass * grad.astype(np.float64), mass)


def _is_weight(net: Members) -> np.ndarray:
    """(count P,) which parameters decay: weights, no biases."""
    first = net.nets[0]
    count = sum(a * b for a, b in zip(first.sizes, first.sizes[1:]))
    mask = np.zeros((len(net.nets), len(first.theta)), dtype=bool)
    mask[:, :count] = True
    return mask.ravel()
