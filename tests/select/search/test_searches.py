"""Searches on the textbook's Iris split, on exclusive or, and against exhaustive search."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import NearestMean
from assay.core.progress import listen
from assay.errors import DataError, ParameterError
from assay.select import (
    Annealing,
    AtMost,
    AtSize,
    Backward,
    Beam,
    Exhaustive,
    Floating,
    Forward,
    FunctionScores,
    Genetic,
    Improves,
    Patience,
    PlusMinus,
    Proposals,
    Significant,
    SubsetSelector,
    search_subsets,
    subset_scores,
)
from assay.select.search.race import raced
from assay.tables import Table
from assay.tables.data import load_iris
from assay.trees import DecisionTreeClassifier

# Oracle: the textbook's table; nearest mean on Iris (UCI variant), the first 20 rows of each class for training, the
# other 90 for validation; numbers of correct rows, columns counted from 0.
CORRECT = {
    (0,): 68, (1,): 51, (2,): 83, (3,): 85, (0, 1): 75, (0, 2): 80, (0, 3): 78, (1, 2): 83, (1, 3): 83, (2, 3): 86,
    (0, 1, 2): 81, (0, 1, 3): 80, (0, 2, 3): 85, (1, 2, 3): 85, (0, 1, 2, 3): 85,
}  # fmt: skip


def iris_split(variant="uci", last=False):
    iris = load_iris(variant=variant)
    X, y = np.asarray(iris.X), np.asarray(iris.y)
    rows = np.arange(150) % 50
    train = rows >= 30 if last else rows < 20
    pairs = [(np.flatnonzero(train), np.flatnonzero(~train))]
    return subset_scores(NearestMean(), Table.of(X), y, cv=pairs, scoring="accuracy", fast=False)


IRIS = iris_split()


@pytest.mark.capability("IML-6-04")
def test_all_fifteen_subsets_of_iris_have_the_accuracies_of_the_book():
    assert_allclose(IRIS.scores(list(CORRECT))[:, 0] * 90, list(CORRECT.values()), atol=1e-9)
    result = search_subsets(IRIS, "exhaustive", "improves")
    assert result.selected == (2, 3) and result.trace.models == 15
    assert result.value == pytest.approx(86 / 90)


@pytest.mark.capability("IML-6-04")
def test_fisher_iris_differs_in_one_subset_and_other_training_rows_choose_the_same():
    fisher = iris_split("fisher").scores(list(CORRECT))[:, 0] * 90
    assert_allclose(fisher, [52 if s == (1,) else v for s, v in CORRECT.items()], atol=1e-9)
    last = iris_split("fisher", last=True)
    values = last.scores([(3,), (2,), (2, 3), (0, 1, 2, 3)])[:, 0]
    assert_allclose(values, [0.9556, 0.9444, 0.9667, 0.9], atol=5e-5)
    assert search_subsets(last, "forward", "improves").selected == (2, 3)


@pytest.mark.capability("IML-6-01")
@pytest.mark.capability("IML-6-06")
def test_forward_selection_of_iris_goes_by_petal_width_to_both_petals_with_nine_models():
    result = search_subsets(IRIS, "forward", "improves")
    assert result.selected == (2, 3) and result.trace.models == 4 + 3 + 2
    assert [r.after for r in result.trace] == [(3,), (2, 3), (2, 3)]
    assert [r.accepted for r in result.trace] == [True, True, False]
    assert "No addition improves the accuracy" in str(result.trace)
    assert [len(r.candidates) for r in result.trace] == [4, 3, 2]


@pytest.mark.capability("IML-6-01")
def test_a_threshold_stops_forward_selection_earlier_and_a_number_later():
    assert search_subsets(IRIS, "forward", Improves(tol=0.02)).selected == (3,)
    assert search_subsets(IRIS, "forward", 3).selected == (0, 2, 3)
    assert search_subsets(IRIS, "forward", AtMost(3)).selected == (2, 3)
    assert search_subsets(IRIS, "forward", [AtMost(1), "improves"]).selected == (3,)


@pytest.mark.capability("IML-6-02")
def test_backward_selection_of_iris_keeps_all_if_strict_and_reaches_both_petals_if_equal_is_enough():
    strict = search_subsets(IRIS, "backward", Improves(accept_equal=False))
    assert strict.selected == (0, 1, 2, 3) and strict.trace.models == 1 + 4
    equal = search_subsets(IRIS, "backward", Improves())
    assert equal.selected == (2, 3) and equal.trace.models == 1 + 4 + 3 + 2
    assert [r.after for r in equal.trace] == [(0, 1, 2, 3), (1, 2, 3), (2, 3), (2, 3)]
    tolerant = search_subsets(IRIS, "backward", Improves(tol=0.02, accept_equal=False))
    assert tolerant.selected == (3,)  # 86, then 85 of 90


@pytest.mark.capability("IML-6-03")
@pytest.mark.parametrize(
    "search",
    [Floating(), Floating("backward"), PlusMinus(), PlusMinus(2, 1, joint=False), PlusMinus(1, 2), Beam(2)],
)
def test_other_searches_of_iris_end_at_both_petals(search):
    assert search_subsets(IRIS, search, "improves").selected == (2, 3)


@pytest.mark.capability("IML-6-08")
@pytest.mark.parametrize("search", ["annealing", "genetic"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_stochastic_searches_find_the_optimum_of_iris_and_of_exclusive_or_among_noise(search, seed):
    assert search_subsets(IRIS, search, "improves", random_state=seed).selected == (2, 3)
    xor = FunctionScores(lambda s: (1.0 if {1, 4} <= set(s) else 0.5) - 0.001 * len(s), d=8)
    assert search_subsets(xor, search, "improves", random_state=seed).selected == (1, 4)


@pytest.mark.capability("IML-6-04")
@pytest.mark.capability("DC-17")
def test_exclusive_or_is_missed_one_column_at_a_time_and_found_in_pairs():
    """The error of no column is that of the majority class, one half; each column alone is no better."""
    xor = FunctionScores(lambda s: 1.0 if {0, 1} <= set(s) else 0.5, d=2, baseline=0.5, measure="accuracy")
    run = lambda search: search_subsets(xor, search, "improves", allow_none=True).selected  # noqa: E731
    assert run("forward") == ()
    assert run("exhaustive") == run(Forward(step=2)) == run(PlusMinus(2, 1)) == (0, 1)
    assert run(Proposals("greedy")) == () and run(Proposals("greedy", n_add=2)) == (0, 1)
    assert search_subsets(xor, "forward", "improves").selected == (0, 1)  # one is always added


def subset_sum_of_squares(d, seed):
    """A monotone criterion with interactions: the explained variance of a random regression."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(40, d)) @ rng.normal(size=(d, d))
    b = A @ rng.normal(size=d) + rng.normal(size=40)

    def explained(s):
        coefficients = np.linalg.lstsq(A[:, list(s)], b, rcond=None)[0]
        return float(b @ b - np.sum((b - A[:, list(s)] @ coefficients) ** 2))

    return FunctionScores(explained, d, monotone=True, measure="explained")


@pytest.mark.capability("IML-6-07")
@pytest.mark.parametrize("d", [5, 9, 12])
@pytest.mark.parametrize("seed", [0, 1])
def test_branch_and_bound_equals_exhaustive_search(d, seed):
    criterion = subset_sum_of_squares(d, seed)
    saved = 0
    for k in (1, 2, d // 2, d - 1, d):
        best = search_subsets(criterion, "branch and bound", k)
        all_of_size = search_subsets(criterion, "exhaustive", k)
        assert best.selected == all_of_size.selected
        assert best.score == pytest.approx(all_of_size.score, rel=1e-12)
        saved += all_of_size.trace.models - best.trace.models
    if d == 12:
        assert saved > 0


@pytest.mark.capability("IML-6-07")
def test_branch_and_bound_with_costs_equals_exhaustive_search_with_costs():
    criterion = subset_sum_of_squares(8, 3)
    costs = np.random.default_rng(0).uniform(0, 300, size=8)
    for k in (2, 4):
        best = search_subsets(criterion, "branch and bound", k, costs=costs)
        assert best.selected == search_subsets(criterion, "exhaustive", k, costs=costs).selected


def test_branch_and_bound_refuses_what_it_cannot_bound():
    with pytest.raises(ParameterError, match="that no column can lower"):
        search_subsets(IRIS, "branch and bound", 2)
    with pytest.raises(ParameterError, match="number of columns"):
        search_subsets(subset_sum_of_squares(4, 0), "branch and bound")
    falling = FunctionScores(lambda s: -len(s), 4, monotone=True)
    with pytest.raises(DataError, match="not monotone: without column 0 it rises from -4 to -3"):
        search_subsets(falling, "branch and bound", 2)


def textbook_sffs(score, d, k):
    """Floating search by the definition, on sets."""
    best, F, seen = {}, frozenset(), {}
    value = lambda s: seen.setdefault(s, score(tuple(sorted(s))))  # noqa: E731
    while len(F) < k:
        just = max((j for j in range(d) if j not in F), key=lambda j: (value(F | {j}), -j))
        F = F | {just}
        best[len(F)] = max(best.get(len(F), -np.inf), value(F))
        while len(F) > 1 and len(F) - 1 in best:
            j = max((j for j in F if j != just), key=lambda j: (value(F - {j}), -j))
            if value(F - {j}) <= best[len(F) - 1]:
                break
            F = F - {j}
            best[len(F)] = value(F)
    return seen


@pytest.mark.capability("IML-6-03")
@pytest.mark.parametrize("seed", range(4))
def test_floating_search_scores_the_sets_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    table = dict(zip((c for k in range(1, 7) for c in combinations(range(6), k)), rng.random(63)))
    seen = textbook_sffs(table.__getitem__, 6, 6)
    result = search_subsets(FunctionScores(table.__getitem__, 6), Floating(), "improves")
    assert result.trace.models == len(seen)
    assert result.selected == max((tuple(sorted(s)) for s in seen), key=table.__getitem__)
    exact = search_subsets(FunctionScores(table.__getitem__, 6), Floating(), 3).selected
    assert len(exact) == 3


@pytest.mark.parametrize("seed", range(3))
def test_wide_beams_and_joint_steps_are_exhaustive(seed):
    rng = np.random.default_rng(seed)
    table = dict(zip((c for k in range(1, 6) for c in combinations(range(5), k)), rng.random(31)))
    criterion = FunctionScores(table.__getitem__, 5)
    best = max((s for s in table if len(s) == 3), key=table.__getitem__)
    assert search_subsets(criterion, Beam(width=100), 3).selected == best
    assert search_subsets(criterion, Forward(step=3), 3).selected == best
    assert search_subsets(criterion, Backward(step=2), 3).selected == best
    assert (
        search_subsets(criterion, Beam(width=1), 3).selected
        == search_subsets(criterion, "forward", 3).selected
    )


def test_of_very_many_subsets_the_best_ones_are_kept():
    """4,095 subsets of 12 columns, the best of them of six."""
    worth = np.where(np.arange(12) % 2, 1.0, -1.0)
    result = search_subsets(
        FunctionScores(lambda s: float(worth[list(s)].sum()), 12), "exhaustive", "improves"
    )
    assert result.selected == (1, 3, 5, 7, 9, 11) and result.trace.models == 4095
    assert max(len(r.candidates) for r in result.trace) <= 501


@pytest.mark.capability("IML-6-01")
def test_costs_enter_every_comparison():
    """Value 3, 2, 1 and costs 2.5, 0.5, 0.2: with mu = 1 the order is 1, 2, 0; with mu = 2 the first one is a loss."""
    value = FunctionScores(lambda s: sum((3.0, 2.0, 1.0)[j] for j in s), 3, baseline=0.0)
    costs = [2.5, 0.5, 0.2]
    one = search_subsets(value, "forward", "improves", costs=costs)
    assert [r.after for r in one.trace][:3] == [(1,), (1, 2), (0, 1, 2)]
    assert one.score == pytest.approx(6 - 3.2)
    assert search_subsets(value, "forward", "improves", costs=costs, cost_weight=2).selected == (1, 2)
    assert search_subsets(value, "backward", "improves", costs=costs, cost_weight=2).selected == (1, 2)
    with pytest.raises(ParameterError, match="costs must have a number"):
        search_subsets(value, costs=[1.0])


@pytest.mark.parametrize(
    "search", ["forward", "backward", "floating", "beam", "exhaustive", "annealing", "genetic", PlusMinus()]
)
def test_fixed_columns_stay_and_groups_move_together(search):
    worth = np.array([1.0, 5.0, -2.0, 4.0, -3.0])
    criterion = FunctionScores(lambda s: float(worth[list(s)].sum()), 5)
    result = search_subsets(criterion, search, "improves", fixed=[4], groups=[[1, 2]], random_state=0)
    assert result.selected == (0, 1, 2, 3, 4)
    result = search_subsets(criterion, search, "improves", groups=[[3, 4], [0, 2]], random_state=0)
    assert result.selected == (1, 3, 4)
    sized = search_subsets(criterion, search, 2, fixed=[4], groups=[[1, 2]], random_state=0)
    assert sized.selected == (3, 4)  # the fixed one counts


@pytest.mark.parametrize("search", ["forward", "backward", "floating", "exhaustive", "genetic"])
def test_a_fixed_column_keeps_its_group(search):
    """Column 1 is worth nothing, and stays since column 0 does."""
    criterion = FunctionScores(lambda s: float(2 in s) - 0.1 * (1 in s), 4)
    result = search_subsets(criterion, search, "improves", fixed=[0], groups=[[0, 1], [2, 3]], random_state=0)
    assert result.selected == (0, 1, 2, 3)


def test_groups_and_fixed_columns_are_checked():
    criterion = FunctionScores(lambda s: 1.0, 3)
    with pytest.raises(ParameterError, match="no column 3"):
        search_subsets(criterion, fixed=[3])
    with pytest.raises(ParameterError, match="column 1 is in two groups"):
        search_subsets(criterion, groups=[[0, 1], [1, 2]])
    assert search_subsets(criterion, "forward", "improves", fixed=[0, 1, 2]).selected == (0, 1, 2)


@pytest.mark.parametrize("answer", ["high", None, object()], ids=lambda answer: type(answer).__name__)
def test_criteria_that_are_no_numbers_are_refused(answer):
    with pytest.raises(DataError, match="must give a number for each subset of columns"):
        search_subsets(FunctionScores(lambda s: answer if s[0] else "low", 3), "forward", "improves")


def test_ties_go_to_the_lowest_column_and_the_smaller_set():
    flat = FunctionScores(lambda s: 0.1 + 0.2 if s[0] else 0.3, 4)
    assert search_subsets(flat, "forward", 1).selected == (0,)
    assert search_subsets(flat, "exhaustive", "improves").selected == (0,)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_the_scale_of_the_scores_does_not_matter(scale):
    values = dict(CORRECT.items())
    criterion = FunctionScores(lambda s: values[s] * scale, 4)
    for search in ("forward", "floating", "annealing", "genetic"):
        assert search_subsets(criterion, search, "improves", random_state=0).selected == (2, 3)


def test_patience_crosses_a_valley_and_returns_to_the_best():
    heights = {1: 0.5, 2: 0.4, 3: 0.9, 4: 0.1}
    criterion = FunctionScores(lambda s: heights[len(s)], 4)
    assert len(search_subsets(criterion, "forward", "improves").selected) == 1
    assert len(search_subsets(criterion, "forward", Patience(2)).selected) == 3
    assert len(search_subsets(criterion, "backward", Patience(2, Improves(accept_equal=False))).selected) == 3


class Folded(FunctionScores):
    """A criterion with several folds."""

    def __init__(self, function, d, n_folds):
        super().__init__(function, d)
        self.n_folds, self.baseline, self.ratio = n_folds, np.full(n_folds, -np.inf), 1 / (n_folds - 1)


def test_the_test_on_folds_adds_what_helps_everywhere_and_drops_what_does_not():
    """Column 0 is worth 0.3 on every fold, column 1 about 0.1 on each, column 2 once up, once down."""
    swing = np.array([0.05, -0.05] * 5)
    steady = 0.1 + 0.004 * np.arange(10)
    part = [np.full(10, 0.3), steady, swing + 0.001]
    criterion = Folded(lambda s: sum(part[j] for j in s), 3, 10)
    assert search_subsets(criterion, "forward").selected == (0, 1)
    assert search_subsets(criterion, "backward").selected == (0, 1)
    assert search_subsets(criterion, "exhaustive").selected == (0, 1)
    assert search_subsets(criterion, "exhaustive", "improves").selected == (0, 1, 2)
    trace = search_subsets(criterion, "forward").trace
    assert "No addition improves significantly" in str(trace) and "p = " in str(trace)


def test_the_level_is_divided_by_the_number_of_candidates():
    """One-sided p = 0.033 by the corrected test: enough for one candidate, not for the best of four."""
    gain = np.array([0.06, -0.02, 0.05, 0.02, 0.07, 0.0, 0.05, -0.01, 0.06, 0.03])
    criterion = Folded(lambda s: 0.5 + (gain if len(s) > 1 else 0 * gain), 5, 10)
    assert len(search_subsets(criterion, "forward", Significant(correct=True)).selected) == 1
    assert len(search_subsets(criterion, "forward").selected) > 1


def test_a_test_needs_folds():
    with pytest.raises(ParameterError, match="at least two folds"):
        search_subsets(IRIS, "forward", "test", allow_none=True)


def test_learners_that_fail_everywhere_lose_to_those_that_do_not():
    criterion = FunctionScores(lambda s: np.nan if 1 in s else float(len(s)), 3)
    for search in ("forward", "backward", "floating", "exhaustive", "genetic"):
        assert search_subsets(criterion, search, "improves", random_state=0).selected == (0, 2)


def test_random_proposals_and_filters_accept_what_is_better_and_give_up_after_patience():
    worth = np.array([0.0, 3.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    criterion = FunctionScores(lambda s: float(worth[list(s)].sum()), 7)
    filtered = search_subsets(criterion, Proposals("filter", patience=2), "improves")
    assert filtered.selected == (1, 3)
    assert [r.accepted for r in filtered.trace][1:] == [True, True, False, False]
    ranked = Proposals("filter", patience=3, ranking=[7, 1, 6, 2, 5, 4, 3])
    assert search_subsets(criterion, ranked, "improves").selected == (0,)  # three useless ones come first
    patient = Proposals("random", patience=7)
    assert set(search_subsets(criterion, patient, "improves", random_state=1).selected) >= {1, 3}
    assert search_subsets(criterion, patient, [AtMost(1), "improves"], random_state=1).selected != ()
    with pytest.raises(ParameterError, match="proposal must be"):
        search_subsets(criterion, Proposals("guess"))


def test_sizes_and_names_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="number of columns must be from 1 to 4"):
        search_subsets(IRIS, "forward", 5)
    with pytest.raises(ParameterError, match="Did you mean forward"):
        search_subsets(IRIS, "forwards")
    with pytest.raises(ParameterError, match="stop must be"):
        search_subsets(IRIS, "forward", "now")
    with pytest.raises(ParameterError, match="leave no size"):
        search_subsets(IRIS, "forward", [AtSize(3), AtMost(2)])
    with pytest.raises(ParameterError, match="would score"):
        search_subsets(FunctionScores(len, 40), Exhaustive())
    with pytest.raises(ParameterError, match="too many for a round"):
        search_subsets(FunctionScores(len, 400), Forward(step=4))
    for search in (PlusMinus(1, 1), Beam(0), Genetic(population=2), Annealing(steps=0), Floating("up")):
        with pytest.raises(ParameterError):
            search_subsets(IRIS, search, "improves", random_state=0)


def test_progress_is_shown_and_an_interruption_keeps_the_best_so_far():
    heard = []

    def stop_after_forty(event):
        heard.append(event.note)
        if event.done > 40 and event.state == "running":
            raise KeyboardInterrupt

    class Slow(FunctionScores):
        batch = 5

    worth = np.arange(20.0)
    criterion = Slow(lambda s: float(worth[list(s)].sum()), 20)
    import assay.core.progress as shown

    with pytest.MonkeyPatch.context() as patch, listen(stop_after_forty):
        patch.setattr(shown, "_EVENT_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt) as stopped:
            search_subsets(criterion, "forward", "improves", names=[f"c{j}" for j in range(20)])
    partial = stopped.value.partial
    assert partial.selected == (4, 18, 19)  # the third round had come to column 4
    assert "the best one so far" in "".join(stopped.value.__notes__)
    assert any(note.startswith("best criterion") for note in heard)


def noisy_folds(m, J, seed):
    """Scores of m candidates on J folds that share what is hard about a fold; the later candidates are the better."""
    rng = np.random.default_rng(seed)
    return 0.7 + rng.normal(0, 0.05, J) + np.linspace(0, 0.2, m)[:, None] + rng.normal(0, 0.02, (m, J))


def test_a_race_spares_the_folds_of_the_hopeless_and_keeps_the_best():
    spared, kept = [], []
    for seed in range(40):
        table, asked = noisy_folds(12, 20, seed), []

        def ask(some, fold, table=table, asked=asked):
            asked.extend(some)
            return table[some, fold]

        scores, given_up = raced(ask, 12, 20, 0.05, 1 / 19, np.empty((0, 20)))
        assert len(asked) == np.isfinite(scores).sum()
        assert np.array_equal(given_up, np.isnan(scores).any(axis=1))
        assert_allclose(scores[~given_up], table[~given_up])
        assert np.isfinite(scores[:, :3]).all()  # nobody is judged by less than three folds
        spared.append(np.isnan(scores).mean())
        kept.append(not given_up[np.argmax(table.mean(axis=1))])
    assert np.mean(spared) > 0.5 and np.mean(kept) >= 0.95


def test_candidates_that_fail_or_are_equal_do_not_disturb_a_race():
    table = np.array([[np.nan, 0.9, 0.9, 0.9], [0.8, 0.8, 0.8, 0.8], [0.8, 0.8, 0.8, 0.8]])
    scores, given_up = raced(lambda some, fold: table[some, fold], 3, 4, 0.05, 1 / 3, np.empty((0, 4)))
    assert_allclose(scores, table)
    assert not given_up.any()
    rival = np.array([[0.99, 0.98, 0.97, 0.99]])
    assert raced(lambda some, fold: table[some, fold] + 0.01 * fold, 3, 4, 0.2, 1 / 3, rival)[1].tolist() == [
        False, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("search", ["forward", "backward", "floating", "plus-l take-away-r", "wrapper"])
def test_racing_searches_choose_the_same_columns_and_fit_less(search):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 6))
    y = np.where(X[:, 1] + X[:, 4] > 0, "a", "b")
    chosen, fits = [], []
    for race in (None, 0.05):
        fitted = []

        class Counting(NearestMean):
            def fit(self, X, y, sample_weight=None, fitted=fitted):
                fitted.append(1)
                return super().fit(X, y, sample_weight)

        selector = SubsetSelector(Counting(), search=search, stop=2, race=race).fit(X, y)
        chosen.append(selector.selected_)
        fits.append(len(fitted))
        assert np.isfinite(selector.fold_scores_).all()
    assert chosen[0] == chosen[1] == ["x1", "x4"]
    assert fits[1] < fits[0]


def test_the_trace_says_on_how_many_folds_a_candidate_was_scored():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 4))
    y = np.where(X[:, 1] + X[:, 2] > 0, "a", "b")
    model = DecisionTreeClassifier(max_depth=3)
    selector = SubsetSelector(model, stop=2, race=0.05, cv="10-fold").fit(X, y)
    assert any("of 10 folds" in record["why"] for record in selector.reasons())
    assert all(np.isfinite(record["error"]) for record in selector.trace_.table())


def test_a_race_changes_nothing_where_nothing_is_fitted():
    iris = load_iris()
    plain, race = (SubsetSelector("lda", stop=2, race=r).fit(iris.X, iris.y) for r in (None, 0.5))
    assert_allclose([r["folds"] for r in plain.trace_.table()], [r["folds"] for r in race.trace_.table()])


@pytest.mark.parametrize("race", [0, 1, -0.1, "fast"])
def test_levels_that_are_none(race):
    with pytest.raises(ParameterError, match="race"):
        SubsetSelector("lda", race=race).fit(*load_iris())
