"""Metadata of rows beside X, y and weights, on their way to splitters and scorers: groups above all.

A learner that cross-validates puts :class:`PassesOn` before its base. Then ``fit(X, y, groups=groups)`` reaches its
splitter, and with scikit-learn's metadata routing switched on (``sklearn.set_config(enable_metadata_routing=True)``)
whatever the splitter and the scorer have asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn import get_config
from sklearn.utils import Bunch

from assay.errors import ParameterError
from assay.types import TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.core.learner import Classifier as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["PassesOn", "routing_enabled"]


def routing_enabled() -> bool:
    """Whether scikit-learn's metadata routing is switched on."""
    return bool(get_config().get("enable_metadata_routing", False))


class PassesOn(_Learner):
    """Mixin of learners with ``cv``, and perhaps ``scoring``, that pass metadata on to them.

    While it learns, ``_metadata.splitter.split`` and ``_metadata.scorer.score`` are what the two are to be given, and
    ``_metadata.given`` is all that ``fit`` was given.
    """

    _has_scorer: ClassVar[bool] = False
    _metadata: Any = Bunch(splitter=Bunch(split={}), scorer=Bunch(score={}), given={})

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **params: Any) -> Self:
        """Learn from the rows of X and their targets y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) the targets
        sample_weight : (n,) what each row counts; None counts each once
        params : ``groups``, (n,), for a splitter that keeps groups together; with scikit-learn's metadata routing
            switched on, all that the splitter and the scorer have requested
        """
        self._metadata = self._routed("fit", sample_weight, params)
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._metadata

    def get_metadata_routing(self) -> Any:
        """What ``fit`` passes on to whom, as scikit-learn's metadata routing asks."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        if self._has_scorer:
            mapping = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
            router.add(scorer=self._scorer(), method_mapping=mapping)
        return router

    def _scorer(self) -> Any:
        """The scorer that ``scoring`` stands for."""
        raise TypeError(f"{type(self).__name__} must define _scorer")

    def _routed(self, method: str, sample_weight: Any, params: dict[str, Any]) -> Any:
        """Who gets what of the weights and the other metadata."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            routed = process_routing(self, method, **weights, **params)
            score = dict(routed.scorer.score) if self._has_scorer else {}
            split = dict(routed.splitter.split) if method == "fit" else {}
            return Bunch(splitter=Bunch(split=split), scorer=Bunch(score=score), given=params)
        unknown = sorted(set(params) - {"groups"})
        if unknown:
            raise ParameterError(
                f"{method} got {', '.join(unknown)}, which is only supported if "
                "enable_metadata_routing=True, since nobody has requested it. Call "
                "sklearn.set_config(enable_metadata_routing=True) and set the requests of the splitter and the scorer.",
                who=type(self).__name__,
            )
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=weights), given=params)
