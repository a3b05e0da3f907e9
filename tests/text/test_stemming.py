"""Stemmers: the examples of Porter's paper, rule by rule."""

from __future__ import annotations

import pytest

from assay.text import porter_stem, strip_suffix

# Of the paper: what each rule makes of its example is what the whole algorithm makes of it where no later rule applies;
# where one does, the whole algorithm's answer stands here, worked by hand from the rules.
EXAMPLES = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress", "cats": "cat",
    "feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing",
    "conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan",
    "falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file",
    "happy": "happi", "sky": "sky", "relational": "relat", "conditional": "condit", "rational": "ration",
    "valenci": "valenc", "hesitanci": "hesit", "digitizer": "digit", "conformabli": "conform", "radicalli": "radic",
    "differentli": "differ", "vileli": "vile", "analogousli": "analog", "vietnamization": "vietnam",
    "predication": "predic", "operator": "oper", "feudalism": "feudal", "decisiveness": "decis",
    "hopefulness": "hope", "callousness": "callous", "formaliti": "formal", "sensitiviti": "sensit",
    "sensibiliti": "sensibl", "triplicate": "triplic", "formative": "form", "formalize": "formal",
    "electriciti": "electr", "electrical": "electr", "hopeful": "hope", "goodness": "good", "revival": "reviv",
    "allowance": "allow", "inference": "infer", "airliner": "airlin", "gyroscopic": "gyroscop",
    "adjustable": "adjust", "defensible": "defens", "irritant": "irrit", "replacement": "replac",
    "adjustment": "adjust", "dependent": "depend", "adoption": "adopt", "homologou": "homolog",
    "communism": "commun", "activate": "activ", "angulariti": "angular", "homologous": "homolog",
    "effective": "effect", "bowdlerize": "bowdler", "probate": "probat", "rate": "rate", "cease": "ceas",
    "controll": "control", "roll": "roll", "generalizations": "gener", "oscillators": "oscil", "y": "y", "by": "by",
}  # fmt: skip


@pytest.mark.capability("IML-1-08")
@pytest.mark.parametrize(("word", "stem"), EXAMPLES.items())
def test_the_examples_of_porters_paper(word, stem):
    assert porter_stem(word) == stem


def test_related_words_have_one_stem():
    assert {porter_stem(w) for w in ("connect", "connected", "connecting", "connection", "connections")} == {
        "connect"
    }


@pytest.mark.capability("IML-1-08")
def test_plain_endings():
    assert [strip_suffix(w) for w in ("books", "boxes", "tables", "reading", "walked", "glass", "bus", "ring")] == [
        "book", "box", "table", "read", "walk", "glass", "bus", "ring",
    ]  # fmt: skip
