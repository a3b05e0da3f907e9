"""Input-output hidden Markov model: in each state a regression, or a classifier, of the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Any_, Range
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer
from assay.errors import DataError, ParameterError
from assay.sequences.asked import check_draw, check_forecast
from assay.sequences.families import LinearGaussian, SoftmaxSymbols
from assay.sequences.families.regression import with_intercept
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, Forecast, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.sequences.starts import warn_of_small_variances
from assay.types import RandomState, SequencesLike

__all__ = ["REGRESSION_PARAMETERS", "InputOutputHMM"]

SHARE_OF_GROUP = 0.7  # of a row's weight that its group of residuals gets when EM starts
REGRESSION_PARAMETERS: dict[str, Any] = {
    **{name: kind for name, kind in HMM_PARAMETERS.items() if name not in ("verbose", "implementation")},
    "min_covar": Range(0),
}
INPUTS = Any_(
    "names or numbers of columns",
    lambda v: v is None or (isinstance(v, (list, tuple)) and all(isinstance(c, (str, int)) for c in v)),
)


class InputOutputHMM(HiddenMarkovModel):
    r"""Hidden states that answer inputs: in each of them the outputs are a regression of the inputs.

    .. math:: p(y_t \mid q_t = j, x_t) = N(y_t; W_j^T (1, x_t), \sigma_j^2) \quad (1)

    Rows hold inputs and outputs side by side. Numbers as outputs are linear in the inputs, with noise of their own in
    each state; one column of categories is drawn by a softmax of the inputs. The maximisation step is a regression of
    the rows weighed by the posterior of their state; for categories it is a step that cannot lower the likelihood. With
    no inputs it is an ordinary hidden Markov model. A row whose inputs are not complete says nothing of its state.

    Cost: fit O(n K (K + m q^2)) an iteration for q inputs and m outputs; memory O(n (K + q)).

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    inputs : list of column names or numbers, default None
        The columns that are inputs; None: all but the last.
    min_covar : float, default 1e-3
        The least variance.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` finds states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 50 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    params, init_params : str, default "stwc"
        What fit may change, and what it begins anew: "s" start, "t" transitions, "w" weights, "c" variances.
    topology, n_init
        As in `CategoricalHMM`.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)
    coef_ : (K, q + 1, m) weights, the intercepts first      variances_ : (K, m), of numbers
    inputs_, outputs_ : lists of column numbers

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import InputOutputHMM
    >>> rng = np.random.default_rng(0)
    >>> x, state = rng.uniform(-1, 1, 200), np.repeat([0, 1, 0, 1], 50)
    >>> y = np.where(state == 0, 2 * x, -3 * x + 1) + 0.1 * rng.normal(size=200)
    >>> model = InputOutputHMM(2, random_state=0).fit(np.column_stack([x, y]))
    >>> np.sort(model.coef_[:, 1, 0]).round(1)
    array([-3.,  2.])

    See Also
    --------
    MarkovMixtureOfExperts, AutoregressiveHMM, GaussianHMM

    References
    ----------
    - Bengio, Y. and Frasconi, P. (1996). Input-output HMMs for sequence processing. IEEE Transactions on Neural
      Networks 7(5), 1231-1249. doi:10.1109/72.536317
    """

    card = Card("input-output hmm", "hidden states that answer inputs, a regression in each")
    accepts: ClassVar[Any] = {**REGRESSION_PARAMETERS, "inputs": INPUTS}
    stored = {
        "coef_": FloatArray("N", "*", "*", finite=True),
        "variances_": FloatArray("N", "*", finite=True, low=0),
        "inputs_": Each(Integer(low=0)),
        "outputs_": Each(Integer(low=0)),
    }
    inputs: Sequence[str | int] | None
    min_covar: float

    def __init__(
        self,
        n_components: int = 1,
        inputs: Sequence[str | int] | None = None,
        *,
        min_covar: float = 1e-3,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 50,
        tol: float = 1e-2,
        params: str = "stwc",
        init_params: str = "stwc",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.inputs = inputs
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.init_params = init_params
        self.topology = topology
        self.n_init = n_init

    # ------------------------------------------------------------------ emissions

    def _places(self) -> tuple[list[int], list[int]]:
        """The columns of inputs and of outputs."""
        if "inputs_" in vars(self):
            return self.inputs_, self.outputs_
        q, m = self.coef_.shape[1] - 1, self.coef_.shape[2] if "variances_" in vars(self) else 1
        return list(range(q)), list(range(q, q + m))

    @property
    def family_(self) -> Any:
        inputs, outputs = self._places()
        if "variances_" not in vars(self):
            return SoftmaxSymbols(self.coef_, inputs, outputs[0])
        return LinearGaussian(self.coef_, self.variances_, inputs, outputs, self.min_covar)

    def _adopt(self, family: Any) -> None:
        self.coef_ = family.coef
        if isinstance(family, LinearGaussian):
            self.variances_ = family.variances

    def _checked(self, X: Sequences) -> Sequences:
        if "coef_" in vars(self):
            inputs, outputs = self._places()
            if X.values.shape[1] != len(inputs) + len(outputs):
                raise DataError(
                    f"X has {X.values.shape[1]} columns, the model {len(inputs)} inputs and {len(outputs)} outputs.",
                    who=type(self).__name__,
                )
        return X

    def _columns(self, X: Sequences) -> tuple[list[int], list[int]]:
        who, names, d = type(self).__name__, X.schema.names, X.values.shape[1]
        chosen = list(range(d - 1)) if self.inputs is None else list(self.inputs)
        lost = [c for c in chosen if (c not in names if isinstance(c, str) else not 0 <= c < d)]
        if lost:
            raise ParameterError(
                f"inputs: there is no column {lost[0]!r}. Columns: {', '.join(names)}.", who=who
            )
        inputs = [names.index(c) if isinstance(c, str) else int(c) for c in chosen]
        outputs = [j for j in range(d) if j not in inputs]
        if not outputs:
            raise DataError("all columns are inputs; there is nothing to emit.", who=who)
        coded = X.schema.coded
        if coded[inputs].any():
            name = names[inputs[int(np.argmax(coded[inputs]))]]
            raise DataError(f"the input {name!r} holds categories. Expand it into indicators first.", who=who)
        if coded[outputs].any() and len(outputs) > 1:
            raise DataError("categories as outputs must be one column, and the only output.", who=who)
        return inputs, outputs

    def _warn_of_units(self, X: Sequences) -> None:
        outputs = [j for j in self._places()[1] if not X.schema.coded[j]]
        names = [X.schema.names[j] for j in outputs]
        warn_of_small_variances(X.values[:, outputs], names, type(self).__name__, "min_covar", self.min_covar)

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        if not (self._needs("w", "coef_") or self._needs("c", "variances_")):
            return
        self.inputs_, self.outputs_ = self._columns(X)
        column = X.schema.columns[self.outputs_[0]]
        self._begin_regression(self._rows(X), len(column.categories), random_state_of(seed))

    def _begin_regression(self, rows: np.ndarray, n_symbols: int, draw: np.random.RandomState) -> None:
        inputs, outputs = self._places()
        K, q = self.n_components, len(inputs) + 1
        complete = ~np.isnan(rows).any(axis=1)
        rows = rows[complete]
        if not len(rows):
            raise DataError("no row is complete.", who=type(self).__name__)
        if n_symbols:
            self.coef_ = draw.normal(scale=0.5, size=(K, q, n_symbols))
            self.__dict__.pop("variances_", None)
            return
        design, Y = with_intercept(rows[:, inputs]), rows[:, outputs]
        lengths = np.abs(design).max(axis=0)  # so that no column is lost beside others, whatever their units
        lengths = np.where(lengths > 0, lengths, 1.0)
        pooled = np.linalg.lstsq(design / lengths, Y, rcond=None)[0] / lengths[:, None]
        residual = Y - design @ pooled
        spread = np.maximum(residual.var(axis=0), self.min_covar)
        order = np.argsort(np.argsort((residual / np.sqrt(spread)).sum(axis=1), kind="stable"), kind="stable")
        gamma = (1 - SHARE_OF_GROUP) * draw.dirichlet(np.ones(K), size=len(rows))
        gamma[np.arange(len(rows)), order * K // len(rows)] += SHARE_OF_GROUP
        family = LinearGaussian(
            np.tile(pooled, (K, 1, 1)), np.tile(spread, (K, 1)), inputs, outputs, self.min_covar
        )
        self._adopt(family.updated(family.sums(rows, gamma), "wc"))

    # ------------------------------------------------------------------ answers

    def sample(  # type: ignore[override]
        self, inputs: ArrayLike, random_state: RandomState = None, currstate: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw outputs (n, m) and states (n,) for (n, q) inputs; ``currstate`` is the first state, if it is known."""
        check_draw(type(self).__name__, self.n_components, currstate)
        self._check_chain()
        X = self._given_inputs(inputs)
        draw = random_state_of(self.random_state if random_state is None else random_state)
        moves, family = self._moves(X), self.family_
        state = int((np.cumsum(self.startprob_) > draw.rand()).argmax()) if currstate is None else currstate
        states, rows = [], []
        for t, x in enumerate(X):
            if t:
                ways = moves[t - 1] if moves.ndim == 3 else moves
                state = int((np.cumsum(ways[state]) > draw.rand()).argmax())
            states.append(state)
            rows.append(family.draw(state, x, draw))
        return np.array(rows), np.array(states, dtype=np.int64)

    def _given_inputs(self, inputs: Any) -> np.ndarray:
        """(h, q) finite numbers, a row for each row to come."""
        q, who = len(self._places()[0]), type(self).__name__
        try:
            X = np.asarray(inputs, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"inputs must be numbers, got {inputs!r:.60}.", who=who) from None
        X = X.reshape(-1, 1) if X.ndim == 1 and q == 1 else X
        if X.ndim != 2 or X.shape[1] != q or not len(X):
            raise ParameterError(
                "inputs must be a table with a row for each row to come and a column for each of the "
                f"{q} inputs, got an array of shape {X.shape}.",
                who=who,
            )
        if not np.isfinite(X).all():
            row, j = (int(i[0]) for i in np.nonzero(~np.isfinite(X)))
            raise ParameterError(f"inputs must be finite, got {X[row, j]} in row {row}, column {j}.", who=who)
        return X

    def _moves(self, inputs: np.ndarray) -> np.ndarray:
        """(K, K) transitions, or (n, K, K) if they depend on the inputs."""
        return np.asarray(self.transmat_)

    def forecast(  # type: ignore[override]
        self, X: SequencesLike, inputs: ArrayLike, *, coverage: float = 0.9
    ) -> Forecast:
        """What follows one sequence for given (h, q) inputs: states, and mean and band of the outputs."""
        from scipy.stats import norm

        check_forecast(type(self).__name__, coverage)
        data = self._read_sequences(X, None)
        if len(data) != 1 or not len(data.values):
            raise DataError(f"forecast goes on with one sequence, got {len(data)}.", who=type(self).__name__)
        ahead = self._given_inputs(inputs)
        moves = self._moves(np.vstack([data.values[-1:, self._places()[0]], ahead]))
        belief, rows = self.filter(data)[-1], []
        for t in range(len(ahead)):
            belief = belief @ (moves[t] if moves.ndim == 3 else moves)
            rows.append(belief)
        states, family = np.array(rows).reshape(len(ahead), self.n_components), self.family_
        if not isinstance(family, LinearGaussian):
            return Forecast(states)
        means = family.expected(ahead)
        mean = np.einsum("hk,hkm->hm", states, means)
        second = np.einsum("hk,hkm->hm", states, means**2 + family.variances)
        deviation = np.sqrt(np.maximum(second - mean**2, 0.0))
        z = norm.ppf(0.5 + coverage / 2)
        return Forecast(states, mean, deviation, mean - z * deviation, mean + z * deviation)
