"""Whether anything was learned is decided once: table, conclusion and notes agree."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.evaluate import compare
from assay.evaluate.doubts import doubts
from assay.evaluate.learned import learned
from assay.evaluate.show import conclusion
from assay.report.methods import methods
from assay.stats import holm, mcnemar

NOTHING = "nothing was shown to be learned"
TWELVE = ["majority", "lda", "rda", "logistic", "forest", "knn", "c45", "qda", "naive bayes", "ripper", "nearest mean",
          "boosting"]  # fmt: skip


def two_clouds(n, apart=3.0, seed=1):
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b"])[np.arange(n) % 2]
    return np.c_[rng.normal(size=n) + apart * (y == "b"), rng.normal(size=n)], y


@pytest.mark.parametrize("apart", [0.0, 1.0, 3.0, 6.0])
@pytest.mark.parametrize(
    ("n", "design"), [(20, "3x10"), (24, "5-fold"), (30, "holdout"), (24, "5x2"), (80, "3x10")]
)
def test_sentence_note_and_table_are_one_decision(n, design, apart):
    """A learner is significantly better than the majority exactly if it shares no letter with it."""
    result = compare(
        ["majority", "naive bayes", "lda", "knn", "c45", "logistic", "nearest mean"],
        *two_clouds(n, apart),
        design=design,
    )
    who, letters = learned(result), {s.learner: set(s.letters) for s in result.ranking()}
    for name in (*who.shown, *who.not_shown):
        assert (name in who.not_shown) == bool(letters[name] & letters["majority"])
    nothing = not who.shown
    assert (NOTHING in conclusion(result)) == nothing
    noted = [f for f in doubts(result) if f.code == "no-better-than-majority"]
    assert any(NOTHING in f.sentence for f in noted) == nothing
    assert bool(noted) == bool(who.not_shown)


def test_a_learner_that_never_errs_differs_from_the_majority_on_as_many_rows_as_there_are():
    """Ten folds of 8 rows: the gap is 0.5 on every split, so no variance; 40 of 80 rows are wrong for one alone."""
    result = compare(["majority", "lda"], *two_clouds(80, apart=40.0), design="3x10")
    found = result.test("majority", "lda")
    assert result.values("majority").std() == 0 and found.result.estimate == 0.5
    assert found.result.p == mcnemar(40, 0, n=80).p < 1e-8 and "McNemar" in found.result.test
    assert learned(result).shown == ("lda",)


def test_a_learner_is_compared_with_the_baseline_alone_to_show_that_it_learned():
    """Twelve learners, 20 rows: an exact p of 2^-9 is significant among 11 pairs with the majority, not among 66."""
    result = compare(TWELVE, *two_clouds(20), design="3x10")
    against_baseline = result.test("lda", "majority")
    assert against_baseline.result.p == 2**-9 and against_baseline.pairs == 11
    baseline = [result.test(name, "majority") for name in TWELVE[1:]]
    assert_allclose([v.adjusted for v in baseline], holm([v.result.p for v in baseline]), rtol=1e-12)
    assert "lda" in learned(result).shown and NOTHING not in str(result)
    standing = {s.learner: s for s in result.ranking()}
    assert standing["majority"].p == against_baseline.adjusted and not standing["majority"].level
    others = [result.test(a, b) for a, b in combinations(TWELVE[1:], 2)]
    assert {v.pairs for v in others} == {55}
    over_all = holm([v.result.p for v in baseline + others])
    assert over_all[TWELVE.index("lda") - 1] > 0.05 >= against_baseline.adjusted
    assert_allclose([v.adjusted for v in others], holm([v.result.p for v in others]), rtol=1e-12)
    text = " ".join(methods(result))
    assert (
        "over all 55 pairs of learners that look at columns" in text and "over the 11 pairs with it" in text
    )


def test_who_learned_is_named_where_the_best_one_has_too_few_rows_to_show_it():
    """20 rows: the learner without error has an exact p of 2^-9, times 5 or more; others are judged by their spread."""
    result = compare(TWELVE, *two_clouds(20), design="3x10", alpha=0.009)
    who = learned(result)
    assert result.best in who.not_shown and "knn" in who.shown
    assert "majority looks at no column; significantly better than it: " in conclusion(result)
    assert NOTHING not in str(result)


def test_without_a_majority_learner_the_most_frequent_class_stands_for_it():
    result = compare(["lda", "naive bayes"], *two_clouds(60, apart=0.0), design="10-fold")
    assert learned(result).reference == "" and NOTHING in conclusion(result)
    result = compare(["lda", "naive bayes"], *two_clouds(60), design="10-fold")
    assert learned(result).shown == tuple(s.learner for s in result.ranking())
    by_auc = compare(["lda"], *two_clouds(60), design="10-fold", metrics=["auc"])
    assert learned(by_auc) is None
