"""Words that say little of what a text is about."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from assay.errors import ParameterError

__all__ = ["FUNCTION_WORDS", "stop_words_of"]

# Articles and determiners, pronouns, prepositions, conjunctions, auxiliary verbs, and a few adverbs of English: words
# of grammar, and none of content. What an apostrophe leaves behind when words are cut there ("don t") is one of them.
GRAMMAR = """
    a an the this that these those each every either neither some any no all both few many much more most other
    another such same own several
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves one ones
    who whom whose which what whatever whoever whichever someone somebody something anyone anybody anything
    everyone everybody everything nobody nothing none
    of in on at to from by for with without within into onto upon about above below over under between among
    through during before after against across along around behind beside besides beyond despite down except inside
    near off out outside past per since than toward towards until up via
    and or but nor so yet if unless because although though while whereas whether as when whenever where wherever
    why how then once
    am is are was were be been being have has had having do does did doing done will would shall should can could
    may might must ought cannot
    not only just too very also even again still ever never there here now else rather quite thus hence however
    therefore
    s t d ll m o re ve don doesn didn isn aren wasn weren hasn haven hadn wouldn couldn shouldn
"""
FUNCTION_WORDS = frozenset(GRAMMAR.split())


def stop_words_of(words: Any, who: str = "stop_words") -> frozenset[str]:
    """The set of words that are left out: none, a collection of words, or one of two lists by name.

    ``"function words"`` is :data:`FUNCTION_WORDS`, words of grammar alone; ``"english"`` is the list that scikit-learn
    has under this name, which also holds some words of content.

    Parameters
    ----------
    words : None, "english", "function words" or a collection of words
    who : str
        Who asks, for the words of an error.

    Examples
    --------
    >>> from assay.text import stop_words_of
    >>> "the" in stop_words_of("function words"), "cat" in stop_words_of("function words"), stop_words_of(None)
    (True, False, frozenset())
    """
    if words is None:
        return frozenset()
    if isinstance(words, str):
        if words == "function words":
            return FUNCTION_WORDS
        if words == "english":
            from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

            return frozenset(ENGLISH_STOP_WORDS)
        raise ParameterError(
            f"{who}: not a built-in stop list: {words!r}. stop_words must be 'english', 'function words' or a list "
            "of words."
        )
    if not isinstance(words, Collection) or not all(isinstance(word, str) for word in words):
        raise ParameterError(f"{who}: stop_words must be a collection of words, got {words!r}.")
    return frozenset(words)
