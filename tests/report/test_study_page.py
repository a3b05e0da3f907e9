"""The page of a study: every number is there, names are text, gaps are told."""

import json
import re
from html import unescape

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from assay.evaluate.digits import shown_metric
from assay.experiments import Experiment, Study
from assay.report import read_settings, render_study, write_study
from assay.trees import DecisionTreeClassifier

EVIL = "</script><script>alert(1)</script>\"'"
rng = np.random.default_rng(0)
SMALL = (rng.normal(size=(40, 2)) + np.arange(40)[:, None] % 2, np.arange(40) % 2)


def only(X, column):
    return np.asarray(X)[:, [column]]


class Fails(ClassifierMixin, BaseEstimator):
    """Fails on tables of two columns."""

    def fit(self, X, y):
        if np.shape(X)[1] == 2:
            raise ValueError("two columns are <b>too few</b>")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


@pytest.fixture(scope="module")
def study():
    learners = {
        "majority": "majority", "lda": "lda", "naive bayes": "naive bayes",
        "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 5]}),
    }  # fmt: skip
    data = {"small": SMALL, "iris": "iris", "wine": "wine", EVIL: "breast_cancer"}
    return Experiment(learners, data, design="3-fold", metrics=["error", "auc"]).run()


@pytest.fixture(scope="module")
def html(study):
    return render_study(study)


def text_of(html):
    body = re.sub(r"<(script|style).*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_every_mean_rank_and_sentence_is_there(study, html):
    text = text_of(html)
    for metric in ("error", "auc"):
        for mean in study.table(metric).ravel():
            assert f"{mean:.4f}" in text
    for rank in study.ranks():
        assert f"{rank:.2f}" in text
    found = study.conclusion()
    assert all(" ".join(s.split()) in text for s in found.sentences)
    assert f"critical difference {found.pairs.critical:.2f}" in text


def test_names_are_text_and_the_page_runs_its_own_script_alone(html):
    assert "<script>alert" not in html and html.count("<script") == 3
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in html
    assert not re.search(r"https?://|url\(|@import", html)
    assert len(html.encode()) < 200_000


def test_learners_of_one_name_and_several_settings_are_told_apart_in_the_heads_of_pairs(html):
    """Heads break into lines instead of ending in dots, which left tree(max_... three times."""
    head = html.partition('<table class="pairs">')[2].partition("</thead>")[0]
    assert head.count("<th class=") == head.count("<span>") >= 3
    assert ".pairs thead th { white-space: normal;" in html


@pytest.mark.capability("IML-19-04")
def test_steps_a_to_g_are_on_the_page_of_a_study(study, html):
    for letter, title, _ in study.checklist.steps:
        assert f"<b>{letter}</b> {title}" in html
    assert study.checklist.status in html


def test_effects_of_settings_are_told(study, html):
    term = study.effects("tree").terms[0]
    text = text_of(html)
    assert "What the settings do" in text and term.name == "max_depth"
    assert ", ".join(f"{level}: {mean:.4f}" for level, mean in zip(term.levels, term.means)) in text


def test_settings_come_back(study, tmp_path):
    found = read_settings(write_study(study, tmp_path / "study.html"))
    assert found["kind"] == "study" and [d["name"] for d in found["data"]] == study.data
    assert [e["name"] for e in found["learners"]] == study.learners and found["seed"] == 0
    assert study.report(tmp_path / "again.html").exists()


def test_the_numbers_for_programs_are_the_table(study, html):
    block = html.split('id="assay-result">')[1].split("</script>")[0]
    found = json.loads(block)
    np.testing.assert_allclose(found["means"]["error"], study.table("error"), rtol=1e-12)


def test_failed_and_missing_cells_are_told():
    study = Experiment(
        {"fails": Fails(), "lda": "lda", "majority": "majority"},
        {"small": SMALL, "iris": "iris"},
        design="3-fold",
    ).run()
    html = render_study(study)
    assert "failed" in text_of(html) and "&lt;b&gt;too few&lt;/b&gt;" in html
    assert "nan" not in text_of(html).split()


@pytest.mark.parametrize(("learners", "data"), [(["lda"], ["iris"]), (["lda", "majority"], ["iris", "wine"]),
                                              (["lda", "majority", "knn"], ["iris"])])  # fmt: skip
def test_one_data_set_one_learner_and_two_are_pages_too(learners, data):
    html = render_study(Experiment(learners, data, design="3-fold").run())
    assert "nan" not in text_of(html).split() and "<b>G</b>" in html
    assert ("critical difference" in html) == (len(learners) > 2 and len(data) > 1)


def test_nothing_run_yet_is_a_page_that_says_so(tmp_path):
    experiment = Experiment(["lda", "majority"], ["iris", "wine"], design="3-fold", folder=tmp_path / "e")
    html = render_study(experiment.run(budget=0.0))
    assert "<b>A</b>" in html and "nan" not in text_of(html).split()


def test_each_comparison_of_a_study_has_a_page_fresh_or_loaded(tmp_path):
    experiment = Experiment(["lda", "knn"], ["iris", "wine"], design="3-fold", folder=tmp_path / "e")
    fresh, loaded = experiment.run(), Study.load(tmp_path / "e")
    for study in (fresh, loaded):
        html = study.comparison("iris").report(tmp_path / "iris.html").read_text(encoding="utf-8")
        assert "Ranking by error" in html and "nan" not in text_of(html).split()
    assert "saved without its rows" in html
    assert render_study(loaded) == render_study(Study.load(tmp_path / "e"))


def test_the_ranks_under_the_table_are_rounded_and_not_cut(study, html):
    foot = re.search(r"<tfoot>(.*?)</tfoot>", html, re.DOTALL)[1]
    shown = [float(v) for v in re.findall(r"<b>([0-9.]+)</b>", foot)]
    assert shown == sorted(round(float(r), 2) for r in study.ranks())


def test_a_learner_that_failed_everywhere_is_one_that_failed():
    study = Experiment({"f": Fails(), "lda": "lda", "majority": "majority"},
                       {"a": SMALL, "b": (SMALL[0] * 2, SMALL[1])}, design="2-fold").run()  # fmt: skip
    assert "1 failed somewhere" in text_of(render_study(study))


@pytest.mark.parametrize("columns", [(0, 1), (1, 0)])
def test_of_equal_ranks_the_sentence_the_tile_and_the_table_name_the_same(columns):
    """Each learner sees one column: right about all rows of one data set, and about fewer of the other."""
    right = np.arange(40) % 2 + 0.0
    few, many = (np.where(np.arange(40) < wrong, 1 - right, right) for wrong in (4, 8))
    data = {"a": (np.column_stack([right, few]), SMALL[1]), "b": (np.column_stack([many, right]), SMALL[1])}
    learners = {
        f"column {c}": make_pipeline(
            FunctionTransformer(only, kw_args={"column": c}), DecisionTreeClassifier(random_state=0)
        )
        for c in columns
    }
    study = Experiment({**learners, "majority": "majority"}, data, design="2-fold").run()
    found = study.conclusion()
    means = study.table().mean(axis=0)
    assert found.ranks[0] == found.ranks[1] and means[0] != means[1]
    assert found.best == study.learners[int(np.argmin(means[:2]))]
    text = text_of(render_study(study))
    assert f"average rank of {found.best}" in text and f"{found.best} ranks best" in text


def test_a_study_of_numbers_speaks_of_no_classes_and_prints_values_in_their_units():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    data = {f"d{i}": (X, 10.0**i * (X[:, 0] + rng.normal(size=40))) for i in range(2)}
    study = Experiment(["mean", "ols"], data, design="3-fold", metrics=["rmse"]).run()
    html = render_study(study)
    text = " ".join(re.sub("<[^>]+>", " ", html.split("<body>")[1].split("<script")[0]).split())
    assert re.search(r"\b(class|classes|stratified)\b", text) is None
    for row in study.table("rmse"):
        for value in row:
            assert shown_metric(study.metrics[0], value, row.min()) in text
