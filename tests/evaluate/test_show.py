"""The faces of a comparison: text, terminal, notebook."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from assay import compare
from assay.bayes import GaussianNB
from assay.evaluate.show import duration, shown_value
from assay.tables.data import load_iris

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def result():
    return compare(
        ["majority", "naive bayes", "lda"], load_iris(), design="10-fold", metrics=["error", "auc"]
    )


def terminal(result, width):
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(result)
    return out.getvalue()


def test_text_has_a_line_for_each_learner_and_says_what_follows(result):
    lines = str(result).splitlines()
    assert lines[0].startswith(
        "iris: 150 rows, 4 columns (4 numeric), no missing values, 3 classes. Stratified 10-fold"
    )
    heads = lines[2].split()
    assert heads == [
        "learner",
        "error",
        "95%",
        "interval",
        "vs",
        "best",
        "p",
        "groups",
        "auc",
        "fit",
        "predict",
    ]
    assert [line.split("  ")[0] for line in lines[3:6]] == [s.learner for s in result.ranking()]
    assert lines[7] == "lda has the best error; not significantly worse: naive bayes."
    assert len({len(line) for line in lines[2:6]}) <= 3  # aligned


def test_a_terminal_shows_the_same_numbers(result):
    shown = terminal(result, 120)
    for s in result.ranking():
        assert f"{s.mean:.4f}" in shown and s.learner in shown
    assert "…" not in shown


def test_eighty_columns_are_enough_for_one_metric():
    shown = terminal(compare(["majority", "naive bayes", "lda"], load_iris()), 80)
    assert "…" not in shown and max(map(len, shown.splitlines())) <= 80


def test_a_narrow_terminal_gets_less_and_never_cut_numbers(result):
    shown = terminal(result, 70)
    assert "predict" not in shown and "auc" in shown  # times go, further metrics move below
    for s in result.ranking():
        assert f"{s.mean:.4f}" in shown and f"{s.low:.4f}–{s.high:.4f}" in shown
    assert max(map(len, shown.splitlines())) <= 70


def test_warnings_about_the_data_are_not_overlooked():
    X = pd.DataFrame(
        {"x": np.arange(60) % 7, "closed": np.repeat(["yes", "no"], 30)} | {f"k{i}": 1 for i in range(6)}
    )
    result = compare(["majority", "naive bayes"], X, np.repeat(["a", "b"], 30), design="5-fold")
    for shown in (str(result), terminal(result, 200), result._repr_html_()):
        assert "column closed is class by other names" in shown and "alone tells the classes apart" in shown
        assert "the same holds for 5 more columns: k1, k2, k3, k4, k5." in shown


def test_when_nothing_was_learned_it_is_said():
    rng = np.random.default_rng(3)
    result = compare(["majority", "naive bayes"], rng.normal(size=(80, 2)), np.repeat(["a", "b"], 40))
    assert "which looks at no column" in str(result) and "nothing was shown to be learned" in str(result)


def test_differences_that_round_to_zero_have_no_sign():
    result = compare(["majority"], [[1.0], [2.0]] * 10, ["a", "b"] * 10, design="2-fold")
    shown = [shown_value(result, v, sign=True) for v in (-1e-9, 0.0, -0.0001, 0.25)]
    assert shown == ["0.0000", "0.0000", "-0.0001", "+0.2500"]


def test_markup_and_tags_in_names_stay_text():
    X, y = load_iris()
    y = np.where(y == y[0], "[bold]x[/bold]", EVIL)
    result = compare({f"{EVIL}": GaussianNB(), "[red]b": GaussianNB()}, X, y, design="3-fold", name=EVIL)
    html = result._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "[red]b" in terminal(result, 200)


def test_conclusions(result):
    assert "every other learner is significantly worse" in str(compare(["majority", "lda"], load_iris()))
    same = compare({"one": GaussianNB(), "two": GaussianNB()}, load_iris())
    assert "no learner is significantly worse" in str(same)
    assert "lda has error 0." in str(compare(["lda"], load_iris()))


def test_notebooks_get_a_table(result):
    html = result._repr_html_()
    assert html.count("<tr") == 4 and "lda has the best error" in html


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "0 µs"), (9.9e-5, "99 µs"), (1e-4, "0.1 ms"), (0.0099, "9.9 ms"), (0.5, "500 ms"), (1.0, "1 s"),
     (12.3, "12 s"), (99.0, "99 s"), (3661.0, "61 min 1 s"), (float("nan"), "")],
)  # fmt: skip
def test_durations(seconds, words):
    assert duration(seconds) == words
