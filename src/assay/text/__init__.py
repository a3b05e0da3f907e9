"""Documents as columns: words, stop words, suffixes, word pairs, and counts of them."""

from assay.text.analyzer import strip_accents_ascii, strip_accents_unicode, strip_tags
from assay.text.count_vectorizer import CountVectorizer
from assay.text.hashing_vectorizer import HashingVectorizer
from assay.text.stemming import porter_stem, strip_suffix
from assay.text.stop_words import FUNCTION_WORDS, stop_words_of
from assay.text.tfidf_transformer import TfidfTransformer
from assay.text.tfidf_vectorizer import TfidfVectorizer
from assay.text.words import shared_words, word_ngrams

__all__ = [
    "FUNCTION_WORDS",
    "CountVectorizer",
    "HashingVectorizer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "porter_stem",
    "shared_words",
    "stop_words_of",
    "strip_accents_ascii",
    "strip_accents_unicode",
    "strip_suffix",
    "strip_tags",
    "word_ngrams",
]
