"""One data set of a study as a comparison."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.experiments.experiment import Experiment
from assay.experiments.study import Study

rng = np.random.default_rng(0)
SMALL = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2, np.arange(30) % 2)
DATA = {"small": SMALL, "iris": "iris", "wine": "wine"}
LEARNERS = ["majority", "lda", "naive bayes"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "e"
    Experiment(LEARNERS, DATA, design="2x3", metrics=["error", "auc"], folder=folder).run()
    return Study.load(folder)


def test_a_comparison_of_a_loaded_study_has_all_but_the_rows(study):
    result = study.comparison("wine")
    assert result.best == "lda"
    assert result.out_of_fold("lda").posterior.shape == (178, 3)
    assert result.confusion("lda").sum() == 2 * 178
    assert result.test("lda", "majority").significant
    assert "wine: 178 rows" in str(result)
    with pytest.raises(ParameterError, match="without its rows"):
        _ = result.splits


def test_an_unfinished_study_rests_on_whole_blocks():
    made = Experiment(LEARNERS, DATA, design="2x3")
    made.plan(pilot=60)  # one cell of each learner on the two smallest data sets
    study = made.run(budget=0.0)
    assert study.missing == 54 - 6
    assert np.isfinite(study.table()[:2]).all() and np.isnan(study.table()[2]).all()
    assert "48 of 54 cells have not been run yet; the result rests on the others." in study.notes
    assert "wine is left out" in str(study)
    with pytest.raises(ParameterError, match="no split of wine has been finished by every learner yet"):
        study.comparison("wine")
    result = study.comparison("small")
    assert len(result.places) == 1
    assert "1 of 6 splits are finished; the result rests on these." in result.notes
    whole = made.run().comparison("small")
    (j,) = [j for j, place in enumerate(whole.places) if place == result.places[0]]
    assert result.values("lda")[0] == whole.values("lda")[j]


def test_a_learner_that_has_not_begun_is_left_out_with_a_note(tmp_path):
    Experiment(["lda"], {"small": SMALL}, design="3-fold", folder=tmp_path / "e").run()
    made = Experiment(["lda", "majority"], {"small": SMALL}, design="3-fold", folder=tmp_path / "e")
    study = made.run(budget=0.0)
    result = study.comparison("small")
    assert result.learners == ["lda"] and "Not run yet: majority." in result.notes
    assert np.isfinite(study.table()[0, 0]) and np.isnan(study.table()[0, 1])
    assert "majority has no mean on any data set and takes no part." in study.conclusion().sentences


def test_a_comparison_fresh_from_a_run_knows_its_rows_and_learners():
    result = Experiment(LEARNERS, DATA, design="2x3").run().comparison("wine")
    assert result.source.table.shape == (178, 13)
    assert len(result.splits) == 6
    assert result.estimator("lda").fit(*[result.source.table, result.source.codes]) is not None
    assert result.settings["seed"] == 0 and result.settings["versions"]["numpy"] == np.__version__


def test_rows_of_groups_stay_together_and_the_comparison_says_so():
    X, y = SMALL
    groups = np.arange(30) // 3
    study = Experiment(["lda"], {"g": {"X": X, "y": y, "groups": groups}}, design="5-fold").run()
    result = study.comparison("g")
    assert result.settings["grouped"]
    for split in result.splits:
        assert not set(groups[split.train]) & set(groups[split.test])
