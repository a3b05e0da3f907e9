"""Full factorial designs, all combinations, and Plackett and Burman's few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import ParameterError
from assay.experiments.designs.run_table import RunTable, at_levels, two_ends

__all__ = ["full_factorial", "plackett_burman", "three_level"]

Floats = NDArray[np.float64]
MAX_RUNS = 1_000_000


def full_factorial(levels: Mapping[str, Any] | int | Sequence[str], *, replicates: int = 1) -> RunTable:
    """Every combination of the factors' levels, the first factor changing fastest.

    Unlike changing one factor at a time it shows interactions, and every run is used for every factor.

    Parameters
    ----------
    levels : dict of factor to a list of levels (or to how many there are), or a list of names or a number of
        factors, each with the levels -1 and 1
    replicates : int, default 1
        How often each combination is run; two or more measure the error.

    Returns
    -------
    RunTable, whose coded levels are equally spaced from -1 to 1

    Examples
    --------
    >>> from assay.experiments import full_factorial
    >>> full_factorial(["A", "B"]).coded.tolist()
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    >>> len(full_factorial({"depth": [2, 4, 8], "criterion": ["gini", "entropy"]}, replicates=2))
    12
    """
    if isinstance(replicates, bool) or not isinstance(replicates, int | np.integer) or replicates < 1:
        raise ParameterError(f"full_factorial: replicates must be at least 1, got {replicates!r}.")
    if not isinstance(levels, Mapping):
        levels = two_ends(levels, "full_factorial")
    table: dict[str, tuple[Any, ...]] = {}
    for name, values in levels.items():
        if isinstance(values, str) or not (
            isinstance(values, int | np.integer) or hasattr(values, "__iter__")
        ):
            raise ParameterError(f"full_factorial: {name} needs a list of levels, got {values!r}.")
        chosen = tuple(range(int(values))) if isinstance(values, int | np.integer) else tuple(values)
        if len(chosen) < 2 or any(a == b for i, a in enumerate(chosen) for b in chosen[:i]):
            raise ParameterError(
                f"full_factorial: {name} needs two or more different levels, got {values!r}."
            )
        table[str(name)] = chosen
    if not table:
        raise ParameterError("full_factorial: there is no factor.")
    if (count := int(replicates) * prod(len(v) for v in table.values())) > MAX_RUNS:
        raise ParameterError(
            f"full_factorial: that makes {count} runs. Fewer: fractional_factorial, plackett_burman, fewer levels."
        )
    places = [c[::-1] for c in product(*(range(len(v)) for v in reversed(list(table.values()))))]
    places = places * int(replicates)
    span = np.array([len(v) - 1 for v in table.values()], float)
    coded = 2 * np.array(places, float) / span - 1
    runs = [{name: v[i] for (name, v), i in zip(table.items(), row)} for row in places]
    kind = "full factorial" if replicates == 1 else f"full factorial, {replicates} replicates"
    return RunTable(kind, table, coded, runs)


def three_level(factors: Mapping[str, Any] | int | Sequence[str], *, replicates: int = 1) -> RunTable:
    """Every combination of low, middle and high: 3^F runs, from which curvature can be fitted.

    Parameters
    ----------
    factors : dict of factor to (low, high), a list of names, or their number
    replicates : int

    Examples
    --------
    >>> from assay.experiments import three_level
    >>> [run["depth"] for run in three_level({"depth": (2, 8)})]
    [2, 5, 8]
    """
    ends = two_ends(factors, "three_level")
    coded = full_factorial(dict.fromkeys(ends, 3), replicates=replicates).coded
    return at_levels("three-level factorial", ends, coded, "three_level")


def plackett_burman(factors: Mapping[str, Any] | int | Sequence[str]) -> RunTable:
    """Screen up to n - 1 two-level factors in n runs, n a multiple of four: main effects only.

    The columns are those of a Hadamard matrix, orthogonal to each other. Each main effect is mixed with parts of
    many interactions (unless n is a power of two: see `fractional_factorial`), so follow up what it finds.

    Parameters
    ----------
    factors : dict of factor to (low, high), a list of names, or their number

    Examples
    --------
    >>> import numpy as np
    >>> from assay.experiments import plackett_burman
    >>> design = plackett_burman(11)
    >>> len(design), np.array_equal(design.coded.T @ design.coded, 12 * np.eye(11))
    (12, True)
    """
    ends = two_ends(factors, "plackett_burman")
    n = 4 * (len(ends) // 4 + 1)
    while (matrix := _hadamard(n)) is None:  # 52, 92, ...: the next size
        n += 4
    H = matrix * matrix[:, :1]  # a first column of ones
    return at_levels("Plackett-Burman design", ends, H[:, 1 : len(ends) + 1], "plackett_burman")


def _hadamard(n: int) -> Floats | None:
    """A matrix of -1 and 1 with orthogonal columns: doubling, and Paley's two constructions for primes."""
    if n <= 2:
        return np.array([[1.0, 1], [1, -1]])[:n, :n]
    if _prime(n - 1) and n % 4 == 0:  # Paley I
        S = np.zeros((n, n))
        S[0, 1:], S[1:, 0], S[1:, 1:] = 1, -1, _residues(n - 1)
        return S + np.eye(n)
    if n % 4 == 0 and _prime(n // 2 - 1) and (n // 2 - 1) % 4 == 1:  # Paley II
        q = n // 2 - 1
        S = np.zeros((q + 1, q + 1))
        S[0, 1:], S[1:, 0], S[1:, 1:] = 1, 1, _residues(q)
        return np.kron(S, [[1, 1], [1, -1]]) + np.kron(np.eye(q + 1), [[1, -1], [-1, -1]])
    half = _hadamard(n // 2) if n % 8 == 0 or n == 4 else None
    return None if half is None else np.kron([[1.0, 1.0], [1.0, -1.0]], half).astype(np.float64)


def _residues(q: int) -> Floats:
    """Entry (i, j): 1 if i - j is a square modulo the prime q, -1 if not, 0 on the diagonal."""
    squares = {(x * x) % q for x in range(1, q)}
    symbol = np.array([0.0] + [1.0 if a in squares else -1.0 for a in range(1, q)])
    return symbol[np.subtract.outer(np.arange(q), np.arange(q)) % q]


def _prime(q: int) -> bool:
    return q > 1 and all(q % d for d in range(2, int(q**0.5) + 1))
