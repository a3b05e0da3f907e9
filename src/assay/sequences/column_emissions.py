"""Emissions of tables with columns of several kinds: numbers, categories, counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import Any_, Range
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Text
from assay.errors import DataError, ParameterError
from assay.sequences.families import Categorical, Family, Gaussian, Poisson, Product, Tied
from assay.sequences.families.gaussian import GaussianPrior
from assay.sequences.hidden_markov_model import HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.sequences.starts import means_of, warn_of_small_variances

__all__ = ["COLUMN_PARAMETERS", "ColumnEmissions"]

FAMILIES = ("gaussian", "categorical", "poisson")
COLUMN_PARAMETERS: dict[str, Any] = {
    "families": Any_("a dict of column names to families", lambda v: v is None or isinstance(v, dict)),
    "min_covar": Range(0),
    "emissionprob_prior": Range(0),
}


class ColumnEmissions(HiddenMarkovModel):
    """A hidden Markov model whose columns have families of their own, independent of each other in each state."""

    stored = {"families_": Each(Text()), "emissions_": Each(FloatArray("*", "*", finite=True))}
    families: dict[str, str] | None
    min_covar: float
    emissionprob_prior: float

    def _emitting(self, column: int, n_columns: int) -> tuple[int, np.ndarray | None]:
        """How many states emit a column, and as which of them each state of the chain does; None: as itself."""
        return self._n_states, None

    @property
    def family_(self) -> Product:
        parts: list[Family] = []
        for j, (name, values) in enumerate(zip(self.families_, self.emissions_)):
            if name == "categorical":
                part: Family = Categorical(values, self.emissionprob_prior)
            elif name == "poisson":
                part = Poisson(values)
            else:
                prior = GaussianPrior(floor=self.min_covar)
                part = Gaussian(values[:, :1], values[:, 1:], "diag", prior, type(self).__name__)
            index = self._emitting(j, len(self.families_))[1]
            parts.append(part if index is None else Tied(part, index))
        return Product(parts, [[j] for j in range(len(parts))])

    def _adopt(self, family: Product) -> None:
        self.emissions_ = [_numbers_of(part) for part in family.families]

    def _checked(self, X: Sequences) -> Sequences:
        if "families_" in vars(self) and len(self.families_) != X.values.shape[1]:
            raise DataError(
                f"X has {X.values.shape[1]} columns, the model {len(self.families_)}.",
                who=type(self).__name__,
            )
        return X

    def _warn_of_units(self, X: Sequences) -> None:
        numbers = [j for j, family in enumerate(self.families_) if family == "gaussian"]
        names = [X.schema.names[j] for j in numbers]
        warn_of_small_variances(X.values[:, numbers], names, type(self).__name__, "min_covar", self.min_covar)

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        who, draw = type(self).__name__, random_state_of(seed)
        wanted = self.families or {}
        for name, family in wanted.items():
            if name not in X.schema.names or family not in FAMILIES:
                raise ParameterError(
                    f"families: {name!r} is no column, or {family!r} none of {', '.join(FAMILIES)}.", who=who
                )
        defaults = ["categorical" if c.categories else "gaussian" for c in X.schema.columns]
        families = [wanted.get(n, d) for n, d in zip(X.schema.names, defaults)]
        if "emissions_" in vars(self) and not set(self.init_params) & set("mcle"):
            return
        self.families_, self.emissions_ = families, []
        for j, (family, column) in enumerate(zip(families, X.schema.columns)):
            K = self._emitting(j, len(families))[0]
            values = X.values[:, j]
            present = values[~np.isnan(values)]
            if not len(present):
                raise DataError(f"column {column.name!r} is missing in every row.", who=who)
            if family == "categorical":
                if (present < 0).any() or (present != np.floor(present)).any():
                    raise DataError(f"column {column.name!r} holds no categories.", who=who)
                drawn = draw.rand(K, len(column.categories) or int(present.max()) + 1) + 0.5
                self.emissions_.append(drawn / drawn.sum(axis=1, keepdims=True))
            elif family == "poisson":
                if (present < 0).any() or (present != np.floor(present)).any():
                    raise DataError(f"column {column.name!r} holds no counts.", who=who)
                self.emissions_.append(present.mean() * (0.5 + draw.rand(K, 1)))
            else:
                means = means_of(present[:, None], K, seed, who)
                spread = np.full((K, 1), present.var() + self.min_covar)
                self.emissions_.append(np.hstack([means, spread]))


def _numbers_of(family: Family) -> np.ndarray:
    if isinstance(family, Tied):
        return _numbers_of(family.family)
    if isinstance(family, Categorical):
        return family.probabilities
    if isinstance(family, Poisson):
        return family.rates
    if isinstance(family, Gaussian):
        return np.hstack([family.means, family.covars])
    raise TypeError(f"there is no column of {type(family).__name__}")
