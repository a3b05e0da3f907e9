"""Explanations as text, data and HTML, also with names that want to be code."""

import json
from fractions import Fraction
from html.parser import HTMLParser

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.bayes import GaussianNB
from assay.core.explanation import Explanation, Section

HOSTILE = "<script>alert('x')</script>&\"'"


def example():
    steps = Section("Joint", ["class", "prior"], [["a", Fraction(1, 3)], ["b", None]], note="A note.")
    return Explanation("NaiveBayes", "b", {"a": 0.25, "b": 0.75}, {"x0": 1.0, "x1": None}, [steps])


def test_the_text_says_answer_row_steps_and_posterior():
    assert str(example()) == (
        "NaiveBayes answers b (probability 0.75)\n"
        "for the row x0 = 1, x1 = missing\n\n"
        "Joint\n"
        "  class  prior\n"
        "  a      1/3\n"
        "  b      missing\n"
        "  A note.\n\n"
        "Posterior\n"
        "  a  0.25\n"
        "  b  0.75"
    )


def test_a_wide_row_is_cut_in_the_text_and_whole_in_the_data():
    wide = Explanation("L", 1, {1: 1.0}, {f"c{j}": float(j) for j in range(40)})
    assert "c11 = 11, ..." in str(wide) and "c12" not in str(wide)
    assert len(wide.to_dict()["row"]) == 40


def test_the_data_can_be_written_as_json():
    data = json.loads(json.dumps(example().to_dict()))
    assert data["answer"] == "b" and data["posterior"] == {"a": 0.25, "b": 0.75}
    assert data["sections"][0]["rows"] == [["a", "1/3"], ["b", None]]


def test_an_answer_outside_the_posterior_has_no_probability():
    assert str(Explanation("L", "reject", {"a": 1.0})).splitlines()[0] == "L answers reject"
    assert "probability" not in Explanation("L", "reject", {"a": 1.0}).to_html().split("</h4>")[0]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, *attributes))

    def handle_data(self, data):
        self.text += data


def tags(html):
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser


OURS = {"div", "h4", "h5", "span", "table", "thead", "tbody", "tr", "th", "td", "p"}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30) | st.sampled_from([HOSTILE, "</td><img src=x onerror=alert(1)>", "<!--", "&lt;"]))
def test_no_name_value_title_or_note_becomes_html(text):
    section = Section(text, [text, text], [[text, text]], note=text)
    html = Explanation(text, text, {text: 1.0}, {text: text}, [section]).to_html()
    found = tags(html)
    assert {tag for tag, *_ in found.seen} <= OURS
    assert [attributes for _, *attributes in found.seen if attributes] == [[("class", "assay-explanation")]]


def test_a_hostile_table_is_explained_in_plain_text():
    frame = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0, 4.0]})
    explanation = GaussianNB().fit(frame, [HOSTILE, HOSTILE, "b", "b"]).explain(frame.iloc[[0]])
    assert HOSTILE in str(explanation)
    found = tags(explanation.to_html())
    assert HOSTILE in found.text and {tag for tag, *_ in found.seen} <= OURS


def test_a_notebook_shows_the_html():
    assert example().to_html() in example()._repr_html_()


def test_cells_keep_their_digits_before_the_point_and_their_line():
    row = {
        "zero": -0.0,
        "id": 10299.0,
        "share": 0.123456,
        "huge": 1.5e20,
        "note": "one\ntwo",
        "text": "w" * 5000,
    }
    said = str(Explanation("L", "a", {"a": 1.0}, row)).splitlines()[1]
    assert said == (
        f"for the row zero = 0, id = 10299, share = 0.1235, huge = 1.5e+20, note = one\\ntwo, text = {'w' * 57}..."
    )
    assert Explanation("L", "a", {}, row).to_dict()["row"] == row


def test_of_very_many_classes_the_text_shows_the_likely_ones():
    labels = [f"k{i}" for i in range(300)]
    posterior = {label: (i + 1) / 45150 for i, label in enumerate(labels)}
    steps = Section("Likelihoods", ["column", "value", *labels, "more"], [["x", 1.0, *range(300), "end"]])
    joint = Section("Joint", ["class", "joint"], [[label, float(i)] for i, label in enumerate(labels)])
    other = Section("Evidence", ["quantity", "value"], [["p(x)", 0.5]])
    said = Explanation("L", "k7", posterior, {"x": 1.0}, [steps, joint, other])
    likely = ["k7", *labels[-8:]]
    lines = str(said).splitlines()
    assert lines[4].split() == ["column", "value", *likely, "more"]
    assert lines[5].split() == ["x", "1", "7", *(str(i) for i in range(292, 300)), "end"]
    assert [line.split()[0] for line in lines[9:18]] == likely and "p(x)" in str(said)
    assert lines[-1] == "  ... and 291 classes that are less probable"
    assert len(said.to_dict()["posterior"]) == 300 and "k100" in said.to_html()


def test_twenty_classes_are_all_shown():
    posterior = dict.fromkeys(range(20), 0.05)
    text = str(Explanation("L", 0, posterior, {}, [Section("S", ["a", *map(str, posterior)], [[0] * 21])]))
    assert "less probable" not in text and "  19  0.05" in text


def test_several_numbers_are_an_answer():
    said = Explanation("Two", [1.5, -2.0], row={"x": 3})
    assert str(said).startswith("Two answers 1.5, -2\n")
    assert "Two answers 1.5, -2<" in said._repr_html_()


def test_a_number_is_said_with_the_digits_that_count():
    assert str(Explanation("One", 152.13348416289594)).startswith("One answers 152.1")
    assert "One answers 152.1<" in Explanation("One", 152.13348416289594)._repr_html_()
    assert str(Explanation("Named", 0.123456789, {0.123456789: 1.0})).startswith(
        "Named answers 0.123456789 ("
    )
