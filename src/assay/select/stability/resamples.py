"""Parts of the rows on which a choice of columns is made again."""

from __future__ import annotations

import numpy as np

__all__ = ["complementary_halves", "drawn_rows"]


def complementary_halves(codes: np.ndarray, pairs: int, rng: np.random.Generator) -> list[np.ndarray]:
    """2 ``pairs`` halves of the rows: each two have no row in common, and classes keep their shares.

    Parameters
    ----------
    codes : (n,) the number of each row's class; all alike for numbers
    """
    n, halves = len(codes), []
    for _ in range(pairs):
        order = rng.permutation(n)
        order = order[np.argsort(codes[order], kind="stable")]  # class by class, at random within a class
        first, second = np.sort(order[0::2]), np.sort(order[1::2])
        halves += [first[: n // 2], second[: n // 2]] if len(first) == len(second) else [
            np.delete(first, rng.integers(len(first))), second
        ]  # fmt: skip
    return halves


def drawn_rows(codes: np.ndarray, times: int, how: str, rng: np.random.Generator) -> list[np.ndarray]:
    """``times`` parts of the rows: "half" without, "bootstrap" with replacement; classes keep their shares."""
    if how == "half":
        return complementary_halves(codes, (times + 1) // 2, rng)[:times]
    members = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    return [np.sort(np.concatenate([rng.choice(m, len(m)) for m in members])) for _ in range(times)]
