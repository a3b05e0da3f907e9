import pytest

from assay.bayes import GaussianNB
from assay.plots.rule_growth import RuleGrowthDisplay
from assay.rulebase.conditions import Condition
from assay.rules import CN2Classifier, PrismClassifier, SequentialCoveringClassifier
from assay.rules.covering.learn_one_rule import growth_along
from assay.tables.data import load_charity_donors, load_contact_lenses

CHARITY = load_charity_donors()
LENSES = load_contact_lenses()


@pytest.mark.capability("DC-56")
def test_figure_10_5_age_above_50_then_salary_above_50000():
    path = [Condition(0, low=50), Condition(1, low=50000)]
    growth = growth_along(CHARITY.X, CHARITY.y, "Y", path)
    assert [step.counts for step in growth.steps] == [(5.0, 6.0), (1.0, 5.0)] and growth.counts == (0.0, 5.0)
    gains = [growth.steps[1].value, growth.value - growth.steps[1].value]
    assert gains == pytest.approx([3.057174, 1.315172], abs=5e-7)
    display = RuleGrowthDisplay(growth, CHARITY.X.schema, CHARITY.classes, "FOIL").plot()
    assert [box[:2] for box in display.boxes_ if box[2]] == [
        (0, "anything"),
        (1, "Age > 50"),
        (2, "Salary > 50000"),
    ]
    rejected = [box for box in display.boxes_ if not box[2]]
    assert (1, "Salary > 55500", False) in rejected and {box[0] for box in rejected} == {1, 2}
    texts = [text.get_text() for text in display.ax_.texts]
    assert "Age > 50\n5 right, 1 wrong\nFOIL 3.057" in texts


@pytest.mark.parametrize(
    "learner", [SequentialCoveringClassifier(beam=3), CN2Classifier(), PrismClassifier()]
)
def test_every_rule_of_a_learner_can_be_drawn(learner):
    model = learner.fit(LENSES.X, LENSES.y)
    for r, growth in enumerate(model.history_):
        display = RuleGrowthDisplay.from_estimator(model, r)
        taken = [words for level, words, taken in display.boxes_ if taken and level]
        assert taken == [c.words(LENSES.X.schema) for c in growth.conditions]
        inside = display.ax_.dataLim
        assert inside.y0 >= -len(growth.steps) - 0.5


def test_the_taken_condition_stands_where_the_next_level_hangs():
    growth = growth_along(CHARITY.X, CHARITY.y, "Y", [Condition(0, low=50), Condition(1, low=50000)])
    display = RuleGrowthDisplay(growth, CHARITY.X.schema, CHARITY.classes).plot()
    lines = [line.get_xydata() for line in display.ax_.lines]
    bold = [ends for line, ends in zip(display.ax_.lines, lines) if line.get_linewidth() > 2]
    assert bold[1][0][0] == bold[0][1][0]


def test_what_cannot_be_drawn_is_said():
    bayes = GaussianNB().fit(CHARITY.X.values, CHARITY.y)
    with pytest.raises(TypeError, match="GaussianNB remembers no growth of rules"):
        RuleGrowthDisplay.from_estimator(bayes)
    model = SequentialCoveringClassifier().fit(CHARITY.X, CHARITY.y)
    with pytest.raises(ValueError, match="there are rules 0 to 1, got 2"):
        RuleGrowthDisplay.from_estimator(model, 2)
