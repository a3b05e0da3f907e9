"""A design as a plain table: one run per row, what each factor is set to, and the same in coded units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError

__all__ = ["RunTable"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunTable:
    """The runs of a designed experiment, in standard order (see `randomised_order` before running them).

    Parameters
    ----------
    kind : str, what the design is, in words
    levels : dict of factor to its levels, lowest first
    coded : (n, F), -1 for the lowest level, +1 for the highest
    runs : list of n dicts of factor to level

    Examples
    --------
    >>> from assay.experiments import full_factorial
    >>> design = full_factorial({"depth": [2, 8], "criterion": ["gini", "entropy"]})
    >>> design.runs[1], design.coded[1].tolist()
    ({'depth': 8, 'criterion': 'gini'}, [1.0, -1.0])
    >>> print(design)
    full factorial, 4 runs
    run  depth  criterion
      1      2       gini
      2      8       gini
      3      2    entropy
      4      8    entropy
    """

    kind: str
    levels: dict[str, tuple[Any, ...]]
    coded: Floats
    runs: list[dict[str, Any]]

    @property
    def names(self) -> tuple[str, ...]:
        """The factors, in the order of the columns."""
        return tuple(self.levels)

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.runs)

    def to_pandas(self) -> Any:
        """The runs as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.runs, columns=list(self.names))

    def to_arrow(self) -> Any:
        """The runs as a pyarrow table."""
        import pyarrow as pa

        return pa.table({name: [run[name] for run in self.runs] for name in self.names})

    def __str__(self) -> str:
        cells = [[_level_text(run[name]) for name in self.names] for run in self.runs]
        width = [max(len(n), *(len(row[j]) for row in cells)) for j, n in enumerate(self.names)]
        lines = [f"{self.kind}, {len(self)} runs"]
        lines.append("run  " + "  ".join(f"{n:>{w}}" for n, w in zip(self.names, width)))
        for i, row in enumerate(cells, 1):
            lines.append(f"{i:>3}  " + "  ".join(f"{c:>{w}}" for c, w in zip(row, width)))
        return "\n".join(lines)


def two_ends(factors: Any, who: str) -> dict[str, tuple[Any, Any]]:
    """Two levels per factor: given as a dict, or -1 and 1 for a list of names or a number of factors.

    >>> from assay.experiments.designs.run_table import two_ends
    >>> two_ends(2, "here")
    {'A': (-1, 1), 'B': (-1, 1)}
    """
    if isinstance(factors, int | np.integer) and not isinstance(factors, bool):
        if not 1 <= factors <= 999:
            raise ParameterError(f"the number of factors must be 1 to 999, got {factors}.", who=who)
        factors = letters_for(int(factors))
    if isinstance(factors, Mapping):
        ends = {str(k): tuple(v) for k, v in factors.items()}
        for name, pair in ends.items():
            if len(pair) != 2 or pair[0] == pair[1]:
                raise ParameterError(f"{name} needs two different levels, got {list(pair)!r}.", who=who)
    elif isinstance(factors, Sequence):
        ends = {str(name): (-1, 1) for name in factors}
        if len(ends) != len(factors):
            raise ParameterError(f"a factor is named twice in {list(factors)!r}.", who=who)
    else:
        raise ParameterError(
            f"factors must be a dict of name to two levels, a list of names or a number, got {factors!r}.",
            who=who,
        )
    if not ends:
        raise ParameterError("there is no factor.", who=who)
    return ends  # type: ignore[return-value]


def at_levels(kind: str, ends: dict[str, tuple[Any, Any]], coded: Floats, who: str) -> RunTable:
    """A design with two ends per factor, whatever lies between or beyond them: low + (c + 1) / 2 (high - low).

    >>> import numpy as np
    >>> from assay.experiments.designs.run_table import at_levels
    >>> at_levels("centre", {"depth": (2, 8)}, np.zeros((1, 1)), "here").runs
    [{'depth': 5}]
    """
    between = np.any(~np.isin(coded, (-1.0, 1.0)), axis=0).tolist()
    for (name, pair), used in zip(ends.items(), between):
        if used and not all(isinstance(v, Real) and not isinstance(v, bool) for v in pair):
            raise ParameterError(
                f"{name} needs numbers as levels, got {list(pair)!r}; no run lies between.", who=who
            )
    runs = [{name: _level(pair, c) for (name, pair), c in zip(ends.items(), row)} for row in coded.tolist()]
    return RunTable(kind, dict(ends), coded, runs)


def letters_for(count: int) -> list[str]:
    """Names of factors that have none: letters, or from 26 on X1, X2, ...

    >>> from assay.experiments.designs.run_table import letters_for
    >>> letters_for(3)
    ['A', 'B', 'C']
    """
    return list(LETTERS[:count]) if count <= len(LETTERS) else [f"X{j + 1}" for j in range(count)]


def names_of(design: Any, count: int) -> tuple[str, ...]:
    """The factors of a design, of a data frame, or of a matrix without names.

    >>> import numpy as np
    >>> from assay.experiments.designs.run_table import names_of
    >>> names_of(np.zeros((4, 2)), 2)
    ('A', 'B')
    """
    if isinstance(design, RunTable):
        return design.names
    columns = getattr(design, "columns", None)
    return tuple(letters_for(count)) if columns is None else tuple(str(c) for c in columns)


def as_numbers(x: ArrayLike, who: str) -> Floats:
    """Coded levels or responses as floats, or an error that says what came.

    >>> from assay.experiments.designs.run_table import as_numbers
    >>> as_numbers([1, 2], "here").tolist()
    [1.0, 2.0]
    """
    try:
        return np.asarray(x, np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"expected numbers, got {type(x).__name__} that does not turn into them.", who=who
        ) from None


LETTERS = ascii_uppercase.replace("I", "")  # I is the identity of defining relations


def _level(pair: tuple[Any, Any], c: float) -> Any:
    if c in (-1.0, 1.0):
        return pair[c > 0]
    value = pair[0] + (c + 1) / 2 * (pair[1] - pair[0])
    whole = all(isinstance(v, int | np.integer) for v in pair) and float(value).is_integer()
    return int(value) if whole else float(value)


def _level_text(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
