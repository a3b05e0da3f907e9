"""The first half of the page: what stands in it is what the comparison says."""

import numpy as np
import pytest

from assay import compare
from assay.bayes import GaussianNB
from assay.report.rank_diagram import average_ranks
from assay.report.ranking import differences, measures, pairs, ranks, tiles
from assay.tables.data import load_breast_cancer, load_iris


@pytest.fixture(scope="module")
def result():
    return compare(
        ["lda", "naive bayes", "majority", "nearest mean"],
        load_breast_cancer(),
        design="2x5",
        metrics=["error", "auc"],
    )


def test_practical_differences_are_those_of_the_bayesian_test(result):
    found = differences(result, 0.01)
    assert found["rope"] == 0.01
    for row in found["rows"]:
        told = result.bayes(row["learner"], result.best, rope=0.01)
        assert f"worse {told.right:.0%}" in row["size"]
        assert row["effect"] == str(result.effect(row["learner"], result.best))


def test_where_higher_is_better_worse_is_lower():
    result = compare(["lda", "majority"], load_breast_cancer(), design="2x5", metrics=["auc"])
    assert differences(result, 0.01)["rows"][0]["size"] == "practically worse 100%"


def test_a_wide_region_makes_all_practically_equal(result):
    rows = differences(result, 0.9)["rows"]
    assert all(row["size"] == "practically equal" for row in rows)
    assert all(row["size"] == "" for row in differences(result, None)["rows"])


def test_equal_learners_are_practically_equal():
    X, y = load_iris()
    same = compare({"a": GaussianNB(), "b": GaussianNB()}, X, y, design="3-fold")
    assert differences(same, 0.01)["rows"][0]["size"] == "practically equal"


def test_one_split_has_no_posterior():
    once = compare(["lda", "majority"], load_iris(), design="holdout")
    row = differences(once, 0.01)["rows"][0]
    assert row["size"] == "" and "inf" not in row["effect"]


def test_the_matrix_of_pairs_is_antisymmetric_and_marks_what_is_significant(result):
    found = pairs(result)
    names = found["names"]
    for i, a in enumerate(names):
        assert found["rows"][i]["cells"][i] is None
        for j, b in enumerate(names):
            if i == j:
                continue
            cell, verdict = found["rows"][i]["cells"][j], result.test(a, b)
            assert (cell["kind"] != "") == verdict.significant
            if verdict.significant:
                assert cell["kind"] == ("ahead" if verdict.result.estimate < 0 else "behind")
            assert float(cell["gap"].replace("−", "-")) == pytest.approx(verdict.result.estimate, abs=5.1e-5)
            assert cell["p"] == found["rows"][j]["cells"][i]["p"]


def test_ranks_are_drawn_for_three_learners_and_two_splits(result):
    drawn = str(ranks(result)["plot"])
    names = [s.learner for s in result.ranking()]
    for rank in average_ranks(np.array([result.values(n) for n in names]).T, "lower"):
        assert f"{rank:.2f}" in drawn
    assert ranks(compare(["lda", "majority"], load_iris(), design="3-fold")) is None
    assert ranks(compare(["lda", "knn", "majority"], load_iris(), design="holdout")) is None


def test_two_learners_have_no_matrix_and_one_metric_no_table_of_measures():
    small = compare(["lda", "majority"], load_iris(), design="3-fold")
    assert pairs(small) is None and measures(small) is None
    assert differences(compare(["lda"], load_iris(), design="3-fold"), 0.01) is None


def test_tiles_count_what_there_is(result):
    counts = {what: count for count, what, _ in tiles(result)}
    assert counts["rows"] == "569" and counts["columns"] == "30" and counts["splits"] == "10"
