"""Traces of states visited before, for values that are functions of features."""

from __future__ import annotations

from collections import deque

import numpy as np

__all__ = ["Traces"]

FADED = 1e-15  # a share of a gradient below it is lost in rounding


class Traces:
    """How much the states of an episode so far share in what is learned now: their gradients, fading step by step."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget the episode."""
        self._sum: np.ndarray | None = None
        self._recent: deque[np.ndarray] = deque()

    def add(self, gradient: np.ndarray, fade: float) -> np.ndarray:
        """The faded sum of gradients, this one included."""
        if self._sum is None or not fade:
            self._sum = np.array(gradient, dtype=np.float64)
        else:
            self._sum *= fade
            self._sum += gradient
        return self._sum

    def after(self, phi: np.ndarray, action: int, shape: tuple[int, ...], fade: float) -> np.ndarray:
        """The same where the gradient has the features ``phi`` in the row of the action, and is 0 elsewhere."""
        gradient = np.zeros(shape)
        gradient[action] = phi
        return self.add(gradient, fade)

    def places(self, ones: np.ndarray, fade: float) -> tuple[np.ndarray, np.ndarray]:
        """The same where gradients are 1 at some places: all places of late, and how much is left of each."""
        if not fade:
            return ones, np.ones(len(ones))
        self._recent.append(ones)
        while fade ** (len(self._recent) - 1) < FADED:
            self._recent.popleft()
        left = fade ** np.arange(len(self._recent) - 1.0, -1.0, -1.0)
        return np.concatenate(self._recent), np.repeat(left, len(ones))
