"""The version space of all Boolean functions of some inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import DataError

__all__ = ["BooleanHypotheses"]

LISTED = 1 << 20  # hypotheses that are listed at most


@dataclass(frozen=True)
class BooleanHypotheses:
    r"""The functions of d binary inputs that agree with the examples so far.

    There are :math:`2^d` inputs and :math:`2^{2^d}` functions. Each example of a new input strikes out half of those
    that are left, so after N different ones

    .. math:: 2^{2^d - N}                                                                           \quad (1)

    remain, and on an unseen input exactly half of them output 1: without an inductive bias there is no learning.
    Function number i + 1 is the binary number i: its most significant bit is the output for (0, ..., 0), the
    least significant one for (1, ..., 1).

    Parameters
    ----------
    d : int
    examples : tuple of (input number, output)

    Examples
    --------
    >>> from assay.rules import BooleanHypotheses
    >>> every = BooleanHypotheses(2)
    >>> left = every.learn([0, 1], 0)
    >>> every.count, left.count, left.numbers()
    (16, 8, [1, 2, 3, 4, 9, 10, 11, 12])
    >>> left.share([1, 1]), left.share([0, 1])
    (Fraction(1, 2), Fraction(0, 1))

    See Also
    --------
    VersionSpace, CandidateElimination

    References
    ----------
    - Mitchell, T. M. (1997). Machine Learning. McGraw-Hill.
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    d: int
    examples: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        check_count("BooleanHypotheses", "d", self.d, low=1, high=20)

    @property
    def count(self) -> int:
        """How many functions are left: (1)."""
        return 2 ** (2**self.d - len(self.examples))

    def learn(self, x: Sequence[Any], output: Any) -> BooleanHypotheses:
        """The functions that also give this output for x; an output that contradicts an earlier one is an error."""
        at, r = self._number(x), int(output)
        if r not in (0, 1):
            raise DataError(f"BooleanHypotheses: an output is 0 or 1, got {output!r}.")
        known = dict(self.examples)
        if known.get(at, r) != r:
            raise DataError(
                f"BooleanHypotheses: input {tuple(map(int, x))} had the output {known[at]} before, now {r}. No "
                "function is left."
            )
        return BooleanHypotheses(self.d, tuple(sorted({**known, at: r}.items())))

    def learn_all(self, X: Any, y: Any) -> BooleanHypotheses:
        """The functions that agree with all rows of X and their outputs y."""
        remaining = self
        for x, r in zip(X, y, strict=True):
            remaining = remaining.learn(x, r)
        return remaining

    def share(self, x: Sequence[Any]) -> Fraction:
        """The share of the remaining functions with output 1 for x: 0 or 1 if x was an example, else one half."""
        return Fraction(dict(self.examples).get(self._number(x), Fraction(1, 2)))

    def outputs(self) -> np.ndarray:
        """(functions, 2^d) the outputs of all functions left, for the inputs in their order, as in a truth table."""
        if self.count > LISTED:
            raise DataError(
                f"BooleanHypotheses: {self.count if self.d < 7 else 'too many'} functions are left, more than "
                f"{LISTED} to list. Give more examples, or use count and share, which need no list."
            )
        size, known = 2**self.d, dict(self.examples)
        free = [i for i in range(size) if i not in known]
        table = np.zeros((self.count, size), np.int8)
        for i, r in known.items():
            table[:, i] = r
        for place, i in enumerate(reversed(free)):  # the last input changes fastest
            table[:, i] = (np.arange(self.count) >> place) & 1
        return table

    def numbers(self) -> list[int]:
        """The numbers of the functions left, from 1 on."""
        size = 2**self.d
        return [1 + int(row @ (1 << np.arange(size, dtype=object)[::-1])) for row in self.outputs()]

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.outputs())

    def __len__(self) -> int:
        return self.count

    def __str__(self) -> str:
        total = 2 ** (2**self.d)
        return f"{self.count} of {total} functions of {self.d} binary inputs, after {len(self.examples)} examples"

    def _number(self, x: Sequence[Any]) -> int:
        bits = [int(v) for v in x]
        if len(bits) != self.d or any(b not in (0, 1) for b in bits):
            raise DataError(f"BooleanHypotheses: an input is {self.d} numbers of 0 and 1, got {list(x)!r}.")
        return int("".join(map(str, bits)), 2)
