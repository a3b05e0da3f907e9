"""Linear dynamical systems: hidden numbers that move linearly, seen through noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parameters import Any_, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, FloatArray, Scalar
from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError, ParameterError
from assay.sequences import _kalman
from assay.sequences.asked import check_draw, check_forecast
from assay.sequences.families.family import Sums
from assay.sequences.hidden_markov_model import Forecast
from assay.sequences.monotone import warn_if_fell
from assay.sequences.sequences import Sequences
from assay.sequences.shown import matrix_section
from assay.sequences.source import SequenceRows, stream_of
from assay.sequences.starts import numbers_only
from assay.types import RandomState, SequencesLike

__all__ = ["LinearDynamicalSystem", "States"]

MATRICES = (
    "transition_",
    "observation_",
    "transition_noise_",
    "observation_noise_",
    "initial_mean_",
    "initial_covariance_",
)
ROUNDING = 8 * float(np.finfo(float).eps)  # share of squares that it leaves of their difference
LEAST_VARIANCE = 1e-300  # whose inverse is a number
LEAST_EIGENVALUE = 1e-12  # of correlations, as a share of the largest


@dataclass(frozen=True)
class States:
    """Means (n, D) and covariances (n, D, D) of the hidden numbers; log likelihoods (S,) of the sequences.

    lagged : (n, D, D) covariance of the next hidden number and this one, of smoothed states
    """

    means: np.ndarray
    covariances: np.ndarray
    log_likelihoods: np.ndarray
    lagged: np.ndarray | None = None


class LinearDynamicalSystem(Learner):
    r"""Hidden numbers that move linearly with noise, and observations that are linear in them, with noise.

    .. math:: z_1 \sim N(m, P),\quad z_t = F z_{t-1} + w_t,\ w_t \sim N(0, Q),\quad
              y_t = c + H z_t + v_t,\ v_t \sim N(0, R) \quad (1)

    ``filter`` is Kalman's: the distribution of each :math:`z_t` given the observations up to it; ``smooth`` is that
    given all of them (Rauch, Tung and Striebel). Missing entries of a row are left out, the others are used. ``fit``
    learns all seven by EM from the smoothed moments; neither step lowers the likelihood. It is made of sums over
    sequences: blocks of whole sequences give the same numbers. The moments are taken about the offset c, so columns
    far from 0 are learned as those beside it: a constant added to a column is added to c and changes nothing else.

    Hidden numbers are known up to a change of their coordinates: compare likelihoods or forecasts, not matrices.

    Cost: fit O(n (D^3 + m^3)) an iteration; score O(D^3 + m^3) a row; memory O(n D^2).

    Parameters
    ----------
    n_states : int, default 1
        Hidden numbers, D.
    n_iter : int, default 10
        Steps of EM at most.
    tol : float, default 1e-2
        Stop when the log likelihood rises by less.
    params : str, default "fhqrmpc"
        What fit may change: transition F, observation H, noises Q and R, initial mean m and covariance P, offset c.
    random_state : int, RandomState or None, default None
        For ``sample``.

    Attributes
    ----------
    transition_ : (D, D)      observation_ : (m, D)      transition_noise_ : (D, D)      observation_noise_ : (m, m)
    initial_mean_ : (D,)      initial_covariance_ : (D, D)      observation_offset_ : (m,)
    log_likelihood_ : float      history_ : list of dict      converged_ : bool      n_iter_ : int

    Examples
    --------
    A level that wanders, seen with noise; the gains of the filter are ratios of Fibonacci numbers:

    >>> from assay.sequences import LinearDynamicalSystem
    >>> level = LinearDynamicalSystem.of(F=[[1.0]], H=[[1.0]], Q=[[1.0]], R=[[1.0]], mean=[0.0], covariance=[[1.0]])
    >>> level.filter([[1.0, 2.0, 3.0, 2.5]]).means.ravel().round(4)
    array([0.5   , 1.4   , 2.3846, 2.4559])
    >>> round(level.score([[1.0, 2.0, 3.0, 2.5]]), 8)
    -6.63378734

    See Also
    --------
    GaussianHMM, Sequences

    References
    ----------
    - Kalman, R. E. (1960). A new approach to linear filtering and prediction problems. Journal of Basic Engineering
      82(1), 35-45. doi:10.1115/1.3662552
    - Shumway, R. H. and Stoffer, D. S. (1982). An approach to time series smoothing and forecasting using the EM
      algorithm. Journal of Time Series Analysis 3(4), 253-264. doi:10.1111/j.1467-9892.1982.tb00349.x
    """

    card = Card(
        "linear dynamical system",
        "hidden numbers that move linearly, seen through noise",
        also=("kalman filter",),
    )
    accepts = {
        "n_states": Count(1),
        "n_iter": Count(0),
        "tol": Range(),
        "params": Any_("letters of fhqrmpc", lambda v: isinstance(v, str) and set(v) <= set("fhqrmpc")),
        "random_state": Seed(),
    }
    stored = {
        "transition_": FloatArray("D", "D", finite=True),
        "observation_": FloatArray("m", "D", finite=True),
        "transition_noise_": FloatArray("D", "D", finite=True),
        "observation_noise_": FloatArray("m", "m", finite=True),
        "initial_mean_": FloatArray("D", finite=True),
        "initial_covariance_": FloatArray("D", "D", finite=True),
        "observation_offset_": FloatArray("m", finite=True),
        "log_likelihood_": Scalar(),
        "converged_": Boolean(),
    }
    takes = frozenset({"missing"})
    takes_sequences = True

    def __init__(
        self,
        n_states: int = 1,
        *,
        n_iter: int = 10,
        tol: float = 1e-2,
        params: str = "fhqrmpc",
        random_state: RandomState = None,
    ):
        self.n_states = n_states
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.random_state = random_state

    @classmethod
    def of(
        cls,
        *,
        F: ArrayLike,
        H: ArrayLike,
        Q: ArrayLike,
        R: ArrayLike,
        mean: ArrayLike,
        covariance: ArrayLike,
        offset: ArrayLike | None = None,
        **settings: Any,
    ) -> LinearDynamicalSystem:
        """A system by its matrices, and by the offset of its observations (0 if it is left out)."""
        system = cls(n_states=len(np.atleast_1d(mean)), **settings)
        for name, value in zip(MATRICES, (F, H, Q, R, mean, covariance)):
            array = np.array(value, dtype=np.float64)
            setattr(system, name, array if name == "initial_mean_" else np.atleast_2d(array))
        system._system()
        m = len(system.observation_)
        c = np.zeros(m) if offset is None else np.array(offset, dtype=np.float64, ndmin=1)
        if c.shape != (m,):
            raise ParameterError(
                f"offset must have one number for each of the {m} rows of H, got shape {c.shape}.",
                who=cls.__name__,
            )
        system.observation_offset_ = c
        for name in ("transition_noise_", "observation_noise_", "initial_covariance_"):
            matrix = getattr(system, name)
            if (
                not np.allclose(matrix, matrix.T)
                or np.linalg.eigvalsh(matrix).min() < -1e-9 * np.abs(matrix).max()
            ):
                raise ParameterError(
                    f"{name} must be a covariance: symmetric, none of its variances negative.",
                    who=cls.__name__,
                )
        return system

    def _system(self) -> Any:
        F, H, Q, R, mean, covariance = (np.ascontiguousarray(getattr(self, name)) for name in MATRICES)
        try:
            return _kalman.System(F=F, H=H, Q=Q, R=R, mean=mean, covariance=covariance)
        except ValueError:
            shapes = ", ".join(f"{name} {np.shape(getattr(self, name))}" for name in MATRICES)
            raise ParameterError(
                f"the matrices do not fit each other: {shapes}.", who=type(self).__name__
            ) from None

    def _offset(self) -> np.ndarray:
        """(m,) the offset of the observations; 0 for matrices set one by one, and in files of before it was learned."""
        offset: np.ndarray = vars(self).get("observation_offset_", np.zeros(len(self.observation_)))
        return offset

    # ------------------------------------------------------------------ learning

    @all_or_nothing
    def fit(self, X: SequencesLike, lengths: ArrayLike | None = None) -> Self:
        """Learn by EM; what is set by hand before and not among ``params`` stays."""
        self._check_parameters()
        data = self._admitted(Sequences.of(X, lengths, who=type(self).__name__))
        return self._learn_from(SequenceRows(data), data)

    @all_or_nothing
    def fit_blocks(self, blocks: Any, *, id: str | None = None, order: str | None = None) -> Self:
        """Learn from blocks of whole sequences, as `GaussianHMM.fit_blocks`; the start is made of the first block."""
        self._check_parameters()
        who = type(self).__name__
        first = self._admitted(next(iter(stream_of(blocks, None, id, order, who))).X)
        return self._learn_from(stream_of(blocks, first.schema, id, order, who), first)

    def _admitted(self, data: Sequences) -> Sequences:
        numbers_only(data, type(self).__name__)
        if not (~np.isnan(data.values)).any():
            raise DataError("there is no observation to learn from.", who=type(self).__name__)
        absent = np.isnan(data.values).all(axis=0)
        if absent.any():
            raise DataError(
                f"column {data.schema.names[int(np.argmax(absent))]!r} is missing in every row, so nothing can be "
                "learned of it.",
                who=type(self).__name__,
                remedy="Leave it out.",
            )
        self._remember(data.schema)
        return data

    def _learn_from(self, source: Source, sample: Sequences) -> Self:
        self._begin(sample)
        history: list[float] = []
        self.converged_ = False
        for _ in range(self.n_iter):
            sums = source.add_up(self._summarize)
            history.append(float(sums["log_likelihood"]))
            self._solve(sums)
            if len(history) > 1 and history[-1] - history[-2] < self.tol:
                self.converged_ = True
                break
        if not history:
            history = [float(source.add_up(self._summarize)["log_likelihood"])]
        warn_if_fell(history, type(self).__name__)
        self.log_likelihood_, self.n_iter_ = history[-1], len(history)
        self.history_ = [{"iteration": i + 1, "log_likelihood": v} for i, v in enumerate(history)]
        return self

    def _begin(self, X: Sequences) -> None:
        """Where EM starts: the directions of largest spread about the mean, moving slowly."""
        Y, D = X.values, self.n_states
        m = Y.shape[1]
        filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
        center = filled.mean(axis=0)
        covariance = np.atleast_2d(np.cov(filled.T, bias=True)) if len(Y) > 1 else np.eye(m)
        units = np.sqrt(np.diag(covariance))
        units = np.where(units > 0, units, units.mean() or 1.0)
        values, vectors = np.linalg.eigh(covariance / np.outer(units, units))
        H = np.zeros((m, D))
        for k in range(D):
            j = m - 1 - k % m
            H[:, k] = vectors[:, j] * np.sqrt(max(values[j], 1e-3)) * (1.0 if k < m else 0.5)
        offset = self._offset() if "observation_" in vars(self) else center
        offset = vars(self).get("observation_offset_", offset)
        mean = np.linalg.lstsq(H, (center - offset) / units, rcond=None)[0]
        start = {
            "observation_offset_": offset,
            "transition_": 0.95 * np.eye(D) + 0.05 * np.eye(D, k=1),
            "observation_": units[:, None] * H,
            "transition_noise_": 0.1 * np.eye(D),
            "observation_noise_": np.diag(np.maximum(np.diag(covariance) * 0.5, 1e-3 * units**2)),
            "initial_mean_": mean,
            "initial_covariance_": np.eye(D),
        }
        for name, value in start.items():
            if name not in vars(self):
                setattr(self, name, value)

    def _summarize(self, block: Block) -> Sums:
        X = block.X
        states = self._smoothed(X)
        if not np.isfinite(states.log_likelihoods).all():
            raise DegenerateError(
                "the observations have no density: the covariance of a row is singular. Add noise to R.",
                who=type(self).__name__,
            )
        z, P = states.means, states.covariances
        lagged = np.empty(0) if states.lagged is None else states.lagged
        lengths = X.lengths
        last = np.zeros(len(z), dtype=bool)
        last[X.offsets[1:][lengths > 0] - 1] = True
        first = X.offsets[:-1][lengths > 0]
        both = P + z[:, :, None] * z[:, None, :]
        now = np.flatnonzero(~last)
        sums = Sums(
            log_likelihood=float(states.log_likelihoods.sum()),
            sequences=float(len(first)),
            steps=float(len(now)),
            before=both[now].sum(axis=0),
            after=both[now + 1].sum(axis=0),
            cross=(lagged[now] + z[now + 1][:, :, None] * z[now][:, None, :]).sum(axis=0),
            first=z[first].sum(axis=0),
            first_squares=both[first].sum(axis=0),
        )
        return Sums({**sums, **self._observed(X.values, z, P)})

    def _observed(self, Y: np.ndarray, z: np.ndarray, P: np.ndarray) -> Sums:
        """Expected squares of observations about the offset and of (state, 1), over rows with any observation.

        A missing entry enters by its own moments, given what is there.
        """
        H, R = self.observation_, self.observation_noise_
        m, D = H.shape
        rows, yy, yz, zz = 0.0, np.zeros((m, m)), np.zeros((m, D + 1)), np.zeros((D + 1, D + 1))
        Y, ones = Y - self._offset(), np.ones((len(Y), 1))
        patterns, code = np.unique(~np.isnan(Y), axis=0, return_inverse=True)
        for i, observed in enumerate(patterns):
            if not observed.any():
                continue
            some = np.flatnonzero(code.ravel() == i)
            gone = ~observed
            # y = B z + C y_o + noise: the identity for what is there, else by the noise of the others
            B, C, remainder = np.zeros((m, D)), np.zeros((m, int(observed.sum()))), np.zeros((m, m))
            C[observed] = np.eye(int(observed.sum()))
            if gone.any():
                weights = np.linalg.solve(R[np.ix_(observed, observed)], R[np.ix_(observed, gone)]).T
                B[gone] = H[gone] - weights @ H[observed]
                C[gone] = weights
                remainder[np.ix_(gone, gone)] = R[np.ix_(gone, gone)] - weights @ R[np.ix_(observed, gone)]
            y, states, spread = Y[np.ix_(some, observed)], z[some], P[some].sum(axis=0)
            full = states @ B.T + y @ C.T
            rows += len(some)
            yy += full.T @ full + B @ spread @ B.T + len(some) * remainder
            states = np.hstack([states, ones[: len(some)]])
            yz += full.T @ states
            yz[:, :D] += B @ spread
            zz += states.T @ states
            zz[:D, :D] += spread
        return Sums(rows=rows, yy=yy, yz=yz, zz=zz)

    def _solve(self, sums: Sums) -> None:
        S, p = sums["sequences"], self.params
        if "m" in p:
            self.initial_mean_ = sums["first"] / S
        if "p" in p:
            m = self.initial_mean_
            cross = np.outer(sums["first"] / S, m)
            squares = sums["first_squares"] / S
            self.initial_covariance_ = _covariance(squares - cross - cross.T + np.outer(m, m), squares)
        if sums["steps"] > 0:
            if "f" in p:
                self.transition_ = np.linalg.lstsq(sums["before"].T, sums["cross"].T, rcond=None)[0].T
            if "q" in p:
                cross = self.transition_ @ sums["cross"].T
                total = (
                    sums["after"] - cross - cross.T + self.transition_ @ sums["before"] @ self.transition_.T
                )
                self.transition_noise_ = _covariance(total / sums["steps"], sums["after"] / sums["steps"])
        self._solve_observations(sums["rows"], sums["yy"], sums["yz"], sums["zz"])

    def _solve_observations(self, rows: float, yy: np.ndarray, yz: np.ndarray, zz: np.ndarray) -> None:
        """Observation, offset and noise: the regression of what was seen on (z, 1), about the offset so far."""
        D, p, offset = self.n_states, self.params, self._offset()
        known = np.hstack([self.observation_, np.zeros((len(offset), 1))])
        learned = np.array(["h" in p] * D + ["c" in p])
        if learned.any():
            left = yz[:, learned] - known[:, ~learned] @ zz[np.ix_(~learned, learned)]
            units = np.sqrt(np.diag(zz)[learned])
            units = np.where(units > 0, units, 1.0)
            squares = zz[np.ix_(learned, learned)] / np.outer(units, units)
            known[:, learned] = np.linalg.lstsq(squares, (left / units).T, rcond=None)[0].T / units
            self.observation_: np.ndarray = known[:, :D]
            self.observation_offset_ = offset + known[:, D]
        if "r" in p:
            cross = known @ yz.T
            total = yy - cross - cross.T + known @ zz @ known.T
            self.observation_noise_ = _covariance(total / rows, yy / rows)

    # ------------------------------------------------------------------ answers

    def _read_sequences(self, X: Any, lengths: Any) -> Sequences:
        if "transition_" not in vars(self):
            self._ready()
        data = Sequences.of(X, lengths, schema=vars(self).get("schema_"), who=type(self).__name__)
        if data.values.shape[1] != len(self.observation_):
            raise DataError(
                f"X has {data.values.shape[1]} columns, the system {len(self.observation_)}.",
                who=type(self).__name__,
            )
        return data

    def _filtered(self, X: Sequences) -> tuple[States, np.ndarray, np.ndarray]:
        n, D = len(X.values), self.n_states
        means, predicted = np.empty((n, D)), np.empty((n, D))
        covariances, spread = np.empty((n, D * D)), np.empty((n, D * D))
        logs = np.empty(len(X))
        _kalman.filter(
            system=self._system(), Y=X.values - self._offset(), begin=X.offsets, predicted=predicted,
            predicted_covariance=spread, mean=means, covariance=covariances, logs=logs,
        )  # fmt: skip
        return States(means, covariances.reshape(n, D, D), logs), predicted, spread

    def _smoothed(self, X: Sequences) -> States:
        states, predicted, spread = self._filtered(X)
        n, D = states.means.shape
        covariances, lagged = states.covariances.reshape(n, D * D), np.empty((n, D * D))
        _kalman.smooth(
            system=self._system(), begin=X.offsets, predicted=predicted, predicted_covariance=spread,
            mean=states.means, covariance=covariances, lagged=lagged,
        )  # fmt: skip
        return States(
            states.means, covariances.reshape(n, D, D), states.log_likelihoods, lagged.reshape(n, D, D)
        )

    def filter(self, X: SequencesLike, lengths: ArrayLike | None = None) -> States:
        """The hidden numbers at each row, given the rows up to it."""
        return self._filtered(self._read_sequences(X, lengths))[0]

    def smooth(self, X: SequencesLike, lengths: ArrayLike | None = None) -> States:
        """The hidden numbers at each row, given all rows of its sequence."""
        return self._smoothed(self._read_sequences(X, lengths))

    def log_likelihoods(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S,) the log likelihood of each sequence."""
        return self._filtered(self._read_sequences(X, lengths))[0].log_likelihoods

    def score(self, X: SequencesLike, lengths: ArrayLike | None = None) -> float:
        """The log likelihood of all sequences together."""
        return float(self.log_likelihoods(X, lengths).sum())

    def _model_parts(self) -> list[Part]:
        """How the hidden numbers move, how they are observed, and both noises."""
        hidden = [f"hidden {i}" for i in range(self.n_states)]
        schema = vars(self).get("schema_")
        columns = [f"x{j}" for j in range(len(self.observation_))] if schema is None else list(schema.names)
        return [
            matrix_section("Transition: from the columns to the rows", hidden, hidden, self.transition_),
            matrix_section("Observation: from the columns to the rows", columns, hidden, self.observation_),
            matrix_section("Offset of the observations", columns, ["offset"], self._offset()[:, None]),
            matrix_section(
                "Covariance of the noise of the hidden numbers", hidden, hidden, self.transition_noise_
            ),
            matrix_section(
                "Covariance of the noise of the observations", columns, columns, self.observation_noise_
            ),
        ]

    def forecast(self, X: SequencesLike, steps: int = 1, *, coverage: float = 0.9) -> Forecast:
        """What follows one sequence: the hidden means, and mean and band of the observations."""
        from scipy.stats import norm

        check_forecast(type(self).__name__, coverage, steps=steps)
        data = self._read_sequences(X, None)
        if len(data) != 1:
            raise DataError(f"forecast goes on with one sequence, got {len(data)}.", who=type(self).__name__)
        ahead = np.vstack([data.values, np.full((steps, data.values.shape[1]), np.nan)])
        states = self._filtered(Sequences(ahead, [0, len(ahead)], data.schema))[0]
        means, H = states.means[-steps:], self.observation_
        spread = H @ states.covariances[-steps:] @ H.T + self.observation_noise_
        mean, deviation = means @ H.T + self._offset(), np.sqrt(np.einsum("tii->ti", spread))
        z = norm.ppf(0.5 + coverage / 2)
        return Forecast(means, mean, deviation, mean - z * deviation, mean + z * deviation)

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw a sequence: (n, m) observations and (n, D) hidden numbers."""
        check_draw(type(self).__name__, n_samples=n_samples)
        self._system()
        draw = random_state_of(self.random_state if random_state is None else random_state)
        states = np.empty((n_samples, self.n_states))
        normal = partial(
            draw.multivariate_normal, check_valid="ignore"
        )  # its limit of rounding knows no units
        moves = normal(np.zeros(self.n_states), self.transition_noise_, size=n_samples)
        noise = normal(np.zeros(len(self.observation_)), self.observation_noise_, size=n_samples)
        for t in range(n_samples):
            states[t] = (
                normal(self.initial_mean_, self.initial_covariance_)
                if t == 0
                else self.transition_ @ states[t - 1] + moves[t]
            )
        return states @ self.observation_.T + self._offset() + noise, states


def _covariance(matrix: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The nearest covariance to what rounding has left of a difference of such squares, in any units of theirs."""
    matrix, largest = 0.5 * (matrix + matrix.T), np.diag(squares)
    least = np.maximum(ROUNDING * np.where(largest > 0, largest, 1.0), LEAST_VARIANCE)
    variances = np.maximum(np.diag(matrix), least)
    np.fill_diagonal(matrix, variances)
    deviations = np.sqrt(variances)
    units = np.outer(deviations, deviations)
    values, vectors = np.linalg.eigh(matrix / units)
    floor = LEAST_EIGENVALUE * float(values[-1])
    return matrix if values[0] >= floor else units * ((vectors * np.maximum(values, floor)) @ vectors.T)
