"""Every function of the native code refuses arrays that do not fit, whoever calls it.

The attack itself is ``benchmarks/fuzz_native.py``: calls that were recorded from small jobs, made again with one
argument changed. Here one room is attacked, in the build that the tests run in, to see that the attack works; ``make
attack`` and ``make fuzz`` attack them all, with AddressSanitizer.
"""

import re

import numpy as np
import pytest
from benchmarks import fuzz_native, native_scenarios


@pytest.fixture(scope="module")
def recorded():
    return native_scenarios.record()


@pytest.mark.timeout(900)  # thousands of calls in a child that first fits a learner of every kind
def test_no_call_ends_the_process():
    findings, entries, outcomes = fuzz_native.attack(
        seconds=1e6, only="assay.bayes", rounds=1, every=4, show=False
    )
    assert not findings
    assert "assay.bayes._counts.sparse_sums" in entries
    assert outcomes["ValueError"] > 100  # most of what is wrong is said to be


def test_every_native_function_is_attacked(recorded):
    """A new function needs a scenario in benchmarks/native_scenarios.py that calls it."""
    defined = set()
    files = sorted((native_scenarios.SOURCE / "assay").rglob("*.cpp"))
    for module, file in zip(native_scenarios.native_modules(), files):
        text = file.read_text()
        defined |= {f"{module}.{name}" for name in re.findall(r'm\.def\(\s*"(\w+)"', text)}
        for name, methods in re.findall(r'nb::class_<\w+>\(m, "(\w+)"\)(.*?);\n', text, flags=re.S):
            defined |= {f"{module}.{name}.{method}" for method in re.findall(r'\.def\("(\w+)"', methods)}
            defined.add(f"{module}.{name}")
    assert len(defined) > 150
    assert defined - set(recorded) - set(native_scenarios.NOT_ATTACKED) == set()


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
        kind, parameter, raw, y, w, heaviest, top, inverse = call.arguments[0]
        kinds.add(kind)
        assert call.run(call.arguments[0], {})
        with pytest.raises(ValueError, match="heaviest"):
            call.run((kind, parameter, raw, y, np.full(len(y), 2.0), 1.0, top, inverse), {})
        if kind == softmax:  # a score above the largest of its row
            assert not call.run((kind, parameter, np.full(len(y), 1e300), y, w, heaviest, top, inverse), {})
            with pytest.raises(ValueError, match="share"):
                call.run((kind, parameter, raw, y, w, heaviest, top, inverse + 1), {})
        if kind == binomial:
            with pytest.raises(ValueError, match="targets"):
                call.run((kind, parameter, raw, y + 1, w, heaviest, top, inverse), {})
    assert {softmax, binomial} <= kinds


def test_rules_that_covered_a_row_are_counted_no_further_than_asked_for(recorded):
    for call in recorded["assay.rules.associative._class_sets.cover_in_order"].calls:
        arguments = list(native_scenarios.copied(call.arguments[0]))
        arguments[8][:] = np.iinfo(np.int32).max
        call.run(tuple(arguments), {})
        assert (arguments[8] == np.iinfo(np.int32).max).all()


@pytest.mark.parametrize("name", ["assay.trees._grow.grow", "assay.trees._grow_several.grow_several"])
@pytest.mark.parametrize("categories", [1 << 20, 3])
def test_trees_refuse_categories_that_have_no_place(recorded, name, categories):
    for call in recorded[name].calls:
        arguments = list(native_scenarios.copied(call.arguments[0]))
        arguments[6][:] = categories
        with pytest.raises(ValueError, match="categories"):
            call.run(tuple(arguments), {})


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
        arguments = list(native_scenarios.copied(call.arguments[0]))
        arguments[1][:, 0] = arguments[1][:, 1]
        with pytest.raises(ValueError, match="twice"):
            call.run(tuple(arguments), call.arguments[1])


def test_a_branch_that_is_not_there_is_refused(recorded):
    for call in recorded["assay.trees._routing.preorder"].calls:
        parent, branch, order = native_scenarios.copied(call.arguments[0])
        branch[-1] = np.iinfo(np.int32).max
        with pytest.raises(ValueError, match="branches"):
            call.run((parent, branch, order), {})
