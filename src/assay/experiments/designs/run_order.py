"""The order of runs: randomised, in blocks, in Latin squares, and factorials spread over blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import random_state_of
from assay.errors import DataError, ParameterError
from assay.experiments.designs.fractional import letters_of, word
from assay.experiments.designs.run_table import RunTable
from assay.types import RandomState

__all__ = ["blocked_runs", "confounded_blocks", "latin_square", "randomised_order"]


def randomised_order(
    runs: Any, *, blocks: ArrayLike | None = None, random_state: RandomState = None
) -> NDArray[np.intp]:
    """In which order to make the runs, so that drift over time favours none of them.

    Parameters
    ----------
    runs : a `RunTable` or other collection of runs, or their number n
    blocks : (n,) labels, default None
        Runs of one block (a day, a machine, a fold) stay together; their order inside, and that of the blocks,
        are random.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    (n,) numbers of the runs, first to last

    Examples
    --------
    >>> from assay.experiments import randomised_order
    >>> sorted(randomised_order(6, random_state=0).tolist())
    [0, 1, 2, 3, 4, 5]
    >>> order = randomised_order(4, blocks=["mon", "tue", "mon", "tue"], random_state=1)
    >>> sorted(order[:2].tolist()) in ([0, 2], [1, 3])
    True
    """
    n = int(runs) if isinstance(runs, int | np.integer) and not isinstance(runs, bool) else None
    if n is None:
        if not hasattr(runs, "__len__"):
            raise ParameterError(f"randomised_order: expected runs or their number, got {runs!r}.")
        n = len(runs)
    if n < 1:
        raise ParameterError(f"randomised_order: expected at least one run, got {n}.")
    rng = random_state_of(random_state)
    if blocks is None:
        return rng.permutation(n).astype(np.intp)
    labels = np.asarray(blocks)
    if labels.shape != (n,):
        raise DataError(
            f"randomised_order: expected {n} block labels, one per run, got shape {labels.shape}."
        )
    _, block = np.unique(labels, return_inverse=True)
    members = np.split(np.argsort(block, kind="stable"), np.cumsum(np.bincount(block))[:-1])
    order = [rng.permutation(members[b]) for b in rng.permutation(len(members))]
    return np.concatenate(order).astype(np.intp)


def blocked_runs(
    treatments: Sequence[Any], blocks: Sequence[Any] | int, *, random_state: RandomState = None
) -> list[dict[str, Any]]:
    """Every treatment once in every block, in an order of its own: a randomised complete block design.

    With learners as treatments and folds as blocks all learners see the same folds, so that differences between
    folds cancel: analyse with ``anova(..., blocked=True)`` or `friedman`.

    Parameters
    ----------
    treatments : two or more different ones, such as names of learners
    blocks : their labels, or how many
    random_state : int, Generator, RandomState or None

    Returns
    -------
    list of dicts with block, place (from 1, within the block) and treatment

    Examples
    --------
    >>> from assay.experiments import blocked_runs
    >>> plan = blocked_runs(["tree", "bayes"], ["fold 1", "fold 2"], random_state=0)
    >>> [(run["block"], run["place"]) for run in plan]
    [('fold 1', 1), ('fold 1', 2), ('fold 2', 1), ('fold 2', 2)]
    >>> sorted(run["treatment"] for run in plan[:2])
    ['bayes', 'tree']
    """
    chosen = _different(treatments, "blocked_runs", 2)
    labels = list(range(1, int(blocks) + 1)) if isinstance(blocks, int | np.integer) else list(blocks)
    _different(labels, "blocked_runs: blocks", 1)
    rng = random_state_of(random_state)
    return [
        {"block": label, "place": place, "treatment": chosen[j]}
        for label in labels
        for place, j in enumerate(rng.permutation(len(chosen)), 1)
    ]


def latin_square(treatments: Sequence[Any] | int, *, random_state: RandomState = None) -> list[list[Any]]:
    """Every treatment once in every row and once in every column: two nuisances blocked by one square.

    A cyclic square with its rows, columns and treatments put in random order. Rows may be data sets and columns
    machines: k learners in k^2 runs in place of k^3.

    Parameters
    ----------
    treatments : two or more different ones, or how many (numbered from 1)
    random_state : int, Generator, RandomState or None

    Examples
    --------
    >>> from assay.experiments import latin_square
    >>> square = latin_square(["A", "B", "C"], random_state=0)
    >>> all(sorted(line) == ["A", "B", "C"] for line in [*square, *zip(*square)])
    True
    """
    if isinstance(treatments, int | np.integer) and not isinstance(treatments, bool):
        treatments = list(range(1, int(treatments) + 1))
    chosen = _different(treatments, "latin_square", 2)
    k = len(chosen)
    rng = random_state_of(random_state)
    square = np.add.outer(rng.permutation(k), rng.permutation(k)) % k
    names = rng.permutation(k)
    return [[chosen[names[j]] for j in row] for row in square]


def confounded_blocks(design: RunTable, words: Sequence[str]) -> NDArray[np.intp]:
    """Spread a two-level factorial over 2^q blocks, giving up q chosen interactions and their products.

    Runs in which the product of the word's factors is + go to one block, the others to the other; the effect of
    the word is then mixed with the blocks, and all effects outside its products stay clear of them.

    Parameters
    ----------
    design : `RunTable` of two levels
    words : interactions to give up, such as ["ABC"] for two blocks

    Returns
    -------
    (n,) number of each run's block, for `randomised_order`

    Examples
    --------
    >>> from assay.experiments import confounded_blocks, full_factorial
    >>> confounded_blocks(full_factorial(3), ["ABC"]).tolist()
    [0, 1, 1, 0, 1, 0, 0, 1]
    """
    who = "confounded_blocks"
    if isinstance(words, str):
        raise ParameterError(f"words must be a list, such as [{words!r}].", who=who)
    if not isinstance(design, RunTable):
        raise ParameterError(
            f"expected a design such as full_factorial(3), got {type(design).__name__}.", who=who
        )
    if not np.isin(design.coded, (-1.0, 1.0)).all():
        raise DataError("every factor must have two levels.", who=who)
    block = np.zeros(len(design), dtype=np.intp)
    products: set[frozenset[int]] = {frozenset()}
    for bit, text in enumerate(words):
        factor_set, _ = letters_of(text, design.names, who)
        new = {factor_set ^ p for p in products}
        if short := [w for w in new if len(w) < 2]:
            lost = word(design.names, short[0]) or "a word that is given twice"
            raise ParameterError(f"these words mix {lost} with the blocks. Choose longer ones.", who=who)
        products |= new
        _stays_clear(design, new, who)
        block += (np.prod(design.coded[:, sorted(factor_set)], axis=1) > 0).astype(np.intp) << bit
    return block


def _stays_clear(design: RunTable, words: set[frozenset[int]], who: str) -> None:
    """An error if a word is, on these runs of a fraction, constant or the same as a factor."""
    n = len(design)
    for block_word in words:
        column = np.prod(design.coded[:, sorted(block_word)], axis=1)
        if abs(column.sum()) == n:
            raise ParameterError(
                f"{word(design.names, block_word)} is constant over these runs and makes no blocks. Choose another.",
                who=who,
            )
        for j in np.flatnonzero(np.abs(column @ design.coded) == n):
            raise ParameterError(
                f"{word(design.names, block_word)} is the same as {design.names[j]} on these runs, which would be "
                "mixed with the blocks. Choose another.",
                who=who,
            )


def _different(items: Any, who: str, least: int) -> list[Any]:
    if isinstance(items, str) or not hasattr(items, "__iter__"):
        raise ParameterError(f"expected a list, got {items!r}.", who=who)
    chosen = list(items)
    if len(chosen) < least or any(a == b for i, a in enumerate(chosen) for b in chosen[:i]):
        raise ParameterError(f"expected {least} or more different ones, got {chosen!r}.", who=who)
    return chosen
