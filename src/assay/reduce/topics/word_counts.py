"""Documents as tables of word counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix
from assay.errors import DataError
from assay.tables import Column, Schema, Table
from assay.tables.row_names import row_name
from assay.text.stop_words import stop_words_of
from assay.text.words import words_of

__all__ = ["count_words", "counts_of", "documents_of", "is_documents", "words_of_schema"]

MOST_TOKENS = 2**31 - 1  # that sampling can give a topic each
CELLS_LOOKED_AT = 20  # of a sequence, to tell documents from rows of numbers


def count_words(
    documents: Any,
    min_documents: int = 1,
    max_share: float = 1.0,
    stop_words: Collection[str] | str = (),
    vocabulary: Sequence[str] | None = None,
) -> Table:
    """Count the words of each document: a sparse table with a column for each word, in alphabetical order.

    A document is a text, which is turned to lower case and cut at everything that is neither letter nor digit (as
    :class:`~assay.kernels.BagOfWords` does), or a list of words, which are taken as they are.

    Parameters
    ----------
    documents : sequence of texts or of lists of words, or dict of such sequences
        With a dict, such as ``{"en": [...], "fr": [...]}``, entry i of each belongs to document i, and words are
        called "en:house" and "fr:maison".
    min_documents : int, default 1
        Words of fewer documents are left out.
    max_share : float, default 1
        Words that a larger share of the documents has are left out.
    stop_words : collection of str, "english" or "function words", default none
        Words that are left out.
    vocabulary : sequence of str, default None
        The words to count, in this order; others are passed over, and the limits above do not apply.

    Returns
    -------
    Table
        Learners take it as it is; ``table.values`` is the CSR matrix, ``table.schema.names`` are the words.

    Examples
    --------
    >>> from assay.reduce import count_words
    >>> table = count_words(["The cat sat.", "The cat and the dog."], stop_words=["the", "and"])
    >>> table.schema.names, table.values.toarray().tolist()
    (['cat', 'dog', 'sat'], [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    """
    if isinstance(documents, Mapping):
        if vocabulary is not None:
            return _by_language(documents, vocabulary, "count_words")
        limits = (min_documents, max_share, stop_words)
        tables = [count_words(texts, *limits) for texts in documents.values()]
        return _side_by_side(list(map(str, documents)), tables)
    if isinstance(documents, str):
        raise DataError(
            "count_words: expected a sequence of documents, got one text. Put it in a list: [text]."
        )
    stop = stop_words_of(stop_words, "count_words")
    places: dict[str, int] = {} if vocabulary is None else {word: j for j, word in enumerate(vocabulary)}
    starts, columns = [0], []
    for i, document in enumerate(documents):
        words = words_of(document, i, "count_words")
        if vocabulary is None:
            columns += [places.setdefault(word, len(places)) for word in words if word not in stop]
        else:
            columns += [places[word] for word in words if word in places]
        starts.append(len(columns))
    shape = (len(starts) - 1, len(places))
    X = compressed_matrix("csr_matrix", np.ones(len(columns)), np.array(columns, np.int32), starts, shape)
    X.sum_duplicates()
    names = list(places)
    if vocabulary is None:
        X, names = _common(X, names, min_documents, max_share)
    return Table(X, Schema([Column(name) for name in names]))


def is_documents(X: Any) -> bool:
    """Whether X is a sequence of texts or lists of words (or a dict of such), rather than a table of numbers."""
    if isinstance(X, Mapping) and not hasattr(X, "shape"):
        return len(X) > 0 and all(is_documents(texts) for texts in X.values())
    if hasattr(X, "ndim") and (X.ndim != 1 or getattr(X, "dtype", None) is None or X.dtype.kind in "biufc"):
        return False
    if isinstance(X, str) or not hasattr(X, "__len__") or not hasattr(X, "__iter__") or hasattr(X, "columns"):
        return False
    texts = [document for _, document in zip(range(CELLS_LOOKED_AT), X)]
    return any(map(_is_document, texts)) and all(_is_document(d) or d is None or d == [] for d in texts)


def documents_of(X: Any, names: Sequence[str], who: str) -> Table:
    """Documents by the words that a model knows; others are passed over."""
    table = count_words(X, vocabulary=names) if not isinstance(X, Mapping) else _by_language(X, names, who)
    if not table.values.nnz and len(table):
        raise DataError(
            "none of the documents has a word that the model knows. Words of several languages are given by language: "
            '{"en": [...]}.',
            who=who,
        )
    return table


def words_of_schema(X: Any, schema: Schema, who: str) -> Table:
    """The counts in new documents of the words that a model was fitted to."""
    if not schema.named:
        raise DataError(
            "the model was fitted to counts without names, so words of texts mean nothing to it. Give counts in "
            "the same columns, or fit it to count_words(documents).",
            who=who,
        )
    return documents_of(X, schema.names, who).replaced(schema=schema)


def counts_of(X: Any, who: str, names: Sequence[str], whole: bool = False) -> Any:
    """A block as a CSR matrix of counts; negative ones and, if ``whole``, broken ones are refused."""
    import scipy.sparse as sp

    X = sp.csr_matrix(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()  # the caller's stays as it is
        X.sum_duplicates()
    if not X.shape[1]:
        raise DataError("the vocabulary is empty: there is no column to count words in.", who=who)
    for wrong, words in ((X.data < 0, "expected counts, from 0 up"), (X.data % 1 != 0, "")):
        if not wrong.any() or not (words or whole):
            continue
        place = int(np.flatnonzero(wrong)[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        where = f"{row_name(row)}, column {names[X.indices[place]]} is {X.data[place]:g}"
        if words:
            raise DataError(f"Negative values in data passed to {who} (input X): {where}; {words}.")
        raise DataError(
            f"{where}, but sampling gives each token a topic, and so needs whole counts. Round them, or use "
            'variational Bayes: LatentDirichletAllocation(learning_method="batch").',
            who=who,
        )
    if whole and X.data.sum() > MOST_TOKENS:
        raise DataError(
            f"the documents have {X.data.sum():,.15g} tokens; sampling gives each a topic, and takes at most "
            f'{MOST_TOKENS:,}. Use LatentDirichletAllocation(learning_method="batch").',
            who=who,
        )
    return X


def _is_document(value: Any) -> bool:
    if isinstance(value, str):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(word, str) for word in value)


def _common(X: Any, names: list[str], min_documents: int, max_share: float) -> tuple[Any, list[str]]:
    """The columns of words in enough, and not in too many, documents, in alphabetical order."""
    frequency = np.bincount(X.indices, minlength=len(names))
    keep = np.flatnonzero((frequency >= min_documents) & (frequency <= max_share * X.shape[0]))
    order = np.array(sorted(keep.tolist(), key=names.__getitem__), dtype=np.int64)
    if not len(order):
        raise DataError(
            f"count_words: no word is left of {len(names)}: the documents are empty, or the limits "
            f"(min_documents={min_documents}, max_share={max_share}, stop_words) leave out all."
        )
    return X[:, order].tocsr(), [names[j] for j in order]


def _by_language(documents: Mapping[Any, Any], vocabulary: Sequence[str], who: str) -> Table:
    """Documents by known words called "en:house"; a language that is not there has no words."""
    parts, heights = [], set()
    for language, texts in documents.items():
        places = [j for j, name in enumerate(vocabulary) if name.startswith(f"{language}:")]
        if not places:
            raise DataError(f"there is no language {str(language)!r} among the known words.", who=who)
        table = count_words(texts, vocabulary=[vocabulary[j][len(str(language)) + 1 :] for j in places])
        X, shape = table.values, (len(table), len(vocabulary))
        parts.append(compressed_matrix("csr_matrix", X.data, np.array(places)[X.indices], X.indptr, shape))
        heights.add(len(table))
    _refuse_unequal(heights)
    return Table(sum(parts[1:], parts[0]), Schema([Column(name) for name in vocabulary]))


def _refuse_unequal(heights: set[int]) -> None:
    if len(heights) > 1:
        raise DataError(
            f"count_words: every language needs a text for each document, got {sorted(heights)} texts."
        )


def _side_by_side(languages: list[str], tables: list[Table]) -> Table:
    import scipy.sparse as sp

    _refuse_unequal({len(table) for table in tables})
    names = [f"{language}:{name}" for language, t in zip(languages, tables) for name in t.schema.names]
    values = sp.hstack([table.values for table in tables], format="csr")
    return Table(values, Schema([Column(name) for name in names]))
