"""A page is smaller than a megabyte, also where the names alone would fill it."""

import json
import re

import numpy as np
import pandas as pd

from assay import compare
from assay.experiments import Experiment
from assay.report import read_settings, render_report, render_study
from assay.report.size import MAX_NAME_LENGTH, MEGABYTE, with_short_names, within_size

rng = np.random.default_rng(0)


def test_the_largest_room_that_holds_the_page_is_taken():
    assert len(within_size(lambda n: "x" * n, [3 * MEGABYTE, MEGABYTE, MEGABYTE - 1, 5], [])) == MEGABYTE - 1


def test_names_that_begin_alike_stay_apart():
    one, two = "a" * 500 + "1", "a" * 500 + "2"
    html = with_short_names(f"<b>{one}</b><i>{two}</i>", [two, one])
    found = re.findall(r"<.>(.*?)</.>", html)
    assert len(set(found)) == 2 and all(len(name) < MAX_NAME_LENGTH + 10 for name in found)


def test_short_names_stay_as_they_are():
    assert with_short_names("<b>short</b>", ["short"]) == "<b>short</b>"


def test_names_of_any_length_and_kind_fit():
    hostile = {f"n{i}": (f"n{i}' \"<&\n") * 900 for i in range(12)}
    X = pd.DataFrame(rng.normal(size=(90, 5)), columns=[f"c{i}" * 9000 for i in range(5)])
    labels = rng.choice([f"<k{i}>'" * 9000 for i in range(3)], 90)
    result = compare(
        dict.fromkeys(hostile.values(), "naive bayes"),
        X, labels, design="2-fold", name="d" * 100_000, target="t" * 50_000,
    )  # fmt: skip
    html = render_report(result, learning_curves=False, explanations=False)
    assert len(html.encode()) < MEGABYTE
    blocks = re.findall(r'<script type="application/json" id="[a-z-]+">(.*?)</script>', html, re.DOTALL)
    assert all(json.loads(block) for block in blocks)
    assert html.count("<script>") == 1 and "<k0>" not in html


def test_a_text_column_taken_for_the_classes_fits(tmp_path):
    labels = np.repeat([f"{i} " + "a long sentence " * 150 for i in range(300)], 4)
    result = compare(["majority", "lda"], rng.normal(size=(1200, 2)), labels, design="2-fold")
    path = result.report(tmp_path / "text.html", learning_curves=False, explanations=False)
    assert path.stat().st_size < MEGABYTE
    assert read_settings(path)["data"]["number of classes"] == 300


def test_a_study_that_is_too_large_lists_less_and_says_so():
    learners = {f"learner {i}": "majority" for i in range(26)}
    data = {f"set {i}": (np.arange(8.0)[:, None], np.arange(8) % 2) for i in range(120)}
    metrics = ["error", "accuracy", "kappa", "f1", "mcc"]
    html = render_study(Experiment(learners, data, design="2-fold", metrics=metrics).run())
    assert MEGABYTE / 10 < len(html.encode()) < MEGABYTE
    assert "20 more data sets are not listed" in html and "2 more learners are not listed" in html
    assert "Also measured, but not listed: kappa, f1, mcc." in html and "<summary>Accuracy</summary>" in html
