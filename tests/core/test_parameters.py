"""The table of accepted parameters: what each kind holds, and what it says."""

from fractions import Fraction

import numpy as np
import pytest

from assay.core.parameters import (
    Any_,
    Array,
    Choice,
    Count,
    Flag,
    Function,
    Instance,
    Range,
    Seed,
    Simplex,
    check,
    check_count,
)
from assay.errors import ParameterError

INF, NAN = float("inf"), float("nan")
OF_ONE = "an array of numbers with 1 dimension, each "


@pytest.mark.parametrize(
    ("accepted", "words", "good", "bad"),
    [
        (Range(0, 1), "a number from 0 to 1", [0, 1, 0.5, np.float32(1), np.int8(1)], [-1e-9, 1.1, NAN, "1", None]),
        (Range(0, 1), "a number from 0 to 1", [Fraction(1, 3)], [True, np.True_, [0.5], 1j, np.array([0.5])]),
        (Range(0), "a number from 0 up", [0, 10**30, 10**400, 0.0], [-1, NAN, -INF, -(10**400)]),
        (Range(0, open="low"), "a number above 0", [1e-300], [0, 0.0, -1]),
        (Range(0, 1, open="both"), "a number above 0 below 1", [0.5], [0, 1]),
        (Range(0, 1, open="high"), "a number from 0 below 1", [0, 0.99], [1]),
        (Range(), "a number", [-1e9, 0], [NAN, "x"]),
        (Count(), "a whole number from 1 up", [1, np.int64(5), 10**30], [0, 1.0, True, "1", None]),
        (Count(2, 5), "a whole number from 2 to 5", [2, 5], [1, 6]),
        (Choice("a", "b"), "one of 'a', 'b'", ["a", "b"], ["c", 1, None, ["a"]]),
        (Choice("a"), "'a'", ["a"], ["b"]),
        (Flag(), "True or False", [True, False, np.True_], [0, 1, None, "yes"]),
        (Simplex(), "a list of probabilities", [[0.5, 0.5], (1,), np.array([0.1, 0.9])], [[0.5, 0.6], [-0.5, 1.5], []]),
        (Simplex(), "a list of probabilities", [[0, 1]], [[[0.5, 0.5]], 1, "ab", None, [NAN, 1]]),
        (Array(), "an array of numbers with 1 dimension", [[1, 2], np.zeros(0), []], [[[1]], 1, "a", ["a"], [NAN]]),
        (Array(2, low=0), "an array of numbers with 2 dimensions, each from 0 up", [[[0, 1]]], [[0, 1], [[-1]]]),
        (Array(low=0, open="low"), OF_ONE + "above 0", [[1, 1e-300, np.inf], []], [[1, 0], [-1], 1]),
        (Array(low=0, open="both"), OF_ONE + "finite and above 0", [[1]], [[1, 0], [np.inf], [NAN]]),
        (Array(low=0, high=1, open="high"), OF_ONE + "from 0 below 1", [[0, 0.5]], [[1], [-1e-9]]),
        (Seed(), "None, a whole number from 0 up", [None, 0, 2**32 - 1], [-1, 2**32, 1.0, True, "a"]),
        (Seed(), "None, a whole number from 0 up", [np.random.RandomState(0), np.random.default_rng(0)], []),
        (Function(), "a function", [len, lambda: 1, str], [1, "len", None]),
        (Instance(str, bytes), "a str or bytes", ["a", b"a"], [1]),
        (Instance(having="fit"), r"an object with fit\(\)", [type("Fits", (), {"fit": 1})()], [1, "fit"]),
        (Instance(str, words="a name"), "a name", ["a"], [1]),
        (Any_(), "anything", [1, None, NAN, object()], []),
        (Any_("an even number", lambda v: v % 2 == 0), "an even number", [2, 4], [3]),
        (Range(0, 1) | None, "a number from 0 to 1 or None", [None, 0.5], [2]),
        (Choice("auto") | Range(0) | None, "'auto' or a number from 0 up or None", ["auto", 3, None], ["other", -1]),
    ],
    ids=lambda value: str(value)[:40] if hasattr(value, "holds") else "",
)  # fmt: skip
def test_each_kind_holds_what_its_words_say(accepted, words, good, bad):
    assert repr(accepted).startswith(words.replace("\\", ""))
    for value in good:
        assert accepted.holds(value), value
        check("Learner", {"p": accepted}, {"p": value})
    for value in bad:
        assert not accepted.holds(value), value
        with pytest.raises(ParameterError, match=f"^Learner: p must be {words}"):
            check("Learner", {"p": accepted}, {"p": value})


def test_an_error_is_a_value_error_and_a_type_error_and_shows_what_came():
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match=r"Learner: k must be a whole number from 1 up, got 0\.$"):
            check("Learner", {"k": Count()}, {"k": 0})


def test_a_long_value_is_cut():
    with pytest.raises(ParameterError) as caught:
        check("Learner", {"k": Count()}, {"k": "x" * 1000})
    assert len(str(caught.value)) < 150


def test_parameters_without_a_rule_or_without_a_value_are_left_alone():
    check("Learner", {"a": None, "b": Count()}, {"a": object()})


def test_the_first_wrong_parameter_is_named():
    with pytest.raises(ParameterError, match="b must be"):
        check("Learner", {"a": Count(), "b": Flag(), "c": Flag()}, {"a": 1, "b": 2, "c": 3})


def test_a_value_that_was_accepted_excuses_no_other_and_none_that_was_changed():
    table = {"k": Count(), "f": Flag() | Any_("a short list", lambda value: len(value) < 2)}
    values = [1]
    for _ in range(2):
        check("Learner", table, {"k": 1, "f": values})
    for wrong in (True, 1.0, 0, np.nan):
        with pytest.raises(ParameterError, match="k must be"):
            check("Learner", table, {"k": wrong, "f": values})
        check("Learner", table, {"k": 1, "f": values})
    values.append(2)
    with pytest.raises(ParameterError, match="f must be True or False or a short list"):
        check("Learner", table, {"k": 1, "f": values})


@pytest.mark.parametrize("value", [0, 1.0, True, "1", None])
def test_an_argument_that_is_no_count_is_refused_in_one_form(value):
    with pytest.raises(ParameterError, match=rf"^who: n must be a whole number from 1 up, got {value!r}\.$"):
        check_count("who", "n", value)
    with pytest.raises(ParameterError, match=r"^who: n must be a whole number from 2 to 5 or None, got 6\.$"):
        check_count("who", "n", 6, 2, 5, none=True)
    check_count("who", "n", None, none=True)
    check_count("who", "n", np.int64(3), 2, 5)
