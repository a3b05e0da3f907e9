"""What classifiers that are networks share: intervals, tables, answers, explanations."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.derivation import Number, derivation
from assay.core import Generative
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parameters import Any_, Range, check_count
from assay.core.seeds import as_generator
from assay.core.stored import Each, FloatArray, Object
from assay.core.sums import Block, Source
from assay.errors import DataError
from assay.graphs.classifiers.intervals import card_of, codes_of, column_intervals, drawn_table
from assay.graphs.families import blanket_scores
from assay.graphs.learning.parameters import count_families, solved_network
from assay.graphs.learning.states import interval_names
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node
from assay.graphs.sampling import ancestral_sample
from assay.types import RandomState

__all__ = ["CUTS", "NetworkLearner", "check_draws"]

CUTS = Any_(
    '"mdl" or a whole number of intervals from 2 up',
    lambda v: bool(v == "mdl" or (isinstance(v, (int, np.integer)) and not isinstance(v, bool) and v >= 2)),
)


def check_draws(n: Any, model: Any) -> None:
    """Refuse a number of rows that is none, and a model from a file that does not know the ranges of its columns."""
    who = type(model).__name__
    check_count(who, "n", n)
    if vars(model).get("ranges_") is None and not model.schema_.coded.all():
        raise DataError(
            "this model was saved by an earlier version, without the ranges of its columns. Fit it again to draw rows.",
            who=who,
        )


class NetworkLearner(Generative):
    """Base of classifiers whose model is a Bayesian network of the class and the columns.

    A learner says which columns are the parents of which (``_parents``); tables are counted in one more pass over the
    rows, so that with :class:`~assay.core.PassLearner` in front blocks and clusters work. A missing value is summed
    out,
    exactly.
    """

    accepts = {"alpha": Range(0, open="high"), "cuts": CUTS}
    stored = {
        "network_": Object(BayesianNetwork),
        "cuts_": Each(FloatArray("*", finite=True), "d"),
        "class_count_": FloatArray("K", low=0),
        "ranges_": FloatArray("d", "2") | None,
    }
    takes = frozenset({"nominal", "missing"})
    alpha: float
    cuts: Any
    network_: BayesianNetwork

    def _learn_from(self, source: Source) -> None:
        K = len(self.classes_)
        self.cuts_, self.ranges_ = column_intervals(source, self.schema_, K, self.cuts)
        above = self._parents(source)
        nodes = [
            Node(self._target_name(), self._class_states(), None, [self.schema_.names[p] for p in above[0]])
        ]
        for j, column in enumerate(self.schema_):
            states = list(column.categories) if column.coded else interval_names(self.cuts_[j])
            names = [nodes[0].name if p < 0 else self.schema_.names[p] for p in above[1][j]]
            nodes.append(Node(column.name, states or ["any"], None, names))
        empty = BayesianNetwork(nodes)
        sums = source.add_up(lambda block: count_families(empty, self._coded(block)))
        self.class_count_ = source.add_up(lambda b: np.bincount(b.y, b.w, minlength=K).astype(np.float64))
        self.network_ = solved_network(empty, sums.counts, float(self.alpha))

    def _parents(self, source: Source) -> tuple[list[int], list[list[int]]]:
        """The parents of the class (columns), and those of each column (columns; -1 is the class)."""
        raise TypeError(f"{type(self).__name__} must define _parents")

    def _coded(self, block: Block) -> Block:
        rows = codes_of(block.X, self.schema_, self.cuts_, first=1)
        rows[:, 0] = block.y
        return Block(
            rows, block.y, np.ones(len(rows)) if block.w is None else np.asarray(block.w, np.float64)
        )

    @property
    def _card_list(self) -> np.ndarray:
        return np.array([card_of(self.schema_, self.cuts_, j) for j in range(len(self.schema_))], np.int64)

    def _target_name(self) -> str:
        name = "class"
        while name in self.schema_.names:
            name += "_"
        return name

    def _class_states(self) -> list[Any]:
        labels = [str(label) for label in self.classes_]
        return labels if len(set(labels)) == len(labels) else list(range(len(labels)))

    def _prior(self) -> np.ndarray:
        total = self.class_count_.sum()
        return self.class_count_ / total if total > 0 else np.full(len(self.classes_), 1 / len(self.classes_))

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        rows = codes_of(X, self.schema_, self.cuts_, first=1)
        complete = (rows >= 0).all(axis=1)
        if complete.all():
            return blanket_scores(self.network_, 0, rows) + self._constant(rows)[:, None]
        out = np.empty((len(rows), len(self.classes_)))
        if complete.any():
            some = rows[complete]
            out[complete] = blanket_scores(self.network_, 0, some) + self._constant(some)[:, None]
        some = rows[~complete]
        some[:, 0] = -1
        tree = self.network_._tree(0)
        posterior, logs = tree.posterior(self.network_._flat({}), some)
        with np.errstate(divide="ignore"):
            out[~complete] = np.where(np.isneginf(logs)[:, None], -np.inf, np.log(posterior) + logs[:, None])
        return out

    def _constant(self, rows: np.ndarray) -> np.ndarray:
        """(n,) the log probability of the columns that do not depend on the class, given their parents."""
        network = self.network_
        total = np.zeros(len(rows))
        target = network.names[0]
        for i, node in enumerate(network.nodes[1:], 1):
            if target not in node.parents:
                with np.errstate(divide="ignore"):
                    total += np.log(network._tables[i][network.configuration(node, rows), rows[:, i]])
        return total

    @property
    def _about_class(self) -> list[int]:
        """The columns whose tables hold the class."""
        target = self.network_.names[0]
        return [i for i, node in enumerate(self.network_.nodes) if i and target in node.parents]

    def _column_logs(self, rows: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(n, K) log P(column | its parents) for each class, and (n,) whether the column and its parents are there."""
        network = self.network_
        node = network.nodes[i]
        family = [i, *(network.index(p) for p in node.parents)]
        known = np.asarray((rows[:, [v for v in family if v]] >= 0).all(axis=1))
        logs = np.zeros((len(rows), len(self.classes_)))
        some = rows[known].copy()
        for k in range(len(self.classes_)):
            some[:, 0] = k
            with np.errstate(divide="ignore"):
                logs[known, k] = np.log(network._tables[i][network.configuration(node, some), some[:, i]])
        return logs, known

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        joint = self._log_joint(X)
        codes = codes_of(X, self.schema_, self.cuts_, first=1)
        network, about_class = self.network_, self._about_class

        def sections(i: int) -> list[Section]:
            likelihoods: list[tuple[str, Any, list[Number]]] = []
            values = rows[i]
            row = codes[i : i + 1]
            skipped = []
            for j in about_class:
                node = network.nodes[j]
                others = [p for p in node.parents if p != network.names[0]]
                name = f"{node.name} | {', '.join(others)}" if others else node.name
                logs, known = self._column_logs(row, j)
                if row[0, j] < 0:
                    likelihoods.append((name, None, []))
                elif not known[0]:
                    skipped.append(name)
                else:
                    value = values[node.name] if node.name in values else node.states[row[0, j]]
                    likelihoods.append((name, value, np.exp(logs[0]).tolist()))
            steps = derivation(self.classes_, self._class_shares(row), likelihoods, joint[i])
            if skipped:
                note = f"Summed over missing parents: {', '.join(skipped)}."
                first = steps[0]
                steps[0] = Section(first.title, first.columns, first.rows, f"{first.note} {note}".strip())
            return steps

        def contributions(some: np.ndarray) -> Contributions:
            part, d = codes[some], len(self.schema_)
            values = np.zeros((len(some), d, len(self.classes_)))
            summed = np.zeros((len(some), d), bool)
            for j in about_class:
                values[:, j - 1], known = self._column_logs(part, j)
                summed[:, j - 1] = ~known & (part[:, j] >= 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                residual = joint[some] - np.log(self._prior()) - values.sum(axis=1)
            spread = summed | (~summed.any(axis=1, keepdims=True) & (part[:, 1:] >= 0))
            share = spread / np.maximum(spread.sum(axis=1), 1)[:, None]
            values += share[:, :, None] * np.where(np.isfinite(residual), residual, 0.0)[:, None, :]
            return self._joint_contributions(values, joint[some])

        return Reasons(sections, contributions)

    def _class_shares(self, row: np.ndarray) -> list[Number]:
        """The probability of each class given its parents, if it has any that are there."""
        node = self.network_.nodes[0]
        known = all(row[0, self.network_.index(p)] >= 0 for p in node.parents)
        if not node.parents or not known:
            return self._prior().tolist()
        return self.network_._tables[0][self.network_.configuration(node, row)[0]].tolist()

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Any, np.ndarray]:
        """n rows drawn from the network, each column given its parents: a table, and (n,) classes.

        The network knows numbers by their intervals; in an interval all numbers from the least to the largest that
        training had there are equally likely.
        """
        self._ready()
        check_draws(n, self)
        rng = as_generator(random_state, type(self).__name__)
        rows = ancestral_sample(self.network_, int(n), rng).astype(np.int64)
        return drawn_table(rows[:, 1:], self.schema_, self.cuts_, self.ranges_, rng), self.classes_[
            rows[:, 0]
        ]

    def diagram(self) -> Any:
        """The picture of the network."""
        return self.network_.diagram(highlight=[self.network_.names[0]])

    def __str__(self) -> str:
        return f"{self!r}\n{self.network_}" if "network_" in vars(self) else repr(self)

    def _check_stored(self) -> None:
        if "network_" not in vars(self):
            return
        cards = [1 if n.states is None else len(n.states) for n in self.network_.nodes]
        wanted = [len(self.classes_), *self._card_list.tolist()]
        if cards != wanted or any(n.conditional is None for n in self.network_.nodes):
            raise ValueError(f"{type(self).__name__}: its network does not fit its columns and classes.")
        for edges in self.cuts_:
            if (np.diff(edges) <= 0).any():
                raise ValueError(f"{type(self).__name__}: cuts must ascend.")
