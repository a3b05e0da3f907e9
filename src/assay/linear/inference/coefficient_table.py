"""Summary of a fitted linear model: coefficients, standard errors, tests, goodness of fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.explanation import Section, text_table
from assay.errors import DegenerateError, MissingExtraError, ParameterError
from assay.sentence import in_notebook

__all__ = ["CoefficientTable", "CoefficientTest"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CoefficientTest:
    """A test of coefficients: what was tested, the statistic, its distribution if it holds, and p.

    Attributes
    ----------
    hypothesis : in words      statistic : float      p_value : float
    df : degrees of freedom    df_residual : those of the denominator of F, or None for chi-squared
    """

    hypothesis: str
    statistic: float
    df: int
    p_value: float
    df_residual: float | None = None

    def __str__(self) -> str:
        name = f"chi2({self.df})" if self.df_residual is None else f"F({self.df}, {self.df_residual:g})"
        return f"{self.hypothesis}: {name} = {self.statistic:.4g}, p = {self.p_value:.3g}"


@dataclass(frozen=True)
class CoefficientTable:
    """Coefficients with standard errors, tests and intervals; ``print`` it, or take it as data.

    One row a coefficient; several classes give one block of rows for each class that is compared with the reference.

    Attributes
    ----------
    learner : its name
    terms : (m,) the constant and the columns      equations : (m,) what is modelled, the same for one block
    estimate, standard_error, statistic, p_value, lower, upper : (m,)
    covariance : (m, m) of the estimates
    level : of the intervals      df : degrees of freedom of t, inf for the normal distribution
    vif : (m,) variance inflation factors, NaN for the constant
    measures : dict of what describes the whole fit, in the order it is shown
    residuals : dict of quantiles of the residuals; empty for classes
    notes : sentences that the reader should know
    odds : whether the exponentials of the coefficients are odds ratios
    penalised : whether the coefficients are shrunken, so that likelihoods of fits cannot be compared
    columns : dict from each column of the user's table to its terms
    constant : what the constant is called among the terms, "" if there is none
    thresholds : the equation whose terms are thresholds between classes, which have no odds ratios; "" if there is none

    Examples
    --------
    >>> from assay.linear import LinearRegression
    >>> X, y = [[1.0], [2], [3], [4], [5]], [1.0, 2.5, 3.0, 4.5, 5.0]
    >>> table = LinearRegression().fit(X, y).summary(X, y)
    >>> print(table)
    LinearRegression: coefficients, with intervals of 95 %
    <BLANKLINE>
    Coefficients: y
      term      estimate  std. error      t         p    2.5 %  97.5 %  VIF
      constant       0.2      0.3317  0.603     0.589  -0.8555   1.255
      x0               1         0.1     10  0.002128   0.6818   1.318  1
    ...
    """

    learner: str
    terms: list[str]
    equations: list[str]
    estimate: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    covariance: Floats
    level: float
    df: float
    vif: Floats
    measures: dict[str, Any]
    residuals: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    odds: bool = False
    penalised: bool = False
    columns: dict[str, list[str]] = field(default_factory=dict)
    constant: str = "constant"
    thresholds: str = ""

    @property
    def statistic(self) -> Floats:
        """(m,) the estimate in standard errors: t if ``df`` is finite, else z."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.estimate / self.standard_error
        return np.where(self.estimate == 0, 0.0, ratio)

    @property
    def p_value(self) -> Floats:
        """(m,) of the hypothesis that the coefficient is 0, two-sided."""
        return two_sided(self.statistic, self.df)

    @property
    def odds_ratio(self) -> Floats:
        """(m,) by what factor the odds grow when the column grows by 1."""
        return np.where(self._effects, np.exp(np.minimum(self.estimate, 709.0)), np.nan)

    @property
    def odds_ratio_interval(self) -> Floats:
        """(m, 2) the exponentials of ``lower`` and ``upper``."""
        with np.errstate(over="ignore"):
            ends = np.exp(np.column_stack((self.lower, self.upper)))
        return np.where(self._effects[:, None], ends, np.nan)

    @property
    def _effects(self) -> NDArray[np.bool_]:
        """(m,) which terms are not thresholds."""
        return np.array([not self.thresholds or equation != self.thresholds for equation in self.equations])

    def __getitem__(self, term: str | tuple[str, str]) -> dict[str, float]:
        """One row as a dict, by its term, or by equation and term."""
        equation, name = term if isinstance(term, tuple) else (None, term)
        at = [i for i, t in enumerate(self.terms) if t == name and equation in (None, self.equations[i])]
        if len(at) != 1:
            what = "is not here" if not at else "is in several equations; ask for (equation, term)"
            raise ParameterError(f"CoefficientTable: {name!r} {what}. Terms: {', '.join(self._named())}.")
        return {
            key: column[at[0]] for key, column in self._columns().items() if key not in ("equation", "term")
        }

    def wald_test(self, terms: str | Sequence[str] | ArrayLike, value: ArrayLike = 0.0) -> CoefficientTest:
        r"""Whether several coefficients, or combinations of them, have given values.

        .. math:: W = (L\hat\theta - c)^T (L\,\widehat{\mathrm{Cov}}\,L^T)^{-1} (L\hat\theta - c)          \quad (1)

        chi-squared with as many degrees of freedom as L has rows; for least squares W divided by them is F.

        Parameters
        ----------
        terms : names of terms or of columns (a nominal column stands for all its indicators), or L, (q, m)
        value : c, a number or (q,), in the order of ``terms``; of several equations each term's in turn

        Examples
        --------
        >>> from assay.linear import LinearRegression
        >>> X, y = [[1.0, 0], [2, 1], [3, 0], [4, 1], [5, 0]], [1.0, 2.5, 3.0, 4.6, 5.0]
        >>> table = LinearRegression().fit(X, y).summary(X, y)
        >>> print(table.wald_test(["x0", "x1"]))
        x0 = x1 = 0: F(2, 2) = 2641, p = 0.000379
        """
        L, labels = self._contrasts(terms)
        c = _values(value, len(L))
        gap = L @ self.estimate - c
        V = L @ self.covariance @ L.T
        size = np.sqrt(np.maximum(np.diag(V), 0.0))
        rank = np.linalg.matrix_rank(V / np.outer(size, size), hermitian=True) if (size > 0).all() else 0
        if rank < len(L):
            raise DegenerateError(
                f"{self.learner}: the tested combinations depend on each other (rank {rank} of {len(L)}). Leave "
                "some of them out."
            )
        W = float((gap / size) @ np.linalg.solve(V / np.outer(size, size), gap / size))  # (1)
        return chi2_or_f(_hypothesis(labels, c), W, len(L), self.df)

    def _contrasts(self, terms: Any) -> tuple[Floats, list[str]]:
        """L, and what its rows are called, all together or one by one."""
        m = len(self.terms)
        if isinstance(terms, str):
            terms = [terms]
        if np.ndim(terms) == 1 and len(terms) and all(isinstance(t, str) for t in terms):
            terms = list(dict.fromkeys(terms))
            wanted = list(dict.fromkeys(name for t in terms for name in self.columns.get(t, [t])))
            unknown = [name for name in wanted if name not in self.terms]
            if unknown or not wanted:
                asked = unknown[0] if unknown else terms
                raise ParameterError(
                    f"wald_test: there is no term {asked!r}. Terms: {', '.join(self._named())}."
                )
            rows = [i for name in wanted for i, t in enumerate(self.terms) if t == name]
            return np.eye(m)[rows], terms
        L = np.atleast_2d(_floats(terms))
        if L.ndim != 2 or L.shape[1] != m or not np.isfinite(L).all():
            raise ParameterError(
                f"wald_test: terms must be names, or numbers with {m} columns, one a coefficient, got {terms!r:.80}."
            )
        return L, [f"{len(L)} combination{'' if len(L) == 1 else 's'}"]

    def _named(self) -> list[str]:
        return list(dict.fromkeys(self.terms))

    # faces

    def _columns(self) -> dict[str, list[Any]]:
        several = len(set(self.equations)) > 1
        columns: dict[str, list[Any]] = {"equation": self.equations} if several else {}
        columns["term"] = self.terms
        columns["estimate"] = self.estimate.tolist()
        columns["standard_error"] = self.standard_error.tolist()
        columns[self._letter] = self.statistic.tolist()
        columns["p_value"] = self.p_value.tolist()
        columns["lower"], columns["upper"] = self.lower.tolist(), self.upper.tolist()
        if self.odds:
            columns["odds_ratio"] = self.odds_ratio.tolist()
            low, high = self.odds_ratio_interval.T.tolist()
            columns["odds_ratio_lower"], columns["odds_ratio_upper"] = low, high
        columns["vif"] = self.vif.tolist()
        return columns

    @property
    def _letter(self) -> str:
        return "t" if np.isfinite(self.df) else "z"

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold; what is not a number or has no end is None."""

        def plain(value: Any) -> Any:
            if isinstance(value, list):
                return [plain(v) for v in value]
            if isinstance(value, np.generic):
                value = value.item()
            return None if isinstance(value, float) and not np.isfinite(value) else value

        return {
            "learner": self.learner,
            "level": self.level,
            "coefficients": {name: plain(list(column)) for name, column in self._columns().items()},
            "covariance": plain(self.covariance.tolist()),
            "measures": {name: plain(value) for name, value in self.measures.items()},
            "residuals": {name: plain(value) for name, value in self.residuals.items()},
            "notes": list(self.notes),
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """The coefficients as a frame of "pandas", "polars" or "pyarrow", one row each."""
        from assay.tables.frames import LIBRARIES

        if library not in LIBRARIES:
            raise ParameterError(f"to_frame: library must be one of {', '.join(LIBRARIES)}, got {library!r}.")
        import pyarrow as pa

        frame = pa.table(self._columns())
        try:
            if library == "pandas":
                return frame.to_pandas()
            if library == "polars":
                import polars as pl

                return pl.DataFrame(frame)
        except ImportError:
            raise MissingExtraError(
                f"A {library} frame needs one more package: pip install {library}."
            ) from None
        return frame

    def _sections(self) -> list[Section]:
        tail = 50 * (1 - self.level)
        ends = [f"{tail:g} %", f"{100 - tail:g} %"]
        heads = ["term", "estimate", "std. error", self._letter, "p", *ends]
        numbers = [self.estimate, self.standard_error, self.statistic, self.p_value, self.lower, self.upper]
        if not np.isnan(self.vif).all():
            heads.append("VIF")
            numbers.append(self.vif)
        sections = []
        for equation in dict.fromkeys(self.equations):
            rows = [i for i, e in enumerate(self.equations) if e == equation]
            cells = [[self.terms[i], *(_cell(column[i]) for column in numbers)] for i in rows]
            title = "Thresholds" if equation == self.thresholds else f"Coefficients: {equation}"
            sections.append(Section(title, heads, cells))
            if self.odds and equation != self.thresholds:
                ratios = np.column_stack((self.odds_ratio, self.odds_ratio_interval))
                cells = [[self.terms[i], *ratios[i].tolist()] for i in rows if self.terms[i] != self.constant]
                if cells:
                    sections.append(Section(f"Odds ratios: {equation}", ["term", "odds ratio", *ends], cells))
        if self.residuals:
            sections.append(Section("Residuals", list(self.residuals), [list(self.residuals.values())]))
        fit = [[name, value] for name, value in self.measures.items()]
        sections.append(Section("Fit", ["measure", "value"], fit))
        return sections

    def __str__(self) -> str:
        parts = [f"{self.learner}: coefficients, with intervals of {100 * self.level:g} %"]
        parts += [f"{s.title}\n{text_table(s.columns, s.rows)}" for s in self._sections()]
        parts += self.notes
        return "\n\n".join(parts)

    __repr__ = __str__

    def to_html(self) -> str:
        """The tables as a piece of HTML, without style or scripts."""
        html = [f'<div class="assay-coefficients"><h4>{escape(self.learner)}</h4>']
        for section in self._sections():
            head = "".join(f"<th>{escape(c)}</th>" for c in section.columns)
            lines = text_cells(section.rows)
            body = "".join("<tr>" + "".join(f"<td>{escape(v)}</td>" for v in row) + "</tr>" for row in lines)
            html.append(
                f"<h5>{escape(section.title)}</h5><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            )
        html += [f"<p>{escape(note)}</p>" for note in self.notes]
        return "\n".join(html) + "</div>"

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html())


def _floats(value: Any) -> Floats:
    """As numbers; NaN if it is none."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array(np.nan)


def _values(value: Any, q: int) -> Floats:
    """(q,) what the combinations are compared with."""
    c = _floats(value)
    if c.shape not in ((), (1,), (q,)) or not np.isfinite(c).all():
        several = f" or {q} numbers" if q > 1 else ""
        raise ParameterError(f"wald_test: value must be a number{several}, got {value!r:.80}.")
    return np.broadcast_to(c, q)


def _hypothesis(labels: list[str], c: Floats) -> str:
    if (c == c[0]).all():
        return f"{' = '.join(labels)} = {c[0]:g}"
    if len(labels) == len(c):
        return ", ".join(f"{name} = {v:g}" for name, v in zip(labels, c))
    return f"{', '.join(labels)} = ({', '.join(f'{v:g}' for v in c)})"


def two_sided(statistic: Floats, df: float) -> Floats:
    """The probability of a t (of ``df`` degrees of freedom) or z at least so far from 0."""
    from scipy.special import ndtr, stdtr

    far = -np.abs(statistic)
    return 2 * (stdtr(df, far) if np.isfinite(df) else ndtr(far))


def chi2_or_f(hypothesis: str, W: float, q: int, df: float) -> CoefficientTest:
    """The test of a Wald statistic of q conditions: chi-squared, or F if the noise was estimated."""
    from scipy.special import chdtrc, fdtrc

    if np.isfinite(df):
        return CoefficientTest(hypothesis, W / q, q, float(fdtrc(q, df, W / q)), df)
    return CoefficientTest(hypothesis, W, q, float(chdtrc(q, W)))


def text_cells(rows: list[list[Any]]) -> list[list[str]]:
    """The cells as the text shows them."""
    from assay.core.explanation import cell_text

    return [[cell_text(value) for value in row] for row in rows]


def _cell(value: float) -> Any:
    return "" if np.isnan(value) else float(value)
