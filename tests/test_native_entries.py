"""Every function of the native code refuses arrays that do not fit, whoever calls it.

The attack itself is ``benchmarks/fuzz_native.py``: calls that were recorded from small jobs, made again with one
argument changed. Here one room is attacked, in the build that the tests run in, to see that the attack works; ``make
attack`` and ``make fuzz`` attack them all, with AddressSanitizer.
"""

import re

import pytest
from benchmarks import fuzz_native, native_scenarios


@pytest.mark.timeout(900)  # thousands of calls in a child that first fits a learner of every kind
def test_no_call_ends_the_process():
    findings, entries, outcomes = fuzz_native.attack(
        seconds=1e6, only="assay.bayes", rounds=1, every=4, show=False
    )
    assert not findings
    assert "assay.bayes._counts.sparse_sums" in entries
    assert outcomes["ValueError"] > 100  # most of what is wrong is said to be


def test_every_native_function_is_attacked():
    """A new function needs a scenario in benchmarks/native_scenarios.py that calls it."""
    entries = native_scenarios.record()
    defined = set()
    files = sorted((native_scenarios.SOURCE / "assay").rglob("*.cpp"))
    for module, file in zip(native_scenarios.native_modules(), files):
        text = file.read_text()
        defined |= {f"{module}.{name}" for name in re.findall(r'm\.def\(\s*"(\w+)"', text)}
        for name, methods in re.findall(r'nb::class_<\w+>\(m, "(\w+)"\)(.*?);\n', text, flags=re.S):
            defined |= {f"{module}.{name}.{method}" for method in re.findall(r'\.def\("(\w+)"', methods)}
            defined.add(f"{module}.{name}")
    assert len(defined) > 150
    assert defined - set(entries) - set(native_scenarios.NOT_ATTACKED) == set()


def test_what_is_believed_has_a_reason():
    for reasons in [*native_scenarios.TRUSTED.values(), native_scenarios.NOT_ATTACKED]:
        assert all(len(why) > 20 for why in reasons.values())


def test_attacks_change_something():
    import numpy as np

    array = np.arange(6).reshape(2, 3)
    for what, other in fuzz_native.changed_arrays(array):
        assert other.shape != array.shape or not np.array_equal(other, array), what
