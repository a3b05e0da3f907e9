"""What ensembles selected from a library of models share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core.parameters import Accepted, Any_, Choice, Count
from assay.core.stored import Each, FloatArray, Scalar, Text
from assay.ensembles.committees.committee import COMMITTEE, FOLDS, Committee
from assay.select.members.select_members import WITH_REPLACEMENT, MemberSelection, select_members

__all__ = ["SELECTION", "EnsembleSelection"]

SEARCHES = (WITH_REPLACEMENT, "forward", "backward", "floating", "backward floating", "beam", "exhaustive")
SELECTION: Mapping[str, Accepted] = {
    **COMMITTEE,
    "search": Choice(*SEARCHES),
    "metric": Any_("the name of a measure, or None", lambda v: v is None or isinstance(v, str)),
    "max_size": Count(1),
    "cv": FOLDS | Any_("'prefit'", lambda v: isinstance(v, str) and v == "prefit"),
}


class EnsembleSelection(Committee):
    """A mean of the members that do best together on rows that they did not learn from."""

    accepts: ClassVar[Mapping[str, Accepted | None]] = SELECTION
    stored = {
        "weights_": FloatArray("l", low=0, high=1),
        "chosen_": Each(Text()),
        "library_": Each(Text(), "l"),
        "single_": FloatArray("l"),
        "value_": Scalar(),
        "metric_": Text(),
    }
    search: str
    metric: str | None
    max_size: int
    cv: Any

    def _fitted_names(self) -> list[str]:
        return list(self.chosen_)

    def _select(self, X: Any, target: Any, w: np.ndarray | None, classes: bool, ask: Any) -> None:
        members = self._members()
        self.library_ = [name for name, _ in members]
        if isinstance(self.cv, str):
            for _, model in members:
                check_is_fitted(model)
            outputs = [ask(j, model, self._view(name, X)) for j, (name, model) in enumerate(members)]
            rows: Any = np.arange(len(target))
        else:
            outputs, rows = self._unseen(X, target, w, classes, ask)
        stacked = np.stack(outputs) if classes else np.hstack(outputs).T
        selection = select_members(
            stacked,
            target.codes[rows] if classes else target[rows],
            self.search,
            metric=self.metric,
            max_size=self.max_size,
            names=self.library_,
            sample_weight=None if w is None else w[rows],
        )
        self._keep(selection)
        if isinstance(self.cv, str):
            self.estimators_ = [dict(members)[name] for name in self.chosen_]
        else:
            self.estimators_ = self._each(
                lambda name: self._fit_one(name, X, target, w), self.chosen_, self.n_jobs
            )

    def _keep(self, selection: MemberSelection) -> None:
        self.weights_, self.single_, self.value_ = selection.weights, selection.single, float(selection.value)
        self.metric_ = selection.metric
        self.chosen_ = [self.library_[j] for j in selection.members]

    def _mean(self, X: Any, ask: Any) -> tuple[np.ndarray, np.ndarray]:
        """The outputs of the chosen members, and their mean."""
        outputs = np.stack(self._ask_all(X, ask))
        return outputs, np.tensordot(self.weights_[self.weights_ > 0], outputs, axes=1)
