"""What regressors that minimise a deviance share: from rows to coefficients, to means, to a summary."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import PassLearner, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues, dense_block
from assay.core.progress import progress
from assay.core.stored import Integer, Object, Scalar
from assay.core.sums import Block, Rows, Source
from assay.core.targets import check_weights, numeric_target
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.linear.generalized.averaged_family import averaged_family
from assay.linear.generalized.deviance_objective import DevianceObjective, means, split
from assay.linear.generalized.families import Family, NegativeBinomial
from assay.linear.generalized.fisher_scoring import fisher_scoring
from assay.linear.generalized.links import Link
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.logistic.logistic_objective import Scale
from assay.linear.logistic.row_sample import Columns
from assay.linear.regression.least_squares_noise import FROM_EARLIER_VERSION, LeastSquaresNoise, inverse_root
from assay.linear.terms import sum_of_terms
from assay.optimize.lbfgs import lbfgs
from assay.optimize.objective import Optimum, Record
from assay.tables.row_names import row_name
from assay.types import TableLike, Target, Weights

__all__ = ["DevianceRegressor", "sample_of"]

SAMPLE_ROWS = 1024  # rows that are solved first: at least these,
SAMPLE_ROWS_PER_COLUMN = 48  # for each column these,
SAMPLE_SHARE = 64  # and one in so many of all: fewer passes over all rows remain
SAMPLE_FACTOR = 4  # how many times as many rows make that worth while
NEWTON_COLUMNS = 1000  # columns beyond which no matrix of curvatures is made
GRADIENT_STEPS = 12  # with the curvature of a sample, before all rows are asked for theirs
LARGEST_SHARE = 0.3  # of the distance that a step may leave, to be trusted with the last one
LARGEST_TARGET = 1e152  # whose squares can be added up
OUTER_STEPS = 50  # of fitting the coefficients and the overdispersion in turn


class DevianceRegressor(LinearRegressor, PassLearner, Regressor):
    """Base of regressors by a family, a link and a linear predictor.

    A subclass has the parameters ``alpha``, ``fit_intercept``, ``max_iter``, ``tol`` and ``warm_start`` and writes
    ``_get_family()`` and ``_get_link()``; with ``offset`` or ``exposure`` it has those parameters, too.
    """

    stored = {
        "dispersion_": Scalar(low=0),
        "overdispersion_": Scalar(low=0),
        "deviance_": Scalar(),
        "null_deviance_": Scalar(),
        "n_iter_": Integer(low=0),
        "_noise": Object(LeastSquaresNoise, d="p") | None,
    }

    alpha: float
    fit_intercept: bool
    max_iter: int
    tol: float
    warm_start: bool
    offset: str | int | None = None
    exposure: str | int | None = None
    keeps_deviances: ClassVar[bool] = True  # which cost one more pass
    slack: ClassVar[float] = 1.0  # factor of tol where only gradients are looked at

    coef_: np.ndarray
    intercept_: float
    history_: list[Record]
    _noise: LeastSquaresNoise | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(
            ParameterError, KeyError, TypeError, ValueError
        ):  # a wrong parameter, which fit will name
            tags.target_tags.positive_only = self._get_family().low == 0
        return tags

    def _get_family(self) -> Family:
        raise TypeError(f"{type(self).__name__} must define _get_family")

    def _get_link(self) -> Link:
        raise TypeError(f"{type(self).__name__} must define _get_link")

    def _estimates_overdispersion(self) -> bool:
        return False

    def _ridge(self) -> float:
        """The penalty of the squared weights."""
        return float(self.alpha)

    def score(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> float:
        r"""D2, the share of the deviance that the model explains: 1 - deviance / deviance of the mean alone.

        1 is a perfect fit, 0 no better than the mean of y, below 0 worse. For the gaussian family it is R2.
        """
        values = self._admit(X)
        truth = numeric_target(y, values.shape[0], type(self).__name__)
        w = check_weights(sample_weight, values)
        weight = np.ones(len(truth)) if w is None else w
        family = self._get_family()
        self._refuse_targets(truth, family)
        middle = np.full(len(truth), np.average(truth, weights=weight))
        null = float(weight @ family.deviance(truth, middle))
        deviance = float(weight @ family.deviance(truth, self._predict(values)))
        return 1 - deviance / null if null > 0 else float(deviance <= 0)

    def _score_by_blocks(self) -> str:
        return ""  # no mean over rows

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._learn_from(Rows(X, y, w))

    def _learn_from(self, source: Source) -> None:
        self._last = (self.coef_, self.intercept_) if self.warm_start and hasattr(self, "coef_") else None
        self.__dict__.pop("overdispersion_", None)  # of an earlier fit
        family, link = self._get_family(), self._get_link()
        roles = self._roles(link)
        inner = roles.applied(source)
        sample = sample_of(inner, len(roles.kept))
        survey = inner.add_up(lambda block: self._survey_part(block, family, roles, sample is None))
        if sample is not None:
            survey = replace(survey, columns=Columns.of(sample.X, sample.w), sample=sample)
        objective = self._objective(inner, survey, family, link, roles)
        optimum = self._minimise(objective, survey)
        if self._estimates_overdispersion():
            objective, optimum = self._with_overdispersion(objective, optimum, survey)
            family = objective.family
        self.overdispersion_ = family.alpha if isinstance(family, NegativeBinomial) else 0.0
        w, b = objective.outside(optimum.w)
        self.coef_, self.intercept_ = roles.all_weights(w), b
        self.history_, self.n_iter_ = optimum.history, max(1, optimum.n_iter)
        self._keep_measures(objective, optimum, survey, roles)
        self._keep_noise(objective, optimum, survey, roles)
        del self._last
        if not optimum.converged:
            last = optimum.history[-1]
            advice = (
                "Raise max_iter or tol."
                if optimum.reason == "iterations"
                else "Try another link, or raise alpha."
            )
            warn_user(
                f"{type(self).__name__} stopped after {last.iteration} steps with a gradient of {last.gradient:.2g}. "
                f"{advice}",
                ConvergenceWarning,
            )

    def _roles(self, link: Link) -> _Roles:
        """Which columns of the design have a weight of their own."""
        who, names = type(self).__name__, self._names
        places: dict[str, int | None] = {}
        for role in ("offset", "exposure"):
            role_column = getattr(self, role)
            if role_column is None:
                places[role] = None
                continue
            table = self.schema_.names
            if isinstance(role_column, str):
                if role_column not in table:
                    raise ParameterError(
                        f"{who}: {role}={role_column!r} is none of the columns {', '.join(table[:10])}."
                    )
                name = role_column
            else:
                if not -len(table) <= role_column < len(table):
                    raise ParameterError(
                        f"{who}: {role}={role_column} is no column of a table of {len(table)} columns."
                    )
                name = table[role_column]
            if name not in names:
                raise DataError(f"{who}: the column {name}, given as {role}, must hold numbers.")
            places[role] = names.index(name)
        if places["exposure"] is not None and link.name != "log":
            raise ParameterError(
                f"{who}: exposure multiplies the mean, which needs link='log'; the link is {link.name!r}. Use offset."
            )
        return _Roles(len(names), places["offset"], places["exposure"], who)

    def _survey_part(self, block: Block, family: Family, roles: _Roles, look: bool) -> _Survey:
        """Of a block, the sums of its targets and, if they are to be looked at, where its columns lie."""
        y = split(block.y)[0] if roles.shifted else block.y
        self._refuse_targets(y, family)
        if block.w is None:
            sums = np.array([len(y), y.sum(), len(y)], dtype=np.float64)
        else:
            sums = np.array([block.w.sum(), block.w @ y, np.count_nonzero(block.w)], dtype=np.float64)
        return _Survey(sums, Columns.of(block.X, block.w) if look else None)

    def _refuse_targets(self, y: np.ndarray, family: Family) -> None:
        who = type(self).__name__
        if y.ndim != 1:
            raise DataError(f"{who}: y should be a 1d array, got several columns.")
        if (largest := float(np.abs(y).max(initial=0.0))) > LARGEST_TARGET:
            raise DataError(
                f"{who}: y has values as large as {largest:.3g}, whose squares cannot be added up. Divide it by a "
                "power of ten."
            )
        wrong = ~family.accepts(y)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise DataError(
                f"{who}: {row_name(i)} of y is {y[i]:g}: some value(s) of y are out of the valid range of the "
                f"{family.name} family, which has {family.range}."
            )

    def _objective(
        self, source: Source, survey: _Survey, family: Family, link: Link, roles: _Roles
    ) -> DevianceObjective:
        who, total, where = type(self).__name__, survey.weight, survey.columns
        if not total > 0 or where is None or not where.total > 0:
            raise DataError(f"{who}: the weights of all rows are zero, so there is nothing to learn.")
        scatter = where.scatter
        if not np.isfinite(scatter).all():
            j = roles.kept[int(np.argmin(np.isfinite(scatter)))]
            raise DataError(
                f"{who}: column {self._names[j]} has values too large to be squared. Divide them by some power of ten."
            )
        scale = Scale.of(where.mean, scatter / where.total, total, self.fit_intercept)
        return DevianceObjective(source, family, link, scale, self._ridge(), self.fit_intercept)

    def _minimise(
        self, objective: DevianceObjective, survey: _Survey, start: np.ndarray | None = None
    ) -> Optimum:
        """Few columns: Fisher scoring, first on a sample of many rows, whose curvature is then used for all of them."""
        rows = survey.rows
        with progress(self.max_iter, f"{type(self).__name__}: steps") as bar:

            def watch(record: Record) -> None:
                bar.advance(note=f"gradient {record.gradient:.2g}")

            if objective.size > NEWTON_COLUMNS:
                return self._by_gradients(objective, self._first(objective, start), watch)
            sample = survey.sample if start is None and self._last is None else None
            if sample is not None:
                weight = float(len(sample.y) if sample.w is None else sample.w.sum())
                small = objective.over(sample, weight)
                first = fisher_scoring(
                    small, self._first(small, None), rows=len(sample.y), tol=0.01, max_iter=self.max_iter
                )
                near = first.w if first.converged else None  # a sample may have no events
                start = near if near is not None and objective.unbounded else self._first(objective, near)
                if objective.power is not None and near is not None:
                    optimum = self._from_sample(objective, small, start, rows, first.value, watch)
                    if optimum.converged:
                        return optimum
                    start = optimum.w
            else:
                start = self._first(objective, start)
            return fisher_scoring(
                objective, start, rows=rows, tol=float(self.tol), max_iter=self.max_iter, watch=watch
            )

    def _from_sample(
        self,
        objective: DevianceObjective,
        small: DevianceObjective,
        start: np.ndarray,
        rows: float,
        half_deviance: float,
        watch: Callable[[Record], None],
    ) -> Optimum:
        """Gradients of all rows, with the sample's curvature: a pass costs a fraction of one with curvatures.

        Each step by that curvature leaves a share of the distance to the minimum that the first step shows. Once the
        next one promises to end within the tolerance it is made, and the rows are not asked again.
        """
        curvature = small.curvature(start)[2]
        inverse = np.linalg.pinv(curvature, hermitian=True)
        phi = max(2 * half_deviance, 1e-300)
        tol, lengths = self.tol * self.slack, []

        def standard_errors(g: np.ndarray) -> float:
            return float(np.sqrt(rows * max(g @ inverse @ g, 0.0) / phi))

        def settled(record: Record) -> bool:
            watch(record)
            lengths.append(record.gradient)
            if len(lengths) < 3 or not lengths[0] > 0:
                return False
            share = max(now / before for before, now in pairwise(lengths))
            return share < LARGEST_SHARE and share * lengths[-1] <= tol

        optimum = lbfgs(
            objective,
            start,
            metric=lambda g: inverse @ g,
            scaled=False,
            tol=tol,
            max_iter=GRADIENT_STEPS,
            norm=standard_errors,
            watch=settled,
        )
        if optimum.reason == "watch":
            step = -(inverse @ optimum.gradient)
            optimum = replace(optimum, w=optimum.w + step, converged=True, reason="gradient")
        return replace(optimum, curvature=curvature)

    def _by_gradients(
        self, objective: DevianceObjective, start: np.ndarray, watch: Callable[[Record], None]
    ) -> Optimum:
        """Many columns: no matrix of curvatures, but its diagonal as if all rows had the mean curvature."""
        value, _ = objective.value_gradient(start)
        unit = max(value, 1e-300)
        return lbfgs(
            objective,
            start,
            metric=lambda g: g / (1.0 + objective.decay),
            tol=max(float(self.tol), 1e-10) * max(np.sqrt(unit), 1e-150),
            max_iter=10 * self.max_iter,
            watch=watch,
        )

    def _first(self, objective: DevianceObjective, start: np.ndarray | None) -> np.ndarray:
        """Where the search begins: at a given place, at the last fit, or near the targets."""
        if start is None and self._last is not None:
            coef, intercept = self._last
            kept = self._roles(objective.link).kept
            if len(coef) == len(self._names):
                start = objective.inside(np.asarray(coef, dtype=np.float64)[kept], float(intercept))
        tries: list[Callable[[], np.ndarray]] = [objective.working_start, objective.level_start]
        look: Callable[[np.ndarray], tuple[Any, ...]] = objective.curvature  # where Fisher scoring begins
        if objective.fit_intercept and (objective.family.variance_power or 0) > 2:
            tries.reverse()  # from means far too low a step would lead to a plateau of far too large ones
        if objective.size > NEWTON_COLUMNS:
            tries, look = [objective.level_start], objective.value_gradient
        if start is not None:
            tries.insert(0, lambda: start)
        for attempt in tries:
            v = attempt()
            with np.errstate(all="ignore"):
                if np.isfinite(v).all() and np.isfinite(look(v)[0]):
                    return v
        raise DataError(
            f"{type(self).__name__}: no coefficients were found whose means the {objective.family.name} family can "
            f"have with the link {objective.link.name}. Use link='log', or fit_intercept=True."
        )

    def _with_overdispersion(
        self, objective: DevianceObjective, optimum: Optimum, survey: _Survey
    ) -> tuple[DevianceObjective, Optimum]:
        """The negative binomial's alpha and the coefficients by turns, until neither moves."""
        from assay.linear.generalized.overdispersion import most_likely_alpha

        alpha = 1.0
        for _ in range(OUTER_STEPS):
            new = most_likely_alpha(objective, optimum.w, alpha)
            settled = abs(np.log(new / alpha)) < 1e-9
            alpha = new
            objective = DevianceObjective(
                objective.source,
                NegativeBinomial(alpha),
                objective.link,
                objective.scale,
                objective.alpha,
                objective.fit_intercept,
            )
            optimum = self._minimise(objective, survey, optimum.w)
            if settled:
                break
        return objective, optimum

    def _keep_measures(
        self, objective: DevianceObjective, optimum: Optimum, survey: _Survey, roles: _Roles
    ) -> None:
        """The dispersion, and where they are kept the deviance and that of the constant alone."""
        family, link = objective.family, objective.link
        w, b = objective.outside(optimum.w)
        base = self._constant_alone(objective, survey, roles) if self.keeps_deviances else None

        def part(block: Block) -> np.ndarray:
            y, offset = split(block.y)
            weight = np.ones(len(y)) if block.w is None else block.w
            mu = means(np.asarray(block.X @ w) + (b + offset), family, link)
            assert mu is not None
            pearson = weight @ ((y - mu) ** 2 / family.variance(mu))
            if base is None:
                return np.array([pearson])
            deviances = [weight @ family.deviance(y, at) for at in (mu, base(len(y), offset))]
            return np.array([pearson, *deviances], dtype=np.float64)

        fixed = family.dispersion
        if self.keeps_deviances or fixed is None:
            with np.errstate(all="ignore"):
                pearson, *deviances = objective.source.add_up(part).tolist()
            if self.keeps_deviances:
                self.deviance_, self.null_deviance_ = deviances
            free = survey.rows - objective.size
            self.dispersion_ = fixed if fixed is not None else pearson / free if free > 0 else 0.0
        else:
            self.dispersion_ = fixed

    def _constant_alone(
        self, objective: DevianceObjective, survey: _Survey, roles: _Roles
    ) -> Callable[[int, Any], np.ndarray]:
        """Of the model without columns, the means of n rows with these offsets."""
        if not roles.shifted:
            middle = survey.sums[1] / survey.weight
            return lambda n, offset: np.full(n, middle)
        family, link = objective.family, objective.link
        scale = Scale(np.empty(0), np.empty(0), objective.scale.total)
        null = DevianceObjective(roles.without_columns(objective.source), family, link, scale, 0.0, True)
        level = fisher_scoring(null, null.level_start(), rows=survey.rows, tol=1e-8, max_iter=100).w

        def base(n: int, offset: Any) -> np.ndarray:
            mu = means(np.full(n, level[0]) + offset, family, link)
            assert mu is not None
            return mu

        return base

    def _keep_noise(
        self, objective: DevianceObjective, optimum: Optimum, survey: _Survey, roles: _Roles
    ) -> None:
        """What gives the standard errors of linear predictors, from the curvature where the search ended.

        That of a sample of the rows, where one was solved first; nothing beyond 1000 columns.
        """
        H, d = optimum.curvature, len(objective.scale.mean)
        if H is None or not np.isfinite(H).all():
            self._noise = None
            return
        total, spread = objective.scale.total, objective.scale.spread
        penalty = np.diag(objective.decay)
        root, freedom = inverse_root(total * (H - penalty), total * penalty)
        full = np.zeros((roles.number + self.fit_intercept, root.shape[1]))
        full[roles.kept] = root[:d] / spread[:, None]
        center = np.zeros(roles.number)
        if self.fit_intercept:
            full[-1], center[roles.kept] = root[d], objective.scale.mean
        dof = max(survey.rows - freedom, 0.0)
        self._noise = LeastSquaresNoise(
            float(np.sqrt(self.dispersion_)), dof, center, full, self.fit_intercept
        )

    def _linear_predictor(self, X: Any) -> np.ndarray:
        eta = self._affine(X)[:, 0]
        roles = self._roles(self._get_link())
        return eta if roles.exposure is None else eta + roles.log_exposure(X)

    def _predict(self, X: Any) -> np.ndarray:
        link, family = self._get_link(), self._get_family()
        eta = self._linear_predictor(X)
        with np.errstate(all="ignore"):
            mu = np.where(eta > 0, link.mean(eta), np.nan) if link.positive else link.mean(eta)
        wrong = ~((mu >= family.low) & (mu <= family.high)) if family.low == 0 else np.isnan(mu)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise DataError(
                f"{type(self).__name__}: the linear predictor of {row_name(i)} is {eta[i]:.4g}, which the link "
                f"{link.name} turns into no mean of the {family.name} family. Fit with link='log', whose means are "
                "always above 0."
            )
        return mu

    def _fitted_family(self) -> Family:
        """The family, with the overdispersion that was estimated."""
        family = self._get_family()
        return NegativeBinomial(self.overdispersion_) if isinstance(family, NegativeBinomial) else family

    def _no_distribution(self) -> str:
        family = self._get_family()
        if not 1 < getattr(family, "power", 1.5) < 2:
            return "Tweedie's distribution has no closed form for this power, so there is no predictive distribution."
        if family.dispersion is None and "coef_" in vars(self) and "dispersion_" not in vars(self):
            return FROM_EARLIER_VERSION
        return super()._no_distribution()

    def _distribution(self, X: Any) -> Any:
        """The family's distribution around each mean, for a row of weight 1, and the error of the coefficients."""
        mean, family, link = self._predict(X), self._fitted_family(), self._get_link()
        phi = self.dispersion_ if family.dispersion is None else family.dispersion
        if not phi > 0:
            raise DegenerateError(
                f"{type(self).__name__}: the residuals are all 0, or too few rows are left to estimate the dispersion "
                "from, so there is no predictive distribution. Give more rows or fewer columns."
            )
        if self._noise is None:
            return family.distribution(mean, float(phi))
        if family.name == "gaussian" and link.name == "identity":
            return self._noise.distribution(X, mean)
        sd = np.sqrt(phi * self._noise.leverages(X))
        eta, who = self._linear_predictor(X), type(self).__name__
        return averaged_family(family, link, eta, sd, float(phi), who, mean)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The terms of the linear predictor, log exposure among them, and what the link makes of their sum."""
        link = self._get_link()
        roles, weights, note = self._roles(link), self.coef_.astype(np.float64), ""
        if roles.exposure is not None:
            logs = roles.log_exposure(X)
            X = dense_block(X).astype(np.float64)
            X[:, roles.exposure], weights[roles.exposure] = logs, 1.0
            note = f"{self._names[roles.exposure]} is the exposure: its logarithm is added."
        direct = link.name == "identity"
        title, output = (
            ("Terms of the prediction", "the answer")
            if direct
            else ("Terms of the linear predictor", "the linear predictor")
        )
        constant = np.array([float(self.intercept_)])
        reasons = sum_of_terms(self, title, X, rows, weights[:, None], constant, ["product"], [output])
        if direct:
            return reasons
        eta = dense_block(X) @ weights + self.intercept_
        with np.errstate(over="ignore"):
            mu, heads = link.mean(eta), ["link", "linear predictor", "mean"]

        def mean(i: int) -> list[Section]:
            line = [link.name, float(eta[i]), float(mu[i])]
            return [Section("From the linear predictor to the mean", heads, [line], note)]

        return reasons.then(mean)


@dataclass
class _Survey:
    """Of all rows: the sums of weights and weighted targets, the number of rows that count, and where columns lie.

    ``columns`` is of the sample alone, where there is one.
    """

    sums: np.ndarray
    columns: Columns | None = None
    sample: Rows | None = None

    @property
    def weight(self) -> float:
        return float(self.sums[0])

    @property
    def rows(self) -> float:
        return float(self.sums[2])

    def __add__(self, other: _Survey) -> _Survey:
        both = None if self.columns is None or other.columns is None else self.columns + other.columns
        return _Survey(self.sums + other.sums, both)


@dataclass(frozen=True)
class _Roles:
    """The columns of the design: their number, and which of them are offset and exposure."""

    number: int
    offset: int | None
    exposure: int | None
    who: str

    @property
    def shifted(self) -> bool:
        """Whether a shift of the linear predictor stands beside the target."""
        return self.offset is not None or self.exposure is not None

    @cached_property
    def kept(self) -> np.ndarray:
        """The columns that have a weight of their own."""
        return np.array(
            [j for j in range(self.number) if j not in (self.offset, self.exposure)], dtype=np.int64
        )

    def applied(self, source: Source) -> Source:
        """The rows with offset and exposure beside the target instead of among the columns."""
        if not self.shifted:
            return source
        if isinstance(source, Rows):
            return Rows(*self._block(Block(source.X, source.y, source.w)))
        return _MappedSource(source, self._block)

    def without_columns(self, source: Source) -> Source:
        """Offset and target alone."""
        return _MappedSource(source, lambda block: Block(np.empty((len(block.y), 0)), block.y, block.w))

    def all_weights(self, w: np.ndarray) -> np.ndarray:
        """(D,) the weights of all columns of the design."""
        full = np.zeros(self.number)
        full[self.kept] = w
        if self.offset is not None:
            full[self.offset] = 1.0
        return full

    def log_exposure(self, X: TableLike) -> np.ndarray:
        """(n,) the logarithm of the exposure."""
        assert self.exposure is not None
        amount = _dense_column(X, self.exposure)
        wrong = ~(amount > 0)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise DataError(
                f"{self.who}: the exposure of {row_name(i)} is {amount[i]:g}; it must be above 0."
            )
        return np.log(amount)

    def _block(self, block: Block) -> Block:
        y = np.asarray(block.y)
        if y.ndim != 1:
            raise DataError(f"{self.who}: y should be a 1d array, got several columns.")
        shift = np.zeros(len(y))
        if self.offset is not None:
            shift += _dense_column(block.X, self.offset)
        if self.exposure is not None:
            shift += self.log_exposure(block.X)
        return Block(block.X[:, self.kept], np.column_stack((y, shift)), block.w)


class _MappedSource(Source):
    """A source whose blocks are changed before they are summarised."""

    def __init__(self, source: Source, change: Callable[[Block], Block]):
        self._source, self._change = source, change

    def add_up(self, summarize: Callable[[Block], Any]) -> Any:
        change = self._change
        return self._source.add_up(lambda block: summarize(change(block)))


def _dense_column(X: Any, j: int) -> np.ndarray:
    column = X[:, j]
    return np.asarray(column if isinstance(X, np.ndarray) else column.toarray(), dtype=np.float64).ravel()


def sample_of(source: Source, columns: int) -> Rows | None:
    """Some rows of a table in memory, if it has many more."""
    if not isinstance(source, Rows):
        return None
    size = max(SAMPLE_ROWS, SAMPLE_ROWS_PER_COLUMN * columns, source.X.shape[0] // SAMPLE_SHARE)
    if source.X.shape[0] < SAMPLE_FACTOR * size:
        return None
    cuts = np.arange(size + 1) * source.X.shape[0] // size  # one row at random from each stretch
    rows = np.random.default_rng(0).integers(cuts[:-1], cuts[1:])
    return Rows(source.X[rows], source.y[rows], None if source.w is None else source.w[rows])
