"""Which test: every design has one, every row of the guide is needed, all names and calls exist, worked choices."""

import inspect
import itertools
import re
from itertools import product

import numpy as np
import pytest

import assay.stats
from assay.errors import ParameterError
from assay.stats.significance.guide_to_tests import GUIDE
from assay.stats.significance.which_test import GOALS, SPLITS, entry_for, kind_of_splits, which_test

CASES = [
    dict(zip(("learners", "datasets", "splits", "measure", "criteria", "paired", "goal"), case))
    for case in product(
        ("one", "two", "many"),
        ("one", "many"),
        SPLITS,
        ("rate", "value"),
        ("one", "several"),
        (True, False),
        GOALS,
    )
]


def test_every_design_has_a_test_and_every_entry_a_design():
    used = [GUIDE.index(entry_for(case)) for case in CASES]
    assert set(used) == set(range(len(GUIDE)))


@pytest.mark.parametrize("entry", GUIDE, ids=lambda e: f"{e.test}-{'-'.join(map(str, e.when))}")
def test_names_and_calls_exist(entry):
    for name in (entry.test, entry.then, entry.effect.split(".")[0], *(n for n, _ in entry.avoid)):
        assert not name or name == "unadjusted pairs" or hasattr(assay.stats, name), name
    if "." in entry.effect:
        owner, attribute = entry.effect.split(".")
        assert attribute in getattr(assay.stats, owner).__dataclass_fields__
    for call in (entry.call, entry.then_call):
        for name, inside in re.findall(r"(\w+)\(([^()]*)\)", call):
            allowed = inspect.signature(getattr(assay.stats, name)).parameters
            for keyword in re.findall(r"(\w+)=", inside):
                assert keyword in allowed, f"{name} has no {keyword}"
    assert bool(entry.then) == bool(entry.then_call) == bool(entry.then_words)
    assert entry.why.endswith(".") and entry.assumes


def test_no_entry_advises_against_its_own_test():
    for entry in GUIDE:
        assert entry.test not in [name for name, _ in entry.avoid]


def test_every_test_of_the_room_is_recommended_or_spoken_of():
    text = " ".join(
        " ".join([e.test, e.call, e.then_call, e.effect, *e.assumes, *(n for n, _ in e.avoid)]) for e in GUIDE
    ) + inspect.getsource(which_test.__globals__["_notes"])
    for name in (
        "binomial_test", "proportion_test", "two_proportions_test", "t_test", "z_test", "paired_t", "mcnemar",
        "five_by_two_t", "five_by_two_f", "sign_test", "wilcoxon_signed_rank", "rank_sum", "permutation_test",
        "hotelling", "equivalence_test", "correlated_t", "signed_rank_posterior", "anova", "levene", "box_m",
        "post_hoc", "contrast", "kruskal_wallis", "dunn", "friedman", "quade", "nemenyi", "compare_ranks",
        "manova", "adjust",
    ):  # fmt: skip
        assert name in text, name


@pytest.mark.parametrize(
    ("given", "test", "then"),
    [
        ({}, "paired_t", ""),
        ({"splits": "holdout", "measure": "rate"}, "mcnemar", ""),
        ({"splits": "holdout", "measure": "rate", "paired": False}, "two_proportions_test", ""),
        ({"splits": "holdout"}, "permutation_test", ""),
        ({"splits": "5x2"}, "five_by_two_f", ""),
        ({"splits": "10x10"}, "paired_t", ""),
        ({"splits": "10x10", "goal": "equivalence"}, "correlated_t", ""),
        ({"splits": "holdout", "goal": "equivalence"}, "equivalence_test", ""),
        ({"datasets": 14}, "wilcoxon_signed_rank", ""),
        ({"datasets": 14, "goal": "equivalence"}, "signed_rank_posterior", ""),
        ({"learners": 4, "datasets": 14}, "friedman", "nemenyi"),
        ({"learners": 4, "datasets": 14, "goal": "control"}, "friedman", "compare_ranks"),
        ({"learners": 4, "datasets": 14, "paired": False}, "kruskal_wallis", "dunn"),
        ({"learners": 4}, "paired_t", "adjust"),
        ({"learners": 4, "splits": "independent"}, "anova", "post_hoc"),
        ({"learners": 1, "splits": "holdout", "measure": "rate"}, "binomial_test", ""),
        ({"learners": 1}, "paired_t", ""),
        ({"criteria": 2}, "hotelling", ""),
        ({"criteria": 2, "learners": 3}, "manova", "hotelling"),
    ],
)
def test_worked_choices(given, test, then):
    advice = which_test(**given)
    assert (advice.test, advice.then) == (test, then)
    assert advice.function is getattr(assay.stats, test)
    assert advice.words in str(advice) and advice.why in str(advice)


def test_a_control_gets_its_own_words():
    assert "control" in which_test(4, 14, goal="control").methods()
    advice = which_test(4, splits="independent", goal="control")
    assert (
        "dunnett" in advice.then_call and "Dunnett" in advice.methods(0.01) and "0.01" in advice.methods(0.01)
    )
    assert which_test(2).methods() == (
        "Differences were tested by the corrected resampled paired t test at a significance level of 0.05."
    )


def test_numbers_bring_notes():
    assert "smallest possible p is 0.0625" in " ".join(which_test(2, 5).notes)
    assert not any("smallest possible" in n for n in which_test(2, 6).notes)
    assert "45 pairs" not in " ".join(which_test(10, 30).notes)
    assert "66 pairs" in " ".join(which_test(12, 30).notes)
    assert "quade" in " ".join(which_test(4, 6).notes)
    assert "too few for 4 criteria" in " ".join(which_test(2, criteria=4, n=5).notes)
    assert "mid-p" in " ".join(which_test(2, splits="holdout", measure="rate", n=60).notes)
    assert "proportion_test" in " ".join(which_test(1, splits="holdout", measure="rate", n=5000).notes)
    assert "repeat the splits" in " ".join(which_test(2, splits="3-fold", n=3).notes)
    assert "ten values" in " ".join(which_test(2, splits="5x2", n=9).notes)
    assert "groups" in " ".join(which_test(4, 20, goal="best").notes)


def test_the_least_number_of_data_sets_is_true():
    """Five differences of one sign: exact p 2 / 32; six: 2 / 64."""
    from assay.stats import wilcoxon_signed_rank

    p = [wilcoxon_signed_rank(np.arange(1.0, k + 1), np.zeros(k)).p for k in (5, 6)]
    assert p == pytest.approx([2 / 32, 2 / 64])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("10-fold", "folds"), ("k-fold", "folds"), ("1x10", "folds"), ("10 x 10-fold", "repeated"), ("5×2", "5x2"),
        ("holdout(0.3)", "holdout"), ("30xholdout", "repeated"), ("repeated", "repeated"), ("loo", "leave-one-out"),
        ("leave-one-group-out", "groups"), ("bootstrap(200)", "bootstrap"), ("5-time(gap=3)", "time"),
        ("seeds", "independent"), ("independent runs", "independent"),
    ],
)  # fmt: skip
def test_names_of_designs(text, kind):
    assert kind_of_splits(text) == kind


def test_a_design_names_itself():
    from assay.evaluate import Resampling

    for text, kind in (("10x10", "repeated"), ("5x2", "5x2"), ("holdout", "holdout"), ("3-time", "time")):
        assert kind_of_splits(Resampling.of(text)) == kind


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"learners": 0}, "learners must be a whole number from 1"),
        ({"datasets": 1.5}, "datasets must be"),
        ({"criteria": True}, "criteria must be"),
        ({"n": 0}, "n must be"),
        ({"splits": "magic"}, "splits must be named like 10-fold"),
        ({"goal": "win"}, "goal must be one of difference"),
        ({"measure": "auc"}, "measure must be one of rate, value"),
    ],
)
def test_bad_input_is_named(given, message):
    with pytest.raises(ParameterError, match=message):
        which_test(**given)


@pytest.mark.parametrize("criteria", [1, 3])
@pytest.mark.parametrize("learners", [1, 2, 5])
def test_no_test_of_a_difference_is_said_to_show_equality(learners, criteria):
    shows = {"equivalence_test", "correlated_t", "signed_rank_posterior"}
    for datasets, splits, paired in itertools.product(
        (1, 9), ("holdout", "10-fold", "independent"), (True, False)
    ):
        result = which_test(learners, datasets, splits, criteria=criteria, paired=paired, goal="equivalence")
        assert result.test in shows
        if learners > 1 and not paired:
            assert "paired=False" in result.call


def test_several_criteria_without_pairs():
    assert which_test(2, 9, criteria=2, paired=False).call == "hotelling(first, second)"
    assert which_test(1, 9, criteria=2).call == "hotelling(values, mean=claimed)"
    assert any("share" in n for n in which_test(2, splits="10-fold", criteria=2).notes)
    with pytest.raises(ParameterError, match="paired must be True or False"):
        which_test(paired="no")
