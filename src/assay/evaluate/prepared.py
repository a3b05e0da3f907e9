"""What a learner needs before it can use a table: missing values imputed, numbers scaled, categories expanded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.pipeline import make_pipeline

from assay.core import Classifier, Learner, Regressor, Transformer
from assay.core.pipelines import pipeline_steps
from assay.prepare import Prepared, PreparedRegressor, SimpleImputer, StandardScaler
from assay.tables import Table
from assay.types import Estimator

__all__ = ["Candidate", "Indicators", "prepared"]


@dataclass(frozen=True)
class Candidate:
    """A learner that takes part in a comparison.

    Attributes
    ----------
    name : str
    learner : as given, not fitted
    estimator : the same with its preparation in front
    words : what the preparation does, such as "imputed, scaled"; "" for nothing
    raw : whether it wants the rows as they came
    """

    name: str
    learner: Any
    estimator: Any
    words: str = ""
    raw: bool = False

    @cached_property
    def open_seeds(self) -> list[str]:
        """The parameters, also of parts, that are a random_state nobody has set."""
        parameters = self.estimator.get_params() if hasattr(self.estimator, "get_params") else {}
        return [k for k, v in parameters.items() if k.split("__")[-1] == "random_state" and v is None]

    def seeded(self, seed: int) -> Any:
        """The estimator with every open random_state set, to be cloned for each fit; made once a seed."""
        made = self.__dict__.setdefault("_seeded", {})
        if seed not in made:
            from sklearn.base import clone

            fresh = clone(self.estimator)
            if self.open_seeds:
                fresh.set_params(**dict.fromkeys(self.open_seeds, seed))
            made[seed] = fresh
        return made[seed]


class Indicators(Transformer):
    """Categories as indicator columns of zeros and ones, as an array; for learners that know arrays alone.

    >>> from assay.evaluate.prepared import Indicators
    >>> Indicators().fit_transform([[1.5, "sour"], [2.0, "sweet"]])
    array([[1.5, 1. , 0. ],
           [2. , 0. , 1. ]])
    """

    takes = frozenset({"missing", "sparse"})

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        """Nothing to learn besides the design."""

    def _transform(self, X: Any) -> Any:
        return X

    def _names_out(self) -> list[str]:
        return self.design_.names


def prepared(name: str, estimator: Estimator, table: Table, scale: bool = False) -> Candidate:
    """The learner with what it needs in front, so that all is learned from the training rows of a fold alone.

    A learner of ours that cannot use missing values, or for which distances matter, comes as ``Prepared`` or
    ``PreparedRegressor``: missing values (and categories that the training rows lack) become means and most frequent
    categories, numbers z-scores. A stranger that knows arrays alone gets a pipeline that does the same and expands
    categories into indicators. A scikit-learn pipeline, or a search over one, prepares for itself and gets the rows as
    they came.

    Parameters
    ----------
    scale : bool
        Whether the learner's numbers should be made comparable.

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.evaluate.prepared import prepared
    >>> from assay.tables import Table
    >>> prepared("gnb", GaussianNB(), Table.of({"a": [1.0, None], "b": ["x", "y"]})).words
    'imputed'
    """
    if _takes_sequences(estimator):
        return Candidate(name, estimator, estimator, "whole sequences", raw=True)
    if _prepares_itself(estimator):
        return Candidate(name, estimator, estimator, "own pipeline", raw=True)
    ours = isinstance(estimator, Learner) or type(estimator).__module__.startswith("assay.")
    coded = table.schema.coded
    dense = not hasattr(table.values, "tocsr")  # a sparse table would lose its zeros by z-scores
    scale = scale and dense and not coded.all()
    fill = not table.complete and not _takes_missing(estimator)
    steps_done = [("imputed", fill), ("scaled", scale), ("indicators", coded.any() and not ours)]
    words = ", ".join(word for word, done in steps_done if done)
    if isinstance(estimator, (Classifier, Regressor)) and not (fill and "missing" in estimator.takes):
        unseen = coded.any() and "missing" not in estimator.takes
        around = Prepared if isinstance(estimator, Classifier) else PreparedRegressor
        ready = around(estimator, scale=bool(scale)) if fill or scale or unseen else estimator
        return Candidate(name, estimator, ready, words)
    # a stranger, or one that takes missing values in predict alone
    steps = [
        step()
        for step, done in ((SimpleImputer, fill), (StandardScaler, scale), (Indicators, not ours))
        if done
    ]
    return Candidate(name, estimator, make_pipeline(*steps, estimator) if steps else estimator, words)


def _takes_sequences(estimator: Any) -> bool:
    """Whether it takes whole sequences, or wraps what does: a search, a rule for decisions, a committee."""
    if getattr(estimator, "takes_sequences", False):
        return True
    members = getattr(estimator, "estimators", None)
    inside = (
        [pair[1] for pair in members if isinstance(pair, tuple)] if isinstance(members, (list, tuple)) else []
    )
    inside += [getattr(estimator, "estimator", None)]
    return any(hasattr(model, "fit") and _takes_sequences(model) for model in inside)


def _prepares_itself(estimator: Any) -> bool:
    inner = getattr(estimator, "estimator", None)
    return bool(pipeline_steps(estimator)) or (inner is not None and _prepares_itself(inner))


def _takes_missing(estimator: Any) -> bool:
    try:
        from sklearn.utils import get_tags

        return bool(get_tags(estimator).input_tags.allow_nan)
    except Exception:  # a stranger without tags takes plain numbers
        return False
