"""Every function of the native code refuses arrays that do not fit, whoever calls it.

The attack itself is ``benchmarks/fuzz_native.py``: calls that were recorded from small jobs, made again with one
argument changed. Here one room is attacked, in the build that the tests run in, to see that the attack works; ``make
attack`` and ``make fuzz`` attack them all, with AddressSanitizer.
"""

import numpy as np
import pytest
from benchmarks import fuzz_native, native_scenarios


@pytest.fixture(scope="module")
def recorded():
    return native_scenarios.record()


@pytest.mark.timeout(900)  # thousands of calls in a child that first fits a learner of every kind
def test_no_call_ends_the_process():
    findings, outcomes, left_out = fuzz_native.attack(calls=60, only="assay.bayes")
    assert not findings
    assert not left_out
    ended = outcomes["assay.bayes._counts.sparse_sums"]
    assert ended.total() == 60
    assert ended["ValueError"] > 20  # much of what is wrong is refused


def test_every_native_function_is_attacked(recorded):
    """A new function needs a scenario in benchmarks/native_scenarios.py that calls it."""
    names = native_scenarios.native_names()
    assert len(names) > 150
    assert names - set(recorded) - set(native_scenarios.NOT_ATTACKED) == set()


def test_the_seed_decides_the_attacks_and_every_argument_is_among_them(recorded):
    one = recorded["assay.bayes._counts.sparse_sums"]
    first, again, other = ([what for what, *_ in fuzz_native.attacks(one, 50, seed)] for seed in (0, 0, 1))
    assert first == again != other
    assert {what.split()[1] for what in first} == set(one.calls[0].arguments[1])
    more = [what for what, *_ in fuzz_native.attacks(one, 5000, 0)]  # more than single changes
    assert len(set(more)) > len({what for what, *_ in fuzz_native.attacks(one, 0, 0)}) > 50


def test_what_is_believed_has_a_reason():
    for reasons in [*native_scenarios.TRUSTED.values(), native_scenarios.NOT_ATTACKED]:
        assert all(len(why) > 20 for why in reasons.values())


def test_attacks_change_something():
    array = np.arange(6).reshape(2, 3)
    for what, other in fuzz_native.changed_arrays(array):
        assert other.shape != array.shape or not np.array_equal(other, array), what


def test_gradients_beyond_their_bounds_are_refused(recorded):
    """The room of a gradient in a histogram follows from bounds, which a wrong score, target or weight would break."""
    softmax, binomial = 6, 5
    kinds = set()
    for call in recorded["assay.ensembles._hist_boosting.Session.gradients"].calls:
        _, given = call.arguments
        kind, y = given["kind"], given["y"]
        kinds.add(kind)
        assert call.run((), given)
        with pytest.raises(ValueError, match="heaviest"):
            call.run((), {**given, "w": np.full(len(y), 2.0), "heaviest": 1.0})
        if kind == softmax:  # a score above the largest of its row
            assert not call.run((), {**given, "raw": np.full(len(y), 1e300)})
            with pytest.raises(ValueError, match="share"):
                call.run((), {**given, "inverse": given["inverse"] + 1})
        if kind == binomial:
            with pytest.raises(ValueError, match="targets"):
                call.run((), {**given, "y": y + 1})
    assert {softmax, binomial} <= kinds


def test_rules_that_covered_a_row_are_counted_no_further_than_asked_for(recorded):
    for call in recorded["assay.rules.associative._class_sets.cover_in_order"].calls:
        arguments = native_scenarios.copied(call.arguments[1])
        arguments["covered"][:] = np.iinfo(np.int32).max
        call.run((), arguments)
        assert (arguments["covered"] == np.iinfo(np.int32).max).all()


@pytest.mark.parametrize("name", ["assay.trees._grow.grow", "assay.trees._grow_several.grow_several"])
@pytest.mark.parametrize("categories", [1 << 20, 3])
def test_trees_refuse_categories_that_have_no_place(recorded, name, categories):
    for call in recorded[name].calls:
        arguments = native_scenarios.copied(call.arguments[1])
        arguments["columns"].values["categories"][:] = categories
        with pytest.raises(ValueError, match="categories"):
            call.run((), arguments)


def test_scores_that_are_nan_are_tallied_within_their_room(recorded):
    for call in recorded["assay.metrics._areas.tallies"].calls:
        positives, negatives, *room = native_scenarios.copied(call.arguments[0])
        negatives[:] = np.nan
        assert call.run((positives, negatives, *room), {}) <= len(positives) + len(negatives)


def test_a_tree_of_kernel_sums_has_levels(recorded):
    for call in recorded["assay.densities._kernel_sums.pack"].calls:
        arguments = list(native_scenarios.copied(call.arguments[0]))
        arguments[3] = -1
        with pytest.raises(ValueError, match="levels"):
            call.run(tuple(arguments), {})


def test_a_row_that_is_listed_twice_is_refused(recorded):
    for call in recorded["assay.rules.from_trees._partial_tree.best_leaf"].calls:
        arguments = native_scenarios.copied(call.arguments[1])
        lists = arguments["rows"].values["lists"]
        lists[:, 0] = lists[:, 1]
        with pytest.raises(ValueError, match="twice"):
            call.run((), arguments)


def test_a_branch_that_is_not_there_is_refused(recorded):
    for call in recorded["assay.trees._routing.preorder"].calls:
        parent, branch, order = native_scenarios.copied(call.arguments[0])
        branch[-1] = np.iinfo(np.int32).max
        with pytest.raises(ValueError, match="branches"):
            call.run((parent, branch, order), {})


@pytest.mark.parametrize(
    "name", ["assay.trees._multiway.grow", "assay.rules.from_trees._partial_tree.best_leaf"]
)
def test_rows_without_a_value_need_weights(recorded, name):
    """Such rows are shared out among branches by weight; a call that does without weights must not have any."""
    with_missing = 0
    for call in recorded[name].calls:
        args, kwargs = native_scenarios.copied(call.arguments)
        rows = (kwargs["rows"] if kwargs else args[0]).values
        if rows["w"] is None and rows["fractions"]:
            with_missing += 1
            rows["fractions"] = False
            with pytest.raises(ValueError, match="not there"):
                call.run(args, kwargs)
    assert with_missing


def test_terms_of_degree_zero_are_not_walked(recorded):
    for call in recorded["assay.prepare._polynomial.sparse_rows"].calls:
        once, again = (native_scenarios.copied(call.arguments[1]) for _ in range(2))
        assert again["degrees"].values["low"] == 1
        call.run((), once)
        again["degrees"].values["low"] = 0
        call.run((), again)
        np.testing.assert_array_equal(once["data"], again["data"])


def test_a_power_beyond_reason_is_refused(recorded):
    for name in ("in_space", "in_lists", "on_line"):
        for call in recorded[f"assay.smoothers._local_fits.{name}"].calls:
            arguments = native_scenarios.copied(call.arguments[1])
            how = arguments["how"].values
            how["powers"] = np.full((1, how["powers"].shape[1]), 1 << 40)
            with pytest.raises(ValueError):
                call.run((), arguments)


def test_numbers_that_are_nan_are_sorted_within_their_array(recorded):
    """``<`` is no order where NaN may come; a sort by it may leave its array."""
    for call in recorded["assay.smoothers._local_fits.in_space"].calls:
        for place in ("y", "distances"):
            arguments = native_scenarios.copied(call.arguments[1])
            arguments[place].reshape(-1)[::3] = np.nan
            arguments["how"].values["degree"] = -1  # the median
            call.run((), arguments)
            assert len(arguments["estimate"]) == len(arguments["left_out"])
