"""The checklist: seven steps, registered before the run, changes shown."""

import json
import re

import numpy as np
import pytest

from assay.errors import DataError, ParameterError
from assay.experiments.checklist import STEPS, Checklist
from assay.experiments.experiment import Experiment
from assay.experiments.study import Study

DATA = {"rows": (np.arange(40.0).reshape(20, 2), np.arange(20) % 2), "wine": "wine"}
TITLES = [
    "A. Aim of the study",
    "B. Response variable",
    "C. Factors and levels",
    "D. Design of the experiment",
    "E. Performing the experiment",
    "F. Statistical analysis",
    "G. Conclusions",
]


def experiment(checklist, folder=None, learners=("majority", "lda", "naive bayes")):
    return Experiment(list(learners), DATA, design="3-fold", folder=folder, checklist=checklist)


@pytest.mark.capability("IML-19-04")
@pytest.mark.parametrize("face", ["to_text", "to_markdown", "to_html"])
def test_the_report_of_an_experiment_contains_steps_a_to_g(tmp_path, face):
    """Spec 19.5: aim, response, factors and levels, design, run, statistical analysis, conclusions."""
    study = experiment(Checklist(aim="Is lda enough?"), tmp_path / "e").run()
    page = getattr(study.checklist, face)()
    places = [page.index(title) for title in TITLES]
    assert places == sorted(places)
    plain = page.replace("\\", "").replace("&#x27;", "'")
    for said in (
        "Is lda enough?",
        "error: share of rows classified wrongly",
        "majority, lda, naive bayes",
        "rows (20 rows), wine (178 rows)",
        "tratified 3-fold cross-validation; the same splits for every learner",
        "Seed 0",
        "At level 0.05: Friedman's test",
        study.conclusion().sentences[0],
    ):
        assert said in plain, said
    assert "(not stated)" not in page


def test_before_the_run_conclusions_are_open():
    assert Checklist(aim="a").steps[-1] == ("G", "Conclusions", "(not stated)")


def test_registration_comes_before_the_first_cell_and_keeps_time_and_hash(tmp_path):
    folder = tmp_path / "e"
    study = experiment(Checklist(aim="Is lda enough?"), folder).run()
    found = Checklist.load(folder)
    first = min(record["at"] for record in study.journal.values())
    assert found.registered <= first
    assert found.intact and found.hash == found.fingerprint
    assert re.fullmatch(
        r"Registered \d{4}-\d\d-\d\d \d\d:\d\d UTC before the run, hash [0-9a-f]{12}\. Unchanged since\.",
        found.status,
    )
    assert (folder / "checklist.md").read_text() == found.to_markdown()


def test_running_again_with_the_same_words_changes_nothing(tmp_path):
    for _ in range(2):
        experiment(Checklist(aim="one"), tmp_path / "e").run()
    assert Checklist.load(tmp_path / "e").changes == ()


def test_changes_afterwards_are_shown_with_their_time_and_the_first_wording_stays(tmp_path):
    folder = tmp_path / "e"
    experiment(Checklist(aim="first aim"), folder).run()
    before = Checklist.load(folder)
    study = experiment(Checklist(aim="second <aim>"), folder, ["majority", "lda"]).run()
    found = study.checklist
    assert {c.step for c in found.changes} == {"aim", "factors", "analysis"}
    assert found.registered == before.registered and found.hash == before.hash
    assert found.first.aim == "first aim" and found.first.factors == before.factors
    assert found.intact
    assert "3 changes afterwards" in found.status
    assert re.search(r"UTC: step A was changed from 'first aim' to 'second <aim>'\.", found.to_text())
    assert "second &lt;aim&gt;" in found.to_html() and "<aim>" not in found.to_html()
    assert r"second \<aim\>" in found.to_markdown()
    experiment(Checklist(aim="third aim"), folder, ["majority", "lda"]).run()
    assert [c.after for c in Checklist.load(folder).changes if c.step == "aim"] == [
        "second <aim>",
        "third aim",
    ]


def test_a_wording_changed_on_disk_is_found_out(tmp_path):
    folder = tmp_path / "e"
    experiment(Checklist(aim="honest"), folder).run()
    path = folder / "checklist.json"
    held = json.loads(path.read_text())
    held["steps"]["aim"] = "what I wish I had asked"
    path.write_text(json.dumps(held))
    found = Study.load(folder).checklist
    assert not found.intact
    assert "is not the one that was registered" in found.status


def test_an_experiment_without_a_checklist_still_has_its_own_words():
    study = experiment(None).run()
    assert study.checklist.status == "Not registered before the run."  # there is no folder to keep it
    assert study.checklist.aim == "To find out which of 3 learners has the best error on 2 data sets."


def test_a_folder_always_has_a_checklist_from_before_the_run(tmp_path):
    experiment(None, tmp_path / "e").run()
    assert Checklist.load(tmp_path / "e").intact
    assert "before the run" in Study.load(tmp_path / "e").checklist.status


def test_a_checklist_that_came_late_says_so(tmp_path):
    folder = tmp_path / "e"
    experiment(None, folder).run()
    (folder / "checklist.json").unlink()
    experiment(Checklist(aim="I knew it all along"), folder).run()
    assert "after 18 cells had been run, hash" in Study.load(folder).checklist.status


def test_conclusions_of_your_own_are_kept(tmp_path):
    folder = tmp_path / "e"
    experiment(Checklist(aim="a"), folder).run()
    experiment(Checklist(aim="a", conclusions="lda is enough."), folder).run()
    found = Study.load(folder).checklist
    assert found.conclusions == "lda is enough." and found.changes == ()


@pytest.mark.parametrize("damage", ["{", "{}", '{"steps": {}}', '{"steps": 3}'])
def test_a_damaged_checklist_is_explained(tmp_path, damage):
    (tmp_path / "checklist.json").write_text(damage)
    with pytest.raises((DataError, ParameterError), match="is damaged"):
        Checklist.load(tmp_path)


def test_steps_are_texts():
    with pytest.raises(ParameterError, match="aim must be a text, got 5"):
        Checklist(aim=5)
    assert list(STEPS) == ["aim", "response", "factors", "design", "run", "analysis", "conclusions"]


def test_a_damaged_checklist_is_put_aside_and_registered_again(tmp_path):
    experiment(Checklist(aim="one"), tmp_path / "e").run()
    (tmp_path / "e" / "checklist.json").write_text("{")
    study = experiment(Checklist(aim="one"), tmp_path / "e").run()
    assert "after 18 cells had been run" in study.checklist.status
    assert (tmp_path / "e" / "checklist.damaged").read_text() == "{"
