"""What a learner needs before it can use a table: holes filled, numbers scaled, categories expanded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core import Learner, Transformer
from assay.tables import Table

__all__ = ["Candidate", "Indicators", "prepared"]


@dataclass(frozen=True)
class Candidate:
    """A learner that takes part in a comparison.

    Attributes
    ----------
    name : str
    estimator : the learner, not fitted, with its preparation in front
    words : what the preparation does, such as "imputed, scaled"; "" for nothing
    raw : whether it wants the rows as they came
    """

    name: str
    estimator: Any
    words: str = ""
    raw: bool = False


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


def prepared(name: str, estimator: Any, table: Table, scale: bool = False) -> Candidate:
    """The learner with what it needs in front, so that all is learned from the training rows of a fold alone.

    A learner that cannot use missing values gets a ``SimpleImputer`` (means and most frequent categories); one
    for which distances matter gets a ``StandardScaler``; a stranger that knows arrays alone gets indicators for
    categories. A scikit-learn pipeline, or a search over one, prepares for itself and gets the rows as they came.

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
    if _prepares_itself(estimator):
        return Candidate(name, estimator, "own pipeline", raw=True)
    takes_missing, takes_nominal, ours = _takes(estimator)
    coded = bool(table.schema.coded.any())
    steps, words = [], []
    # a category that the training rows lack is missing for a learner that counts categories
    if not takes_missing and (not table.complete or (coded and takes_nominal)):
        from assay.prepare import SimpleImputer

        steps.append(SimpleImputer())
        words += [] if table.complete else ["imputed"]
    if scale and not table.schema.coded.all():
        from assay.prepare import StandardScaler

        steps.append(StandardScaler())
        words.append("scaled")
    if not ours:
        steps.append(Indicators())
        words += ["indicators"] if coded else []
    if not steps:
        return Candidate(name, estimator)
    from sklearn.pipeline import make_pipeline

    return Candidate(name, make_pipeline(*steps, estimator), ", ".join(words))


def _prepares_itself(estimator: Any) -> bool:
    inner = getattr(estimator, "estimator", None)
    return hasattr(estimator, "steps") or (inner is not None and _prepares_itself(inner))


def _takes(estimator: Any) -> tuple[bool, bool, bool]:
    """Whether it takes missing values, categories as they are, and tables of ours."""
    ours = isinstance(estimator, Learner) or type(estimator).__module__.startswith("assay.")
    try:
        from sklearn.utils import get_tags

        missing = bool(get_tags(estimator).input_tags.allow_nan)
    except Exception:  # a stranger without tags takes plain numbers
        missing = False
    return missing, ours and "nominal" in getattr(estimator, "takes", ()), ours
