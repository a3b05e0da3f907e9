"""Results that are read as text: what ``print`` shows, notebooks show too."""

from __future__ import annotations

from html import escape

__all__ = ["Sentence"]


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
