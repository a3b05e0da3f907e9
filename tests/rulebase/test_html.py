"""Rules as HTML: readable, and nothing breaks out."""

from dataclasses import replace
from html.parser import HTMLParser

from assay.rulebase.conditions import Condition
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import POLICIES, Rule, RuleBase
from assay.tables import Column, Schema

NASTY = "<script>alert('x')</script>&\""
SCHEMA = Schema([Column(NASTY), Column("job", "nominal", (NASTY, "B"))])
BASE = RuleBase(
    (
        Rule((Condition(0, high=1.0), Condition(1, codes=(0,))), NASTY, 4, 10, (3, 1), 3),
        Rule((), "b", 6, 10, (2, 4), 4),
    ),
    SCHEMA,
    (NASTY, "b"),
    "b",
    default_counts=(0, 0),
)


class Cells(HTMLParser):
    """The text of the cells, and the tags that are open at the end."""

    def __init__(self, html):
        super().__init__()
        self.cells, self.open, self.tags = [], [], set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def test_cells_hold_what_the_rules_say():
    read = Cells(BASE.to_html("A model"))
    assert read.open == [] and "script" not in read.tags
    premise = "".join(
        c.words(SCHEMA) if i == 0 else f"and {c.words(SCHEMA)}" for i, c in enumerate(BASE[0].conditions)
    )
    assert read.cells[:5] == ["", "if", "then", "rows", "of its answer"]
    assert read.cells[5:10] == ["R1", premise, NASTY, " 4", "75.0%"]
    assert read.cells[10:15] == ["R2", "anything", "b", " 6", "66.7%"]
    assert read.cells[15:18] == ["", "else", "b"]
    assert BASE.to_html() in BASE._repr_html_()


def test_every_policy_says_who_decides():
    text = {
        Cells(replace(BASE, policy=p).to_html()).open == [] and replace(BASE, policy=p).to_html()[:200]
        for p in POLICIES
    }
    assert len(text) == len(POLICIES)
    assert "Only the first 3 of them are heard." in replace(BASE, policy="votes", top=3).to_html()


def test_rules_without_counts_and_rules_of_numbers():
    plain = Cells(RuleBase((Rule((), "b"),), SCHEMA, ("a", "b"), "a").to_html())
    assert plain.cells == ["", "if", "then", "R1", "anything", "b", "", "else", "a"]
    numbers = RuleBase(
        (Rule((), 2.5, 4, 8, error=0.5), Rule((), LinearAnswer(1.0, ((0, None, 2.0),), 0.0))),
        SCHEMA,
        default=1.0,
    )
    read = Cells(numbers.to_html())
    assert read.cells[5:10] == ["R1", "anything", "2.5", " 4", "0.5"] and read.cells[12].startswith("1 + 2 ")
    assert "mean" in replace(numbers, policy="votes").to_html()


def test_a_long_list_is_cut():
    many = replace(BASE, rules=BASE.rules[1:] * 300)
    assert "... and 100 more rules" in many.to_html()
