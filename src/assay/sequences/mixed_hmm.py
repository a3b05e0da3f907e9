"""Hidden Markov model of tables with columns of several kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Any_, Range
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Text
from assay.errors import DataError, ParameterError
from assay.sequences.families import Categorical, Family, Gaussian, Poisson, Product
from assay.sequences.families.gaussian import GaussianPrior
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.sequences.starts import means_of
from assay.types import RandomState

__all__ = ["MixedHMM"]

FAMILIES = ("gaussian", "categorical", "poisson")


class MixedHMM(HiddenMarkovModel):
    r"""Hidden states that emit a row of columns of several kinds: numbers, categories, counts.

    In each state the columns are independent, each with a family of its own:

    .. math:: p(x_t \mid q_t = j) = \prod_c p_c(x_{tc} \mid q_t = j) \quad (1)

    Text columns are categorical and numbers Gaussian unless ``families`` says otherwise. Two categorical columns are
    two streams of symbols with one hidden chain: each has its own emissions, and the posterior of the states comes from
    both. A missing entry is left out of (1).

    Cost: fit O(n K (K + d)) an iteration; predict O(K (K + d)) a row; memory O(n K).

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    families : dict of column name to "gaussian", "categorical" or "poisson", default None
    min_covar : float, default 1e-3
        The least variance.
    emissionprob_prior : float, default 1
        Dirichlet prior of categories.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors.
    algorithm : "viterbi" or "map", default "viterbi"
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 10 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    verbose, implementation
        As in `CategoricalHMM`.
    params, init_params : str, default "stmcle"
        What fit may change, and what it begins anew: "s" start, "t" transitions, "m" means, "c" variances, "l" rates,
        "e" categories.
    topology, n_init
        As in `CategoricalHMM`.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      families_ : list of str, one for each column
    emissions_ : list of arrays, one for each column: (K, 2) mean and variance, (K, M) probabilities, or (K, 1) rate

    Examples
    --------
    >>> from assay.sequences import MixedHMM
    >>> days = {"who": [1] * 6, "sky": list("ssrrsr"), "degrees": [20.0, 21.0, 12.0, 11.0, 19.0, None]}
    >>> from assay.sequences import Sequences
    >>> X = Sequences.of(days, id="who")
    >>> model = MixedHMM(2, random_state=0).fit(X)
    >>> path = model.predict(X)
    >>> (path == path[0]).tolist()
    [True, True, False, False, True, False]

    See Also
    --------
    CategoricalHMM, GaussianHMM, PoissonHMM

    References
    ----------
    - Zucchini, W., MacDonald, I. L. and Langrock, R. (2016). Hidden Markov Models for Time Series. Chapman and
      Hall/CRC. doi:10.1201/b20790
    """

    card = Card("mixed hmm", "hidden states that emit columns of several kinds")
    accepts = {
        **HMM_PARAMETERS,
        "families": Any_("a dict of column names to families", lambda v: v is None or isinstance(v, dict)),
        "min_covar": Range(0),
        "emissionprob_prior": Range(0),
    }
    stored = {"families_": Each(Text()), "emissions_": Each(FloatArray("N", "*", finite=True))}

    def __init__(
        self,
        n_components: int = 1,
        families: dict[str, str] | None = None,
        min_covar: float = 1e-3,
        emissionprob_prior: float = 1.0,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stmcle",
        init_params: str = "stmcle",
        implementation: str = "log",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.families = families
        self.min_covar = min_covar
        self.emissionprob_prior = emissionprob_prior
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation
        self.topology = topology
        self.n_init = n_init

    @property
    def family_(self) -> Product:
        parts: list[Family] = []
        for name, values in zip(self.families_, self.emissions_):
            if name == "categorical":
                parts.append(Categorical(values, self.emissionprob_prior))
            elif name == "poisson":
                parts.append(Poisson(values))
            else:
                prior = GaussianPrior(floor=self.min_covar)
                parts.append(Gaussian(values[:, :1], values[:, 1:], "diag", prior, type(self).__name__))
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

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        who, K, draw = type(self).__name__, self.n_components, random_state_of(seed)
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
            values = X.values[:, j]
            there = values[~np.isnan(values)]
            if not len(there):
                raise DataError(f"column {column.name!r} is missing in every row.", who=who)
            if family == "categorical":
                if (there < 0).any() or (there != np.floor(there)).any():
                    raise DataError(f"column {column.name!r} holds no categories.", who=who)
                drawn = draw.rand(K, len(column.categories) or int(there.max()) + 1) + 0.5
                self.emissions_.append(drawn / drawn.sum(axis=1, keepdims=True))
            elif family == "poisson":
                self.emissions_.append(there.mean() * (0.5 + draw.rand(K, 1)))
            else:
                means = means_of(there[:, None], K, seed, who)
                spread = np.full((K, 1), there.var() + self.min_covar)
                self.emissions_.append(np.hstack([means, spread]))


def _numbers_of(family: Family) -> np.ndarray:
    if isinstance(family, Categorical):
        return family.probabilities
    if isinstance(family, Poisson):
        return family.rates
    if isinstance(family, Gaussian):
        return np.hstack([family.means, family.covars])
    raise TypeError(f"MixedHMM has no {type(family).__name__}")
