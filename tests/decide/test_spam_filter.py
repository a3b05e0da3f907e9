"""A spam filter: words and symbols, Bernoulli naive Bayes, a loss that spares good mail, and a third action."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.bayes import BernoulliNB
from assay.decide import DecisionRule, decide
from assay.text import CountVectorizer

SPAM = [
    "opportunity of a lifetime, $ $ $ !",
    "viagra ! cheap viagra !",
    "earn a dollar a day, great opportunity !",
    "the dollar opportunity, $ !",
    "win $ now !",
]
GOOD = [
    "the meeting is at ten",
    "lunch today ?",
    "the opportunity to meet was a pleasure",
    "minutes of the meeting",
    "see you at lunch",
    "please review the minutes",
]
WORDS = ["opportunity", "viagra", "dollar", "$", "!"]


def fitted():
    features = CountVectorizer(vocabulary=WORDS, token_pattern=r"[a-z]+|[$!]", binary=True)
    X = features.fit_transform([*SPAM, *GOOD]).toarray()
    y = np.array(["spam"] * len(SPAM) + ["good"] * len(GOOD))
    return features, BernoulliNB().fit(X, y), X, y


@pytest.mark.capability("IML-1-10")
def test_an_asymmetric_loss_moves_the_threshold():
    """Losing good mail costs c times as much as passing spam: delete iff P(spam) > c / (c + 1), as odds above c."""
    _, model, X, y = fitted()
    assert (model.predict(X) == y).all()
    P = model.predict_proba(X)[:, 1]
    for cost in (1, 4, 50, 5000):
        rule = DecisionRule(model, loss={("spam", "good"): cost, ("good", "spam"): 1})
        assert_array_equal(rule.predict(X) == "spam", cost / (cost + 1) < P)
    assert (rule.predict(X) == "good").sum() > len(GOOD)  # at 5000 some spam is passed on
    assert_allclose(rule.predict_proba(X), model.predict_proba(X), rtol=0)


@pytest.mark.capability("IML-1-10")
def test_doubtful_mail_is_set_aside():
    features, model, X, _ = fitted()
    # rows: delete, keep, set aside; columns: good, spam
    losses = np.array([[50.0, 0.0], [0.0, 1.0], [0.4, 0.1]])
    P = model.predict_proba(X)
    decision = decide(P, losses)
    risks = P @ losses.T
    assert_allclose(decision.risks, risks, rtol=1e-12)
    assert_array_equal(decision.chosen, risks.argmin(axis=1))
    new = features.transform(["the opportunity !", "viagra $ ! dollar opportunity", "lunch at ten"]).toarray()
    actions = decide(model.predict_proba(new), losses).chosen
    assert actions.tolist() == [
        2,
        2,
        1,
    ]  # 0.9979 is not sure enough where good mail costs 50; plain mail is kept
    cheaper = np.array([[10.0, 0.0], [0.0, 1.0], [0.4, 0.1]])
    assert decide(model.predict_proba(new), cheaper).chosen.tolist() == [2, 0, 1]
