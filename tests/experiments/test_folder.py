"""What an experiment leaves on disk."""

import numpy as np
import pytest

from assay.errors import DataError, ParameterError
from assay.experiments.experiment import Experiment
from assay.experiments.folder import Manifest, as_plain
from assay.experiments.study import Study
from assay.metrics import Measure

rng = np.random.default_rng(0)
SMALL = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2, np.arange(30) % 2)
OTHER = (rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 3, np.arange(40) % 3)
DATA = {"small": SMALL, "other": OTHER}


def experiment(learners=("majority", "lda", "naive bayes"), data=DATA, **options):
    return Experiment(list(learners), data, **{"design": "2x3", "metrics": ["error", "log-loss"], **options})


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(ParameterError, match="holds other files"):
        experiment(folder=tmp_path)
    with pytest.raises(ParameterError, match="is a file"):
        experiment(folder=tmp_path / "thesis.tex")


def test_a_damaged_description_does_not_keep_an_experiment_from_going_on(tmp_path):
    first = experiment(["majority", "lda"], folder=tmp_path / "e").run()
    for path in (tmp_path / "e").glob("data-*.npz"):
        path.write_bytes(b"")
    (tmp_path / "e" / "experiment.json").write_text("{")
    again = experiment(["majority", "lda"], folder=tmp_path / "e").run()
    assert again.records == first.records == Study.load(tmp_path / "e").records
    held = (tmp_path / "e" / "experiment.json").read_text()
    (tmp_path / "e" / "experiment.json").write_text(held.replace('"format": 1', '"format": 2'))
    with pytest.raises(ParameterError, match="written by a later version of assay"):
        experiment(["majority", "lda"], folder=tmp_path / "e").run()


def test_sessions_note_versions_and_ends(tmp_path):
    made = experiment(folder=tmp_path / "e")
    made.plan()
    study = made.run()
    kinds = [(s["kind"], s["cells"]) for s in study.manifest.sessions]
    assert kinds == [("pilot", 6), ("run", 30)]
    assert study.manifest.sessions[0]["versions"]["numpy"] == np.__version__
    assert Study.load(tmp_path / "e").manifest.sessions == study.manifest.sessions


def test_metrics_of_your_own_are_measured_and_can_be_loaded(tmp_path):
    own = Measure("wrong", lambda seen: float((seen.answer != seen.truth).sum()), "lower", "wrong rows")
    study = experiment(metrics=[own, "error"], folder=tmp_path / "e").run()
    assert study.table()[0, 0] == pytest.approx(10 * study.table("error")[0, 0])
    loaded = Study.load(tmp_path / "e")
    assert loaded.metrics[0].name == "wrong" and loaded.metrics[0].better == "lower"
    assert loaded.records == study.records
    with pytest.raises(ParameterError, match="came from Python code"):
        loaded.metrics[0].of(None)


def test_a_manifest_comes_back_as_it_was(tmp_path):
    made = experiment([("knn", {"n_neighbors": [1, 3]}), "lda"], folder=tmp_path / "e")
    made.run()
    kept, found = made._manifest, Manifest.load(tmp_path / "e")
    for name in (
        "name",
        "design",
        "design_words",
        "metrics",
        "alpha",
        "seed",
        "learners",
        "trials",
        "sessions",
    ):
        assert getattr(kept, name) == getattr(found, name), name
    for a, b in zip(kept.blocks, found.blocks):
        assert (a.name, a.print, a.design, a.about, a.labels) == (
            b.name,
            b.print,
            b.design,
            b.about,
            b.labels,
        )
        assert (a.places, a.split_prints, a.notes) == (b.places, b.split_prints, b.notes)
        assert (a.truth == b.truth).all() and all((s == t).all() for s, t in zip(a.tests, b.tests))


def test_plain_data_are_what_json_can_hold():
    assert as_plain({1: (np.float64(0.5), np.nan, np.inf), "a": [np.int64(2), True, None, 1 + 2j]}) == {
        "1": [0.5, None, None],
        "a": [2, True, None, "(1+2j)"],
    }


def test_damaged_arrays_are_told(tmp_path):
    experiment = Experiment(["majority"], ["iris"], design="2-fold", folder=tmp_path / "e")
    experiment.run()
    for path in (tmp_path / "e").glob("*.npz"):
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match="missing or damaged"):
        Study.load(tmp_path / "e")


def test_a_session_is_on_disk_before_its_first_cell(tmp_path, monkeypatch):
    """So that one that is killed has told its versions."""
    seen = []

    def peek(*args):
        seen.extend(Manifest.load(tmp_path / "e").sessions)
        return ""

    monkeypatch.setattr("assay.experiments.experiment.run_jobs", peek)
    Experiment(["majority"], ["iris"], design="2-fold", folder=tmp_path / "e").run()
    assert [s["ended"] for s in seen] == ["Ended without a word"] and seen[0]["versions"][
        "numpy"
    ] == np.__version__
