"""Studies: tables, ranks, comparisons, and what is on disk."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.experiments.experiment import Experiment
from assay.experiments.study import Study

rng = np.random.default_rng(0)
SMALL = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2, np.arange(30) % 2)
DATA = {"small": SMALL, "iris": "iris", "wine": "wine"}
LEARNERS = ["majority", "lda", "naive bayes"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "e"
    Experiment(LEARNERS, DATA, design="2x3", metrics=["error", "auc"], folder=folder).run()
    return folder


@pytest.fixture
def study(folder):
    return Study.load(folder)


def test_means_are_those_of_the_records(study):
    for i, data in enumerate(study.data):
        for k, learner in enumerate(study.learners):
            for m in ("error", "auc"):
                values = [
                    r["value"]
                    for r in study.records
                    if (r["data"], r["learner"], r["metric"]) == (data, learner, m)
                ]
                assert len(values) == 6
                assert study.table(m)[i, k] == pytest.approx(np.mean(values), rel=1e-12)


def test_intervals_hold_the_means_and_are_those_of_the_comparison(study):
    means, bounds = study.table(), study.intervals()
    assert ((bounds[..., 0] <= means) & (means <= bounds[..., 1])).all()
    assert tuple(bounds[1, 2]) == study.comparison("iris").interval("naive bayes")


def test_ranks_turn_with_the_metric(study):
    assert study.ranks("error")[0] == 3.0
    assert study.ranks("auc")[0] == 3.0  # the majority is the worst by both
    assert study.ranks().mean() == 2.0


def test_names_that_are_not_there_are_named(study):
    with pytest.raises(ParameterError, match=r"no data set 'irs' here\. It has: small, iris, wine"):
        study.comparison("irs")
    with pytest.raises(ParameterError, match=r"'f1' was not measured here\. Measured: error, auc"):
        study.table("f1")


def test_nothing_at_all_is_explained():
    study = Experiment(["lda"], {"small": SMALL}, design="3-fold").run(budget=0.0)
    assert study.missing == 3
    assert "No data set has a mean error yet. Run the experiment on." in str(study)
    assert "no data set has a mean error yet" in study._repr_html_()
    assert "Run the experiment on" in study.checklist.conclusions


def test_all_failing_is_explained():
    made = Experiment([("knn", {"n_neighbors": [0]})], {"small": SMALL}, design="3-fold")
    text = str(made.run())
    assert "Every learner failed on every data set. See failures." in text
    assert "note: knn(n_neighbors=0) on small failed on 3 of 3 splits." in text
    assert made.run().checklist.aim == "To measure the error of knn(n_neighbors=0) on 1 data set."


def test_loading_explains_what_is_wrong(tmp_path, folder):
    with pytest.raises(ParameterError, match="there is no folder"):
        Study.load(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no experiment"):
        Study.load(tmp_path)
    path = tmp_path / "experiment.json"
    for text, words in (
        ("{", "not JSON"),
        ("{}", "was not written by an experiment"),
        ('{"what": "assay experiment", "format": 99}', "later version of assay"),
        ('{"what": "assay experiment", "format": 1}', "is damaged: 'name'"),
        ((folder / "experiment.json").read_text(), "missing or damaged"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=words):
            Study.load(tmp_path)


def test_no_code_is_read_from_a_folder(tmp_path, folder):
    """Arrays are plain: a file that would need unpickling is refused."""
    import shutil

    shutil.copytree(folder, tmp_path / "e")
    held = json.loads((tmp_path / "e" / "experiment.json").read_text())
    np.savez(tmp_path / "e" / held["data"][0]["file"], codes=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="missing or damaged"):
        Study.load(tmp_path / "e")
    held["data"][0]["file"] = "../../../etc/passwd"  # nor does a name lead out of the folder
    (tmp_path / "e" / "experiment.json").write_text(json.dumps(held))
    with pytest.raises(DataError, match=r"e/passwd is missing or damaged"):
        Study.load(tmp_path / "e")


def test_everything_survives_the_disk_bit_for_bit(tmp_path):
    made = Experiment(LEARNERS, DATA, design="2x3", metrics=["error", "log-loss"], folder=tmp_path / "e")
    kept, loaded = made.run(), Study.load(tmp_path / "e")
    assert kept.records == loaded.records
    assert kept.run_order == loaded.run_order
    assert_array_equal(kept.table("log-loss"), loaded.table("log-loss"))
    assert str(kept) == str(loaded)
    for name in DATA:
        a, b = kept.comparison(name), loaded.comparison(name)
        assert a.data == b.data and a.classes == b.classes and str(a.design) == str(b.design)
        assert all((x == y).all() for x, y in zip(a.truths, b.truths))
        assert all((x == y).all() for x, y in zip(a.tests, b.tests))
        assert_array_equal(a.out_of_fold("lda").posterior, b.out_of_fold("lda").posterior)


def test_classes_of_any_kind_survive(tmp_path):
    X = np.arange(24.0).reshape(12, 2)
    data = {
        "text": (X, ["ja", "nein"] * 6),
        "flags": (X, [True, False] * 6),
        "numbers": (X, [1, 2] * 6),
    }
    made = Experiment(["majority"], data, design="2-fold", folder=tmp_path / "e")
    kept, loaded = made.run(), Study.load(tmp_path / "e")
    for name in data:
        assert kept.comparison(name).classes == loaded.comparison(name).classes
    assert_allclose(loaded.table(), 0.5)
