"""Phylogenetic trees: sequences that change along the branches of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from assay.errors import DataError, DegenerateError, ParameterError
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
    site is that of a Bayesian network whose leaves are observed (Felsenstein's pruning); a gap is a missing value.
    Names in quotes may hold any characters; [comments] are passed over. A label that several inner nodes have is a
    number of support rather than a name; such nodes keep the names node 1, node 2, ...

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
      studies of nucleotide sequences. Journal of Molecular Evolution 16, 111-120. doi:10.1007/BF01731581
    """

    def __init__(self, newick: str, kappa: float = 1.0):
        if (
            isinstance(kappa, bool)
            or not isinstance(kappa, (int, float, np.number))
            or not 0 < kappa < np.inf
        ):
            raise ParameterError(f"PhylogeneticTree: kappa must be a number above 0, got {kappa!r}.")
        self.kappa = float(kappa)
        labels, above, lengths = _parsed(str(newick))
        inner = sorted(set(above) - {-1})
        named = [labels[i] for i in range(len(labels)) if i not in set(inner)]
        self.names: list[str] = list(labels)
        for k, i in enumerate(inner):
            if not labels[i] or labels.count(labels[i]) > 1:
                name = f"node {k + 1}"
                while name in named:
                    name += "'"
                self.names[i] = name
        self.parent: dict[str, str | None] = {
            name: None if above[i] < 0 else self.names[above[i]] for i, name in enumerate(self.names)
        }
        self.length: dict[str, float] = dict(zip(self.names, lengths))
        self.leaves: list[str] = named

    def __repr__(self) -> str:
        return f"PhylogeneticTree of {len(self.leaves)} leaves and {len(self.names) - len(self.leaves)} inner nodes"

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
        best, logs = self.network._tree(None).most_probable(self.network._flat({}), rows)
        impossible = np.flatnonzero(np.isneginf(logs))
        if len(impossible):
            raise DegenerateError(
                f"PhylogeneticTree: site {impossible[0] + 1} has probability 0: the sequences differ there, and the "
                "branches between them have length 0."
            )
        inner = [i for i, name in enumerate(self.names) if name not in self.leaves]
        return {self.names[i]: "".join(BASES[c] for c in best[:, i]) for i in inner}

    def _rows(self, alignment: Mapping[str, str]) -> np.ndarray:
        strange = [name for name in alignment if name not in self.leaves]
        if strange:
            raise DataError(
                f"PhylogeneticTree: {strange[0]!r} is no leaf. Leaves: {', '.join(self.leaves[:20])}."
            )
        if not alignment:
            raise DataError("PhylogeneticTree: give the sequence of at least one leaf.")
        strange = [name for name, sequence in alignment.items() if not isinstance(sequence, str)]
        if strange:
            raise DataError(
                f"PhylogeneticTree: the sequence of {strange[0]!r} must be a text such as 'ACGT', got "
                f"{alignment[strange[0]]!r}."
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


def _parsed(newick: str) -> tuple[list[str], list[int], list[float]]:
    """Labels ("" without), parents (-1 for the root) and lengths of branches of a tree in Newick's notation."""
    labels: list[str] = []
    above: list[int] = []
    lengths: list[float] = []
    open_brackets: list[int] = []
    done = -1  # the node that a label or a length may follow

    def fail(what: str, at: int) -> None:
        raise DataError(f"PhylogeneticTree: {what} at character {at + 1} of the tree.")

    def new() -> int:
        labels.append("")
        above.append(open_brackets[-1] if open_brackets else -1)
        lengths.append(0.0)
        return len(labels) - 1

    words = _words(newick)
    expects_node = True
    for k, (at, kind, text) in enumerate(words):
        if kind == "end":
            break
        if expects_node and kind == "(":
            open_brackets.append(new())
        elif expects_node and kind == "word":
            done, expects_node = new(), False
            labels[done] = text
        elif expects_node:
            fail("a leaf has no name", at)
        elif kind in ",)" and open_brackets:
            expects_node = kind == ","
            done = -1 if kind == "," else open_brackets.pop()
        elif kind == "word" and words[k - 1][1] == ")":
            labels[done] = text
        elif kind == ":" and words[k - 1][1] != "length":
            if words[k + 1][1] != "length":
                fail("expected the length of a branch", words[k + 1][0])
        elif kind == "length":
            try:
                lengths[done] = float(text)
            except ValueError:
                fail(f"expected the length of a branch, got {text!r}", at)
            if not 0 <= lengths[done] < np.inf:
                fail(f"a branch has the length {text}, expected a number from 0 up", at)
        elif open_brackets:
            fail(f"expected ',' or ')', got {text!r}", at)
        else:
            fail(f"expected the end, got {text!r}", at)
    end = words[-1][0]
    if expects_node:
        fail("a leaf has no name", end)
    if open_brackets:
        fail("a bracket is not closed", end)
    inner = set(above)
    leaves = [labels[i] for i in range(len(labels)) if i not in inner]
    twice = next((name for name, times in Counter(leaves).items() if times > 1), None)
    if twice is not None:
        fail(f"the name {twice!r} occurs twice", newick.rindex(twice))
    return labels, above, lengths


def _words(newick: str) -> list[tuple[int, str, str]]:
    """(place, kind, text) of each word: "(", ")", ",", ":", "word", "length" (after a colon), "end" at the last."""
    words: list[tuple[int, str, str]] = []
    at = 0
    text = newick.strip()
    while at < len(text):
        character = text[at]
        if character.isspace():
            at += 1
        elif character == "[":
            end = text.find("]", at)
            if end < 0:
                raise DataError(
                    f"PhylogeneticTree: a comment is not closed at character {at + 1} of the tree."
                )
            at = end + 1
        elif character == ";":
            if text[at + 1 :].strip():
                raise DataError(f"PhylogeneticTree: a second tree begins at character {at + 2} of the tree.")
            break
        elif character in "(),:":
            words.append((at, character, character))
            at += 1
        else:
            begin, kind = at, "length" if words and words[-1][1] == ":" else "word"
            if character == "'":
                parts = []
                while at < len(text) and text[at] == "'":  # two quotes inside stand for one
                    end = text.find("'", at + 1)
                    if end < 0:
                        raise DataError(
                            f"PhylogeneticTree: a quote is not closed at character {begin + 1} of the tree."
                        )
                    parts.append(text[at + 1 : end])
                    at = end + 1
                word = "'".join(parts)
            else:
                while at < len(text) and text[at] not in "(),:[;":
                    at += 1
                word = text[begin:at].strip()
            words.append((begin, kind, word))
    words.append((at, "end", ""))
    return words
