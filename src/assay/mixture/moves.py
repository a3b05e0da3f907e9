"""Moves between maxima of a variational bound: reorder, merge, empty and split components, if the bound rises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.sums import Source
from assay.mixture.components import CovarianceForm, Estimates
from assay.mixture.mixture_learner import Run

__all__ = ["merged", "split", "with_moves", "without"]

USED_ROWS = 1.0  # a component with fewer expected rows counts as empty
CLIMB_STEPS = 30  # before the first moves, at the most
TRIAL_STEPS = 4  # of coordinate ascent after a merge or a deletion, before it is judged
SPLIT_STEPS = 12  # after a split, whose halves have to find their rows first
ROW_TOLERANCE = 1e-4  # change of the bound of a row at which steps give way to moves
NEAREST_TRIED = 4  # components that each is tried to be merged with
TRIALS_A_ROUND = 12  # merges that are followed, the most promising first


def with_moves(model: Any, source: Source, state: Any, steps: int, tol: float) -> Run:
    """Coordinate ascent, with moves wherever it slows down, until no move helps and the bound changes below ``tol``.

    ``steps`` limits the steps of the accepted way, trials not counted.
    """
    run = _climb(model, source, state, min(steps, CLIMB_STEPS), tol)
    improved = True
    while improved and len(run.bounds) < steps:
        improved = False
        for candidate, patience in _candidates(model, run):
            trial = _climb(model, source, model._maximise(candidate, run.state), patience, tol)
            if trial.bound > run.bound + _least_gain(run, tol):
                way = [*run.bounds, trial.bound]
                run, improved = replace(trial, bounds=way), True
                break
    left = max(1, steps - len(run.bounds))
    last = model._improve(source, run.state, run.bound, left, tol)
    return replace(last, bounds=run.bounds + last.bounds)


def _climb(model: Any, source: Source, state: Any, steps: int, tol: float) -> Run:
    """Coordinate ascent until a step brings less than ROW_TOLERANCE a row."""
    first = model._improve(source, state, -np.inf, 1, tol)
    if steps < 2:
        return first
    enough = max(tol, ROW_TOLERANCE * float(first.estimates.counts.sum()))
    run = model._improve(source, first.state, first.bound, steps - 1, enough)
    return replace(run, bounds=first.bounds + run.bounds)


def _least_gain(run: Run, tol: float) -> float:
    return max(tol, 1e-9 * abs(run.bound))


def _candidates(model: Any, run: Run) -> Iterator[tuple[Estimates, int]]:
    """Estimates to go on from, the cheapest and most promising first, and the steps after which each is judged."""
    form, estimates = model._form, run.estimates
    order = np.argsort(-estimates.counts, kind="stable")
    if not np.array_equal(order, np.arange(len(order))):
        yield reordered(form, estimates, order), 1
    base = model._bound_without_entropy(model._maximise(estimates, run.state))
    used = np.flatnonzero(estimates.counts >= USED_ROWS)
    merges = []
    for j, k in _near_pairs(model, run, used):
        candidate = merged(form, estimates, j, k)
        gain = model._bound_without_entropy(model._maximise(candidate, run.state)) - base
        if gain > 0:  # a merge never adds entropy, so without this it cannot raise the bound by itself
            merges.append((gain, candidate))
    merges.sort(key=lambda pair: -pair[0])
    for _, candidate in merges[:TRIALS_A_ROUND]:
        yield candidate, TRIAL_STEPS
    if len(used) > 1:
        for k in used[np.argsort(estimates.counts[used], kind="stable")]:
            yield without(form, estimates, int(k)), TRIAL_STEPS
    empty = np.flatnonzero(estimates.counts < USED_ROWS)
    if len(empty):
        for k in used[np.argsort(-estimates.counts[used], kind="stable")]:
            if estimates.counts[k] > 2 * (estimates.means.shape[1] + 1):
                yield split(form, estimates, int(k), int(empty[0])), SPLIT_STEPS


def _near_pairs(model: Any, run: Run, used: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of used components whose means are near each other, measured by either's covariance."""
    state, form = run.state, model._form
    if len(used) < 2:
        return []
    far = -2 * form.quadratic(run.estimates.means[used], state.means, state.roots, np.zeros(len(state.means)))
    far = far[:, used]
    far = np.minimum(far, far.T)
    np.fill_diagonal(far, np.inf)
    nearest = np.argsort(far, axis=1, kind="stable")[:, :NEAREST_TRIED]
    pairs = {(min(a, int(b)), max(a, int(b))) for a, row in enumerate(nearest) for b in row if a != b}
    return [(int(used[a]), int(used[b])) for a, b in sorted(pairs)]


def reordered(form: CovarianceForm, estimates: Estimates, order: np.ndarray) -> Estimates:
    """The same components in another order: sticks of a Dirichlet process are best broken from the largest on."""
    return Estimates(estimates.counts[order], estimates.means[order], form.keep(estimates.scatter, order))


def merged(form: CovarianceForm, estimates: Estimates, j: int, k: int) -> Estimates:
    """Component j with the rows of k, which is left empty."""
    counts, means, scatter = estimates.counts.copy(), estimates.means.copy(), estimates.scatter.copy()
    total = counts[j] + counts[k]
    gap = means[k] - means[j]
    between = form.of_matrix(counts[j] * counts[k] / total * np.outer(gap, gap))
    means[j] += counts[k] / total * gap
    counts[j], counts[k] = total, 0.0
    if form.name == "tied":
        scatter = scatter + between
    else:
        scatter[j] = scatter[j] + scatter[k] + between
        scatter[k] = 0.0
    return Estimates(counts, means, scatter)


def without(form: CovarianceForm, estimates: Estimates, k: int) -> Estimates:
    """Component k left empty, its rows to be shared out by the next expectation step."""
    counts, scatter = estimates.counts.copy(), estimates.scatter.copy()
    counts[k] = 0.0
    if form.name != "tied":
        scatter[k] = 0.0
    return Estimates(counts, estimates.means, scatter)


def split(form: CovarianceForm, estimates: Estimates, k: int, empty: int) -> Estimates:
    """Component k cut across its longest axis; its other half is put where ``empty`` is.

    Halves of a Gaussian of variance v along an axis have their means sqrt(2 v / pi) to either side.
    """
    counts, means, scatter = estimates.counts.copy(), estimates.means.copy(), estimates.scatter.copy()
    n, d = counts[k], means.shape[1]
    tied = form.name == "tied"
    whole = form.of_component(scatter, k, d) / (counts.sum() if tied else n)
    variances, axes = np.linalg.eigh(whole)
    step = np.sqrt(2 / np.pi * max(variances[-1], 0.0)) * axes[:, -1]
    within = form.of_matrix(n / 2 * np.outer(step, step))
    counts[k] = counts[empty] = n / 2
    means[empty], means[k] = means[k] + step, means[k] - step
    if tied:
        scatter = scatter - 2 * within
    else:
        half = scatter[k] / 2 - within
        scatter[k], scatter[empty] = half, half
    return Estimates(counts, means, scatter)
