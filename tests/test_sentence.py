"""Results that print themselves show the same words in a notebook."""

import importlib
import inspect
from html import unescape

import numpy as np
import pytest

from assay.evaluate import describe
from assay.stats import binomial_test, paired_t

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
