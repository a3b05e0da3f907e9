"""The page: complete in itself, safe whatever the data are called, small, and true to the result."""

import base64
import hashlib
import json
import re
from functools import partial
from html import unescape as html_unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.report import read_settings, render_report, write_report
from assay.tables.data import load_breast_cancer, load_digits, load_iris

plain = partial(render_report, learning_curves=False, explanations=False)  # nothing is fitted again

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><script>alert(2)</script>",
    "</script><svg onload=alert(3)>",
    "javascript:alert(4)",
    "{{ 7777*7777 }}{% raw %}",
    "' onmouseover='alert(5)",
    "<!-- ]]>",
]


class Page(HTMLParser):
    """Elements, attributes and text, as a browser would find them."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.attributes, self.texts = [], [], []
        self.stack = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("meta", "img", "br", "link", "input"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.texts.append((self.stack[-1] if self.stack else "", data))

    @property
    def text(self):
        return " ".join(data for tag, data in self.texts if tag not in ("style", "script"))


class Fails(ClassifierMixin, BaseEstimator):
    """Fails with a message from the data."""

    def fit(self, X, y):
        raise ValueError(EVIL[0] + EVIL[3])

    def predict(self, X):
        return X


@pytest.fixture(scope="module")
def result():
    learners = ["majority", "naive bayes", "lda", "nearest mean"]
    return compare(learners, load_breast_cancer(), design="2x5", metrics=["error", "auc"])


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(EVIL, size=80) for name in EVIL} | {"one": EVIL[1]})
    X.iloc[:3, 0] = None
    y = pd.Series(rng.choice(EVIL[:3], size=80), name=EVIL[4])
    learners = {EVIL[0]: GaussianNB(), EVIL[1]: "naive bayes", EVIL[6]: Fails(), EVIL[5]: "majority"}
    return compare(learners, X, y, design="2x3", metrics=["error", "auc"], name=EVIL[2])


def test_names_from_the_data_are_text_and_nothing_else(hostile):
    html = render_report(hostile)
    page = Page(html)
    assert page.stack == []  # every element is closed, none was opened by a name
    assert not {"img", "iframe", "link", "object", "base", "form"} & set(page.elements)
    assert page.elements.count("script") == 4 and page.elements.count("style") == 1
    assert not [a for a in page.attributes if a[1].startswith("on") or a[1] in ("src", "srcdoc", "action")]
    assert all(value.startswith("#") for _, name, value in page.attributes if name == "href")
    for name in EVIL:
        assert " ".join(name.split()) in " ".join(page.text.split())
    assert "60481729" not in html  # the template language of a name is not run


def test_the_data_for_programs_cannot_close_their_script(hostile):
    html = plain(hostile)
    found = {}
    for name in ("assay-settings", "assay-result", "assay-desk"):
        body = html.split(f'<script type="application/json" id="{name}">')[1]
        found[name] = json.loads(body.split("</script>", 1)[0])
    assert found["assay-result"]["data"]["name"] == EVIL[2]
    assert found["assay-result"]["ranking"]["error"][0]["learner"] in hostile.learners
    assert found["assay-settings"]["data"]["target"] == EVIL[4]
    assert found["assay-desk"]["classes"] == sorted(EVIL[:3])


def test_the_page_loads_nothing_and_runs_one_script_that_its_policy_names(result):
    html = plain(result)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1)
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert not re.search(r"https?://|url\(|@import", html)
    code = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(code) == 1 and html.count("<script") == 4
    digest = base64.b64encode(hashlib.sha256(code[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html_unescape(policy)
    assert not re.search(r"\son\w+=", html.replace(code[0], ""))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", code[0])


def test_every_number_of_the_result_is_there(result):
    text = Page(plain(result)).text
    for s in result.ranking():
        assert f"{s.mean:.4f}" in text and f"{s.low:.4f} – {s.high:.4f}" in text
    for s in result.ranking()[1:]:
        assert f"{s.difference:+.4f}" in text
        assert str(result.test(s.learner, result.best)) in text
    for count in result.confusion("lda").ravel():
        assert f"{count:,}" in text
    for part in ("569", "30 columns", "benign", "malignant", "0.250", "Holm", "10 splits", "seed 0"):
        assert part in text, part


def test_the_methods_say_the_correction_in_numbers(result):
    text = Page(plain(result)).text
    assert "9 degrees of freedom and the variance multiplied by 1/10 + 0.250 instead of 1/10" in text
    assert "adjusted by Holm's method (Holm 1979) over all 3 pairs of learners that look at columns" in text
    assert "Numbers were standardised for nearest mean." in text


def test_findings_failures_and_notes_are_told(hostile):
    text = Page(plain(hostile)).text
    assert "failed on 6 of 6 splits. ValueError: " + EVIL[0] in text
    assert "has one value only" in text and "missing values of 80" in text


def test_one_learner_a_holdout_and_no_learner_left_are_pages_too():
    alone = Page(plain(compare(["lda"], load_iris()))).text
    assert "Differences from" not in alone and "lda has error" in alone
    once = Page(plain(compare(["lda", "majority"], load_iris(), design="holdout"))).text
    assert "With a single split" in once and "McNemar" in once
    none = Page(plain(compare([Fails()], load_iris(), design="3-fold"))).text
    assert "No learner finished." in none and "Ranking by" not in none


@pytest.mark.parametrize(("design", "metrics"), [("leave-one-out", ["auc", "error"]), ("holdout", ["auc"]),
                                               ("leave-one-out", ["error", "auc"])])  # fmt: skip
def test_a_metric_without_a_value_or_an_interval_leaves_a_page(design, metrics):
    result = compare(["lda", "majority"], load_iris(), design=design, metrics=metrics)
    page = Page(plain(result))
    assert page.stack == [] and "nan" not in page.text.split()
    if design == "leave-one-out" and metrics[0] == "auc":
        assert "No split defines auc" in page.text and "auc is not defined on 150 of 150 splits" in page.text


def test_equal_learners_and_perfect_ones_have_a_scale():
    X, y = load_iris()
    page = plain(compare({"a": GaussianNB(), "b": GaussianNB()}, X, y == y[0], design="3-fold"))
    assert "nan" not in page.lower().replace("nan</", "x")
    assert Page(page).stack == []


def test_many_classes_columns_and_learners_stay_below_a_megabyte():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 400))
    X[:, :30] = 1.0
    y = np.repeat([f"class number {k}" for k in range(60)], 15)
    result = compare({f"learner {i}": "majority" for i in range(30)}, X, y, design="3-fold")
    html = render_report(result)
    assert len(html.encode()) < 1_000_000
    text = Page(html).text
    assert "100 more are not listed" in text and "and 20 more" in text
    assert "the same holds for 27 more columns: x3, x4" in text
    assert "True class" in text  # the largest confusions instead of a matrix of 60 times 60


def test_a_usual_page_is_small(result):
    assert len(render_report(result).encode()) < 300_000
    digits = compare(["lda", "naive bayes"], load_digits(), design="3-fold")
    assert len(render_report(digits).encode()) < 600_000


def test_it_is_written_where_asked(result, tmp_path):
    path = write_report(result, tmp_path / "out.html")
    assert path.read_text(encoding="utf-8") == render_report(result)
    assert result.report(str(tmp_path / "again.html")).exists()


def test_the_same_result_gives_the_same_page(result):
    assert render_report(result) == render_report(result)


def test_a_name_cannot_turn_the_direction_of_the_text_around_it(tmp_path):
    X, y = load_iris()
    turned = "\u202eevil\u2066"
    result = compare({turned: "lda", "\x07bell": "majority"}, X, y, design="3-fold", name=turned)
    html = render_report(result)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", html) and "\ufffdevil\ufffd" in html
    path = tmp_path / "turned.html"
    path.write_text(html, encoding="utf-8")
    assert turned in read_settings(path)["learners"]  # data for programs keep the name as it is


def test_a_folder_that_is_not_there_is_told_before_the_work(tmp_path, monkeypatch):
    result = compare(["majority"], load_iris(), design="2-fold")
    monkeypatch.setattr("assay.report.page.render_report", lambda *_, **__: pytest.fail("worked first"))
    with pytest.raises(ParameterError, match=r"there is no folder .*nowhere to write page\.html into"):
        result.report(tmp_path / "nowhere" / "page.html")
    with pytest.raises(ParameterError, match="is a folder; give the name of a file"):
        result.report(tmp_path)


class Loud(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose probabilities are stretched: ``times`` p + ``plus``."""

    def __init__(self, times=1.0, plus=0.0):
        self.times = times
        self.plus = plus

    def fit(self, X, y):
        self.inner_ = GaussianNB().fit(np.asarray(X), y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(np.asarray(X))

    def predict_proba(self, X):
        return self.times * self.inner_.predict_proba(np.asarray(X)) + self.plus


def loud(classes, times, plus):
    y = np.arange(120) % classes
    X = np.random.default_rng(0).normal(size=(120, 2)) + y[:, None]
    return compare({"loud": Loud(times, plus), "nb": GaussianNB()}, X, y, design="3-fold")


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("times", "plus"), [(0.9, 0.0), (7.0, 0.0), (0.0, 0.0), (1.2, -0.1)])
def test_numbers_that_are_no_probabilities_cost_the_learner_its_curves_and_not_the_page(classes, times, plus):
    html = render_report(loud(classes, times, plus))
    assert "predict_proba gave no probabilities" in html and "not here: loud" in html


@pytest.mark.parametrize(("times", "plus"), [(1.0005, 0.0), (1.0008, -0.0004)])
def test_probabilities_that_nearly_add_up_are_made_to(times, plus):
    result = loud(2, times, plus)
    posterior = result.out_of_fold("loud").posterior
    np.testing.assert_allclose(posterior.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(posterior, result.out_of_fold("nb").posterior, atol=1e-3)
    assert posterior.min() >= 0 and "not here" not in render_report(result)
