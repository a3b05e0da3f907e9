"""Results that are read as text: what ``print`` shows, notebooks show too."""

from __future__ import annotations

from html import escape

__all__ = ["Sentence", "in_notebook"]

# Colours are those around it, or let them through, so that light and dark pages need no rules of their own.
# What is taller than a screen scrolls in its place, except on paper.
_STYLE = """
.assay-shown{overflow:auto;max-height:60em;color:inherit}
@media print{.assay-shown{max-height:none}}
.assay-shown table{border-collapse:collapse;border:none;margin:.4em 0;font-size:.9em;color:inherit;background:none}
.assay-shown th,.assay-shown td{padding:.2em .75em;border:none;border-top:1px solid #8884;text-align:left;
vertical-align:top;white-space:normal;overflow-wrap:break-word;max-width:40em;background:none}
.assay-shown thead th{border-top:none;border-bottom:1px solid #888a;vertical-align:bottom}
.assay-shown td{font-variant-numeric:tabular-nums}
.assay-shown tbody tr:hover{background:#8882}
.assay-shown h4{margin:.6em 0 .3em;font-size:1.05em}
.assay-shown h5{margin:.8em 0 .2em;font-size:.95em}
.assay-shown p{margin:.3em 0;max-width:50em}
"""


def in_notebook(html: str) -> str:
    """A piece of HTML with the one style of all that notebooks show: no script, nothing from elsewhere.

    >>> from assay.sentence import in_notebook
    >>> page = in_notebook("<table></table>")
    >>> page.startswith('<div class="assay-shown"><style>'), page.endswith("</style><table></table></div>")
    (True, True)
    """
    return f'<div class="assay-shown"><style>{_STYLE}</style>{html}</div>'


class Sentence:
    """Mixin of results with a ``__str__`` for people; a notebook shows the same words.

    Examples
    --------
    >>> from assay.stats import binomial_test
    >>> result = binomial_test(9, 10, 0.5)
    >>> result._repr_html_() == f"<p>{result}</p>"
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        text = escape(str(self), quote=False)
        return f"<pre>{text}</pre>" if "\n" in text else f"<p>{text}</p>"
