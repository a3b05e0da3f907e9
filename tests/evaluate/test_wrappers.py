"""Networks of others inside compare, decisions and the report: skorch's wrapper of torch."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import compare
from assay.baselines import MajorityClassifier
from assay.bayes import GaussianNB
from assay.decide import DecisionRule

torch = pytest.importorskip(
    "torch", reason="torch is a peer of the tests only, and not among what they install"
)
skorch = pytest.importorskip(
    "skorch", reason="skorch is a peer of the tests only, and not among what they install"
)

iris = load_iris()
X, y = iris.data.astype(np.float32), iris.target.astype(np.int64)


class Layers(torch.nn.Module):
    def __init__(self, units=8, classes=3):
        super().__init__()
        self.hidden, self.out = torch.nn.Linear(4, units), torch.nn.Linear(units, classes)

    def forward(self, x):
        return torch.softmax(self.out(torch.tanh(self.hidden(x.float()))), dim=-1)


def network(**settings):
    torch.manual_seed(0)
    net = skorch.NeuralNetClassifier(
        Layers,
        max_epochs=40,
        lr=0.05,
        optimizer=torch.optim.Adam,
        batch_size=32,
        train_split=None,
        verbose=0,
        **settings,
    )
    return make_pipeline(StandardScaler(), net)


def test_a_wrapped_network_is_compared_with_ours(tmp_path):
    learners = {"torch": network(), "bayes": GaussianNB(), "majority": MajorityClassifier()}
    result = compare(learners, X, y, design="3-fold", metrics=["error", "log-loss"])
    error = {name: np.mean(result.values(name, "error")) for name in learners}
    assert error["torch"] < 0.15 < error["majority"]
    result.report(tmp_path / "page.html")
    assert "torch" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_loss_matrix_moves_the_answers_of_a_wrapped_network():
    plain = DecisionRule(network()).fit(X, y)
    wary = DecisionRule(network(), loss={(1, 2): 50, (2, 1): 1}).fit(X, y)
    assert (plain.predict(X) == y).mean() > 0.9
    assert (wary.predict(X) == 1).sum() != (plain.predict(X) == 1).sum()
    careful = DecisionRule(network(), reject=0.05).fit(X, y)
    assert 0 < (careful.predict(X).astype(str) == "reject").sum() < 75
    assert clone(wary).get_params()["estimator"] is not wary.estimator
