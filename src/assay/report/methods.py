"""The methods paragraph: how the numbers were computed, ready to be pasted into a paper, with its sources."""

from __future__ import annotations

from math import comb

import numpy as np

from assay.evaluate import Comparison
from assay.evaluate.learned import looks_at_nothing
from assay.evaluate.pairs import test_rows_per_training_row
from assay.stats.significance.test_result import TestResult, shown_confidence
from assay.stats.significance.which_test import Advice, which_test

__all__ = ["SOURCES", "methods", "shown_rope", "sources", "usual_test", "why_this_test"]

SOURCES = {
    "Alpaydin 1999": "E. Alpaydin: Combined 5 x 2 cv F test for comparing supervised classification learning "
    "algorithms. Neural Computation 11 (1999), 1885-1892.",
    "Corani and Benavoli 2015": "G. Corani, A. Benavoli: A Bayesian approach for comparing cross-validated algorithms "
    "on multiple data sets. Machine Learning 100 (2015), 285-304.",
    "Diebold and Mariano 1995": "F. X. Diebold, R. S. Mariano: Comparing predictive accuracy. Journal of Business and "
    "Economic Statistics 13 (1995), 253-263.",
    "DeLong et al. 1988": "E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson: Comparing the areas under two or more "
    "correlated receiver operating characteristic curves. Biometrics 44 (1988), 837-845.",
    "Holm 1979": "S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6 (1979), 65-70.",
    "McNemar 1947": "Q. McNemar: Note on the sampling error of the difference between correlated proportions or "
    "percentages. Psychometrika 12 (1947), 153-157.",
    "Nadeau and Bengio 2003": "C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning 52 "
    "(2003), 239-281.",
    "Piepho 2004": "H.-P. Piepho: An algorithm for a letter-based representation of all-pairwise comparisons. "
    "Journal of Computational and Graphical Statistics 13 (2004), 456-466.",
    "Wilson 1927": "E. B. Wilson: Probable inference, the law of succession, and statistical inference. Journal of "
    "the American Statistical Association 22 (1927), 209-212.",
}


def methods(result: Comparison, rope: float | None = None) -> list[str]:
    """How the numbers were computed; ``rope`` is the largest difference that does not matter, if given."""
    sentences = [_design(result), _learned(result), *_intervals(result), *_tests(result)]
    if rope is not None and len(result.places) > 1 and len(result.finished) > 1:
        sentences.append(
            f"Differences of {result.metrics[0].name} up to {shown_rope(result, rope)} were taken to be practically "
            "none; the probabilities of practical differences are those of the Bayesian correlated t test (Corani and "
            "Benavoli 2015)."
        )
    if any(c.posterior is not None for cells in result.cells.values() for c in cells):
        sentences.append(
            "ROC curves and costs rest on the probabilities of the tested rows of the first repetition; areas under "
            "ROC curves have DeLong's interval (DeLong et al. 1988)."
        )
    versions = ", ".join(f"{k} {v}" for k, v in result.settings["versions"].items())
    sentences.append(f"Software: {versions}. The run took {result.settings['seconds']:.1f} seconds.")
    return sentences


def shown_rope(result: Comparison, rope: float) -> str:
    """The largest difference that does not matter, and how it compares with the best learner if it is in units."""
    best = result.ranking()[0].mean if result.ranking() else np.nan
    in_units = result.task == "regression" and not np.isfinite(result.metrics[0].bounds[1])
    share = f" ({rope / abs(best):.2g} times the best)" if in_units and best else ""
    return f"{rope:g}{share}"


def sources(sentences: list[str]) -> list[str]:
    """The full references of what the sentences name.

    >>> from assay.report.methods import sources
    >>> [s[:9] for s in sources(["by Holm's method (Holm 1979)."])]
    ['S. Holm: ']
    """
    text = " ".join(sentences)
    return [reference for name, reference in SOURCES.items() if name in text]


def usual_test(result: Comparison) -> TestResult | None:
    """The test that compared most pairs; a few may need another, where two learners never vary. None without pairs."""
    names = [s.learner for s in result.ranking() if not s.failure and not np.isnan(s.mean)][:12]
    tests = [result.test(a, b).result for i, a in enumerate(names) for b in names[i + 1 :]]
    test_names = [test.test for test in tests]
    return max(tests, key=lambda test: test_names.count(test.test), default=None)


def why_this_test(result: Comparison) -> Advice | None:
    """Why this test compared two learners, and not another; None where the guide recommends another."""
    names = [s.learner for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    if len(names) < 2 or result.design.kind == "given" or result.settings.get("weighted"):
        return None
    advice = which_test(2, splits=result.design.name, measure="rate" if result.metrics[0].rate else "value")
    used = usual_test(result)
    return advice if used is not None and used.code == advice.test else None


def _design(result: Comparison) -> str:
    d, settings = result.data, result.settings
    splits = len(result.places)
    test = sum(len(t) for t in result.tests) / max(splits, 1)
    train = sum(p[2] for p in result.places) / max(splits, 1)
    names = ", ".join(f"{x.name} ({x.words})" if x.words else x.name for x in result.metrics)
    remarks = " Rows of one group stay on one side of every split." if settings.get("grouped") else ""
    if settings.get("timed"):
        remarks += " Rows were put in order of time."
    if settings.get("weighted"):
        remarks += " Rows carry weights, in training and in the metrics."
    single = len(result.learners) == 1
    subject = (
        f"{result.learners[0]} was evaluated" if single else f"{len(result.learners)} learners were compared"
    )
    size = f"{train:.0f} training and {test:.0f} test row{'s' if round(test) != 1 else ''}"
    if splits > 1:
        size = f"on average {size}"
    return (
        f"{subject} on {d.name} ({d.words}) by {result.design}: {splits} split{'s' if splits != 1 else ''} with {size}"
        f"{'' if single else ', the same for every learner'} (random seed {settings['seed']}).{remarks} "
        f"Measured on the test rows:  {names}."
    )


def _learned(result: Comparison) -> str:
    learners_by_step: dict[str, list[str]] = {}
    for name, words in result.prepared.items():
        for word in filter(None, words.split(", ")):
            learners_by_step.setdefault(word, []).append(name)
    meaning = {
        "imputed": "missing values were replaced by the mean or the most frequent category for {}",
        "scaled": "numbers were standardised for {}",
        "indicators": "categories were expanded into indicator columns for {}",
        "own pipeline": "{} prepared the table by a pipeline of its own",
    }
    parts = [
        meaning[word].format(", ".join(names)) for word, names in learners_by_step.items() if word in meaning
    ]
    text = "; ".join(parts) or "no learner needed the table to be prepared"
    return (
        "Whatever is learned from data was learned from the training rows of each split alone. "
        f"{text[0].upper()}{text[1:]}."
    )


def _intervals(result: Comparison) -> list[str]:
    splits, level, m = len(result.places), shown_confidence(result.alpha), result.metrics[0]
    if not result.finished:
        return []
    rows = (
        "rows as the effective sample size of the weighted ones" if result.weights else "rows as were tested"
    )
    if result.task == "regression" and (splits < 2 or result._of_pooled_rows):
        sample = "With a single split" if splits < 2 else "Each row is a split of its own, so"
        return [
            f"{sample} the test rows are the sample: every measure is of all of them together, and its interval "
            f"({level}) rests on what each row adds to it (Student's t, the delta method), or comes from resampling "
            "the rows."
        ]
    if splits < 2:
        weighted = f" of as many {rows}" if result.weights else ""
        return [
            f"With a single split the test rows are the sample: intervals ({level}) of shares of rows are Wilson's "
            f"(Wilson 1927){weighted}; those of other measures are the measure's own on these rows (DeLong's for areas "
            "under ROC curves, the delta method's, Student's), or come from resampling the rows."
        ]
    ratio = test_rows_per_training_row(result, np.ones(splits, dtype=bool))
    wilson = (
        f" For shares of rows, such as {m.name}, the interval is never narrower than Wilson's interval (Wilson 1927) "
        f"of as many independent {rows}."
        if m.rate
        else ""
    )
    df = f"{splits - 1} degree{'s' if splits > 2 else ''} of freedom"
    return [
        f"Intervals ({level}) use Student's t distribution with {df} and the variance multiplied by 1/{splits} + "
        f"{ratio:.3f} instead of 1/{splits}, since splits share training rows (Nadeau and Bengio 2003).{wilson}"
    ]


def _tests(result: Comparison) -> list[str]:
    names = [s.learner for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    if len(names) < 2:
        return []
    usual = usual_test(result)
    if usual is None or usual.code == "none":
        reason = "" if usual is None else f": {usual.why[:1].lower()}{usual.why[1:]}"
        return [f"No pair of learners was tested{reason}."]
    return [
        _why(usual, result),
        f"{_adjustment(result, names)} Learners that share a letter (Piepho 2004) do not differ "
        f"significantly at level {result.alpha:g}; "
        "that is not evidence that they are equal.",
    ]


def _adjustment(result: Comparison, names: list[str]) -> str:
    """Over which pairs the p-values are adjusted."""
    n_baselines = sum(looks_at_nothing(result, name) for name in names)
    compared = len(names) - n_baselines
    all_pairs = comb(compared, 2)
    baseline_pairs = comb(len(names), 2) - all_pairs
    if max(all_pairs, baseline_pairs) == 1:
        return "The p-value is two-sided." if all_pairs + baseline_pairs == 1 else "P-values are two-sided."
    adjusted = "P-values are two-sided and adjusted by Holm's method (Holm 1979) over all "
    because = "because the best learner was chosen by looking at the results"
    if not n_baselines:
        return f"{adjusted}{all_pairs} pairs of learners, {because}."
    if all_pairs < 2:
        return f"{adjusted}{baseline_pairs} pairs with the baseline that looks at no column."
    return (
        f"{adjusted}{all_pairs} pairs of learners that look at columns, {because}; "
        f"those against the baseline that looks at none over the {baseline_pairs} pairs with it, since whether "
        "anything was learned is a question of its own."
    )


def _why(test: TestResult, result: Comparison) -> str:
    """Which test compared two learners, and why this one."""
    if test.code == "five_by_two_f":
        return (
            "Two learners were compared by the combined 5 x 2 cv F test (Alpaydin 1999), made for five halvings of "
            "the rows, each used both ways: it uses all ten differences and the spread within each halving."
        )
    if test.code == "mcnemar":
        return (
            "Two learners were compared by McNemar's test (McNemar 1947) on the test rows that exactly one of them "
            "gets wrong, since with one split the rows are the sample."
        )
    if test.code == "delong":
        return (
            "Two learners were compared by DeLong's test (DeLong et al. 1988) of two areas on the same test rows, "
            "since with one split the rows are the sample."
        )
    if test.code == "bootstrap":
        return (
            "Two learners were compared by a paired bootstrap, since with one split the rows are the sample: test rows "
            "were drawn again 500 times, the same for every learner, and the standard deviation of the differences is "
            "their standard error."
        )
    if test.code == "diebold_mariano":
        return (
            "Two learners were compared by Diebold and Mariano's test (Diebold and Mariano 1995) of what each test row "
            "adds to the difference: rows that follow one another in time err alike, and its variance allows for it."
        )
    if test.code == "paired_rows":
        return (
            "Two learners were compared by the paired t test of what each test row adds to the difference, since the "
            "rows are the sample."
        )
    if test.code == "z_test":
        return (
            "Two learners were compared by a z test of the weighted differences of their errors, row by row."
        )
    return (
        f"Two learners were compared, paired by split, by the {test.test} with the same variance: the plain "
        f"paired t test would take the {len(result.places)} splits for independent and call too many "
        "differences significant (Nadeau and Bengio 2003)."
    )
