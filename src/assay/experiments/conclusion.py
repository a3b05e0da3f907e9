"""The conclusion of an experiment over its data sets: the right test, which learners differ, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ParameterError
from assay.metrics.measure import Measure
from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.ranks import mid_ranks
from assay.stats.significance.test_result import TestResult, shown_p

if TYPE_CHECKING:
    from assay.experiments.study import Study

__all__ = ["Conclusion", "conclude"]

MIN_DATA_SETS = 5  # with fewer a test over data sets can hardly reject


@dataclass(frozen=True, eq=False)
class Conclusion:
    """Which learners of a study are better, over its data sets.

    Attributes
    ----------
    metric : Measure
    learners : names
    data : names of the data sets that count
    means : (n, L) the means on these; NaN where a learner failed and was ranked last
    ranks : (L,) average rank, 1 for the best; NaN for a learner that takes no part
    test : TestResult of the test over data sets, or None where there is no such test
    also : further TestResults of the same question (the sign test beside Wilcoxon's)
    bayes : RopePosterior of two learners, left for the first being better, or None
    friedman : Friedman's test with its average ranks and critical difference, for more than two learners
    pairs : PostHoc, which pairs differ, or None
    letters : (L,) learners that share a letter do not differ significantly; "" where nothing was tested
    sentences : the conclusion in words
    """

    metric: Measure
    learners: list[str]
    data: list[str]
    means: np.ndarray
    ranks: np.ndarray
    test: TestResult | None = None
    also: list[TestResult] = field(default_factory=list)
    bayes: Any = None
    friedman: Any = None
    pairs: PostHoc | None = None
    letters: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    @property
    def best(self) -> str:
        """The learner with the best average rank; of equal ones, the one with the best mean."""
        finite = np.isfinite(self.means)
        total = np.where(finite, self.metric.sign * self.means, 0.0).sum(axis=0)
        centre = np.where(finite.any(axis=0), total / np.maximum(finite.sum(axis=0), 1), np.inf)
        return self.learners[int(np.lexsort((centre, np.round(np.nan_to_num(self.ranks, nan=np.inf), 9)))[0])]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def conclude(
    study: Study, metric: Measure, control: str | None = None, missing: str = "leave out", rope: float = 0.01
) -> Conclusion:
    """Choose the test by the number of learners and data sets, apply it, and say what follows.

    One data set: the comparison on it. Two learners on several: Wilcoxon's signed-rank test, the sign test and the
    posterior of the signed ranks. More: Friedman's test in Iman and Davenport's form, then Nemenyi's test between
    all pairs, or Holm's steps against a control.
    """
    if missing not in ("leave out", "last"):
        raise ParameterError(f'missing must be "leave out" or "last", got {missing!r}.', who="study")
    if isinstance(rope, bool) or not isinstance(rope, (int, float)) or not 0 <= rope < np.inf:
        raise ParameterError(f"rope must be a number from 0 up, got {rope!r}.", who="study")
    if control is not None and control not in study.learners:
        raise ParameterError(
            f"there is no learner {control!r} to be the control. There are: {', '.join(study.learners)}.",
            who="study",
        )
    measured = study.table(metric.name)
    finite = np.isfinite(measured)
    if not finite.any():
        raise ParameterError(nothing_yet(study, metric))
    takes_part = finite.any(axis=0)
    sentences = [
        f"{name} has no mean on any data set and takes no part."
        for name, included in zip(study.learners, takes_part)
        if not included
    ]
    table, sentences = _completed(study, measured, takes_part, metric, missing, sentences)
    rows = np.isfinite(table[:, takes_part]).all(axis=1)
    names = [name for name, included in zip(study.learners, takes_part) if included]
    used = [name for name, included in zip(study.data, rows) if included]
    means = table[rows][:, takes_part]
    ranks = np.full(len(study.learners), np.nan)
    if len(means):
        ranks[takes_part] = mid_ranks(metric.sign * means).mean(axis=0)
    base: dict[str, Any] = {
        "metric": metric, "learners": study.learners, "data": used, "means": measured[rows], "ranks": ranks,
    }  # fmt: skip
    if control is not None and control not in names:
        raise ParameterError(f"the control {control} has no mean on any data set.", who="study")
    if len(used) == 0:
        sentences.append("No data set has a mean of every learner, so nothing can be said over all of them.")
        return Conclusion(**base, letters=[""] * len(study.learners), sentences=sentences)
    if len(names) == 1:
        sentences.append(
            f"{names[0]} alone: mean {metric.name} {means.mean():.4f} over {_data_sets(len(used))}."
        )
        return Conclusion(**base, letters=[""] * len(study.learners), sentences=sentences)
    if len(used) == 1:
        return _one_data_set(study, metric, used[0], base, sentences, control)
    scores = dict(zip(names, means.T))
    if len(names) == 2:
        parts = _two(scores, metric, study.alpha, study.manifest.seed, rope)
    else:
        parts = _many(scores, metric, study.alpha, control)
    if len(used) < MIN_DATA_SETS:
        parts["sentences"].append(
            f"{_data_sets(len(used)).capitalize()} are few: only large differences could be shown. Read each data "
            "set's own comparison too."
        )
    letters = [""] * len(study.learners)
    for name, mark in zip(names, parts.pop("letters")):
        letters[study.learners.index(name)] = mark
    return Conclusion(**base, letters=letters, **{**parts, "sentences": parts["sentences"] + sentences})


def nothing_yet(study: Study, metric: Measure) -> str:
    """Why there is nothing to conclude from."""
    if study.missing:
        return f"study: no data set has a mean {metric.name} yet. Run the experiment on."
    if len(study.failures) == len(study.data) * len(study.learners):
        return "study: every learner failed on every data set. See failures."
    return f"study: no split of any data set defines {metric.name} for a learner that finished."


def _completed(
    study: Study,
    table: np.ndarray,
    takes_part: np.ndarray,
    metric: Measure,
    missing: str,
    sentences: list[str],
) -> tuple[np.ndarray, list[str]]:
    """Means in which failed learners are ranked last, if so chosen; sentences about the failures."""
    table, sentences = table.copy(), list(sentences)
    for i, data in enumerate(study.data):
        gaps = [k for k in np.flatnonzero(takes_part) if np.isnan(table[i, k])]
        if not gaps:
            continue
        who = ", ".join(study.learners[k] for k in gaps)
        failed = all((data, study.learners[k]) in study.failures for k in gaps)
        if missing == "last" and failed and len(gaps) < takes_part.sum():
            worst = np.nanmax(metric.sign * table[i])
            for k in gaps:
                table[i, k] = metric.sign * (worst + 1.0 + abs(worst))
            sentences.append(
                f"On {data}, {who} failed and {'was' if len(gaps) == 1 else 'were'} ranked last."
            )
        else:
            why = "failed" if failed else "has no mean" if len(gaps) == 1 else "have no mean"
            sentences.append(f"{data} is left out: {who} {why} there.")
    return table, sentences


def _one_data_set(
    study: Study, metric: Measure, data: str, base: dict[str, Any], sentences: list[str], control: str | None
) -> Conclusion:
    """One data set alone: the conclusion of its comparison."""
    result = study.comparison(data)
    standings = {s.learner: s for s in result.ranking(metric.name)}
    letters = [standings[name].letters if name in standings else "" for name in study.learners]
    best, *others = [s for s in result.ranking(metric.name) if not s.failure and np.isfinite(s.mean)]
    level = [s.learner for s in others if s.level]
    tail = (
        f"; not significantly worse: {', '.join(level)}"
        if level
        else ", significantly better than every other"
    )
    sentence = f"On {data}, {best.learner} has the best {metric.name} ({best.mean:.4f}){tail}."
    only = "This holds for this data set; a statement about other data needs more of them."
    against = [
        str(result.test(s.learner, control, metric.name))
        for s in (best, *others)
        if control is not None and s.learner != control
    ]
    return Conclusion(**base, letters=letters, sentences=[sentence, *against, only, *sentences])


def _two(
    scores: dict[str, np.ndarray], metric: Measure, alpha: float, seed: int, rope: float
) -> dict[str, Any]:
    """Two learners over data sets; differences count as worse when positive, whichever way the metric goes."""
    from assay.stats.bayesian.signed_rank_posterior import signed_rank_posterior
    from assay.stats.significance.sign_test import sign_test
    from assay.stats.significance.wilcoxon import wilcoxon_signed_rank

    (a, x), (b, y) = scores.items()
    worse = metric.sign * (x - y)
    worse[np.abs(worse) <= 1e-12 * np.maximum(np.abs(x), np.abs(y))] = 0.0  # equal means, up to rounding
    test = wilcoxon_signed_rank(worse, alpha=alpha)
    sign = sign_test(worse, alpha=alpha)
    bayes = signed_rank_posterior(worse, rope=rope, random_state=seed)
    wins, losses, ties = int((worse < 0).sum()), int((worse > 0).sum()), int((worse == 0).sum())
    tied = f", equal on {ties}" if ties else ""
    middle = float(np.median(worse))
    half = f"{abs(middle):.4f} in favour of {a if middle < 0 else b}" if middle else "0"
    ahead, behind = (a, b) if test.r_plus <= test.r_minus else (b, a)
    verdict = (
        f"{ahead} is better than {behind}" if test.rejected else f"neither {a} nor {b} is shown to be better"
    )
    sentences = [
        f"By {metric.name}, {verdict} over {_data_sets(len(worse))}.",
        f"{a} is better than {b} on {wins} of {_data_sets(len(worse))}, worse on {losses}{tied}; the median "
        f"difference is {half}.",
        _capital(str(test)),
        _capital(str(sign)),
        f"{bayes.test}: {a} is better with probability {bayes.left:.3f}, {b} with {bayes.right:.3f}; with "
        f"{bayes.within:.3f} they differ by less than {rope:g}, which is taken not to matter.",
    ]
    return {"test": test, "also": [sign], "bayes": bayes, "letters": ["a", "b" if test.rejected else "a"],
            "sentences": sentences}  # fmt: skip


def _many(
    scores: dict[str, np.ndarray], metric: Measure, alpha: float, control: str | None
) -> dict[str, Any]:
    """More than two learners over data sets."""
    from assay.stats.significance.friedman import friedman
    from assay.stats.significance.rank_post_hoc import compare_ranks, nemenyi

    means = np.column_stack(list(scores.values()))
    ranking = friedman(means, better=metric.better, names=list(scores), alpha=alpha)
    test = ranking.test
    pairs = nemenyi(ranking) if control is None else compare_ranks(ranking, "holm", control=control)
    names = list(ranking.names)
    centre = np.nan_to_num(metric.sign * means, nan=np.inf).mean(
        axis=0
    )  # of equal ranks, the better mean is first
    order = [int(j) for j in np.lexsort((centre, np.round(ranking.average_ranks, 9)))]
    ranks = ", ".join(f"{names[j]} {ranking.average_ranks[j]:.2f}" for j in order[:10])
    leader = f"By {metric.name}, {names[order[0]]} ranks best over {_data_sets(len(means))}"
    evidence = [
        str(test),
        f"Average ranks, 1 is the best: {ranks}{', ...' if len(order) > 10 else ''}.",
    ]
    if not test.rejected:
        sentences = [f"{leader}, but no learner is shown to be better than another.", *evidence]
    elif control is not None:
        sentences = [_against(pairs, names, control, metric), *evidence]
    else:
        sentences = [leader + _groups(pairs, names, order), *evidence]
        sentences.append(
            f"{pairs.method}: learners differ whose average ranks are {pairs.critical:.2f} or more apart."
        )
    letters = list(pairs.letters) if test.rejected else ["a"] * len(names)
    return {"test": test, "friedman": ranking, "pairs": pairs, "letters": letters, "sentences": sentences}


def _groups(pairs: PostHoc, names: list[str], order: list[int]) -> str:
    """The second half of the sentence about the best learner."""
    first = order[0]
    worse = [names[j] for j in order[1:] if pairs.differ[first, j]]
    level = [names[j] for j in order[1:] if not pairs.differ[first, j]]
    if worse:
        also = f"; not shown to be worse: {', '.join(level)}" if level else ""
        return f" and is better than {', '.join(worse)}{also}."
    return "; the learners are not all equal, but no pair is shown to differ."


def _against(pairs: PostHoc, names: list[str], control: str, metric: Measure) -> str:
    c = names.index(control)
    verdicts = []
    for j in (int(j) for j in pairs.order):
        if j != c:
            verdict = "no difference shown"
            if pairs.differ[c, j]:
                verdict = "better" if pairs.centre[j] < pairs.centre[c] else "worse"
            verdicts.append(f"{names[j]} {verdict} ({shown_p(pairs.adjusted[c, j])})")
    return f"By {metric.name}, against {control} ({pairs.method}): {', '.join(verdicts)}."


def _data_sets(n: int) -> str:
    return f"{n} data set{'' if n == 1 else 's'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
