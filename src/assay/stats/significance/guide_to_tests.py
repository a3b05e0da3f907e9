"""The table behind `which_test`: one entry per kind of design, the first that fits counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["GUIDE", "Entry"]


@dataclass(frozen=True)
class Entry:
    """Conditions (each key to what is allowed) and what to do when they hold."""

    when: dict[str, tuple[Any, ...]]
    test: str
    words: str
    call: str
    why: str
    effect: str
    assumes: tuple[str, ...]
    avoid: tuple[tuple[str, str], ...] = ()
    then: str = ""
    then_call: str = ""
    then_words: str = ""


ONE, TWO, MANY_DATASETS = ("one",), ("two",), ("many",)
RESAMPLED = ("folds", "repeated", "bootstrap", "time", "groups", "5x2")
ONCE = ("holdout", "leave-one-out")

ROWS = "test rows that are independent of each other and of training"
OVERLAP = "splits of one data set, whose overlap the ratio of test to training rows corrects for"
NORMAL = "differences that are roughly normal (means of many rows are)"
DATA = "data sets that are a sample of those the conclusion is about"
PLAIN_T = ("t_test", "it takes splits as independent; overlapping training rows make it find too much")
ANOVA_ON_FOLDS = ("anova", "it takes splits as independent; overlapping training rows make it find too much")
COUNT_WINS = ("sign_test", "it counts wins only and throws the sizes of differences away; keep it as a check")
MEAN_OVER_DATA = ("t_test", "differences on different data sets are neither on one scale nor normal")
MANY_PAIRS = "unadjusted pairs"
TOGETHER = (
    "Criteria such as precision and recall move together; one test of the vectors sees differences that each "
    "criterion alone hides, at one level."
)
CHANCE = "with many pairs some differ by chance; adjust, or test all at once"

GUIDE: tuple[Entry, ...] = (
    # Showing equality; of several criteria, each.
    Entry(
        {"goal": ("equivalence",), "learners": ("two", "many"), "paired": (False,)},
        "equivalence_test",
        "two one-sided tests of equivalence",
        "equivalence_test(first, second, rope=0.01, paired=False)",
        "Equality is shown by rejecting that the difference is as large as the region's ends, on both sides; by "
        "Welch's test, because there are no pairs. With more than two learners take every pair.",
        "cohen_d",
        (
            "independent values",
            "a region (rope) below which a difference has no consequence, chosen beforehand",
        ),
        (
            ("correlated_t", "there are no pairs"),
            ("rank_sum", "not being significant is no proof of equality"),
        ),
    ),
    Entry(
        {"goal": ("equivalence",), "datasets": MANY_DATASETS},
        "signed_rank_posterior",
        "the Bayesian signed-rank test with a region of practical equivalence",
        "signed_rank_posterior(first - second, rope=0.01)",
        "A p-value never shows equality; the posterior says how probable it is that differences over data sets are "
        "negligible. With more than two learners take every pair.",
        "rank_biserial",
        (DATA, "a region (rope) below which a difference has no consequence, chosen beforehand"),
        (("wilcoxon_signed_rank", "not being significant is no proof of equality"),),
    ),
    Entry(
        {"goal": ("equivalence",), "splits": RESAMPLED},
        "correlated_t",
        "the Bayesian correlated t test with a region of practical equivalence",
        "correlated_t(differences, ratio=test_rows / training_rows, rope=0.01)",
        "A p-value never shows equality; the posterior of the mean difference says how probable it is that it is "
        "negligible. With more than two learners take every pair.",
        "cohen_d",
        (OVERLAP, NORMAL, "a region (rope) below which a difference has no consequence, chosen beforehand"),
        (("paired_t", "not being significant is no proof of equality"),),
    ),
    Entry(
        {"goal": ("equivalence",)},
        "equivalence_test",
        "two one-sided tests of equivalence",
        "equivalence_test(first, second, rope=0.01)",
        "Equality is shown by rejecting that the difference is as large as the region's ends, on both sides. "
        "With more than two learners take every pair.",
        "cohen_d",
        (ROWS, NORMAL, "a region (rope) below which a difference has no consequence, chosen beforehand"),
        (("mcnemar", "not being significant is no proof of equality"),),
    ),
    # Several criteria at once.
    Entry(
        {"criteria": ("several",), "learners": ONE},
        "hotelling",
        "Hotelling's test",
        "hotelling(values, mean=claimed)",
        TOGETHER,
        "cohen_d",
        ("vectors that are roughly normal", "more values than criteria"),
        (("paired_t", "one test per criterion multiplies chances and ignores how criteria correlate"),),
    ),
    Entry(
        {"criteria": ("several",), "learners": TWO, "paired": (True,)},
        "hotelling",
        "Hotelling's test",
        "hotelling(first, second, paired=True)",
        TOGETHER,
        "cohen_d",
        ("vectors that are roughly normal", "more values than criteria"),
        (("paired_t", "one test per criterion multiplies chances and ignores how criteria correlate"),),
    ),
    Entry(
        {"criteria": ("several",), "learners": TWO, "paired": (False,)},
        "hotelling",
        "Hotelling's test",
        "hotelling(first, second)",
        TOGETHER,
        "cohen_d",
        ("vectors that are roughly normal", "more values than criteria"),
        (("t_test", "one test per criterion multiplies chances and ignores how criteria correlate"),),
    ),
    Entry(
        {"criteria": ("several",), "learners": MANY_DATASETS, "paired": (True,)},
        "manova",
        "multivariate analysis of variance",
        "manova(tables, blocked=True)",
        "Several criteria of several learners in one test; folds or data sets as blocks.",
        "cohen_d",
        ("vectors that are roughly normal, with one covariance (box_m)", "more values than criteria"),
        (("anova", "one per criterion multiplies chances and ignores how criteria correlate"),),
        "hotelling",
        "hotelling(tables[a], tables[b], paired=True), p-values through adjust",
        "Hotelling's test of pairs, adjusted for their number",
    ),
    Entry(
        {"criteria": ("several",), "learners": MANY_DATASETS, "paired": (False,)},
        "manova",
        "multivariate analysis of variance",
        "manova(tables)",
        "Several criteria of several learners in one test.",
        "cohen_d",
        ("vectors that are roughly normal, with one covariance (box_m)", "more values than criteria"),
        (("anova", "one per criterion multiplies chances and ignores how criteria correlate"),),
        "hotelling",
        "hotelling(tables[a], tables[b]), p-values through adjust",
        "Hotelling's test of pairs, adjusted for their number",
    ),
    # One learner and a claim.
    Entry(
        {"learners": ONE, "datasets": ONE, "splits": ONCE, "measure": ("rate",)},
        "binomial_test",
        "the exact binomial test",
        "binomial_test(errors, n, p0)",
        "Each test row is right or wrong: the number of errors is binomial.",
        "proportion_interval",
        (ROWS,),
        (("proportion_test", "its normal approximation is poor for few rows or small rates"),),
    ),
    Entry(
        {"learners": ONE, "datasets": ONE, "splits": ONCE, "measure": ("value",)},
        "t_test",
        "the t test of the mean loss",
        "t_test(losses, mean=claimed)",
        "The measure is a mean of losses of single rows, which are independent.",
        "mean_interval",
        (ROWS, "enough rows for a normal mean"),
        (("z_test", "the variance is not known but estimated"),),
    ),
    Entry(
        {"learners": ONE, "datasets": ONE, "splits": ("independent",)},
        "t_test",
        "the t test of one mean",
        "t_test(values, mean=claimed)",
        "Independent values of one learner against a claimed mean.",
        "mean_interval",
        ("independent values, roughly normal",),
        (("z_test", "the variance is not known but estimated"),),
    ),
    Entry(
        {"learners": ONE, "datasets": ONE},
        "paired_t",
        "the corrected resampled t test against the claim",
        "paired_t(values - claimed, ratio=test_rows / training_rows)",
        "The mean over splits estimates the error; the correction widens the interval for shared training rows.",
        "corrected_interval",
        (OVERLAP,),
        (PLAIN_T,),
    ),
    Entry(
        {"learners": ONE, "datasets": MANY_DATASETS},
        "wilcoxon_signed_rank",
        "Wilcoxon's signed-rank test against the claims",
        "wilcoxon_signed_rank(values, claimed)",
        "One value per data set against the value claimed for it, whatever the scale.",
        "rank_biserial",
        (DATA, "differences spread symmetrically"),
        (COUNT_WINS, MEAN_OVER_DATA),
    ),
    # Two learners.
    Entry(
        {"learners": TWO, "datasets": MANY_DATASETS, "paired": (True,)},
        "wilcoxon_signed_rank",
        "Wilcoxon's signed-rank test",
        "wilcoxon_signed_rank(first, second)",
        "One difference per data set, ranked by size: no scale and no normal distribution is assumed.",
        "rank_biserial",
        (DATA, "differences spread symmetrically"),
        (MEAN_OVER_DATA, COUNT_WINS),
    ),
    Entry(
        {"learners": TWO, "datasets": MANY_DATASETS, "paired": (False,)},
        "rank_sum",
        "the rank-sum test",
        "rank_sum(first, second)",
        "The learners ran on different data sets, so that values can only be pooled and ranked.",
        "cliff_delta",
        (DATA,),
        (("wilcoxon_signed_rank", "there are no pairs"), MEAN_OVER_DATA),
    ),
    Entry(
        {"learners": TWO, "splits": ONCE, "measure": ("rate",), "paired": (True,)},
        "mcnemar",
        "McNemar's test",
        "mcnemar(only_first_wrong, only_second_wrong)",
        "Both learners answered the same rows: only rows on which one is right and the other wrong can tell them "
        "apart.",
        "discordant_odds",
        (ROWS,),
        (
            (
                "two_proportions_test",
                "it takes the two error rates as independent, though they come from the same rows",
            ),
        ),
    ),
    Entry(
        {"learners": TWO, "splits": ONCE, "measure": ("rate",), "paired": (False,)},
        "two_proportions_test",
        "the test of two proportions",
        "two_proportions_test(errors_first, n_first, errors_second, n_second)",
        "Each learner was tested on rows of its own: two independent proportions.",
        "cohen_h",
        (ROWS,),
        (("mcnemar", "it needs both answers on every row"),),
    ),
    Entry(
        {"learners": TWO, "splits": ONCE, "measure": ("value",), "paired": (True,)},
        "permutation_test",
        "the paired permutation test",
        "permutation_test(losses_first, losses_second)",
        "Losses of the same rows, compared row by row; no distribution is assumed. For areas under the ROC curve "
        "use DeLong's interval of the difference instead.",
        "cohen_d",
        (ROWS, "a measure that is a mean over rows"),
        (("t_test", "losses of rows are often skewed; with thousands of rows it agrees"),),
    ),
    Entry(
        {"learners": TWO, "splits": (*ONCE, "independent"), "paired": (False,)},
        "rank_sum",
        "the rank-sum test",
        "rank_sum(first, second)",
        "Two independent samples of values; ranks need no normal distribution.",
        "vargha_delaney_a",
        ("independent values",),
        (
            ("wilcoxon_signed_rank", "there are no pairs"),
            ("t_test", "values are often skewed; Welch's form else"),
        ),
    ),
    Entry(
        {"learners": TWO, "splits": ("independent",), "paired": (True,)},
        "t_test",
        "the paired t test",
        "t_test(first, second, paired=True)",
        "Independent pairs, such as losses on fresh samples or returns from matched starts.",
        "cohen_d",
        ("independent pairs", NORMAL),
        (("rank_sum", "it ignores the pairs"), COUNT_WINS),
    ),
    Entry(
        {"learners": TWO, "splits": ("5x2",), "paired": (True,)},
        "five_by_two_f",
        "the combined 5x2 cv F test",
        "five_by_two_f(differences)  # (5, 2)",
        "Five halvings: training sets of one halving share no row, and all ten differences are used.",
        "cohen_d",
        ("measured on 5x2 cross-validation", NORMAL),
        (("five_by_two_t", "it rests on one of ten differences, and changes if folds are swapped"), PLAIN_T),
    ),
    Entry(
        {"learners": TWO, "paired": (True,)},
        "paired_t",
        "the corrected resampled paired t test",
        "paired_t(differences, ratio=test_rows / training_rows)",
        "The same splits for both learners: differences per split, with a variance corrected for training rows that "
        "splits share (Nadeau and Bengio 2003).",
        "cohen_d",
        (OVERLAP, NORMAL),
        (PLAIN_T, ("wilcoxon_signed_rank", "it takes splits as independent, too")),
    ),
    Entry(
        {"learners": TWO, "paired": (False,)},
        "rank_sum",
        "the rank-sum test",
        "rank_sum(first, second)",
        "The learners saw different splits, so that values cannot be paired. Run both on the same splits: it sees "
        "more.",
        "cliff_delta",
        ("values that are independent, which splits of one data set are not: read p with care",),
        (("paired_t", "there are no pairs"),),
    ),
    # Many learners.
    Entry(
        {"learners": MANY_DATASETS, "datasets": MANY_DATASETS, "paired": (True,), "goal": ("control",)},
        "friedman",
        "Friedman's test in Iman and Davenport's form",
        "found = friedman(table)",
        "Ranks within each data set need no common scale; with a control only k - 1 comparisons are paid for.",
        "Friedman.kendall_w",
        (DATA, "one value per learner and data set"),
        (
            ("anova", "data sets differ in scale and spread"),
            ("nemenyi", "it pays for all pairs, though few are compared"),
        ),
        "compare_ranks",
        'compare_ranks(found, "holm", control=...)',
        "Holm's comparison of average ranks with the control",
    ),
    Entry(
        {"learners": MANY_DATASETS, "datasets": MANY_DATASETS, "paired": (True,)},
        "friedman",
        "Friedman's test in Iman and Davenport's form",
        "found = friedman(table)",
        "Ranks within each data set need no common scale and no normal distribution; all learners are compared at "
        "one level.",
        "Friedman.kendall_w",
        (DATA, "one value per learner and data set"),
        (
            ("anova", "data sets differ in scale and spread"),
            ("wilcoxon_signed_rank", "for every pair: " + CHANCE),
        ),
        "nemenyi",
        'nemenyi(found), or compare_ranks(found, "shaffer"), which finds more but has no critical difference',
        "Nemenyi's comparison of all pairs of average ranks",
    ),
    Entry(
        {"learners": MANY_DATASETS, "datasets": MANY_DATASETS, "paired": (False,)},
        "kruskal_wallis",
        "the Kruskal-Wallis test",
        "found = kruskal_wallis(samples)",
        "The learners ran on different data sets; all values are ranked together.",
        "cliff_delta",
        (DATA, "independent samples whose distributions have one shape"),
        (("friedman", "it needs every learner on every data set"), (MANY_PAIRS, CHANCE)),
        "dunn",
        "dunn(found)",
        "a Tukey-type comparison of mean ranks",
    ),
    Entry(
        {"learners": MANY_DATASETS, "splits": ONCE, "measure": ("rate",), "paired": (True,)},
        "mcnemar",
        "McNemar's tests of pairs",
        "mcnemar(only_first_wrong, only_second_wrong) for each pair",
        "All learners answered the same rows once; pairs are compared on the rows where they disagree.",
        "discordant_odds",
        (ROWS,),
        ((MANY_PAIRS, CHANCE), ("anova", "one split has no replicates")),
        "adjust",
        'adjust(p, "holm")',
        "Holm's adjustment for the number of pairs",
    ),
    Entry(
        {"learners": MANY_DATASETS, "splits": ONCE, "paired": (True,)},
        "permutation_test",
        "paired permutation tests of pairs",
        "permutation_test(losses_first, losses_second) for each pair",
        "Losses of the same rows, compared row by row, pair by pair.",
        "cohen_d",
        (ROWS, "a measure that is a mean over rows"),
        ((MANY_PAIRS, CHANCE), ("anova", "one split has no replicates")),
        "adjust",
        'adjust(p, "holm")',
        "Holm's adjustment for the number of pairs",
    ),
    Entry(
        {"learners": MANY_DATASETS, "splits": ("independent",), "paired": (True,), "goal": ("control",)},
        "anova",
        "blocked analysis of variance",
        "found = anova(table, blocked=True)",
        "Independent replicates as blocks: what they have in common does not count as error.",
        "cohen_d",
        ("independent replicates", "normal residuals with one variance"),
        (("kruskal_wallis", "it ignores that replicates are shared"), (MANY_PAIRS, CHANCE)),
        "post_hoc",
        'post_hoc(result, "dunnett", control=...)',
        "Dunnett's comparison of means with the control",
    ),
    Entry(
        {"learners": MANY_DATASETS, "splits": ("independent",), "paired": (True,)},
        "anova",
        "blocked analysis of variance",
        "found = anova(table, blocked=True)",
        "Independent replicates as blocks: what they have in common does not count as error.",
        "cohen_d",
        ("independent replicates", "normal residuals with one variance (friedman without)"),
        (("kruskal_wallis", "it ignores that replicates are shared"), (MANY_PAIRS, CHANCE)),
        "post_hoc",
        'post_hoc(result, "tukey"), or contrast(result, weights) for a question asked beforehand',
        "Tukey's comparison of all pairs of means",
    ),
    Entry(
        {"learners": MANY_DATASETS, "splits": ("independent",), "paired": (False,)},
        "anova",
        "analysis of variance",
        "found = anova(samples)",
        "Independent samples of values, one per learner.",
        "cohen_d",
        ("independent values", "normal, with one variance (levene); else kruskal_wallis"),
        ((MANY_PAIRS, CHANCE), ("friedman", "there are no blocks")),
        "post_hoc",
        'post_hoc(result, "tukey")',
        "Tukey's comparison of all pairs of means",
    ),
    Entry(
        {"learners": MANY_DATASETS, "splits": ("5x2",), "paired": (True,)},
        "five_by_two_f",
        "combined 5x2 cv F tests of pairs",
        "five_by_two_f(differences) for each pair",
        "Five halvings of one data set; training sets of one halving share no row.",
        "cohen_d",
        ("measured on 5x2 cross-validation", NORMAL),
        ((MANY_PAIRS, CHANCE), ANOVA_ON_FOLDS),
        "adjust",
        'adjust(p, "holm")',
        "Holm's adjustment for the number of pairs",
    ),
    Entry(
        {"learners": MANY_DATASETS, "paired": (True,)},
        "paired_t",
        "corrected resampled paired t tests of pairs",
        "paired_t_all(differences, ratio=test_rows / training_rows)",
        "The same splits for all learners: differences per split, with a variance corrected for training rows that "
        "splits share.",
        "cohen_d",
        (OVERLAP, NORMAL),
        (
            (MANY_PAIRS, CHANCE),
            ANOVA_ON_FOLDS,
            ("friedman", "folds of one data set are not independent data sets"),
        ),
        "adjust",
        'adjust(p, "holm")',
        "Holm's adjustment for the number of pairs",
    ),
    Entry(
        {"learners": MANY_DATASETS, "paired": (False,)},
        "kruskal_wallis",
        "the Kruskal-Wallis test",
        "found = kruskal_wallis(samples)",
        "The learners saw different splits, so that values cannot be paired. Run all on the same splits: it sees "
        "more.",
        "cliff_delta",
        ("values that are independent, which splits of one data set are not: read p with care",),
        (("friedman", "there are no blocks"), (MANY_PAIRS, CHANCE)),
        "dunn",
        "dunn(found)",
        "a Tukey-type comparison of mean ranks",
    ),
)
