"""Phylogenetic trees: sequences that change along the branches of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node

__all__ = ["PhylogeneticTree"]

BASES = ("A", "C", "G", "T")
TRANSITIONS = {("A", "G"), ("G", "A"), ("C", "T"), ("T", "C")}


class PhylogeneticTree:
    r"""A tree of species with lengths of branches, along which each site of a sequence changes by chance.

    After a branch of length t (expected changes a site), by Jukes and Cantor's model

    .. math:: P(\text{same}) = \tfrac14 + \tfrac34 e^{-4t/3}, \qquad
              P(\text{another}) = \tfrac14 - \tfrac14 e^{-4t/3}                                          \quad (1)

    and by Kimura's with a ratio kappa of the rates of transitions (A-G, C-T) and transversions. The likelihood of a
    site is
    that of a Bayesian network whose leaves are observed (Felsenstein's pruning); a gap is a missing value.

    Parameters
    ----------
    newick : str, such as "((human:0.1,chimp:0.1):0.2,gorilla:0.3);"
    kappa : float, default 1, which is Jukes and Cantor's model

    Examples
    --------
    >>> from assay.graphs import PhylogeneticTree
    >>> tree = PhylogeneticTree("((human:0.1,chimp:0.1):0.2,gorilla:0.3);")
    >>> tree.leaves
    ['human', 'chimp', 'gorilla']
    >>> round(tree.log_likelihood({"human": "ACGT", "chimp": "ACGT", "gorilla": "ACGA"}), 4)
    -9.7897

    References
    ----------
    - Felsenstein, J. (1981). Evolutionary trees from DNA sequences: a maximum likelihood approach. Journal of Molecular
      Evolution 17, 368-376. doi:10.1007/BF01734359
    - Kimura, M. (1980). A simple method for estimating evolutionary rates of base substitutions through comparative
      studies
      of nucleotide sequences. Journal of Molecular Evolution 16, 111-120. doi:10.1007/BF01731581
    """

    def __init__(self, newick: str, kappa: float = 1.0):
        if not kappa > 0 or not np.isfinite(kappa):
            raise ParameterError(f"PhylogeneticTree: kappa must be above 0, got {kappa!r}.")
        self.kappa = float(kappa)
        self.names: list[str] = []
        self.parent: dict[str, str | None] = {}
        self.length: dict[str, float] = {}
        self._read(newick)
        inner = set(self.parent.values())
        self.leaves = [name for name in self.names if name not in inner]

    def _read(self, newick: str) -> None:
        text = str(newick).strip().removesuffix(";")
        at, inner = 0, 0

        def fail(what: str) -> Any:
            raise DataError(f"PhylogeneticTree: {what} at character {at + 1} of the tree.")

        def branch(parent: str | None) -> None:
            nonlocal at, inner
            place = len(self.names)
            children: list[str] = []
            if at < len(text) and text[at] == "(":
                inner += 1
                name = f"node {inner}"
                self.names.append(name)
                self.parent[name] = parent
                at += 1
                while True:
                    branch(name)
                    children.append("")
                    if at >= len(text):
                        fail("a bracket is not closed")
                    at += 1
                    if text[at - 1] == ")":
                        break
                    if text[at - 1] != ",":
                        at -= 1
                        fail(f"expected ',' or ')', got {text[at]!r}")
            word = ""
            while at < len(text) and text[at] not in "(),:":
                word += text[at]
                at += 1
            word = word.strip().strip("'")
            if children:
                name = self.names[place]
                if word and word not in self.parent:
                    self._rename(name, word)
                    name = word
            else:
                if not word:
                    fail("a leaf has no name")
                if word in self.parent:
                    fail(f"the name {word!r} occurs twice")
                name = word
                self.names.append(name)
                self.parent[name] = parent
            self.length[name] = 0.0
            if at < len(text) and text[at] == ":":
                at += 1
                number = ""
                while at < len(text) and text[at] not in "(),:":
                    number += text[at]
                    at += 1
                try:
                    self.length[name] = float(number)
                except ValueError:
                    fail(f"expected the length of a branch, got {number!r}")
                if not 0 <= self.length[name] < np.inf:
                    fail(f"a branch has the length {number}, expected a number from 0 up")

        branch(None)
        if at < len(text):
            fail(f"expected the end, got {text[at]!r}")

    def _rename(self, old: str, new: str) -> None:
        self.names[self.names.index(old)] = new
        self.parent = {new if k == old else k: new if p == old else p for k, p in self.parent.items()}
        self.length = {new if k == old else k: v for k, v in self.length.items()}

    def substitution(self, length: float) -> np.ndarray:
        """(4, 4) the probabilities of each base after a branch, given the base before it."""
        k = self.kappa
        rate = 4.0 / (k + 2.0)  # of one kind of transversion, such that one change a site is expected
        e1, e2 = np.exp(-rate * length), np.exp(-rate * (k + 1.0) / 2.0 * length)
        P = np.empty((4, 4))
        for i, a in enumerate(BASES):
            for j, b in enumerate(BASES):
                if a == b:
                    P[i, j] = 0.25 + 0.25 * e1 + 0.5 * e2
                elif (a, b) in TRANSITIONS:
                    P[i, j] = 0.25 + 0.25 * e1 - 0.5 * e2
                else:
                    P[i, j] = 0.25 - 0.25 * e1
        return P / P.sum(axis=1, keepdims=True)

    @cached_property
    def network(self) -> BayesianNetwork:
        """One site as a Bayesian network, the root first."""
        nodes = []
        for name in self.names:
            above = self.parent[name]
            if above is None:
                nodes.append(Node(name, BASES, np.full(4, 0.25)))
            else:
                nodes.append(Node(name, BASES, self.substitution(self.length[name]), [above]))
        return BayesianNetwork(nodes)

    def log_likelihood(self, alignment: Mapping[str, str]) -> float:
        """The log probability of aligned sequences of the leaves; sites are independent, gaps (-, N, ?) missing."""
        return float(self.site_log_likelihoods(alignment).sum())

    def site_log_likelihoods(self, alignment: Mapping[str, str]) -> np.ndarray:
        """(n,) the log probability of each site."""
        return self.network.log_likelihood(self._rows(alignment))

    def ancestors(self, alignment: Mapping[str, str]) -> dict[str, str]:
        """The most probable sequences of the inner nodes, site by site together."""
        rows = self._rows(alignment)
        best, _ = self.network._tree(None).most_probable(self.network._flat({}), rows)
        inner = [i for i, name in enumerate(self.names) if name not in self.leaves]
        return {self.names[i]: "".join(BASES[c] for c in best[:, i]) for i in inner}

    def _rows(self, alignment: Mapping[str, str]) -> np.ndarray:
        strange = [name for name in alignment if name not in self.leaves]
        if strange:
            raise DataError(
                f"PhylogeneticTree: {strange[0]!r} is no leaf. Leaves: {', '.join(self.leaves[:20])}."
            )
        lengths = {len(sequence) for sequence in alignment.values()}
        if len(lengths) != 1:
            raise DataError("PhylogeneticTree: sequences must be aligned: all of the same length.")
        rows = np.full((lengths.pop(), len(self.names)), -1, np.int64)
        for name, sequence in alignment.items():
            for site, base in enumerate(sequence.upper().replace("U", "T")):
                if base in BASES:
                    rows[site, self.names.index(name)] = BASES.index(base)
                elif base not in "-N?.":
                    raise DataError(
                        f"PhylogeneticTree: site {site + 1} of {name!r} is {base!r}, expected A, C, G, T or -."
                    )
        return rows
