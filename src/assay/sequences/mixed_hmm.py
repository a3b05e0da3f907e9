"""Hidden Markov model of tables with columns of several kinds."""

from __future__ import annotations

from numpy.typing import ArrayLike

from assay.core import Card
from assay.sequences.column_emissions import COLUMN_PARAMETERS, ColumnEmissions
from assay.sequences.hidden_markov_model import HMM_PARAMETERS
from assay.types import RandomState

__all__ = ["MixedHMM"]


class MixedHMM(ColumnEmissions):
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
    accepts = {**HMM_PARAMETERS, **COLUMN_PARAMETERS}

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
