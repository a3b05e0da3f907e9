"""Results that print themselves show the same words in a notebook."""

import importlib
import inspect
from html import escape, unescape

import numpy as np
import pytest

from assay import compare
from assay.evaluate import describe
from assay.linear import LogisticRegression
from assay.metrics import Confusion
from assay.sentence import in_notebook
from assay.stats import binomial_test, paired_t
from assay.tables import Table

ROOMS = ["stats", "metrics", "evaluate"]


def readable():
    for room in ROOMS:
        module = importlib.import_module(f"assay.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.isclass(thing) or issubclass(thing, (str, BaseException)) or hasattr(thing, "fit"):
                continue
            if "__str__" in {k for c in thing.__mro__[:-1] for k in vars(c)}:
                yield pytest.param(thing, id=f"{room}.{name}")


@pytest.mark.parametrize("result", list(readable()))
def test_what_prints_as_text_is_shown_as_text(result):
    assert callable(getattr(result, "_repr_html_", None))


def test_a_test_shows_its_sentence():
    result = paired_t(np.array([0.05, 0.1, 0.15, 0.09]))
    assert result._repr_html_() == f"<p>{str(result).replace('<', '&lt;')}</p>"
    assert "significant at 0.05" in binomial_test(9, 10, 0.5)._repr_html_()


def test_several_lines_keep_their_columns():
    told = describe({"a < b": ["x", "y", "x"]})
    html = told._repr_html_()
    assert html.startswith("<pre>") and "a &lt; b" in html
    assert unescape(html.removeprefix("<pre>").removesuffix("</pre>")) == str(told)


ODD = "<script>alert(1)</script>"


def shown():
    """What notebooks show most, of a table whose names are code."""
    rng = np.random.default_rng(0)
    X = Table.of({ODD: rng.normal(size=60), "b": rng.normal(size=60)})
    y = np.where(X.values[:, 0] > 0, ODD, "<b>")
    model = LogisticRegression().fit(X, y)
    return {
        "table": X,
        "learner": model,
        "explanation": model.explain(X[:1]),
        "explanations": model.explain(X[:3]),
        "coefficients": model.summary(X, y),
        "confusion": Confusion.of(y, model.predict(X)),
        "comparison": compare(["lda", "majority"], X, y, design="3-fold"),
    }


SHOWN = shown()


@pytest.mark.parametrize("name", SHOWN)
def test_notebooks_show_all_in_one_style_and_names_as_text(name):
    html = SHOWN[name]._repr_html_()
    assert in_notebook("").removesuffix("</div>") in html and "<table" in html
    assert "<script>alert" not in html and "http://" not in html.split('class="assay-shown"')[1]
    assert escape(ODD[:8]) in html or name == "comparison"  # which names learners alone


def test_the_style_is_of_what_is_around_it():
    style = in_notebook("")
    assert "max-height:60em" in style and "@media print{.assay-shown{max-height:none}}" in style
    assert "#000" not in style and "#fff" not in style and "color:inherit" in style
