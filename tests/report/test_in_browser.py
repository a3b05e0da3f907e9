"""The page as a browser finds it: nothing refused, nothing run that is not ours, labelled, on any width."""

import json
import re
import time

import numpy as np
import pandas as pd
import pytest

from assay import compare
from assay.bayes import GaussianNB
from assay.experiments import Experiment
from assay.report import render_report, write_study
from assay.tables.data import load_breast_cancer

NAMES = [
    "<script>window.caught = 1</script>", "</script><img src=x onerror=window.caught=1>", "${window.caught=1}`",
    "😀 emoji", "\u202eright to left", "x" * 300, "' \" & ; = # %", "--> ]]> {{7*7}}",
]  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A usual page, one full of hostile names, one of 300 classes, one of a study."""
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=120) for name in NAMES})
    hostile = compare(
        {NAMES[0]: "naive bayes", NAMES[2]: "lda", NAMES[4]: "knn", NAMES[5]: "majority"},
        X, rng.choice(NAMES[:4], 120), design="2-fold", name=NAMES[1], target=NAMES[6],
    )  # fmt: skip
    labels = np.repeat([f"class number {k}" for k in range(300)], 4)
    many = compare(
        {"first": GaussianNB(), "second": GaussianNB(var_smoothing=0.1)},
        rng.normal(size=(1200, 3)), labels, design="2-fold",
    )  # fmt: skip
    usual = compare(
        ["lda", "naive bayes", "knn"], load_breast_cancer(), design="3-fold", metrics=["error", "auc"]
    )
    for name, result in {"usual": usual, "hostile": hostile, "many": many}.items():
        (folder / f"{name}.html").write_text(render_report(result), encoding="utf-8")
    write_study(
        Experiment(["lda", "majority", "knn"], ["iris", "wine"], design="3-fold").run(), folder / "study.html"
    )
    return folder


ALL = ["usual", "hostile", "many", "study"]


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_refused_and_no_name_runs(browser, pages, name):
    browser.open(pages / f"{name}.html")
    assert browser.said == []
    assert browser.run("typeof window.caught") == "undefined"
    assert browser.run("document.querySelectorAll('img, iframe, object').length") == 0


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [1200, 400])
def test_the_page_is_as_wide_as_the_window(browser, pages, name, width):
    browser.ask(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
    )
    browser.open(pages / f"{name}.html")
    browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
    wide = browser.run("document.documentElement.scrollWidth")
    browser.ask("Emulation.clearDeviceMetricsOverride")
    assert wide <= width


@pytest.mark.parametrize("name", ALL)
def test_every_control_has_a_label_and_every_id_is_one(browser, pages, name):
    browser.open(pages / f"{name}.html")
    bare = browser.run(
        "[...document.querySelectorAll('input, select')].filter(e => !e.labels.length).map(e => e.id)"
    )
    assert bare == []
    twice = browser.run(
        "(() => { const all = [...document.querySelectorAll('[id]')].map(e => e.id);"
        " return all.filter((v, i) => all.indexOf(v) !== i) })()"
    )
    assert twice == []
    lost = browser.run(
        "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
        ".filter(h => !document.getElementById(h.slice(1)))"
    )
    assert lost == []
    drawings = browser.run(
        "[...document.querySelectorAll('svg')]"
        ".filter(s => !s.getAttribute('aria-label') && !s.hasAttribute('aria-hidden')).length"
    )
    assert drawings == 0


def test_a_link_to_a_folded_learner_unfolds_it(browser, pages):
    browser.open(pages / "usual.html", "#learner-2")
    assert browser.run("document.getElementById('learner-2').open")
    assert not browser.run("document.getElementById('learner-3').open")


def test_three_hundred_classes_have_a_reject_slider_and_no_table_of_losses(browser, pages):
    browser.open(pages / "many.html", "#costs;reject=0.5")
    rows = browser.table("#desk-ranking")
    assert {row[1] for row in rows[:2]} == {"first", "second"}
    assert browser.run("document.getElementById('desk-losses')") is None
    assert all(row[5].endswith("%") for row in rows[:2])
    html = (pages / "many.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="assay-desk">(.*?)</script>', html, re.DOTALL)[1])
    assert data["how"] == "top"


def outer_html(browser, selector):
    """The HTML of an element, asked for without a script; while the document is being replaced, asked again."""
    for _ in range(500):
        try:
            root = browser.ask("DOM.getDocument")["root"]["nodeId"]
            node = browser.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
            if node:
                return browser.ask("DOM.getOuterHTML", nodeId=node)["outerHTML"]
        except AssertionError:  # the node belonged to the page before
            pass
        time.sleep(0.02)
    raise AssertionError(f"{selector} never came")


def test_without_a_script_the_table_of_a_few_costs_is_there(browser, pages):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.ask("Page.navigate", url="about:blank")
        browser.ask("Page.navigate", url=f"file://{pages / 'usual.html'}")
        outer_html(browser, "#methods")  # the last section: all before it has arrived
        hidden, shown = outer_html(browser, "#desk"), outer_html(browser, "#costs")
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert 'id="desk" hidden' in hidden
    assert "all errors cost 1" in shown and "undecided costs 0.1" in shown
