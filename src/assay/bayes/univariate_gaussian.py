"""Univariate Gaussian classifier: one column, one Gaussian per class, exact thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.bayes.gaussian_nb import GaussianNB
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.moments import ClassMoments, class_moments
from assay.core.parameters import Any_, Choice, Range, Simplex
from assay.core.stored import CodeArray, FloatArray, Object
from assay.errors import ParameterError
from assay.types import Priors, TableLike


class UnivariateGaussianClassifier(GaussianNB):
    r"""Classify by one column: which class's Gaussian, times its prior, is highest at x.

    .. math:: g_k(x) = -\ln s_k - \frac{(x-m_k)^2}{2s_k^2} + \ln\pi_k                           \quad (1)

    with means and variances by maximum likelihood. Two of them are equal at the roots of

    .. math:: \Bigl(\frac1{2s_b^2}-\frac1{2s_a^2}\Bigr)x^2 + \Bigl(\frac{m_a}{s_a^2}-\frac{m_b}{s_b^2}\Bigr)x
              + \frac{m_b^2}{2s_b^2}-\frac{m_a^2}{2s_a^2}+\ln\frac{s_b\pi_a}{s_a\pi_b} = 0       \quad (2)

    so ``thresholds_`` are exact: none, one or two for two classes (of unequal variances the narrower class
    owns the interval between two thresholds), and all the line's cuts for more. A variance of 0 is a
    ``DegenerateError`` if ``var_smoothing`` is 0.

    Cost: fit O(n K) in one pass; predict O(K) a row; memory O(K).

    Parameters
    ----------
    column : int or str, default 0
        The column to look at, by position or name; the others are not used.
    variances : "own" or "shared", default "own"
        One variance a class, or the pooled one for all.
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares.
    var_smoothing : float, default 1e-9
        The share of the column's variance that is added to those of the classes.

    Attributes
    ----------
    thresholds_ : (t,) increasing; where the answer changes
    regions_ : (t + 1,) the answers between and beyond the thresholds, from left to right
    theta_ : (K, 1) means      var_ : (K, 1) variances      class_prior_ : (K,)

    Examples
    --------
    >>> from assay.bayes import UnivariateGaussianClassifier
    >>> model = UnivariateGaussianClassifier().fit([[-3.0], [-1.0], [0.0], [4.0]], ["a", "a", "b", "b"])
    >>> model.thresholds_.round(4), model.regions_       # means -2 and 2, standard deviations 1 and 2
    (array([-6.3266, -0.3401]), array(['b', 'a', 'b'], dtype='<U1'))

    See Also
    --------
    GaussianNB, decision_points

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """

    card = Card(
        "univariate gaussian",
        "one column, one Gaussian per class, thresholds in closed form",
        learns=(
            "a Gaussian of one column for each class",
            "negative log joint likelihood",
            "moments",
            "analytic",
        ),
    )
    accepts = {
        "column": Any_("a column's position or name", lambda v: isinstance(v, (int, np.integer, str))),
        "variances": Choice("own", "shared"),
        "priors": Simplex() | None,
        "var_smoothing": Range(0),
    }
    stored = {
        "_sums": Object(ClassMoments, K="K"),
        "theta_": FloatArray("K", 1),
        "var_": FloatArray("K", 1),
        "thresholds_": FloatArray("r", ascending=True),
        "regions_": CodeArray("r + 1", below="K"),
    }

    def __init__(
        self,
        *,
        column: int | str = 0,
        variances: str = "own",
        priors: Priors | None = None,
        var_smoothing: float = 1e-9,
    ):
        self.column = column
        self.variances = variances
        self.priors = priors
        self.var_smoothing = var_smoothing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on data whose classes differ in other columns
        return tags

    @property
    def _position(self) -> int:
        names = self.design_.names
        if isinstance(self.column, str) and self.column in names:
            return names.index(self.column)
        if not isinstance(self.column, str) and -len(names) <= self.column < len(names):
            return int(self.column)
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        raise ParameterError(
            f"{type(self).__name__}: column must be one of {shown} or its position, got {self.column!r}."
        )

    @property
    def _names(self) -> list[str]:
        return [self.design_.names[self._position]]

    def _pick(self, X: np.ndarray) -> np.ndarray:
        return X if X.shape[1] == 1 else X[:, self._position][:, None]

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassMoments:
        return class_moments(self._pick(X), y, w, len(self.classes_))

    def _solve(self, sums: ClassMoments) -> None:
        super()._solve(sums)
        points, winners = decision_points(self.theta_[:, 0], self.var_[:, 0], self.class_prior_)
        self.thresholds_, self.regions_ = points, self.classes_[winners]

    def _all_rows(self, sums: ClassMoments) -> ClassMoments:
        return sums.pooled()

    def _variances(self, sums: ClassMoments) -> np.ndarray:
        if self.variances == "own":
            return super()._variances(sums)
        return np.full_like(sums.scatter, sums.scatter.sum() / sums.count.sum())

    def _log_joint(self, X: Any) -> np.ndarray:
        return super()._log_joint(self._pick(X))

    def likelihood_ratio(self, X: TableLike) -> np.ndarray:
        """(n,) p(x | first class) / p(x | second class), for two classes; priors play no part."""
        if len(self.classes_) != 2:
            raise ParameterError(
                f"A likelihood ratio is between two classes, there are {len(self.classes_)}."
            )
        x = self._pick(self._admit(X))
        log_density = -0.5 * (np.log(self.var_[:, 0]) + (x - self.theta_[:, 0]) ** 2 / self.var_[:, 0])
        return np.exp(log_density[:, 0] - log_density[:, 1])

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        W, w, w0 = super()._polynomial()
        if self.variances == "own" or W is None:
            return W, w, w0
        return None, w, w0 + 0.5 * np.log(self.var_[:, 0])  # the same for all classes

    def _contributions(
        self, values: np.ndarray, base: np.ndarray, outputs: Sequence[str], chosen: np.ndarray
    ) -> Contributions:
        every = np.zeros((len(values), len(self.design_.names), values.shape[2]))
        every[:, self._position] = values[:, 0]  # the other columns add nothing
        return super()._contributions(every, base, outputs, chosen)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        ends = ["-inf", *(f"{t:.6g}" for t in self.thresholds_), "inf"]
        regions = [[a, b, str(label)] for a, b, label in zip(ends, ends[1:], self.regions_)]
        section = Section("Regions", ["from", "to", "answer"], regions)
        return super()._reasons(self._pick(X), rows).then(lambda i: [section])


def decision_points(means: ArrayLike, variances: ArrayLike, priors: Priors) -> tuple[np.ndarray, np.ndarray]:
    """Where the highest of K Gaussians times priors changes, and which one it is from left to right.

    Parameters
    ----------
    means, variances, priors : (K,) variances positive

    Returns
    -------
    points : (t,) increasing      winners : (t + 1,) numbers 0..K-1

    Examples
    --------
    >>> from assay.bayes import decision_points
    >>> decision_points([-2, 2], [1, 1], [0.8, 0.2])               # moved towards the rarer class by ln(4) / 4
    (array([0.34657359]), array([0, 1]))
    """
    m, v, p = (np.asarray(a, dtype=np.float64) for a in (means, variances, priors))
    alive = np.flatnonzero(p > 0)
    origin = m[alive].mean()
    m = m - origin
    # g_k = A x^2 + B x + C about the mean of the means
    A, B = -0.5 / v, m / v
    with np.errstate(divide="ignore"):
        C = -0.5 * (m * m / v + np.log(v)) + np.log(p)
    roots = [r for i in alive for j in alive if i < j for r in _roots(A[i] - A[j], B[i] - B[j], C[i] - C[j])]
    scale = np.sqrt(v[alive].max()) + np.ptp(m[alive])
    cuts = np.unique(
        np.array([r for r in roots if abs(r) < 1e100 * scale], dtype=np.float64)
    )  # else beyond all data
    probes = np.array([0.0])
    if len(cuts):
        ends = cuts[0] - scale - abs(cuts[0]), cuts[-1] + scale + abs(cuts[-1])
        probes = np.concatenate([ends[:1], (cuts[:-1] + cuts[1:]) / 2, ends[1:]])
    a, b, c = (
        part[alive] - part[alive[0]] for part in (A, B, C)
    )  # lead over the first: their x^2 may nearly cancel
    x = probes[:, None]
    winners = alive[np.argmax((a * x + b) * x + c, axis=1)]
    change = winners[1:] != winners[:-1]
    return cuts[change] + origin, np.append(winners[:1], winners[1:][change])


def _roots(a: float, b: float, c: float) -> list[float]:
    """Real roots of a x^2 + b x + c = 0, (2), without cancellation; infinite ones are left out."""
    under = b * b - 4 * a * c
    if under < 0 or (a == 0 and b == 0):
        return []
    with np.errstate(over="ignore"):
        if a == 0:
            roots = [-c / b]
        else:
            q = -0.5 * (b + np.copysign(np.sqrt(under), b))
            roots = [q / a] + ([c / q] if q != 0 else [])
    return [float(r) for r in roots if np.isfinite(r)]
