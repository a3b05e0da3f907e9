"""Words without their endings, so that "connected" and "connections" count as one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from assay.errors import ParameterError

__all__ = ["porter_stem", "stemmer_of", "strip_suffix"]

WORDS_REMEMBERED = 1 << 16


def strip_suffix(word: str) -> str:
    """A word without a plain ending: "-ing", "-ed", "-es" or "-s", if at least three letters with a vowel remain.

    The simplest of stemmers: it takes off one ending and mends nothing. "-ss" is no ending.

    >>> from assay.text import strip_suffix
    >>> [strip_suffix(word) for word in ("learning", "learns", "learned", "classes", "class", "sing", "is")]
    ['learn', 'learn', 'learn', 'class', 'class', 'sing', 'is']
    """
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            if ending == "s" and stem.endswith("s"):
                return word
            if ending == "es" and not stem.endswith(("s", "x", "z", "ch", "sh")):
                continue  # "tables": the ending is -s
            if len(stem) >= 3 and re.search("[aeiouy]", stem):
                return stem
    return word


@lru_cache(maxsize=WORDS_REMEMBERED)
def porter_stem(word: str) -> str:
    """A word of English in lower case without its suffixes, by Porter's five steps.

    A word is [C](VC)^m[V] in runs of consonants C and vowels V; most rules take a suffix away if the measure m of what
    stays before it is large enough. Words of one or two letters stay as they are.

    >>> from assay.text import porter_stem
    >>> [porter_stem(word) for word in ("caresses", "ponies", "hopping", "relational", "generalizations", "controll")]
    ['caress', 'poni', 'hop', 'relat', 'gener', 'control']

    References
    ----------
    - Porter, M. F. (1980). An algorithm for suffix stripping. Program 14, 130-137.
    """
    if len(word) <= 2:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, STEP_2, 0)
    word = _replaced(word, STEP_3, 0)
    word = _removed(word)
    if word.endswith("e"):
        m = _measure(word[:-1])
        if m > 1 or (m == 1 and not _ends_cvc(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def _kinds(word: str) -> str:
    """A letter for each letter: c for consonants, v for vowels; y is a vowel behind a consonant."""
    kinds = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and kinds.endswith("c"))
        kinds += "v" if vowel else "c"
    return kinds


def _measure(word: str) -> int:
    return len(re.findall("v+c+", _kinds(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _kinds(word)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _kinds(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    return _kinds(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    for ending, instead in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            if not _has_vowel(stem):
                return word
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if _ends_double(stem) and stem[-1] not in "lsz":
                return stem[:-1]
            return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem
    return word


def _longest(word: str, endings: Any) -> str:
    """The longest of these endings that the word has, or none."""
    return max((ending for ending in endings if word.endswith(ending)), key=len, default="")


def _replaced(word: str, rules: tuple[tuple[str, str], ...], least: int) -> str:
    """The word with its longest ending of the rules replaced, if the measure before it is above ``least``."""
    ending = _longest(word, dict(rules))
    if ending and _measure(word[: -len(ending)]) > least:
        return word[: -len(ending)] + dict(rules)[ending]
    return word


def _removed(word: str) -> str:
    ending = _longest(word, STEP_4)
    stem = word[: -len(ending)] if ending else word
    if not ending or _measure(stem) <= 1 or (ending == "ion" and not stem.endswith(("s", "t"))):
        return word
    return stem


STEMMERS: dict[str, Callable[[str], str]] = {"porter": porter_stem, "simple": strip_suffix}


def stemmer_of(stemmer: Any, who: str = "stemmer") -> Callable[[str], str] | None:
    """The function of a stemmer's name ("porter", "simple"), a function as it is, None for none.

    >>> from assay.text.stemming import stemmer_of
    >>> stemmer_of("porter")("running")
    'run'
    """
    if stemmer is None or callable(stemmer):
        return stemmer
    if stemmer not in STEMMERS:
        raise ParameterError(
            f"{who}: stemmer must be None, 'porter', 'simple' or a function, got {stemmer!r}."
        )
    return STEMMERS[stemmer]
