"""Result of a Bayesian comparison: the probabilities of worse, practically equal and better."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.sentence import Sentence
from assay.stats.checks import is_number

__all__ = ["RopePosterior", "check_rope"]


@dataclass(frozen=True)
class RopePosterior(Sentence):
    """Probabilities that a difference lies below, within and above a region of practical equivalence.

    Attributes
    ----------
    left : float
        That the first minus the second is below -rope.
    within : float
        That it lies between -rope and rope: practically no difference.
    right : float
        That it is above rope.
    rope : float
        Half the width of the region.
    test : str
    mean, scale, df : float
        Of the posterior, if it is Student's t; scale is 0 if the differences do not vary.
    samples : (draws, 3)
        If it was drawn: of each draw the probabilities left, within and right on a data set yet to come.
    why : str
        What is unusual about it, or "".

    Examples
    --------
    >>> from assay.stats import correlated_t
    >>> result = correlated_t([.03, .00, .03, .01, .01, .01, .04, .02, .01, .04], ratio=1 / 9, rope=0.01)
    >>> [round(v, 3) for v in (result.left, result.within, result.right)]
    [0.001, 0.078, 0.921]
    >>> print(result)
    Bayesian correlated t test: first minus second is below -0.01 with probability 0.001, within 0.01 of zero
    with 0.078, above 0.01 with 0.921: undecided.
    """

    left: float
    within: float
    right: float
    rope: float
    test: str
    mean: float = np.nan
    scale: float = np.nan
    df: float = np.nan
    samples: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), repr=False)
    why: str = ""

    def decision(self, sure: float = 0.95) -> str:
        """ "left", "equal" or "right", if its probability is at least ``sure``; else "undecided"."""
        for word, p in (("left", self.left), ("equal", self.within), ("right", self.right)):
            if p >= sure:
                return word
        return "undecided"

    def density(self, x: ArrayLike) -> np.ndarray:
        """The posterior density of the mean difference at x, to be drawn.

        Student's t; of drawn samples there is none, draw ``samples`` in a triangle instead.
        """
        from scipy.special import gammaln

        if not self.scale > 0:
            raise ParameterError(
                "density: these differences do not vary, so all probability sits at their mean."
                if self.scale == 0
                else f"density: the {self.test} has samples, not a density. See samples."
            )
        v, u = self.df, (np.asarray(x, dtype=np.float64) - self.mean) / self.scale
        constant = gammaln((v + 1) / 2) - gammaln(v / 2) - 0.5 * np.log(v * np.pi) - np.log(self.scale)
        return np.exp(constant - (v + 1) / 2 * np.log1p(u * u / v))

    def interval(self, share: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the mean difference with probability ``share``; NaN if drawn."""
        from scipy.special import stdtrit

        if not 0 < share < 1:
            raise ParameterError(f"interval: share must lie between 0 and 1, got {share!r}.")
        if np.isnan(self.scale):
            return np.nan, np.nan
        half = float(stdtrit(self.df, (1 + share) / 2)) * self.scale
        return self.mean - half, self.mean + half

    def __str__(self) -> str:
        verdict = {
            "left": "the first is smaller",
            "equal": "practically equal",
            "right": "the first is larger",
            "undecided": "undecided",
        }[self.decision()]
        near = f", within {self.rope:g} of zero with {self.within:.3f}" if self.rope else ""
        why = f" {self.why}" if self.why else ""
        below, above = (f"-{self.rope:g}", f"{self.rope:g}") if self.rope else ("zero", "zero")
        return (
            f"{self.test}: first minus second is below {below} with probability {self.left:.3f}{near}, "
            f"above {above} with {self.right:.3f}: {verdict}.{why}"
        )


def check_rope(rope: Any, who: str) -> float:
    """Half the width of the region of practical equivalence: a number from 0."""
    if not is_number(rope) or rope < 0:
        raise ParameterError(
            f"rope must be a number from 0, the largest difference that does not matter, got {rope!r}.",
            who=who,
        )
    return float(rope)
