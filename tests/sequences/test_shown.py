"""What models of sequences show of themselves: chain and emissions, by the names of states, columns and symbols."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.sequences.test_behaviour import MODELS, WALK

from assay.errors import ParameterError
from assay.sequences import (
    CategoricalHMM,
    GaussianHMM,
    LinearDynamicalSystem,
    MarkovChain,
    MixedHMM,
    MultinomialHMM,
    SequenceClassifier,
    Sequences,
)

VISITS = {
    "who": ["p", "p", "p", "q", "q", "q"],
    "pulse": [70.0, 71.0, 90.0, 91.0, 70.0, 72.0],
    "ward": ["a", "a", "b", "b", "a", "a"],
}


def by_title(view):
    return {part.title: part for part in view.parts}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_shows_its_chain(name):
    model = MODELS[name].fit(WALK)
    view = model.show()
    chain = view.parts[0]
    assert chain.title == "Chain" and len(view.parts) > 1
    np.testing.assert_allclose([row[1] for row in chain.rows], model.startprob_)
    np.testing.assert_allclose([row[2:] for row in chain.rows], model.transmat_)
    assert "Chain" in view.to_html()


def test_states_are_described_by_columns_and_symbols():
    parts = by_title(MixedHMM(2, random_state=0).fit(Sequences.of(VISITS, id="who")).show())
    assert [row[0] for row in parts["pulse by state"].rows] == ["mean", "standard deviation"]
    assert [row[0] for row in parts["ward by state"].rows] == ["a", "b"]
    means = sorted(parts["pulse by state"].rows[0][1:])
    assert means[0] == pytest.approx(70.75, abs=0.1) and means[1] == pytest.approx(90.5, abs=0.1)
    model = GaussianHMM(2, random_state=0).fit(WALK)
    parts = by_title(model.show())
    assert [row[0] for row in parts["Means by state"].rows] == ["x0", "x1"]
    np.testing.assert_allclose([row[1:] for row in parts["Means by state"].rows], model.means_.T)
    counts = MultinomialHMM(1).fit(np.array([[1, 3], [2, 2]])).show()
    assert by_title(counts)["Symbols by state"].rows == [["x0", 0.375], ["x1", 0.625]]


def test_many_states_have_a_row_each_and_rare_moves_are_left_out():
    model = CategoricalHMM(13, random_state=0, n_iter=1).fit(np.arange(40)[:, None] % 14)
    chain, symbols = model.show(None).parts
    assert chain.columns == ["from", "to", "probability"] and "left out" in chain.note
    assert min(row[-1] for row in [*chain.rows, *symbols.rows]) >= 0.01


def test_chains_systems_and_classifiers():
    (chain,) = MarkovChain().fit([list("abba")]).show().parts
    assert chain.rows == [["a", 1.0, 0.0, 1.0], ["b", 0.0, 0.5, 0.5]]
    (second,) = MarkovChain(order=2, pseudo_count=1).fit([list("abbaab")]).show().parts
    assert len(second.rows) == 4
    assert len(LinearDynamicalSystem(2, random_state=0).fit(WALK).show().parts) == 5
    model = SequenceClassifier(GaussianHMM(2, random_state=0)).fit([WALK[:20], WALK[20:40]], ["up", "down"])
    view = model.show()
    assert [part.title for part in view.parts[:2]] == ["Class priors", "down: Chain"]
    assert "Tells 2 classes apart: down, up." in str(view)
    with pytest.raises(ParameterError, match="limit"):
        model.show(0)
    with pytest.raises(NotFittedError):
        SequenceClassifier().show()
