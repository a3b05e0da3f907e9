"""From a document to its terms: what all vectorizers share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from assay.core.parameters import Accepted, Any_, Choice, Flag, check
from assay.core.stored import Kind
from assay.errors import DataError, ParameterError, warn_user
from assay.text.stemming import stemmer_of
from assay.text.stop_words import stop_words_of
from assay.text.words import word_ngrams

__all__ = ["TOKEN_PATTERN", "DocumentAnalyzer", "strip_accents_ascii", "strip_accents_unicode", "strip_tags"]

TOKEN_PATTERN = r"(?u)\b\w\w+\b"
SPACES = re.compile(r"\s\s+")
TAG = re.compile(r"<([^>]+)>", flags=re.UNICODE)


def strip_accents_unicode(s: str) -> str:
    """A text without accents, by taking letters and their marks apart.

    >>> from assay.text import strip_accents_unicode
    >>> strip_accents_unicode("élève")
    'eleve'
    """
    if s.isascii():
        return s
    return "".join(c for c in unicodedata.normalize("NFKD", s) if not unicodedata.combining(c))


def strip_accents_ascii(s: str) -> str:
    """A text without accents, and without letters that have no ASCII form.

    >>> from assay.text import strip_accents_ascii
    >>> strip_accents_ascii("naïve ξ")
    'naive '
    """
    return unicodedata.normalize("NFKD", s).encode("ASCII", "ignore").decode("ASCII")


def strip_tags(s: str) -> str:
    """A text with a space for each tag of HTML or XML.

    >>> from assay.text import strip_tags
    >>> strip_tags("a <b>word</b>")
    'a  word '
    """
    return TAG.sub(" ", s)


def _is_range(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(isinstance(v, (int, np.integer)) for v in value)
    )


class DocumentAnalyzer(BaseEstimator):
    """Reads, cleans and cuts documents; the parameters are scikit-learn's, and ``stemmer``."""

    storable = True
    stored: ClassVar[Mapping[str, Kind]] = {}
    accepts: ClassVar[Mapping[str, Accepted | None]] = {
        "input": Choice("filename", "file", "content"),
        "encoding": Any_("the name of an encoding", lambda v: isinstance(v, str)),
        "decode_error": Choice("strict", "ignore", "replace"),
        "strip_accents": Choice("ascii", "unicode") | Any_("a function", callable) | None,
        "lowercase": Flag(),
        "preprocessor": Any_("a function", callable) | None,
        "tokenizer": Any_("a function", callable) | None,
        "stop_words": Any_(
            "'english', 'function words', or words",
            lambda v: isinstance(v, (str, list, tuple, set, frozenset)),
        )
        | None,
        "token_pattern": Any_("a regular expression", lambda v: isinstance(v, str)) | None,
        "ngram_range": Any_("a pair of whole numbers", _is_range),
        "analyzer": Choice("word", "char", "char_wb") | Any_("a function", callable),
        "binary": Flag(),
        "stemmer": Choice("porter", "simple") | Any_("a function", callable) | None,
    }

    input: str
    encoding: str
    decode_error: str
    strip_accents: Any
    lowercase: bool
    preprocessor: Any
    tokenizer: Any
    stop_words: Any
    token_pattern: str | None
    ngram_range: Any
    analyzer: Any
    stemmer: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def decode(self, doc: Any) -> str:
        """A document as text: read from its file and decoded, as the parameters say."""
        if self.input == "filename":
            with open(doc, "rb") as file:
                doc = file.read()
        elif self.input == "file":
            doc = doc.read()
        if isinstance(doc, bytes):
            try:
                doc = doc.decode(self.encoding, self.decode_error)
            except UnicodeDecodeError as error:
                error.reason += (
                    f", so a document is not written as {type(self).__name__} reads it. Set encoding, such as "
                    "'latin-1', or decode_error='replace' or 'ignore'."
                )
                raise
            except LookupError:
                raise ParameterError(
                    f"{type(self).__name__}: encoding must be one that Python knows, such as 'utf-8' or 'latin-1', got "
                    f"{self.encoding!r}."
                ) from None
        if isinstance(doc, float) and doc != doc:
            raise ValueError(
                f"{type(self).__name__}: np.nan is an invalid document, expected byte or unicode string. Leave missing "
                "texts out, or give empty ones."
            )
        return doc

    def build_preprocessor(self) -> Callable[[str], str]:
        """The function that cleans a text: lower case, accents."""
        if self.preprocessor is not None:
            return self.preprocessor
        accents = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}.get(
            self.strip_accents if isinstance(self.strip_accents, str) else "", self.strip_accents
        )
        if isinstance(accents, str):
            raise ParameterError(f'Invalid value for "strip_accents": {accents}')
        if not accents:
            return str.lower if self.lowercase else _as_it_is
        if not self.lowercase:
            return accents
        return partial(_lower_without_accents, accents=accents)

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """The function that cuts a text into words."""
        if self.tokenizer is not None:
            return self.tokenizer
        try:
            pattern = re.compile(self.token_pattern or TOKEN_PATTERN)
        except re.error as error:
            raise ParameterError(
                f"{type(self).__name__}: token_pattern={self.token_pattern!r} is no regular expression: {error}."
            ) from None
        if pattern.groups > 1:
            raise ParameterError(
                f"{type(self).__name__}: More than 1 capturing group in token pattern. Only a single group should be "
                "captured."
            )
        return pattern.findall

    def get_stop_words(self) -> Any:
        """The words that are left out, or None."""
        return None if self.stop_words is None else stop_words_of(self.stop_words, type(self).__name__)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """The function from a document to its terms."""
        low, high = self.ngram_range
        if callable(self.analyzer):
            return _Terms(self, self.analyzer)
        preprocess = self.build_preprocessor()
        if self.analyzer in ("char", "char_wb"):
            cut = char_ngrams if self.analyzer == "char" else char_ngrams_in_words
            return _Terms(self, partial(_of_clean_text, preprocess=preprocess, cut=cut, low=low, high=high))
        if self.analyzer != "word":
            raise ParameterError(f"{self.analyzer} is not a valid tokenization scheme/analyzer")
        return _Terms(
            self,
            partial(
                _of_words,
                preprocess=preprocess,
                tokenize=self.build_tokenizer(),
                stop=self.get_stop_words(),
                stem=stemmer_of(self.stemmer, type(self).__name__),
                low=low,
                high=high,
            ),
        )

    def _warn_of_odd_stop_words(self) -> None:
        """Warn of stop words that no text has, once it was cleaned and cut."""
        if self.stop_words is None or self.analyzer != "word":
            return
        stop, preprocess, tokenize = self.get_stop_words(), self.build_preprocessor(), self.build_tokenizer()
        try:
            words = {token for word in stop for token in tokenize(preprocess(word))}
        except Exception:  # a function of the user's that is not made for single words
            return
        if odd := sorted(words - stop):
            warn_user(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop words generated "
                f"tokens {odd!r} not in stop_words.",
                UserWarning,
            )

    def _check_parameters(self) -> None:
        check(type(self).__name__, self.accepts, vars(self))
        low, high = self.ngram_range
        if low > high:
            raise ParameterError(
                f"{type(self).__name__}: Invalid value for ngram_range={self.ngram_range} lower boundary larger than "
                "the upper boundary."
            )
        for parameter, reason in self._unused():
            warn_user(f"The parameter '{parameter}' will not be used since {reason}", UserWarning)

    def _unused(self) -> Iterable[tuple[str, str]]:
        """Parameters that were set and have no effect, and why."""
        if self.tokenizer is not None and self.token_pattern is not None:
            yield "token_pattern", "'tokenizer' is not None'"
        if callable(self.analyzer):
            if self.preprocessor is not None:
                yield "preprocessor", "'analyzer' is callable'"
            if tuple(self.ngram_range) != (1, 1):
                yield "ngram_range", "'analyzer' is callable'"
        if self.analyzer != "word":
            if self.stop_words is not None:
                yield "stop_words", "'analyzer' != 'word'"
            if self.stemmer is not None:
                yield "stemmer", "'analyzer' != 'word'"
            if self.token_pattern is not None and self.token_pattern != TOKEN_PATTERN:
                yield "token_pattern", "'analyzer' != 'word'"
            if self.tokenizer is not None:
                yield "tokenizer", "'analyzer' != 'word'"


class _Terms:
    """A function from documents to terms, which can be pickled."""

    def __init__(self, reader: DocumentAnalyzer, analyze: Callable[[str], list[str]]):
        self._decode, self._analyze, self._plain = reader.decode, analyze, reader.input == "content"
        self._who = type(reader).__name__

    def __call__(self, document: Any) -> list[str]:
        text = document if type(document) is str and self._plain else self._decode(document)
        try:
            return self._analyze(text)
        except (TypeError, AttributeError) as error:
            if isinstance(text, str):
                raise
            raise DataError(
                f"{self._who}: a document must be a text (str, or bytes to be decoded), got {type(text).__name__}. "
                "Leave missing texts out, or give empty ones; what is no text needs an analyzer of its own."
            ) from error


def _of_clean_text(text: str, preprocess: Any, cut: Any, low: int, high: int) -> list[str]:
    return cut(preprocess(text), low, high)


def _of_words(
    text: str, preprocess: Any, tokenize: Any, stop: Any, stem: Any, low: int, high: int
) -> list[str]:
    words = tokenize(preprocess(text))
    if stop:
        words = [word for word in words if word not in stop]
    if stem is not None:
        words = [stem(word) for word in words]
    return words if low == high == 1 else word_ngrams(words, low, high)


def _lower_without_accents(text: str, accents: Any) -> str:
    return accents(text.lower())


def _as_it_is(text: str) -> str:
    return text


def char_ngrams(text: str, low: int, high: int) -> list[str]:
    """The runs of ``low`` to ``high`` characters of a text.

    >>> from assay.text.analyzer import char_ngrams
    >>> char_ngrams("ab c", 2, 3)
    ['ab', 'b ', ' c', 'ab ', 'b c']
    """
    text = SPACES.sub(" ", text)
    runs: list[str] = []
    for n in range(low, min(high, len(text)) + 1):
        runs += list(text) if n == 1 else [text[i : i + n] for i in range(len(text) - n + 1)]
    return runs


def char_ngrams_in_words(text: str, low: int, high: int) -> list[str]:
    """The runs of characters inside of words, each word with a space before and behind it.

    >>> from assay.text.analyzer import char_ngrams_in_words
    >>> char_ngrams_in_words("ab c", 3, 3)
    [' ab', 'ab ', ' c ']
    """
    runs: list[str] = []
    for word in text.split():
        padded = f" {word} "
        for n in range(low, high + 1):
            if n >= len(padded):
                runs.append(padded)  # a short word, once
                break
            runs += [padded[i : i + n] for i in range(len(padded) - n + 1)]
    return runs
