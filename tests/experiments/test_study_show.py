"""A study as text and as HTML."""

import numpy as np
import pytest

from assay.experiments.experiment import Experiment
from assay.experiments.study_show import as_text

rng = np.random.default_rng(0)


def rows(i, n=24):
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + (1 + i / 5) * y[:, None], y


@pytest.fixture(scope="module")
def study():
    data = {f"set {i}": rows(i) for i in range(6)}
    return Experiment(["majority", "lda", "naive bayes"], data, design="2x3", metrics=["error", "auc"]).run()


def test_the_table_is_ordered_by_rank_with_stars_for_the_best(study):
    lines = str(study).splitlines()
    assert (
        lines[0]
        == "experiment: 3 learners on 6 data sets. 2 repetitions of stratified 3-fold cross-validation, seed 0."
    )
    assert lines[2] == "Mean error (lower is better):"
    assert lines[3].split()[:3] == ["learner", "rank", "groups"]
    ranks = [float(line.replace("naive bayes", "nb").split()[1]) for line in lines[4:7]]
    assert ranks == sorted(ranks)
    assert sum(line.count("*") for line in lines[4:7]) >= 6
    assert lines[6].startswith("majority")
    assert any(line.startswith("Friedman's test, Iman-Davenport F") for line in lines)


def test_other_metrics_and_controls_can_be_shown(study):
    assert "Mean auc (higher is better):" in as_text(study, "auc")
    assert "against majority (" in as_text(study, control="majority")


def test_many_data_sets_do_not_burst_the_line():
    data = {f"a data set with a long name {i}": rows(i, 12) for i in range(14)}
    text = str(Experiment(["majority", "lda"], data, design="holdout").run())
    table = text.splitlines()[3:7]
    assert all(len(line) <= 118 for line in table)
    assert "more data sets: study.table(), or the report." in text


def test_html_escapes_names():
    data = {"<script>alert(1)</script>": rows(0), "b&c": rows(1)}
    page = Experiment({"<b>": "lda", "m": "majority"}, data, design="2-fold").run()._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "<b>" not in page and "b&amp;c" in page


def test_versions_that_differ_are_noted(study):
    import copy

    other = copy.copy(study)
    other.manifest = copy.copy(study.manifest)
    session = study.manifest.sessions[0]
    other.manifest.sessions = [session, {**session, "versions": {**session["versions"], "numpy": "1.0"}}]
    assert not any(
        "different versions" in note for note in other.notes
    )  # the second one ran nothing that is used
    key, record = next(iter(study.journal.items()))
    other.journal = {**study.journal, key: {**record, "session": 1}}
    assert any("different versions of packages" in note for note in other.notes)
    assert not any("different versions" in note for note in study.notes)
