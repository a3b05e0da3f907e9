"""What follows over many data sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.experiments.conclusion import conclude
from assay.metrics import measures
from assay.stats.significance.friedman import friedman
from assay.stats.significance.wilcoxon import wilcoxon_signed_rank

# Spec 19.13.2: 5 data sets x 3 algorithms; average ranks 2.8, 1.4, 1.8, F_F 4.33333333 (p .05308416), CD 1.48228640.
FIVE = np.array(
    [[0.80, 0.85, 0.82], [0.70, 0.76, 0.74], [0.91, 0.90, 0.93], [0.65, 0.72, 0.70], [0.88, 0.92, 0.89]]
)
# Spec 19.13.1: accuracies on 14 data sets; R+ 93, R- 12, z -2.54244752.
C45 = [.763, .599, .954, .628, .882, .936, .661, .583, .775, 1.0, .940, .619, .972, .957]  # fmt: skip
C45M = [.768, .591, .971, .661, .888, .931, .668, .583, .838, 1.0, .962, .666, .981, .978]  # fmt: skip


class Stub:
    """A study as far as a conclusion looks at it: a table, names, failures."""

    missing = 1

    def __init__(self, table, failures=(), alpha=0.05):
        self.values = np.array(table, dtype=float)
        N, L = self.values.shape
        self.data, self.learners = [f"d{i}" for i in range(N)], list("abcdefgh"[:L])
        self.failures, self.alpha = dict.fromkeys(failures, "failed"), alpha
        self.manifest = type("M", (), {"seed": 0})()

    def table(self, metric):
        return self.values


def of(table, metric="accuracy", control=None, missing="leave out", rope=0.01, **more):
    return conclude(Stub(table, **more), measures()[metric], control, missing, rope)


def test_more_than_two_learners_the_example_of_the_book():
    found = of(FIVE)
    assert_allclose(found.ranks, [2.8, 1.4, 1.8], rtol=1e-12)
    assert_allclose([found.test.statistic, found.test.p], [4.33333333, 0.05308416], atol=1e-8)
    assert_allclose(found.pairs.critical, 1.48228640, atol=1e-8)
    assert found.best == "b"
    assert found.letters == ["a", "a", "a"]
    assert found.sentences[0] == (
        "By accuracy, b ranks best over 5 data sets, but no learner is shown to be better than another."
    )
    assert found.sentences[1] == str(found.test) and "not significant" in found.sentences[1]
    assert found.sentences[2] == "Average ranks, 1 is the best: b 1.40, c 1.80, a 2.80."


def test_means_of_any_size_are_ranked():
    tiny, two = of(1e-15 * FIVE), of(1e-15 * np.array([C45, C45M]).T)
    assert_allclose(tiny.ranks, of(FIVE).ranks)
    assert tiny.test.p == of(FIVE).test.p and tiny.best == "b"
    assert two.test.p == of(np.array([C45, C45M]).T).test.p and "equal on 2" in two.sentences[1]


def test_errors_rank_the_other_way():
    assert_allclose(of(1 - FIVE, "error").ranks, of(FIVE).ranks)
    assert of(1 - FIVE, "error").test.p == of(FIVE).test.p


def test_two_learners_the_example_of_the_book():
    found = of(np.column_stack([C45, C45M]))
    assert found.test == wilcoxon_signed_rank(np.round(np.subtract(C45M, C45), 12))
    assert {found.test.r_plus, found.test.r_minus} == {93.0, 12.0}
    assert_allclose(found.test.z, -2.54244752, atol=1e-8)
    assert found.test.rejected and found.letters == ["a", "b"]
    (sign,) = found.also
    assert (sign.wins, sign.losses, sign.ties) == (10, 2, 2)  # the first is worse on ten
    assert found.best == "b"
    assert found.sentences[0] == "By accuracy, b is better than a over 14 data sets."
    told = "a is better than b on 2 of 14 data sets, worse on 10, equal on 2; the median difference is 0.0"
    assert found.sentences[1].startswith(told)
    total = found.bayes.left + found.bayes.within + found.bayes.right
    assert found.bayes.right > found.bayes.left and total == pytest.approx(1)
    assert f"b with {found.bayes.right:.3f}" in found.sentences[4]


def test_swapping_two_learners_changes_sides_alone():
    one, other = of(np.column_stack([C45, C45M])), of(np.column_stack([C45M, C45]))
    assert one.test.p == other.test.p
    assert other.best == "a"
    assert one.bayes.left == pytest.approx(other.bayes.right, abs=0.02)  # drawn


def test_clear_winners_are_named_and_grouped():
    rng = np.random.default_rng(0)
    table = np.array([0.1, 0.12, 0.3, 0.5]) + rng.normal(0, 0.03, size=(20, 4))
    found = of(table, "error")
    assert found.test.rejected
    assert found.sentences[0] == (
        "By error, a ranks best over 20 data sets and is better than c, d; not shown to be worse: b."
    )
    assert found.sentences[3] == "Nemenyi's test: learners differ whose average ranks are 1.05 or more apart."
    assert found.letters == ["a", "a", "b", "b"]  # ranks 3 and 4 are closer than 1.05
    peer = friedman(np.round(table, 12), better="lower")
    assert found.friedman.test.p == peer.test.p and found.friedman.groups == peer.groups


def test_a_test_of_all_that_rejects_though_no_pair_does_is_told_so():
    few = of(np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]] * 2 + [[0.2, 0.1, 0.3, 0.4, 0.6, 0.5]]), "error")
    assert few.test.rejected and not few.pairs.differ.any()
    assert few.sentences[0].endswith("; the learners are not all equal, but no pair is shown to differ.")


def test_two_data_sets_that_agree_show_little():
    """F is infinite, yet two orders of three learners agree in one of six cases by chance; four rarely do."""
    found = of([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]])
    assert_allclose(found.test.p, 1 / 6, rtol=1e-12)
    assert found.test.statistic == np.inf and found.letters == ["a", "a", "a"]
    assert "no learner is shown to be better" in found.sentences[0] and "p = 0.167" in found.sentences[1]
    assert_allclose(of([[0.9, 0.8, 0.7]] * 4).test.p, 6.0**-3, rtol=1e-12)


def test_against_a_control():
    rng = np.random.default_rng(0)
    table = np.array([0.3, 0.29, 0.1, 0.5]) + rng.normal(0, 0.03, size=(20, 4))
    found = of(table, "error", control="a")
    first = found.sentences[0]
    assert first.startswith(
        "By error, against a (comparison of average ranks, adjusted by holm): c better (p "
    )
    assert "d worse (p " in first and "b no difference shown (p = " in first
    with pytest.raises(ParameterError, match=r"no learner 'z' to be the control\. There are: a, b, c, d"):
        of(table, "error", control="z")


def test_a_data_set_where_a_learner_failed_is_left_out_with_a_sentence():
    table = FIVE.copy()
    table[1, 2] = np.nan
    found = of(table, failures=[("d1", "c")])
    assert found.data == ["d0", "d2", "d3", "d4"]
    assert "d1 is left out: c failed there." in found.sentences
    assert (
        "4 data sets are few: only large differences could be shown. Read each data set's own comparison too."
        in (found.sentences)
    )
    assert_allclose(found.ranks, of(FIVE[[0, 2, 3, 4]]).ranks)


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_or_ranked_last_there_if_so_asked(metric):
    table = FIVE.copy()
    table[1, 1] = np.nan
    found = of(table, metric, missing="last", failures=[("d1", "b")])
    assert found.data == [f"d{i}" for i in range(5)]
    assert "On d1, b failed and was ranked last." in found.sentences
    last = FIVE.copy()
    last[1, 1] = 0.0 if metric == "accuracy" else 9.0
    assert_allclose(found.ranks, of(last, metric).ranks)
    assert np.isnan(found.means[1, 1])  # what was not measured is not shown
    assert found.best in "abc"
    not_run = of(table, metric, missing="last")  # missing, but not by failing
    assert "d1 is left out: b has no mean there." in not_run.sentences


def test_a_learner_without_any_mean_takes_no_part():
    table = np.column_stack([FIVE, np.full(5, np.nan)])
    found = of(table)
    assert np.isnan(found.ranks[3]) and found.letters[3] == ""
    assert "d has no mean on any data set and takes no part." in found.sentences
    assert_allclose(found.ranks[:3], of(FIVE).ranks)
    with pytest.raises(ParameterError, match="the control d has no mean"):
        of(table, control="d")


def test_odd_tables_have_outcomes_and_sentences():
    equal = of(np.full((6, 3), 0.5))
    assert equal.test.p == 1.0 and equal.ranks.tolist() == [2.0, 2.0, 2.0]
    two = of(np.full((6, 2), 0.5))
    assert two.test.p == 1.0 and two.also[0].p == 1.0 and two.test.why
    alone = of(FIVE[:, :1])
    assert alone.test is None and alone.sentences == ["a alone: mean accuracy 0.7880 over 5 data sets."]
    apart = FIVE[:2].copy()
    apart[0, 0] = apart[1, 1] = np.nan
    nothing = of(apart)
    assert nothing.test is None and np.isnan(nothing.ranks).all()
    assert nothing.sentences[-1].startswith("No data set has a mean of every learner")
    with pytest.raises(ParameterError, match="no data set has a mean accuracy yet"):
        of(np.full((3, 2), np.nan))
    with pytest.raises(ParameterError, match='missing must be "leave out" or "last"'):
        of(FIVE, missing="worst")
    for rope in (-1, "a", np.nan):
        with pytest.raises(ParameterError, match="rope must be a number from 0 up"):
            of(FIVE, rope=rope)


def test_the_median_difference_is_told_with_its_side():
    def told(a, b):
        return of(np.column_stack([a, b]), "error").sentences[1].split("the median difference is ")[1]

    a, b = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([0.2, 0.4, 0.35, 0.4, 0.6])
    assert told(a, b) == "0.1000 in favour of a."
    assert told(b, a) == "0.1000 in favour of b."
    assert told(a, a) == "0."


def test_rounding_does_not_break_ties():
    table = np.array([[0.1 + 0.2, 0.3, 0.5]] * 6)
    assert of(table, "error").ranks.tolist() == [1.5, 1.5, 3.0]


def test_conclusions_of_equal_learners_are_wrong_at_level_alpha():
    """800 studies of 4 equal learners on 12 data sets: rejected in 5 %, within 4 standard deviations."""
    rng = np.random.default_rng(2)
    wrong = sum(of(rng.normal(0.3, 0.05, size=(12, 4)), "error").test.rejected for _ in range(800))
    assert abs(wrong / 800 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 800)


def test_a_control_on_one_data_set_is_compared_there():
    from assay.experiments.experiment import Experiment

    study = Experiment(["lda", "naive bayes", "majority"], ["iris"], design="5-fold").run()
    said = study.conclusion(control="lda").sentences
    assert said[1] == str(study.comparison("iris").test("naive bayes", "lda"))
    assert said[2].startswith("majority has a higher error than lda") and len(said) == 4
    for name in ("LinearDiscriminantAnalysis", "LDA", " lda"):
        assert study.conclusion(control=name).sentences == said
    with pytest.raises(
        ParameterError, match=r"no learner 'knn' to be the control\. There are: lda, naive bayes"
    ):
        study.conclusion(control="knn")
