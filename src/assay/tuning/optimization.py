"""Searches that suggest settings and learn from their values: ask, tell, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from assay.core.explanation import Section
from assay.core.model_view import ModelView
from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.core.seeds import as_seed
from assay.errors import DataError, ParameterError
from assay.tuning.space import Space
from assay.tuning.surrogate import Surrogate
from assay.types import RandomState

__all__ = ["Optimization", "Try"]

FEWEST_VALUES = 2  # without so many there is nothing to model
SAME = 1e-9  # points no further apart than this in any parameter are one


@dataclass(frozen=True)
class Try:
    """A setting that was tried.

    Attributes
    ----------
    setting : dict      value : float, NaN if the evaluation failed
    seconds : float, NaN if not known      kind : "initial", "model" or "observed"
    failure : str, why it failed, or ""

    Examples
    --------
    >>> from assay.tuning import Try
    >>> Try({"C": 10.0}, value=0.031, seconds=0.2).kind
    'observed'
    """

    setting: dict[str, Any]
    value: float
    seconds: float = float("nan")
    kind: str = "observed"
    failure: str = ""


class Optimization:
    """A search for the smallest value of a function of some parameters, step by step.

    ``ask`` gives settings to evaluate, ``tell`` brings their values. How the next setting is chosen, once the first
    ones have values, is what a search says in ``_promising``.

    Parameters
    ----------
    space : dict or Space
    n_initial : int or None
        Settings before the first that rests on values; None is twice the parameters plus two, 20 at the most.
    initial : "sobol", "latin" or "random"
        How they are spread.
    random_state : int or None
    """

    def __init__(
        self,
        space: Any,
        *,
        n_initial: int | None = None,
        initial: str = "sobol",
        random_state: RandomState = 0,
    ):
        who = type(self).__name__
        if initial not in ("sobol", "latin", "random"):
            raise ParameterError(f"{who}: initial must be 'sobol', 'latin' or 'random', got {initial!r}.")
        self.space = Space(space)
        self.initial = initial
        self.n_initial = (
            min(2 * len(self.space) + 2, 20) if n_initial is None else self._whole(n_initial, "n_initial")
        )
        seed = None if random_state is None else as_seed(random_state, who)
        self.random = np.random.default_rng(seed)
        self.history: list[Try] = []
        self._points: list[np.ndarray] = []  # of the history
        self._pending: list[tuple[np.ndarray, str]] = []  # asked for, without a value yet
        self._first = self._spread(self.n_initial)
        self._asked = 0
        self._model = Surrogate(self.space)
        self._fitted_to = -1

    def _whole(self, n: Any, name: str) -> int:
        check_count(type(self).__name__, name, n)
        return int(n)

    def _spread(self, n: int) -> np.ndarray:
        from scipy.stats import qmc

        D = len(self.space)
        if self.initial == "random":
            return self.random.uniform(size=(n, D))
        if self.initial == "latin":
            return qmc.LatinHypercube(D, rng=self.random).random(n)
        return qmc.Sobol(D, rng=self.random).random(1 << (n - 1).bit_length())[:n]

    # ---------------------------------------------------------------- ask and tell

    def ask(self, n: int = 1) -> list[dict[str, Any]]:
        """The next n settings to try; those asked for that have no value yet are taken as under way.

        While the space has settings that were not tried, no setting is asked for twice.
        """
        return [self._next() for _ in range(self._whole(n, "n"))]

    def _next(self) -> dict[str, Any]:
        kind = "initial"
        if self._asked < self.n_initial:
            point = self.space.snap(self._first[self._asked])[0]
            if self._is_known(point):
                point = self._new_at_random()
        elif self._values_known() < FEWEST_VALUES:
            point = self._new_at_random()
        else:
            kind, point = "model", self._promising()
        self._asked += 1
        self._pending.append((point, kind))
        return self.space.settings(point)[0]

    def _values_known(self) -> int:
        return sum(np.isfinite(t.value) for t in self.history)

    def _is_known(self, point: np.ndarray) -> bool:
        known = [*self._points, *(p for p, _ in self._pending)]
        return bool(known) and bool((np.abs(np.array(known) - point).max(axis=1) < SAME).any())

    def _new_at_random(self) -> np.ndarray:
        points = self.space.snap(self.random.uniform(size=(64, len(self.space))))
        return next((p for p in points if not self._is_known(p)), points[0])

    @property
    def independent(self) -> int:
        """How many of the next settings do not depend on the values of each other."""
        return max(1, self.n_initial - self._asked)

    def _promising(self) -> np.ndarray:
        """The point of the next setting, in the light of the values so far."""
        raise TypeError(f"{type(self).__name__} must define _promising")

    def _fresh(self, points: np.ndarray) -> np.ndarray:
        """The points that were neither tried nor asked for."""
        known = np.array([*self._points, *(p for p, _ in self._pending)])
        if not len(known) or not len(points):
            return points
        along = np.sqrt(
            np.arange(2.0, 2.0 + points.shape[1])
        )  # points that are alike are so in this direction
        places, taken = points @ along, np.sort(known @ along)
        room = SAME * along.sum()
        near = np.searchsorted(taken, places - room) < np.searchsorted(taken, places + room)
        kept = ~near
        for i in np.flatnonzero(near):
            kept[i] = np.abs(known - points[i]).max(axis=1).min() > SAME
        return points[kept]

    def _fit(self) -> Surrogate:
        """The model of all values so far; evaluations that failed count as the worst value."""
        if self._fitted_to != len(self.history):
            values = np.array([t.value for t in self.history])
            worst = float(np.nanmax(np.where(np.isfinite(values), values, np.nan)))
            values = np.where(np.isfinite(values), values, worst)
            self._model.fit(np.array(self._points), values)
            self._fitted_to = len(self.history)
        return self._model

    def tell(
        self,
        setting: Mapping[str, Any],
        value: float | None,
        *,
        seconds: float = float("nan"),
        failure: str = "",
    ) -> None:
        """The value of a setting, asked for or not; None or NaN says that the evaluation failed."""
        point = self.space.point(setting)
        try:
            number = float("nan") if value is None else float(value)
        except (TypeError, ValueError):
            raise ParameterError(f"{type(self).__name__}: a value must be a number, got {value!r}.") from None
        if np.isinf(number):
            number, failure = float("nan"), failure or f"the value is {number}"
        kind = "observed"
        for i, (pending, how) in enumerate(self._pending):
            if np.abs(pending - point).max() < 1e-6:
                kind, point = how, pending
                del self._pending[i]
                break
        if np.isnan(number) and not failure:
            failure = "no value"
        self.history.append(Try(dict(setting), number, seconds, kind, failure))
        self._points.append(point)

    def minimize(self, function: Callable[..., float], n_iter: int = 50) -> Self:
        """Evaluate ``function(**setting)`` n_iter times; an exception is an evaluation that failed."""
        n_iter = self._whole(n_iter, "n_iter")
        with progress(n_iter, "settings") as bar:
            for _ in range(n_iter):
                (setting,) = self.ask()
                began, value, failure = time.perf_counter(), None, ""
                try:
                    value = float(function(**setting))
                except Exception as error:  # whatever a user's function raises
                    failure = f"{type(error).__name__}: {error}"
                self.tell(setting, value, seconds=time.perf_counter() - began, failure=failure)
                bar.advance(note=f"best {self.best_value:.6g}" if self._values_known() else "none yet")
        if not self._values_known():
            raise DataError(
                f"{type(self).__name__}: all {n_iter} evaluations failed. The last one: {self.history[-1].failure}."
            )
        return self

    # ---------------------------------------------------------------- results

    def _best(self) -> Try:
        if not self._values_known():
            raise DataError(
                f"{type(self).__name__}: no setting has a value yet. Call minimize, or ask and tell."
            )
        return min((t for t in self.history if np.isfinite(t.value)), key=lambda t: t.value)

    @property
    def best_setting(self) -> dict[str, Any]:
        """The setting of the smallest value."""
        return self._best().setting

    @property
    def best_value(self) -> float:
        """The smallest value."""
        return self._best().value

    @property
    def best_so_far(self) -> np.ndarray:
        """(n,) the smallest value after each try, NaN before the first."""
        values = np.array([t.value for t in self.history], dtype=np.float64)
        return np.fmin.accumulate(values) if len(values) else values

    def to_frame(self) -> Any:
        """A pandas frame of all tries: their parameters, values, seconds, kinds and failures."""
        import pandas as pd

        lines = [
            {**{name: t.setting.get(name) for name in self.space.names}, "value": t.value, "seconds": t.seconds,
             "kind": t.kind, "failure": t.failure}
            for t in self.history
        ]  # fmt: skip
        return pd.DataFrame(lines)

    def importances(self) -> dict[str, float]:
        """The share of the variance of the modelled values that each parameter explains alone."""
        if self._values_known() < FEWEST_VALUES:
            raise DataError(
                f"{type(self).__name__}: {self._values_known()} values say nothing about the parameters; tell "
                f"{FEWEST_VALUES} or more."
            )
        shares, _ = self._fit().main_effects(np.random.default_rng(0))
        return dict(zip(self.space.names, map(float, shares)))

    def explain(self) -> ModelView:
        """Which parameters mattered, and what is expected of the best setting."""
        shares, best = self.importances(), self._best()
        mean, sd = self._fit().mean_and_sd(self.space.point(best.setting)[None])
        order = sorted(shares, key=lambda name: -shares[name])
        lines: list[list[Any]] = [[name, shares[name], best.setting.get(name, "not there")] for name in order]
        alone = sum(shares.values())
        note = (
            f"Alone they explain {alone:.0%} of the variance of the modelled values over the space; what is left over "
            "belongs to several together."
        )
        failed = sum(bool(t.failure) for t in self.history)
        facts = [
            f"{len(self.history)} settings tried, {failed} of them failed.",
            f"The best value is {best.value:.6g}; the model expects {mean[0]:.6g} there, give or take {sd[0]:.2g}.",
        ]
        heads = ["parameter", "share of variance", "best value"]
        return ModelView(
            type(self).__name__, facts, [Section("Parameters that mattered", heads, lines, note)]
        )

    def __repr__(self) -> str:
        if not self._values_known():
            return f"{type(self).__name__}({len(self.space)} parameters, nothing tried)"
        return (
            f"{type(self).__name__}({len(self.space)} parameters, {len(self.history)} tried, best "
            f"{self.best_value:.6g} at {self.best_setting})"
        )
