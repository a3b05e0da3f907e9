"""The empirical kernel: any similarity, made a kernel by comparing rows with templates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.seeds import random_state_of
from assay.core.stored import Integer, Object, ObjectRows, TableRows, Text
from assay.distances.metric import Metric
from assay.errors import ParameterError
from assay.kernels.explicit_kernel import ExplicitKernel
from assay.kernels.given import FunctionKernel
from assay.kernels.kernel import Kernel
from assay.kernels.names import kernel_of
from assay.kernels.objects import objects_of
from assay.kernels.templates import TEMPLATES, choose_templates
from assay.tables.rows import take_rows
from assay.types import RandomState, TableLike

__all__ = ["EmpiricalKernel"]


@dataclass(frozen=True, eq=False)
class EmpiricalKernel(ExplicitKernel):
    r"""Rows are alike if they are similar to the same templates.

    .. math:: \phi(x) = [s(x, m_1), \dots, s(x, m_M)]^T, \qquad K(a, b) = \phi(a)^T\phi(b) \quad (1)

    This is a kernel whatever the similarity s is: an edit score, a sigmoid, a distance, the answer of an expert. The
    templates are training rows, which ``learn`` chooses: all of them, or a few; see :func:`choose_templates`. As a
    transformer for other learners: `assay.neighbors.SimilarityFeatures`.

    Cost: M similarities a row, then O(M) a pair.

    Parameters
    ----------
    similarity : Kernel, Metric, name of a kernel, or function of two objects
    templates : "random", "centers", "covering" or "by class", default "covering"
    n_templates : int, default None
        None takes all training rows.
    random_state : int, default 0
        For "random".

    Examples
    --------
    >>> from assay.kernels import EditSimilarity, EmpiricalKernel
    >>> kernel = EmpiricalKernel(EditSimilarity(), n_templates=2).learn(["cat", "hat", "dog", "fog"])
    >>> kernel.templates_.tolist()
    ['cat', 'dog']
    >>> kernel(["cat"], ["cat", "bat"]).round(3)  # (1, 0) (1, 0)' and (1, 0) (2/3, 0)'
    array([[1.   , 0.667]])

    See Also
    --------
    EditSimilarity, Nystroem

    References
    ----------
    - Schölkopf, B., Mika, S., Burges, C. J. C., Knirsch, P., Müller, K.-R., Rätsch, G. and Smola, A. J. (1999). Input
      space versus feature space in kernel-based methods. IEEE Transactions on Neural Networks 10(5), 1000-1017.
      doi:10.1109/72.788641
    """

    similarity: Any
    templates: str = "covering"
    n_templates: int | None = None
    random_state: RandomState = 0
    templates_: Any = None
    stored = {
        "similarity": Object(Kernel, Metric),
        "templates": Text(*TEMPLATES),
        "n_templates": Integer(low=1) | None,
        "random_state": Integer() | None,
        "templates_": TableRows("*", "*") | ObjectRows("*") | None,
    }

    def __post_init__(self) -> None:
        if self.templates not in TEMPLATES:
            raise ParameterError(
                f"EmpiricalKernel: templates must be one of {TEMPLATES}, got {self.templates!r}."
            )
        if not isinstance(self.similarity, (Kernel, Metric)):
            plain = callable(self.similarity) and not hasattr(self.similarity, "theta")
            made = FunctionKernel(self.similarity, "objects") if plain else kernel_of(self.similarity)
            object.__setattr__(self, "similarity", made)

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the similarity takes."""
        return self.similarity.takes

    @property
    def function(self) -> bool:  # type: ignore[override]
        return self.similarity.function

    def learn(
        self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None
    ) -> EmpiricalKernel:
        X = objects_of(X, "EmpiricalKernel") if "objects" in self.takes else X
        similarity = self.similarity.learn(X, y, w)
        places = choose_templates(
            similarity, X, self.n_templates, self.templates, y, random_state_of(self.random_state)
        )
        return replace(self, similarity=similarity, templates_=take_rows(X, places))

    def feature_map(self, X: TableLike) -> np.ndarray:
        if self.templates_ is None:
            raise ParameterError(
                "EmpiricalKernel: there are no templates yet; choose them from rows: learn(X)."
            )
        return self.similarity.between(X, self.templates_)
