"""Why a Gaussian process classifier answers so: its scores, the training rows that spoke, the terms of the kernel."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from assay.core import Classifier
from assay.core.cases import MOST_CASES, beside
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.learner import python_labels
from assay.core.model_view import Part
from assay.kernels import Kernel, Sum
from assay.kernels.kernel_learner import KernelLearner
from assay.processes.classification.latent_process import LatentProcess

__all__ = ["ReasonsOfProcesses"]

SHOWN = 8  # training rows in an explanation


class ReasonsOfProcesses(KernelLearner, Classifier):
    """What ``explain`` and ``show`` say of a classifier with latent processes."""

    processes_: list[LatentProcess]
    multi_class: str
    log_marginal_likelihood_value_: float

    @property
    def _pairwise(self) -> bool:
        """Whether there is a process for each pair of classes."""
        return len(self.classes_) > 2 and self.multi_class == "one_vs_one"

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        if not self._pairwise:
            return super()._explain_block(X, rows)
        answers = python_labels(self.classes_[self._choose(X)])
        return Explanations(type(self).__name__, answers, rows, self._reasons(X, rows))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The scores with their uncertainty, the training rows that spoke for the answer, and the kernel's terms."""
        X = self._alike(X)
        chosen, latent = self._choose(X), self._latent(X)
        names = self._score_names()
        means = np.column_stack([mean for mean, _ in latent])
        sds = np.sqrt(np.column_stack([s if s.ndim == 1 else np.einsum("qkk->qk", s) for _, s in latent]))

        def sections(i: int) -> list[Section]:
            place = self._explained_score(int(chosen[i]), means[i])
            scores: list[list[Any]] = [
                [name, float(m), float(s)] for name, m, s in zip(names, means[i], sds[i])
            ]
            note = "The probability averages the logistic curve over this uncertainty."
            table = Section(
                "Scores behind the classes", ["score", "mean", "standard deviation"], scores, note
            )
            return [table, *self._spoke(X[i : i + 1], place, names[place], rows[i])]

        return Reasons(sections)

    def _score_names(self) -> list[str]:
        labels = [str(label) for label in self.classes_]
        if len(labels) == 2:
            return [f"log odds of {labels[1]}"]
        if self._pairwise:
            return [f"log odds of {b} against {a}" for a, b in combinations(labels, 2)]
        if self.multi_class == "softmax":
            return [f"score of {label}" for label in labels]
        return [f"log odds of {label} against the rest" for label in labels]

    def _explained_score(self, answer: int, means: np.ndarray) -> int:
        """Which score the training rows spoke in: that of the answer, or of its closest pair."""
        if len(self.classes_) == 2:
            return 0
        if not self._pairwise:
            return answer
        pairs = list(combinations(range(len(self.classes_)), 2))
        of_answer = [p for p, pair in enumerate(pairs) if answer in pair]
        return min(of_answer, key=lambda p: abs(means[p]))

    def _spoke(self, row: Any, place: int, name: str, values: dict[str, Any]) -> list[Section]:
        """The training rows whose contributions to one score are largest, their values, and the kernel's terms."""
        process = self.processes_[place if len(self.processes_) > 1 else 0]
        a = process.mode.a if process.mode.a.ndim == 1 else process.mode.a[:, place]
        k = process.kernel_.between(row, process._rows_of(self.X_train_))[0]
        adds = a * k
        order = np.argsort(-np.abs(adds), kind="stable")
        order = order[np.abs(adds[order]) > 0][:SHOWN]
        labels = self._training_classes(process)
        lines: list[list[Any]] = [
            [self._cases.label(int(process.rows[j])), labels[j], float(a[j]), float(k[j]), float(adds[j])]
            for j in order
        ]
        others = int(np.count_nonzero(adds)) - len(order)
        more = f"{others} more rows add {float(adds.sum() - adds[order].sum()):.6g}; " if others else ""
        heads = [self._cases.head, "class", "surprise", "kernel", "contribution"]
        note = f"{more}the {name} is {float(adds.sum()):.6g}."
        parts = [Section("Training rows by what they contribute", heads, lines, note)]
        parts += self._terms(process, row, a, name)
        if "schema_" in vars(self):
            some = order[:MOST_CASES]
            stored = process._rows_of(self.X_train_)[some]
            parts += beside(self, values, stored, process.rows[some].tolist())
        return parts

    def _training_classes(self, process: LatentProcess) -> list[str]:
        """The class of each row of a process, in words."""
        names = [str(label) for label in self.classes_]
        if process.t.ndim == 2:
            return [names[k] for k in process.t.argmax(axis=1)]
        if len(names) == 2:
            return [names[int(t)] for t in process.t]
        place = self.processes_.index(process)
        first, second = (
            list(combinations(names, 2))[place] if self._pairwise else ("another class", names[place])
        )
        return [second if t else first for t in process.t]

    def _terms(self, process: LatentProcess, row: Any, a: np.ndarray, name: str) -> list[Section]:
        """What the terms of a kernel that is a sum add to a score."""
        terms = _terms_of(process.kernel_)
        if len(terms) < 2:
            return []
        S = process._rows_of(self.X_train_)
        lines = [[repr(term), float(term.between(row, S)[0] @ a)] for term in terms]
        return [Section(f"Terms of the kernel, what they add to the {name}", ["term", "contribution"], lines)]

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            ["training rows", int(self.shape_fit_[0])],
            ["classes", ", ".join(map(str, self.classes_))],
            [
                "log evidence" if len(self.processes_) == 1 else "mean log evidence",
                self.log_marginal_likelihood_value_,
            ],
        ]
        names = self._score_names()
        joint = len(self.processes_) == 1
        table: list[list[Any]] = [
            [
                "all scores" if joint and len(names) > 1 else name,
                repr(process.kernel_),
                process.mode.log_evidence,
                process.choice.sentence,
            ]
            for name, process in zip(names, self.processes_)
        ]
        heads = ["process", "kernel", "log evidence", "choice of its parameters"]
        return [Section("Model", ["what", "value"], lines), Section("Processes", heads, table)]


def _terms_of(kernel: Kernel) -> list[Kernel]:
    """The terms of a sum, which may be nested."""
    return [*_terms_of(kernel.k1), *_terms_of(kernel.k2)] if isinstance(kernel, Sum) else [kernel]
