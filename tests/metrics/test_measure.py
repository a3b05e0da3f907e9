"""One measure, one record: found in its module, and read everywhere."""

import importlib.util
import pathlib
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay.metrics
from assay import compare
from assay.errors import ParameterError
from assay.metrics import Measure, OfRows, OfTable, Outcome, measure_named, measures, with_interval
from assay.tables.data import load_iris

ROOT = pathlib.Path(__file__).parents[2]
ONE_FILE = '''
"""Markedness: how much an answer of either class tells."""

from assay.metrics import _tables
from assay.metrics.forms import OfTable
from assay.metrics.measure import Measure


def markedness_score(y_true, y_pred):
    """Mean precision with chance at 0."""


def _markedness(T):
    return 2 * _tables.mean_of_defined(_tables.precisions_or_zero(T)) - 1


MARKEDNESS = Measure("markedness", OfTable(_markedness), "higher", "how much an answer tells", bounds=(-1.0, 1.0),
                     functions=(markedness_score,), aliases=("delta p",))
'''


@pytest.fixture
def one_file(tmp_path, monkeypatch):
    """A file more in the room of measures, and nothing else."""
    (tmp_path / "markedness.py").write_text(ONE_FILE)
    monkeypatch.setattr(assay.metrics, "__path__", [*assay.metrics.__path__, str(tmp_path)])
    measures.cache_clear()
    yield tmp_path
    measures.cache_clear()
    sys.modules.pop("assay.metrics.markedness", None)
    vars(assay.metrics).pop("markedness", None)


def test_a_measure_of_one_file_is_known_everywhere(one_file, capsys):
    from sklearn.model_selection import cross_val_score

    from assay.bayes import GaussianNB
    from assay.cli import main
    from assay.evaluate import learning_curve, scorer_of
    from assay.experiments import Experiment
    from assay.tuning import Tuned

    iris = load_iris()
    result = compare(
        ["naive bayes", "majority"], iris, design="3-fold", metrics=["markedness", "macro precision"]
    )
    values = result.values("naive bayes", "markedness")
    assert_allclose(values, 2 * result.values("naive bayes", "macro precision") - 1)
    assert "markedness" in str(result)
    assert result.values("naive bayes", "Delta_P").tolist() == values.tolist()

    scores = cross_val_score(GaussianNB(), iris.X, iris.y, scoring=scorer_of("delta p"), cv=3)
    assert (scores > 0.8).all()
    curve = learning_curve("naive bayes", iris, train_sizes=[0.5, 1.0], design="3-fold", metric="markedness")
    assert curve.metric.name == "markedness"
    tuned = Tuned(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, metric="markedness").fit(iris.X, iris.y)
    assert tuned.best_score_ > 0.8
    study = Experiment(
        ["naive bayes", "majority"], {"iris": iris}, design="3-fold", metrics=["markedness"]
    ).run()
    assert "markedness" in str(study)
    assert with_interval("markedness", [0, 0, 1, 1] * 5, [0, 1, 1, 1] * 5).method == "delta method"

    page = one_file / "report.html"
    result.report(page, learning_curves=False)
    assert "how much an answer tells" in page.read_text()

    def command(*words):
        try:
            main(list(words))
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return code, "".join(capsys.readouterr())

    code, said = command("compare", "iris", "-l", "majority", "--design", "2-fold", "-m", "delta-p", "--json")
    assert code == 0 and '"markedness"' in said
    assert "markedness" in command("compare", "--help")[1]
    code, said = command("compare", "iris", "-l", "majority", "-m", "markednes")
    assert code != 0 and "Did you mean markedness?" in said
    from assay.cli.completion import complete_metrics

    assert [item.value for item in complete_metrics(None, None, "marke")] == ["markedness"]

    spec = importlib.util.spec_from_file_location("conf", ROOT / "docs/conf.py")
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    text = [(ROOT / "docs/measures.md").read_text()]
    conf.table_of_measures(None, "measures", text)
    assert (
        "| markedness | how much an answer tells | higher | labels | delta p, markedness score |" in text[0]
    )


def test_two_measures_of_one_name_are_refused(one_file):
    (one_file / "other.py").write_text(ONE_FILE.replace('"markedness"', '"marked"'))
    try:
        with pytest.raises(ParameterError, match="'marked' and 'markedness' are both"):
            measures()
    finally:
        sys.modules.pop("assay.metrics.other", None)
        vars(assay.metrics).pop("other", None)


def test_every_record_is_complete_and_found_by_all_its_names():
    for name, m in measures().items():
        assert m.words and m.name == name and m.bounds[0] < m.bounds[1]
        assert all(measure_named(spelt) is m for spelt in m.names)
        assert all(measure_named(spelt.replace(" ", "_").upper()) is m for spelt in m.names)


def test_a_measure_of_numbers_needs_no_more_than_its_rows():
    """A regression's error, by hand: squares 9, 16, 1; their mean 26/3, Student's interval with 2 degrees."""

    def squares(outcome):
        return (outcome.truth - outcome.answer) ** 2

    rmse = Measure("rmse", OfRows(squares, link=np.sqrt), "lower", "root of the mean square", "numbers", "regression",
                   bounds=(0.0, np.inf))  # fmt: skip
    truth, answer = [3.0, 1.0, 0.0], [0.0, 5.0, 1.0]
    found = with_interval(rmse, truth, answer)
    half = 4.302652729911275 * np.std([9, 16, 1], ddof=1) / np.sqrt(3)
    assert_allclose([found.value, found.high], [np.sqrt(26 / 3), np.sqrt(26 / 3 + half)], rtol=1e-9)
    assert 0 <= found.low < found.value and found.method == "t"
    drawn = with_interval(rmse, truth, answer, method="percentile", resamples=200)
    assert 1 <= drawn.low < found.value < drawn.high <= 4
    weighted = with_interval(rmse, truth, answer, sample_weight=[1, 0, 0])
    assert_allclose(weighted.value, 3)
    iris = load_iris()
    with pytest.raises(ParameterError, match="rmse is of predicted numbers"):
        compare(["majority"], iris, metrics=[rmse])


def test_a_record_says_what_is_wrong_with_it():
    for wrong, said in (
        ({"better": "up"}, "better must be one of lower, higher, neither, got 'up'"),
        ({"needs": "posterior"}, "needs must be one of labels, scores"),
        ({"task": "ranking"}, "task must be one of classification"),
    ):
        with pytest.raises(ParameterError, match=said):
            replace(measures()["error"], **wrong)


def test_a_measure_of_one_class_without_a_share_has_the_delta_interval():
    """The positive class is the one labelled 1, wherever it stands among the labels."""
    half = Measure("half", OfTable(_half_recall, classes="positive"), "higher", bounds=(0.0, 0.5))
    outcome = Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), None, 2, labels=np.array([1, 2]))
    found = half.estimate(outcome)
    assert_allclose(found.value, 1 / 3) and found.method == "delta method"
    assert found.low < found.value < found.high < 0.5
    assert_allclose(half.of_class(2).of(outcome), 0.5)


def _half_recall(T):
    return np.diagonal(T, axis1=-2, axis2=-1) / np.maximum(T.sum(axis=-1), 1e-300) / 2


def test_measures_of_scores_take_decision_values_and_probabilities_alike():
    truth, score = np.array([0, 1, 0, 1, 1, 0]), np.array([-3.0, 2.0, 0.5, 0.1, 4.0, -0.2])
    chance = 1 / (1 + np.exp(-score))
    scored = Outcome(truth, truth, None, 2, scores=score)
    believed = Outcome(truth, truth, np.column_stack([1 - chance, chance]), 2)
    for name, m in measures().items():
        if m.needs == "scores":
            assert_allclose(m.of(scored), m.of(believed), err_msg=name)
