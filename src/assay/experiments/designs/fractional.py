"""Fractional factorial designs: a chosen part of all combinations, and its aliases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.experiments.designs.factorial import full_factorial
from assay.experiments.designs.run_table import RunTable, at_levels, two_ends
from assay.stats.checks import is_whole

__all__ = ["FractionalFactorial", "fractional_factorial"]

ROMAN = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
MAX_GENERATED = 14  # factors that are products of others: 2^14 words in the defining relation
MAX_PRODUCTS = 1_500_000  # products looked at in the search for generators, for each number of runs


@dataclass(frozen=True, eq=False)
class FractionalFactorial(RunTable):
    """A `RunTable` of 2^(F - p) runs with its defining relation and aliases.

    relation : dict of word (a frozenset of factor numbers) to its sign: products of columns that are constant
    """

    relation: dict[frozenset[int], int]

    @property
    def defining_relation(self) -> str:
        """Products of factors that are constant over the runs, such as I = ABC."""
        words = sorted(self.relation.items(), key=lambda w: (len(w[0]), sorted(w[0])))
        return " = ".join(["I", *(("-" if s < 0 else "") + word(self.names, w) for w, s in words)])

    @property
    def resolution(self) -> int | None:
        """Length of the shortest word: 3 mixes main effects with pairs, 4 pairs with pairs, 5 neither.
        None for a full factorial."""
        return min((len(w) for w in self.relation), default=None)

    @property
    def roman(self) -> str:
        """The resolution as it is written: III, IV, V."""
        r = self.resolution
        return "full" if r is None else ROMAN[r] if r < len(ROMAN) else str(r)

    def aliases(self, order: int = 2) -> dict[str, list[str]]:
        """For each effect of up to so many factors, the other ones (of up to ``order``) it is mixed with.

        A minus says that the mixture is a difference.
        """
        if not is_whole(order, 1):
            raise ParameterError(f"aliases: order must be a whole number from 1, got {order!r}.")
        F = len(self.names)
        table: dict[str, list[str]] = {}
        for size in range(1, order + 1):
            for chosen in combinations(range(F), size):
                effect = frozenset(chosen)
                others = sorted(
                    ((effect ^ w, s) for w, s in self.relation.items() if 0 < len(effect ^ w) <= order),
                    key=lambda a: (len(a[0]), sorted(a[0])),
                )
                table[word(self.names, effect)] = [
                    ("-" if s < 0 else "") + word(self.names, a) for a, s in others
                ]
        return table

    def __str__(self) -> str:
        head, *lines = super().__str__().split("\n")
        head += f", resolution {self.roman}: {self.defining_relation}" if self.relation else ""
        return "\n".join([head, *lines])


def fractional_factorial(
    factors: Mapping[str, Any] | int | Sequence[str],
    generators: Sequence[str] | None = None,
    *,
    resolution: int | None = None,
) -> FractionalFactorial:
    """A 2^(F - p) part of all combinations of F two-level factors.

    p factors are not varied on their own but set to the product of others: with C = AB the third factor is high
    where the first two agree. The effect of C is then aliased with the interaction AB. Give the generators,
    or the resolution, for which generators are searched (fewest runs; among those, the fewest short words).

    Parameters
    ----------
    factors : dict of factor to (low, high), a list of names, or their number
    generators : such as ["D=ABC", "E=-BC"]; longer names are joined by a star, "leaf=depth*rate"
    resolution : int from 3, if no generators are given
        At most 14 factors are generated: from 20 factors on `plackett_burman` needs fewer runs.

    Examples
    --------
    >>> from assay.experiments import fractional_factorial
    >>> half = fractional_factorial(["A", "B", "C"], ["C=AB"])
    >>> half.defining_relation, half.roman, half.aliases()["A"]
    ('I = ABC', 'III', ['BC'])
    >>> design = fractional_factorial(7, resolution=4)
    >>> len(design), design.defining_relation
    (16, 'I = ABCE = ABDF = ACDG = AEFG = BCFG = BDEG = CDEF')
    """
    ends = two_ends(factors, "fractional_factorial")
    names = list(ends)
    if (generators is None) == (resolution is None):
        raise ParameterError("fractional_factorial: give either generators or the resolution, one of them.")
    if generators is None:
        if isinstance(resolution, bool) or not isinstance(resolution, int) or resolution < 3:
            raise ParameterError(f"fractional_factorial: resolution must be 3 or more, got {resolution!r}.")
        chosen = _generators(len(names), resolution)
    else:
        chosen = _parsed(generators, names)
    base = [j for j in range(len(names)) if j not in chosen]
    varied = full_factorial([names[j] for j in base]).coded
    coded = np.empty((len(varied), len(names)))
    coded[:, base] = varied
    for j, (parents, sign) in chosen.items():
        coded[:, j] = sign * np.prod(coded[:, sorted(parents)], axis=1)
    relation = _products([(parents | {j}, sign) for j, (parents, sign) in chosen.items()])
    plain = at_levels("fractional factorial", ends, coded, "fractional_factorial")
    return FractionalFactorial(plain.kind, plain.levels, plain.coded, plain.runs, relation)


def word(names: Sequence[str], chosen: frozenset[int]) -> str:
    """The product of some factors: letters side by side, longer names with stars.

    >>> from assay.experiments.designs.fractional import word
    >>> word("ABC", frozenset({2, 0})), word(["depth", "rate"], frozenset({0, 1}))
    ('AC', 'depth*rate')
    """
    return ("" if all(len(n) == 1 for n in names) else "*").join(names[j] for j in sorted(chosen))


def letters_of(text: str, names: Sequence[str], who: str) -> tuple[frozenset[int], int]:
    """A word and its sign, from text such as -ABC or depth*rate.

    >>> from assay.experiments.designs.fractional import letters_of
    >>> letters_of("-AC", ["A", "B", "C"], "here") == (frozenset({0, 2}), -1)
    True
    """
    plain = text.strip()
    sign = -1 if plain.startswith("-") else 1
    plain = plain.lstrip("+-").replace(" ", "")
    single = all(len(n) == 1 for n in names)
    parts = plain.split("*") if "*" in plain or not single else list(plain)
    unknown = [p for p in parts if p not in names]
    if unknown or not plain or len(set(parts)) < len(parts):
        raise ParameterError(
            f"expected a product of different factors out of {', '.join(names)}, got {text!r}.", who=who
        )
    return frozenset(list(names).index(p) for p in parts), sign


def _parsed(generators: Sequence[str], names: list[str]) -> dict[int, tuple[frozenset[int], int]]:
    who = "fractional_factorial"
    if isinstance(generators, str):
        raise ParameterError(f"generators must be a list, such as [{generators!r}].", who=who)
    chosen: dict[int, tuple[frozenset[int], int]] = {}
    for text in generators:
        left, equals, right = str(text).partition("=")
        if not equals or left.strip() not in names:
            raise ParameterError(
                f"expected a generator such as {names[-1]}={names[0]}..., got {text!r}.", who=who
            )
        if names.index(left.strip()) in chosen:
            raise ParameterError(f"{left.strip()} is generated twice.", who=who)
        chosen[names.index(left.strip())] = letters_of(right, names, who)
    if len(chosen) > MAX_GENERATED:
        raise ParameterError(
            f"at most {MAX_GENERATED} factors can be generated. Use plackett_burman.", who=who
        )
    for j, (parents, _) in chosen.items():
        if parents & set(chosen):
            raise ParameterError(
                f"{names[j]} is generated from {word(names, parents)}, which holds a factor that is itself "
                "generated. Use the factors that are varied on their own.",
                who=who,
            )
        if len(parents) < 2:
            raise ParameterError(
                f"{names[j]} would be a copy of one factor; use a product of two or more.", who=who
            )
    if len({parents for parents, _ in chosen.values()}) < len(chosen):
        raise ParameterError("two factors have the same generator and would be aliased.", who=who)
    return chosen


def _products(words: list[tuple[frozenset[int], int]]) -> dict[frozenset[int], int]:
    """The group that the words generate, without the identity."""
    group: dict[frozenset[int], int] = {frozenset(): 1}
    for w, sign in words:
        group |= {g ^ w: s * sign for g, s in group.items()}
    del group[frozenset()]
    return group


def _generators(F: int, resolution: int) -> dict[int, tuple[frozenset[int], int]]:
    """Generators of the smallest design of at least that resolution that the search finds."""
    for base in range(max(1, int(np.ceil(np.log2(F + 1))), F - MAX_GENERATED), min(F, 20)):
        usual = max(3, resolution - 1)
        sizes = sorted(range(resolution - 1, base + 1), key=lambda size: (size != usual, size))
        words = chain.from_iterable(combinations(range(base), size) for size in sizes)
        parents = [frozenset(c) for c in islice(words, 5000)]
        best = _search(parents, F - base, resolution, base)
        if best is not None:
            return {base + j: (p, 1) for j, p in enumerate(best)}
    return {}


def _search(
    parents: list[frozenset[int]], needed: int, resolution: int, base: int
) -> list[frozenset[int]] | None:
    """The choice of words with the fewest short products, within a budget of work."""
    masks = [sum(1 << i for i in p) for p in parents]
    best: tuple[list[int], list[int]] | None = None
    work = 0

    def grow(start: int, chosen: list[int], group: list[int]) -> None:
        nonlocal best, work
        if len(chosen) == needed:
            lengths = [g.bit_count() for g in group if g]
            pattern = [lengths.count(k) for k in range(resolution, base + needed + 1)]
            if best is None or pattern < best[0]:
                best = (pattern, list(chosen))
            return
        for i in range(start, len(masks) - (needed - len(chosen)) + 1):
            work += len(group)
            if work > MAX_PRODUCTS:
                return
            new = masks[i] | 1 << (base + len(chosen))
            products = [g ^ new for g in group]
            if all(p.bit_count() >= resolution for p in products):
                grow(i + 1, [*chosen, i], group + products)

    grow(0, [], [0])
    return None if best is None else [parents[i] for i in best[1]]
