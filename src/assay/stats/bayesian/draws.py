"""Draws from a posterior by name, with what they say and what they are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.explanation import html_table, text_table
from assay.core.stored import Mapped, NumberArray
from assay.errors import DataError, MissingExtraError, ParameterError, did_you_mean
from assay.sentence import in_notebook
from assay.stats.bayesian.chain_diagnostics import (
    FEWEST_DRAWS,
    effective_sample_size,
    shortest_interval,
    split_r_hat,
)
from assay.stats.checks import as_points, tail_of

__all__ = ["Draws", "DrawsSummary"]

MOST_ROWS_SHOWN = 20


class Draws:
    """Draws from a posterior, several chains of each parameter, by name.

    ``draws["mu"]`` is the array (chains, draws, ...) of a parameter; the whole prints as a table of what it says.

    Parameters
    ----------
    values : dict of arrays (chains, draws, ...)
        The same number of chains and draws for all names; the trailing shape is the parameter's own. Independent
        draws are one chain: ``x[None]``.

    Attributes
    ----------
    values : dict      n_chains, n_draws : int (draws of each chain)

    Examples
    --------
    >>> from assay.stats import Draws
    >>> rng = np.random.default_rng(0)
    >>> draws = Draws({"mu": rng.normal(5, 1, (4, 500)), "w": rng.normal([0, 2], 1, (4, 500, 2))})
    >>> draws
    2 parameters, 4 chains of 500 draws, shortest intervals of 95 %
      parameter     mean      sd     low   high  ess_bulk  ess_tail   r_hat
      mu           4.972       1   3.056  6.882      2003      2056   1.001
      w[0]       0.00386   0.993  -1.965  1.983      1959      1797       1
      w[1]          2.02  0.9935  0.1699  4.007      1926      2081  0.9996
    >>> draws["w"].shape, draws.flat("w").shape
    ((4, 500, 2), (2000, 2))

    See Also
    --------
    split_r_hat, effective_sample_size, shortest_interval

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "values": Mapped(
            NumberArray("*", "*")
            | NumberArray("*", "*", "*")
            | NumberArray("*", "*", "*", "*")
            | NumberArray("*", "*", "*", "*", "*")
        )
    }

    def __init__(self, values: Mapping[str, ArrayLike]):
        if not isinstance(values, Mapping) or not values:
            raise DataError(
                f"expected a dict of arrays (chains, draws, ...), got {type(values).__name__} "
                f"with {len(values) if hasattr(values, '__len__') else 'no'} entries.",
                who="Draws",
            )
        self.values: dict[str, NDArray[Any]] = {}
        for name, array in values.items():
            as_points(array, f"Draws: {name}")
            self.values[str(name)] = np.asarray(array)
        self._check_stored()

    def _check_stored(self) -> None:
        shapes = {name: array.shape[:2] for name, array in self.values.items()}
        name, first = next(iter(shapes.items()))
        for other, shape in shapes.items():
            if len(shape) < 2 or 0 in shape or shape != first:
                both = {name: first, other: shape}
                shapes_named = ", ".join(f"{key!r} has {size}" for key, size in both.items())
                raise DataError(
                    f"every parameter needs (chains, draws, ...), the same for all: {shapes_named}. "
                    "Independent draws are one chain: x[None].",
                    who="Draws",
                )

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.values:
            raise KeyError(f"Draws: there is no {name!r}.{did_you_mean(name, self.values)}")
        return self.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def keys(self) -> list[str]:
        """The names, so that ``dict(draws)`` works."""
        return list(self.values)

    @property
    def n_chains(self) -> int:
        return next(iter(self.values.values())).shape[0]

    @property
    def n_draws(self) -> int:
        return next(iter(self.values.values())).shape[1]

    def flat(self, name: str) -> NDArray[Any]:
        """All chains of one parameter behind each other, (chains * draws, ...)."""
        array = self[name]
        return array.reshape(-1, *array.shape[2:])

    @property
    def mean(self) -> dict[str, Any]:
        """The mean of each parameter: its Bayes estimate."""
        return {name: self.flat(name).mean(axis=0) for name in self}

    @property
    def var(self) -> dict[str, Any]:
        """The variance of each parameter, with divisor n - 1."""
        return {name: self.flat(name).var(axis=0, ddof=min(1, len(self.flat(name)) - 1)) for name in self}

    def interval(self, level: float = 0.95) -> dict[str, NDArray[np.float64]]:
        """Central credible intervals, (2, ...) for each parameter."""
        tail = tail_of(level, "Draws")
        return {name: np.quantile(self.flat(name), [tail, 1 - tail], axis=0) for name in self}

    def hpd(self, level: float = 0.95) -> dict[str, NDArray[np.float64]]:
        """Shortest credible intervals (highest posterior density), (2, ...) for each parameter."""
        return {name: shortest_interval(self.flat(name), level) for name in self}

    def summary(self, names: Sequence[str] | None = None, level: float = 0.95) -> DrawsSummary:
        """Mean, standard deviation, shortest interval, effective sample sizes and split R-hat of each number.

        Parameters
        ----------
        names : parameters to summarise; None takes all
        level : of the intervals

        Fewer than 4 draws a chain tell nothing of convergence: sizes and R-hat are then NaN.
        """
        return self._summary(list(self if names is None else names), level, None)

    def _summary(self, names: list[str], level: float, most: int | None) -> DrawsSummary:
        """The summary of the first ``most`` numbers of each parameter."""
        tail_of(level, "Draws")
        parts: list[DrawsSummary] = []
        for name in names:
            x = self[name]
            labels = [_label(name, place) for place in islice(np.ndindex(x.shape[2:]), most)]
            x = x.reshape(*x.shape[:2], -1)[:, :, :most].astype(float)
            flat = x.reshape(-1, x.shape[2])
            low, high = shortest_interval(flat, level)
            unknown = np.full(len(labels), np.nan)
            worth = [unknown, unknown, unknown]
            if self.n_draws >= FEWEST_DRAWS:
                worth = [effective_sample_size(x), effective_sample_size(x, "tail"), split_r_hat(x)]
            sd = flat.std(axis=0, ddof=min(1, len(flat) - 1))
            parts.append(DrawsSummary(labels, flat.mean(axis=0), sd, low, high, worth[0], worth[1], worth[2]))
        if not parts:
            raise ParameterError("names must hold at least one parameter.", who="Draws.summary")
        columns: Any = {c: np.concatenate([getattr(part, c) for part in parts]) for c in COLUMNS}
        return DrawsSummary([label for part in parts for label in part.parameter], **columns)

    def to_arviz(self) -> Any:
        """The draws as ArviZ holds them, in the group ``posterior``, for its plots and its diagnostics.

        An ``InferenceData`` of ArviZ 0, a ``DataTree`` of ArviZ 1.
        """
        from inspect import signature

        try:
            import arviz
        except ImportError:
            raise MissingExtraError("ArviZ's data need one more package: pip install arviz.") from None
        if (
            "posterior" in signature(arviz.from_dict).parameters
        ):  # ArviZ 0; since 1 the groups are one argument
            return arviz.from_dict(posterior=dict(self.values))
        return arviz.from_dict({"posterior": dict(self.values)})

    def _head(self, level: float) -> str:
        several = "" if len(self) == 1 else "s"
        chains = "1 chain" if self.n_chains == 1 else f"{self.n_chains} chains"
        return (
            f"{len(self)} parameter{several}, {chains} of {self.n_draws} draws, "
            f"shortest intervals of {100 * level:g} %"
        )

    def __repr__(self) -> str:
        return f"{self._head(0.95)}\n{self._shown()}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._head(0.95))}</p>{self._shown()._repr_html_()}"

    def _shown(self) -> DrawsSummary:
        """The summary of as many parameters as are shown."""
        names, rows = [], 0
        for name, array in self.values.items():
            if rows <= MOST_ROWS_SHOWN:
                names.append(name)
            rows += int(np.prod(array.shape[2:]))
        summary = self._summary(names, 0.95, MOST_ROWS_SHOWN)
        return replace(summary, left_out=rows - len(summary.parameter))


COLUMNS = ("mean", "sd", "low", "high", "ess_bulk", "ess_tail", "r_hat")


@dataclass(frozen=True, repr=False)
class DrawsSummary:
    """Result of `Draws.summary`, one row a number; ``pandas.DataFrame(summary.to_dict())`` makes a frame of it.

    Attributes
    ----------
    parameter : m names, with the place in brackets
    mean, sd, low, high : (m,) low and high are the ends of the shortest interval
    ess_bulk, ess_tail : (m,) effective sample sizes of the middle and of the tails
    r_hat : (m,) split R-hat
    left_out : numbers that are not in the table
    """

    parameter: list[str]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    ess_bulk: NDArray[np.float64]
    ess_tail: NDArray[np.float64]
    r_hat: NDArray[np.float64]
    left_out: int = 0

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, as lists."""
        return {"parameter": list(self.parameter), **{c: getattr(self, c).tolist() for c in COLUMNS}}

    def __repr__(self) -> str:
        table = text_table(["parameter", *COLUMNS], self._rows()[:MOST_ROWS_SHOWN])
        more = len(self.parameter) + self.left_out - MOST_ROWS_SHOWN
        return table if more <= 0 else f"{table}\n  ... and {more} more: summary(names)"

    def _repr_html_(self) -> str:
        rows = self._rows()[:MOST_ROWS_SHOWN]
        return in_notebook(html_table("Parameters", ["parameter", *COLUMNS], rows, ""))

    def _rows(self) -> list[list[Any]]:
        numbers = zip(*(getattr(self, column).tolist() for column in COLUMNS))
        return [[name, *map(_cell, row)] for name, row in zip(self.parameter, numbers)]


def _label(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else name


def _cell(value: float) -> Any:
    return "" if np.isnan(value) else value
