"""Response surface optimisation: fit, propose near the optimum, measure, refit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize

from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.errors import DataError, ParameterError
from assay.experiments.designs.response_surface import ResponseSurface
from assay.experiments.designs.surface_designs import central_composite

__all__ = ["SurfaceSearch", "optimize_response"]

CORNERS = 6  # factors up to which the search of a surface begins in every corner


@dataclass(frozen=True)
class SurfaceSearch:
    """Result of `optimize_response`.

    Attributes
    ----------
    best : dict of factor to level, the optimum of the last surface, or the best run if that was better
    value : what was measured there
    settings : list of dicts, all runs in their order      responses : (n,) what was measured
    rounds : list of (surface in coded units of its round, centre, half widths)
    """

    best: dict[str, float]
    value: float
    settings: list[dict[str, float]]
    responses: np.ndarray
    rounds: list[tuple[ResponseSurface, np.ndarray, np.ndarray]]


def optimize_response(
    measure: Callable[..., float],
    factors: Mapping[str, tuple[float, float]],
    *,
    better: str = "higher",
    n_rounds: int = 4,
    width: float = 0.5,
    shrink: float = 0.5,
) -> SurfaceSearch:
    r"""Find the levels of some factors at which an expensive measurement is best.

    Each round measures a central composite design in a part of the ranges, fits a second-order surface to it, measures
    the surface's best point there, and moves the part to it; the part shrinks if that point lies inside, and only moves
    if it lies on the rim. The response is measured :math:`2^F + 2F + 2` times a round for F factors (with half as many
    corners or fewer from five factors on).

    Parameters
    ----------
    measure : called with a level for each factor, by name; gives a number
    factors : dict of factor to (low, high), beyond which nothing is measured
    better : "higher" or "lower"
    n_rounds : int, default 4
    width : float, default 0.5
        Share of each range that the first round looks at, in the middle.
    shrink : float, default 0.5
        By what the part is multiplied when the optimum lies inside.

    Examples
    --------
    >>> from assay.experiments import optimize_response
    >>> found = optimize_response(lambda heat, time: -(heat - 205) ** 2 / 100 - (time - 11) ** 2,
    ...                           {"heat": (150, 250), "time": (5, 20)}, n_rounds=3)
    >>> {name: round(level, 6) for name, level in found.best.items()}
    {'heat': 205.0, 'time': 11.0}

    See Also
    --------
    ResponseSurface, central_composite, BayesianOptimization

    References
    ----------
    - Box, G. E. P. and Wilson, K. B. (1951). On the experimental attainment of optimum conditions. Journal of the Royal
      Statistical Society B 13, 1-45.
    """
    names, low, high = _ranges(factors)
    sign = _checked(better, n_rounds, width, shrink)
    F = len(names)
    half, centre = width * (high - low) / 2, (low + high) / 2
    design = np.asarray(central_composite(F, axial="face", centre=1, fraction=F >= 5).coded)
    settings, responses, rounds = list[dict[str, float]](), list[float](), list[Any]()

    def run(level: np.ndarray) -> float:
        setting = dict(zip(names, level.tolist()))
        value = measure(**setting)
        if not (isinstance(value, (int, float, np.number)) and np.isfinite(value)):
            raise DataError(f"optimize_response: {setting} measured {value!r}, expected a finite number.")
        settings.append(setting)
        responses.append(float(value))
        return float(value)

    with progress(n_rounds, "rounds") as bar:
        for _ in range(n_rounds):
            centre = np.clip(centre, low + half, high - half)
            values = [run(np.clip(centre + half * x, low, high)) for x in design]
            surface = ResponseSurface.fit(design, values, names=names)
            point = _best_in_box(surface, sign, F)
            run(np.clip(centre + half * point, low, high))
            rounds.append((surface, centre.copy(), half.copy()))
            inside = (np.abs(point) < 1 - 1e-9).all()
            centre = centre + half * point
            half = half * shrink if inside else half
            bar.advance(note=f"best {sign * max(sign * r for r in responses):.6g}")
    i = int(np.argmax(sign * np.array(responses)))
    return SurfaceSearch(settings[i], responses[i], settings, np.array(responses), rounds)


def _best_in_box(surface: ResponseSurface, sign: float, F: int) -> np.ndarray:
    """The best point of a surface between -1 and 1."""

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        value = surface.b0 + surface.b @ x + x @ surface.B @ x
        return -sign * float(value), -sign * (surface.b + 2 * surface.B @ x)

    starts = [np.zeros(F), *(np.array(c) for c in (product((-1.0, 1.0), repeat=F) if F <= CORNERS else ()))]
    ends = [minimize(loss, x, jac=True, bounds=[(-1, 1)] * F, method="L-BFGS-B") for x in starts]
    return np.asarray(min(ends, key=lambda r: float(r.fun)).x)


def _ranges(factors: Any) -> tuple[list[str], np.ndarray, np.ndarray]:
    if not isinstance(factors, Mapping) or not factors:
        raise ParameterError("optimize_response: factors must be a dict of factor to (low, high).")
    try:
        ends = np.array([[float(low), float(high)] for low, high in factors.values()])
    except (TypeError, ValueError):
        raise ParameterError("optimize_response: each factor needs two numbers, (low, high).") from None
    if not np.isfinite(ends).all() or not (ends[:, 0] < ends[:, 1]).all():
        raise ParameterError("optimize_response: low must be a number below high, for each factor.")
    return [str(name) for name in factors], ends[:, 0], ends[:, 1]


def _checked(better: str, n_rounds: Any, width: float, shrink: float) -> float:
    if better not in ("higher", "lower"):
        raise ParameterError(f"optimize_response: better must be higher or lower, got {better!r}.")
    check_count("optimize_response", "n_rounds", n_rounds)
    if not 0 < width <= 1 or not 0 < shrink <= 1:
        raise ParameterError("optimize_response: width and shrink must be above 0 and at most 1.")
    return 1.0 if better == "higher" else -1.0
